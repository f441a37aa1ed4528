/* The findings table: codes are unique and ordered, every row explains itself, and its examples
 * tell the truth: the bad one gives exactly this finding, the good one gives none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gramc/compile.h"

/* Findings without a short example, shown by golden cases: they need a second source or a
 * configuration (G0234, G0701, G0707), a text of some length (G0330, G0340, G0341, G0601, G0810,
 * G0811, G0909, G0911, G0913, G0915, G0916), an agent and a library that are bound (G024x to G026x,
 * G044x to G046x), or come with others (G0912). */
static const char *const shown_by_cases[] = {
    "G0710", "G0234", "G0243", "G0244", "G0245", "G0246", "G0247", "G0248", "G0249", "G0250",
    "G0251", "G0252", "G0253", "G0260", "G0261", "G0262", "G0263", "G0264", "G0265", "G0266",
    "G0439", "G0440", "G0441", "G0442", "G0443", "G0444", "G0445", "G0446", "G0447", "G0448",
    "G0449", "G0450", "G0451", "G0452", "G0453", "G0454", "G0455", "G0456", "G0457", "G0458",
    "G0460", "G0461", "G0462", "G0463", "G0464", "G0465", "G0466", "G0467", "G0468", "G0469",
    "G0470", "G0471", "G0472", "G0601", "G0701", "G0707", "G0810", "G0811", "G0340", "G0341",
    "G0909", "G0911", "G0912", "G0913", "G0915", "G0916"};

static int is_shown_by_cases(const char *code) {
    for (size_t i = 0; i < sizeof shown_by_cases / sizeof *shown_by_cases; i++)
        if (strcmp(code, shown_by_cases[i]) == 0) return 1;
    return 0;
}

/* ## Examples */

static int take_nothing(void *ctx, const char *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len;
    return 0;
}

static void import(gramc_compilation *compilation, const char *text) {
    const gramc_import_file file = {GRAMC_TEXT("row"), text, strlen(text)};
    gramc_status status =
        gramc_import(compilation, &file, 1, NULL, (gramc_writer){take_nothing, NULL});
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
}

static int is_json(const char *text) {
    return strncmp(text, "{\"", 2) == 0 || strncmp(text, "[{\"", 3) == 0 || !strcmp(text, "[]");
}

/* Formats, which is where G0510 and G0709 come from. */
static int is_about_format(const gramc_explanation *row) {
    return strcmp(row->slug, "not-formatted") == 0 || strcmp(row->slug, "not-portable") == 0;
}

static void check_format(gramc_compilation *compilation, const gramc_explanation *row) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    options.portable = strcmp(row->slug, "not-portable") == 0;
    gramc_status status = gramc_source_check_format(compilation, 0, &options);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
}

static void compile(gramc_compilation *compilation, const gramc_explanation *row,
                    const char *text) {
    const gramc_spec *spec;
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("row"), text, strlen(text));
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    /* Syntax examples are gram of any kind: what they mean is not checked. */
    if (is_about_format(row)) check_format(compilation, row);
    else if (!strchr("156", row->code[2])) {
        status = gramc_compile(&spec, compilation);
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
}

/* Compiles, formats or imports a text; returns how many findings there are, and in `code` the code
 * that they all have, or that of the first that differs. */
static size_t evaluate(const char *example, const gramc_explanation *row, char code[8]) {
    char text[1024]; /* a formatted file ends with a line end */
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    gramc_finding finding;
    size_t count = 0;
    options.plain = strncmp(row->code, "G05", 3) == 0 && !is_about_format(row);
    options.strict_vocabulary = strcmp(row->slug, "vocabulary-strict") == 0;
    options.advice = strcmp(row->slug, "no-temperature") == 0;
    int len = snprintf(text, sizeof text, "%s%s", example, is_about_format(row) ? "\n" : "");
    assert_true(len >= 0 && (size_t)len < sizeof text);
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    if (is_json(text)) import(compilation, text);
    else compile(compilation, row, text);
    code[0] = '\0';
    for (; gramc_finding_get(compilation, count, &finding); count++)
        if (count == 0 || strcmp(finding.code, row->code) != 0)
            snprintf(code, 8, "%s", finding.code);
    gramc_compilation_free(compilation);
    return count;
}

static void codes_are_unique_and_complete(void **state) {
    gramc_explanation row, other;
    (void)state;
    for (size_t i = 0; gramc_explain(i, &row); i++) {
        assert_int_equal(strlen(row.code), 5);
        assert_true(strlen(row.explanation) > 30);
        assert_true(!(row.message[0] >= 'A' && row.message[0] <= 'Z'));
        assert_true(row.message[strlen(row.message) - 1] != '.');
        for (size_t j = 0; j < i && gramc_explain(j, &other); j++) {
            assert_string_not_equal(row.code, other.code);
            assert_string_not_equal(row.slug, other.slug);
        }
    }
}

/* Findings about targets: true if some target gives the finding; `others` counts all of the family
 * under all targets. */
static int evaluate_for_targets(const char *text, const char *code, size_t *others) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_finding finding;
    int found = 0;
    *others = 0;
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, GRAMC_TEXT("row"), text, strlen(text)),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    for (size_t i = 0; gramc_target_name(i); i++) {
        gramc_text name = {gramc_target_name(i), strlen(gramc_target_name(i))};
        gramc_status status = gramc_target_check(compilation, NULL, name);
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
    for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++, ++*others)
        if (strcmp(finding.code, code) == 0) found = 1;
    gramc_compilation_free(compilation);
    return found;
}

static void examples_of_targets_tell_the_truth(void **state) {
    gramc_explanation row;
    size_t others, tried = 0;
    (void)state;
    for (size_t i = 0; gramc_explain(i, &row); i++) {
        if (row.code[2] != '8' || is_shown_by_cases(row.code)) continue;
        if (!evaluate_for_targets(row.bad, row.code, &others))
            fail_msg("%s: its bad example does not give it", row.code);
        evaluate_for_targets(row.good, row.code, &others);
        if (others) fail_msg("%s: its good example gives %zu findings", row.code, others);
        tried++;
    }
    assert_true(tried >= 10);
}

static void examples_tell_the_truth(void **state) {
    gramc_explanation row;
    char code[8];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; gramc_explain(i, &row); i++) {
        if (is_shown_by_cases(row.code) || row.code[2] == '8') continue;
        size_t bad = evaluate(row.bad, &row, code);
        if (bad == 0 || strcmp(code, row.code) != 0) {
            print_error("%s: its bad example gives %zu findings, %s\n", row.code, bad, code);
            wrong++;
        }
        size_t good = evaluate(row.good, &row, code);
        if (good != 0) {
            print_error("%s: its good example gives %zu findings, %s\n", row.code, good, code);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_unique_and_complete),
                                       cmocka_unit_test(examples_tell_the_truth),
                                       cmocka_unit_test(examples_of_targets_tell_the_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
