/* Arguments and answers made up from a schema. */
#ifndef RUNTIME_SAMPLE_H
#define RUNTIME_SAMPLE_H

#include "base/mem.h"
#include "gramc/runtime.h"

/* An arguments object that the tool accepts, in the arena; the same for the same schema. False if
 * none was found (a `pattern`, say, is not solved), or without memory. */
bool sample_arguments(gramc_text *out, struct arena *arena, const gramc_tool *tool);
/* The same for a structured answer: a value that `evaluate` accepts. */
bool sample_answer(gramc_text *out, struct arena *arena, const gramc_schema *evaluate);

#endif
