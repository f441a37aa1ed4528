/* Makes an HTTP request for a tool call and turns the answer into its result. An error of the
 * server is told to the model with status, a few headers and body. Only the upstream is talked to:
 * a redirect is followed within it, and refused when it leads elsewhere. */
#include "runtime/tool_http.h"
#include "gramc/jolt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/httptool/bind.h"
#include "runtime/foreign.h"
#include "runtime/httptool/box.h"
#include "runtime/loop.h"
#include "runtime/httptool/parts.h"

enum { FAILURE_BODY = 8000 };

static const char *const kept_headers[] = {"Content-Type",     "Retry-After", "Location",
                                           "WWW-Authenticate", "Allow",       NULL};
static const char *const head_headers[] = {
    "Content-Type", "Content-Length", "Last-Modified", "ETag", "Location", "Allow", NULL};

static void describe(struct buf *out, const gramc_impl *impl) {
    if (impl->server.len) {
        buf_text(out, impl->server);
        buf_putc(out, '.');
    }
    buf_text(out, impl->target);
}

static const struct http_endpoint *endpoint_of(const struct tool_call *call) {
    return call->bound->data;
}

/* ## Settling */

void http_work_settle(struct tool_call *call, enum tool_outcome outcome) {
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, outcome); break;
    case GRAMC_LIMIT: tool_fail(call, "the answer is larger than 1 MiB; ask for less of it"); break;
    default: tool_settle(call, TOOL_NOMEM);
    }
}

void http_work_fail(struct tool_call *call, const char *format, ...) {
    va_list args;
    buf_reset(&call->result);
    va_start(args, format);
    buf_vprintf(&call->result, format, args);
    va_end(args);
    http_work_settle(call, TOOL_FAILED);
}

/* False, and the call is settled, without memory. */
static bool show(struct http_work *work, gramc_text *words) {
    const struct foreign how = {.secrets = work->call->loop->secrets, .longest = FOREIGN_WORDS};
    *words = foreign_text(&work->arena, *words, &how);
    if (!words->ptr) tool_settle(work->call, TOOL_NOMEM);
    return words->ptr;
}

/* ## Redirects */

static bool is_redirect(const struct http_request *request) {
    long s = request->status;
    return (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) && request->redirect.len;
}

static void start_request(struct http_work *work);

static void refuse_redirect(struct http_work *work, gramc_text to) {
    gramc_text origin = http_origin(to);
    if (origin.len == 0) origin = TEXT("another kind of address");
    if (!show(work, &origin)) return;
    http_work_fail(
        work->call,
        "HTTP %ld: the server redirects to %.*s, which is not its own address; redirects are "
        "followed within the upstream only",
        work->request.status, TEXT_ARGS(origin));
}

/* True when the call goes on, or has been settled. */
static bool redirect(struct http_work *work) {
    enum http_method method = endpoint_of(work->call)->call->method;
    gramc_text to = buf_view(&work->request.redirect);
    if (!is_redirect(&work->request)) return false;
    if (!http_same_origin(to, endpoint_of(work->call)->url)) {
        refuse_redirect(work, to);
        return true;
    }
    if (method != METHOD_GET && method != METHOD_HEAD) return false;
    if (++work->redirects > HTTP_REDIRECTS_MAX) {
        http_work_fail(work->call, "the server redirects more than %d times", HTTP_REDIRECTS_MAX);
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

/* Hidden before it is cut. */
static void put_body(const struct http_work *work, struct buf *out, gramc_text body) {
    struct buf whole;
    buf_init(&whole, &out->allocator, 2 * TOOL_RESULT_MAX);
    buf_text(&whole, body);
    secrets_hide(work->call->loop->secrets, &whole);
    if (buf_status(&whole)) out->state = whole.state;
    else if (whole.len <= FAILURE_BODY) buf_text(out, buf_view(&whole));
    else {
        buf_put(out, whole.ptr, FAILURE_BODY);
        buf_printf(out, "... (%zu bytes in all)", body.len);
    }
    buf_free(&whole);
}

static void put_failure(struct http_work *work, struct buf *out) {
    const struct http_request *request = &work->request;
    const char *reason = reason_of(request->status);
    gramc_text body = text_trim(buf_view(&request->response));
    buf_printf(out, "HTTP %ld%s%s\n", request->status, reason ? " " : "", reason ? reason : "");
    buf_text(out, buf_view(&request->kept));
    if (body.len) buf_putc(out, '\n');
    put_body(work, out, body);
    out->len = text_trim(buf_view(out)).len;
}

static void transform(struct http_work *work, gramc_text body) {
    gramc_json_error error;
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    struct tool_call *call = work->call;
    options.allocator = &call->loop->allocator;
    options.max_output = TOOL_RESULT_MAX;
    (void)json_mend(work->request.response.ptr, work->request.response.len);
    gramc_status status = gramc_jolt_apply(endpoint_of(call)->call->transform, body, &options,
                                           buf_writer(&call->result), &error);
    if (status == GRAMC_FINDINGS)
        http_work_fail(call,
                       "the answer is no JSON, and so cannot be transformed: %s (at byte %zu)",
                       error.message, error.position);
    else if (status == GRAMC_LIMIT) http_work_fail(call, "the transformed answer is too large");
    else if (status == GRAMC_NOMEM) tool_settle(call, TOOL_NOMEM);
    else http_work_settle(call, TOOL_FINE);
}

static gramc_text without_line_end(gramc_text body) {
    if (body.len && body.ptr[body.len - 1] == '\n') body.len--;
    if (body.len && body.ptr[body.len - 1] == '\r') body.len--;
    return body;
}

/* No content (204, say) is null where JSON is promised. */
static gramc_text content_of(const struct tool_call *call, gramc_text body) {
    const gramc_tool *tool = call->bound->tool;
    bool is_json = tool && tool->result_kind == GRAMC_RESULT_JSON;
    return is_json && text_trim(body).len == 0 ? TEXT("null") : without_line_end(body);
}

static void take_answer(struct http_work *work) {
    struct tool_call *call = work->call;
    const struct http_call *http = endpoint_of(call)->call;
    gramc_text body = buf_view(&work->request.response);
    if (!is_success(&work->request)) {
        put_failure(work, &call->result);
        http_work_settle(call, TOOL_FAILED);
    } else if (http->method == METHOD_HEAD) {
        put_failure(work, &call->result);
        http_work_settle(call, TOOL_FINE);
    } else if (http->transform && text_trim(body).len) {
        transform(work, body);
    } else {
        buf_text(&call->result, content_of(call, body));
        http_work_settle(call, TOOL_FINE);
    }
}

static void fail_transfer(struct http_work *work) {
    const struct http_request *request = &work->request;
    gramc_text why = text_of(request->error);
    if (!show(work, &why)) return;
    if (request->status)
        http_work_fail(work->call, "the answer (HTTP %ld) broke off or is damaged: %.*s",
                       request->status, TEXT_ARGS(why));
    else http_work_fail(work->call, "the server cannot be asked: %.*s", TEXT_ARGS(why));
}

static void finish(struct http_work *work) {
    struct http_request *request = &work->request;
    switch (request->failure) {
    case HTTP_FINE:
        if (!redirect(work)) take_answer(work);
        break;
    case HTTP_TOO_BIG:
        http_work_fail(work->call, "the answer is larger than 1 MiB; ask for less of it");
        break;
    case HTTP_TIMED_OUT: http_work_fail(work->call, "the server did not answer in time"); break;
    case HTTP_NOMEM: tool_settle(work->call, TOOL_NOMEM); break;
    case HTTP_UNREACHABLE:
    case HTTP_REFUSED: fail_transfer(work);
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

/* After a redirect the deadline is that of the whole call, which goes on while it waits. */
static void on_begun(struct http_request *request) {
    struct http_work *work = request->ctx;
    tool_dispatched(work->call);
    if (!work->call->has_deadline) tool_wait(work->call);
}

static void start_request(struct http_work *work) {
    struct http_request *request = &work->request;
    enum http_method method = endpoint_of(work->call)->call->method;
    request->method = http_method_names[method];
    request->url = work->url.ptr;
    request->headers = work->lines;
    request->route = endpoint_of(work->call)->route;
    request->keep = method == METHOD_HEAD ? head_headers : kept_headers;
    request->body = buf_view(&work->body);
    request->max_response = TOOL_RESULT_MAX;
    request->done = on_done;
    request->begun = on_begun;
    request->ctx = work;
    work->running = buf_status(&work->url) == GRAMC_OK &&
                    http_start(work->call->loop->http, request) == GRAMC_OK;
    if (!work->running) tool_settle(work->call, TOOL_NOMEM);
    else if (http_waits(request)) tool_queued(work->call);
}

/* ## Files */

/* What has no files to wait for is sent at once. */
static bool begin(struct http_work *work) {
    bool parts = endpoint_of(work->call)->call->part_count;
    if (parts && !http_work_fill_parts(work)) return false;
    start_request(work);
    return work->running;
}

static void read_files(uv_work_t *reading) {
    http_parts_read(reading->data);
}

/* The request goes on with the hold of the reading. */
static void files_read(uv_work_t *reading, int status) {
    struct http_work *work = reading->data;
    struct tool_call *call = work->call;
    call->loop->functions--;
    work->is_reading = false;
    if (!call->settled && status) tool_settle(call, TOOL_NOMEM);
    if (call->settled || !begin(work)) tool_let_go(call);
}

static void start_reading(struct http_work *work) {
    struct tool_call *call = work->call;
    tool_hold(call);
    tool_wait(call);
    work->is_reading = true;
    work->reading.data = work;
    call->loop->functions++;
    uv_queue_work(&call->loop->uv, &work->reading, read_files, files_read);
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
    buf_init_secret(&work->url, &call->loop->allocator, HTTP_URL_MAX);
    buf_init_secret(&work->body, &call->loop->allocator, HTTP_BODY_MAX);
    call->state = work;
    if (!http_work_fill(work)) return;
    if (work->files) {
        start_reading(work);
        return;
    }
    if (!begin(work)) return;
    tool_hold(call);
    if (!http_waits(&work->request)) tool_wait(call);
}

/* Of a call that has not settled, which is one whose files are read or whose request is under way.
 */
static void cancel(struct tool_call *call) {
    struct http_work *work = call->state;
    if (work->is_reading) { /* files_read lets go */
        uv_cancel((uv_req_t *)&work->reading);
        return;
    }
    http_cancel(&work->request);
    tool_let_go(call);
}

static void close_http(struct tool_call *call) {
    struct http_work *work = call->state;
    if (!work) return;
    http_request_free(&work->request);
    buf_free(&work->url);
    buf_free(&work->body);
    http_parts_free(work);
    arena_wipe(&work->arena); /* header lines */
    mem_free(&call->loop->allocator, work, sizeof(*work));
}

static void bind_http(gramc_bound *bound, struct bound_tool *choice) {
    choice->secrets = bound->secrets;
    choice->data = http_bind_impl(bound, choice->impl, choice->tool);
}

const struct tool_kind tool_http = {.name = "http",
                                    .describe = describe,
                                    .bind = bind_http,
                                    .call = call_http,
                                    .cancel = cancel,
                                    .close = close_http,
                                    .boxes = &http_boxes};
