/* Names as a provider takes them. Where its rules are narrower than ours, a name is rewritten: the
 * same list of names gives the same result everywhere, and no two names become one. */
#ifndef COMPILER_EMIT_WIRE_NAMES_H
#define COMPILER_EMIT_WIRE_NAMES_H

#include "base/mem.h"

enum name_rule {
    NAMES_ANY,
    NAMES_FUNCTION,            /* OpenAI, Anthropic, Ollama: [A-Za-z0-9_-], at most 64 */
    NAMES_GEMINI,              /* a letter or _, then [A-Za-z0-9_.:-], at most 128 */
    NAMES_MCP,                 /* [A-Za-z0-9_.-], at most 128 */
    NAMES_GEMINI_PARAMETER,    /* a letter or _, then [A-Za-z0-9_], at most 64 */
    NAMES_ANTHROPIC_PARAMETER, /* [A-Za-z0-9_.-], at most 64 */
    NAME_RULES
};

enum { WIRE_NAME_MAX = 128 };

/* Fills wire[i] for names[i]; equal names stay equal. What fits already stays as it is. Else each
 * character that the rule forbids becomes an underscore, and `_` with eight hexadecimal digits of
 * the name's sha256 stands at the end if the name was cut or would be that of another. The results
 * live in the arena (or are the names themselves); false without memory. */
bool wire_names_make(struct arena *arena, enum name_rule rule, const gramc_text *names,
                     size_t count, gramc_text *wire);

#endif
