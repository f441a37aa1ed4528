/* A verdict behind its public face. */
#ifndef JSONSCHEMA_VERDICT_H
#define JSONSCHEMA_VERDICT_H

#include "jsonschema/evaluate.h"

struct change {
    struct change *next;
    gramc_adjustment shown;
};

/* The whole is what allocators have at hand. */
enum { FEW_BYTES = 768 };

struct verdict {
    gramc_verdict shown; /* first, so that one can be had from the other */
    struct arena arena;
    const struct violation *violations; /* as many as shown.error_count */
    struct change *changes, **link;
    uint64_t room[FEW_BYTES / sizeof(uint64_t)]; /* where the arena begins */
};

/* gramc_schema_check without its fast half, to hold the two against each other. */
gramc_status verdict_by_document(gramc_verdict **out, const gramc_schema *schema, gramc_text text,
                                 const gramc_check_options *options);

/* Changes the document as the flags say (normalise.c), before it is evaluated. */
void verdict_normalise(struct verdict *verdict, struct evaluation *evaluation, struct json *root,
                       gramc_text text, unsigned flags);
/* The bytes of the document after the changes. */
gramc_text verdict_bytes(struct verdict *verdict, const struct json *root, gramc_text text);
/* Fills in what is shown. root NULL: not JSON. */
void verdict_finish(struct verdict *verdict, const struct evaluation *evaluation,
                    const struct report *report, const struct json *root, gramc_text text);

#endif
