/* A verdict behind its public face. */
#ifndef JSONSCHEMA_VERDICT_H
#define JSONSCHEMA_VERDICT_H

#include "jsonschema/evaluate.h"

struct change {
    struct change *next;
    gramc_adjustment shown;
    const struct json *filled; /* the default */
    uint32_t number;           /* of it, from 1; 0: it is none */
    uint32_t inside;           /* the number of the default that it belongs to; 0: none */
};

/* The whole is what allocators have at hand. */
enum { FEW_BYTES = 768 };

struct verdict {
    gramc_verdict shown; /* first, so that one can be had from the other */
    struct arena arena;
    const struct violation *violations; /* as many as shown.error_count */
    const struct output_unit *output;   /* NULL: not asked for */
    bool output_all;                    /* what failed is among it */
    struct change *changes, **link;
    uint32_t fill_count;                         /* the number of the last default that was tried */
    uint64_t room[FEW_BYTES / sizeof(uint64_t)]; /* where the arena begins */
};

/* gramc_schema_check without its fast half, to hold the two against each other. */
gramc_status verdict_by_document(gramc_verdict **out, const gramc_schema *schema, gramc_text text,
                                 const gramc_check_options *options);

/* Changes the document as the flags say (normalise.c), before it is evaluated. */
void verdict_normalise(struct verdict *verdict, struct evaluation *evaluation, struct json *root,
                       gramc_text text, unsigned flags);
/* For a document that is not valid with its defaults: takes those out that it is not valid with
 * (normalise_fill.c). True if any went, or were moved: it is to be evaluated again. */
bool verdict_leave_out(struct verdict *verdict, struct evaluation *evaluation, struct json *root);
/* Fills in what is shown (normalise_bytes.c). root NULL: not JSON, or nothing was changed. */
void verdict_finish(struct verdict *verdict, struct evaluation *evaluation,
                    const struct report *report, const struct json *root, gramc_text text);

#endif
