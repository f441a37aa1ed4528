/* What every store must do, whichever database it is: the same test for all of them. And what can
 * happen to a file: another program's, a newer version's, damaged, no room, a process that dies. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <math.h>

#include "base/text.h"
#include "experiment/store/store.h"

enum { ITEMS = 20, PATH = 256 };

/* One kind of database: where the next one may stand. */
struct place {
    char folder[PATH], path[2 * PATH + 64];
    bool is_file; /* one process at a time runs an experiment */
};

/* A database of its own, on the server whose socket is in that folder. */
static int make_database(struct place *place, const char *server) {
    char command[2 * PATH + 64];
    const char *name = place->folder + strlen(place->folder) - 6;
    snprintf(command, sizeof command, "createdb -h '%s' -U gramc 't%s'", server, name);
    snprintf(place->path, sizeof place->path, "postgresql://gramc@/t%s?host=%s", name, server);
    place->is_file = false;
    return system(command) == 0 ? 0 : -1;
}

struct made {
    struct item items[ITEMS];
    char ids[ITEMS][8];
    struct cases cases;
    gramc_arm arms[2];
    gramc_experiment experiment;
    struct plan plan;
};

static void make(struct made *made, uint64_t seed) {
    *made = (struct made){.cases = {.count = ITEMS, .fingerprint = "cases"}};
    for (size_t i = 0; i < ITEMS; i++) {
        snprintf(made->ids[i], sizeof made->ids[i], "i%zu", i);
        made->items[i].id = text_of(made->ids[i]);
    }
    made->cases.items = made->items;
    made->arms[0].name = TEXT("a");
    made->arms[1].name = TEXT("b");
    made->experiment = (gramc_experiment){
        .name = TEXT("t"), .repeats = 2, .seed = seed, .arms = made->arms, .arm_count = 2};
    assert_int_equal(plan_make(&made->plan, &made->experiment, &made->cases, NULL, NULL), 0);
}

static int set_up(void **state) {
    const char *server = *state; /* NULL: a file */
    struct place *place = calloc(1, sizeof *place);
    if (!place) return -1;
    snprintf(place->folder, sizeof place->folder, "/tmp/gramc-store-XXXXXX");
    if (!mkdtemp(place->folder)) return -1;
    snprintf(place->path, sizeof place->path, "%s/store.db", place->folder);
    place->is_file = true;
    *state = place;
    return server ? make_database(place, server) : 0;
}

static int tear_down(void **state) {
    struct place *place = *state;
    static const char *const names[] = {"", "-wal", "-shm", "-lock", "-journal"};
    char path[2 * PATH + 80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", place->path, names[i]);
        unlink(path);
    }
    rmdir(place->folder);
    free(place);
    return 0;
}

static struct store *open_store(const struct place *place) {
    struct store *store;
    struct store_error error;
    gramc_status status = store_open(&store, text_of(place->path), NULL, &error);
    if (status) fail_msg("%s", error.message);
    return store;
}

static void close_store(struct store *store) {
    struct store_error error;
    if (store_close(store, &error)) fail_msg("%s", error.message);
}

static void begin(struct store *store, const struct made *made) {
    struct store_error error;
    if (store_begin(store, TEXT("t"), &made->plan, TEXT("{\"a\":1}"), &error))
        fail_msg("%s", error.message);
}

static bool claim(struct store *store, const char *owner, uint32_t ms, struct store_claim *out) {
    struct store_error error;
    bool got;
    if (store_claim(store, text_of(owner), ms, out, &got, &error)) fail_msg("%s", error.message);
    return got;
}

static const struct score scores[] = {{.value = 0.25, .pass = false, .reason = {"no", 2}},
                                      {.value = 1, .pass = true},
                                      {.missing = true, .reason = {"no judge", 8}}};

static void save(struct store *store, const struct store_claim *claimed, uint32_t repeat,
                 uint32_t arm, uint32_t number, enum cell_state state) {
    const struct attempt attempt = {.cell = {0, repeat, arm},
                                    .number = number,
                                    .state = state,
                                    .fault = state == CELL_DONE ? FAULT_NONE : FAULT_INFRASTRUCTURE,
                                    .outcome = TEXT("answered"),
                                    .message = TEXT(""),
                                    .requests = 2,
                                    .prompt_tokens = 5000000000,
                                    .cost = 0.125,
                                    .has_cost = true,
                                    .wall_us = claimed->place,
                                    .started_ms = 12,
                                    .answer = TEXT("h\xC3\xA9 \"quoted\"\n"),
                                    .trace = TEXT("{}\n"),
                                    .scores = scores,
                                    .score_count = 3};
    assert_int_equal(store_save(store, claimed, &attempt), GRAMC_OK);
}

static void save_item(struct store *store, const struct store_claim *claimed) {
    for (uint32_t repeat = 0; repeat < 2; repeat++)
        for (uint32_t arm = 0; arm < 2; arm++) save(store, claimed, repeat, arm, 1, CELL_DONE);
    assert_int_equal(store_finish(store, claimed), GRAMC_OK);
}

struct seen {
    size_t count, done;
    uint64_t last;
    const struct plan *plan;
};

static int look(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct seen *seen = ctx;
    uint64_t at = (place * UINT64_C(2) + attempt->cell.repeat) * 2 + attempt->cell.arm + 1;
    assert_true(at > seen->last); /* in the order of the plan, each once */
    seen->last = at;
    seen->count++;
    seen->done += attempt->state == CELL_DONE;
    assert_int_equal(attempt->cell.item, seen->plan->order[place]);
    assert_int_equal(attempt->wall_us, place);
    assert_true(attempt->prompt_tokens == 5000000000 && attempt->cost == 0.125);
    assert_true(text_is(attempt->answer, "h\xC3\xA9 \"quoted\"\n"));
    assert_int_equal(attempt->score_count, 3);
    assert_true(attempt->scores[0].value == 0.25 && !attempt->scores[0].pass);
    assert_true(text_is(attempt->scores[0].reason, "no") && attempt->scores[1].pass);
    assert_true(attempt->scores[2].missing && attempt->trace.len == 0);
    return 0;
}

static struct seen read_all(struct store *store, const struct made *made) {
    struct seen seen = {.plan = &made->plan};
    struct store_error error;
    if (store_each(store, false, look, &seen, &error)) fail_msg("%s", error.message);
    return seen;
}

/* ## What all must do */

static void items_come_in_order_and_once(void **state) {
    struct made made;
    struct store_claim claimed;
    struct store_entry entry;
    struct store_error error;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    for (uint32_t place = 0; place < ITEMS; place++) {
        assert_true(claim(store, "me", 60000, &claimed));
        assert_int_equal(claimed.place, place);
        assert_int_equal(claimed.fence, 1);
        save_item(store, &claimed);
    }
    assert_false(claim(store, "me", 60000, &claimed));
    assert_int_equal(read_all(store, &made).count, ITEMS * 4);
    assert_int_equal(store_set_status(store, EXPERIMENT_DONE, TEXT("all")), GRAMC_OK);
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    assert_int_equal(store_find(store, 0, &entry, &error), GRAMC_OK);
    assert_true(text_is(entry.id, "t") && text_is(entry.details, "{\"a\":1}"));
    assert_true(entry.status == EXPERIMENT_DONE && text_is(entry.reason, "all"));
    assert_true(entry.items == ITEMS && entry.done == ITEMS && entry.seed == 1);
    assert_int_equal(store_find(store, 1, &entry, &error), GRAMC_NOT_FOUND);
    close_store(store);
    plan_free(&made.plan);
}

static void what_was_not_finished_is_claimed_again(void **state) {
    struct made made;
    struct store_claim claimed;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    for (int i = 0; i < 5; i++) {
        assert_true(claim(store, "first", 60000, &claimed));
        if (i != 2) save_item(store, &claimed);
        else save(store, &claimed, 0, 0, 1, CELL_DONE); /* one cell of four */
    }
    close_store(store);
    store = open_store(*state);
    begin(store, &made);
    assert_int_equal(read_all(store, &made).count, 17);
    assert_true(claim(store, "second", 60000, &claimed));
    assert_int_equal(claimed.place, 2);
    assert_int_equal(claimed.fence, 2);
    assert_true(claim(store, "second", 60000, &claimed));
    assert_int_equal(claimed.place, 5);
    close_store(store);
    plan_free(&made.plan);
}

static void an_old_fence_keeps_out(void **state) {
    struct made made;
    struct store_claim slow, quick, lost;
    struct store_error error;
    const struct timespec moment = {0, 20 * 1000 * 1000};
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "slow", 1, &slow));
    nanosleep(&moment, NULL);
    assert_true(claim(store, "quick", 60000, &quick));
    assert_int_equal(quick.place, slow.place);
    assert_true(quick.fence > slow.fence);
    save_item(store, &quick);
    save(store, &slow, 0, 0, 2, CELL_DONE);
    assert_int_equal(store_finish(store, &slow), GRAMC_OK);
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    assert_int_equal(store_refused(store), 1);
    assert_true(store_lost(store, &lost));
    assert_true(lost.place == slow.place && lost.fence == slow.fence);
    assert_false(store_lost(store, &lost));
    assert_int_equal(read_all(store, &made).count, 4);
    close_store(store);
    plan_free(&made.plan);
}

/* One that was stopped for a while goes on with what it has, and what it has queued counts. */
static void an_own_lease_is_not_claimed_again(void **state) {
    struct made made;
    struct store_claim mine, next;
    uint64_t left;
    struct store_error error;
    const struct timespec moment = {0, 20 * 1000 * 1000};
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 1, &mine));
    save(store, &mine, 0, 0, 1, CELL_DONE);
    nanosleep(&moment, NULL);
    assert_true(claim(store, "me", 60000, &next));
    assert_int_not_equal(mine.place, next.place);
    save(store, &mine, 0, 1, 1, CELL_DONE);
    assert_int_equal(store_finish(store, &mine), GRAMC_OK);
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    assert_int_equal(store_refused(store), 0);
    assert_int_equal(read_all(store, &made).count, 2);
    assert_int_equal(store_left(store, &left, &error), GRAMC_OK);
    assert_true(left <= ITEMS - 2);
    close_store(store);
    plan_free(&made.plan);
}

/* Who takes an item over sees what of it is there, and only that of it. */
static void an_item_is_read_alone(void **state) {
    struct made made;
    struct store_claim first, second;
    struct store_error error;
    struct seen seen = {.plan = &made.plan};
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &first));
    assert_true(claim(store, "me", 60000, &second));
    save_item(store, &first);
    save(store, &second, 0, 1, 1, CELL_DONE);
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    assert_int_equal(store_each_of(store, second.place, look, &seen, &error), GRAMC_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(store_each_of(store, 7, look, &seen, &error), GRAMC_OK);
    assert_int_equal(seen.count, 1);
    close_store(store);
    plan_free(&made.plan);
}

static void a_heartbeat_keeps_the_lease(void **state) {
    struct made made;
    struct store_claim mine, other;
    const struct timespec moment = {0, 20 * 1000 * 1000};
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "mine", 10, &mine));
    assert_int_equal(store_heartbeat(store, TEXT("mine"), 60000), GRAMC_OK);
    nanosleep(&moment, NULL);
    assert_true(claim(store, "other", 60000, &other));
    assert_int_not_equal(mine.place, other.place);
    close_store(store);
    plan_free(&made.plan);
}

static void the_newest_attempt_counts(void **state) {
    struct made made;
    struct store_claim claimed;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &claimed));
    save(store, &claimed, 0, 0, 1, CELL_TODO);
    save(store, &claimed, 0, 0, 2, CELL_TODO);
    save(store, &claimed, 0, 0, 3, CELL_DONE);
    struct seen seen = read_all(store, &made);
    assert_true(seen.count == 1 && seen.done == 1);
    close_store(store);
    plan_free(&made.plan);
}

static void missing_cells_open_their_item_again(void **state) {
    struct made made;
    struct store_claim claimed;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &claimed));
    save_item(store, &claimed);
    assert_true(claim(store, "me", 60000, &claimed));
    save(store, &claimed, 0, 0, 1, CELL_DONE);
    save(store, &claimed, 0, 1, 1, CELL_MISSING);
    assert_int_equal(store_finish(store, &claimed), GRAMC_OK);
    close_store(store);
    store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &claimed));
    assert_int_equal(claimed.place, 1);
    close_store(store);
    plan_free(&made.plan);
}

/* ## Preferences: the third grader's */

static void prefer(struct store *store, const struct store_claim *claimed, uint32_t repeat,
                   struct score score) {
    const struct preference preference = {.cell = {0, repeat, 1},
                                          .grader = 2,
                                          .score = score,
                                          .cost = 0.25,
                                          .trace = TEXT("{\"event\":\"x\"}\n")};
    assert_int_equal(store_prefer(store, claimed, &preference), GRAMC_OK);
}

/* The scores of the second arm of one item, by repeat. */
struct preferred {
    struct score of[2];
    char reasons[2][16];
    double cost[2];
    uint32_t place, attempts;
};

static int look_at_preference(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct preferred *seen = ctx;
    const struct cell *cell = &attempt->cell;
    assert_int_equal(place, seen->place);
    assert_int_equal(attempt->score_count, 3);
    assert_true(attempt->scores[0].value == 0.25 && attempt->scores[1].pass);
    seen->attempts++;
    if (cell->arm == 0) assert_true(attempt->scores[2].missing && attempt->judge_cost == 0);
    if (cell->arm == 0) return 0;
    seen->of[cell->repeat] = attempt->scores[2];
    seen->cost[cell->repeat] = attempt->judge_cost;
    snprintf(seen->reasons[cell->repeat], 16, "%.*s", TEXT_ARGS(attempt->scores[2].reason));
    return 0;
}

static struct preferred read_preferences(struct store *store, uint32_t place) {
    struct preferred seen = {.place = place};
    struct store_error error;
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    if (store_each_of(store, place, look_at_preference, &seen, &error))
        fail_msg("%s", error.message);
    return seen;
}

static void a_preference_is_a_score_of_the_later_arm(void **state) {
    struct made made;
    struct store_claim claims[2];
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    for (size_t i = 0; i < 2; i++) {
        assert_true(claim(store, "me", 60000, &claims[i]));
        save_item(store, &claims[i]);
    }
    prefer(store, &claims[1], 0, (struct score){.missing = true, .reason = TEXT("x;y,z'")});
    struct preferred seen = read_preferences(store, 1);
    assert_true(seen.attempts == 4 && seen.of[0].missing && seen.cost[0] == 0.25);
    assert_string_equal(seen.reasons[0], "x;y,z'");
    assert_string_equal(seen.reasons[1], "no judge"); /* as it was saved with the cell */
    prefer(store, &claims[1], 0, (struct score){.value = 1, .pass = true});
    prefer(store, &claims[1], 0, (struct score){.value = 0, .reason = TEXT("too late")});
    prefer(store, &claims[1], 1, (struct score){.value = 0.5, .pass = true, .reason = TEXT("tie")});
    seen = read_preferences(store, 1);
    assert_true(seen.of[0].value == 1 && seen.of[0].pass && !seen.of[0].missing);
    assert_true(seen.cost[0] == 0.5 && seen.cost[1] == 0.25);
    assert_true(seen.of[1].value == 0.5 && seen.of[1].pass);
    assert_string_equal(seen.reasons[1], "tie");
    assert_true(read_preferences(store, 0).of[0].missing);
    assert_int_equal(read_preferences(store, 2).attempts, 0);
    close_store(store);
    plan_free(&made.plan);
}

static void a_missing_preference_opens_its_item_again(void **state) {
    struct made made;
    struct store_claim claims[ITEMS], again;
    struct store_error error;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_true(claim(store, "me", 60000, &claims[i]));
        prefer(store, &claims[i], 0, (struct score){.value = 1, .pass = true});
        prefer(store, &claims[i], 1, (struct score){.missing = i == 3, .pass = i != 3});
        save_item(store, &claims[i]);
    }
    close_store(store);
    store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &again));
    assert_int_equal(again.place, 3);
    assert_int_equal(again.fence, 2);
    /* Whoever had it before is kept out. */
    prefer(store, &claims[3], 1, (struct score){.value = 1, .pass = true});
    assert_int_equal(store_flush(store, &error), GRAMC_OK);
    assert_true(read_preferences(store, 3).of[1].missing);
    assert_int_equal(store_refused(store), 1);
    prefer(store, &again, 1, (struct score){.value = 0});
    assert_int_equal(store_finish(store, &again), GRAMC_OK);
    assert_true(!read_preferences(store, 3).of[1].missing);
    assert_false(claim(store, "me", 60000, &again));
    close_store(store);
    store = open_store(*state);
    begin(store, &made);
    assert_false(claim(store, "me", 60000, &again));
    close_store(store);
    plan_free(&made.plan);
}

/* ## Online */

struct seen_exposures {
    struct store_exposure list[8];
    char units[8][40];
    size_t count;
};

static int see_exposure(void *ctx, const struct store_exposure *exposure) {
    struct seen_exposures *seen = ctx;
    assert_true(seen->count < 8);
    snprintf(seen->units[seen->count], sizeof seen->units[0], "%.*s", TEXT_ARGS(exposure->unit));
    seen->list[seen->count++] = *exposure;
    return 0;
}

static struct seen_exposures read_exposures(struct store *store) {
    struct seen_exposures seen = {.count = 0};
    struct store_error error;
    if (store_exposures(store, see_exposure, &seen, &error)) fail_msg("%s", error.message);
    return seen;
}

static struct store_claim expose(struct store *store, const char *unit, uint32_t arm,
                                 double covariate) {
    const struct store_exposure exposure = {
        .unit = text_of(unit), .arm = arm, .covariate = covariate, .begun_ms = 1234567890123};
    struct store_claim claimed;
    struct store_error error;
    if (store_expose(store, &exposure, &claimed, &error)) fail_msg("%s", error.message);
    return claimed;
}

/* Places count up over restarts; what was exposed is there without its end. */
static void messages_are_known_before_they_end(void **state) {
    struct made made;
    struct store_error error;
    make(&made, 1);
    plan_free(&made.plan);
    made.cases.count = 0;
    assert_int_equal(plan_make(&made.plan, &made.experiment, &made.cases, NULL, NULL), 0);
    struct store *store = open_store(*state);
    begin(store, &made);
    struct store_claim first = expose(store, "ann", 1, (double)NAN);
    assert_int_equal(first.place, 0);
    struct store_claim second = expose(store, "bob", 0, -2.5);
    assert_int_equal(second.place, 1);
    save(store, &first, 0, 1, 1, CELL_DONE);
    save(store, &first, 0, 1, 2, CELL_DONE);
    assert_int_equal(store_finish(store, &first), GRAMC_OK);
    save(store, &second, 0, 0, 1, CELL_DONE);
    assert_int_equal(store_finish(store, &second), GRAMC_OK);
    assert_int_equal(store_flush_within(store, 5000, &error), GRAMC_OK);
    assert_int_equal(store_feedback(store, 0, 1, &error), GRAMC_OK);
    assert_int_equal(store_feedback(store, 0, 0.5, &error), GRAMC_OK);
    assert_int_equal(store_close(store, &error), GRAMC_OK);
    store = open_store(*state);
    begin(store, &made);
    assert_int_equal(expose(store, "ann", 1, 7).place, 2);
    const struct seen_exposures seen = read_exposures(store);
    assert_int_equal(seen.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(seen.units[i], i == 1 ? "bob" : "ann");
        assert_int_equal(seen.list[i].place, i);
        assert_int_equal(seen.list[i].arm, i != 1);
        assert_int_equal(seen.list[i].begun_ms, 1234567890123);
        assert_int_equal(seen.list[i].ended, i < 2);
        assert_int_equal(isnan(seen.list[i].feedback), i != 0);
    }
    assert_true(isnan(seen.list[0].covariate) && seen.list[1].covariate == -2.5);
    assert_true(seen.list[0].feedback == 0.75);
    /* Feedback on what was never there. */
    assert_int_not_equal(store_feedback(store, 77, 1, &error), GRAMC_OK);
    assert_int_equal(store_close(store, &error), GRAMC_OK);
    plan_free(&made.plan);
}

static void another_plan_is_refused(void **state) {
    struct made made, other;
    struct store_error error;
    make(&made, 1);
    make(&other, 2);
    struct store *store = open_store(*state);
    begin(store, &made);
    close_store(store);
    store = open_store(*state);
    assert_int_equal(store_begin(store, TEXT("t"), &other.plan, TEXT(""), &error), GRAMC_AMBIGUOUS);
    assert_non_null(strstr(error.message, "another plan"));
    assert_int_equal(store_begin(store, TEXT("u"), &other.plan, TEXT(""), &error), GRAMC_OK);
    close_store(store);
    plan_free(&made.plan);
    plan_free(&other.plan);
}

static void it_is_read_without_its_plan(void **state) {
    struct made made;
    struct store_claim claimed;
    struct store_error error;
    make(&made, 1);
    struct store *store = open_store(*state);
    begin(store, &made);
    assert_true(claim(store, "me", 60000, &claimed));
    save_item(store, &claimed);
    close_store(store);
    store = open_store(*state);
    assert_int_equal(store_take_up(store, TEXT("nobody"), &error), GRAMC_NOT_FOUND);
    assert_int_equal(store_take_up(store, TEXT("t"), &error), GRAMC_OK);
    assert_int_equal(read_all(store, &made).count, 4);
    close_store(store);
    plan_free(&made.plan);
}

/* ## What happens to a file */

static void a_second_process_is_kept_out(void **state) {
    const struct place *place = *state;
    struct made made;
    struct store_error error;
    if (!place->is_file) return;
    make(&made, 1);
    struct store *first = open_store(place), *second = open_store(place);
    begin(first, &made);
    assert_int_equal(store_begin(second, TEXT("t"), &made.plan, TEXT(""), &error), GRAMC_LIMIT);
    assert_non_null(strstr(error.message, "another process"));
    assert_int_equal(store_take_up(second, TEXT("t"), &error), GRAMC_OK); /* to be read */
    close_store(first);
    begin(second, &made);
    close_store(second);
    plan_free(&made.plan);
}

/* Claims and saves until it is killed, and tells how many items it has seen committed. */
static void work_until_killed(const struct place *place, const struct made *made, int out) {
    struct store *store;
    struct store_error error;
    struct store_claim claimed;
    bool got;
    if (store_open(&store, text_of(place->path), NULL, &error)) _exit(1);
    if (store_begin(store, TEXT("t"), &made->plan, TEXT(""), &error)) _exit(2);
    for (char items = 0;; items++) {
        if (store_claim(store, TEXT("child"), 60000, &claimed, &got, &error) || !got) break;
        save_item(store, &claimed);
        if (items % 2 && store_flush(store, &error)) _exit(3);
        if (items % 2 && write(out, &items, 1) != 1) _exit(4);
    }
    close(out); /* nothing is left to tell: nobody must wait for it */
    for (;;) pause();
}

static void a_killed_process_loses_nothing_committed(void **state) {
    const struct place *place = *state;
    const struct timespec step = {0, 700 * 1000};
    struct made made;
    make(&made, 1);
    for (int round = 0; round < 8; round++) {
        int pipes[2];
        char item, committed = -1;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) work_until_killed(place, &made, pipes[1]);
        close(pipes[1]);
        for (int i = 0; i < round; i++) nanosleep(&step, NULL);
        if (round % 2 && read(pipes[0], &item, 1) == 1) committed = item;
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (read(pipes[0], &item, 1) == 1) committed = item;
        close(pipes[0]);
        struct store *store = open_store(place);
        begin(store, &made);
        struct seen seen = read_all(store, &made);
        assert_true((int)seen.count >= 4 * (committed + 1));
        close_store(store);
    }
    plan_free(&made.plan);
}

static void put(const struct place *place, const char *bytes, size_t len) {
    FILE *file = fopen(place->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void expect_refused(const struct place *place, const char *why) {
    struct store *store;
    struct store_error error;
    gramc_status status = store_open(&store, text_of(place->path), NULL, &error);
    assert_int_not_equal(status, GRAMC_OK);
    assert_null(store);
    if (!strstr(error.message, why)) fail_msg("%s", error.message);
}

static void other_files_are_refused(void **state) {
    struct place *place = *state;
    struct made made;
    char header[100];
    if (!place->is_file) return;
    put(place, "This is a letter to somebody, not a database of anything at all.", 64);
    expect_refused(place, "no database");
    unlink(place->path);
    make(&made, 1);
    struct store *store = open_store(place);
    begin(store, &made);
    close_store(store);
    FILE *file = fopen(place->path, "r+b"); /* user_version: 4 bytes at 60, big-endian */
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    header[60] = 0, header[61] = 0, header[62] = 1, header[63] = 0;
    rewind(file);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    expect_refused(place, "newer gramc");
    char folder[PATH];
    snprintf(folder, sizeof folder, "%s", place->folder);
    struct store_error error;
    assert_int_not_equal(store_open(&store, text_of(folder), NULL, &error), GRAMC_OK);
    assert_int_not_equal(store_open(&store, TEXT("/nowhere/at/all.db"), NULL, &error), GRAMC_OK);
    plan_free(&made.plan);
}

/* As on a full disk: no file may grow further. */
static void no_room_stops_it_and_says_so(void **state) {
    struct place *place = *state;
    struct made made;
    struct store_claim claimed;
    struct store_error error = {""};
    struct rlimit before, small = {64 * 1024, 0};
    if (!place->is_file) return;
    make(&made, 1);
    struct store *store = open_store(place);
    begin(store, &made);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    char *large = calloc(1, 200001);
    assert_non_null(large);
    memset(large, 'x', 200000);
    assert_true(claim(store, "me", 60000, &claimed));
    const struct attempt attempt = {
        .number = 1, .outcome = TEXT("answered"), .answer = {large, 200000}};
    assert_int_equal(store_save(store, &claimed, &attempt), GRAMC_OK);
    assert_int_not_equal(store_flush(store, &error), GRAMC_OK);
    assert_true(error.message[0]);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_not_equal(store_health(store, &error), GRAMC_OK);
    assert_int_not_equal(store_close(store, &error), GRAMC_OK);
    free(large);
    store = open_store(place); /* and what was there is as it was */
    begin(store, &made);
    assert_int_equal(read_all(store, &made).count, 0);
    close_store(store);
    plan_free(&made.plan);
}

/* ## What happens to a server */

static void work_to_the_end(const struct place *place, const struct made *made, const char *owner) {
    struct store *store;
    struct store_error error;
    struct store_claim claimed;
    bool got = true;
    if (store_open(&store, text_of(place->path), NULL, &error)) _exit(1);
    if (store_begin(store, TEXT("t"), &made->plan, TEXT(""), &error)) _exit(2);
    while (!store_claim(store, text_of(owner), 60000, &claimed, &got, &error) && got)
        save_item(store, &claimed);
    _exit(store_refused(store) || store_close(store, &error) ? 3 : 0);
}

/* Several processes, one plan: no item is done twice, and none is left. */
static void workers_share_the_items(void **state) {
    const struct place *place = *state;
    static const char *const owners[] = {"one", "two", "three", "four"};
    struct made made;
    int ended;
    if (place->is_file) return;
    make(&made, 1);
    for (size_t i = 0; i < 4; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) work_to_the_end(place, &made, owners[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_true(wait(&ended) > 0);
        assert_int_equal(ended, 0);
    }
    struct store *store = open_store(place);
    begin(store, &made);
    struct seen seen = read_all(store, &made);
    assert_int_equal(seen.count, ITEMS * 4);
    assert_int_equal(seen.done, ITEMS * 4);
    close_store(store);
    plan_free(&made.plan);
}

/* All connections break: whatever was under way is done over the next ones. */
static void a_server_that_is_gone_is_waited_for(void **state) {
    const struct place *place = *state;
    struct made made;
    struct store_claim claimed;
    char command[3 * PATH];
    if (place->is_file) return;
    make(&made, 1);
    struct store *store = open_store(place);
    begin(store, &made);
    snprintf(command, sizeof command,
             "psql -q -d '%s' -c 'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
             "WHERE datname=current_database() AND pid<>pg_backend_pid()' >/dev/null",
             place->path);
    for (int i = 0; i < 3; i++) {
        assert_true(claim(store, "me", 60000, &claimed));
        assert_int_equal(system(command), 0);
        save_item(store, &claimed);
    }
    assert_int_equal(store_refused(store), 0);
    assert_int_equal(system(command), 0);
    assert_int_equal(store_heartbeat(store, TEXT("me"), 1000), GRAMC_OK);
    assert_int_equal(read_all(store, &made).count, 12);
    close_store(store);
    plan_free(&made.plan);
}

/* What is wrong with an address is said without the password that stands in it; nothing is opened
 * under such a name. */
static void addresses_are_refused_without_their_secrets(void **state) {
    static const char *const addresses[] = {
        "postgresql://u:s3cret@[::1]x/db",
        "postgresql://u:s3cret@[::1",
        "postgresql://u:s3cret@[]/db",
        "postgresql://u:s3cret%zz@127.0.0.1/db",
        "postgresql://u:s3cret%@127.0.0.1/db",
        "postgresql://u:s3cret%00@127.0.0.1/db",
        "postgresql://u:x@127.0.0.1/db?s3cret=1",
        "postgresql://u:x@127.0.0.1/db?s3cret",
        "postgresql://u:x@127.0.0.1/db?a=b=s3cret",
        "postgresql://u:x@127.0.0.1/db?password=s3cret%x",
        "postgres:/u:s3cret@127.0.0.1/db",
        "postgresql:u:s3cret@127.0.0.1",
        "Postgres://u:s3cret@127.0.0.1/db",
        "POSTGRESQL://u:s3cret@127.0.0.1/db",
        "mysql://u:s3cret@127.0.0.1/db",
        "https://u:s3cret@127.0.0.1/db",
        "jdbc:postgresql://u:s3cret@127.0.0.1/db",
    };
    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct store *store;
        struct store_error error = {""};
        gramc_text where = text_of(addresses[i]);
        gramc_status status = store_open(&store, where, NULL, &error);
        assert_null(store);
        if (status != GRAMC_FINDINGS || !error.message[0] || strstr(error.message, "s3cret"))
            fail_msg("%s: %d, %s", addresses[i], (int)status, error.message);
        assert_int_equal(access(addresses[i], F_OK), -1);
        assert_int_equal(store_is_foreign(where), !store_is_server(where));
    }
    assert_false(store_is_foreign(TEXT("runs.db")));
    assert_false(store_is_foreign(TEXT("runs: one/runs.db")));
    assert_false(store_is_foreign(TEXT("")));
}

#define STORE_TEST(f) cmocka_unit_test_prestate_setup_teardown(f, set_up, tear_down, server)

/* The folder of a PostgreSQL server's socket, or nothing: files. */
int main(int argc, char **argv) {
    char *server = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        STORE_TEST(items_come_in_order_and_once),
        STORE_TEST(what_was_not_finished_is_claimed_again),
        STORE_TEST(an_old_fence_keeps_out),
        STORE_TEST(an_own_lease_is_not_claimed_again),
        STORE_TEST(an_item_is_read_alone),
        STORE_TEST(a_heartbeat_keeps_the_lease),
        STORE_TEST(the_newest_attempt_counts),
        STORE_TEST(missing_cells_open_their_item_again),
        STORE_TEST(a_preference_is_a_score_of_the_later_arm),
        STORE_TEST(a_missing_preference_opens_its_item_again),
        STORE_TEST(messages_are_known_before_they_end),
        STORE_TEST(another_plan_is_refused),
        STORE_TEST(it_is_read_without_its_plan),
        STORE_TEST(a_second_process_is_kept_out),
        STORE_TEST(a_killed_process_loses_nothing_committed),
        STORE_TEST(other_files_are_refused),
        STORE_TEST(no_room_stops_it_and_says_so),
        STORE_TEST(workers_share_the_items),
        STORE_TEST(a_server_that_is_gone_is_waited_for),
        cmocka_unit_test(addresses_are_refused_without_their_secrets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
