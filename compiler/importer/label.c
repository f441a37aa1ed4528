/* Says what a schema is, as a label: a base type, a list of types, a union, a named type, with the
 * members that belong to it. What else it says is property.c's. */
#include "compiler/importer/description.h"

#include "base/text.h"
#include "jsonschema/types.h"

#define EVERY ((1U << TYPE_KINDS) - 1)

/* ## What a type is */

static const struct {
    const char *label;
    enum type_kind kind;
} base_types[JSON_TYPES] = {
    [JSON_TYPE_STRING] = {"Text", TYPE_STRING},   [JSON_TYPE_INTEGER] = {"Int", TYPE_INTEGER},
    [JSON_TYPE_NUMBER] = {"Double", TYPE_NUMBER}, [JSON_TYPE_BOOLEAN] = {"Bool", TYPE_BOOLEAN},
    [JSON_TYPE_OBJECT] = {"Object", TYPE_OBJECT}, [JSON_TYPE_ARRAY] = {"Array", TYPE_ARRAY},
    [JSON_TYPE_NULL] = {"Null", TYPE_NULL},
};

/* JSON_TYPES for what names none. */
static enum json_type base_of(const struct json *name) {
    return name->kind == JSON_STRING ? json_type_named(name->text) : JSON_TYPES;
}

void description_label(struct description *d, const char *label, enum type_kind kind) {
    d->label = text_of(label);
    d->kind = kind;
}

static void choose_format(struct description *d, struct type_words *said) {
    static const char *const labels[] = {"Date", "Time", "DateTime", "Duration", "Email",
                                         "Uri",  "Uuid", "Hostname", "Ipv4",     "Ipv6"};
    gramc_text format = import_text(d->schema, "format");
    if (text_is(format, "password")) {
        description_add(d, "secret", doc_words(&d->in->words, "true"));
        words_note(said, "format");
    }
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const struct type_row *row = type_find(text_of(labels[i]));
        if (!row || !text_is(format, row->format)) continue;
        description_label(d, labels[i], TYPE_STRING);
        words_note(said, "format");
    }
}

/* {"prefixItems": [..n..], "items": false, "minItems": n, "maxItems": n}, or the type of a rest and
 * no most */
static bool is_tuple(const struct json *schema) {
    const struct json *list = json_get(schema, "prefixItems");
    const struct json *least = json_get(schema, "minItems"), *most = json_get(schema, "maxItems");
    char count[16];
    bool rest = json_is(json_get(schema, "items"), JSON_OBJECT) && !most;
    if (!json_is(list, JSON_ARRAY) || !list->count ||
        !(rest || json_is(json_get(schema, "items"), JSON_FALSE)))
        return false;
    size_t digits = 0;
    for (uint32_t n = list->count; n; n /= 10) digits++;
    for (uint32_t n = list->count, i = 0; n; n /= 10, i++)
        count[digits - 1 - i] = (char)('0' + n % 10);
    gramc_text number = {count, digits};
    if (!json_is(least, JSON_NUMBER) || !text_eq(least->text, number)) return false;
    return rest || (json_is(most, JSON_NUMBER) && text_eq(most->text, number));
}

static struct doc *member_list(struct description *d, const struct json *list) {
    struct doc *members = doc_list(&d->in->words, "[", "]");
    for (const struct json *item = list->first; item; item = item->next)
        doc_add(members, import_type_value(d->in, item));
    return members;
}

static void choose_object(struct description *d, struct type_words *said) {
    const struct json *values = json_get(d->schema, "additionalProperties");
    bool map = json_is(values, JSON_OBJECT) && !json_get(d->schema, "properties");
    description_label(d, map ? "Map" : "Object", map ? TYPE_MAP : TYPE_OBJECT);
    if (!json_is(values, JSON_OBJECT)) return;
    description_add(d, "values", import_type_value(d->in, values));
    words_note(said, "additionalProperties");
}

static void choose_array(struct description *d, struct type_words *said) {
    if (!is_tuple(d->schema)) return;
    static const char *const keywords[] = {"prefixItems", "items", "minItems", "maxItems"};
    description_label(d, "Tuple", TYPE_TUPLE);
    description_add(d, "items", member_list(d, json_get(d->schema, "prefixItems")));
    for (size_t i = 0; i < 4; i++) words_note(said, keywords[i]);
    const struct json *rest = json_get(d->schema, "items");
    if (json_is(rest, JSON_OBJECT)) description_add(d, "rest", import_type_value(d->in, rest));
}

static void choose_base(struct description *d, enum json_type base, struct type_words *said) {
    description_label(d, base_types[base].label, base_types[base].kind);
    if (d->kind == TYPE_STRING) choose_format(d, said);
    else if (d->kind == TYPE_OBJECT) choose_object(d, said);
    else if (d->kind == TYPE_ARRAY) choose_array(d, said);
}

/* Keywords that say something about one of several types only. */
static bool is_special(const struct json *schema) {
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++)
        if (type_property_row(p)->kinds != EVERY && description_said(schema, p)) return true;
    return json_get(schema, "properties") || json_get(schema, "required");
}

static bool is_type_but_null(const struct json *name) {
    return base_of(name) != JSON_TYPES && base_of(name) != JSON_TYPE_NULL;
}

/* {"type": ["string", "null"]} */
static void choose_list(struct description *d, const struct json *list, struct type_words *said) {
    struct doc *members = doc_list(&d->in->words, "[", "]");
    const struct json *second = list->count == 2 ? list->first->next : NULL;
    bool good = list->count > 0 && !is_special(d->schema);
    if (second && is_type_but_null(list->first) && base_of(second) == JSON_TYPE_NULL) {
        d->nullable = true;
        choose_base(d, base_of(list->first), said);
        return;
    }
    for (const struct json *item = list->first; item; item = item->next) {
        if (base_of(item) == JSON_TYPES) good = false;
        else doc_add(members, doc_words(&d->in->words, base_types[base_of(item)].label));
    }
    if (good) {
        description_label(d, "AnyOf", TYPE_ANY_OF);
        description_add(d, "of", members);
    } else {
        description_label(d, "Any", TYPE_ANY);
        description_raw(d, list);
    }
}

/* ## Unions */

static bool is_bare(const struct importer *in, const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    return json_is(schema, JSON_OBJECT) && !import_marks(in, schema) && schema->count == 1 &&
           json_is(type, JSON_STRING) && base_of(type) < JSON_TYPES;
}

static bool all_objects(const struct json *list) {
    const struct json *item = list->first;
    while (item && item->kind == JSON_OBJECT) item = item->next;
    return list->first && !item;
}

/* A union of bare types would be printed as a list of types; a type that says that it is not
 * nullable is not bare. */
static struct doc *union_members(struct description *d, const struct json *list) {
    const struct json *item = list->first;
    while (item && is_bare(d->in, item)) item = item->next;
    if (item) return member_list(d, list);
    struct doc *members = doc_list(&d->in->words, "[", "]");
    struct doc *first = doc_list(&d->in->words, "{", "}");
    enum json_type base = base_of(json_get(list->first, "type"));
    doc_property(&d->in->words, first, "type", doc_words(&d->in->words, base_types[base].label));
    doc_property(&d->in->words, first, "nullable", doc_words(&d->in->words, "false"));
    doc_add(members, first);
    for (item = list->first->next; item; item = item->next)
        doc_add(members, import_type_value(d->in, item));
    return members;
}

/* {"anyOf": [{"$ref": ...}, {"type": "null"}]}: the named type, nullable. */
static bool choose_nullable(struct description *d, const struct json *list,
                            struct type_words *said) {
    static const char *const beside[] = {"anyOf",   "title",    "description",
                                         "default", "examples", "deprecated"};
    const struct json *named = list->first, *null = named ? named->next : NULL;
    if (list->count != 2 || !is_bare(d->in, null) ||
        base_of(json_get(null, "type")) != JSON_TYPE_NULL)
        return false;
    const struct import_type *type = import_type_of(d->in, named);
    bool use =
        type && (named->count == 1 || !json_get(named, "$ref")) && !import_marks(d->in, named);
    for (const struct json *m = named->first; m && use && !json_get(named, "$ref"); m = m->next)
        use = !text_is(m->key, "description") && !text_is(m->key, "title");
    for (const struct json *m = d->schema->first; m && use; m = m->next) {
        size_t i = 0;
        while (i < 6 && !text_is(m->key, beside[i])) i++;
        use = i < 6;
    }
    if (!use) return false;
    d->label = type->name;
    d->kind = TYPE_ANY;
    words_note(said, "anyOf");
    description_add(d, "nullable", doc_words(&d->in->words, "true"));
    return true;
}

/* ### Discriminators */

enum { DEEPEST_PARTS = 8 };

static bool lists_text(const struct json *list, gramc_text text) {
    const struct json *item = json_is(list, JSON_ARRAY) ? list->first : NULL;
    while (item && !(item->kind == JSON_STRING && text_eq(item->text, text))) item = item->next;
    return item != NULL;
}

/* What a member says of the field, in itself or in a part of its `allOf`. */
struct told_field {
    const struct json *value; /* the only one that it may have; NULL: none is known */
    bool required;
};

static void find_field(const struct importer *in, const struct json *schema, gramc_text name,
                       struct told_field *out, unsigned depth) {
    const struct import_type *type = import_type_of(in, schema);
    const struct json *own = type && json_get(schema, "$ref") ? type->schema : schema;
    const struct json *properties = json_get(own, "properties"), *all = json_get(own, "allOf");
    const struct json *field = properties ? json_get_text(properties, name) : NULL;
    const struct json *value = json_is(field, JSON_OBJECT) ? json_get(field, "const") : NULL;
    const struct json *list = json_is(field, JSON_OBJECT) ? json_get(field, "enum") : NULL;
    if (!value && json_is(list, JSON_ARRAY) && list->count == 1) value = list->first;
    if (json_is(value, JSON_STRING) && !out->value) out->value = value;
    out->required = out->required || lists_text(json_get(own, "required"), name);
    for (const struct json *part = json_is(all, JSON_ARRAY) && depth ? all->first : NULL; part;
         part = part->next)
        if (part->kind == JSON_OBJECT) find_field(in, part, name, out, depth - 1);
}

static const struct json *value_told(const struct importer *in, const struct json *member,
                                     gramc_text name) {
    struct told_field field = {NULL, false};
    find_field(in, member, name, &field, DEEPEST_PARTS);
    return field.required ? field.value : NULL;
}

/* Each member has the field, with a text of its own. */
static bool are_told_apart(const struct importer *in, const struct json *list, gramc_text name) {
    struct map seen;
    map_init(&seen, in->arena);
    for (const struct json *item = list->first; item; item = item->next) {
        const struct json *value = value_told(in, item, name);
        if (!value || !map_put(&seen, value->text, in->arena)) return false;
    }
    return seen.count == list->count;
}

/* `by`, where the constants bear out what it says, and it says no more. */
static void add_discriminator(struct description *d, const struct json *list,
                              struct type_words *said) {
    const struct json *by = json_get(d->schema, "discriminator");
    const struct json *name = json_is(by, JSON_OBJECT) ? json_get(by, "propertyName") : NULL;
    if (!json_is(name, JSON_STRING) || by->count != 1) return;
    if (!are_told_apart(d->in, list, name->text)) return;
    words_note(said, "discriminator");
    description_add(d, "by", doc_text(&d->in->words, name->text));
}

static bool choose_union(struct description *d, struct type_words *said) {
    static const struct {
        const char *keyword, *label;
        enum type_kind kind;
    } unions[] = {{"anyOf", "AnyOf", TYPE_ANY_OF}, {"oneOf", "OneOf", TYPE_ONE_OF}};
    for (size_t i = 0; i < 2; i++) {
        const struct json *list = json_get(d->schema, unions[i].keyword);
        if (!json_is(list, JSON_ARRAY) || !all_objects(list) || is_special(d->schema)) continue;
        if (i == 0 && choose_nullable(d, list, said)) return true;
        description_label(d, unions[i].label, unions[i].kind);
        description_add(d, "of", union_members(d, list));
        words_note(said, unions[i].keyword);
        add_discriminator(d, list, said);
        return true;
    }
    return false;
}

/* ## Named types */

/* Only what belongs to the place of use may stand beside the name of a record. */
bool description_choose_named(struct description *d, struct type_words *said) {
    const struct import_type *type = import_type_of(d->in, d->schema);
    if (!type || type->schema == d->schema) return false;
    d->label = type->name;
    d->kind = TYPE_ANY;
    if (json_get(d->schema, "$ref")) {
        words_note(said, "$ref");
        return true;
    }
    /* A repeated record: all that is not about this place is said by its name. */
    static const enum type_property beside[] = {P_TITLE, P_DESCRIPTION, P_EXAMPLES, P_DEPRECATED};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const struct json *value = description_said(d->schema, beside[i]);
        if (value) description_property(d, beside[i], value);
    }
    return true;
}

/* `[Pet:AllOf | NewPet, Tagged]` */
static void all_elements(struct description *d, const struct json *list) {
    d->elements = doc_list(&d->in->words, " ", "");
    for (const struct json *item = list->first; item; item = item->next) {
        const struct import_type *type = import_type_of(d->in, item);
        bool bare = type && (item->count == 1 || !json_get(item, "$ref")) &&
                    text_eq(type->name, import_quote_name(d->in->arena, type->name));
        if (bare) doc_add(d->elements, doc_text(&d->in->words, type->name));
        else doc_add(d->elements, import_node(d->in, item, NULL));
    }
}

/* {"const": "red", "description": "stop"} */
static bool is_meaning(const struct json *choice) {
    return json_is(json_get(choice, "const"), JSON_STRING) && choice->count == 2 &&
           json_is(json_get(choice, "description"), JSON_STRING);
}

/* `enum: {red: "stop", green: "go"}` */
static void choose_described(struct description *d, struct type_words *said) {
    const struct json *list = json_get(d->schema, "oneOf");
    bool typed = d->kind == TYPE_STRING && !d->nullable;
    if (!json_is(list, JSON_ARRAY) || !list->first || !typed || json_get(d->schema, "enum")) return;
    for (const struct json *c = list->first; c; c = c->next) {
        const struct json *other = list->first;
        while (other != c && !json_equal(json_get(other, "const"), json_get(c, "const")))
            other = other->next;
        if (!is_meaning(c) || other != c || description_is_marked(d, MARK_ENUM)) return;
    }
    struct doc *map = doc_list(&d->in->words, "{", "}");
    for (const struct json *c = list->first; c; c = c->next) {
        gramc_text meaning = import_text(c, "description");
        description_entry(d, map, json_get(c, "const")->text, doc_string(&d->in->words, meaning));
    }
    description_add(d, "enum", map);
    words_note(said, "oneOf");
}

/* What says no type of its own is AllOf; elsewhere `allOf` stands beside the type. */
void description_choose_all(struct description *d, struct type_words *said) {
    const struct json *list = json_get(d->schema, "allOf");
    if (!json_is(list, JSON_ARRAY) || !all_objects(list)) return;
    bool own = d->kind == TYPE_ANY && !json_get(d->schema, "type");
    words_note(said, "allOf");
    if (own) description_label(d, "AllOf", TYPE_ALL_OF);
    if (own && d->type) all_elements(d, list);
    else description_add(d, own ? "of" : "allOf", member_list(d, list));
}

void description_choose(struct description *d, struct type_words *said) {
    const struct json *type = json_get(d->schema, "type");
    words_note(said, "type");
    if (json_is(type, JSON_STRING) && base_of(type) < JSON_TYPES)
        choose_base(d, base_of(type), said);
    else if (json_is(type, JSON_ARRAY)) choose_list(d, type, said);
    else if (type || !choose_union(d, said)) description_label(d, "Any", TYPE_ANY);
    if (type && type->kind != JSON_ARRAY && d->kind == TYPE_ANY) description_raw(d, type);
    choose_described(d, said);
    description_choose_all(d, said);
}
