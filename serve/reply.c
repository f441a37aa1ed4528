/* Answers that are whole: JSON, pages, errors. Each carries the headers that keep browsers from
 * guessing, framing and storing. */
#include "serve/service.h"

#include "base/json/writer.h"
#include "base/text.h"

#define LOAD_NOTHING "default-src 'none'; frame-ancestors 'none'"

enum { ERROR_WORDS_MAX = 4096, ERROR_MAX = 6 * ERROR_WORDS_MAX + 256, CONSTANT_MAX = 1 << 20 };

/* ## What is answered */

void reply_go_on(struct asked *asked) {
    if (!asked->waits || !asked->connection) return;
    asked->waits = false;
    asked->service->http.resume(asked->connection);
    pump_wake(asked->service);
}

void reply_json(struct asked *asked, unsigned status, struct buf *json) {
    if (buf_status(json)) {
        buf_free(json);
        reply_nomem(asked);
        return;
    }
    asked->status = status;
    asked->content_type = "application/json";
    buf_free(&asked->answer);
    asked->answer = *json;
    reply_go_on(asked);
}

void reply_constant(struct asked *asked, unsigned status, const char *type, gramc_text bytes) {
    buf_init(&asked->answer, &asked->service->allocator, CONSTANT_MAX);
    buf_text(&asked->answer, bytes);
    asked->status = status;
    asked->content_type = type;
    if (buf_status(&asked->answer)) reply_nomem(asked);
    else reply_go_on(asked);
}

void reply_nomem(struct asked *asked) {
    static const char words[] =
        "{\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\","
        "\"param\":null,\"code\":\"out_of_memory\"}}";
    asked->status = 503;
    asked->content_type = "application/json";
    asked->has_last_words = true;
    memcpy(asked->last_words, words, sizeof(words));
    reply_go_on(asked);
}

static const char *error_type(unsigned status) {
    if (status == 401) return "authentication_error";
    if (status == 403) return "permission_error";
    return status >= 500 ? "server_error" : "invalid_request_error";
}

void reply_put_error(struct buf *out, unsigned status, const char *code, gramc_text message,
                     gramc_text param) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "message", message);
    json_member_text(&w, "type", text_of(error_type(status)));
    json_key(&w, "param");
    if (param.len) json_text(&w, param);
    else json_null(&w);
    json_member_text(&w, "code", text_of(code));
    json_object_end(&w);
}

void reply_error(struct asked *asked, unsigned status, const char *code, const char *format, ...) {
    struct buf words, out;
    va_list args;
    buf_init(&words, &asked->service->allocator, ERROR_WORDS_MAX);
    buf_init(&out, &asked->service->allocator, ERROR_MAX);
    va_start(args, format);
    buf_vprintf(&words, format, args);
    va_end(args);
    buf_puts(&out, "{\"error\":");
    reply_put_error(&out, status, code, buf_view(&words), asked->param);
    buf_putc(&out, '}');
    buf_free(&words);
    reply_json(asked, status, &out);
}

/* ## Sending it */

static bool put_headers(const struct asked *asked, struct MHD_Response *response) {
    const struct microhttpd *http = &asked->service->http;
    const struct {
        const char *name, *value;
        bool wanted;
    } rows[] = {
        {"Content-Type", asked->content_type, asked->content_type != NULL},
        {"Cache-Control", "no-store", true},
        {"X-Content-Type-Options", "nosniff", true},
        {"Referrer-Policy", "no-referrer", true},
        {"Cross-Origin-Resource-Policy", "same-origin", !admit_origin(asked)},
        {"Content-Security-Policy", asked->policy ? asked->policy : LOAD_NOTHING, true},
        {"Gramc-Arm", asked->arm.ptr, asked->arm.len > 0},
        {"Gramc-Ignored", asked->ignored.ptr, asked->ignored.len > 0},
        {"Allow", asked->allow, asked->allow != NULL},
        {"Retry-After", "1", asked->status == 503},
        {"WWW-Authenticate", "Bearer", asked->status == 401},
        {"Connection", "close", asked->service->is_stopping},
        {"Vary", "Origin", asked->service->options.origin_count > 0},
        {"Access-Control-Allow-Headers", asked->headers_allowed.ptr,
         asked->headers_allowed.len > 0},
        {"Access-Control-Allow-Methods", "GET, POST, DELETE", asked->headers_allowed.len > 0},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].wanted) good = http->header(response, rows[i].name, rows[i].value) && good;
    if (admit_origin(asked))
        good = http->header(response, "Access-Control-Allow-Origin", asked->headers.origin.ptr) &&
               good;
    return good;
}

enum MHD_Result reply_queue(struct asked *asked, struct MHD_Response *response) {
    const struct microhttpd *http = &asked->service->http;
    if (!response) return MHD_NO;
    enum MHD_Result result = MHD_NO;
    if (put_headers(asked, response))
        result = http->queue(asked->connection, asked->status, response);
    http->drop(response);
    asked->sent = result == MHD_YES;
    return result;
}

/* The bytes stay where they are: the request outlives what the library sends of it. */
enum MHD_Result reply_send(struct asked *asked) {
    char *bytes = asked->has_last_words ? asked->last_words : asked->answer.ptr;
    asked->bytes = asked->has_last_words ? strlen(asked->last_words) : asked->answer.len;
    return reply_queue(
        asked, asked->service->http.from_buffer(asked->bytes, bytes, MHD_RESPMEM_PERSISTENT));
}
