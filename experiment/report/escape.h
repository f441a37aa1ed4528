/* Hostile text for each kind of document: shown, never obeyed. What could fool a reader (controls,
 * bidirectional overrides, invisible marks, ill-formed bytes) is spelled out in all of them. */
#ifndef EXPERIMENT_REPORT_ESCAPE_H
#define EXPERIMENT_REPORT_ESCAPE_H

#include "base/buf.h"

/* Text and attributes of XML; one line. */
void escape_xml(struct buf *out, gramc_text text);
/* Text and attributes of HTML; lines stay lines. */
void escape_html(struct buf *out, gramc_text text);
/* One line of Markdown, also in a cell of a table: no mark-up, no link, no mention, no HTML. */
void escape_markdown(struct buf *out, gramc_text text);
/* One field of CSV, quoted; what a spreadsheet would take for a formula gets an apostrophe. */
void escape_csv(struct buf *out, gramc_text text);

#endif
