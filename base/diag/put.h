/* What the printers of findings share: the two ways of writing hostile text, for eyes and as JSON,
 * and one finding with its source lines. */
#ifndef BASE_DIAG_PUT_H
#define BASE_DIAG_PUT_H

#include "base/diag/diag.h"

/* "note", "warning", "error". */
const char *diag_severity_name(gramc_severity severity);

/* One line that can fool no terminal and no reader: ill-formed bytes as \xNN, treacherous code
 * points as \u{...}, line feeds as \n, tabs as blanks. */
void diag_put_safe(struct buf *out, gramc_text text);
/* One code point of it, at *pos; moves behind. */
void diag_put_safe_char(struct buf *out, gramc_text text, size_t *pos);

/* A JSON string with its quotes; ill-formed bytes become U+FFFD, treacherous code points are
 * escaped, so that the bytes are as harmless on a terminal as in a parser. */
void diag_put_json(struct buf *out, gramc_text text);
/* One code point of it, at *pos; moves behind. No quotes. */
void diag_put_json_char(struct buf *out, gramc_text text, size_t *pos);

/* What the report calls a severity: its own name, or "breaking" and the like. */
const char *diag_grade(const struct diag_report *report, gramc_severity severity);

/* A finding as people read it: message, place, source lines with the place underlined. */
void diag_put_finding(struct buf *out, const struct diag_report *report,
                      const struct finding *finding, bool color);

/* "2 errors, 1 warning": what is not zero. With grades, "2 breaking, 1 additive, 0 cosmetic". */
void diag_put_counts(struct buf *out, const struct diag_report *report, const uint32_t counts[3]);

bool diag_has_unshown(const struct diag_report *report);
/* "412 notes and 3 warnings": what was counted and is not kept. False, and nothing, if all is. */
bool diag_put_unshown(struct buf *out, const struct diag_report *report);

/* "3 accepted": what the report counts besides, `lead` in front of the first one. */
void diag_put_tallies(struct buf *out, const struct diag_report *report, const char *lead);

#endif
