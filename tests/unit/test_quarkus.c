/* A whole conversation in the `functions` wire over HTTP: five requests that must be what recorded
 * traffic of this kind looks like, in values, order of keys and bytes of the arguments. The agent
 * and its library are those of specs/. */
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

enum { ROUNDS = 5 };

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

static gramc_compilation *compile(const gramc_spec **spec, const char *folder, const char *name,
                                  char **text) {
    gramc_compilation *compilation;
    *text = read_file(folder, name);
    assert_non_null(*text);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, text_of(name), *text, strlen(*text)), GRAMC_OK);
    assert_int_equal(gramc_compile(spec, compilation), GRAMC_OK);
    return compilation;
}

static void on_turn(void *ctx, gramc_text answer) {
    struct buf *out = ctx;
    buf_text(out, answer);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    (void)ctx;
    assert_int_equal(result->outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(result->requests, ROUNDS);
    assert_int_equal(result->prompt_tokens, 845);
    assert_int_equal(result->completion_tokens, 94);
    assert_int_equal(result->total_tokens, 939);
}

static void run(const gramc_bound *bound, const struct mock_server *server, gramc_text question,
                struct buf *answer) {
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

/* Equal in the order of keys and the spelling of numbers as well. */
static void expect_same(const char *body, const char *recorded) {
    struct arena arena;
    struct buf compact;
    arena_init(&arena, NULL);
    buf_init(&compact, NULL, 1 << 20);
    const struct json *json = json_parse(&arena, text_of(recorded), NULL);
    assert_non_null(json);
    json_put(&compact, json);
    assert_string_equal(body, compact.ptr);
    buf_free(&compact);
    arena_free(&arena);
}

static void converse(const char *folder) {
    char *requests[ROUNDS], *responses[ROUNDS], *agent_text, *library_text;
    struct mock_answer answers[ROUNDS] = {{0}};
    struct arena arena;
    struct buf answer;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "req%d.json", i + 1);
        requests[i] = read_file(folder, name);
        snprintf(name, sizeof name, "res%d.json", i + 1);
        responses[i] = read_file(folder, name);
        assert_true(requests[i] && responses[i]);
        answers[i].body = responses[i];
    }
    struct mock_server *server = mock_start(answers, ROUNDS);
    const gramc_spec *spec, *library_spec;
    gramc_compilation *compilation = compile(&spec, "specs", "calculator.gram", &agent_text);
    gramc_compilation *library_compilation =
        compile(&library_spec, "specs/libraries", "arithmetic.gram", &library_text);
    const gramc_agent *agent = gramc_spec_agent(spec, 0);
    gramc_builtins *builtins;
    gramc_bound *bound;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    assert_int_equal(gramc_agent_prepare(compilation, agent), GRAMC_OK);
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    bind.builtins = builtins;
    assert_int_equal(gramc_bind(&bound, agent, gramc_spec_library(library_spec, 0), &bind),
                     GRAMC_OK);
    arena_init(&arena, NULL);
    buf_init(&answer, NULL, 1 << 16);
    const struct json *first = json_parse(&arena, text_of(requests[0]), NULL);
    const struct json *last = json_parse(&arena, text_of(responses[ROUNDS - 1]), NULL);
    run(bound, server, json_at(first, TEXT("/messages/0/content"))->text, &answer);
    assert_int_equal(mock_count(server), ROUNDS);
    for (size_t i = 0; i < ROUNDS; i++) expect_same(mock_body(server, i), requests[i]);
    assert_true(
        text_eq(buf_view(&answer), json_at(last, TEXT("/choices/0/message/content"))->text));
    buf_free(&answer);
    arena_free(&arena);
    gramc_bound_free(bound);
    gramc_builtins_free(builtins);
    gramc_compilation_free(library_compilation);
    gramc_compilation_free(compilation);
    mock_stop(server);
    free(agent_text);
    free(library_text);
    for (int i = 0; i < ROUNDS; i++) {
        free(requests[i]);
        free(responses[i]);
    }
}

static void our_copy(void **state) {
    (void)state;
    converse("tests/data/quarkus");
}

/* The recorded one, where it is at hand. */
static void recorded(void **state) {
    char *present = read_file("../shared/data/quarkus-trace", "req1.json");
    (void)state;
    if (!present) skip();
    free(present);
    converse("../shared/data/quarkus-trace");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_copy),
        cmocka_unit_test(recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
