/* What small models mean by a word or a name (prompted_read.c). Pure; any thread. */
#ifndef RUNTIME_PROMPTED_READ_H
#define RUNTIME_PROMPTED_READ_H

#include "base/mem.h"
#include "gramc/gramc.h"

struct json;

enum prompted_word { PROMPTED_NEITHER, PROMPTED_YES, PROMPTED_NO };

/* Without the thoughts (<think>...</think>) that stand in front; thoughts without an end are all
 * there is. */
gramc_text prompted_aloud(gramc_text said);
/* The first `yes` or `no` that stands as a word, in any case; "yes or no" and "yes and no" are
 * neither. */
enum prompted_word prompted_word(gramc_text said);

/* Which of the names is meant: the whole text is that name (quotes, dots and the like around it do
 * not count), or it is the only one that stands there as a word, or the only one that is found at
 * all; each in any case of letters. `count`: none, or more than one. */
size_t prompted_choice(const gramc_text *names, size_t count, gramc_text said);

/* The arguments alone, where a model wraps them up as calls are wrapped elsewhere:
 * {"name": ..., "arguments": ...}, {"tool": ..., "parameters": ...}, {"NAME": {...}}. `parameters`:
 * the tool's JSON Schema, whose own parameters are no wrapping. What is no such call of this tool
 * stays as it was said. */
gramc_text prompted_arguments(struct arena *arena, gramc_text said, gramc_text name,
                              const struct json *parameters);

#endif
