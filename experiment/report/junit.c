/* JUnit XML, which CI systems show as it is: a suite an arm, in it a case an item, and a suite of
 * the gates, so that the decision stands where people look. A case fails if not all of its repeats
 * pass; one that lacks a run is said in its output and fails nothing. */
#include "experiment/report/escape.h"
#include "experiment/report/report.h"

#include "base/diag/put.h"
#include "base/text.h"
#include "experiment/report/words.h"

#include <math.h>
#include <stdio.h>

struct suite {
    struct buf body;
    unsigned cases, failed;
    double seconds;
};

static void test_begin(struct suite *suite, const char *class, gramc_text name, double seconds) {
    suite->cases++;
    suite->seconds += seconds;
    buf_printf(&suite->body, "    <testcase classname=\"gramc.%s\" time=\"%.3f\" name=\"", class,
               seconds);
    escape_xml(&suite->body, name);
    buf_puts(&suite->body, "\"");
}

static void failure(struct suite *suite, const char *type, const char *message,
                    gramc_text details) {
    suite->failed++;
    buf_printf(&suite->body, "      <failure type=\"%s\" message=\"%s\">", type, message);
    escape_xml(&suite->body, details);
    buf_puts(&suite->body, "</failure>\n");
}

static void output(struct suite *suite, const char *what, uint64_t count, uint64_t all) {
    buf_printf(&suite->body, "      <system-out>%llu of %llu runs %s</system-out>\n",
               (unsigned long long)count, (unsigned long long)all, what);
}

/* The runs of a case together; 0 where no time is known. */
static double seconds_of(const struct analysis *a, const struct case_result *result, size_t arm) {
    double ms = result->values[arm * a->metric_count + analysis_metric(a, METRIC_LATENCY)];
    return isfinite(ms) ? ms * result->arms[arm].done / 1000 : 0;
}

static void item(struct suite *suite, const struct analysis *a, const struct case_result *result,
                 size_t arm) {
    const struct case_arm *of = &result->arms[arm];
    size_t pass = analysis_metric(a, METRIC_PASS);
    bool judged = !isnan(result->values[arm * a->metric_count + pass]);
    test_begin(suite, "experiment", result->id, seconds_of(a, result, arm));
    if (judged && of->passed == a->repeats) {
        buf_puts(&suite->body, "/>\n");
        return;
    }
    buf_puts(&suite->body, ">\n");
    char message[80];
    snprintf(message, sizeof message, "%u of %u runs passed", (unsigned)of->passed,
             (unsigned)of->done);
    if (of->done > of->passed && a->grader_count) failure(suite, "failed", message, of->reason);
    if (of->missing) output(suite, "are missing: infrastructure failed", of->missing, a->repeats);
    else if (of->done < a->repeats)
        output(suite, "were not made", a->repeats - of->done, a->repeats);
    else if (!judged) output(suite, "could not be judged", of->done, a->repeats);
    buf_puts(&suite->body, "    </testcase>\n");
}

/* Users' messages are no tests that have to pass: the arm says what became of them. */
static void online_arm(struct suite *suite, const struct analysis *a, size_t arm) {
    const struct online_result *online = a->online;
    test_begin(suite, "online", a->arms[arm].name, 0);
    buf_puts(&suite->body, ">\n      <system-out>");
    buf_printf(&suite->body, "%llu units, %llu messages, %llu failed; ",
               (unsigned long long)online->analysed[arm], (unsigned long long)online->messages[arm],
               (unsigned long long)online->failed[arm]);
    words_online(&suite->body, a);
    buf_puts(&suite->body, "; ");
    words_shares(&suite->body, a);
    buf_puts(&suite->body, "</system-out>\n    </testcase>\n");
}

static void gate(struct suite *suite, const struct analysis *a, const struct gate_result *of) {
    struct buf name;
    buf_init(&name, &suite->body.allocator, 1 << 16);
    buf_printf(&name, "%s ", gate_option_name(of->gate->option));
    buf_text(&name, of->gate->source);
    buf_puts(&name, ", ");
    buf_text(&name, a->arms[of->arm].name);
    test_begin(suite, "gate", buf_view(&name), 0);
    if (name.state != BUF_FINE) suite->body.state = name.state;
    buf_free(&name);
    if (of->outcome == GATE_PASSED) {
        buf_puts(&suite->body, ">\n      <system-out>");
        escape_xml(&suite->body, of->reason);
        buf_puts(&suite->body, "</system-out>\n    </testcase>\n");
        return;
    }
    buf_puts(&suite->body, ">\n");
    failure(suite, gate_outcome_name(of->outcome), gate_outcome_name(of->outcome), of->reason);
    buf_puts(&suite->body, "    </testcase>\n");
}

static void verdict(struct suite *suite, const struct analysis *a, size_t arm) {
    const struct arm_comparison *of = analysis_comparison(a, arm, 0);
    test_begin(suite, "verdict", a->arms[arm].name, 0);
    buf_puts(&suite->body, ">\n      <system-out>");
    words_verdict(&suite->body, a, of, escape_xml);
    buf_puts(&suite->body, "</system-out>\n    </testcase>\n");
}

/* Why the command does not exit with 0, where no single gate says it. */
static void decision(struct suite *suite, const struct gate_report *gates) {
    if (gates->code != GATES_NOTHING && gates->code != GATES_INCONCLUSIVE) return;
    test_begin(suite, "gate", TEXT("experiment"), 0);
    buf_puts(&suite->body, ">\n");
    failure(suite, "undecided", "undecided", gates->reason);
    buf_puts(&suite->body, "    </testcase>\n");
}

static void totals(struct buf *out, const struct suite *suite) {
    buf_printf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"%.3f\">\n", suite->cases,
               suite->failed, suite->seconds);
}

static void close_suite(struct buf *out, struct suite *suite, gramc_text name, struct suite *all) {
    buf_puts(out, "  <testsuite name=\"");
    escape_xml(out, name);
    totals(out, suite);
    buf_text(out, buf_view(&suite->body));
    buf_puts(out, "  </testsuite>\n");
    all->cases += suite->cases;
    all->failed += suite->failed;
    all->seconds += suite->seconds;
    if (suite->body.state != BUF_FINE) out->state = suite->body.state;
    buf_reset(&suite->body);
    suite->cases = suite->failed = 0;
    suite->seconds = 0;
}

/* The totals stand in front, so that the suites are written first and elsewhere. */
void experiment_junit(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    struct suite suite = {.cases = 0}, all = {.cases = 0};
    buf_init(&suite.body, &out->allocator, out->max);
    buf_init(&all.body, &out->allocator, out->max);
    for (size_t arm = 0; arm < a->arm_count; arm++) {
        for (size_t i = 0; i < a->items && !a->online; i++) item(&suite, a, &a->cases[i], arm);
        if (a->online) online_arm(&suite, a, arm);
        close_suite(&all.body, &suite, a->arms[arm].name, &all);
    }
    for (size_t arm = 1; arm < a->arm_count; arm++) verdict(&suite, a, arm);
    for (size_t i = 0; report->gates && i < report->gates->count; i++)
        gate(&suite, a, &report->gates->results[i]);
    if (report->gates) decision(&suite, report->gates);
    close_suite(&all.body, &suite, TEXT("gates"), &all);
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"");
    escape_xml(out, a->name);
    totals(out, &all);
    buf_text(out, buf_view(&all.body));
    buf_puts(out, "</testsuites>\n");
    if (all.body.state != BUF_FINE) out->state = all.body.state;
    buf_free(&suite.body);
    buf_free(&all.body);
}
