/* How servers of a library are reached: an address from the environment, a proxy, certificates of
 * an upstream's own. The server that wants a client's certificate is tests/support/tls_server.py.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"

/* ## One tool that asks one server */

static gramc_impl *open_agent(struct test_agent *test, const char *url) {
    test_agent_init(test);
    test_tool(test, "get", OBJECT, STRING, GRAMC_RESULT_TEXT);
    return test_http(test, "get", url);
}

static gramc_call_outcome call(const struct test_agent *test, const gramc_pair *secret,
                               struct buf *text) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_call_outcome outcome = GRAMC_CALL_CANCELED;
    gramc_bound *bound;
    gramc_loop *loop;
    options.secrets = secret;
    options.secret_count = secret ? 1 : 0;
    assert_int_equal(gramc_bind(&bound, &test->agent, &test->library, &options), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    assert_int_equal(gramc_call(&outcome, loop, bound, TEXT("get"), TEXT("{}"), buf_writer(text)),
                     GRAMC_OK);
    buf_putc(text, '\0');
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    return outcome;
}

static void expect_refused(const struct test_agent *test, const gramc_pair *secret,
                           const char *why) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message message = {.message = TEXT("")};
    gramc_bound *bound;
    options.secrets = secret;
    options.secret_count = secret ? 1 : 0;
    assert_int_equal(gramc_bind(&bound, &test->agent, &test->library, &options), GRAMC_FINDINGS);
    assert_true(gramc_bound_message(bound, 0, &message));
    if (!strstr(message.message.ptr, why))
        fail_msg("%.*s does not say: %s", TEXT_ARGS(message.message), why);
    gramc_bound_free(bound);
}

static gramc_text origin_of(const struct mock_server *server) {
    gramc_text url = text_of(mock_url(server));
    return text_slice(url, 0, url.len - strlen("/v1"));
}

/* ## Addresses */

static void url_of_the_environment(void **state) {
    static const struct mock_answer answers[] = {{.body = "Ann"}};
    struct mock_server *server = mock_start(answers, 1);
    const gramc_pair secret = {TEXT("CRM_URL"), text_of(mock_url(server))};
    const gramc_pair wrong = {TEXT("CRM_URL"), TEXT("ftp://127.0.0.1/")};
    struct test_agent test;
    struct buf text;
    (void)state;
    open_agent(&test, "${env:CRM_URL}/name?q=1");
    buf_init(&text, NULL, 1 << 16);
    assert_int_equal(call(&test, &secret, &text), GRAMC_CALL_FINE);
    assert_string_equal(text.ptr, "Ann");
    assert_memory_equal(mock_head(server, 0), "GET /v1/name?q=1 HTTP/1.1\r\n", 27);
    expect_refused(&test, NULL, "`CRM_URL` may not be read");
    expect_refused(&test, &wrong, "an address begins with http:// or https://");
    expect_refused(&test, &(gramc_pair){TEXT("CRM_URL"), {NULL, 0}}, "`CRM_URL` is not set");
    buf_free(&text);
    test_agent_free(&test);
    mock_stop(server);
}

/* ## Proxies */

static void proxy_of_its_own(void **state) {
    static const struct mock_answer answers[] = {{.body = "by way of it"}, {.body = "again"}};
    struct mock_server *server = mock_start(answers, 2);
    const gramc_pair secret = {TEXT("PROXY"), origin_of(server)};
    struct test_agent test;
    struct buf text;
    (void)state;
    gramc_impl *impl = open_agent(&test, "http://upstream.invalid/x");
    buf_init(&text, NULL, 1 << 16);
    impl->transport.proxy = origin_of(server);
    assert_int_equal(call(&test, NULL, &text), GRAMC_CALL_FINE);
    assert_string_equal(text.ptr, "by way of it");
    assert_memory_equal(mock_head(server, 0), "GET http://upstream.invalid/x HTTP/1.1\r\n", 40);
    impl->transport.proxy = TEXT("${env:PROXY}");
    buf_reset(&text);
    assert_int_equal(call(&test, &secret, &text), GRAMC_CALL_FINE);
    assert_string_equal(text.ptr, "again");
    expect_refused(&test, &(gramc_pair){TEXT("PROXY"), TEXT("nobody")}, "its proxy begins with");
    buf_free(&text);
    test_agent_free(&test);
    mock_stop(server);
}

/* ## Certificates */

struct tls_server {
    pid_t pid;
    unsigned port; /* 0: it cannot be started */
};

static struct tls_server start_tls(const char *folder) {
    struct tls_server server = {.port = 0};
    int pipes[2];
    char script[1024], line[32] = "";
    snprintf(script, sizeof script, "%s/tests/support/tls_server.py", getenv("GRAMC_SOURCE_DIR"));
    assert_int_equal(pipe(pipes), 0);
    server.pid = fork();
    if (server.pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        execlp("python3", "python3", script, folder, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], line, sizeof line - 1);
    if (got > 0) server.port = (unsigned)strtoul(line, NULL, 10);
    close(pipes[0]);
    return server;
}

static void stop_tls(const struct tls_server *server) {
    kill(server->pid, SIGTERM);
    waitpid(server->pid, NULL, 0);
}

static void certificates_of_its_own(void **state) {
    char folder[1024], url[64];
    struct test_agent test;
    struct buf text;
    (void)state;
    snprintf(folder, sizeof folder, "%s/tests/data/tls/", getenv("GRAMC_SOURCE_DIR"));
    struct tls_server server = start_tls(folder);
    assert_int_not_equal(server.port, 0);
    snprintf(url, sizeof url, "https://localhost:%u/", server.port);
    gramc_impl *impl = open_agent(&test, url);
    impl->folder = text_of(folder);
    impl->transport = (gramc_transport){.ca_file = TEXT("localhost.crt"),
                                        .client_certificate = TEXT("localhost.crt"),
                                        .client_key = TEXT("localhost.key")};
    buf_init(&text, NULL, 1 << 16);
    assert_int_equal(call(&test, NULL, &text), GRAMC_CALL_FINE);
    assert_string_equal(text.ptr, "hello, gramc test, trusted by nobody");
    buf_reset(&text);
    impl->transport.client_certificate = impl->transport.client_key = TEXT("");
    assert_int_equal(call(&test, NULL, &text), GRAMC_CALL_TOOL_ERROR);
    buf_reset(&text);
    impl->transport.ca_file = TEXT("");
    assert_int_equal(call(&test, NULL, &text), GRAMC_CALL_TOOL_ERROR);
    if (!strstr(text.ptr, "certificate")) fail_msg("%s", text.ptr);
    impl->transport.ca_file = TEXT("none.crt");
    expect_refused(&test, NULL, "its caFile `none.crt` cannot be read");
    buf_free(&text);
    test_agent_free(&test);
    stop_tls(&server);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(url_of_the_environment),
                                       cmocka_unit_test(proxy_of_its_own),
                                       cmocka_unit_test(certificates_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
