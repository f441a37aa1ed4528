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
    struct schema arguments;     /* what the properties say about them, before they are read */
    gramc_text examples;         /* JSON list; empty: none */
    struct span examples_at;
    gramc_text meta;       /* JSON object; empty: none */
    gramc_text deprecated; /* what to use instead, or "true"; empty: no */
    int read_only, destructive, idempotent, open_world; /* -1: not said */
};

struct task {
    gramc_task *public; /* in the agent's list */
    struct task *next;
    struct span name_at;
    const struct pattern *pattern;
    gramc_text meta;
    struct schema *output; /* NULL: none */
    struct tool **tools;   /* its own */
    size_t tool_count;
};

struct agent {
    gramc_agent public;
    struct agent *next;
    struct agent *twin; /* another of the same name, which is the one that counts */
    gramc_text identifier;
    struct span name_at;
    const struct source *source;
    const struct pattern *pattern;
    struct tool **tools; /* that it lists itself */
    size_t tool_count;
    struct tool **reach; /* those and its tasks' tools, each once */
    size_t reach_count;
    struct task *first_task, **last_task;
    gramc_text meta;
    struct schema *output; /* NULL: none */
    bool prepared;
};

struct experiment {
    gramc_experiment public;
    gramc_text meta, *arm_metas;
    struct experiment *next;
    struct experiment *twin; /* another of the same name, which is the one that counts */
    struct span name_at;
    const struct source *source;
    const struct pattern *pattern;
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
    struct agent *first_agent_twin;
    struct library *first_library_twin;
    struct experiment *first_experiment_twin;
    struct tool *first_tool, **last_tool;
    struct agent *first_agent, **last_agent;
    struct library *first_library, **last_library;
    struct experiment *first_experiment, **last_experiment;
    struct map tools, agents, libraries, definitions, experiments; /* by identifier */
    struct tool **tool_list;
    struct agent **agent_list;
    struct library **library_list;
    struct experiment **experiment_list;
    size_t tool_count, agent_count, library_count, experiment_count;
    bool has_programs; /* some tool was prepared */
};

/* Each reads one top-level pattern (or, for tools, one element of an agent) and adds it. */
struct tool *tool_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Its types and examples, once all names are known. */
void tool_check(struct pass *pass, const struct tool *tool);
void agent_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
void library_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
void experiment_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* True if patterns with that label have the property. */
bool agent_has_property(gramc_text key), tool_has_property(gramc_text key),
    library_has_property(gramc_text key), experiment_has_property(gramc_text key);
/* Agents of one name must mean the same. */
void agent_twins_check(struct pass *pass, struct gramc_spec *spec);
/* Second step: what libraries extend, own signatures, references to servers. */
void libraries_resolve(struct pass *pass, struct gramc_spec *spec);
/* `[name:ToolBox {...}]` among the elements of an agent or task (box_use.c). */
bool box_use_is(const struct pattern *element);
const gramc_box_use *box_uses_read(struct pass *pass, const struct pattern *owner, size_t *count);
/* Tools of one name must mean the same. */
void twins_check(struct pass *pass, const struct gramc_spec *spec);
/* Second step, once all tools are known: the references of an agent. */
void agent_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent);
/* Experiments of one name must mean the same. */
void experiment_twins_check(struct pass *pass, struct gramc_spec *spec);
/* Arms that differ where the experiment does not say so (confound.c). */
void experiment_compare(struct pass *pass, const struct experiment *experiment);
/* The same for the arms of an experiment, once all agents are resolved. */
void experiment_resolve(struct pass *pass, struct gramc_spec *spec, struct experiment *experiment);
/* The value of `language:` in a header: a finding if it is no version that there is. */
void language_check(struct pass *pass, const struct value *value);
/* Files that are imported, and the version of the language (imports.c). */
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
/* What an annotation stands in front of, or the pattern itself. */
const struct pattern *pattern_plain(const struct pattern *pattern);
/* True for the labels of the language that are no types. */
bool label_is_known(gramc_text label);
/* The single label of a pattern; empty if it has none. */
gramc_text pattern_label(const struct pattern *pattern);
/* Reports that a name stands there twice. */
void spec_report_duplicate(struct pass *pass, enum diag_id id, gramc_text name, struct span at,
                           const struct source *other_source, struct span other);

/* ## Tasks (task.c) */
bool task_is(const struct pattern *element);
/* Reads one element of an agent that is a task. */
void task_read(struct pass *pass, struct gramc_spec *spec, struct agent *agent,
               const struct pattern *element);
/* The references of an agent's tasks, once its own tools are known; fills in agent->reach. */
void tasks_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent);
/* Lists the ${names} of instruction and prompts (inputs.c). */
void inputs_find(struct pass *pass, struct agent *agent);
/* Properties that say nothing under the agent's strategy (strategy.c). */
void strategy_check(struct pass *pass, struct agent *agent);

/* ## Tools of agents and tasks (agent.c) */
/* Reads the tools that are defined among the elements: one place in the result for each element,
 * NULL for those that are none. */
struct tool **tools_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *owner);
/* Fills in those that are names, closes the gaps and returns how many there are; `owner` as in
 * messages. */
size_t tools_resolve(struct pass *pass, const struct gramc_spec *spec, struct tool **tools,
                     const struct pattern *owner);
/* The tools that a model sees together: two of one name cannot be told apart. */
struct wire_scope {
    const char *noun; /* "agent", "task" */
    gramc_text name;
    struct span at;
    struct tool *const *tools; /* its own */
    size_t count;
    struct tool *const *more; /* that it sees as well; one that it has itself is fine */
    size_t more_count;
};
void wire_scope_check(struct pass *pass, const struct wire_scope *scope);
const gramc_tool **tools_public(struct pass *pass, struct tool *const *tools, size_t count);
/* A finding that a name stands for nothing, with what it was probably meant to be. */
void report_unresolved(struct pass *pass, enum diag_id id, const struct map *map, gramc_text noun,
                       gramc_text name, struct span at);

/* Everything that a tool means to a model or caller, as one JSON object. */
void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style);
/* What a task means, with its tools. */
void task_print_meaning(struct buf *out, const struct task *task);
/* What an experiment says, with its arms. */
void experiment_print(struct buf *out, const struct experiment *experiment);
/* Everything that the agent says but for tools, model and sampling. */
void agent_print_rest(struct buf *out, const struct agent *agent);
/* What a chat completion request says about a structured answer, as the value of `response_format`;
 * nothing for a type that is too deep for JSON. True if the answer is a member of what it asks
 * for (emit/response_format.c). */
bool answer_put_format(struct buf *out, const struct schema *output);
/* Hexadecimal sha256 of what the agent means. */
gramc_text agent_fingerprint(struct arena *arena, const struct agent *agent);

#endif
