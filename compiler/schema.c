/* Turns a type as it is written, `(age::Int {min: 0})`, `[Text]`, `{type: Object, fields: ...}`,
 * into the schema IR. The table at the bottom says which property means what for which types.
 * Printing is emit_json_schema.c's, contradictions and defaults are schema_check.c's. */
#include "compiler/schema.h"

#include "base/text.h"
#include "compiler/data.h"

#define KIND(kind) (1U << (kind))
#define NUMERIC (KIND(TYPE_INTEGER) | KIND(TYPE_NUMBER))
#define EVERY ((1U << TYPE_KINDS) - 1)

/* One type being read: from a node's record or from a map. */
struct reader {
    struct pass *pass;
    struct schema *schema;
    struct field *field;             /* NULL: neither parameter nor field */
    const struct property *seen[40]; /* by row */
    bool required_said;
};

static struct schema *schema_of_value(struct pass *pass, const struct value *value);
static void read_properties(struct reader *reader, const struct property *first);

static void wrong_value(struct reader *reader, const struct property *p, const char *wanted) {
    FIND(reader->pass->findings, D_WRONG_VALUE, reader->pass->source, p->value->span, p->key.text,
         text_of(wanted), text_of(value_noun(p->value)));
}

/* ## Reading one value into one place of the IR */

typedef void read_function(struct reader *reader, const struct property *p);

static gramc_text text_in(struct reader *reader, const struct property *p) {
    if (value_is_name(p->value)) return value_text(reader->pass, p->value);
    wrong_value(reader, p, "a text");
    return (gramc_text){NULL, 0};
}

static gramc_text number_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_INTEGER || p->value->kind == VALUE_DECIMAL)
        return p->value->as.scalar.text;
    wrong_value(reader, p, "a number");
    return (gramc_text){NULL, 0};
}

static gramc_text count_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_INTEGER && p->value->as.scalar.text.ptr[0] != '-')
        return p->value->as.scalar.text;
    wrong_value(reader, p, "a whole number from 0 up");
    return (gramc_text){NULL, 0};
}

static bool flag_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_BOOLEAN) return text_is(p->value->as.scalar.text, "true");
    wrong_value(reader, p, "true or false");
    return false;
}

static gramc_text list_in(struct reader *reader, const struct property *p) {
    bool tagged_list = p->value->kind == VALUE_TAGGED;
    if (p->value->kind != VALUE_ARRAY && !tagged_list) {
        wrong_value(reader, p, "a list");
        return (gramc_text){NULL, 0};
    }
    gramc_text json = data_json(reader->pass, p->value);
    if (json.len && json.ptr[0] != '[') wrong_value(reader, p, "a list");
    return json.len && json.ptr[0] == '[' ? json : (gramc_text){NULL, 0};
}

#define READS(name, place, how)                                                                    \
    static void name(struct reader *reader, const struct property *p) {                            \
        reader->place = how(reader, p);                                                            \
    }
READS(read_title, schema->title, text_in)
READS(read_description, schema->description, text_in)
READS(read_format, schema->format, text_in)
READS(read_min, schema->minimum, number_in)
READS(read_max, schema->maximum, number_in)
READS(read_above, schema->above, number_in)
READS(read_below, schema->below, number_in)
READS(read_multiple_of, schema->multiple_of, number_in)
READS(read_min_length, schema->min_length, count_in)
READS(read_max_length, schema->max_length, count_in)
READS(read_min_items, schema->min_items, count_in)
READS(read_max_items, schema->max_items, count_in)
READS(read_unique, schema->unique, flag_in)
READS(read_nullable, schema->nullable, flag_in)
READS(read_deprecated, schema->deprecated, flag_in)
#undef READS

static void read_pattern(struct reader *reader, const struct property *p) {
    reader->schema->pattern = text_in(reader, p);
    reader->schema->pattern_at = p->value->span;
}

static void read_examples(struct reader *reader, const struct property *p) {
    reader->schema->examples = list_in(reader, p);
    reader->schema->examples_at = p->value->span;
}

static void read_const(struct reader *reader, const struct property *p) {
    reader->schema->constant = data_json(reader->pass, p->value);
    reader->schema->constant_at = p->value->span;
}

/* null among the members means that null may be sent. */
static void read_enum(struct reader *reader, const struct property *p) {
    struct schema *schema = reader->schema;
    schema->enumeration = list_in(reader, p);
    schema->enumeration_at = p->value->span;
    if (p->value->kind != VALUE_ARRAY) return;
    for (const struct value *v = p->value->as.array.first; v; v = v->next)
        if (v->kind == VALUE_SYMBOL && text_is(v->as.scalar.text, "null")) schema->nullable = true;
}

static void read_open(struct reader *reader, const struct property *p) {
    reader->schema->open = flag_in(reader, p) ? OPEN_YES : OPEN_NO;
}

static void read_range(struct reader *reader, const struct property *p) {
    const struct value *range = p->value;
    if (range->kind != VALUE_RANGE) {
        wrong_value(reader, p, "a range such as 0..100");
        return;
    }
    const struct value *ends[2] = {range->as.range.lower, range->as.range.upper};
    gramc_text *places[2] = {&reader->schema->minimum, &reader->schema->maximum};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        bool plain = ends[i]->kind == VALUE_INTEGER || ends[i]->kind == VALUE_DECIMAL;
        if (plain) *places[i] = ends[i]->as.scalar.text;
        else wrong_value(reader, p, "a range of numbers");
    }
}

static void read_items(struct reader *reader, const struct property *p) {
    reader->schema->items = schema_of_value(reader->pass, p->value);
}

static void read_values(struct reader *reader, const struct property *p) {
    reader->schema->values = schema_of_value(reader->pass, p->value);
}

static void read_default(struct reader *reader, const struct property *p) {
    reader->field->default_json = data_json(reader->pass, p->value);
    reader->field->default_at = p->value->span;
    if (!reader->required_said) reader->field->optional = true;
}

static void read_optional(struct reader *reader, const struct property *p) {
    if (flag_in(reader, p)) reader->field->optional = true;
}

static void read_required(struct reader *reader, const struct property *p) {
    reader->required_said = flag_in(reader, p);
    if (reader->required_said) reader->field->optional = false;
}

static void read_name(struct reader *reader, const struct property *p) {
    gramc_text name = text_in(reader, p);
    if (name.ptr) reader->field->name = name;
}

static void read_hatch(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    gramc_text json = p->value->kind == VALUE_TAGGED ? data_json(pass, p->value) : (gramc_text){0};
    const struct json *document = json.len ? json_parse(pass->arena, json, NULL) : NULL;
    reader->schema->hatch_at = p->value->span;
    if (json_is(document, JSON_OBJECT)) reader->schema->hatch = document;
    else if (p->value->kind != VALUE_TAGGED || document)
        wrong_value(reader, p, "a JSON object: json`{...}`");
}

/* ## Fields */

enum { LONG_LIST = 16 };

void field_list_init(struct field_list *list, struct arena *arena) {
    *list = (struct field_list){.first = NULL};
    list->tail = &list->first;
    map_init(&list->seen, arena);
}

/* Short lists are searched from the front: nearly all are, and a map would cost more. */
static struct field *find_or_note(struct field_list *list, struct field *field) {
    if (list->count < LONG_LIST) {
        for (struct field *f = list->first; f; f = f->next)
            if (text_eq(f->name, field->name)) return f;
        return field;
    }
    if (list->count == LONG_LIST)
        for (struct field *f = list->first; f; f = f->next) map_put(&list->seen, f->name, f);
    return map_put(&list->seen, field->name, field);
}

struct field *field_list_add(struct field_list *list, struct field *field) {
    struct field *other = find_or_note(list, field);
    if (other != field) return other;
    *list->tail = field;
    list->tail = &field->next;
    list->count++;
    return NULL;
}

static void append_field(struct pass *pass, struct field_list *list, struct field *field) {
    struct field *other = field ? field_list_add(list, field) : NULL;
    if (!other) return;
    struct finding *f =
        FIND(pass->findings, D_DUPLICATE_FIELD, pass->source, field->span, field->name);
    finding_label(pass->findings, f, pass->source, other->span, "first declared here");
}

/* `fields: {street: Text, zip: {type: Text}}` */
static struct field *field_of_entry(struct pass *pass, const struct property *entry) {
    struct field *field = ARENA_NEW(pass->arena, struct field);
    if (!field) return NULL;
    field->identifier = field->name = entry->key.text;
    field->span = entry->key.span;
    struct reader reader = {.pass = pass, .field = field};
    if (entry->value->kind != VALUE_MAP) {
        field->schema = schema_of_value(pass, entry->value);
        return field;
    }
    field->schema = reader.schema = schema_of_value(pass, NULL);
    if (field->schema) read_properties(&reader, entry->value->as.map.first);
    return field;
}

/* `fields: [{name: "street", type: Text}]` */
static struct field *field_of_item(struct pass *pass, const struct value *item) {
    struct field *field = ARENA_NEW(pass->arena, struct field);
    if (!field) return NULL;
    struct reader reader = {.pass = pass, .field = field};
    if (item->kind != VALUE_MAP) {
        FIND(pass->findings, D_WRONG_VALUE, pass->source, item->span, TEXT("fields"),
             TEXT("maps such as {name: \"street\", type: Text}"), text_of(value_noun(item)));
        return NULL;
    }
    field->span = item->span;
    field->schema = reader.schema = schema_of_value(pass, NULL);
    if (field->schema) read_properties(&reader, item->as.map.first);
    field->identifier = field->name;
    if (field->name.ptr) return field;
    FIND0(pass->findings, D_FIELD_WITHOUT_NAME, pass->source, item->span);
    return NULL;
}

static void read_fields(struct reader *reader, const struct property *p) {
    struct pass *pass = reader->pass;
    struct field_list list;
    field_list_init(&list, pass->arena);
    reader->schema->has_fields = true;
    if (p->value->kind == VALUE_MAP) {
        for (const struct property *e = p->value->as.map.first; e; e = e->next)
            append_field(pass, &list, field_of_entry(pass, e));
    } else if (p->value->kind == VALUE_ARRAY) {
        for (const struct value *v = p->value->as.array.first; v; v = v->next)
            append_field(pass, &list, field_of_item(pass, v));
    } else {
        wrong_value(reader, p, "a list of fields or a map from name to type");
    }
    reader->schema->fields = list.first;
}

/* ## Types */

static void set_type(struct reader *reader, gramc_text label, struct span span) {
    struct pass *pass = reader->pass;
    const struct type_row *row = type_find(label);
    if (!row) {
        struct finding *f = FIND(pass->findings, D_UNKNOWN_TYPE, pass->source, span, label);
        gramc_text near = type_nearest(label);
        if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
        return;
    }
    struct schema *schema = reader->schema;
    schema->type = row;
    schema->kind = row->kind;
    if (row->format) schema->format = text_of(row->format);
    if (row->one_character) schema->min_length = schema->max_length = TEXT("1");
    if (row->min && !row->bounds_hidden) {
        schema->minimum = text_of(row->min);
        schema->maximum = text_of(row->max);
    }
}

static void read_type(struct reader *reader, const struct property *p);

/* value NULL gives an empty schema of kind Any, to be filled in by the caller. */
static struct schema *schema_of_value(struct pass *pass, const struct value *value) {
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    if (!schema || !value) return schema;
    struct reader reader = {.pass = pass, .schema = schema};
    schema->span = value->span;
    if (value_is_name(value)) {
        set_type(&reader, value_name(value), value->span);
    } else if (value->kind == VALUE_ARRAY && value->as.array.count == 1) {
        schema->kind = TYPE_ARRAY;
        schema->items = schema_of_value(pass, value->as.array.first);
    } else if (value->kind == VALUE_MAP) {
        read_properties(&reader, value->as.map.first);
    } else {
        FIND(pass->findings, D_NOT_A_TYPE, pass->source, value->span, text_of(value_noun(value)));
    }
    return schema;
}

static void read_type(struct reader *reader, const struct property *p) {
    struct schema *schema = reader->schema;
    if (value_is_name(p->value)) {
        set_type(reader, value_name(p->value), p->value->span);
        return;
    }
    struct schema *other = schema_of_value(reader->pass, p->value);
    if (other) *schema = *other;
}

/* ## The table */

enum place { ANYWHERE, FIELDS_ONLY, MAPS_ONLY };

static const struct {
    const char *name, *json_name; /* the JSON Schema spelling, accepted as well */
    read_function *read;
    unsigned kinds;
    enum place place;
} table[] = {
    {"type", NULL, read_type, EVERY, MAPS_ONLY},
    {"title", NULL, read_title, EVERY, ANYWHERE},
    {"description", NULL, read_description, EVERY, ANYWHERE},
    {"examples", NULL, read_examples, EVERY, ANYWHERE},
    {"deprecated", NULL, read_deprecated, EVERY, ANYWHERE},
    {"enum", NULL, read_enum, EVERY, ANYWHERE},
    {"const", NULL, read_const, EVERY, ANYWHERE},
    {"nullable", NULL, read_nullable, EVERY, ANYWHERE},
    {"format", NULL, read_format, EVERY, ANYWHERE},
    {"min", "minimum", read_min, NUMERIC, ANYWHERE},
    {"max", "maximum", read_max, NUMERIC, ANYWHERE},
    {"above", "exclusiveMinimum", read_above, NUMERIC, ANYWHERE},
    {"below", "exclusiveMaximum", read_below, NUMERIC, ANYWHERE},
    {"multipleOf", NULL, read_multiple_of, NUMERIC, ANYWHERE},
    {"range", NULL, read_range, NUMERIC, ANYWHERE},
    {"minLength", NULL, read_min_length, KIND(TYPE_STRING), ANYWHERE},
    {"maxLength", NULL, read_max_length, KIND(TYPE_STRING), ANYWHERE},
    {"pattern", NULL, read_pattern, KIND(TYPE_STRING), ANYWHERE},
    {"items", "elementType", read_items, KIND(TYPE_ARRAY), ANYWHERE},
    {"minItems", NULL, read_min_items, KIND(TYPE_ARRAY), ANYWHERE},
    {"maxItems", NULL, read_max_items, KIND(TYPE_ARRAY), ANYWHERE},
    {"unique", "uniqueItems", read_unique, KIND(TYPE_ARRAY), ANYWHERE},
    {"values", NULL, read_values, KIND(TYPE_MAP), ANYWHERE},
    {"fields", "properties", read_fields, KIND(TYPE_OBJECT), ANYWHERE},
    {"open", "additionalProperties", read_open, KIND(TYPE_OBJECT), ANYWHERE},
    {"schema", NULL, read_hatch, EVERY, ANYWHERE},
    {"meta", NULL, NULL, EVERY, ANYWHERE},
    {"required", NULL, read_required, EVERY, FIELDS_ONLY},
    {"default", NULL, read_default, EVERY, FIELDS_ONLY},
    {"optional", NULL, read_optional, EVERY, FIELDS_ONLY},
    {"name", NULL, read_name, EVERY, FIELDS_ONLY},
};

enum { ROWS = sizeof table / sizeof *table };

static size_t row_of(gramc_text key) {
    for (size_t i = 0; i < ROWS; i++)
        if (text_is(key, table[i].name) || (table[i].json_name && text_is(key, table[i].json_name)))
            return i;
    return ROWS;
}

static void unknown_property(struct reader *reader, const struct property *p) {
    gramc_text names[ROWS];
    struct pass *pass = reader->pass;
    for (size_t i = 0; i < ROWS; i++) names[i] = text_of(table[i].name);
    struct finding *f = FIND(pass->findings, D_UNKNOWN_PROPERTY, pass->source, p->key.span,
                             p->key.text, TEXT("types"));
    gramc_text near = text_nearest(p->key.text, names, ROWS);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static bool seen_before(struct reader *reader, size_t row, const struct property *p) {
    struct pass *pass = reader->pass;
    const struct property *other = reader->seen[row];
    reader->seen[row] = p;
    if (!other) return false;
    enum diag_id id =
        text_eq(other->key.text, p->key.text) ? D_DUPLICATE_PROPERTY : D_TWO_SPELLINGS;
    struct finding *f =
        FIND(pass->findings, id, pass->source, p->key.span, p->key.text, other->key.text);
    finding_label(pass->findings, f, pass->source, other->key.span, "first written here");
    return true;
}

static bool fits_here(struct reader *reader, size_t row, const struct property *p) {
    struct pass *pass = reader->pass;
    const struct schema *schema = reader->schema;
    bool any = schema->kind == TYPE_ANY;
    if (table[row].place == FIELDS_ONLY && !reader->field) {
        FIND(pass->findings, D_PROPERTY_NOT_HERE, pass->source, p->key.span, p->key.text,
             TEXT("only parameters and fields have it"));
        return false;
    }
    if (any || (table[row].kinds & KIND(schema->kind))) return true;
    FIND(pass->findings, D_PROPERTY_NOT_FOR_TYPE, pass->source, p->key.span, p->key.text,
         text_of(schema->type ? schema->type->label : type_json_name(schema->kind)));
    return false;
}

/* The type itself first: what the others mean depends on it. */
static void read_own_type(struct reader *reader, const struct property *first) {
    for (const struct property *p = first; p; p = p->next)
        if (text_is(p->key.text, "type")) read_type(reader, p);
}

static void contradictions(struct reader *reader) {
    struct pass *pass = reader->pass;
    const struct property *required = reader->seen[row_of(TEXT("required"))];
    bool has_default = reader->field && reader->field->default_json.ptr;
    if (required && reader->required_said && !has_default)
        FIND(pass->findings, D_CONTRADICTION, pass->source, required->span,
             TEXT("`required: true` belongs to a default"),
             TEXT("leave it out: a parameter without a default is required anyway"));
    if (required && !reader->required_said)
        FIND(pass->findings, D_CONTRADICTION, pass->source, required->span,
             TEXT("`required: false` is not said so"), TEXT("write `optional: true`"));
    const struct property *range = reader->seen[row_of(TEXT("range"))];
    const struct property *min = reader->seen[row_of(TEXT("min"))];
    const struct property *max = reader->seen[row_of(TEXT("max"))];
    if (range && (min || max))
        FIND(pass->findings, D_CONTRADICTION, pass->source, range->span,
             TEXT("`range` stands instead of `min` and `max`"), TEXT("keep one of them"));
}

static void read_properties(struct reader *reader, const struct property *first) {
    bool from_map = reader->schema->type == NULL && reader->schema->kind == TYPE_ANY;
    if (from_map) read_own_type(reader, first);
    for (const struct property *p = first; p; p = p->next) {
        size_t row = row_of(p->key.text);
        if (row == ROWS || (table[row].place == MAPS_ONLY && !from_map)) {
            unknown_property(reader, p);
            continue;
        }
        if (seen_before(reader, row, p) || !fits_here(reader, row, p)) continue;
        if (table[row].read && table[row].place != MAPS_ONLY) table[row].read(reader, p);
    }
    contradictions(reader);
}

struct schema *schema_of_node(struct pass *pass, const struct pattern *node, struct field *field) {
    struct schema *schema = ARENA_NEW(pass->arena, struct schema);
    if (!schema) return NULL;
    struct reader reader = {.pass = pass, .schema = schema, .field = field};
    const struct label *label = node->subject ? node->subject->labels : NULL;
    schema->span = label ? label->name.span : node->span;
    if (!label) return NULL;
    set_type(&reader, label->name.text, label->name.span);
    if (label->next) FIND0(pass->findings, D_SEVERAL_LABELS, pass->source, label->next->name.span);
    /* An unknown type was reported; its properties would only add noise. */
    if (!schema->type) return schema;
    read_properties(&reader, node->subject->properties);
    return schema;
}
