/* Named things of one sort: which of them a name stands for, and which came too late. The first one
 * of a name counts; another one must mean the same, which is asked once everything is read. */
#ifndef COMPILER_REGISTRY_H
#define COMPILER_REGISTRY_H

#include "base/map.h"
#include "compiler/compilation.h"

struct registered {
    const struct source *source;
    struct span at; /* of its name */
};

/* One whose name was taken. */
struct twin {
    struct twin *next;
    void *first, *other;
    gramc_text name;
};

struct registry {
    struct map names; /* to what they stand for */
    void *first;      /* of all; NULL: none */
    size_t count;     /* of names */
    struct twin *twins;
};

void registry_init(struct registry *registry, struct arena *arena);
/* Returns what the name stands for from now on: the thing, unless the name was taken. The name is
 * borrowed. */
void *registry_add(struct registry *registry, gramc_text name, void *thing);
/* NULL: nothing. */
void *registry_get(const struct registry *registry, gramc_text name);
/* As the public look-ups have it: an empty name stands for the only one. NULL with *why. */
const void *registry_choose(const struct registry *registry, gramc_text name, gramc_status *why);

/* How things of a sort are told apart. */
struct registry_sort {
    enum diag_id taken;
    struct registered (*place)(const void *thing);
    /* pass->source is the other's. */
    bool (*same)(struct pass *pass, void *first, void *other);
};
/* Reports the twins that mean something else than the first of their name. */
void registry_check(struct pass *pass, const struct registry *registry,
                    const struct registry_sort *sort);

#endif
