/* Every rule of the language page, from tests/data/language_rules.tsv: a text, how it is read, and
 * what must come of it. A rule has rows that keep it and rows that break it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"

/* A row: rule, mode, source, expectation, parted by tabs; \n, \t and \\ are escapes. More files
 * follow the source, each as `\f` NAME `\f` TEXT. */
enum { COLUMNS = 4, MOST_FILES = 8 };

struct file {
    gramc_text name, text;
};

struct row {
    char *columns[COLUMNS];
    unsigned line;
    struct file files[MOST_FILES]; /* the first is the source */
    size_t file_count;
};

/* ## Reading rows */

static void unescape(char *text) {
    static const char from[] = "ntfr\\", to[] = "\n\t\f\r\\";
    char *out = text;
    for (const char *in = text; *in; in++, out++) {
        const char *escape = *in == '\\' && in[1] ? strchr(from, in[1]) : NULL;
        *out = escape ? to[escape - from] : *in;
        if (escape) in++;
    }
    *out = '\0';
}

static void split(struct row *row, char *line) {
    for (int i = 0; i < COLUMNS; i++) {
        row->columns[i] = line;
        line = line ? strchr(line, '\t') : NULL;
        if (line) *line++ = '\0';
        if (!row->columns[i]) fail_msg("line %u: column %d is missing", row->line, i + 1);
        unescape(row->columns[i]);
    }
    row->file_count = 0;
    char *at = row->columns[2];
    row->files[row->file_count++] = (struct file){TEXT("in.gram"), {NULL, 0}};
    for (char *end; (end = strchr(at, '\f')) != NULL; at = end + 1) {
        char *name = end + 1;
        *end = '\0';
        row->files[row->file_count - 1].text = text_of(at);
        end = strchr(name, '\f');
        assert_non_null(end);
        assert_true(row->file_count < MOST_FILES);
        *end = '\0';
        row->files[row->file_count++].name = text_of(name);
    }
    row->files[row->file_count - 1].text = text_of(at);
}

static int read_file(void *ctx, gramc_text path, gramc_text *out) {
    const struct row *row = ctx;
    for (size_t i = 0; i < row->file_count; i++) {
        if (!text_eq(row->files[i].name, path)) continue;
        *out = row->files[i].text;
        return 0;
    }
    return GRAMC_NOT_FOUND;
}

/* ## Judging */

static unsigned failures;

static void complain(const struct row *row, const char *what, gramc_text got) {
    failures++;
    print_error("language_rules.tsv:%u: %s\n  %s\n  expected %s: %s\n  got %.*s\n", row->line,
                row->columns[0], row->files[0].text.ptr, what, row->columns[3], TEXT_ARGS(got));
}

static void put_codes(struct buf *out, const gramc_compilation *compilation) {
    gramc_finding finding;
    for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++) {
        if (i) buf_putc(out, ' ');
        buf_puts(out, finding.code);
    }
    if (!out->len) buf_puts(out, "ok");
}

static bool has_sentences(const gramc_compilation *compilation, const char *wanted) {
    gramc_finding finding;
    for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++)
        if (strstr(finding.message.ptr, wanted) ||
            (finding.help.len && strstr(finding.help.ptr, wanted)))
            return true;
    return false;
}

/* `CODE CODE`, and behind ` && ` what a message or help must say. */
static void evaluate_findings(const struct row *row, const gramc_compilation *compilation) {
    struct buf got;
    char *rest = strstr(row->columns[3], " && ");
    if (rest) *rest = '\0';
    buf_init(&got, NULL, 1 << 16);
    put_codes(&got, compilation);
    if (!text_is(buf_view(&got), row->columns[3])) complain(row, "findings", buf_view(&got));
    if (rest && !has_sentences(compilation, rest + 4)) complain(row, rest + 4, TEXT("others"));
    buf_free(&got);
}

/* Fragments parted by ` && ` that stand in the output, with a `!` in front that do not. */
static void evaluate_output(const struct row *row, gramc_text output) {
    char *next = row->columns[3];
    while (next) {
        char *fragment = next;
        next = strstr(fragment, " && ");
        if (next) {
            *next = '\0';
            next += 4;
        }
        bool wanted = *fragment != '!';
        bool found = strstr(output.ptr, wanted ? fragment : fragment + 1) != NULL;
        if (found != wanted) complain(row, "output", output);
    }
}

static void emit(const struct row *row, gramc_compilation *compilation, const gramc_spec *spec,
                 gramc_text target) {
    const gramc_agent *agent = gramc_spec_agent(spec, 0);
    struct buf out;
    buf_init(&out, NULL, 1 << 20);
    if (gramc_finding_count(compilation, GRAMC_ERROR)) {
        put_codes(&out, compilation);
        complain(row, "no errors", buf_view(&out));
    } else {
        assert_int_equal(gramc_emit(spec, agent, target, buf_writer(&out)), GRAMC_OK);
        evaluate_output(row, buf_view(&out));
    }
    buf_free(&out);
}

static void format(const struct row *row, gramc_compilation *compilation, bool portable) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    struct buf out;
    options.portable = portable;
    buf_init(&out, NULL, 1 << 20);
    gramc_status status = gramc_source_format(compilation, 0, &options, buf_writer(&out));
    if (status != GRAMC_OK) evaluate_findings(row, compilation);
    else if (!text_is(buf_view(&out), row->columns[3])) complain(row, "text", buf_view(&out));
    buf_free(&out);
}

/* Two texts mean the same, or do not: their agents have equal fingerprints. */
static void fingerprints(const struct row *row) {
    gramc_text prints[2];
    gramc_compilation *compilations[2];
    assert_int_equal(row->file_count, 2);
    for (int i = 0; i < 2; i++) {
        gramc_options options = GRAMC_OPTIONS_INIT;
        const gramc_spec *spec;
        gramc_text text = row->files[i].text;
        assert_int_equal(gramc_compilation_new(&compilations[i], &options), GRAMC_OK);
        gramc_status status =
            gramc_add_source(compilations[i], row->files[i].name, text.ptr, text.len);
        if (!status) status = gramc_compile(&spec, compilations[i]);
        if (!status) status = gramc_agent_prepare(compilations[i], gramc_spec_agent(spec, 0));
        if (status) complain(row, "a sound text", text);
        prints[i] = status ? text : gramc_spec_agent(spec, 0)->fingerprint;
    }
    const char *found = text_eq(prints[0], prints[1]) ? "equal" : "different";
    if (strcmp(found, row->columns[3]) != 0) complain(row, "fingerprints", text_of(found));
    for (int i = 0; i < 2; i++) gramc_compilation_free(compilations[i]);
}

static void evaluate(const struct row *row, gramc_compilation *compilation) {
    const char *mode = row->columns[1];
    const gramc_spec *spec = NULL;
    bool formats = strcmp(mode, "fmt") == 0 || strcmp(mode, "portable") == 0;
    bool checks =
        strcmp(mode, "check") == 0 || strcmp(mode, "plain") == 0 || strcmp(mode, "vocabulary") == 0;
    if (formats) {
        format(row, compilation, strcmp(mode, "portable") == 0);
        return;
    }
    gramc_status status = gramc_compile(&spec, compilation);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    if (checks) evaluate_findings(row, compilation);
    else emit(row, compilation, spec, text_of(strcmp(mode, "defs") ? mode : "json-schema"));
}

static void run(struct row *row) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const char *mode = row->columns[1];
    gramc_text text = row->files[0].text;
    if (strcmp(mode, "fingerprint") == 0) {
        fingerprints(row);
        return;
    }
    options.plain = strcmp(mode, "plain") == 0;
    options.strict_vocabulary = strcmp(mode, "vocabulary") == 0;
    options.keep_types = strcmp(mode, "defs") == 0;
    options.advice = strcmp(mode, "advice") == 0;
    options.reader = (gramc_reader){read_file, row};
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    gramc_status status = gramc_add_source(compilation, TEXT("in.gram"), text.ptr, text.len);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    evaluate(row, compilation);
    gramc_compilation_free(compilation);
}

/* ## The table */

static char *read_table(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/language_rules.tsv", getenv("GRAMC_SOURCE_DIR"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, len, file), len);
    text[len] = '\0';
    fclose(file);
    return text;
}

static void every_rule_holds(void **state) {
    char *table = read_table();
    unsigned line = 0, rows = 0;
    (void)state;
    failures = 0;
    for (char *at = table, *next; at && *at; at = next) {
        struct row row = {.line = ++line};
        next = strchr(at, '\n');
        if (next) *next++ = '\0';
        if (*at == '#' || *at == '\0') continue;
        split(&row, at);
        run(&row);
        rows++;
    }
    free(table);
    assert_true(rows > 500);
    if (failures) fail_msg("%u of %u rows fail", failures, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
