/* Turns a new name into edits of all files: every place of the old one, or (wire names kept) those
 * of the spec alone and a `name` that keeps it on the wire. */
#include "lsp/find.h"

#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/types.h"
#include "lsp/words.h"

#include <stdio.h>
#include <string.h>

static bool can_be_renamed(const struct occurrence *m) {
    return m && m->name.len && m->kind != SYMBOL_PROPERTY && m->kind != SYMBOL_LABEL &&
           m->kind != SYMBOL_FILE;
}

void prepare_rename(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    const struct occurrence *m = a ? occurrence_at(a, r->offset) : NULL;
    if (!can_be_renamed(m) || !meaning_of(r->arena, a, m).is_known) return;
    json_object_begin(r->result);
    put_range(r->result, "range", m->unit->source.text, m->at.start, m->at.end, r->lsp);
    json_member_text(r->result, "placeholder", m->name);
    json_object_end(r->result);
}

/* ## Spelling */

static bool is_symbol(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool later = (c >= '0' && c <= '9') || c == '.' || c == '@' || c == '-';
        if (!letter && (i == 0 || !later)) return false;
    }
    return name.len > 0;
}

/* Inside quotes as it is; else in backticks where it has to be. */
static gramc_text spelling(struct arena *arena, gramc_text text, struct span at, gramc_text name) {
    char before = at.start ? text.ptr[at.start - 1] : ' ';
    bool quoted = (before == '"' || before == '\'' || before == '`') && at.end < text.len &&
                  text.ptr[at.end] == before;
    if (quoted || is_symbol(name)) return name;
    char *out = arena_alloc(arena, name.len + 2);
    if (!out) return name;
    out[0] = out[name.len + 1] = '`';
    memcpy(out + 1, name.ptr, name.len);
    return (gramc_text){out, name.len + 2};
}

/* NULL, or why there can be no such name. */
static const char *refusal(gramc_text name, const struct meaning *meaning) {
    if (!name.len) return "a name cannot be empty";
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '`' || name.ptr[i] == '"' || name.ptr[i] == '\'' ||
            name.ptr[i] == '\\' || (unsigned char)name.ptr[i] < ' ')
            return "a name has no quotes, backslashes and line ends";
    bool is_type = meaning->kind == SYMBOL_TYPE;
    if (is_type && (type_find(name) || label_find(name))) return "this is a name of the language";
    return NULL;
}

/* ## Edits */

struct new_name {
    struct lsp_request *r;
    struct meaning meaning;
    gramc_text name;
    bool keeps_wire;   /* the old name stays on the wire */
    const char *clash; /* why it cannot be done */
};

static void put_edit(struct new_name *n, gramc_text text, struct span at, gramc_text with) {
    struct json_writer *w = n->r->result;
    json_object_begin(w);
    put_range(w, "range", text, at.start, at.end, n->r->lsp);
    json_member_text(w, "newText", with);
    json_object_end(w);
}

/* `name: "old"` for what is defined there, unless it says a name already. */
static void put_wire_name(struct new_name *n, const struct found_place *place) {
    gramc_text text = place->text;
    uint32_t at = place->at.end;
    char old[512];
    if (at < text.len && text.ptr[at] == '`') at++;
    while (at < text.len && !strchr("{|)]", text.ptr[at])) at++;
    bool has_record = at < text.len && text.ptr[at] == '{';
    if (at >= text.len || n->meaning.wire.len > 400) return;
    while (!has_record && at > place->at.end && text.ptr[at - 1] == ' ') at--;
    int len = snprintf(old, sizeof old, has_record ? "name: \"%.*s\", " : " {name: \"%.*s\"}",
                       TEXT_ARGS(n->meaning.wire));
    if (has_record) at++;
    put_edit(n, text, (struct span){at, at}, (gramc_text){old, (size_t)len});
}

static bool is_on_the_wire(enum symbol_kind kind) {
    return kind == SYMBOL_TOOL || kind == SYMBOL_PARAMETER || kind == SYMBOL_FIELD;
}

/* True if the place stands for the very definition that is renamed. */
static bool is_its_own(const struct new_name *n, const struct found_place *place) {
    return place->of_start == n->meaning.at.start && text_eq(place->of_path, n->meaning.path);
}

/* What implements a tool bears its name on the wire; a tool of another spec is another tool. */
static bool stays(const struct new_name *n, const struct found_place *place) {
    if (n->meaning.kind != SYMBOL_TOOL || is_its_own(n, place)) return false;
    bool follows =
        place->kind == SYMBOL_IMPL && !n->keeps_wire && text_eq(n->meaning.wire, n->meaning.name);
    return !follows;
}

static void put_file(struct new_name *n, const struct found_names *found, gramc_text path) {
    for (size_t i = 0; i < found->count; i++) {
        const struct found_place *p = &found->list[i];
        if (!text_eq(p->path, path) || stays(n, p)) continue;
        put_edit(n, p->text, p->at, spelling(n->r->arena, p->text, p->at, n->name));
        bool keeps = n->keeps_wire && p->defines && is_its_own(n, p);
        if (keeps && is_on_the_wire(p->kind) && text_eq(n->meaning.wire, n->meaning.name))
            put_wire_name(n, p);
    }
}

static bool has_edits(const struct new_name *n, const struct found_names *found, gramc_text path) {
    for (size_t i = 0; i < found->count; i++)
        if (text_eq(found->list[i].path, path) && !stays(n, &found->list[i])) return true;
    return false;
}

static bool is_first(const struct found_names *found, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (text_eq(found->list[k].path, found->list[i].path)) return false;
    return true;
}

static void put_with_versions(struct new_name *n, const struct found_names *found) {
    struct json_writer *w = n->r->result;
    json_member_array(w, "documentChanges");
    for (size_t i = 0; i < found->count; i++) {
        gramc_text path = found->list[i].path;
        if (!is_first(found, i) || !has_edits(n, found, path)) continue;
        const struct open_document *d = document_at(n->r->lsp, path);
        json_object_begin(w);
        json_member_object(w, "textDocument");
        json_key(w, "uri");
        if (d) json_text(w, text_of(d->uri));
        else put_uri(w, path);
        json_key(w, "version");
        if (d) buf_printf(json_slot(w), "%lld", (long long)d->version);
        else json_null(w);
        json_object_end(w);
        json_member_array(w, "edits");
        put_file(n, found, path);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_plain(struct new_name *n, const struct found_names *found) {
    struct json_writer *w = n->r->result;
    json_member_object(w, "changes");
    for (size_t i = 0; i < found->count; i++) {
        gramc_text path = found->list[i].path;
        if (!is_first(found, i) || !has_edits(n, found, path)) continue;
        const struct open_document *d = document_at(n->r->lsp, path);
        struct buf key;
        buf_init(&key, &w->out->allocator, 1 << 16);
        struct json_writer uri = json_writer(&key);
        if (!d) put_uri(&uri, path);
        if (d) json_key_text(w, text_of(d->uri));
        else json_key_text(w, text_slice(buf_view(&key), 1, key.len ? key.len - 1 : 0));
        buf_free(&key);
        json_array_begin(w);
        put_file(n, found, path);
        json_array_end(w);
    }
    json_object_end(w);
}

/* Another thing of that name where one of the places stands: the new name would mean two things. */
static void find_clash(void *ctx, const struct insight *a) {
    struct new_name *n = ctx;
    for (size_t i = 0; i < a->occurrences.count && !n->clash; i++) {
        const struct occurrence *m = &a->occurrences.list[i];
        const struct pattern *scope = m->scope;
        bool same_scope = n->meaning.scope_at.end
                              ? scope && scope->span.start == n->meaning.scope_at.start &&
                                    text_eq(m->unit->path, n->meaning.path)
                              : insight_includes(a, n->meaning.path.ptr);
        if (m->defines && m->kind == n->meaning.kind && text_eq(m->name, n->name) && same_scope)
            n->clash = "there is one of that name already";
    }
}

/* How many specs define a tool of that name; *first is one of them. */
static size_t count_tools(const struct found_names *found, const struct found_place **first) {
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (!found->list[i].defines || found->list[i].kind != SYMBOL_TOOL) continue;
        *first = &found->list[i];
        count++;
    }
    return count;
}

/* Libraries that serve several specs keep the name that these know: then the tool keeps it on the
 * wire. An implementation is renamed with the tool that it does, if that is one. */
static void look_at_tools(struct new_name *n, const struct found_names *found) {
    const struct found_place *tool = NULL;
    size_t count = count_tools(found, &tool);
    if (n->meaning.kind == SYMBOL_TOOL && count > 1) n->keeps_wire = true;
    if (n->meaning.kind != SYMBOL_IMPL || !count) return;
    if (count > 1) n->r->failure = "several specs have a tool of this name: rename it there";
    n->meaning.kind = SYMBOL_TOOL;
    n->meaning.at = tool->at;
    n->meaning.path = tool->path;
}

void rename_symbol(struct lsp_request *r) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    const struct occurrence *m = a ? occurrence_at(a, r->offset) : NULL;
    const struct json *name = json_get(r->params, "newName");
    if (!can_be_renamed(m) || !json_is(name, JSON_STRING)) {
        r->failure = "there is no name here that can be changed";
        return;
    }
    struct new_name n = {.r = r,
                         .meaning = meaning_of(r->arena, a, m),
                         .name = name->text,
                         .keeps_wire = r->lsp->client.keeps_wire_names};
    struct found_names found;
    found_init(&found, r->arena);
    if (!n.meaning.is_known) r->failure = "what this name stands for is not known";
    else r->failure = refusal(n.name, &n.meaning);
    if (!r->failure) find_everywhere(&found, r->lsp, r->arena, &n.meaning);
    if (!r->failure) look_at_tools(&n, &found);
    if (!r->failure && !text_eq(n.name, n.meaning.name)) each_file(r->lsp, find_clash, &n);
    if (!r->failure) r->failure = n.clash;
    if (r->failure) return;
    json_object_begin(r->result);
    if (r->lsp->client.takes_document_changes) put_with_versions(&n, &found);
    else put_plain(&n, &found);
    json_object_end(r->result);
}
