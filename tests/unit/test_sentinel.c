/* A whole run over HTTP with the tools of a YAML file: four calls of an API, one of them in vain,
 * an answer transformed by JOLT, and a fifth call that is the answer itself. What goes to the model
 * and to the API is compared with what it must be. Ours is tests/data/sentinel; the project's
 * original is run as well where ../shared has it. */
#define _POSIX_C_SOURCE 200809L
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
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

enum { ROUNDS = 5, CALLS = 4 };

/* What the API is asked, and says. */
struct story {
    const char *folder;
    const char *tools;   /* the YAML file in it */
    const char *answers; /* of the model: a format with the round */
    struct mock_answer api[CALLS];
    const char *lines[CALLS], *bodies[CALLS];
    const char *results[CALLS]; /* what the model is told */
    const char *text;           /* the last word */
};

/* ## Files */

static char *read_file(const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", getenv("GRAMC_SOURCE_DIR"), folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    rewind(file);
    char *text = malloc((size_t)len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)len, file), (size_t)len);
    text[len] = '\0';
    fclose(file);
    return text;
}

/* The one file that the library names. */
static int read_tools(void *ctx, gramc_text path, gramc_text *out) {
    if (!text_is(path, "specs/tools.yml")) return GRAMC_NOT_FOUND;
    *out = text_of(ctx);
    return 0;
}

/* ## Compiling and binding */

struct setting {
    gramc_compilation *spec, *library;
    const gramc_agent *agent;
    const gramc_library *tools;
    char *agent_text, *yaml, library_text[512];
    gramc_builtins *builtins;
    gramc_bound *bound;
};

static void expect_nothing_to_say(const gramc_bound *bound) {
    gramc_bind_message message;
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++)
        if (message.severity != GRAMC_NOTE)
            fail_msg("binding says %.*s", TEXT_ARGS(message.message));
}

static void bind(struct setting *setting, const char *url) {
    const gramc_spec *spec;
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    options.reader = bind.reader = (gramc_reader){read_tools, setting->yaml};
    int len = snprintf(setting->library_text, sizeof setting->library_text,
                       "[fixture:ToolLibrary |\n"
                       "  [test:HttpToolBox {file: \"tools.yml\", url: \"%.*s\"}],\n"
                       "  [__output_generator__:ToolImpl {builtin: \"text.echo\"}]]\n",
                       (int)(strlen(url) - strlen("/v1")), url);
    assert_int_equal(gramc_compilation_new(&setting->library, &options), GRAMC_OK);
    assert_int_equal(gramc_add_source(setting->library, TEXT("specs/library.gram"),
                                      setting->library_text, (size_t)len),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, setting->library), GRAMC_OK);
    setting->tools = gramc_spec_library(spec, 0);
    assert_int_equal(gramc_builtins_new(&setting->builtins, NULL), GRAMC_OK);
    bind.builtins = setting->builtins;
    gramc_status status = gramc_bind(&setting->bound, setting->agent, setting->tools, &bind);
    expect_nothing_to_say(setting->bound);
    assert_int_equal(status, GRAMC_OK);
}

static void open_setting(struct setting *setting, const struct story *story, const char *url) {
    const gramc_spec *spec;
    memset(setting, 0, sizeof *setting);
    setting->agent_text = read_file("tests/data/sentinel", "agent.gram");
    setting->yaml = read_file(story->folder, story->tools);
    assert_non_null(setting->agent_text);
    assert_non_null(setting->yaml);
    assert_int_equal(gramc_compilation_new(&setting->spec, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(setting->spec, TEXT("agent.gram"), setting->agent_text,
                                      strlen(setting->agent_text)),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, setting->spec), GRAMC_OK);
    setting->agent = gramc_spec_agent(spec, 0);
    assert_int_equal(gramc_agent_prepare(setting->spec, setting->agent), GRAMC_OK);
    bind(setting, url);
}

static void close_setting(struct setting *setting) {
    gramc_bound_free(setting->bound);
    gramc_builtins_free(setting->builtins);
    gramc_compilation_free(setting->library);
    gramc_compilation_free(setting->spec);
    free(setting->agent_text);
    free(setting->yaml);
}

/* ## Running */

static void on_turn(void *ctx, gramc_text answer) {
    struct buf *out = ctx;
    buf_text(out, answer);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    (void)ctx;
    if (result->outcome != GRAMC_OUTCOME_ANSWERED)
        fail_msg("%s: %.*s", gramc_outcome_name(result->outcome), TEXT_ARGS(result->message));
    assert_int_equal(result->requests, ROUNDS);
    assert_int_equal(result->calls, ROUNDS);
    assert_int_equal(result->call_errors, 0);
    assert_int_equal(result->tool_errors, 1);
}

static void run(const gramc_bound *bound, const struct mock_server *server, struct buf *answer) {
    static const gramc_text question = {"How is the weather where I live?", 32};
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = {.turn = on_turn, .done = on_done, .ctx = answer};
    gramc_model *model;
    gramc_loop *loop;
    endpoint.base_url = text_of(mock_url(server));
    assert_int_equal(gramc_model_new_endpoint(&model, &endpoint), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = model;
    options.messages = &question;
    options.message_count = 1;
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    gramc_loop_free(loop);
    gramc_model_free(model);
}

/* ## What must come of it */

static void expect_api(struct mock_server *api, const struct story *story) {
    assert_int_equal(mock_count(api), CALLS);
    for (size_t i = 0; i < CALLS; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s HTTP/1.1\r\n", story->lines[i]);
        if (strncmp(mock_head(api, i), line, strlen(line)) != 0)
            fail_msg("call %zu is %s", i, mock_head(api, i));
        assert_string_equal(mock_body(api, i), story->bodies[i]);
    }
}

/* The last request holds the whole conversation. */
static void expect_told(struct mock_server *model, const struct story *story) {
    struct arena arena;
    size_t n = 0;
    arena_init(&arena, NULL);
    const struct json *request = json_parse(&arena, text_of(mock_body(model, ROUNDS - 1)), NULL);
    const struct json *messages = json_get(request, "messages");
    for (const struct json *m = messages->first; m; m = m->next) {
        if (!text_is(json_get(m, "role")->text, "tool")) continue;
        assert_true(n < CALLS);
        if (!text_is(json_get(m, "content")->text, story->results[n]))
            fail_msg("result %zu is %.*s", n, TEXT_ARGS(json_get(m, "content")->text));
        n++;
    }
    assert_int_equal(n, CALLS);
    arena_free(&arena);
}

/* Equal in the order of keys and the spelling of numbers as well; the files have blanks. */
static void expect_requests(struct mock_server *model, const char *folder) {
    for (size_t i = 0; i < ROUNDS; i++) {
        struct arena arena;
        struct buf compact;
        char name[32];
        snprintf(name, sizeof name, "req%zu.json", i + 1);
        char *recorded = read_file(folder, name);
        if (!recorded) fail_msg("no %s; the request was\n%s", name, mock_body(model, i));
        arena_init(&arena, NULL);
        buf_init(&compact, NULL, 1 << 20);
        json_put(&compact, json_parse(&arena, text_of(recorded), NULL));
        assert_string_equal(mock_body(model, i), compact.ptr);
        buf_free(&compact);
        arena_free(&arena);
        free(recorded);
    }
}

static void tell(const struct story *story, bool requests_too) {
    struct mock_answer says[ROUNDS] = {{0}};
    char *files[ROUNDS];
    struct setting setting;
    struct buf answer;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, story->answers, i + 1);
        files[i] = read_file(story->folder, name);
        assert_non_null(files[i]);
        says[i].body = files[i];
    }
    struct mock_server *model = mock_start(says, ROUNDS);
    struct mock_server *api = mock_start(story->api, CALLS);
    open_setting(&setting, story, mock_url(api));
    buf_init(&answer, NULL, 1 << 16);
    run(setting.bound, model, &answer);
    assert_string_equal(answer.ptr, story->text);
    assert_int_equal(mock_count(model), ROUNDS);
    expect_api(api, story);
    expect_told(model, story);
    if (requests_too) expect_requests(model, story->folder);
    buf_free(&answer);
    close_setting(&setting);
    mock_stop(api);
    mock_stop(model);
    for (int i = 0; i < ROUNDS; i++) free(files[i]);
}

static void our_copy(void **state) {
    static const struct story story = {
        .folder = "tests/data/sentinel",
        .tools = "tools.yml",
        .answers = "res%d.json",
        .api = {{.status = 404, .body = "{\"error\": \"nobody of that name\"}"},
                {.body = "{\"name\": \"ada\"}\n"},
                {.body = "{\"location\": \"Lisbon\"}"},
                {.body = "{\"location\": \"Lisbon\", \"weatherValue\": \"windy\"}"}},
        .lines = {"POST /api/v1/location", "GET /api/v1/name", "POST /api/v1/location",
                  "GET /api/v1/weather/Lisbon"},
        .bodies = {"{\n  \"name\": \"xy\"\n}\n", "", "{\n  \"name\": \"ada\"\n}\n", ""},
        .results = {"Error: HTTP 404 Not Found\nContent-Type: application/json\n\n"
                    "{\"error\": \"nobody of that name\"}",
                    "{\"name\": \"ada\"}", "{\"location\": \"Lisbon\"}", "{\"weather\":\"windy\"}"},
        .text = "It is windy in Lisbon."};
    (void)state;
    tell(&story, true);
}

static void original(void **state) {
    static const struct story story = {
        .folder = "../shared/data/sentinel-fixture",
        .tools = "templates.yml",
        .answers = "tt.%d.json",
        .api = {{.status = 404, .body = ""},
                {.body = "{ \"name\" : \"santanu\" }"},
                {.body = "{ \"location\" : \"Bangalore\" }"},
                {.body = "{ \"location\" : \"Bangalore\", \"weatherValue\" : \"sunny\" }"}},
        .lines = {"POST /api/v1/location", "GET /api/v1/name", "POST /api/v1/location",
                  "GET /api/v1/weather/Bangalore"},
        .bodies = {"{\n  \"name\": \"ss\"\n}\n", "", "{\n  \"name\": \"santanu\"\n}\n", ""},
        .results = {"Error: HTTP 404 Not Found\nContent-Type: application/json",
                    "{ \"name\" : \"santanu\" }", "{ \"location\" : \"Bangalore\" }",
                    "{\"weather\":\"sunny\"}"},
        .text = "The weather in Bangalore is sunny."};
    char *there = read_file(story.folder, story.tools);
    (void)state;
    if (!there) {
        print_message("the original fixture is not in ../shared: skipped\n");
        skip();
    }
    free(there);
    tell(&story, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_copy),
        cmocka_unit_test(original),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
