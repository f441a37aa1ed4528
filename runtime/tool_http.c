/* Makes an HTTP request for a call: the templates filled in with its arguments, the answer as the
 * result. An error of the server is told to the model with status, a few headers and body. Only the
 * upstream is talked to: a redirect is followed within it, and refused when it leads elsewhere. */
#include "runtime/tool_http.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/http.h"
#include "runtime/loop.h"
#include "runtime/tool.h"

enum {
    FAILURE_BODY = 8000,
    HEADER_VALUE_MAX = 65536,
    HEADERS_MAX = 256, /* of the tool; besides, there are ours */
    LINES_MAX = HEADERS_MAX + 3
};

struct http_work {
    struct tool_call *call;
    struct http_request request;
    struct arena arena; /* header lines, arguments */
    struct buf url, body;
    const char *lines[LINES_MAX];
    size_t line_count;
    unsigned redirects;
    bool running;
};

static const char *const kept_headers[] = {"Content-Type",     "Retry-After", "Location",
                                           "WWW-Authenticate", "Allow",       NULL};
static const char *const head_headers[] = {
    "Content-Type", "Content-Length", "Last-Modified", "ETag", "Location", "Allow", NULL};

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
}

/* ## Settling */

/* Whoever is asked may repeat the secrets that came with the question. */
static void settle(struct tool_call *call, enum tool_outcome outcome) {
    secrets_hide(call->bound->endpoint->secrets, &call->result);
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, outcome); break;
    case GRAMC_LIMIT: tool_fail(call, "the answer is larger than 1 MiB; ask for less of it"); break;
    default: tool_settle(call, TOOL_NOMEM);
    }
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
fail(struct tool_call *call, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    buf_reset(&call->result);
    buf_puts(&call->result, text);
    settle(call, TOOL_FAILED);
}

/* ## The request */

static void tell_template(struct tool_call *call, gramc_status status,
                          const struct template_error *error) {
    if (status == GRAMC_FINDINGS) fail(call, "the call cannot be made: %s", error->message);
    else if (status == GRAMC_LIMIT) fail(call, "the call cannot be made: it is too long");
    else tool_settle(call, TOOL_NOMEM);
}

static bool expand(struct http_work *work, struct buf *out, const struct template *what,
                   const struct json *arguments) {
    struct template_error error;
    const struct http_endpoint *endpoint = work->call->bound->endpoint;
    gramc_status status =
        template_expand(out, what, arguments, secrets_look_up, endpoint->secrets, &error);
    if (status != GRAMC_OK) tell_template(work->call, status, &error);
    return status == GRAMC_OK;
}

static bool make_url(struct http_work *work, const struct json *arguments) {
    const struct http_endpoint *endpoint = work->call->bound->endpoint;
    gramc_text base = endpoint->url;
    if (base.len && base.ptr[base.len - 1] == '/') base.len--;
    buf_text(&work->url, base);
    size_t path = work->url.len;
    if (!expand(work, &work->url, &endpoint->call->path, arguments)) return false;
    bool rooted = path < work->url.len && work->url.ptr[path] == '/';
    if (!rooted) fail(work->call, "the call cannot be made: its path does not begin with /");
    return rooted;
}

static bool has_control(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F) return true;
    return false;
}

/* The line lives in the arena, with a NUL behind it. curl takes "Name;" for an empty value. */
static bool add_line(struct http_work *work, gramc_text name, gramc_text value) {
    struct buf line;
    if (work->line_count == HEADERS_MAX || has_control(value)) {
        fail(work->call, "the call cannot be made: the header `%.*s` %s", TEXT_ARGS(name),
             has_control(value) ? "holds a control character" : "is one too many");
        return false;
    }
    buf_init(&line, &work->arena.allocator, HEADER_VALUE_MAX + 256);
    buf_text(&line, name);
    buf_puts(&line, value.len ? ": " : ";");
    buf_text(&line, value);
    gramc_text copy = {NULL, 0};
    if (buf_status(&line) == GRAMC_OK) copy = arena_text(&work->arena, buf_view(&line));
    if (line.ptr) memset(line.ptr, 0, line.len);
    buf_free(&line);
    work->lines[work->line_count++] = copy.ptr;
    if (!copy.ptr) tool_settle(work->call, TOOL_NOMEM);
    return copy.ptr != NULL;
}

static bool add_header(struct http_work *work, const struct http_header *header,
                       const struct json *arguments) {
    struct buf value;
    buf_init(&value, &work->arena.allocator, HEADER_VALUE_MAX);
    bool good = expand(work, &value, &header->value, arguments) &&
                add_line(work, header->name, text_trim(buf_view(&value)));
    if (value.ptr) memset(value.ptr, 0, value.len);
    buf_free(&value);
    return good;
}

static bool names_header(const struct http_header *headers, size_t count, gramc_text name) {
    for (size_t i = 0; i < count; i++)
        if (text_eq_nocase(headers[i].name, name)) return true;
    return false;
}

/* What the endpoint says outdoes what the call says; both may repeat a name. */
static bool add_headers(struct http_work *work, const struct json *arguments) {
    const struct http_endpoint *endpoint = work->call->bound->endpoint;
    const struct http_call *call = endpoint->call;
    for (size_t i = 0; i < endpoint->header_count; i++)
        if (!add_header(work, &endpoint->headers[i], arguments)) return false;
    for (size_t i = 0; i < call->header_count; i++) {
        bool outdone =
            names_header(endpoint->headers, endpoint->header_count, call->headers[i].name);
        if (!outdone && !add_header(work, &call->headers[i], arguments)) return false;
    }
    return true;
}

/* `Expect:` without a value keeps curl from waiting before a long body. */
static bool make_headers(struct http_work *work, const struct json *arguments) {
    const struct http_endpoint *endpoint = work->call->bound->endpoint;
    const struct http_call *call = endpoint->call;
    const gramc_text type = TEXT("Content-Type");
    if (!add_headers(work, arguments)) return false;
    if (!names_header(call->headers, call->header_count, type) &&
        !names_header(endpoint->headers, endpoint->header_count, type)) {
        if (!call->has_body) work->lines[work->line_count++] = "Content-Type:";
        else if (!add_line(work, type, call->content_type)) return false;
    }
    work->lines[work->line_count++] = "Expect:";
    work->lines[work->line_count] = NULL;
    return true;
}

static const struct json *read_arguments(struct http_work *work) {
    gramc_text text = text_trim(buf_view(&work->call->arguments));
    const struct json *arguments = json_parse(&work->arena, text.len ? text : TEXT("{}"), NULL);
    if (work->arena.oom) tool_settle(work->call, TOOL_NOMEM);
    else if (!json_is(arguments, JSON_OBJECT)) fail(work->call, "the arguments are no JSON object");
    else return arguments;
    return NULL;
}

static bool make_request(struct http_work *work) {
    const struct http_call *call = work->call->bound->endpoint->call;
    const struct json *arguments = read_arguments(work);
    return arguments && make_url(work, arguments) && make_headers(work, arguments) &&
           (!call->has_body || expand(work, &work->body, &call->body, arguments));
}

/* ## Redirects */

size_t http_origin_length(gramc_text url) {
    size_t i = text_starts(url, "http://") ? 7 : text_starts(url, "https://") ? 8 : 0;
    while (i && i < url.len && !strchr("/?#\\", url.ptr[i])) i++;
    return i;
}

/* Without the port that goes without saying. */
static gramc_text origin_of(gramc_text url) {
    gramc_text origin = text_slice(url, 0, http_origin_length(url));
    const char *port = text_starts(url, "https://") ? ":443" : ":80";
    size_t len = strlen(port);
    if (origin.len > len &&
        text_eq(text_slice(origin, origin.len - len, origin.len), text_of(port)))
        origin.len -= len;
    return origin;
}

bool http_same_origin(gramc_text a, gramc_text b) {
    gramc_text x = origin_of(a), y = origin_of(b);
    if (x.len == 0 || x.len != y.len) return false;
    for (size_t i = 0; i < x.len; i++) {
        char p = x.ptr[i], q = y.ptr[i];
        if (p >= 'A' && p <= 'Z') p = (char)(p + 32);
        if (q >= 'A' && q <= 'Z') q = (char)(q + 32);
        if (p != q) return false;
    }
    return true;
}

static bool is_redirect(const struct http_request *request) {
    long s = request->status;
    return (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) && request->redirect[0];
}

static void start_request(struct http_work *work);

/* True when the call goes on, or has been settled. */
static bool redirect(struct http_work *work) {
    enum http_method method = work->call->bound->endpoint->call->method;
    gramc_text to = text_of(work->request.redirect), origin = origin_of(to);
    if (!is_redirect(&work->request)) return false;
    if (!http_same_origin(to, work->call->bound->endpoint->url)) {
        fail(work->call,
             "HTTP %ld: the server redirects to %.*s, which is not its own address; "
             "redirects are followed within the upstream only",
             work->request.status, origin.len < 200 ? (int)origin.len : 200, origin.ptr);
        return true;
    }
    if (method != METHOD_GET && method != METHOD_HEAD) return false;
    if (++work->redirects > HTTP_REDIRECTS_MAX) {
        fail(work->call, "the server redirects more than %d times", HTTP_REDIRECTS_MAX);
        return true;
    }
    buf_reset(&work->url);
    buf_text(&work->url, to);
    start_request(work);
    return true;
}

/* ## The answer */

static bool is_success(const struct http_request *request) {
    return request->status >= 200 && request->status < 300;
}

static const char *reason_of(long status) {
    static const struct {
        long status;
        const char *reason;
    } reasons[] = {{400, "Bad Request"},
                   {401, "Unauthorized"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {408, "Request Timeout"},
                   {409, "Conflict"},
                   {410, "Gone"},
                   {413, "Content Too Large"},
                   {415, "Unsupported Media Type"},
                   {422, "Unprocessable Content"},
                   {429, "Too Many Requests"},
                   {500, "Internal Server Error"},
                   {502, "Bad Gateway"},
                   {503, "Service Unavailable"},
                   {504, "Gateway Timeout"}};
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status) return reasons[i].reason;
    return NULL;
}

static void put_failure(struct http_work *work, struct buf *out) {
    const struct http_request *request = &work->request;
    const char *reason = reason_of(request->status);
    gramc_text body = text_trim(buf_view(&request->response));
    buf_printf(out, "HTTP %ld%s%s\n", request->status, reason ? " " : "", reason ? reason : "");
    buf_text(out, buf_view(&request->kept));
    if (body.len) buf_putc(out, '\n');
    buf_text(out, text_slice(body, 0, body.len < FAILURE_BODY ? body.len : FAILURE_BODY));
    if (body.len > FAILURE_BODY) buf_printf(out, "... (%zu bytes in all)", body.len);
    out->len = text_trim(buf_view(out)).len;
}

static int append(void *ctx, const char *bytes, size_t len) {
    struct buf *buf = ctx;
    buf_put(buf, bytes, len);
    return buf->state == BUF_FINE ? 0 : 1;
}

static void transform(struct http_work *work, gramc_text body) {
    gramc_schema_error error;
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    struct tool_call *call = work->call;
    options.allocator = &call->loop->allocator;
    options.max_output = TOOL_RESULT_MAX;
    gramc_status status = gramc_jolt_apply(call->bound->endpoint->call->transform, body, &options,
                                           (gramc_writer){append, &call->result}, &error);
    if (status == GRAMC_FINDINGS)
        fail(call, "the answer is no JSON, and so cannot be transformed: %s (at byte %zu)",
             error.message, error.position);
    else if (status == GRAMC_LIMIT) fail(call, "the transformed answer is too large");
    else if (status == GRAMC_NOMEM) tool_settle(call, TOOL_NOMEM);
    else settle(call, TOOL_FINE);
}

static gramc_text without_line_end(gramc_text body) {
    if (body.len && body.ptr[body.len - 1] == '\n') body.len--;
    if (body.len && body.ptr[body.len - 1] == '\r') body.len--;
    return body;
}

static void take_answer(struct http_work *work) {
    struct tool_call *call = work->call;
    const struct http_call *http = call->bound->endpoint->call;
    gramc_text body = buf_view(&work->request.response);
    if (!is_success(&work->request)) {
        put_failure(work, &call->result);
        settle(call, TOOL_FAILED);
    } else if (http->method == METHOD_HEAD) {
        put_failure(work, &call->result);
        settle(call, TOOL_FINE);
    } else if (http->transform && text_trim(body).len) {
        transform(work, body);
    } else {
        buf_text(&call->result, without_line_end(body));
        settle(call, TOOL_FINE);
    }
}

static void finish(struct http_work *work) {
    struct http_request *request = &work->request;
    switch (request->failure) {
    case HTTP_FINE:
        if (!redirect(work)) take_answer(work);
        break;
    case HTTP_TOO_BIG:
        fail(work->call, "the answer is larger than 1 MiB; ask for less of it");
        break;
    case HTTP_TIMED_OUT: fail(work->call, "the server did not answer in time"); break;
    case HTTP_NOMEM: tool_settle(work->call, TOOL_NOMEM); break;
    case HTTP_UNREACHABLE:
    case HTTP_REFUSED: fail(work->call, "the server cannot be asked: %s", request->error);
    }
}

/* A redirect keeps the hold of the request that it follows. */
static void on_done(struct http_request *request) {
    struct http_work *work = request->ctx;
    struct tool_call *call = work->call;
    work->running = false;
    finish(work);
    if (!work->running) tool_let_go(call);
}

static void start_request(struct http_work *work) {
    struct http_request *request = &work->request;
    enum http_method method = work->call->bound->endpoint->call->method;
    request->method = http_method_names[method];
    request->url = work->url.ptr;
    request->headers = work->lines;
    request->keep = method == METHOD_HEAD ? head_headers : kept_headers;
    request->body = buf_view(&work->body);
    request->max_response = TOOL_RESULT_MAX;
    request->done = on_done;
    request->ctx = work;
    work->running = buf_status(&work->url) == GRAMC_OK &&
                    http_start(work->call->loop->http, request) == GRAMC_OK;
    if (!work->running) tool_settle(work->call, TOOL_NOMEM);
}

/* ## The kind */

static void call_http(struct tool_call *call) {
    struct http_work *work = mem_alloc(&call->loop->allocator, sizeof(*work));
    if (!work) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    memset(work, 0, sizeof(*work));
    work->call = call;
    work->request.allocator = call->loop->allocator;
    arena_init(&work->arena, &call->loop->allocator);
    buf_init(&work->url, &call->loop->allocator, HTTP_URL_MAX);
    buf_init(&work->body, &call->loop->allocator, HTTP_BODY_MAX);
    call->state = work;
    if (!make_request(work)) return;
    start_request(work);
    if (!work->running) return;
    tool_hold(call);
    tool_wait(call);
}

static void cancel(struct tool_call *call) {
    struct http_work *work = call->state;
    if (!work || !work->running) return;
    work->running = false;
    http_cancel(&work->request);
    tool_let_go(call);
}

static void close_http(struct tool_call *call) {
    struct http_work *work = call->state;
    if (!work) return;
    http_request_free(&work->request);
    buf_free(&work->url);
    buf_free(&work->body);
    arena_free(&work->arena);
    mem_free(&call->loop->allocator, work, sizeof(*work));
}

const struct tool_kind tool_http = {"http", describe, call_http, cancel, close_http, NULL};
