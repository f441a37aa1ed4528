/* Finds named types that say `allOf` of another named type and an object, which is how OpenAPI
 * derives: such a type is a record with the other's fields and its own, and is written so. What
 * says more than that, or says a field again, stays as it is. */
#include "compiler/importer/parts.h"

#include "base/text.h"

enum { DEEPEST_BASE = 64 };

/* What may stand beside `allOf`, and in the object: nothing that is about all the fields. */
static const char *const plain[] = {"type",        "properties", "required", "title",
                                    "description", "deprecated", "examples", NULL};

static bool is_plain_object(const struct json *schema, bool with_all_of) {
    const struct json *type = json_get(schema, "type");
    const struct json *properties = json_get(schema, "properties");
    if (!json_is(schema, JSON_OBJECT) || (properties && properties->kind != JSON_OBJECT))
        return false;
    if (type && !(type->kind == JSON_STRING && text_is(type->text, "object"))) return false;
    for (const struct json *m = schema->first; m; m = m->next)
        if (!import_in_list(m->key, plain) && !(with_all_of && text_is(m->key, "allOf")))
            return false;
    return true;
}

/* The parts of a derivation. */
struct derivation {
    struct import_type *base;
    const struct json *own[2]; /* objects with fields: inside allOf, and beside it */
};

static struct import_type *referred(struct importer *in, const struct json *part) {
    const struct json *reference = json_get(part, "$ref");
    if (!json_is(reference, JSON_STRING) || part->count != 1) return NULL;
    return map_get(&in->references, reference->text);
}

/* One reference, at most one object, and what stands beside them. */
static bool read_parts(struct importer *in, const struct json *schema, struct derivation *d) {
    const struct json *parts = json_get(schema, "allOf");
    if (!json_is(parts, JSON_ARRAY) || !is_plain_object(schema, true)) return false;
    for (const struct json *part = parts->first; part; part = part->next) {
        struct import_type *base = referred(in, part);
        if (base && d->base) return false;
        if (base) d->base = base;
        else if (d->own[0] || !is_plain_object(part, false)) return false;
        else d->own[0] = part;
    }
    d->own[1] = schema;
    return d->base != NULL;
}

static struct json *copy_of(struct importer *in, const struct json *member) {
    struct json *copy = ARENA_NEW(in->arena, struct json);
    if (!copy) return NULL;
    *copy = *member;
    copy->next = NULL;
    import_set_marks(in, copy, import_marks(in, member));
    return copy;
}

/* False if the list says a name that `fields` does not have: it is somebody else's field. */
static bool add_required(struct importer *in, struct json *to, const struct json *schema,
                         const struct json *fields) {
    const struct json *required = json_get(schema, "required");
    if (required && required->kind != JSON_ARRAY) return false;
    for (const struct json *r = required ? required->first : NULL; r; r = r->next) {
        if (r->kind != JSON_STRING || !json_get_text(fields, r->text)) return false;
        import_append(to, copy_of(in, r));
    }
    return true;
}

static bool add_fields(struct importer *in, struct json *to, const struct json *schema) {
    const struct json *properties = json_get(schema, "properties");
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        if (json_get_text(to, p->key)) return false;
        import_append(to, copy_of(in, p));
    }
    return true;
}

static struct json *list_of(struct importer *in, enum json_kind kind, const char *key) {
    return import_json(in->arena, kind, text_of(key), (gramc_text){NULL, 0});
}

/* What is said in words: beside allOf, in the object, else of the base. */
static void add_words(struct importer *in, struct json *to, const struct json *const parts[3]) {
    static const char *const words[] = {"title", "description", "deprecated", "examples"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int from = 2; from >= 0; from--) {
            const struct json *word = parts[from] ? json_get(parts[from], words[i]) : NULL;
            if (word && !json_get(to, words[i])) import_append(to, copy_of(in, word));
        }
}

/* An object with all fields, those of the base first. NULL: one is said twice, or none is added, or
 * something is said about a field of the base. */
static struct json *whole_of(struct importer *in, const struct json *at,
                             const struct json *const parts[3]) {
    struct json *fields = list_of(in, JSON_OBJECT, "properties");
    struct json *required = list_of(in, JSON_ARRAY, "required");
    struct json *own = list_of(in, JSON_OBJECT, "");
    struct json *whole = copy_of(in, at);
    if (!fields || !required || !own || !whole) return NULL;
    for (int i = 0; i < 3; i++)
        if (parts[i] &&
            !(add_fields(in, fields, parts[i]) && (!i || add_fields(in, own, parts[i]))))
            return NULL;
    for (int i = 0; i < 3; i++)
        if (parts[i] && !add_required(in, required, parts[i], i ? own : fields)) return NULL;
    if (!own->first) return NULL;
    whole->first = NULL;
    whole->count = 0;
    import_append(whole, import_json(in->arena, JSON_STRING, TEXT("type"), TEXT("object")));
    import_append(whole, fields);
    if (required->first) import_append(whole, required);
    add_words(in, whole, parts);
    return whole;
}

static bool is_base(const struct json *schema) {
    return is_plain_object(schema, false) && text_is(import_text(schema, "type"), "object") &&
           json_get(schema, "properties") && !json_get(schema, "examples");
}

/* Recursion is bounded by DEEPEST_BASE; a type that is on its way is its own base, and none. */
static void derive(struct importer *in, struct import_type *type, unsigned depth) {
    struct derivation d = {.base = NULL};
    if (type->asked || !type->schema) return;
    type->asked = true;
    if (depth == DEEPEST_BASE || !read_parts(in, type->schema, &d)) return;
    derive(in, d.base, depth + 1);
    if (d.base == type || !is_base(d.base->schema)) return;
    const struct json *const parts[3] = {d.base->schema, d.own[0], d.own[1]};
    struct json *whole = whole_of(in, type->schema, parts);
    if (!whole) return;
    type->base = d.base;
    type->schema = whole;
}

void import_derive(struct importer *in) {
    for (struct import_type *type = in->first_type; type && !in->arena->oom; type = type->next)
        derive(in, type, 0);
}

const struct json *import_own_fields(const struct import_type *type) {
    const struct json *fields = json_get(type->schema, "properties");
    const struct json *field = json_is(fields, JSON_OBJECT) ? fields->first : NULL;
    size_t inherited = type->base ? json_get(type->base->schema, "properties")->count : 0;
    while (field && inherited--) field = field->next;
    return field;
}

static struct json *fields_of(const struct import_type *type) {
    struct json *member = type->schema->first;
    while (member && !text_is(member->key, "properties")) member = member->next;
    return member ? member->first : NULL;
}

/* What was found out about a field of the base holds for its copies, and the other way. */
void import_share_marks(struct importer *in) {
    for (struct import_type *type = in->first_type; type; type = type->next) {
        const struct json *field = type->base ? fields_of(type->base) : NULL;
        const struct json *copy = field ? fields_of(type) : NULL;
        for (; field && copy; field = field->next, copy = copy->next) {
            uint8_t both = import_marks(in, field) | import_marks(in, copy);
            import_set_marks(in, field, both);
            import_set_marks(in, copy, both);
        }
    }
}
