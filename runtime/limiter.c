/* Lets questions through to their endpoint, first come first served: as many at a time and in a
 * minute as its model says, none while the server wants a pause. A timer looks after those that
 * wait; the one who gives back a slot only starts it, so that no run is stepped from within another
 * one's answer. Waiting is done by the system's clock, whatever clock the loop was given. */
#include "runtime/limiter.h"

#include <string.h>

#include "base/limits.h"
#include "runtime/loop.h"
#include "runtime/model.h"
#include "runtime/run.h"

enum { BYTES_OF_A_TOKEN = 4 }; /* about, until the answer says it */

struct limiter {
    struct limiter *next;
    gramc_allocator allocator;
    struct limiter_name name;
    uv_timer_t timer; /* active while somebody waits for time to pass */
    size_t asking;
    uint64_t paused_until_ms;
    struct rate rate;
    struct ask *first, **last; /* who waits */
};

struct limiter_name limiter_name(gramc_text address, gramc_text key) {
    struct limiter_name name;
    struct sha256 sha;
    sha256_init(&sha);
    sha256_add_text(&sha, address);
    sha256_add_text(&sha, key);
    sha256_hex(&sha, name.digest);
    return name;
}

static uint64_t now_ms(void) {
    return uv_hrtime() / 1000000;
}

/* ## Limiters of a loop */

static struct limiter *find(gramc_loop *loop, const struct limiter_name *name) {
    struct limiter *limiter = loop->limiters;
    while (limiter && memcmp(&limiter->name, name, sizeof(*name)) != 0) limiter = limiter->next;
    return limiter;
}

static struct limiter *open_limiter(gramc_loop *loop, const struct limiter_name *name) {
    struct limiter *limiter = find(loop, name);
    if (limiter) return limiter;
    limiter = mem_alloc(&loop->allocator, sizeof(*limiter));
    if (!limiter) return NULL;
    *limiter =
        (struct limiter){.next = loop->limiters, .allocator = loop->allocator, .name = *name};
    limiter->last = &limiter->first;
    uv_timer_init(&loop->uv, &limiter->timer);
    limiter->timer.data = limiter;
    loop->limiters = limiter;
    return limiter;
}

static void free_limiter(uv_handle_t *timer) {
    struct limiter *limiter = timer->data;
    gramc_allocator allocator = limiter->allocator;
    mem_free(&allocator, limiter, sizeof(*limiter));
}

void limiters_close(gramc_loop *loop) {
    while (loop->limiters) {
        struct limiter *limiter = loop->limiters;
        loop->limiters = limiter->next;
        uv_close((uv_handle_t *)&limiter->timer, free_limiter);
    }
}

/* ## Turns */

static bool has_slot(const struct limiter *limiter, const struct ask *ask) {
    uint32_t most = ask->run->model->rules.most_at_once;
    return most == 0 || limiter->asking < most;
}

/* Milliseconds, apart from slots. */
static uint64_t wait_of(const struct limiter *limiter, const struct ask *ask) {
    const struct rate_limits *limits = &ask->run->model->rules.a_minute;
    uint64_t now = now_ms();
    uint64_t pause = limiter->paused_until_ms > now ? limiter->paused_until_ms - now : 0;
    bool limited = limits->requests || limits->tokens;
    uint64_t wait = limited ? rate_wait(&limiter->rate, limits, now, ask->limit.guessed) : 0;
    return pause > wait ? pause : wait;
}

static void let_through(struct limiter *limiter, struct ask *ask) {
    limiter->asking++;
    ask->limit.taken_ms = now_ms();
    rate_take(&limiter->rate, ask->limit.taken_ms, ask->limit.guessed);
    ask->limit.send(ask);
}

static void leave_queue(struct limiter *limiter, struct ask *ask) {
    struct limiter_wait *wait = &ask->limit;
    wait->waiting = false;
    *wait->link = wait->next;
    if (wait->next) wait->next->limit.link = wait->link;
    else limiter->last = wait->link;
}

static void serve(uv_timer_t *timer);

/* Without a slot nothing is timed: whoever gives one back comes here. */
static void look_after(struct limiter *limiter) {
    uv_timer_stop(&limiter->timer);
    if (!limiter->first || !has_slot(limiter, limiter->first)) return;
    uv_update_time(limiter->timer.loop);
    uv_timer_start(&limiter->timer, serve, wait_of(limiter, limiter->first), 0);
}

/* The model did not make anybody wait: its time begins now. */
static void note_wait(struct ask *ask) {
    ask->limit.queued_ns = watch_now(&ask->run->watch) - ask->limit.since;
    ask->started += ask->limit.queued_ns;
    ask->run->waiting_since += ask->limit.queued_ns;
}

static void serve(uv_timer_t *timer) {
    struct limiter *limiter = timer->data;
    while (limiter->first) {
        struct ask *ask = limiter->first;
        if (!has_slot(limiter, ask) || wait_of(limiter, ask)) break;
        leave_queue(limiter, ask);
        note_wait(ask);
        let_through(limiter, ask);
    }
    look_after(limiter);
}

static void queue(struct limiter *limiter, struct ask *ask, bool in_front) {
    struct limiter_wait *wait = &ask->limit;
    wait->waiting = true;
    wait->since = watch_now(&ask->run->watch);
    wait->link = in_front ? &limiter->first : limiter->last;
    wait->next = *wait->link;
    if (wait->next) wait->next->limit.link = &wait->next;
    else limiter->last = &wait->next;
    *wait->link = ask;
    look_after(limiter);
}

bool limiter_enter(struct ask *ask, void (*send)(struct ask *ask), bool again) {
    struct limiter *limiter = open_limiter(ask->run->loop, &ask->run->model->limiter);
    if (!limiter) return false;
    bool counts = ask->run->model->rules.a_minute.tokens != 0;
    ask->limit.limiter = limiter;
    ask->limit.send = send;
    ask->limit.queued_ns = 0;
    ask->limit.guessed = counts ? ask->run->body.len / BYTES_OF_A_TOKEN : 0;
    bool first = !limiter->first || again;
    if (first && has_slot(limiter, ask) && wait_of(limiter, ask) == 0) let_through(limiter, ask);
    else queue(limiter, ask, again);
    return true;
}

void limiter_leave(struct ask *ask) {
    struct limiter *limiter = ask->limit.limiter;
    if (!limiter) return;
    ask->limit.limiter = NULL;
    if (ask->limit.waiting) leave_queue(limiter, ask);
    else limiter->asking--;
    look_after(limiter);
}

/* ## What answers say */

void limiter_count(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    const struct usage *usage = &ask->reply.usage;
    struct limiter *limiter =
        model->rules.a_minute.tokens ? find(ask->run->loop, &model->limiter) : NULL;
    uint64_t parts = usage->prompt + usage->completion;
    if (!limiter) return;
    rate_correct(&limiter->rate, ask->limit.taken_ms, ask->limit.guessed,
                 usage->total > parts ? usage->total : parts);
}

void limiter_pause(struct ask *ask, double ms) {
    struct limiter *limiter = find(ask->run->loop, &ask->run->model->limiter);
    if (!limiter || ms <= 0 || ms > MODEL_WAIT_MAX_MS) return;
    uint64_t until = now_ms() + (uint64_t)ms;
    if (until > limiter->paused_until_ms) limiter->paused_until_ms = until;
    look_after(limiter);
}

static void heed(struct ask *ask, const char *remaining, const char *reset) {
    double ms;
    if (!text_is(http_kept(&ask->http, remaining), "0")) return;
    if (!rate_duration(http_kept(&ask->http, reset), &ms)) return;
    limiter_pause(ask, ms < MODEL_WAIT_MAX_MS ? ms : MODEL_WAIT_MAX_MS);
}

void limiter_heed(struct ask *ask) {
    heed(ask, "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests");
    heed(ask, "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens");
}
