/* Turns a planned run into an attempt: makes its folder, resets what the experiment resets, runs
 * the agent with the arm's model and library, has the answer graded, clears the folder away. What
 * runs when, and what becomes of attempts, is the engine's business. */
#include "experiment/run_cell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/folder.h"
#include "experiment/run_preference.h"
#include "runtime/loop.h"
#include "runtime/process/child.h"
#include "runtime/run.h"
#include "runtime/tool.h"

enum { CELL_ID = 120, PATH_LONGEST = 4096, TRACE_MAX = 64 << 20, TURN_OUT = 64 };

struct run_cells {
    struct run_cells_options options;
    gramc_allocator allocator;
    struct cell_runner runner;
    struct cell_job *jobs;
    struct pause *pauses;
    struct preference_jobs preferences;
    bool needs_folders;
};

/* A call to be made later. */
struct pause {
    uv_timer_t timer;
    struct run_cells *cells;
    void (*then)(void *ctx);
    void *ctx;
    struct pause *next, **link;
};

/* What a cell is while it runs. */
struct cell_job {
    struct run_cells *cells;
    struct cell_start start;
    cell_done *done;
    void *ticket;
    struct run_record record;
    struct buf trace;
    char id[CELL_ID], folder[PATH_LONGEST];
    bool has_folder;
    struct child *reset;
    gramc_cassette *cassette; /* NULL: it is asked and called in earnest */
    struct grading_job *grading;
    struct judge_tape tape;
    bool grading_now; /* the graders have been started, and have not answered */
    bool is_starting; /* nothing has returned yet: who answers now does not end the job */
    bool is_graded;
    struct cell_job *next, **link;
};

gramc_agent arm_agent(const gramc_arm *arm) {
    gramc_agent agent = *arm->agent;
    const struct {
        gramc_text *to, from;
    } rows[] = {{&agent.model, arm->model},
                {&agent.temperature, arm->temperature},
                {&agent.top_p, arm->top_p},
                {&agent.presence_penalty, arm->presence_penalty},
                {&agent.frequency_penalty, arm->frequency_penalty},
                {&agent.max_tokens, arm->max_tokens},
                {&agent.seed, arm->seed}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].from.len) *rows[i].to = rows[i].from;
    return agent;
}

/* ## Waiting */

static void pause_closed(uv_handle_t *timer) {
    struct pause *pause = timer->data;
    gramc_allocator allocator = pause->cells ? pause->cells->allocator : mem_default();
    mem_free(&allocator, pause, sizeof(*pause));
}

static void forget_pause(struct pause *pause) {
    *pause->link = pause->next;
    if (pause->next) pause->next->link = pause->link;
    uv_close((uv_handle_t *)&pause->timer, pause_closed);
}

static void pause_passed(uv_timer_t *timer) {
    struct pause *pause = timer->data;
    void (*then)(void *ctx) = pause->then;
    void *ctx = pause->ctx;
    forget_pause(pause);
    then(ctx);
}

static gramc_status wait(void *self, uint64_t ms, void (*then)(void *ctx), void *ctx) {
    struct run_cells *cells = self;
    uv_loop_t *loop = &cells->options.loop->uv;
    struct pause *pause = mem_alloc(&cells->allocator, sizeof(*pause));
    if (!pause) return GRAMC_NOMEM;
    *pause = (struct pause){
        .cells = cells, .then = then, .ctx = ctx, .next = cells->pauses, .link = &cells->pauses};
    if (pause->next) pause->next->link = &pause->next;
    cells->pauses = pause;
    uv_timer_init(loop, &pause->timer);
    pause->timer.data = pause;
    uv_update_time(loop);
    uv_timer_start(&pause->timer, pause_passed, ms, 0);
    return GRAMC_OK;
}

static uint64_t now_ms(void *self) {
    const struct run_cells *cells = self;
    const gramc_clock *clock = &cells->options.loop->clock;
    return clock->now_ns(clock->ctx) / 1000000;
}

/* ## The end of a cell */

static void free_job(struct cell_job *job) {
    struct run_cells *cells = job->cells;
    *job->link = job->next;
    if (job->next) job->next->link = job->link;
    if (job->has_folder) folder_remove(job->folder);
    buf_free(&job->trace);
    run_record_free(&job->record);
    gramc_cassette_free(job->cassette);
    mem_free(&cells->allocator, job, sizeof(*job));
}

static gramc_text trace_of(const struct cell_job *job) {
    bool whole = job->cells->options.keep_traces && buf_status(&job->trace) == GRAMC_OK;
    return whole ? buf_view(&job->trace) : TEXT("");
}

static void end_job(struct cell_job *job) {
    struct attempt *attempt = &job->record.attempt;
    if (job->record.arena.oom) {
        attempt->fault = FAULT_INFRASTRUCTURE;
        attempt->outcome = TEXT("internal");
        attempt->message = TEXT("out of memory");
        attempt->score_count = 0;
    }
    attempt->trace = trace_of(job);
    job->done(job->ticket, attempt);
    free_job(job);
}

/* Something of ours went wrong before the run began, or after it. */
static void fail_job(struct cell_job *job, const char *outcome, const char *why) {
    run_record_fail(&job->record, outcome, why);
    end_job(job);
}

static void on_event(void *ctx, const gramc_event *event) {
    struct cell_job *job = ctx;
    const struct run_cells_options *options = &job->cells->options;
    run_record_event(&job->record, event);
    if (options->event) options->event(options->ctx, &job->start, event);
}

/* ## Grading */

/* A judge that was not recorded is a miss, as a model is: it is no verdict. */
static void end_graded(struct cell_job *job) {
    if (!job->tape.missed) {
        end_job(job);
        return;
    }
    char why[512] = "what a judge was asked is not recorded";
    for (size_t i = job->record.attempt.score_count; i-- > 0;)
        if (job->record.attempt.scores[i].missing && job->record.attempt.scores[i].reason.len)
            snprintf(why, sizeof(why), "%.*s", TEXT_ARGS(job->record.attempt.scores[i].reason));
    job->record.attempt.score_count = 0;
    fail_job(job, "cassette-miss", why);
}

static void on_graded(void *ctx, const struct score *scores, size_t count, double cost) {
    struct cell_job *job = ctx;
    job->grading_now = false;
    run_record_scores(&job->record, scores, count, cost);
    job->is_graded = true;
    if (!job->is_starting) end_graded(job);
}

/* What judges were asked stands behind the run's own events. False: there is no recording. */
static bool take_tape(struct cell_job *job) {
    const struct run_cells_options *options = &job->cells->options;
    struct cassette_error error;
    job->tape = (struct judge_tape){.written = options->keep_traces ? &job->trace : NULL,
                                    .plays = options->plays_judges};
    if (!options->plays_judges) return true;
    if (!cassettes_judged(&job->tape.recorded, &job->record.arena, options->cassettes,
                          &job->start.cell, &error))
        return true;
    fail_job(job, "cassette-miss", error.message);
    return false;
}

/* What the infrastructure has failed is not judged. */
static void grade(struct cell_job *job) {
    const struct cell_graders *graders = &job->cells->options.graders;
    const struct graded_run run = {
        .item = &job->cells->options.plan->cases->items[job->start.cell.item],
        .attempt = &job->record.attempt,
        .calls = run_record_calls(&job->record),
        .call_count = job->record.call_count,
        .cell_id = text_of(job->id),
        .scratch = text_of(job->folder)};
    struct graded_run *kept = arena_alloc(&job->record.arena, sizeof(*kept));
    if (!graders->start || job->record.attempt.fault == FAULT_INFRASTRUCTURE || !kept ||
        !run.calls) {
        end_job(job);
        return;
    }
    *kept = run;
    kept->tape = &job->tape;
    if (!take_tape(job)) return;
    job->grading_now = job->is_starting = true;
    gramc_status status = graders->start(&job->grading, graders->grading, kept, on_graded, job);
    job->is_starting = false;
    if (status) {
        job->grading_now = false;
        fail_job(job, "grader-error", "a grader cannot be started");
    } else if (job->is_graded) {
        end_graded(job);
    }
}

static void on_ended(void *ctx, const gramc_run_result *result) {
    struct cell_job *job = ctx;
    run_record_end(&job->record, result);
    grade(job);
}

/* ## Starting */

static gramc_text print_seed(struct arena *arena, uint32_t seed) {
    char text[16];
    snprintf(text, sizeof(text), "%u", (unsigned)seed);
    return arena_text(arena, text_of(text));
}

static gramc_text variable(struct arena *arena, const char *name, const char *value) {
    char text[PATH_LONGEST + 32];
    snprintf(text, sizeof(text), "%s=%s", name, value);
    return arena_text(arena, text_of(text));
}

/* Without a folder it is the cell's id alone. */
static gramc_text *environment(struct cell_job *job) {
    gramc_text *list = arena_array(&job->record.arena, 2, sizeof(*list));
    if (!list) return NULL;
    list[0] = variable(&job->record.arena, "GRAMC_CELL_ID", job->id);
    list[1] = variable(&job->record.arena, "GRAMC_SCRATCH", job->folder);
    return list;
}

/* What was recorded answers in every role, at the prices of each. */
static void play_models(struct cell_job *job, gramc_run_options *run) {
    gramc_named_model *played =
        arena_array(&job->record.arena, run->model_count + 1, sizeof(*played));
    run->model = gramc_cassette_model(job->cassette);
    for (size_t i = 0; played && i < run->model_count; i++) {
        played[i] = run->models[i];
        played[i].model = run->model;
    }
    run->models = played;
    if (!played) run->model_count = 0;
}

/* False: there is no recording of the cell, and the job has ended. */
static bool take_cassette(struct cell_job *job, gramc_run_options *run) {
    const struct run_cells_options *options = &job->cells->options;
    struct cassette_error error;
    if (!options->cassettes) return true;
    if (cassettes_open(&job->cassette, &job->record.attempt.started_ms, options->cassettes,
                       &job->start.cell, &error)) {
        fail_job(job, "cassette-miss", error.message);
        return false;
    }
    job->record.attempt.replayed = !options->live_models;
    if (!options->live_models) play_models(job, run);
    if (!options->live_tools) run->tools = job->cassette;
    return true;
}

static void run_agent(struct cell_job *job) {
    const struct run_cells_options *options = &job->cells->options;
    const struct item *item = &options->plan->cases->items[job->start.cell.item];
    const struct run_arm *arm = &options->arms[job->start.cell.arm];
    gramc_run_options run = options->run;
    const gramc_run_handler handler = {.done = on_ended, .event = on_event, .ctx = job};
    run.model = arm->model;
    run.prices = arm->prices;
    run.models = arm->models;
    run.model_count = arm->model_count;
    run.messages = item->messages;
    run.message_count = item->message_count;
    run.inputs = item->inputs;
    run.input_count = item->input_count;
    run.seed = print_seed(&job->record.arena, job->start.seed);
    run.environment = environment(job);
    run.environment_count = job->has_folder ? 2 : 1;
    run.company = job->start.cell.arm + 1;
    if (options->keep_traces) run.trace = buf_writer(&job->trace);
    if (!take_cassette(job, &run)) return;
    gramc_status status = job->record.arena.oom
                              ? GRAMC_NOMEM
                              : gramc_run_start(NULL, options->loop, arm->bound, &run, &handler);
    if (status == GRAMC_NOMEM) fail_job(job, "internal", "out of memory");
    else if (status == GRAMC_USAGE && job->record.attempt.replayed)
        fail_job(
            job, "cassette-miss",
            "it was recorded by another protocol than the arm is asked by now; record it again");
    else if (status) fail_job(job, "internal", "the run cannot be started with this case");
}

/* ## Resetting */

static void on_reset_output(void *ctx, const char *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len; /* what it says is nobody's business unless it fails */
}

static void on_reset_ended(void *ctx, const struct child_end *end) {
    struct cell_job *job = ctx;
    char why[CHILD_WHY_MAX];
    job->reset = NULL;
    if (!end->nomem && end->status == 0 && !end->signal) {
        run_agent(job);
        return;
    }
    child_explain_end(why, sizeof(why), "the experiment's reset", end);
    fail_job(job, "reset-error", end->nomem ? "out of memory" : why);
}

static void start_reset(struct cell_job *job) {
    const struct run_cells_options *options = &job->cells->options;
    const gramc_experiment *experiment = options->plan->experiment;
    const gramc_impl command = {
        .argv = experiment->reset, .argc = experiment->reset_count, .folder = experiment->folder};
    const struct tool_memory memory = {.environment = environment(job), .environment_count = 2};
    const struct child_events events = {.output = on_reset_output,
                                        .ended = on_reset_ended,
                                        .ctx = job,
                                        .noun = "the experiment's reset"};
    struct exec_words words;
    char why[CHILD_WHY_MAX] = "out of memory";
    gramc_status status = GRAMC_NOMEM;
    if (memory.environment &&
        exec_words(&words, &job->record.arena, &command, options->loop, &memory))
        status = child_start(&job->reset, &options->loop->uv, &options->loop->allocator, &words,
                             &events, why);
    if (status) fail_job(job, "reset-error", why);
    else child_end_input(job->reset);
}

/* ## For the engine */

static bool library_starts_programs(const gramc_library *library) {
    if (!library) return false;
    for (size_t i = 0; i < library->impl_count; i++) {
        gramc_impl_kind kind = library->impls[i].kind;
        if (kind == GRAMC_IMPL_EXEC || kind == GRAMC_IMPL_PLUGIN) return true;
    }
    return library->box_count > 0;
}

/* Folders are for programs; where there are none, they are not made: two thousand take a second. */
static bool starts_programs(const gramc_experiment *experiment) {
    bool any = experiment->reset_count > 0;
    for (size_t i = 0; i < experiment->arm_count; i++)
        any = any || library_starts_programs(experiment->arms[i].library);
    for (size_t i = 0; i < experiment->grader_count; i++)
        any = any || experiment->graders[i].kind == GRAMC_GRADER_EXEC;
    return any;
}

static bool make_folder(struct cell_job *job) {
    const struct run_cells_options *options = &job->cells->options;
    const struct cell_start *start = &job->start;
    snprintf(job->id, sizeof(job->id), "%.12s-%u-%u-%u-%u", options->plan->fingerprint,
             (unsigned)start->place, (unsigned)start->cell.repeat, (unsigned)start->cell.arm,
             (unsigned)start->number);
    if (!job->cells->needs_folders) return true;
    int len =
        snprintf(job->folder, sizeof(job->folder), "%.*s/%s", TEXT_ARGS(options->folder), job->id);
    if (len < 0 || (size_t)len >= sizeof(job->folder)) return false;
    job->has_folder = folder_make(job->folder);
    return job->has_folder;
}

static gramc_status prefer(void *self, const struct preference_start *start, preference_done *done,
                           void *ticket) {
    struct run_cells *cells = self;
    return preference_start(&cells->preferences, start, done, ticket);
}

static gramc_status start_cell(void *self, const struct cell_start *start, cell_done *done,
                               void *ticket) {
    struct run_cells *cells = self;
    struct cell_job *job = mem_alloc(&cells->allocator, sizeof(*job));
    if (!job) return GRAMC_NOMEM;
    *job = (struct cell_job){.cells = cells,
                             .start = *start,
                             .done = done,
                             .ticket = ticket,
                             .next = cells->jobs,
                             .link = &cells->jobs};
    if (job->next) job->next->link = &job->next;
    cells->jobs = job;
    run_record_init(&job->record, &cells->allocator);
    job->record.attempt.cell = start->cell;
    job->record.attempt.number = start->number;
    buf_init(&job->trace, &cells->allocator, TRACE_MAX);
    if (!make_folder(job)) fail_job(job, "internal", "its folder cannot be made");
    else if (cells->options.plan->experiment->reset_count) start_reset(job);
    else run_agent(job);
    return GRAMC_OK;
}

gramc_status run_cells_new(struct run_cells **out, const struct run_cells_options *options) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct run_cells *cells = mem_alloc(&allocator, sizeof(*cells));
    *out = cells;
    if (!cells) return GRAMC_NOMEM;
    *cells = (struct run_cells){.options = *options, .allocator = allocator};
    cells->needs_folders = starts_programs(options->plan->experiment);
    cells->preferences =
        (struct preference_jobs){.allocator = allocator, .options = &cells->options};
    cells->runner = (struct cell_runner){
        .start = start_cell, .prefer = prefer, .wait = wait, .now_ms = now_ms, .self = cells};
    return GRAMC_OK;
}

const struct cell_runner *run_cells_runner(const struct run_cells *cells) {
    return &cells->runner;
}

/* Jobs that no run and no grader will end. */
static void cancel_jobs(struct run_cells *cells) {
    struct cell_job *job = cells->jobs;
    while (job) {
        struct cell_job *next = job->next;
        if (job->reset) {
            child_kill(job->reset);
            job->reset = NULL;
            fail_job(job, "canceled", "canceled");
        } else if (job->grading_now) {
            if (job->grading) cells->options.graders.cancel(job->grading);
            job->grading_now = false;
            fail_job(job, "canceled", "canceled");
        }
        job = next;
    }
}

static bool engine_rests(void *ctx) {
    return engine_is_over(ctx);
}

bool run_cells_drive(struct run_cells *cells, struct engine *engine) {
    gramc_loop *loop = cells->options.loop;
    loop_turn_until(loop, engine_rests, engine);
    if (engine_is_over(engine)) return false;
    engine_cancel(engine);
    for (struct pause *pause = cells->pauses; pause; pause = pause->next)
        uv_timer_start(&pause->timer, pause_passed, 0, 0); /* those who wait are told at once */
    cancel_jobs(cells);
    preferences_cancel(&cells->preferences);
    for (int i = 0; i < TURN_OUT && !engine_is_over(engine); i++) {
        for (gramc_run *run = loop->runs; run; run = run->next) gramc_run_cancel(run);
        loop_turn_until(loop, engine_rests, engine);
    }
    return true;
}

void run_cells_free(struct run_cells *cells) {
    if (!cells) return;
    while (cells->jobs) free_job(cells->jobs);
    preferences_free(&cells->preferences);
    while (cells->pauses) {
        cells->pauses->timer.data = cells->pauses;
        forget_pause(cells->pauses);
    }
    uv_run(&cells->options.loop->uv, UV_RUN_NOWAIT); /* closed handles are given back */
    gramc_allocator allocator = cells->allocator;
    mem_free(&allocator, cells, sizeof(*cells));
}
