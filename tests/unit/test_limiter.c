/* Runs that ask one endpoint with one key: who waits, how long, and for whom nobody waits. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <uv.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define SAYS(text)                                                                                 \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"" text                       \
    "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":20,"   \
    "\"total_tokens\":50}}"
#define SLOW "{\"error\":{\"message\":\"slow down\"}}"

enum { RUNS = 4, TOO_LONG = 20000 };

/* A server, two models that ask it, and runs on one loop. */
struct scene {
    struct mock_server *server;
    struct test_agent test;
    gramc_model *models[2];
    gramc_bound *bound;
    gramc_loop *loop;
    struct test_run runs[RUNS];
    gramc_run *started[RUNS];
};

static gramc_model *ask_of(const struct scene *scene, gramc_endpoint_options options) {
    gramc_model *model;
    options.struct_size = sizeof options;
    options.base_url = text_of(mock_url(scene->server));
    options.model = TEXT("some-model");
    if (!options.timeout_ms) options.timeout_ms = TOO_LONG;
    options.retry_wait_ms = 1;
    assert_int_equal(gramc_model_new_endpoint(&model, &options), GRAMC_OK);
    return model;
}

static void open_scene(struct scene *scene, const struct mock_answer *answers, size_t count,
                       gramc_endpoint_options first, gramc_endpoint_options second) {
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    *scene = (struct scene){.server = mock_start(answers, count)};
    test_agent_init(&scene->test);
    bind.protocol = first.protocol;
    scene->models[0] = ask_of(scene, first);
    scene->models[1] = ask_of(scene, second);
    assert_int_equal(gramc_bind(&scene->bound, &scene->test.agent, NULL, &bind), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&scene->loop, NULL), GRAMC_OK);
    for (size_t i = 0; i < RUNS; i++) test_run_init(&scene->runs[i]);
}

#define OPEN(scene, answers, ...)                                                                  \
    open_scene((scene), (answers), sizeof(answers) / sizeof *(answers),                            \
               (gramc_endpoint_options){__VA_ARGS__}, (gramc_endpoint_options){__VA_ARGS__})

static void close_scene(struct scene *scene) {
    gramc_loop_free(scene->loop);
    gramc_bound_free(scene->bound);
    for (size_t i = 0; i < 2; i++) gramc_model_free(scene->models[i]);
    for (size_t i = 0; i < RUNS; i++) test_run_free(&scene->runs[i]);
    mock_stop(scene->server);
    test_agent_free(&scene->test);
}

/* The i-th run says its number. */
static void start(struct scene *scene, size_t i, const gramc_model *model, uint32_t timeout_ms,
                  gramc_run_handler handler) {
    static const gramc_text numbers[RUNS] = {
        {"run 0", 5}, {"run 1", 5}, {"run 2", 5}, {"run 3", 5}};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    options.model = model;
    options.messages = &numbers[i];
    options.message_count = 1;
    options.timeout_ms = timeout_ms;
    options.trace = buf_writer(&scene->runs[i].trace);
    assert_int_equal(
        gramc_run_start(&scene->started[i], scene->loop, scene->bound, &options, &handler),
        GRAMC_OK);
}

static void start_all(struct scene *scene) {
    for (size_t i = 0; i < RUNS; i++)
        start(scene, i, scene->models[i % 2], 0, test_handler(&scene->runs[i]));
}

static void turn(struct scene *scene) {
    assert_int_equal(gramc_loop_run(scene->loop), GRAMC_OK);
}

static void expect(const struct scene *scene, size_t i, gramc_outcome outcome) {
    const struct test_run *run = &scene->runs[i];
    if (run->outcome != outcome)
        fail_msg("run %zu: %s: %s", i, gramc_outcome_name(run->outcome), run->message);
}

/* Milliseconds that the run waited for its turn, as its trace says of its last attempt. */
static double queued(const struct scene *scene, size_t i) {
    static const char key[] = "\"queued_ms\":";
    const char *found = NULL;
    for (const char *at = scene->runs[i].trace.ptr; (at = strstr(at, key)); at++) found = at;
    return found ? strtod(found + strlen(key), NULL) : 0;
}

/* The n-th request was that of the run. */
static void expect_request(const struct scene *scene, size_t n, const char *run) {
    assert_true(n < mock_count(scene->server));
    if (!strstr(mock_body(scene->server, n), run))
        fail_msg("request %zu is %s", n, mock_body(scene->server, n));
}

/* ## Slots */

/* Nobody asks while the first one's answer is waited for, and then all do in order; the wait is not
 * part of their requests' time. */
static void one_at_a_time(void **state) {
    const struct mock_answer answers[] = {
        {.mode = MOCK_HANG}, {.body = SAYS("1")}, {.body = SAYS("2")}, {.body = SAYS("3")}};
    struct scene scene;
    (void)state;
    OPEN(&scene, answers, .max_concurrent = 1, .timeout_ms = 300);
    start_all(&scene);
    turn(&scene);
    expect(&scene, 0, GRAMC_OUTCOME_MODEL_ERROR);
    assert_true(queued(&scene, 0) < 1);
    for (size_t i = 1; i < RUNS; i++) {
        const char number[] = {'r', 'u', 'n', ' ', (char)('0' + i), '\0'};
        expect(&scene, i, GRAMC_OUTCOME_ANSWERED);
        expect_request(&scene, i, number);
        assert_true(queued(&scene, i) > 250);
        assert_true(scene.runs[i].result.model_ns < 250 * 1000000ULL);
    }
    close_scene(&scene);
}

/* Who has waited enough goes, and the others move up. */
static void waiting_can_be_ended(void **state) {
    const struct mock_answer answers[] = {{.mode = MOCK_HANG}, {.body = SAYS("3")}};
    struct scene scene;
    (void)state;
    OPEN(&scene, answers, .max_concurrent = 1, .timeout_ms = 400);
    for (size_t i = 0; i < RUNS; i++)
        start(&scene, i, scene.models[0], i == 1 ? 50 : 0, test_handler(&scene.runs[i]));
    gramc_run_cancel(scene.started[2]);
    turn(&scene);
    expect(&scene, 0, GRAMC_OUTCOME_MODEL_ERROR);
    expect(&scene, 1, GRAMC_OUTCOME_TIMEOUT);
    expect(&scene, 2, GRAMC_OUTCOME_CANCELED);
    expect(&scene, 3, GRAMC_OUTCOME_ANSWERED);
    expect_request(&scene, 1, "run 3");
    assert_int_equal(mock_count(scene.server), 2);
    close_scene(&scene);
}

static void freed_while_they_wait(void **state) {
    const struct mock_answer answers[] = {{.mode = MOCK_HANG}};
    struct scene scene;
    (void)state;
    OPEN(&scene, answers, .max_concurrent = 1);
    start_all(&scene);
    gramc_loop_interrupt(scene.loop);
    close_scene(&scene);
}

/* ## Several loops */

static void turn_on_thread(void *loop) {
    if (gramc_loop_run(loop)) abort();
}

/* A second scene's runs ask the same server with the same key, on a loop of another thread: while
 * the first one's answer is waited for, they wait, too. */
static void loops_share(gramc_limiter *limiter, bool waits) {
    const struct mock_answer answers[] = {
        {.mode = MOCK_HANG}, {.body = SAYS("1")}, {.body = SAYS("2")}, {.body = SAYS("3")}};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    struct scene scene;
    gramc_loop *loops[2];
    uv_thread_t thread;
    OPEN(&scene, answers, .max_concurrent = 1, .timeout_ms = 300);
    gramc_loop_free(scene.loop);
    options.limiter = limiter;
    for (size_t i = 0; i < 2; i++) assert_int_equal(gramc_loop_new(&loops[i], &options), GRAMC_OK);
    for (size_t i = 0; i < RUNS; i++) {
        scene.loop = loops[i % 2];
        start(&scene, i, scene.models[i % 2], 0, test_handler(&scene.runs[i]));
    }
    assert_int_equal(uv_thread_create(&thread, turn_on_thread, loops[0]), 0);
    while (mock_count(scene.server) == 0) uv_sleep(1);
    scene.loop = loops[1];
    turn(&scene);
    uv_thread_join(&thread);
    expect(&scene, 0, GRAMC_OUTCOME_MODEL_ERROR);
    for (size_t i = 1; i < RUNS; i++) expect(&scene, i, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(queued(&scene, 1) > 200, waits);
    assert_true(queued(&scene, 2) > 200);
    gramc_loop_free(loops[0]);
    close_scene(&scene);
}

static void on_several_loops(void **state) {
    gramc_limiter *limiter;
    (void)state;
    assert_int_equal(gramc_limiter_new(&limiter, NULL), GRAMC_OK);
    loops_share(limiter, true);
    gramc_limiter_free(limiter);
    loops_share(NULL, false);
}

/* ## Pauses */

/* Starts the second run as soon as the first one is refused. */
struct follower {
    struct scene *scene;
    const gramc_model *model;
};

static void follow(void *ctx, gramc_text line) {
    const struct follower *follower = ctx;
    (void)line;
    if (!follower->scene->started[1])
        start(follower->scene, 1, follower->model, 0, test_handler(&follower->scene->runs[1]));
}

static void no_end(void *ctx, const gramc_run_result *result) {
    (void)ctx;
    assert_int_equal(result->outcome, GRAMC_OUTCOME_ANSWERED);
}

static void refused_first(struct scene *scene, const gramc_model *follower) {
    struct follower second = {scene, follower};
    const gramc_run_handler handler = {.note = follow, .done = no_end, .ctx = &second};
    start(scene, 0, scene->models[0], 0, handler);
    turn(scene);
    expect(scene, 1, GRAMC_OUTCOME_ANSWERED);
}

static void all_wait_for_quiet(void **state) {
    static const char after[] = "retry-after-ms: 250\r\n";
    const struct mock_answer rows[][3] = {
        {{.status = 429, .headers = after, .body = SLOW}, {.body = SAYS("a")}, {.body = SAYS("b")}},
        {{.status = 503, .headers = after, .body = SLOW}, {.body = SAYS("a")}, {.body = SAYS("b")}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        OPEN(&scene, rows[i], .max_retries = 2);
        refused_first(&scene, scene.models[1]);
        assert_true(queued(&scene, 1) > 200);
        assert_int_equal(mock_count(scene.server), 3);
        close_scene(&scene);
    }
}

/* Of another key, or when only one request went wrong. */
static void nobody_else_waits(void **state) {
    static const char after[] = "retry-after-ms: 250\r\n";
    const struct mock_answer limited[] = {
        {.status = 429, .headers = after, .body = SLOW}, {.body = SAYS("a")}, {.body = SAYS("b")}};
    const struct mock_answer broken[] = {
        {.status = 500, .headers = after, .body = SLOW}, {.body = SAYS("a")}, {.body = SAYS("b")}};
    struct scene scene;
    (void)state;
    open_scene(&scene, limited, 3, (gramc_endpoint_options){.max_retries = 2},
               (gramc_endpoint_options){.max_retries = 2, .api_key = TEXT("another")});
    refused_first(&scene, scene.models[1]);
    assert_true(queued(&scene, 1) < 1);
    expect_request(&scene, 1, "run 1");
    close_scene(&scene);
    OPEN(&scene, broken, .max_retries = 2);
    refused_first(&scene, scene.models[1]);
    assert_true(queued(&scene, 1) < 1);
    expect_request(&scene, 1, "run 1");
    close_scene(&scene);
}

#define ANTHROPIC(what, left, reset)                                                               \
    "Date: Sun, 22 Nov 2026 12:00:00 GMT\r\nanthropic-ratelimit-" what "-remaining: " left         \
    "\r\nanthropic-ratelimit-" what "-reset: 2026-11-22T" reset "Z\r\n"
#define ANTHROPIC_SAYS                                                                             \
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}" \
    "],"                                                                                           \
    "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}"

static void headers_are_heeded(void **state) {
    static const struct {
        const char *headers;
        bool waits;
        bool anthropic;
    } rows[] = {
        {ANTHROPIC("requests", "0", "12:00:01"), true, true},
        {ANTHROPIC("input-tokens", "0", "12:00:01"), true, true},
        {ANTHROPIC("tokens", "1", "12:00:01"), false, true},
        {ANTHROPIC("output-tokens", "0", "11:59:59"), false, true},
        {"x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 250ms\r\n", true, false},
        {"X-RateLimit-Remaining-Tokens: 0\r\nX-RateLimit-Reset-Tokens: 0.25s\r\n", true, false},
        {"x-ratelimit-remaining-requests: 1\r\nx-ratelimit-reset-requests: 250ms\r\n", false,
         false},
        {"x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-tokens: 250ms\r\n", false, false},
        {"x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: later\r\n", false,
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *body = rows[i].anthropic ? ANTHROPIC_SAYS : SAYS("a");
        const struct mock_answer answers[] = {{.headers = rows[i].headers, .body = body},
                                              {.body = body}};
        struct scene scene;
        OPEN(&scene, answers, .max_retries = 0,
             .protocol = rows[i].anthropic ? TEXT("messages") : TEXT("chat"));
        start(&scene, 0, scene.models[0], 0, test_handler(&scene.runs[0]));
        turn(&scene);
        start(&scene, 1, scene.models[1], 0, test_handler(&scene.runs[1]));
        turn(&scene);
        expect(&scene, 1, GRAMC_OUTCOME_ANSWERED);
        if ((queued(&scene, 1) > 150) != rows[i].waits)
            fail_msg("row %zu: waited %f ms", i, queued(&scene, 1));
        close_scene(&scene);
    }
}

/* ## A minute */

/* The second one would wait for most of a minute. */
static void minutes_are_counted(void **state) {
    static const struct {
        uint32_t requests;
        uint64_t tokens;
        gramc_outcome second;
    } rows[] = {{1, 0, GRAMC_OUTCOME_TIMEOUT},
                {2, 0, GRAMC_OUTCOME_ANSWERED},
                {0, 49, GRAMC_OUTCOME_TIMEOUT}, /* the first one's answer says 50 */
                {0, 1000, GRAMC_OUTCOME_ANSWERED}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mock_answer answers[] = {{.body = SAYS("a")}, {.body = SAYS("b")}};
        struct scene scene;
        OPEN(&scene, answers, .requests_per_minute = rows[i].requests,
             .tokens_per_minute = rows[i].tokens);
        start(&scene, 0, scene.models[0], 0, test_handler(&scene.runs[0]));
        turn(&scene);
        bool waits = rows[i].second == GRAMC_OUTCOME_TIMEOUT;
        start(&scene, 1, scene.models[1], waits ? 100 : TOO_LONG, test_handler(&scene.runs[1]));
        turn(&scene);
        expect(&scene, 0, GRAMC_OUTCOME_ANSWERED);
        expect(&scene, 1, rows[i].second);
        assert_int_equal(mock_count(scene.server), waits ? 1 : 2);
        close_scene(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time),         cmocka_unit_test(waiting_can_be_ended),
        cmocka_unit_test(freed_while_they_wait), cmocka_unit_test(all_wait_for_quiet),
        cmocka_unit_test(nobody_else_waits),     cmocka_unit_test(headers_are_heeded),
        cmocka_unit_test(minutes_are_counted),   cmocka_unit_test(on_several_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
