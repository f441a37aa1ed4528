/* How much was sent in the last minute, and when more may be: requests and tokens, by the second.
 * Never more than allowed in any sixty seconds. Nothing here waits. */
#ifndef RUNTIME_RATE_H
#define RUNTIME_RATE_H

#include "base/text.h"

enum { RATE_SECONDS = 61 }; /* a minute, and the second that it began in */

struct rate {
    struct rate_second {
        uint64_t second, requests, tokens;
    } seconds[RATE_SECONDS];
};

struct rate_limits {
    uint64_t requests, tokens; /* a minute; 0: any number */
};

/* Milliseconds until one request more, of about so many tokens, may be sent; 0: it may now. One
 * that is larger than what a minute allows is sent when nothing else was. */
uint64_t rate_wait(const struct rate *rate, const struct rate_limits *limits, uint64_t now_ms,
                   uint64_t tokens);
void rate_take(struct rate *rate, uint64_t now_ms, uint64_t tokens);
/* What was taken then turned out to be of other size. */
void rate_correct(struct rate *rate, uint64_t taken_ms, uint64_t guessed, uint64_t tokens);

/* "6m0s", "1.5s", "20ms", as servers say when a limit is lifted; false for anything else. */
bool rate_duration(gramc_text text, double *ms);
/* "2026-11-22T12:00:00Z" (RFC 3339), or "Sun, 22 Nov 2026 12:00:00 GMT" as in a Date, since 1970;
 * false for anything else. */
bool rate_moment(gramc_text text, int64_t *ms);

#endif
