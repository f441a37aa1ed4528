/* Says beside a reference what the place itself demands. Both hold, the type and its place, but a
 * property at the place of use stands instead of the type's in gram: where that would change what
 * is accepted, the reference becomes a part of `allOf`. At the root, whose properties are
 * parameters, the two become one object. */
#include "compiler/importer/parts.h"

#include "base/json/edit.h"
#include "base/text.h"
#include "jsonschema/keywords.h"

enum { DEEPEST_CHAIN = 16 };

/* ## Keywords */

bool import_asserts(const struct json *member) {
    return keyword_asserts(member->key);
}

/* Says the same, whatever stands beside it. */
static bool is_independent(const struct json *member) {
    static const char *const bound[] = {"type", "required", "minContains", "maxContains", NULL};
    enum keyword keyword = keyword_named(member->key);
    enum vocabulary v =
        keyword == K_COUNT ? VOCABULARY_META_DATA : keyword_row(keyword)->vocabulary;
    if (text_is(member->key, "propertyNames")) return true;
    return (v == VOCABULARY_VALIDATION || v == VOCABULARY_FORMAT) &&
           !import_in_list(member->key, bound);
}

static struct json *copy_of(struct importer *in, const struct json *value) {
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return NULL;
    *copy = *value;
    copy->next = NULL;
    return copy;
}

static struct json *behind(const struct importer *in, const struct json *schema) {
    const struct json *reference = json_get(schema, "$ref");
    const struct import_type *type =
        json_is(reference, JSON_STRING) ? map_get(&in->references, reference->text) : NULL;
    return type ? type->schema : NULL;
}

/* ## A place of use */

/* In place of the type's own it would mean something else, or there are too many types in a row. */
static bool clashes(const struct importer *in, const struct json *schema,
                    const struct json *member) {
    const struct json *layer = behind(in, schema);
    for (int i = 0; layer && i < DEEPEST_CHAIN; i++, layer = behind(in, layer)) {
        const struct json *other = json_get_text(layer, member->key);
        if (other) return !json_equal(member, other);
    }
    return layer || !is_independent(member);
}

/* {"$ref": R, ...} becomes {"allOf": [{"$ref": R}], ...} */
static void use_all_of(struct importer *in, struct json *schema) {
    struct json *reference = json_find(schema, "$ref"), *all = json_find(schema, "allOf");
    struct json *part = import_json(in->arena, JSON_OBJECT, TEXT(""), TEXT(""));
    struct json *inside = part ? copy_of(in, reference) : NULL;
    if (!inside || (all && all->kind != JSON_ARRAY)) return;
    part->start = reference->start;
    part->end = reference->end;
    import_append(part, inside);
    reference->key = TEXT("allOf");
    reference->kind = JSON_ARRAY;
    reference->first = part;
    reference->count = 1;
    if (!all) return;
    part->next = all->first;
    reference->count += all->count;
    for (struct json **link = &schema->first; *link; link = &(*link)->next)
        if (*link == all) {
            *link = all->next;
            schema->count--;
            break;
        }
}

void import_note_reference(struct importer *in, struct json *schema) {
    struct import_reference_use *use = schema->count > 1 && json_find(schema, "$ref")
                                           ? ARENA_NEW(in->arena, struct import_reference_use)
                                           : NULL;
    if (!use) return;
    *use = (struct import_reference_use){in->uses, schema};
    in->uses = use;
}

void import_conjoin(struct importer *in) {
    for (struct import_reference_use *use = in->uses; use && !in->arena->oom; use = use->next) {
        const struct json *m = behind(in, use->schema) ? use->schema->first : NULL;
        while (m && !(import_asserts(m) && clashes(in, use->schema, m))) m = m->next;
        if (m) use_all_of(in, use->schema);
    }
}

/* ## The root */

static bool has_all_of(const struct json *some, const struct json *all) {
    const struct json *p = json_is(some, JSON_OBJECT) ? some->first : NULL;
    while (p && json_get_text(all, p->key)) p = p->next;
    return !p;
}

/* Names that one of them does not know are another's there: what is about those cannot be shared.
 */
static bool is_about_others(const struct json *member, const struct json *own,
                            const struct json *other) {
    static const char *const about[] = {"additionalProperties", "unevaluatedProperties", NULL};
    return import_in_list(member->key, about) &&
           !has_all_of(json_get(other, "properties"), json_get(own, "properties"));
}

static bool same_fields(const struct json *a, const struct json *b) {
    for (const struct json *p = json_is(a, JSON_OBJECT) ? a->first : NULL; p; p = p->next) {
        const struct json *other = json_get_text(b, p->key);
        if (other && !json_equal(p, other)) return false;
    }
    return true;
}

/* Whether what both say together can stand side by side. */
static bool can_join(const struct json *a, const struct json *b) {
    static const char *const joined[] = {"properties", "required", "$ref", NULL};
    for (const struct json *m = a->first; m; m = m->next) {
        const struct json *other = json_get_text(b, m->key);
        if (!import_asserts(m)) continue;
        if (is_about_others(m, a, b) || (other && m->kind != other->kind)) return false;
        if (other && !import_in_list(m->key, joined) && !json_equal(m, other)) return false;
    }
    return same_fields(json_get(a, "properties"), json_get(b, "properties"));
}

static void add_new(struct importer *in, struct json *to, const struct json *from) {
    for (const struct json *m = from->first; m; m = m->next) {
        const struct json *x = to->first;
        bool names = to->kind == JSON_ARRAY;
        while (x && !(names ? json_equal(x, m) : text_eq(x->key, m->key))) x = x->next;
        if (!x) import_append(to, copy_of(in, m));
    }
}

/* A copy of a member whose list can be made longer. */
static struct json *longer(struct importer *in, const struct json *member,
                           const struct json *more) {
    struct json *copy = copy_of(in, member);
    if (!copy) return NULL;
    copy->first = NULL;
    copy->count = 0;
    add_new(in, copy, member);
    add_new(in, copy, more);
    return copy;
}

/* What is behind the reference, then what the root says beside it. */
static struct json *join(struct importer *in, const struct json *schema,
                         const struct json *target) {
    struct json *whole = copy_of(in, schema);
    if (!whole) return NULL;
    whole->first = NULL;
    whole->count = 0;
    for (const struct json *m = target->first; m; m = m->next) {
        const struct json *own = json_get_text(schema, m->key);
        bool lists = text_is(m->key, "properties") || text_is(m->key, "required");
        import_append(whole, own && lists ? longer(in, m, own) : copy_of(in, m));
    }
    for (const struct json *m = schema->first; m; m = m->next)
        if (!text_is(m->key, "$ref") && !json_get_text(whole, m->key))
            import_append(whole, copy_of(in, m));
    return whole;
}

struct json *import_root(struct importer *in, struct json *schema) {
    for (int i = 0; i < DEEPEST_CHAIN && schema; i++) {
        struct json *target = behind(in, schema);
        const struct json *m = schema->first;
        while (m && !import_asserts(m)) m = m->next;
        if (!json_is(target, JSON_OBJECT)) break;
        if (m && !(can_join(schema, target) && can_join(target, schema))) {
            use_all_of(in, schema);
            break;
        }
        schema = m ? join(in, schema, target) : target;
    }
    return schema;
}
