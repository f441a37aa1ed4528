/* Turns the definition of a tool in a YAML file into the templates of one HTTP call, and its
 * transformer into a compiled transformation. A template's findings stand where the piece stands
 * in the file, not where its scalar begins. */
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "gramc/jolt.h"
#include "toolbox/engine.h"
#include "toolbox/reader.h"

/* ## Templates */

struct toolbox_place {
    uint32_t line, column;
};

static size_t line_start(gramc_text text, uint32_t line) {
    size_t i = 0;
    for (uint32_t at = 1; at < line && i < text.len; i++) at += text.ptr[i] == '\n';
    return i;
}

/* Where a piece of a scalar stands in the file: the n-th of its kind behind the scalar's beginning.
 * The beginning itself where it is not found as it is (escapes in quotes). */
static struct toolbox_place place_of(const struct toolbox_reader *reader, const struct yaml *node,
                                     const struct template_error *error) {
    struct toolbox_place place = {node->line, node->column};
    gramc_text piece = text_slice(node->text, error->start, error->end);
    size_t before = 0, line = node->line, from = line_start(reader->text, node->line);
    if (piece.len == 0 || piece.len > 200 || error->start == 0) return place;
    for (size_t i = 0; i + piece.len <= error->start; i++)
        before += memcmp(node->text.ptr + i, piece.ptr, piece.len) == 0;
    for (size_t i = from, row = from; i + piece.len <= reader->text.len; i++) {
        if (line > node->end_line) break;
        if (memcmp(reader->text.ptr + i, piece.ptr, piece.len) == 0 && before-- == 0) {
            size_t column = text_length(text_slice(reader->text, row, i)) + 1;
            return (struct toolbox_place){(uint32_t)line, (uint32_t)column};
        }
        if (reader->text.ptr[i] != '\n') continue;
        line++;
        row = i + 1;
    }
    return place;
}

static void tell_template(struct toolbox_reader *reader, gramc_severity severity,
                          const struct yaml *node, const struct template_error *error) {
    struct toolbox_place place = place_of(reader, node, error);
    toolbox_find(reader, severity, place.line, place.column, "%s", error->message);
}

static void check_status(struct toolbox_reader *reader, gramc_status status,
                         const struct yaml *content, const struct template_error *error) {
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

static void check_parameters(struct toolbox_reader *reader, const struct yaml *content,
                             struct template *out, struct parameter_list *list) {
    struct template_error error;
    if (template_check(out, list->names, list->count, list->used, &error) == GRAMC_OK) return;
    tell_template(reader, reader->literal ? GRAMC_WARNING : GRAMC_ERROR, content, &error);
    if (reader->literal) keep_undeclared(out, list);
}

static void warn_fixed(struct toolbox_reader *reader, const struct yaml *content,
                       const struct parameter_list *list) {
    struct template what;
    struct template_error error;
    struct arena scratch;
    bool used[TOOLBOX_PARAMETERS_MAX] = {false}, any = false;
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
        toolbox_help(WARN_AT(reader, content, "a TEXT is sent as it is, with its ${...}"),
                     "TEXT_SUBSTITUTOR fills in parameters");
}

enum { ENGINES_NAMED = 16 };

static void unknown_type(struct toolbox_reader *reader, const struct yaml *type) {
    gramc_text known[2 + ENGINES_NAMED] = {TEXT("TEXT"), TEXT("TEXT_SUBSTITUTOR")};
    size_t count = 2;
    for (size_t i = 0; reader->host && i < reader->host->engine_count && i < ENGINES_NAMED; i++)
        known[count++] = reader->host->engines[i].name;
    struct buf list;
    buf_init(&list, &reader->arena->allocator, 1 << 12);
    for (size_t i = 0; i < count; i++) {
        buf_puts(&list, i == 0 ? "there are " : i + 1 < count ? ", " : " and ");
        buf_text(&list, known[i]);
    }
    struct toolbox_finding *f = toolbox_unknown_word(reader, type, "template type", known, count);
    gramc_text help = buf_to_arena_cut(&list, reader->arena);
    if (f && help.ptr) f->help = help;
}

/* An engine sees the text alone: whether it uses a parameter is its business. */
static void read_for_engine(struct toolbox_reader *reader, const struct yaml *content,
                            const gramc_template_engine *engine, gramc_template_use use,
                            gramc_text content_type, struct template *out,
                            struct parameter_list *list) {
    struct template_error error = {.start = 0};
    const gramc_template what = {content->text, use, content_type};
    gramc_status status =
        engine_read(out, reader->arena, engine, &what, list->names, list->count, &error);
    error.start = error.end = 0;
    check_status(reader, status, content, &error);
    for (size_t i = 0; i < list->count; i++) list->used[i] = true;
}

static gramc_template_use use_of(enum template_kind kind) {
    if (kind == TEMPLATE_URL) return GRAMC_TEMPLATE_PATH;
    bool is_header = kind == TEMPLATE_HEADER || kind == TEMPLATE_COOKIES;
    return is_header ? GRAMC_TEMPLATE_HEADER : GRAMC_TEMPLATE_BODY;
}

static void read_template(struct toolbox_reader *reader, const struct yaml *node, const char *path,
                          enum template_kind kind, gramc_text content_type, struct template *out,
                          struct parameter_list *list) {
    static const struct toolbox_field fields[] = {{"type", true, YAML_SCALAR},
                                                  {"content", true, YAML_SCALAR}};
    struct template_error error = {.start = 0};
    if (!CHECK_MAP(reader, node, path, fields)) return;
    const struct yaml *type = yaml_get(node, "type"), *content = yaml_get(node, "content");
    if (!toolbox_take_text(reader, content)) return;
    if (text_is(type->text, "TEXT")) {
        check_status(reader, template_fixed(out, reader->arena, content->text), content, &error);
        warn_fixed(reader, content, list);
        return;
    }
    if (!text_is(type->text, "TEXT_SUBSTITUTOR")) {
        const gramc_template_engine *engine = engine_find(reader->host, type->text);
        if (engine) read_for_engine(reader, content, engine, use_of(kind), content_type, out, list);
        else unknown_type(reader, type);
        return;
    }
    gramc_status status =
        template_read(out, reader->arena, content->text, kind, reader->literal, &error);
    check_status(reader, status, content, &error);
    if (status == GRAMC_OK) template_set_styles(out, list->styles, list->style_count);
    if (status == GRAMC_OK) check_parameters(reader, content, out, list);
}

/* ## Definitions */

static void read_path(struct toolbox_reader *reader, const struct yaml *node,
                      struct http_call *call, struct parameter_list *list) {
    read_template(reader, node, "the path", TEMPLATE_URL, TEXT(""), &call->path, list);
    const struct yaml *content = yaml_get(node, "content");
    if (!content || content->kind != YAML_SCALAR || call->path.engine) return;
    if (!text_starts(content->text, "/")) ERROR_AT(reader, content, "a path begins with /");
    for (size_t i = 0; i < content->text.len; i++) {
        if ((unsigned char)content->text.ptr[i] > ' ') continue;
        ERROR_AT(reader, content, "a path holds no blanks and no line ends; write %%20");
        return;
    }
}

static bool check_header_name(struct toolbox_reader *reader, const struct yaml *key) {
    const char *problem = http_header_problem(key->text);
    if (problem) ERROR_AT(reader, key, "`%.*s` %s", SHORT(key->text), problem);
    return problem == NULL;
}

static void read_header(struct toolbox_reader *reader, const struct yaml_item *item,
                        struct http_call *call, struct parameter_list *list) {
    if (!check_header_name(reader, item->key)) return;
    if (item->value->kind != YAML_LIST) {
        ERROR_AT(reader, item->value, "the values of a header are a list of templates");
        return;
    }
    for (const struct yaml_item *value = item->value->first; value; value = value->next) {
        if (call->header_count == TOOLBOX_HEADERS_MAX) {
            ERROR_AT(reader, value->value, "more than %d headers", TOOLBOX_HEADERS_MAX);
            return;
        }
        struct http_header *header = &call->headers[call->header_count++];
        header->name = item->key->text;
        read_template(reader, value->value, "a header's value", template_header_kind(header->name),
                      TEXT(""), &header->value, list);
    }
}

static void read_headers(struct toolbox_reader *reader, const struct yaml *headers,
                         struct http_call *call, struct parameter_list *list) {
    size_t count = 0;
    if (yaml_is_null(headers)) return;
    for (const struct yaml_item *item = headers->first; item; item = item->next)
        count += item->value->count;
    if (count > TOOLBOX_HEADERS_MAX) count = TOOLBOX_HEADERS_MAX;
    call->headers = arena_zalloc(reader->arena, (count + 1) * sizeof(*call->headers));
    if (!call->headers) {
        reader->nomem = true;
        return;
    }
    for (const struct yaml_item *item = headers->first; item; item = item->next)
        read_header(reader, item, call, list);
}

static void read_body(struct toolbox_reader *reader, const struct yaml *definition,
                      struct http_call *call, struct parameter_list *list) {
    const struct yaml *body = yaml_get(definition, "body");
    const struct yaml *type = yaml_get(definition, "contentType");
    call->content_type = toolbox_text_at(definition, "contentType");
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
    read_template(reader, body, "the body", template_body_kind(call->content_type),
                  call->content_type, &call->body, list);
    if (!call->content_type.len) call->content_type = TEXT("application/json");
}

static bool read_method(struct toolbox_reader *reader, const struct yaml *node,
                        struct http_call *call) {
    gramc_text names[METHODS];
    for (size_t i = 0; i < METHODS; i++) {
        names[i] = text_of(http_method_names[i]);
        if (!text_eq(node->text, names[i])) continue;
        call->method = (enum http_method)i;
        return true;
    }
    toolbox_unknown_word(reader, node, "method", names, METHODS);
    return false;
}

void toolbox_read_definition(struct toolbox_reader *reader, const struct yaml *definition,
                             struct http_call *call, struct parameter_list *list) {
    static const struct toolbox_field fields[] = {{"method", true, YAML_SCALAR},
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

void toolbox_read_transformer(struct toolbox_reader *reader, const struct yaml *node,
                              struct http_call *call) {
    static const struct toolbox_field fields[] = {{"type", true, YAML_SCALAR},
                                                  {"config", true, YAML_SCALAR}};
    static const gramc_text known[] = {{"JOLT", 4}};
    gramc_json_error error;
    if (yaml_is_null(node) || !CHECK_MAP(reader, node, "the transformer", fields)) return;
    const struct yaml *type = yaml_get(node, "type"), *config = yaml_get(node, "config");
    if (!text_is(type->text, "JOLT")) {
        toolbox_unknown_word(reader, type, "transformer", known, 1);
        return;
    }
    gramc_status status =
        gramc_jolt_compile(&call->transform, config->text, &reader->arena->allocator, &error);
    if (status == GRAMC_NOMEM) reader->nomem = true;
    else if (status != GRAMC_OK)
        ERROR_AT(reader, config, "%s (at \"%s\" of the config)", error.message, error.pointer);
}
