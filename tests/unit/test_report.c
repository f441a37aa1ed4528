/* Gates, and every format of report: byte for byte what lies in tests/data/report (GRAMC_BLESS=1
 * writes it anew), harmless whatever the texts say, and complete or refused without memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/report/report.h"
#include "tests/failing.h"
#include "tests/support/trial.h"

enum { REPORT_MAX = 1 << 26 };

static struct gate_rule gate_of(enum gate_option option, const char *source) {
    struct gate_rule gate;
    struct gate_error error;
    assert_int_equal(gate_parse(&gate, option, text_of(source), &error), GRAMC_OK);
    return gate;
}

static void test_gate_errors(void **state) {
    (void)state;
    static const struct {
        enum gate_option option;
        const char *source, *message;
        size_t position;
    } rows[] = {
        {GATE_MIN, "success=>0.9", ">= is expected here: --min says what it must reach", 7},
        {GATE_MIN, "success>=", "a number is expected here, such as 0.9, 2pp or 500ms", 9},
        {GATE_MIN, ">=0.9", "the name of a metric is expected here", 0},
        {GATE_MIN, "success>=0.9@middle", "lower, upper or point is expected here", 13},
        {GATE_MIN, "success>=0.9 and more", "nothing more is expected here", 13},
        {GATE_MIN, "", "the name of a metric is expected here", 0},
        {GATE_MIN, "`success>=0.9", "this backtick is never closed", 0},
        {GATE_MIN, "``>=0.9", "a name is missing between the backticks", 0},
        {GATE_MAX, "cost>=1", "<= is expected here: --max says what it must not pass", 4},
        {GATE_MAX, "cost<=1e999", "nothing more is expected here", 7},
        {GATE_FAIL_IF, "regression", "( is expected here", 10},
        {GATE_FAIL_IF, "disaster(success)",
         "no such condition: regression, inconclusive, not_superior, not_non_inferior, "
         "not_equivalent",
         0},
        {GATE_FAIL_IF, "regression(success", ") is expected here", 18},
        {GATE_FAIL_IF, "regression(success, alpha=1)", "only one margin=... may stand here", 20},
        {GATE_FAIL_IF, "regression(success, margin 1)", "= is expected here", 27},
        {GATE_FAIL_IF, "regression(success, margin=-1)", "a margin is not below 0", 27},
        {GATE_FAIL_IF, "regression()", "the name of a metric is expected here", 11},
        {GATE_CASE_REGRESSIONS, "-1", "a number of cases is expected, such as 0", 0},
        {GATE_CASE_REGRESSIONS, "some", "a number of cases is expected, such as 0", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule gate;
        struct gate_error error = {0, ""};
        gramc_text source = text_of(rows[i].source);
        assert_int_equal(gate_parse(&gate, rows[i].option, source, &error), GRAMC_FINDINGS);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.position, rows[i].position);
    }
}

static void test_gate_parts(void **state) {
    (void)state;
    struct gate_rule gate = gate_of(GATE_FAIL_IF, " regression ( new.`pass` , margin = 2 pp ) ");
    assert_true(text_is(gate.arm, "new") && text_is(gate.metric, "pass"));
    assert_true(gate.has_margin && fabs(gate.value - 0.02) < 1e-15);
    gate = gate_of(GATE_MAX, "latency_p95<=2s@upper");
    assert_true(text_is(gate.metric, "latency") && gate.quantity == GATE_P95);
    assert_true(gate.value == 2000 && gate.end == GATE_UPPER);
    gate = gate_of(GATE_MIN, "success>=90%@lower");
    assert_true(fabs(gate.value - 0.9) < 1e-15 && gate.end == GATE_LOWER);
    gate = gate_of(GATE_MIN, "pass_difference>=-5pp");
    assert_true(gate.quantity == GATE_DIFFERENCE && gate.value < 0);
}

static void test_gate_check(void **state) {
    (void)state;
    struct trial trial;
    struct gate_error error;
    trial_init(&trial, 2, 1, 2);
    static const struct {
        const char *source;
        bool good;
    } rows[] = {
        {"success<=1", true},         {"right<=1", true},       {"score<=1", true},
        {"wrong<=1", false},          {"cost_ratio<=1", true},  {"cost_difference<=1", false},
        {"success_ratio<=1", false},  {"cost_p50<=1", false},   {"latency_p50<=1", true},
        {"old.success<=1", false},    {"new.success<=1", true}, {"other.success<=1", false},
        {"calls_difference<=1", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule gate = gate_of(GATE_MAX, rows[i].source);
        gramc_status status = gate_check(&gate, &trial.experiment, trial.graders, 1, &error);
        assert_int_equal(status, rows[i].good ? GRAMC_OK : GRAMC_FINDINGS);
    }
    arena_free(&trial.arena);
}

/* 50 cases: 36 both, 12 only new, 2 only old; a margin of 5 pp. */
static void fifty(struct trial *trial, struct analysis *a) {
    trial_init(trial, 50, 1, 2);
    for (uint32_t i = 0; i < 12; i++) trial_pass(trial, i, 0, 0, false);
    for (uint32_t i = 12; i < 14; i++) trial_pass(trial, i, 0, 1, false);
    trial_usage(trial);
    trial_plan(trial);
    assert_int_equal(analyse(a, &trial->input, NULL), GRAMC_OK);
}

static void test_gate_outcomes(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial, &a);
    static const struct {
        enum gate_option option;
        const char *source;
        enum gate_outcome outcome;
    } rows[] = {
        {GATE_FAIL_IF, "regression(success)", GATE_PASSED},
        {GATE_FAIL_IF, "not_superior(success)", GATE_PASSED},
        {GATE_FAIL_IF, "not_non_inferior(success)", GATE_PASSED},
        {GATE_FAIL_IF, "not_equivalent(success, margin=5pp)", GATE_FAILED},
        {GATE_FAIL_IF, "not_equivalent(success, margin=40pp)", GATE_PASSED},
        {GATE_FAIL_IF, "inconclusive(success)", GATE_PASSED},
        {GATE_FAIL_IF, "regression(latency, margin=0)", GATE_FAILED},
        {GATE_FAIL_IF, "regression(latency, margin=50%)", GATE_PASSED},
        {GATE_MIN, "success>=0.96", GATE_PASSED},
        {GATE_MIN, "success>=0.96@lower", GATE_FAILED},
        {GATE_MIN, "success_difference>=6pp@lower", GATE_PASSED},
        {GATE_MIN, "success_difference>=7pp@lower", GATE_FAILED},
        {GATE_MAX, "latency_p50<=10s@upper", GATE_PASSED},
        {GATE_MAX, "latency_ratio<=1@point", GATE_FAILED},
        {GATE_MAX, "callErrors<=0", GATE_PASSED},
        {GATE_CASE_REGRESSIONS, "2", GATE_PASSED},
        {GATE_CASE_REGRESSIONS, "1", GATE_FAILED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule gate = gate_of(rows[i].option, rows[i].source);
        struct gate_report report;
        assert_int_equal(gates_judge(&report, &a, &gate, 1, false), GRAMC_OK);
        assert_int_equal(report.count, 1);
        if (report.results[0].outcome != rows[i].outcome) print_message("%s\n", rows[i].source);
        assert_int_equal(report.results[0].outcome, rows[i].outcome);
        assert_int_equal(report.code, rows[i].outcome == GATE_PASSED ? 0 : 1);
    }
    /* Of runs that were played, times are no reason to pass or to fail. */
    a.replayed = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule gate = gate_of(rows[i].option, rows[i].source);
        struct gate_report report;
        bool timed = strstr(rows[i].source, "latency") != NULL;
        assert_int_equal(gates_judge(&report, &a, &gate, 1, false), GRAMC_OK);
        assert_int_equal(report.results[0].outcome, timed ? GATE_UNDECIDED : rows[i].outcome);
        if (timed) assert_int_equal(report.code, GATES_NOTHING);
    }
    analysis_free(&a);
    trial_free(&trial);
}

static enum gate_exit exit_of(struct trial *trial, bool require_decision) {
    struct analysis a;
    struct gate_rule gate = gate_of(GATE_FAIL_IF, "regression(success)");
    struct gate_report report;
    assert_int_equal(analyse(&a, &trial->input, NULL), GRAMC_OK);
    assert_int_equal(gates_judge(&report, &a, &gate, 1, require_decision), GRAMC_OK);
    assert_true((report.code == GATES_PASSED) == (report.reason.len == 0));
    enum gate_exit code = report.code;
    analysis_free(&a);
    return code;
}

/* Never green on nothing. */
static void test_nothing(void **state) {
    (void)state;
    struct trial trial;
    trial_init(&trial, 4, 1, 2);
    trial_plan(&trial);
    assert_int_equal(exit_of(&trial, false), GATES_PASSED);
    assert_int_equal(exit_of(&trial, true), GATES_INCONCLUSIVE);
    trial.input.grader_count = 0;
    assert_int_equal(exit_of(&trial, false), GATES_NOTHING);
    trial.input.grader_count = 1;
    trial_at(&trial, 1, 0, 1)->state = CELL_MISSING;
    assert_int_equal(exit_of(&trial, false), GATES_NOTHING);
    for (int state_of = CELL_TODO; state_of <= CELL_SKIPPED; state_of++) {
        if (state_of == CELL_DONE) continue;
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t arm = 0; arm < 2; arm++)
                trial_at(&trial, i, 0, arm)->state = (enum cell_state)state_of;
        assert_int_equal(exit_of(&trial, false), GATES_NOTHING);
    }
    trial_free(&trial);
}

/* ## Reports */

/* Two arms, repeats, strata, a guardrail, missing runs, and texts that nobody shall obey. */
static void hostile(struct trial *trial) {
    static const gramc_text guardrails[] = {{"latency", 7}};
    trial_init(trial, 24, 3, 2);
    trial_usage(trial);
    for (uint32_t i = 0; i < 24; i++) {
        trial->items[i].stratum = i % 3 ? TEXT("plain") : TEXT("<b>bold</b>");
        for (uint32_t r = 0; r < 3; r++) {
            trial_pass(trial, i, r, 0, i % 6 != 0 || r == 2);
            trial_pass(trial, i, r, 1, i % 4 != 3);
            trial_at(trial, i, r, 0)->answer = TEXT("I looked it up.\nIt is 42.");
            trial_at(trial, i, r, 0)->trace =
                TEXT("{\"event\":\"turn\",\"message\":\"What is it?\"}\n"
                     "{\"event\":\"tool.request\",\"name\":\"look\",\"arguments\":\"{}\"}\n"
                     "{\"event\":\"tool.response\",\"name\":\"look\",\"outcome\":\"ok\","
                     "\"result\":\"42\"}\nno event\n"
                     "{\"event\":\"model.response\",\"content\":\"</pre><b>It</b> is 42.\"}\n");
            trial_at(trial, i, r, 1)->answer = TEXT("</pre><script>alert(1)</script>\x1b[31m");
        }
    }
    trial->items[3].id = TEXT("=HYPERLINK(\"http://evil.example\")");
    trial->items[7].id = TEXT("]]><script>alert('x')</script>|`@all` \xe2\x80\xae");
    trial->scores[((7 * 3) * 2 + 1) * TRIAL_GRADERS].reason =
        TEXT("![x](http://evil.example/a.png) <img src=x onerror=alert(1)>\n# head \x1b[2J\xff");
    trial->arms[1].name = TEXT("new & \"better\" <arm>");
    trial_at(trial, 5, 1, 0)->state = CELL_MISSING;
    trial_at(trial, 5, 1, 0)->outcome = TEXT("model-error");
    trial->experiment.guardrails = guardrails;
    trial->experiment.guardrail_count = 1;
    trial->experiment.max_missing = TEXT("0.1");
    trial->input.transcripts = true;
}

static void read_golden(struct buf *out, const char *path) {
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t got;
    if (!file) return;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) buf_put(out, piece, got);
    fclose(file);
}

static void compare_golden(const struct buf *seen, const char *trial, const char *format) {
    const char *root = getenv("GRAMC_SOURCE_DIR");
    char path[4096];
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/data/report/%s.%s", root, trial, format);
    if (getenv("GRAMC_BLESS")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(seen->ptr, 1, seen->len, file), seen->len);
        fclose(file);
    }
    struct buf golden;
    buf_init(&golden, NULL, REPORT_MAX);
    read_golden(&golden, path);
    if (!text_eq(buf_view(&golden), buf_view(seen))) print_message("%s differs\n", path);
    assert_true(golden.len > 0 && text_eq(buf_view(&golden), buf_view(seen)));
    buf_free(&golden);
}

static void with_reports(struct trial *trial, void (*look)(const struct experiment_format *format,
                                                           const struct buf *out)) {
    struct analysis a;
    struct gate_rule gates[] = {gate_of(GATE_FAIL_IF, "regression(success, margin=2pp)"),
                                gate_of(GATE_MAX, "latency_p95<=2s@upper")};
    struct gate_report judged;
    assert_int_equal(analyse(&a, &trial->input, NULL), GRAMC_OK);
    assert_int_equal(gates_judge(&judged, &a, gates, 2, false), GRAMC_OK);
    const struct experiment_report report = {.analysis = &a, .gates = &judged};
    for (size_t i = 0; experiment_format(i); i++) {
        struct buf out;
        buf_init(&out, NULL, REPORT_MAX);
        experiment_format(i)->print(&out, &report);
        assert_int_equal(buf_status(&out), GRAMC_OK);
        look(experiment_format(i), &out);
        buf_free(&out);
    }
    analysis_free(&a);
}

static void look_golden(const struct experiment_format *format, const struct buf *out) {
    compare_golden(out, "trial", format->name);
}

static void look_golden_pairs(const struct experiment_format *format, const struct buf *out) {
    compare_golden(out, "pairs", format->name);
}

static void test_golden(void **state) {
    (void)state;
    struct trial trial;
    hostile(&trial);
    trial_plan(&trial);
    with_reports(&trial, look_golden);
    trial_free(&trial);
}

/* One repeat, sequential, stopped after 30 of 40 cases, judged by a model whose labels are there.
 */
static void test_golden_pairs(void **state) {
    (void)state;
    static const gramc_input label = {{"label", 5}, {"true", 4}};
    struct trial trial;
    trial_init(&trial, 40, 1, 2);
    trial_usage(&trial);
    trial.experiment.stop = TEXT("sequential");
    trial.graders[0].is_judge = true;
    for (uint32_t i = 0; i < 40; i++) {
        trial.items[i].inputs = &label;
        trial.items[i].input_count = 1;
        trial_pass(&trial, i, 0, 0, i % 5 == 0);
        trial_pass(&trial, i, 0, 1, i % 9 != 0);
    }
    trial_plan(&trial);
    for (uint32_t place = 30; place < 40; place++)
        for (uint32_t arm = 0; arm < 2; arm++)
            trial_at(&trial, trial.plan.order[place], 0, arm)->state = CELL_SKIPPED;
    with_reports(&trial, look_golden_pairs);
    trial_free(&trial);
}

static bool holds(const struct buf *out, const char *what) {
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= out->len; i++)
        if (memcmp(out->ptr + i, what, len) == 0) return true;
    return false;
}

static void look_harmless(const struct experiment_format *format, const struct buf *out) {
    static const char *const never[] = {"\x1b", "\xe2\x80\xae", "\xff"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) assert_false(holds(out, never[i]));
    if (text_is(text_of(format->name), "text") || text_is(text_of(format->name), "json")) return;
    if (text_is(text_of(format->name), "csv")) {
        assert_false(holds(out, "\"=HYPER"));
        assert_true(holds(out, "\"'=HYPER"));
        return;
    }
    assert_false(holds(out, "<script"));
    assert_false(holds(out, "<img"));
    assert_false(holds(out, "]]>"));
    if (text_is(text_of(format->name), "markdown")) assert_false(holds(out, "[x]"));
}

static void test_harmless(void **state) {
    (void)state;
    struct trial trial;
    hostile(&trial);
    trial_plan(&trial);
    with_reports(&trial, look_harmless);
    trial_free(&trial);
}

static void look_at_edges(const struct experiment_format *format, const struct buf *out) {
    (void)format;
    assert_true(out->len > 20);
}

/* Nothing run, everything missing, one case, stopped: each format has something true to say. */
static void test_edges(void **state) {
    (void)state;
    for (int kind = CELL_TODO; kind <= CELL_SKIPPED; kind++)
        for (uint32_t items = 1; items <= 3; items++) {
            struct trial trial;
            trial_init(&trial, items, 2, 3);
            if (items == 3) trial.experiment.stop = TEXT("sequential");
            if (items == 2) trial.input.grader_count = 0;
            trial_plan(&trial);
            for (uint32_t i = 0; i < items; i++)
                for (uint32_t arm = 0; arm < 3; arm++)
                    trial_at(&trial, i, arm % 2, arm)->state = (enum cell_state)kind;
            with_reports(&trial, look_at_edges);
            trial_free(&trial);
        }
}

static void test_memory(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    hostile(&trial);
    trial_plan(&trial);
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_OK);
    const struct experiment_report report = {.analysis = &a};
    for (size_t i = 0; experiment_format(i); i++)
        for (long n = 1;; n++) {
            struct failing failing = {.fail_at = n};
            gramc_allocator allocator = test_failing(&failing);
            struct buf out;
            buf_init(&out, &allocator, REPORT_MAX);
            experiment_format(i)->print(&out, &report);
            gramc_status status = buf_status(&out);
            buf_free(&out);
            assert_int_equal(failing.live, 0);
            assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
            if (!failing.failed) break;
        }
    analysis_free(&a);
    trial_free(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_errors),  cmocka_unit_test(test_gate_parts),
        cmocka_unit_test(test_gate_check),   cmocka_unit_test(test_gate_outcomes),
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_pairs), cmocka_unit_test(test_harmless),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
