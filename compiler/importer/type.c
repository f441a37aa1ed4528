/* Turns one schema into a type as a person would write it: a label, properties, and, for what gram
 * has no word for, raw schema. Reads what earlier rounds have found out from the marks. */
#include "compiler/importer/parts.h"

#include "base/text.h"
#include "compiler/type_properties.h"
#include "jsonschema/types.h"

enum { LARGEST_RAW = 1 << 18 };

#define KIND(kind) (1U << (kind))
#define EVERY ((1U << TYPE_KINDS) - 1)

/* One type being described. */
struct description {
    struct importer *in;
    const struct json *schema;
    gramc_text label;
    enum type_kind kind;
    struct doc *properties;         /* a list in braces */
    struct doc *items;              /* the value of the property of that name; NULL: none */
    struct doc *elements;           /* of a definition: its fields */
    struct buf raw;                 /* members of `schema`, as JSON */
    const struct import_type *type; /* of a definition; NULL: it is none */
    bool nullable, is_field;
    bool fields_open; /* the fields are said as elements */
};

static struct doc *type_value(struct importer *in, const struct json *schema);

static void add(struct description *d, const char *key, struct doc *value) {
    doc_property(d->in->arena, d->properties, key, value);
}

static bool is_marked(const struct description *d, enum import_mark mark) {
    return import_marks(d->in, d->schema) & (uint8_t)mark;
}

static void lose(struct description *d, const struct json *at, gramc_text why) {
    if (d->in->report) import_lose_schema(d->in, at, why);
}

/* ## Raw schema */

static void raw(struct description *d, const struct json *member) {
    struct buf value;
    buf_init(&value, &d->in->arena->allocator, LARGEST_RAW);
    struct json_writer w = json_writer(&value);
    bool good = true;
    if (member->kind == JSON_OBJECT) good = import_put_json(d->in, &w, member, 0);
    else if (member->kind == JSON_ARRAY) {
        json_array_begin(&w);
        for (const struct json *item = member->first; item && good; item = item->next) {
            if (item->kind == JSON_OBJECT) good = import_put_json(d->in, &w, item, 0);
            else json_value(&w, item);
        }
        json_array_end(&w);
    } else if (text_is(member->key, "$ref") && member->kind == JSON_STRING)
        import_put_reference(d->in, &w, member);
    else json_value(&w, member);
    if (value.state == BUF_NOMEM) d->in->arena->oom = true;
    if (good && value.state == BUF_FINE) {
        struct json_writer members = {.out = &d->raw, .comma = d->raw.len > 0};
        json_key_text(&members, member->key);
        json_raw(&members, buf_view(&value));
    } else
        lose(d, member,
             good ? TEXT("`schema` has at most 256 KiB of JSON")
                  : TEXT("`schema` is nested at most 1000 levels deep"));
    buf_free(&value);
}

static void add_raw(struct description *d) {
    struct arena *arena = d->in->arena;
    struct buf json;
    if (d->raw.state == BUF_NOMEM) arena->oom = true;
    if (!d->raw.len) return;
    buf_init(&json, &arena->allocator, SOURCE_MAX);
    buf_putc(&json, '{');
    buf_text(&json, buf_view(&d->raw));
    buf_putc(&json, '}');
    gramc_text text = buf_to_arena(&json, arena);
    if (text.ptr) add(d, "schema", doc_json(arena, text));
}

/* ## Values of keywords; each answers NULL if the value is none of its kind */

typedef struct doc *keyword_writer(struct description *d, const struct json *value);

static struct doc *write_text(struct description *d, const struct json *value) {
    return value->kind == JSON_STRING ? doc_string(d->in->arena, value->text) : NULL;
}

static struct doc *write_number(struct description *d, const struct json *value) {
    return value->kind == JSON_NUMBER ? doc_text(d->in->arena, value->text) : NULL;
}

static bool is_count(gramc_text number) {
    size_t i = 0;
    while (i < number.len && number.ptr[i] >= '0' && number.ptr[i] <= '9') i++;
    return i == number.len;
}

static struct doc *write_count(struct description *d, const struct json *value) {
    return value->kind == JSON_NUMBER && is_count(value->text) ? doc_text(d->in->arena, value->text)
                                                               : NULL;
}

static struct doc *write_true(struct description *d, const struct json *value) {
    return value->kind == JSON_TRUE ? doc_words(d->in->arena, "true") : NULL;
}

static struct doc *write_flag(struct description *d, const struct json *value) {
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE) return NULL;
    return doc_words(d->in->arena, value->kind == JSON_TRUE ? "true" : "false");
}

static bool holds_null(const struct json *list) {
    const struct json *item = list->first;
    while (item && item->kind != JSON_NULL) item = item->next;
    return item != NULL;
}

/* null among the members written in gram would make the type nullable; in JSON it does not. And a
 * nullable type adds null to an enum without it. */
static struct doc *write_enum(struct description *d, const struct json *value) {
    if (value->kind != JSON_ARRAY || is_marked(d, MARK_ENUM)) return NULL;
    bool with_null = holds_null(value);
    if (d->nullable) return with_null ? doc_data(d->in->arena, value) : NULL;
    if (!with_null) return doc_data(d->in->arena, value);
    struct buf json;
    buf_init(&json, &d->in->arena->allocator, SOURCE_MAX);
    json_put(&json, value);
    return doc_json(d->in->arena, buf_to_arena(&json, d->in->arena));
}

static struct doc *write_const(struct description *d, const struct json *value) {
    bool good = !d->nullable && !is_marked(d, MARK_CONST);
    return good ? doc_data(d->in->arena, value) : NULL;
}

static struct doc *write_keys(struct description *d, const struct json *value) {
    return value->kind == JSON_OBJECT ? type_value(d->in, value) : NULL;
}

/* `name: value` in a map */
static void add_entry(struct description *d, struct doc *map, gramc_text name, struct doc *value) {
    struct doc *entry = doc_chain(d->in->arena);
    doc_add(entry, import_key(d->in->arena, name));
    doc_add(entry, doc_words(d->in->arena, ": "));
    doc_add(entry, value);
    doc_add(map, entry);
}

/* `{"^x-": Text}` */
static struct doc *write_patterns(struct description *d, const struct json *value) {
    if (value->kind != JSON_OBJECT) return NULL;
    struct doc *map = doc_list(d->in->arena, "{", "}");
    for (const struct json *p = value->first; p; p = p->next)
        add_entry(d, map, p->key, type_value(d->in, p));
    return map;
}

static struct doc *write_examples(struct description *d, const struct json *value) {
    bool good = value->kind == JSON_ARRAY && !is_marked(d, MARK_EXAMPLES);
    return good ? doc_data(d->in->arena, value) : NULL;
}

static struct doc *write_items(struct description *d, const struct json *value) {
    d->items = value->kind == JSON_OBJECT ? type_value(d->in, value) : NULL;
    return d->items;
}

/* The properties that keywords become, written in the order of their table. What is missing here
 * stays JSON, or belongs to what the type is. */
static keyword_writer *const writers[TYPE_PROPERTIES] = {
    [P_TITLE] = write_text,       [P_DESCRIPTION] = write_text,   [P_FORMAT] = write_text,
    [P_ITEMS] = write_items,      [P_ENUM] = write_enum,          [P_CONST] = write_const,
    [P_MIN] = write_number,       [P_MAX] = write_number,         [P_ABOVE] = write_number,
    [P_BELOW] = write_number,     [P_MULTIPLE_OF] = write_number, [P_MIN_LENGTH] = write_count,
    [P_MAX_LENGTH] = write_count, [P_PATTERN] = write_text,       [P_MIN_ITEMS] = write_count,
    [P_MAX_ITEMS] = write_count,  [P_UNIQUE] = write_true,        [P_OPEN] = write_flag,
    [P_KEYS] = write_keys,        [P_PATTERNS] = write_patterns,  [P_MIN_NAMES] = write_count,
    [P_MAX_NAMES] = write_count,  [P_EXAMPLES] = write_examples,  [P_DEPRECATED] = write_true,
    [P_READ_ONLY] = write_true,   [P_WRITE_ONLY] = write_true,
};

/* What a schema says for a property; NULL: nothing, or it is not written by its keyword. */
static const struct json *said_for(const struct json *schema, enum type_property property) {
    return writers[property] ? json_get(schema, type_property_printed(property).ptr) : NULL;
}

/* The property that a keyword is written as; TYPE_PROPERTIES: none. */
static enum type_property property_for(gramc_text keyword) {
    enum type_property p = 0;
    while (p < TYPE_PROPERTIES && !(writers[p] && text_eq(keyword, type_property_printed(p)))) p++;
    return p;
}

static bool fits_type(enum type_property property, enum type_kind kind) {
    return kind == TYPE_ANY || kind == TYPE_ALL_OF ||
           type_property_row(property)->kinds & KIND(kind);
}

static void add_property(struct description *d, enum type_property property, struct doc *value) {
    add(d, type_property_row(property)->name.ptr, value);
}

/* ## What a type is */

/* Keywords that the label or the members of it have said already. */
struct type_words {
    const char *keywords[8];
    size_t count;
};

static void note(struct type_words *said, const char *keyword) {
    said->keywords[said->count++] = keyword;
}

static bool was_said(const struct type_words *said, gramc_text keyword) {
    for (size_t i = 0; i < said->count; i++)
        if (text_is(keyword, said->keywords[i])) return true;
    return false;
}

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

static void set_label(struct description *d, const char *label, enum type_kind kind) {
    d->label = text_of(label);
    d->kind = kind;
}

static void choose_format(struct description *d, struct type_words *said) {
    static const char *const labels[] = {"Date", "Time", "DateTime", "Duration", "Email",
                                         "Uri",  "Uuid", "Hostname", "Ipv4",     "Ipv6"};
    gramc_text format = import_text(d->schema, "format");
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const struct type_row *row = type_find(text_of(labels[i]));
        if (!row || !text_is(format, row->format)) continue;
        set_label(d, labels[i], TYPE_STRING);
        note(said, "format");
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
    struct doc *members = doc_list(d->in->arena, "[", "]");
    for (const struct json *item = list->first; item; item = item->next)
        doc_add(members, type_value(d->in, item));
    return members;
}

static void choose_object(struct description *d, struct type_words *said) {
    const struct json *values = json_get(d->schema, "additionalProperties");
    bool map = json_is(values, JSON_OBJECT) && !json_get(d->schema, "properties");
    set_label(d, map ? "Map" : "Object", map ? TYPE_MAP : TYPE_OBJECT);
    if (!json_is(values, JSON_OBJECT)) return;
    add(d, "values", type_value(d->in, values));
    note(said, "additionalProperties");
}

static void choose_array(struct description *d, struct type_words *said) {
    if (!is_tuple(d->schema)) return;
    static const char *const keywords[] = {"prefixItems", "items", "minItems", "maxItems"};
    set_label(d, "Tuple", TYPE_TUPLE);
    add(d, "items", member_list(d, json_get(d->schema, "prefixItems")));
    for (size_t i = 0; i < 4; i++) note(said, keywords[i]);
    const struct json *rest = json_get(d->schema, "items");
    if (json_is(rest, JSON_OBJECT)) add(d, "rest", type_value(d->in, rest));
}

static void choose_base(struct description *d, enum json_type base, struct type_words *said) {
    set_label(d, base_types[base].label, base_types[base].kind);
    if (d->kind == TYPE_STRING) choose_format(d, said);
    else if (d->kind == TYPE_OBJECT) choose_object(d, said);
    else if (d->kind == TYPE_ARRAY) choose_array(d, said);
}

/* Keywords that say something about one of several types only. */
static bool is_special(const struct json *schema) {
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++)
        if (type_property_row(p)->kinds != EVERY && said_for(schema, p)) return true;
    return json_get(schema, "properties") || json_get(schema, "required");
}

static bool is_type_but_null(const struct json *name) {
    return base_of(name) != JSON_TYPES && base_of(name) != JSON_TYPE_NULL;
}

/* {"type": ["string", "null"]} */
static void choose_list(struct description *d, const struct json *list, struct type_words *said) {
    struct doc *members = doc_list(d->in->arena, "[", "]");
    const struct json *second = list->count == 2 ? list->first->next : NULL;
    bool good = list->count > 0 && !is_special(d->schema);
    if (second && is_type_but_null(list->first) && base_of(second) == JSON_TYPE_NULL) {
        d->nullable = true;
        choose_base(d, base_of(list->first), said);
        return;
    }
    for (const struct json *item = list->first; item; item = item->next) {
        if (base_of(item) == JSON_TYPES) good = false;
        else doc_add(members, doc_words(d->in->arena, base_types[base_of(item)].label));
    }
    if (good) {
        set_label(d, "AnyOf", TYPE_ANY_OF);
        add(d, "of", members);
    } else {
        set_label(d, "Any", TYPE_ANY);
        raw(d, list);
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
    struct doc *members = doc_list(d->in->arena, "[", "]");
    struct doc *first = doc_list(d->in->arena, "{", "}");
    enum json_type base = base_of(json_get(list->first, "type"));
    doc_property(d->in->arena, first, "type", doc_words(d->in->arena, base_types[base].label));
    doc_property(d->in->arena, first, "nullable", doc_words(d->in->arena, "false"));
    doc_add(members, first);
    for (item = list->first->next; item; item = item->next)
        doc_add(members, type_value(d->in, item));
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
    note(said, "anyOf");
    add(d, "nullable", doc_words(d->in->arena, "true"));
    return true;
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
        set_label(d, unions[i].label, unions[i].kind);
        add(d, "of", union_members(d, list));
        note(said, unions[i].keyword);
        return true;
    }
    return false;
}

/* ## Named types */

/* Only what belongs to the place of use may stand beside the name of a record. */
static bool choose_named(struct description *d, struct type_words *said) {
    const struct import_type *type = import_type_of(d->in, d->schema);
    if (!type || type->schema == d->schema) return false;
    d->label = type->name;
    d->kind = TYPE_ANY;
    if (json_get(d->schema, "$ref")) {
        note(said, "$ref");
        return true;
    }
    /* A repeated record: all that is not about this place is said by its name. */
    static const enum type_property beside[] = {P_TITLE, P_DESCRIPTION, P_EXAMPLES, P_DEPRECATED};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const struct json *value = said_for(d->schema, beside[i]);
        struct doc *doc = value ? writers[beside[i]](d, value) : NULL;
        if (doc) add_property(d, beside[i], doc);
        else if (value) raw(d, value);
    }
    return true;
}

/* `[Pet:AllOf | NewPet, Tagged]` */
static void all_elements(struct description *d, const struct json *list) {
    d->elements = doc_list(d->in->arena, " ", "");
    for (const struct json *item = list->first; item; item = item->next) {
        const struct import_type *type = import_type_of(d->in, item);
        bool bare = type && (item->count == 1 || !json_get(item, "$ref")) &&
                    text_eq(type->name, import_quote_name(d->in->arena, type->name));
        if (bare) doc_add(d->elements, doc_text(d->in->arena, type->name));
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
        if (!is_meaning(c) || other != c || is_marked(d, MARK_ENUM)) return;
    }
    struct doc *map = doc_list(d->in->arena, "{", "}");
    for (const struct json *c = list->first; c; c = c->next) {
        gramc_text meaning = import_text(c, "description");
        add_entry(d, map, json_get(c, "const")->text, doc_string(d->in->arena, meaning));
    }
    add(d, "enum", map);
    note(said, "oneOf");
}

/* What says no type of its own is AllOf; elsewhere `allOf` stands beside the type. */
static void choose_all(struct description *d, struct type_words *said) {
    const struct json *list = json_get(d->schema, "allOf");
    if (!json_is(list, JSON_ARRAY) || !all_objects(list)) return;
    bool own = d->kind == TYPE_ANY && !json_get(d->schema, "type");
    note(said, "allOf");
    if (own) set_label(d, "AllOf", TYPE_ALL_OF);
    if (own && d->type) all_elements(d, list);
    else add(d, own ? "of" : "allOf", member_list(d, list));
}

static void choose(struct description *d, struct type_words *said) {
    const struct json *type = json_get(d->schema, "type");
    note(said, "type");
    if (json_is(type, JSON_STRING) && base_of(type) < JSON_TYPES)
        choose_base(d, base_of(type), said);
    else if (json_is(type, JSON_ARRAY)) choose_list(d, type, said);
    else if (type || !choose_union(d, said)) set_label(d, "Any", TYPE_ANY);
    if (type && type->kind != JSON_ARRAY && d->kind == TYPE_ANY) raw(d, type);
    choose_described(d, said);
    choose_all(d, said);
}

/* ## Fields */

bool import_is_required(const struct json *schema, gramc_text name) {
    const struct json *required = json_get(schema, "required");
    if (!json_is(required, JSON_ARRAY)) return false;
    for (const struct json *item = required->first; item; item = item->next)
        if (item->kind == JSON_STRING && text_eq(item->text, name)) return true;
    return false;
}

/* Each required name once. */
static bool required_is_set(const struct json *schema) {
    const struct json *required = json_get(schema, "required");
    if (!required) return true;
    if (required->kind != JSON_ARRAY) return false;
    for (const struct json *item = required->first; item; item = item->next) {
        if (item->kind != JSON_STRING) return false;
        for (const struct json *other = required->first; other != item; other = other->next)
            if (text_eq(other->text, item->text)) return false;
    }
    return true;
}

static bool is_described(const struct json *schema, const struct json *name) {
    const struct json *properties = json_get(schema, "properties");
    return json_is(properties, JSON_OBJECT) && json_get_text(properties, name->text);
}

/* And each of them a property. */
static bool required_is_plain(const struct json *schema) {
    const struct json *required = json_get(schema, "required");
    if (!required_is_set(schema)) return false;
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (!is_described(schema, item)) return false;
    return true;
}

/* `required: ["id"]`: what must be there and is no field of it. */
static void add_required_names(struct description *d) {
    const struct json *required = json_get(d->schema, "required");
    struct doc *names = doc_list(d->in->arena, "[", "]");
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (!is_described(d->schema, item)) doc_add(names, doc_data(d->in->arena, item));
    if (names && names->first) add(d, "required", names);
}

static void describe(struct description *d, const struct import_field *field);

static struct description new_description(struct importer *in, const struct json *schema,
                                          bool is_field) {
    struct description d = {.in = in, .schema = schema, .is_field = is_field};
    d.properties = doc_list(in->arena, "{", "}");
    buf_init(&d.raw, &in->arena->allocator, LARGEST_RAW);
    return d;
}

/* `street: Text`, `tags: [Text]`, `zip: {type: Text, optional: true}`. What is described already is
 * moved: to describe items twice doubles the work with each level of lists. */
static struct doc *described_value(struct importer *in, const struct json *schema,
                                   const struct import_field *field) {
    struct description d = new_description(in, schema, field != NULL);
    describe(&d, field);
    buf_free(&d.raw);
    struct doc *value = doc_chain(in->arena);
    if (!value || !d.properties) return NULL;
    value->origin = schema;
    if (!d.properties->first) {
        doc_add(value, doc_text(in->arena, d.label));
        return value;
    }
    bool only_items = text_is(d.label, "Array") && d.items && !d.properties->first->next &&
                      !d.nullable && !import_marks(in, schema);
    if (only_items) {
        struct doc *list = doc_list(in->arena, "[", "]");
        doc_add(list, d.items);
        doc_add(value, list);
        return value;
    }
    struct doc *map = doc_list(in->arena, "{", "}");
    doc_property(in->arena, map, "type", doc_text(in->arena, d.label));
    for (struct doc *p = d.properties->first, *next; p; p = next) {
        next = p->next;
        p->next = NULL;
        doc_add(map, p);
    }
    doc_add(value, map);
    return value;
}

static struct doc *type_value(struct importer *in, const struct json *schema) {
    return described_value(in, schema, NULL);
}

struct doc *import_type_value(struct importer *in, const struct json *schema) {
    return type_value(in, schema);
}

struct doc *import_key(struct arena *arena, gramc_text name) {
    gramc_text plain = import_quote_name(arena, name);
    bool bare = plain.len > 0 && plain.ptr[0] != '`';
    if (bare) return doc_text(arena, plain);
    struct json text = {.kind = JSON_STRING, .text = name};
    return doc_data(arena, &text);
}

static struct doc *field_map(struct description *d, const struct json *properties) {
    struct importer *in = d->in;
    struct doc *map = doc_list(in->arena, "{", "}");
    for (const struct json *p = properties->first; p; p = p->next) {
        struct import_field field = {p->key, import_is_required(d->schema, p->key)};
        add_entry(d, map, p->key, described_value(in, p, &field));
    }
    return map;
}

static void field_elements(struct description *d) {
    d->elements = doc_list(d->in->arena, " ", "");
    for (const struct json *p = import_own_fields(d->type); p; p = p->next) {
        struct import_field field = {p->key, import_is_required(d->schema, p->key)};
        doc_add(d->elements, import_node(d->in, p, &field));
    }
}

static void describe_fields(struct description *d, struct type_words *said) {
    const struct json *properties = json_get(d->schema, "properties");
    bool takes = d->kind == TYPE_OBJECT || d->kind == TYPE_ANY || d->kind == TYPE_ALL_OF;
    if (json_is(properties, JSON_OBJECT) && takes) {
        note(said, "properties");
        bool elements = d->type && d->kind == TYPE_OBJECT && properties->first;
        if (elements) field_elements(d);
        else add(d, "fields", field_map(d, properties));
    }
    bool named = takes || d->kind == TYPE_MAP, fields = was_said(said, TEXT("properties"));
    bool twice = d->is_field && json_get(d->schema, "default") && !required_is_plain(d->schema);
    if (!named || !required_is_set(d->schema) || (!fields && properties) || twice) return;
    note(said, "required");
    add_required_names(d);
}

/* ## All of it */

/* What the base says in words holds for what derives from it. */
static bool is_inherited(const struct description *d, const struct json *value) {
    const struct import_type *base = d->type ? d->type->base : NULL;
    const struct json *other = base ? json_get_text(base->schema, value->key) : NULL;
    return other && json_equal(value, other);
}

static void describe_keywords(struct description *d, const struct type_words *said) {
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++) {
        const struct json *value = said_for(d->schema, p);
        if (!value || was_said(said, value->key) || is_inherited(d, value)) continue;
        struct doc *doc = fits_type(p, d->kind) ? writers[p](d, value) : NULL;
        if (doc) add_property(d, p, doc);
        else raw(d, value);
    }
    for (const struct json *m = d->schema->first; m; m = m->next) {
        bool own = property_for(m->key) != TYPE_PROPERTIES || text_is(m->key, "type") ||
                   text_is(m->key, "default");
        bool meta = d->in->bundles && m->kind == JSON_OBJECT && text_is(m->key, "meta");
        if (meta) add(d, "meta", import_map(d->in, m));
        else if (!own && !was_said(said, m->key)) raw(d, m);
    }
}

/* Everything as JSON, but for what people read and what belongs to the parameter. */
static void describe_raw(struct description *d) {
    set_label(d, "Any", TYPE_ANY);
    for (const struct json *m = d->schema->first; m; m = m->next) {
        if (text_is(m->key, "default")) continue;
        if (text_is(m->key, "description") && m->kind == JSON_STRING)
            add(d, "description", doc_string(d->in->arena, m->text));
        else raw(d, m);
    }
}

static void describe_dropped(struct description *d) {
    const struct json *description = json_get(d->schema, "description");
    set_label(d, "Any", TYPE_ANY);
    if (json_is(description, JSON_STRING))
        add(d, "description", doc_string(d->in->arena, description->text));
    lose(d, d->schema, TEXT(""));
}

static void describe_default(struct description *d, const struct import_field *field) {
    const struct json *value = json_get(d->schema, "default");
    bool said = value && d->is_field && !is_marked(d, MARK_DEFAULT | MARK_DROP);
    if (value && !said && !is_marked(d, MARK_DROP)) raw(d, value);
    if (field && !field->required && !said) add(d, "optional", doc_words(d->in->arena, "true"));
    if (field && field->required && said) add(d, "required", doc_words(d->in->arena, "true"));
    if (said) add(d, "default", doc_data(d->in->arena, value));
}

static void describe(struct description *d, const struct import_field *field) {
    struct type_words said = {.count = 0};
    if (d->in->arena->oom) return;
    import_report_marks(d->in, d->schema);
    if (is_marked(d, MARK_DROP)) describe_dropped(d);
    else if (is_marked(d, MARK_RAW)) describe_raw(d);
    else if (choose_named(d, &said)) {
        if (said.count) describe_keywords(d, &said);
    } else {
        choose(d, &said);
        describe_fields(d, &said);
        if (d->nullable) add(d, "nullable", doc_words(d->in->arena, "true"));
        describe_keywords(d, &said);
    }
    describe_default(d, field);
    /* What does not fit has a finding of its own. */
    uint8_t data = MARK_DEFAULT | MARK_ENUM | MARK_CONST | MARK_EXAMPLES;
    if (d->in->report && d->raw.len && !(import_marks(d->in, d->schema) & data))
        import_find(d->in, D_IMPORT_RAW, NULL, d->schema, buf_view(&d->raw), TEXT(""));
    add_raw(d);
}

/* ## The arguments of a tool as a whole */

static bool is_in_signature(const struct json *schema, const struct json *member, bool is_tool) {
    if (text_is(member->key, "type"))
        return member->kind == JSON_STRING && text_is(member->text, "object");
    if (text_is(member->key, "properties")) return member->kind == JSON_OBJECT;
    if (text_is(member->key, "required")) return required_is_plain(schema);
    return is_tool && (text_is(member->key, "title") || text_is(member->key, "description"));
}

static void describe_whole(struct description *d, bool is_tool) {
    for (const struct json *m = d->schema->first; m; m = m->next) {
        bool flag = m->kind == JSON_TRUE || m->kind == JSON_FALSE;
        if (is_in_signature(d->schema, m, is_tool)) continue;
        if (flag && text_is(m->key, "additionalProperties")) add(d, "open", write_flag(d, m));
        else if (is_marked(d, MARK_DROP)) lose(d, m, TEXT(""));
        else raw(d, m);
    }
}

void import_arguments(struct importer *in, const struct import_tool *tool, struct doc *list) {
    if (!tool->parameters) return;
    import_report_marks(in, tool->parameters);
    struct description d = new_description(in, tool->parameters, false);
    describe_whole(&d, tool->is_schema);
    if (in->report && d.raw.len)
        import_find(in, D_IMPORT_RAW, NULL, tool->parameters, buf_view(&d.raw), TEXT(""));
    add_raw(&d);
    buf_free(&d.raw);
    for (struct doc *p = d.properties ? d.properties->first : NULL, *next; p; p = next) {
        next = p->next;
        p->next = NULL;
        p->origin = tool->parameters;
        doc_add(list, p);
    }
}

struct doc *import_node(struct importer *in, const struct json *schema,
                        const struct import_field *field) {
    struct description d = new_description(in, schema, field != NULL);
    struct doc *node = doc_chain(in->arena);
    describe(&d, field);
    buf_free(&d.raw);
    if (!node || !d.properties) return NULL;
    node->origin = schema;
    doc_add(node, doc_words(in->arena, "("));
    if (field) doc_add(node, doc_text(in->arena, import_quote_name(in->arena, field->name)));
    doc_add(node, doc_words(in->arena, "::"));
    doc_add(node, doc_text(in->arena, d.label));
    if (d.properties->first) {
        doc_add(node, doc_words(in->arena, " "));
        doc_add(node, d.properties);
    }
    doc_add(node, doc_words(in->arena, ")"));
    return node;
}

struct doc *import_definition(struct importer *in, const struct import_type *type) {
    struct description d = new_description(in, type->schema, false);
    struct doc *definition = doc_chain(in->arena);
    d.type = type;
    describe(&d, NULL);
    if (type->base && !is_marked(&d, MARK_RAW | MARK_DROP)) d.label = type->base->name;
    buf_free(&d.raw);
    if (!definition || !d.properties) return NULL;
    definition->origin = type->schema;
    doc_add(definition, doc_words(in->arena, "["));
    doc_add(definition, doc_text(in->arena, type->name));
    doc_add(definition, doc_words(in->arena, ":"));
    doc_add(definition, doc_text(in->arena, d.label));
    if (d.properties->first) {
        doc_add(definition, doc_words(in->arena, " "));
        doc_add(definition, d.properties);
    }
    if (d.elements) {
        doc_add(definition, doc_words(in->arena, " |"));
        doc_add(definition, d.elements);
    }
    doc_add(definition, doc_words(in->arena, "]"));
    return definition;
}
