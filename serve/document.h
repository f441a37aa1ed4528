/* A run as one JSON document (document.c, docs/formats/run.schema.json). */
#ifndef SERVE_DOCUMENT_H
#define SERVE_DOCUMENT_H

#include "base/buf.h"
#include "gramc/runtime.h"

enum { DOCUMENT_MAX = 3 * (256 << 20) };

struct sent_call;
struct document {
    struct buf head, answers, calls; /* members, and items of two arrays */
    struct arena arena;              /* of the next */
    struct sent_call *sent;          /* what became of arguments; the newest call first */
    gramc_text run;                  /* its id */
    gramc_text content, message;     /* as they are told: without secrets */
    gramc_text session;              /* its id, borrowed; empty: it is not told */
    gramc_text alias; /* what the agent is called, borrowed: who reads it is not to know which arm
                         of an experiment it was; empty: it may be known */
};

void document_init(struct document *document, const gramc_allocator *allocator);
void document_free(struct document *document);
/* Every event of the run. */
void document_event(struct document *document, const gramc_event *event);
/* Appends it to `out`, whose status this is unless memory ran out before. */
gramc_status document_print(const struct document *document, struct buf *out,
                            const gramc_run_result *result, gramc_text content);

#endif
