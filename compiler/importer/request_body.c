/* Turns the body of an OpenAPI request into arguments and into what the call says of it: of several
 * media types the one that says most, JSON first. Members of a JSON body, a form or a multipart
 * body become arguments of their own; bytes become the path of a file. What could not be sent as it
 * is described is a flaw of the call, and no call is written. */
#include "compiler/importer/request.h"

#include "base/text.h"

#include <string.h>

/* How a body is sent. */
enum request_body_kind { BODY_JSON, BODY_FORM, BODY_MULTIPART, BODY_TEXT, BODY_FILE };

/* ## Media types */

/* A media type without its parameters. */
static gramc_text plain_type(gramc_text type) {
    size_t end = 0;
    while (end < type.len && type.ptr[end] != ';' && type.ptr[end] != ' ') end++;
    return text_slice(type, 0, end);
}

bool openapi_is_json(gramc_text type) {
    type = plain_type(type);
    return text_is_nocase(type, "application/json") || text_is(type, "*/*") ||
           (type.len > 5 && text_is_nocase(text_slice(type, type.len - 5, type.len), "+json"));
}

static bool is_form(gramc_text type) {
    return text_is_nocase(plain_type(type), "application/x-www-form-urlencoded");
}

static bool is_multipart(gramc_text type) {
    return text_is_nocase(plain_type(type), "multipart/form-data");
}

/* Of bytes rather than text. */
static bool is_binary_type(gramc_text type) {
    static const char *const starts[] = {"image/", "audio/", "video/", "font/"};
    static const char *const types[] = {
        "application/octet-stream", "application/pdf",    "application/zip",   "application/gzip",
        "application/x-tar",        "application/x-gzip", "application/binary"};
    type = plain_type(type);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(type, starts[i])) return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_is_nocase(type, types[i])) return true;
    return false;
}

static const struct json *media_of(const struct api_operation *o, const struct json *holder,
                                   bool (*wanted)(gramc_text type)) {
    const struct json *content = json_get(openapi_follow(o, holder), "content");
    for (const struct json *m = json_is(content, JSON_OBJECT) ? content->first : NULL; m;
         m = m->next)
        if (wanted(m->key)) return m;
    return NULL;
}

static const struct json *content_of(const struct api_operation *o, const struct json *holder,
                                     bool (*wanted)(gramc_text type)) {
    return json_get(media_of(o, holder, wanted), "schema");
}

const struct json *openapi_json(const struct api_operation *o, const struct json *holder) {
    return content_of(o, holder, openapi_is_json);
}

/* ## Schemas */

static bool is_type(const struct json *schema, const char *type) {
    const struct json *said = json_get(schema, "type");
    if (json_is(said, JSON_STRING)) return text_is(said->text, type);
    for (const struct json *t = json_is(said, JSON_ARRAY) ? said->first : NULL; t; t = t->next)
        if (t->kind == JSON_STRING && text_is(t->text, type)) return true;
    return false;
}

/* Bytes: `format: binary` of OpenAPI 3.0, a media type without an encoding of 3.1. */
static bool is_binary(const struct api_operation *o, const struct json *schema, int depth) {
    static const char *const unions[] = {"anyOf", "oneOf", "allOf"};
    schema = openapi_follow(o, schema);
    if (!json_is(schema, JSON_OBJECT) || depth == DEEPEST_REFERENCE) return false;
    if (json_get(schema, "type") && !is_type(schema, "string")) return false;
    if (text_is(import_text(schema, "format"), "binary")) return true;
    if (json_get(schema, "contentMediaType") && !json_get(schema, "contentEncoding"))
        return !openapi_is_json(import_text(schema, "contentMediaType"));
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++) {
        const struct json *branches = json_get(schema, unions[i]);
        for (const struct json *b = json_is(branches, JSON_ARRAY) ? branches->first : NULL; b;
             b = b->next)
            if (is_binary(o, b, depth + 1)) return true;
    }
    return false;
}

/* A list of them is sent as several parts of one name. */
static bool is_files(const struct api_operation *o, const struct json *schema) {
    const struct json *list = openapi_follow(o, schema);
    if (is_binary(o, schema, 0)) return true;
    return is_type(list, "array") && is_binary(o, json_get(list, "items"), 0);
}

static const struct json *part_of(const struct json *object) {
    const struct json *parts = json_get(object, "allOf");
    return json_is(parts, JSON_ARRAY) ? parts->first : NULL;
}

/* An object that has its members and no others, all of which can be named; depth: of allOf. */
static bool is_flat(const struct api_request *r, const struct json *object, int depth) {
    static const char *const more[] = {"anyOf", "oneOf", "not", "if", "patternProperties"};
    bool any = json_is(json_get(object, "properties"), JSON_OBJECT);
    if (!json_is(object, JSON_OBJECT) || depth == DEEPEST_REFERENCE) return false;
    if (json_is(json_get(object, "additionalProperties"), JSON_OBJECT)) return false;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (json_get(object, more[i])) return false;
    for (const struct json *p = part_of(object); p; p = p->next) {
        bool only_required = json_get(p, "required") && p->count == 1;
        if (!only_required && !is_flat(r, openapi_follow(r->o, p), depth + 1)) return false;
        any = any || !only_required;
    }
    return any;
}

static bool is_required_in(const struct api_request *r, const struct json *object, gramc_text name,
                           int depth) {
    if (import_is_required(object, name)) return true;
    for (const struct json *p = part_of(object); p && depth < DEEPEST_REFERENCE; p = p->next)
        if (is_required_in(r, openapi_follow(r->o, p), name, depth + 1)) return true;
    return false;
}

/* ## Members */

struct body_members {
    const struct json *whole;    /* the body's schema */
    const struct json *encoding; /* of the fields of a form; NULL: nothing is said */
    enum request_body_kind kind;
    bool required; /* the body is */
};

static void put_member(struct api_request *r, gramc_text name, gramc_text argument) {
    struct buf key;
    buf_init(&key, &r->in->arena->allocator, TEXT_MAX);
    json_put_string(&key, name);
    buf_puts(&r->body, r->body.len ? "," : "{");
    request_put_literal(&r->body, buf_view(&key));
    buf_putc(&r->body, ':');
    request_put_argument(&r->body, argument);
    if (key.state != BUF_FINE) r->in->arena->oom = true;
    buf_free(&key);
}

/* Its own type, if that says more than the value does by itself. */
static gramc_text type_of_part(const struct json *encoding, const struct json *schema) {
    gramc_text type = import_text(encoding, "contentType");
    bool plain = text_is_nocase(type, "text/plain") && !is_type(schema, "object");
    bool usual = openapi_is_json(type) && (is_type(schema, "object") || !type.len);
    return plain || usual ? TEXT("") : type;
}

static bool is_file_part(const struct api_operation *o, const struct body_members *m,
                         const struct json *field) {
    gramc_text type = import_text(json_get_text(m->encoding, field->key), "contentType");
    bool plain = is_type(openapi_follow(o, field), "string");
    return m->kind == BODY_MULTIPART && (is_files(o, field) || (plain && is_binary_type(type)));
}

/* The schema with words that say what the argument is: nobody writes a file into a call. */
static const struct json *as_path(struct api_request *r, const struct json *schema) {
    struct importer *in = r->in;
    bool several = is_type(openapi_follow(r->o, schema), "array");
    const char *words = several ? "the paths of files" : "the path of a file";
    gramc_text about = text_trim(import_text(schema, "description"));
    struct json *copy = import_json(in->arena, JSON_OBJECT, schema->key, TEXT(""));
    struct buf text;
    buf_init(&text, &in->arena->allocator, TEXT_MAX);
    if (about.len) buf_printf(&text, "%.*s (%s)", TEXT_ARGS(about), words);
    else buf_printf(&text, "T%s", words + 1);
    for (const struct json *m = schema->first; m && copy; m = m->next) {
        struct json *member =
            text_is(m->key, "description") ? NULL : ARENA_NEW(in->arena, struct json);
        if (!member) continue;
        *member = *m;
        member->next = NULL;
        import_append(copy, member);
    }
    import_append(copy, import_json(in->arena, JSON_STRING, TEXT("description"),
                                    buf_to_arena(&text, in->arena)));
    if (!copy) return schema;
    copy->start = schema->start;
    copy->end = schema->end;
    return copy;
}

static void add_part(struct api_request *r, const struct json *field, const struct json *encoding,
                     gramc_text argument, bool is_file) {
    const struct api_operation *o = r->o;
    struct import_part *part = ARENA_NEW(r->in->arena, struct import_part);
    if (!part) return;
    gramc_text type = import_text(encoding, "contentType");
    *part = (struct import_part){.name = field->key, .argument = argument, .is_file = is_file};
    part->content_type = is_file ? type : type_of_part(encoding, openapi_follow(o, field));
    if (is_file && !type.len)
        part->content_type = import_text(openapi_follow(o, field), "contentMediaType");
    *r->last_part = part;
    r->last_part = &part->next;
    if (json_get(encoding, "headers"))
        import_lose(r->in, json_get(encoding, "headers"), NULL, "a part of a request");
}

static void place_member(struct api_request *r, const struct body_members *m,
                         const struct json *field, gramc_text argument) {
    const struct json *encoding = json_get_text(m->encoding, field->key);
    if (m->kind == BODY_JSON) {
        put_member(r, field->key, argument);
        return;
    }
    bool is_file = is_file_part(r->o, m, field);
    if (m->kind == BODY_MULTIPART) add_part(r, field, encoding, argument, is_file);
    else request_put_pair(&r->body, r->body.len ? "&" : "", field->key, argument);
    if (is_file) return; /* no style means anything to it */
    request_add_style(r, &(struct api_style_question){
                             .name = field->key,
                             .argument = argument,
                             .place = m->kind == BODY_MULTIPART ? STYLE_PART : STYLE_QUERY,
                             .holder = encoding,
                             .schema = field,
                             .at = field,
                             .is_field = true});
}

/* Everything that the object and its parts say of a member, each once. */
static void collect_said(struct api_request *r, const struct json *object, gramc_text name,
                         struct json *list, int depth) {
    for (const struct json *p = part_of(object); p && depth < DEEPEST_REFERENCE; p = p->next)
        collect_said(r, openapi_follow(r->o, p), name, list, depth + 1);
    const struct json *own = json_get_text(json_get(object, "properties"), name);
    const struct json *known = list->first;
    while (own && known && !json_equal(known, own)) known = known->next;
    struct json *copy = own && !known ? ARENA_NEW(r->in->arena, struct json) : NULL;
    if (!copy) return;
    *copy = *own;
    copy->next = NULL;
    import_append(list, copy);
}

/* What the body demands of a member: several parts may each say something of it. */
static const struct json *said_of(struct api_request *r, const struct body_members *m,
                                  const struct json *field) {
    struct json *list = import_json(r->in->arena, JSON_ARRAY, TEXT("allOf"), TEXT(""));
    struct json *all = import_json(r->in->arena, JSON_OBJECT, field->key, TEXT(""));
    if (!list || !all) return field;
    collect_said(r, openapi_follow(r->o, m->whole), field->key, list, 0);
    if (list->count < 2) return field;
    list->start = all->start = field->start;
    list->end = all->end = field->end;
    import_append(all, list);
    return all;
}

static void add_members(struct api_request *r, const struct body_members *m,
                        const struct json *object, int depth) {
    const struct json *properties = json_get(object, "properties");
    for (const struct json *p = part_of(object); p && depth < DEEPEST_REFERENCE; p = p->next)
        add_members(r, m, openapi_follow(r->o, p), depth + 1);
    for (const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL; p;
         p = p->next) {
        bool read_only = json_is(json_get(p, "readOnly"), JSON_TRUE);
        if (p->kind != JSON_OBJECT || read_only || json_get_text(r->in_body, p->key)) continue;
        bool required = m->required && is_required_in(r, m->whole, p->key, 0);
        const struct json *said = is_file_part(r->o, m, p) ? as_path(r, p) : said_of(r, m, p);
        gramc_text argument = request_add_argument(r, p->key, TEXT("body"), said, required);
        import_append(r->in_body, import_json(r->in->arena, JSON_TRUE, p->key, TEXT("")));
        if (argument.len) place_member(r, m, p, argument);
    }
}

/* ## The body */

static bool is_any(gramc_text type) {
    (void)type;
    return true;
}

static enum request_body_kind kind_of(const struct api_operation *o, const struct json *media) {
    const struct json *schema = openapi_follow(o, json_get(media, "schema"));
    bool bytes = is_binary(o, schema, 0);
    if (is_form(media->key)) return BODY_FORM;
    if (is_multipart(media->key)) return BODY_MULTIPART;
    if (bytes || (is_binary_type(media->key) && (!schema || is_type(schema, "string"))))
        return BODY_FILE;
    return openapi_is_json(media->key) ? BODY_JSON : BODY_TEXT;
}

/* A field of it is a file, which a form without parts cannot hold. */
static bool has_file(const struct api_operation *o, const struct json *media) {
    const struct json *properties =
        json_get(openapi_follow(o, json_get(media, "schema")), "properties");
    for (const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL; p;
         p = p->next)
        if (is_files(o, p)) return true;
    return false;
}

/* The one that says most. NULL: there is none. */
static const struct json *choose_media(const struct api_operation *o, const struct json *body) {
    bool (*const wanted[])(gramc_text) = {openapi_is_json, is_form, is_multipart, is_any};
    const struct json *found = NULL;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !json_get(found, "schema"); i++) {
        const struct json *media = media_of(o, body, wanted[i]);
        if (media && (!found || json_get(media, "schema"))) found = media;
    }
    const struct json *parts = media_of(o, body, is_multipart);
    bool needs_parts = found && parts && is_form(found->key) && has_file(o, parts);
    return needs_parts ? parts : found;
}

/* The members are sent one by one. */
static void add_fields(struct api_request *r, const struct body_members *members) {
    add_members(r, members, members->whole, 0);
    if (r->body.len && members->kind == BODY_JSON) buf_putc(&r->body, '}');
    if (!r->body.len && !r->parts) r->content_type = (gramc_text){NULL, 0};
}

static void set_body_file(struct api_request *r, gramc_text type, gramc_text argument) {
    struct buf template;
    buf_init(&template, &r->in->arena->allocator, TEXT_MAX);
    request_put_argument(&template, argument);
    r->body_file = buf_to_arena(&template, r->in->arena);
    bool starred = type.len && memchr(type.ptr, '*', type.len);
    r->content_type = starred ? TEXT("") : type;
}

/* NULL, or why a body that is one argument could not be sent. */
static const char *whole_flaw(const struct api_operation *o, enum request_body_kind kind,
                              const struct json *schema) {
    unsigned kinds = style_kinds(o->document, schema);
    bool compound = kinds && !(kinds & STYLE_KIND_SCALAR);
    if (kind == BODY_MULTIPART) return "its multipart body is no plain list of members";
    if (kind == BODY_FORM && compound) return "its form is no plain list of members";
    return kind == BODY_TEXT && compound ? "its body is an object or a list, and no JSON" : NULL;
}

/* Of a media type without one: any JSON, or a text. */
static const struct json *unsaid_schema(struct api_request *r, const struct json *media,
                                        enum request_body_kind kind) {
    static const struct json any = {.kind = JSON_OBJECT};
    struct json *schema = import_json(r->in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    if (!schema) return &any;
    schema->start = media->start;
    schema->end = media->end;
    if (kind != BODY_JSON)
        import_append(schema, import_json(r->in->arena, JSON_STRING, TEXT("type"), TEXT("string")));
    return schema;
}

static void add_whole(struct api_request *r, const struct json *media, enum request_body_kind kind,
                      bool required) {
    const struct json *schema = json_get(media, "schema");
    if (!json_is(schema, JSON_OBJECT)) schema = unsaid_schema(r, media, kind);
    const char *flaw = whole_flaw(r->o, kind, schema);
    if (kind == BODY_FILE) schema = as_path(r, schema);
    gramc_text argument =
        request_add_argument(r, TEXT("requestBody"), TEXT("body"), schema, required);
    if (flaw) r->flaw = text_of(flaw);
    if (!argument.len) return;
    if (kind == BODY_FILE) set_body_file(r, media->key, argument);
    else request_put_argument(&r->body, argument);
}

void request_add_body(struct api_request *r) {
    const struct json *body = openapi_follow(r->o, json_get(r->o->operation, "requestBody"));
    const struct json *media = choose_media(r->o, body);
    struct body_members members = {.required = json_is(json_get(body, "required"), JSON_TRUE)};
    if (!json_is(body, JSON_OBJECT)) return;
    if (!media) {
        import_find(r->in, D_IMPORT_LOST, NULL, body, TEXT("requestBody"), TEXT("the request"));
        r->flaw = TEXT("nothing is said of the body that it takes");
        return;
    }
    members.kind = kind_of(r->o, media);
    members.whole = openapi_follow(r->o, json_get(media, "schema"));
    members.encoding = json_get(media, "encoding");
    r->content_type = members.kind == BODY_JSON   ? TEXT("application/json")
                      : members.kind == BODY_FORM ? TEXT("application/x-www-form-urlencoded")
                                                  : media->key;
    bool parts = members.kind != BODY_TEXT && members.kind != BODY_FILE;
    if (parts && is_flat(r, members.whole, 0)) add_fields(r, &members);
    else add_whole(r, media, members.kind, members.required);
}
