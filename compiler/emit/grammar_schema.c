/* Turns a schema into pieces: references are followed, alternatives chosen one by one, until
 * schemas are left that all hold for values of one type. What a type's values look like is the
 * matter of the other grammar_*.c. */
#include "compiler/emit/grammar.h"

#include "base/json/edit.h"
#include "base/text.h"
#include "jsonschema/keywords.h"

enum { DEEPEST_SCHEMA = 120, STEPS_OF_QUESTION = 20000 };

/* ## Values */

const struct grammar_piece *grammar_comma(struct grammar *g) {
    return piece_row(g, PIECES(piece_text(g, ","), piece_maybe(g, piece_text(g, " "))));
}

const struct grammar_piece *grammar_colon(struct grammar *g) {
    return piece_row(g, PIECES(piece_text(g, ":"), piece_maybe(g, piece_text(g, " "))));
}

static const struct grammar_piece *as_printed(struct grammar *g, const struct json *value) {
    return piece_bytes(g, subsume_print(g->compat, value));
}

static const struct grammar_piece *key_of(struct grammar *g, gramc_text key) {
    struct buf text;
    buf_init(&text, &g->arena->allocator, SOURCE_MAX);
    json_put_string(&text, key);
    const struct grammar_piece *piece = piece_bytes(g, buf_view(&text));
    if (text.state == BUF_NOMEM) g->arena->oom = true;
    buf_free(&text);
    return piece_row(g, PIECES(piece, grammar_colon(g)));
}

const struct grammar_piece *grammar_value(struct grammar *g, const struct json *value) {
    bool is_object = value->kind == JSON_OBJECT;
    if (!is_object && value->kind != JSON_ARRAY) return as_printed(g, value);
    struct piece_list row = {.g = g};
    piece_list_add(&row, piece_text(g, is_object ? "{" : "["));
    for (const struct json *v = value->first; v; v = v->next) {
        if (v != value->first) piece_list_add(&row, grammar_comma(g));
        if (is_object) piece_list_add(&row, key_of(g, v->key));
        piece_list_add(&row, grammar_value(g, v));
    }
    piece_list_add(&row, piece_text(g, is_object ? "}" : "]"));
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

/* ## Any value */

static const struct grammar_piece *any_text(struct grammar *g) {
    return grammar_named(g, "string",
                         grammar_quoted(g, piece_repeat(g, grammar_char(g), 0, WITHOUT_END)));
}

static const struct grammar_piece *any_scalar(struct grammar *g) {
    const struct meet nothing = {.choice_count = 0};
    const struct grammar_piece *number =
        grammar_named(g, "number", grammar_number(g, &nothing, false));
    return piece_choice(g, PIECES(any_text(g), number, piece_text(g, "true"),
                                  piece_text(g, "false"), piece_text(g, "null")));
}

static const struct grammar_piece *surrounded(struct grammar *g, const char *open,
                                              const struct grammar_piece *item, const char *close) {
    const struct grammar_piece *more = piece_row(g, PIECES(grammar_comma(g), item));
    const struct grammar_piece *items =
        piece_row(g, PIECES(item, piece_repeat(g, more, 0, WITHOUT_END)));
    return piece_row(g, PIECES(piece_text(g, open), piece_maybe(g, items), piece_text(g, close)));
}

static const struct grammar_piece *lists_of(struct grammar *g, const struct grammar_piece *value) {
    const struct grammar_piece *member = piece_row(g, PIECES(any_text(g), grammar_colon(g), value));
    return piece_choice(g, PIECES(surrounded(g, "{", member, "}"), surrounded(g, "[", value, "]")));
}

const struct grammar_piece *grammar_any(struct grammar *g) {
    grammar_may_repeat(g, "two names");
    if (g->flat) {
        grammar_narrowed(g, "lists inside lists inside any value");
        const struct grammar_piece *scalar = any_scalar(g);
        return piece_choice(g, PIECES(scalar, lists_of(g, scalar)));
    }
    struct grammar_rule *rule = map_get(&g->shared, TEXT("value"));
    if (rule) return piece_rule(g, rule);
    rule = grammar_rule_new(g, TEXT("value"));
    if (!rule) return &piece_never;
    map_put(&g->shared, TEXT("value"), rule);
    rule->piece = piece_choice(g, PIECES(any_scalar(g), lists_of(g, piece_rule(g, rule))));
    return piece_rule(g, rule);
}

/* ## Schemas that hold together */

/* What was made of a keyword's schema, or of a schema. */
struct made_choice {
    struct made_choice *next;
    const struct json *keyword;
    const struct json *choice;
};

/* A schema with one keyword. */
static struct json *one_keyword(struct grammar *g, const char *name, struct json *value) {
    struct json *schema = json_new(g->arena, JSON_OBJECT);
    json_set(schema, text_of(name), value);
    return schema;
}

static struct json *all_of(struct grammar *g, const struct json *a, const struct json *b) {
    struct json *list = json_new(g->arena, JSON_ARRAY);
    if (a) json_append(list, json_copy_shallow(g->arena, a));
    if (b) json_append(list, json_copy_shallow(g->arena, b));
    return one_keyword(g, "allOf", list);
}

/* Either the name is absent, or it comes with what depends on it. */
static const struct json *either_absent(struct grammar *g, const struct json *dependent) {
    struct json *choice = json_new(g->arena, JSON_ARRAY);
    struct json *names = json_new(g->arena, JSON_ARRAY);
    struct json *name = json_new_text(g->arena, JSON_STRING, dependent->key);
    struct json *absent = json_new(g->arena, JSON_OBJECT);
    bool is_list = dependent->kind == JSON_ARRAY;
    json_set(absent, dependent->key, json_new(g->arena, JSON_FALSE));
    json_append(names, name);
    for (const struct json *n = is_list ? dependent->first : NULL; n; n = n->next)
        json_append(names, json_copy_shallow(g->arena, n));
    struct json *present = all_of(g, one_keyword(g, "required", names), is_list ? NULL : dependent);
    json_append(choice, one_keyword(g, "properties", absent));
    json_append(choice, present);
    return choice;
}

/* `if` and `then`; or not `if`, and `else`. */
static const struct json *either_way(struct grammar *g, const struct json *node) {
    const struct json *condition = json_get(node, "if");
    struct json *choice = json_new(g->arena, JSON_ARRAY);
    struct json *otherwise = one_keyword(g, "not", json_copy_shallow(g->arena, condition));
    json_append(choice, all_of(g, condition, json_get(node, "then")));
    json_append(choice, all_of(g, otherwise, json_get(node, "else")));
    return choice;
}

/* The same schema gives the same alternatives each time, so that recursion is seen. `node`: what
 * has an `if`; NULL: it is a name that others depend on. */
static const struct json *made_choice(struct grammar *g, const struct json *node,
                                      const struct json *keyword) {
    for (struct made_choice *m = g->made; m; m = m->next)
        if (m->keyword == keyword) return m->choice;
    struct made_choice *made = ARENA_NEW(g->arena, struct made_choice);
    if (!made) return NULL;
    *made = (struct made_choice){g->made, keyword,
                                 node ? either_way(g, node) : either_absent(g, keyword)};
    g->made = made;
    return made->choice;
}

const struct json *grammar_pattern_schema(struct grammar *g, const struct json *member) {
    for (struct made_choice *m = g->made; m; m = m->next)
        if (m->keyword == member) return m->choice;
    struct made_choice *made = ARENA_NEW(g->arena, struct made_choice);
    if (!made) return NULL;
    struct json *pattern = json_new_text(g->arena, JSON_STRING, member->key);
    *made = (struct made_choice){g->made, member, one_keyword(g, "pattern", pattern)};
    g->made = made;
    return made->choice;
}

static void choose_later(struct meet *meet, const struct json *choice) {
    if (!json_is(choice, JSON_ARRAY)) return;
    if (meet->choice_count == MEET_CHOICES) meet->is_too_much = true;
    else meet->choices[meet->choice_count++] = choice;
}

/* oneOf comes first, since the last choice is made first, and the more is known the more of its
 * alternatives exclude each other. */
static void add_choices(struct grammar *g, struct meet *meet, const struct json *node) {
    static const char *const dependent[] = {"dependentRequired", "dependentSchemas",
                                            "dependencies"};
    const struct json *condition = json_get(node, "if");
    choose_later(meet, json_get(node, "oneOf"));
    choose_later(meet, json_get(node, "anyOf"));
    if (condition && (json_get(node, "then") || json_get(node, "else")))
        choose_later(meet, made_choice(g, node, condition));
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++) {
        const struct json *names = json_get(node, dependent[i]);
        for (const struct json *n = json_is(names, JSON_OBJECT) ? names->first : NULL; n;
             n = n->next)
            choose_later(meet, made_choice(g, NULL, n));
    }
}

/* Says nothing but what it refers to. */
static bool is_wrapper(const struct json *node) {
    bool refers = false;
    for (const struct json *k = node->first; k; k = k->next) {
        bool passes = text_is(k->key, "$ref") || text_is(k->key, "allOf");
        if (!passes && keyword_asserts(k->key)) return false;
        refers = refers || passes;
    }
    return refers;
}

static bool has_node(const struct meet *meet, const struct json *node) {
    for (uint32_t i = 0; i < meet->of.count; i++)
        if (meet->of.nodes[i] == node) return true;
    return false;
}

static void add_schema(struct grammar *g, struct meet *meet, const struct json *node);

static void follow(struct grammar *g, struct meet *meet, const struct json *reference) {
    const struct json *target = subsume_follow(&g->compat->a, reference);
    if (!target) meet->is_too_much = true;
    if (!target || has_node(meet, target)) return;
    gramc_text name = reference->text;
    for (size_t i = 0; i < reference->text.len; i++)
        if (reference->text.ptr[i] == '/')
            name = text_slice(reference->text, i + 1, reference->text.len);
    meet->refers = true;
    meet->target = name;
    add_schema(g, meet, target);
}

/* Recursion ends, since a schema is added once, and wrappers that refer to each other in a ring are
 * no schemas. */
static void add_schema(struct grammar *g, struct meet *meet, const struct json *node) {
    const struct json *all = json_get(node, "allOf"), *reference = json_get(node, "$ref");
    const struct json *closed = json_get(node, "unevaluatedProperties");
    if (!node || node->kind == JSON_TRUE || has_node(meet, node)) return;
    if (node->kind != JSON_OBJECT) meet->is_never = true;
    if (meet->of.count == COMPAT_NODES || g->depth >= DEEPEST_SCHEMA) meet->is_too_much = true;
    if (meet->is_never || meet->is_too_much) return;
    g->depth++;
    if (json_is(closed, JSON_FALSE) && meet->of.count == 0) meet->is_closed = true;
    if (!is_wrapper(node)) conjunction_add(&meet->of, node);
    if (reference) follow(g, meet, reference);
    for (const struct json *part = json_is(all, JSON_ARRAY) ? all->first : NULL; part;
         part = part->next)
        add_schema(g, meet, part);
    add_choices(g, meet, node);
    g->depth--;
}

/* What is not evaluated by one schema may be by another that holds as well. */
void meet_add(struct grammar *g, struct meet *meet, const struct json *node) {
    if (meet->is_closed) meet->is_too_much = true;
    add_schema(g, meet, node);
}

bool grammar_accepts(struct grammar *g, const struct meet *meet, gramc_text json) {
    g->compat->steps = STEPS_OF_QUESTION;
    g->compat->undecided = false;
    bool accepts = subsume_evaluate_conjunction(g->compat, &meet->of, json);
    if (g->compat->undecided) grammar_narrowed(g, "values that cannot be judged by themselves");
    return accepts && !g->compat->undecided;
}

/* ## Values that are listed */

const struct json *grammar_listed(const struct meet *meet) {
    const struct json *list = NULL;
    for (uint32_t i = 0; i < meet->of.count && !list; i++) {
        list = json_get(meet->of.nodes[i], "const");
        if (!list) list = json_get(meet->of.nodes[i], "enum");
    }
    return list;
}

static const struct grammar_piece *of_list(struct grammar *g, const struct meet *meet,
                                           const struct json *list) {
    struct piece_list values = {.g = g};
    bool is_one = text_is(list->key, "const");
    for (const struct json *v = is_one ? list : list->first; v; v = is_one ? NULL : v->next)
        if (grammar_accepts(g, meet, subsume_print(g->compat, v)))
            piece_list_add(&values, grammar_value(g, v));
    return g->arena->oom ? &piece_never : piece_choice(g, values.parts, values.count);
}

/* ## Types */

/* What the grammar writes of an object has no names but those that are listed; so much more is
 * known of it than its schemas say. NULL: it may have others. */
static struct json *as_closed(struct grammar *g, const struct meet *meet) {
    struct json *names = json_new(g->arena, JSON_OBJECT);
    struct json *closed = one_keyword(g, "properties", names);
    for (uint32_t i = 0; i < meet->of.count; i++) {
        const struct json *node = meet->of.nodes[i], *list = json_get(node, "properties");
        const struct json *more = json_get(node, "additionalProperties");
        if (json_get(node, "patternProperties") || (more && more->kind != JSON_FALSE)) return NULL;
        for (const struct json *p = list ? list->first : NULL; p; p = p->next)
            json_set(names, p->key, json_new(g->arena, JSON_TRUE));
        list = json_get(node, "required");
        for (const struct json *n = list ? list->first : NULL; n; n = n->next)
            json_set(names, n->text, json_new(g->arena, JSON_TRUE));
    }
    json_set(closed, TEXT("additionalProperties"), json_new(g->arena, JSON_FALSE));
    return names && names->count && !g->arena->oom && !meet->choice_count ? closed : NULL;
}

/* What the schema says by itself: whether a value is in an alternative, or in a `not`, must not be
 * asked of the schema that these stand in, which would refuse it for just that. */
static const struct json *by_itself(struct grammar *g, const struct json *node) {
    static const char *const others[] = {"not",
                                         "allOf",
                                         "anyOf",
                                         "oneOf",
                                         "if",
                                         "then",
                                         "else",
                                         "$ref",
                                         "dependentSchemas",
                                         "dependencies",
                                         "dependentRequired"};
    for (struct made_choice *m = g->made; m; m = m->next)
        if (m->keyword == node) return m->choice;
    struct made_choice *made = ARENA_NEW(g->arena, struct made_choice);
    struct json *copy = json_copy_shallow(g->arena, node);
    if (!made || !copy) return NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) json_remove(copy, others[i]);
    *made = (struct made_choice){g->made, node, copy};
    g->made = made;
    return copy;
}

static bool are_apart(struct grammar *g, const struct meet *meet, enum json_type only,
                      const struct json *other) {
    struct conjunction mine = {.count = 0};
    for (uint32_t i = 0; i < meet->of.count; i++)
        conjunction_add(&mine, by_itself(g, meet->of.nodes[i]));
    conjunction_add(&mine, as_closed(g, meet));
    if (g->arena->oom) return false;
    g->compat->steps = STEPS_OF_QUESTION;
    struct subsume_answer answer =
        only == JSON_TYPES ? subsume_each_branch(g->compat, &mine, other, rules_disjoint)
                           : rules_disjoint(g->compat, &mine, only, other);
    return answer.kind == GRAMC_COMPARE_YES;
}

/* What no piece says, and what excuses it. */
static bool can_be_said(struct grammar *g, const struct meet *meet, enum json_type only) {
    for (uint32_t i = 0; i < meet->of.count; i++) {
        const struct json *node = meet->of.nodes[i], *not = json_get(node, "not");
        const struct json *other = json_get(node, "unevaluatedProperties");
        const struct json *items = json_get(node, "unevaluatedItems");
        const char *lost = NULL;
        if (not &&!are_apart(g, meet, only, not )) lost = "every value, for `not`";
        if (only == JSON_TYPE_ARRAY && json_get(node, "contains"))
            lost = "every list, for `contains`";
        if (only == JSON_TYPE_ARRAY && items && items->kind != JSON_TRUE)
            lost = "every list, for `unevaluatedItems`";
        if (only == JSON_TYPE_OBJECT && other && other->kind != JSON_TRUE &&
            !(i == 0 && meet->is_closed))
            lost = "every object, for `unevaluatedProperties`";
        if (json_get(node, "$dynamicRef")) lost = "every value, for `$dynamicRef`";
        if (lost) grammar_narrowed(g, lost);
        if (lost) return false;
    }
    return true;
}

static const struct grammar_piece *of_type(struct grammar *g, const struct meet *meet,
                                           enum json_type only) {
    if (!can_be_said(g, meet, only)) return &piece_never;
    switch (only) {
    case JSON_TYPE_NULL: return piece_text(g, "null");
    case JSON_TYPE_BOOLEAN:
        return piece_choice(g, PIECES(piece_text(g, "true"), piece_text(g, "false")));
    case JSON_TYPE_INTEGER: return grammar_number(g, meet, true);
    case JSON_TYPE_NUMBER: return grammar_number(g, meet, false);
    case JSON_TYPE_STRING: return grammar_string(g, meet);
    case JSON_TYPE_ARRAY: return grammar_array(g, meet);
    case JSON_TYPE_OBJECT: return grammar_object(g, meet);
    case JSON_TYPES: break;
    }
    return &piece_never;
}

static const struct grammar_piece *of_types(struct grammar *g, const struct meet *meet) {
    const struct json *list = grammar_listed(meet);
    struct piece_list types = {.g = g};
    unsigned bits = meet->is_call ? TYPE_BIT_OBJECT : TYPE_BIT_ALL;
    if (list) return of_list(g, meet, list);
    if (meet->of.count == 0) return grammar_any(g);
    for (uint32_t i = 0; i < meet->of.count; i++) bits &= shape_types(meet->of.nodes[i]);
    if (bits & TYPE_BIT_FRACTION) bits &= ~(unsigned)TYPE_BIT_INTEGER;
    for (unsigned type = 0; type < JSON_TYPES; type++)
        if (bits & 1U << type) piece_list_add(&types, of_type(g, meet, (enum json_type)type));
    return g->arena->oom ? &piece_never : piece_choice(g, types.parts, types.count);
}

/* ## Choices */

static bool others_are_apart(struct grammar *g, const struct meet *meet, const struct json *list,
                             const struct json *chosen) {
    for (const struct json *other = list->first; other; other = other->next)
        if (other != chosen && !are_apart(g, meet, JSON_TYPES, other)) return false;
    return true;
}

/* A reference to a schema that holds already: it would be chosen to choose it. */
static bool leads_back(struct grammar *g, const struct meet *meet, const struct json *arm) {
    const struct json *target = subsume_follow(&g->compat->a, json_get(arm, "$ref"));
    return target && has_node(meet, target);
}

static const struct grammar_piece *of_choice(struct grammar *g, struct meet *meet) {
    const struct json *list = meet->choices[--meet->choice_count];
    struct piece_list arms = {.g = g};
    for (const struct json *arm = list->first; arm && !g->arena->oom; arm = arm->next) {
        struct meet chosen = *meet;
        if (leads_back(g, meet, arm)) {
            grammar_narrowed(g, "an alternative that is what it stands in");
            continue;
        }
        add_schema(g, &chosen, arm);
        if (text_is(list->key, "oneOf") && !chosen.is_never &&
            !others_are_apart(g, &chosen, list, arm))
            grammar_narrowed(g, "an alternative of `oneOf` whose values another one may take");
        else piece_list_add(&arms, grammar_meet(g, &chosen));
    }
    return g->arena->oom ? &piece_never : piece_choice(g, arms.parts, arms.count);
}

/* ## References */

static bool is_same(const struct conjunction *a, const struct conjunction *b) {
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) same = a->nodes[i] == b->nodes[i];
    return same;
}

static struct grammar_rule *rule_of(struct grammar *g, const struct meet *meet) {
    struct buf name;
    struct grammar_rule *rule = g->first;
    while (rule && !(rule->of.count && is_same(&rule->of, &meet->of))) rule = rule->next;
    if (rule) return rule;
    buf_init(&name, &g->arena->allocator, SOURCE_MAX);
    buf_text(&name, buf_view(&g->prefix));
    buf_text(&name, meet->target);
    rule = name.state == BUF_FINE ? grammar_rule_new(g, buf_view(&name)) : NULL;
    if (name.state == BUF_NOMEM) g->arena->oom = true;
    buf_free(&name);
    if (rule) rule->of = meet->of;
    return rule;
}

static const struct grammar_piece *of_rule(struct grammar *g, struct meet *meet) {
    bool is_new = meet->of.count > 0;
    struct grammar_rule *rule = is_new ? rule_of(g, meet) : NULL;
    if (!rule) return is_new ? &piece_never : of_types(g, meet);
    if (!rule->is_begun) {
        rule->is_begun = true;
        rule->piece = meet->choice_count ? of_choice(g, meet) : of_types(g, meet);
        if (piece_is_never(rule->piece)) return &piece_never;
    } else if (!rule->piece && g->flat) {
        return grammar_refused(g, "a value inside one of its own type");
    }
    if (rule->piece && (g->flat || piece_is_never(rule->piece))) return rule->piece;
    return piece_rule(g, rule);
}

const struct grammar_piece *grammar_meet(struct grammar *g, const struct meet *given) {
    struct meet meet = *given;
    const struct grammar_piece *piece;
    if (meet.is_never || g->arena->oom) return &piece_never;
    if (meet.is_too_much || g->depth >= DEEPEST_SCHEMA)
        return grammar_refused(g, "every value: too much holds together, or too deep");
    g->depth++;
    meet.refers = false;
    if (given->refers) piece = of_rule(g, &meet);
    else if (meet.choice_count) piece = of_choice(g, &meet);
    else piece = of_types(g, &meet);
    g->depth--;
    return piece;
}

const struct grammar_piece *grammar_schema(struct grammar *g, const struct json *schema) {
    struct meet meet = {.choice_count = 0};
    meet_add(g, &meet, schema);
    return grammar_meet(g, &meet);
}
