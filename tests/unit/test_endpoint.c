/* Endpoints over HTTP: retries, broken answers, limits, keys, several runs at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/text.h"
#include "tests/stated.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define SAYS(text)                                                                                 \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"" text                       \
    "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,"     \
    "\"total_tokens\":5}}"
#define ERROR(text) "{\"error\":{\"message\":\"" text "\",\"type\":\"t\",\"code\":null}}"

static const char secret[] = "sk-planted-secret-0123456789";

/* One message to an agent without tools. */
struct asked {
    struct test_run run;
    size_t requests;
    char first_head[4096];
};

static void ask_within(struct asked *asked, const struct mock_answer *answers, size_t count,
                       gramc_endpoint_options options, uint32_t timeout_ms) {
    struct test_agent test;
    gramc_model *model;
    struct mock_server *server = mock_start(answers, count);
    test_agent_init(&test);
    test_run_init(&asked->run);
    options.struct_size = sizeof options;
    if (!options.base_url.len) options.base_url = text_of(mock_url(server));
    if (!options.retry_wait_ms) options.retry_wait_ms = 1;
    assert_int_equal(gramc_model_new_endpoint(&model, &options), GRAMC_OK);
    struct test_setup setup = {.agent = &test, .model = model, .messages = {"Hello"}};
    setup.timeout_ms = timeout_ms;
    assert_int_equal(test_run(&asked->run, &setup), GRAMC_OK);
    assert_int_equal(asked->run.done, 1);
    asked->requests = mock_count(server);
    asked->first_head[0] = '\0';
    if (asked->requests)
        snprintf(asked->first_head, sizeof asked->first_head, "%s", mock_head(server, 0));
    gramc_model_free(model);
    mock_stop(server);
    test_agent_free(&test);
}

static void ask(struct asked *asked, const struct mock_answer *answers, size_t count,
                gramc_endpoint_options options) {
    ask_within(asked, answers, count, options, 0);
}

static void expect(struct asked *asked, gramc_outcome outcome, size_t requests,
                   const char *message) {
    if (asked->run.outcome != outcome || strcmp(asked->run.message, message) != 0)
        fail_msg("ended as %s: %s", gramc_outcome_name(asked->run.outcome), asked->run.message);
    assert_int_equal(asked->requests, requests);
    assert_null(strstr(asked->run.trace.ptr, secret));
    test_run_free(&asked->run);
}

#define ASK(asked, answers, ...)                                                                   \
    ask(&(asked), (answers), sizeof(answers) / sizeof *(answers),                                  \
        (gramc_endpoint_options){.max_retries = 2, __VA_ARGS__})

static void one_answer(void **state) {
    const struct mock_answer answers[] = {{.body = SAYS("Hi")}};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .api_key = text_of(secret), .model = TEXT("OpenAI/some-model"));
    assert_string_equal(asked.run.answers.ptr, "Hi\n");
    assert_int_equal(asked.run.result.total_tokens, 5);
    assert_non_null(strstr(asked.first_head, "POST /v1/chat/completions HTTP/1.1\r\n"));
    assert_non_null(strstr(asked.first_head, "Authorization: Bearer sk-planted-secret"));
    assert_non_null(strstr(asked.first_head, "Content-Type: application/json\r\n"));
    assert_null(strstr(asked.first_head, "Expect:"));
    assert_non_null(strstr(asked.run.trace.ptr, "\"model\":\"some-model\""));
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 1, "");
}

static void no_key_no_header(void **state) {
    const struct mock_answer answers[] = {{.body = SAYS("Hi")}};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .api_key = TEXT(""));
    assert_null(strstr(asked.first_head, "Authorization"));
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 1, "");
}

static void retried(void **state) {
    const struct mock_answer rows[][2] = {
        {{.status = 429, .body = ERROR("slow down")}, {.body = SAYS("Hi")}},
        {{.status = 408, .body = ""}, {.body = SAYS("Hi")}},
        {{.status = 409, .body = ""}, {.body = SAYS("Hi")}},
        {{.status = 503, .body = "<html>"}, {.body = SAYS("Hi")}},
        {{.status = 400, .headers = "x-should-retry: true\r\n", .body = ""}, {.body = SAYS("Hi")}},
        {{.status = 300, .headers = "x-should-retry: true\r\n", .body = ""}, {.body = SAYS("Hi")}},
        {{.mode = MOCK_CUT, .body = SAYS("Half of this")}, {.body = SAYS("Hi")}},
        {{.mode = MOCK_CLOSE, .body = ""}, {.body = SAYS("Hi")}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asked asked;
        ASK(asked, rows[i], .timeout_ms = 5000);
        assert_int_equal(asked.run.result.retries, 1);
        assert_non_null(strstr(asked.run.trace.ptr, "\"wait_ms\":"));
        assert_true(asked.run.notes.len > 0);
        assert_string_equal(asked.run.answers.ptr, "Hi\n");
        expect(&asked, GRAMC_OUTCOME_ANSWERED, 2, "");
    }
}

/* Each wait is up to a quarter shorter than twice the one before; what the server asks for counts.
 */
static void i10_e4_waits(void **state) {
    const struct mock_answer down = {.status = 503, .body = ""};
    const struct mock_answer answers[] = {down, down, {.body = SAYS("Hi")}};
    const struct mock_answer asking[] = {
        {.status = 503, .headers = "retry-after-ms: 7\r\n", .body = ""}, {.body = SAYS("Hi")}};
    static const char before[] = "the model endpoint answered with status 503; trying again in ";
    struct asked asked;
    (void)state;
    ASK(asked, answers, .retry_wait_ms = 40);
    buf_putc(&asked.run.notes, '\0');
    char *at = asked.run.notes.ptr;
    for (unsigned most = 40; most <= 80; most *= 2) {
        assert_true(text_starts(text_of(at), before));
        unsigned long wait = strtoul(at + strlen(before), &at, 10);
        assert_true(wait >= most * 3 / 4 && wait <= most);
        assert_true(text_starts(text_of(at), " ms\n"));
        at += strlen(" ms\n");
    }
    assert_string_equal(at, "");
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 3, "");
    ASK(asked, asking, .retry_wait_ms = 40);
    buf_putc(&asked.run.notes, '\0');
    assert_string_equal(asked.run.notes.ptr,
                        "the model endpoint answered with status 503; trying again in 7 ms\n");
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 2, "");
}

static void given_up(void **state) {
    const struct mock_answer down = {.status = 500, .body = ERROR("down")};
    const struct mock_answer answers[] = {down, down, down, {.body = SAYS("too late")}};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .timeout_ms = 5000);
    expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 3,
           "the model endpoint answered with status 500: down");
}

static void not_retried(void **state) {
    static const struct {
        struct mock_answer answer;
        const char *message;
    } rows[] = {
        {{.status = 400, .body = ERROR("bad request")},
         "the model endpoint answered with status 400: bad request"},
        {{.status = 401, .body = ERROR("Incorrect API key: sk-planted-secret-0123456789.")},
         "the model endpoint answered with status 401: Incorrect API key: "
         "${env:OPENAI_API_KEY}."},
        {{.status = 500, .headers = "x-should-retry: false\r\n", .body = ERROR("no")},
         "the model endpoint answered with status 500: no"},
        {{.status = 429,
          .body = "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}"},
         "the model endpoint answered with status 429: pay"},
        {{.status = 429, .headers = "Retry-After: 3600\r\n", .body = ERROR("later")},
         "the model endpoint answered with status 429: later; it asks to wait 3600 s"},
        {{.status = 302, .headers = "Location: http://127.0.0.1:1/\r\n", .body = ""},
         "the model endpoint answered with status 302"},
        {{.headers = "Content-Type: text/html\r\n", .body = "<html>\r\n<b>hi</b>"},
         "the model endpoint: the answer is not a JSON object (text/html): <html> <b>hi</b>"},
        {{.body = "\xEF\xBB\xBF[1]"},
         "the model endpoint: the answer is not a JSON object (application/json): \\u{feff}[1]"},
        {{.body = " \n"},
         "the model endpoint: the answer is not a JSON object (application/json): it is empty"},
        {{.body = "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
                  "0123456789 0123456789 01234567 sk-planted-secret-0123456789 0123456789"},
         "the model endpoint: the answer is not a JSON object (application/json): 0123456789 "
         "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
         "01234567 ${env:OPE..."},
        {{.body = "{\"choices\":[]}"}, "the model endpoint: the answer's `choices` are empty"},
        {{.body = "{\"choices\":[{\"message\":"},
         "the model endpoint: the answer is not a JSON object (application/json): "
         "{\"choices\":[{\"message\":"},
        {{.body = ERROR("inside 200 sk-planted-secret-0123456789")},
         "the model endpoint: inside 200 ${env:OPENAI_API_KEY}"},
        {{.body = ERROR("inside 200")}, "the model endpoint: inside 200"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asked asked;
        ask(&asked, &rows[i].answer, 1,
            (gramc_endpoint_options){.max_retries = 2, .api_key = text_of(secret)});
        expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 1, rows[i].message);
    }
}

/* i10-a9: in the words of the system, and with what came before it. */
static void i10_a9_reset(void **state) {
    const struct mock_answer reset = {.mode = MOCK_RESET, .body = ""};
    const struct mock_answer answers[] = {reset, reset, reset};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .timeout_ms = 5000);
    expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 3,
           "the model endpoint cannot be reached: Recv failure: Connection reset by peer");
}

static void i10_a7_half_emoji(void **state) {
    const struct mock_answer answers[] = {{.body = SAYS("half \\ud83d")}};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .timeout_ms = 5000);
    assert_string_equal(asked.run.answers.ptr, "half \xEF\xBF\xBD\n");
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 1, "");
}

static void waits_as_told(void **state) {
    const struct mock_answer answers[] = {
        {.status = 429, .headers = "retry-after-ms: 150.5\r\n", .body = ""}, {.body = SAYS("Hi")}};
    struct asked asked;
    (void)state;
    ASK(asked, answers, .timeout_ms = 5000);
    assert_true(asked.run.result.duration_ns >= 150 * MS);
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 2, "");
}

/* At the limit it waits, until the run has no time left. */
static void i10_e2_longest_wait(void **state) {
    const struct mock_answer at[] = {
        {.status = 429, .headers = "retry-after-ms: 60000\r\n", .body = ERROR("later")}};
    const struct mock_answer past[] = {
        {.status = 429, .headers = "retry-after-ms: 60001\r\n", .body = ERROR("later")}};
    struct asked asked;
    (void)state;
    STATED(MODEL_WAIT_MAX_MS, 60000, "the run ends as model-error");
    ask_within(&asked, at, 1, (gramc_endpoint_options){.max_retries = 2}, 300);
    expect(&asked, GRAMC_OUTCOME_TIMEOUT, 1, "the run took longer than 300 ms");
    ask_within(&asked, past, 1, (gramc_endpoint_options){.max_retries = 2}, 5000);
    expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 1,
           "the model endpoint answered with status 429: later; it asks to wait 60 s");
}

/* No header that can be read means the client's own wait, one second means one. */
static void i10_e3_waits(void **state) {
    const struct mock_answer unclear[] = {
        {.status = 500, .headers = "retry-after-ms: soon\r\n", .body = ""}, {.body = SAYS("Hi")}};
    const struct mock_answer asking[] = {
        {.status = 429, .headers = "Retry-After: 1\r\n", .body = ""}, {.body = SAYS("Hi")}};
    struct asked asked;
    (void)state;
    ASK(asked, unclear, .retry_wait_ms = 400);
    assert_true(asked.run.result.duration_ns >= 290 * MS);
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 2, "");
    ASK(asked, asking, .retry_wait_ms = 1);
    assert_true(asked.run.result.duration_ns >= 990 * MS);
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 2, "");
}

static void limits(void **state) {
    const struct mock_answer big[] = {{.body = SAYS("Hi"), .padding = 100000}};
    const struct mock_answer silent[] = {{.mode = MOCK_HANG, .body = ""}};
    struct asked asked;
    (void)state;
    ASK(asked, big, .max_response = 50000);
    expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 1, "the model's answer is longer than 50000 bytes");
    ASK(asked, big, .max_response = 200000);
    expect(&asked, GRAMC_OUTCOME_ANSWERED, 1, "");
    ASK(asked, silent, .timeout_ms = 200);
    assert_int_equal(strncmp(asked.run.message, "the model endpoint did not answer in time", 41),
                     0);
    assert_int_equal(asked.run.outcome, GRAMC_OUTCOME_MODEL_ERROR);
    test_run_free(&asked.run);
}

/* The body in all, blanks behind it. */
static void i10_e2_size(void **state) {
    (void)state;
    STATED(MODEL_RESPONSE_MAX, 16 << 20, "the run ends as model-error");
    for (size_t more = 0; more < 2; more++) {
        const struct mock_answer answers[] = {
            {.body = SAYS("Hi"), .padding = MODEL_RESPONSE_MAX + more - strlen(SAYS("Hi"))}};
        struct asked asked;
        ASK(asked, answers, .max_response = 0);
        if (more)
            expect(&asked, GRAMC_OUTCOME_MODEL_ERROR, 1,
                   "the model's answer is longer than 16777216 bytes");
        else expect(&asked, GRAMC_OUTCOME_ANSWERED, 1, "");
    }
}

static void unreachable(void **state) {
    const struct mock_answer none[] = {{.body = ""}};
    struct asked asked;
    (void)state;
    ASK(asked, none, .base_url = TEXT("http://127.0.0.1:1/v1"));
    assert_int_equal(asked.run.outcome, GRAMC_OUTCOME_MODEL_ERROR);
    assert_int_equal(asked.run.result.retries, 2);
    assert_int_equal(
        strncmp(asked.run.message, "the model endpoint cannot be reached: Failed to connect", 55),
        0);
    test_run_free(&asked.run);
}

static void wrong_options(void **state) {
    static const struct {
        gramc_endpoint_options options;
        gramc_status status;
    } rows[] = {
        {{.base_url = {"ftp://host/", 11}}, GRAMC_USAGE},
        {{.base_url = {"file:///etc/passwd", 18}}, GRAMC_USAGE},
        {{.base_url = {"http://host/a b", 15}}, GRAMC_USAGE},
        {{.api_key = {"a\nInjected: yes", 15}}, GRAMC_USAGE},
        {{.model = {"Nobody/gpt", 10}}, GRAMC_NOT_FOUND},
        {{.model = {"oLLaMA/llama3", 13}}, GRAMC_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_endpoint_options options = rows[i].options;
        gramc_model *model;
        options.struct_size = sizeof options;
        assert_int_equal(gramc_model_new_endpoint(&model, &options), rows[i].status);
        gramc_model_free(model);
    }
}

/* A run of the whole loop is canceled while the server says nothing. */
static void canceled_while_waiting(void **state) {
    const struct mock_answer silent[] = {{.mode = MOCK_HANG, .body = ""}};
    struct mock_server *server = mock_start(silent, 1);
    struct test_agent test;
    struct test_run run;
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    gramc_model *model;
    (void)state;
    test_agent_init(&test);
    test_run_init(&run);
    options.base_url = text_of(mock_url(server));
    assert_int_equal(gramc_model_new_endpoint(&model, &options), GRAMC_OK);
    struct test_setup setup = {
        .agent = &test, .model = model, .messages = {"Hello"}, .timeout_ms = 150};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_TIMEOUT);
    gramc_model_free(model);
    mock_stop(server);
    test_run_free(&run);
    test_agent_free(&test);
}

struct many {
    size_t answered;
};

static void count_answer(void *ctx, const gramc_run_result *result) {
    struct many *many = ctx;
    many->answered += result->outcome == GRAMC_OUTCOME_ANSWERED;
}

static void many_at_once(void **state) {
    enum { RUNS = 200 };
    static struct mock_answer answers[RUNS];
    struct test_agent test;
    gramc_text message = TEXT("Hello");
    gramc_bound *bound;
    gramc_loop *loop;
    gramc_model *model;
    struct many many = {0};
    gramc_run_handler handler = {.done = count_answer, .ctx = &many};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < RUNS; i++) answers[i].body = SAYS("Hi");
    struct mock_server *server = mock_start(answers, RUNS);
    test_agent_init(&test);
    endpoint.base_url = text_of(mock_url(server));
    assert_int_equal(gramc_model_new_endpoint(&model, &endpoint), GRAMC_OK);
    assert_int_equal(gramc_bind(&bound, &test.agent, NULL, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(many.answered, RUNS);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    mock_stop(server);
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_answer),
        cmocka_unit_test(no_key_no_header),
        cmocka_unit_test(retried),
        cmocka_unit_test(i10_e4_waits),
        cmocka_unit_test(given_up),
        cmocka_unit_test(not_retried),
        cmocka_unit_test(i10_a9_reset),
        cmocka_unit_test(i10_a7_half_emoji),
        cmocka_unit_test(i10_e2_longest_wait),
        cmocka_unit_test(waits_as_told),
        cmocka_unit_test(limits),
        cmocka_unit_test(i10_e2_size),
        cmocka_unit_test(i10_e3_waits),
        cmocka_unit_test(unreachable),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(canceled_while_waiting),
        cmocka_unit_test(many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
