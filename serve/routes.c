/* Which endpoint answers which method and path; one row each. */
#include "serve/answering.h"

#include "base/text.h"

static const struct endpoint_row rows[] = {
    {"GET", "/health", ROUTE_OPEN, answer_health},
    {"GET", "/", ROUTE_OPEN, answer_page},
    {"GET", "/v1/agents", 0, answer_agents},
    {"POST", "/v1/agents/*/messages", ROUTE_BODY, answer_messages},
    {"GET", "/v1/models", 0, answer_models},
    {"GET", "/v1/models/*", 0, answer_model},
    {"POST", "/v1/chat/completions", ROUTE_BODY, answer_completions},
    {"POST", "/v1/sessions/*/feedback", ROUTE_BODY | ROUTE_ONLINE, answer_feedback},
    {"GET", "/mcp", ROUTE_SHELF, answer_mcp_stream},
    {"POST", "/mcp", ROUTE_BODY | ROUTE_SHELF, answer_mcp},
    {"GET", "/*", ROUTE_GET_RUNS, answer_get},
};

/* Of a path with one *, which stands for one segment that is not empty. */
static bool matches(const char *pattern, gramc_text path, gramc_text *rest) {
    const char *star = strchr(pattern, '*');
    if (!star) return text_is(path, pattern);
    size_t before = (size_t)(star - pattern), after = strlen(star + 1);
    if (path.len <= before + after || memcmp(path.ptr, pattern, before) != 0) return false;
    *rest = text_slice(path, before, path.len - after);
    gramc_text end = text_slice(path, path.len - after, path.len);
    return text_is(end, star + 1) && !memchr(rest->ptr, '/', rest->len);
}

static bool is_method(const struct asked *asked, const struct endpoint_row *row) {
    bool head = text_is(asked->method, "HEAD") && !(row->flags & ROUTE_GET_RUNS);
    return text_is(head ? TEXT("GET") : asked->method, row->method);
}

/* The headers that a page may send. Which arguments an MCP client repeats in headers is known to
 * its tools: those names are taken from what it wants. */
static gramc_text allowed_headers(struct asked *asked) {
    struct buf out;
    gramc_text wanted = asked->headers.wanted;
    buf_init(&out, &asked->service->allocator, SERVE_HEADERS_MAX);
    buf_puts(&out, "authorization, content-type");
    if (asked->service->shelf) buf_puts(&out, ", mcp-protocol-version, mcp-method, mcp-name");
    for (size_t pos = 0; asked->service->shelf && pos < wanted.len;) {
        const char *comma = memchr(wanted.ptr + pos, ',', wanted.len - pos);
        size_t end = comma ? (size_t)(comma - wanted.ptr) : wanted.len;
        gramc_text name = text_trim(text_slice(wanted, pos, end)), argument = name;
        if (request_is_parameter(&argument)) buf_printf(&out, ", %.*s", TEXT_ARGS(name));
        pos = end + 1;
    }
    buf_putc(&out, '\0');
    return buf_to_arena(&out, &asked->arena);
}

/* Only those that were let in by name come here. */
static bool answer_preflight(struct asked *asked) {
    if (!text_is(asked->method, "OPTIONS") || !admit_origin(asked)) return false;
    asked->headers_allowed = allowed_headers(asked);
    if (asked->headers_allowed.ptr) reply_constant(asked, 204, NULL, TEXT(""));
    else reply_nomem(asked);
    return true;
}

bool route_find(struct asked *asked) {
    const char *allowed = NULL;
    if (answer_preflight(asked)) return false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].flags & ROUTE_GET_RUNS && !asked->service->options.allow_get) continue;
        if (rows[i].flags & ROUTE_SHELF && !asked->service->shelf) continue;
        if (rows[i].flags & ROUTE_ONLINE && !asked->service->options.online) continue;
        if (!matches(rows[i].path, asked->path, &asked->rest)) continue;
        asked->route = &rows[i];
        if (is_method(asked, &rows[i])) return true;
        allowed = rows[i].method;
    }
    asked->allow = allowed;
    if (allowed) reply_error(asked, 405, "wrong_method", "here only %s is answered", allowed);
    else reply_error(asked, 404, "not_found", "there is nothing at this path");
    return false;
}
