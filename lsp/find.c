/* Turns one occurrence into all places that mean the same: in each file's compilation by the rules
 * of that file, and between specs and libraries by the names of tools on the wire. Answers the
 * requests that are lists of such places. */
#include "lsp/find.h"

#include <stdio.h>

void found_init(struct found_names *found, struct arena *arena) {
    *found = (struct found_names){.arena = arena};
    map_init(&found->seen, arena);
    map_init(&found->texts, arena);
}

/* The text of a file, kept for when its insight is gone. */
static gramc_text keep_text(struct found_names *found, const struct unit *unit) {
    gramc_text *kept = map_get(&found->texts, unit->path);
    if (kept) return *kept;
    gramc_text path = arena_text(found->arena, unit->path);
    kept = ARENA_NEW(found->arena, gramc_text);
    if (!kept || !path.ptr) return (gramc_text){"", 0};
    *kept = arena_text(found->arena, unit->source.text);
    map_put(&found->texts, path, kept);
    return *kept;
}

static void add_place(struct found_names *found, const struct occurrence *m,
                      const struct occurrence *of) {
    char key[4200];
    int len = snprintf(key, sizeof key, "%u:%.*s", (unsigned)m->at.start, TEXT_ARGS(m->unit->path));
    if (len < 0 || (size_t)len >= sizeof key) return;
    gramc_text name = arena_text(found->arena, (gramc_text){key, (size_t)len});
    if (!name.ptr || map_get(&found->seen, name)) return;
    map_put(&found->seen, name, found);
    if (found->count == found->room) {
        size_t room = found->room ? found->room * 2 : 64;
        struct found_place *list = arena_array(found->arena, room, sizeof *list);
        if (!list) return;
        if (found->count) memcpy(list, found->list, found->count * sizeof *list);
        found->list = list;
        found->room = room;
    }
    found->list[found->count++] =
        (struct found_place){.path = arena_text(found->arena, m->unit->path),
                             .text = keep_text(found, m->unit),
                             .at = m->at,
                             .defines = m->defines,
                             .kind = m->kind,
                             .of_path = arena_text(found->arena, of->unit->path),
                             .of_start = of->at.start};
}

/* ## Meanings */

static bool is_between_files(enum symbol_kind kind) {
    return kind == SYMBOL_TOOL || kind == SYMBOL_IMPL;
}

struct meaning meaning_of(struct arena *arena, const struct insight *a,
                          const struct occurrence *m) {
    struct meaning meaning = {.is_known = false};
    const struct occurrence *d = m ? occurrence_target(a, m) : NULL;
    if (!d && m && (m->kind == SYMBOL_TOOL || m->kind == SYMBOL_TYPE)) d = m;
    if (!d || d->kind == SYMBOL_PROPERTY || d->kind == SYMBOL_LABEL || d->kind == SYMBOL_FILE)
        return meaning;
    const struct pattern *scope = d->scope;
    meaning = (struct meaning){.kind = d->kind,
                               .name = arena_text(arena, d->name),
                               .wire = arena_text(arena, wire_name(d)),
                               .path = arena_text(arena, d->unit->path),
                               .at = d->at,
                               .is_known = true};
    if (scope) meaning.scope_at = scope->span;
    if (!meaning.path.ptr) meaning.is_known = false; /* no memory */
    return meaning;
}

/* True if that definition is the one that is meant: the same place, or, of a name that counts
 * between files, the same name on the wire. */
static bool defines_it(const struct meaning *meaning, const struct occurrence *d) {
    if (is_between_files(meaning->kind))
        return is_between_files(d->kind) && text_eq(wire_name(d), meaning->wire);
    return d->kind == meaning->kind && d->at.start == meaning->at.start &&
           text_eq(d->unit->path, meaning->path);
}

void find_in(struct found_names *found, const struct insight *a, const struct meaning *meaning) {
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        bool may_be = text_eq(m->name, meaning->name) || is_between_files(meaning->kind);
        if (!may_be || m->kind == SYMBOL_PROPERTY || m->kind == SYMBOL_LABEL) continue;
        const struct occurrence *d = occurrence_target(a, m);
        if (d && (defines_it(meaning, d) || (m->defines && defines_it(meaning, m))))
            add_place(found, m, d);
    }
}

struct name_search {
    struct found_names *found;
    const struct meaning *meaning;
};

static void visit(void *ctx, const struct insight *a) {
    const struct name_search *search = ctx;
    find_in(search->found, a, search->meaning);
}

void find_everywhere(struct found_names *found, struct lsp *lsp, struct arena *arena,
                     const struct meaning *meaning) {
    struct name_search search = {found, meaning};
    found_init(found, arena);
    if (meaning->is_known) each_file(lsp, visit, &search);
}

/* ## Requests */

static void put_location(struct lsp_request *r, gramc_text path, gramc_text text, struct span at) {
    json_object_begin(r->result);
    json_key(r->result, "uri");
    put_uri(r->result, path);
    put_range(r->result, "range", text, at.start, at.end, r->lsp);
    json_object_end(r->result);
}

static const struct occurrence *here(struct lsp_request *r, struct insight **a) {
    *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    return *a ? occurrence_at(*a, r->offset) : NULL;
}

void definition(struct lsp_request *r) {
    struct insight *a;
    const struct occurrence *m = here(r, &a);
    if (!m) return;
    json_array_begin(r->result);
    if (m->kind == SYMBOL_FILE) {
        gramc_text path = path_join(r->arena, path_folder(text_of(r->document->path)), m->name);
        put_location(r, path, TEXT(""), (struct span){0, 0});
    }
    const struct occurrence *d = m->kind == SYMBOL_FILE ? NULL : occurrence_target(a, m);
    bool is_elsewhere = m->kind == SYMBOL_IMPL || (!d && m->kind == SYMBOL_TOOL);
    if (d && !is_elsewhere) put_location(r, d->unit->path, d->unit->source.text, d->at);
    if (is_elsewhere) { /* an implementation leads to the tools that it does */
        struct found_names found;
        struct meaning meaning = meaning_of(r->arena, a, m);
        find_everywhere(&found, r->lsp, r->arena, &meaning);
        for (size_t i = 0; i < found.count; i++)
            if (found.list[i].defines && found.list[i].kind == SYMBOL_TOOL)
                put_location(r, found.list[i].path, found.list[i].text, found.list[i].at);
    }
    json_array_end(r->result);
}

void references(struct lsp_request *r) {
    struct insight *a;
    struct found_names found;
    const struct occurrence *m = here(r, &a);
    if (!m) return;
    bool declares = !json_is(json_at(r->params, TEXT("/context/includeDeclaration")), JSON_FALSE);
    struct meaning meaning = meaning_of(r->arena, a, m);
    find_everywhere(&found, r->lsp, r->arena, &meaning);
    json_array_begin(r->result);
    for (size_t i = 0; i < found.count; i++) {
        const struct found_place *p = &found.list[i];
        bool is_it = p->defines && p->kind != SYMBOL_IMPL;
        if (declares || !is_it) put_location(r, p->path, p->text, p->at);
    }
    json_array_end(r->result);
}

void document_highlights(struct lsp_request *r) {
    struct insight *a;
    struct found_names found;
    const struct occurrence *m = here(r, &a);
    if (!m) return;
    struct meaning meaning = meaning_of(r->arena, a, m);
    found_init(&found, r->arena);
    if (meaning.is_known) find_in(&found, a, &meaning);
    json_array_begin(r->result);
    for (size_t i = 0; i < found.count; i++) {
        const struct found_place *p = &found.list[i];
        if (!text_is(p->path, r->document->path)) continue;
        json_object_begin(r->result);
        put_range(r->result, "range", p->text, p->at.start, p->at.end, r->lsp);
        json_member_number(r->result, "kind", p->defines ? 3 : 2);
        json_object_end(r->result);
    }
    json_array_end(r->result);
}

void document_links(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    if (!a) return;
    json_array_begin(r->result);
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->kind != SYMBOL_FILE || m->unit != a->root) continue;
        json_object_begin(r->result);
        put_range(r->result, "range", m->unit->source.text, m->at.start, m->at.end, r->lsp);
        json_key(r->result, "target");
        put_uri(r->result, path_join(r->arena, path_folder(text_of(r->document->path)), m->name));
        json_object_end(r->result);
    }
    json_array_end(r->result);
}
