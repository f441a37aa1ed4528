/* Answers requests from memory, in the order in which they come, as http.c would from a connection:
 * pieces first, the end later, never from inside http_start. One request at a time; time limits,
 * proxies and TLS are http.c's own. */
#define _GNU_SOURCE /* uv.h */
#include "tests/answers/replayed_http.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { REQUESTS_KEPT = 8 };

struct http {
    gramc_allocator allocator;
    uv_idle_t turn; /* active while a request is under way */
    const struct replayed *answers;
    size_t answer_count, count, given; /* bytes of the current answer */
    struct http_request *request;      /* under way; NULL: none */
    struct buf requests[REQUESTS_KEPT];
};

struct http_target {
    gramc_allocator allocator;
};

gramc_status http_target_new(struct http_target **out, const gramc_allocator *allocator,
                             const struct http_target_options *options) {
    (void)options;
    *out = mem_alloc(allocator, sizeof(**out));
    if (!*out) return GRAMC_NOMEM;
    (*out)->allocator = *allocator;
    return GRAMC_OK;
}

void http_target_free(struct http_target *target) {
    if (!target) return;
    gramc_allocator allocator = target->allocator;
    mem_free(&allocator, target, sizeof(*target));
}

/* ## Answering */

static const struct replayed *answer_to(const struct http *http) {
    size_t n = http->count - 1, last = http->answer_count - 1;
    return &http->answers[n < last ? n : last];
}

static void finish(struct http *http, const struct replayed *answer) {
    struct http_request *request = http->request;
    static const char broken[] = "the connection broke";
    http_cancel(request);
    request->failure = answer->failure;
    if (answer->failure) memcpy(request->error, broken, sizeof(broken));
    request->done(request);
}

static void go_on(uv_idle_t *turn) {
    struct http *http = turn->data;
    struct http_request *request = http->request;
    const struct replayed *answer = answer_to(http);
    size_t left = answer->body.len - http->given;
    size_t len = answer->part && answer->part < left ? answer->part : left;
    if (len == 0) {
        finish(http, answer);
        return;
    }
    buf_text(&request->response, text_slice(answer->body, http->given, http->given + len));
    http->given += len;
    if (request->data) request->data(request);
}

gramc_status http_start(struct http *http, struct http_request *request) {
    if (http->request || http->answer_count == 0) abort();
    if (http->count < REQUESTS_KEPT) {
        buf_reset(&http->requests[http->count]);
        buf_text(&http->requests[http->count], request->body);
    }
    http->count++;
    http->request = request;
    http->given = 0;
    buf_free(&request->response);
    buf_free(&request->kept);
    buf_init(&request->response, &request->allocator, request->max_response);
    buf_init(&request->kept, &request->allocator, 256);
    buf_puts(&request->kept, "Content-Type: text/plain\n");
    request->http = http;
    request->status = answer_to(http)->status ? answer_to(http)->status : 200;
    request->error[0] = '\0';
    request->retry_after_ms = -1;
    request->may_retry = request->must_not_retry = false;
    request->failure = HTTP_FINE;
    return uv_idle_start(&http->turn, go_on) ? GRAMC_NOMEM : GRAMC_OK;
}

void http_cancel(struct http_request *request) {
    struct http *http = request->http;
    if (!http || http->request != request) return;
    http->request = NULL;
    uv_idle_stop(&http->turn);
}

bool http_waits(const struct http_request *request) {
    (void)request;
    return false;
}

gramc_text http_kept(const struct http_request *request, const char *name) {
    gramc_text line = buf_view(&request->kept);
    return text_starts(line, name) ? text_trim(text_slice(line, strlen(name) + 1, line.len))
                                   : (gramc_text){NULL, 0};
}

void http_request_free(struct http_request *request) {
    buf_free(&request->response);
    buf_free(&request->kept);
}

/* ## Life */

gramc_status http_new(struct http **out, uv_loop_t *loop, const gramc_allocator *allocator) {
    struct http *http = mem_alloc(allocator, sizeof(*http));
    *out = http;
    if (!http) return GRAMC_NOMEM;
    *http = (struct http){.allocator = *allocator};
    for (size_t i = 0; i < REQUESTS_KEPT; i++) buf_init(&http->requests[i], allocator, 1 << 24);
    uv_idle_init(loop, &http->turn);
    http->turn.data = http;
    return GRAMC_OK;
}

static void turn_closed(uv_handle_t *handle) {
    struct http *http = handle->data;
    gramc_allocator allocator = http->allocator;
    for (size_t i = 0; i < REQUESTS_KEPT; i++) buf_free(&http->requests[i]);
    mem_free(&allocator, http, sizeof(*http));
}

void http_close(struct http *http) {
    if (http) uv_close((uv_handle_t *)&http->turn, turn_closed);
}

bool http_is_idle(const struct http *http) {
    return http->request == NULL;
}

void http_trust(struct http *http, const char *ca_file) {
    (void)http, (void)ca_file;
}

void http_limit(struct http *http, size_t most) {
    (void)http, (void)most;
}

/* ## For tests */

void replay(struct http *http, const struct replayed *answers, size_t count) {
    http->answers = answers;
    http->answer_count = count;
    http->count = 0;
}

size_t replay_count(const struct http *http) {
    return http->count;
}

gramc_text replay_request(const struct http *http, size_t i) {
    if (i >= http->count || i >= REQUESTS_KEPT) abort();
    return buf_view(&http->requests[i]);
}
