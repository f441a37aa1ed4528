/* Turns tool calls into lines for processes that stay, and their lines into results. Knows when a
 * worker can be used again and when it must go; how a process is started, read and ended is
 * line_process.c's. One request at a time is with each worker, so that what a crash destroys is
 * always one call's. */
#include "runtime/process/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/writer.h"
#include "runtime/process/exec.h"
#include "runtime/process/line_process.h"
#include "runtime/loop.h"

struct worker {
    struct worker_pool *pool;
    struct line_process *process;
    struct worker_job *job; /* NULL: idle */
    uint64_t id;            /* of the newest request */
    struct worker *next, **link;
};

/* A call that waits for a worker or is with one. */
struct worker_job {
    struct tool_call *call;
    struct worker_pool *pool;
    struct worker *worker;           /* NULL: it waits */
    gramc_text symbol;               /* valid until the call has settled */
    struct worker_job *next, **link; /* in the queue */
};

struct worker_pool {
    gramc_loop *loop;
    struct arena arena; /* key and words */
    gramc_text key;
    struct exec_words words;
    const char *noun;
    bool is_plugin;
    uint64_t company; /* whose runs alone it works for: see tool_company */
    size_t count;
    struct worker *workers;
    struct worker_job *queue, **queue_end;
    struct worker_pool *next;
    struct gate_wait wait; /* for a place among the programs that work */
    bool has_place;        /* for the next call; a worker with a call has taken one over */
    bool spent;            /* nobody will call it any more */
};

/* ## Pools */

static void put_key(struct buf *key, gramc_text word) {
    buf_printf(key, "%zu:", word.len);
    buf_text(key, word);
}

static void put_keys(struct buf *key, const gramc_text *words, size_t count) {
    for (size_t i = 0; i < count; i++) put_key(key, words[i]);
    buf_putc(key, '|');
}

static void put_sandbox(struct buf *key, const gramc_sandbox *sandbox) {
    if (!sandbox) return;
    buf_printf(key, "|sandbox %d|", (int)sandbox->network);
    put_keys(key, sandbox->read, sandbox->read_count);
    put_keys(key, sandbox->write, sandbox->write_count);
}

/* All that decides what a worker is: two implementations that agree in it share a pool, unless
 * their runs keep apart. */
static void make_key(struct buf *key, const gramc_impl *impl, uint64_t company) {
    buf_printf(key, "%llu|", (unsigned long long)company);
    put_keys(key, impl->argv, impl->argc);
    put_keys(key, impl->env, impl->env_count);
    put_key(key, impl->folder);
    buf_printf(key, "|%d|%llu|%u|%u|%u|%llu", (int)impl->kind, (unsigned long long)impl->max_memory,
               (unsigned)impl->max_cpu_s, (unsigned)impl->max_files, (unsigned)impl->max_processes,
               (unsigned long long)impl->max_file_size);
    put_sandbox(key, impl->sandbox);
}

static struct worker_pool *find_pool(gramc_loop *loop, gramc_text key) {
    struct worker_pool *pool = loop->pools;
    while (pool && !text_eq(pool->key, key)) pool = pool->next;
    return pool;
}

static void free_pool(struct worker_pool *pool) {
    gramc_loop *loop = pool->loop;
    arena_wipe(&pool->arena); /* the programs' environment */
    mem_free(&loop->allocator, pool, sizeof(*pool));
}

static struct worker_pool *add_pool(gramc_loop *loop, const struct worker_program *program,
                                    gramc_text key, const struct tool_memory *memory) {
    struct worker_pool *pool = mem_alloc(&loop->allocator, sizeof(*pool));
    if (!pool) return NULL;
    *pool = (struct worker_pool){
        .loop = loop, .noun = program->noun, .is_plugin = program->is_plugin, .next = loop->pools};
    bool is_own = tool_is_own(memory, program->impl->isolation);
    pool->company = tool_company(memory, program->impl->isolation);
    pool->queue_end = &pool->queue;
    arena_init(&pool->arena, &loop->allocator);
    pool->key = arena_text(&pool->arena, key);
    if (!exec_words(&pool->words, &pool->arena, program->impl, loop, is_own ? memory : NULL)) {
        free_pool(pool);
        return NULL;
    }
    loop->pools = pool;
    return pool;
}

static struct worker_pool *pool_of(gramc_loop *loop, const struct worker_program *program,
                                   const struct tool_memory *memory) {
    struct buf key;
    buf_init_secret(&key, &loop->allocator, 1 << 24);
    make_key(&key, program->impl, tool_company(memory, program->impl->isolation));
    struct worker_pool *pool = NULL;
    if (!buf_status(&key)) pool = find_pool(loop, buf_view(&key));
    if (!buf_status(&key) && !pool) pool = add_pool(loop, program, buf_view(&key), memory);
    buf_free(&key);
    return pool;
}

/* ## Workers */

/* Its process has been let go already. */
static void forget(struct worker *worker) {
    struct worker_pool *pool = worker->pool;
    pool->count--;
    if (!worker->job) pool->loop->idle_workers--;
    *worker->link = worker->next;
    if (worker->next) worker->next->link = worker->link;
    mem_free(&pool->loop->allocator, worker, sizeof(*worker));
}

static void kill_worker(struct worker *worker) {
    line_process_kill(worker->process);
    forget(worker);
}

/* Takes the job away from the worker, or out of the queue. The call may be settled then. */
static struct tool_call *detach(struct worker_job *job) {
    if (job->worker) {
        job->worker->job = NULL;
        job->worker->pool->loop->idle_workers++;
        gate_leave(&job->worker->pool->loop->programs);
        job->worker = NULL;
    } else {
        *job->link = job->next;
        if (job->next) job->next->link = job->link;
        else job->pool->queue_end = job->link;
    }
    job->pool = NULL;
    return job->call;
}

static void dispatch(struct worker_pool *pool);

/* The rest of what a settled call needs, done last: settling may start further calls. */
static void go_on(struct worker_pool *pool, struct tool_call *call) {
    dispatch(pool);
    tool_let_go(call);
}

/* The worker goes, and its call fails for that; NULL: for want of memory. */
static void fail_with(struct worker *worker, const char *why) {
    struct worker_pool *pool = worker->pool;
    struct tool_call *call = worker->job ? detach(worker->job) : NULL;
    forget(worker);
    if (!call) return;
    if (why) tool_fail(call, "%s", why);
    else tool_settle(call, TOOL_NOMEM);
    go_on(pool, call);
}

/* NULL: for want of memory. */
static void break_off(struct worker *worker, const char *what) {
    char why[600];
    line_process_kill(worker->process);
    if (what) snprintf(why, sizeof(why), "%s %s", worker->pool->noun, what);
    fail_with(worker, what ? why : NULL);
}

static void on_ended(void *ctx, const struct child_end *end) {
    struct worker *worker = ctx;
    const struct worker_pool *pool = worker->pool;
    char why[600];
    if (pool->is_plugin && !end->broken && !end->signal)
        snprintf(why, sizeof(why), "%s called exit with status %lld%s%.*s", pool->noun,
                 (long long)end->status, end->tail.len ? ": " : "", TEXT_ARGS(end->tail));
    else child_explain_end(why, sizeof(why), pool->noun, end);
    fail_with(worker, end->nomem ? NULL : why);
}

/* ## Answers */

/* A host hands on what a plugin wrote, which is JSON or text as the signature has it; a program
 * says what it means by the kind of its JSON. */
static bool is_verbatim(const struct tool_call *call, bool is_plugin, const struct json *result) {
    if (!json_is(result, JSON_STRING)) return false;
    return is_plugin || call->bound->tool->result_kind == GRAMC_RESULT_TEXT;
}

static void settle_result(struct tool_call *call, bool is_plugin, const struct json *result) {
    buf_reset(&call->result);
    if (is_verbatim(call, is_plugin, result)) buf_text(&call->result, result->text);
    else json_put(&call->result, result);
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, TOOL_FINE); return;
    case GRAMC_LIMIT: tool_fail(call, "the result is longer than 1 MiB"); return;
    default: tool_settle(call, TOOL_NOMEM); return;
    }
}

static void settle_error(struct tool_call *call, const struct json *error) {
    buf_reset(&call->result);
    if (json_is(error, JSON_STRING)) buf_text(&call->result, error->text);
    else json_put(&call->result, error);
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, TOOL_FAILED); return;
    case GRAMC_LIMIT: tool_fail(call, "it failed, and its reason is too long to be shown"); return;
    default: tool_settle(call, TOOL_NOMEM); return;
    }
}

/* 0: the answer has no usable id. */
static uint64_t id_of(const struct json *answer) {
    const struct json *id = json_get(answer, "id");
    uint64_t number = 0;
    if (!json_is(id, JSON_NUMBER) || id->text.len > 18) return 0;
    for (size_t i = 0; i < id->text.len; i++) {
        if (id->text.ptr[i] < '0' || id->text.ptr[i] > '9') return 0;
        number = number * 10 + (uint64_t)(id->text.ptr[i] - '0');
    }
    return number;
}

static void retire_surplus(struct worker *worker) {
    if (worker->pool->loop->idle_workers <= WORKERS_IDLE_MAX) return;
    line_process_stop(worker->process);
    forget(worker);
}

static void take_answer(struct worker *worker, const struct json *answer) {
    struct worker_pool *pool = worker->pool;
    const struct json *result = json_get(answer, "result"), *error = json_get(answer, "error");
    if (!result && !error) {
        break_off(worker, "sent an answer with neither `result` nor `error`");
        return;
    }
    struct tool_call *call = detach(worker->job);
    if (!pool->queue) retire_surplus(worker);
    if (error) settle_error(call, error);
    else settle_result(call, pool->is_plugin, result);
    go_on(pool, call);
}

static void refuse_line(struct worker *worker, gramc_text line) {
    char what[200];
    size_t end = 0;
    while (end < line.len && end < 100) text_decode(line, &end);
    snprintf(what, sizeof(what), "printed a line that is no answer: %.*s%s", (int)end, line.ptr,
             end < line.len ? "..." : "");
    break_off(worker, what);
}

/* An answer that comes a second time, while the next call is under way, means nothing. */
static void read_answer(struct worker *worker, gramc_text line, const struct json *answer) {
    uint64_t id = answer ? id_of(answer) : 0;
    if (id == worker->id) take_answer(worker, answer);
    else if (id == 0 || id > worker->id) refuse_line(worker, line);
}

static void on_line(void *ctx, gramc_text line) {
    struct worker *worker = ctx;
    struct arena arena;
    if (!worker->job) { /* nobody asked: it cannot be told what it will answer next */
        kill_worker(worker);
        return;
    }
    if (line.len > WORKER_ANSWER_MAX) {
        break_off(worker, "sent an answer longer than 8 MiB");
        return;
    }
    arena_init(&arena, &worker->pool->loop->allocator);
    line = json_mended(&arena, line);
    const struct json *answer = arena.oom ? NULL : json_parse(&arena, line, NULL);
    if (arena.oom) break_off(worker, NULL);
    else read_answer(worker, line, answer);
    arena_free(&arena);
}

/* ## Requests */

static void put_request(struct buf *out, const struct worker *worker,
                        const struct worker_job *job) {
    const struct bound_tool *bound = job->call->bound;
    bool is_plugin = worker->pool->is_plugin;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_number(&w, "id", worker->id);
    json_member_number(&w, "ms", bound->timeout_ms);
    json_member_text(&w, is_plugin ? "symbol" : "tool",
                     is_plugin ? job->symbol : bound->tool->name);
    json_member_raw(&w, "arguments", buf_view(&job->call->arguments));
    json_object_end(&w);
}

static gramc_status send_request(struct worker *worker, const struct worker_job *job) {
    struct buf request;
    buf_init(&request, &worker->pool->loop->allocator, LINE_UNSENT_MAX);
    worker->id++;
    put_request(&request, worker, job);
    gramc_status status = buf_status(&request);
    if (!status) status = line_process_send(worker->process, buf_view(&request));
    buf_free(&request);
    return status;
}

static void hand_over(struct worker *worker, struct worker_job *job) {
    detach(job);
    job->pool = worker->pool;
    job->worker = worker;
    worker->job = job;
    worker->pool->loop->idle_workers--;
    worker->pool->has_place = false; /* it is the worker's */
    tool_dispatched(job->call);
    tool_wait(job->call);
    switch (send_request(worker, job)) {
    case GRAMC_OK: return;
    case GRAMC_NOMEM: break_off(worker, NULL); return;
    case GRAMC_LIMIT: break_off(worker, "could not be asked: the arguments are too long"); return;
    default: break_off(worker, "could not be asked: it takes no input any more"); return;
    }
}

static struct worker *find_idle(const struct worker_pool *pool) {
    struct worker *worker = pool->workers;
    while (worker && worker->job) worker = worker->next;
    return worker;
}

/* GRAMC_NOT_FOUND: it cannot be started, as `why` says. */
static gramc_status start_worker(struct worker **out, struct worker_pool *pool,
                                 char why[CHILD_WHY_MAX]) {
    struct worker *worker = mem_alloc(&pool->loop->allocator, sizeof(*worker));
    if (!worker) return GRAMC_NOMEM;
    struct line_process_events events = {on_line, on_ended, worker, pool->noun};
    *worker = (struct worker){.pool = pool, .next = pool->workers, .link = &pool->workers};
    gramc_status status = line_process_start(&worker->process, &pool->loop->uv,
                                             &pool->loop->allocator, &pool->words, &events, why);
    if (status) {
        mem_free(&pool->loop->allocator, worker, sizeof(*worker));
        return status;
    }
    if (worker->next) worker->next->link = &worker->next;
    pool->workers = worker;
    pool->count++;
    pool->loop->idle_workers++;
    *out = worker;
    return GRAMC_OK;
}

static void fail_first(struct worker_pool *pool, gramc_status status, const char *why) {
    struct tool_call *call = detach(pool->queue);
    if (status == GRAMC_NOMEM) tool_settle(call, TOOL_NOMEM);
    else tool_fail(call, "%s", why);
    tool_let_go(call);
}

/* ## Places among all programs of the loop */

static void on_admitted(struct gate_wait *wait) {
    struct worker_pool *pool =
        (struct worker_pool *)(void *)((char *)wait - offsetof(struct worker_pool, wait));
    pool->has_place = true;
    dispatch(pool);
}

/* False: the pool waits for one, at the end of the queue, so that a pool with many calls does not
 * keep others out. */
static bool take_place(struct worker_pool *pool) {
    struct gate *gate = &pool->loop->programs;
    if (pool->has_place) return true;
    if (pool->wait.waiting) return false;
    pool->has_place = gate_try(gate);
    if (pool->has_place) return true;
    pool->wait.admitted = on_admitted;
    gate_queue(gate, &pool->wait);
    return false;
}

static void need_no_place(struct worker_pool *pool) {
    gate_forget(&pool->loop->programs, &pool->wait);
    if (pool->has_place) gate_leave(&pool->loop->programs);
    pool->has_place = false;
}

/* Gives waiting calls to free workers. What fails here may come back here by way of its run, which
 * is why nothing of the queue is remembered across a turn. */
static void dispatch(struct worker_pool *pool) {
    char why[CHILD_WHY_MAX] = "";
    while (pool->queue) {
        struct worker *worker = find_idle(pool);
        gramc_status status = GRAMC_OK;
        if (!worker && pool->count >= pool->loop->workers_max) break;
        if (!take_place(pool)) return;
        if (!worker) status = start_worker(&worker, pool, why);
        if (status) fail_first(pool, status, why);
        else hand_over(worker, pool->queue);
    }
    need_no_place(pool);
}

/* ## For the kinds */

static void enqueue(struct worker_job *job, struct worker_pool *pool) {
    job->pool = pool;
    job->link = pool->queue_end;
    *pool->queue_end = job;
    pool->queue_end = &job->next;
}

void worker_call(struct tool_call *call, const struct worker_program *program) {
    struct worker_pool *pool = pool_of(call->loop, program, call->memory);
    struct worker_job *job = pool ? mem_alloc(&call->loop->allocator, sizeof(*job)) : NULL;
    if (!job) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    *job = (struct worker_job){.call = call, .symbol = program->symbol};
    call->state = job;
    tool_hold(call);
    enqueue(job, pool);
    dispatch(pool);
    if (job->pool && !job->worker) tool_queued(call);
}

/* The worker is busy with something that nobody waits for: it goes. */
void worker_cancel(struct tool_call *call) {
    struct worker_job *job = call->state;
    if (!job || !job->pool) return;
    struct worker_pool *pool = job->pool;
    struct worker *worker = job->worker;
    detach(job);
    if (worker) kill_worker(worker);
    go_on(pool, call);
}

void worker_close_call(struct tool_call *call) {
    struct worker_job *job = call->state;
    if (job) mem_free(&call->loop->allocator, job, sizeof(*job));
}

static void close_pool(struct worker_pool *pool) {
    while (pool->workers) {
        struct worker *worker = pool->workers;
        line_process_stop(worker->process);
        forget(worker);
    }
    need_no_place(pool);
    free_pool(pool);
}

void worker_close_pools(gramc_loop *loop) {
    while (loop->pools) {
        struct worker_pool *pool = loop->pools;
        loop->pools = pool->next;
        close_pool(pool);
    }
}

void worker_spend_own(gramc_loop *loop, uint64_t company) {
    for (struct worker_pool *pool = loop->pools; pool; pool = pool->next)
        if (pool->company == company) pool->spent = loop->has_spent = true;
}

void worker_close_spent(gramc_loop *loop) {
    struct worker_pool **link = &loop->pools;
    while (*link) {
        struct worker_pool *pool = *link;
        if (!pool->spent) {
            link = &pool->next;
            continue;
        }
        *link = pool->next;
        close_pool(pool);
    }
}
