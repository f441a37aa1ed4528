/* What all runs that ask one endpoint with one key share, on one loop or on several: how many may
 * ask at a time and in a minute, and a pause that the server asked one of them for. */
#ifndef RUNTIME_LIMITER_H
#define RUNTIME_LIMITER_H

#include "base/sha256.h"
#include "runtime/rate.h"

struct ask;
struct gramc_loop;
struct limiter;
struct protocol;

/* Which one, by address and key: neither is kept. */
struct limiter_name {
    char digest[SHA256_HEX];
};

struct limiter_rules {
    uint32_t most_at_once; /* 0: any number */
    struct rate_limits a_minute;
};

/* A question's part; all of it is zero to begin with. Those that wait stand in one queue, whatever
 * loop they are of. */
struct limiter_wait {
    struct limiter *limiter; /* that it waits for or has a slot of; NULL: neither */
    bool waiting;
    void (*send)(struct ask *ask);
    uint64_t since, queued_ns;  /* by the loop's clock: when the wait began, how long it was */
    uint64_t taken_ms, guessed; /* when it was let through, as how many tokens */
    struct ask *next, **link;
};

struct limiter_name limiter_name(gramc_text address, gramc_text key);
/* Calls `send` when it is the question's turn: now, or later, after those that wait longer; a
 * second attempt goes before them. False without memory. */
bool limiter_enter(struct ask *ask, void (*send)(struct ask *ask), bool again);
/* Gives the slot back, or waits no more; nothing happens if there is neither. */
void limiter_leave(struct ask *ask);
/* The answer told its tokens. */
void limiter_count(struct ask *ask);
/* Nobody asks for so long. */
void limiter_pause(struct ask *ask, double ms);
/* The same where the answer's headers say that nothing is left. */
void limiter_heed(struct ask *ask);
/* With the loop: no question is left. */
void limiters_close(struct gramc_loop *loop);
/* The headers that limiter_heed reads, for struct http_request.keep; Content-Type is one of them.
 */
const char *const *limiter_headers(const struct protocol *protocol);

#endif
