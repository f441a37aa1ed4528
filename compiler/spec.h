/* What the sources mean: lists of tools, agents, libraries and experiments, each with a header of
 * its own. Filled in by gramc_compile, const afterwards but for prepare.c. */
#ifndef COMPILER_SPEC_H
#define COMPILER_SPEC_H

#include "compiler/registry.h"
#include "compiler/types.h"

struct bare;
struct cut_request;
struct definition;
struct signature;
struct reuse;
struct tally;
struct tool;
struct agent;
struct library;
struct experiment;

struct gramc_spec {
    struct schema *plain_types[TYPE_LABELS]; /* by type_index() (schema.c) */
    const gramc_compilation *compilation;
    struct gramc_spec *older; /* the one that was read before */
    struct unit_link *units;  /* the root in front */
    uint32_t errors;          /* that were found in it */
    uint64_t checking;        /* what its checks took, see checking.h */
    bool is_one_of_several;   /* with which it may share files */
    bool is_readable;         /* none of its sources is broken */
    uint32_t *ignored;        /* patterns that mean nothing, by the order of their source */
    struct bare *first_bare, **last_bare;
    struct definition *first_definition, **last_definition;
    struct reuse *first_reuse, **last_reuse;
    struct cut_request *cuts; /* that were not made yet (cut.c) */
    struct map cut_schemas;   /* those that say one, to it */
    struct tool *first_tool, **last_tool;
    struct agent *first_agent, **last_agent;
    struct library *first_library, **last_library;
    struct experiment *first_experiment, **last_experiment;
    struct registry tools, agents, libraries, definitions, experiments; /* by identifier */
    bool has_late_tools; /* some are checked when all has been read */
    struct tally *words; /* of the tools that are not (vocabulary.c); NULL: none yet */
    struct tool **tool_list;
    struct agent **agent_list;
    struct library **library_list;
    struct experiment **experiment_list;
};

/* A signature at top level, which belongs to no tool. */
struct bare {
    struct bare *next;
    const struct source *source;
    struct signature *signature;
};

/* An empty one; NULL without memory. */
struct gramc_spec *spec_new(gramc_compilation *compilation, struct unit_link *units);
/* True if a tree has top-level patterns that are more than tools, agents and the like. Asked while
 * the tree is at hand. */
bool tree_may_define(const struct tree *tree);
/* Reads its sources, which are sound, into it. */
void spec_read(struct pass *pass, struct gramc_spec *spec);
/* Makes an empty spec the list of the tools, and of the signatures of no tool, that the specs of
 * its compilation own; reports a tool that means two things. */
void spec_list_tools(struct pass *pass, struct gramc_spec *list);
/* Hands the findings of a spec over to its compilation, each once, whichever spec reported it. */
void spec_hand_over(gramc_compilation *compilation, const struct gramc_spec *spec,
                    struct findings *own);
/* True for one spec, of all that a source is part of: the one that it is the root of, or else the
 * first. */
bool spec_owns(const struct gramc_spec *spec, const struct source *source);
/* True if no error is reported about any of its sources. */
bool spec_is_sound(const struct gramc_spec *spec);

/* True if all that is in error about its sources leaves what they mean whole, or means nothing. */
bool spec_is_whole(const struct gramc_spec *spec);

/* True for the labels of the language that are no types. */
bool label_is_known(gramc_text label);

#endif
