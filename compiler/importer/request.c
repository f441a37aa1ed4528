/* Turns the parameters of an OpenAPI operation into the arguments of a tool, and into the HTTP call
 * that carries it out: templates in which `${name}` stands for an argument. What becomes of its
 * body is request_body.c's. */
#include "compiler/importer/request.h"

#include "base/text.h"

#include <string.h>

#define LOCAL "http://127.0.0.1:8080"

const struct json *openapi_follow(const struct api_operation *o, const struct json *value) {
    for (int i = 0; i < DEEPEST_REFERENCE && value; i++) {
        gramc_text reference = import_text(value, "$ref");
        if (!text_starts(reference, "#/")) break;
        value = import_target(o->in, o->document, reference);
    }
    return value;
}

/* ## Templates */

/* A text that stands for itself: `${` would begin a parameter. */
void request_put_literal(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '$' && i + 1 < text.len && text.ptr[i + 1] == '{') buf_putc(out, '$');
        buf_putc(out, text.ptr[i]);
    }
}

void request_put_argument(struct buf *out, gramc_text name) {
    buf_puts(out, "${");
    buf_text(out, name);
    buf_putc(out, '}');
}

/* A name in a query or a form (RFC 3986, section 2.3: what needs no escape). */
static void put_encoded(struct buf *out, gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i], lower = (char)(c | 0x20);
        bool plain =
            (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || (c && strchr("-._~[]", c));
        if (plain) buf_putc(out, c);
        else buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

void request_put_pair(struct buf *out, const char *separator, gramc_text name,
                      gramc_text argument) {
    buf_puts(out, separator);
    put_encoded(out, name);
    buf_putc(out, '=');
    request_put_argument(out, argument);
}

/* What can stand between the braces of a template. */
static bool is_template_name(gramc_text name) {
    bool good = name.len > 0 && !text_starts(name, "env:");
    for (size_t i = 0; i < name.len && good; i++) {
        bool fallback = name.ptr[i] == ':' && i + 1 < name.len && name.ptr[i + 1] == '-';
        good = name.ptr[i] != '}' && name.ptr[i] != '{' && !fallback;
    }
    return good;
}

/* ## Arguments */

static gramc_text name_with(struct api_request *r, gramc_text name, gramc_text place) {
    struct buf out;
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    buf_text(&out, name);
    buf_putc(&out, '_');
    buf_text(&out, place);
    return buf_to_arena(&out, r->in->arena);
}

/* A name that a template can hold: what would end it there becomes `_`. */
static gramc_text template_name(struct api_request *r, gramc_text name) {
    struct buf out;
    if (is_template_name(name)) return name;
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    if (text_starts(name, "env:")) buf_putc(&out, '_');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool fallback = c == ':' && i + 1 < name.len && name.ptr[i + 1] == '-';
        buf_putc(&out, c == '{' || c == '}' || fallback ? '_' : c);
    }
    return buf_to_arena(&out, r->in->arena);
}

/* The name of the argument: `id`, or `id_query` if there is an `id` in another place. Empty: none.
 */
gramc_text request_add_argument(struct api_request *r, gramc_text name, gramc_text place,
                                const struct json *schema, bool required) {
    struct importer *in = r->in;
    gramc_text argument = template_name(r, name);
    if (json_get_text(r->properties, argument)) argument = name_with(r, argument, place);
    if (!is_template_name(argument) || json_get_text(r->properties, argument)) {
        import_find(in, D_IMPORT_LOST, NULL, schema, name, TEXT("the request"));
        if (required) r->flaw = TEXT("what it demands cannot be said");
        return (gramc_text){NULL, 0};
    }
    if (!text_eq(argument, name)) import_find(in, D_IMPORT_RENAMED, NULL, schema, name, argument);
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return (gramc_text){NULL, 0};
    *copy = *openapi_without(r->o, schema, "readOnly");
    copy->next = NULL;
    copy->key = argument;
    import_append(r->properties, copy);
    if (required)
        import_append(r->required, import_json(in->arena, JSON_STRING, TEXT(""), argument));
    return argument;
}

static struct json *member_copy(struct importer *in, const struct json *member) {
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return NULL;
    *copy = *member;
    copy->next = NULL;
    return copy;
}

static const struct json *schema_of(const struct api_operation *o, const struct json *parameter) {
    static const struct json none = {.kind = JSON_OBJECT};
    const struct json *schema = json_get(parameter, "schema");
    const struct json *content = json_get(parameter, "content");
    if (!schema && content) schema = openapi_json(o, parameter);
    return json_is(schema, JSON_OBJECT) ? schema : &none;
}

/* What a parameter says about itself stands beside its schema. */
static const struct json *described(struct api_request *r, const struct json *parameter) {
    static const char *const beside[] = {"description", "deprecated"};
    const struct json *schema = schema_of(r->o, parameter);
    struct json *copy = import_json(r->in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    for (const struct json *m = schema->first; m && copy; m = m->next)
        import_append(copy, member_copy(r->in, m));
    for (size_t i = 0; i < sizeof beside / sizeof *beside && copy; i++) {
        const struct json *member = json_get(parameter, beside[i]);
        if (member && !json_get(schema, beside[i])) import_append(copy, member_copy(r->in, member));
    }
    if (!copy) return schema;
    copy->start = schema->end ? schema->start : parameter->start;
    copy->end = schema->end ? schema->end : parameter->end;
    return copy;
}

/* ## Parameters */

static void add_header(struct api_request *r, gramc_text name, gramc_text value) {
    struct import_header *header = ARENA_NEW(r->in->arena, struct import_header);
    if (!header) return;
    *header = (struct import_header){NULL, name, value};
    *r->last_header = header;
    r->last_header = &header->next;
}

static gramc_text template_of(struct api_request *r, gramc_text argument) {
    struct buf out;
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    request_put_argument(&out, argument);
    return buf_to_arena(&out, r->in->arena);
}

/* OpenAPI has other places for these, and says that parameters of these names mean nothing. */
static bool is_reserved_header(gramc_text name) {
    return text_is_nocase(name, "Accept") || text_is_nocase(name, "Content-Type") ||
           text_is_nocase(name, "Authorization");
}

/* RFC 9110, section 5.6.2. */
static bool is_token(gramc_text name) {
    bool good = name.len > 0;
    for (size_t i = 0; i < name.len && good; i++) {
        char c = name.ptr[i], lower = (char)(c | 0x20);
        good = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
               (c && strchr("!#$%&'*+-.^_`|~", c));
    }
    return good;
}

static enum style_place place_of(gramc_text in) {
    static const struct {
        const char *in;
        enum style_place place;
    } places[] = {{"path", STYLE_PATH},
                  {"query", STYLE_QUERY},
                  {"header", STYLE_HEADER},
                  {"cookie", STYLE_COOKIE}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_is(in, places[i].in)) return places[i].place;
    return STYLE_NOWHERE;
}

static bool begins_with(gramc_text text, gramc_text start) {
    return start.len <= text.len && text_eq(text_slice(text, 0, start.len), start);
}

/* True at `{name}` in a path. */
static bool is_place(gramc_text path, size_t at, gramc_text name) {
    gramc_text rest = text_slice(path, at, path.len);
    if (rest.ptr[0] != '{' || (at > 0 && path.ptr[at - 1] == '$')) return false;
    rest = text_slice(rest, 1, rest.len);
    return begins_with(rest, name) && name.len < rest.len && rest.ptr[name.len] == '}';
}

/* The path's own template has its place for it already. A matrix writes the name too, which need
 * not be that of the argument. */
static void put_path_argument(struct api_request *r, gramc_text name, gramc_text argument,
                              bool matrix) {
    struct buf out;
    gramc_text path = buf_view(&r->path);
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    for (size_t i = 0; i < path.len; i++) {
        if (!is_place(path, i, name)) {
            buf_putc(&out, path.ptr[i]);
            continue;
        }
        if (matrix && !text_eq(name, argument)) request_put_pair(&out, ";", name, argument);
        else request_put_argument(&out, argument);
        i += name.len + 1;
    }
    /* A reset would forget it. */
    if (out.state != BUF_FINE || r->path.state != BUF_FINE) r->in->arena->oom = true;
    buf_reset(&r->path);
    buf_text(&r->path, buf_view(&out));
    buf_free(&out);
}

const struct import_style *request_add_style(struct api_request *r,
                                             const struct api_style_question *question) {
    struct import_style *style = openapi_style(r->o, question);
    if (!style) return NULL;
    *r->last_style = style;
    r->last_style = &style->next;
    return style;
}

static void place_argument(struct api_request *r, const struct api_style_question *q) {
    const struct import_style *style = request_add_style(r, q);
    bool matrix = style && style->style == STYLE_MATRIX;
    switch (q->place) {
    case STYLE_PATH: put_path_argument(r, q->name, q->argument, matrix); break;
    case STYLE_QUERY:
        request_put_pair(&r->query, r->query.len ? "&" : "?", q->name, q->argument);
        break;
    case STYLE_HEADER: add_header(r, q->name, template_of(r, q->argument)); break;
    case STYLE_COOKIE:
        request_put_pair(&r->cookies, r->cookies.len ? "; " : "", q->name, q->argument);
        break;
    case STYLE_PART:
    case STYLE_FILE:
    case STYLE_NOWHERE: break;
    }
}

static void add_parameter(struct api_request *r, const struct json *item) {
    const struct json *parameter = openapi_follow(r->o, item);
    gramc_text name = import_text(parameter, "name"), in = import_text(parameter, "in");
    enum style_place place = place_of(in);
    if (place == STYLE_HEADER && is_reserved_header(name)) return;
    if (!name.len || !place || (place == STYLE_HEADER && !is_token(name))) {
        import_find(r->in, D_IMPORT_LOST, NULL, item, name, in.len ? in : TEXT("a request"));
        if (json_is(json_get(parameter, "required"), JSON_TRUE))
            r->flaw = TEXT("what it demands cannot be said");
        return;
    }
    bool required = place == STYLE_PATH || json_is(json_get(parameter, "required"), JSON_TRUE);
    gramc_text argument = request_add_argument(r, name, in, described(r, parameter), required);
    if (argument.len)
        place_argument(r, &(struct api_style_question){.name = name,
                                                       .argument = argument,
                                                       .place = place,
                                                       .holder = parameter,
                                                       .schema = schema_of(r->o, parameter),
                                                       .at = item});
}

/* The operation's own parameter of that name and place takes the place of the path's. */
static bool is_overridden(const struct api_request *r, const struct json *item) {
    const struct json *parameter = openapi_follow(r->o, item);
    const struct json *own = json_get(r->o->operation, "parameters");
    for (const struct json *p = json_is(own, JSON_ARRAY) ? own->first : NULL; p; p = p->next) {
        const struct json *other = openapi_follow(r->o, p);
        if (text_eq(import_text(other, "name"), import_text(parameter, "name")) &&
            text_eq(import_text(other, "in"), import_text(parameter, "in")))
            return true;
    }
    return false;
}

static void add_parameters(struct api_request *r) {
    const struct json *shared = json_get(r->o->path, "parameters");
    const struct json *own = json_get(r->o->operation, "parameters");
    for (const struct json *p = json_is(shared, JSON_ARRAY) ? shared->first : NULL; p; p = p->next)
        if (!is_overridden(r, p)) add_parameter(r, p);
    for (const struct json *p = json_is(own, JSON_ARRAY) ? own->first : NULL; p; p = p->next)
        add_parameter(r, p);
}

/* ## Addresses */

static const struct json *server_of(const struct api_operation *o) {
    const struct json *holders[] = {o->operation, o->path, o->document};
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
        const struct json *servers = json_get(holders[i], "servers");
        if (json_is(servers, JSON_ARRAY) && servers->first) return servers->first;
    }
    return NULL;
}

/* The address of the server, each variable being its default. */
static void put_server(struct buf *out, const struct json *server) {
    gramc_text url = import_text(server, "url");
    const struct json *variables = json_get(server, "variables");
    bool whole = text_starts(url, "http://") || text_starts(url, "https://");
    while (url.len && url.ptr[url.len - 1] == '/') url.len--;
    if (!whole && !(url.len && url.ptr[0] == '{')) {
        buf_puts(out, LOCAL);
        if (url.len && url.ptr[0] != '/') buf_putc(out, '/');
    }
    for (size_t i = 0; i < url.len; i++) {
        size_t end = i;
        while (end < url.len && url.ptr[end] != '}') end++;
        if (url.ptr[i] != '{' || end == url.len) {
            request_put_literal(out, text_slice(url, i, i + 1));
            continue;
        }
        const struct json *variable = json_get_text(variables, text_slice(url, i + 1, end));
        request_put_literal(out, import_text(variable, "default"));
        i = end;
    }
}

static gramc_text url_of(struct api_request *r) {
    struct buf out;
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    put_server(&out, server_of(r->o));
    buf_text(&out, buf_view(&r->path));
    buf_text(&out, buf_view(&r->query));
    return buf_to_arena(&out, r->in->arena);
}

static gramc_text upper(struct importer *in, gramc_text text) {
    struct buf out;
    buf_init(&out, &in->arena->allocator, TEXT_MAX);
    for (size_t i = 0; i < text.len; i++) buf_putc(&out, (char)(text.ptr[i] & ~0x20));
    return buf_to_arena(&out, in->arena);
}

/* ## The whole */

/* Why the path cannot be filled in: a place `{name}` that no parameter took; empty: all are. */
static gramc_text flaw_of(struct api_request *r) {
    gramc_text path = buf_view(&r->path);
    struct buf out;
    buf_init(&out, &r->in->arena->allocator, TEXT_MAX);
    for (size_t i = 0; i < path.len && !out.len; i++) {
        size_t end = i + 1;
        while (end < path.len && path.ptr[end] != '}' && path.ptr[end] != '/') end++;
        gramc_text name = text_slice(path, i + 1, end);
        if (end < path.len && name.len && is_place(path, i, name))
            buf_printf(&out, "no parameter fills `{%.*s}` in its path", TEXT_ARGS(name));
    }
    return buf_to_arena(&out, r->in->arena);
}

static void add_http(struct api_request *r, struct import_tool *tool) {
    struct import_http *http = ARENA_NEW(r->in->arena, struct import_http);
    if (!http) return;
    if (r->cookies.len)
        add_header(r, TEXT("Cookie"), arena_text(r->in->arena, buf_view(&r->cookies)));
    http->method = upper(r->in, r->o->method);
    http->url = url_of(r);
    http->headers = r->headers;
    http->styles = r->styles;
    http->body = arena_text(r->in->arena, buf_view(&r->body));
    http->parts = r->parts;
    http->body_file = r->body_file;
    http->content_type = r->content_type;
    http->flaw = r->flaw.len ? r->flaw : flaw_of(r);
    tool->http = http;
}

static struct json *arguments_of(struct api_request *r) {
    struct json *arguments = import_json(r->in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    import_append(arguments, r->properties);
    import_append(arguments, r->required);
    return arguments;
}

static void init_buffers(struct api_request *r) {
    struct buf *all[] = {&r->path, &r->query, &r->cookies, &r->body};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_init(all[i], &r->in->arena->allocator, TEXT_MAX);
}

static void free_buffers(struct api_request *r) {
    struct buf *all[] = {&r->path, &r->query, &r->cookies, &r->body};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->state != BUF_FINE) r->in->arena->oom = true;
        buf_free(all[i]);
    }
}

bool request_read(const struct api_operation *o, struct import_tool *tool) {
    struct arena *arena = o->in->arena;
    struct api_request r = {.o = o, .in = o->in};
    r.last_header = &r.headers;
    r.last_style = &r.styles;
    r.last_part = &r.parts;
    r.properties = import_json(arena, JSON_OBJECT, TEXT("properties"), TEXT(""));
    r.required = import_json(arena, JSON_ARRAY, TEXT("required"), TEXT(""));
    r.in_body = import_json(arena, JSON_OBJECT, TEXT(""), TEXT(""));
    if (!r.properties || !r.required || !r.in_body) return false;
    init_buffers(&r);
    request_put_literal(&r.path, o->address);
    add_parameters(&r);
    request_add_body(&r);
    struct json *arguments = arguments_of(&r);
    if (arguments) import_set_parameters(o->in, tool, arguments);
    add_http(&r, tool);
    free_buffers(&r);
    return !arena->oom;
}
