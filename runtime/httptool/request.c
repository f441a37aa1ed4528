/* Fills in the templates of an HTTP call with the arguments of a tool call: address, header lines,
 * body. What a place does not take fails the call before anything is sent. */
#include "runtime/httptool/parts.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* ## Origins */

size_t http_origin_length(gramc_text url) {
    size_t i = text_starts(url, "http://") ? 7 : text_starts(url, "https://") ? 8 : 0;
    while (i && i < url.len && !strchr("/?#\\", url.ptr[i])) i++;
    return i;
}

gramc_text http_origin(gramc_text url) {
    gramc_text origin = text_slice(url, 0, http_origin_length(url));
    const char *port = text_starts(url, "https://") ? ":443" : ":80";
    size_t len = strlen(port);
    if (origin.len > len &&
        text_eq(text_slice(origin, origin.len - len, origin.len), text_of(port)))
        origin.len -= len;
    return origin;
}

bool http_same_origin(gramc_text a, gramc_text b) {
    gramc_text origin = http_origin(a);
    return origin.len > 0 && text_eq_nocase(origin, http_origin(b));
}

/* ## The request */

static void tell_template(struct tool_call *call, gramc_status status,
                          const struct template_error *error) {
    if (status == GRAMC_FINDINGS)
        http_work_fail(call, "the call cannot be made: %s", error->message);
    else if (status == GRAMC_LIMIT) http_work_fail(call, "the call cannot be made: it is too long");
    else tool_settle(call, TOOL_NOMEM);
}

bool http_work_expand(struct http_work *work, struct buf *out, const struct template *what,
                      const struct json *arguments) {
    struct template_error error;
    const struct http_endpoint *endpoint = work->call->bound->data;
    gramc_status status =
        template_expand(out, what, arguments, secrets_look_up, endpoint->secrets, &error);
    if (status != GRAMC_OK) tell_template(work->call, status, &error);
    return status == GRAMC_OK;
}

static bool make_url(struct http_work *work, const struct json *arguments) {
    const struct http_endpoint *endpoint = work->call->bound->data;
    gramc_text base = endpoint->url;
    if (base.len && base.ptr[base.len - 1] == '/') base.len--;
    buf_text(&work->url, base);
    size_t path = work->url.len;
    if (!http_work_expand(work, &work->url, &endpoint->call->path, arguments)) return false;
    bool rooted = path < work->url.len && work->url.ptr[path] == '/';
    if (!rooted)
        http_work_fail(work->call, "the call cannot be made: its path does not begin with /");
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
    if (work->line_count == HTTP_HEADERS_MAX || has_control(value)) {
        http_work_fail(work->call, "the call cannot be made: the header `%.*s` %s", TEXT_ARGS(name),
                       has_control(value) ? "holds a control character" : "is one too many");
        return false;
    }
    buf_init_secret(&line, &work->arena.allocator, HTTP_HEADER_VALUE_MAX + 256);
    buf_text(&line, name);
    buf_puts(&line, value.len ? ": " : ";");
    buf_text(&line, value);
    gramc_text copy = {NULL, 0};
    if (buf_status(&line) == GRAMC_OK) copy = arena_text(&work->arena, buf_view(&line));
    buf_free(&line);
    work->lines[work->line_count++] = copy.ptr;
    if (!copy.ptr) tool_settle(work->call, TOOL_NOMEM);
    return copy.ptr != NULL;
}

/* Without an argument that it names there is no header; of cookies, only that one is missing. */
static bool add_header(struct http_work *work, const struct http_header *header,
                       const struct json *arguments) {
    struct buf value;
    bool lacks = template_lacks(&header->value, arguments);
    if (lacks && !text_is_nocase(header->name, "Cookie")) return true;
    buf_init_secret(&value, &work->arena.allocator, HTTP_HEADER_VALUE_MAX);
    bool good = http_work_expand(work, &value, &header->value, arguments);
    gramc_text line = text_trim(buf_view(&value));
    if (good && (line.len || !lacks)) good = add_line(work, header->name, line);
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
    const struct http_endpoint *endpoint = work->call->bound->data;
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

/* A body that is one argument and nothing else is there if the argument is. */
static bool sends_body(const struct http_call *call, const struct json *arguments) {
    bool is_argument = call->body.count == 1;
    return call->has_body && !(is_argument && template_lacks(&call->body, arguments));
}

/* Empty: there is no body. `Expect:` without a value keeps curl from waiting before a long one. */
static bool finish_headers(struct http_work *work, gramc_text content_type) {
    const struct http_endpoint *endpoint = work->call->bound->data;
    const struct http_call *call = endpoint->call;
    const gramc_text type = TEXT("Content-Type");
    if (call->part_count || (!names_header(call->headers, call->header_count, type) &&
                             !names_header(endpoint->headers, endpoint->header_count, type))) {
        if (!content_type.len) work->lines[work->line_count++] = "Content-Type:";
        else if (!add_line(work, type, content_type)) return false;
    }
    work->lines[work->line_count++] = "Expect:";
    work->lines[work->line_count] = NULL;
    return true;
}

static const struct json *read_arguments(struct http_work *work) {
    gramc_text text = text_trim(buf_view(&work->call->arguments));
    const struct json *arguments = json_parse(&work->arena, text.len ? text : TEXT("{}"), NULL);
    if (work->arena.oom) tool_settle(work->call, TOOL_NOMEM);
    else if (!json_is(arguments, JSON_OBJECT))
        http_work_fail(work->call, "the arguments are no JSON object");
    else return arguments;
    return NULL;
}

static bool fill_body(struct http_work *work, const struct json *arguments) {
    const struct http_call *call = ((const struct http_endpoint *)work->call->bound->data)->call;
    bool sends = sends_body(call, arguments);
    if (!finish_headers(work, sends ? call->content_type : TEXT(""))) return false;
    return !sends || http_work_expand(work, &work->body, &call->body, arguments);
}

bool http_work_fill_parts(struct http_work *work) {
    return http_parts_join(work) && finish_headers(work, work->content_type);
}

bool http_work_fill(struct http_work *work) {
    const struct http_endpoint *endpoint = work->call->bound->data;
    const struct json *arguments = read_arguments(work);
    if (!arguments || !make_url(work, arguments) || !add_headers(work, arguments)) return false;
    return endpoint->call->part_count ? http_parts_plan(work, arguments)
                                      : fill_body(work, arguments);
}
