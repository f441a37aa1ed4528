/* The store of tools that a host has without one of its own: a list in memory, in the order in
 * which the tools came, behind a lock. And what fills any store: the tools of a toolbox file, once
 * the file is sound. */
#include "gramc/toolbox.h"

#include <uv.h>

#include "base/buf.h"
#include "base/json/writer.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/yaml/yaml.h"
#include "toolbox/toolbox.h"

/* ## In memory */

struct kept_tool {
    struct kept_tool *next;
    gramc_stored_tool tool; /* its texts are parts of `bytes` */
    char *bytes;
    size_t size;
};

struct memory_store {
    gramc_toolstore table; /* first: it is what the host holds */
    gramc_allocator allocator;
    uv_mutex_t lock;
    struct kept_tool *first;
};

static bool is_tool(const struct kept_tool *kept, gramc_text upstream, gramc_text name) {
    return text_eq(kept->tool.upstream, upstream) && text_eq(kept->tool.name, name);
}

/* The link to the tool, or to where it would be appended. */
static struct kept_tool **find(struct memory_store *store, gramc_text upstream, gramc_text name) {
    struct kept_tool **link = &store->first;
    while (*link && !is_tool(*link, upstream, name)) link = &(*link)->next;
    return link;
}

static gramc_text place(char **at, gramc_text text) {
    gramc_text copy = {*at, text.len};
    for (size_t i = 0; i < text.len; i++) (*at)[i] = text.ptr[i];
    *at += text.len;
    return copy;
}

static struct kept_tool *keep(const gramc_allocator *allocator, const gramc_stored_tool *tool) {
    size_t size = tool->upstream.len + tool->name.len + tool->url.len + tool->definition.len + 1;
    struct kept_tool *kept = mem_alloc(allocator, sizeof *kept);
    char *bytes = kept ? mem_alloc(allocator, size) : NULL, *at = bytes;
    if (kept && !bytes) mem_free(allocator, kept, sizeof *kept);
    if (!bytes) return NULL;
    *kept = (struct kept_tool){.bytes = bytes, .size = size};
    kept->tool = (gramc_stored_tool){place(&at, tool->upstream), place(&at, tool->name),
                                     place(&at, tool->url), place(&at, tool->definition)};
    return kept;
}

static void drop(const gramc_allocator *allocator, struct kept_tool *kept) {
    mem_free(allocator, kept->bytes, kept->size);
    mem_free(allocator, kept, sizeof *kept);
}

static gramc_status memory_each(void *ctx, gramc_text upstream, gramc_tool_taker taker,
                                char why[256]) {
    struct memory_store *store = ctx;
    gramc_status status = GRAMC_OK;
    (void)why;
    uv_mutex_lock(&store->lock);
    for (const struct kept_tool *k = store->first; k && status == GRAMC_OK; k = k->next)
        if (!upstream.len || text_eq(k->tool.upstream, upstream))
            status = taker.take(taker.ctx, &k->tool);
    uv_mutex_unlock(&store->lock);
    return status;
}

static gramc_status memory_put(void *ctx, const gramc_stored_tool *tool, bool *replaced,
                               char why[256]) {
    struct memory_store *store = ctx;
    (void)why;
    uv_mutex_lock(&store->lock);
    struct kept_tool *kept = keep(&store->allocator, tool);
    struct kept_tool **link = find(store, tool->upstream, tool->name), *old = *link;
    *replaced = kept && old;
    if (kept) kept->next = old ? old->next : NULL;
    if (kept) *link = kept;
    if (kept && old) drop(&store->allocator, old);
    uv_mutex_unlock(&store->lock);
    return kept ? GRAMC_OK : GRAMC_NOMEM;
}

static gramc_status memory_remove(void *ctx, gramc_text upstream, gramc_text name, char why[256]) {
    struct memory_store *store = ctx;
    (void)why;
    uv_mutex_lock(&store->lock);
    struct kept_tool **link = find(store, upstream, name), *old = *link;
    if (old) *link = old->next;
    if (old) drop(&store->allocator, old);
    uv_mutex_unlock(&store->lock);
    return old ? GRAMC_OK : GRAMC_NOT_FOUND;
}

gramc_status gramc_toolstore_new(gramc_toolstore **out, const gramc_allocator *given) {
    gramc_allocator allocator = given ? *given : mem_default();
    struct memory_store *store = mem_alloc(&allocator, sizeof *store);
    *out = NULL;
    if (!store) return GRAMC_NOMEM;
    *store = (struct memory_store){.table = {memory_each, memory_put, memory_remove, store},
                                   .allocator = allocator};
    if (uv_mutex_init(&store->lock)) {
        mem_free(&allocator, store, sizeof *store);
        return GRAMC_NOMEM;
    }
    *out = &store->table;
    return GRAMC_OK;
}

void gramc_toolstore_free(gramc_toolstore *table) {
    struct memory_store *store = table ? table->ctx : NULL;
    if (!store) return;
    gramc_allocator allocator = store->allocator;
    for (struct kept_tool *k = store->first, *next; k; k = next) {
        next = k->next;
        drop(&allocator, k);
    }
    uv_mutex_destroy(&store->lock);
    mem_free(&allocator, store, sizeof *store);
}

/* ## Filling one from a file */

struct loading {
    const gramc_toolstore *store;
    const struct yaml *document;
    struct arena arena;
    size_t replaced;
    char *why;
};

/* Scalars as texts, which is how a toolbox is read. Stops when the text is too large: aliases may
 * make a small file a large one. */
static void put_yaml(struct json_writer *w, const struct yaml *node) {
    if (node->kind == YAML_SCALAR) {
        if (yaml_is_null(node)) json_null(w);
        else json_text(w, node->text);
        return;
    }
    bool is_map = node->kind == YAML_MAP;
    if (is_map) json_object_begin(w);
    else json_array_begin(w);
    for (const struct yaml_item *i = node->first; i && w->out->state == BUF_FINE; i = i->next) {
        if (is_map) json_key_text(w, i->key->text);
        put_yaml(w, i->value);
    }
    if (is_map) json_object_end(w);
    else json_array_end(w);
}

static gramc_status load_tool(struct loading *l, const struct yaml_item *upstream,
                              const struct yaml *tool) {
    const struct yaml *url = yaml_get(upstream->value, "url");
    struct buf definition;
    bool replaced = false;
    buf_init(&definition, &l->arena.allocator, SOURCE_MAX);
    struct json_writer w = json_writer(&definition);
    put_yaml(&w, tool);
    gramc_status status = buf_status(&definition);
    if (status == GRAMC_OK) {
        const gramc_stored_tool stored = {.upstream = upstream->key->text,
                                          .name =
                                              yaml_get(yaml_get(tool, "metadata"), "name")->text,
                                          .url = yaml_is_null(url) ? TEXT("") : url->text,
                                          .definition = buf_view(&definition)};
        status = l->store->put(l->store->ctx, &stored, &replaced, l->why);
    }
    buf_free(&definition);
    if (status == GRAMC_OK && replaced) l->replaced++;
    return status;
}

static gramc_status load_all(struct loading *l) {
    gramc_status status = GRAMC_OK;
    for (const struct yaml_item *u = l->document->first; u; u = u->next) {
        const struct yaml_item *t = yaml_get(u->value, "tools")->first;
        for (; t && status == GRAMC_OK; t = t->next) status = load_tool(l, u, t->value);
    }
    return status;
}

/* Where the first error is. */
static void say_why(char why[256], const struct toolbox *toolbox) {
    const struct toolbox_finding *f = toolbox->findings;
    struct buf line;
    while (f && f->severity != GRAMC_ERROR) f = f->next;
    buf_init(&line, &toolbox->arena.allocator, 255);
    buf_text(&line, toolbox->file);
    if (f) buf_printf(&line, ":%u:%u: ", (unsigned)f->line, (unsigned)f->column);
    if (f) buf_text(&line, f->message);
    for (size_t i = 0; i < line.len; i++) why[i] = line.ptr[i];
    why[line.len] = '\0';
    buf_free(&line);
}

static gramc_status read_file(struct loading *l, const gramc_toolbox_host *host, gramc_text name,
                              gramc_text file) {
    struct toolbox *toolbox;
    struct yaml *root;
    struct yaml_error error;
    gramc_status status = toolbox_read_for(&toolbox, &l->arena.allocator, name, file, false, host);
    if (status == GRAMC_FINDINGS) say_why(l->why, toolbox);
    toolbox_free(toolbox);
    if (status == GRAMC_OK) status = yaml_read(&root, &l->arena, file, &error);
    if (status == GRAMC_OK) l->document = root;
    return status;
}

gramc_status gramc_toolstore_load(const gramc_toolbox_host *host, gramc_text name, gramc_text file,
                                  size_t *replaced, char why[256],
                                  const gramc_allocator *allocator) {
    struct loading l = {.store = host ? host->store : NULL, .why = why};
    why[0] = '\0';
    if (replaced) *replaced = 0;
    if (!l.store) return GRAMC_USAGE;
    arena_init(&l.arena, allocator);
    gramc_status status = read_file(&l, host, name, file);
    if (status == GRAMC_OK) status = load_all(&l);
    arena_free(&l.arena);
    if (replaced) *replaced = l.replaced;
    return status;
}
