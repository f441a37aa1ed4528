/* Settings of libcurl that protect: each test fails where its setting is gone. Requests go to a
 * scripted server on 127.0.0.1; what the environment and the home folder say must change nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/net/http.h"
#include "tests/support/mock_server.h"

static const struct mock_answer fine = {.body = "fine"};

/* One request, and what came of it. */
struct asked {
    enum http_failure failure;
    long status;
    char body[256];
    bool done;
};

static void on_done(struct http_request *request) {
    struct asked *asked = request->ctx;
    asked->done = true;
    asked->failure = request->failure;
    asked->status = request->status;
    gramc_text body = buf_view(&request->response);
    size_t len = body.len < sizeof asked->body - 1 ? body.len : sizeof asked->body - 1;
    if (len) memcpy(asked->body, body.ptr, len);
}

/* `url` NULL: the target's own. */
static struct asked ask(const struct http_target_options *options, const char *url) {
    static const char *const headers[] = {"X-Test: 1", NULL};
    gramc_allocator allocator = mem_default();
    struct http_target *target;
    struct http *http;
    struct asked asked = {.done = false};
    uv_loop_t loop;
    assert_int_equal(http_target_new(&target, &allocator, options), GRAMC_OK);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(http_new(&http, &loop, &allocator), GRAMC_OK);
    struct http_request request = {.target = target,
                                   .method = "GET",
                                   .url = url,
                                   .headers = headers,
                                   .max_response = 1000,
                                   .done = on_done,
                                   .ctx = &asked,
                                   .allocator = allocator};
    assert_int_equal(http_start(http, &request), GRAMC_OK);
    while (!asked.done) uv_run(&loop, UV_RUN_ONCE);
    http_request_free(&request);
    http_close(http);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    http_target_free(target);
    return asked;
}

static struct http_target_options to(const char *url) {
    return (struct http_target_options){.url = text_of(url),
                                        .key_header = "Authorization: Bearer ",
                                        .timeout_ms = 20000,
                                        .connect_timeout_ms = 10000};
}

static void expect_first_line(struct mock_server *server, const char *line) {
    assert_int_equal(mock_count(server), 1);
    const char *head = mock_head(server, 0);
    if (strncmp(head, line, strlen(line)) != 0) fail_msg("not %s: %s", line, head);
}

/* CURLOPT_PROTOCOLS_STR: a file is nothing to ask. */
static void http_and_https_alone(void **state) {
    static const char *const urls[] = {"file:///proc/self/status", "ftp://127.0.0.1:1/x",
                                       "gopher://127.0.0.1:1/x", "dict://127.0.0.1:1/x"};
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        const struct http_target_options options = to("http://127.0.0.1:1/");
        struct asked asked = ask(&options, urls[i]);
        if (asked.failure != HTTP_REFUSED || asked.body[0])
            fail_msg("%s: %d %s", urls[i], (int)asked.failure, asked.body);
    }
}

/* CURLOPT_PATH_AS_IS, for a request's own URL and for a target's: who checks a path checks what is
 * sent. */
static void paths_as_they_are(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        char url[256];
        struct mock_server *server = mock_start(&fine, 1);
        snprintf(url, sizeof url, "%s/a/../b/./c", mock_url(server));
        const struct http_target_options options = to(own ? mock_url(server) : url);
        assert_int_equal(ask(&options, own ? url : NULL).status, 200);
        expect_first_line(server, "GET /v1/a/../b/./c HTTP/1.1\r\n");
        mock_stop(server);
    }
}

/* CURLOPT_NOPROXY: a proxy that is set is used, whatever `no_proxy` says. */
static void the_proxy_that_is_set(void **state) {
    struct mock_server *proxy = mock_start(&fine, 1);
    struct http_target_options options = to("http://127.0.0.1:1/x");
    (void)state;
    setenv("no_proxy", "127.0.0.1,localhost", 1);
    setenv("NO_PROXY", "*", 1);
    options.proxy = text_of(mock_url(proxy));
    assert_int_equal(ask(&options, NULL).status, 200);
    expect_first_line(proxy, "GET http://127.0.0.1:1/x HTTP/1.1\r\n");
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    mock_stop(proxy);
}

/* CURLOPT_PROXY "": none that only the environment names. */
static void no_proxy_of_the_environment(void **state) {
    struct mock_server *server = mock_start(&fine, 1), *proxy = mock_start(&fine, 1);
    (void)state;
    setenv("http_proxy", mock_url(proxy), 1);
    setenv("all_proxy", mock_url(proxy), 1);
    const struct http_target_options options = to(mock_url(server));
    assert_int_equal(ask(&options, NULL).status, 200);
    expect_first_line(server, "GET /v1 HTTP/1.1\r\n");
    assert_int_equal(mock_count(proxy), 0);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    mock_stop(server);
    mock_stop(proxy);
}

/* CURLOPT_FOLLOWLOCATION: who asked decides what to do with a redirect. */
static void no_redirect_is_followed(void **state) {
    const struct mock_answer answers[] = {{302, MOCK_WHOLE, "Location: /else\r\n", "go", 0},
                                          {.body = "fine"}};
    struct mock_server *server = mock_start(answers, 2);
    (void)state;
    const struct http_target_options options = to(mock_url(server));
    assert_int_equal(ask(&options, NULL).status, 302);
    assert_int_equal(mock_count(server), 1);
    mock_stop(server);
}

/* CURLOPT_NETRC: no password that lies in the home folder. */
static void no_password_from_home(void **state) {
    char home[] = "/tmp/gramc-home-XXXXXX", path[64];
    struct mock_server *server = mock_start(&fine, 1);
    const char *old = getenv("HOME");
    char *kept = old ? strdup(old) : NULL;
    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/.netrc", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("machine 127.0.0.1 login me password planted\n", file);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
    setenv("HOME", home, 1);
    const struct http_target_options options = to(mock_url(server));
    assert_int_equal(ask(&options, NULL).status, 200);
    assert_null(strstr(mock_head(server, 0), "Authorization"));
    if (kept) setenv("HOME", kept, 1);
    else unsetenv("HOME");
    free(kept);
    remove(path);
    rmdir(home);
    mock_stop(server);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A server that takes nobody in: what more than its queue holds is not answered at all. */
enum { KNOCKING = 8 };

struct full_house {
    int door, guests[KNOCKING];
    char url[64];
};

static void open_full_house(struct full_house *house) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    house->door = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(house->door >= 0);
    assert_int_equal(bind(house->door, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(house->door, 0), 0);
    assert_int_equal(getsockname(house->door, (struct sockaddr *)&address, &size), 0);
    for (size_t i = 0; i < KNOCKING; i++) {
        house->guests[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(fcntl(house->guests[i], F_SETFL, O_NONBLOCK), 0);
        (void)!connect(house->guests[i], (struct sockaddr *)&address, sizeof address);
    }
    snprintf(house->url, sizeof house->url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
}

static void close_full_house(const struct full_house *house) {
    for (size_t i = 0; i < KNOCKING; i++) close(house->guests[i]);
    close(house->door);
}

/* CURLOPT_CONNECTTIMEOUT_MS: nobody waits a whole answer's time for a connection. */
static void connecting_has_its_own_limit(void **state) {
    struct full_house house;
    (void)state;
    open_full_house(&house);
    struct http_target_options options = to(house.url);
    options.connect_timeout_ms = 300;
    double start = now();
    struct asked asked = ask(&options, NULL);
    assert_int_equal(asked.failure, HTTP_TIMED_OUT);
    assert_true(now() - start < 5);
    close_full_house(&house);
}

/* CURLOPT_TIMEOUT_MS */
static void an_answer_has_its_limit(void **state) {
    const struct mock_answer silent = {.mode = MOCK_HANG};
    struct mock_server *server = mock_start(&silent, 1);
    struct http_target_options options = to(mock_url(server));
    (void)state;
    options.timeout_ms = 300;
    double start = now();
    assert_int_equal(ask(&options, NULL).failure, HTTP_TIMED_OUT);
    assert_true(now() - start < 5);
    mock_stop(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http_and_https_alone),
        cmocka_unit_test(paths_as_they_are),
        cmocka_unit_test(the_proxy_that_is_set),
        cmocka_unit_test(no_proxy_of_the_environment),
        cmocka_unit_test(no_redirect_is_followed),
        cmocka_unit_test(no_password_from_home),
        cmocka_unit_test(connecting_has_its_own_limit),
        cmocka_unit_test(an_answer_has_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
