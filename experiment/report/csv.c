/* A row for each case and arm, after RFC 4180: what a spreadsheet or a data frame goes on with. A
 * value that is not known is an empty field. */
#include "experiment/report/escape.h"
#include "experiment/report/report.h"

#include "base/json/json.h"
#include "base/text.h"

#include <math.h>

static void head(struct buf *out, const struct analysis *a) {
    buf_puts(out, "case,cluster,stratum,arm,repeats,passed,done,missing,skipped");
    for (size_t m = 0; m < a->metric_count; m++) {
        buf_putc(out, ',');
        escape_csv(out, a->metrics[m].name);
    }
    buf_puts(out, ",reason\r\n");
}

static void row(struct buf *out, const struct analysis *a, const struct case_result *result,
                size_t arm) {
    const struct case_arm *of = &result->arms[arm];
    const gramc_text texts[] = {result->id, result->cluster, result->stratum, a->arms[arm].name};
    for (size_t i = 0; i < 4; i++) {
        escape_csv(out, texts[i]);
        buf_putc(out, ',');
    }
    buf_printf(out, "%u,%u,%u,%u,%u", (unsigned)a->repeats, (unsigned)of->passed,
               (unsigned)of->done, (unsigned)of->missing, (unsigned)of->skipped);
    for (size_t m = 0; m < a->metric_count; m++) {
        double value = result->values[arm * a->metric_count + m];
        buf_putc(out, ',');
        if (isfinite(value)) json_put_double(out, value);
    }
    buf_putc(out, ',');
    escape_csv(out, of->reason);
    buf_puts(out, "\r\n");
}

void experiment_csv(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    head(out, a);
    for (size_t i = 0; i < a->items; i++)
        for (size_t arm = 0; arm < a->arm_count; arm++)
            if (!a->online || a->cases[i].arm == arm) row(out, a, &a->cases[i], arm);
}
