/* Turns a YAML file of HTTP tools into a toolbox, with everything that is wrong in it and where.
 * Schemas, templates and transformations are made here, once; nothing is left to fail at a call but
 * the values themselves. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "runtime/toolbox.h"
#include "runtime/yaml.h"

enum {
    PARAMETERS_MAX = 200,
    HEADERS_MAX = 100,
    TEXTS_MAX = 16 << 20 /* bytes of all texts together, each as often as aliases name it */
};

struct reader {
    struct toolbox *box;
    struct arena *arena;
    gramc_text text; /* of the file */
    bool literal;
    struct toolbox_finding **link;
    size_t kept;
    size_t texts;   /* bytes that were read so far */
    struct map ids; /* to the number that the last tool of this id got */
    bool nomem;
};

struct parameter_list {
    gramc_text names[PARAMETERS_MAX];
    const struct yaml *keys[PARAMETERS_MAX];
    bool used[PARAMETERS_MAX];
    size_t count;
};

/* ## Findings */

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static struct toolbox_finding *
find_at(struct reader *reader, gramc_severity severity, uint32_t line, uint32_t column,
        const char *format, ...) {
    char message[512];
    va_list args;
    if (severity == GRAMC_ERROR) reader->box->errors++;
    else reader->box->warnings++;
    if (reader->kept == TOOLBOX_FINDINGS_MAX) return NULL;
    struct toolbox_finding *finding = ARENA_NEW(reader->arena, struct toolbox_finding);
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    gramc_text copy = arena_text(reader->arena, text_of(message));
    if (!finding || !copy.ptr) {
        reader->nomem = true;
        return NULL;
    }
    finding->severity = severity;
    finding->line = line;
    finding->column = column;
    finding->message = copy;
    *reader->link = finding;
    reader->link = &finding->next;
    reader->kept++;
    return finding;
}

#define ERROR_AT(reader, node, ...)                                                                \
    find_at((reader), GRAMC_ERROR, (node)->line, (node)->column, __VA_ARGS__)
#define WARN_AT(reader, node, ...)                                                                 \
    find_at((reader), GRAMC_WARNING, (node)->line, (node)->column, __VA_ARGS__)

/* For %.*s: no more of a hostile text than fits a line. */
#define SHORT(text) (int)((text).len < 80 ? (text).len : 80), (text).ptr

static void help(struct toolbox_finding *finding, const char *text) {
    if (finding) finding->help = text_of(text);
}

/* False, once and for all, when aliases have made a small file a large one. */
static bool take_text(struct reader *reader, const struct yaml *node) {
    bool before = reader->texts <= TEXTS_MAX;
    reader->texts += node->text.len + 64;
    if (reader->texts <= TEXTS_MAX) return true;
    if (before) ERROR_AT(reader, node, "with its aliases the file is larger than gramc takes");
    return false;
}

/* ## Maps with known keys */

struct field {
    const char *name;
    bool required;
    enum yaml_kind kind;
};

/* What people write instead. */
static const struct {
    const char *wrong, *right;
} hints[] = {
    {"template", "definition"},
    {"responseTransformations", "transformer"},
    {"transform", "transformer"},
    {"endpoint", "url"},
    {"TEXT_SUBSTITUTION", "TEXT_SUBSTITUTOR"},
    {"TEXT_SUBSTITUTER", "TEXT_SUBSTITUTOR"},
    {"INT", "INTEGER"},
    {"NUMBER", "DOUBLE"},
    {"BOOL", "BOOLEAN"},
    {"CHAR", "CHARACTER"},
    {"INT_ARRAY", "INTEGER_ARRAY"},
    {"HANDLEBARS", "TEXT_SUBSTITUTOR"},
};

static gramc_text hint_for(gramc_text word, const gramc_text *known, size_t count) {
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        for (size_t k = 0; k < count; k++)
            if (text_is(word, hints[i].wrong) && text_is(known[k], hints[i].right)) return known[k];
    for (size_t k = 0; k < count; k++)
        if (known[k].len == word.len && text_is_nocase(word, known[k].ptr)) return known[k];
    return text_nearest(word, known, count);
}

static void unknown_word(struct reader *reader, const struct yaml *node, const char *what,
                         const gramc_text *known, size_t count) {
    gramc_text near = hint_for(node->text, known, count);
    if (near.len)
        ERROR_AT(reader, node, "there is no %s `%.*s`; did you mean `%.*s`?", what,
                 SHORT(node->text), SHORT(near));
    else ERROR_AT(reader, node, "there is no %s `%.*s`", what, SHORT(node->text));
}

static const char *kind_name(enum yaml_kind kind) {
    static const char *const names[] = {"a text", "a list", "a map"};
    return names[kind];
}

static bool check_keys(struct reader *reader, const struct yaml *map, const struct field *fields,
                       size_t count) {
    gramc_text names[16];
    bool good = true;
    for (size_t i = 0; i < count; i++) names[i] = text_of(fields[i].name);
    for (const struct yaml_item *item = map->first; item; item = item->next) {
        size_t i = 0;
        while (i < count && !text_eq(names[i], item->key->text)) i++;
        if (i == count) unknown_word(reader, item->key, "key", names, count);
        good = good && i < count;
    }
    return good;
}

static bool check_values(struct reader *reader, const struct yaml *map, const char *path,
                         const struct field *fields, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const struct yaml *value = yaml_get(map, fields[i].name);
        if (yaml_is_null(value)) {
            if (!fields[i].required) continue;
            ERROR_AT(reader, map, "%s has no `%s`", path, fields[i].name);
            good = false;
        } else if (value->kind != fields[i].kind) {
            ERROR_AT(reader, value, "`%s` is %s here, and should be %s", fields[i].name,
                     kind_name(value->kind), kind_name(fields[i].kind));
            good = false;
        }
    }
    return good;
}

static bool check_map(struct reader *reader, const struct yaml *map, const char *path,
                      const struct field *fields, size_t count) {
    if (map->kind != YAML_MAP) {
        ERROR_AT(reader, map, "%s is %s here, and should be a map", path, kind_name(map->kind));
        return false;
    }
    bool keys = check_keys(reader, map, fields, count);
    return check_values(reader, map, path, fields, count) && keys;
}

#define CHECK_MAP(reader, map, path, fields)                                                       \
    check_map((reader), (map), (path), (fields), sizeof(fields) / sizeof((fields)[0]))

/* A member's text, copied already; empty if it is absent. */
static gramc_text text_at(const struct yaml *map, const char *key) {
    const struct yaml *value = yaml_get(map, key);
    return yaml_is_null(value) ? (gramc_text){NULL, 0} : value->text;
}

/* ## Parameters */

static const struct {
    const char *name, *type;
} types[] = {
    {"STRING", "string"},       {"BOOLEAN", "boolean"},       {"INTEGER", "integer"},
    {"LONG", "integer"},        {"FLOAT", "number"},          {"DOUBLE", "number"},
    {"BYTE", "integer"},        {"SHORT", "integer"},         {"CHARACTER", "string"},
    {"STRING_ARRAY", "string"}, {"BOOLEAN_ARRAY", "boolean"}, {"INTEGER_ARRAY", "integer"},
    {"LONG_ARRAY", "integer"},  {"FLOAT_ARRAY", "number"},    {"DOUBLE_ARRAY", "number"},
    {"BYTE_ARRAY", "integer"},  {"SHORT_ARRAY", "integer"},   {"CHARACTER_ARRAY", "string"},
};

enum { TYPES = sizeof(types) / sizeof(types[0]), SINGLE_TYPES = TYPES / 2 };

static bool put_type(struct reader *reader, const struct yaml *type, struct buf *out) {
    gramc_text names[TYPES];
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = text_of(types[i].name);
        if (!text_is(type->text, types[i].name)) continue;
        if (i < SINGLE_TYPES) buf_printf(out, "\"type\":\"%s\"", types[i].type);
        else buf_printf(out, "\"type\":\"array\",\"items\":{\"type\":\"%s\"}", types[i].type);
        return true;
    }
    unknown_word(reader, type, "parameter type", names, TYPES);
    return false;
}

static void put_parameter(struct reader *reader, const struct yaml_item *item, struct buf *out) {
    static const struct field fields[] = {{"description", true, YAML_SCALAR},
                                          {"type", true, YAML_SCALAR}};
    char path[120];
    snprintf(path, sizeof(path), "the parameter `%.*s`", SHORT(item->key->text));
    if (!CHECK_MAP(reader, item->value, path, fields)) return;
    if (!take_text(reader, yaml_get(item->value, "description"))) return;
    json_put_string(out, item->key->text);
    buf_puts(out, ":{");
    if (!put_type(reader, yaml_get(item->value, "type"), out)) return;
    buf_puts(out, ",\"description\":");
    json_put_string(out, text_at(item->value, "description"));
    buf_putc(out, '}');
}

static void put_schema(struct reader *reader, const struct yaml *parameters, struct buf *out,
                       struct parameter_list *list) {
    buf_puts(out, "{\"type\":\"object\",\"properties\":{");
    const struct yaml_item *first = yaml_is_null(parameters) ? NULL : parameters->first;
    for (const struct yaml_item *item = first; item; item = item->next) {
        if (list->count == PARAMETERS_MAX) {
            ERROR_AT(reader, item->key, "more than %d parameters", PARAMETERS_MAX);
            break;
        }
        if (item != first) buf_putc(out, ',');
        list->names[list->count] = item->key->text;
        list->keys[list->count++] = item->key;
        put_parameter(reader, item, out);
    }
    buf_puts(out, "},\"required\":[");
    for (size_t i = 0; i < list->count; i++) {
        if (i) buf_putc(out, ',');
        json_put_string(out, list->names[i]);
    }
    buf_puts(out, "],\"additionalProperties\":false}");
}

static gramc_text keep_buf(struct reader *reader, struct buf *buf) {
    gramc_text text = {NULL, 0};
    if (buf_status(buf) == GRAMC_OK) text = arena_text(reader->arena, buf_view(buf));
    if (!text.ptr) reader->nomem = true;
    buf_free(buf);
    return text;
}

static void read_metadata(struct reader *reader, const struct yaml *metadata,
                          struct toolbox_tool *tool, struct parameter_list *list) {
    static const struct field fields[] = {{"name", true, YAML_SCALAR},
                                          {"description", true, YAML_SCALAR},
                                          {"parameters", false, YAML_MAP}};
    struct buf schema;
    if (!CHECK_MAP(reader, metadata, "the metadata", fields)) return;
    tool->name = text_at(metadata, "name");
    tool->description = text_at(metadata, "description");
    buf_init(&schema, &reader->arena->allocator, YAML_LARGEST);
    put_schema(reader, yaml_get(metadata, "parameters"), &schema, list);
    tool->parameters = keep_buf(reader, &schema);
}

/* ## Templates */

struct place {
    uint32_t line, column;
};

static size_t line_start(gramc_text text, uint32_t line) {
    size_t i = 0;
    for (uint32_t at = 1; at < line && i < text.len; i++) at += text.ptr[i] == '\n';
    return i;
}

/* Where a piece of a scalar stands in the file: the n-th of its kind behind the scalar's beginning.
 * The beginning itself where it is not found as it is (escapes in quotes). */
static struct place place_of(const struct reader *reader, const struct yaml *node,
                             const struct template_error *error) {
    struct place place = {node->line, node->column};
    gramc_text piece = text_slice(node->text, error->start, error->end);
    size_t before = 0, line = node->line, from = line_start(reader->text, node->line);
    if (piece.len == 0 || piece.len > 200 || error->start == 0) return place;
    for (size_t i = 0; i + piece.len <= error->start; i++)
        before += memcmp(node->text.ptr + i, piece.ptr, piece.len) == 0;
    for (size_t i = from, row = from; i + piece.len <= reader->text.len; i++) {
        if (line > node->end_line) break;
        if (memcmp(reader->text.ptr + i, piece.ptr, piece.len) == 0 && before-- == 0) {
            size_t column = text_length(text_slice(reader->text, row, i)) + 1;
            return (struct place){(uint32_t)line, (uint32_t)column};
        }
        if (reader->text.ptr[i] != '\n') continue;
        line++;
        row = i + 1;
    }
    return place;
}

static void tell_template(struct reader *reader, gramc_severity severity, const struct yaml *node,
                          const struct template_error *error) {
    struct place place = place_of(reader, node, error);
    find_at(reader, severity, place.line, place.column, "%s", error->message);
}

static void check_status(struct reader *reader, gramc_status status, const struct yaml *content,
                         const struct template_error *error) {
    if (status == GRAMC_FINDINGS) tell_template(reader, GRAMC_ERROR, content, error);
    else if (status == GRAMC_LIMIT) ERROR_AT(reader, content, "a template that is too long");
    else if (status != GRAMC_OK) reader->nomem = true;
}

/* In the literal way what is not declared stays as it is. */
static void keep_undeclared(struct template *what, const struct parameter_list *list) {
    for (size_t i = 0; i < what->count; i++) {
        struct template_part *part = &what->parts[i];
        bool declared = part->kind != PART_PARAMETER;
        for (size_t k = 0; k < list->count && !declared; k++)
            declared = text_eq(list->names[k], part->text);
        if (declared) continue;
        part->kind = PART_TEXT;
        part->text = text_slice(what->source, part->start, part->end);
    }
}

static void check_parameters(struct reader *reader, const struct yaml *content,
                             struct template *out, struct parameter_list *list) {
    struct template_error error;
    if (template_check(out, list->names, list->count, list->used, &error) == GRAMC_OK) return;
    tell_template(reader, reader->literal ? GRAMC_WARNING : GRAMC_ERROR, content, &error);
    if (reader->literal) keep_undeclared(out, list);
}

static void warn_fixed(struct reader *reader, const struct yaml *content,
                       const struct parameter_list *list) {
    struct template what;
    struct template_error error;
    struct arena scratch;
    bool used[PARAMETERS_MAX] = {false}, any = false;
    arena_init(&scratch, &reader->arena->allocator);
    gramc_status status =
        template_read(&what, &scratch, content->text, TEMPLATE_TEXT, true, &error);
    if (status == GRAMC_NOMEM) reader->nomem = true;
    if (status == GRAMC_OK) {
        (void)template_check(&what, list->names, list->count, used, &error);
        for (size_t i = 0; i < list->count; i++) any = any || used[i];
    }
    arena_free(&scratch);
    if (any)
        help(WARN_AT(reader, content, "a TEXT is sent as it is, with its ${...}"),
             "TEXT_SUBSTITUTOR fills in parameters");
}

static void read_template(struct reader *reader, const struct yaml *node, const char *path,
                          enum template_kind kind, struct template *out,
                          struct parameter_list *list) {
    static const struct field fields[] = {{"type", true, YAML_SCALAR},
                                          {"content", true, YAML_SCALAR}};
    static const gramc_text known[] = {{"TEXT", 4}, {"TEXT_SUBSTITUTOR", 16}};
    struct template_error error = {.start = 0};
    if (!CHECK_MAP(reader, node, path, fields)) return;
    const struct yaml *type = yaml_get(node, "type"), *content = yaml_get(node, "content");
    if (!take_text(reader, content)) return;
    if (text_is(type->text, "TEXT")) {
        check_status(reader, template_fixed(out, reader->arena, content->text), content, &error);
        warn_fixed(reader, content, list);
        return;
    }
    if (!text_is(type->text, "TEXT_SUBSTITUTOR")) {
        unknown_word(reader, type, "template type", known, 2);
        return;
    }
    gramc_status status =
        template_read(out, reader->arena, content->text, kind, reader->literal, &error);
    check_status(reader, status, content, &error);
    if (status == GRAMC_OK) check_parameters(reader, content, out, list);
}

/* ## Definitions */

static void read_path(struct reader *reader, const struct yaml *node, struct http_call *call,
                      struct parameter_list *list) {
    read_template(reader, node, "the path", TEMPLATE_URL, &call->path, list);
    const struct yaml *content = yaml_get(node, "content");
    if (!content || content->kind != YAML_SCALAR) return;
    if (!text_starts(content->text, "/")) ERROR_AT(reader, content, "a path begins with /");
    for (size_t i = 0; i < content->text.len; i++) {
        if ((unsigned char)content->text.ptr[i] > ' ') continue;
        ERROR_AT(reader, content, "a path holds no blanks and no line ends; write %%20");
        return;
    }
}

static bool is_token(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && !(c && strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return name.len > 0;
}

/* What makes up a message's frame is ours to say. */
static bool is_framing(gramc_text name) {
    static const char *const framing[] = {
        "Content-Length", "Transfer-Encoding", "Connection", "Host", "Expect", "TE", "Trailer",
        "Upgrade"};
    for (size_t i = 0; i < sizeof(framing) / sizeof(framing[0]); i++)
        if (text_is_nocase(name, framing[i])) return true;
    return false;
}

static bool check_header_name(struct reader *reader, const struct yaml *key) {
    if (!is_token(key->text)) ERROR_AT(reader, key, "`%.*s` is no header name", SHORT(key->text));
    else if (is_framing(key->text))
        ERROR_AT(reader, key, "`%.*s` is set by gramc itself", SHORT(key->text));
    else return true;
    return false;
}

static void read_header(struct reader *reader, const struct yaml_item *item, struct http_call *call,
                        struct parameter_list *list) {
    if (!check_header_name(reader, item->key)) return;
    if (item->value->kind != YAML_LIST) {
        ERROR_AT(reader, item->value, "the values of a header are a list of templates");
        return;
    }
    for (const struct yaml_item *value = item->value->first; value; value = value->next) {
        if (call->header_count == HEADERS_MAX) {
            ERROR_AT(reader, value->value, "more than %d headers", HEADERS_MAX);
            return;
        }
        struct http_header *header = &call->headers[call->header_count++];
        header->name = item->key->text;
        read_template(reader, value->value, "a header's value", TEMPLATE_HEADER, &header->value,
                      list);
    }
}

static void read_headers(struct reader *reader, const struct yaml *headers, struct http_call *call,
                         struct parameter_list *list) {
    size_t count = 0;
    if (yaml_is_null(headers)) return;
    for (const struct yaml_item *item = headers->first; item; item = item->next)
        count += item->value->count;
    if (count > HEADERS_MAX) count = HEADERS_MAX;
    call->headers = arena_zalloc(reader->arena, (count + 1) * sizeof(*call->headers));
    if (!call->headers) {
        reader->nomem = true;
        return;
    }
    for (const struct yaml_item *item = headers->first; item; item = item->next)
        read_header(reader, item, call, list);
}

static void read_body(struct reader *reader, const struct yaml *definition, struct http_call *call,
                      struct parameter_list *list) {
    const struct yaml *body = yaml_get(definition, "body");
    const struct yaml *type = yaml_get(definition, "contentType");
    call->content_type = text_at(definition, "contentType");
    for (size_t i = 0; i < call->content_type.len; i++) {
        if ((unsigned char)call->content_type.ptr[i] >= ' ') continue;
        ERROR_AT(reader, type, "a content type stands on one line");
        return;
    }
    if (yaml_is_null(body)) return;
    if (!http_method_has_body(call->method))
        WARN_AT(reader, body, "a %s has no body; this one is not sent",
                http_method_names[call->method]);
    call->has_body = http_method_has_body(call->method);
    read_template(reader, body, "the body", template_body_kind(call->content_type), &call->body,
                  list);
    if (!call->content_type.len) call->content_type = TEXT("application/json");
}

static bool read_method(struct reader *reader, const struct yaml *node, struct http_call *call) {
    gramc_text names[METHODS];
    for (size_t i = 0; i < METHODS; i++) {
        names[i] = text_of(http_method_names[i]);
        if (!text_eq(node->text, names[i])) continue;
        call->method = (enum http_method)i;
        return true;
    }
    unknown_word(reader, node, "method", names, METHODS);
    return false;
}

static void read_definition(struct reader *reader, const struct yaml *definition,
                            struct http_call *call, struct parameter_list *list) {
    static const struct field fields[] = {{"method", true, YAML_SCALAR},
                                          {"path", true, YAML_MAP},
                                          {"headers", false, YAML_MAP},
                                          {"body", false, YAML_MAP},
                                          {"contentType", false, YAML_SCALAR}};
    if (!CHECK_MAP(reader, definition, "the definition", fields)) return;
    if (!read_method(reader, yaml_get(definition, "method"), call)) return;
    read_path(reader, yaml_get(definition, "path"), call, list);
    read_headers(reader, yaml_get(definition, "headers"), call, list);
    read_body(reader, definition, call, list);
}

static void read_transformer(struct reader *reader, const struct yaml *node,
                             struct http_call *call) {
    static const struct field fields[] = {{"type", true, YAML_SCALAR},
                                          {"config", true, YAML_SCALAR}};
    static const gramc_text known[] = {{"JOLT", 4}};
    gramc_schema_error error;
    if (yaml_is_null(node) || !CHECK_MAP(reader, node, "the transformer", fields)) return;
    const struct yaml *type = yaml_get(node, "type"), *config = yaml_get(node, "config");
    if (!text_is(type->text, "JOLT")) {
        unknown_word(reader, type, "transformer", known, 1);
        return;
    }
    gramc_status status =
        gramc_jolt_compile(&call->transform, config->text, &reader->arena->allocator, &error);
    if (status == GRAMC_NOMEM) reader->nomem = true;
    else if (status != GRAMC_OK)
        ERROR_AT(reader, config, "%s (at \"%s\" of the config)", error.message, error.pointer);
}

/* ## Tools and upstreams */

static void warn_unused(struct reader *reader, const struct parameter_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (!list->used[i])
            WARN_AT(reader, list->keys[i], "the parameter `%.*s` is never used",
                    SHORT(list->names[i]));
}

static gramc_text id_of(struct reader *reader, const struct toolbox_upstream *upstream,
                        const struct toolbox_tool *tool, unsigned number) {
    struct buf id;
    buf_init(&id, &reader->arena->allocator, 1 << 20);
    toolbox_put_id(&id, upstream->name, tool->name);
    if (number > 1) buf_printf(&id, "_%u", number);
    return keep_buf(reader, &id);
}

/* A second tool of the same id gets a number behind it. */
static void make_id(struct reader *reader, const struct toolbox_upstream *upstream,
                    const struct yaml *node, struct toolbox_tool *tool) {
    unsigned *number = ARENA_NEW(reader->arena, unsigned), *last = NULL;
    gramc_text plain = id_of(reader, upstream, tool, 1), id = plain;
    if (!number || !plain.ptr) return;
    while ((last = map_put(&reader->ids, id, number)) != number) {
        id = id_of(reader, upstream, tool, ++*last + 1);
        if (!id.ptr) return;
    }
    tool->id = id;
    if (!text_eq(id, plain))
        WARN_AT(reader, node, "another tool has the same id; this one is `%.*s`", SHORT(id));
}

static bool check_name(struct reader *reader, const struct toolbox_upstream *upstream,
                       const struct yaml *node, const struct toolbox_tool *tool) {
    for (const struct toolbox_tool *other = upstream->tools; other; other = other->next) {
        if (!text_eq(other->name, tool->name)) continue;
        ERROR_AT(reader, node, "there is a tool `%.*s` already, in line %u", SHORT(tool->name),
                 (unsigned)other->line);
        return false;
    }
    return true;
}

static struct toolbox_tool *read_tool(struct reader *reader, const struct yaml *node,
                                      struct toolbox_upstream *upstream) {
    static const struct field fields[] = {{"metadata", true, YAML_MAP},
                                          {"definition", true, YAML_MAP},
                                          {"transformer", false, YAML_MAP}};
    struct parameter_list list;
    struct toolbox_tool *tool = ARENA_NEW(reader->arena, struct toolbox_tool);
    if (!tool) {
        reader->nomem = true;
        return NULL;
    }
    memset(&list, 0, sizeof(list));
    tool->line = node->line;
    tool->column = node->column;
    if (!CHECK_MAP(reader, node, "the tool", fields)) return NULL;
    size_t errors = reader->box->errors;
    read_metadata(reader, yaml_get(node, "metadata"), tool, &list);
    bool described = errors == reader->box->errors;
    read_definition(reader, yaml_get(node, "definition"), &tool->call, &list);
    if (errors == reader->box->errors) warn_unused(reader, &list);
    read_transformer(reader, yaml_get(node, "transformer"), &tool->call);
    if (described) {
        const struct yaml *name = yaml_get(yaml_get(node, "metadata"), "name");
        if (check_name(reader, upstream, name, tool)) make_id(reader, upstream, name, tool);
    }
    return tool;
}

static void read_tools(struct reader *reader, const struct yaml *list,
                       struct toolbox_upstream *upstream) {
    struct toolbox_tool **link = &upstream->tools;
    for (const struct yaml_item *item = list->first; item && !reader->nomem; item = item->next) {
        if (reader->box->tool_count == TOOLBOX_TOOLS_MAX) {
            ERROR_AT(reader, item->value, "more than %d tools", TOOLBOX_TOOLS_MAX);
            return;
        }
        struct toolbox_tool *tool = read_tool(reader, item->value, upstream);
        if (!tool) continue;
        *link = tool;
        link = &tool->next;
        upstream->tool_count++;
        reader->box->tool_count++;
    }
}

static void check_url(struct reader *reader, const struct yaml *upstream) {
    const struct yaml *url = yaml_get(upstream, "url");
    if (yaml_is_null(url)) return;
    if (!text_starts(url->text, "http://") && !text_starts(url->text, "https://"))
        ERROR_AT(reader, url, "a url begins with http:// or https://");
    for (size_t i = 0; i < url->text.len; i++) {
        if ((unsigned char)url->text.ptr[i] > ' ' && !strchr("?#@", url->text.ptr[i])) continue;
        ERROR_AT(reader, url, "the url of an upstream is a scheme, a host and perhaps a path");
        return;
    }
}

static void read_upstream(struct reader *reader, const struct yaml_item *item,
                          struct toolbox_upstream ***link) {
    static const struct field fields[] = {{"url", false, YAML_SCALAR}, {"tools", true, YAML_LIST}};
    char path[120];
    struct toolbox_upstream *upstream = ARENA_NEW(reader->arena, struct toolbox_upstream);
    if (!upstream) {
        reader->nomem = true;
        return;
    }
    snprintf(path, sizeof(path), "the upstream `%.*s`", SHORT(item->key->text));
    upstream->name = item->key->text;
    **link = upstream;
    *link = &upstream->next;
    if (item->key->text.len == 0) ERROR_AT(reader, item->key, "an upstream without a name");
    if (!CHECK_MAP(reader, item->value, path, fields)) return;
    upstream->url = text_at(item->value, "url");
    check_url(reader, item->value);
    read_tools(reader, yaml_get(item->value, "tools"), upstream);
}

static void read_root(struct reader *reader, const struct yaml *root) {
    struct toolbox_upstream **link = &reader->box->upstreams;
    if (root->kind != YAML_MAP) {
        help(ERROR_AT(reader, root, "the file is a map from upstreams to their tools"),
             "write `name:` and below it `tools:` with a list");
        return;
    }
    for (const struct yaml_item *item = root->first; item && !reader->nomem; item = item->next)
        read_upstream(reader, item, &link);
}

/* ## The whole file */

static void read_box(struct reader *reader) {
    struct yaml_error error;
    struct yaml *root;
    gramc_status status = yaml_read(&root, reader->arena, reader->text, &error);
    if (status == GRAMC_OK) read_root(reader, root);
    else if (status == GRAMC_FINDINGS)
        find_at(reader, GRAMC_ERROR, error.line, error.column, "%s", error.message);
    else reader->nomem = true;
}

gramc_status toolbox_read(struct toolbox **out, const gramc_allocator *given, gramc_text file,
                          gramc_text text, bool literal) {
    gramc_allocator allocator = given ? *given : mem_default();
    struct toolbox *box = mem_alloc(&allocator, sizeof(*box));
    *out = NULL;
    if (!box) return GRAMC_NOMEM;
    *box = (struct toolbox){.tool_count = 0};
    arena_init(&box->arena, &allocator);
    box->file = arena_text(&box->arena, file);
    struct reader reader = {
        .box = box, .arena = &box->arena, .text = text, .literal = literal, .link = &box->findings};
    map_init(&reader.ids, &box->arena);
    if (box->file.ptr) read_box(&reader);
    if (reader.nomem || box->arena.oom) {
        toolbox_free(box);
        return GRAMC_NOMEM;
    }
    *out = box;
    return box->errors ? GRAMC_FINDINGS : GRAMC_OK;
}
