/* From what the library reads of a request to the endpoint that answers it: asks who may (admit.c),
 * collects the body, finds the route, and lets the connection wait where a run has to answer. */
#define _POSIX_C_SOURCE 200809L
#include "serve/service.h"

#include "base/text.h"
#include "serve/answering.h"

/* ## Beginning and end */

static struct asked *new_request(struct service *service) {
    struct asked *asked = mem_alloc(&service->allocator, sizeof(*asked));
    if (!asked) return NULL;
    *asked = (struct asked){.service = service, .client = NOBODY, .began_ns = uv_hrtime()};
    arena_init(&asked->arena, &service->allocator);
    buf_init(&asked->body, &service->allocator, SERVE_BODY_MAX);
    buf_init(&asked->answer, &service->allocator, 0);
    asked->next = service->requests;
    asked->link = &service->requests;
    if (asked->next) asked->next->link = &asked->next;
    service->requests = asked;
    return asked;
}

void *request_begin(void *ctx, const char *uri, struct MHD_Connection *connection) {
    struct service *service = ctx;
    struct asked *asked = new_request(service);
    if (!asked) return NULL;
    const union MHD_ConnectionInfo *info =
        service->http.info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    asked->from = info ? info->socket_context : NULL;
    if (asked->from)
        asked->from->due_ns = asked->began_ns + service->options.header_ms * UINT64_C(1000000);
    if (asked->from) asked->from->has_requested = true;
    gramc_text target = arena_text(&asked->arena, text_of(uri));
    asked->lines = (struct request_lines){service->cuts_in_place, uri, target.len, NULL, false};
    const char *mark = target.len ? memchr(target.ptr, '?', target.len) : NULL;
    size_t end = mark ? (size_t)(mark - target.ptr) : target.len;
    asked->path = text_slice(target, 0, end);
    asked->query = text_slice(target, mark ? end + 1 : end, target.len);
    return asked;
}

void request_free_if_over(struct asked *asked) {
    struct service *service = asked->service;
    if (asked->connection || asked->run) return;
    *asked->link = asked->next;
    if (asked->next) asked->next->link = asked->link;
    pump_unwatch(asked);
    buf_free(&asked->body);
    buf_free(&asked->answer);
    arena_free(&asked->arena);
    mem_free(&service->allocator, asked, sizeof(*asked));
    pump_look(service);
}

void request_cancel(struct asked *asked) {
    if (asked->run) answering_cancel(asked->run);
    if (asked->exchange) mcp_exchange_cancel(asked);
}

static const char *how_ended(const struct asked *asked, enum MHD_RequestTerminationCode code) {
    bool timed_out = code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED;
    if (timed_out || (asked->from && asked->from->is_too_slow)) return ", too slow";
    if (!asked->begun) return ", cannot be read";
    return code == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : ", broken off";
}

/* The connection may go on with the next one. */
void request_end(void *ctx, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode code) {
    struct asked *asked = *request;
    (void)ctx;
    (void)connection;
    *request = NULL;
    if (!asked) return;
    log_request(asked, how_ended(asked, code));
    const struct serve_options *options = &asked->service->options;
    if (asked->from)
        asked->from->due_ns =
            uv_hrtime() + ((uint64_t)options->idle_ms + options->header_ms) * UINT64_C(1000000);
    asked->connection = NULL;
    outpour_drop(asked);
    pump_unwatch(asked);
    request_cancel(asked);
    request_free_if_over(asked);
}

/* ## Headers */

static void take(gramc_text *value, unsigned *count, const char *text) {
    *value = text_of(text ? text : "");
    ++*count;
}

bool request_is_parameter(gramc_text *name) {
    static const char before[] = "mcp-param-";
    size_t len = sizeof(before) - 1;
    if (name->len <= len || !text_is_nocase(text_slice(*name, 0, len), before)) return false;
    *name = text_slice(*name, len, name->len);
    return true;
}

static void note_parameter(struct asked *asked, gramc_text name, const char *value) {
    struct asked_parameter *made;
    if (!request_is_parameter(&name)) return;
    for (const struct asked_parameter *p = asked->headers.parameters; p; p = p->next)
        if (text_eq_nocase(p->name, name)) asked->headers.has_twins = true;
    if (!(made = ARENA_NEW(&asked->arena, struct asked_parameter))) return; /* the arena tells */
    made->name = name;
    made->value = text_of(value ? value : "");
    made->next = asked->headers.parameters;
    asked->headers.parameters = made;
}

static enum MHD_Result note_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                   const char *value) {
    struct asked *asked = ctx;
    struct asked_headers *headers = &asked->headers;
    unsigned any = 0;
    struct {
        const char *name;
        gramc_text *value;
        unsigned *count;
    } rows[] = {
        {"host", &headers->host, &headers->hosts},
        {"origin", &headers->origin, &headers->origins},
        {"authorization", &headers->authorization, &headers->authorizations},
        {"content-type", &headers->type, &headers->types},
        {"content-length", &headers->length, &headers->lengths},
        {"transfer-encoding", &headers->coding, &headers->codings},
        {"sec-fetch-site", &headers->fetch_site, &any},
        {"sec-fetch-mode", &headers->fetch_mode, &any},
        {"accept", &headers->accept, &any},
        {"access-control-request-headers", &headers->wanted, &any},
        {"mcp-protocol-version", &headers->mcp_revision, &headers->mcp_revisions},
        {"mcp-method", &headers->mcp_method, &headers->mcp_methods},
        {"mcp-name", &headers->mcp_name, &headers->mcp_names},
    };
    (void)kind;
    lines_take(&asked->lines, name, value ? value : "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (text_is_nocase(text_of(name), rows[i].name)) take(rows[i].value, rows[i].count, value);
    note_parameter(asked, text_of(name), value);
    return MHD_YES;
}

static uint64_t declared_length(const struct asked *asked) {
    uint64_t length = 0;
    for (size_t i = 0; i < asked->headers.length.len && length <= SERVE_BODY_MAX; i++)
        length = length * 10 + (uint64_t)(asked->headers.length.ptr[i] - '0');
    return length;
}

/* ## Steps */

/* `application/json`, whatever its parameters: forms of other sites' pages cannot send it. */
static bool is_json(gramc_text type) {
    size_t end = 0;
    while (end < type.len && type.ptr[end] != ';') end++;
    return text_is_nocase(text_trim(text_slice(type, 0, end)), "application/json");
}

static bool accept_body(struct asked *asked) {
    bool wanted = asked->route->flags & ROUTE_BODY;
    if (wanted && (asked->headers.types != 1 || !is_json(asked->headers.type)))
        reply_error(asked, 415, "unsupported_media_type", "send Content-Type: application/json");
    else if (declared_length(asked) > (wanted ? SERVE_BODY_MAX : 0))
        reply_error(asked, 413, "body_too_large", "the body is larger than %d bytes",
                    wanted ? SERVE_BODY_MAX : 0);
    return asked->status == 0;
}

static void admit(struct asked *asked, const char *method, const char *version) {
    asked->method = arena_text(&asked->arena, text_of(method));
    lines_begin(&asked->lines, method, version);
    asked->service->http.values(asked->connection, MHD_HEADER_KIND, note_header, asked);
    if (asked->from)
        asked->from->due_ns = uv_hrtime() + asked->service->options.body_ms * UINT64_C(1000000);
    if (asked->arena.oom || !asked->from) reply_nomem(asked);
    else if (asked->service->is_stopping)
        reply_error(asked, 503, "stopping", "the server is being stopped");
    else if (!text_is(text_of(version), "HTTP/1.1") && !text_is(text_of(version), "HTTP/1.0"))
        reply_error(asked, 505, "bad_version", "this is no HTTP/1.1");
    else if (!lines_are_right(&asked->lines))
        reply_error(asked, 400, "bad_lines", "the lines of the request are not as HTTP has them");
    else if (asked->headers.codings && text_is(text_of(version), "HTTP/1.0"))
        reply_error(asked, 400, "bad_coding", "HTTP/1.0 has no Transfer-Encoding");
    else if (admit_request(asked) && route_find(asked) && admit_client(asked)) accept_body(asked);
}

/* One that is too large is read on for a while, so that its sender hears why it is refused. */
static enum MHD_Result take_body(struct asked *asked, const char *bytes, size_t len) {
    bool wanted = asked->route->flags & ROUTE_BODY;
    buf_put(&asked->body, bytes, wanted ? len : 0);
    asked->too_large = asked->too_large || !wanted || buf_status(&asked->body) == GRAMC_LIMIT;
    asked->bytes += len;
    return asked->bytes > 2 * (size_t)SERVE_BODY_MAX ? MHD_NO : MHD_YES;
}

static void answer(struct asked *asked) {
    asked->routed = true;
    asked->bytes = 0;
    if (asked->from) asked->from->due_ns = 0;
    if (asked->too_large)
        reply_error(asked, 413, "body_too_large", "the body is larger than %d bytes",
                    SERVE_BODY_MAX);
    else if (buf_status(&asked->body)) reply_nomem(asked);
    else asked->route->answer(asked);
}

/* Called when the headers are there, for each piece of the body, and when it is whole; once more
 * when a connection that waited is resumed. */
enum MHD_Result request_go_on(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request) {
    struct asked *asked = *request;
    (void)ctx;
    (void)url;
    if (!asked) return MHD_NO;
    if (!asked->begun) {
        asked->begun = true;
        asked->connection = connection;
        admit(asked, method, version);
        return asked->status ? reply_send(asked) : MHD_YES;
    }
    if (*upload_size) {
        size_t len = *upload_size;
        *upload_size = 0;
        return take_body(asked, upload, len);
    }
    if (!asked->routed) answer(asked);
    if (asked->sent) return MHD_YES;
    if (asked->stream) return outpour_send(asked);
    if (asked->status) return reply_send(asked);
    asked->waits = true;
    asked->service->http.suspend(connection);
    return MHD_YES;
}
