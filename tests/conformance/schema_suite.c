/* Runs cases in the layout of the JSON Schema Test Suite:
 *     schema_suite DRAFT FOLDER REMOTES EXPECTED
 * DRAFT is 2020-12, 2019-09, 7, 6 or 4; each *.json below FOLDER holds groups of {schema, tests};
 * REMOTES is what http://localhost:1234/ stands for; EXPECTED lists the cases that are known to be
 * answered differently, each with a reason. Every case is asked of gramc_schema_accepts and of
 * gramc_schema_check; an unlisted miss and a listed hit both fail. */
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

static int resolve(void *ctx, gramc_text uri, gramc_text *out) {
    static const char host[] = "http://localhost:1234/";
    struct suite *suite = ctx;
    char path[4096];
    if (!text_starts(uri, host)) return 1;
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
    const char *what = accepts != checks ? "accepts and check disagree"
                       : status          ? "a limit was hit"
                       : checks          ? "was accepted"
                                         : verdict->errors[0].message.ptr;
    settle(suite, file, group, name, accepts == expected && checks == expected && !status, what);
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
    for (const struct json *test = json_get(group, "tests")->first; test; test = test->next)
        run_test(suite, file, name, schema, test, text);
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
    if (argc != 5) {
        fputs("usage: schema_suite DRAFT FOLDER REMOTES EXPECTED\n", stderr);
        return 2;
    }
    arena_init(&suite.arena, NULL);
    suite.draft = strcmp(argv[1], "7") == 0         ? GRAMC_DRAFT_7
                  : strcmp(argv[1], "6") == 0       ? GRAMC_DRAFT_6
                  : strcmp(argv[1], "4") == 0       ? GRAMC_DRAFT_4
                  : strcmp(argv[1], "2019-09") == 0 ? GRAMC_DRAFT_2019_09
                                                    : GRAMC_DRAFT_AUTO;
    suite.remotes = argv[3];
    suite.expected = read_file(&suite.arena, argv[4]);
    run_folder(&suite, argv[2], "");
    printf("%s: %zu cases as expected, %zu known to differ, %zu missed\n", argv[1], suite.passed,
           suite.excused, suite.missed);
    arena_free(&suite.arena);
    return suite.missed || !suite.passed;
}
