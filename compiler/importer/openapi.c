/* Turns the operations of an OpenAPI 3 document into tools: the name is `agent--action`, the
 * description is cut where providers cut it, the result is what the first good answer holds. What
 * the request needs, request.c makes of it. */
#include "compiler/importer/openapi.h"

#include "base/text.h"

enum { LONGEST_DESCRIPTION = 1024, TEXT_MAX = INT32_MAX };

static const char *const methods[] = {"get", "put", "post", "delete", "head", "patch"};

/* ## Names */

static gramc_text part(gramc_text text, unsigned n) {
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != ';') continue;
        if (n-- == 0) return text_slice(text, start, i);
        start = i + 1;
    }
    return (gramc_text){NULL, 0};
}

static gramc_text plain_name(const struct api_operation *o, gramc_text text, gramc_text more) {
    struct buf out;
    buf_init(&out, &o->in->arena->allocator, TEXT_MAX);
    import_put_name(&out, text);
    if (more.len) buf_putc(&out, '_');
    import_put_name(&out, more);
    return buf_to_arena(&out, o->in->arena);
}

static gramc_text joined(const struct api_operation *o, gramc_text agent, gramc_text action) {
    struct buf out;
    buf_init(&out, &o->in->arena->allocator, TEXT_MAX);
    buf_text(&out, agent);
    if (agent.len && action.len) buf_puts(&out, "--");
    buf_text(&out, action);
    return buf_to_arena(&out, o->in->arena);
}

/* operationId is `container;agent;action` on an OPACA platform; elsewhere the first tag stands for
 * the agent. Without an operationId the method and the path say what is done. What the action says
 * of the agent again is left out: `meta--root`, not `meta--meta_root`. */
static struct import_subject subject_of(const struct api_operation *o) {
    gramc_text id = import_text(o->operation, "operationId");
    const struct json *tags = json_get(o->operation, "tags");
    bool tagged = json_is(tags, JSON_ARRAY) && json_is(tags->first, JSON_STRING);
    bool opaca = part(id, 2).len > 0;
    gramc_text agent = opaca ? part(id, 1) : tagged ? tags->first->text : TEXT("");
    struct import_subject subject = {
        .tags = tags, .method = o->method, .path = o->address, .operation = id};
    subject.tag = plain_name(o, agent, TEXT(""));
    gramc_text action, rest;
    if (id.len) {
        action = plain_name(o, opaca ? part(id, 2) : id, TEXT(""));
        rest = opaca ? action : import_without_tag(o->in->arena, action, subject.tag);
    } else {
        gramc_text path = plain_name(o, o->address, TEXT(""));
        action = plain_name(o, o->method, path);
        rest = plain_name(o, o->method, import_without_tag(o->in->arena, path, subject.tag));
    }
    subject.name = joined(o, subject.tag, rest);
    subject.operation_name = o->in->name_has_tag ? rest : action;
    return subject;
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

/* An answer that tells of success in plain text, HTML, CSV... is a text. */
static const struct json *text_result(const struct api_operation *o) {
    bool text = false;
    for (const struct json *m = first_response(o); m; m = m->next) {
        const struct json *content = json_get(openapi_follow(o, m), "content");
        if (!is_success(m) || !json_is(content, JSON_OBJECT)) continue;
        for (const struct json *type = content->first; type; type = type->next) {
            if (openapi_is_json(type->key)) return NULL;
            text = true;
        }
    }
    struct arena *arena = o->in->arena;
    struct json *result = text ? import_json(arena, JSON_OBJECT, TEXT(""), TEXT("")) : NULL;
    if (result)
        import_append(result, import_json(arena, JSON_STRING, TEXT("type"), TEXT("string")));
    return result;
}

/* 204 and 205 have no content; what another answer without a description of its content holds,
 * nobody knows. */
static const struct json *no_result(const struct api_operation *o) {
    size_t empty = 0, others = 0;
    for (const struct json *m = first_response(o); m; m = m->next) {
        bool none = text_is(m->key, "204") || text_is(m->key, "205");
        if (none) empty++;
        else if (is_success(m) && !text_is(m->key, "default")) others++;
    }
    struct arena *arena = o->in->arena;
    struct json *result =
        empty && !others ? import_json(arena, JSON_OBJECT, TEXT(""), TEXT("")) : NULL;
    if (result) import_append(result, import_json(arena, JSON_STRING, TEXT("type"), TEXT("null")));
    return result;
}

/* ## Operations */

/* What is read, and what is for people only. */
static const char *const known[] = {"tags",        "summary",    "description", "externalDocs",
                                    "operationId", "parameters", "requestBody", "responses",
                                    "deprecated",  "security",   "servers",     NULL};

static const struct json *result_read(const struct api_operation *o) {
    const struct json *result = result_of(o);
    if (!result) result = text_result(o);
    return result ? result : no_result(o);
}

/* The operation's own words, else those of its path. */
static gramc_text description_of(const struct api_operation *o) {
    const struct json *holders[] = {o->operation, o->operation, o->path, o->path};
    static const char *const members[] = {"description", "summary", "description", "summary"};
    gramc_text found = {NULL, 0};
    for (size_t i = 0; i < sizeof members / sizeof *members && !text_trim(found).len; i++)
        found = import_text(holders[i], members[i]);
    return found;
}

static void read_operation(struct api_operation *o) {
    struct importer *in = o->in;
    struct import_subject subject = subject_of(o);
    if (!import_is_wanted(in, &subject)) return;
    gramc_text name = import_name(in, &subject);
    struct import_tool *tool = import_add(in, o->operation, name, cut(o, description_of(o), name));
    if (!tool || !request_read(o, tool)) return;
    if (json_is(json_get(o->operation, "deprecated"), JSON_TRUE)) tool->deprecated = TEXT("true");
    import_lose_others(in, o->operation, known, tool, NULL);
    const struct json *result = result_read(o);
    if (result) tool->result = import_normalise(in, openapi_without(o, result, "writeOnly"));
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

/* ## Documents */

/* What a request has to carry; nobody but the user knows the key. */
static void report_security(struct importer *in, const struct json *scheme) {
    gramc_text type = import_text(scheme, "type"), place = import_text(scheme, "in");
    gramc_text name = import_text(scheme, "name"), how = import_text(scheme, "scheme");
    struct span span = {scheme->start, scheme->end};
    struct finding *f = FIND(in->findings, D_IMPORT_SECURITY, in->source, span, scheme->key);
    if (!text_is(type, "apiKey")) {
        bool basic = text_is(type, "http") && text_is_nocase(how, "basic");
        finding_help(in->findings, f,
                     "write headers: {Authorization: \"%s ${env:NAME}\"} into the library",
                     basic ? "Basic" : "Bearer");
    } else if (text_is(place, "query"))
        finding_help(in->findings, f, "write %.*s=${env:NAME} into the addresses of the library",
                     TEXT_ARGS(name));
    else if (text_is(place, "cookie"))
        finding_help(in->findings, f,
                     "write headers: {Cookie: \"%.*s=${env:NAME}\"} into the library",
                     TEXT_ARGS(name));
    else
        finding_help(in->findings, f, "write headers: {%.*s: \"${env:NAME}\"} into the library",
                     TEXT_ARGS(name));
}

static void read_around(struct importer *in, const struct json *document) {
    static const char *const around[] = {
        "openapi",    "swagger",  "info",        "jsonSchemaDialect",
        "servers",    "paths",    "tags",        "externalDocs",
        "components", "security", "definitions", "parameters",
        "responses",  NULL};
    const struct json *info = json_get(document, "info");
    const struct json *schemes = json_get(json_get(document, "components"), "securitySchemes");
    import_lose_others(in, document, around, NULL, "the document");
    for (const struct json *s = json_is(schemes, JSON_OBJECT) ? schemes->first : NULL; s;
         s = s->next)
        report_security(in,
                        openapi_follow(&(struct api_operation){.in = in, .document = document}, s));
    if (in->about.len) return;
    in->about = text_trim(import_text(info, "description"));
    if (!in->about.len) in->about = text_trim(import_text(info, "title"));
}

void import_openapi(struct importer *in, const struct json *object) {
    gramc_text version = import_text(object, "openapi"), old = import_text(object, "swagger");
    if (text_starts(old, "2") && !version.len) {
        object = swagger_convert(in, object);
        version = TEXT("3.0");
    }
    const struct json *paths = json_get(object, "paths");
    import_open(in, object);
    for (size_t i = 0; i < 2; i++) map_init(&in->one_way[i], in->arena);
    in->dialect = text_starts(version, "3.0") ? IMPORT_DIALECT_OPENAPI : IMPORT_DIALECT_SCHEMA;
    in->openapi = true;
    if (!version.len)
        import_find(in, D_IMPORT_LOST, NULL, object, TEXT("swagger"), TEXT("OpenAPI before 2.0"));
    for (const struct json *p = json_is(paths, JSON_OBJECT) ? paths->first : NULL; p; p = p->next)
        if (p->kind == JSON_OBJECT) read_path(in, object, p);
    read_around(in, object);
    in->dialect = IMPORT_DIALECT_SCHEMA;
}
