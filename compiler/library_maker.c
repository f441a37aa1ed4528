/* Makes a library without text, for programs that have their implementations at hand: copies what
 * is added, refuses what is there already, takes the same fingerprint as the notation would. */
#include "compiler/kinds.h"

#include "base/text.h"

struct gramc_library_maker {
    struct arena arena;
    gramc_library library;
    gramc_impl *impls;
    gramc_box *boxes;
    size_t impl_room, box_room;
    struct map impl_names, box_names;
    bool finished;
};

/* ## Copies */

static gramc_text copy(struct arena *arena, gramc_text text) {
    return text.ptr ? arena_text(arena, text) : text;
}

static const gramc_text *copy_texts(struct arena *arena, const gramc_text *texts, size_t count) {
    gramc_text *list = arena_array(arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = copy(arena, texts[i]);
    return list;
}

static const gramc_pair *copy_pairs(struct arena *arena, const gramc_pair *pairs, size_t count) {
    gramc_pair *list = arena_array(arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (gramc_pair){copy(arena, pairs[i].name), copy(arena, pairs[i].value)};
    return list;
}

static const gramc_style *copy_styles(struct arena *arena, const gramc_style *styles,
                                      size_t count) {
    gramc_style *list = arena_array(arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (gramc_style){copy(arena, styles[i].parameter), copy(arena, styles[i].style),
                                copy(arena, styles[i].explode)};
    return list;
}

static const gramc_part *copy_parts(struct arena *arena, const gramc_part *parts, size_t count) {
    gramc_part *list = arena_array(arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (gramc_part){copy(arena, parts[i].name), copy(arena, parts[i].value),
                               copy(arena, parts[i].content_type), parts[i].is_file};
    return list;
}

static void copy_guard(struct arena *arena, gramc_guard_program *guard) {
    guard->argv = copy_texts(arena, guard->argv, guard->argc);
    guard->folder = copy(arena, guard->folder);
    guard->file = copy(arena, guard->file);
}

static const gramc_sandbox *copy_sandbox(struct arena *arena, const gramc_sandbox *sandbox) {
    gramc_sandbox *own = sandbox ? ARENA_NEW(arena, gramc_sandbox) : NULL;
    if (!own) return NULL;
    *own = *sandbox;
    own->read = copy_texts(arena, sandbox->read, sandbox->read_count);
    own->write = copy_texts(arena, sandbox->write, sandbox->write_count);
    own->env = copy_texts(arena, sandbox->env, sandbox->env_count);
    own->folder = copy(arena, sandbox->folder);
    own->file = copy(arena, sandbox->file);
    return own;
}

static void copy_transport(struct arena *arena, gramc_transport *transport) {
    gramc_text *const texts[] = {&transport->ca_file, &transport->client_certificate,
                                 &transport->client_key, &transport->proxy};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = copy(arena, *texts[i]);
}

static void copy_impl(struct arena *arena, gramc_impl *impl) {
    gramc_text *texts[IMPL_TEXTS];
    impl_texts(texts, impl);
    for (size_t i = 0; i < IMPL_TEXTS; i++) *texts[i] = copy(arena, *texts[i]);
    impl->folder = copy(arena, impl->folder);
    impl->library_named = copy(arena, impl->library_named);
    impl->file = copy(arena, impl->file);
    impl->accepts_document = impl->returns_document = NULL; /* it may outlive where they are from */
    impl->argv = copy_texts(arena, impl->argv, impl->argc);
    impl->env = copy_texts(arena, impl->env, impl->env_count);
    impl->headers = copy_pairs(arena, impl->headers, impl->header_count);
    impl->styles = copy_styles(arena, impl->styles, impl->style_count);
    impl->parts = copy_parts(arena, impl->parts, impl->part_count);
    impl->body_file = copy(arena, impl->body_file);
    copy_transport(arena, &impl->transport);
    copy_guard(arena, &impl->before);
    copy_guard(arena, &impl->after);
    impl->sandbox = copy_sandbox(arena, impl->sandbox);
}

static void copy_box(struct arena *arena, gramc_box *box) {
    gramc_text *const texts[] = {&box->name,       &box->description, &box->url,   &box->file,
                                 &box->file_named, &box->stored,      &box->folder};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = copy(arena, *texts[i]);
    box->argv = copy_texts(arena, box->argv, box->argc);
    box->env = copy_texts(arena, box->env, box->env_count);
    box->tools = copy_texts(arena, box->tools, box->tool_count);
    box->headers = copy_pairs(arena, box->headers, box->header_count);
    copy_transport(arena, &box->transport);
    box->url_argv = copy_texts(arena, box->url_argv, box->url_argc);
    box->renames = copy_pairs(arena, box->renames, box->rename_count);
    box->sandbox = copy_sandbox(arena, box->sandbox);
}

/* Room for one more item; the items move. */
static void *grow(struct arena *arena, const void *items, size_t count, size_t *room, size_t size) {
    size_t more = *room ? 2 * *room : 8;
    char *larger = arena_array(arena, more, size);
    const char *from = items;
    if (!larger) return NULL;
    for (size_t i = 0; i < count * size; i++) larger[i] = from[i];
    *room = more;
    return larger;
}

/* ## The public calls */

gramc_status gramc_library_maker_new(gramc_library_maker **out, gramc_text name,
                                     gramc_text description, const gramc_allocator *given) {
    gramc_allocator allocator = given ? *given : mem_default();
    gramc_library_maker *maker = mem_alloc(&allocator, sizeof *maker);
    *out = NULL;
    if (!maker) return GRAMC_NOMEM;
    *maker = (gramc_library_maker){.finished = false};
    arena_init(&maker->arena, &allocator);
    map_init(&maker->impl_names, &maker->arena);
    map_init(&maker->box_names, &maker->arena);
    maker->library.name = arena_text(&maker->arena, name);
    maker->library.description = copy(&maker->arena, description);
    if (maker->arena.oom) {
        gramc_library_maker_free(maker);
        return GRAMC_NOMEM;
    }
    *out = maker;
    return GRAMC_OK;
}

void gramc_library_maker_free(gramc_library_maker *maker) {
    if (!maker) return;
    gramc_allocator allocator = maker->arena.allocator;
    arena_free(&maker->arena);
    mem_free(&allocator, maker, sizeof *maker);
}

/* Whether the name can be taken; it is then. */
static gramc_status take_name(gramc_library_maker *maker, struct map *names, gramc_text name,
                              bool whole) {
    if (maker->finished || !name.len || !whole) return GRAMC_USAGE;
    if (map_get(names, name)) return GRAMC_AMBIGUOUS;
    gramc_text own = arena_text(&maker->arena, name);
    if (own.ptr) map_put(names, own, maker);
    return maker->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_library_maker_add_impl(gramc_library_maker *maker, const gramc_impl *impl) {
    gramc_library *library = &maker->library;
    gramc_status status = take_name(maker, &maker->impl_names, impl->name, impl_is_whole(impl));
    if (status) return status;
    if (library->impl_count == maker->impl_room) {
        gramc_impl *larger = grow(&maker->arena, maker->impls, library->impl_count,
                                  &maker->impl_room, sizeof *larger);
        if (!larger) return GRAMC_NOMEM;
        library->impls = maker->impls = larger;
    }
    maker->impls[library->impl_count] = *impl;
    copy_impl(&maker->arena, &maker->impls[library->impl_count++]);
    return maker->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_library_maker_add_box(gramc_library_maker *maker, const gramc_box *box) {
    gramc_library *library = &maker->library;
    gramc_status status = take_name(maker, &maker->box_names, box->name, box_is_whole(box));
    if (status) return status;
    if (library->box_count == maker->box_room) {
        gramc_box *larger =
            grow(&maker->arena, maker->boxes, library->box_count, &maker->box_room, sizeof *larger);
        if (!larger) return GRAMC_NOMEM;
        library->boxes = maker->boxes = larger;
    }
    maker->boxes[library->box_count] = *box;
    copy_box(&maker->arena, &maker->boxes[library->box_count++]);
    return maker->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_library_maker_set_guards(gramc_library_maker *maker,
                                            const gramc_guard_program *before,
                                            const gramc_guard_program *after) {
    if (maker->finished) return GRAMC_USAGE;
    maker->library.before = before ? *before : (gramc_guard_program){.argc = 0};
    maker->library.after = after ? *after : (gramc_guard_program){.argc = 0};
    copy_guard(&maker->arena, &maker->library.before);
    copy_guard(&maker->arena, &maker->library.after);
    return maker->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

gramc_status gramc_library_maker_set_sandbox(gramc_library_maker *maker,
                                             const gramc_sandbox *sandbox) {
    if (maker->finished) return GRAMC_USAGE;
    maker->library.sandbox = copy_sandbox(&maker->arena, sandbox);
    return maker->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

static bool has_servers(const gramc_library *library) {
    for (size_t i = 0; i < library->impl_count; i++) {
        const gramc_impl *impl = &library->impls[i];
        size_t b = 0;
        if (!impl_names_server(impl)) continue;
        while (b < library->box_count &&
               !(gramc_box_tool_kind(library->boxes[b].kind) == impl->kind &&
                 text_eq(library->boxes[b].name, impl->server)))
            b++;
        if (b == library->box_count) return false;
    }
    return true;
}

gramc_status gramc_library_maker_finish(const gramc_library **out, gramc_library_maker *maker,
                                        gramc_reader reader) {
    *out = NULL;
    if (maker->arena.oom) return GRAMC_NOMEM;
    if (!has_servers(&maker->library)) return GRAMC_NOT_FOUND;
    if (!maker->finished)
        maker->library.fingerprint = library_fingerprint(&maker->arena, reader, &maker->library);
    if (!maker->finished)
        maker->library.fingerprint = library_fingerprint_whole(&maker->arena, &maker->library);
    if (maker->arena.oom) return GRAMC_NOMEM;
    maker->finished = true;
    *out = &maker->library;
    return GRAMC_OK;
}
