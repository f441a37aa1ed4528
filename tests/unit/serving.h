/* A service in a thread of its own, and clients that write bytes. Include cmocka.h first. */
#ifndef TESTS_UNIT_SERVING_H
#define TESTS_UNIT_SERVING_H

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

#include "base/text.h"
#include "serve/serve.h"
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

static inline int wait_for_post(void *ctx, gramc_text arguments, gramc_writer result) {
    struct fixture *fixture = ctx;
    (void)arguments;
    sem_wait(&fixture->may_end);
    return result.write(result.ctx, "waited", 6);
}

/* The mock answers with what the tool said: a text of a size that the test chooses. */
static inline int say_much(void *ctx, gramc_text arguments, gramc_writer result) {
    const struct fixture *fixture = ctx;
    char piece[1000];
    (void)arguments;
    memset(piece, 'x', sizeof(piece));
    for (size_t i = 0; i < fixture->much; i++)
        if (result.write(result.ctx, piece, sizeof(piece))) return 1;
    return 0;
}

static inline int write_log(void *ctx, const char *bytes, size_t len) {
    buf_put(ctx, bytes, len);
    return 0;
}

/* All memory of the loop and of the service comes from the allocator. NULL: malloc. */
static inline void init_with(struct fixture *fixture, const char *tool,
                             const gramc_allocator *allocator) {
    const gramc_builtin rows[] = {{TEXT("wait"), wait_for_post, fixture, true},
                                  {TEXT("much"), say_much, fixture, false}};
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    memset(fixture, 0, sizeof(*fixture));
    loop_options.allocator = allocator;
    buf_init(&fixture->log, NULL, 1 << 20);
    sem_init(&fixture->may_end, 0, 0);
    fixture->much = 1;
    test_agent_init(&fixture->agent);
    fixture->agent.agent.name = TEXT("clerk");
    fixture->agent.agent.instruction = TEXT("Be kind.");
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
    fixture->options = (struct serve_options){.allocator = allocator,
                                              .loop = fixture->loop,
                                              .listen = TEXT("127.0.0.1:0"),
                                              .agents = &fixture->served,
                                              .agent_count = 1,
                                              .log = {write_log, &fixture->log}};
}

static inline void init(struct fixture *fixture, const char *tool) {
    init_with(fixture, tool, NULL);
}

static inline void *turn(void *ctx) {
    struct fixture *fixture = ctx;
    return gramc_loop_run(fixture->loop) == GRAMC_OK ? fixture : NULL;
}

static inline void start(struct fixture *fixture) {
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
static inline void halt(struct fixture *fixture) {
    service_stop(fixture->service);
    for (int i = 0; i < 2000; i++) sem_post(&fixture->may_end);
    void *turned = NULL;
    pthread_join(fixture->thread, &turned);
    assert_ptr_equal(turned, fixture);
    service_free(fixture->service);
    fixture->service = NULL;
}

static inline void stop(struct fixture *fixture) {
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

static inline int connect_to(const struct fixture *fixture) {
    struct timeval patience = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(
        connect(fd, (const struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    return fd;
}

/* The kernel keeps little for it. */
static inline int connect_slowly(const struct fixture *fixture) {
    int small = 4096, fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    assert_int_equal(
        connect(fd, (const struct sockaddr *)&fixture->address, sizeof(fixture->address)), 0);
    return fd;
}

static inline void send_all(int fd, const char *bytes, size_t len) {
    while (len) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent <= 0) return; /* it hung up: what it said is still to be read */
        bytes += sent;
        len -= (size_t)sent;
    }
}

static inline void send_text(int fd, const char *text) {
    send_all(fd, text, strlen(text));
}

/* All until the server hangs up; of what is too long, beginning and end. */
static inline const char *read_all(struct fixture *fixture, int fd) {
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

static inline int status_of(const char *reply) {
    return strncmp(reply, "HTTP/1.1 ", 9) == 0 ? (int)strtol(reply + 9, NULL, 10) : 0;
}

static inline void send_post(int fd, const char *path, const char *body) {
    char head[512];
    snprintf(head, sizeof(head),
             "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Accept: application/json, text/event-stream\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             path, strlen(body));
    send_text(fd, head);
    send_text(fd, body);
}

static inline void send_request(int fd, const char *body) {
    send_post(fd, "/v1/agents/clerk/messages", body);
}

static inline int ask(const struct fixture *fixture, const char *body) {
    int fd = connect_to(fixture);
    send_request(fd, body);
    return fd;
}

static inline int told(struct fixture *fixture, const char *body) {
    return status_of(read_all(fixture, ask(fixture, body)));
}

/* One of its lines begins and ends like this. */
static inline void assert_logged(struct fixture *fixture, const char *begin, const char *end) {
    bool found = false;
    for (const char *at = fixture->log.ptr; at && (at = strstr(at, begin)) && !found; at++) {
        const char *line_end = strchr(at + 1, '\n');
        size_t len = line_end ? (size_t)(line_end + 1 - at) : 0;
        found = len > strlen(end) && strncmp(at + len - strlen(end), end, strlen(end)) == 0;
    }
    if (!found) print_error("no line `%s ...%s` in the log:\n%s", begin, end, fixture->log.ptr);
    assert_true(found);
}

static inline void sleep_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static inline bool is_closed_within(int fd, int ms) {
    char byte;
    struct pollfd file = {fd, POLLIN, 0};
    return poll(&file, 1, ms) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

#endif
