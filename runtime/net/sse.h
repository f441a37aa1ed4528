/* Server-sent events, as the HTML standard has them (https://html.spec.whatwg.org, section 9.2):
 * bytes in, in parts of any size; events out. */
#ifndef RUNTIME_NET_SSE_H
#define RUNTIME_NET_SSE_H

#include "base/buf.h"

enum { SSE_ID_MAX = 4096 };

struct sse {
    struct buf line;    /* what came of the next one */
    struct buf data;    /* of the next event, a line feed behind each of its lines */
    struct buf type;    /* of the next event */
    struct buf last_id; /* stays until the server gives another */
    int64_t retry_ms;   /* what the server last asked for; negative: nothing */
    bool after_cr, started, told;
    gramc_status status; /* sticky: GRAMC_LIMIT, GRAMC_NOMEM */
};

/* Valid until the parser is used again. */
struct sse_event {
    gramc_text type; /* "message" where the server says nothing */
    gramc_text data; /* may be empty: servers open a stream so */
};

/* No line and no event's data may be longer than `max`. */
void sse_init(struct sse *sse, const gramc_allocator *allocator, size_t max);
void sse_free(struct sse *sse);
/* For the next connection: forgets what was not whole, keeps last_id and retry_ms. */
void sse_restart(struct sse *sse);

/* Takes bytes off the front of `bytes`, up to the end of the next event, and says whether there is
 * one. Call it until it says no: all bytes are then taken, or `status` says why not. */
bool sse_next(struct sse *sse, gramc_text *bytes, struct sse_event *event);
/* The stream has ended. Gives the event that no blank line ended, if there is one: some servers
 * leave that out, and whether the data is whole shows when it is read. */
bool sse_end(struct sse *sse, struct sse_event *event);

#endif
