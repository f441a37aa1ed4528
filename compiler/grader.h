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

bool grader_is(const struct pattern *element);
/* Reads `[name:Grader {...}]` among the elements of the experiment. */
void graders_read(struct pass *pass, struct experiment *experiment);
/* Their types, once all names are known. */
void graders_resolve(struct pass *pass, struct experiment *experiment);

/* True, with the reason, if some pattern in `matches` of such an object is no regular expression.
 * One with ${fields} is judged when they are filled in. */
bool expectation_bad_pattern(const struct json *object, char *message, size_t size);

#endif
