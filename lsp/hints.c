/* Turns what the compiler inferred into hints between the lines and lenses above them: which
 * parameters are required, what a named type stands for, which libraries do a tool. */
#include "lsp/insight.h"

#include "compiler/definition.h"
#include "compiler/pattern.h"
#include "lsp/schema_text.h"

#include <stdio.h>

/* ## Inlay hints */

enum { LONGEST_HINT = 60 };

struct hinting {
    struct lsp_request *r;
    const struct insight *a;
    struct place_cursor cursor;
    struct span range;
};

static void put_hint(struct hinting *h, uint32_t at, gramc_text text, int kind, bool before) {
    struct json_writer *w = h->r->result;
    struct place_cursor fresh = {.text = h->cursor.text, .encoding = h->cursor.encoding};
    if (at < h->cursor.column_at) h->cursor = fresh;
    json_object_begin(w);
    put_place(w, "position", place_next(&h->cursor, at));
    json_member_text(w, "label", text);
    json_member_number(w, "kind", (uint64_t)kind);
    json_member_bool(w, before ? "paddingRight" : "paddingLeft", true);
    json_object_end(w);
}

/* What is not written: that it must be sent. */
static void hint_required(struct hinting *h, const struct occurrence *m) {
    const struct field *f = parameter_of_occurrence(h->a, m);
    if (f && !f->optional) put_hint(h, m->at.start, TEXT("required"), 2, true);
}

/* What a named type stands for, if that is short. */
static void hint_type(struct hinting *h, const struct occurrence *m) {
    const struct occurrence *d = occurrence_target(h->a, m);
    gramc_text schema = d ? schema_of_occurrence(h->r->arena, h->a, d) : (gramc_text){NULL, 0};
    char text[LONGEST_HINT + 8];
    if (!schema.len) return;
    int len = schema.len <= LONGEST_HINT
                  ? snprintf(text, sizeof text, "= %.*s", TEXT_ARGS(schema))
                  : snprintf(text, sizeof text, "= %.*s...", LONGEST_HINT - 20, schema.ptr);
    gramc_text label = {text, (size_t)len};
    while (label.len && !text_is_utf8(label)) label.len--;
    put_hint(h, m->at.end, label, 1, false);
}

void inlay_hints(struct lsp_request *r) {
    const struct json *range = json_get(r->params, "range");
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    if (!a || !a->root) return;
    gramc_text text = document_text(r->document);
    enum encoding encoding = r->lsp->client.encoding;
    struct hinting h = {.r = r, .a = a, .cursor = {.text = text, .encoding = encoding}};
    h.range.start = place_offset(text, json_place(json_get(range, "start")), encoding);
    h.range.end = place_offset(text, json_place(json_get(range, "end")), encoding);
    json_array_begin(r->result);
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->unit != a->root || m->at.end < h.range.start || m->at.start > h.range.end) continue;
        if (m->kind == SYMBOL_PARAMETER && m->defines) hint_required(&h, m);
        if (m->kind == SYMBOL_TYPE && !m->defines) hint_type(&h, m);
    }
    json_array_end(r->result);
}

/* ## Code lenses */

/* Which libraries do which tools: asked once for all lenses. */
struct lens_names {
    struct arena *arena;
    struct map libraries; /* by the tool's name on the wire: a struct buf of names */
};

static void note_libraries(void *ctx, const struct insight *a) {
    struct lens_names *s = ctx;
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        const struct pattern *library = m->scope;
        if (m->kind != SYMBOL_IMPL || !m->defines || m->unit != a->root || !library) continue;
        struct buf *names = map_get(&s->libraries, wire_name(m));
        gramc_text key = names ? (gramc_text){NULL, 0} : arena_text(s->arena, wire_name(m));
        if (!names && (names = ARENA_NEW(s->arena, struct buf)) != NULL) {
            buf_init_arena(names, s->arena, 1 << 16);
            map_put(&s->libraries, key, names);
        }
        if (names)
            buf_printf(names, "%s%.*s", names->len ? ", " : "",
                       TEXT_ARGS(name_text(library->subject->identifier)));
    }
}

static void put_lens(struct lsp_request *r, const struct occurrence *m, gramc_text title,
                     const char *command, gramc_text second) {
    struct json_writer *w = r->result;
    json_object_begin(w);
    put_range(w, "range", m->unit->source.text, m->at.start, m->at.end, r->lsp);
    json_member_object(w, "command");
    json_member_text(w, "title", title);
    json_member_text(w, "command", text_of(command));
    if (command[0]) {
        json_member_array(w, "arguments");
        json_text(w, text_of(r->document->uri));
        json_text(w, second);
        json_array_end(w);
    }
    json_object_end(w);
    json_object_end(w);
}

static void put_tool_lens(struct lsp_request *r, const struct occurrence *m,
                          const struct lens_names *s) {
    char title[300];
    const struct buf *names = map_get(&s->libraries, wire_name(m));
    int len = names ? snprintf(title, sizeof title, "bound by %.*s",
                               (int)(names->len < 200 ? names->len : 200), names->ptr)
                    : snprintf(title, sizeof title, "bound by no library");
    put_lens(r, m, (gramc_text){title, (size_t)len}, "", TEXT(""));
}

void code_lenses(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    struct lens_names s = {.arena = r->arena};
    map_init(&s.libraries, r->arena);
    if (a) each_file(r->lsp, note_libraries, &s);
    json_array_begin(r->result);
    for (size_t i = 0; a && i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->unit != a->root || !m->defines) continue;
        if (m->kind == SYMBOL_TOOL) put_tool_lens(r, m, &s);
        if (m->kind != SYMBOL_AGENT) continue;
        put_lens(r, m, TEXT("compile"), "gramc.showSchema", m->name);
        put_lens(r, m, TEXT("run"), "gramc.run", m->name);
    }
    json_array_end(r->result);
}
