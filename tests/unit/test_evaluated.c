/* Runs of the strategy `evaluated` against scripted servers: by each protocol only the output is
 * streamed, each role asks its own model at its own price, and a run that ends in the middle of a
 * role leaves nothing behind. What the roles are told is in golden cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"
#include "tests/support/streams.h"

#define SSE "Content-Type: text/event-stream\r\n"
#define DECISION "{\\\"reason\\\":\\\"Done.\\\",\\\"decision\\\":\\\"FINISHED\\\"}"
#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { SERVERS = 3 };

/* One message to an agent with two tools. */
struct told {
    struct test_run run; /* first: the handler gets it */
    struct buf said;     /* the deltas, one behind the other, and who said them */
    struct buf roles;    /* of all requests */
};

struct how {
    const char *protocol;
    bool stream;
    uint32_t timeout_ms;
    struct mock_server *servers[SERVERS]; /* of generator, evaluator and output; the first of all */
    const gramc_prices *prices[SERVERS];
    double max_cost;
    const char *others[SERVERS]; /* protocols of evaluator and output; NULL: the same */
    bool untold;                 /* ... of which the binding does not hear */
    bool unnamed;                /* the evaluator's model is not given */
    size_t messages;             /* 0: one */
    const char *script;          /* a trace that answers, in place of the servers */
    const gramc_allocator *allocator;
};

static void on_event(void *ctx, const gramc_event *event) {
    struct told *told = (struct told *)ctx;
    if (event->kind == GRAMC_EVENT_DELTA) {
        assert_string_equal(event->role, "output");
        buf_text(&told->said, event->text);
    }
    if (event->kind != GRAMC_EVENT_REQUEST) return;
    buf_printf(&told->roles, "%s %.*s, ", event->role, TEXT_ARGS(event->model));
}

static gramc_status open_model(gramc_model **out, const struct how *how, size_t i) {
    static const char *const names[SERVERS] = {"OpenAI/m-1", "OpenAI/e-1", "OpenAI/o-1"};
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    endpoint.base_url = text_of(mock_url(how->servers[how->servers[i] ? i : 0]));
    endpoint.model = text_of(how->servers[i] ? names[i] : names[0]);
    endpoint.protocol = text_of(how->others[i] ? how->others[i] : how->protocol);
    endpoint.stream = how->stream;
    endpoint.max_retries = 0;
    endpoint.allocator = how->allocator;
    return gramc_model_new_endpoint(out, &endpoint);
}

static gramc_status start(struct told *told, const struct how *how, gramc_loop *loop,
                          const gramc_bound *bound, gramc_model *const models[SERVERS]) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(&told->run);
    const gramc_text messages[] = {TEXT("Hello"), TEXT("And now?")};
    const gramc_named_model named[] = {{TEXT("OpenAI/e-1"), models[1], how->prices[1]},
                                       {TEXT("OpenAI/o-1"), models[2], how->prices[2]}};
    handler.event = on_event;
    options.model = models[0];
    options.prices = how->prices[0];
    options.models = named + (how->unnamed ? 1 : 0);
    options.model_count = how->unnamed ? 1 : 2;
    options.messages = messages;
    options.message_count = how->messages ? how->messages : 1;
    options.timeout_ms = how->timeout_ms;
    options.max_cost = how->max_cost;
    options.trace = buf_writer(&told->run.trace);
    options.trace_without_times = true;
    return gramc_run_start(NULL, loop, bound, &options, &handler);
}

/* One answers in every role, as it was asked in each. */
static gramc_status open_script(gramc_model *models[SERVERS], const struct how *how,
                                gramc_named_protocol *named, gramc_bind_options *bind) {
    gramc_status status =
        gramc_model_new_script(&models[0], text_of(how->script), how->allocator, NULL);
    if (status) return status;
    models[1] = models[2] = models[0];
    bind->protocol = gramc_model_protocol(models[0]);
    for (size_t i = 0; i < 2; i++)
        named[i].protocol = gramc_model_protocol_of(models[0], named[i].model);
    return status;
}

static void free_models(gramc_model *models[SERVERS]) {
    for (size_t i = 0; i < SERVERS; i++)
        if (!i || models[i] != models[0]) gramc_model_free(models[i]);
}

static gramc_status drive(struct told *told, struct test_agent *test, const struct how *how) {
    gramc_named_protocol named[] = {{TEXT("OpenAI/e-1"), text_of(how->protocol)},
                                    {TEXT("OpenAI/o-1"), text_of(how->protocol)}};
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_model *models[SERVERS] = {NULL};
    gramc_bound *bound = NULL;
    gramc_loop *loop = NULL;
    for (size_t i = 0; i < 2; i++)
        if (how->others[i + 1]) named[i].protocol = text_of(how->others[i + 1]);
    bind.protocol = text_of(how->protocol);
    bind.protocols = named;
    bind.protocol_count = how->untold ? 0 : 2;
    bind.allocator = loop_options.allocator = how->allocator;
    gramc_status status = how->script ? open_script(models, how, named, &bind) : GRAMC_OK;
    for (size_t i = 0; i < SERVERS && !status && !how->script; i++)
        status = open_model(&models[i], how, i);
    if (!status) status = gramc_bind(&bound, &test->agent, &test->library, &bind);
    if (!status) status = gramc_loop_new(&loop, &loop_options);
    if (!status) status = start(told, how, loop, bound, models);
    if (!status) status = gramc_loop_run(loop);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    free_models(models);
    return status;
}

static gramc_status try_run(struct told *told, const struct how *how) {
    static const char parameters[] = "{\"type\":\"object\",\"properties\":{}}";
    struct test_agent test;
    test_agent_init(&test);
    test_tool(&test, "sayHello",
              "{\"type\":\"object\",\"properties\":{\"personName\":{\"type\":\"string\"}}}",
              "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_tool(&test, "add", parameters, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&test, "sayHello", "hello");
    test_returns(&test, "add", "3");
    test.agent.strategy = TEXT("evaluated");
    test.agent.model = TEXT("OpenAI/m-1");
    test.agent.max_rounds = 2;
    if (how->servers[1] || how->script) test.agent.evaluator_model = TEXT("OpenAI/e-1");
    if (how->servers[2] || how->script) test.agent.output_model = TEXT("OpenAI/o-1");
    memset(told, 0, sizeof *told);
    test_run_init(&told->run);
    buf_init(&told->said, NULL, 1 << 24);
    buf_init(&told->roles, NULL, 1 << 16);
    gramc_status status = drive(told, &test, how);
    buf_putc(&told->said, '\0');
    buf_putc(&told->roles, '\0');
    buf_putc(&told->run.trace, '\0');
    test_agent_free(&test);
    return status;
}

static void told_free(struct told *told) {
    test_run_free(&told->run);
    buf_free(&told->said);
    buf_free(&told->roles);
}

static const struct recorded *next_of(const struct recorded *from, const char *protocol) {
    while (from->protocol && strcmp(from->protocol, protocol) != 0) from++;
    assert_non_null(from->protocol);
    return from;
}

/* ## Each protocol */

#define CHAT_CALL                                                                                  \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":" \
    "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]},"        \
    "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"  \
    "\"total_tokens\":15}}"
#define CHAT_DECISION                                                                              \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"" DECISION                   \
    "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"    \
    "\"total_tokens\":15}}"

static const struct {
    const char *protocol, *call, *decision;
    const char *path; /* that it is asked by */
    const char *none; /* how the evaluator is told to call nothing; NULL: it gets no tools */
} protocols[] = {
    {"chat", CHAT_CALL, CHAT_DECISION, "/chat/completions", "\"tool_choice\":\"none\""},
    {"responses",
     "{\"status\":\"completed\",\"output\":[{\"type\":\"function_call\",\"call_id\":\"c1\","
     "\"name\":\"add\",\"arguments\":\"{}\"}]}",
     "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\","
     "\"content\":[{\"type\":\"output_text\",\"text\":\"" DECISION "\"}]}]}",
     "/responses", "\"tool_choice\":\"none\""},
    {"messages",
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":"
     "\"c1\",\"name\":\"add\",\"input\":{}}],\"stop_reason\":\"tool_use\"}",
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
     "\"" DECISION "\"}],\"stop_reason\":\"end_turn\"}",
     "/messages", "\"tool_choice\":{\"type\":\"none\"}"},
    {"gemini",
     "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":"
     "\"add\",\"args\":{}}}]},\"finishReason\":\"STOP\"}]}",
     "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"" DECISION
     "\"}]},\"finishReason\":\"STOP\"}]}",
     "enerateContent", "\"mode\":\"NONE\""},
    {"ollama",
     "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":"
     "{\"name\":\"add\",\"arguments\":{}}}]},\"done\":true,\"done_reason\":\"stop\"}",
     "{\"message\":{\"role\":\"assistant\",\"content\":\"" DECISION
     "\"},\"done\":true,\"done_reason\":\"stop\"}",
     "/api/chat", NULL}};

static bool is_streamed(struct mock_server *server, size_t i) {
    return strstr(mock_body(server, i), "\"stream\":true") ||
           strstr(mock_head(server, i), "streamGenerateContent");
}

static void output_alone_is_streamed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(protocols); i++) {
        const struct recorded *calls = next_of(recorded_streams, protocols[i].protocol);
        const struct recorded *text = next_of(calls + 1, protocols[i].protocol);
        const struct mock_answer answers[] = {{.body = protocols[i].call},
                                              {.body = protocols[i].decision},
                                              {.headers = SSE, .body = text->stream}};
        struct mock_server *server = mock_start(answers, COUNT(answers));
        const struct how how = {
            .protocol = protocols[i].protocol, .stream = true, .servers = {server}};
        struct told told;
        assert_int_equal(try_run(&told, &how), GRAMC_OK);
        assert_int_equal(mock_count(server), 3);
        assert_string_equal(told.roles.ptr, "generator m-1, evaluator m-1, output m-1, ");
        assert_false(is_streamed(server, 0));
        assert_false(is_streamed(server, 1));
        assert_true(is_streamed(server, 2));
        const char *asked = mock_body(server, 1);
        if (protocols[i].none) assert_non_null(strstr(asked, protocols[i].none));
        assert_true((strstr(asked, "\"tools\"") != NULL) == (protocols[i].none != NULL));
        assert_null(strstr(mock_body(server, 2), "\"tools\""));
        assert_non_null(strstr(told.said.ptr, text->said));
        assert_string_equal(told.said.ptr, told.run.text);
        assert_non_null(strstr(told.run.trace.ptr, "\"role\":\"evaluator\""));
        told_free(&told);
        mock_stop(server);
    }
}

/* ## Each role its model */

#define CHAT_TEXT                                                                                  \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Three.\"},"                  \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"        \
    "\"total_tokens\":15}}"

/* One server a role, each with one answer. */
static void open_servers(struct how *how, const struct mock_answer answers[SERVERS]) {
    for (size_t i = 0; i < SERVERS; i++) how->servers[i] = mock_start(&answers[i], 1);
}

static void close_servers(struct how *how) {
    for (size_t i = 0; i < SERVERS; i++) mock_stop(how->servers[i]);
}

static const struct mock_answer of_roles[SERVERS] = {
    {.body = CHAT_CALL}, {.body = CHAT_DECISION}, {.body = CHAT_TEXT}};

static void models_of_roles(void **state) {
    const gramc_prices cheap = {1, 0, -1}, dear = {100, 0, -1};
    struct how how = {.protocol = "chat", .prices = {&dear, &cheap, &cheap}};
    struct told told;
    (void)state;
    open_servers(&how, of_roles);
    assert_int_equal(try_run(&told, &how), GRAMC_OK);
    assert_int_equal(told.run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_string_equal(told.run.text, "Three.");
    assert_string_equal(told.roles.ptr, "generator m-1, evaluator e-1, output o-1, ");
    for (size_t i = 0; i < SERVERS; i++) assert_int_equal(mock_count(how.servers[i]), 1);
    assert_true(told.run.result.has_cost);
    assert_true(told.run.result.cost > 0.0010199 && told.run.result.cost < 0.0010201);
    assert_int_equal(told.run.result.total_tokens, 45);
    told_free(&told);
    close_servers(&how);
}

static void unknown_models_are_refused(void **state) {
    const gramc_prices price = {1, 1, -1};
    struct how rows[] = {{.protocol = "chat", .unnamed = true},
                         {.protocol = "chat", .others = {NULL, "messages"}, .untold = true},
                         {.protocol = "chat", .prices = {&price, &price, NULL}, .max_cost = 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct told told;
        open_servers(&rows[i], of_roles);
        assert_int_equal(try_run(&told, &rows[i]), GRAMC_USAGE);
        for (size_t s = 0; s < SERVERS; s++) assert_int_equal(mock_count(rows[i].servers[s]), 0);
        told_free(&told);
        close_servers(&rows[i]);
    }
}

/* ## Each role its protocol */

static void same_again(const struct how *lived, const struct told *first) {
    struct how how = *lived;
    struct told told;
    how.script = first->run.trace.ptr;
    how.stream = false;
    memset(how.servers, 0, sizeof how.servers);
    assert_int_equal(try_run(&told, &how), GRAMC_OK);
    assert_int_equal(told.run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_string_equal(told.run.text, first->run.text);
    assert_string_equal(told.roles.ptr, first->roles.ptr);
    told_free(&told);
}

static bool is_cut(const char *body) {
    return strstr(body, "MAX_TOKENS") || strstr(body, "max_") || strstr(body, "\"length\"");
}

/* Generator, evaluator and output by three protocols, for two messages: the second time what was
 * said before goes to each in its own form. What was recorded replays by the same three. */
static void protocols_of_roles(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(protocols); i++) {
        const size_t e = (i + 1) % COUNT(protocols), o = (i + 2) % COUNT(protocols);
        const struct recorded *calls = next_of(recorded_streams, protocols[o].protocol);
        const struct recorded *text = next_of(calls + 1, protocols[o].protocol);
        /* what was recorded as cut off is said in one piece */
        bool whole = is_cut(text->body);
        const struct mock_answer said = {.headers = whole ? NULL : SSE,
                                         .body = whole ? protocols[o].decision : text->stream};
        const struct mock_answer of_each[SERVERS][2] = {
            {{.body = protocols[i].call}, {.body = protocols[i].call}},
            {{.body = protocols[e].decision}, {.body = protocols[e].decision}},
            {said, said}};
        const size_t by[SERVERS] = {i, e, o};
        struct how how = {.protocol = protocols[i].protocol,
                          .others = {NULL, protocols[e].protocol, protocols[o].protocol},
                          .stream = true,
                          .messages = 2};
        struct told told;
        for (size_t s = 0; s < SERVERS; s++) how.servers[s] = mock_start(of_each[s], 2);
        assert_int_equal(try_run(&told, &how), GRAMC_OK);
        assert_string_equal(told.run.message, "");
        assert_int_equal(told.run.outcome, GRAMC_OUTCOME_ANSWERED);
        for (size_t s = 0; s < SERVERS; s++) {
            assert_int_equal(mock_count(how.servers[s]), 2);
            assert_non_null(strstr(mock_head(how.servers[s], 1), protocols[by[s]].path));
            assert_true(is_streamed(how.servers[s], 1) == (s == 2));
            assert_non_null(strstr(mock_body(how.servers[s], 1), "And now?"));
        }
        assert_non_null(strstr(mock_body(how.servers[0], 1), "Hello"));
        assert_non_null(strstr(mock_body(how.servers[2], 1), "Hello"));
        const char *asked = mock_body(how.servers[1], 1);
        assert_true((strstr(asked, "\"tools\"") != NULL) == (protocols[e].none != NULL));
        assert_non_null(strstr(told.run.trace.ptr, "\"protocols\":[{\"model\":\"OpenAI/e-1\""));
        same_again(&how, &told);
        told_free(&told);
        close_servers(&how);
    }
}

/* ## Ends in the middle */

static void ends_in_each_role(void **state) {
    static const char *const roles[SERVERS] = {"generator m-1, ", "generator m-1, evaluator e-1, ",
                                               "generator m-1, evaluator e-1, output o-1, "};
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)SERVERS; i++) {
        bool hangs = i < SERVERS;
        struct mock_answer answers[SERVERS];
        struct how how = {.protocol = "chat", .timeout_ms = hangs ? 150 : 0};
        struct told told;
        memcpy(answers, of_roles, sizeof answers);
        if (hangs) answers[i].mode = MOCK_HANG;
        else answers[i % SERVERS] = (struct mock_answer){.status = 400, .body = "{}"};
        open_servers(&how, answers);
        assert_int_equal(try_run(&told, &how), GRAMC_OK);
        assert_int_equal(told.run.outcome,
                         hangs ? GRAMC_OUTCOME_TIMEOUT : GRAMC_OUTCOME_MODEL_ERROR);
        assert_string_equal(told.roles.ptr, roles[i % SERVERS]);
        told_free(&told);
        close_servers(&how);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_alone_is_streamed), cmocka_unit_test(models_of_roles),
        cmocka_unit_test(unknown_models_are_refused), cmocka_unit_test(protocols_of_roles),
        cmocka_unit_test(ends_in_each_role)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
