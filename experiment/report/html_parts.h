/* What the files of the page share. */
#ifndef EXPERIMENT_REPORT_HTML_PARTS_H
#define EXPERIMENT_REPORT_HTML_PARTS_H

#include "experiment/report/report.h"

/* Everything up to the title's text. */
void html_head(struct buf *out);
/* ## html_tables.c */
void html_table_begin(struct buf *out, const char *caption, const char *const *heads, size_t count,
                      size_t numbers_from);
void html_table_end(struct buf *out);
void html_arms(struct buf *out, const struct analysis *analysis);
void html_metrics(struct buf *out, const struct analysis *analysis, size_t arm);
void html_gates(struct buf *out, const struct experiment_report *report);
void html_soundness(struct buf *out, const struct analysis *analysis);
/* ## html_cases.c */
void html_cases(struct buf *out, const struct analysis *analysis, size_t arm);

#endif
