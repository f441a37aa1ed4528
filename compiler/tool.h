/* A tool while it is compiled: what its pattern says besides what is public. */
#ifndef COMPILER_TOOL_H
#define COMPILER_TOOL_H

#include "compiler/signature.h"
#include "compiler/spec.h"

struct tool {
    gramc_tool public; /* first: a pointer to one is a pointer to the other */
    struct tool *next;
    gramc_text identifier;
    struct span name_at;
    const struct source *source;
    const struct tool *earliest;     /* the same tool, where its file comes first; NULL: this one */
    struct signature *signature;     /* NULL after errors */
    struct data_constraint examples; /* a list; no text: none */
    gramc_text meta;                 /* JSON object; empty: none */
    gramc_text deprecated;           /* what to use instead, or "true"; empty: no */
    int read_only, destructive, idempotent, open_world; /* -1: not said */
    int untrusted, sensitive;                           /* the same */
    bool is_checked;
    gramc_schema *accepts, *returns; /* what `public` shows; freed with the spec */
};

/* Reads `[name:Tool {...} | signature]`, at top level or among the elements of an agent or task,
 * and adds it to the spec; NULL, with a finding, if it has no name. */
struct tool *tool_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Another tool of its name is defined that means something else: that is told of. */
bool tool_is_taken(struct pass *pass, const struct gramc_spec *spec, const struct tool *tool);
/* Its types and examples, once all names are known. */
void tool_check(struct pass *pass, const struct tool *tool);
/* Tools of one name must mean the same. */
extern const struct registry_sort tool_sort;
/* True if tools have the property. */
bool tool_has_property(gramc_text key);

#endif
