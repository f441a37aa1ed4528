/* Turns findings and places into actions: fixes that are safe, allowing a finding with a reason,
 * making a named type of one in place, adding an implementation to a library. */
#include "lsp/insight.h"

#include "compiler/fmt/format.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/type_properties.h"
#include "grammar/lexer.h"
#include "lsp/edits.h"
#include "lsp/schema_text.h"
#include "parser.h"

#include <stdio.h>
#include <string.h>

struct acting {
    struct lsp_request *r;
    struct insight *a;
    gramc_text text;
    struct span range;
};

/* ## Fixes */

static bool touches(const struct acting *act, const struct finding *f) {
    return f->span.start <= act->range.end && act->range.start <= f->span.end &&
           text_is(f->source->name, act->r->document->path);
}

static void put_fix(struct acting *act, const struct finding *f) {
    char title[600];
    const struct fix *only = f->fixes->next ? NULL : f->fixes;
    int len = only && only->replacement.len && only->replacement.len < 60
                  ? snprintf(title, sizeof title, "Fix %s: write `%.*s`", f->row->code,
                             TEXT_ARGS(text_trim(only->replacement)))
                  : snprintf(title, sizeof title, "Fix %s (%s)", f->row->code, f->row->slug);
    struct edits e = edits_begin(act->r, (gramc_text){title, (size_t)len}, "quickfix");
    json_member_bool(act->r->result, "isPreferred", true);
    edits_open(&e, text_of(act->r->document->path));
    for (const struct fix *fix = f->fixes; fix; fix = fix->next)
        edits_put(&e, act->text, fix->span, fix->replacement);
    edits_end(&e);
}

/* ## Allowing */

/* True if a comment can stand in front of that line: it begins inside of no string. */
static bool is_between_tokens(gramc_text text, uint32_t line_start) {
    struct source source = {.text = text};
    struct lexer lexer;
    lexer_init(&lexer, &source);
    struct token t = lexer_next(&lexer);
    while (t.code && t.end <= line_start) t = lexer_next(&lexer);
    return !t.code || t.start >= line_start;
}

static void put_allow(struct acting *act, const struct finding *f) {
    char title[200], comment[600];
    uint32_t start = f->span.start, blank;
    while (start && act->text.ptr[start - 1] != '\n') start--;
    if (!diag_is_suppressible(f->id) || !is_between_tokens(act->text, start)) return;
    for (blank = start; blank < act->text.len && act->text.ptr[blank] == ' ';) blank++;
    int len = snprintf(title, sizeof title, "Allow %s here (say why)", f->row->code);
    struct edits e = edits_begin(act->r, (gramc_text){title, (size_t)len}, "quickfix");
    len = snprintf(comment, sizeof comment, "%.*s// gramc: allow(%s) say why\n",
                   (int)(blank - start < 100 ? blank - start : 100), act->text.ptr + start,
                   f->row->code);
    edits_open(&e, text_of(act->r->document->path));
    edits_put(&e, act->text, (struct span){start, start}, (gramc_text){comment, (size_t)len});
    edits_end(&e);
}

/* ## Extracting a named type */

/* `color` is the parameter, `Color` the type; another word where that is taken. */
static gramc_text type_name(struct acting *act, gramc_text parameter) {
    char *name = arena_alloc(act->r->arena, parameter.len + 12);
    if (!name) return (gramc_text){"", 0};
    memcpy(name, parameter.ptr, parameter.len);
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = (char)(name[0] - 'a' + 'A');
    size_t len = parameter.len;
    for (unsigned i = 2; i < 100; i++) {
        bool taken = type_find((gramc_text){name, len}) != NULL;
        for (size_t k = 0; k < act->a->occurrences.count && !taken; k++) {
            const struct occurrence *m = &act->a->occurrences.list[k];
            taken =
                m->defines && m->kind == SYMBOL_TYPE && text_eq(m->name, (gramc_text){name, len});
        }
        if (!taken) break;
        len = parameter.len + (size_t)snprintf(name + parameter.len, 12, "%u", i);
    }
    return (gramc_text){name, len};
}

/* default, optional, name and required belong to the place of use. */
static bool belongs_to_use(const struct property *p) {
    enum type_property property = type_property_named(name_text(p->key));
    return property != TYPE_PROPERTIES &&
           (type_property_row(property)->place == PLACE_FIELDS_ONLY || property == P_REQUIRED);
}

static void put_record(struct buf *out, const struct acting *act, const struct subject *s,
                       bool of_use) {
    const char *between = "";
    for (const struct property *p = s->properties; p; p = p->next) {
        if (belongs_to_use(p) != of_use) continue;
        buf_puts(out, *between ? between : " {");
        buf_text(out, source_slice(&act->a->root->source, property_span(p)));
        between = ", ";
    }
    if (*between) buf_puts(out, "}");
}

static void put_extract(struct acting *act, const struct occurrence *m, const struct pattern *top) {
    const struct subject *s = m->pattern->subject;
    gramc_text name = type_name(act, m->name);
    struct buf definition, use;
    char title[200];
    int len = snprintf(title, sizeof title, "Extract the type `%.*s`",
                       name.len < 80 ? (int)name.len : 80, name.ptr);
    buf_init(&definition, &act->r->lsp->host.allocator, 1 << 20);
    buf_init(&use, &act->r->lsp->host.allocator, 1 << 20);
    buf_printf(&definition, "[%.*s:%.*s", TEXT_ARGS(name),
               TEXT_ARGS(source_slice(&act->a->root->source, name_span(s->labels->name))));
    put_record(&definition, act, s, false);
    buf_puts(&definition, "]\n");
    buf_text(&use, name);
    put_record(&use, act, s, true);
    if (definition.state == BUF_FINE && use.state == BUF_FINE) {
        struct edits e = edits_begin(act->r, (gramc_text){title, (size_t)len}, "refactor.extract");
        edits_open(&e, text_of(act->r->document->path));
        edits_put(&e, act->text, (struct span){top->span.start, top->span.start},
                  buf_view(&definition));
        edits_put(&e, act->text, (struct span){s->labels->name.start, s->record.end},
                  buf_view(&use));
        edits_end(&e);
    }
    buf_free(&definition);
    buf_free(&use);
}

static void offer_extract(struct acting *act) {
    const struct occurrence *m = occurrence_at(act->a, act->range.start);
    while (m && m->kind != SYMBOL_PARAMETER && m->kind != SYMBOL_FIELD && m->parent >= 0)
        m = &act->a->occurrences.list[m->parent];
    bool fits = m && m->defines && (m->kind == SYMBOL_PARAMETER || m->kind == SYMBOL_FIELD) &&
                m->pattern && m->pattern->subject->labels &&
                subject_has_record(m->pattern->subject) && type_find(pattern_label(m->pattern));
    if (!fits) return;
    bool says = false; /* something that makes it a type of its own */
    for (const struct property *p = m->pattern->subject->properties; p; p = p->next)
        says = says || !belongs_to_use(p);
    for (const struct pattern *p = act->a->root->tree->patterns; p && says; p = p->next)
        if (p->span.start <= m->at.start && m->at.end <= p->span.end) put_extract(act, m, p);
}

/* ## An implementation for a tool */

enum { LONGEST_STUB = 2000 };

struct stub_offer {
    struct acting *act;
    gramc_text wire, answer;
    const struct occurrence *tool;
    bool seen_library;
};

static bool does(const struct insight *a, const struct occurrence *library, gramc_text wire) {
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->kind == SYMBOL_IMPL && m->defines && m->scope == library->pattern &&
            text_eq(wire_name(m), wire))
            return true;
    }
    return false;
}

/* It answers something that the tool's result type accepts. */
static void put_impl(struct buf *out, const struct stub_offer *s) {
    buf_printf(out, "  [%.*s:ToolImpl {", TEXT_ARGS(s->tool->name));
    if (!text_eq(s->wire, s->tool->name)) buf_printf(out, "name: \"%.*s\", ", TEXT_ARGS(s->wire));
    buf_puts(out, "returns: ");
    buf_text(out, s->answer);
    buf_puts(out, "}]");
}

static void put_stub(struct stub_offer *s, const struct insight *a,
                     const struct occurrence *library) {
    char title[300];
    struct buf text;
    const struct pattern *p = library->pattern;
    gramc_text source = library->unit->source.text;
    uint32_t at = p->span.end - 1;
    while (at > p->span.start && strchr(" \t\r\n", source.ptr[at - 1])) at--;
    if (s->wire.len > 100 || library->name.len > 100 || p->kind != PATTERN_BRACKET) return;
    int len = snprintf(title, sizeof title, "Add `%.*s` to the library `%.*s`", TEXT_ARGS(s->wire),
                       TEXT_ARGS(library->name));
    struct edits e = edits_begin(s->act->r, (gramc_text){title, (size_t)len}, "quickfix");
    buf_init(&text, &s->act->r->lsp->host.allocator, LONGEST_STUB);
    buf_puts(&text, p->elements ? ",\n" : " |\n");
    put_impl(&text, s);
    edits_open(&e, a->root->path);
    edits_put(&e, source, (struct span){at, at}, buf_view(&text));
    edits_end(&e);
    buf_free(&text);
}

static void offer_stub(void *ctx, const struct insight *a) {
    struct stub_offer *s = ctx;
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        if (m->kind != SYMBOL_LIBRARY || !m->defines || m->unit != a->root) continue;
        s->seen_library = true;
        if (!does(a, m, s->wire)) put_stub(s, a, m);
    }
}

static void put_new_library(struct stub_offer *s) {
    struct buf text;
    struct lsp_request *r = s->act->r;
    if (!r->lsp->client.takes_create_file || s->wire.len > 100) return;
    gramc_text path =
        path_join(r->arena, path_folder(text_of(r->document->path)), TEXT("tools.gram"));
    struct edits e = edits_begin(r, TEXT("Make a library for it in tools.gram"), "quickfix");
    buf_init(&text, &r->lsp->host.allocator, LONGEST_STUB);
    buf_puts(&text, "[tools:ToolLibrary {description: \"Say what is particular about it\"} |\n");
    put_impl(&text, s);
    buf_puts(&text, "\n]\n");
    edits_create(&e, path, buf_view(&text));
    edits_end(&e);
    buf_free(&text);
}

static void offer_stubs(struct acting *act) {
    const struct occurrence *m = occurrence_at(act->a, act->range.start);
    const struct occurrence *d = m && m->kind == SYMBOL_TOOL ? occurrence_target(act->a, m) : NULL;
    if (!d) return;
    struct stub_offer stub = {act, wire_name(d), answer_of_tool(act->r->arena, act->a, d), d,
                              false};
    each_file(act->r->lsp, offer_stub, &stub);
    if (!stub.seen_library) put_new_library(&stub);
}

/* ## All of them */

static bool is_wanted(const struct lsp_request *r, const char *kind) {
    const struct json *only = json_at(r->params, TEXT("/context/only"));
    if (!json_is(only, JSON_ARRAY)) return true;
    for (const struct json *k = only->first; k; k = k->next) {
        /* `refactor` asks for `refactor.extract`, too. */
        bool begins = json_is(k, JSON_STRING) && strncmp(kind, k->text.ptr, k->text.len) == 0;
        if (begins && (kind[k->text.len] == '\0' || kind[k->text.len] == '.')) return true;
    }
    return false;
}

static void put_fix_all(struct acting *act) {
    size_t fixed = 0;
    struct buf out;
    buf_init(&out, &act->r->lsp->host.allocator, 1 << 29);
    gramc_status status = gramc_source_fix(act->a->compilation, 0, buf_writer(&out), &fixed);
    if (status == GRAMC_OK && fixed) {
        struct edits e = edits_begin(act->r, TEXT("Fix all that is safe"), "source.fixAll");
        edits_open(&e, text_of(act->r->document->path));
        edits_put(&e, act->text, (struct span){0, (uint32_t)act->text.len}, buf_view(&out));
        edits_end(&e);
    }
    buf_free(&out);
}

void code_actions(struct lsp_request *r) {
    const struct json *range = json_get(r->params, "range");
    struct acting act = {.r = r, .a = r->document ? insight_of(r->lsp, r->document) : NULL};
    json_array_begin(r->result);
    if (act.a && act.a->root) {
        enum encoding encoding = r->lsp->client.encoding;
        act.text = document_text(r->document);
        act.range.start = place_offset(act.text, json_place(json_get(range, "start")), encoding);
        act.range.end = place_offset(act.text, json_place(json_get(range, "end")), encoding);
        const struct finding *f = act.a->compilation->findings.first;
        for (; f && is_wanted(r, "quickfix"); f = f->next) {
            if (!touches(&act, f)) continue;
            if (f->fixes) put_fix(&act, f);
            put_allow(&act, f);
        }
        if (is_wanted(r, "quickfix")) offer_stubs(&act);
        if (is_wanted(r, "refactor.extract")) offer_extract(&act);
        if (is_wanted(r, "source.fixAll")) put_fix_all(&act);
    }
    json_array_end(r->result);
}
