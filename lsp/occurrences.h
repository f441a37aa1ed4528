/* Where names stand in a tree, and of which kind they are. */
#ifndef LSP_OCCURRENCES_H
#define LSP_OCCURRENCES_H

#include "base/map.h"
#include "compiler/compilation.h"

enum symbol_kind {
    SYMBOL_AGENT,
    SYMBOL_TOOL,
    SYMBOL_LIBRARY,
    SYMBOL_EXPERIMENT,
    SYMBOL_TYPE,
    SYMBOL_TASK,
    SYMBOL_PARAMETER,
    SYMBOL_FIELD,
    SYMBOL_IMPL, /* stands for the tool of its name, wherever that is */
    SYMBOL_BOX,
    SYMBOL_ARM,
    SYMBOL_GRADER,
    SYMBOL_FILE,     /* a path; names nothing */
    SYMBOL_PROPERTY, /* a key */
    SYMBOL_LABEL     /* a label of the language or a type that has no definition */
};

struct occurrence {
    enum symbol_kind kind;
    bool defines;
    bool reuses;     /* a parameter that takes over another of its name */
    struct span at;  /* of the name, without quotes */
    gramc_text name; /* decoded */
    const struct unit *unit;
    const void *scope;             /* where the name counts; NULL: in the whole compilation */
    const struct pattern *pattern; /* that is defined, or in which it stands */
    const char *owner;             /* of a property: whose (property_owner) */
    int32_t parent;                /* the definition that it stands in; -1: none */
    int32_t next;                  /* of the same name; -1: none */
};

struct occurrences {
    struct occurrence *list;
    size_t count, room;
    bool oom;
    struct map names; /* to a struct occurrence_chain, once occurrences_link was called */
};

struct occurrence_chain {
    int32_t first, last;
};

/* Appends those of a unit. Memory is the arena's. */
void occurrences_read(struct occurrences *occurrences, struct arena *arena,
                      const struct unit *unit);
/* Once all are read: finds those of one name. */
void occurrences_link(struct occurrences *occurrences, struct arena *arena);
/* The first of a name, in order; the others by `next`. -1: none. */
int32_t occurrences_named(const struct occurrences *occurrences, gramc_text name);
/* "tool", "agent"... */
const char *occurrence_noun(enum symbol_kind kind);
/* The text of a tool, parameter or field on the wire: its property `name`, or its identifier. */
gramc_text wire_name(const struct occurrence *definition);

#endif
