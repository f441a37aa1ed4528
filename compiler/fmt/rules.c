/* Decides what is written differently: `::` and `==>` in signatures, names without needless
 * quotes, our spelling of a property, a fence for JSON that quotes would disfigure. Turns a tree
 * into edits in the order of their places; where lines end is grammar/format.c's. */
#include "compiler/fmt/format.h"

#include "base/map.h"
#include "base/text.h"
#include "compiler/type_properties.h"

#include <string.h>

enum { LONGEST_CHAIN = 16 };

struct rules {
    struct buf *edits;
    struct arena *arena;
    gramc_text source;
    struct map brackets; /* of the file, by name */
    bool portable;
};

/* What a bracket makes of its elements. */
enum name_role {
    NAME_ROLE_OTHER,
    NAME_ROLE_TOOL,
    NAME_ROLE_TYPE,
    NAME_ROLE_AGENT,
    NAME_ROLE_GRADER
};

static void add(struct rules *rules, struct span span, gramc_text text, bool double_colon) {
    struct format_edit edit = {span, text, double_colon};
    buf_put(rules->edits, (const char *)&edit, sizeof edit);
}

/* ## Names */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_symbol(gramc_text text) {
    if (text.len == 0 || !is_letter(text.ptr[0])) return false;
    for (size_t i = 1; i < text.len; i++) {
        char c = text.ptr[i];
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '@')
            return false;
    }
    return true;
}

/* `true` in backticks is no boolean, and some parsers stumble over what begins like one. */
static bool looks_boolean(gramc_text text, bool portable) {
    if (portable) return text_starts(text, "true") || text_starts(text, "false");
    return text_is(text, "true") || text_is(text, "false");
}

static void put_name(struct rules *rules, const struct name *name, bool double_colon) {
    bool quoted = name_kind(*name) == NAME_QUOTED || name_kind(*name) == NAME_DOUBLE_QUOTED;
    bool needless =
        quoted && is_symbol(name_text(*name)) && !looks_boolean(name_text(*name), rules->portable);
    if (needless) add(rules, name_span(*name), name_text(*name), double_colon);
    else if (double_colon) add(rules, name_span(*name), (gramc_text){NULL, 0}, true);
}

/* ## Values */

static enum type_property property_of(const struct property *p) {
    return type_property_said(name_text(p->key), p->value->kind == VALUE_BOOLEAN);
}

static gramc_text renamed_as(gramc_text key, enum type_property id) {
    gramc_text name = id == TYPE_PROPERTIES ? key : type_property_row(id)->name;
    return text_eq(name, key) ? (gramc_text){NULL, 0} : name;
}

gramc_text format_renamed(gramc_text key) {
    return renamed_as(key, type_property_named(key));
}

gramc_text format_renamed_key(const struct property *p) {
    return renamed_as(name_text(p->key), property_of(p));
}

static bool is_said(const struct property *first, gramc_text name) {
    while (first && !text_eq(name_text(first->key), name)) first = first->next;
    return first != NULL;
}

/* Our spelling, unless it stands in the same record: then one of both is an error to be seen. */
static void put_key(struct rules *rules, const struct property *p, const struct property *first) {
    gramc_text renamed = format_renamed_key(p);
    if (renamed.len && !is_said(first, renamed)) add(rules, name_span(p->key), renamed, false);
    else put_name(rules, &p->key, false);
}

static enum property_says meaning_of(const struct property *p) {
    enum type_property id = property_of(p);
    return id == TYPE_PROPERTIES ? SAYS_OTHER : type_property_row(id)->says;
}

static void put_value(struct rules *rules, const struct value *value, enum property_says meaning);
static void put_spelled(struct rules *rules, const struct value *value, bool in_array);

static void put_properties(struct rules *rules, const struct property *first, enum name_role role) {
    bool of_type = role == NAME_ROLE_TYPE;
    for (const struct property *p = first; p; p = p->next) {
        enum property_says meaning = of_type ? meaning_of(p) : SAYS_OTHER;
        if (role == NAME_ROLE_AGENT && text_is(name_text(p->key), "output")) meaning = SAYS_TYPE;
        if (role == NAME_ROLE_GRADER && text_is(name_text(p->key), "type")) meaning = SAYS_TYPE;
        if (of_type) put_key(rules, p, first);
        else put_name(rules, &p->key, false);
        put_value(rules, p->value, meaning);
        put_spelled(rules, p->value, false);
    }
}

static void put_map(struct rules *rules, const struct value *map, enum property_says meaning) {
    if (meaning != SAYS_FIELDS) {
        put_properties(rules, map->as.entries,
                       meaning == SAYS_TYPE ? NAME_ROLE_TYPE : NAME_ROLE_OTHER);
        return;
    }
    for (const struct property *entry = map->as.entries; entry; entry = entry->next) {
        put_name(rules, &entry->key, false);
        put_value(rules, entry->value, SAYS_TYPE);
        put_spelled(rules, entry->value, false);
    }
}

/* A fence can hold the text as it is: begins on its first line, ends in front of its backticks. */
static bool fits_fence(gramc_text text) {
    static const char blanks[] = " \t\n\v\f\r/";
    unsigned ticks = 0;
    if (!text.len || memchr(blanks, text.ptr[0], sizeof blanks)) return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        ticks = c == '`' ? ticks + 1 : 0;
        if (ticks == 3 || c == '\0' || c == '\r') return false;
    }
    return ticks == 0;
}

static bool is_glued(const struct rules *rules, const struct value *tagged) {
    size_t at = name_span(*scalar_tag(tagged)).end;
    while (rules->source.ptr[at] != '`' && rules->source.ptr[at] != '/') at++;
    return rules->source.ptr[at] == '`';
}

/* JSON in backticks doubles its backslashes; in a fence it stands as it is. */
static void put_tagged(struct rules *rules, const struct value *tagged) {
    gramc_text text = scalar_text(tagged);
    struct buf fence;
    bool disfigured =
        text.len && (memchr(text.ptr, '\\', text.len) || memchr(text.ptr, '`', text.len));
    if (tagged->quote != QUOTE_BACKTICK || !text_is(name_text(*scalar_tag(tagged)), "json")) return;
    if (rules->portable || !disfigured || !fits_fence(text) || !is_glued(rules, tagged)) return;
    buf_init(&fence, &rules->arena->allocator, SOURCE_MAX);
    buf_puts(&fence, "```json\n");
    buf_text(&fence, text);
    buf_puts(&fence, "```");
    gramc_text copy = buf_to_arena(&fence, rules->arena);
    if (copy.ptr) add(rules, tagged->span, copy, false);
}

static void put_spelled(struct rules *rules, const struct value *value, bool in_array) {
    gramc_text spelled;
    bool is_text = value->kind == VALUE_STRING || value->kind == VALUE_TAGGED;
    if (!rules->portable || !is_text) return;
    (void)format_spell(&spelled, rules->arena, rules->source, value, in_array);
    if (spelled.ptr) add(rules, value->span, spelled, false);
}

static void put_value(struct rules *rules, const struct value *value, enum property_says meaning) {
    if (value->kind == VALUE_MAP) put_map(rules, value, meaning);
    if (value->kind == VALUE_TAGGED) put_tagged(rules, value);
    if (value->kind != VALUE_ARRAY) return;
    if (meaning == SAYS_FIELDS) meaning = SAYS_TYPE;
    for (const struct value *item = value->as.items; item; item = item->next) {
        put_value(rules, item, meaning);
        put_spelled(rules, item, true);
    }
}

/* ## Patterns */

static gramc_text label_of(const struct pattern *pattern) {
    const struct subject *subject = pattern->subject;
    return subject && subject->labels ? name_text(subject->labels->name) : (gramc_text){NULL, 0};
}

/* A base type, or what this file defines by way of one. */
static bool is_type(const struct rules *rules, gramc_text label) {
    for (int step = 0; step < LONGEST_CHAIN && label.len; step++) {
        if (type_find(label)) return true;
        const struct pattern *definition = map_get(&rules->brackets, label);
        if (!definition) return false;
        label = label_of(definition);
    }
    return false;
}

static enum name_role role_of(const struct rules *rules, const struct pattern *pattern) {
    gramc_text label = label_of(pattern);
    if (text_is(label, "Tool") || text_is(label, "ToolImpl")) return NAME_ROLE_TOOL;
    if (text_is(label, "Agent") || text_is(label, "Task")) return NAME_ROLE_AGENT;
    if (text_is(label, "Grader")) return NAME_ROLE_GRADER;
    return is_type(rules, label) ? NAME_ROLE_TYPE : NAME_ROLE_OTHER;
}

static void put_subject(struct rules *rules, const struct subject *subject, bool double_colon,
                        enum name_role role) {
    if (!subject) return;
    if (subject_has_identifier(subject)) put_name(rules, &subject->identifier, false);
    for (const struct label *label = subject->labels; label; label = label->next)
        put_name(rules, &label->name, double_colon);
    put_properties(rules, subject->properties, role);
}

static void put_node(struct rules *rules, const struct pattern *node, bool is_typed) {
    put_subject(rules, node->subject, is_typed && !rules->portable,
                is_typed ? NAME_ROLE_TYPE : NAME_ROLE_OTHER);
}

/* Its two halves may be apart, with a subject between them. */
static void put_arrow(struct rules *rules, const struct pattern *arrow, bool of_signature) {
    bool left = arrow->direction == ARROW_LEFT || arrow->direction == ARROW_BOTH;
    bool right = arrow->direction == ARROW_RIGHT || arrow->direction == ARROW_BOTH;
    bool changes = of_signature && arrow->family != ARROW_DOUBLE;
    struct span first = {arrow->span.start, arrow->span.start + (left ? 2 : 1)};
    struct span second = {arrow->span.end - (right ? 2 : 1), arrow->span.end};
    if (changes) add(rules, first, left ? TEXT("<=") : TEXT("="), false);
    put_subject(rules, arrow->subject, false, NAME_ROLE_OTHER);
    if (changes) add(rules, second, right ? TEXT("=>") : TEXT("="), false);
}

static void put_path(struct rules *rules, const struct pattern *path, bool is_typed,
                     bool is_signature) {
    for (const struct pattern *step = path->elements; step; step = step->next) {
        if (step->kind == PATTERN_ARROW) put_arrow(rules, step, is_signature);
        else put_node(rules, step, is_typed);
    }
}

static void put_bracket(struct rules *rules, const struct pattern *bracket) {
    enum name_role role = role_of(rules, bracket);
    bool is_typed = role == NAME_ROLE_TOOL || role == NAME_ROLE_TYPE;
    put_subject(rules, bracket->subject, false, role);
    for (const struct pattern *e = bracket->elements; e; e = e->next) {
        if (e->kind == PATTERN_BRACKET) put_bracket(rules, e);
        else if (e->kind == PATTERN_PATH) put_path(rules, e, is_typed, role == NAME_ROLE_TOOL);
        else put_node(rules, e, is_typed && e->kind == PATTERN_NODE);
    }
}

static void put_top(struct rules *rules, const struct pattern *pattern) {
    if (pattern->kind == PATTERN_ANNOTATED) {
        put_subject(rules, pattern->subject, false, NAME_ROLE_OTHER);
        pattern = pattern->elements;
    }
    if (pattern->kind == PATTERN_BRACKET) put_bracket(rules, pattern);
    else if (pattern->kind == PATTERN_PATH) put_path(rules, pattern, false, false);
    else put_node(rules, pattern, is_type(rules, label_of(pattern)));
}

static void note_bracket(struct rules *rules, struct pattern *pattern) {
    if (pattern->kind == PATTERN_ANNOTATED) pattern = pattern->elements;
    if (pattern->kind == PATTERN_BRACKET && pattern->subject &&
        subject_has_identifier(pattern->subject))
        map_put(&rules->brackets, name_text(pattern->subject->identifier), pattern);
}

void format_rules(struct buf *edits, struct arena *arena, const struct tree *tree, bool portable) {
    struct rules rules = {
        .edits = edits, .arena = arena, .source = tree->source->text, .portable = portable};
    map_init(&rules.brackets, arena);
    for (struct pattern *p = tree->patterns; p; p = p->next) note_bracket(&rules, p);
    for (const struct pattern *p = tree->patterns; p && !arena->oom; p = p->next)
        put_top(&rules, p);
}
