/* Agents, libraries and runs made by hand, for tests of the runtime; and an allocator that fails
 * on demand. Uses nothing but the public headers and base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

/* ## Agents */

void test_agent_init(struct test_agent *test) {
    memset(test, 0, sizeof *test);
    test->agent.name = TEXT("tester");
    test->agent.description = TEXT("Made by hand");
    test->agent.model = TEXT("OpenAI/gpt-4o-mini");
    test->agent.parallel_tool_calls = -1;
    test->agent.max_iterations = 10;
    test->agent.tools = test->list;
    test->agent.fingerprint = TEXT("aaaa");
    test->library.name = TEXT("workshop");
    test->library.impls = test->impls;
    test->library.fingerprint = TEXT("bbbb");
}

void test_agent_free(struct test_agent *test) {
    for (size_t i = 0; i < 2 * TEST_TOOLS; i++) gramc_schema_free(test->schemas[i]);
}

static gramc_schema *compile(const char *json, bool closed) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema = NULL;
    options.closed_root = closed;
    options.assert_formats = true;
    if (gramc_schema_compile(&schema, json, strlen(json), &options, &error))
        fail_msg("%s: %s", json, error.message);
    return schema;
}

gramc_tool *test_tool(struct test_agent *test, const char *name, const char *parameters,
                      const char *result, gramc_result_kind kind) {
    size_t i = test->agent.tool_count++;
    gramc_tool *tool = &test->tools[i];
    assert_true(i < TEST_TOOLS);
    test->schemas[2 * i] = compile(parameters, true);
    test->schemas[2 * i + 1] = compile(result, false);
    *tool = (gramc_tool){.name = text_of(name),
                         .description = TEXT("A tool"),
                         .parameters = text_of(parameters),
                         .result = text_of(result),
                         .accepts = test->schemas[2 * i],
                         .returns = test->schemas[2 * i + 1],
                         .result_kind = kind,
                         .timeout_ms = 30000,
                         .max_call_errors = 5,
                         .max_tool_errors = 5};
    test->list[i] = tool;
    return tool;
}

static gramc_impl *add_impl(struct test_agent *test, const char *name, gramc_impl_kind kind) {
    gramc_impl *impl = &test->impls[test->library.impl_count++];
    assert_true(test->library.impl_count <= TEST_TOOLS);
    *impl = (gramc_impl){.name = text_of(name), .kind = kind, .file = TEXT("workshop.gram")};
    return impl;
}

gramc_impl *test_builtin(struct test_agent *test, const char *name, const char *target) {
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_BUILTIN);
    impl->target = text_of(target);
    return impl;
}

gramc_impl *test_returns(struct test_agent *test, const char *name, const char *text) {
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_RETURNS);
    impl->target = text_of(text);
    return impl;
}

gramc_impl *test_http(struct test_agent *test, const char *name, const char *url) {
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_HTTP);
    impl->target = text_of(url);
    impl->method = TEXT("GET");
    return impl;
}

gramc_impl *test_exec(struct test_agent *test, const char *name, const char *const *argv) {
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_EXEC);
    gramc_text *words = test->words[test->library.impl_count - 1];
    for (; argv[impl->argc]; impl->argc++) {
        assert_true(impl->argc < TEST_WORDS);
        words[impl->argc] = text_of(argv[impl->argc]);
    }
    impl->argv = words;
    impl->target = words[0];
    return impl;
}

static const char *build_folder(void) {
    const char *folder = getenv("GRAMC_BUILD_DIR");
    return folder ? folder : "build/dev";
}

gramc_impl *test_plugin(struct test_agent *test, const char *name, const char *file,
                        const char *symbol) {
    static char folder[1024];
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_PLUGIN);
    snprintf(folder, sizeof folder, "%s/tests/plugin/", build_folder());
    impl->folder = text_of(folder);
    impl->target = text_of(file);
    impl->symbol = text_of(symbol);
    return impl;
}

gramc_impl *test_replay(struct test_agent *test, const char *name, const char *trace) {
    gramc_impl *impl = add_impl(test, name, GRAMC_IMPL_REPLAY);
    impl->target = text_of(trace);
    return impl;
}

gramc_text test_host(void) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/libexec/gramc/gramc-host", build_folder());
    return text_of(path);
}

/* ## Runs */

void test_run_init(struct test_run *run) {
    memset(run, 0, sizeof *run);
    buf_init(&run->answers, NULL, 1 << 26);
    buf_init(&run->trace, NULL, 1 << 26);
    buf_init(&run->notes, NULL, 1 << 20);
}

void test_run_free(struct test_run *run) {
    buf_free(&run->answers);
    buf_free(&run->trace);
    buf_free(&run->notes);
}

static void on_turn(void *ctx, gramc_text answer) {
    struct test_run *run = ctx;
    buf_text(&run->answers, answer);
    buf_putc(&run->answers, '\n');
}

static void on_note(void *ctx, gramc_text line) {
    struct test_run *run = ctx;
    buf_text(&run->notes, line);
    buf_putc(&run->notes, '\n');
}

static void keep(char *out, size_t size, gramc_text text) {
    size_t len = text.len < size ? text.len : size - 1;
    if (len) memcpy(out, text.ptr, len);
    out[len] = '\0';
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct test_run *run = ctx;
    run->done++;
    run->outcome = result->outcome;
    run->result = *result;
    keep(run->message, sizeof run->message, result->message);
    keep(run->text, sizeof run->text, result->text);
}

gramc_run_handler test_handler(struct test_run *run) {
    return (gramc_run_handler){.turn = on_turn, .note = on_note, .done = on_done, .ctx = run};
}

static gramc_status start(struct test_run *run, const struct test_setup *setup, gramc_loop *loop,
                          const gramc_bound *bound) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(run);
    gramc_text messages[4];
    for (; options.message_count < 4 && setup->messages[options.message_count];
         options.message_count++)
        messages[options.message_count] = text_of(setup->messages[options.message_count]);
    options.messages = messages;
    options.model = setup->model;
    options.tools = setup->tools;
    options.wire = setup->wire;
    options.max_iterations = setup->max_iterations;
    options.timeout_ms = setup->timeout_ms;
    options.trace = buf_writer(&run->trace);
    options.trace_without_times = !setup->with_times;
    gramc_status status = gramc_run_start(NULL, loop, bound, &options, &handler);
    return status ? status : gramc_loop_run(loop);
}

gramc_status test_run(struct test_run *run, const struct test_setup *setup) {
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_text path = TEXT("PATH=/usr/bin:/bin");
    gramc_builtins *builtins = NULL;
    gramc_bound *bound = NULL;
    gramc_loop *loop = NULL;
    gramc_status status = GRAMC_OK;
    bind.allocator = loop_options.allocator = setup->allocator;
    loop_options.environment = &path;
    loop_options.environment_count = 1;
    loop_options.host = test_host();
    loop_options.max_programs = setup->agent->max_programs;
    loop_options.max_connections = setup->agent->max_connections;
    if (!setup->builtins) status = gramc_builtins_new(&builtins, setup->allocator);
    bind.builtins = setup->builtins ? setup->builtins : builtins;
    bind.secrets = setup->secrets;
    bind.secret_count = setup->secret_count;
    if (!status) status = gramc_bind(&bound, &setup->agent->agent, &setup->agent->library, &bind);
    if (!status) status = gramc_loop_new(&loop, &loop_options);
    if (!status) status = start(run, setup, loop, bound);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_builtins_free(builtins);
    return status;
}
