/* The report for a terminal: what was run, each arm, the difference with its interval drawn, and
 * the verdict as a sentence; then what guards it, which cases changed, and what makes it doubtful.
 */
#include "experiment/report/report.h"

#include "base/diag/put.h"
#include "base/list.h"
#include "base/text.h"
#include "experiment/report/words.h"

#include <math.h>

enum { COLUMNS = 6, BAR = 41, CELL = 160 };

static const struct experiment_format formats[] = {
    {"text", experiment_text}, {"json", experiment_json},         {"junit", experiment_junit},
    {"csv", experiment_csv},   {"markdown", experiment_markdown}, {"html", experiment_html},
};

const struct experiment_format *experiment_format(size_t i) {
    return i < sizeof formats / sizeof *formats ? &formats[i] : NULL;
}

static void paint(struct buf *out, const struct experiment_report *report, const char *code) {
    if (report->color) buf_printf(out, "\033[%sm", code);
}

/* ## What was run */

static void plan_line(struct buf *out, const struct analysis *a) {
    diag_put_safe(out, a->name.len ? a->name : TEXT("experiment"));
    buf_puts(out, "  ");
    if (a->online) {
        words_online(out, a);
        buf_putc(out, '\n');
        return;
    }
    buf_count(out, a->items, "case");
    buf_puts(out, ", ");
    buf_count(out, a->repeats, "repeat");
    buf_puts(out, ", ");
    buf_count(out, a->arm_count, "arm");
    buf_puts(out, "; ");
    if (a->historical) buf_puts(out, "historical control");
    else buf_printf(out, "seed %llu, cases and arms in random order", (unsigned long long)a->seed);
    buf_puts(out, a->sequential ? ", sequential\n" : "\n");
}

static void count_line(struct buf *out, const struct analysis *a) {
    list_put_number(out, (size_t)a->done);
    buf_puts(out, " of ");
    list_put_number(out, (size_t)a->cells);
    buf_puts(out, a->online ? " messages ended" : " runs done");
    const struct {
        uint64_t count;
        const char *what;
    } rest[] = {{a->missing, "missing"}, {a->skipped, "skipped"}, {a->todo, "not run yet"}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        if (!rest[i].count) continue;
        buf_puts(out, ", ");
        list_put_number(out, (size_t)rest[i].count);
        buf_printf(out, " %s", a->online ? "without an end" : rest[i].what);
    }
    if (a->online) {
        buf_puts(out, "; ");
        words_shares(out, a);
        buf_putc(out, '\n');
        return;
    }
    const struct arm_comparison *primary = analysis_comparison(a, 1, 0);
    buf_puts(out, "; ");
    list_put_number(out, primary->items);
    buf_puts(out, " of ");
    list_put_number(out, a->items);
    buf_puts(out, " cases analysed");
    if (a->replayed) {
        buf_puts(out, ", ");
        list_put_number(out, (size_t)a->replayed);
        char day[RECORDED_ROOM];
        buf_printf(out, " runs replayed, recorded %s", analysis_recorded(a, day));
    }
    buf_putc(out, '\n');
}

/* ## The table of arms */

struct line {
    char cells[COLUMNS][CELL];
    size_t lengths[COLUMNS];
};

static void put_cell(struct line *line, size_t column, struct buf *text) {
    size_t len = text->len < CELL ? text->len : CELL - 1;
    while (len < text->len && len > 0 && ((unsigned char)text->ptr[len] & 0xC0) == 0x80) len--;
    if (len) memcpy(line->cells[column], text->ptr, len);
    line->cells[column][len] = '\0';
    line->lengths[column] = len;
    if (text->state == BUF_FINE) buf_reset(text);
}

static void arm_line(struct line *line, const struct analysis *a, const struct arm_result *arm,
                     struct buf *text) {
    const struct arm_metric *latency = &arm->metrics[analysis_metric(a, METRIC_LATENCY)];
    const struct metric *unit = &a->metrics[analysis_metric(a, METRIC_LATENCY)];
    diag_put_safe(text, arm->name);
    if (arm->library.len && !text_eq(arm->library, arm->name)) {
        buf_puts(text, " (");
        diag_put_safe(text, arm->library);
        buf_putc(text, ')');
    }
    put_cell(line, 0, text);
    words_measure(text, &a->metrics[0], &arm->metrics[0].mean);
    put_cell(line, 1, text);
    words_value(text, unit, latency->p50.value);
    put_cell(line, 2, text);
    words_value(text, unit, latency->p95.value);
    put_cell(line, 3, text);
    if (arm->has_cost) words_number(text, arm->cost);
    else buf_puts(text, "unknown");
    put_cell(line, 4, text);
    list_put_number(text, (size_t)(arm->tokens_in + arm->tokens_out));
    put_cell(line, 5, text);
}

static void head_line(struct line *line, const struct analysis *a, struct buf *text) {
    static const char *const heads[] = {"arm", "", "p50", "p95", "cost", "tokens"};
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i == 1) diag_put_safe(text, a->metrics[0].name);
        else buf_puts(text, heads[i]);
        put_cell(line, i, text);
    }
}

static void print_lines(struct buf *out, const struct line *lines, size_t count) {
    size_t widths[COLUMNS] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            gramc_text cell = {lines[i].cells[k], lines[i].lengths[k]};
            if (text_length(cell) > widths[k]) widths[k] = text_length(cell);
        }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            gramc_text cell = {lines[i].cells[k], lines[i].lengths[k]};
            size_t gap = widths[k] - text_length(cell);
            buf_puts(out, "  ");
            if (k > 1) buf_printf(out, "%*s", (int)gap, "");
            buf_text(out, cell);
            if (k <= 1) buf_printf(out, "%*s", (int)gap, "");
        }
        buf_putc(out, '\n');
    }
}

static void arms(struct buf *out, const struct analysis *a) {
    struct line lines[ARMS_MAX + 1];
    struct buf text;
    buf_init(&text, &out->allocator, 1 << 16);
    head_line(&lines[0], a, &text);
    for (size_t i = 0; i < a->arm_count; i++) arm_line(&lines[i + 1], a, &a->arms[i], &text);
    if (text.state == BUF_NOMEM) out->state = BUF_NOMEM;
    buf_free(&text);
    print_lines(out, lines, a->arm_count + 1);
    if (a->repeats < 2 || !(a->arms[0].pass_all[0] >= 0)) return;
    for (size_t i = 0; i < a->arm_count; i++) {
        buf_puts(out, "  ");
        diag_put_safe(out, a->arms[i].name);
        buf_printf(out, ": all of %u repeats pass in ", (unsigned)a->repeats);
        words_value(out, &a->metrics[analysis_metric(a, METRIC_PASS)],
                    a->arms[i].pass_all[a->repeats - 1]);
        buf_puts(out, " of cases, at least one in ");
        words_value(out, &a->metrics[analysis_metric(a, METRIC_PASS)],
                    a->arms[i].pass_any[a->repeats - 1]);
        buf_putc(out, '\n');
    }
}

/* ## A comparison */

/* Where a value stands on the bar: 0 in the middle, of a ratio 1. */
static int column_of(double value, double reach) {
    double share = (value / reach + 1) / 2;
    if (!(share > 0)) return 0;
    return share >= 1 ? BAR - 1 : (int)(share * (BAR - 1) + 0.5);
}

/* [      <-----|--o--->       ] with the margin marked by dots. */
static void bar(struct buf *out, const struct analysis *a, const struct arm_comparison *of) {
    bool ratio = a->metrics[of->metric].scale == SCALE_RATIO;
    double low = of->effect.interval.low, high = of->effect.interval.high, at = of->effect.value;
    double margin = ratio ? log1p(of->margin) : of->margin;
    if (ratio) low = log(low), high = log(high), at = log(at);
    if (!isfinite(low) || !isfinite(high)) return;
    double reach = 1.1 * fmax(fmax(fabs(low), fabs(high)), margin);
    if (!(reach > 0)) return;
    char cells[BAR + 1];
    memset(cells, ' ', BAR);
    cells[BAR] = '\0';
    for (int i = column_of(low, reach); i <= column_of(high, reach); i++) cells[i] = '-';
    if (margin > 0) cells[column_of(margin, reach)] = cells[column_of(-margin, reach)] = ':';
    cells[column_of(0, reach)] = '|';
    cells[column_of(at, reach)] = 'o';
    buf_printf(out, "  [%s]", cells);
}

static void safe_name(struct buf *out, gramc_text name) {
    diag_put_safe(out, name);
}

static void tests(struct buf *out, const struct arm_comparison *of) {
    bool any = false;
    for (int kind = 0; kind < TEST_COUNT; kind++) {
        if (isnan(of->p[kind])) continue;
        buf_printf(out, "%s%s ", any ? ", " : "  ", words_test((enum test_kind)kind));
        words_p(out, of->p[kind]);
        any = true;
    }
    if (!isnan(of->p_adjusted)) {
        buf_printf(out, "; %s ", of->adjustment);
        words_p(out, of->p_adjusted);
    }
    if (any) buf_putc(out, '\n');
    if (!of->fixed_valid)
        buf_puts(out, of->decisive >= TEST_WELCH
                          ? "  p-values for a fixed number of units are not valid here and not "
                            "shown\n"
                          : "  p-values for a fixed number of cases are not valid here and not "
                            "shown\n");
}

static void covariate(struct buf *out, const struct analysis *a, const struct arm_comparison *of) {
    if (!a->online || isnan(of->covariate.theta)) return;
    buf_puts(out, "  ");
    (void)words_covariate(out, a, of);
    buf_putc(out, '\n');
}

static void sequence(struct buf *out, const struct analysis *a, const struct arm_comparison *of) {
    if (!a->sequential || !of->sequence.method) return;
    words_printed(out, "  valid at any time: e = %.3g after ", exp(of->sequence.log_e));
    buf_count(out, of->sequence.items, "step");
    buf_puts(out, ", ");
    words_p(out, of->sequence.p);
    buf_putc(out, '\n');
}

static void bounds(struct buf *out, const struct analysis *a, const struct arm_comparison *of) {
    if (!a->items_lacking || isnan(of->bounds.low)) return;
    struct measure worst = {of->bounds.low, {(double)NAN, (double)NAN}};
    struct measure best = {of->bounds.high, {(double)NAN, (double)NAN}};
    buf_puts(out, "  were what is missing all against it: ");
    words_effect(out, &a->metrics[of->metric], &worst);
    buf_puts(out, "; all for it: ");
    words_effect(out, &a->metrics[of->metric], &best);
    buf_putc(out, '\n');
}

static void verdict(struct buf *out, const struct experiment_report *report,
                    const struct arm_comparison *of) {
    const char *colour = of->reason || of->verdict == STAT_INCONCLUSIVE ? "1;33"
                         : of->verdict == STAT_REGRESSION               ? "1;31"
                                                                        : "1;32";
    buf_puts(out, "  ");
    paint(out, report, colour);
    buf_printf(out, "%s:", stat_verdict_name(of->verdict));
    paint(out, report, "0");
    buf_putc(out, ' ');
    words_verdict(out, report->analysis, of, safe_name);
    buf_putc(out, '\n');
}

static void primary(struct buf *out, const struct experiment_report *report, size_t arm) {
    const struct analysis *a = report->analysis;
    const struct arm_comparison *of = analysis_comparison(a, arm, 0);
    buf_putc(out, '\n');
    diag_put_safe(out, a->arms[arm].name);
    buf_puts(out, " against ");
    diag_put_safe(out, a->arms[0].name);
    buf_puts(out, ", ");
    diag_put_safe(out, a->metrics[0].name);
    buf_putc(out, '\n');
    verdict(out, report, of);
    if (of->reason) return;
    buf_puts(out, "  ");
    words_effect(out, &a->metrics[0], &of->effect);
    buf_puts(out, ", ");
    words_printed(out, "%.4g %% interval by ", 100 * of->confidence);
    buf_puts(out, of->method);
    bar(out, a, of);
    buf_putc(out, '\n');
    if (of->binary)
        buf_printf(
            out, "  both passed %llu, only this arm %llu, only the first %llu, neither %llu\n",
            (unsigned long long)of->table.both, (unsigned long long)of->table.only_first,
            (unsigned long long)of->table.only_second, (unsigned long long)of->table.neither);
    tests(out, of);
    covariate(out, a, of);
    sequence(out, a, of);
    bounds(out, a, of);
    buf_puts(out, "  ");
    words_power(out, a, of);
    buf_putc(out, '\n');
}

static void others(struct buf *out, const struct analysis *a, size_t arm, enum metric_role role,
                   const char *title) {
    bool any = false;
    for (size_t m = 1; m < a->metric_count; m++) {
        const struct arm_comparison *of = analysis_comparison(a, arm, m);
        if (a->metrics[m].role != role || of->reason) continue;
        if (!any) buf_printf(out, "  %s\n", title);
        any = true;
        buf_puts(out, "    ");
        diag_put_safe(out, a->metrics[m].name);
        size_t width = text_length(a->metrics[m].name);
        buf_printf(out, "%*s  ", width < 12 ? (int)(12 - width) : 0, "");
        words_effect(out, &a->metrics[m], &of->effect);
        int direction = words_direction(a, of);
        if (role == ROLE_GUARDRAIL) buf_printf(out, "  %s", stat_verdict_name(of->verdict));
        else if (direction) buf_puts(out, direction > 0 ? "  better" : "  worse");
        if (!isnan(of->p_adjusted)) {
            buf_printf(out, ", %s ", of->adjustment);
            words_p(out, of->p_adjusted);
        }
        buf_putc(out, '\n');
    }
}

/* ## Cases, gates, doubts */

static void changed(struct buf *out, const struct analysis *a, size_t arm, enum case_change change,
                    const char *title) {
    size_t count = analysis_changes(a, arm, change), shown = 0;
    if (!count) return;
    buf_printf(out, "  %s: ", title);
    list_put_number(out, count);
    buf_putc(out, '\n');
    for (size_t i = 0; i < a->items && shown < REPORT_CASES_SHOWN; i++) {
        const struct case_result *result = &a->cases[i];
        if (case_change_of(a, result, arm) != change) continue;
        const struct case_arm *now = &result->arms[arm];
        buf_puts(out, "    ");
        diag_put_safe(out, result->id);
        buf_printf(out, "  %u of %u, before %u", (unsigned)now->passed, (unsigned)a->repeats,
                   (unsigned)result->arms[0].passed);
        if (now->reason.len) buf_puts(out, ": ");
        diag_put_safe(out, now->reason);
        buf_putc(out, '\n');
        shown++;
    }
    if (count > shown) buf_printf(out, "    and %zu more\n", count - shown);
}

static void strata(struct buf *out, const struct analysis *a, size_t arm) {
    bool any = false;
    for (size_t i = 0; i < a->slice_count && i < 50; i++) {
        const struct slice *of = &a->slices[i];
        if (of->arm != arm) continue;
        if (!any) buf_puts(out, "  by stratum (exploratory)\n");
        any = true;
        buf_puts(out, "    ");
        diag_put_safe(out, of->name);
        buf_printf(out, "  %zu cases  ", of->items);
        words_effect(out, &a->metrics[0], &of->effect);
        buf_putc(out, '\n');
    }
}

static void judges(struct buf *out, const struct analysis *a) {
    for (size_t i = 0; i < a->agreement_count; i++) {
        const struct agreement *of = &a->agreements[i];
        struct metric share = {.scale = SCALE_SHARE};
        buf_puts(out, "\njudge ");
        diag_put_safe(out, of->grader);
        buf_puts(out, " agrees with the labels in ");
        words_measure(out, &share, &of->share);
        buf_puts(out, ", ");
        words_printed(out, "kappa %.2f\n", of->kappa);
        buf_printf(out,
                   "  both pass %llu, only the judge %llu, only the label %llu, both fail %llu\n",
                   (unsigned long long)of->both, (unsigned long long)of->only_judge,
                   (unsigned long long)of->only_label, (unsigned long long)of->neither);
    }
}

static void gates(struct buf *out, const struct experiment_report *report) {
    const struct gate_report *of = report->gates;
    if (!of) return;
    if (of->count) buf_puts(out, "\ngates\n");
    for (size_t i = 0; i < of->count; i++) {
        const struct gate_result *result = &of->results[i];
        bool passed = result->outcome == GATE_PASSED;
        buf_puts(out, "  ");
        paint(out, report, passed ? "32" : "31");
        buf_puts(out, gate_outcome_name(result->outcome));
        paint(out, report, "0");
        buf_printf(out, "  %s ", gate_option_name(result->gate->option));
        diag_put_safe(out, result->gate->source);
        buf_puts(out, "  ");
        diag_put_safe(out, report->analysis->arms[result->arm].name);
        buf_puts(out, ": ");
        diag_put_safe(out, result->reason);
        buf_putc(out, '\n');
    }
    if (!of->reason.len) return;
    buf_printf(out, "exit %d: ", (int)of->code);
    diag_put_safe(out, of->reason);
    buf_putc(out, '\n');
}

static void warnings(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    if (a->warning_count) buf_putc(out, '\n');
    for (size_t i = 0; i < a->warning_count; i++) {
        paint(out, report, "33");
        buf_puts(out, "warning: ");
        paint(out, report, "0");
        diag_put_safe(out, a->warnings[i]);
        buf_putc(out, '\n');
    }
}

void experiment_text(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    plan_line(out, a);
    count_line(out, a);
    buf_putc(out, '\n');
    arms(out, a);
    for (size_t arm = 1; arm < a->arm_count; arm++) {
        primary(out, report, arm);
        others(out, a, arm, ROLE_GUARDRAIL, "guardrails");
        others(out, a, arm, ROLE_EXPLORATORY, "also seen (exploratory)");
        changed(out, a, arm, CASE_REGRESSED, "cases that always passed and now never do");
        changed(out, a, arm, CASE_FIXED, "cases that never passed and now always do");
        strata(out, a, arm);
    }
    judges(out, a);
    warnings(out, report);
    gates(out, report);
}
