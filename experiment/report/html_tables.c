/* The tables of a page: all numbers that its plots show, for those who read rather than look. */
#include "experiment/report/html_parts.h"

#include "base/list.h"
#include "base/text.h"
#include "experiment/report/escape.h"
#include "experiment/report/words.h"

#include <math.h>

/* Wide tables scroll by themselves, with the keyboard too. */
void html_table_begin(struct buf *out, const char *caption, const char *const *heads, size_t count,
                      size_t numbers_from) {
    buf_printf(out,
               "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\"><table>"
               "<caption>%s</caption>\n<thead><tr>",
               caption, caption);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "<th scope=\"col\"%s>%s</th>", i >= numbers_from ? " class=\"number\"" : "",
                   heads[i]);
    buf_puts(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct buf *out) {
    buf_puts(out, "</tbody></table></div>\n");
}

static void row_begin(struct buf *out, gramc_text name) {
    buf_puts(out, "<tr><th scope=\"row\">");
    escape_html(out, name);
    buf_puts(out, "</th>");
}

static void number_begin(struct buf *out) {
    buf_puts(out, "<td class=\"number\">");
}

/* A line may end before an interval, and nowhere in it. */
static void put_joined(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        bool joins = text.ptr[i] == ' ' && (i + 1 == text.len || text.ptr[i + 1] != '(');
        if (joins) buf_puts(out, "\xC2\xA0");
        else buf_putc(out, text.ptr[i]);
    }
}

static void put_cell(struct buf *out, struct buf *text) {
    number_begin(out);
    put_joined(out, buf_view(text));
    buf_puts(out, "</td>");
    if (buf_status(text) && out->state == BUF_FINE) out->state = text->state;
    buf_free(text);
}

static void cell_measure(struct buf *out, const struct metric *metric,
                         const struct measure *measure) {
    struct buf text;
    buf_init(&text, &out->allocator, 1 << 12);
    words_measure(&text, metric, measure);
    put_cell(out, &text);
}

static void cell_effect(struct buf *out, const struct metric *metric,
                        const struct measure *effect) {
    struct buf text;
    buf_init(&text, &out->allocator, 1 << 12);
    words_effect(&text, metric, effect);
    put_cell(out, &text);
}

static void models(struct buf *out, const struct arm_result *arm) {
    escape_html(out, arm->model);
    for (size_t i = 0; i < arm->models.count; i++) {
        if (i || arm->model.len) buf_puts(out, ", ");
        escape_html(out, arm->models.list[i].name);
    }
}

void html_arms(struct buf *out, const struct analysis *a) {
    static const char *const heads[] = {"arm",  "library", "model", "result",  "latency p50", "p95",
                                        "cost", "tokens",  "runs",  "missing", "ran first"};
    const size_t latency = analysis_metric(a, METRIC_LATENCY);
    html_table_begin(out, "Arms, with intervals", heads, sizeof heads / sizeof *heads, 3);
    for (size_t i = 0; i < a->arm_count; i++) {
        const struct arm_result *arm = &a->arms[i];
        row_begin(out, arm->name);
        buf_puts(out, "<td>");
        escape_html(out, arm->library);
        buf_puts(out, "</td><td>");
        models(out, arm);
        buf_puts(out, "</td>");
        cell_measure(out, &a->metrics[0], &arm->metrics[0].mean);
        cell_measure(out, &a->metrics[latency], &arm->metrics[latency].p50);
        cell_measure(out, &a->metrics[latency], &arm->metrics[latency].p95);
        number_begin(out);
        words_number(out, arm->has_cost ? arm->cost : (double)NAN);
        buf_puts(out, "</td>");
        const uint64_t counts[] = {arm->tokens_in + arm->tokens_out, arm->done, arm->missing,
                                   arm->first};
        for (size_t k = 0; k < 4; k++) {
            number_begin(out);
            list_put_number(out, (size_t)counts[k]);
            buf_puts(out, "</td>");
        }
        buf_puts(out, "</tr>\n");
    }
    html_table_end(out);
}

static void metric_row(struct buf *out, const struct analysis *a, const struct arm_comparison *of) {
    const struct metric *metric = &a->metrics[of->metric];
    const struct arm_metric *before = &a->arms[0].metrics[of->metric];
    const struct arm_metric *after = &a->arms[of->arm].metrics[of->metric];
    row_begin(out, metric->name);
    buf_printf(out, "<td>%s</td>", metric_role_name(metric->role));
    cell_measure(out, metric, &before->mean);
    cell_measure(out, metric, &after->mean);
    if (of->reason) buf_printf(out, "<td class=\"number\">%s</td>", of->reason);
    else cell_effect(out, metric, &of->effect);
    number_begin(out);
    if (!of->reason && of->fixed_valid && !isnan(of->p_adjusted)) words_p(out, of->p_adjusted);
    else if (!of->fixed_valid) buf_puts(out, "not valid");
    buf_puts(out, "</td>");
    buf_printf(out, "<td class=\"number\">%s</td></tr>\n",
               metric->role == ROLE_EXPLORATORY ? "" : stat_verdict_name(of->verdict));
}

void html_metrics(struct buf *out, const struct analysis *a, size_t arm) {
    static const char *const heads[] = {"metric", "role",       "first arm", "this arm",
                                        "effect", "adjusted p", "verdict"};
    html_table_begin(out, "Metrics of this arm and of the first", heads,
                     sizeof heads / sizeof *heads, 2);
    for (size_t m = 0; m < a->metric_count; m++) metric_row(out, a, analysis_comparison(a, arm, m));
    html_table_end(out);
}

void html_gates(struct buf *out, const struct experiment_report *report) {
    static const char *const heads[] = {"gate", "arm", "outcome", "why"};
    const struct gate_report *of = report->gates;
    if (!of || (!of->count && !of->reason.len)) return;
    buf_puts(out, "<h2>Gates</h2>\n");
    if (of->count) html_table_begin(out, "Gates and their outcomes", heads, 4, 4);
    for (size_t i = 0; i < of->count; i++) {
        const struct gate_result *result = &of->results[i];
        bool passed = result->outcome == GATE_PASSED;
        buf_printf(out, "<tr><th scope=\"row\">%s ", gate_option_name(result->gate->option));
        escape_html(out, result->gate->source);
        buf_puts(out, "</th><td>");
        escape_html(out, report->analysis->arms[result->arm].name);
        buf_printf(out, "</td><td class=\"%s\">%s</td><td>", passed ? "good-text" : "bad-text",
                   gate_outcome_name(result->outcome));
        escape_html(out, result->reason);
        buf_puts(out, "</td></tr>\n");
    }
    if (of->count) html_table_end(out);
    if (!of->reason.len) return;
    buf_printf(out, "<p>Exit %d: ", (int)of->code);
    escape_html(out, of->reason);
    buf_puts(out, "</p>\n");
}

/* ## What makes it doubtful */

static void strata(struct buf *out, const struct analysis *a) {
    static const char *const heads[] = {"stratum", "arm", "cases", "effect", "adjusted p"};
    if (!a->slice_count) return;
    html_table_begin(out, "Strata (exploratory)", heads, 5, 2);
    for (size_t i = 0; i < a->slice_count; i++) {
        const struct slice *of = &a->slices[i];
        row_begin(out, of->name);
        buf_puts(out, "<td>");
        escape_html(out, a->arms[of->arm].name);
        buf_puts(out, "</td>");
        number_begin(out);
        list_put_number(out, of->items);
        buf_puts(out, "</td>");
        cell_effect(out, &a->metrics[0], &of->effect);
        number_begin(out);
        if (!isnan(of->p_adjusted)) words_p(out, of->p_adjusted);
        buf_puts(out, "</td></tr>\n");
    }
    html_table_end(out);
}

static void judges(struct buf *out, const struct analysis *a) {
    static const char *const heads[] = {"judge",      "agreement",  "kappa",    "both pass",
                                        "only judge", "only label", "both fail"};
    const struct metric share = {.scale = SCALE_SHARE};
    if (!a->agreement_count) return;
    html_table_begin(out, "Judges against labels", heads, 7, 1);
    for (size_t i = 0; i < a->agreement_count; i++) {
        const struct agreement *of = &a->agreements[i];
        const uint64_t counts[] = {of->both, of->only_judge, of->only_label, of->neither};
        row_begin(out, of->grader);
        cell_measure(out, &share, &of->share);
        number_begin(out);
        words_number(out, of->kappa);
        buf_puts(out, "</td>");
        for (size_t k = 0; k < 4; k++) {
            number_begin(out);
            list_put_number(out, (size_t)counts[k]);
            buf_puts(out, "</td>");
        }
        buf_puts(out, "</tr>\n");
    }
    html_table_end(out);
}

void html_soundness(struct buf *out, const struct analysis *a) {
    if (!a->warning_count && !a->slice_count && !a->agreement_count) return;
    buf_puts(out, "<h2>How sure, and of what</h2>\n");
    if (a->warning_count) buf_puts(out, "<ul>\n");
    for (size_t i = 0; i < a->warning_count; i++) {
        buf_puts(out, "<li><strong class=\"open-text\">Warning:</strong> ");
        escape_html(out, a->warnings[i]);
        buf_puts(out, "</li>\n");
    }
    if (a->warning_count) buf_puts(out, "</ul>\n");
    strata(out, a);
    judges(out, a);
}
