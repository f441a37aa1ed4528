/* Makes a library from what a program registers, one by one: copies it, refuses what comes twice or
 * lacks what its kind needs. A library of a source is library.c's work. */
#include "compiler/library.h"

#include "base/text.h"

#include <string.h>

struct registered_file {
    struct registered_file *next;
    gramc_text path, text;
};

struct gramc_registry {
    struct arena arena;
    gramc_library library;
    gramc_impl *impls;
    gramc_box *boxes;
    size_t impl_room, box_room;
    struct registered_file *files;
    gramc_reader otherwise;
    bool changed; /* since the fingerprint was taken */
};

/* ## Life */

static gramc_text copy_text(struct arena *arena, gramc_text text) {
    return text.ptr ? arena_text(arena, text) : text;
}

gramc_status gramc_registry_new(gramc_registry **out, gramc_text name, gramc_text description,
                                const gramc_allocator *given) {
    gramc_allocator allocator = given ? *given : mem_default();
    gramc_registry *registry = mem_alloc(&allocator, sizeof *registry);
    *out = NULL;
    if (!registry) return GRAMC_NOMEM;
    *registry = (gramc_registry){.changed = true};
    arena_init(&registry->arena, &allocator);
    registry->library.name = arena_text(&registry->arena, name);
    registry->library.description = copy_text(&registry->arena, description);
    if (registry->arena.oom) {
        gramc_registry_free(registry);
        return GRAMC_NOMEM;
    }
    *out = registry;
    return GRAMC_OK;
}

void gramc_registry_free(gramc_registry *registry) {
    if (!registry) return;
    gramc_allocator allocator = registry->arena.allocator;
    arena_free(&registry->arena);
    mem_free(&allocator, registry, sizeof *registry);
}

/* ## Copies */

static const gramc_text *copy_texts(struct arena *arena, const gramc_text *texts, size_t count) {
    gramc_text *copy = arena_array(arena, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) copy[i] = copy_text(arena, texts[i]);
    return copy;
}

static const gramc_pair *copy_pairs(struct arena *arena, const gramc_pair *pairs, size_t count) {
    gramc_pair *copy = arena_array(arena, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i].name = copy_text(arena, pairs[i].name);
        copy[i].value = copy_text(arena, pairs[i].value);
    }
    return copy;
}

static void copy_members(struct arena *arena, gramc_text *const *members, size_t count) {
    for (size_t i = 0; i < count; i++) *members[i] = copy_text(arena, *members[i]);
}

static void own_impl(struct arena *arena, gramc_impl *impl) {
    gramc_text *const members[] = {&impl->name,          &impl->target,       &impl->folder,
                                   &impl->file,          &impl->description,  &impl->method,
                                   &impl->body,          &impl->content_type, &impl->transform,
                                   &impl->server,        &impl->symbol,       &impl->accepts_schema,
                                   &impl->returns_schema};
    copy_members(arena, members, sizeof members / sizeof *members);
    impl->argv = copy_texts(arena, impl->argv, impl->argc);
    impl->env = copy_texts(arena, impl->env, impl->env_count);
    impl->headers = copy_pairs(arena, impl->headers, impl->header_count);
}

static void own_box(struct arena *arena, gramc_box *box) {
    gramc_text *const members[] = {&box->name,       &box->description, &box->url,
                                   &box->file_named, &box->folder,      &box->file};
    copy_members(arena, members, sizeof members / sizeof *members);
    box->argv = copy_texts(arena, box->argv, box->argc);
    box->env = copy_texts(arena, box->env, box->env_count);
    box->tools = copy_texts(arena, box->tools, box->tool_count);
    box->headers = copy_pairs(arena, box->headers, box->header_count);
    box->renames = copy_pairs(arena, box->renames, box->rename_count);
}

/* ## Checks */

static bool is_whole_impl(const gramc_impl *impl) {
    if (impl->name.len == 0) return false;
    switch (impl->kind) {
    case GRAMC_IMPL_EXEC: return impl->argc > 0;
    case GRAMC_IMPL_RETURNS: return true;
    case GRAMC_IMPL_MCP: return impl->target.len > 0 && impl->server.len > 0;
    case GRAMC_IMPL_BUILTIN:
    case GRAMC_IMPL_HTTP:
    case GRAMC_IMPL_PLUGIN:
    case GRAMC_IMPL_REPLAY: return impl->target.len > 0;
    }
    return false;
}

static bool is_whole_box(const gramc_box *box) {
    if (box->name.len == 0) return false;
    switch (box->kind) {
    case GRAMC_BOX_HTTP: return box->file_named.len > 0;
    case GRAMC_BOX_MCP: return (box->argc > 0) != (box->url.len > 0);
    }
    return false;
}

static bool has_impl(const gramc_registry *registry, gramc_text name) {
    for (size_t i = 0; i < registry->library.impl_count; i++)
        if (text_eq(registry->impls[i].name, name)) return true;
    return false;
}

static bool has_box(const gramc_registry *registry, gramc_text name) {
    for (size_t i = 0; i < registry->library.box_count; i++)
        if (text_eq(registry->boxes[i].name, name)) return true;
    return false;
}

/* ## Adding */

/* Twice the room, and the items moved there; the old room stays in the arena. */
static void *grown(struct arena *arena, const void *items, size_t count, size_t *room,
                   size_t size) {
    size_t wanted = *room ? 2 * *room : 8;
    void *more = arena_array(arena, wanted, size);
    if (!more) return NULL;
    if (count) memcpy(more, items, count * size);
    *room = wanted;
    return more;
}

/* A sticky lack of memory must not outlast the call that met it: the next one may fare better. */
static gramc_status settle(gramc_registry *registry) {
    gramc_status status = registry->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
    registry->arena.oom = false;
    return status;
}

gramc_status gramc_registry_add_impl(gramc_registry *registry, const gramc_impl *impl) {
    gramc_library *library = &registry->library;
    if (!is_whole_impl(impl)) return GRAMC_USAGE;
    if (has_impl(registry, impl->name)) return GRAMC_AMBIGUOUS;
    if (library->impl_count == registry->impl_room) {
        void *more = grown(&registry->arena, registry->impls, library->impl_count,
                           &registry->impl_room, sizeof *registry->impls);
        if (!more) return settle(registry);
        library->impls = registry->impls = more;
    }
    gramc_impl copy = *impl;
    own_impl(&registry->arena, &copy);
    if (registry->arena.oom) return settle(registry);
    registry->impls[library->impl_count++] = copy;
    registry->changed = true;
    return GRAMC_OK;
}

gramc_status gramc_registry_add_box(gramc_registry *registry, const gramc_box *box) {
    gramc_library *library = &registry->library;
    if (!is_whole_box(box)) return GRAMC_USAGE;
    if (has_box(registry, box->name)) return GRAMC_AMBIGUOUS;
    if (library->box_count == registry->box_room) {
        void *more = grown(&registry->arena, registry->boxes, library->box_count,
                           &registry->box_room, sizeof *registry->boxes);
        if (!more) return settle(registry);
        library->boxes = registry->boxes = more;
    }
    gramc_box copy = *box;
    own_box(&registry->arena, &copy);
    if (registry->arena.oom) return settle(registry);
    registry->boxes[library->box_count++] = copy;
    registry->changed = true;
    return GRAMC_OK;
}

/* ## Files */

static gramc_text join_path(struct arena *arena, const gramc_box *box) {
    struct buf path;
    buf_init(&path, &arena->allocator, SOURCE_MAX);
    if (!text_starts(box->file_named, "/")) buf_text(&path, box->folder);
    buf_text(&path, box->file_named);
    gramc_text copy = arena_text(arena, buf_view(&path));
    if (path.state != BUF_FINE) arena->oom = true;
    buf_free(&path);
    return copy;
}

static const struct registered_file *find_file(const gramc_registry *registry, gramc_text path) {
    for (const struct registered_file *file = registry->files; file; file = file->next)
        if (text_eq(file->path, path)) return file;
    return NULL;
}

gramc_status gramc_registry_add_upstream(gramc_registry *registry, const gramc_box *box,
                                         gramc_text text) {
    if (box->kind != GRAMC_BOX_HTTP || !is_whole_box(box)) return GRAMC_USAGE;
    struct registered_file *file = ARENA_NEW(&registry->arena, struct registered_file);
    gramc_text path = join_path(&registry->arena, box);
    if (registry->arena.oom) return settle(registry);
    if (find_file(registry, path)) return GRAMC_AMBIGUOUS;
    *file = (struct registered_file){registry->files, path, arena_text(&registry->arena, text)};
    if (registry->arena.oom) return settle(registry);
    gramc_status status = gramc_registry_add_box(registry, box);
    if (status == GRAMC_OK) registry->files = file;
    return status;
}

static int read_registered(void *ctx, gramc_text path, gramc_text *out) {
    const gramc_registry *registry = ctx;
    const struct registered_file *file = find_file(registry, path);
    if (file) *out = file->text;
    else if (registry->otherwise.read)
        return registry->otherwise.read(registry->otherwise.ctx, path, out);
    return file ? 0 : GRAMC_NOT_FOUND;
}

gramc_reader gramc_registry_reader(gramc_registry *registry, gramc_reader otherwise) {
    registry->otherwise = otherwise;
    registry->changed = true;
    return (gramc_reader){read_registered, registry};
}

const gramc_library *gramc_registry_library(gramc_registry *registry) {
    gramc_library *library = &registry->library;
    if (!registry->changed) return library;
    gramc_text taken =
        library_fingerprint(&registry->arena, (gramc_reader){read_registered, registry}, library);
    if (settle(registry) != GRAMC_OK) return NULL;
    library->fingerprint = taken;
    registry->changed = false;
    return library;
}
