/* What a guard's program answers: {"decision":"allow"|"deny"|"rewrite", ...}. */
#ifndef RUNTIME_GUARD_ANSWER_H
#define RUNTIME_GUARD_ANSWER_H

#include "base/json/json.h"
#include "gramc/runtime.h"

enum guard_phase { GUARD_BEFORE, GUARD_AFTER, GUARD_PHASES };
/* At most: of the library, and of the implementation. */
enum { GUARD_PROGRAMS = 2 };

/* How the result of a tool is written for a guard, and read when it comes back. */
enum guard_result {
    GUARD_RESULT_NONE, /* null; it cannot be rewritten */
    GUARD_RESULT_TEXT, /* a string */
    GUARD_RESULT_JSON, /* a value */
    GUARD_RESULT_ANY   /* a value of any type, here a text that is no JSON: a string */
};

/* Reads it; the texts are in the arena or borrowed from `said`. What is none is a denial: `why`
 * says what is wrong with it, NULL where nothing is. Out of memory is the arena's matter. Before a
 * call the result is not looked at. */
gramc_decision guard_answer_read(struct arena *arena, gramc_text said, enum guard_phase phase,
                                 enum guard_result result, const char **why);

#endif
