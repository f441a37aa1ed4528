/* Sends the spans of a run to a collector: POST {url}/v1/traces, once and without a second try.
 * What the collector says is told in a few words of ours. */
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/net/http.h"
#include "runtime/spans.h"

enum { WHY_MAX = 256, URL_MAX = 4096, HEADERS_MAX = 32, REPLY_MAX = 1 << 20, BODY_MAX = 65 << 20 };

struct delivery {
    struct http_request http;
    struct http_target *target;
    struct buf url, body;
    const char *headers[HEADERS_MAX];
    bool over;
};

static void on_done(struct http_request *http) {
    struct delivery *delivery = http->ctx;
    delivery->over = true;
}

static bool is_over(void *ctx) {
    return ((const struct delivery *)ctx)->over;
}

static void put_url(struct buf *out, gramc_text url) {
    static const char path[] = "/v1/traces";
    size_t len = sizeof path - 1;
    while (url.len && url.ptr[url.len - 1] == '/') url.len--;
    bool whole = url.len > len && memcmp(url.ptr + url.len - len, path, len) == 0;
    buf_text(out, url);
    if (!whole) buf_puts(out, path);
}

/* A collector may take the request and refuse spans; 64 bits are a text in proto3's JSON. */
static bool has_rejected(struct delivery *delivery) {
    struct arena arena;
    arena_init(&arena, &delivery->http.allocator);
    const struct json *reply = json_parse(&arena, buf_view(&delivery->http.response), NULL);
    const struct json *number = json_get(json_get(reply, "partialSuccess"), "rejectedSpans");
    bool says = json_is(number, JSON_STRING) || json_is(number, JSON_NUMBER);
    bool rejected = says && !text_is(number->text, "0") && number->text.len > 0;
    arena_free(&arena);
    return rejected;
}

static gramc_status judge(struct delivery *delivery, char *why) {
    const struct http_request *http = &delivery->http;
    switch (http->failure) {
    case HTTP_NOMEM: return GRAMC_NOMEM;
    case HTTP_TOO_BIG: snprintf(why, WHY_MAX, "its answer is too long"); return GRAMC_IO;
    case HTTP_TIMED_OUT: snprintf(why, WHY_MAX, "it did not answer in time"); return GRAMC_IO;
    case HTTP_UNREACHABLE:
    case HTTP_REFUSED: snprintf(why, WHY_MAX, "%s", http->error); return GRAMC_IO;
    case HTTP_FINE: break;
    }
    if (http->status < 200 || http->status > 299) {
        snprintf(why, WHY_MAX, "it answered with status %ld", http->status);
        return GRAMC_IO;
    }
    if (!has_rejected(delivery)) return GRAMC_OK;
    snprintf(why, WHY_MAX, "it rejected some of them");
    return GRAMC_IO;
}

static gramc_status make_target(struct delivery *delivery, const gramc_loop *loop,
                                const gramc_spans_target *target) {
    struct http_target_options options = {.timeout_ms =
                                              target->timeout_ms ? target->timeout_ms : SPANS_MS};
    put_url(&delivery->url, target->url);
    buf_putc(&delivery->url, '\0');
    if (buf_status(&delivery->url)) return buf_status(&delivery->url);
    options.url = text_of(delivery->url.ptr);
    options.connect_timeout_ms = options.timeout_ms;
    return http_target_new(&delivery->target, &loop->allocator, &options);
}

/* GRAMC_LIMIT: too many. */
static gramc_status make_headers(struct delivery *delivery, const char *const *given) {
    size_t count = 0;
    delivery->headers[count++] = "Content-Type: application/json";
    for (; given && *given; given++) {
        if (count == HEADERS_MAX - 1) return GRAMC_LIMIT;
        delivery->headers[count++] = *given;
    }
    delivery->headers[count] = NULL;
    return GRAMC_OK;
}

static gramc_status send_all(struct delivery *delivery, gramc_loop *loop, char *why) {
    struct http_request *http = &delivery->http;
    http->target = delivery->target;
    http->headers = delivery->headers;
    http->body = buf_view(&delivery->body);
    http->max_response = REPLY_MAX;
    http->done = on_done;
    http->ctx = delivery;
    http->allocator = loop->allocator;
    if (http_start(loop->http, http)) return GRAMC_NOMEM;
    loop_turn_until(loop, is_over, delivery);
    if (delivery->over) return judge(delivery, why);
    http_cancel(http);
    snprintf(why, WHY_MAX, "interrupted");
    return GRAMC_IO;
}

gramc_status gramc_spans_send(const gramc_spans *spans, struct gramc_loop *loop,
                              const gramc_spans_target *given, char *why) {
    gramc_spans_target target = GRAMC_SPANS_TARGET_INIT;
    struct delivery delivery = {.over = false};
    OPTIONS_READ(target, given);
    why[0] = '\0';
    if (loop->running) return GRAMC_USAGE;
    buf_init(&delivery.url, &loop->allocator, URL_MAX);
    buf_init(&delivery.body, &loop->allocator, BODY_MAX);
    gramc_status status = make_headers(&delivery, target.headers);
    if (!status) status = make_target(&delivery, loop, &target);
    if (!status) status = spans_put(spans, &delivery.body);
    if (!status) status = send_all(&delivery, loop, why);
    http_request_free(&delivery.http);
    http_target_free(delivery.target);
    buf_free(&delivery.body);
    buf_free(&delivery.url);
    return status;
}
