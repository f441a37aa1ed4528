/* What goes over the wire, and what is understood of what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/protocol.h"
#include "tests/support/agent.h"

struct fixture {
    struct arena arena;
    struct buf out;
    struct conversation talk;
    gramc_agent agent;
};

static int set_up(void **state) {
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    arena_init(&fixture.arena, NULL);
    fixture.talk.protocol = &protocol_chat;
    buf_init(&fixture.out, NULL, 1 << 20);
    fixture.agent.parallel_tool_calls = -1;
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    buf_free(&fixture->out);
    return 0;
}

static void expect_request(struct fixture *fixture, gramc_wire wire, const char *tools,
                           const char *expected) {
    struct request request = {&fixture->agent,
                              TEXT("m"),
                              text_of(tools),
                              wire,
                              &fixture->talk,
                              fixture->agent.tool_choice,
                              TEXT(""),
                              fixture->agent.instruction,
                              0,
                              false,
                              fixture->agent.seed};
    buf_reset(&fixture->out);
    protocol_chat.request(&fixture->out, &request);
    assert_string_equal(fixture->out.ptr, expected);
}

static void plain_request(void **state) {
    struct fixture *f = *state;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("Say \"hi\"")));
    expect_request(f, GRAMC_WIRE_TOOLS, "",
                   "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Say "
                   "\\\"hi\\\"\"}]}");
    f->agent.instruction = TEXT("Be kind");
    f->agent.temperature = TEXT("1.0");
    f->agent.top_p = TEXT("0.5");
    f->agent.presence_penalty = TEXT("0.0");
    f->agent.frequency_penalty = TEXT("0.25");
    f->agent.max_tokens = TEXT("99");
    f->agent.seed = TEXT("7");
    f->agent.tool_choice = TEXT("auto");
    f->agent.parallel_tool_calls = 1;
    expect_request(
        f, GRAMC_WIRE_TOOLS, "",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be "
        "kind\"},{\"role\":\"user\",\"content\":\"Say \\\"hi\\\"\"}],\"temperature\":1.0,"
        "\"top_p\":0.5,\"presence_penalty\":0.0,\"frequency_penalty\":0.25,"
        "\"max_tokens\":99,\"seed\":7}");
}

#define HEAD "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]"

static void choices(void **state) {
    struct fixture *f = *state;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
    f->agent.parallel_tool_calls = 0;
    expect_request(f, GRAMC_WIRE_TOOLS, "[]", HEAD ",\"tools\":[],\"parallel_tool_calls\":false}");
    f->agent.tool_choice = TEXT("required");
    expect_request(f, GRAMC_WIRE_TOOLS, "[]",
                   HEAD ",\"tools\":[],\"tool_choice\":\"required\","
                        "\"parallel_tool_calls\":false}");
    expect_request(f, GRAMC_WIRE_FUNCTIONS, "[]", HEAD ",\"functions\":[]}");
    f->agent.tool_choice = TEXT("add");
    f->agent.parallel_tool_calls = -1;
    expect_request(f, GRAMC_WIRE_TOOLS, "[]",
                   HEAD ",\"tools\":[],\"tool_choice\":{\"type\":\"function\",\"function\":{"
                        "\"name\":\"add\"}}}");
    expect_request(f, GRAMC_WIRE_FUNCTIONS, "[]",
                   HEAD ",\"functions\":[],\"function_call\":{\"name\":\"add\"}}");
}

static gramc_status print_tools(struct fixture *f, bool functions, const gramc_tool *const *list,
                                size_t count, size_t *bad) {
    buf_reset(&f->out);
    return gramc_target_request(TEXT("openai"), functions, list, count, bad, &f->out.allocator,
                                buf_writer(&f->out));
}

static void tool_blocks(void **state) {
    struct fixture *f = *state;
    gramc_tool add = {.name = TEXT("add"),
                      .description = TEXT("Adds"),
                      .parameters = TEXT("{ \"type\": \"object\",\n \"properties\": {} }")};
    gramc_tool bare = {.name = TEXT("bare"), .parameters = TEXT("{}")};
    const gramc_tool *list[] = {&add, &bare};
    size_t bad;
    assert_int_equal(print_tools(f, false, list, 2, &bad), GRAMC_OK);
    assert_string_equal(
        f->out.ptr,
        "[{\"type\":\"function\",\"function\":{\"name\":\"add\",\"description\":\"Adds\","
        "\"parameters\":{\"type\":\"object\",\"properties\":{}}}},{\"type\":\"function\","
        "\"function\":{\"name\":\"bare\",\"parameters\":{}}}]");
    assert_int_equal(print_tools(f, true, list, 1, &bad), GRAMC_OK);
    assert_string_equal(f->out.ptr, "[{\"name\":\"add\",\"description\":\"Adds\",\"parameters\":"
                                    "{\"type\":\"object\",\"properties\":{}}}]");
    add.parameters = TEXT("no JSON");
    assert_int_equal(print_tools(f, false, (const gramc_tool *const[]){&bare, &add}, 2, &bad),
                     GRAMC_FINDINGS);
    assert_int_equal(bad, 1);
}

static void read(struct fixture *f, struct reply *reply, const char *body) {
    gramc_text why = {NULL, 0};
    gramc_status status = protocol_chat.reply(reply, &f->arena, text_of(body), &why);
    if (status) fail_msg("%s: %.*s", body, TEXT_ARGS(why));
}

/* An answer, put into the conversation, comes back as it was said. */
static void history(void **state) {
    struct fixture *f = *state;
    struct reply reply;
    const struct message *said;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
    read(f, &reply,
         "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"function_call\":{"
         "\"name\":\"add\",\"arguments\":\"{\\n  \\\"a\\\": 5\\n}\"}},\"finish_reason\":"
         "\"function_call\"}]}");
    assert_true(reply.legacy);
    said = conversation_assistant(&f->talk, &f->arena, &reply);
    assert_true(conversation_result(&f->talk, &f->arena, said, 0, TEXT("5"), false));
    read(f, &reply,
         "{\"choices\":[{\"message\":{\"content\":\"wait\",\"tool_calls\":[{\"id\":\"c9\",\"type\":"
         "\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"\"}},{\"id\":\"c9\","
         "\"function\":{\"name\":\"sub\",\"arguments\":\"{}\"}}]}}]}");
    assert_false(reply.legacy);
    said = conversation_assistant(&f->talk, &f->arena, &reply);
    assert_true(conversation_result(&f->talk, &f->arena, said, 0, TEXT("one"), false));
    assert_true(conversation_result(&f->talk, &f->arena, said, 1, TEXT("two"), false));
    expect_request(
        f, GRAMC_WIRE_FUNCTIONS, "",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"},{\"role\":"
        "\"assistant\",\"content\":null,\"function_call\":{\"name\":\"add\",\"arguments\":\"{\\n  "
        "\\\"a\\\": 5\\n}\"}},{\"role\":\"function\",\"content\":\"5\",\"name\":\"add\"},{\"role\":"
        "\"assistant\",\"content\":\"wait\",\"tool_calls\":[{\"id\":\"c9\",\"type\":\"function\","
        "\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}},{\"id\":\"call_1\",\"type\":"
        "\"function\",\"function\":{\"name\":\"sub\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\","
        "\"tool_call_id\":\"c9\",\"content\":\"one\"},{\"role\":\"tool\",\"tool_call_id\":"
        "\"call_1\",\"content\":\"two\"}]}");
}

static void forced_choice_ends(void **state) {
    struct fixture *f = *state;
    gramc_model_call call = {TEXT("a"), TEXT("add"), TEXT("{}"), false};
    struct reply reply = {.calls = &call, .call_count = 1};
    f->agent.tool_choice = TEXT("required");
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
    const struct message *said = conversation_assistant(&f->talk, &f->arena, &reply);
    assert_true(conversation_result(&f->talk, &f->arena, said, 0, TEXT("5"), false));
    struct request request = {&f->agent,
                              TEXT("m"),
                              TEXT("[]"),
                              GRAMC_WIRE_TOOLS,
                              &f->talk,
                              f->agent.tool_choice,
                              TEXT(""),
                              TEXT(""),
                              0,
                              false,
                              f->agent.seed};
    protocol_chat.request(&f->out, &request);
    assert_non_null(strstr(f->out.ptr, "\"tool_choice\":\"auto\""));
}

static void odd_answers(void **state) {
    struct fixture *f = *state;
    struct reply reply;
    read(f, &reply,
         "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
         "\"text\",\"text\":\"b\"}],\"refusal\":null},\"finish_reason\":\"length\"}],\"usage\":{"
         "\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}}");
    assert_true(text_is(reply.content, "ab"));
    assert_int_equal(reply.finish, FINISH_LENGTH);
    assert_int_equal(reply.usage.total, 7);
    read(f, &reply,
         "{\"choices\":[{\"message\":{\"content\":\"\",\"tool_calls\":[{\"name\":\"add\","
         "\"arguments\":{\"a\":1.0}}]},\"finish_reason\":\"tool\"}]}");
    assert_int_equal(reply.call_count, 1);
    assert_true(text_is(reply.calls[0].name, "add"));
    assert_true(text_is(reply.calls[0].arguments, "{\"a\":1.0}"));
    assert_int_equal(reply.calls[0].id.len, 0);
    read(f, &reply,
         "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"type\":\"custom\",\"id\":"
         "\"x\",\"custom\":{\"name\":\"shell\",\"input\":\"ls\"}}]}}]}");
    assert_true(text_is(reply.calls[0].name, "shell"));
    read(f, &reply, "{\"choices\":[{\"message\":{\"content\":\"hi\",\"tool_calls\":[]}}]}");
    assert_int_equal(reply.call_count, 0);
}

static void no_answers(void **state) {
    static const struct {
        const char *body, *why;
    } rows[] = {
        {"<html>", "the answer is not a JSON object"},
        {"[]", "the answer is not a JSON object"},
        {"{}", "the answer has no `choices`"},
        {"{\"choices\":[]}", "the answer's `choices` are empty"},
        {"{\"choices\":[{}]}", "the answer's first choice has no `message`"},
        {"{\"choices\":[null]}", "the answer's first choice has no `message`"},
        {"{\"error\":{\"message\":\"too long\"}}", "too long"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply reply;
        gramc_text why = {NULL, 0};
        assert_int_equal(protocol_chat.reply(&reply, &f->arena, text_of(rows[i].body), &why),
                         GRAMC_FINDINGS);
        assert_true(text_is(why, rows[i].why));
    }
}

static void error_bodies(void **state) {
    static const struct {
        const char *body, *message, *code;
    } rows[] = {
        {"{\"error\":{\"message\":\"no key\",\"type\":\"auth\",\"param\":null,\"code\":\"bad\"}}",
         "no key", "bad"},
        {"{\"error\":{\"code\":500,\"message\":\"needs --jinja\",\"type\":\"server_error\"}}",
         "needs --jinja", "500"},
        {"{\"object\":\"error\",\"message\":\"vllm\",\"code\":400}", "vllm", "400"},
        {"{\"error\":\"ollama\"}", "ollama", ""},
        {"{\"error\":{\"message\":\"Pay\",\"type\":\"insufficient_quota\",\"code\":null}}", "Pay",
         "insufficient_quota"},
        {"<html>\n <title>Bad\tGateway</title>", "<html>\n <title>Bad\tGateway</title>", ""},
        {"", "", ""},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_text code;
        gramc_text message = protocol_error(&f->arena, text_of(rows[i].body), &code);
        assert_true(text_is(message, rows[i].message));
        assert_true(text_is(code, rows[i].code));
    }
}

static void add_round(struct fixture *f, const char *result) {
    gramc_model_call calls[2] = {{.name = TEXT("a"), .arguments = TEXT("{}")},
                                 {.name = TEXT("b"), .arguments = TEXT("{}")}};
    struct reply reply = {.calls = calls, .call_count = 2};
    const struct message *said = conversation_assistant(&f->talk, &f->arena, &reply);
    assert_non_null(said);
    assert_true(conversation_result(&f->talk, &f->arena, said, 0, text_of(result), false));
    assert_true(conversation_result(&f->talk, &f->arena, said, 1, text_of(result), false));
}

/* Results never stand without their calls, the question never goes. */
static void trimming(void **state) {
    struct fixture *f = *state;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("one")));
    add_round(f, "r1");
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("two")));
    add_round(f, "r2");
    add_round(f, "r3");
    conversation_trim(&f->talk, 0);
    assert_int_equal(f->talk.count, 11);
    conversation_trim(&f->talk, 10);
    assert_int_equal(f->talk.count, 7);
    assert_true(text_is(f->talk.first->content, "two"));
    conversation_trim(&f->talk, 6);
    assert_int_equal(f->talk.count, 4);
    assert_true(text_is(f->talk.first->content, "two"));
    assert_int_equal(f->talk.first->next->call_count, 2);
    assert_true(text_is(f->talk.last->content, "r3"));
    conversation_trim(&f->talk, 3);
    assert_int_equal(f->talk.count, 4);
}

static void model_names(void **state) {
    (void)state;
    assert_true(text_is(model_id(TEXT("OpenAI/gpt-4o-mini")), "gpt-4o-mini"));
    assert_true(text_is(model_id(TEXT("OpenAI/meta/llama")), "meta/llama"));
    assert_true(text_is(model_id(TEXT("gpt")), "gpt"));
    assert_true(text_is(model_provider(TEXT("Ollama/llama3.1:8b")), "Ollama"));
    assert_int_equal(model_provider(TEXT("gpt")).len, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(plain_request), TEST(choices),
        TEST(tool_blocks),   TEST(history),
        TEST(odd_answers),   TEST(no_answers),
        TEST(error_bodies),  TEST(trimming),
        TEST(model_names),   TEST(forced_choice_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
