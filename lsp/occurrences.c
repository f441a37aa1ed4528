/* Walks a tree and notes where names stand: what they define, what they refer to, by the place and
 * by what words.def says of properties. Works on trees with holes: it needs no compiled spec. */
#include "lsp/occurrences.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/types.h"
#include "lsp/words.h"

struct name_walk {
    struct occurrences *out;
    struct arena *arena;
    const struct unit *unit;
    const struct pattern *scope; /* library, experiment, agent, signature or record */
    int32_t parent;
};

static struct occurrence *add(struct name_walk *w, struct occurrence occurrence) {
    struct occurrences *m = w->out;
    if (m->count == m->room) {
        size_t room = m->room ? m->room * 2 : 256;
        struct occurrence *list = arena_array(w->arena, room, sizeof *list);
        if (!list) {
            m->oom = true;
            return NULL;
        }
        if (m->count) memcpy(list, m->list, m->count * sizeof *list);
        m->list = list;
        m->room = room;
    }
    occurrence.unit = w->unit;
    occurrence.parent = w->parent;
    m->list[m->count] = occurrence;
    return &m->list[m->count++];
}

/* Quotes are not part of the name. */
static struct span inner_span(struct name name) {
    struct span at = name_span(name);
    if (name.is_quoted && at.end - at.start >= 2) return (struct span){at.start + 1, at.end - 1};
    return at;
}

static void refer(struct name_walk *w, enum symbol_kind kind, struct name name,
                  const struct pattern *pattern) {
    add(w, (struct occurrence){
               .kind = kind, .at = inner_span(name), .name = name_text(name), .pattern = pattern});
}

/* Notes a definition; returns the number that what stands inside has as its parent. */
static int32_t define(struct name_walk *w, enum symbol_kind kind, const struct pattern *pattern,
                      const void *scope) {
    const struct subject *s = pattern->subject;
    if (!s || !subject_has_identifier(s)) return w->parent;
    struct occurrence *m = add(w, (struct occurrence){.kind = kind,
                                                      .defines = true,
                                                      .at = inner_span(s->identifier),
                                                      .name = name_text(s->identifier),
                                                      .scope = scope,
                                                      .pattern = pattern});
    return m ? (int32_t)(m - w->out->list) : w->parent;
}

/* ## Values */

static void walk_types(struct name_walk *w, const struct value *value);
static void walk_record(struct name_walk *w, const char *owner, const struct property *first);

static void refer_value(struct name_walk *w, enum symbol_kind kind, const struct value *value) {
    if (!value_is_name(value)) return;
    struct span at = value->span;
    bool quoted = value->quote == QUOTE_SINGLE || value->quote == QUOTE_DOUBLE ||
                  value->quote == QUOTE_BACKTICK;
    if (quoted && at.end - at.start >= 2) at = (struct span){at.start + 1, at.end - 1};
    if (kind == SYMBOL_TYPE && type_find(value_name(value))) kind = SYMBOL_LABEL;
    add(w, (struct occurrence){.kind = kind,
                               .at = at,
                               .name = value_name(value),
                               .scope =
                                   kind == SYMBOL_BOX || kind == SYMBOL_GRADER ? w->scope : NULL});
}

/* One name, or a list of them. */
static void refer_values(struct name_walk *w, enum symbol_kind kind, const struct value *value) {
    if (value->kind != VALUE_ARRAY) refer_value(w, kind, value);
    else
        for (const struct value *v = value->as.items; v; v = v->next) refer_value(w, kind, v);
}

static void walk_types(struct name_walk *w, const struct value *value) {
    if (value->kind == VALUE_ARRAY)
        for (const struct value *v = value->as.items; v; v = v->next) walk_types(w, v);
    else if (value->kind == VALUE_MAP) walk_record(w, "type", value->as.entries);
    else refer_value(w, SYMBOL_TYPE, value);
}

static void define_field(struct name_walk *w, struct name name) {
    add(w, (struct occurrence){.kind = SYMBOL_FIELD,
                               .defines = true,
                               .at = inner_span(name),
                               .name = name_text(name),
                               .scope = w->scope});
}

static void walk_fields(struct name_walk *w, const struct value *value) {
    if (value->kind == VALUE_ARRAY) walk_types(w, value);
    if (value->kind != VALUE_MAP) return;
    for (const struct property *p = value->as.entries; p; p = p->next) {
        define_field(w, p->key);
        walk_types(w, p->value);
    }
}

static void walk_value(struct name_walk *w, enum word_sort sort, const struct value *value) {
    switch (sort) {
    case WORD_TYPE:
    case WORD_TYPES: walk_types(w, value); break;
    case WORD_FIELDS: walk_fields(w, value); break;
    case WORD_TOOL: refer_values(w, SYMBOL_TOOL, value); break;
    case WORD_AGENT: refer_value(w, SYMBOL_AGENT, value); break;
    case WORD_LIBRARY: refer_value(w, SYMBOL_LIBRARY, value); break;
    case WORD_BOX: refer_value(w, SYMBOL_BOX, value); break;
    case WORD_GRADER:
    case WORD_GRADERS: refer_values(w, SYMBOL_GRADER, value); break;
    case WORD_FILE:
    case WORD_FILES: refer_values(w, SYMBOL_FILE, value); break;
    case WORD_SANDBOX:
        if (value->kind == VALUE_MAP) walk_record(w, "sandbox", value->as.entries);
        break;
    default: break;
    }
}

/* `{file: "prompt.md"}` stands for a text anywhere. */
static const struct value *file_in(const struct value *value) {
    const struct property *only = value->kind == VALUE_MAP ? value->as.entries : NULL;
    bool is_file = only && !only->next && text_is(name_text(only->key), "file");
    return is_file ? only->value : NULL;
}

static void walk_record(struct name_walk *w, const char *owner, const struct property *first) {
    for (const struct property *p = first; p; p = p->next) {
        const struct property_word *word = property_word_find(owner, name_text(p->key));
        add(w, (struct occurrence){.kind = SYMBOL_PROPERTY,
                                   .at = inner_span(p->key),
                                   .name = name_text(p->key),
                                   .owner = owner});
        const struct value *file = word && word->sort == WORD_TEXT ? file_in(p->value) : NULL;
        if (file) refer_value(w, SYMBOL_FILE, file);
        else if (word) walk_value(w, word->sort, p->value);
    }
}

/* ## Patterns */

static void walk_label(struct name_walk *w, const struct pattern *pattern) {
    const struct subject *s = pattern->subject;
    for (const struct label *l = s ? s->labels : NULL; l; l = l->next) {
        gramc_text name = name_text(l->name);
        bool known = label_find(name) || type_find(name);
        refer(w, known ? SYMBOL_LABEL : SYMBOL_TYPE, l->name, pattern);
    }
}

static void walk_properties(struct name_walk *w, const struct pattern *pattern) {
    if (pattern->subject)
        walk_record(w, property_owner(pattern_label(pattern)), pattern->subject->properties);
}

/* A parameter, or (last) what comes back. */
static void walk_node(struct name_walk *w, const struct pattern *node,
                      const struct pattern *signature, bool is_result) {
    struct name_walk inner = *w;
    size_t before = w->out->count;
    inner.parent = is_result ? w->parent : define(w, SYMBOL_PARAMETER, node, signature);
    if (!is_result && w->out->count > before && node->subject && !node->subject->labels)
        w->out->list[before].reuses = true;
    inner.scope = node;
    walk_label(&inner, node);
    walk_properties(&inner, node);
}

static void walk_signature(struct name_walk *w, const struct pattern *path) {
    for (const struct pattern *e = path->elements; e; e = e->next)
        if (e->kind != PATTERN_ARROW) walk_node(w, e, path, !e->next);
}

static void walk_tool(struct name_walk *w, const struct pattern *tool, enum symbol_kind kind) {
    struct name_walk inner = *w;
    inner.parent = define(w, kind, tool, kind == SYMBOL_IMPL ? w->scope : NULL);
    walk_label(&inner, tool);
    walk_properties(&inner, tool);
    for (const struct pattern *e = tool->elements; e; e = e->next) {
        const struct pattern *path = pattern_plain(e);
        if (path->kind == PATTERN_PATH) walk_signature(&inner, path);
        else walk_node(&inner, path, tool, true);
    }
}

/* The elements of an agent or a task. */
static void walk_offers(struct name_walk *w, const struct pattern *owner) {
    for (const struct pattern *e = owner->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        gramc_text label = pattern_label(element);
        const struct subject *s = element->subject;
        if (text_is(label, "Tool")) walk_tool(w, element, SYMBOL_TOOL);
        else if (text_is(label, "Task")) {
            struct name_walk inner = *w;
            inner.parent = define(w, SYMBOL_TASK, element, owner);
            walk_label(&inner, element);
            walk_properties(&inner, element);
            walk_offers(&inner, element);
        } else if (text_is(label, "ToolBox")) {
            refer(w, SYMBOL_BOX, s->identifier, element);
            walk_label(w, element);
            walk_properties(w, element);
        } else if (!label.len && s && subject_has_identifier(s))
            refer(w, SYMBOL_TOOL, s->identifier, element);
    }
}

static void walk_library(struct name_walk *w, const struct pattern *library) {
    struct name_walk inner = *w;
    inner.scope = library;
    for (const struct pattern *e = library->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        gramc_text label = pattern_label(element);
        bool is_box = text_is(label, "McpServer") || text_is(label, "HttpToolBox");
        if (!is_box && label.len) walk_tool(&inner, element, SYMBOL_IMPL);
        else if (is_box) {
            struct name_walk box = inner;
            box.parent = define(&inner, SYMBOL_BOX, element, library);
            walk_label(&box, element);
            walk_properties(&box, element);
        }
    }
}

static void walk_experiment(struct name_walk *w, const struct pattern *experiment) {
    struct name_walk inner = *w;
    inner.scope = experiment;
    for (const struct pattern *e = experiment->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        bool is_arm = text_is(pattern_label(element), "Arm");
        struct name_walk part = inner;
        part.parent = define(&inner, is_arm ? SYMBOL_ARM : SYMBOL_GRADER, element, experiment);
        walk_label(&part, element);
        walk_properties(&part, element);
    }
}

/* The elements of a type: fields, or members by name or in place. */
static void walk_members(struct name_walk *w, const struct pattern *type) {
    struct name_walk inner = *w;
    inner.scope = type;
    for (const struct pattern *e = type->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        const struct subject *s = element->subject;
        bool named = s && subject_has_identifier(s);
        if (named && !s->labels) refer(&inner, SYMBOL_TYPE, s->identifier, element);
        else if (element->kind == PATTERN_NODE || element->kind == PATTERN_BRACKET) {
            struct name_walk field = inner;
            if (named) field.parent = define(&inner, SYMBOL_FIELD, element, type);
            walk_label(&field, element);
            walk_properties(&field, element);
            walk_members(&field, element);
        }
    }
}

static void walk_top(struct name_walk *w, const struct pattern *pattern) {
    static const struct {
        const char *label;
        enum symbol_kind kind;
        void (*elements)(struct name_walk *w, const struct pattern *pattern);
    } kinds[] = {{"Agent", SYMBOL_AGENT, walk_offers},
                 {"ToolLibrary", SYMBOL_LIBRARY, walk_library},
                 {"Experiment", SYMBOL_EXPERIMENT, walk_experiment},
                 {"", SYMBOL_TYPE, walk_members}};
    gramc_text label = pattern_label(pattern);
    size_t i = 0;
    if (pattern->kind == PATTERN_PATH) walk_signature(w, pattern);
    if (text_is(label, "Tool")) walk_tool(w, pattern, SYMBOL_TOOL);
    if (pattern->kind == PATTERN_PATH || text_is(label, "Tool")) return;
    while (kinds[i].label[0] && !text_is(label, kinds[i].label)) i++;
    struct name_walk inner = *w;
    if (label.len) inner.parent = define(w, kinds[i].kind, pattern, NULL);
    /* What a library or experiment says may name what is inside of it. */
    inner.scope = pattern;
    walk_label(&inner, pattern);
    walk_properties(&inner, pattern);
    kinds[i].elements(&inner, pattern);
}

void occurrences_read(struct occurrences *occurrences, struct arena *arena,
                      const struct unit *unit) {
    struct name_walk w = {.out = occurrences, .arena = arena, .unit = unit, .parent = -1};
    if (!unit->tree) return;
    for (const struct pattern *p = unit->tree->patterns; p; p = p->next) {
        if (p->kind == PATTERN_HEADER) walk_record(&w, "header", p->subject->properties);
        else walk_top(&w, pattern_plain(p));
    }
}

void occurrences_link(struct occurrences *occurrences, struct arena *arena) {
    map_init(&occurrences->names, arena);
    for (size_t i = 0; i < occurrences->count; i++) {
        struct occurrence *m = &occurrences->list[i];
        struct occurrence_chain *chain = map_get(&occurrences->names, m->name);
        m->next = -1;
        if (chain) occurrences->list[chain->last].next = (int32_t)i;
        else if ((chain = ARENA_NEW(arena, struct occurrence_chain)) != NULL) {
            chain->first = (int32_t)i;
            map_put(&occurrences->names, m->name, chain);
        } else return;
        chain->last = (int32_t)i;
    }
}

int32_t occurrences_named(const struct occurrences *occurrences, gramc_text name) {
    const struct occurrence_chain *chain = map_get(&occurrences->names, name);
    return chain ? chain->first : -1;
}

const char *occurrence_noun(enum symbol_kind kind) {
    static const char *const nouns[] = {[SYMBOL_AGENT] = "agent",
                                        [SYMBOL_TOOL] = "tool",
                                        [SYMBOL_LIBRARY] = "tool library",
                                        [SYMBOL_EXPERIMENT] = "experiment",
                                        [SYMBOL_TYPE] = "type",
                                        [SYMBOL_TASK] = "task",
                                        [SYMBOL_PARAMETER] = "parameter",
                                        [SYMBOL_FIELD] = "field",
                                        [SYMBOL_IMPL] = "implementation",
                                        [SYMBOL_BOX] = "box",
                                        [SYMBOL_ARM] = "arm",
                                        [SYMBOL_GRADER] = "grader",
                                        [SYMBOL_FILE] = "file",
                                        [SYMBOL_PROPERTY] = "property",
                                        [SYMBOL_LABEL] = "label"};
    return nouns[kind];
}

gramc_text wire_name(const struct occurrence *definition) {
    const struct pattern *pattern = definition->pattern;
    const struct property *p = pattern ? property_find(pattern->subject, "name") : NULL;
    return p && value_is_name(p->value) ? value_name(p->value) : definition->name;
}
