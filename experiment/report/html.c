/* One page that needs nothing else, neither a script nor a file: verdicts, arms, plots, gates,
 * doubts, and the cases that changed. Works without colours and without eyes: whatever a plot shows
 * stands in a table as well. */
#include "experiment/report/html_parts.h"

#include "base/list.h"
#include "base/text.h"
#include "experiment/report/escape.h"
#include "experiment/report/frame.h"
#include "experiment/report/plot.h"
#include "experiment/report/words.h"

#include <math.h>

static void plan(struct buf *out, const struct analysis *a) {
    buf_puts(out, "<p class=\"soft\">");
    if (a->online) {
        words_online(out, a);
        buf_puts(out, "; ");
        words_shares(out, a);
        buf_puts(out, "</p>\n");
        return;
    }
    buf_count(out, a->items, "case");
    buf_puts(out, ", ");
    buf_count(out, a->repeats, "repeat");
    buf_puts(out, ", ");
    buf_count(out, a->arm_count, "arm");
    buf_puts(out, "; ");
    list_put_number(out, (size_t)a->done);
    buf_puts(out, " of ");
    list_put_number(out, (size_t)a->cells);
    buf_puts(out, " runs done, ");
    list_put_number(out, (size_t)a->missing);
    buf_puts(out, " missing; ");
    list_put_number(out, analysis_comparison(a, 1, 0)->items);
    buf_printf(out, " cases analysed; seed %llu%s</p>\n", (unsigned long long)a->seed,
               a->sequential ? ", sequential" : "");
}

static void verdict(struct buf *out, const struct analysis *a, size_t arm) {
    const struct arm_comparison *of = analysis_comparison(a, arm, 0);
    bool open = of->reason || of->verdict == STAT_INCONCLUSIVE;
    buf_printf(out, "<div class=\"verdict %s\"><strong>%s</strong><p>",
               open                             ? "open"
               : of->verdict == STAT_REGRESSION ? "bad"
                                                : "good",
               stat_verdict_name(of->verdict));
    words_verdict(out, a, of, escape_html);
    buf_puts(out, "</p>");
    if (!of->reason) {
        buf_puts(out, "<p>");
        escape_html(out, a->metrics[0].name);
        buf_putc(out, ' ');
        words_effect(out, &a->metrics[0], &of->effect);
        buf_puts(out, ", ");
        words_printed(out, "%.4g", 100 * of->confidence);
        buf_printf(out, " %% interval by %s", of->method);
        if (!isnan(of->p_adjusted)) {
            buf_puts(out, "; ");
            words_p(out, of->p_adjusted);
        }
        buf_puts(out, "</p><p class=\"soft\">");
        if (a->online && words_covariate(out, a, of)) buf_puts(out, "</p><p class=\"soft\">");
        words_power(out, a, of);
        buf_puts(out, "</p>");
    }
    buf_puts(out, "</div>\n");
}

static void table_of_pairs(struct buf *out, const struct analysis *a, size_t arm) {
    static const char *const heads[] = {"cases in which", "first arm passed", "first arm failed"};
    const struct arm_comparison *of = analysis_comparison(a, arm, 0);
    if (!of->binary || of->reason) return;
    html_table_begin(out, "Pairs", heads, 3, 1);
    const unsigned long long cells[] = {of->table.both, of->table.only_first, of->table.only_second,
                                        of->table.neither};
    for (size_t row = 0; row < 2; row++)
        buf_printf(out,
                   "<tr><th scope=\"row\">this arm %s</th><td class=\"number\">%llu</td>"
                   "<td class=\"number\">%llu</td></tr>\n",
                   row ? "failed" : "passed", cells[2 * row], cells[2 * row + 1]);
    html_table_end(out);
}

static void arm_section(struct buf *out, const struct analysis *a, size_t arm) {
    buf_puts(out, "<h2>");
    escape_html(out, a->arms[arm].name);
    buf_puts(out, " against ");
    escape_html(out, a->arms[0].name);
    buf_puts(out, "</h2>\n<div class=\"plots\">\n");
    plot_forest(out, a, arm, SCALE_SHARE);
    plot_forest(out, a, arm, SCALE_RATIO);
    plot_forest(out, a, arm, SCALE_COUNT);
    plot_differences(out, a, arm);
    plot_evidence(out, a, arm);
    plot_sequence(out, a, arm);
    buf_puts(out, "</div>\n");
    table_of_pairs(out, a, arm);
    html_metrics(out, a, arm);
    html_cases(out, a, arm);
}

void experiment_html(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    html_head(out);
    escape_html(out, a->name.len ? a->name : TEXT("experiment"));
    buf_puts(out, "</title>\n</head>\n<body>\n<main>\n<h1>");
    escape_html(out, a->name.len ? a->name : TEXT("experiment"));
    buf_puts(out, "</h1>\n");
    plan(out, a);
    for (size_t arm = 1; arm < a->arm_count; arm++) verdict(out, a, arm);
    html_gates(out, report);
    buf_puts(out, "<h2>Arms</h2>\n");
    html_arms(out, a);
    frame_legend(out, a);
    buf_puts(out, "<div class=\"plots\">\n");
    plot_latencies(out, a);
    plot_cost(out, a);
    plot_repeats(out, a);
    buf_puts(out, "</div>\n");
    for (size_t arm = 1; arm < a->arm_count; arm++) arm_section(out, a, arm);
    html_soundness(out, a);
    buf_puts(out, "</main>\n</body>\n</html>\n");
}
