/* Turns YAML text into a tree by libyaml's events. Refuses what a configuration has no use for
 * (tags, keys that are no scalars, several documents) and keeps depth, size and number of nodes
 * within limits. libyaml takes its memory from malloc; there is no way to give it another
 * allocator. */
#include "base/yaml/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/map.h"
#include "base/limits.h"
#include "base/text.h"

struct yaml_level {
    struct yaml *container;
    struct yaml_item **link; /* where the next item goes */
    struct yaml *key;        /* of a map: seen, its value is not */
};

struct yaml_reader {
    struct arena *arena;
    gramc_text text;
    const struct yaml_limits *limits;
    size_t characters, bytes; /* one place in the text, both ways: libyaml counts characters */
    struct map anchors;
    struct yaml_error *error;
    struct yaml *root;
    struct yaml_level *levels;
    size_t depth;
    uint32_t nodes;
    bool ended; /* the document has */
    gramc_status status;
};

const struct yaml_limits yaml_small = {TOOLBOX_BYTES_MAX, TOOLBOX_DEPTH_MAX, TOOLBOX_NODES_MAX,
                                       TOOLBOX_KEYS_MAX};
const struct yaml_limits yaml_large = {YAML_BYTES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX,
                                       YAML_KEYS_MAX};

/* Bytes in front of a character. Marks come nearly in order, so that the way is short. */
static uint32_t byte_of(struct yaml_reader *reader, size_t character) {
    gramc_text text = reader->text;
    while (reader->characters < character && reader->bytes < text.len) {
        text_decode(text, &reader->bytes);
        reader->characters++;
    }
    while (reader->characters > character && reader->bytes > 0) {
        reader->bytes--;
        if (((unsigned char)text.ptr[reader->bytes] & 0xC0) != 0x80) reader->characters--;
    }
    return (uint32_t)reader->bytes;
}

static bool fail(struct yaml_reader *reader, yaml_mark_t mark, const char *message) {
    if (reader->status != GRAMC_OK) return false;
    reader->status = GRAMC_FINDINGS;
    reader->error->line = (uint32_t)mark.line + 1;
    reader->error->column = (uint32_t)mark.column + 1;
    reader->error->start = byte_of(reader, mark.index);
    snprintf(reader->error->message, sizeof(reader->error->message), "%s", message);
    return false;
}

/* "more than 5000 keys in a map" */
static bool fail_limit(struct yaml_reader *reader, yaml_mark_t mark, const char *more, size_t limit,
                       const char *what) {
    char message[64];
    snprintf(message, sizeof message, "%s %zu %s", more, limit, what);
    return fail(reader, mark, message);
}

static bool no_memory(struct yaml_reader *reader) {
    if (reader->status == GRAMC_OK) reader->status = GRAMC_NOMEM;
    return false;
}

/* ## Building */

static struct yaml *new_node(struct yaml_reader *reader, const yaml_event_t *event,
                             enum yaml_kind kind) {
    if (++reader->nodes > reader->limits->nodes) {
        fail_limit(reader, event->start_mark, "more than", reader->limits->nodes, "nodes");
        return NULL;
    }
    struct yaml *node = ARENA_NEW(reader->arena, struct yaml);
    if (!node) {
        no_memory(reader);
        return NULL;
    }
    node->kind = kind;
    node->line = (uint32_t)event->start_mark.line + 1;
    node->column = (uint32_t)event->start_mark.column + 1;
    node->end_line = (uint32_t)event->end_mark.line + 1;
    node->start = byte_of(reader, event->start_mark.index);
    node->end = byte_of(reader, event->end_mark.index);
    return node;
}

static bool add_value(struct yaml_reader *reader, struct yaml_level *level, struct yaml *node) {
    struct yaml_item *item = ARENA_NEW(reader->arena, struct yaml_item);
    if (!item) return no_memory(reader);
    *item = (struct yaml_item){.key = level->key, .value = node};
    *level->link = item;
    level->link = &item->next;
    level->container->count++;
    level->key = NULL;
    return true;
}

static bool is_new_key(const struct yaml *map, gramc_text key) {
    for (const struct yaml_item *item = map->first; item; item = item->next)
        if (text_eq(item->key->text, key)) return false;
    return true;
}

static bool add_key(struct yaml_reader *reader, struct yaml_level *level, struct yaml *node,
                    yaml_mark_t mark) {
    if (node->kind != YAML_SCALAR) return fail(reader, mark, "a key is a name");
    if (level->container->count >= reader->limits->keys)
        return fail_limit(reader, mark, "more than", reader->limits->keys, "keys in a map");
    if (!is_new_key(level->container, node->text))
        return fail(reader, mark, "this key stands here twice");
    level->key = node;
    return true;
}

static bool add(struct yaml_reader *reader, struct yaml *node, yaml_mark_t mark) {
    if (!node) return false;
    if (reader->depth == 0) {
        reader->root = node;
        return true;
    }
    struct yaml_level *level = &reader->levels[reader->depth - 1];
    if (level->container->kind == YAML_MAP && !level->key)
        return add_key(reader, level, node, mark);
    return add_value(reader, level, node);
}

static bool keep_anchor(struct yaml_reader *reader, const yaml_char_t *anchor, struct yaml *node) {
    if (!anchor || !node) return true;
    gramc_text name = arena_text(reader->arena, text_of((const char *)anchor));
    if (!name.ptr) return no_memory(reader);
    struct yaml **slot = ARENA_NEW(reader->arena, struct yaml *);
    if (!slot) return no_memory(reader);
    *slot = node;
    struct yaml **kept = map_put(&reader->anchors, name, slot);
    *kept = node; /* a later anchor of the same name takes its place */
    return !reader->arena->oom || no_memory(reader);
}

static bool open_container(struct yaml_reader *reader, const yaml_event_t *event,
                           enum yaml_kind kind, const yaml_char_t *anchor) {
    struct yaml *node = new_node(reader, event, kind);
    if (!node || !add(reader, node, event->start_mark)) return false;
    if (reader->depth == reader->limits->depth)
        return fail_limit(reader, event->start_mark, "nested deeper than", reader->limits->depth,
                          "levels");
    reader->levels[reader->depth++] = (struct yaml_level){node, &node->first, NULL};
    return keep_anchor(reader, anchor, node);
}

static bool read_scalar(struct yaml_reader *reader, const yaml_event_t *event) {
    struct yaml *node = new_node(reader, event, YAML_SCALAR);
    if (!node) return false;
    gramc_text text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    node->text = arena_text(reader->arena, text);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!node->text.ptr) return no_memory(reader);
    return add(reader, node, event->start_mark) &&
           keep_anchor(reader, event->data.scalar.anchor, node);
}

/* A container may not hold itself. */
static bool is_open(const struct yaml_reader *reader, const struct yaml *node) {
    for (size_t i = 0; i < reader->depth; i++)
        if (reader->levels[i].container == node) return true;
    return false;
}

static bool read_alias(struct yaml_reader *reader, const yaml_event_t *event) {
    gramc_text name = text_of((const char *)event->data.alias.anchor);
    struct yaml **known = map_get(&reader->anchors, name);
    if (!known) return fail(reader, event->start_mark, "no anchor of this name stands before");
    if (is_open(reader, *known)) return fail(reader, event->start_mark, "a node inside itself");
    return add(reader, *known, event->start_mark);
}

static void close_container(struct yaml_reader *reader, const yaml_event_t *event) {
    reader->levels[--reader->depth].container->end = byte_of(reader, event->end_mark.index);
}

static bool take(struct yaml_reader *reader, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return read_scalar(reader, event);
    case YAML_ALIAS_EVENT: return read_alias(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(reader, event, YAML_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return open_container(reader, event, YAML_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: close_container(reader, event); return true;
    case YAML_DOCUMENT_START_EVENT:
        return !reader->ended || fail(reader, event->start_mark, "a second document");
    case YAML_DOCUMENT_END_EVENT: reader->ended = true; return true;
    default: return true;
    }
}

/* ## libyaml */

/* libyaml says at which byte its reader stopped, and no mark: bytes that are no UTF-8, and control
 * characters. */
static yaml_mark_t mark_of_byte(gramc_text text, size_t byte) {
    yaml_mark_t mark = {0, 0, 0};
    for (size_t at = 0; at < byte && at < text.len; mark.index++, mark.column++)
        if (text_decode(text, &at) == '\n')
            mark = (yaml_mark_t){mark.index, mark.line + 1, SIZE_MAX};
    return mark;
}

static void tell_syntax(struct yaml_reader *reader, const yaml_parser_t *parser) {
    bool is_unread = parser->error == YAML_READER_ERROR;
    yaml_mark_t mark =
        is_unread ? mark_of_byte(reader->text, parser->problem_offset) : parser->problem_mark;
    if (parser->error == YAML_MEMORY_ERROR) {
        no_memory(reader);
        return;
    }
    fail(reader, mark, parser->problem ? parser->problem : "this is no YAML");
}

static void read_events(struct yaml_reader *reader, yaml_parser_t *parser) {
    bool more = true;
    while (more && reader->status == GRAMC_OK) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            tell_syntax(reader, parser);
            return;
        }
        more = take(reader, &event) && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

gramc_status yaml_read(struct yaml **out, struct arena *arena, gramc_text text,
                       struct yaml_error *error) {
    return yaml_read_within(out, arena, text, &yaml_small, error);
}

gramc_status yaml_read_within(struct yaml **out, struct arena *arena, gramc_text text,
                              const struct yaml_limits *limits, struct yaml_error *error) {
    yaml_parser_t parser;
    struct yaml_reader reader = {.arena = arena, .text = text, .limits = limits, .error = error};
    *out = NULL;
    *error = (struct yaml_error){.line = 1, .column = 1};
    map_init(&reader.anchors, arena);
    yaml_mark_t top = {0, 0, 0};
    if (text.len > limits->bytes) {
        fail_limit(&reader, top, "longer than", limits->bytes, "bytes");
        return reader.status;
    }
    reader.levels = arena_array(arena, limits->depth, sizeof *reader.levels);
    if (!reader.levels) return GRAMC_NOMEM;
    if (!yaml_parser_initialize(&parser)) return GRAMC_NOMEM;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.ptr ? text.ptr : ""),
                                 text.len);
    read_events(&reader, &parser);
    yaml_parser_delete(&parser);
    if (reader.status == GRAMC_OK && !reader.root) fail(&reader, top, "the file is empty");
    *out = reader.status == GRAMC_OK ? reader.root : NULL;
    return reader.status;
}

/* ## Asking */

const struct yaml *yaml_get(const struct yaml *map, const char *key) {
    if (!map || map->kind != YAML_MAP) return NULL;
    for (const struct yaml_item *item = map->first; item; item = item->next)
        if (text_is(item->key->text, key)) return item->value;
    return NULL;
}

bool yaml_is_null(const struct yaml *node) {
    return !node ||
           (node->kind == YAML_SCALAR && node->plain &&
            (node->text.len == 0 || text_is(node->text, "~") || text_is(node->text, "null") ||
             text_is(node->text, "Null") || text_is(node->text, "NULL")));
}
