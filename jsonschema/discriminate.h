/* The member by which an object says which of several alternatives it means to be. */
#ifndef JSONSCHEMA_DISCRIMINATE_H
#define JSONSCHEMA_DISCRIMINATE_H

#include "jsonschema/evaluate.h"

struct discriminator {
    gramc_text name;
    const struct json *member; /* of the object; NULL: it is not there, but always required */
    size_t named;              /* how many alternatives list its value */
};

/* False where no member tells the alternatives apart, or the evaluation has ended. */
bool discriminate(struct evaluation *evaluation, const struct node_list *list,
                  const struct json *value, struct discriminator *out);
/* Whether an object may be this alternative: the others do not count. */
bool discriminate_applies(const struct schema_node *alternative);
/* Whether the alternative, one that applies, lists the value that the object has. */
bool discriminate_names(struct evaluation *evaluation, const struct discriminator *by,
                        const struct schema_node *alternative);
/* The schema whose constant or choices an alternative gives to the member of that name; NULL: it
 * does not apply. */
const struct schema_node *discriminate_values(const struct schema_node *alternative,
                                              gramc_text name);
/* What that schema lists, one by one: the value behind this one, the first behind NULL. NULL behind
 * the last, and where there is no schema. */
const struct json *discriminate_next(const struct schema_node *values, const struct json *value);

#endif
