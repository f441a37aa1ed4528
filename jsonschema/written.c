/* What a schema keeps of the documents that it was read from. A small one is kept as its text: the
 * document is there while the schema is compiled, and afterwards the few values that instances are
 * compared with. Whoever explains a failure finds places in the text, or reads a part of it again.
 * Large documents, and those that were given, stay as they are. */
#include "jsonschema/compile.h"

#include <stdatomic.h>
#include <string.h>

#include "base/json/scan.h"
#include "base/text.h"

enum { LARGEST_TEXT = 16 * 1024 }; /* that is kept alone: reading it takes microseconds */

/* ## While the schema is compiled */

static bool is_kept_as_text(const struct schema_document *document) {
    return document->text.ptr && document->text.len <= LARGEST_TEXT;
}

struct arena *document_arena(struct schema_compiler *c, const struct schema_document *document) {
    return is_kept_as_text(document) ? &c->scratch : c->arena;
}

gramc_text keep_text(struct schema_compiler *c, const struct schema_document *document,
                     gramc_text text) {
    uintptr_t start = (uintptr_t)document->text.ptr, at = (uintptr_t)text.ptr;
    if (!is_kept_as_text(document)) return text;
    if (at >= start && at <= start + document->text.len) return text;
    gramc_text kept = arena_text(c->arena, text);
    if (!kept.ptr) compile_stop(c, GRAMC_NOMEM);
    return kept;
}

/* As deep as the document. */
const struct json *keep_value(struct schema_compiler *c, const struct schema_document *document,
                              const struct json *value) {
    if (!value || !is_kept_as_text(document)) return value;
    struct json *kept = ARENA_NEW(c->arena, struct json), **link;
    if (!kept) {
        compile_stop(c, GRAMC_NOMEM);
        return NULL;
    }
    *kept = *value;
    kept->next = kept->first = NULL;
    if (value->key.ptr) kept->key = keep_text(c, document, value->key);
    if (value->text.ptr) kept->text = keep_text(c, document, value->text);
    link = &kept->first;
    for (const struct json *child = value->first; child; child = child->next) {
        struct json *inner = (struct json *)(uintptr_t)keep_value(c, document, child);
        if (!inner) return NULL;
        *link = inner;
        link = &inner->next;
    }
    return kept;
}

void let_documents_go(struct schema_compiler *c) {
    for (struct schema_document *document = c->schema->documents; document;
         document = document->next)
        if (is_kept_as_text(document)) document->root = NULL;
    for (struct resource *resource = c->schema->resources; resource; resource = resource->next) {
        if (resource->document->root) continue;
        resource->root = NULL;
        for (struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next)
            anchor->schema = NULL;
    }
}

/* ## Places in documents */

/* The child of a container in whose bytes a place is; its index among the children. */
static const struct json *child_around(const struct json *parent, uint32_t place, size_t *index) {
    const struct json *child = parent->first;
    for (*index = 0; child; child = child->next, ++*index)
        if (child->start <= place && place < child->end) return child;
    return NULL;
}

/* Adds to *passed how many values are on the way. */
static const struct json *value_at(const struct json *root, uint32_t place, size_t *passed) {
    size_t index;
    while (root && root->start != place) {
        root = child_around(root, place, &index);
        *passed += index + 1;
    }
    return root;
}

static size_t put_way_in_document(struct buf *out, const struct json *at, uint32_t place) {
    size_t index, passed = 0;
    while (at && at->start != place) {
        const struct json *child = child_around(at, place, &index);
        passed += index;
        if (child && at->kind == JSON_OBJECT) json_put_pointer_token(out, child->key);
        else if (child) {
            buf_putc(out, '/');
            buf_number(out, index);
        }
        at = child;
    }
    return passed;
}

/* ## Places in texts, which are known to be JSON */

/* The containers around a place. */
struct text_way {
    size_t depth;
    struct {
        bool object;
        uint32_t at; /* where the member's name starts, behind its quote; the place in an array */
    } levels[JSON_MAX_DEPTH];
};

/* p is at a quote. */
static const char *behind_string(const char *p, const char *end) {
    unsigned seen = 0;
    const char *close = json_scan_string(p + 1, end, &seen);
    return close ? close + 1 : end;
}

static bool opens(char c) {
    return c == '{' || c == '[';
}

static void find_way(struct text_way *way, gramc_text text, uint32_t from, uint32_t place) {
    const char *p = text.ptr + from, *end = text.ptr + text.len, *target = text.ptr + place;
    bool name_next = false;
    way->depth = 0;
    while (p < target) {
        char c = *p;
        if (c == '"') {
            if (name_next) way->levels[way->depth - 1].at = (uint32_t)(p + 1 - text.ptr);
            name_next = false;
            p = behind_string(p, end);
            continue;
        }
        p++;
        if (opens(c)) {
            way->levels[way->depth].object = name_next = c == '{';
            way->levels[way->depth++].at = 0;
        } else if (c == '}' || c == ']') {
            way->depth--;
            name_next = false;
        } else if (c == ',') {
            name_next = way->levels[way->depth - 1].object;
            way->levels[way->depth - 1].at += !name_next;
        }
    }
}

/* The name whose inside starts at p. */
static void put_name(struct buf *out, const char *p, const char *end) {
    unsigned seen = 0;
    const char *close = json_scan_string(p, end, &seen);
    struct arena arena;
    if (!(seen & JSON_SEEN_ESCAPE)) {
        json_put_pointer_token(out, (gramc_text){p, (size_t)(close - p)});
        return;
    }
    arena_init(&arena, &out->allocator);
    const struct json *name =
        json_parse(&arena, (gramc_text){p - 1, (size_t)(close - p) + 2}, NULL);
    if (name) json_put_pointer_token(out, name->text);
    else out->state = BUF_NOMEM;
    arena_free(&arena);
}

static void put_way_in_text(struct buf *out, gramc_text text, uint32_t from, uint32_t place) {
    struct text_way way;
    find_way(&way, text, from, place);
    for (size_t i = 0; i < way.depth; i++) {
        uint32_t at = way.levels[i].at;
        if (way.levels[i].object) put_name(out, text.ptr + at, text.ptr + text.len);
        else {
            buf_putc(out, '/');
            buf_number(out, at);
        }
    }
}

/* The array or object that starts there. */
static gramc_text container_at(gramc_text text, uint32_t place) {
    const char *start = text.ptr + place, *p = start, *end = text.ptr + text.len;
    size_t depth = 0;
    do {
        char c = *p;
        p = c == '"' ? behind_string(p, end) : p + 1;
        if (opens(c)) depth++;
        else if (c == '}' || c == ']') depth--;
    } while (depth && p < end);
    return (gramc_text){start, (size_t)(p - start)};
}

/* ## Either */

enum { TEXT_PER_VALUE = 32 }; /* bytes, about, that are read in the time of passing a value */

size_t put_pointer_to(struct buf *out, const struct schema_document *document, uint32_t from,
                      uint32_t place) {
    size_t passed = 0;
    if (document->root)
        return put_way_in_document(out, value_at(document->root, from, &passed), place) + passed;
    put_way_in_text(out, document->text, from, place);
    return (place - from) / TEXT_PER_VALUE;
}

const struct json *read_schema(const struct schema_node *node, struct arena *arena) {
    const struct schema_document *document = node->resource->document;
    size_t passed = 0;
    if (document->root) return value_at(document->root, node->place, &passed);
    return json_parse(arena, container_at(document->text, node->place), NULL);
}

/* ## The whole document again */

struct read_again {
    struct arena arena;
    const struct json *root;
};

static void free_read(struct read_again *read) {
    gramc_allocator allocator = read->arena.allocator;
    arena_free(&read->arena);
    mem_free(&allocator, read, sizeof *read);
}

static struct read_again *read_text(gramc_text text, const gramc_allocator *allocator) {
    struct read_again *read = mem_alloc(allocator, sizeof *read);
    if (!read) return NULL;
    arena_init(&read->arena, allocator);
    read->root = json_parse(&read->arena, text, NULL);
    if (read->root) return read;
    free_read(read);
    return NULL;
}

/* NULL without memory. */
static const struct json *document_root(const gramc_schema *schema,
                                        const struct schema_document *const_document) {
    if (const_document->root) return const_document->root;
    struct schema_document *document = (struct schema_document *)(uintptr_t)const_document;
    struct read_again *known = atomic_load_explicit(&document->read, memory_order_acquire), *read;
    if (known) return known->root;
    read = read_text(document->text, &schema->arena.allocator);
    if (!read) return NULL;
    if (atomic_compare_exchange_strong(&document->read, &known, read)) return read->root;
    free_read(read); /* another thread was faster */
    return known->root;
}

const struct json *gramc_schema_document(const gramc_schema *schema) {
    return document_root(schema, schema->document);
}

bool find_schema(const struct gramc_schema *schema, const struct schema_node *node,
                 const struct json **out, size_t *passed) {
    const struct json *root = document_root(schema, node->resource->document);
    *passed = 0;
    *out = root ? value_at(root, node->place, passed) : NULL;
    return root != NULL;
}

void free_read_again(struct gramc_schema *schema) {
    for (struct schema_document *document = schema->documents; document;
         document = document->next) {
        struct read_again *read = atomic_load_explicit(&document->read, memory_order_acquire);
        if (read) free_read(read);
    }
}
