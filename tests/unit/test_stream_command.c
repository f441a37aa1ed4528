/* gramc run --stream as a process, against a scripted server: answers stand on standard output
 * once, what is said beside calls on lines of its own, in a trace the whole answers. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/mock_server.h"

static char folder[] = "/tmp/gramc-stream-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    write_file("spec.gram", "[helper:Agent {description: \"Helps\", model: \"OpenAI/m\"} |\n"
                            "  [look:Tool {description: \"Looks\"} | ()==>(::Text)]]\n");
    write_file("lib.gram", "[lib:ToolLibrary {description: \"Looks\"} |\n"
                           "  [look:ToolImpl {returns: \"a tree\"}]]\n");
    write_file("inner.gram", "[eye:Agent {model: \"OpenAI/m\"}]\n"
                             "[lib:ToolLibrary | [look:ToolImpl {agent: eye}]]\n");
    return 0;
}

static int tear_down(void **state) {
    char command[1100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

struct ran {
    char out[8192];
    int code;
};

/* Standard error stays the test's. */
static struct ran run_with(const char *library, const struct mock_answer *answers, size_t count,
                           const char *options) {
    struct ran ran = {.code = -1};
    char command[4096];
    struct mock_server *server = mock_start(answers, count);
    snprintf(command, sizeof command,
             "cd %s && OPENAI_API_KEY=k HOME=%s %s/libexec/gramc/gramc-run run spec.gram "
             "--no-config -l %s --base-url %s %s Hello 2>err",
             folder, folder, getenv("GRAMC_BUILD_DIR"), library, mock_url(server), options);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    ran.out[fread(ran.out, 1, sizeof ran.out - 1, pipe)] = '\0';
    int status = pclose(pipe);
    if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
    mock_stop(server);
    return ran;
}

static struct ran run(const struct mock_answer *answers, size_t count, const char *options) {
    return run_with("lib.gram", answers, count, options);
}

static void expect(struct ran ran, int code, const char *out) {
    assert_string_equal(ran.out, out);
    assert_int_equal(ran.code, code);
}

#define SSE "Content-Type: text/event-stream\r\n"
#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define SAYS(text) CHUNK("\"content\":\"" text "\"")
#define END(why)                                                                                   \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" why "\"}]}\n\n"           \
    "data: [DONE]\n\n"
#define CALL                                                                                       \
    CHUNK("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"look\","             \
          "\"arguments\":\"{}\"}}]")

static const struct mock_answer talk[] = {
    {.headers = SSE, .body = SAYS("Let me") SAYS(" look.") CALL END("tool_calls")},
    {.headers = SSE, .body = SAYS("A") SAYS(" tree.") END("stop")}};

/* What an agent says that does a tool is a result, and nobody hears it in pieces. */
static void inner_text_is_not_shown(void **state) {
    static const struct mock_answer answers[] = {
        {.headers = SSE, .body = CALL END("tool_calls")},
        {.headers = SSE, .body = SAYS("I see") SAYS(" a tree.") END("stop")},
        {.headers = SSE, .body = SAYS("It is") SAYS(" a tree.") END("stop")}};
    (void)state;
    expect(run_with("inner.gram", answers, 3, "--stream --agent helper"), 0, "It is a tree.\n");
}

static void shown(void **state) {
    (void)state;
    expect(run(talk, 2, "--stream"), 0, "Let me look.\nA tree.\n");
    expect(run(talk, 2, "--stream --trace trace.jsonl"), 0, "Let me look.\nA tree.\n");
}

/* Where nobody looks on, nothing is asked for in pieces. */
static void not_asked(void **state) {
    const struct mock_answer plain[] = {
        {.body = "{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}"}};
    (void)state;
    expect(run(plain, 1, ""), 0, "Hi\n");
    expect(run(plain, 1, "--no-stream"), 0, "Hi\n");
    expect(run(plain, 1, "--stream"), 0, "Hi\n");
}

/* A trace of a run that streamed plays again, streamed or not. */
static void traced(void **state) {
    (void)state;
    expect(run(talk, 2, "--stream --trace played.jsonl"), 0, "Let me look.\nA tree.\n");
    expect(run(talk, 0, "--model script:played.jsonl"), 0, "A tree.\n");
    expect(run(talk, 0, "--model script:played.jsonl --stream"), 0, "A tree.\n");
}

static void broken(void **state) {
    const struct mock_answer cut[] = {{.headers = SSE, .body = SAYS("Half of")}};
    (void)state;
    expect(run(cut, 1, "--stream"), 3, "Half of\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown), cmocka_unit_test(inner_text_is_not_shown),
        cmocka_unit_test(not_asked), cmocka_unit_test(traced), cmocka_unit_test(broken)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
