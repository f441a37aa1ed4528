/* A target while it is printed: the table's row, the names that the provider sees, and where
 * findings go. Checking a spec for a target is printing it into nothing. */
#ifndef COMPILER_EMIT_TARGET_H
#define COMPILER_EMIT_TARGET_H

#include "base/json/writer.h"
#include "base/limits.h"
#include "compiler/emit/lower.h"
#include "compiler/agent.h"
#include "compiler/tool.h"
#include "compiler/emit/wire_names.h"

struct emission;
/* Prints one tool. */
typedef void target_printer(struct emission *e, const struct tool *tool);
/* Prints everything; agent NULL: tools without an agent. */
typedef void whole_printer(struct emission *e, const struct agent *agent);

enum target_flags {
    FEW_TOOLS = 1,         /* more than MANY_TOOLS are worth a warning */
    FEW_TOOLS_REFUSED = 2, /* or an error */
    EVALUATES_SCHEMAS = 4, /* printing a tool may give findings */
    CHAT_FORM = 8,         /* what it prints is what a chat completion request holds */
    NEEDS_ITEMS = 16,      /* an array that does not say of what is refused */
    SHORT_WORDS = 64,      /* descriptions are cut, or refused, beyond 1,024 characters */
    REQUEST_FORM = 32      /* what it prints is what a request to its provider holds */
};

struct target {
    const char *name, *about;
    target_printer *print; /* NULL: `whole` does it all */
    whole_printer *whole;
    const char *before, *after; /* round the tools */
    enum name_rule names;
    enum target_dialect dialect;
    unsigned flags; /* enum target_flags */
};

struct emission {
    struct buf *out;
    struct json_writer json; /* of the tool that is printed, on `out` */
    const struct target *target;
    struct findings *findings; /* NULL: nobody wants to know */
    struct arena arena;        /* names of this emission */
    const struct gramc_spec *spec;
    const struct agent *agent; /* NULL: all tools of the spec */
    struct tool *const *tools; /* of the agent and its tasks */
    size_t count;
    gramc_text *names; /* of tools[i], as the provider sees it */
    size_t at;         /* which tool is being printed */
    unsigned style;
};

/* The row of that name; NULL: there is none. */
const struct target *target_find(gramc_text name);

target_printer emit_json_schema, emit_openai, emit_openai_functions, emit_openai_strict,
    emit_openai_responses, emit_anthropic, emit_gemini, emit_mcp, emit_ollama, emit_gbnf_arguments,
    emit_regex_arguments;
whole_printer emit_bundle, emit_markdown, emit_gbnf, emit_regex, emit_json_schema_call;

/* ## For printers */
/* The name that the provider sees. */
gramc_text emission_name(const struct emission *e);
/* Prints the tool's parameters as the target's dialect has them; false, having printed them in
 * full, if strict mode cannot say them. */
bool emission_put_parameters(struct emission *e, const struct tool *tool);
/* The schema of the tool's arguments, in the arena or as it was prepared; NULL without memory, or
 * if it is nested too deeply. */
const struct json *emission_document(const struct emission *e, const struct tool *tool,
                                     struct arena *arena);
/* Compares a lowered document with what the provider counts (limits.c). */
void limits_check(struct emission *e, const struct tool *tool, const struct json *document);
/* Writes arguments (an example) with the names that the target's provider takes; `schema` is the
 * tool's own, NULL: nothing is known of it. */
void wire_put_arguments(struct buf *out, struct arena *arena, const struct target *target,
                        const struct json *schema, const struct json *arguments);
/* Looks for arrays without `items` in the parameters as they are printed (items.c). */
void items_check(struct emission *e, const struct tool *tool, const struct json *document);
/* Warns of a description that is longer than the provider says it takes. */
void limits_check_words(struct emission *e, const struct tool *tool);
void limits_check_tools(struct emission *e, const struct agent *agent);

#endif
