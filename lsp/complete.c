/* Turns the place of the cursor into what can stand there, each with a line about it. */
#include "lsp/insight.h"

#include "compiler/definition.h"
#include "compiler/library.h"
#include "compiler/properties.h"
#include "compiler/pattern.h"
#include "lsp/context.h"
#include "lsp/schema_text.h"
#include "lsp/words.h"

#include <stdio.h>

/* CompletionItemKind of the protocol. */
enum item_kind {
    ITEM_TEXT = 1,
    ITEM_FUNCTION = 3,
    ITEM_FIELD = 5,
    ITEM_VARIABLE = 6,
    ITEM_CLASS = 7,
    ITEM_MODULE = 9,
    ITEM_PROPERTY = 10,
    ITEM_VALUE = 12,
    ITEM_ENUM_MEMBER = 20,
    ITEM_KEYWORD = 14,
    ITEM_SNIPPET = 15,
    ITEM_FILE = 17,
    ITEM_STRUCT = 22
};

struct offering_items {
    struct lsp_request *r;
    struct insight *a; /* NULL: nothing is known of the names */
    struct context *c;
    struct place_cursor cursor;
    struct map seen;
    bool incomplete;
};

/* ## One item */

static void put_item(struct offering_items *o, gramc_text label, enum item_kind kind,
                     const char *detail, gramc_text about, gramc_text insert, bool is_snippet) {
    struct json_writer *w = o->r->result;
    if (!label.len || map_get(&o->seen, label)) return;
    gramc_text key = arena_text(o->r->arena, label);
    if (key.ptr) map_put(&o->seen, key, o);
    json_object_begin(w);
    json_member_text(w, "label", label);
    json_member_number(w, "kind", kind);
    if (detail && detail[0]) json_member_text(w, "detail", text_of(detail));
    if (about.len) {
        json_member_object(w, "documentation");
        json_member_text(w, "kind", TEXT("markdown"));
        json_member_text(w, "value", about);
        json_object_end(w);
    }
    if (is_snippet) json_member_number(w, "insertTextFormat", 2);
    json_member_object(w, "textEdit");
    put_range(w, "range", o->cursor.text, o->c->word.start, o->c->word.end, o->r->lsp);
    json_member_text(w, "newText", insert);
    json_object_end(w);
    json_object_end(w);
}

static void put_plain(struct offering_items *o, gramc_text label, enum item_kind kind,
                      const char *detail, gramc_text about) {
    put_item(o, label, kind, detail, about, label, false);
}

/* A text: in quotes, unless the cursor stands in some. */
static void put_quoted(struct offering_items *o, gramc_text label, enum item_kind kind,
                       const char *detail) {
    char *quoted = arena_alloc(o->r->arena, label.len + 2);
    if (!quoted) return;
    quoted[0] = quoted[label.len + 1] = '"';
    memcpy(quoted + 1, label.ptr, label.len);
    gramc_text insert = o->c->in_string ? label : (gramc_text){quoted, label.len + 2};
    put_item(o, label, kind, detail, (gramc_text){NULL, 0}, insert, false);
}

/* ## Names */

static gramc_text about_occurrence(const struct occurrence *m) {
    const struct property *p =
        m->pattern ? property_find(m->pattern->subject, "description") : NULL;
    return p && p->value->kind == VALUE_STRING ? text_trim(scalar_text(p->value))
                                               : (gramc_text){NULL, 0};
}

static void put_names(struct offering_items *o, enum symbol_kind kind, enum item_kind item) {
    for (size_t i = 0; o->a && i < o->a->occurrences.count; i++) {
        const struct occurrence *m = &o->a->occurrences.list[i];
        /* What is being written is no name yet. */
        bool here =
            m->unit == o->a->root && m->at.start <= o->c->word.end && o->c->word.start <= m->at.end;
        if (m->defines && m->kind == kind && !here)
            put_plain(o, m->name, item, occurrence_noun(kind), about_occurrence(m));
    }
}

static void put_types(struct offering_items *o) {
    put_names(o, SYMBOL_TYPE, ITEM_STRUCT);
    for (size_t i = 0; type_label(i); i++)
        put_plain(o, text_of(type_label(i)), ITEM_KEYWORD, "type", (gramc_text){NULL, 0});
}

static void put_words(struct offering_items *o, const char *words, enum item_kind kind) {
    gramc_text all = text_of(words);
    for (size_t start = 0, i = 0; i <= all.len; i++) {
        bool escaped = i && all.ptr[i - 1] == '\\';
        if (i < all.len && (all.ptr[i] != ' ' || escaped)) continue;
        gramc_text word = text_slice(all, start, i);
        bool is_text = false; /* a symbol has no slash */
        for (size_t k = 0; k < word.len; k++) is_text = is_text || word.ptr[k] == '/';
        if (is_text) put_quoted(o, word, kind, "");
        else if (word.len && word.ptr[0] != '{')
            put_plain(o, word, kind, "", (gramc_text){NULL, 0});
        start = i + 1;
    }
}

static void put_models(struct offering_items *o) {
    static const char *const providers[] = {
#define GRAMC_PROVIDER_NAME(name) name "/",
#include "gramc/providers.def"
    };
    gramc_setting setting;
    for (size_t i = 0; o->a && gramc_setting_get(o->a->compilation, i, &setting); i++) {
        gramc_text key = setting.key;
        size_t end = key.len;
        if (!text_starts(key, "models.")) continue;
        while (end > 7 && key.ptr[end - 1] != '.') end--;
        if (end > 8) put_quoted(o, text_slice(key, 7, end - 1), ITEM_VALUE, "model");
    }
    for (size_t i = 0; o->a && i < o->a->occurrences.count; i++) {
        const struct occurrence *m = &o->a->occurrences.list[i];
        const struct property *p = m->defines && m->kind == SYMBOL_AGENT
                                       ? property_find(m->pattern->subject, "model")
                                       : NULL;
        if (p && p->value->kind == VALUE_STRING)
            put_quoted(o, scalar_text(p->value), ITEM_VALUE, "model");
    }
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
        put_quoted(o, text_of(providers[i]), ITEM_VALUE, "provider");
}

/* ## Files */

static void put_file(void *to, const char *name) {
    struct offering_items *o = to;
    put_quoted(o, text_of(name), ITEM_FILE, "file");
}

/* Of the folder that is written already; its part of the word stays. */
static void put_files(struct offering_items *o) {
    gramc_text folder = path_folder(o->c->before);
    gramc_text base = path_folder(text_of(o->r->document->path));
    gramc_text path = path_join(o->r->arena, base, folder);
    o->c->word.start += (uint32_t)folder.len;
    o->incomplete = true;
    if (path.ptr) o->r->lsp->host.each_name(o->r->lsp->host.ctx, path.ptr, put_file, o);
}

/* ## Values */

/* Of `default` and `const`: the members of the enum, in place or of the named type. */
static void put_members(struct offering_items *o, const struct context_bracket *record) {
    const struct context_bracket *pattern = context_frame(o->c, 1);
    for (size_t i = 0; i < record->member_count; i++)
        put_plain(o, record->members[i], ITEM_ENUM_MEMBER, "", (gramc_text){NULL, 0});
    for (size_t i = 0; o->a && pattern && i < o->a->occurrences.count; i++) {
        const struct occurrence *m = &o->a->occurrences.list[i];
        if (!m->defines || m->kind != SYMBOL_TYPE || !text_eq(m->name, pattern->label)) continue;
        const struct property *p = property_find(m->pattern->subject, "enum");
        const struct value *v = p && p->value->kind == VALUE_ARRAY ? p->value->as.items : NULL;
        for (; v; v = v->next)
            if (v->kind == VALUE_STRING || v->kind == VALUE_SYMBOL)
                put_quoted(o, scalar_text(v), ITEM_ENUM_MEMBER, "");
    }
    bool is_flag =
        pattern && (text_is(pattern->label, "Bool") || text_is(pattern->label, "Boolean"));
    if (is_flag) put_words(o, "true false", ITEM_VALUE);
}

static void put_sort(struct offering_items *o, const struct property_word *word,
                     const struct context_bracket *record) {
    switch (word->sort) {
    case WORD_FLAG: put_words(o, "true false", ITEM_VALUE); break;
    case WORD_TYPE:
    case WORD_TYPES: put_types(o); break;
    case WORD_TOOL: put_names(o, SYMBOL_TOOL, ITEM_FUNCTION); break;
    case WORD_AGENT: put_names(o, SYMBOL_AGENT, ITEM_CLASS); break;
    case WORD_LIBRARY: put_names(o, SYMBOL_LIBRARY, ITEM_MODULE); break;
    case WORD_BOX: put_names(o, SYMBOL_BOX, ITEM_MODULE); break;
    case WORD_GRADER:
    case WORD_GRADERS: put_names(o, SYMBOL_GRADER, ITEM_VARIABLE); break;
    case WORD_MODEL: put_models(o); break;
    case WORD_FILE:
    case WORD_FILES: put_files(o); break;
    case WORD_DATA: put_members(o, record); break;
    default: break;
    }
    put_words(o, word->words, ITEM_VALUE);
}

static void put_values(struct offering_items *o) {
    const struct context_bracket *record = context_frame(o->c, 0);
    if (record && record->bracket == 'a') record = context_frame(o->c, 1);
    if (!record) return;
    if (record->names_types) put_types(o);
    if (text_is(record->key, "file")) put_files(o);
    const struct property_word *word =
        record->owner ? property_word_find(record->owner, record->key) : NULL;
    if (word) put_sort(o, word, record);
}

/* ## Keys */

static bool has_key(const struct context_bracket *record, const char *name) {
    for (size_t i = 0; i < record->key_count; i++)
        if (text_is(record->keys[i], name)) return true;
    return false;
}

/* The base type of a label, by way of the named types; TYPE_KINDS: not known. */
static enum type_kind kind_of(const struct offering_items *o, gramc_text label) {
    const struct type_row *row = type_find(label);
    for (unsigned links = 0; !row && o->a && links < 16; links++) {
        const struct occurrence *found = NULL;
        for (size_t i = 0; i < o->a->occurrences.count && !found; i++) {
            const struct occurrence *m = &o->a->occurrences.list[i];
            if (m->defines && m->kind == SYMBOL_TYPE && text_eq(m->name, label)) found = m;
        }
        if (!found) return TYPE_KINDS;
        label = pattern_label(found->pattern);
        row = type_find(label);
    }
    return row ? row->kind : TYPE_KINDS;
}

static gramc_text with_value(struct offering_items *o, const struct property_word *word) {
    const char *value = word->sort == WORD_TEXT || word->sort == WORD_MODEL ? ": \"$1\"" : ": $0";
    bool snippet = o->r->lsp->client.takes_snippets;
    size_t len = strlen(word->name), more = snippet ? strlen(value) : 2;
    char *out = arena_alloc(o->r->arena, len + more);
    if (!out) return text_of(word->name);
    memcpy(out, word->name, len);
    memcpy(out + len, snippet ? value : ": ", more);
    return (gramc_text){out, len + more};
}

static void put_keys(struct offering_items *o) {
    const struct context_bracket *record = context_frame(o->c, 0),
                                 *pattern = context_frame(o->c, 1);
    if (!record || !record->owner) return;
    bool is_type = text_is(text_of(record->owner), "type");
    enum type_kind kind = is_type && pattern ? kind_of(o, pattern->label) : TYPE_KINDS;
    for (size_t i = 0; property_word(i); i++) {
        const struct property_word *word = property_word(i);
        bool fits = text_is(text_of(word->label), record->owner) && !has_key(record, word->name);
        if (fits && kind != TYPE_KINDS) fits = property_is_for(word, kind);
        if (fits && is_type && pattern && pattern->bracket == '(')
            fits = !text_is(text_of(word->name), "type");
        if (fits)
            put_item(o, text_of(word->name), ITEM_PROPERTY, word->words, text_of(word->about),
                     with_value(o, word), o->r->lsp->client.takes_snippets);
    }
}

/* ## Patterns */

static const char *inside_of(const struct context *c) {
    const struct context_bracket *outer = context_frame(c, 1);
    if (outer && text_is(outer->label, "Task")) return "Agent";
    const struct label_word *label = outer ? label_find(outer->label) : NULL;
    return label ? label->label : "";
}

static void put_labels(struct offering_items *o) {
    const struct context_bracket *f = context_frame(o->c, 0);
    const char *inside = inside_of(o->c);
    bool is_pattern = f->bracket == '[' || inside[0];
    bool of_tool = text_is(text_of(inside), "Tool") || text_is(text_of(inside), "ToolImpl");
    for (size_t i = 0; is_pattern && !of_tool && label_word(i); i++) {
        const struct label_word *word = label_word(i);
        bool fits = text_is(text_of(word->inside), inside);
        bool offers = text_is(text_of(inside), "Agent") && text_is(text_of(word->label), "Tool");
        if (fits || offers)
            put_plain(o, text_of(word->label), ITEM_CLASS, "label", text_of(word->about));
    }
    bool takes_types = !inside[0] || of_tool || f->bracket == '(';
    if (takes_types) put_types(o);
}

static void put_snippet(struct offering_items *o, const char *label, const char *about,
                        const char *snippet) {
    if (o->r->lsp->client.takes_snippets)
        put_item(o, text_of(label), ITEM_SNIPPET, "", text_of(about), text_of(snippet), true);
}

/* Tools that no implementation of this library does, by the specs of the workspace. */
struct missing {
    struct offering_items *o;
    gramc_text library;
};

static void put_missing(void *ctx, const struct insight *a) {
    struct missing *m = ctx;
    for (size_t i = 0; i < a->occurrences.count; i++) {
        const struct occurrence *t = &a->occurrences.list[i];
        char snippet[400];
        if (!t->defines || t->kind != SYMBOL_TOOL || t->unit != a->root) continue;
        gramc_text wire = wire_name(t);
        int len = snprintf(snippet, sizeof snippet, "[%.*s:ToolImpl {$0}]", TEXT_ARGS(wire));
        if (len > 0 && (size_t)len < sizeof snippet && m->o->r->lsp->client.takes_snippets)
            put_item(m->o, wire, ITEM_FUNCTION, "tool", about_occurrence(t),
                     (gramc_text){snippet, (size_t)len}, true);
    }
}

static void put_elements(struct offering_items *o) {
    const struct context_bracket *f = context_frame(o->c, 0);
    if (text_is(f->label, "Agent") || text_is(f->label, "Task")) {
        put_names(o, SYMBOL_TOOL, ITEM_FUNCTION);
        put_snippet(o, "tool", "A tool of this agent alone",
                    "[${1:name}:Tool {description: \"$2\"} |\n  "
                    "(${3:parameter}::${4:Text})==>(::${5:Text})]");
    } else if (text_is(f->label, "ToolLibrary")) {
        struct missing missing = {o, f->identifier};
        each_file(o->r->lsp, put_missing, &missing);
        put_snippet(o, "server", "The tools of an MCP server",
                    "[${1:name}:McpServer {command: [\"$2\"]}]");
    } else if (text_is(f->label, "Experiment")) {
        put_snippet(o, "arm", "One way of doing it",
                    "[${1:name}:Arm {agent: ${2:agent}, library: ${3:library}}]");
        put_snippet(o, "grader", "What every run is judged by",
                    "[${1:name}:Grader {contains: \"$2\"}]");
    } else if (text_is(f->label, "Tool") || text_is(f->label, "ToolImpl"))
        put_snippet(o, "signature", "What goes in, and what comes out",
                    "(${1:parameter}::${2:Text})==>(::${3:Text})");
    else put_types(o);
}

static void put_top(struct offering_items *o) {
    put_snippet(o, "agent", "An agent with a tool",
                "[${1:name}:Agent {\n  description: \"$2\",\n  instruction: \"$3\",\n  model: "
                "\"${4:OpenAI/gpt-4o-mini}\"\n} |\n  [${5:tool}:Tool {description: \"$6\"} |\n    "
                "(${7:parameter}::${8:Text})==>(::${9:Text})]\n]");
    put_snippet(
        o, "tool", "A tool that several agents may list",
        "[${1:name}:Tool {description: \"$2\"} |\n  (${3:parameter}::${4:Text})==>(::${5:Text})]");
    put_snippet(o, "library", "How tools are done",
                "[${1:name}:ToolLibrary {description: \"$2\"} |\n  [${3:tool}:ToolImpl {exec: "
                "[\"$4\"]}]\n]");
    put_snippet(o, "experiment", "What is compared with what",
                "[${1:name}:Experiment {cases: \"${2:cases.jsonl}\"} |\n  [control:Arm {agent: "
                "${3:agent}, library: ${4:library}}],\n  [treatment:Arm {agent: ${3:agent}, "
                "library: ${5:library}}]\n]");
    put_snippet(o, "type", "A named type", "[${1:Name}:${2:Object} | (${3:field}::${4:Text})]");
    put_snippet(o, "imports", "Files whose names may be used here", "{imports: [\"$1\"]}\n");
}

/* ## Inputs */

/* `${env:NAME}` in libraries; elsewhere the inputs that the agent has already. */
static void put_inputs(struct offering_items *o) {
    gramc_text label = context_label(o->c);
    bool library = text_is(label, "ToolImpl") || text_is(label, "McpServer") ||
                   text_is(label, "HttpToolBox") || text_is(label, "ToolLibrary");
    gramc_setting setting;
    if (!library) put_plain(o, TEXT("message"), ITEM_VARIABLE, "the user's message", TEXT(""));
    for (size_t i = 0; library && o->a && gramc_setting_get(o->a->compilation, i, &setting); i++) {
        char name[300];
        if (!text_is(setting.key, "allowEnv")) continue;
        int len = snprintf(name, sizeof name, "env:%.*s", TEXT_ARGS(setting.value));
        if (len > 0 && (size_t)len < sizeof name)
            put_plain(o, (gramc_text){name, (size_t)len}, ITEM_VARIABLE, "secret", TEXT(""));
    }
    for (size_t i = 0; !library && o->a && o->a->spec && i < gramc_spec_agent_count(o->a->spec);
         i++) {
        const gramc_agent *agent = gramc_spec_agent(o->a->spec, i);
        for (size_t k = 0; k < agent->input_count; k++)
            put_plain(o, agent->inputs[k], ITEM_VARIABLE, "input", TEXT(""));
    }
    /* Of a tool that is done by a request: its parameters, wherever they are declared. */
    const struct context_bracket *impl = NULL;
    for (size_t i = 0; library && i < o->c->depth; i++)
        if (text_is(o->c->frames[i].label, "ToolImpl")) impl = &o->c->frames[i];
    for (size_t i = 0; impl && o->a && i < o->a->occurrences.count; i++) {
        const struct occurrence *m = &o->a->occurrences.list[i];
        const struct occurrence *owner = m->parent >= 0 ? &o->a->occurrences.list[m->parent] : NULL;
        if (m->defines && m->kind == SYMBOL_PARAMETER && owner &&
            text_eq(wire_name(owner), impl->identifier))
            put_plain(o, m->name, ITEM_VARIABLE, "parameter", TEXT(""));
    }
}

/* `// gramc: allow(` is followed by the codes of what was found here. */
static void put_codes(struct offering_items *o) {
    gramc_text before = o->c->before;
    size_t at = before.len;
    while (at && before.ptr[at - 1] != '(' && before.ptr[at - 1] != ',') at--;
    bool allows = at && text_starts(text_trim(text_slice(before, 2, before.len)), "gramc:");
    if (!allows) return;
    while (at < before.len && before.ptr[at] == ' ') at++;
    o->c->word.start += (uint32_t)at;
    const struct finding *f = o->a ? o->a->compilation->findings.first : NULL;
    for (; f; f = f->next)
        if (diag_is_suppressible(f->id))
            put_plain(o, text_of(f->row->code), ITEM_VALUE, f->row->slug,
                      text_of(f->row->explanation));
}

static void put_all(struct offering_items *o) {
    switch (o->c->kind) {
    case CONTEXT_TOP: put_top(o); break;
    case CONTEXT_LABEL: put_labels(o); break;
    case CONTEXT_KEY: put_keys(o); break;
    case CONTEXT_VALUE: put_values(o); break;
    case CONTEXT_ELEMENT: put_elements(o); break;
    case CONTEXT_INPUT: put_inputs(o); break;
    case CONTEXT_COMMENT: put_codes(o); break;
    case CONTEXT_IDENTIFIER:
        if (context_frame(o->c, 0)->bracket == '(') put_names(o, SYMBOL_PARAMETER, ITEM_VARIABLE);
        break;
    case CONTEXT_NOWHERE: break;
    }
}

void complete(struct lsp_request *r) {
    struct context *c = arena_alloc(r->arena, sizeof *c);
    if (!r->document || !c) return;
    struct offering_items o = {.r = r, .a = insight_of(r->lsp, r->document), .c = c};
    o.cursor = (struct place_cursor){.text = document_text(r->document),
                                     .encoding = r->lsp->client.encoding};
    map_init(&o.seen, r->arena);
    context_read(c, o.cursor.text, r->offset);
    json_object_begin(r->result);
    json_member_array(r->result, "items");
    put_all(&o);
    json_array_end(r->result);
    json_member_bool(r->result, "isIncomplete", o.incomplete);
    json_object_end(r->result);
}
