/* The reports of an experiment: each prints one analysis, all from the same numbers. Texts of
 * cases, models and tools are hostile; each format escapes them in its own way. The same analysis
 * gives the same bytes. */
#ifndef EXPERIMENT_REPORT_REPORT_H
#define EXPERIMENT_REPORT_REPORT_H

#include "experiment/gate.h"

struct experiment_report {
    const struct analysis *analysis;
    const struct gate_report *gates; /* NULL: none were judged */
    bool color;                      /* of the terminal's */
};

void experiment_text(struct buf *out, const struct experiment_report *report);
/* docs/formats/experiment.schema.json */
void experiment_json(struct buf *out, const struct experiment_report *report);
/* A suite an arm with a case an item, and one suite for the gates. */
void experiment_junit(struct buf *out, const struct experiment_report *report);
/* For a comment on a pull request, or the summary of a job. */
void experiment_markdown(struct buf *out, const struct experiment_report *report);
/* A row for each case and arm. */
void experiment_csv(struct buf *out, const struct experiment_report *report);
/* One page that needs nothing else, with plots. */
void experiment_html(struct buf *out, const struct experiment_report *report);

struct experiment_format {
    const char *name;
    void (*print)(struct buf *out, const struct experiment_report *report);
};
/* NULL past the end. The first is for people at a terminal. */
const struct experiment_format *experiment_format(size_t i);

enum { REPORT_CASES_SHOWN = 10 }; /* changed ones, where a report does not show all */

#endif
