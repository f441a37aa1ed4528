/* Turns definitions into symbols: as a tree of one document, as a list of all files. */
#include "lsp/insight.h"

#include "compiler/pattern.h"
#include "compiler/properties.h"

/* SymbolKind of the protocol. */
static int protocol_kind(enum symbol_kind kind) {
    static const int kinds[] = {[SYMBOL_AGENT] = 5 /* class */,
                                [SYMBOL_TOOL] = 12 /* function */,
                                [SYMBOL_LIBRARY] = 2 /* module */,
                                [SYMBOL_EXPERIMENT] = 4 /* package */,
                                [SYMBOL_TYPE] = 23 /* struct */,
                                [SYMBOL_TASK] = 6 /* method */,
                                [SYMBOL_PARAMETER] = 13 /* variable */,
                                [SYMBOL_FIELD] = 8 /* field */,
                                [SYMBOL_IMPL] = 6 /* method */,
                                [SYMBOL_BOX] = 11 /* interface */,
                                [SYMBOL_ARM] = 22 /* enum member */,
                                [SYMBOL_GRADER] = 24 /* event */,
                                [SYMBOL_LABEL] = 13};
    return kinds[kind];
}

static struct span whole_span(const struct occurrence *m) {
    return m->pattern ? m->pattern->span : m->at;
}

static gramc_text detail(const struct occurrence *m) {
    const struct property *p =
        m->pattern ? property_find(m->pattern->subject, "description") : NULL;
    if (p && p->value->kind == VALUE_STRING && p->value->quote != QUOTE_FENCE)
        return scalar_text(p->value);
    return m->pattern ? pattern_label(m->pattern) : (gramc_text){NULL, 0};
}

static void put_children(struct json_writer *w, const struct insight *a, int32_t parent,
                         struct lsp *lsp);

static void put_symbol(struct json_writer *w, const struct insight *a, size_t i, struct lsp *lsp) {
    const struct occurrence *m = &a->occurrences.list[i];
    gramc_text text = m->unit->source.text, about = detail(m);
    struct span whole = whole_span(m);
    json_object_begin(w);
    json_member_text(w, "name", m->name);
    json_member_some(w, "detail", about);
    json_key(w, "kind");
    buf_printf(json_slot(w), "%d", protocol_kind(m->kind));
    put_range(w, "range", text, whole.start, whole.end, lsp);
    put_range(w, "selectionRange", text, m->at.start, m->at.end, lsp);
    json_member_array(w, "children");
    put_children(w, a, (int32_t)i, lsp);
    json_array_end(w);
    json_object_end(w);
}

/* What stands inside comes behind, and before anything that does not. */
static void put_children(struct json_writer *w, const struct insight *a, int32_t parent,
                         struct lsp *lsp) {
    for (size_t i = (size_t)(parent + 1); i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->unit != a->root || m->parent < parent) break;
        if (m->defines && m->name.len && m->parent == parent) put_symbol(w, a, i, lsp);
    }
}

void document_symbols(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    json_array_begin(r->result);
    if (a && a->root) put_children(r->result, a, -1, r->lsp);
    json_array_end(r->result);
}

/* ## All files */

struct query {
    struct lsp_request *r;
    gramc_text text;
    size_t count;
};

enum { MOST_SYMBOLS = 1000 };

static bool has_part(gramc_text name, gramc_text part) {
    for (size_t i = 0; i + part.len <= name.len; i++)
        if (text_eq_nocase(text_slice(name, i, i + part.len), part)) return true;
    return false;
}

static void put_matches(void *ctx, const struct insight *a) {
    struct query *q = ctx;
    struct json_writer *w = q->r->result;
    for (size_t i = 0; i < a->occurrences.count && q->count < MOST_SYMBOLS; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        bool fits = m->defines && m->unit == a->root && m->kind != SYMBOL_PARAMETER &&
                    m->kind != SYMBOL_FIELD && has_part(m->name, q->text);
        if (!fits) continue;
        q->count++;
        json_object_begin(w);
        json_member_text(w, "name", m->name);
        json_key(w, "kind");
        buf_printf(json_slot(w), "%d", protocol_kind(m->kind));
        json_member_object(w, "location");
        json_key(w, "uri");
        put_uri(w, m->unit->path);
        put_range(w, "range", m->unit->source.text, m->at.start, m->at.end, q->r->lsp);
        json_object_end(w);
        if (m->parent >= 0)
            json_member_text(w, "containerName", a->occurrences.list[m->parent].name);
        json_object_end(w);
    }
}

void workspace_symbols(struct lsp_request *r) {
    const struct json *text = json_get(r->params, "query");
    struct query query = {r, json_is(text, JSON_STRING) ? text->text : TEXT(""), 0};
    json_array_begin(r->result);
    each_file(r->lsp, put_matches, &query);
    json_array_end(r->result);
}
