/* Turns the operations of an OpenAPI 3 document into tools: the name is `agent--action`, the
 * arguments are the parameters and the members of the request body together, the description is cut
 * where providers cut it. And into the HTTP calls that carry them out. */
#include "compiler/import_parts.h"

#include "base/text.h"

enum { LONGEST_DESCRIPTION = 1024, DEEPEST_REFERENCE = 8, TEXT_MAX = INT32_MAX };

struct operation {
    struct importer *in;
    const struct json *document, *path, *operation;
    gramc_text method;
    struct json *properties, *required; /* of the arguments */
    struct buf query, body;
};

static const char *const methods[] = {"get", "put", "post", "delete", "options", "head", "patch"};

/* Parameters, bodies and responses may be references too. */
static const struct json *follow(const struct operation *o, const struct json *value) {
    for (int i = 0; i < DEEPEST_REFERENCE && value; i++) {
        gramc_text reference = import_text(value, "$ref");
        if (!text_starts(reference, "#/")) break;
        value = json_at(o->document, text_slice(reference, 1, reference.len));
    }
    return value;
}

static gramc_text finish(struct importer *in, struct buf *out) {
    if (out->state != BUF_FINE) in->arena->oom = true;
    gramc_text text = arena_text(in->arena, buf_view(out));
    buf_free(out);
    return text;
}

/* ## Names */

static void put_name(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 0x20);
        bool plain =
            (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (plain) buf_putc(out, c);
        else if (out->len && out->ptr[out->len - 1] != '_') buf_putc(out, '_');
    }
    while (out->len && out->ptr[out->len - 1] == '_') out->ptr[--out->len] = '\0';
}

static gramc_text part(gramc_text text, unsigned n) {
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != ';') continue;
        if (n-- == 0) return text_slice(text, start, i);
        start = i + 1;
    }
    return (gramc_text){NULL, 0};
}

/* operationId is `container;agent;action` on an OPACA platform; elsewhere the first tag stands for
 * the agent. Without an operationId the method and the path say what is done. */
static gramc_text name_of(const struct operation *o) {
    gramc_text id = import_text(o->operation, "operationId");
    const struct json *tags = json_get(o->operation, "tags");
    bool tagged = json_is(tags, JSON_ARRAY) && json_is(tags->first, JSON_STRING);
    bool opaca = part(id, 2).len > 0;
    gramc_text agent = opaca ? part(id, 1) : tagged ? tags->first->text : (gramc_text){NULL, 0};
    struct buf out;
    buf_init(&out, &o->in->arena->allocator, TEXT_MAX);
    put_name(&out, agent);
    if (out.len) buf_puts(&out, "--");
    if (opaca) put_name(&out, part(id, 2));
    else if (id.len) put_name(&out, id);
    else {
        put_name(&out, o->method);
        buf_putc(&out, '_');
        put_name(&out, o->path->key);
    }
    return finish(o->in, &out);
}

/* At most that many code points. */
static gramc_text cut(struct operation *o, gramc_text text, gramc_text name) {
    size_t pos = 0;
    for (int n = 0; n < LONGEST_DESCRIPTION && pos < text.len; n++) text_decode(text, &pos);
    if (pos < text.len)
        import_find(o->in, D_IMPORT_CUT, NULL,
                    json_get(o->operation, "description") ? json_get(o->operation, "description")
                                                          : o->operation,
                    name, TEXT(""));
    return text_slice(text, 0, pos);
}

/* ## Arguments */

static void add_argument(struct operation *o, gramc_text name, const struct json *schema,
                         bool required) {
    struct importer *in = o->in;
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return;
    *copy = *schema;
    copy->next = NULL;
    copy->key = name;
    if (json_get_text(o->properties, name)) {
        import_find(in, D_IMPORT_LOST, NULL, schema, name, TEXT("the request"));
        return;
    }
    import_append(o->properties, copy);
    if (required) import_append(o->required, import_json(in->arena, JSON_STRING, TEXT(""), name));
}

/* The description of a parameter stands beside its schema. */
static const struct json *with_description(struct operation *o, const struct json *parameter) {
    static const struct json none = {.kind = JSON_OBJECT};
    const struct json *schema = json_get(parameter, "schema");
    gramc_text description = import_text(parameter, "description");
    if (!json_is(schema, JSON_OBJECT)) schema = &none;
    if (!description.len || json_get(schema, "description")) return schema;
    struct json *copy = import_json(o->in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    for (const struct json *m = schema->first; m && copy; m = m->next) {
        struct json *member = ARENA_NEW(o->in->arena, struct json);
        if (member) *member = *m;
        import_append(copy, member);
    }
    import_append(copy, import_json(o->in->arena, JSON_STRING, TEXT("description"), description));
    if (copy) {
        copy->start = schema->start;
        copy->end = schema->end;
    }
    return copy ? copy : schema;
}

static void add_parameters(struct operation *o, const struct json *list) {
    if (!json_is(list, JSON_ARRAY)) return;
    for (const struct json *item = list->first; item; item = item->next) {
        const struct json *parameter = follow(o, item);
        gramc_text name = import_text(parameter, "name"), in = import_text(parameter, "in");
        bool query = text_is(in, "query"), path = text_is(in, "path");
        if (!name.len || (!query && !path)) {
            /* Headers and cookies are the library's matter, not the model's. */
            import_find(o->in, D_IMPORT_LOST, NULL, item, name, in.len ? in : TEXT("a request"));
            continue;
        }
        bool required = path || json_is(json_get(parameter, "required"), JSON_TRUE);
        add_argument(o, name, with_description(o, parameter), required);
        if (!query) continue;
        buf_puts(&o->query, o->query.len ? "&" : "?");
        buf_text(&o->query, name);
        buf_puts(&o->query, "=${");
        buf_text(&o->query, name);
        buf_putc(&o->query, '}');
    }
}

static const struct json *json_content(const struct operation *o, const struct json *holder) {
    const struct json *content = json_get(follow(o, holder), "content");
    for (const struct json *m = json_is(content, JSON_OBJECT) ? content->first : NULL; m;
         m = m->next)
        if (text_starts(m->key, "application/json")) return json_get(m, "schema");
    return NULL;
}

static void put_placeholder(struct operation *o, gramc_text name) {
    buf_puts(&o->body, o->body.len ? "," : "{");
    json_put_string(&o->body, name);
    buf_puts(&o->body, ":${");
    buf_text(&o->body, name);
    buf_putc(&o->body, '}');
}

/* An object's members become arguments; anything else is one argument, `requestBody`. */
static void add_body(struct operation *o) {
    const struct json *body = follow(o, json_get(o->operation, "requestBody"));
    const struct json *schema = body ? json_content(o, body) : NULL;
    const struct json *object = follow(o, schema);
    const struct json *properties = json_get(object, "properties");
    bool required = json_is(json_get(body, "required"), JSON_TRUE);
    if (body && !schema)
        import_find(o->in, D_IMPORT_LOST, NULL, body, TEXT("requestBody"), TEXT("the request"));
    if (!json_is(schema, JSON_OBJECT)) return;
    if (!json_is(properties, JSON_OBJECT)) {
        add_argument(o, TEXT("requestBody"), schema, required);
        buf_puts(&o->body, "${requestBody}");
        return;
    }
    for (const struct json *p = properties->first; p; p = p->next) {
        if (p->kind != JSON_OBJECT) continue;
        add_argument(o, p->key, p, required && import_is_required(object, p->key));
        put_placeholder(o, p->key);
    }
    if (properties->first) buf_putc(&o->body, '}');
}

/* ## Results */

static const struct json *first_response(const struct operation *o) {
    const struct json *responses = json_get(o->operation, "responses");
    return json_is(responses, JSON_OBJECT) ? responses->first : NULL;
}

static bool is_success(const struct json *response) {
    return text_starts(response->key, "2") || text_is(response->key, "default");
}

/* The first answer that tells of success and has a schema. */
static const struct json *result_of(const struct operation *o) {
    for (const struct json *m = first_response(o); m; m = m->next) {
        const struct json *schema = is_success(m) ? json_content(o, m) : NULL;
        if (json_is(schema, JSON_OBJECT)) return schema;
    }
    return NULL;
}

static bool is_json_type(gramc_text type) {
    size_t len = 0;
    while (len < type.len && type.ptr[len] != ';') len++;
    type = text_trim(text_slice(type, 0, len));
    return text_is_nocase(type, "application/json") || text_is(type, "*/*") ||
           (type.len > 5 && text_is_nocase(text_slice(type, type.len - 5, type.len), "+json"));
}

/* An answer that tells of success in plain text, HTML, CSV... is a text. */
static const struct json *text_result(const struct operation *o) {
    bool text = false;
    for (const struct json *m = first_response(o); m; m = m->next) {
        const struct json *content = json_get(follow(o, m), "content");
        if (!is_success(m) || !json_is(content, JSON_OBJECT)) continue;
        for (const struct json *type = content->first; type; type = type->next) {
            if (is_json_type(type->key)) return NULL;
            text = true;
        }
    }
    struct arena *arena = o->in->arena;
    struct json *result = text ? import_json(arena, JSON_OBJECT, TEXT(""), TEXT("")) : NULL;
    if (result)
        import_append(result, import_json(arena, JSON_STRING, TEXT("type"), TEXT("string")));
    return result;
}

/* ## Addresses */

static gramc_text upper(struct importer *in, gramc_text text) {
    struct buf out;
    buf_init(&out, &in->arena->allocator, TEXT_MAX);
    for (size_t i = 0; i < text.len; i++) buf_putc(&out, (char)(text.ptr[i] & ~0x20));
    return finish(in, &out);
}

/* `/pets/{id}` is `${...}` where libraries are written. */
static gramc_text url_of(struct operation *o) {
    const struct json *servers = json_get(o->document, "servers");
    gramc_text base =
        json_is(servers, JSON_ARRAY) ? import_text(servers->first, "url") : (gramc_text){NULL, 0};
    gramc_text path = o->path->key;
    struct buf out;
    buf_init(&out, &o->in->arena->allocator, TEXT_MAX);
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    buf_text(&out, base.len ? base : TEXT("http://127.0.0.1:8080"));
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '{') buf_putc(&out, '$');
        buf_putc(&out, path.ptr[i]);
    }
    buf_text(&out, buf_view(&o->query));
    return finish(o->in, &out);
}

static void add_http(struct operation *o, struct import_tool *tool) {
    struct import_http *http = ARENA_NEW(o->in->arena, struct import_http);
    if (!http) return;
    http->method = upper(o->in, o->method);
    http->url = url_of(o);
    if (o->body.state != BUF_FINE || o->query.state != BUF_FINE) o->in->arena->oom = true;
    http->body = arena_text(o->in->arena, buf_view(&o->body));
    tool->http = http;
}

/* ## Operations */

static void read_operation(struct operation *o) {
    struct importer *in = o->in;
    gramc_text name = name_of(o), description = import_text(o->operation, "description");
    if (!text_trim(description).len) description = import_text(o->operation, "summary");
    struct import_tool *tool = import_add(in, o->operation, name, cut(o, description, name));
    struct json *arguments = import_json(in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    o->properties = import_json(in->arena, JSON_OBJECT, TEXT("properties"), TEXT(""));
    o->required = import_json(in->arena, JSON_ARRAY, TEXT("required"), TEXT(""));
    if (!tool || !arguments || !o->properties || !o->required) return;
    add_parameters(o, json_get(o->path, "parameters"));
    add_parameters(o, json_get(o->operation, "parameters"));
    add_body(o);
    import_append(arguments, o->properties);
    import_append(arguments, o->required);
    import_set_parameters(in, tool, arguments);
    const struct json *result = result_of(o);
    if (!result) result = text_result(o);
    if (result) tool->result = import_normalise(in, result);
    add_http(o, tool);
}

static void read_path(struct importer *in, const struct json *document, const struct json *path) {
    for (const struct json *m = path->first; m && !in->arena->oom; m = m->next) {
        size_t i = 0;
        while (i < sizeof methods / sizeof *methods && !text_is(m->key, methods[i])) i++;
        if (i == sizeof methods / sizeof *methods || m->kind != JSON_OBJECT) continue;
        struct operation o = {
            .in = in, .document = document, .path = path, .operation = m, .method = m->key};
        buf_init(&o.query, &in->arena->allocator, TEXT_MAX);
        buf_init(&o.body, &in->arena->allocator, TEXT_MAX);
        read_operation(&o);
        buf_free(&o.query);
        buf_free(&o.body);
    }
}

void import_openapi(struct importer *in, const struct json *object) {
    const struct json *paths = json_get(object, "paths");
    import_open(in, object);
    in->dialect =
        text_starts(import_text(object, "openapi"), "3.1") ? DIALECT_SCHEMA : DIALECT_OPENAPI;
    for (const struct json *p = json_is(paths, JSON_OBJECT) ? paths->first : NULL; p; p = p->next)
        if (p->kind == JSON_OBJECT) read_path(in, object, p);
    in->dialect = DIALECT_SCHEMA;
}
