/* Tells members of unions apart by what the IR says at once: JSON types, constants, choices, fields
 * that are required. Most members differ there, so that only few pairs are worth a comparison of
 * their printed schemas (impossible.c). Types are followed into their fields, not without end. */
#include "compiler/arms.h"

#include "base/text.h"

#include <string.h>

enum { MOST_LEVELS = 4 };

struct arm_glance {
    uint64_t *steps;
    uint32_t level;
};

static bool differ(struct arm_glance *glance, const struct schema *a, const struct schema *b);

static bool step(struct arm_glance *glance) {
    if (!*glance->steps) return false;
    --*glance->steps;
    return true;
}

/* What the IR does not know all about. */
static bool is_opaque(const struct schema *schema) {
    return schema_raw(schema) || schema_has_all(schema);
}

static const char *name_of(const struct schema *schema) {
    return type_json_name((enum type_kind)schema->kind);
}

/* ## One type and another */

static bool types_differ(const struct schema *a, const struct schema *b) {
    const char *one = name_of(a), *other = name_of(b);
    if (!one || !other || strcmp(one, other) == 0) return false;
    return a->kind != TYPE_INTEGER || b->kind != TYPE_NUMBER;
}

static bool is_listed(struct arm_glance *glance, const struct json *list,
                      const struct json *value) {
    for (const struct json *v = list->first; v; v = v->next)
        if (!step(glance) || json_equal(v, value)) return true;
    return false;
}

/* Values that are listed on both sides, or only by `b`: a whole type is no part of a list, but for
 * the types that have few values. */
static bool choices_differ(struct arm_glance *glance, const struct schema *a,
                           const struct schema *b) {
    const struct constraint *own = schema_find(a, P_ENUM), *other = schema_find(b, P_ENUM);
    const struct constraint *value = schema_find(a, P_CONST), *wanted = schema_find(b, P_CONST);
    bool few = a->kind == TYPE_BOOLEAN || a->kind == TYPE_NULL;
    if (value && wanted)
        return value->text.len && wanted->text.len && value->text.ptr[0] == '"' &&
               wanted->text.ptr[0] == '"' && !text_eq(value->text, wanted->text);
    if (!own && !value) return (other || wanted) && !few;
    const struct json *values = own && !value ? constraint_json(own) : NULL;
    const struct json *taken = other && !wanted ? constraint_json(other) : NULL;
    if (!json_is(values, JSON_ARRAY) || !json_is(taken, JSON_ARRAY)) return false;
    for (const struct json *v = values->first; v; v = v->next)
        if (!is_listed(glance, taken, v)) return true;
    return false;
}

static const struct field *find_field(struct arm_glance *glance, const struct schema *schema,
                                      gramc_text name) {
    for (; schema; schema = schema->base)
        for (const struct field *f = schema->fields; f && step(glance); f = f->next)
            if (text_eq(f->name, name)) return f;
    return NULL;
}

/* A field that `b` requires and `a` does not, or that has another type in each. */
static bool fields_differ(struct arm_glance *glance, const struct schema *a,
                          const struct schema *b) {
    for (const struct schema *link = b; link; link = link->base)
        for (const struct field *f = link->fields; f && step(glance); f = f->next) {
            const struct field *own = find_field(glance, a, f->name);
            if (!*glance->steps) return false;
            if (!f->optional && !own && !schema_find(a, P_REQUIRED)) return true;
            if (!f->optional && own && own->optional && !schema_find(a, P_REQUIRED)) return true;
            if (own && !own->optional && differ(glance, own->schema, f->schema)) return true;
        }
    return false;
}

static bool objects_differ(struct arm_glance *glance, const struct schema *a,
                           const struct schema *b) {
    bool plain = !schema_has_patterns(a) && !schema_keys(a) && !schema_find(a, P_MAX_NAMES);
    return plain && fields_differ(glance, a, b);
}

/* ## Unions */

/* A member that the other side does not take is enough; a value that is listed may be taken by
 * another alternative than the next value, so that each list is asked as a whole. */
static bool some_member_differs(struct arm_glance *glance, const struct schema *a,
                                const struct schema *b) {
    for (const struct member *m = schema_members(a); m; m = m->next)
        if (differ(glance, m->schema, b)) return true;
    return false;
}

/* A type is taken by one alternative as a whole, or by none that could be proven. */
static bool all_members_differ(struct arm_glance *glance, const struct schema *a,
                               const struct schema *b) {
    bool splits = !name_of(a) || a->kind == TYPE_BOOLEAN || schema_find(a, P_ENUM);
    if (splits || !schema_members(b)) return false;
    for (const struct member *m = schema_members(b); m; m = m->next)
        if (!differ(glance, a, m->schema)) return false;
    return true;
}

static bool pair_differs(struct arm_glance *glance, const struct schema *a,
                         const struct schema *b) {
    if (schema_is_choice(a)) return some_member_differs(glance, a, b);
    if (schema_is_choice(b)) return all_members_differ(glance, a, b);
    if (!name_of(a) || !name_of(b)) return false;
    if (types_differ(a, b)) return true;
    if (strcmp(name_of(a), name_of(b)) != 0) return false;
    if (choices_differ(glance, a, b)) return true;
    if (a->kind == TYPE_OBJECT && b->kind == TYPE_OBJECT) return objects_differ(glance, a, b);
    return false;
}

static bool differ(struct arm_glance *glance, const struct schema *a, const struct schema *b) {
    if (!a || !b || a == b || !step(glance) || is_opaque(a) || is_opaque(b)) return false;
    /* Null is a value more on either side. */
    if (schema_is_nullable(a) || schema_is_nullable(b)) return false;
    bool same = a->definition && a->definition == b->definition;
    if (same || glance->level == MOST_LEVELS) return false;
    bool inside = !schema_is_choice(a) && !schema_is_choice(b);
    glance->level += inside ? 1 : 0;
    bool answer = pair_differs(glance, a, b);
    glance->level -= inside ? 1 : 0;
    return answer;
}

bool arms_differ(const struct schema *a, const struct schema *b, uint64_t *steps) {
    struct arm_glance glance = {steps, 0};
    return differ(&glance, a, b);
}
