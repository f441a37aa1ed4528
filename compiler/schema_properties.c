/* Turns the properties of a type, `{min: 0, default: 5}`, into what its schema and field say. Which
 * property there is and what it says something about stands in type_properties.def, how its value
 * is read in the table here. What a type is at all is schema.c's. */
#include "compiler/schema_reader.h"

#include "base/text.h"
#include "compiler/cut.h"
#include "compiler/data.h"
#include "compiler/definition.h"
#include "compiler/fixes.h"
#include "compiler/meant.h"
#include "compiler/raw_schema.h"
#include "compiler/properties.h"
#include "jsonschema/keywords.h"

void reader_wrong_value(struct reader *reader, const struct property *p, const char *wanted) {
    find_wrong_value(reader->pass, p, wanted);
}

/* ## Reading one value into one place of the IR */

typedef void read_function(struct reader *reader, enum type_property id, const struct property *p);

static struct constraint *constraint_new(struct pass *pass, gramc_text text, struct span at) {
    struct constraint *c = ARENA_NEW(pass->arena, struct constraint);
    if (c) *c = (struct constraint){.text = text, .at = at};
    return c;
}

/* In front of the list: what is said later counts, as with a type and its own bounds. NULL says
 * nothing. */
static void say(struct reader *reader, enum type_property property, struct constraint *c) {
    if (!c) return;
    c->property = property;
    c->next = reader->schema->constraints;
    reader->schema->constraints = c;
}

void reader_say(struct reader *reader, enum type_property property, gramc_text text,
                struct span at) {
    say(reader, property, text.ptr ? constraint_new(reader->pass, text, at) : NULL);
}

static void read_text(struct reader *reader, enum type_property id, const struct property *p) {
    gramc_text text = {NULL, 0};
    if (text_property_read(reader->pass, p, &text)) reader_say(reader, id, text, p->value->span);
}

static bool is_number(const struct value *value) {
    return value->kind == VALUE_INTEGER || value->kind == VALUE_DECIMAL;
}

static void read_number(struct reader *reader, enum type_property id, const struct property *p) {
    if (is_number(p->value)) reader_say(reader, id, scalar_text(p->value), p->value->span);
    else reader_wrong_value(reader, p, "a number");
}

static void read_count(struct reader *reader, enum type_property id, const struct property *p) {
    if (p->value->kind == VALUE_INTEGER && scalar_text(p->value).ptr[0] != '-')
        reader_say(reader, id, scalar_text(p->value), p->value->span);
    else find_wrong_count(reader->pass, p, "a whole number from 0 up");
}

/* A default, an enum, examples: what holds others is kept as a document too. NULL, with a finding,
 * if it is no data. */
static struct constraint *data_new(struct pass *pass, const struct value *value) {
    if (!data_is_structured(value)) {
        gramc_text json = data_json(pass, value);
        return json.ptr ? constraint_new(pass, json, value->span) : NULL;
    }
    struct data_constraint *data = ARENA_NEW(pass->arena, struct data_constraint);
    if (!data) return NULL;
    data->constraint = (struct constraint){.at = value->span, .has_document = true};
    data->constraint.text = data_document(pass, value, &data->document);
    return data->constraint.text.ptr ? &data->constraint : NULL;
}

static void read_data(struct reader *reader, enum type_property id, const struct property *p) {
    say(reader, id, data_new(reader->pass, p->value));
}

/* `{red: "stop", green: "go"}`: the names are the members, the texts say what they mean. */
static void read_described(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    size_t count = p->value->count, i = 0;
    struct described_enum *all = ARENA_NEW(pass->arena, struct described_enum);
    gramc_text *texts = arena_array(pass->arena, count + 1, sizeof *texts);
    struct value list = {.span = p->value->span, .kind = VALUE_ARRAY, .count = p->value->count};
    struct value **tail = &list.as.items;
    list.as.items = NULL;
    if (!all || !texts) return;
    for (const struct property *e = p->value->as.entries; e; e = e->next) {
        struct value *member = ARENA_NEW(pass->arena, struct value);
        if (!member || !text_property_read(pass, e, &texts[i++])) return;
        *member = (struct value){.span = name_span(e->key), .kind = VALUE_STRING};
        member->quote = QUOTE_DOUBLE;
        member->as.text = name_text(e->key).ptr;
        member->count = (uint32_t)name_text(e->key).len;
        *tail = member;
        tail = &member->next;
    }
    all->data.constraint =
        (struct constraint){.at = p->value->span, .has_document = true, .is_described = true};
    all->data.constraint.text = data_document(pass, &list, &all->data.document);
    all->descriptions = texts;
    if (all->data.constraint.text.ptr) say(reader, P_ENUM, &all->data.constraint);
}

/* A gram array, or json`[...]`. null among the members of an enum means that null may be sent. */
static void read_list(struct reader *reader, enum type_property id, const struct property *p) {
    if (id == P_ENUM && p->value->kind == VALUE_MAP) {
        read_described(reader, p);
        return;
    }
    bool list = p->value->kind == VALUE_ARRAY, tagged = p->value->kind == VALUE_TAGGED;
    struct constraint *data = list || tagged ? data_new(reader->pass, p->value) : NULL;
    if (data && data->text.ptr[0] == '[') say(reader, id, data);
    else if (data || !(list || tagged))
        reader_wrong_value(reader, p,
                           id == P_ENUM ? "a list, or a map from member to description" : "a list");
    for (const struct value *v = list ? p->value->as.items : NULL; v; v = v->next)
        if (id == P_ENUM && v->kind == VALUE_SYMBOL && text_is(scalar_text(v), "null"))
            reader->schema->nullable = SAID_TRUE;
}

static bool flag_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_BOOLEAN) return text_is(scalar_text(p->value), "true");
    reader_wrong_value(reader, p, "true or false");
    return false;
}

/* Said or not said: `false` says nothing. */
static void read_mark(struct reader *reader, enum type_property id, const struct property *p) {
    if (flag_in(reader, p)) reader_say(reader, id, TEXT("true"), p->value->span);
}

static void contradiction(struct reader *reader, const struct property *p, const char *what,
                          const char *instead) {
    if (p)
        FIND(reader->pass->findings, D_CONTRADICTION, reader->pass->source, property_span(p),
             text_of(what), text_of(instead));
}

/* A format that says to whom the value may be shown. */
static void read_secret(struct reader *reader, enum type_property id, const struct property *p) {
    gramc_text format = schema_get(reader->schema, P_FORMAT);
    bool is_secret = text_is(format, "password"), secret = flag_in(reader, p);
    if (secret && format.len && !is_secret && !reader->schema->definition)
        contradiction(reader, p, "it has a format", "keep one of them");
    else if (secret) reader_say(reader, P_FORMAT, TEXT("password"), p->value->span);
    else if (is_secret) contradiction(reader, p, "its base is secret", "leave it out");
    (void)id;
}

static uint8_t said_in(struct reader *reader, const struct property *p) {
    return flag_in(reader, p) ? SAID_TRUE : SAID_FALSE;
}

/* The members that are flags have readers of one line. */
#define READS_FLAG(name, place)                                                                    \
    static void name(struct reader *reader, enum type_property id, const struct property *p) {     \
        (void)id;                                                                                  \
        reader->schema->place = said_in(reader, p);                                                \
    }
READS_FLAG(read_unique, unique)
READS_FLAG(read_nullable, nullable)
READS_FLAG(read_deprecated, deprecated)
READS_FLAG(read_open, open)
#undef READS_FLAG

/* `range: 1..5` stands for both bounds, inclusive. */
static void read_range(struct reader *reader, enum type_property id, const struct property *p) {
    const struct value *range = p->value;
    (void)id;
    if (range->kind != VALUE_RANGE) {
        reader_wrong_value(reader, p, "a range such as 0..100");
        return;
    }
    const struct value *ends[2] = {range->as.range->lower, range->as.range->upper};
    static const enum type_property bounds[2] = {P_MIN, P_MAX};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        if (is_number(ends[i])) reader_say(reader, bounds[i], scalar_text(ends[i]), ends[i]->span);
        else reader_wrong_value(reader, p, "a range of numbers");
    }
}

static void read_inner(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    if (reader->schema->kind == TYPE_TUPLE)
        reader->schema->members = members_of_value(reader->pass, p->value);
    else reader->schema->inner = schema_inside(reader->pass, p->value);
}

/* `of` and `allOf` of one type: both hold. */
static void read_all(struct reader *reader, enum type_property id, const struct property *p) {
    struct member **tail = &reader->schema->all;
    (void)id;
    while (*tail) tail = &(*tail)->next;
    *tail = members_of_value(reader->pass, p->value);
    /* What is no list was reported; from here on it is anything. */
    if (p->value->kind != VALUE_ARRAY && reader->schema->kind == TYPE_ALL_OF)
        reader->schema->kind = TYPE_ANY;
}

/* What a tuple may hold behind its own items. */
static void read_rest(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    reader->schema->inner = schema_inside(reader->pass, p->value);
}

static void read_values(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    reader->schema->values = schema_inside(reader->pass, p->value);
}

static void read_of(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    if (reader->schema->kind == TYPE_ALL_OF) {
        read_all(reader, P_ALL_OF, p);
        return;
    }
    reader->schema->members = members_of_value(reader->pass, p->value);
    /* What is no list was reported; from here on it is anything. */
    if (p->value->kind != VALUE_ARRAY) reader->schema->kind = TYPE_ANY;
}

/* The field that tells the members apart. */
static void read_by(struct reader *reader, enum type_property id, const struct property *p) {
    bool said = value_is_name(p->value) && value_name(p->value).len;
    if (said) reader_say(reader, id, value_text(reader->pass, p->value), p->value->span);
    else reader_wrong_value(reader, p, "the name of a field");
}

static void read_patterns(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    reader_read_patterns(reader, p);
}

/* Names are texts, whatever else is said about them. */
static void read_keys(struct reader *reader, enum type_property id, const struct property *p) {
    struct schema *keys = schema_inside(reader->pass, p->value);
    (void)id;
    bool untyped = keys && (keys->kind == TYPE_ANY || keys->kind == TYPE_ALL_OF ||
                            keys->kind == TYPE_ANY_OF || keys->kind == TYPE_ONE_OF);
    if (!keys || keys->kind == TYPE_STRING || untyped) reader->schema->keys = keys;
    else reader_wrong_value(reader, p, "a type of texts, such as {type: Text, pattern: \"^x-\"}");
}

static void read_fields(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    reader_read_fields(reader, p);
}

static void read_type(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    if (value_is_name(p->value)) {
        reader_set_type(reader, value_name(p->value), p->value->span);
        return;
    }
    const struct schema *other = schema_of_value(reader->pass, p->value);
    if (!other) return;
    *reader->schema = *other;
    if (cut_is_said(other)) cut_note(reader->pass, reader->schema);
}

static void find_not_here(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    FIND(pass->findings, D_PROPERTY_NOT_HERE, pass->source, name_span(p->key), name_text(p->key),
         TEXT("only parameters and fields have it"));
}

static void read_default(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    reader->field->fallback = data_new(reader->pass, p->value);
    if (!reader->required_said) reader->field->optional = true;
}

static void read_optional(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    if (flag_in(reader, p)) reader->field->optional = true;
}

static bool are_texts(const struct json *list) {
    const struct json *v = list ? list->first : NULL;
    while (v && v->kind == JSON_STRING) v = v->next;
    return list && !v;
}

/* `required: ["id"]`: names that must be there, though they may be no fields of its own. */
static void read_required_names(struct reader *reader, const struct property *p) {
    static const unsigned kinds =
        1U << TYPE_OBJECT | 1U << TYPE_MAP | 1U << TYPE_ANY | 1U << TYPE_ALL_OF;
    struct constraint *names = data_new(reader->pass, p->value);
    bool takes = kinds & 1U << reader->schema->kind;
    if (names && (!takes || !are_texts(constraint_json(names))))
        reader_wrong_value(reader, p, takes ? "true or a list of names" : "true");
    else say(reader, P_REQUIRED, names);
}

/* Names of fields, to keep or to leave out. */
static void read_names(struct reader *reader, enum type_property id, const struct property *p) {
    bool is_list = p->value->kind == VALUE_ARRAY && p->value->count;
    struct constraint *names = is_list ? data_new(reader->pass, p->value) : NULL;
    if (names && are_texts(constraint_json(names))) say(reader, id, names);
    else if (names || !is_list) reader_wrong_value(reader, p, "a list of names of fields");
}

static void read_required(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    if (p->value->kind == VALUE_ARRAY) {
        read_required_names(reader, p);
        return;
    }
    if (!reader->field) {
        find_not_here(reader, p);
        return;
    }
    reader->required_said = flag_in(reader, p);
    if (reader->required_said) reader->field->optional = false;
}

static void read_name(struct reader *reader, enum type_property id, const struct property *p) {
    (void)id;
    bool said = value_is_name(p->value) && value_name(p->value).len;
    if (said) reader->field->name = value_text(reader->pass, p->value);
    else reader_wrong_value(reader, p, "a text that is not empty");
}

static void read_raw(struct reader *reader, enum type_property id, const struct property *p) {
    bool wrong;
    (void)id;
    reader->schema->raw = raw_read(reader->pass, p->value, &wrong);
    if (wrong) reader_wrong_value(reader, p, "a JSON object: json`{...}`");
}

/* `jsonSchema` in it is printed, so it may not demand anything. */
static bool has_annotations_alone(const struct constraint *meta) {
    const struct json *document = meta ? constraint_json(meta) : NULL;
    const struct json *kept = document ? json_get(document, "jsonSchema") : NULL;
    if (!kept) return true;
    const struct json *m = kept->kind == JSON_OBJECT ? kept->first : NULL;
    while (m && !keyword_asserts(m->key) && !text_starts(m->key, "$")) m = m->next;
    return kept->kind == JSON_OBJECT && !m;
}

static void read_meta(struct reader *reader, enum type_property id, const struct property *p) {
    if (p->value->kind != VALUE_MAP) {
        reader_wrong_value(reader, p, "a map");
        return;
    }
    read_data(reader, id, p);
    const struct constraint *said = schema_find(reader->schema, P_META);
    if (!has_annotations_alone(said))
        reader_wrong_value(reader, p, "a map whose `jsonSchema` has annotations alone");
}

/* ## All of them */

static read_function *const readers[TYPE_PROPERTIES] = {
    [P_TYPE] = read_type,          [P_TITLE] = read_text,
    [P_DESCRIPTION] = read_text,   [P_FORMAT] = read_text,
    [P_ITEMS] = read_inner,        [P_ENUM] = read_list,
    [P_CONST] = read_data,         [P_MIN] = read_number,
    [P_MAX] = read_number,         [P_RANGE] = read_range,
    [P_ABOVE] = read_number,       [P_BELOW] = read_number,
    [P_MULTIPLE_OF] = read_number, [P_MIN_LENGTH] = read_count,
    [P_MAX_LENGTH] = read_count,   [P_PATTERN] = read_text,
    [P_MIN_ITEMS] = read_count,    [P_MAX_ITEMS] = read_count,
    [P_UNIQUE] = read_unique,      [P_OF] = read_of,
    [P_ALL_OF] = read_all,         [P_FIELDS] = read_fields,
    [P_OPEN] = read_open,          [P_VALUES] = read_values,
    [P_KEYS] = read_keys,          [P_PATTERNS] = read_patterns,
    [P_MIN_NAMES] = read_count,    [P_MAX_NAMES] = read_count,
    [P_NULLABLE] = read_nullable,  [P_DEFAULT] = read_default,
    [P_EXAMPLES] = read_list,      [P_DEPRECATED] = read_deprecated,
    [P_META] = read_meta,          [P_READ_ONLY] = read_mark,
    [P_WRITE_ONLY] = read_mark,    [P_REST] = read_rest,
    [P_SCHEMA] = read_raw,         [P_NAME] = read_name,
    [P_REQUIRED] = read_required,  [P_OPTIONAL] = read_optional,
    [P_SECRET] = read_secret,      [P_BY] = read_by,
    [P_PICK] = read_names,         [P_OMIT] = read_names,
    [P_PARTIAL] = read_mark,
};

static void unknown_property(struct reader *reader, const struct property *p) {
    gramc_text names[MOST_SPELLINGS];
    size_t count = type_property_spellings(names);
    struct pass *pass = reader->pass;
    struct finding *f = FIND(pass->findings, D_UNKNOWN_PROPERTY, pass->source, name_span(p->key),
                             name_text(p->key), TEXT("types"));
    gramc_text word = name_text(p->key), near = meant_property("types", word, names, count);
    bool is_type = value_is_name(p->value) &&
                   (type_find(value_name(p->value)) || definition_find(pass, value_name(p->value)));
    if (is_type && reader->schema->kind == TYPE_OBJECT)
        finding_help(pass->findings, f, "a field stands in `fields`: {fields: {%.*s: %.*s}}",
                     TEXT_ARGS(word), TEXT_ARGS(value_name(p->value)));
    else meant_help_property(pass, f, "types", word, near);
    fix_key(pass, f, reader->first, p, names, count);
}

static enum type_property property_said(const struct property *p) {
    return type_property_said(name_text(p->key), p->value->kind == VALUE_BOOLEAN);
}

/* Where it was said first; it was. */
static const struct property *earlier(const struct reader *reader, enum type_property id) {
    const struct property *p = reader->first;
    while (property_said(p) != id) p = p->next;
    return p;
}

static bool seen_before(struct reader *reader, enum type_property id, const struct property *p) {
    struct pass *pass = reader->pass;
    uint64_t bit = UINT64_C(1) << id;
    if (!(reader->seen & bit)) {
        reader->seen |= bit;
        return false;
    }
    const struct property *other = earlier(reader, id);
    enum diag_id finding =
        text_eq(name_text(other->key), name_text(p->key)) ? D_DUPLICATE_PROPERTY : D_TWO_SPELLINGS;
    struct finding *f = FIND(pass->findings, finding, pass->source, name_span(p->key),
                             name_text(p->key), name_text(other->key));
    finding_label(pass->findings, f, pass->source, name_span(other->key), "first written here");
    fix_repeated(pass, f, reader->first, other, p);
    return true;
}

static const char *noun(const struct schema *schema) {
    const char *name = type_json_name((enum type_kind)schema->kind);
    return schema->type ? schema->type->label : name ? name : "a union";
}

/* Keywords that belong to one of the types that their row is for. */
static bool is_of_other_type(const struct schema *schema, gramc_text key) {
    return (schema->kind != TYPE_ANY_OF && schema->kind != TYPE_ANY && text_is(key, "anyOf")) ||
           (schema->kind != TYPE_ONE_OF && schema->kind != TYPE_ANY && text_is(key, "oneOf")) ||
           (schema->kind == TYPE_ARRAY && text_is(key, "prefixItems"));
}

static bool fits_here(struct reader *reader, enum type_property id, const struct property *p) {
    struct pass *pass = reader->pass;
    const struct schema *schema = reader->schema;
    const struct type_property_row *row = type_property_row(id);
    if (row->place == PLACE_FIELDS_ONLY && !reader->field) {
        find_not_here(reader, p);
        return false;
    }
    bool untyped = schema->kind == TYPE_ANY || schema->kind == TYPE_ALL_OF;
    bool fits = untyped || (row->kinds & 1U << schema->kind);
    if (fits && !is_of_other_type(schema, name_text(p->key))) return true;
    FIND(pass->findings, D_PROPERTY_NOT_FOR_TYPE, pass->source, name_span(p->key),
         name_text(p->key), text_of(noun(schema)));
    return false;
}

/* The type itself first: what the others mean depends on it. */
static void read_own_type(struct reader *reader) {
    for (const struct property *p = reader->first; p; p = p->next)
        if (text_is(name_text(p->key), "type")) read_type(reader, P_TYPE, p);
}

static const struct property *said(const struct reader *reader, enum type_property id) {
    return reader->seen & UINT64_C(1) << id ? earlier(reader, id) : NULL;
}

#define CUTS (PROPERTY_BIT(P_PICK) | PROPERTY_BIT(P_OMIT) | PROPERTY_BIT(P_PARTIAL))

static void check_contradictions(struct reader *reader) {
    const struct property *required = said(reader, P_REQUIRED);
    if (required && required->value->kind == VALUE_ARRAY) required = NULL;
    if (said(reader, P_OPEN) && reader->schema->open != SAID_TRUE)
        contradiction(reader, said(reader, P_VALUES), "`open: false` takes no other names",
                      "keep one of them");
    else if (said(reader, P_OPEN) && said(reader, P_VALUES))
        contradiction(reader, said(reader, P_OPEN), "`values` says what other names hold",
                      "leave `open` out");
    bool has_default = reader->field && reader->field->fallback;
    if (reader->required_said && !has_default)
        contradiction(reader, required, "`required: true` belongs to a default",
                      "leave it out: a parameter without a default is required anyway");
    if (required && reader->field && said(reader, P_OPTIONAL))
        contradiction(reader, said(reader, P_OPTIONAL), "`required` says it already",
                      "keep one of them");
    if (required && reader->field && !reader->required_said)
        contradiction(reader, required, "`required: false` is not said so",
                      "write `optional: true`");
    if (said(reader, P_READ_ONLY) && schema_find(reader->schema, P_READ_ONLY) &&
        schema_find(reader->schema, P_WRITE_ONLY))
        contradiction(reader, said(reader, P_WRITE_ONLY), "`readOnly` says that it is never sent",
                      "keep one of them");
    if (said(reader, P_PICK))
        contradiction(reader, said(reader, P_OMIT), "`pick` says which fields are left",
                      "keep one of them");
    if (said(reader, P_MIN) || said(reader, P_MAX))
        contradiction(reader, said(reader, P_RANGE), "`range` stands instead of `min` and `max`",
                      "keep one of them");
}

void properties_of_type(struct reader *reader, const struct property *first) {
    reader->first = first;
    if (reader->from_map) read_own_type(reader);
    for (const struct property *p = first; p; p = p->next) {
        enum type_property id = property_said(p);
        bool known = id != TYPE_PROPERTIES;
        bool for_maps = known && type_property_row(id)->place == PLACE_MAPS_ONLY;
        if (!known || (for_maps && !reader->from_map)) {
            unknown_property(reader, p);
            continue;
        }
        if (seen_before(reader, id, p) || !fits_here(reader, id, p)) continue;
        if (!for_maps) readers[id](reader, id, p);
    }
    if (first) check_contradictions(reader);
    if (reader->seen & CUTS && cut_is_said(reader->schema)) cut_note(reader->pass, reader->schema);
}

bool type_has_property(gramc_text key) {
    return type_property_named(key) != TYPE_PROPERTIES;
}
