/* Objects: the names that the schemas know, in their order, then names that only patterns or nobody
 * knows. Names are written in one spelling, so that none of these can be one of those. */
#include "compiler/emit/grammar.h"

#include "base/json/edit.h"
#include "base/text.h"

struct named_members {
    struct grammar *g;
    const struct meet *meet;
    gramc_text *names;
    size_t count, room;
    struct map known;
    bool is_listed; /* some schema has `properties`, or asks for a name */
};

/* ## Names */

static void add_name(struct named_members *m, gramc_text name) {
    if (map_get(&m->known, name)) return;
    map_put(&m->known, name, m);
    if (m->count < m->room) m->names[m->count++] = name;
}

static size_t count_names(const struct meet *meet) {
    size_t count = 1;
    for (uint32_t i = 0; i < meet->of.count; i++) {
        static const char *const lists[] = {"properties", "required"};
        for (size_t k = 0; k < 2; k++) {
            const struct json *list = json_get(meet->of.nodes[i], lists[k]);
            count += list ? list->count : 0;
        }
        const struct json *values = json_get(json_get(meet->of.nodes[i], "propertyNames"), "enum");
        count += values ? values->count : 0;
    }
    return count;
}

static void read_list(struct named_members *m, const char *keyword) {
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        const struct json *list = json_get(m->meet->of.nodes[i], keyword);
        m->is_listed = m->is_listed || (list && text_is(list->key, "properties"));
        for (const struct json *n = list ? list->first : NULL; n; n = n->next)
            add_name(m, list->kind == JSON_ARRAY ? n->text : n->key);
    }
}

/* A list of all names that there may be. */
static void read_listed_names(struct named_members *m) {
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        const struct json *values =
            json_get(json_get(m->meet->of.nodes[i], "propertyNames"), "enum");
        for (const struct json *n = values ? values->first : NULL; n; n = n->next)
            if (n->kind == JSON_STRING) add_name(m, n->text);
        m->is_listed = m->is_listed || values;
    }
}

static bool read_names(struct named_members *m) {
    m->room = count_names(m->meet);
    m->names = arena_array(m->g->arena, m->room, sizeof *m->names);
    map_init(&m->known, m->g->arena);
    if (!m->names) return false;
    read_list(m, "properties");
    read_list(m, "required");
    m->is_listed = m->is_listed || m->count || m->meet->is_closed;
    read_listed_names(m);
    return !m->g->arena->oom;
}

static gramc_text as_json(struct named_members *m, gramc_text name) {
    const struct json *value = json_new_text(m->g->arena, JSON_STRING, name);
    return value ? subsume_print(m->g->compat, value) : TEXT("");
}

/* ## Members that are known */

static bool name_is_allowed(struct named_members *m, gramc_text name) {
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        struct meet names = {.choice_count = 0};
        const struct json *schema = json_get(m->meet->of.nodes[i], "propertyNames");
        if (json_is(schema, JSON_FALSE)) return false;
        if (!json_is(schema, JSON_OBJECT)) continue;
        conjunction_add(&names.of, schema);
        if (!grammar_accepts(m->g, &names, as_json(m, name))) return false;
    }
    return true;
}

static bool pattern_matches(struct named_members *m, const struct json *pattern, gramc_text name) {
    struct meet one = {.choice_count = 0};
    conjunction_add(&one.of, grammar_pattern_schema(m->g, pattern));
    return grammar_accepts(m->g, &one, as_json(m, name));
}

/* What all schemas say of the member. */
static void member_meet(struct named_members *m, gramc_text name, struct meet *out) {
    bool in_any = false;
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        const struct json *node = m->meet->of.nodes[i];
        const struct json *known = json_get_text(json_get(node, "properties"), name);
        const struct json *patterns = json_get(node, "patternProperties");
        bool matched = known != NULL;
        meet_add(m->g, out, known);
        for (const struct json *p = patterns ? patterns->first : NULL; p; p = p->next) {
            if (!pattern_matches(m, p, name)) continue;
            meet_add(m->g, out, p);
            matched = true;
        }
        const struct json *more = json_get(node, "additionalProperties");
        if (!matched) meet_add(m->g, out, more);
        in_any = in_any || matched || (more && !m->meet->is_sealed);
    }
    if (!in_any && (m->meet->is_closed || m->meet->is_sealed)) out->is_never = true;
}

static const struct grammar_piece *key_piece(struct named_members *m, gramc_text name) {
    return piece_row(m->g, PIECES(piece_bytes(m->g, as_json(m, name)), grammar_colon(m->g)));
}

static const struct grammar_piece *member_piece(struct named_members *m, gramc_text name) {
    struct meet value = {.choice_count = 0};
    if (!name_is_allowed(m, name)) return &piece_never;
    size_t len = grammar_enter(m->g, "", name);
    member_meet(m, name, &value);
    const struct grammar_piece *piece = grammar_meet(m->g, &value);
    grammar_leave(m->g, len);
    return piece_row(m->g, PIECES(key_piece(m, name), piece));
}

/* ## Others */

struct free_names {
    const struct json *patterns; /* of the only schema that has some */
    bool are_open, are_closed, are_odd;
    bool beside; /* others than those of the patterns */
    bool are_judged;
};

static struct free_names look_at_names(const struct named_members *m) {
    struct free_names free = {.are_open = !m->is_listed};
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        const struct json *node = m->meet->of.nodes[i];
        const struct json *more = json_get(node, "additionalProperties");
        const struct json *patterns = json_get(node, "patternProperties");
        if (patterns && patterns->count == 0) patterns = NULL;
        free.are_judged = free.are_judged || json_get(node, "propertyNames");
        free.are_open = free.are_open || patterns || (more && more->kind != JSON_FALSE);
        free.are_closed = free.are_closed || (json_is(more, JSON_FALSE) && !patterns);
        free.beside = free.beside || (patterns && more && more->kind != JSON_FALSE);
        free.are_odd = free.are_odd || (patterns && free.patterns);
        if (patterns) free.patterns = patterns;
    }
    return free;
}

/* What all schemas say of a member that has one of the patterns, or none. */
static const struct grammar_piece *free_value(struct named_members *m,
                                              const struct json *patterns) {
    struct meet value = {.choice_count = 0};
    for (const struct json *p = patterns ? patterns->first : NULL; p; p = p->next)
        meet_add(m->g, &value, p);
    for (uint32_t i = 0; i < m->meet->of.count; i++) {
        const struct json *node = m->meet->of.nodes[i];
        if (!patterns || json_get(node, "patternProperties") != patterns)
            meet_add(m->g, &value, json_get(node, "additionalProperties"));
    }
    size_t len = grammar_enter(m->g, "[]", TEXT(""));
    const struct grammar_piece *piece = grammar_part(m->g, "", grammar_meet(m->g, &value));
    grammar_leave(m->g, len);
    return piece;
}

static bool any_known_matches(struct named_members *m, const struct json *pattern) {
    for (size_t i = 0; i < m->count; i++)
        if (pattern_matches(m, pattern, m->names[i])) return true;
    return false;
}

/* The names that one of the patterns matches, quoted. */
static const struct grammar_piece *pattern_names(struct named_members *m,
                                                 const struct json *patterns) {
    struct piece_list names = {.g = m->g};
    for (const struct json *p = patterns->first; p; p = p->next) {
        const struct grammar_piece *chars = grammar_pattern(m->g, p->key);
        if (!chars) grammar_narrowed(m->g, "names by a pattern that no grammar can say");
        else if (any_known_matches(m, p))
            grammar_narrowed(m->g, "other names by a pattern that matches a listed one too");
        else piece_list_add(&names, grammar_quoted(m->g, chars));
    }
    return m->g->arena->oom ? &piece_never : piece_choice(m->g, names.parts, names.count);
}

/* Names that `propertyNames` judges, quoted. */
static const struct grammar_piece *judged_names(struct named_members *m) {
    struct meet names = {.choice_count = 0};
    meet_add(m->g, &names, grammar_text_schema(m->g));
    for (uint32_t i = 0; i < m->meet->of.count; i++)
        meet_add(m->g, &names, json_get(m->meet->of.nodes[i], "propertyNames"));
    for (size_t i = 0; i < m->count && !names.is_never; i++)
        if (grammar_accepts(m->g, &names, as_json(m, m->names[i])))
            return grammar_refused(m->g, "other names, beside `propertyNames`");
    size_t len = grammar_enter(m->g, "()", TEXT(""));
    const struct grammar_piece *piece = grammar_meet(m->g, &names);
    grammar_leave(m->g, len);
    return piece;
}

static const struct grammar_piece *free_member(struct named_members *m) {
    struct free_names free = look_at_names(m);
    const struct grammar_piece *names;
    if (!free.are_open || free.are_closed || m->meet->is_sealed) return &piece_never;
    if (free.are_odd || (free.patterns && free.are_judged))
        return grammar_refused(m->g, "names by patterns, for what else is said of names");
    if (free.beside) grammar_narrowed(m->g, "names that no pattern matches");
    if (free.patterns && free.patterns->count > 1)
        grammar_narrowed(m->g, "values by name, unless they fit all patterns");
    if (free.patterns) names = pattern_names(m, free.patterns);
    else if (free.are_judged) names = judged_names(m);
    else names = grammar_quoted(m->g, grammar_other_names(m->g, m->names, m->count));
    if (piece_is_never(names)) return names;
    names = grammar_part(m->g, "-name", names);
    const struct grammar_piece *value = free_value(m, free.patterns);
    return piece_row(m->g, PIECES(names, grammar_colon(m->g), value));
}

/* ## All of it */

static bool is_required(struct named_members *m, gramc_text name) {
    return shape_requires(&m->meet->of, name);
}

const struct grammar_piece *grammar_object(struct grammar *g, const struct meet *meet) {
    struct named_members m = {.g = g, .meet = meet};
    if (!read_names(&m)) return &piece_never;
    struct counts counts = grammar_counts(meet, "minProperties", "maxProperties");
    struct ordered list = {.g = g,
                           .parts = arena_array(g->arena, m.count + 1, sizeof *list.parts),
                           .required = arena_array(g->arena, m.count + 1, sizeof *list.required),
                           .least = counts.min,
                           .what = "objects with another number of names"};
    if (!list.parts || !list.required) return &piece_never;
    for (; list.count < m.count; list.count++) {
        const struct grammar_piece *piece = member_piece(&m, m.names[list.count]);
        list.required[list.count] = is_required(&m, m.names[list.count]);
        list.parts[list.count] = piece;
        if (list.required[list.count] && piece_is_never(piece)) return &piece_never;
    }
    list.free = free_member(&m);
    list.most = counts.max;
    if (!piece_is_never(list.free))
        list.most = grammar_repeats(g, counts.max, "objects with more names than engines take");
    const struct grammar_piece *inside = grammar_ordered(&list);
    return piece_row(g, PIECES(piece_text(g, "{"), inside, piece_text(g, "}")));
}
