/* The JSON Schema of what an occurrence defines. */
#ifndef LSP_SCHEMA_TEXT_H
#define LSP_SCHEMA_TEXT_H

#include "lsp/insight.h"

/* Of a tool (its parameters), parameter, field or type; empty: it has none, or it was not compiled.
 */
gramc_text schema_of_occurrence(struct arena *arena, const struct insight *a,
                                const struct occurrence *d);
/* A value that a tool may answer, as it is written in a spec; `""` where none is found. */
gramc_text answer_of_tool(struct arena *arena, const struct insight *a, const struct occurrence *d);
/* The parameter of a tool that an occurrence defines; NULL: none. */
const struct field *parameter_of_occurrence(const struct insight *a, const struct occurrence *d);
const struct definition *definition_of_occurrence(const struct insight *a,
                                                  const struct occurrence *d);

#endif
