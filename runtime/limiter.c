/* Lets questions through to their endpoint, first come first served: as many at a time and in a
 * minute as its model says, none while the server wants a pause. What an endpoint's questions share
 * is behind a lock, so that the loops of several threads may share it; each loop has a timer for
 * the questions of its own, and is woken when one of them comes to the head of the queue. The one
 * who gives back a slot only starts the timer, so that no run is stepped from within another one's
 * answer. Waiting is done by the system's clock, whatever clock the loop was given. */
#include "runtime/limiter.h"

#include <string.h>

#include "base/limits.h"
#include "runtime/loop.h"
#include "runtime/model.h"
#include "runtime/run.h"

enum { BYTES_OF_A_TOKEN = 4 }; /* about, until the answer says it */

/* Of one endpoint and key. */
struct shared_limit {
    struct shared_limit *next;
    struct limiter_name name;
    size_t asking;
    uint64_t paused_until_ms;
    struct rate rate;
    struct ask *first, **last; /* who waits */
};

struct gramc_limiter {
    gramc_allocator allocator;
    uv_mutex_t lock; /* of all below, and of the links of those that wait */
    struct shared_limit *limits;
};

/* A loop's part in it. */
struct limiter {
    struct limiter *next;
    gramc_allocator allocator;
    gramc_limiter *owner;
    struct shared_limit *shared;
    uv_timer_t timer; /* active while the head of the queue is one of ours and waits for its time */
    uv_async_t woken; /* by another loop, when the head has become one of ours */
    unsigned handles;
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

/* ## Making and freeing */

gramc_status gramc_limiter_new(gramc_limiter **out, const gramc_allocator *allocator) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    gramc_limiter *limiter = mem_alloc(&chosen, sizeof(*limiter));
    *out = NULL;
    if (!limiter) return GRAMC_NOMEM;
    *limiter = (gramc_limiter){.allocator = chosen};
    if (uv_mutex_init(&limiter->lock)) {
        mem_free(&chosen, limiter, sizeof(*limiter));
        return GRAMC_NOMEM;
    }
    *out = limiter;
    return GRAMC_OK;
}

void gramc_limiter_free(gramc_limiter *limiter) {
    if (!limiter) return;
    gramc_allocator allocator = limiter->allocator;
    while (limiter->limits) {
        struct shared_limit *limit = limiter->limits;
        limiter->limits = limit->next;
        mem_free(&allocator, limit, sizeof(*limit));
    }
    uv_mutex_destroy(&limiter->lock);
    mem_free(&allocator, limiter, sizeof(*limiter));
}

/* Locked. NULL without memory. */
static struct shared_limit *share(gramc_limiter *owner, const struct limiter_name *name) {
    struct shared_limit *limit = owner->limits;
    while (limit && memcmp(&limit->name, name, sizeof(*name)) != 0) limit = limit->next;
    if (limit) return limit;
    limit = mem_alloc(&owner->allocator, sizeof(*limit));
    if (!limit) return NULL;
    *limit = (struct shared_limit){.next = owner->limits, .name = *name};
    limit->last = &limit->first;
    owner->limits = limit;
    return limit;
}

static struct limiter *find(gramc_loop *loop, const struct limiter_name *name) {
    struct limiter *limiter = loop->limiters;
    while (limiter && memcmp(&limiter->shared->name, name, sizeof(*name)) != 0)
        limiter = limiter->next;
    return limiter;
}

static void on_woken(uv_async_t *async);

static struct limiter *open_limiter(gramc_loop *loop, const struct limiter_name *name) {
    struct limiter *limiter = find(loop, name);
    if (limiter) return limiter;
    uv_mutex_lock(&loop->limiter->lock);
    struct shared_limit *shared = share(loop->limiter, name);
    uv_mutex_unlock(&loop->limiter->lock);
    limiter = shared ? mem_alloc(&loop->allocator, sizeof(*limiter)) : NULL;
    if (!limiter) return NULL;
    *limiter = (struct limiter){.next = loop->limiters,
                                .allocator = loop->allocator,
                                .owner = loop->limiter,
                                .shared = shared,
                                .handles = 2};
    if (uv_async_init(&loop->uv, &limiter->woken, on_woken)) {
        mem_free(&loop->allocator, limiter, sizeof(*limiter));
        return NULL;
    }
    uv_unref((uv_handle_t *)&limiter->woken);
    uv_timer_init(&loop->uv, &limiter->timer);
    limiter->timer.data = limiter->woken.data = limiter;
    loop->limiters = limiter;
    return limiter;
}

static void handle_closed(uv_handle_t *handle) {
    struct limiter *limiter = handle->data;
    gramc_allocator allocator = limiter->allocator;
    if (--limiter->handles == 0) mem_free(&allocator, limiter, sizeof(*limiter));
}

void limiters_close(gramc_loop *loop) {
    while (loop->limiters) {
        struct limiter *limiter = loop->limiters;
        loop->limiters = limiter->next;
        uv_close((uv_handle_t *)&limiter->timer, handle_closed);
        uv_close((uv_handle_t *)&limiter->woken, handle_closed);
    }
}

/* ## Turns. All of it locked, but for what is said to be not. */

static void lock(const struct limiter *limiter) {
    uv_mutex_lock(&limiter->owner->lock);
}

static void unlock(const struct limiter *limiter) {
    uv_mutex_unlock(&limiter->owner->lock);
}

static bool has_slot(const struct shared_limit *shared, const struct ask *ask) {
    uint32_t most = ask->run->model->rules.most_at_once;
    return most == 0 || shared->asking < most;
}

/* Milliseconds, apart from slots. */
static uint64_t wait_of(const struct shared_limit *shared, const struct ask *ask) {
    const struct rate_limits *limits = &ask->run->model->rules.a_minute;
    bool limited = limits->requests || limits->tokens;
    if (!limited && !shared->paused_until_ms) return 0;
    uint64_t now = now_ms();
    uint64_t pause = shared->paused_until_ms > now ? shared->paused_until_ms - now : 0;
    uint64_t wait = limited ? rate_wait(&shared->rate, limits, now, ask->limit.guessed) : 0;
    return pause > wait ? pause : wait;
}

static void take(struct shared_limit *shared, struct ask *ask) {
    shared->asking++;
    ask->limit.taken_ms = now_ms();
    rate_take(&shared->rate, ask->limit.taken_ms, ask->limit.guessed);
}

static void leave_queue(struct shared_limit *shared, struct ask *ask) {
    struct limiter_wait *wait = &ask->limit;
    wait->waiting = false;
    *wait->link = wait->next;
    if (wait->next) wait->next->limit.link = wait->link;
    else shared->last = wait->link;
}

static void serve(struct limiter *limiter);

static void on_time(uv_timer_t *timer) {
    serve(timer->data);
}

static void on_woken(uv_async_t *async) {
    serve(async->data);
}

/* Without a slot nothing is timed: whoever gives one back comes here. What a question of another
 * loop waits for, that loop finds out. */
static void look_after(struct limiter *limiter) {
    const struct ask *head = limiter->shared->first;
    uv_timer_stop(&limiter->timer);
    if (!head) return;
    if (head->limit.limiter != limiter) {
        uv_async_send(&head->limit.limiter->woken);
    } else if (has_slot(limiter->shared, head)) {
        uv_update_time(limiter->timer.loop);
        uv_timer_start(&limiter->timer, on_time, wait_of(limiter->shared, head), 0);
    }
}

/* The model did not make anybody wait: its time begins now. */
static void note_wait(struct ask *ask) {
    ask->limit.queued_ns = watch_now(&ask->run->watch) - ask->limit.since;
    ask->started += ask->limit.queued_ns;
    ask->run->waiting_since += ask->limit.queued_ns;
}

/* The next in the queue, if it is one of ours and may go: it has a slot then. */
static struct ask *let_through(struct limiter *limiter) {
    struct ask *head = limiter->shared->first;
    if (!head || head->limit.limiter != limiter || !has_slot(limiter->shared, head) ||
        wait_of(limiter->shared, head))
        return NULL;
    leave_queue(limiter->shared, head);
    take(limiter->shared, head);
    return head;
}

/* Not locked: to send may come back here. */
static void serve(struct limiter *limiter) {
    struct ask *ask;
    lock(limiter);
    while ((ask = let_through(limiter))) {
        unlock(limiter);
        note_wait(ask);
        ask->limit.send(ask);
        lock(limiter);
    }
    look_after(limiter);
    unlock(limiter);
}

static void queue(struct limiter *limiter, struct ask *ask, bool in_front) {
    struct shared_limit *shared = limiter->shared;
    struct limiter_wait *wait = &ask->limit;
    wait->waiting = true;
    wait->link = in_front ? &shared->first : shared->last;
    wait->next = *wait->link;
    if (wait->next) wait->next->limit.link = &wait->next;
    else shared->last = &wait->next;
    *wait->link = ask;
    look_after(limiter);
}

/* Not locked. */
bool limiter_enter(struct ask *ask, void (*send)(struct ask *ask), bool again) {
    struct limiter *limiter = open_limiter(ask->run->loop, &ask->run->model->limiter);
    if (!limiter) return false;
    struct shared_limit *shared = limiter->shared;
    bool counts = ask->run->model->rules.a_minute.tokens != 0;
    ask->limit.limiter = limiter;
    ask->limit.send = send;
    ask->limit.queued_ns = 0;
    ask->limit.guessed = counts ? ask->run->body.len / BYTES_OF_A_TOKEN : 0;
    lock(limiter);
    bool first = !shared->first || again;
    bool goes = first && has_slot(shared, ask) && wait_of(shared, ask) == 0;
    if (goes) take(shared, ask);
    else ask->limit.since = watch_now(&ask->run->watch), queue(limiter, ask, again);
    unlock(limiter);
    if (goes) send(ask);
    return true;
}

/* Not locked. */
void limiter_leave(struct ask *ask) {
    struct limiter *limiter = ask->limit.limiter;
    if (!limiter) return;
    lock(limiter);
    ask->limit.limiter = NULL;
    if (ask->limit.waiting) leave_queue(limiter->shared, ask);
    else limiter->shared->asking--;
    look_after(limiter);
    unlock(limiter);
}

/* ## What answers say. Not locked. */

void limiter_count(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    const struct usage *usage = &ask->reply.usage;
    struct limiter *limiter =
        model->rules.a_minute.tokens ? find(ask->run->loop, &model->limiter) : NULL;
    uint64_t parts = usage->prompt + usage->completion;
    if (!limiter) return;
    lock(limiter);
    rate_correct(&limiter->shared->rate, ask->limit.taken_ms, ask->limit.guessed,
                 usage->total > parts ? usage->total : parts);
    unlock(limiter);
}

void limiter_pause(struct ask *ask, double ms) {
    struct limiter *limiter = find(ask->run->loop, &ask->run->model->limiter);
    if (!limiter || ms <= 0 || ms > MODEL_WAIT_MAX_MS) return;
    uint64_t until = now_ms() + (uint64_t)ms;
    lock(limiter);
    if (until > limiter->shared->paused_until_ms) limiter->shared->paused_until_ms = until;
    look_after(limiter);
    unlock(limiter);
}

static const char *const kept_by_default[] = {"Content-Type",
                                              "x-ratelimit-remaining-requests",
                                              "x-ratelimit-reset-requests",
                                              "x-ratelimit-remaining-tokens",
                                              "x-ratelimit-reset-tokens",
                                              NULL};

static const char *const kept_of_anthropic[] = {"Content-Type",
                                                "Date",
                                                "anthropic-ratelimit-requests-remaining",
                                                "anthropic-ratelimit-requests-reset",
                                                "anthropic-ratelimit-tokens-remaining",
                                                "anthropic-ratelimit-tokens-reset",
                                                "anthropic-ratelimit-input-tokens-remaining",
                                                "anthropic-ratelimit-input-tokens-reset",
                                                "anthropic-ratelimit-output-tokens-remaining",
                                                "anthropic-ratelimit-output-tokens-reset",
                                                NULL};

const char *const *limiter_headers(const struct protocol *protocol) {
    return protocol == &protocol_messages ? kept_of_anthropic : kept_by_default;
}

/* A duration, or a moment, which is told by the server's own clock where it says that. */
static bool time_until(const struct ask *ask, const char *reset, double *ms) {
    gramc_text text = http_kept(&ask->http, reset);
    int64_t moment, now;
    uv_timeval64_t here;
    if (rate_duration(text, ms)) return true;
    if (!rate_moment(text, &moment)) return false;
    if (!rate_moment(http_kept(&ask->http, "Date"), &now)) {
        if (uv_gettimeofday(&here)) return false;
        now = here.tv_sec * 1000 + here.tv_usec / 1000;
    }
    *ms = (double)(moment - now);
    return true;
}

/* The names stand in pairs: what is left, and when it is more. */
void limiter_heed(struct ask *ask) {
    const char *const *names = limiter_headers(ask->run->model->protocol);
    double ms;
    while (*names && !strstr(*names, "remaining")) names++;
    for (; names[0] && names[1]; names += 2)
        if (text_is(http_kept(&ask->http, names[0]), "0") && time_until(ask, names[1], &ms))
            limiter_pause(ask, ms < MODEL_WAIT_MAX_MS ? ms : MODEL_WAIT_MAX_MS);
}
