/* What the sources mean: lists of tools, agents, libraries and experiments, each with a header of
 * its own. Filled in by gramc_compile, const afterwards but for prepare.c. */
#ifndef COMPILER_SPEC_H
#define COMPILER_SPEC_H

#include "compiler/registry.h"

struct definition;
struct reuse;
struct tool;
struct agent;
struct library;
struct experiment;

struct gramc_spec {
    struct map plain_types; /* schemas by label (schema.c) */
    const gramc_compilation *compilation;
    struct definition *first_definition, **last_definition;
    struct reuse *first_reuse, **last_reuse;
    struct tool *first_tool, **last_tool;
    struct agent *first_agent, **last_agent;
    struct library *first_library, **last_library;
    struct experiment *first_experiment, **last_experiment;
    struct registry tools, agents, libraries, definitions, experiments; /* by identifier */
    struct tool **tool_list;
    struct agent **agent_list;
    struct library **library_list;
    struct experiment **experiment_list;
    bool has_programs; /* some tool was prepared */
};

/* True for the labels of the language that are no types. */
bool label_is_known(gramc_text label);

#endif
