/* Judges calls as the leaderboard's checker does, its liberties included: what is compared with
 * what, in which order, and which texts are folded. The structure of its rules is kept, so that a
 * row on which the two differ can be traced; docs/graders.md says them in words. */
#include "experiment/bfcl.h"

#include "base/text.h"
#include "experiment/fold.h"

/* ## Values as Python has them */

enum py_type { PY_NONE, PY_BOOL, PY_INT, PY_FLOAT, PY_STR, PY_LIST, PY_DICT, PY_UNKNOWN };

static bool is_float_text(gramc_text number) {
    for (size_t i = 0; i < number.len; i++)
        if (strchr(".eE", number.ptr[i])) return true;
    return false;
}

static enum py_type type_of(const struct json *value) {
    static const enum py_type types[] = {
        [JSON_NULL] = PY_NONE,  [JSON_FALSE] = PY_BOOL, [JSON_TRUE] = PY_BOOL,
        [JSON_NUMBER] = PY_INT, [JSON_STRING] = PY_STR, [JSON_ARRAY] = PY_LIST,
        [JSON_OBJECT] = PY_DICT};
    if (value->kind == JSON_NUMBER && is_float_text(value->text)) return PY_FLOAT;
    return types[value->kind];
}

/* The names of the leaderboard and of JSON Schema. */
static enum py_type type_named(gramc_text name) {
    static const struct {
        const char *name;
        enum py_type type;
    } names[] = {{"string", PY_STR},   {"integer", PY_INT},  {"float", PY_FLOAT},
                 {"number", PY_FLOAT}, {"boolean", PY_BOOL}, {"array", PY_LIST},
                 {"tuple", PY_LIST},   {"dict", PY_DICT},    {"object", PY_DICT},
                 {"any", PY_STR}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i].name)) return names[i].type;
    return PY_UNKNOWN;
}

/* Of several types the first that is not null. */
static enum py_type type_of_schema(const struct json *schema) {
    const struct json *type = schema ? json_get(schema, "type") : NULL;
    if (json_is(type, JSON_ARRAY)) {
        type = type->first;
        while (type && text_is(type->text, "null")) type = type->next;
    }
    return json_is(type, JSON_STRING) ? type_named(type->text) : PY_UNKNOWN;
}

static gramc_text number_of(const struct json *value) {
    return value->kind == JSON_TRUE    ? TEXT("1")
           : value->kind == JSON_FALSE ? TEXT("0")
                                       : value->text;
}

/* Python's ==, in which True is 1 and 1 is 1.0. Recursion is bounded by JSON_MAX_DEPTH. */
static bool equal(const struct json *a, const struct json *b) {
    bool numbers = type_of(a) >= PY_BOOL && type_of(a) <= PY_FLOAT && type_of(b) >= PY_BOOL &&
                   type_of(b) <= PY_FLOAT;
    if (numbers) return json_number_compare(number_of(a), number_of(b)) == 0;
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == JSON_STRING) return text_eq(a->text, b->text);
    const struct json *y = b->first;
    for (const struct json *x = a->first; x; x = x->next) {
        const struct json *other = a->kind == JSON_OBJECT ? json_get_text(b, x->key) : y;
        if (!other || !equal(x, other)) return false;
        if (y) y = y->next;
    }
    return true;
}

/* ## One question */

struct judging {
    const struct bfcl_question *question;
    struct arena arena; /* of folded texts */
    struct buf *reason;
    gramc_text function, parameter; /* that are looked at */
};

static bool fails(struct judging *judging, const char *why, const struct json *value) {
    buf_reset(judging->reason);
    buf_text(judging->reason, judging->function);
    if (judging->parameter.len)
        buf_printf(judging->reason, ": `%.*s`", TEXT_ARGS(judging->parameter));
    buf_printf(judging->reason, " %s", why);
    if (!value) return false;
    buf_puts(judging->reason, ", got ");
    json_put(judging->reason, value);
    return false;
}

static gramc_text folded(struct judging *judging, gramc_text text) {
    struct buf out;
    buf_init(&out, &judging->arena.allocator, SOURCE_MAX);
    fold_put(&out, text);
    return buf_to_arena(&out, &judging->arena);
}

/* Equal once both are folded, if both are texts. */
static bool same_folded(struct judging *judging, const struct json *a, const struct json *b) {
    if (a->kind != JSON_STRING || b->kind != JSON_STRING) return equal(a, b);
    return text_eq(folded(judging, a->text), folded(judging, b->text));
}

static bool is_empty_text(const struct json *value) {
    return value->kind == JSON_STRING && !value->text.len;
}

/* `"" in answers`; a text holds the empty one always. */
static bool may_be_left_out(const struct json *answers) {
    if (answers->kind == JSON_STRING) return true;
    const struct json *a = answers->first;
    while (a && !is_empty_text(a)) a = a->next;
    return a != NULL;
}

/* The first answer that is not "". */
static enum py_type type_of_answers(const struct json *answers) {
    const struct json *a = answers->first;
    while (a && is_empty_text(a)) a = a->next;
    return a ? type_of(a) : PY_UNKNOWN;
}

static bool is_among(const struct json *value, const struct json *answers) {
    const struct json *a = answers->first;
    while (a && !equal(value, a)) a = a->next;
    return a != NULL;
}

static bool is_among_folded(struct judging *judging, const struct json *value,
                            const struct json *answers) {
    const struct json *a = answers->first;
    while (a && !same_folded(judging, value, a)) a = a->next;
    return a != NULL;
}

/* ## Types */

/* A value of another type than the schema's is one that stands for a variable, if some right answer
 * has its type; then it is compared as it is. */
static bool fits_type(const struct json *value, enum py_type value_type, const struct json *answers,
                      enum py_type wanted) {
    (void)value;
    enum py_type answered = type_of_answers(answers);
    return value_type == wanted || (answered != PY_UNKNOWN && value_type == answered);
}

/* Each item has the type of the items, or that of some right answer's. */
static bool fits_items(const struct json *list, const struct json *answers, enum py_type items) {
    for (const struct json *answer = answers->first; answer; answer = answer->next) {
        bool good = true;
        for (const struct json *v = list->first; v && answer->kind == JSON_ARRAY; v = v->next)
            good = good && fits_type(v, type_of(v), answer, items);
        if (good) return true;
    }
    return false;
}

/* ## Values by type */

static bool check_text(struct judging *judging, const struct json *value,
                       const struct json *answers) {
    for (const struct json *a = answers->first; a; a = a->next)
        if (a->kind == JSON_STRING && same_folded(judging, value, a)) return true;
    return fails(judging, "has another text than those that are right", value);
}

/* An alternative that is "" counts as the empty list. */
static bool same_list(struct judging *judging, const struct json *list, const struct json *answer) {
    if (is_empty_text(answer)) return list->count == 0;
    if (answer->kind != JSON_ARRAY || answer->count != list->count) return false;
    const struct json *b = answer->first;
    for (const struct json *a = list->first; a; a = a->next, b = b->next)
        if (!same_folded(judging, a, b)) return false;
    return true;
}

static bool check_list(struct judging *judging, const struct json *value,
                       const struct json *answers) {
    for (const struct json *a = answers->first; a; a = a->next)
        if (same_list(judging, value, a)) return true;
    return fails(judging, "has another list than those that are right", value);
}

static bool same_dict(struct judging *judging, const struct json *dict, const struct json *answer) {
    if (answer->kind != JSON_OBJECT || dict->kind != JSON_OBJECT) return false;
    for (const struct json *m = dict->first; m; m = m->next) {
        const struct json *right = json_get_text(answer, m->key);
        if (!right || !is_among_folded(judging, m, right)) return false;
    }
    for (const struct json *m = answer->first; m; m = m->next)
        if (!json_get_text(dict, m->key) && !may_be_left_out(m)) return false;
    return true;
}

static bool check_dict(struct judging *judging, const struct json *value,
                       const struct json *answers) {
    for (const struct json *a = answers->first; a; a = a->next)
        if (same_dict(judging, value, a)) return true;
    return fails(judging, "has another object than those that are right", value);
}

static bool same_dicts(struct judging *judging, const struct json *list,
                       const struct json *answer) {
    if (is_empty_text(answer)) return list->count == 0;
    if (answer->kind != JSON_ARRAY || answer->count != list->count) return false;
    const struct json *b = answer->first;
    for (const struct json *a = list->first; a; a = a->next, b = b->next)
        if (!same_dict(judging, a, b)) return false;
    return true;
}

static bool check_dicts(struct judging *judging, const struct json *value,
                        const struct json *answers) {
    for (const struct json *a = answers->first; a; a = a->next)
        if (same_dicts(judging, value, a)) return true;
    return fails(judging, "has another list of objects than those that are right", value);
}

/* ## One argument */

static bool check_argument(struct judging *judging, const struct json *value,
                           const struct json *answers, const struct json *schema) {
    enum py_type wanted = type_of_schema(schema), given = type_of(value);
    enum py_type answered = type_of_answers(answers), items = PY_UNKNOWN;
    if (wanted == PY_UNKNOWN) wanted = answered == PY_UNKNOWN ? given : answered;
    if (wanted == PY_LIST && schema) items = type_of_schema(json_get(schema, "items"));
    if (wanted == PY_FLOAT && given == PY_INT) given = PY_FLOAT;
    if (!fits_type(value, given, answers, wanted)) return fails(judging, "has another type", value);
    if (given == wanted && items != PY_UNKNOWN && !fits_items(value, answers, items))
        return fails(judging, "has items of another type", value);
    bool variable = answered != PY_UNKNOWN && answered != wanted;
    if (variable || given != wanted)
        return is_among(value, answers) || fails(judging, "is not among the right values", value);
    switch (wanted) {
    case PY_DICT: return check_dict(judging, value, answers);
    case PY_LIST:
        return items == PY_DICT ? check_dicts(judging, value, answers)
                                : check_list(judging, value, answers);
    case PY_STR: return check_text(judging, value, answers);
    default:
        return is_among(value, answers) || fails(judging, "is not among the right values", value);
    }
}

/* ## One call */

static bool has_required(struct judging *judging, const struct json *schema,
                         const struct json *arguments) {
    const struct json *required = schema ? json_get(schema, "required") : NULL;
    for (const struct json *r = required ? required->first : NULL; r; r = r->next) {
        if (json_get_text(arguments, r->text)) continue;
        judging->parameter = r->text;
        return fails(judging, "is required and was left out", NULL);
    }
    return true;
}

static bool check_arguments(struct judging *judging, const struct json *schema,
                            const struct json *arguments, const struct json *right) {
    const struct json *properties = schema ? json_get(schema, "properties") : NULL;
    for (const struct json *m = arguments->first; m; m = m->next) {
        const struct json *answers = json_get_text(right, m->key);
        const struct json *property = properties ? json_get_text(properties, m->key) : NULL;
        judging->parameter = m->key;
        if (!answers || (properties && !property)) return fails(judging, "was not expected", m);
        if (!check_argument(judging, m, answers, property)) return false;
    }
    for (const struct json *m = right->first; m; m = m->next) {
        if (json_get_text(arguments, m->key) || may_be_left_out(m)) continue;
        judging->parameter = m->key;
        return fails(judging, "was left out", NULL);
    }
    return true;
}

static bool check_call(struct judging *judging, const struct bfcl_call *call,
                       const struct json *expected) {
    static const struct json none = {.kind = JSON_OBJECT};
    const struct bfcl_question *question = judging->question;
    const struct json *name = expected->kind == JSON_STRING ? expected : json_get(expected, "name");
    const struct json *right =
        expected->kind == JSON_STRING ? NULL : json_get(expected, "arguments");
    const struct json *schema =
        question->parameters ? question->parameters(question->ctx, name->text) : NULL;
    judging->function = name->text;
    judging->parameter = (gramc_text){NULL, 0};
    if (!text_eq(call->name, name->text)) {
        fails(judging, "was not called", NULL);
        if (call->name.len) buf_printf(judging->reason, ", but %.*s", TEXT_ARGS(call->name));
        return false;
    }
    if (!call->arguments) return fails(judging, "was called with what is no JSON object", NULL);
    if (!json_is(right, JSON_OBJECT)) right = &none;
    return has_required(judging, schema, call->arguments) &&
           check_arguments(judging, schema, call->arguments, right);
}

/* ## All calls: each that is expected takes the first one left that agrees with it */

static bool check_calls(struct judging *judging, bool *taken) {
    const struct bfcl_question *question = judging->question;
    for (const struct json *e = question->expected->first; e; e = e->next) {
        bool found = false;
        for (size_t i = 0; i < question->call_count && !found; i++) {
            if (taken[i]) continue;
            found = check_call(judging, &question->calls[i], e);
            taken[i] = found;
        }
        if (!found) return false;
    }
    return true;
}

enum bfcl_answer bfcl_judge(const struct bfcl_question *question, struct buf *reason) {
    struct judging judging = {.question = question, .reason = reason};
    size_t wanted = question->expected->count, made = question->call_count;
    bool good = wanted == made;
    if (!good) buf_printf(reason, "%zu call%s wanted, %zu made", wanted, text_plural(wanted), made);
    arena_init(&judging.arena, question->allocator);
    bool *taken = arena_zalloc(&judging.arena, made + 1);
    if (good && taken) good = check_calls(&judging, taken);
    bool nomem = judging.arena.oom || reason->state == BUF_NOMEM;
    arena_free(&judging.arena);
    if (good && !nomem) buf_reset(reason);
    return nomem ? BFCL_NOMEM : good ? BFCL_AGREES : BFCL_DISAGREES;
}
