/* Spans of a run, as far as it has come (spans.c). */
#ifndef RUNTIME_SPANS_H
#define RUNTIME_SPANS_H

#include "base/buf.h"
#include "gramc/event.h"

enum { SPAN_ID_SIZE = 17 };

/* One run: the one that is told of, or that of an agent which does a tool's work in it. */
struct span_run {
    struct span_run *next;
    gramc_text within;              /* which call it does; empty: nobody called it */
    char id[SPAN_ID_SIZE];          /* of its own span */
    char parent_span[SPAN_ID_SIZE]; /* of the call's; empty: there is none */
    gramc_text run, parent, agent, agent_fingerprint, library, library_fingerprint;
    gramc_text provider, model;
    struct buf said;   /* by users: messages, commas between */
    uint64_t start_ns; /* since 1970 */
    uint64_t asked_ns; /* the newest request, since the run began */
    uint32_t attempts; /* of it */
    bool asking;
};

struct gramc_spans {
    struct arena arena; /* what the runs' own spans need at their ends */
    struct buf done;    /* spans that have ended, commas between */
    bool content;
    gramc_text service;
    struct span_run first;
    struct span_run *inner; /* those in it that go on */
    uint64_t count;         /* spans that have begun */
};

/* As gramc_spans_print. */
gramc_status spans_put(const gramc_spans *spans, struct buf *out);

#endif
