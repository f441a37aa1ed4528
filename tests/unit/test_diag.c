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

/* Findings that need more than one source text of a few words: shown by golden cases and by tests
 * of their own. */
static const char *const elsewhere[] = {
    "G0234", "G0243", "G0244", "G0245", "G0246", "G0247", "G0248", "G0249", "G0250", "G0251",
    "G0252", "G0253", "G0330", "G0440", "G0441", "G0442", "G0443", "G0444", "G0445", "G0446",
    "G0447", "G0448", "G0449", "G0450", "G0451", "G0452", "G0453", "G0454", "G0455", "G0460",
    "G0461", "G0462", "G0463", "G0464", "G0465", "G0466", "G0510", "G0601", "G0701", "G0707",
    "G0810", "G0811", "G0901", "G0902", "G0903", "G0904", "G0905", "G0906", "G0907", "G0908",
    "G0909", "G0910", "G0911", "G0912", "G0913"};

static int is_elsewhere(const char *code) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(code, elsewhere[i]) == 0) return 1;
    return 0;
}

/* Compiles a text; returns how many findings there are, and in `code` the code that they all have,
 * or that of the first that differs. */
static size_t judge(const char *text, const gramc_explanation *row, char code[8]) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_finding finding;
    size_t count = 0;
    options.plain = strncmp(row->code, "G05", 3) == 0;
    options.strict_vocabulary = strcmp(row->slug, "vocabulary-strict") == 0;
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("row"), text, strlen(text));
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    /* Syntax examples are gram of any kind: what they mean is not judged. */
    int syntax = row->code[2] == '1' || row->code[2] == '5' || row->code[2] == '6';
    if (!syntax) {
        status = gramc_compile(&spec, compilation);
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
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
static int judge_for_targets(const char *text, const char *code, size_t *others) {
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
        assert_int_equal(gramc_target_check(spec, NULL, name), GRAMC_OK);
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
        if (row.code[2] != '8' || is_elsewhere(row.code)) continue;
        if (!judge_for_targets(row.bad, row.code, &others))
            fail_msg("%s: its bad example does not give it", row.code);
        judge_for_targets(row.good, row.code, &others);
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
        if (is_elsewhere(row.code) || row.code[2] == '8') continue;
        size_t bad = judge(row.bad, &row, code);
        if (bad == 0 || strcmp(code, row.code) != 0) {
            print_error("%s: its bad example gives %zu findings, %s\n", row.code, bad, code);
            wrong++;
        }
        size_t good = judge(row.good, &row, code);
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
