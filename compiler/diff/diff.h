/* Changes between two specs: what changed, for whom it matters, where it stands. The sentences are
 * in change.def, one row each. */
#ifndef COMPILER_DIFF_DIFF_H
#define COMPILER_DIFF_DIFF_H

#include "compiler/agent.h"
#include "compiler/tool.h"
#include "gramc/diff.h"

enum change_id {
#define CHANGE(code, id, slug, caller, implementer, message, explanation) CHANGE_##id,
#include "compiler/diff/change.def"
#undef CHANGE
    CHANGE_COUNT
};

struct diff_place {
    const struct source *source; /* NULL: it does not exist on that side */
    struct span span;
};

enum diff_position { DIFF_PARAMETER, DIFF_RESULT, DIFF_ANSWER, DIFF_POSITIONS };

/* How a type moved, as a set of values; what may be counts. */
struct diff_shift {
    bool narrowed, widened;
    bool sent_more; /* with defaults filled in: what gets its values can get other ones */
};

/* One place that a change of something shared reaches. */
struct diff_use {
    struct diff_use *next;
    gramc_text text; /* "parameter `home` of tool `work`" */
    struct diff_place at;
    enum diff_position position;
    struct diff_shift shift; /* what changed there */
};

struct difference {
    struct difference *next;
    enum change_id id;
    gramc_impact caller, implementer;
    gramc_text message, help, example;
    gramc_text evidence[2]; /* the schemas, where a type changed: what exactly was accepted */
    struct diff_place before, after;
    struct diff_use *uses, *last_use; /* NULL: it stands where it is seen */
    uint32_t use_count;
};

struct diff_cause;

/* An old spec with errors, which is not compared. */
struct skipped_spec {
    struct skipped_spec *next;
    const struct gramc_spec *spec;
};

struct gramc_diff {
    struct arena arena;
    struct difference *first, **last;
    uint32_t counts[4]; /* by gramc_impact; those that are accepted left out */
    uint32_t accepted;
    struct skipped_spec *skipped;
    uint32_t skipped_count;
    struct map before, after; /* the first tool of each name on the wire */
    struct map repeated;      /* names that several tools of one side have */
    struct map old_entities, new_entities, causes, properties; /* cause.c */
    struct diff_cause *first_cause, **last_cause;
    const struct source *old_sources, *new_sources;
    size_t old_root, new_root; /* length of the folder in which all sources of a side lie */
};

const gramc_diff_kind *diff_kind(enum change_id id);
/* The same as a row of findings; its severity is the impact less one. */
const struct diag_row *diff_row(enum change_id id);
/* The greater of the two impacts. */
gramc_impact diff_impact(const struct difference *difference);

/* Reports; up to three texts for {0}, {1}, {2}. NULL without memory. */
struct difference *diff_add(struct gramc_diff *diff, enum change_id id, struct diff_place before,
                            struct diff_place after, gramc_text a, gramc_text b, gramc_text c);
/* The same where its uses say whom it hits. */
struct difference *diff_add_judged(struct gramc_diff *diff, enum change_id id, gramc_impact caller,
                                   gramc_impact implementer, struct diff_place before,
                                   struct diff_place after, gramc_text a, gramc_text b,
                                   gramc_text c);
/* A sentence with {0}, {1}, {2} filled in. */
gramc_text diff_fill(struct gramc_diff *diff, const char *sentence, const gramc_text args[3]);
void diff_help(struct gramc_diff *diff, struct difference *difference, const char *format,
               gramc_text name);

/* ## The parts */
void diff_tools(struct gramc_diff *diff, const struct gramc_spec *before,
                const struct gramc_spec *after);
void diff_agents(struct gramc_diff *diff, const struct gramc_spec *before,
                 const struct gramc_spec *after);
/* Parameters and result of a tool that both have. */
void diff_signature(struct gramc_diff *diff, const struct tool *before, const struct tool *after);

/* True for the code or slug of a change. */
bool diff_is_kind(gramc_text name);
/* Takes out what comments of the new sources allow; one that does nothing, or does not say why, is
 * a change of the list itself. */
void diff_accept_allowed(struct gramc_diff *diff, const gramc_compilation *after);

/* True if both stand in the same file, below the folders that are compared. */
bool diff_same_file(const struct gramc_diff *diff, const struct source *before,
                    const struct source *after);
/* All specs of a compilation as one: each agent and tool once, from the file in which it stands.
 * The spec itself if it is the only one; NULL without memory. Old ones that are not whole are left
 * out and noted. */
const struct gramc_spec *diff_view(struct gramc_diff *diff, const struct gramc_spec *spec,
                                   bool is_old);
/* True for new ones that may have been in an old spec that was left out: nobody knows. */
bool diff_is_skipped_tool(const struct gramc_diff *diff, const struct tool *tool);
bool diff_is_skipped_agent(const struct gramc_diff *diff, const struct agent *agent);
struct diff_place diff_tool_place(const struct tool *tool);
/* "from A to B", for {2}. */
gramc_text diff_from_to(struct gramc_diff *diff, gramc_text before, gramc_text after);

#endif
