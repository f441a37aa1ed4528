/* Every protocol, from recorded answers: what is understood of them, and the whole request of the
 * round that follows, which tests/data/llm holds. Chat completions have more in test_llm_openai.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "runtime/protocol.h"
#include "tests/support/changed.h"

enum { FILE_MAX = 1 << 16 };

static const struct protocol *const protocols[] = {
    &protocol_chat, &protocol_responses, &protocol_messages, &protocol_gemini, &protocol_ollama};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

struct fixture {
    struct arena arena;
    struct buf out;
    struct conversation talk;
    gramc_agent agent;
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture = (struct fixture){.agent = {.parallel_tool_calls = -1}};
    arena_init(&fixture.arena, NULL);
    buf_init(&fixture.out, NULL, 1 << 20);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    buf_free(&fixture->out);
    return 0;
}

static gramc_text read_file(struct fixture *f, const char *folder, const char *name) {
    char path[512], *bytes = arena_alloc(&f->arena, FILE_MAX);
    snprintf(path, sizeof path, "%s/%s/%s.json", getenv("GRAMC_SOURCE_DIR"), folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || !bytes) fail_msg("cannot read %s", path);
    size_t len = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    assert_in_range(len, 1, FILE_MAX - 1);
    return (gramc_text){bytes, len};
}

static gramc_text recorded(struct fixture *f, const struct protocol *protocol, const char *what) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", protocol->name, what);
    return read_file(f, "tests/fuzz/corpus/reply", name);
}

static void read_reply(struct fixture *f, const struct protocol *protocol, struct reply *reply,
                       gramc_text body) {
    gramc_text why = {NULL, 0};
    if (protocol->reply(reply, &f->arena, body, &why))
        fail_msg("%s: %.*s: %.*s", protocol->name, TEXT_ARGS(body), TEXT_ARGS(why));
}

/* ## Answers */

static void expect_text(const struct protocol *protocol, gramc_text got, const char *wanted) {
    if (!text_is(got, wanted))
        fail_msg("%s: `%.*s`, not `%s`", protocol->name, TEXT_ARGS(got), wanted);
}

static void expect_usage(const struct usage *got, uint64_t prompt, uint64_t completion,
                         uint64_t total, uint64_t cached) {
    assert_int_equal(got->prompt, prompt);
    assert_int_equal(got->completion, completion);
    assert_int_equal(got->total, total);
    assert_int_equal(got->cached, cached);
}

static void calls(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < PROTOCOLS; i++) {
        const struct protocol *protocol = protocols[i];
        struct reply reply;
        read_reply(f, protocol, &reply, recorded(f, protocol, "calls"));
        expect_text(protocol, reply.content, "One moment.");
        assert_true(reply.has_content);
        assert_int_equal(reply.call_count, 2);
        expect_text(protocol, reply.calls[0].name, "add");
        expect_text(protocol, reply.calls[1].name, "find");
        bool has_ids = protocol != &protocol_ollama;
        expect_text(protocol, reply.calls[0].id, has_ids ? "call_a" : "");
        expect_text(protocol, reply.calls[1].id, has_ids ? "call_b" : "");
        const struct json *arguments = json_parse(&f->arena, reply.calls[0].arguments, NULL);
        assert_int_equal(protocol_count(arguments, "a"), 2);
        assert_int_equal(protocol_count(arguments, "b"), 3);
        assert_int_equal(reply.finish, FINISH_STOP);
        expect_usage(&reply.usage, 30, 7, 37, has_ids ? 10 : 0);
        assert_true(reply.model.len > 0);
    }
}

static void ends(void **state) {
    static const struct {
        const struct protocol *protocol;
        const char *name, *content, *refusal;
        enum finish finish;
        const char *reason;
    } rows[] = {
        {&protocol_chat, "refusal", "", "I will not.", FINISH_STOP, "stop"},
        {&protocol_chat, "cut", "It is f", "", FINISH_LENGTH, "length"},
        {&protocol_responses, "refusal", "", "I will not.", FINISH_STOP, "completed"},
        {&protocol_responses, "cut", "It is f", "", FINISH_LENGTH, "max_output_tokens"},
        {&protocol_messages, "refusal", "I will not.", "I will not.", FINISH_STOP, "refusal"},
        {&protocol_messages, "cut", "It is f", "", FINISH_LENGTH, "max_tokens"},
        {&protocol_gemini, "blocked", "", "", FINISH_FILTER, "SAFETY"},
        {&protocol_gemini, "cut", "It is f", "", FINISH_LENGTH, "MAX_TOKENS"},
        {&protocol_ollama, "cut", "It is f", "", FINISH_LENGTH, "length"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply reply;
        read_reply(f, rows[i].protocol, &reply, recorded(f, rows[i].protocol, rows[i].name));
        expect_text(rows[i].protocol, reply.content, rows[i].content);
        expect_text(rows[i].protocol, reply.refusal, rows[i].refusal);
        expect_text(rows[i].protocol, reply.finish_reason, rows[i].reason);
        assert_int_equal(reply.finish, rows[i].finish);
        assert_int_equal(reply.call_count, 0);
    }
}

static void no_answers(void **state) {
    static const struct {
        const struct protocol *protocol;
        const char *body, *why;
    } rows[] = {
        {&protocol_responses, "{}", "the answer has no `output`"},
        {&protocol_responses, "{\"output\":{}}", "the answer has no `output`"},
        {&protocol_responses, "{\"error\":{\"message\":\"Sorry\"},\"output\":[]}", "Sorry"},
        {&protocol_messages, "{}", "the answer has no `content`"},
        {&protocol_messages, "{\"content\":\"x\"}", "the answer has no `content`"},
        {&protocol_messages,
         "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Busy\"}}",
         "Busy"},
        {&protocol_gemini, "{}", "the answer has no `candidates`"},
        {&protocol_gemini, "{\"candidates\":[]}", "the answer has no `candidates`"},
        {&protocol_gemini, "{\"error\":{\"code\":400,\"message\":\"Bad\",\"status\":\"X\"}}",
         "Bad"},
        {&protocol_ollama, "{}", "the answer has no `message`"},
        {&protocol_ollama, "{\"message\":\"x\"}", "the answer has no `message`"},
        {&protocol_ollama, "{\"error\":\"no such model\"}", "no such model"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply reply;
        gramc_text why = {NULL, 0};
        assert_int_equal(rows[i].protocol->reply(&reply, &f->arena, text_of(rows[i].body), &why),
                         GRAMC_FINDINGS);
        expect_text(rows[i].protocol, why, rows[i].why);
    }
    for (size_t i = 0; i < PROTOCOLS; i++) {
        struct reply reply;
        gramc_text why = {NULL, 0};
        assert_int_equal(protocols[i]->reply(&reply, &f->arena, TEXT("<html>"), &why),
                         GRAMC_FINDINGS);
        expect_text(protocols[i], why, protocol_no_object);
    }
}

/* ## Requests */

/* The question, an answer, and results of its calls: every second one of a failure. */
static void play(struct fixture *f, const struct protocol *protocol, const struct reply *reply) {
    f->talk = (struct conversation){.protocol = protocol};
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("Add 2 and 3")));
    const struct message *said = conversation_assistant(&f->talk, &f->arena, reply);
    assert_non_null(said);
    for (size_t i = 0; i < said->call_count; i++)
        assert_true(conversation_result(&f->talk, &f->arena, said, i,
                                        i % 2 ? TEXT("nothing found") : TEXT("5"), i % 2 == 1));
}

static gramc_text print_tools(struct fixture *f, const struct protocol *protocol) {
    const gramc_tool add = {
        .name = TEXT("add"),
        .description = TEXT("Adds"),
        .parameters = TEXT("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}")};
    const gramc_tool *list[] = {&add};
    size_t bad;
    buf_reset(&f->out);
    assert_int_equal(gramc_target_request(text_of(protocol->target), false, list, 1, &bad, NULL,
                                          buf_writer(&f->out)),
                     GRAMC_OK);
    return arena_text(&f->arena, buf_view(&f->out));
}

static gramc_text print_answer(struct fixture *f, const struct protocol *protocol) {
    const struct json *type = json_parse(
        &f->arena,
        TEXT("{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\"}},\"required\":["
             "\"sum\"],\"additionalProperties\":false}"),
        NULL);
    buf_reset(&f->out);
    assert_int_equal(
        gramc_target_answer(text_of(protocol->target), type, NULL, buf_writer(&f->out)), GRAMC_OK);
    return arena_text(&f->arena, buf_view(&f->out));
}

static void put_request(struct fixture *f, const struct request *request) {
    buf_reset(&f->out);
    request->talk->protocol->request(&f->out, request);
    assert_int_equal(buf_status(&f->out), GRAMC_OK);
    assert_null(memchr(f->out.ptr, '\n', f->out.len));
}

/* All that an agent can say. */
static void whole_requests(void **state) {
    struct fixture *f = *state;
    f->agent = (gramc_agent){.instruction = TEXT("Be kind"),
                             .temperature = TEXT("1.0"),
                             .top_p = TEXT("0.5"),
                             .presence_penalty = TEXT("0.0"),
                             .frequency_penalty = TEXT("0.25"),
                             .max_tokens = TEXT("99"),
                             .seed = TEXT("7"),
                             .num_ctx = TEXT("8192"),
                             .keep_alive = TEXT("10m"),
                             .tool_choice = TEXT("auto"),
                             .parallel_tool_calls = 0};
    for (size_t i = 0; i < PROTOCOLS; i++) {
        const struct protocol *protocol = protocols[i];
        struct reply reply;
        struct buf wanted;
        read_reply(f, protocol, &reply, recorded(f, protocol, "calls"));
        play(f, protocol, &reply);
        const struct request request = {.agent = &f->agent,
                                        .model = TEXT("m"),
                                        .wire = GRAMC_WIRE_TOOLS,
                                        .tools = print_tools(f, protocol),
                                        .talk = &f->talk,
                                        .tool_choice = f->agent.tool_choice,
                                        .answer_format = print_answer(f, protocol),
                                        .instruction = f->agent.instruction,
                                        .seed = f->agent.seed};
        put_request(f, &request);
        buf_init(&wanted, NULL, 1 << 20);
        json_put(&wanted,
                 json_parse(&f->arena, read_file(f, "tests/data/llm", protocol->name), NULL));
        buf_putc(&wanted, '\0');
        assert_string_equal(f->out.ptr, wanted.ptr);
        buf_free(&wanted);
    }
}

/* What one server or model wants said in another way than the rest of its protocol. */
static void profiles(void **state) {
    static const struct {
        const char *name, *url, *said;
    } rows[] = {
        {"OpenAI/gpt-4o", "", "\"max_completion_tokens\":99,"},
        {"OpenAI/gpt-4o", "https://api.openai.com/v1", "\"max_completion_tokens\":99,"},
        {"OpenAI/gpt-4o", "http://127.0.0.1:1/v1", "\"max_tokens\":99,"},
        {"OpenAI/o3-mini", "http://127.0.0.1:1/v1", "\"max_completion_tokens\":99,"},
        {"OpenAI/gpt-5-mini", "http://127.0.0.1:1/v1", "\"max_completion_tokens\":99,"},
        {"vLLM/qwen", "", "\"max_tokens\":99,\"tools\":[]}"},
        {"OpenRouter/openai/o3", "", "\"max_tokens\":99,\"tools\":[]}"},
        {"llama.cpp/qwen", "", "\"max_tokens\":99,\"tools\":[],\"parallel_tool_calls\":true}"},
        {"llama.cpp/qwen", "http://127.0.0.1:1/v1", "\"parallel_tool_calls\":true}"},
        {"Nobody/x", "http://127.0.0.1:1/v1", "\"max_tokens\":99,"},
    };
    struct fixture *f = *state;
    f->agent.max_tokens = TEXT("99");
    f->talk.protocol = &protocol_chat;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_text name = text_of(rows[i].name);
        const struct request request = {.agent = &f->agent,
                                        .model = model_id(name),
                                        .wire = GRAMC_WIRE_TOOLS,
                                        .tools = TEXT("[]"),
                                        .talk = &f->talk,
                                        .profile = provider_profile(name, text_of(rows[i].url))};
        put_request(f, &request);
        if (!strstr(f->out.ptr, rows[i].said)) fail_msg("%s: %s", rows[i].name, f->out.ptr);
    }
}

static void tokens_of_claude(void **state) {
    static const struct {
        const char *model, *said;
    } rows[] = {{"claude-3-opus-20240229", "\"max_tokens\":4096,"},
                {"claude-3-5-haiku-latest", "\"max_tokens\":8192,"},
                {"claude-opus-5-5", "\"max_tokens\":16384,"}};
    struct fixture *f = *state;
    f->talk.protocol = &protocol_messages;
    assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct request request = {
            .agent = &f->agent, .model = text_of(rows[i].model), .talk = &f->talk};
        put_request(f, &request);
        if (!strstr(f->out.ptr, rows[i].said)) fail_msg("%s: %s", rows[i].model, f->out.ptr);
    }
}

#define TAKES(choice) "\"tool_choice\":" choice

/* How a choice is said; NULL: it is not. */
static void choices(void **state) {
    static const struct {
        const struct protocol *protocol;
        const char *choice;
        int parallel;
        const char *said;
    } rows[] = {
        {&protocol_responses, "", -1, NULL},
        {&protocol_responses, "required", -1, TAKES("\"required\"}")},
        {&protocol_responses, "add", 1,
         TAKES("{\"type\":\"function\",\"name\":\"add\"},\"parallel_tool_calls\":true}")},
        {&protocol_messages, "", -1, NULL},
        {&protocol_messages, "", 1, NULL},
        {&protocol_messages, "", 0,
         TAKES("{\"type\":\"auto\",\"disable_parallel_tool_use\":true}")},
        {&protocol_messages, "required", -1, TAKES("{\"type\":\"any\"}")},
        {&protocol_messages, "none", 0, TAKES("{\"type\":\"none\"}")},
        {&protocol_messages, "add", -1, TAKES("{\"type\":\"tool\",\"name\":\"add\"}")},
        {&protocol_gemini, "", -1, NULL},
        {&protocol_gemini, "auto", -1, "\"functionCallingConfig\":{\"mode\":\"AUTO\"}"},
        {&protocol_gemini, "none", -1, "\"functionCallingConfig\":{\"mode\":\"NONE\"}"},
        {&protocol_gemini, "required", -1, "\"functionCallingConfig\":{\"mode\":\"ANY\"}"},
        {&protocol_gemini, "add", -1,
         "\"functionCallingConfig\":{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"add\"]}"},
        {&protocol_ollama, "required", 0, NULL},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f->talk = (struct conversation){.protocol = rows[i].protocol};
        f->agent.parallel_tool_calls = rows[i].parallel;
        assert_true(conversation_user(&f->talk, &f->arena, TEXT("x")));
        const struct request request = {.agent = &f->agent,
                                        .model = TEXT("m"),
                                        .wire = GRAMC_WIRE_TOOLS,
                                        .tools = TEXT("[]"),
                                        .talk = &f->talk,
                                        .tool_choice = text_of(rows[i].choice)};
        put_request(f, &request);
        if (rows[i].said && !strstr(f->out.ptr, rows[i].said))
            fail_msg("%s is not in %s", rows[i].said, f->out.ptr);
        if (!rows[i].said) {
            assert_null(strstr(f->out.ptr, "choice"));
            assert_null(strstr(f->out.ptr, "toolConfig"));
        }
    }
}

/* ## Ids: what an answer says of them is in the request as `call` and as `result`. */

struct id_row {
    const struct protocol *protocol;
    const char *body, *present[4], *absent;
};

static const struct id_row missing[] = {
    {&protocol_responses,
     "{\"output\":[{\"type\":\"function_call\",\"name\":\"add\",\"arguments\":\"{}\"}]}",
     {"\"call_id\":\"call_1\",\"name\":\"add\"", "_output\",\"call_id\":\"call_1\""},
     NULL},
    {&protocol_messages,
     "{\"content\":[{\"type\":\"tool_use\",\"name\":\"add\",\"input\":{}}]}",
     {"\"id\":\"call_1\",\"name\":\"add\"", "\"tool_use_id\":\"call_1\""},
     NULL},
    {&protocol_gemini,
     "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"add\",\"args\":{}},"
     "\"thoughtSignature\":\"S\"}]}}]}",
     {"\"functionCall\":{\"name\":\"add\",\"args\":{}},\"thoughtSignature\":\"S\"",
      "\"functionResponse\":{\"name\":\"add\""},
     "call_1"},
    {&protocol_ollama,
     "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{"
     "\"name\":\"add\",\"arguments\":{}}}]}}",
     {"\"tool_calls\":[{\"function\":{\"name\":\"add\"", "\"tool_name\":\"add\""},
     "call_1"},
};

static const struct id_row doubled[] = {
    {&protocol_responses,
     "{\"output\":[{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"add\",\"arguments\":"
     "\"{}\"},{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"sub\",\"arguments\":\"{}\"}"
     "]}",
     {"\"call_id\":\"x\",\"name\":\"add\"", "\"call_id\":\"call_1\",\"name\":\"sub\"",
      "_output\",\"call_id\":\"x\"", "_output\",\"call_id\":\"call_1\""},
     NULL},
    {&protocol_messages,
     "{\"content\":[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"add\",\"input\":{}},{\"type\":"
     "\"tool_use\",\"id\":\"x\",\"name\":\"sub\",\"input\":{}}]}",
     {"\"id\":\"x\",\"name\":\"add\"", "\"id\":\"call_1\",\"name\":\"sub\"",
      "\"tool_use_id\":\"x\"", "\"tool_use_id\":\"call_1\""},
     NULL},
    {&protocol_gemini,
     "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"x\",\"name\":\"add\","
     "\"args\":{}}},{\"functionCall\":{\"id\":\"x\",\"name\":\"sub\",\"args\":{}}}]}}]}",
     {"\"functionCall\":{\"id\":\"x\",\"name\":\"add\"", "\"functionCall\":{\"name\":\"sub\"",
      "\"functionResponse\":{\"id\":\"x\",\"name\":\"add\"",
      "\"functionResponse\":{\"name\":\"sub\""},
     "call_1"},
};

static void expect_ids(struct fixture *f, const struct id_row *row) {
    struct reply reply;
    read_reply(f, row->protocol, &reply, text_of(row->body));
    play(f, row->protocol, &reply);
    const struct request request = {.agent = &f->agent, .model = TEXT("m"), .talk = &f->talk};
    put_request(f, &request);
    for (size_t i = 0; i < 4 && row->present[i]; i++)
        if (!strstr(f->out.ptr, row->present[i]))
            fail_msg("%s is not in %s", row->present[i], f->out.ptr);
    if (row->absent && strstr(f->out.ptr, row->absent))
        fail_msg("%s is in %s", row->absent, f->out.ptr);
}

static void ids(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) expect_ids(f, &missing[i]);
    for (size_t i = 0; i < sizeof doubled / sizeof *doubled; i++) expect_ids(f, &doubled[i]);
}

/* ## Broken answers */

/* A body that ends too early is none; nothing of it is understood. */
static void cut_anywhere(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < PROTOCOLS; i++) {
        gramc_text whole = text_trim(recorded(f, protocols[i], "calls"));
        for (size_t len = 0; len < whole.len; len++) {
            struct arena arena;
            struct reply reply;
            gramc_text why = {NULL, 0};
            arena_init(&arena, NULL);
            gramc_text body = arena_text(&arena, text_slice(whole, 0, len));
            assert_int_equal(protocols[i]->reply(&reply, &arena, body, &why), GRAMC_FINDINGS);
            assert_true(why.len > 0);
            arena_free(&arena);
        }
    }
}

static const char *const values[] = {
    "null", "true",  "-1",          "1e400", "123456789012345678901234567890",
    "\"\"", "\"x\"", "\"\\u0000\"", "[]",    "[0]",
    "[[]]", "{}",    "{\"x\":1}"};

/* Either it is refused in words, or what it says can be sent back. */
static bool try_changed(const struct protocol *protocol, gramc_text body) {
    struct fixture f = {.agent = {.parallel_tool_calls = -1}};
    struct reply reply;
    gramc_text why = {NULL, 0};
    arena_init(&f.arena, NULL);
    buf_init(&f.out, NULL, 1 << 20);
    gramc_status status = protocol->reply(&reply, &f.arena, arena_text(&f.arena, body), &why);
    if (status) {
        assert_int_equal(status, GRAMC_FINDINGS);
        if (!why.len) fail_msg("nothing was said about %.*s", TEXT_ARGS(body));
    } else {
        play(&f, protocol, &reply);
        const struct request request = {.agent = &f.agent, .model = TEXT("m"), .talk = &f.talk};
        put_request(&f, &request);
        if (!json_is(json_parse(&f.arena, buf_view(&f.out), NULL), JSON_OBJECT))
            fail_msg("%s: no JSON: %.*s", protocol->name, TEXT_ARGS(buf_view(&f.out)));
    }
    arena_free(&f.arena);
    buf_free(&f.out);
    return status == GRAMC_OK;
}

static void every_field(void **state) {
    struct fixture *f = *state;
    for (size_t i = 0; i < PROTOCOLS; i++) {
        const struct json *document =
            json_parse(&f->arena, recorded(f, protocols[i], "calls"), NULL);
        size_t taken = 0, refused = 0;
        bool more = true;
        for (size_t place = 0; more; place++)
            for (size_t v = 0; more && v < sizeof values / sizeof *values; v++) {
                size_t n = place;
                buf_reset(&f->out);
                more = put_changed(&f->out, document, &n, values[v]);
                if (!more) break;
                bool good = try_changed(protocols[i], buf_view(&f->out));
                if (place == 0 && good && v != 0) assert_true(values[v][0] == '{');
                taken += good;
                refused += !good;
            }
        assert_true(taken > 100 && refused > 10);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(calls),        TEST(ends),        TEST(no_answers),       TEST(whole_requests),
        TEST(choices),      TEST(profiles),    TEST(tokens_of_claude), TEST(ids),
        TEST(cut_anywhere), TEST(every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
