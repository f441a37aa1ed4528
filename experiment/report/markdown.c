/* Markdown for a comment on a pull request or the summary of a CI job: the verdict first, the table
 * of arms, what guards it and which cases changed. */
#include "experiment/report/escape.h"
#include "experiment/report/report.h"

#include "base/list.h"
#include "experiment/report/words.h"

#include <math.h>

static const char *const signs[] = {[STAT_INCONCLUSIVE] = "❔",
                                    [STAT_SUPERIOR] = "✅",
                                    [STAT_NONINFERIOR] = "✅",
                                    [STAT_EQUIVALENT] = "✅",
                                    [STAT_REGRESSION] = "❌"};

static void verdicts(struct buf *out, const struct analysis *a) {
    for (size_t arm = 1; arm < a->arm_count; arm++) {
        const struct arm_comparison *of = analysis_comparison(a, arm, 0);
        buf_printf(out, "%s **%s**: ", signs[of->verdict], stat_verdict_name(of->verdict));
        words_verdict(out, a, of, escape_markdown);
        if (!of->reason) {
            buf_puts(out, " (");
            escape_markdown(out, a->metrics[0].name);
            buf_puts(out, " ");
            words_effect(out, &a->metrics[0], &of->effect);
            buf_puts(out, ", ");
            words_printed(out, "%.4g %% interval by ", 100 * of->confidence);
            buf_puts(out, of->method);
            if (!isnan(of->p_adjusted)) {
                buf_puts(out, ", ");
                words_p(out, of->p_adjusted);
            }
            if (a->online && !isnan(of->covariate.theta)) {
                buf_puts(out, "; ");
                (void)words_covariate(out, a, of);
            }
            buf_puts(out, ")");
        }
        buf_puts(out, "\n\n");
    }
}

static void arms(struct buf *out, const struct analysis *a) {
    size_t latency = analysis_metric(a, METRIC_LATENCY);
    buf_puts(out, "| arm | library | ");
    escape_markdown(out, a->metrics[0].name);
    buf_puts(out, " | latency p50 | p95 | cost | tokens |\n|---|---|---|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < a->arm_count; i++) {
        const struct arm_result *arm = &a->arms[i];
        buf_puts(out, "| ");
        escape_markdown(out, arm->name);
        buf_puts(out, " | ");
        escape_markdown(out, arm->library);
        buf_puts(out, " | ");
        words_measure(out, &a->metrics[0], &arm->metrics[0].mean);
        buf_puts(out, " | ");
        words_value(out, &a->metrics[latency], arm->metrics[latency].p50.value);
        buf_puts(out, " | ");
        words_value(out, &a->metrics[latency], arm->metrics[latency].p95.value);
        buf_puts(out, " | ");
        if (arm->has_cost) words_number(out, arm->cost);
        buf_puts(out, " | ");
        list_put_number(out, (size_t)(arm->tokens_in + arm->tokens_out));
        buf_puts(out, " |\n");
    }
    buf_putc(out, '\n');
}

static void guardrails(struct buf *out, const struct analysis *a) {
    if (!a->guardrail_count) return;
    buf_puts(out, "| guardrail | arm | effect | verdict |\n|---|---|---|---|\n");
    for (size_t arm = 1; arm < a->arm_count; arm++)
        for (size_t m = 1; m <= a->guardrail_count; m++) {
            const struct arm_comparison *of = analysis_comparison(a, arm, m);
            buf_puts(out, "| ");
            escape_markdown(out, a->metrics[m].name);
            buf_puts(out, " | ");
            escape_markdown(out, a->arms[arm].name);
            buf_puts(out, " | ");
            if (of->reason) buf_puts(out, of->reason);
            else words_effect(out, &a->metrics[m], &of->effect);
            buf_printf(out, " | %s |\n", stat_verdict_name(of->verdict));
        }
    buf_putc(out, '\n');
}

static void changed(struct buf *out, const struct analysis *a, size_t arm, enum case_change change,
                    const char *title) {
    size_t count = analysis_changes(a, arm, change), shown = 0;
    if (!count) return;
    buf_puts(out, "<details><summary>");
    escape_html(out, a->arms[arm].name);
    buf_printf(out, ": %zu %s</summary>\n\n", count, title);
    for (size_t i = 0; i < a->items && shown < REPORT_CASES_SHOWN; i++) {
        const struct case_result *result = &a->cases[i];
        if (case_change_of(a, result, arm) != change) continue;
        buf_puts(out, "- ");
        escape_markdown(out, result->id);
        if (result->arms[arm].reason.len) buf_puts(out, ": ");
        escape_markdown(out, result->arms[arm].reason);
        buf_putc(out, '\n');
        shown++;
    }
    if (count > shown) buf_printf(out, "- and %zu more\n", count - shown);
    buf_puts(out, "\n</details>\n\n");
}

static void gates(struct buf *out, const struct experiment_report *report) {
    const struct gate_report *of = report->gates;
    if (!of || (!of->count && !of->reason.len)) return;
    if (of->count) buf_puts(out, "| gate | arm | outcome | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < of->count; i++) {
        const struct gate_result *result = &of->results[i];
        buf_printf(out, "| %s ", gate_option_name(result->gate->option));
        escape_markdown(out, result->gate->source);
        buf_puts(out, " | ");
        escape_markdown(out, report->analysis->arms[result->arm].name);
        buf_printf(out, " | %s %s | ", result->outcome == GATE_PASSED ? "✅" : "❌",
                   gate_outcome_name(result->outcome));
        escape_markdown(out, result->reason);
        buf_puts(out, " |\n");
    }
    if (of->count) buf_putc(out, '\n');
    if (!of->reason.len) return;
    buf_printf(out, "Exit %d: ", (int)of->code);
    escape_markdown(out, of->reason);
    buf_puts(out, "\n\n");
}

static void foot(struct buf *out, const struct analysis *a) {
    for (size_t i = 0; i < a->warning_count; i++) {
        buf_puts(out, "> ⚠️ ");
        escape_markdown(out, a->warnings[i]);
        buf_puts(out, "\n>\n");
    }
    if (a->warning_count) buf_putc(out, '\n');
    if (a->online) {
        words_online(out, a);
        buf_puts(out, "; ");
        words_shares(out, a);
        buf_putc(out, '\n');
        return;
    }
    buf_count(out, a->items, "case");
    buf_puts(out, ", ");
    buf_count(out, a->repeats, "repeat");
    buf_printf(out, "; %llu of %llu runs done, %llu missing; %zu cases analysed; seed %llu\n",
               (unsigned long long)a->done, (unsigned long long)a->cells,
               (unsigned long long)a->missing, analysis_comparison(a, 1, 0)->items,
               (unsigned long long)a->seed);
}

void experiment_markdown(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    buf_puts(out, "### ");
    escape_markdown(out, a->name);
    buf_puts(out, "\n\n");
    verdicts(out, a);
    arms(out, a);
    guardrails(out, a);
    gates(out, report);
    for (size_t arm = 1; arm < a->arm_count; arm++) {
        changed(out, a, arm, CASE_REGRESSED, "cases always passed and now never do");
        changed(out, a, arm, CASE_FIXED, "cases never passed and now always do");
    }
    foot(out, a);
}
