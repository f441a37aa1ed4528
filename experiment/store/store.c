/* Puts what is to be kept into a queue, and a thread that writes it behind the loop: all that has
 * gathered is one transaction, so that a crash takes a moment's work and never half of it. Which
 * database that is, is the driver's business. Memory is taken and given back by the loop's thread
 * alone. */
#include "experiment/store/store.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "experiment/store/driver.h"

enum { GATHER_MS = 20, HURRY_AT = 512 };

struct store {
    gramc_allocator allocator;
    const struct store_driver *driver;
    void *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    bool started, closing, hurry, busy;
    struct store_write *first, **end; /* to be written */
    size_t waiting;
    struct store_write *spent; /* to be freed by the loop's thread */
    struct store_refusals refusals;
    gramc_status status; /* the first that writing has met */
    struct store_error error;
};

/* ## Words */

static const char *const status_names[] = {[EXPERIMENT_PLANNED] = "planned",
                                           [EXPERIMENT_RUNNING] = "running",
                                           [EXPERIMENT_DONE] = "done",
                                           [EXPERIMENT_STOPPED] = "stopped",
                                           [EXPERIMENT_ABORTED] = "aborted"};

const char *store_status_name(enum store_status status) {
    return status_names[status];
}

enum store_status store_status_of(gramc_text name) {
    for (size_t i = 0; i < sizeof(status_names) / sizeof(status_names[0]); i++)
        if (text_is(name, status_names[i])) return (enum store_status)i;
    return EXPERIMENT_PLANNED;
}

gramc_status store_fail(struct store_error *error, gramc_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
    return status;
}

void store_refuse(struct store_refusals *refusals, const struct store_claim *claim) {
    refusals->count++;
    if (refusals->claim_count == STORE_LOST) return;
    refusals->claims[refusals->claim_count++] = *claim;
}

gramc_text store_join(struct arena *arena, gramc_text first, gramc_text second) {
    char *both = arena_alloc(arena, first.len + second.len + 1);
    if (!both) return first;
    if (first.len) memcpy(both, first.ptr, first.len);
    if (second.len) memcpy(both + first.len, second.ptr, second.len);
    return (gramc_text){both, first.len + second.len};
}

/* ## The writing thread */

/* More may come in the same moment: it waits for that, unless somebody waits for it. */
static void gather(struct store *store) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += GATHER_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!store->hurry && !store->closing && store->waiting < HURRY_AT)
        if (pthread_cond_timedwait(&store->work, &store->lock, &until)) return;
}

static void spend(struct store *store, struct store_write *first) {
    while (first) {
        struct store_write *next = first->next;
        first->next = store->spent;
        store->spent = first;
        first = next;
    }
}

/* Holds the lock, but not while it writes. What cannot be written stops everything that follows. */
static void write_all(struct store *store) {
    struct store_write *batch = store->first;
    struct store_error error = {""};
    struct store_refusals refusals = {.count = 0};
    gramc_status status = store->status;
    store->first = NULL;
    store->end = &store->first;
    store->waiting = 0;
    store->busy = true;
    pthread_mutex_unlock(&store->lock);
    if (!status) status = store->driver->write(store->db, batch, &refusals, &error);
    pthread_mutex_lock(&store->lock);
    store->busy = false;
    store->refusals.count += refusals.count - refusals.claim_count;
    for (size_t i = 0; i < refusals.claim_count; i++)
        store_refuse(&store->refusals, &refusals.claims[i]);
    if (status && !store->status) {
        store->status = status;
        store->error = error;
    }
    spend(store, batch);
}

static void *write_behind(void *ctx) {
    struct store *store = ctx;
    pthread_mutex_lock(&store->lock);
    while (store->first || !store->closing) {
        if (store->first) {
            gather(store);
            write_all(store);
        } else {
            store->hurry = false;
            pthread_cond_broadcast(&store->idle);
            pthread_cond_wait(&store->work, &store->lock);
        }
    }
    pthread_cond_broadcast(&store->idle);
    pthread_mutex_unlock(&store->lock);
    return NULL;
}

/* ## The queue */

static void free_spent(struct store *store) {
    pthread_mutex_lock(&store->lock);
    struct store_write *spent = store->spent;
    store->spent = NULL;
    pthread_mutex_unlock(&store->lock);
    while (spent) {
        struct store_write *next = spent->next;
        mem_free(&store->allocator, spent, spent->size);
        spent = next;
    }
}

static gramc_status queue(struct store *store, struct store_write *write) {
    if (!write) return GRAMC_NOMEM;
    free_spent(store);
    pthread_mutex_lock(&store->lock);
    gramc_status status = store->status;
    *store->end = write;
    store->end = &write->next;
    store->waiting++;
    pthread_cond_signal(&store->work);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static gramc_text copy_text(char **to, gramc_text text) {
    gramc_text copy = {*to, text.len};
    if (text.len) memcpy(*to, text.ptr, text.len);
    *to += text.len;
    return copy;
}

/* A block with room for that many bytes of texts, which begin at *texts. */
static struct store_write *new_write(struct store *store, enum store_write_kind kind, size_t bytes,
                                     size_t scores, char **texts) {
    size_t size = sizeof(struct store_write) + scores * sizeof(struct score) + bytes;
    struct store_write *write = mem_alloc(&store->allocator, size);
    if (!write) return NULL;
    *write = (struct store_write){.size = size, .kind = kind};
    *texts = (char *)(write + 1) + scores * sizeof(struct score);
    return write;
}

enum { ATTEMPT_TEXTS = 6 };

static void list_texts(struct attempt *attempt, gramc_text *out[ATTEMPT_TEXTS]) {
    gramc_text *texts[ATTEMPT_TEXTS] = {&attempt->outcome,        &attempt->message,
                                        &attempt->response_model, &attempt->system_fingerprint,
                                        &attempt->answer,         &attempt->trace};
    memcpy(out, texts, sizeof(texts));
}

static size_t text_bytes(const struct attempt *given) {
    struct attempt attempt = *given;
    gramc_text *texts[ATTEMPT_TEXTS];
    size_t bytes = 0;
    list_texts(&attempt, texts);
    for (size_t i = 0; i < ATTEMPT_TEXTS; i++) bytes += texts[i]->len;
    for (size_t i = 0; i < attempt.score_count; i++) bytes += attempt.scores[i].reason.len;
    return bytes;
}

/* ## For the loop */

gramc_status store_save(struct store *store, const struct store_claim *claim,
                        const struct attempt *attempt) {
    gramc_text *texts[ATTEMPT_TEXTS];
    char *at;
    struct store_write *write =
        new_write(store, WRITE_ATTEMPT, text_bytes(attempt), attempt->score_count, &at);
    if (!write) return GRAMC_NOMEM;
    struct score *scores = (struct score *)(void *)(write + 1);
    write->claim = *claim;
    write->attempt = *attempt;
    list_texts(&write->attempt, texts);
    for (size_t i = 0; i < ATTEMPT_TEXTS; i++) *texts[i] = copy_text(&at, *texts[i]);
    for (size_t i = 0; i < attempt->score_count; i++) {
        scores[i] = attempt->scores[i];
        scores[i].reason = copy_text(&at, scores[i].reason);
    }
    write->attempt.scores = scores;
    return queue(store, write);
}

gramc_status store_prefer(struct store *store, const struct store_claim *claim,
                          const struct preference *preference) {
    char *at;
    size_t bytes = preference->score.reason.len + preference->trace.len;
    struct store_write *write = new_write(store, WRITE_PREFERENCE, bytes, 0, &at);
    if (!write) return GRAMC_NOMEM;
    write->claim = *claim;
    write->preference = *preference;
    write->preference.score.reason = copy_text(&at, preference->score.reason);
    write->preference.trace = copy_text(&at, preference->trace);
    return queue(store, write);
}

gramc_status store_finish(struct store *store, const struct store_claim *claim) {
    char *texts;
    struct store_write *write = new_write(store, WRITE_FINISH, 0, 0, &texts);
    store->driver->finish(store->db, claim);
    if (write) write->claim = *claim;
    return queue(store, write);
}

gramc_status store_set_status(struct store *store, enum store_status status, gramc_text reason) {
    char *texts;
    struct store_write *write = new_write(store, WRITE_STATUS, reason.len, 0, &texts);
    if (!write) return GRAMC_NOMEM;
    write->status = status;
    write->text = copy_text(&texts, reason);
    return queue(store, write);
}

gramc_status store_claim(struct store *store, gramc_text owner, uint32_t lease_ms,
                         struct store_claim *out, bool *got, struct store_error *error) {
    bool wants_queue = false;
    char *texts;
    *got = false;
    gramc_status status =
        store->driver->claim(store->db, owner, lease_ms, out, got, &wants_queue, error);
    if (status || !*got || !wants_queue) return status;
    struct store_write *write = new_write(store, WRITE_CLAIM, owner.len, 0, &texts);
    if (!write) return GRAMC_NOMEM;
    write->claim = *out;
    write->text = copy_text(&texts, owner);
    status = queue(store, write);
    return status ? store_health(store, error) : GRAMC_OK;
}

gramc_status store_left(struct store *store, uint64_t *out, struct store_error *error) {
    return store->driver->left(store->db, out, error);
}

gramc_status store_heartbeat(struct store *store, gramc_text owner, uint32_t lease_ms) {
    return store->driver->heartbeat(store->db, owner, lease_ms);
}

uint64_t store_refused(const struct store *given) {
    /* A mutex is no part of what a store is. */
    struct store *store = (struct store *)(uintptr_t)given;
    pthread_mutex_lock(&store->lock);
    uint64_t refused = store->refusals.count;
    pthread_mutex_unlock(&store->lock);
    return refused;
}

bool store_lost(struct store *store, struct store_claim *out) {
    pthread_mutex_lock(&store->lock);
    bool any = store->refusals.claim_count > 0;
    if (any) *out = store->refusals.claims[--store->refusals.claim_count];
    pthread_mutex_unlock(&store->lock);
    return any;
}

gramc_status store_health(struct store *store, struct store_error *error) {
    pthread_mutex_lock(&store->lock);
    gramc_status status = store->status;
    if (status) *error = store->error;
    pthread_mutex_unlock(&store->lock);
    return status;
}

gramc_status store_flush(struct store *store, struct store_error *error) {
    pthread_mutex_lock(&store->lock);
    while (store->started && (store->first || store->busy)) {
        store->hurry = true;
        pthread_cond_signal(&store->work);
        pthread_cond_wait(&store->idle, &store->lock);
    }
    pthread_mutex_unlock(&store->lock);
    free_spent(store);
    return store_health(store, error);
}

gramc_status store_flush_within(struct store *store, uint32_t ms, struct store_error *error) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + ms * UINT64_C(1000000);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&store->lock);
    bool waits = true;
    while (waits && store->started && (store->first || store->busy)) {
        store->hurry = true;
        pthread_cond_signal(&store->work);
        waits = pthread_cond_timedwait(&store->idle, &store->lock, &until) == 0;
    }
    pthread_mutex_unlock(&store->lock);
    free_spent(store);
    return store_health(store, error);
}

gramc_status store_begin(struct store *store, gramc_text id, const struct plan *plan,
                         gramc_text details, struct store_error *error) {
    gramc_status status = store_flush(store, error);
    return status ? status : store->driver->begin(store->db, id, plan, details, error);
}

gramc_status store_take_up(struct store *store, gramc_text id, struct store_error *error) {
    return store->driver->take_up(store->db, id, error);
}

gramc_status store_find(struct store *store, size_t i, struct store_entry *out,
                        struct store_error *error) {
    return store->driver->find(store->db, i, out, error);
}

gramc_status store_each(struct store *store, bool traces, store_visit *visit, void *ctx,
                        struct store_error *error) {
    gramc_status status = store_flush(store, error);
    return status ? status : store->driver->each(store->db, STORE_EVERY, traces, visit, ctx, error);
}

gramc_status store_each_of(struct store *store, uint32_t place, store_visit *visit, void *ctx,
                           struct store_error *error) {
    return store->driver->each(store->db, place, false, visit, ctx, error);
}

/* ## Online */

gramc_status store_expose(struct store *store, const struct store_exposure *exposure,
                          struct store_claim *out, struct store_error *error) {
    gramc_status status = store_health(store, error);
    return status ? status : store->driver->expose(store->db, exposure, out, error);
}

gramc_status store_feedback(struct store *store, uint32_t place, double value,
                            struct store_error *error) {
    gramc_status status = store_health(store, error);
    return status ? status : store->driver->feedback(store->db, place, value, error);
}

gramc_status store_exposures(struct store *store, store_exposure_visit *visit, void *ctx,
                             struct store_error *error) {
    gramc_status status = store_flush(store, error);
    return status ? status : store->driver->exposures(store->db, visit, ctx, error);
}

/* ## Opening and closing */

/* Signals are for others: see gramc_loop_run about SIGCHLD. */
static bool start_thread(struct store *store) {
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    store->started = pthread_create(&store->thread, NULL, write_behind, store) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return store->started;
}

/* By a clock that nobody sets: the system's may jump by an hour. */
static void init_timed(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool store_is_server(gramc_text where) {
    return text_starts(where, "postgresql://") || text_starts(where, "postgres://");
}

bool store_is_foreign(gramc_text where) {
    const char *colon = where.len ? memchr(where.ptr, ':', where.len) : NULL;
    const char *slash = where.len ? memchr(where.ptr, '/', where.len) : NULL;
    gramc_text scheme = text_slice(where, 0, colon ? (size_t)(colon - where.ptr) : 0);
    bool meant = text_is_nocase(scheme, "postgres") || text_is_nocase(scheme, "postgresql");
    size_t at = slash ? (size_t)(slash - where.ptr) : 0;
    bool other = at > 1 && text_starts(text_slice(where, at - 1, where.len), "://");
    return !store_is_server(where) && (meant || other);
}

static const struct store_driver *choose_driver(gramc_text where) {
    return store_is_server(where) ? &store_postgres : &store_sqlite;
}

gramc_status store_open(struct store **out, gramc_text where, const gramc_allocator *allocator,
                        struct store_error *error) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    struct store *store = mem_alloc(&chosen, sizeof(*store));
    *out = NULL;
    *error = (struct store_error){""};
    if (!store) return store_fail(error, GRAMC_NOMEM, "out of memory");
    *store = (struct store){.allocator = chosen, .driver = choose_driver(where)};
    store->end = &store->first;
    pthread_mutex_init(&store->lock, NULL);
    init_timed(&store->work);
    init_timed(&store->idle);
    gramc_status status =
        store_is_foreign(where)
            ? store_fail(error, GRAMC_FINDINGS, "it is a path or postgresql://USER@HOST/DATABASE")
            : store->driver->open(&store->db, where, &store->allocator, error);
    if (!status && !start_thread(store))
        status = store_fail(error, GRAMC_NOMEM, "no thread can be started");
    if (status) {
        struct store_error ignored;
        (void)store_close(store, &ignored);
        return status;
    }
    *out = store;
    return GRAMC_OK;
}

gramc_status store_close(struct store *store, struct store_error *error) {
    gramc_allocator allocator;
    if (!store) return GRAMC_OK;
    if (store->started) {
        pthread_mutex_lock(&store->lock);
        store->closing = true;
        pthread_cond_signal(&store->work);
        pthread_mutex_unlock(&store->lock);
        pthread_join(store->thread, NULL);
        store->started = false;
    }
    free_spent(store);
    gramc_status status = store_health(store, error);
    if (store->db) store->driver->close(store->db);
    pthread_cond_destroy(&store->idle);
    pthread_cond_destroy(&store->work);
    pthread_mutex_destroy(&store->lock);
    allocator = store->allocator;
    mem_free(&allocator, store, sizeof(*store));
    return status;
}
