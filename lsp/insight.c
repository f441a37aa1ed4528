/* Turns a document into a compilation and the names in it, and names into what they stand for. */
#include "lsp/insight.h"

#include "compiler/imports.h"
#include "compiler/tool.h"

/* ## Making */

/* What a broken file imports is read too, so that its names are known; what is wrong there is not
 * told before the file can be read. */
static void read_imports(struct insight *a) {
    struct findings untold;
    struct pass pass = {a->compilation, &a->compilation->arena, &untold, NULL};
    findings_init(&untold, &a->compilation->arena, 1);
    a->root->is_broken = false;
    headers_read(&pass); /* does nothing where they have been read */
}

static void read_names(struct insight *a) {
    uint32_t count;
    a->root = a->compilation->units;
    if (!a->root) return;
    read_imports(a);
    struct unit_link *units = unit_closure(a->compilation, a->root, &count);
    for (; units; units = units->next) occurrences_read(&a->occurrences, &a->arena, units->unit);
    occurrences_link(&a->occurrences, &a->arena);
}

static struct insight *make(struct lsp *lsp, const char *path, const gramc_text *text,
                            bool compiles) {
    struct lsp_buffers buffers = document_buffers(lsp);
    struct insight *a = mem_alloc(&lsp->host.allocator, sizeof *a);
    if (!a) return NULL;
    *a = (struct insight){.opened = NULL};
    arena_init(&a->arena, &lsp->host.allocator);
    a->opened = lsp->host.open(lsp->host.ctx, path, text, &buffers, &a->compilation);
    gramc_status status = GRAMC_OK;
    if (a->opened && compiles) status = gramc_compile_each(a->compilation);
    if (!a->opened || status == GRAMC_NOMEM || a->compilation->arena.oom) {
        insight_free(lsp, a);
        return NULL;
    }
    const gramc_spec *spec = compiles ? gramc_compiled(a->compilation, 0) : NULL;
    a->spec = spec && spec->is_readable ? spec : NULL;
    return a;
}

/* Names are read when somebody asks for them: judging a text needs none. */
static struct insight *with_names(struct lsp *lsp, struct insight *a) {
    if (!a || a->has_names) return a;
    a->has_names = true;
    read_names(a);
    if (a->arena.oom || a->compilation->arena.oom) lsp->scratch.oom = true;
    return a;
}

struct insight *insight_judged(struct lsp *lsp, struct open_document *document) {
    gramc_text text = document_text(document);
    if (!document->insight) document->insight = make(lsp, document->path, &text, true);
    return document->insight;
}

struct insight *insight_of(struct lsp *lsp, struct open_document *document) {
    return with_names(lsp, insight_judged(lsp, document));
}

struct insight *insight_of_file(struct lsp *lsp, const char *path) {
    return with_names(lsp, make(lsp, path, NULL, false));
}

void insight_free(struct lsp *lsp, struct insight *a) {
    if (!a) return;
    if (a->opened) lsp->host.close(lsp->host.ctx, a->opened);
    arena_free(&a->arena);
    mem_free(&lsp->host.allocator, a, sizeof *a);
}

bool insight_includes(const struct insight *a, const char *path) {
    const struct source *s = a->compilation->first_source;
    while (s && !text_is(s->name, path)) s = s->next;
    if (s) return true;
    return map_get(&a->compilation->paths, text_of(path)) != NULL;
}

/* ## Asking */

const struct occurrence *occurrence_at(const struct insight *a, uint32_t offset) {
    const struct occurrence *best = NULL;
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->unit != a->root || offset < m->at.start || offset > m->at.end) continue;
        /* Between two names the one that begins counts. */
        if (!best || m->at.start > best->at.start) best = m;
    }
    return best;
}

static bool is_meant(const struct occurrence *d, const struct occurrence *m) {
    if (!d->defines || !text_eq(d->name, m->name)) return false;
    if (m->kind == SYMBOL_BOX && !m->scope) return d->kind == SYMBOL_BOX;
    return d->kind == m->kind && (!m->scope || d->scope == m->scope);
}

/* The vocabulary: a definition at top level, or else the parameter that says its type. */
static const struct occurrence *reused(const struct insight *a, const struct occurrence *m) {
    const struct occurrence *found = NULL;
    for (int32_t i = occurrences_named(&a->occurrences, m->name); i >= 0;
         i = a->occurrences.list[i].next) {
        const struct occurrence *d = &a->occurrences.list[i];
        bool fits = d->defines && !d->reuses;
        if (fits && d->kind == SYMBOL_TYPE) return d;
        if (fits && d->kind == SYMBOL_PARAMETER && !found) found = d;
    }
    return found;
}

const struct occurrence *occurrence_target(const struct insight *a, const struct occurrence *m) {
    if (m->reuses) return reused(a, m);
    if (m->defines) return m;
    for (int32_t i = occurrences_named(&a->occurrences, m->name); i >= 0;
         i = a->occurrences.list[i].next)
        if (is_meant(&a->occurrences.list[i], m)) return &a->occurrences.list[i];
    /* Some properties name a tool as it is called on the wire. */
    for (size_t i = 0; m->kind == SYMBOL_TOOL && i < a->occurrences.count; i++) {
        const struct occurrence *d = &a->occurrences.list[i];
        if (d->defines && d->kind == SYMBOL_TOOL && text_eq(wire_name(d), m->name)) return d;
    }
    return NULL;
}

const struct tool *occurrence_tool(const struct insight *a, const struct occurrence *m) {
    if (!a->spec || !m || m->kind != SYMBOL_TOOL) return NULL;
    for (const struct tool *t = a->spec->first_tool; t; t = t->next)
        if (t->source == &m->unit->source && t->name_at.start <= m->at.start &&
            m->at.end <= t->name_at.end)
            return t;
    return NULL;
}

/* ## All files */

struct visiting {
    struct lsp *lsp;
    file_visitor *visit;
    void *ctx;
};

static void visit_path(void *to, const char *path) {
    struct visiting *v = to;
    if (document_at(v->lsp, text_of(path))) return; /* visited already */
    struct insight *a = insight_of_file(v->lsp, path);
    if (a && a->root) v->visit(v->ctx, a);
    lines_forget(v->lsp);
    insight_free(v->lsp, a);
}

void each_file(struct lsp *lsp, file_visitor *visit, void *ctx) {
    struct visiting v = {lsp, visit, ctx};
    for (struct open_document *d = lsp->documents; d; d = d->next) {
        struct insight *a = insight_of(lsp, d);
        if (a && a->root) visit(ctx, a);
    }
    for (size_t i = 0; i < lsp->root_count; i++)
        lsp->host.each_source(lsp->host.ctx, lsp->roots[i], visit_path, &v);
}
