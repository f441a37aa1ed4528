/* The service by itself, in a thread of its own, and clients that write bytes: every stated limit
 * at its number and one past it, and what it does when memory runs out. What the command does is
 * tests/house/serve.py's matter. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "serve/serve.h"
#include "tests/stated.h"
#include "tests/support/agent.h"

enum { REPLY_ROOM = 1 << 20, PIECES = 64 };

/* ## The server */

struct fixture {
    struct test_agent agent;
    struct served_agent served;
    gramc_builtins *builtins;
    gramc_bound *bound;
    gramc_model *model;
    gramc_loop *loop;
    struct serve_options options;
    struct service *service;
    struct sockaddr_in address;
    pthread_t thread;
    sem_t may_end; /* calls of the tool `wait` end with a post */
    size_t much;   /* thousands of bytes that the tool `much` says */
    struct buf log;
    char reply[REPLY_ROOM];
};

static int wait_for_post(void *ctx, gramc_text arguments, gramc_writer result) {
    struct fixture *fixture = ctx;
    (void)arguments;
    sem_wait(&fixture->may_end);
    return result.write(result.ctx, "waited", 6);
}

/* The mock answers with what the tool said: a text of a size that the test chooses. */
static int say_much(void *ctx, gramc_text arguments, gramc_writer result) {
    const struct fixture *fixture = ctx;
    char piece[1000];
    (void)arguments;
    memset(piece, 'x', sizeof(piece));
    for (size_t i = 0; i < fixture->much; i++)
        if (result.write(result.ctx, piece, sizeof(piece))) return 1;
    return 0;
}

static int write_log(void *ctx, const char *bytes, size_t len) {
    buf_put(ctx, bytes, len);
    return 0;
}

static void init(struct fixture *fixture, const char *tool) {
    const gramc_builtin rows[] = {{TEXT("wait"), wait_for_post, fixture, true},
                                  {TEXT("much"), say_much, fixture, false}};
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    memset(fixture, 0, sizeof(*fixture));
    buf_init(&fixture->log, NULL, 1 << 20);
    sem_init(&fixture->may_end, 0, 0);
    fixture->much = 1;
    test_agent_init(&fixture->agent);
    fixture->agent.agent.name = TEXT("clerk");
    test_tool(&fixture->agent, "work", "{\"type\":\"object\"}", "{\"type\":\"string\"}",
              GRAMC_RESULT_TEXT);
    test_builtin(&fixture->agent, "work", tool);
    assert_int_equal(gramc_builtins_new(&fixture->builtins, NULL), GRAMC_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(gramc_builtins_add(fixture->builtins, &rows[i]), GRAMC_OK);
    bind.builtins = fixture->builtins;
    assert_int_equal(
        gramc_bind(&fixture->bound, &fixture->agent.agent, &fixture->agent.library, &bind),
        GRAMC_OK);
    assert_int_equal(gramc_model_new_mock(&fixture->model, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&fixture->loop, &loop_options), GRAMC_OK);
    fixture->served = (struct served_agent){.agent = &fixture->agent.agent,
                                            .library = TEXT("desk"),
                                            .bound = fixture->bound,
                                            .model = fixture->model,
                                            .options = GRAMC_RUN_OPTIONS_INIT};
    fixture->options = (struct serve_options){.loop = fixture->loop,
                                              .listen = TEXT("127.0.0.1:0"),
                                              .agents = &fixture->served,
                                              .agent_count = 1,
                                              .log = {write_log, &fixture->log}};
}

static void *turn(void *ctx) {
    struct fixture *fixture = ctx;
    return gramc_loop_run(fixture->loop) == GRAMC_OK ? fixture : NULL;
}

static void start(struct fixture *fixture) {
    char why[256];
    assert_int_equal(service_new(&fixture->service, &fixture->options, why), GRAMC_OK);
    gramc_text address = service_address(fixture->service);
    const char *port = strrchr(address.ptr, ':') + 1;
    fixture->address = (struct sockaddr_in){.sin_family = AF_INET,
                                            .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    inet_pton(AF_INET, "127.0.0.1", &fixture->address.sin_addr);
    assert_int_equal(pthread_create(&fixture->thread, NULL, turn, fixture), 0);
}

/* Whoever waits may end first. The log is whole then. */
static void halt(struct fixture *fixture) {
    service_stop(fixture->service);
    for (int i = 0; i < 2000; i++) sem_post(&fixture->may_end);
    void *turned = NULL;
    pthread_join(fixture->thread, &turned);
    assert_ptr_equal(turned, fixture);
    service_free(fixture->service);
    fixture->service = NULL;
}

static void stop(struct fixture *fixture) {
    if (fixture->service) halt(fixture);
    gramc_loop_free(fixture->loop);
    gramc_model_free(fixture->model);
    gramc_bound_free(fixture->bound);
    gramc_builtins_free(fixture->builtins);
    test_agent_free(&fixture->agent);
    sem_destroy(&fixture->may_end);
    buf_free(&fixture->log);
}

/* ## Clients */

static int connect_to(const struct fixture *fixture) {
    struct timeval patience = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(
        connect(fd, (const struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    return fd;
}

/* The kernel keeps little for it. */
static int connect_slowly(const struct fixture *fixture) {
    int small = 4096, fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    assert_int_equal(
        connect(fd, (const struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    return fd;
}

static void send_all(int fd, const char *bytes, size_t len) {
    while (len) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent <= 0) return; /* it hung up: what it said is still to be read */
        bytes += sent;
        len -= (size_t)sent;
    }
}

static void send_text(int fd, const char *text) {
    send_all(fd, text, strlen(text));
}

/* All until the server hangs up; of what is too long, beginning and end. */
static const char *read_all(struct fixture *fixture, int fd) {
    enum { HALF = REPLY_ROOM / 2 };
    size_t len = 0;
    ssize_t got;
    while ((got = recv(fd, fixture->reply + len, REPLY_ROOM - 1 - len, 0)) > 0) {
        len += (size_t)got;
        if (len + 1 < REPLY_ROOM) continue;
        memmove(fixture->reply + HALF, fixture->reply + len - HALF / 2, HALF / 2);
        len = HALF + HALF / 2;
    }
    fixture->reply[len] = '\0';
    close(fd);
    return fixture->reply;
}

static int status_of(const char *reply) {
    return strncmp(reply, "HTTP/1.1 ", 9) == 0 ? (int)strtol(reply + 9, NULL, 10) : 0;
}

static void send_request(int fd, const char *body) {
    char head[512];
    snprintf(head, sizeof(head),
             "POST /v1/agents/clerk/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             strlen(body));
    send_text(fd, head);
    send_text(fd, body);
}

static int ask(const struct fixture *fixture, const char *body) {
    int fd = connect_to(fixture);
    send_request(fd, body);
    return fd;
}

static int told(struct fixture *fixture, const char *body) {
    return status_of(read_all(fixture, ask(fixture, body)));
}

/* One of its lines begins and ends like this. */
static void assert_logged(struct fixture *fixture, const char *begin, const char *end) {
    bool found = false;
    for (const char *at = fixture->log.ptr; at && (at = strstr(at, begin)) && !found; at++) {
        const char *line_end = strchr(at + 1, '\n');
        size_t len = line_end ? (size_t)(line_end + 1 - at) : 0;
        found = len > strlen(end) && strncmp(at + len - strlen(end), end, strlen(end)) == 0;
    }
    if (!found) print_error("no line `%s ...%s` in the log:\n%s", begin, end, fixture->log.ptr);
    assert_true(found);
}

static void sleep_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static bool is_closed_within(int fd, int ms) {
    char byte;
    struct pollfd file = {fd, POLLIN, 0};
    return poll(&file, 1, ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

/* ## Sizes */

/* A message so long that the whole body has this size. */
static int told_of_size(struct fixture *fixture, size_t size, bool chunked) {
    static const char before[] = "{\"message\":\"", after[] = "\"}";
    char head[512];
    char *body = malloc(size + 1);
    assert_non_null(body);
    memset(body, 'x', size);
    memcpy(body, before, strlen(before));
    memcpy(body + size - strlen(after), after, strlen(after));
    int fd = connect_to(fixture);
    snprintf(head, sizeof(head),
             "POST /v1/agents/clerk/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Content-Type: application/json\r\n%s: ",
             chunked ? "Transfer-Encoding" : "Content-Length");
    send_text(fd, head);
    snprintf(head, sizeof(head), chunked ? "chunked\r\n\r\n%zx\r\n" : "%zu\r\n\r\n", size);
    send_text(fd, head);
    send_all(fd, body, size);
    if (chunked) send_text(fd, "\r\n0\r\n\r\n");
    free(body);
    return status_of(read_all(fixture, fd));
}

static void bodies_have_a_largest_size(void **state) {
    static struct fixture fixture;
    (void)state;
    STATED(SERVE_BODY_MAX, 4 << 20, "413");
    init(&fixture, "much");
    start(&fixture);
    assert_int_equal(told_of_size(&fixture, 4 << 20, false), 200);
    assert_int_equal(told_of_size(&fixture, 4 << 20, true), 200);
    assert_int_equal(told_of_size(&fixture, (4 << 20) + 1, false), 413);
    assert_int_equal(told_of_size(&fixture, (4 << 20) + 1, true), 413);
    assert_int_equal(told_of_size(&fixture, 12 << 20, true), 0);
    stop(&fixture);
}

static int told_of_header(struct fixture *fixture, size_t size) {
    int fd = connect_to(fixture);
    char *filler = malloc(size + 1);
    assert_non_null(filler);
    memset(filler, 'x', size);
    send_text(fd, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Filler: ");
    send_all(fd, filler, size);
    send_text(fd, "\r\n\r\n");
    free(filler);
    return status_of(read_all(fixture, fd));
}

/* The library needs some of the room for itself. */
static void headers_have_a_largest_size(void **state) {
    static struct fixture fixture;
    (void)state;
    STATED(SERVE_HEADERS_MAX, 32 << 10, "431, or 414 where it is the address");
    init(&fixture, "much");
    start(&fixture);
    assert_int_equal(told_of_header(&fixture, 24 << 10), 200);
    assert_int_equal(told_of_header(&fixture, 32 << 10), 431);
    assert_int_equal(told_of_header(&fixture, 64 << 10), 431);
    stop(&fixture);
}

/* ## Times */

/* Bytes that come one by one keep nothing alive. */
static bool drips_for(const struct fixture *fixture, const char *before, int ms) {
    int fd = connect_to(fixture);
    bool closed = false;
    send_text(fd, before);
    for (int i = 0; i < ms / 50 && !closed; i++) {
        send_all(fd, "x", 1);
        closed = is_closed_within(fd, 50);
    }
    close(fd);
    return closed;
}

static void dawdlers_are_hung_up_on(void **state) {
    static struct fixture fixture;
    (void)state;
    STATED(SERVE_HEADERS_MS, 10000, "the connection is closed");
    STATED(SERVE_BODY_MS, 30000, "the connection is closed");
    STATED(SERVE_IDLE_MS, 60000, "the connection is closed");
    init(&fixture, "much");
    fixture.options.header_ms = 600;
    fixture.options.body_ms = 1500;
    fixture.options.idle_ms = 1000;
    start(&fixture);
    assert_false(drips_for(&fixture, "GET /health HTTP/1.1\r\nX: ", 400));
    assert_true(drips_for(&fixture, "GET /health HTTP/1.1\r\nX: ", 3000));
    assert_true(drips_for(&fixture, "", 3000));
    const char *post = "POST /v1/agents/clerk/messages HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
    assert_false(drips_for(&fixture, post, 1000));
    assert_true(drips_for(&fixture, post, 5000));
    int fd = connect_to(&fixture);
    send_text(fd, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(recv(fd, fixture.reply, REPLY_ROOM, 0) > 0);
    assert_false(is_closed_within(fd, 400));
    assert_true(is_closed_within(fd, 5000));
    close(fd);
    halt(&fixture);
    assert_logged(&fixture, "\n- - 0 0 bytes ", ", too slow\n");
    assert_logged(&fixture, "\nPOST /v1/agents/clerk/messages 0 0 bytes ", ", too slow\n");
    stop(&fixture);
}

/* It has its connection until it was idle for as long as any other. */
static void who_takes_nothing_is_hung_up_on(void **state) {
    static struct fixture fixture;
    (void)state;
    init(&fixture, "much");
    fixture.options.idle_ms = 1000;
    fixture.much = 800;
    start(&fixture);
    int fd = connect_slowly(&fixture);
    send_request(fd, "{\"message\":\"x\",\"stream\":true}");
    sleep_ms(4000);
    assert_int_equal(told(&fixture, "{\"message\":\"x\"}"), 200);
    halt(&fixture);
    assert_logged(&fixture, "POST /v1/agents/clerk/messages 200 ", ", too slow\n");
    close(fd);
    stop(&fixture);
}

/* ## Counts */

static void connections_are_counted(void **state) {
    static struct fixture fixture;
    int fds[3];
    (void)state;
    STATED(SERVE_CONNECTIONS_MAX, 1000, "further ones wait");
    init(&fixture, "much");
    fixture.options.max_connections = 2;
    start(&fixture);
    for (int i = 0; i < 3; i++) {
        fds[i] = connect_to(&fixture);
        send_text(fds[i], "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    assert_true(recv(fds[0], fixture.reply, REPLY_ROOM, 0) > 0);
    assert_true(recv(fds[1], fixture.reply, REPLY_ROOM, 0) > 0);
    struct pollfd third = {fds[2], POLLIN, 0};
    assert_int_equal(poll(&third, 1, 300), 0);
    close(fds[0]);
    assert_int_equal(poll(&third, 1, 5000), 1);
    assert_true(recv(fds[2], fixture.reply, REPLY_ROOM, 0) > 0);
    close(fds[1]);
    close(fds[2]);
    stop(&fixture);
}

static void connections_of_one_address_are_counted(void **state) {
    static struct fixture fixture;
    const gramc_text token = TEXT("0123456789abcdef");
    int fds[3];
    (void)state;
    STATED(SERVE_ADDRESS_MAX, 500, "further ones are closed");
    init(&fixture, "much");
    fixture.options.listen = TEXT("0.0.0.0:0");
    fixture.options.tokens = &token;
    fixture.options.token_count = 1;
    fixture.options.max_of_address = 2;
    start(&fixture);
    for (int i = 0; i < 3; i++) fds[i] = connect_to(&fixture);
    assert_true(is_closed_within(fds[2], 5000));
    for (int i = 0; i < 2; i++) {
        send_text(fds[i], "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_true(recv(fds[i], fixture.reply, REPLY_ROOM, 0) > 0);
    }
    for (int i = 0; i < 3; i++) close(fds[i]);
    halt(&fixture);
    assert_logged(&fixture, "a connection is refused", "its address has 2\n");
    stop(&fixture);
}

static void runs_are_counted(void **state) {
    static struct fixture fixture;
    int fds[3];
    (void)state;
    STATED(SERVE_RUNS_MAX, 64, "503 with Retry-After");
    init(&fixture, "wait");
    fixture.options.max_runs = 3;
    start(&fixture);
    for (int i = 0; i < 3; i++) fds[i] = ask(&fixture, "{\"message\":\"x\"}");
    sleep_ms(300);
    assert_int_equal(told(&fixture, "{\"message\":\"x\"}"), 503);
    assert_non_null(strstr(fixture.reply, "\r\nRetry-After: 1\r\n"));
    for (int i = 0; i < 3; i++) sem_post(&fixture.may_end);
    for (int i = 0; i < 3; i++) assert_int_equal(status_of(read_all(&fixture, fds[i])), 200);
    sem_post(&fixture.may_end);
    assert_int_equal(told(&fixture, "{\"message\":\"x\"}"), 200);
    stop(&fixture);
}

static void session_of(const char *reply, char id[65]) {
    const char *at = strstr(reply, "\"session\":\"");
    assert_non_null(at);
    memcpy(id, at + 11, 64);
    id[64] = '\0';
}

static int told_in(struct fixture *fixture, const char *id) {
    char body[256];
    snprintf(body, sizeof(body), "{\"message\":\"x\",\"session\":\"%s\"}", id);
    return told(fixture, body);
}

static void sessions_are_counted(void **state) {
    static struct fixture fixture;
    char ids[3][65];
    (void)state;
    STATED(SERVE_SESSIONS_MAX, 1000,
           "the one that was idle longest is forgotten; 503 if all have a run");
    init(&fixture, "wait");
    fixture.options.max_sessions = 2;
    start(&fixture);
    for (int i = 0; i < 8; i++) sem_post(&fixture.may_end);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(told(&fixture, "{\"message\":\"x\",\"session\":true}"), 200);
        session_of(fixture.reply, ids[i]);
        if (i == 1) assert_int_equal(told_in(&fixture, ids[0]), 200);
    }
    assert_int_equal(told_in(&fixture, ids[1]), 404);
    assert_int_equal(told_in(&fixture, ids[0]), 200);
    assert_int_equal(told_in(&fixture, ids[2]), 200);
    while (sem_trywait(&fixture.may_end) == 0) {
    }
    int fds[2] = {ask(&fixture, "{\"message\":\"x\",\"session\":true}"),
                  ask(&fixture, "{\"message\":\"x\",\"session\":true}")};
    sleep_ms(300);
    assert_int_equal(told(&fixture, "{\"message\":\"x\",\"session\":true}"), 503);
    for (int i = 0; i < 2; i++) sem_post(&fixture.may_end);
    for (int i = 0; i < 2; i++) assert_int_equal(status_of(read_all(&fixture, fds[i])), 200);
    stop(&fixture);
}

static void sessions_are_forgotten(void **state) {
    static struct fixture fixture;
    char id[65];
    (void)state;
    STATED(SERVE_SESSION_MS, 3600000, "it is forgotten: 404");
    init(&fixture, "much");
    fixture.options.session_ms = 600;
    start(&fixture);
    assert_int_equal(told(&fixture, "{\"message\":\"x\",\"session\":true}"), 200);
    session_of(fixture.reply, id);
    sleep_ms(200);
    assert_int_equal(told_in(&fixture, id), 200);
    sleep_ms(900);
    assert_int_equal(told_in(&fixture, id), 404);
    stop(&fixture);
}

/* Of a client that takes nothing for half a second; its answer is told five times: as result and
 * answer, and three times in the document. */
static bool ends_when_taken_late(struct fixture *fixture, size_t thousands) {
    int fd = connect_slowly(fixture);
    const char *body = "{\"message\":\"x\",\"stream\":true}";
    fixture->much = thousands;
    send_request(fd, body);
    sleep_ms(500);
    const char *reply = read_all(fixture, fd);
    size_t len = strlen(reply);
    return len > 5 && strcmp(reply + len - 5, "0\r\n\r\n") == 0; /* the last chunk */
}

static void streams_wait_for_their_clients(void **state) {
    static struct fixture fixture;
    (void)state;
    STATED(SERVE_STREAM_MAX, 4 << 20, "the run is canceled");
    init(&fixture, "much");
    start(&fixture);
    assert_true(ends_when_taken_late(&fixture, 780));
    assert_false(ends_when_taken_late(&fixture, 1040));
    assert_true(ends_when_taken_late(&fixture, 1));
    stop(&fixture);
}

static void stopping_has_an_end(void **state) {
    static struct fixture fixture;
    struct timespec before, after;
    (void)state;
    STATED(SERVE_GRACE_MS, 10000, "it is canceled");
    init(&fixture, "wait");
    fixture.options.grace_ms = 700;
    start(&fixture);
    int waits = ask(&fixture, "{\"message\":\"x\"}");
    sleep_ms(200);
    clock_gettime(CLOCK_MONOTONIC, &before);
    service_stop(fixture.service);
    assert_int_equal(status_of(read_all(&fixture, waits)), 503);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds =
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    assert_true(seconds > 0.6 && seconds < 5);
    stop(&fixture);
}

/* ## Addresses */

static void addresses_are_checked(void **state) {
    static struct fixture fixture;
    static const char *const wrong[] = {
        "",           "8080",          "localhost", "example.org:80", "127.0.0.1:65536",
        "127.0.0.1:", "127.0.0.1:80x", "[::1:80",   "::1:80"};
    const gramc_text token = TEXT("0123456789abcdef");
    char why[256];
    (void)state;
    init(&fixture, "much");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        fixture.options.listen = text_of(wrong[i]);
        assert_int_equal(service_new(&fixture.service, &fixture.options, why), GRAMC_USAGE);
        assert_true(strlen(why) > 0);
    }
    fixture.options.listen = TEXT("0.0.0.0:0");
    assert_int_equal(service_new(&fixture.service, &fixture.options, why), GRAMC_USAGE);
    assert_non_null(strstr(why, "token"));
    fixture.options.tokens = &token;
    fixture.options.token_count = 1;
    start(&fixture);
    assert_int_equal(told(&fixture, "{\"message\":\"x\"}"), 401);
    stop(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_have_a_largest_size),
        cmocka_unit_test(headers_have_a_largest_size),
        cmocka_unit_test(dawdlers_are_hung_up_on),
        cmocka_unit_test(who_takes_nothing_is_hung_up_on),
        cmocka_unit_test(connections_are_counted),
        cmocka_unit_test(connections_of_one_address_are_counted),
        cmocka_unit_test(runs_are_counted),
        cmocka_unit_test(sessions_are_counted),
        cmocka_unit_test(sessions_are_forgotten),
        cmocka_unit_test(streams_wait_for_their_clients),
        cmocka_unit_test(stopping_has_an_end),
        cmocka_unit_test(addresses_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
