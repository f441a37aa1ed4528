/* Plans: every cell once, the same order for the same seed, arms that are first equally often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/plan.h"

enum { ID = 12 };

struct made {
    struct cases cases;
    struct item *items;
    char (*ids)[ID];
    gramc_arm arms[3];
    gramc_experiment experiment;
};

static void make(struct made *out, size_t count, uint32_t repeats, size_t arms) {
    *out = (struct made){.cases = {.count = count, .fingerprint = "cases"}};
    out->items = calloc(count, sizeof *out->items);
    out->ids = calloc(count, sizeof *out->ids);
    assert_true(out->items && out->ids);
    for (size_t i = 0; i < count; i++) {
        snprintf(out->ids[i], ID, "i%zu", i);
        out->items[i].id = text_of(out->ids[i]);
    }
    out->cases.items = out->items;
    out->arms[0].name = TEXT("a");
    out->arms[1].name = TEXT("b");
    out->arms[2].name = TEXT("c");
    out->experiment = (gramc_experiment){.name = TEXT("test"),
                                         .metric = TEXT("pass"),
                                         .seed = 42,
                                         .repeats = repeats,
                                         .arms = out->arms,
                                         .arm_count = arms};
}

static void unmake(struct made *made) {
    free(made->items);
    free(made->ids);
}

static void every_item_once(void **state) {
    struct made made;
    struct plan plan, other;
    bool seen[100] = {false};
    uint32_t moved = 0, differ = 0;
    (void)state;
    make(&made, 100, 3, 2);
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    made.experiment.seed = 43;
    assert_int_equal(plan_make(&other, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    for (uint32_t i = 0; i < 100; i++) {
        assert_false(seen[plan.order[i]]);
        seen[plan.order[i]] = true;
        moved += plan.order[i] != i;
        differ += plan.order[i] != other.order[i];
    }
    assert_true(moved > 80 && differ > 80);
    assert_int_equal(plan_cells(&plan), 600);
    assert_string_not_equal(plan.fingerprint, other.fingerprint);
    plan_free(&plan);
    plan_free(&other);
    unmake(&made);
}

static void arms_are_first_equally_often(void **state) {
    struct made made;
    struct plan plan;
    uint32_t first[3] = {0};
    (void)state;
    make(&made, 1000, 3, 3);
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    for (uint32_t item = 0; item < 1000; item++)
        for (uint32_t repeat = 0; repeat < 3; repeat++) {
            uint32_t arms[ARMS_MAX], again[ARMS_MAX];
            plan_arms(&plan, item, repeat, arms);
            plan_arms(&plan, item, repeat, again);
            assert_memory_equal(arms, again, 3 * sizeof *arms);
            assert_int_equal((1u << arms[0]) | (1u << arms[1]) | (1u << arms[2]), 7);
            first[arms[0]]++;
        }
    for (size_t i = 0; i < 3; i++) assert_in_range(first[i], 900, 1100); /* sigma is 26 */
    plan_free(&plan);
    unmake(&made);
}

static void seeds_follow_the_item_not_its_line(void **state) {
    struct made made;
    struct plan plan;
    (void)state;
    make(&made, 10, 2, 2);
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    uint32_t seed = plan_sampling_seed(&plan, 3, 1);
    assert_true(seed <= INT32_MAX);
    assert_int_not_equal(seed, plan_sampling_seed(&plan, 3, 0));
    assert_int_not_equal(seed, plan_sampling_seed(&plan, 4, 1));
    made.items[7].id = made.items[3].id;
    assert_int_equal(seed, plan_sampling_seed(&plan, 7, 1));
    plan_free(&plan);
    unmake(&made);
}

static void what_is_run_is_in_the_fingerprint(void **state) {
    struct made made;
    struct plan plan;
    char first[65];
    (void)state;
    make(&made, 10, 2, 2);
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    memcpy(first, plan.fingerprint, sizeof first);
    plan_free(&plan);
    made.experiment.concurrency = 8; /* how fast, not what */
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    assert_string_equal(plan.fingerprint, first);
    plan_free(&plan);
    made.arms[1].temperature = TEXT("0.5");
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    assert_string_not_equal(plan.fingerprint, first);
    plan_free(&plan);
    unmake(&made);
}

static void a_million_cells_are_planned_in_time(void **state) {
    struct made made;
    struct plan plan;
    uint64_t sum = 0;
    (void)state;
    make(&made, 100000, 5, 2);
    clock_t start = clock();
    assert_int_equal(plan_make(&plan, &made.experiment, &made.cases, NULL, NULL), GRAMC_OK);
    for (uint32_t place = 0; place < plan.items; place++)
        for (uint32_t repeat = 0; repeat < plan.repeats; repeat++) {
            uint32_t arms[ARMS_MAX];
            plan_arms(&plan, plan.order[place], repeat, arms);
            sum += arms[0] + plan_sampling_seed(&plan, plan.order[place], repeat);
        }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%llu cells in %.2f s\n", (unsigned long long)plan_cells(&plan), seconds);
    assert_true(sum > 0 && plan_cells(&plan) == 1000000);
    assert_true(seconds < 5);
    plan_free(&plan);
    unmake(&made);
}

/* Two plans, of which the second is compared with what the first has written of itself. */
static void expect_differ(struct made *one, struct made *two, const struct plan_runs *runs,
                          const struct plan_runs *other_runs, const char *wanted) {
    struct plan plan, other;
    struct arena arena;
    struct buf written, differ;
    arena_init(&arena, NULL);
    buf_init(&written, NULL, 1 << 16);
    buf_init(&differ, NULL, 1 << 16);
    assert_int_equal(plan_make(&plan, &one->experiment, &one->cases, runs, NULL), GRAMC_OK);
    assert_int_equal(plan_make(&other, &two->experiment, &two->cases, other_runs, NULL), GRAMC_OK);
    struct json_writer w = json_writer(&written);
    json_object_begin(&w);
    plan_parts_write(&w, &plan);
    json_object_end(&w);
    const struct json *told = json_parse(&arena, buf_view(&written), NULL);
    assert_int_equal(plan_parts_differ(&differ, &other, json_get(told, "parts")),
                     wanted[0] != '\0');
    assert_int_equal(strcmp(plan.fingerprint, other.fingerprint) == 0, wanted[0] == '\0');
    if (!text_is(buf_view(&differ), wanted)) fail_msg("%.*s", TEXT_ARGS(buf_view(&differ)));
    plan_free(&plan);
    plan_free(&other);
    buf_free(&written);
    buf_free(&differ);
    arena_free(&arena);
}

static void plans_say_in_what_they_differ(void **state) {
    static gramc_grader grader = {.name = {"well", 4}};
    struct made one, two;
    struct plan_arm arms[2] = {{.model = TEXT("m")}, {.model = TEXT("m")}},
                    others[2] = {{.model = TEXT("m")}, {.model = TEXT("n")}};
    const struct plan_runs runs = {arms, TEXT("")}, other_runs = {others, TEXT("")},
                           judged = {arms, TEXT("j")};
    (void)state;
    make(&one, 3, 2, 2);
    make(&two, 3, 2, 2);
    expect_differ(&one, &two, &runs, &runs, "");
    two.experiment.max_cost = TEXT("5"); /* a limit may be changed */
    two.experiment.concurrency = 9;
    expect_differ(&one, &two, &runs, &runs, "");
    expect_differ(&one, &two, &runs, &other_runs, "the model of arm b");
    expect_differ(&one, &two, &runs, &judged, "its graders");
    two.experiment.repeats = 3;
    expect_differ(&one, &two, &runs, &other_runs, "its settings, the model of arm b");
    two.experiment.repeats = 2;
    two.arms[0].temperature = TEXT("1");
    expect_differ(&one, &two, &runs, &runs, "the settings of arm a");
    two.arms[0].temperature = TEXT("");
    two.experiment.graders = &grader;
    two.experiment.grader_count = 1;
    expect_differ(&one, &two, &runs, &runs, "its graders");
    two.experiment.grader_count = 0;
    two.cases.fingerprint[0] = 'C';
    expect_differ(&one, &two, &runs, &runs, "its cases");
    unmake(&one);
    unmake(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_say_in_what_they_differ),
                                       cmocka_unit_test(every_item_once),
                                       cmocka_unit_test(arms_are_first_equally_often),
                                       cmocka_unit_test(seeds_follow_the_item_not_its_line),
                                       cmocka_unit_test(what_is_run_is_in_the_fingerprint),
                                       cmocka_unit_test(a_million_cells_are_planned_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
