/* Turns a JSON Schema into what a style has to write: a scalar, a list, an object, or what holds
 * more of them than a style has words for. Whatever is not said plainly may be anything: the call
 * itself is checked by its value. */
#include "toolbox/parameter_style.h"

#include "base/text.h"

enum { DEEPEST = 16 };

static const struct json *follow(const struct json *root, const struct json *schema) {
    for (int i = 0; i < DEEPEST; i++) {
        const struct json *reference = json_get(schema, "$ref");
        if (!json_is(reference, JSON_STRING) || !text_starts(reference->text, "#")) break;
        schema = json_at(root, text_slice(reference->text, 1, reference->text.len));
    }
    return schema;
}

static unsigned kind_of_type(const struct json *type) {
    if (!json_is(type, JSON_STRING)) return STYLE_KIND_ANY;
    if (text_is(type->text, "null")) return 0;
    if (text_is(type->text, "array")) return STYLE_KIND_LIST;
    return text_is(type->text, "object") ? STYLE_KIND_OBJECT : STYLE_KIND_SCALAR;
}

static unsigned kinds_of(const struct json *root, const struct json *schema, int depth);

static unsigned kinds_of_branches(const struct json *root, const struct json *branches, int depth) {
    unsigned kinds = 0;
    for (const struct json *b = branches->first; b; b = b->next)
        kinds |= kinds_of(root, b, depth + 1);
    return kinds;
}

static unsigned kinds_of(const struct json *root, const struct json *schema, int depth) {
    static const char *const unions[] = {"anyOf", "oneOf"};
    schema = follow(root, schema);
    const struct json *type = json_get(schema, "type"), *all = json_get(schema, "allOf");
    unsigned kinds = STYLE_KIND_ANY;
    if (!json_is(schema, JSON_OBJECT) || depth == DEEPEST) return kinds;
    if (json_is(type, JSON_ARRAY)) {
        kinds = 0;
        for (const struct json *t = type->first; t; t = t->next) kinds |= kind_of_type(t);
    } else if (type) kinds = kind_of_type(type);
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++) {
        const struct json *branches = json_get(schema, unions[i]);
        if (json_is(branches, JSON_ARRAY)) kinds &= kinds_of_branches(root, branches, depth);
    }
    for (const struct json *b = json_is(all, JSON_ARRAY) ? all->first : NULL; b; b = b->next)
        kinds &= kinds_of(root, b, depth + 1);
    return kinds;
}

unsigned style_kinds(const struct json *root, const struct json *schema) {
    return kinds_of(root, schema, 0);
}

/* Nothing but lists and objects, which no style writes inside another. */
static bool is_nested(const struct json *root, const struct json *schema) {
    unsigned kinds = json_is(schema, JSON_OBJECT) ? style_kinds(root, schema) : STYLE_KIND_ANY;
    return kinds && !(kinds & STYLE_KIND_SCALAR);
}

static const char *list_problem(const struct json *root, const struct json *schema) {
    const struct json *items = json_get(schema, "items"), *first = json_get(schema, "prefixItems");
    for (const struct json *p = json_is(first, JSON_ARRAY) ? first->first : NULL; p; p = p->next)
        if (is_nested(root, p)) return "an item of it is a list or an object";
    return items && is_nested(root, items) ? "its items are lists or objects" : NULL;
}

static const char *object_problem(const struct json *root, const struct json *schema, int depth) {
    const struct json *properties = json_get(schema, "properties"),
                      *rest = json_get(schema, "additionalProperties"),
                      *all = json_get(schema, "allOf");
    for (const struct json *p = json_is(properties, JSON_OBJECT) ? properties->first : NULL; p;
         p = p->next)
        if (is_nested(root, p)) return "a member of it is a list or an object";
    if (json_is(rest, JSON_OBJECT) && is_nested(root, rest))
        return "its members are lists or objects";
    const char *problem = NULL;
    for (const struct json *b = json_is(all, JSON_ARRAY) ? all->first : NULL; b && !problem;
         b = b->next)
        if (depth < DEEPEST) problem = object_problem(root, follow(root, b), depth + 1);
    return problem;
}

/* The one branch that is not null, of a nullable type. */
static const struct json *only_branch(const struct json *root, const struct json *schema) {
    const struct json *branches = json_get(schema, "anyOf"), *found = NULL;
    if (!json_is(branches, JSON_ARRAY)) branches = json_get(schema, "oneOf");
    if (!json_is(branches, JSON_ARRAY)) return schema;
    for (const struct json *b = branches->first; b; b = b->next) {
        if (!style_kinds(root, b)) continue;
        if (found) return schema;
        found = b;
    }
    return found ? follow(root, found) : schema;
}

const char *style_cannot_say(const struct json *root, const struct json *schema,
                             enum parameter_style style) {
    if (style == STYLE_JSON || !json_is(schema, JSON_OBJECT)) return NULL;
    schema = only_branch(root, follow(root, schema));
    unsigned kinds = style_kinds(root, schema);
    bool scalar = kinds && !(kinds & (STYLE_KIND_OBJECT | STYLE_KIND_LIST));
    if (style == STYLE_DEEP) return scalar ? "it is no object" : NULL;
    if (kinds == STYLE_KIND_LIST) return list_problem(root, schema);
    return kinds == STYLE_KIND_OBJECT ? object_problem(root, schema, 0) : NULL;
}
