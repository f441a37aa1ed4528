/* Spans of a run, as far as it has come (spans.c). */
#ifndef RUNTIME_SPANS_H
#define RUNTIME_SPANS_H

#include "base/buf.h"
#include "gramc/event.h"

struct gramc_spans {
    struct arena arena; /* what the run's own span needs at its end */
    struct buf done;    /* spans that have ended, commas between */
    struct buf said;    /* by users: messages, commas between */
    bool content;
    gramc_text service;
    gramc_text run, parent, agent, agent_fingerprint, library, library_fingerprint;
    gramc_text provider, model;
    uint64_t start_ns; /* since 1970 */
    uint64_t count;    /* spans that have begun */
    uint64_t asked_ns; /* the newest request, since the run began */
    uint32_t attempts; /* of it */
    bool asking;
};

/* As gramc_spans_print. */
gramc_status spans_put(const gramc_spans *spans, struct buf *out);

#endif
