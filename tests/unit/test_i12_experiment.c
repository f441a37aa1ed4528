/* What is compiled of an experiment: its graders, and how many arms it may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "tests/stated.h"

static gramc_status compile(gramc_compilation **compilation, const gramc_spec **spec,
                            gramc_text text) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    assert_int_equal(gramc_compilation_new(compilation, &options), GRAMC_OK);
    assert_int_equal(gramc_add_source(*compilation, TEXT("lab/a.gram"), text.ptr, text.len),
                     GRAMC_OK);
    return gramc_compile(spec, *compilation);
}

static void arms(void **state) {
    (void)state;
    STATED(ARMS_MAX, 16, "G0264");
    for (int more = 0; more < 2; more++) {
        gramc_compilation *compilation;
        const gramc_spec *spec;
        gramc_finding finding;
        struct buf text;
        size_t refused = 0;
        buf_init(&text, NULL, 1 << 16);
        buf_puts(&text, "[a:Agent] [e:Experiment {cases: \"c.jsonl\"} ");
        for (int i = 0; i < 16 + more; i++)
            buf_printf(&text, "%s [x%d:Arm {agent: a}]", i ? "," : "|", i);
        buf_puts(&text, "]");
        assert_int_equal(compile(&compilation, &spec, buf_view(&text)),
                         more ? GRAMC_FINDINGS : GRAMC_OK);
        for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++)
            refused += strcmp(finding.code, "G0264") == 0;
        assert_int_equal(refused, more);
        gramc_compilation_free(compilation);
        buf_free(&text);
    }
}

static void says(gramc_text text, const char *wanted) {
    if (!text_is(text, wanted)) fail_msg("%.*s is not %s", TEXT_ARGS(text), wanted);
}

static void graders(void **state) {
    static const char source[] =
        "[a:Agent] [Person:Object | (name::Text)]\n"
        "[e:Experiment {cases: \"c.jsonl\", metric: polite, reset: [\"sh\", \"reset.sh\"]} |\n"
        "  [x:Arm {agent: a}], [y:Arm {agent: a}],\n"
        "  [polite:Grader {contains: \"please ${who}\", required: false, weight: 2}],\n"
        "  [shape:Grader {type: Person}],\n"
        "  [saved:Grader {exec: [\"sh\", \"check.sh\"]}],\n"
        "  [kind:Grader {rubric: \"Kind?\", model: \"OpenAI/gpt-4o\", threshold: 0.7}],\n"
        "  [quick:Grader {metric: latency, max: 2s}]]\n";
    gramc_compilation *compilation;
    const gramc_spec *spec;
    (void)state;
    assert_int_equal(compile(&compilation, &spec, TEXT(source)), GRAMC_OK);
    const gramc_experiment *e = gramc_spec_experiment(spec, 0);
    assert_int_equal(e->grader_count, 5);
    assert_int_equal(e->vary_count, 0);
    assert_int_equal(e->reset_count, 2);
    says(e->folder, "lab/");
    says(e->max_missing, "0.02");
    says(e->graders[0].checks, "{\"contains\":\"please ${who}\"}");
    says(e->graders[0].weight, "2");
    assert_false(e->graders[0].required);
    assert_int_equal(e->graders[0].kind, GRAMC_GRADER_CHECKS);
    says(e->graders[1].type, "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
                             "\"required\":[\"name\"]}");
    assert_int_equal(e->graders[2].kind, GRAMC_GRADER_EXEC);
    assert_int_equal(e->graders[2].argc, 2);
    says(e->graders[2].folder, "lab/");
    assert_int_equal(e->graders[3].kind, GRAMC_GRADER_RUBRIC);
    says(e->graders[3].question, "Kind?");
    says(e->graders[3].threshold, "0.7");
    assert_int_equal(e->graders[4].kind, GRAMC_GRADER_METRIC);
    says(e->graders[4].max, "2000");
    gramc_compilation_free(compilation);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arms), cmocka_unit_test(graders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
