/* Compiles a schema document: reads it, follows every reference, makes a node of every schema that
 * can be reached, links them. The steps themselves stand in resources.c,
 * read_keywords.c and link.c; here is their order, and what a failure looks like. */
#include "jsonschema/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

bool compile_stop(struct schema_compiler *c, gramc_status status) {
    if (c->status == GRAMC_OK) c->status = status;
    return false;
}

void compile_enter(struct schema_compiler *c, const struct schema_document *document,
                   const struct json *at) {
    c->document = document;
    c->at = at;
}

bool compile_limit(struct schema_compiler *c, const char *message) {
    static const struct json start = {.start = 0};
    if (c->status != GRAMC_OK) return false;
    compile_fail(c, c->document ? c->document : c->schema->document, c->at ? c->at : &start, "%s",
                 message);
    if (c->status == GRAMC_FINDINGS) c->status = GRAMC_LIMIT;
    return false;
}

bool compile_steps(struct schema_compiler *c, uint64_t steps) {
    c->work += steps;
    return c->work <= SCHEMA_WORK_MAX || compile_limit(c, "compiling it takes too much work");
}

bool compile_step(struct schema_compiler *c) {
    return compile_steps(c, 1);
}

/* Copies as much as there is room for. */
static void copy_cut(char *out, size_t size, gramc_text text) {
    size_t len = text.len < size - 1 ? text.len : size - 1;
    memcpy(out, text.ptr, len);
    out[len] = '\0';
}

bool compile_fail(struct schema_compiler *c, const struct schema_document *document,
                  const struct json *at, const char *format, ...) {
    if (c->status != GRAMC_OK) return false;
    c->status = GRAMC_FINDINGS;
    struct buf pointer;
    buf_init(&pointer, &c->arena->allocator, 64 * 1024);
    if (document->root) put_pointer_to(&pointer, document, document->start, at->start);
    copy_cut(c->error->pointer, sizeof c->error->pointer, buf_view(&pointer));
    if (pointer.state == BUF_NOMEM) c->status = GRAMC_NOMEM;
    buf_free(&pointer);
    c->error->position = at->start;
    char *message = c->error->message;
    size_t size = sizeof c->error->message, used = 0;
    if (document != c->schema->document)
        used = (size_t)snprintf(message, size,
                                "in %.*s: ", document->uri.len > 200 ? 200 : (int)document->uri.len,
                                document->uri.ptr);
    va_list args;
    va_start(args, format);
    vsnprintf(message + used, size - used, format, args);
    va_end(args);
    return false;
}

static bool drain_queue(struct schema_compiler *c) {
    while (c->queue) {
        struct schema_node *node = c->queue;
        if (node->schema->kind == JSON_OBJECT && !compile_keywords(c, node)) return false;
        c->queue = node->next;
    }
    return true;
}

/* A dynamic reference may lead to any anchor of its kind: all of them must be there. */
static bool compile_anchors(struct schema_compiler *c, struct resource *resource) {
    for (struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next) {
        if (!anchor->dynamic || anchor->node) continue;
        anchor->node = compile_node(c, anchor->schema, resource);
        if (!anchor->node) return false;
    }
    if (resource->recursive_anchor && !resource->root_node) {
        resource->root_node = compile_node(c, resource->root, resource);
        if (!resource->root_node) return false;
    }
    return true;
}

/* What is to be compiled: a text, or a document that was read or made before. */
struct schema_input {
    gramc_text text;
    const struct json *document; /* NULL: the text counts */
};

/* One piece of memory for what most schemas become: a node, a property and its key for each schema
 * but the root, which has rules. */
static size_t likely_size(const struct schema_compiler *c) {
    enum { MOST = 1 << 20 };
    size_t each = sizeof(struct schema_node) + sizeof(struct schema_property) +
                  sizeof(struct fast_key) + sizeof(uint32_t);
    size_t size = c->locations.count * each + sizeof(struct object_rules) + ARENA_LINE;
    return size < MOST ? size : MOST;
}

static bool compile_all(struct schema_compiler *c, const struct schema_input *input) {
    struct resource *root = input->document ? resources_take_root(c, input->document)
                                            : resources_load_root(c, input->text);
    if (!root) return false;
    c->arena->next_chunk = likely_size(c);
    c->schema->root = c->root = compile_node(c, root->root, root);
    if (!c->root) return false;
    do {
        if (!drain_queue(c)) return false;
        for (size_t i = 0; c->schema->dynamic && i < c->names.size; i++)
            if (c->names.slots[i].resource && !compile_anchors(c, c->names.slots[i].resource))
                return false;
    } while (c->queue);
    return link_nodes(c);
}

static gramc_status run(struct gramc_schema *schema, const struct schema_input *input,
                        const gramc_schema_options *options, gramc_json_error *error) {
    struct schema_compiler c = {
        .schema = schema, .arena = &schema->arena, .options = options, .error = error};
    arena_init(&c.scratch, &schema->arena.allocator);
    regex_set_init(&schema->regexes, &schema->arena);
    bool fine = compile_all(&c, input);
    if (c.scratch.oom || schema->arena.oom) c.status = GRAMC_NOMEM;
    if (!fine && c.status == GRAMC_OK) c.status = GRAMC_NOMEM;
    let_documents_go(&c);
    arena_free(&c.scratch);
    return c.status;
}

static void explain(gramc_json_error *error, gramc_status status) {
    if (error->message[0]) return;
    snprintf(error->message, sizeof error->message, "%s",
             status == GRAMC_NOMEM ? "out of memory" : "a limit on the size of schemas was passed");
}

static gramc_status compile(gramc_schema **out, const struct schema_input *input,
                            const gramc_schema_options *options, gramc_json_error *error) {
    static const gramc_schema_options defaults = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error unread;
    if (!error) error = &unread;
    if (!options) options = &defaults;
    memset(error, 0, sizeof *error);
    *out = NULL;
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    bool fits = input->text.len <= SCHEMA_BYTES_MAX; /* else it is refused before it is read */
    size_t size = sizeof(struct gramc_schema) + (fits ? input->text.len + 1 : 0);
    struct gramc_schema *schema = mem_alloc(&allocator, size);
    gramc_status status = GRAMC_NOMEM;
    if (schema) {
        memset(schema, 0, sizeof *schema);
        schema->size = size;
        arena_init_tight(&schema->arena, &allocator, 0);
        bool is_given = input->document || input->text.ptr;
        status = is_given ? run(schema, input, options, error) : GRAMC_LIMIT;
    }
    if (status == GRAMC_OK) {
        *out = schema;
    } else {
        explain(error, status);
        gramc_schema_free(schema);
    }
    return status;
}

gramc_status gramc_schema_compile(gramc_schema **out, const char *json, size_t len,
                                  const gramc_schema_options *options, gramc_json_error *error) {
    const struct schema_input input = {.text = {json ? json : "", len}};
    return compile(out, &input, options, error);
}

gramc_status gramc_schema_compile_document(gramc_schema **out, const struct json *document,
                                           const gramc_schema_options *options,
                                           gramc_json_error *error) {
    const struct schema_input input = {.document = document};
    return compile(out, &input, options, error);
}

void gramc_schema_free(gramc_schema *schema) {
    if (!schema) return;
    gramc_allocator allocator = schema->arena.allocator;
    regex_set_free(&schema->regexes);
    free_read_again(schema);
    arena_free(&schema->arena);
    mem_free(&allocator, schema, schema->size);
}
