/* The graders of an experiment while it is compiled. */
#ifndef COMPILER_GRADER_H
#define COMPILER_GRADER_H

#include "compiler/experiment.h"
#include "compiler/schema.h"

struct grader {
    gramc_grader public;
    gramc_text meta;
    const struct pattern *pattern;
    struct schema *type;      /* that the answer must fit; NULL: none */
    const gramc_text *fields; /* of the case, that its texts name */
    size_t field_count;
};

/* The first tool in `calls` or `notCalls` of such an object that no arm's agent has; empty: there
 * is none, or boxes may bring it. */
gramc_text expectation_unknown_call(const struct json *object, const gramc_experiment *experiment);
/* The nearest name of a tool that some arm's agent has; empty: none is near. */
gramc_text nearest_call(struct arena *arena, gramc_text name, const gramc_experiment *experiment);

bool grader_is(const struct pattern *element);
/* Reads `[name:Grader {...}]` among the elements of the experiment. */
void graders_read(struct pass *pass, struct experiment *experiment);
/* Their types, once all names are known. */
void graders_resolve(struct pass *pass, struct experiment *experiment);

/* True, with the reason, if some pattern in `matches` of such an object is no regular expression.
 * One with ${fields} is judged when they are filled in. */
bool expectation_bad_pattern(struct arena *arena, const struct json *object, char *message,
                             size_t size);

#endif
