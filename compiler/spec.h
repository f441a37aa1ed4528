/* What the sources mean: agents, tools, libraries. Filled in by gramc_compile, const afterwards but
 * for gramc_agent_prepare. Each begins with the public struct, so that a pointer to one is a
 * pointer to the other. */
#ifndef COMPILER_SPEC_H
#define COMPILER_SPEC_H

#include "base/map.h"
#include "compiler/signature.h"

struct tool {
    gramc_tool public;
    struct tool *next;
    struct tool *twin; /* another of the same name, which is the one that counts */
    gramc_text identifier;
    struct span name_at;
    const struct source *source;
    struct signature *signature; /* NULL after errors */
    gramc_text examples;         /* JSON list; empty: none */
    gramc_text deprecated;       /* what to use instead, or "true"; empty: no */
    int read_only, destructive, idempotent, open_world; /* -1: not said */
};

struct agent {
    gramc_agent public;
    struct agent *next;
    gramc_text identifier;
    struct span name_at;
    const struct source *source;
    const struct pattern *pattern;
    struct tool **tools;
    size_t tool_count;
    bool prepared;
};

struct library; /* library.h */

/* A parameter that is written with its name alone. */
struct reuse {
    struct reuse *next;
    struct field *field; /* without a schema until it is resolved */
    const struct pattern *node;
    const struct source *source;
};

struct definition;

struct gramc_spec {
    gramc_compilation *compilation;
    struct definition *first_definition, **last_definition;
    struct reuse *first_reuse, **last_reuse;
    struct tool *first_twin; /* tools of a name that was taken */
    struct tool *first_tool, **last_tool;
    struct agent *first_agent, **last_agent;
    struct library *first_library, **last_library;
    struct map tools, agents, libraries, definitions; /* by identifier */
    struct tool **tool_list;
    struct agent **agent_list;
    struct library **library_list;
    size_t tool_count, agent_count, library_count;
    bool has_programs; /* some tool was prepared */
};

/* Each reads one top-level pattern (or, for tools, one element of an agent) and adds it. */
struct tool *tool_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
void agent_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
void library_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Second step: what libraries extend, own signatures, references to servers. */
void libraries_resolve(struct pass *pass, struct gramc_spec *spec);
/* `[name:ToolBox {...}]` among the elements of an agent or task (box_use.c). */
bool box_use_is(const struct pattern *element);
const gramc_box_use *box_uses_read(struct pass *pass, const struct pattern *owner, size_t *count);
/* Tools of one name must mean the same. */
void twins_check(struct pass *pass, const struct gramc_spec *spec);
/* Second step, once all tools are known: the references of an agent. */
void agent_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent);
/* The value of `language:` in a header: a finding if it is no version that there is. */
void language_check(struct pass *pass, const struct value *value);
/* Files that are imported, and the version of the language (import.c). */
void headers_read(struct pass *pass);
/* Gives parameters that are written with their name alone their meaning (reuse.c). */
void reuses_resolve(struct pass *pass, struct gramc_spec *spec);
/* Same schema, default and optionality, whatever their names. */
bool fields_mean_the_same(struct pass *pass, const struct field *a, const struct field *b);
/* One name, two types: within an agent and across the compilation. */
void vocabulary_check(struct pass *pass, const struct gramc_spec *spec);

/* Names that are not written as the configuration asks. */
void naming_check(struct pass *pass, const struct gramc_spec *spec);

/* The identifier of a pattern; empty, with a finding, if it has none. */
gramc_text pattern_name(struct pass *pass, const struct pattern *pattern, const char *owner);
/* The single label of a pattern; empty if it has none. */
gramc_text pattern_label(const struct pattern *pattern);
/* Reports that a name stands there twice. */
void spec_report_duplicate(struct pass *pass, enum diag_id id, gramc_text name, struct span at,
                           const struct source *other_source, struct span other);

/* Everything that a tool means to a model or caller, as one JSON object. */
void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style);
/* Hexadecimal sha256 of what the agent means. */
gramc_text agent_fingerprint(struct arena *arena, const struct agent *agent);

#endif
