/* The service by itself, in a thread of its own, and clients that write bytes: every stated limit
 * at its number and one past it. When memory runs out is test_serve_faults.c's matter, and what the
 * command does that of tests/house/serve.py. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "experiment/online.h"
#include "serve/mcp.h"
#include "tests/stated.h"
#include "tests/unit/serving.h"

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

/* ## MCP clients that listen */

static int listen_to(const struct fixture *fixture) {
    int fd = connect_to(fixture);
    send_text(fd, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  "Accept: text/event-stream\r\n\r\n");
    return fd;
}

/* Half of the connections, so that others can call; at the end they are let go. */
static void listeners_are_counted(void **state) {
    static struct fixture fixture;
    struct shelf_options shelf = {.agent = &fixture.served};
    char why[256];
    (void)state;
    init(&fixture, "much");
    shelf.loop = fixture.loop;
    assert_int_equal(shelf_new(&fixture.options.shelf, &shelf, why), GRAMC_OK);
    fixture.options.max_connections = 4;
    start(&fixture);
    int first = listen_to(&fixture), second = listen_to(&fixture);
    sleep_ms(200);
    assert_int_equal(status_of(read_all(&fixture, listen_to(&fixture))), 503);
    int fd = connect_to(&fixture);
    send_post(fd, "/mcp", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_int_equal(status_of(read_all(&fixture, fd)), 200);
    close(first);
    sleep_ms(200);
    int third = listen_to(&fixture);
    sleep_ms(200);
    halt(&fixture);
    assert_int_equal(status_of(read_all(&fixture, second)), 200);
    assert_int_equal(status_of(read_all(&fixture, third)), 200);
    shelf_let_go(fixture.options.shelf);
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

/* ## An experiment */

/* Two arms that are the same, in a store of their own. */
struct study {
    struct fixture fixture;
    struct served_agent arms[2];
    gramc_arm named[2];
    gramc_experiment experiment;
    struct cases cases;
    struct plan plan;
    char folder[64], path[96];
    struct store *store;
    struct online *online;
};

static void begin_study(struct study *study) {
    struct store_error error;
    init(&study->fixture, "much");
    for (int i = 0; i < 2; i++) study->arms[i] = study->fixture.served;
    study->named[0] = (gramc_arm){.name = TEXT("old"), .agent = &study->fixture.agent.agent};
    study->named[1] = (gramc_arm){.name = TEXT("new"), .agent = &study->fixture.agent.agent};
    study->experiment = (gramc_experiment){
        .name = TEXT("e"), .repeats = 1, .units = 10, .arms = study->named, .arm_count = 2};
    study->cases = (struct cases){.fingerprint = "online"};
    assert_int_equal(plan_make(&study->plan, &study->experiment, &study->cases, NULL, NULL), 0);
    snprintf(study->folder, sizeof(study->folder), "/tmp/gramc-serve-XXXXXX");
    assert_non_null(mkdtemp(study->folder));
    snprintf(study->path, sizeof(study->path), "%s/store.db", study->folder);
    if (store_open(&study->store, text_of(study->path), NULL, &error) ||
        store_begin(study->store, TEXT("e"), &study->plan, TEXT("{}"), &error))
        fail_msg("%s", error.message);
    const struct online_options options = {
        .plan = &study->plan, .store = study->store, .loop = study->fixture.loop};
    assert_int_equal(online_new(&study->online, &options, &error), GRAMC_OK);
    study->fixture.options.agents = study->arms;
    study->fixture.options.agent_count = 2;
    study->fixture.options.online = study->online;
}

static void end_study(struct study *study) {
    static const char *const names[] = {"", "-wal", "-shm", "-lock"};
    struct store_error error;
    char path[128];
    stop(&study->fixture);
    online_free(study->online);
    assert_int_equal(store_close(study->store, &error), GRAMC_OK);
    plan_free(&study->plan);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s%s", study->path, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(study->folder), 0);
}

static int told_by(struct fixture *fixture, size_t length) {
    char body[2048], user[1600];
    memset(user, 'u', length);
    user[length] = '\0';
    snprintf(body, sizeof(body), "{\"message\":\"x\",\"user\":\"%s\"}", user);
    return told(fixture, body);
}

static void users_have_names_of_some_length(void **state) {
    static struct study study;
    (void)state;
    STATED(SERVE_USER_MAX, 1000, "400");
    begin_study(&study);
    start(&study.fixture);
    assert_int_equal(told_by(&study.fixture, 1000), 200);
    assert_int_equal(told_by(&study.fixture, 1001), 400);
    assert_int_equal(told(&study.fixture, "{\"message\":\"x\",\"library\":\"desk\"}"), 400);
    assert_int_equal(told(&study.fixture, "{\"message\":\"x\",\"covariate\":\"y\"}"), 400);
    end_study(&study);
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
        cmocka_unit_test(users_have_names_of_some_length),
        cmocka_unit_test(sessions_are_forgotten),
        cmocka_unit_test(streams_wait_for_their_clients),
        cmocka_unit_test(stopping_has_an_end),
        cmocka_unit_test(listeners_are_counted),
        cmocka_unit_test(addresses_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
