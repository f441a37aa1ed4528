/* Turns a YAML file of HTTP tools into a toolbox, with everything that is wrong in it and where.
 * Schemas, templates and transformations are made here, once; nothing is left to fail at a call but
 * the values themselves. */
#include <stdio.h>
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "toolbox/reader.h"

/* ## Parameters */

/* `limits` are those that gram's type of that name has. */
#define BYTE_RANGE "\"minimum\":-128,\"maximum\":127"
#define SHORT_RANGE "\"minimum\":-32768,\"maximum\":32767"
#define ONE_CHARACTER "\"minLength\":1,\"maxLength\":1"

static const struct {
    const char *name, *type, *limits;
} types[] = {
    {"STRING", "string", ""},
    {"BOOLEAN", "boolean", ""},
    {"INTEGER", "integer", ""},
    {"LONG", "integer", ""},
    {"FLOAT", "number", ""},
    {"DOUBLE", "number", ""},
    {"BYTE", "integer", BYTE_RANGE},
    {"SHORT", "integer", SHORT_RANGE},
    {"CHARACTER", "string", ONE_CHARACTER},
    {"STRING_ARRAY", "string", ""},
    {"BOOLEAN_ARRAY", "boolean", ""},
    {"INTEGER_ARRAY", "integer", ""},
    {"LONG_ARRAY", "integer", ""},
    {"FLOAT_ARRAY", "number", ""},
    {"DOUBLE_ARRAY", "number", ""},
    {"BYTE_ARRAY", "integer", BYTE_RANGE},
    {"SHORT_ARRAY", "integer", SHORT_RANGE},
    {"CHARACTER_ARRAY", "string", ONE_CHARACTER},
};

enum { TYPES = sizeof(types) / sizeof(types[0]), SINGLE_TYPES = TYPES / 2 };

static bool put_type(struct toolbox_reader *reader, const struct yaml *type,
                     struct json_writer *w) {
    gramc_text names[TYPES];
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = text_of(types[i].name);
        if (!text_is(type->text, types[i].name)) continue;
        bool is_list = i >= SINGLE_TYPES;
        if (is_list) json_member_text(w, "type", TEXT("array"));
        if (is_list) json_member_object(w, "items");
        json_member_text(w, "type", text_of(types[i].type));
        if (*types[i].limits) buf_puts(json_slot(w), types[i].limits);
        if (is_list) json_object_end(w);
        return true;
    }
    toolbox_unknown_word(reader, type, "parameter type", names, TYPES);
    return false;
}

static void put_parameter(struct toolbox_reader *reader, const struct yaml_item *item,
                          struct json_writer *w) {
    static const struct toolbox_field fields[] = {{"description", true, YAML_SCALAR},
                                                  {"type", true, YAML_SCALAR},
                                                  {"style", false, YAML_SCALAR},
                                                  {"explode", false, YAML_SCALAR}};
    char path[120];
    snprintf(path, sizeof(path), "the parameter `%.*s`", SHORT(item->key->text));
    if (!CHECK_MAP(reader, item->value, path, fields)) return;
    if (!toolbox_take_text(reader, yaml_get(item->value, "description"))) return;
    json_key_text(w, item->key->text);
    json_object_begin(w);
    if (!put_type(reader, yaml_get(item->value, "type"), w)) return;
    json_member_text(w, "description", toolbox_text_at(item->value, "description"));
    json_object_end(w);
}

static void put_schema(struct toolbox_reader *reader, const struct yaml *parameters,
                       struct json_writer *w, struct parameter_list *list) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("object"));
    json_member_object(w, "properties");
    const struct yaml_item *first = yaml_is_null(parameters) ? NULL : parameters->first;
    for (const struct yaml_item *item = first; item; item = item->next) {
        if (list->count == TOOLBOX_PARAMETERS_MAX) {
            ERROR_AT(reader, item->key, "more than %d parameters", TOOLBOX_PARAMETERS_MAX);
            break;
        }
        list->names[list->count] = item->key->text;
        list->keys[list->count++] = item->key;
        put_parameter(reader, item, w);
        toolbox_read_style(reader, item, list);
    }
    json_object_end(w);
    json_member_array(w, "required");
    for (size_t i = 0; i < list->count; i++) json_text(w, list->names[i]);
    json_array_end(w);
    json_member_bool(w, "additionalProperties", false);
    json_object_end(w);
}

static gramc_text keep_buf(struct toolbox_reader *reader, struct buf *buf) {
    gramc_text text = buf_to_arena(buf, reader->arena);
    if (!text.ptr) reader->nomem = true;
    return text;
}

static void read_metadata(struct toolbox_reader *reader, const struct yaml *metadata,
                          struct toolbox_tool *tool, struct parameter_list *list) {
    static const struct toolbox_field fields[] = {{"name", true, YAML_SCALAR},
                                                  {"description", true, YAML_SCALAR},
                                                  {"parameters", false, YAML_MAP}};
    struct buf schema;
    if (!CHECK_MAP(reader, metadata, "the metadata", fields)) return;
    tool->name = toolbox_text_at(metadata, "name");
    tool->description = toolbox_text_at(metadata, "description");
    buf_init(&schema, &reader->arena->allocator, yaml_small.bytes);
    struct json_writer w = json_writer(&schema);
    put_schema(reader, yaml_get(metadata, "parameters"), &w, list);
    tool->parameters = keep_buf(reader, &schema);
}

/* ## Tools and upstreams */

static void warn_unused(struct toolbox_reader *reader, const struct parameter_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (!list->used[i])
            WARN_AT(reader, list->keys[i], "the parameter `%.*s` is never used",
                    SHORT(list->names[i]));
}

static gramc_text id_of(struct toolbox_reader *reader, const struct toolbox_upstream *upstream,
                        const struct toolbox_tool *tool, unsigned number) {
    struct buf id;
    buf_init(&id, &reader->arena->allocator, 1 << 20);
    toolbox_put_id(&id, upstream->name, tool->name);
    if (number > 1) buf_printf(&id, "_%u", number);
    return keep_buf(reader, &id);
}

/* A second tool of the same id gets a number behind it. */
static void make_id(struct toolbox_reader *reader, const struct toolbox_upstream *upstream,
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

static bool check_name(struct toolbox_reader *reader, const struct toolbox_upstream *upstream,
                       const struct yaml *node, const struct toolbox_tool *tool) {
    for (const struct toolbox_tool *other = upstream->tools; other; other = other->next) {
        if (!text_eq(other->name, tool->name)) continue;
        ERROR_AT(reader, node, "there is a tool `%.*s` already, in line %u", SHORT(tool->name),
                 (unsigned)other->line);
        return false;
    }
    return true;
}

static struct toolbox_tool *read_tool(struct toolbox_reader *reader, const struct yaml *node,
                                      struct toolbox_upstream *upstream) {
    static const struct toolbox_field fields[] = {{"metadata", true, YAML_MAP},
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
    toolbox_read_definition(reader, yaml_get(node, "definition"), &tool->call, &list);
    if (errors == reader->box->errors) toolbox_check_styles(reader, &tool->call, &list);
    if (errors == reader->box->errors) warn_unused(reader, &list);
    toolbox_read_transformer(reader, yaml_get(node, "transformer"), &tool->call);
    if (described) {
        const struct yaml *name = yaml_get(yaml_get(node, "metadata"), "name");
        if (check_name(reader, upstream, name, tool)) make_id(reader, upstream, name, tool);
    }
    return tool;
}

static void read_tools(struct toolbox_reader *reader, const struct yaml *list,
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

static void check_url(struct toolbox_reader *reader, const struct yaml *upstream) {
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

static void read_upstream(struct toolbox_reader *reader, const struct yaml_item *item,
                          struct toolbox_upstream ***link) {
    static const struct toolbox_field fields[] = {{"url", false, YAML_SCALAR},
                                                  {"tools", true, YAML_LIST}};
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
    upstream->url = toolbox_text_at(item->value, "url");
    check_url(reader, item->value);
    read_tools(reader, yaml_get(item->value, "tools"), upstream);
}

static void read_root(struct toolbox_reader *reader, const struct yaml *root) {
    struct toolbox_upstream **link = &reader->box->upstreams;
    if (root->kind != YAML_MAP) {
        toolbox_help(ERROR_AT(reader, root, "the file is a map from upstreams to their tools"),
                     "write `name:` and below it `tools:` with a list");
        return;
    }
    for (const struct yaml_item *item = root->first; item && !reader->nomem; item = item->next)
        read_upstream(reader, item, &link);
}

/* ## The whole file */

static void read_box(struct toolbox_reader *reader) {
    struct yaml_error error;
    struct yaml *root;
    gramc_status status = yaml_read(&root, reader->arena, reader->text, &error);
    if (status == GRAMC_OK) read_root(reader, root);
    else if (status == GRAMC_FINDINGS)
        toolbox_find(reader, GRAMC_ERROR, error.line, error.column, "%s", error.message);
    else reader->nomem = true;
}

gramc_status toolbox_read(struct toolbox **out, const gramc_allocator *allocator, gramc_text file,
                          gramc_text text, bool literal) {
    return toolbox_read_for(out, allocator, file, text, literal, NULL);
}

gramc_status toolbox_read_for(struct toolbox **out, const gramc_allocator *given, gramc_text file,
                              gramc_text text, bool literal, const gramc_toolbox_host *host) {
    gramc_allocator allocator = given ? *given : mem_default();
    struct toolbox *box = mem_alloc(&allocator, sizeof(*box));
    *out = NULL;
    if (!box) return GRAMC_NOMEM;
    *box = (struct toolbox){.tool_count = 0};
    arena_init(&box->arena, &allocator);
    box->file = arena_text(&box->arena, file);
    struct toolbox_reader reader = {.box = box,
                                    .arena = &box->arena,
                                    .text = text,
                                    .literal = literal,
                                    .host = host,
                                    .link = &box->findings};
    map_init(&reader.ids, &box->arena);
    if (box->file.ptr) read_box(&reader);
    if (reader.nomem || box->arena.oom) {
        toolbox_free(box);
        return GRAMC_NOMEM;
    }
    *out = box;
    return box->errors ? GRAMC_FINDINGS : GRAMC_OK;
}
