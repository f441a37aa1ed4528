/* An experiment while it is compiled: what its pattern says besides what is public. */
#ifndef COMPILER_EXPERIMENT_H
#define COMPILER_EXPERIMENT_H

#include "compiler/spec.h"

struct grader;

struct experiment {
    gramc_experiment public; /* first: a pointer to one is a pointer to the other */
    gramc_text meta, *arm_metas;
    struct grader *graders; /* as many as are public (grader.h) */
    struct experiment *next;
    struct span name_at;
    const struct source *source;
    const struct pattern *pattern;
};

/* Reads `[name:Experiment {...} | arms]` and adds it to the spec. */
void experiment_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* The agents and libraries of its arms, once all agents are resolved. */
void experiment_resolve(struct pass *pass, struct gramc_spec *spec, struct experiment *experiment);
/* Arms that differ where the experiment does not say so (confound.c). */
void experiment_compare(struct pass *pass, const struct experiment *experiment);
/* Experiments of one name must mean the same. */
extern const struct registry_sort experiment_sort;
/* True if experiments have the property. */
bool experiment_has_property(gramc_text key);

#endif
