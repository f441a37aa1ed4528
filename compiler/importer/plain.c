/* Rewrites what a schema says into forms that mean the same and that gram has words for: a list of
 * types with keywords of one of them becomes a union, a union beside a type becomes a union of that
 * type or a part of `allOf`, what says nothing goes. What has no such form is left as it is. */
#include "compiler/importer/parts.h"

#include "base/json/edit.h"
#include "base/text.h"
#include "jsonschema/keywords.h"
#include "jsonschema/types.h"

/* The types whose values a keyword judges, as bits; 0: all, or it judges none. */
static unsigned judged_by(gramc_text keyword) {
    enum keyword k = keyword_named(keyword);
    if (k == K_COUNT || keyword_row(k)->about == TYPE_BIT_ALL) return 0;
    return keyword_row(k)->about;
}

/* 0: it names none. */
static unsigned type_bits(const struct json *name) {
    return json_is(name, JSON_STRING) ? type_bits_named(name->text) : 0;
}

static struct json *copy_of(struct importer *in, const struct json *value) {
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return NULL;
    *copy = *value;
    copy->next = NULL;
    return copy;
}

/* An object or list where another one came from, for findings. */
static struct json *made_from(struct importer *in, enum json_kind kind, const struct json *at) {
    struct json *made = json_new(in->arena, kind);
    if (!made) return NULL;
    made->start = at->start;
    made->end = at->end;
    return made;
}

static bool are_objects(const struct json *list) {
    const struct json *item = json_is(list, JSON_ARRAY) ? list->first : NULL;
    while (item && item->kind == JSON_OBJECT) item = item->next;
    return json_is(list, JSON_ARRAY) && list->first && !item;
}

/* ## What says nothing */

static void drop_empty(struct json *schema) {
    struct json *type = json_find(schema, "type"),
                *others = json_find(schema, "additionalProperties");
    if (json_is(json_find(schema, "uniqueItems"), JSON_FALSE)) json_remove(schema, "uniqueItems");
    if (json_is(others, JSON_OBJECT) && !others->first) others->kind = JSON_TRUE;
    if (!json_is(type, JSON_ARRAY) || type->count != 1 || !json_is(type->first, JSON_STRING))
        return;
    type->text = type->first->text;
    type->kind = JSON_STRING;
    type->first = NULL;
    type->count = 0;
}

/* ## A part of `allOf` */

/* {"anyOf": [...], ...} becomes {"allOf": [{"anyOf": [...]}], ...} */
static void wrap(struct importer *in, struct json *schema, const char *keyword) {
    struct json *union_ = json_find(schema, keyword), *all = json_find(schema, "allOf");
    struct json *part = made_from(in, JSON_OBJECT, union_), *own = copy_of(in, union_);
    if (!part || !own || (all && all->kind != JSON_ARRAY)) return;
    json_set(part, text_of(keyword), own);
    if (all) {
        json_remove(schema, keyword);
        import_append(all, part);
        return;
    }
    union_->key = TEXT("allOf");
    union_->first = part;
    union_->count = 1;
}

/* ## A list of types */

static bool is_repeated(const struct json *list, const struct json *name) {
    const struct json *other = list->first;
    while (other != name && !text_eq(other->text, name->text)) other = other->next;
    return other != name;
}

/* The types of the list, as bits; 0: some are none or repeated, or it is no list of two or more. */
static unsigned listed_types(const struct json *type) {
    unsigned bits = 0;
    if (!json_is(type, JSON_ARRAY) || type->count < 2) return 0;
    for (const struct json *name = type->first; name; name = name->next) {
        if (!type_bits(name) || is_repeated(type, name)) return 0;
        bits |= type_bits(name);
    }
    return bits;
}

/* What it is about is one of the types, and there are others besides null. */
static bool needs_split(const struct json *schema, unsigned types) {
    unsigned others = types & ~(unsigned)TYPE_BIT_NULL;
    bool any = false, one = others == TYPE_BIT_NUMBER || !(others & (others - 1));
    if (one) return false;
    for (const struct json *m = schema->first; m; m = m->next) {
        unsigned about = judged_by(m->key);
        if (about && !(about & types)) return false;
        any = any || (about && !text_is(m->key, "format"));
    }
    return any;
}

static struct json *typed_part(struct importer *in, const struct json *schema,
                               const struct json *name) {
    struct json *part = made_from(in, JSON_OBJECT, schema);
    if (part) json_set(part, TEXT("type"), copy_of(in, name));
    return part;
}

/* The member itself goes along, for others know where its schemas stand; `whole` and `number`,
 * which one keyword can be about, have bounds alone, and those are copied. */
static void move_to_parts(struct importer *in, struct json *member, struct json *list) {
    bool moved = false;
    for (struct json *part = list->first; part; part = part->next) {
        if (!(judged_by(member->key) & type_bits(json_get(part, "type")))) continue;
        json_set(part, member->key, moved ? copy_of(in, member) : member);
        moved = true;
    }
}

/* {"type": ["string", "array"], "items": I} is a text, or an array of I. */
static void split_types(struct importer *in, struct json *schema) {
    struct json *type = json_find(schema, "type");
    struct json *list = type ? made_from(in, JSON_ARRAY, type) : NULL;
    if (!list || !needs_split(schema, listed_types(type))) return;
    if (json_find(schema, "anyOf")) wrap(in, schema, "anyOf");
    if (json_find(schema, "anyOf")) return;
    for (const struct json *name = type->first; name; name = name->next)
        import_append(list, typed_part(in, schema, name));
    for (struct json **link = &schema->first; *link;) {
        struct json *member = *link;
        bool moved = judged_by(member->key);
        if (!moved) {
            link = &member->next;
            continue;
        }
        schema->count--;
        *link = member->next;
        member->next = NULL;
        move_to_parts(in, member, list);
    }
    type->key = TEXT("anyOf");
    type->first = list->first;
    type->count = list->count;
}

/* ## A union beside other things */

static bool is_of_type(struct importer *in, const struct json *member, const struct json *type) {
    const struct json *reference = json_get(member, "$ref"), *own = json_get(member, "type");
    if (json_is(reference, JSON_STRING) && !own) {
        const struct import_type *target = map_get(&in->references, reference->text);
        own = target && target->original ? json_get(target->original, "type") : NULL;
    }
    if (!json_is(own, JSON_STRING)) return false;
    return text_eq(own->text, type->text) ||
           (text_is(type->text, "number") && text_is(own->text, "integer"));
}

/* Says no type, so it can say the one that stands beside the union. */
static bool can_take_type(const struct json *member) {
    static const char *const others[] = {"type", "$ref", "anyOf", "oneOf", "allOf", "not", NULL};
    const struct json *m = member->first;
    while (m && !import_in_list(m->key, others)) m = m->next;
    return !m && member->first;
}

/* {"const": "red", "description": "stop"}: what an enum can say of its members. */
static bool are_meanings(const struct json *list) {
    const struct json *item = list->first;
    while (item && json_get(item, "const") && json_get(item, "description") && item->count == 2)
        item = item->next;
    return !item;
}

/* {"type": T, "anyOf": [A, B]} becomes {"anyOf": [T and A, T and B]}. */
static bool distribute(struct importer *in, struct json *schema, struct json *list) {
    struct json *type = json_find(schema, "type");
    if (!json_is(type, JSON_STRING) || !type_bits(type)) return false;
    for (const struct json *m = list->first; m; m = m->next)
        if (!is_of_type(in, m, type) && !can_take_type(m)) return false;
    for (struct json *m = list->first; m; m = m->next) {
        struct json *own = is_of_type(in, m, type) ? NULL : copy_of(in, type);
        if (!own) continue;
        own->next = m->first;
        m->first = own;
        m->count++;
    }
    json_remove(schema, "type");
    return true;
}

static bool is_special(const struct json *schema) {
    const struct json *m = schema->first;
    while (m && (!judged_by(m->key) || text_is(m->key, "format"))) m = m->next;
    return m != NULL;
}

/* A root is an object with parameters, whether or not it says so. */
static void place_union(struct importer *in, struct json *schema, const char *keyword,
                        bool is_root) {
    struct json *list = json_find(schema, keyword);
    bool first = text_is(text_of(keyword), "anyOf") || !json_find(schema, "anyOf");
    if (!are_objects(list)) return;
    bool alone = first && !is_root && !is_special(schema) && !json_find(schema, "$ref");
    if (alone && !json_find(schema, "type")) return;
    if (alone && are_meanings(list)) return;
    if (alone && !json_find(schema, "allOf") && distribute(in, schema, list)) return;
    wrap(in, schema, keyword);
}

void import_plain(struct importer *in, struct json *schema, bool is_root) {
    drop_empty(schema);
    if (in->arena->oom) return;
    if (!is_root) split_types(in, schema);
    place_union(in, schema, "oneOf", is_root);
    place_union(in, schema, "anyOf", is_root);
}
