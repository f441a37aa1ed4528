/* Runs cases in the layout of the JSON Schema Test Suite:
 *     schema_suite DRAFT FOLDER REMOTES EXPECTED
 * DRAFT is 2020-12, 2019-09, 7, 6 or 4; each *.json below FOLDER holds groups of {schema, tests};
 * REMOTES is what http://localhost:1234/ stands for; EXPECTED lists the cases that are known to be
 * answered differently, each with a reason. A test says what is `valid`, or what the `output` in
 * one of the standard's formats must be like, as a schema (which may refer to output-schema.json in
 * REMOTES). What is valid is asked of gramc_schema_accepts, of gramc_schema_check and of the
 * output `verbose`; an unlisted miss and a listed hit both fail. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "gramc/compile.h"
#include "base/text.h"

struct suite {
    struct arena arena;
    gramc_draft draft;
    const char *remotes;
    gramc_text expected;
    size_t passed, missed, excused;
};

static gramc_text read_file(struct arena *arena, const char *path) {
    gramc_text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = arena_alloc(arena, (size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        text = (gramc_text){bytes, (size_t)size};
    fclose(file);
    return text;
}

static bool is_output_schema(gramc_text uri) {
    gramc_text end = TEXT("/output/schema");
    return uri.len >= end.len && text_eq(text_slice(uri, uri.len - end.len, uri.len), end);
}

static int resolve(void *ctx, gramc_text uri, gramc_text *out) {
    static const char host[] = "http://localhost:1234/";
    struct suite *suite = ctx;
    char path[4096];
    if (is_output_schema(uri)) snprintf(path, sizeof path, "%s/output-schema.json", suite->remotes);
    else if (!text_starts(uri, host)) return 1;
    else
        snprintf(path, sizeof path, "%s/%.*s", suite->remotes, (int)(uri.len - strlen(host)),
                 uri.ptr + strlen(host));
    *out = read_file(&suite->arena, path);
    return out->ptr ? 0 : 1;
}

/* A line of the expected file is "file | group | test | reason". */
static bool is_excused(const struct suite *suite, const char *file, gramc_text group,
                       gramc_text test) {
    struct buf line;
    buf_init(&line, NULL, 10000);
    buf_printf(&line, "%s | %.*s | %.*s | ", file, TEXT_ARGS(group), TEXT_ARGS(test));
    bool found = false;
    for (size_t i = 0; i + line.len <= suite->expected.len && !found; i++)
        found = (i == 0 || suite->expected.ptr[i - 1] == '\n') &&
                memcmp(suite->expected.ptr + i, line.ptr, line.len) == 0;
    buf_free(&line);
    return found;
}

static void settle(struct suite *suite, const char *file, gramc_text group, gramc_text test,
                   bool hit, const char *what) {
    bool excused = is_excused(suite, file, group, test);
    if (hit != excused) {
        if (hit) suite->passed++;
        else suite->excused++;
        return;
    }
    suite->missed++;
    printf("%s: %s | %.*s | %.*s: %s\n", hit ? "LISTED BUT RIGHT" : "MISS", file, TEXT_ARGS(group),
           TEXT_ARGS(test), what);
}

/* ## Output */

static struct buf print_output(const gramc_schema *schema, gramc_text bytes,
                               gramc_verdict_format format) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    struct buf out;
    buf_init(&out, NULL, SIZE_MAX);
    options.flags = format == GRAMC_VERDICT_VERBOSE ? GRAMC_CHECK_UNITS : GRAMC_CHECK_ANNOTATIONS;
    if (gramc_schema_check(&verdict, schema, bytes.ptr, bytes.len, &options)) return out;
    if (gramc_verdict_print(verdict, format, buf_writer(&out))) buf_reset(&out);
    gramc_verdict_free(verdict);
    return out;
}

/* The walk that makes the output finds out by itself what is valid. */
static bool output_says(struct suite *suite, const gramc_schema *schema, gramc_text bytes,
                        bool valid) {
    struct buf out = print_output(schema, bytes, GRAMC_VERDICT_VERBOSE);
    const struct json *root = json_parse(&suite->arena, buf_view(&out), NULL);
    const struct json *said = json_get(root, "valid");
    bool agrees = json_is(said, valid ? JSON_TRUE : JSON_FALSE);
    buf_free(&out);
    return agrees;
}

/* `format` is a member of a test's output: its name is the format, its value the schema. */
static void run_format(struct suite *suite, const char *file, gramc_text group, gramc_text test,
                       const gramc_schema *schema, const struct json *format, gramc_text base,
                       gramc_text text, gramc_text bytes) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_verdict_format wanted;
    gramc_json_error error;
    gramc_schema *output;
    options.draft = suite->draft;
    options.base_uri = base;
    options.resolver = (gramc_resolver){resolve, suite};
    if (!gramc_verdict_format_find(format->key, &wanted)) {
        settle(suite, file, group, test, false, "no such format");
    } else if (gramc_schema_compile(&output, text.ptr + format->start, format->end - format->start,
                                    &options, &error)) {
        settle(suite, file, group, test, false, error.message);
    } else {
        struct buf out = print_output(schema, bytes, wanted);
        bool hit = out.len && gramc_schema_accepts(output, out.ptr, out.len);
        settle(suite, file, group, test, hit, out.len ? out.ptr : "nothing is printed");
        buf_free(&out);
        gramc_schema_free(output);
    }
}

static void run_output(struct suite *suite, const char *file, gramc_text group,
                       const gramc_schema *schema, const struct json *test, gramc_text text,
                       gramc_text base) {
    const struct json *data = json_get(test, "data"), *output = json_get(test, "output");
    for (const struct json *format = output->first; format; format = format->next)
        run_format(suite, file, group, json_get(test, "description")->text, schema, format, base,
                   text, text_slice(text, data->start, data->end));
}

/* ## Cases */

static void run_test(struct suite *suite, const char *file, gramc_text group,
                     const gramc_schema *schema, const struct json *test, gramc_text text) {
    const struct json *data = json_get(test, "data"), *valid = json_get(test, "valid");
    gramc_text name = json_get(test, "description")->text;
    gramc_text bytes = text_slice(text, data->start, data->end);
    gramc_verdict *verdict;
    bool expected = valid->kind == JSON_TRUE;
    /* A copy of exactly these bytes, so that a sanitizer sees any step beyond them. */
    char *copy = malloc(bytes.len);
    if (!copy) abort();
    memcpy(copy, bytes.ptr, bytes.len);
    bool accepts = gramc_schema_accepts(schema, copy, bytes.len);
    gramc_status status = gramc_schema_check(&verdict, schema, copy, bytes.len, NULL);
    bool checks = status == GRAMC_OK && verdict->valid;
    bool told = output_says(suite, schema, bytes, checks);
    const char *what = accepts != checks ? "accepts and check disagree"
                       : !told           ? "check and the output disagree"
                       : status          ? "a limit was hit"
                       : checks          ? "was accepted"
                                         : verdict->errors[0].message.ptr;
    bool hit = accepts == expected && checks == expected && told && !status;
    settle(suite, file, group, name, hit, what);
    if (status == GRAMC_OK) gramc_verdict_free(verdict);
    free(copy);
}

static void run_group(struct suite *suite, const char *file, const struct json *group,
                      gramc_text text) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema;
    gramc_text name = json_get(group, "description")->text;
    const struct json *document = json_get(group, "schema");
    options.draft = suite->draft;
    options.assert_formats = strstr(file, "format/") != NULL;
    /* Draft-07 leaves it open whether content is asserted; later drafts do not assert it. */
    options.assert_content =
        suite->draft == GRAMC_DRAFT_7 && strcmp(file, "optional/content.json") == 0;
    options.resolver = (gramc_resolver){resolve, suite};
    gramc_status status = gramc_schema_compile(&schema, text.ptr + document->start,
                                               document->end - document->start, &options, &error);
    if (status != GRAMC_OK) {
        settle(suite, file, name, TEXT("(compiling)"), false, error.message);
        return;
    }
    const struct json *id = json_get(document, "$id");
    gramc_text base = id ? id->text : options.base_uri;
    for (const struct json *test = json_get(group, "tests")->first; test; test = test->next)
        if (json_get(test, "output")) run_output(suite, file, name, schema, test, text, base);
        else run_test(suite, file, name, schema, test, text);
    gramc_schema_free(schema);
}

static void run_file(struct suite *suite, const char *path, const char *file) {
    gramc_text text = read_file(&suite->arena, path);
    const struct json *groups = json_parse(&suite->arena, text, NULL);
    if (!json_is(groups, JSON_ARRAY)) {
        printf("MISS: %s is not a list of groups\n", path);
        suite->missed++;
        return;
    }
    for (const struct json *group = groups->first; group; group = group->next)
        run_group(suite, file, group, text);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run_folder(struct suite *suite, const char *folder, const char *prefix) {
    char path[4096], file[1024], *names[1000];
    size_t count = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        printf("MISS: cannot open %s\n", folder);
        suite->missed++;
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) && count < 1000;)
        if (entry->d_name[0] != '.') names[count++] = strdup(entry->d_name);
    closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        snprintf(file, sizeof file, "%s%s", prefix, names[i]);
        if (strstr(names[i], ".json")) {
            run_file(suite, path, file);
        } else {
            snprintf(file, sizeof file, "%s%s/", prefix, names[i]);
            run_folder(suite, path, file);
        }
        free(names[i]);
    }
}

int main(int argc, char **argv) {
    struct suite suite = {.passed = 0};
    if (argc != 5 || !gramc_draft_find(text_of(argv[1]), &suite.draft)) {
        fputs("usage: schema_suite DRAFT FOLDER REMOTES EXPECTED\n", stderr);
        return 2;
    }
    arena_init(&suite.arena, NULL);
    suite.remotes = argv[3];
    suite.expected = read_file(&suite.arena, argv[4]);
    run_folder(&suite, argv[2], "");
    printf("%s: %zu cases as expected, %zu known to differ, %zu missed\n", argv[1], suite.passed,
           suite.excused, suite.missed);
    arena_free(&suite.arena);
    return suite.missed || !suite.passed;
}
