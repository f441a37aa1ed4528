/* Output units (2020-12, Core, section 12): what came of each keyword at each place, for those who
 * ask. output.c walks a document once more and makes them, output_print.c shows them. */
#ifndef JSONSCHEMA_OUTPUT_H
#define JSONSCHEMA_OUTPUT_H

#include "base/json/writer.h"
#include "jsonschema/verdict.h"

/* The annotation of a keyword. */
enum output_says {
    SAYS_NOTHING,
    SAYS_VALUE,  /* the keyword's own value */
    SAYS_NAMES,  /* the members that it was applied to */
    SAYS_PLACES, /* the items that it was true of */
    SAYS_LAST,   /* the last item that it was applied to */
    SAYS_TRUE    /* it was applied to some items */
};

/* A keyword, or a schema that a keyword applies: these stand below it. */
struct output_unit {
    struct output_unit *first, *next;
    gramc_text token;    /* on the way through the schema, behind the outer unit's; may be none */
    gramc_text absolute; /* of a schema: where it stands; none: behind the outer one as well */
    const struct json *place; /* in the instance; NULL: the outer unit's */
    const struct json *value; /* SAYS_VALUE */
    gramc_text error;
    uint32_t index; /* behind the token, if `listed` */
    uint32_t item;  /* of the place in its array, if `is_item` */
    bool listed, is_item;
    bool keyword;
    bool valid;
    bool kept; /* there is an annotation here or below */
    uint8_t says;
};

/* Makes the units of a document that was evaluated; `all`: of one that is not valid too, and what
 * failed. Sets verdict->output, or the evaluation's status. */
void output_walk(struct verdict *verdict, struct evaluation *evaluation, const struct json *root,
                 bool all);

/* `basic` and `detailed` of a valid instance, `verbose` of any. They need the units, but for what
 * was not JSON. */
void output_put_basic(struct json_writer *w, const struct verdict *verdict);
void output_put_detailed(struct json_writer *w, const struct verdict *verdict);
void output_put_verbose(struct json_writer *w, const struct verdict *verdict);

/* One unit without anything below it (verdict_print.c). */
void verdict_put_leaf(struct json_writer *w, const struct violation *violation);

#endif
