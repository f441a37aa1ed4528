/* The engine of experiments with a world of its own: a clock that jumps, runs of unequal length, no
 * network. Order, retries, limits, resuming, and that looking at every item does not find
 * differences where there are none. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/engine.h"
#include "experiment/run_cell.h"
#include "experiment/stop.h"
#include "tests/failing.h"

enum { EVENTS = 4096, PATH = 128, NAME = 12 };

/* ## The world */

struct event {
    uint64_t at, order;
    void (*then)(void *ctx);
    void *ctx;
    /* of a cell */
    cell_done *done;
    void *ticket;
    struct cell_start start;
    /* of a preference */
    preference_done *preferred;
    struct preference_start preference;
};

struct world {
    struct cell_runner runner;
    struct event events[EVENTS];
    size_t count;
    uint64_t now, order;
    struct stat_random random;
    uint32_t running, most, started;
    /* What a cell comes to; `score` for its grader. */
    void (*play)(struct world *world, const struct cell_start *start, struct attempt *out,
                 struct score *score);
    /* The same for a preference. */
    void (*judge)(struct world *world, const struct preference_start *start, struct score *score);
    uint32_t judged;  /* preferences that were asked for */
    uint64_t slowest; /* ms */
    uint32_t broken;  /* every so many cells fail by the infrastructure; 0: none */
    uint32_t cancel_at;
    struct engine *engine;
    const double *chance; /* of passing, one an item */
    struct cell_start log[EVENTS];
};

static uint64_t world_now(void *self) {
    return ((struct world *)self)->now;
}

static struct event *add(struct world *world, uint64_t ms) {
    assert_true(world->count < EVENTS);
    struct event *event = &world->events[world->count++];
    *event = (struct event){.at = world->now + ms, .order = world->order++};
    return event;
}

static gramc_status world_wait(void *self, uint64_t ms, void (*then)(void *ctx), void *ctx) {
    struct event *event = add(self, ms);
    event->then = then;
    event->ctx = ctx;
    return GRAMC_OK;
}

static gramc_status world_start(void *self, const struct cell_start *start, cell_done *done,
                                void *ticket) {
    struct world *world = self;
    uint64_t ms = world->slowest ? 1 + stat_random_below(&world->random, world->slowest) : 1;
    struct event *event = add(world, ms);
    event->done = done;
    event->ticket = ticket;
    event->start = *start;
    if (world->started < EVENTS) world->log[world->started] = *start;
    if (++world->running > world->most) world->most = world->running;
    if (++world->started + world->judged == world->cancel_at) engine_cancel(world->engine);
    return GRAMC_OK;
}

static gramc_status world_prefer(void *self, const struct preference_start *start,
                                 preference_done *done, void *ticket) {
    struct world *world = self;
    struct event *event = add(world, 1);
    event->preferred = done;
    event->ticket = ticket;
    event->preference = *start;
    if (world->started + ++world->judged == world->cancel_at) engine_cancel(world->engine);
    return GRAMC_OK;
}

static void end_preference(struct world *world, const struct event *event) {
    struct preference preference = {.cell = event->preference.cell,
                                    .grader = event->preference.grader,
                                    .score = {.value = 0.5, .pass = true},
                                    .cost = 0.25};
    if (world->judge) world->judge(world, &event->preference, &preference.score);
    bool canceled = world->judged + world->started >= world->cancel_at && world->cancel_at;
    event->preferred(event->ticket, canceled ? NULL : &preference);
}

static void end_cell(struct world *world, const struct event *event) {
    struct score score = {.value = 1, .pass = true};
    struct attempt attempt = {.cell = event->start.cell,
                              .number = event->start.number,
                              .outcome = TEXT("answered"),
                              .requests = 1,
                              .cost = 0.5,
                              .has_cost = true,
                              .answer = TEXT("yes"),
                              .scores = &score,
                              .score_count = 1};
    world->running--;
    if (world->play) world->play(world, &event->start, &attempt, &score);
    if (attempt.fault == FAULT_INFRASTRUCTURE) attempt.score_count = 0;
    event->done(event->ticket, &attempt);
}

/* The next event in time. */
static void turn(struct world *world) {
    size_t first = 0;
    for (size_t i = 1; i < world->count; i++)
        if (world->events[i].at < world->events[first].at ||
            (world->events[i].at == world->events[first].at &&
             world->events[i].order < world->events[first].order))
            first = i;
    struct event event = world->events[first];
    world->events[first] = world->events[--world->count];
    world->now = event.at;
    if (event.then) event.then(event.ctx);
    else if (event.preferred) end_preference(world, &event);
    else end_cell(world, &event);
}

static void live(struct world *world, struct engine *engine) {
    world->engine = engine;
    engine_start(engine);
    while (!engine_is_over(engine)) {
        assert_true(world->count > 0);
        turn(world);
    }
    assert_int_equal(world->running, 0);
}

static void world_init(struct world *world, uint64_t seed) {
    memset(world, 0, sizeof *world);
    world->runner = (struct cell_runner){.start = world_start,
                                         .prefer = world_prefer,
                                         .wait = world_wait,
                                         .now_ms = world_now,
                                         .self = world};
    world->random = stat_random_seeded(seed);
}

/* ## Experiments */

struct made {
    struct item *items;
    char (*names)[NAME];
    struct cases cases;
    gramc_arm arms[2];
    gramc_experiment experiment;
    struct plan plan;
    char folder[PATH], path[PATH + 16];
    struct store *store;
};

static const struct analysis_grader grader = {.name = {"right", 5}, .required = true, .weight = 1};

static void make(struct made *made, size_t items, uint32_t repeats, uint64_t seed) {
    *made = (struct made){.cases = {.count = items, .fingerprint = "cases"}};
    made->items = calloc(items, sizeof *made->items);
    made->names = calloc(items, sizeof *made->names);
    assert_true(made->items && made->names);
    for (size_t i = 0; i < items; i++) {
        snprintf(made->names[i], NAME, "i%zu", i);
        made->items[i].id = text_of(made->names[i]);
    }
    made->cases.items = made->items;
    made->arms[0].name = TEXT("a");
    made->arms[1].name = TEXT("b");
    made->experiment = (gramc_experiment){.name = TEXT("t"),
                                          .metric = TEXT("pass"),
                                          .stop = TEXT("fixed"),
                                          .alpha = TEXT("0.05"),
                                          .margin = TEXT("0"),
                                          .repeats = repeats,
                                          .seed = seed,
                                          .arms = made->arms,
                                          .arm_count = 2};
    assert_int_equal(plan_make(&made->plan, &made->experiment, &made->cases, NULL, NULL), 0);
}

static void open_store(struct made *made) {
    struct store_error error;
    if (!made->folder[0]) {
        /* What is tested here is no disk: in memory where there is such a place. */
        bool memory = access("/dev/shm", W_OK) == 0;
        snprintf(made->folder, sizeof made->folder, "%s/gramc-engine-XXXXXX",
                 memory ? "/dev/shm" : "/tmp");
        assert_non_null(mkdtemp(made->folder));
        snprintf(made->path, sizeof made->path, "%s/s.db", made->folder);
    }
    assert_int_equal(store_open(&made->store, text_of(made->path), NULL, &error), GRAMC_OK);
    if (store_begin(made->store, TEXT("t"), &made->plan, TEXT("{}"), &error))
        fail_msg("%s", error.message);
}

static void close_store(struct made *made) {
    struct store_error error;
    if (store_close(made->store, &error)) fail_msg("%s", error.message);
    made->store = NULL;
}

static void remove_store(const struct made *made) {
    static const char *const ends[] = {"", "-wal", "-shm", "-lock"};
    char path[PATH + 32];
    for (size_t i = 0; made->folder[0] && i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", made->path, ends[i]);
        unlink(path);
    }
}

static void unmake(struct made *made) {
    if (made->store) close_store(made);
    remove_store(made);
    if (made->folder[0]) rmdir(made->folder);
    plan_free(&made->plan);
    free(made->items);
    free(made->names);
}

static struct engine *new_engine(struct made *made, const struct world *world,
                                 const struct engine_options *given) {
    struct engine_options options = given ? *given : (struct engine_options){.attempts = 0};
    struct store_error error;
    struct engine *engine;
    options.plan = &made->plan;
    options.store = made->store;
    options.cells = &world->runner;
    options.owner = TEXT("test");
    assert_int_equal(engine_new(&engine, &options, &error), GRAMC_OK);
    return engine;
}

static enum engine_end end_of(struct engine *engine) {
    gramc_text reason;
    enum engine_end end = engine_ended(engine, &reason);
    return end;
}

/* ## Tests */

/* All cells of an item are started before the next item's, with one at a time. */
static void cells_run_in_the_order_of_the_plan(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 12, 3, 7);
    open_store(&made);
    world_init(&world, 1);
    const struct engine_options options = {.concurrency = 1};
    struct engine *engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    assert_int_equal(world.started, 72);
    for (uint32_t i = 0; i < 72; i++) {
        uint32_t arms[ARMS_MAX], place = i / 6, repeat = i % 6 / 2;
        plan_arms(&made.plan, made.plan.order[place], repeat, arms);
        assert_int_equal(world.log[i].place, place);
        assert_int_equal(world.log[i].cell.repeat, repeat);
        assert_int_equal(world.log[i].cell.arm, arms[i % 2]);
        assert_int_equal(world.log[i].seed,
                         plan_sampling_seed(&made.plan, made.plan.order[place], repeat));
    }
    engine_free(engine);
    unmake(&made);
}

static void no_more_items_run_than_may(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 50, 2, 7);
    open_store(&made);
    world_init(&world, 1);
    world.slowest = 1000;
    const struct engine_options options = {.concurrency = 7};
    struct engine *engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(world.most, 7);
    struct engine_progress at = engine_progress(engine);
    assert_true(at.done == 200 && at.finished == 50 && at.missing == 0);
    engine_free(engine);
    unmake(&made);
}

static void fail_sometimes(struct world *world, const struct cell_start *start, struct attempt *out,
                           struct score *score) {
    (void)score;
    bool hit = start->number <= world->broken && start->place % 5 == 0 && start->cell.arm == 1;
    if (!hit) return;
    out->fault = FAULT_INFRASTRUCTURE;
    out->outcome = TEXT("model-error");
}

struct count {
    uint32_t done, missing, attempts;
};
static int count_attempts(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct count *count = ctx;
    (void)place;
    count->done += attempt->state == CELL_DONE;
    count->missing += attempt->state == CELL_MISSING;
    count->attempts += attempt->number;
    return 0;
}
static struct count count_stored(struct made *made) {
    struct count count = {0, 0, 0};
    struct store_error error;
    assert_int_equal(store_each(made->store, false, count_attempts, &count, &error), GRAMC_OK);
    return count;
}

/* Two attempts fail, the third does not: nothing is missing, and every attempt is kept. */
static void what_the_infrastructure_fails_is_tried_again(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 20, 1, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = fail_sometimes;
    world.broken = 2;
    struct engine *engine = new_engine(&made, &world, NULL);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    struct count count = count_stored(&made);
    assert_true(count.done == 40 && count.missing == 0);
    assert_int_equal(count.attempts, 36 + 4 * 3);
    assert_true(world.now >= 3000); /* it waited 1 s, then 2 s */
    engine_free(engine);
    unmake(&made);
}

/* Three attempts fail: the cell is missing, never a failure of the arm; too many stop it all, and
 * resuming tries them again. */
static void too_many_missing_cells_stop_it(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 20, 1, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = fail_sometimes;
    world.broken = 3;
    const struct engine_options options = {.limits = {.max_missing = 0.1}, .concurrency = 1};
    struct engine *engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_TOO_MANY);
    assert_int_equal(engine_progress(engine).items_missing, 3);
    assert_int_equal(count_stored(&made).missing, 3);
    engine_free(engine);
    close_store(&made);
    open_store(&made);
    world_init(&world, 1);
    world.play = fail_sometimes;
    engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    struct count count = count_stored(&made);
    assert_true(count.done == 40 && count.missing == 0);
    engine_free(engine);
    unmake(&made);
}

static void limits_stop_it(void **state) {
    static struct world world;
    static const struct engine_limits limits[] = {
        {.max_cost = 10}, {.max_calls = 20}, {.max_ms = 20}};
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct made made;
        make(&made, 50, 1, 7);
        open_store(&made);
        world_init(&world, 1);
        const struct engine_options options = {.limits = limits[i], .concurrency = 1};
        struct engine *engine = new_engine(&made, &world, &options);
        live(&world, engine);
        assert_int_equal(end_of(engine), ENGINE_BUDGET);
        assert_int_equal(engine_progress(engine).done, 20);
        engine_free(engine);
        unmake(&made);
    }
}

/* Canceled at any cell and resumed, again and again: each cell is done once. */
static void interrupted_and_resumed(void **state) {
    static struct world world;
    struct made made;
    uint32_t started = 0;
    (void)state;
    make(&made, 30, 2, 7);
    for (uint32_t cancel_at = 1;; cancel_at += 7) {
        open_store(&made);
        world_init(&world, cancel_at);
        world.slowest = 50;
        world.cancel_at = cancel_at;
        struct engine *engine = new_engine(&made, &world, NULL);
        live(&world, engine);
        enum engine_end end = end_of(engine);
        started += world.started;
        engine_free(engine);
        if (end == ENGINE_DONE) break;
        assert_int_equal(end, ENGINE_INTERRUPTED);
        close_store(&made);
    }
    struct count count = count_stored(&made);
    assert_true(count.done == 120 && count.attempts == 120);
    assert_int_equal(started, 120); /* what ran when it was canceled was kept */
    unmake(&made);
}

/* Whose fault each outcome is: what the arm brought about counts, what it did not is tried again.
 */
static void every_outcome_has_its_fault(void **state) {
    static const struct {
        gramc_outcome outcome;
        enum fault fault;
    } rows[] = {{GRAMC_OUTCOME_ANSWERED, FAULT_NONE},
                {GRAMC_OUTCOME_MAX_ITERATIONS, FAULT_ARM},
                {GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS, FAULT_ARM},
                {GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS, FAULT_ARM},
                {GRAMC_OUTCOME_EMPTY_RESPONSE, FAULT_ARM},
                {GRAMC_OUTCOME_LENGTH, FAULT_ARM},
                {GRAMC_OUTCOME_CONTENT_FILTER, FAULT_ARM},
                {GRAMC_OUTCOME_REFUSED, FAULT_ARM},
                {GRAMC_OUTCOME_TIMEOUT, FAULT_ARM},
                {GRAMC_OUTCOME_BAD_ANSWER, FAULT_ARM},
                {GRAMC_OUTCOME_TOKEN_BUDGET, FAULT_ARM},
                {GRAMC_OUTCOME_COST_BUDGET, FAULT_ARM},
                {GRAMC_OUTCOME_MAX_DURATION, FAULT_ARM},
                {GRAMC_OUTCOME_MODEL_ERROR, FAULT_INFRASTRUCTURE},
                {GRAMC_OUTCOME_TRACE_ERROR, FAULT_INFRASTRUCTURE},
                {GRAMC_OUTCOME_INTERNAL, FAULT_INFRASTRUCTURE},
                {GRAMC_OUTCOME_CANCELED, FAULT_INFRASTRUCTURE},
                {GRAMC_OUTCOME_CASSETTE_MISS, FAULT_INFRASTRUCTURE}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fault_of_outcome(rows[i].outcome) != rows[i].fault)
            fail_msg("%s", gramc_outcome_name(rows[i].outcome));
}

static const uint32_t preferences[] = {1};

static void two_scores(struct world *world, const struct cell_start *start, struct attempt *out,
                       struct score *score) {
    static const struct score both[] = {{.value = 1, .pass = true}, {.missing = true}};
    (void)world, (void)score;
    out->scores = both;
    out->score_count = 2;
    out->answer = start->cell.arm ? TEXT("the other") : TEXT("the first");
}

/* Plan, store, engine and stopping with the n-th allocation failing: a status or an end that says
 * so, nothing leaks, and what was kept can be gone on with. */
static enum engine_end live_on(struct made *made, struct world *world,
                               const gramc_allocator *allocator, bool *began) {
    struct store_error error;
    struct engine *engine = NULL;
    struct stop *stop = NULL;
    struct plan plan;
    enum engine_end end = ENGINE_FAILED;
    *began = false;
    if (plan_make(&plan, &made->experiment, &made->cases, NULL, allocator)) return end;
    bool open = !store_open(&made->store, text_of(made->path), allocator, &error) &&
                !store_begin(made->store, TEXT("t"), &plan, TEXT("{}"), &error);
    if (open && !stop_new(&stop, &plan, &grader, 1, allocator)) {
        const struct engine_options options = {
            .plan = &plan,
            .store = made->store,
            .cells = &world->runner,
            .preferences = preferences,
            .preference_count = 1,
            .watch = {stop_over, stop_preferred, stop_finished, stop},
            .owner = TEXT("test"),
            .allocator = allocator};
        *began = !engine_new(&engine, &options, &error);
    }
    if (*began) {
        live(world, engine);
        end = end_of(engine);
    }
    engine_free(engine);
    stop_free(stop);
    (void)store_close(made->store, &error);
    made->store = NULL;
    plan_free(&plan);
    return end;
}

static void memory_may_run_out(void **state) {
    static struct world world;
    struct failing failing = {.fail_at = 0};
    const gramc_allocator allocator = test_failing(&failing);
    enum engine_end end = ENGINE_FAILED;
    struct made made;
    bool began;
    (void)state;
    make(&made, 6, 2, 7);
    made.experiment.stop = TEXT("sequential");
    open_store(&made);
    close_store(&made);
    long tries = 0;
    for (bool hit = true; hit; tries++) {
        world_init(&world, 1);
        world.play = two_scores;
        failing = (struct failing){.fail_at = tries + 1};
        remove_store(&made);
        end = live_on(&made, &world, &allocator, &began);
        assert_int_equal(failing.live, 0);
        hit = failing.failed;
        if (hit && began) assert_true(end == ENGINE_FAILED || end == ENGINE_DONE);
    }
    assert_true(tries > 10);
    assert_int_equal(end, ENGINE_DONE);
    unmake(&made);
}

/* ## A against A */

static void toss(struct world *world, const struct cell_start *start, struct attempt *out,
                 struct score *score) {
    double chance = world->chance[start->cell.item];
    (void)out;
    score->pass = stat_random_unit(&world->random) < chance;
    score->value = score->pass;
    if (start->cell.arm == 1 && world->broken)
        score->value = score->pass = stat_random_unit(&world->random) < chance * 0.6;
}

/* What people are shown on the way agrees with what was decided. */
static void check_shown(struct stop *stop, bool is_decided) {
    struct stop_estimate shown;
    assert_true(stop_estimate(stop, 1, &shown));
    assert_true(shown.items > 0 && fabs(shown.mean) <= 1);
    assert_true(shown.interval.low >= -1 && shown.interval.high <= 1);
    assert_true(shown.interval.low <= shown.interval.high);
    bool excludes_none = shown.interval.low > -1e-9 || shown.interval.high < 1e-9;
    assert_int_equal(excludes_none, is_decided);
    assert_false(stop_estimate(stop, 0, &shown) || stop_estimate(stop, 2, &shown));
}

/* Unequal items, 64 at a time, unequal durations: how many of the experiments found a difference.
 * The runs are kept by nobody: what is tested is who looks. */
static uint32_t decided(uint32_t experiments, uint32_t items, uint32_t repeats, bool worse,
                        uint64_t *steps) {
    static struct world world;
    double *chance = calloc(items, sizeof *chance);
    uint32_t count = 0;
    assert_non_null(chance);
    for (uint32_t i = 0; i < experiments; i++) {
        struct made made;
        struct stop *stop;
        make(&made, items, repeats, i + 1);
        made.experiment.stop = TEXT("sequential");
        open_store(&made);
        world_init(&world, 1000 + i);
        for (uint32_t k = 0; k < items; k++) chance[k] = stat_random_unit(&world.random);
        world.play = toss;
        world.chance = chance;
        world.slowest = 5000;
        world.broken = worse;
        assert_int_equal(stop_new(&stop, &made.plan, &grader, 1, NULL), GRAMC_OK);
        assert_non_null(stop);
        const struct engine_options options = {
            .watch = {stop_over, stop_preferred, stop_finished, stop}, .concurrency = 64};
        struct engine *engine = new_engine(&made, &world, &options);
        live(&world, engine);
        enum engine_end end = end_of(engine);
        assert_true(end == ENGINE_DONE || end == ENGINE_DECIDED);
        count += end == ENGINE_DECIDED;
        check_shown(stop, end == ENGINE_DECIDED);
        *steps += world.started;
        engine_free(engine);
        stop_free(stop);
        unmake(&made);
    }
    free(chance);
    return count;
}

/* At most 5 % may be wrong; a sample of 20 may have 4: by chance alone it has more in one of 380.
 */
static void no_difference_is_found_where_there_is_none(void **state) {
    const char *given = getenv("GRAMC_AA_EXPERIMENTS");
    uint32_t experiments = given ? (uint32_t)strtoul(given, NULL, 10) : 20;
    static const uint32_t repeats[] = {1, 3, 10};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t steps = 0;
        uint32_t wrong = decided(experiments, 120, repeats[i], false, &steps);
        double limit = 0.05 * experiments;
        print_message("%u of %u experiments with %u repeats found a difference (%llu runs)\n",
                      (unsigned)wrong, (unsigned)experiments, (unsigned)repeats[i],
                      (unsigned long long)steps);
        if (experiments < 500) limit += 3 * sqrt(limit);
        assert_true(wrong <= limit);
    }
}

static void a_difference_is_found_early(void **state) {
    uint64_t steps = 0;
    (void)state;
    uint32_t found = decided(10, 200, 3, true, &steps);
    print_message("%u of 10 found it, in %llu of 12000 runs\n", (unsigned)found,
                  (unsigned long long)steps);
    assert_true(found >= 9 && steps < 10000);
}

/* ## Preferences: the second grader's */

struct found {
    uint32_t preferred, missing;
    double judges;
};
static int find_preference(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct found *found = ctx;
    (void)place;
    found->judges += attempt->judge_cost;
    if (attempt->score_count < 2) return 0;
    if (attempt->cell.arm == 0) assert_true(attempt->scores[1].missing);
    else if (attempt->scores[1].missing) found->missing++;
    else found->preferred++;
    return 0;
}
static struct found stored_preferences(struct made *made) {
    struct found found = {0, 0, 0};
    struct store_error error;
    assert_int_equal(store_each(made->store, false, find_preference, &found, &error), GRAMC_OK);
    return found;
}

/* All cells of the repeat are there by then, and their answers are the right ones. */
static void look_at_both(struct world *world, const struct preference_start *start,
                         struct score *score) {
    assert_true(text_is(start->first->answer, "the first"));
    assert_true(text_is(start->other->answer, "the other"));
    assert_int_equal(start->grader, 1);
    assert_int_equal(start->first->cell.repeat, start->cell.repeat);
    assert_int_equal(start->other->cell.arm, start->cell.arm);
    assert_int_equal(world->started % 2, 0);
    score->value = 1;
}

static const struct engine_options comparing = {
    .concurrency = 1, .preferences = preferences, .preference_count = 1};

static void answers_are_compared_when_a_repeat_is_over(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 12, 3, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = two_scores;
    world.judge = look_at_both;
    struct engine *engine = new_engine(&made, &world, &comparing);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    assert_int_equal(world.judged, 36);
    struct found found = stored_preferences(&made);
    assert_true(found.preferred == 36 && found.missing == 0 && found.judges == 9);
    assert_true(engine_progress(engine).judge_cost == 9);
    engine_free(engine);
    unmake(&made);
}

static void refuse_some(struct world *world, const struct preference_start *start,
                        struct score *score) {
    if (start->place % 5 == 0 && start->number <= world->broken)
        *score = (struct score){.missing = true, .reason = TEXT("it says nothing")};
}

/* Twice in vain, then a verdict: what it has cost in vain counts, too. */
static void a_judge_that_fails_is_asked_again(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 10, 1, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = two_scores;
    world.judge = refuse_some;
    world.broken = 2;
    struct engine *engine = new_engine(&made, &world, &comparing);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    assert_int_equal(world.judged, 10 + 2 * 2);
    assert_int_equal(world.started, 20);
    struct found found = stored_preferences(&made);
    assert_true(found.preferred == 10 && found.judges == 3.5);
    assert_true(engine_progress(engine).items_missing == 0);
    engine_free(engine);
    unmake(&made);
}

/* One that never judges stops it, as missing cells do; resuming asks for what is missing alone. */
static void missing_preferences_are_asked_for_by_resuming(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 10, 1, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = two_scores;
    world.judge = refuse_some;
    world.broken = UINT32_MAX;
    struct engine_options options = comparing;
    options.limits.max_missing = 0.1;
    struct engine *engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_TOO_MANY); /* with the second one, at place 5 */
    assert_int_equal(engine_progress(engine).items_missing, 2);
    assert_int_equal(stored_preferences(&made).missing, 2);
    engine_free(engine);
    close_store(&made);
    open_store(&made);
    uint32_t cells = world.started, asked = world.judged;
    world.broken = 0;
    engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    assert_int_equal(cells, 12);
    assert_int_equal(world.started - cells, 8);
    assert_int_equal(world.judged - asked, 4 + 2);
    assert_int_equal(stored_preferences(&made).preferred, 10);
    engine_free(engine);
    unmake(&made);
}

/* Wherever it is broken off, no cell that was kept runs again and nothing is judged twice. */
static void a_run_that_is_broken_off_goes_on_comparing(void **state) {
    (void)state;
    for (uint32_t at = 1; at <= 24; at++) {
        static struct world world;
        struct made made;
        make(&made, 4, 2, 7);
        open_store(&made);
        world_init(&world, 1);
        world.play = two_scores;
        world.cancel_at = at;
        struct engine *engine = new_engine(&made, &world, &comparing);
        live(&world, engine);
        assert_int_equal(end_of(engine), ENGINE_INTERRUPTED);
        engine_free(engine);
        close_store(&made);
        open_store(&made);
        world.cancel_at = 0;
        engine = new_engine(&made, &world, &comparing);
        live(&world, engine);
        assert_int_equal(end_of(engine), ENGINE_DONE);
        assert_int_equal(world.started, 16); /* a cell that has begun ends, and is kept */
        assert_in_range(world.judged, 8, 9); /* a judge's word that was broken off is not */
        struct found found = stored_preferences(&made);
        assert_true(found.preferred == 8 && found.judges == 2);
        engine_free(engine);
        unmake(&made);
    }
}

static void fail_or_score(struct world *world, const struct cell_start *start, struct attempt *out,
                          struct score *score) {
    two_scores(world, start, out, score);
    fail_sometimes(world, start, out, score);
}

static void nothing_is_compared_with_a_missing_cell(void **state) {
    static struct world world;
    struct made made;
    (void)state;
    make(&made, 10, 1, 7);
    open_store(&made);
    world_init(&world, 1);
    world.play = fail_or_score;
    world.broken = UINT32_MAX;
    struct engine_options options = comparing;
    options.limits.max_missing = 0.5;
    struct engine *engine = new_engine(&made, &world, &options);
    live(&world, engine);
    assert_int_equal(end_of(engine), ENGINE_DONE);
    assert_int_equal(engine_progress(engine).items_missing, 2);
    assert_int_equal(world.judged, 8);
    engine_free(engine);
    unmake(&made);
}

static void prefer_the_other(struct world *world, const struct preference_start *start,
                             struct score *score) {
    (void)world, (void)start;
    score->value = 1;
}

/* A verdict comes after its cell was told without: the watch learns of it, before and after a
 * resume. */
static void preferences_can_stop_it(void **state) {
    static const struct analysis_grader graders[] = {
        {.name = {"right", 5}, .required = true, .weight = 1},
        {.name = {"better", 6}, .is_preference = true, .weight = 1}};
    static struct world world;
    (void)state;
    for (uint32_t cut = 0; cut < 2; cut++) {
        struct made made;
        struct stop *stop;
        make(&made, 100, 1, 7);
        made.experiment.metric = TEXT("better");
        made.experiment.stop = TEXT("sequential");
        open_store(&made);
        world_init(&world, 1);
        world.play = two_scores;
        world.judge = prefer_the_other;
        struct engine_options options = comparing;
        struct engine *engine;
        uint64_t finished = 0;
        for (uint32_t round = 0; round <= cut; round++) {
            assert_int_equal(stop_new(&stop, &made.plan, graders, 2, NULL), GRAMC_OK);
            options.watch = (struct engine_watch){stop_over, stop_preferred, stop_finished, stop};
            world.cancel_at = round < cut ? 15 : 0;
            engine = new_engine(&made, &world, &options);
            live(&world, engine);
            assert_int_equal(end_of(engine), round < cut ? ENGINE_INTERRUPTED : ENGINE_DECIDED);
            finished = engine_progress(engine).finished;
            engine_free(engine);
            stop_free(stop);
            if (round < cut) close_store(&made);
            if (round < cut) open_store(&made);
        }
        assert_in_range(finished, 5, 60);
        assert_int_equal(world.judged, finished + cut);
        unmake(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_run_in_the_order_of_the_plan),
        cmocka_unit_test(no_more_items_run_than_may),
        cmocka_unit_test(what_the_infrastructure_fails_is_tried_again),
        cmocka_unit_test(too_many_missing_cells_stop_it),
        cmocka_unit_test(answers_are_compared_when_a_repeat_is_over),
        cmocka_unit_test(a_judge_that_fails_is_asked_again),
        cmocka_unit_test(missing_preferences_are_asked_for_by_resuming),
        cmocka_unit_test(a_run_that_is_broken_off_goes_on_comparing),
        cmocka_unit_test(nothing_is_compared_with_a_missing_cell),
        cmocka_unit_test(preferences_can_stop_it),
        cmocka_unit_test(limits_stop_it),
        cmocka_unit_test(interrupted_and_resumed),
        cmocka_unit_test(every_outcome_has_its_fault),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(no_difference_is_found_where_there_is_none),
        cmocka_unit_test(a_difference_is_found_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
