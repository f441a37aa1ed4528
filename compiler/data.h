/* Gram values as data and as text: what a default, an enum member or a description says. */
#ifndef COMPILER_DATA_H
#define COMPILER_DATA_H

#include "base/json/sink.h"
#include "compiler/compilation.h"

/* Describes the value as JSON: null is null, another bare symbol its text, json`...` any JSON,
 * numbers as they are spelled. False, with a finding, for what is no data (measurements, ranges,
 * tags). */
bool data_put(struct pass *pass, struct json_sink *sink, const struct value *value);
/* The same, as a text of the arena; {NULL, 0} if it is no data. */
gramc_text data_json(struct pass *pass, const struct value *value);
/* The same with the document, whose spans are in the text; *document NULL: deeper than JSON goes.
 */
gramc_text data_document(struct pass *pass, const struct value *value,
                         const struct json **document);
/* True for values that hold others, or any JSON: those that are worth a document. */
bool data_is_structured(const struct value *value);

/* True for a string or symbol: the two mean the same where a property takes a name. */
bool value_is_name(const struct value *value);
/* The text of a string or symbol as written. */
gramc_text value_name(const struct value *value);
/* What the content of a fence means: without the blanks that its lines share, and without the line
 * end in front of its closing backticks. */
gramc_text fence_text(struct arena *arena, gramc_text content);
/* The text of a text property: a fence loses its common indentation and its last line end. */
gramc_text value_text(struct pass *pass, const struct value *value);
/* What a value is, for messages: "a number", "the symbol `x`"... */
const char *value_noun(const struct value *value);

#endif
