/* A scripted HTTP server on 127.0.0.1 for tests: the n-th request gets the n-th answer, whatever
 * connection it comes by. Runs on a thread and a loop of its own. */
#ifndef TESTS_SUPPORT_MOCK_SERVER_H
#define TESTS_SUPPORT_MOCK_SERVER_H

#include <stddef.h>

enum mock_mode {
    MOCK_WHOLE,
    MOCK_CUT,   /* half of the body, then the connection is closed */
    MOCK_OPEN,  /* the body without a length, and the connection stays open */
    MOCK_CLOSE, /* closed without a word */
    MOCK_RESET, /* the same, but as by a crash: with a reset */
    MOCK_HANG,  /* no answer at all */
    MOCK_STALL, /* half of the body, and then nothing more */
    MOCK_RAW,   /* `body` is the whole answer, head and all; then the connection is closed */
    MOCK_ECHO   /* the body is the request, head and body, as it came */
};

struct mock_answer {
    int status; /* 0 means 200 */
    enum mock_mode mode;
    const char *headers; /* "Name: value\r\n" each, or NULL; Content-Type is JSON's if not here */
    const char *body;
    size_t padding; /* blanks behind the body */
};

struct mock_server;

/* The answers are borrowed. What comes after the last one gets status 599. */
struct mock_server *mock_start(const struct mock_answer *answers, size_t count);
/* "http://127.0.0.1:PORT/v1" */
const char *mock_url(const struct mock_server *server);
/* Requests that arrived whole so far. */
size_t mock_count(struct mock_server *server);
/* The i-th one's head and body; valid until mock_stop. */
const char *mock_head(struct mock_server *server, size_t i);
const char *mock_body(struct mock_server *server, size_t i);
size_t mock_body_length(struct mock_server *server, size_t i);
void mock_stop(struct mock_server *server);

#endif
