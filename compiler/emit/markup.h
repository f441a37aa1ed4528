/* Text in Markdown (CommonMark with GitHub's tables) that stays text, whatever it holds. */
#ifndef COMPILER_EMIT_MARKUP_H
#define COMPILER_EMIT_MARKUP_H

#include "base/buf.h"

/* A paragraph or several: blank lines part them. Marks are escaped, and characters that could fool
 * a reader are named (U+202E). */
void markup_put_text(struct buf *out, gramc_text text);
/* The same on one line, for headings and cells of tables. */
void markup_put_line(struct buf *out, gramc_text text);
/* Inline code on one line. In a table, and only there, `|` has to be escaped. */
void markup_put_code(struct buf *out, gramc_text text, bool in_table);
/* A fence that its text cannot close. */
void markup_put_fence(struct buf *out, const char *tag, gramc_text text);

#endif
