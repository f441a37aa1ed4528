/* Rewrites a JSON Schema to what one provider takes. Nothing is lost in silence: what the provider
 * does not take goes into the description or is rewritten, and each time there is a finding. */
#ifndef COMPILER_EMIT_LOWER_H
#define COMPILER_EMIT_LOWER_H

#include "base/diag/diag.h"
#include "base/json/edit.h"

enum target_dialect {
    DIALECT_PLAIN, /* JSON Schema as it is */
    DIALECT_STRICT,
    DIALECT_ANTHROPIC,
    DIALECT_GEMINI,
    DIALECT_OLLAMA,
    DIALECTS
};

/* Where findings go; `findings` NULL: nowhere. */
struct lower_report {
    struct findings *findings;
    const struct source *source;
    struct span tool_at;
    gramc_text target, tool;
    /* Where a parameter of that name is written; may be NULL. */
    struct span (*parameter_at)(const void *ctx, gramc_text name);
    const void *ctx;
};

enum {
    LOWER_MAX_DEPTH = 300,    /* schemas inside each other, references followed */
    LOWER_MAX_SCHEMAS = 20000 /* of one tool; references are cut from there on */
};

/* Gives the document of a tool's parameters in the dialect, in the arena, sharing parts with
 * `document`. NULL without memory (arena->oom), and when strict mode cannot say it: then *refused
 * is the path of the place. */
struct json *lower_schema(struct arena *arena, enum target_dialect dialect,
                          const struct json *document, const struct lower_report *report,
                          gramc_text *refused);

/* True if something stands at the top of the parameters that no provider takes there. */
bool lower_root_is_refused(const struct json *document);
/* The document without it, in the arena, sharing parts with `document`. NULL without memory. */
struct json *lower_root(struct arena *arena, const struct json *document,
                        const struct lower_report *to);

/* How a sentence about a keyword begins; NULL if there is none. */
const char *lower_sentence(gramc_text keyword);

#endif
