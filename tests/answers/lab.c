/* Makes an agent with two tools, binds it for a protocol, and runs it against answers from memory.
 * Its tools write down what they were called with: nothing may be called that no model asked for.
 */
#define _GNU_SOURCE /* uv.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "tests/answers/lab.h"

const struct way ways[] = {
    {"chat", "chat", GRAMC_WIRE_TOOLS, " finish_reason ",
     " choices index message delta content refusal tool_calls function name arguments "},
    {"functions", "chat", GRAMC_WIRE_FUNCTIONS, " finish_reason ",
     " choices index message delta content refusal function_call name arguments "},
    {"responses", "responses", GRAMC_WIRE_TOOLS, " status incomplete_details reason ",
     " type error response output item content text refusal name arguments delta output_index "},
    {"messages", "messages", GRAMC_WIRE_TOOLS, " stop_reason ",
     " type content content_block index delta text thinking signature name input partial_json city "
     "a b "},
    {"gemini", "gemini", GRAMC_WIRE_TOOLS, " finishReason blockReason promptFeedback ",
     " candidates index content parts text thought functionCall name args city a b "},
    {"ollama", "ollama", GRAMC_WIRE_TOOLS, " done done_reason ",
     " message content tool_calls function name arguments city a b "},
};

#define ANSWER "It is 25 \302\260C, \"mild\"."
#define HALF "It is 25"

const struct scenario scenarios[] = {
    {{"1", "2", "3"}, GRAMC_OUTCOME_ANSWERED, ANSWER, ""},
    {{"length"}, GRAMC_OUTCOME_LENGTH, HALF, ""},
    {{"length-call", "3"}, GRAMC_OUTCOME_ANSWERED, ANSWER, ""},
    {{"filter"}, GRAMC_OUTCOME_CONTENT_FILTER, HALF, " messages ollama "},
    {{"refusal"}, GRAMC_OUTCOME_REFUSED, "I will not.", " gemini ollama "},
    {{"blocked"}, GRAMC_OUTCOME_CONTENT_FILTER, "", " chat functions responses messages ollama "},
};

bool lab_lists(const char *list, gramc_text word) {
    char padded[64];
    snprintf(padded, sizeof padded, " %.*s ", TEXT_ARGS(word));
    return strstr(list, padded) != NULL;
}

/* ## The agent */

struct tool {
    const char *name, *parameters, *result, *says;
};

static const struct tool tools[] = {
    {"look",
     "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]"
     "}",
     "{\"type\":\"string\"}", "mild"},
    {"add",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
     "\"integer\"}},\"required\":[\"a\",\"b\"]}",
     "{\"type\":\"string\"}", "sum"},
};

static void keep_call(struct lab *lab, const struct tool *tool, gramc_text arguments,
                      gramc_writer result) {
    buf_printf(&lab->calls, "%s%.*s\n", tool->name, TEXT_ARGS(arguments));
    (void)result.write(result.ctx, tool->says, strlen(tool->says));
}

static int look(void *ctx, gramc_text arguments, gramc_writer result) {
    keep_call(ctx, &tools[0], arguments, result);
    return 0;
}

static int add(void *ctx, gramc_text arguments, gramc_writer result) {
    keep_call(ctx, &tools[1], arguments, result);
    return 0;
}

static void bind_agent(struct lab *lab) {
    static const gramc_function functions[] = {look, add};
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    assert_int_equal(gramc_builtins_new(&lab->builtins, NULL), GRAMC_OK);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const gramc_builtin builtin = {text_of(tools[i].name), functions[i], lab, false};
        test_tool(&lab->test, tools[i].name, tools[i].parameters, tools[i].result,
                  GRAMC_RESULT_TEXT);
        test_builtin(&lab->test, tools[i].name, tools[i].name);
        assert_int_equal(gramc_builtins_add(lab->builtins, &builtin), GRAMC_OK);
    }
    options.builtins = lab->builtins;
    options.protocol = text_of(lab->way->protocol);
    assert_int_equal(gramc_bind(&lab->bound, &lab->test.agent, &lab->test.library, &options),
                     GRAMC_OK);
}

void lab_init(struct lab *lab, const struct way *way, bool stream) {
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    *lab = (struct lab){.way = way, .stream = stream};
    test_agent_init(&lab->test);
    buf_init(&lab->calls, NULL, 1 << 16);
    bind_agent(lab);
    endpoint.model = TEXT("OpenAI/m-1");
    endpoint.protocol = text_of(way->protocol);
    endpoint.base_url = TEXT("http://127.0.0.1:9");
    endpoint.stream = stream;
    endpoint.max_retries = 0;
    assert_int_equal(gramc_model_new_endpoint(&lab->model, &endpoint), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&lab->loop, NULL), GRAMC_OK);
}

void lab_free(struct lab *lab) {
    gramc_loop_free(lab->loop);
    gramc_model_free(lab->model);
    gramc_bound_free(lab->bound);
    gramc_builtins_free(lab->builtins);
    test_agent_free(&lab->test);
    buf_free(&lab->calls);
}

bool lab_read(struct buf *out, const struct lab *lab, const char *step) {
    char path[1024];
    const char *sources = getenv("GRAMC_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/data/answers/%s/%s.%s", sources ? sources : ".",
             lab->way->folder, step, lab->stream ? "stream" : "json");
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    buf_reset(out);
    if (!file) return false;
    for (size_t len; (len = fread(bytes, 1, sizeof bytes, file)) > 0;) buf_put(out, bytes, len);
    fclose(file);
    buf_putc(out, '\0');
    out->len--;
    return out->len > 0;
}

/* ## A run */

struct watcher {
    struct lab *lab;
    struct came *came;
};

static void on_event(void *ctx, const gramc_event *event) {
    const struct watcher *watcher = ctx;
    struct came *came = watcher->came;
    if (event->kind == GRAMC_EVENT_DELTA) buf_text(&came->said, event->text);
    if (event->kind != GRAMC_EVENT_REQUEST) return;
    if (came->requests <= SCENARIO_STEPS)
        came->calls_before[came->requests] = watcher->lab->calls.len;
    came->requests++;
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct came *came = ((const struct watcher *)ctx)->came;
    came->done++;
    came->outcome = result->outcome;
    snprintf(came->message, sizeof came->message, "%.*s", TEXT_ARGS(result->message));
    buf_text(&came->text, result->text);
}

void came_init(struct came *came) {
    *came = (struct came){.done = 0};
    buf_init(&came->text, NULL, 1 << 20);
    buf_init(&came->calls, NULL, 1 << 20);
    buf_init(&came->said, NULL, 1 << 20);
    buf_init(&came->trace, NULL, 1 << 24);
}

void came_free(struct came *came) {
    buf_free(&came->text);
    buf_free(&came->calls);
    buf_free(&came->said);
    buf_free(&came->trace);
}

static void came_reset(struct came *came) {
    buf_reset(&came->text);
    buf_reset(&came->calls);
    buf_reset(&came->said);
    buf_reset(&came->trace);
    came->done = 0;
    came->requests = 0;
    came->message[0] = '\0';
}

static void ask(struct lab *lab, struct came *came, const gramc_model *model) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    struct watcher watcher = {lab, came};
    const gramc_run_handler handler = {.event = on_event, .done = on_done, .ctx = &watcher};
    const gramc_text message = TEXT("How warm is it?");
    came_reset(came);
    buf_reset(&lab->calls);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.wire = lab->way->wire;
    options.max_iterations = 6;
    options.trace = buf_writer(&came->trace);
    options.trace_without_times = true;
    assert_int_equal(gramc_run_start(NULL, lab->loop, lab->bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(lab->loop), GRAMC_OK);
    buf_text(&came->calls, buf_view(&lab->calls));
}

void lab_run(struct lab *lab, struct came *came, const struct replayed *answers, size_t count) {
    replay(lab->loop->http, answers, count);
    ask(lab, came, lab->model);
}

void lab_play(struct lab *lab, struct came *came, gramc_text trace) {
    gramc_model *model;
    gramc_json_error why;
    if (gramc_model_new_script(&model, trace, NULL, &why)) fail_msg("%s", why.message);
    ask(lab, came, model);
    gramc_model_free(model);
}
