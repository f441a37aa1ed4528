/* Turns a document of Swagger 2 into one of OpenAPI 3.0, which is read then: bodies and forms leave
 * the parameters, schemas move below media types, host and path become a server. Schemas stay where
 * they are, as references lead there; what has become of a parameter or an answer stands where it
 * was referred to. Everything keeps its place in the file, for findings. */
#include "compiler/importer/openapi.h"

#include "base/text.h"

enum { DEEPEST_REFERENCE = 8, DEEPEST_ITEMS = 16 };

struct swagger {
    struct importer *in;
    const struct json *old; /* the document */
};

/* One operation on its way. */
struct swagger_operation {
    const struct swagger *s;
    const struct json *old;
    struct json *parameters, *body; /* body: NULL until one is found */
    struct json *fields, *required; /* of a form */
    struct json *encoding;
    const struct json *form; /* the first field; NULL: there is no form */
    bool file;               /* one of the fields is one */
};

static const char *const methods[] = {"get",   "put",     "post",  "delete", "head",
                                      "patch", "options", "trace", NULL};

/* ## Trees */

static struct json *node(const struct swagger *s, enum json_kind kind, const char *key,
                         const struct json *at) {
    struct json *made = import_json(s->in->arena, kind, text_of(key), (gramc_text){NULL, 0});
    if (!made || !at) return made;
    made->start = at->start;
    made->end = at->end;
    made->key_start = at->key_start;
    return made;
}

static struct json *string(const struct swagger *s, const char *key, gramc_text text) {
    return import_json(s->in->arena, JSON_STRING, text_of(key), text);
}

/* The same value under a key; NULL for NULL. */
static struct json *as(const struct swagger *s, gramc_text key, const struct json *value) {
    struct json *copy = value ? ARENA_NEW(s->in->arena, struct json) : NULL;
    if (!copy) return NULL;
    *copy = *value;
    copy->key = key;
    copy->next = NULL;
    return copy;
}

static void take(const struct swagger *s, struct json *to, const struct json *from,
                 const char *const *keys) {
    for (; *keys; keys++) {
        const struct json *member = json_get(from, *keys);
        if (member) import_append(to, as(s, member->key, member));
    }
}

static void take_others(const struct swagger *s, struct json *to, const struct json *from,
                        const char *const *but) {
    for (const struct json *m = from->first; m; m = m->next)
        if (!import_in_list(m->key, but)) import_append(to, as(s, m->key, m));
}

static const struct json *follow(const struct swagger *s, const struct json *value) {
    for (int i = 0; i < DEEPEST_REFERENCE && value; i++) {
        gramc_text reference = import_text(value, "$ref");
        if (!text_starts(reference, "#/")) break;
        value = import_target(s->in, s->old, reference);
    }
    return value;
}

/* What an operation says, else what the document says. */
static const struct json *list_of(const struct swagger *s, const struct json *operation,
                                  const char *key) {
    const struct json *own = json_get(operation, key);
    if (!json_is(own, JSON_ARRAY)) own = json_get(s->old, key);
    return json_is(own, JSON_ARRAY) && own->first ? own : NULL;
}

/* ## Schemas of parameters */

static const char *const schema_keys[] = {
    "format",  "default",          "maximum",    "exclusiveMaximum",
    "minimum", "exclusiveMinimum", "maxLength",  "minLength",
    "pattern", "maxItems",         "minItems",   "uniqueItems",
    "enum",    "multipleOf",       "x-nullable", "title",
    NULL};

static bool is_file(const struct json *schema) {
    return text_is(import_text(schema, "type"), "file");
}

static void put_file(const struct swagger *s, struct json *schema) {
    import_append(schema, string(s, "type", TEXT("string")));
    import_append(schema, string(s, "format", TEXT("binary")));
}

static struct json *parameter_schema(const struct swagger *s, const char *key,
                                     const struct json *from, unsigned depth) {
    struct json *schema = node(s, JSON_OBJECT, key, from);
    const struct json *items = json_get(from, "items"), *type = json_get(from, "type");
    const struct json *nested = depth ? json_get(from, "collectionFormat") : NULL;
    if (!schema) return NULL;
    if (is_file(from)) put_file(s, schema);
    else if (type) import_append(schema, as(s, type->key, type));
    take(s, schema, from, schema_keys);
    if (json_is(items, JSON_OBJECT) && depth < DEEPEST_ITEMS)
        import_append(schema, parameter_schema(s, "items", items, depth + 1));
    if (nested) import_lose(s->in, nested, NULL, "the items of a parameter");
    return schema;
}

/* How the items of a list are joined. `multi` repeats the name; a path and a header know commas
 * alone. */
static void put_style(const struct swagger *s, struct json *to, const struct json *parameter,
                      gramc_text place) {
    static const struct {
        const char *joined, *style;
    } styles[] = {
        {"csv", "form"}, {"multi", "form"}, {"ssv", "spaceDelimited"}, {"pipes", "pipeDelimited"}};
    const struct json *said = json_get(parameter, "collectionFormat");
    gramc_text joined = import_text(parameter, "collectionFormat");
    bool query = text_is(place, "query") || text_is(place, "formData");
    if (!text_is(import_text(parameter, "type"), "array")) return;
    const char *style = query ? "form" : "simple";
    bool known = !said || text_is(joined, "csv");
    for (size_t i = 0; i < sizeof styles / sizeof *styles && query; i++) {
        if (!text_is(joined, styles[i].joined)) continue;
        style = styles[i].style;
        known = true;
    }
    if (!known) import_lose(s->in, said, NULL, "a parameter");
    bool repeats = query && text_is(joined, "multi");
    import_append(to, string(s, "style", text_of(style)));
    import_append(to, node(s, repeats ? JSON_TRUE : JSON_FALSE, "explode", said));
}

/* ## Parameters */

static void add_field(struct swagger_operation *o, const struct json *parameter) {
    const struct swagger *s = o->s;
    const struct json *description = json_get(parameter, "description");
    gramc_text name = import_text(parameter, "name");
    struct json *schema = parameter_schema(s, "", parameter, 0);
    struct json *encoding = node(s, JSON_OBJECT, "", parameter);
    if (!schema || !encoding) return;
    if (description) import_append(schema, as(s, description->key, description));
    put_style(s, encoding, parameter, TEXT("formData"));
    schema->key = encoding->key = name;
    import_append(o->fields, schema);
    if (encoding->first) import_append(o->encoding, encoding);
    if (json_is(json_get(parameter, "required"), JSON_TRUE))
        import_append(o->required, string(s, "", name));
    if (!o->form) o->form = parameter;
    o->file = o->file || is_file(parameter);
}

static void add_parameter(struct swagger_operation *o, const struct json *item) {
    static const char *const kept[] = {"name",       "in",           "description",     "required",
                                       "deprecated", "x-deprecated", "allowEmptyValue", NULL};
    const struct swagger *s = o->s;
    const struct json *parameter = follow(s, item);
    gramc_text place = import_text(parameter, "in");
    if (text_is(place, "body")) {
        if (!o->body) o->body = as(s, TEXT("requestBody"), parameter);
        else import_find(s->in, D_IMPORT_LOST, NULL, item, import_text(parameter, "name"), place);
        return;
    }
    if (text_is(place, "formData")) {
        add_field(o, parameter);
        return;
    }
    struct json *made = node(s, JSON_OBJECT, "", item);
    if (!made) return;
    if (parameter) take(s, made, parameter, kept);
    put_style(s, made, parameter, place);
    if (parameter) import_append(made, parameter_schema(s, "schema", parameter, 0));
    import_append(o->parameters, made);
}

static bool is_overridden(const struct swagger_operation *o, const struct json *item) {
    const struct json *own = json_get(o->old, "parameters"), *parameter = follow(o->s, item);
    for (const struct json *p = json_is(own, JSON_ARRAY) ? own->first : NULL; p; p = p->next) {
        const struct json *other = follow(o->s, p);
        if (text_eq(import_text(other, "name"), import_text(parameter, "name")) &&
            text_eq(import_text(other, "in"), import_text(parameter, "in")))
            return true;
    }
    return false;
}

/* Those of the path first, as they may hold a body or a field. */
static void add_parameters(struct swagger_operation *o, const struct json *path) {
    const struct json *shared = json_get(path, "parameters");
    const struct json *own = json_get(o->old, "parameters");
    for (const struct json *p = json_is(shared, JSON_ARRAY) ? shared->first : NULL; p; p = p->next)
        if (!is_overridden(o, p)) add_parameter(o, p);
    for (const struct json *p = json_is(own, JSON_ARRAY) ? own->first : NULL; p; p = p->next)
        add_parameter(o, p);
}

/* ## Bodies and answers */

static void put_content(const struct swagger *s, struct json *holder, const struct json *types,
                        const struct json *schema) {
    struct json *content = node(s, JSON_OBJECT, "content", schema);
    const struct json *type = types ? types->first : NULL;
    for (bool once = !type; content && (type || once); once = false) {
        struct json *media = node(s, JSON_OBJECT, "", schema);
        if (!media) return;
        media->key = json_is(type, JSON_STRING) ? type->text : TEXT("application/json");
        import_append(media, as(s, TEXT("schema"), schema));
        import_append(content, media);
        type = type ? type->next : NULL;
    }
    import_append(holder, content);
}

static struct json *body_of(const struct swagger_operation *o) {
    static const char *const kept[] = {"description", "required", NULL};
    const struct json *schema = json_get(o->body, "schema");
    struct json *made = node(o->s, JSON_OBJECT, "requestBody", o->body);
    if (!made) return NULL;
    take(o->s, made, o->body, kept);
    if (schema) put_content(o->s, made, list_of(o->s, o->old, "consumes"), schema);
    return made;
}

static bool consumes(const struct json *types, const char *start) {
    for (const struct json *type = types ? types->first : NULL; type; type = type->next)
        if (type->kind == JSON_STRING && text_starts(type->text, start)) return true;
    return false;
}

/* A form with a file has several parts; one without is sent so only if it must be. */
static struct json *form_of(const struct swagger_operation *o) {
    const struct json *types = list_of(o->s, o->old, "consumes");
    const char *const encoded = "application/x-www-form-urlencoded";
    bool parts = o->file || (consumes(types, "multipart/") && !consumes(types, encoded));
    struct json *made = node(o->s, JSON_OBJECT, "requestBody", o->form);
    struct json *content = node(o->s, JSON_OBJECT, "content", o->form);
    struct json *media = node(o->s, JSON_OBJECT, parts ? "multipart/form-data" : encoded, o->form);
    struct json *schema = node(o->s, JSON_OBJECT, "schema", o->form);
    if (!made || !content || !media || !schema) return NULL;
    import_append(schema, string(o->s, "type", TEXT("object")));
    import_append(schema, o->fields);
    if (o->required->first) import_append(schema, o->required);
    import_append(media, schema);
    if (o->encoding->first) import_append(media, o->encoding);
    import_append(content, media);
    import_append(made, content);
    if (o->required->first) import_append(made, node(o->s, JSON_TRUE, "required", NULL));
    return made;
}

static struct json *responses_of(const struct swagger_operation *o, const struct json *old) {
    static const char *const but[] = {"schema", "examples", "headers", NULL};
    struct json *made = node(o->s, JSON_OBJECT, "responses", old);
    for (const struct json *m = old->first; m && made; m = m->next) {
        const struct json *response = follow(o->s, m), *schema = json_get(response, "schema");
        struct json *answer = node(o->s, JSON_OBJECT, "", m);
        if (!answer || !json_is(response, JSON_OBJECT)) continue;
        answer->key = m->key;
        take_others(o->s, answer, response, but);
        if (schema && is_file(schema)) {
            struct json *file = node(o->s, JSON_OBJECT, "schema", schema);
            if (file) put_file(o->s, file);
            schema = file;
        }
        if (schema) put_content(o->s, answer, list_of(o->s, o->old, "produces"), schema);
        import_append(made, answer);
    }
    return made;
}

/* ## Servers and security */

static bool has(const struct json *list, const char *word) {
    for (const struct json *item = list ? list->first : NULL; item; item = item->next)
        if (item->kind == JSON_STRING && text_is(item->text, word)) return true;
    return false;
}

/* Nobody says which scheme: on this machine HTTP, elsewhere HTTPS. */
static const char *scheme_of(const struct json *schemes, gramc_text host) {
    bool local = text_starts(host, "localhost") || text_starts(host, "127.");
    if (has(schemes, "https")) return "https";
    return has(schemes, "http") || local ? "http" : "https";
}

static struct json *servers_of(const struct swagger *s, const struct json *schemes) {
    gramc_text host = import_text(s->old, "host"), path = import_text(s->old, "basePath");
    struct json *list = node(s, JSON_ARRAY, "servers", NULL),
                *server = node(s, JSON_OBJECT, "", NULL);
    struct buf url;
    buf_init(&url, &s->in->arena->allocator, SOURCE_MAX);
    if (host.len) buf_printf(&url, "%s://%.*s", scheme_of(schemes, host), TEXT_ARGS(host));
    if (path.len && path.ptr[0] != '/') buf_putc(&url, '/');
    buf_text(&url, path.len || host.len ? path : TEXT("/"));
    import_append(server, string(s, "url", buf_to_arena(&url, s->in->arena)));
    import_append(list, server);
    return list;
}

static struct json *components_of(const struct swagger *s, const struct json *definitions) {
    struct json *components = node(s, JSON_OBJECT, "components", definitions);
    struct json *schemes = node(s, JSON_OBJECT, "securitySchemes", definitions);
    static const char *const but[] = {"type", NULL};
    for (const struct json *d = definitions->first; d && schemes; d = d->next) {
        struct json *scheme = as(s, d->key, d);
        if (scheme && text_is(import_text(d, "type"), "basic")) {
            scheme->first = NULL;
            scheme->count = 0;
            import_append(scheme, string(s, "type", TEXT("http")));
            import_append(scheme, string(s, "scheme", TEXT("basic")));
            take_others(s, scheme, d, but);
        }
        import_append(schemes, scheme);
    }
    import_append(components, schemes);
    return components;
}

/* ## Operations and paths */

static struct json *operation_of(const struct swagger *s, const struct json *path,
                                 const struct json *old) {
    static const char *const but[] = {"parameters", "consumes",  "produces",
                                      "schemes",    "responses", NULL};
    struct json *made = node(s, JSON_OBJECT, "", old);
    struct swagger_operation o = {.s = s, .old = old};
    const struct json *responses = json_get(old, "responses"), *schemes = json_get(old, "schemes");
    o.parameters = node(s, JSON_ARRAY, "parameters", json_get(old, "parameters"));
    o.fields = node(s, JSON_OBJECT, "properties", NULL);
    o.required = node(s, JSON_ARRAY, "required", NULL);
    o.encoding = node(s, JSON_OBJECT, "encoding", NULL);
    if (!made || !o.parameters || !o.fields || !o.required || !o.encoding) return NULL;
    made->key = old->key;
    take_others(s, made, old, but);
    add_parameters(&o, path);
    import_append(made, o.parameters);
    if (o.form && o.body)
        import_find(s->in, D_IMPORT_LOST, NULL, o.form, import_text(o.form, "name"),
                    TEXT("a request that has a body already"));
    if (o.body) import_append(made, body_of(&o));
    else if (o.form) import_append(made, form_of(&o));
    if (json_is(responses, JSON_OBJECT)) import_append(made, responses_of(&o, responses));
    if (json_is(schemes, JSON_ARRAY)) import_append(made, servers_of(s, schemes));
    return made;
}

static struct json *path_of(const struct swagger *s, const struct json *old) {
    struct json *made = node(s, JSON_OBJECT, "", old);
    const struct json *path = follow(s, old);
    if (!made || !json_is(path, JSON_OBJECT)) return as(s, old->key, old);
    made->key = old->key;
    for (const struct json *m = path->first; m; m = m->next) {
        if (text_is(m->key, "parameters")) continue;
        bool operation = m->kind == JSON_OBJECT && import_in_list(m->key, methods);
        import_append(made, operation ? operation_of(s, path, m) : as(s, m->key, m));
    }
    return made;
}

const struct json *swagger_convert(struct importer *in, const struct json *old) {
    static const char *const but[] = {"swagger",  "host",     "basePath",   "schemes",
                                      "consumes", "produces", "paths",      "securityDefinitions",
                                      "openapi",  "servers",  "components", NULL};
    struct swagger s = {in, old};
    struct json *made = node(&s, JSON_OBJECT, "", old);
    const struct json *paths = json_get(old, "paths");
    const struct json *security = json_get(old, "securityDefinitions");
    struct json *list = node(&s, JSON_OBJECT, "paths", paths);
    if (!made || !list) return old;
    import_append(made, string(&s, "openapi", TEXT("3.0.3")));
    take_others(&s, made, old, but);
    import_append(made, servers_of(&s, json_get(old, "schemes")));
    for (const struct json *p = json_is(paths, JSON_OBJECT) ? paths->first : NULL; p; p = p->next)
        import_append(list, path_of(&s, p));
    import_append(made, list);
    if (json_is(security, JSON_OBJECT)) import_append(made, components_of(&s, security));
    return made;
}
