/* Turns the operations of an OpenAPI 3 document into tools: the name is `agent--action`, the
 * description is cut where providers cut it, the result is what the first good answer holds. What
 * the request needs, request.c makes of it. */
#include "compiler/importer/openapi.h"

#include "base/text.h"

enum { LONGEST_DESCRIPTION = 1024, TEXT_MAX = INT32_MAX };

static const char *const methods[] = {"get", "put", "post", "delete", "head", "patch"};

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
static gramc_text name_of(const struct api_operation *o) {
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
        put_name(&out, o->address);
    }
    return buf_to_arena(&out, o->in->arena);
}

/* At most that many code points. */
static gramc_text cut(struct api_operation *o, gramc_text text, gramc_text name) {
    text = text_trim(text);
    size_t pos = 0;
    for (int n = 0; n < LONGEST_DESCRIPTION && pos < text.len; n++) text_decode(text, &pos);
    if (pos < text.len)
        import_find(o->in, D_IMPORT_CUT, NULL,
                    json_get(o->operation, "description") ? json_get(o->operation, "description")
                                                          : o->operation,
                    name, TEXT(""));
    return text_slice(text, 0, pos);
}

/* ## Results */

static const struct json *first_response(const struct api_operation *o) {
    const struct json *responses = json_get(o->operation, "responses");
    return json_is(responses, JSON_OBJECT) ? responses->first : NULL;
}

static bool is_success(const struct json *response) {
    return text_starts(response->key, "2") || text_is(response->key, "default");
}

/* The first answer that tells of success and has a schema. */
static const struct json *result_of(const struct api_operation *o) {
    for (const struct json *m = first_response(o); m; m = m->next) {
        const struct json *schema = is_success(m) ? openapi_json(o, m) : NULL;
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
static const struct json *text_result(const struct api_operation *o) {
    bool text = false;
    for (const struct json *m = first_response(o); m; m = m->next) {
        const struct json *content = json_get(openapi_follow(o, m), "content");
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

/* ## Operations */

static void read_operation(struct api_operation *o) {
    struct importer *in = o->in;
    gramc_text name = name_of(o), description = import_text(o->operation, "description");
    if (!text_trim(description).len) description = import_text(o->operation, "summary");
    struct import_tool *tool = import_add(in, o->operation, name, cut(o, description, name));
    if (!tool || !request_read(o, tool)) return;
    const struct json *result = result_of(o);
    if (!result) result = text_result(o);
    if (result) tool->result = import_normalise(in, result);
}

static bool is_method(const struct json *member) {
    size_t i = 0;
    while (i < sizeof methods / sizeof *methods && !text_is(member->key, methods[i])) i++;
    return i < sizeof methods / sizeof *methods && member->kind == JSON_OBJECT;
}

static void read_path(struct importer *in, const struct json *document, const struct json *at) {
    struct api_operation o = {.in = in, .document = document, .address = at->key};
    o.path = openapi_follow(&o, at);
    for (const struct json *m = o.path ? o.path->first : NULL; m && !in->arena->oom; m = m->next) {
        bool other = text_is(m->key, "options") || text_is(m->key, "trace");
        if (other) import_find(in, D_IMPORT_LOST, NULL, m, m->key, at->key);
        if (!is_method(m)) continue;
        o.operation = m;
        o.method = m->key;
        read_operation(&o);
    }
}

void import_openapi(struct importer *in, const struct json *object) {
    const struct json *paths = json_get(object, "paths");
    gramc_text version = import_text(object, "openapi");
    import_open(in, object);
    in->dialect = text_starts(version, "3.0") ? IMPORT_DIALECT_OPENAPI : IMPORT_DIALECT_SCHEMA;
    if (!version.len || text_starts(version, "2"))
        import_find(in, D_IMPORT_LOST, NULL, object, TEXT("swagger"), TEXT("OpenAPI before 3.0"));
    for (const struct json *p = json_is(paths, JSON_OBJECT) ? paths->first : NULL; p; p = p->next)
        if (p->kind == JSON_OBJECT) read_path(in, object, p);
    in->dialect = IMPORT_DIALECT_SCHEMA;
}
