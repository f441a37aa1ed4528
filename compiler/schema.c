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

struct row;
typedef void read_function(struct reader *reader, const struct row *row, const struct property *p);

/* One property: its name, JSON Schema's spelling of it (accepted as well), how it is read. */
struct row {
    const char *name, *json_name;
    read_function *read;
    enum keyword keyword; /* for the readers that store one */
    unsigned kinds;       /* types that it says something about */
    enum { ANYWHERE, FIELDS_ONLY, MAPS_ONLY } place;
};

const struct constraint *schema_find(const struct schema *schema, enum keyword keyword) {
    const struct constraint *c = schema->constraints;
    while (c && c->keyword != keyword) c = c->next;
    return c;
}

gramc_text schema_get(const struct schema *schema, enum keyword keyword) {
    const struct constraint *c = schema_find(schema, keyword);
    return c ? c->text : (gramc_text){NULL, 0};
}

static struct constraint *constraint_new(struct pass *pass, gramc_text text, struct span at) {
    struct constraint *c = ARENA_NEW(pass->arena, struct constraint);
    if (c) *c = (struct constraint){.text = text, .at = at};
    return c;
}

/* In front of the list: what is said later counts, as with a type and its own bounds. */
static void say(struct reader *reader, enum keyword keyword, gramc_text text, struct span at) {
    struct constraint *c = text.ptr ? constraint_new(reader->pass, text, at) : NULL;
    if (!c) return;
    c->keyword = keyword;
    c->next = reader->schema->constraints;
    reader->schema->constraints = c;
}

static void read_text(struct reader *reader, const struct row *row, const struct property *p) {
    if (value_is_name(p->value))
        say(reader, row->keyword, value_text(reader->pass, p->value), p->value->span);
    else wrong_value(reader, p, "a text");
}

static bool is_number(const struct value *value) {
    return value->kind == VALUE_INTEGER || value->kind == VALUE_DECIMAL;
}

static void read_number(struct reader *reader, const struct row *row, const struct property *p) {
    if (is_number(p->value)) say(reader, row->keyword, p->value->as.scalar.text, p->value->span);
    else wrong_value(reader, p, "a number");
}

static void read_count(struct reader *reader, const struct row *row, const struct property *p) {
    if (p->value->kind == VALUE_INTEGER && p->value->as.scalar.text.ptr[0] != '-')
        say(reader, row->keyword, p->value->as.scalar.text, p->value->span);
    else wrong_value(reader, p, "a whole number from 0 up");
}

static void read_data(struct reader *reader, const struct row *row, const struct property *p) {
    say(reader, row->keyword, data_json(reader->pass, p->value), p->value->span);
}

/* A gram array, or json`[...]`. null among the members of an enum means that null may be sent. */
static void read_list(struct reader *reader, const struct row *row, const struct property *p) {
    bool list = p->value->kind == VALUE_ARRAY, tagged = p->value->kind == VALUE_TAGGED;
    gramc_text json = list || tagged ? data_json(reader->pass, p->value) : (gramc_text){NULL, 0};
    if (json.len && json.ptr[0] == '[') say(reader, row->keyword, json, p->value->span);
    else if (json.len || !(list || tagged)) wrong_value(reader, p, "a list");
    for (const struct value *v = list ? p->value->as.array.first : NULL; v; v = v->next)
        if (row->keyword == KEYWORD_ENUM && v->kind == VALUE_SYMBOL &&
            text_is(v->as.scalar.text, "null"))
            reader->schema->nullable = true;
}

static bool flag_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_BOOLEAN) return text_is(p->value->as.scalar.text, "true");
    wrong_value(reader, p, "true or false");
    return false;
}

/* The members that are flags have readers of one line. */
#define READS_FLAG(name, place)                                                                    \
    static void name(struct reader *reader, const struct row *row, const struct property *p) {     \
        (void)row;                                                                                 \
        reader->schema->place = flag_in(reader, p);                                                \
    }
READS_FLAG(read_unique, unique)
READS_FLAG(read_nullable, nullable)
READS_FLAG(read_deprecated, deprecated)
#undef READS_FLAG

static void read_open(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    reader->schema->open = flag_in(reader, p) ? OPEN_YES : OPEN_NO;
}

/* `range: 1..5` stands for both bounds, inclusive. */
static void read_range(struct reader *reader, const struct row *row, const struct property *p) {
    const struct value *range = p->value;
    (void)row;
    if (range->kind != VALUE_RANGE) {
        wrong_value(reader, p, "a range such as 0..100");
        return;
    }
    const struct value *ends[2] = {range->as.range.lower, range->as.range.upper};
    static const enum keyword keywords[2] = {KEYWORD_MINIMUM, KEYWORD_MAXIMUM};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        if (is_number(ends[i])) say(reader, keywords[i], ends[i]->as.scalar.text, ends[i]->span);
        else wrong_value(reader, p, "a range of numbers");
    }
}

static void read_inner(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    reader->schema->inner = schema_of_value(reader->pass, p->value);
}

static void read_default(struct reader *reader, const struct row *row, const struct property *p) {
    gramc_text json = data_json(reader->pass, p->value);
    (void)row;
    reader->field->fallback = json.ptr ? constraint_new(reader->pass, json, p->value->span) : NULL;
    if (!reader->required_said) reader->field->optional = true;
}

static void read_optional(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    if (flag_in(reader, p)) reader->field->optional = true;
}

static void read_required(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    reader->required_said = flag_in(reader, p);
    if (reader->required_said) reader->field->optional = false;
}

static void read_name(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    if (value_is_name(p->value)) reader->field->name = value_text(reader->pass, p->value);
    else wrong_value(reader, p, "a text");
}

static void read_hatch(struct reader *reader, const struct row *row, const struct property *p) {
    struct pass *pass = reader->pass;
    bool tagged = p->value->kind == VALUE_TAGGED;
    gramc_text json = tagged ? data_json(pass, p->value) : (gramc_text){NULL, 0};
    const struct json *document = json.len ? json_parse(pass->arena, json, NULL) : NULL;
    struct hatch *hatch =
        json_is(document, JSON_OBJECT) ? ARENA_NEW(pass->arena, struct hatch) : NULL;
    (void)row;
    if (hatch) *hatch = (struct hatch){document, p->value->span};
    else if (!tagged || document) wrong_value(reader, p, "a JSON object: json`{...}`");
    reader->schema->hatch = hatch;
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

static void read_fields(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
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
    schema->kind = (uint8_t)row->kind;
    say(reader, KEYWORD_FORMAT, text_of(row->format), span);
    if (row->one_character) {
        say(reader, KEYWORD_MIN_LENGTH, TEXT("1"), span);
        say(reader, KEYWORD_MAX_LENGTH, TEXT("1"), span);
    }
    if (row->bounds_hidden) return;
    say(reader, KEYWORD_MINIMUM, text_of(row->min), span);
    say(reader, KEYWORD_MAXIMUM, text_of(row->max), span);
}

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
        schema->inner = schema_of_value(pass, value->as.array.first);
    } else if (value->kind == VALUE_MAP) {
        read_properties(&reader, value->as.map.first);
    } else {
        FIND(pass->findings, D_NOT_A_TYPE, pass->source, value->span, text_of(value_noun(value)));
    }
    return schema;
}

static void read_type(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    struct schema *schema = reader->schema;
    if (value_is_name(p->value)) {
        set_type(reader, value_name(p->value), p->value->span);
        return;
    }
    struct schema *other = schema_of_value(reader->pass, p->value);
    if (other) *schema = *other;
}

/* ## The table */

/* KEYWORDS in the fourth column: the reader stores no keyword. */
static const struct row table[] = {
    {"type", NULL, read_type, KEYWORDS, EVERY, MAPS_ONLY},
    {"title", NULL, read_text, KEYWORD_TITLE, EVERY, ANYWHERE},
    {"description", NULL, read_text, KEYWORD_DESCRIPTION, EVERY, ANYWHERE},
    {"examples", NULL, read_list, KEYWORD_EXAMPLES, EVERY, ANYWHERE},
    {"deprecated", NULL, read_deprecated, KEYWORDS, EVERY, ANYWHERE},
    {"enum", NULL, read_list, KEYWORD_ENUM, EVERY, ANYWHERE},
    {"const", NULL, read_data, KEYWORD_CONST, EVERY, ANYWHERE},
    {"nullable", NULL, read_nullable, KEYWORDS, EVERY, ANYWHERE},
    {"format", NULL, read_text, KEYWORD_FORMAT, EVERY, ANYWHERE},
    {"min", "minimum", read_number, KEYWORD_MINIMUM, NUMERIC, ANYWHERE},
    {"max", "maximum", read_number, KEYWORD_MAXIMUM, NUMERIC, ANYWHERE},
    {"above", "exclusiveMinimum", read_number, KEYWORD_EXCLUSIVE_MINIMUM, NUMERIC, ANYWHERE},
    {"below", "exclusiveMaximum", read_number, KEYWORD_EXCLUSIVE_MAXIMUM, NUMERIC, ANYWHERE},
    {"multipleOf", NULL, read_number, KEYWORD_MULTIPLE_OF, NUMERIC, ANYWHERE},
    {"range", NULL, read_range, KEYWORDS, NUMERIC, ANYWHERE},
    {"minLength", NULL, read_count, KEYWORD_MIN_LENGTH, KIND(TYPE_STRING), ANYWHERE},
    {"maxLength", NULL, read_count, KEYWORD_MAX_LENGTH, KIND(TYPE_STRING), ANYWHERE},
    {"pattern", NULL, read_text, KEYWORD_PATTERN, KIND(TYPE_STRING), ANYWHERE},
    {"items", "elementType", read_inner, KEYWORDS, KIND(TYPE_ARRAY), ANYWHERE},
    {"minItems", NULL, read_count, KEYWORD_MIN_ITEMS, KIND(TYPE_ARRAY), ANYWHERE},
    {"maxItems", NULL, read_count, KEYWORD_MAX_ITEMS, KIND(TYPE_ARRAY), ANYWHERE},
    {"unique", "uniqueItems", read_unique, KEYWORDS, KIND(TYPE_ARRAY), ANYWHERE},
    {"values", NULL, read_inner, KEYWORDS, KIND(TYPE_MAP), ANYWHERE},
    {"fields", "properties", read_fields, KEYWORDS, KIND(TYPE_OBJECT), ANYWHERE},
    {"open", "additionalProperties", read_open, KEYWORDS, KIND(TYPE_OBJECT), ANYWHERE},
    {"schema", NULL, read_hatch, KEYWORDS, EVERY, ANYWHERE},
    {"meta", NULL, NULL, KEYWORDS, EVERY, ANYWHERE},
    {"required", NULL, read_required, KEYWORDS, EVERY, FIELDS_ONLY},
    {"default", NULL, read_default, KEYWORDS, EVERY, FIELDS_ONLY},
    {"optional", NULL, read_optional, KEYWORDS, EVERY, FIELDS_ONLY},
    {"name", NULL, read_name, KEYWORDS, EVERY, FIELDS_ONLY},
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
    FIND(
        pass->findings, D_PROPERTY_NOT_FOR_TYPE, pass->source, p->key.span, p->key.text,
        text_of(schema->type ? schema->type->label : type_json_name((enum type_kind)schema->kind)));
    return false;
}

/* The type itself first: what the others mean depends on it. */
static void read_own_type(struct reader *reader, const struct property *first) {
    for (const struct property *p = first; p; p = p->next)
        if (text_is(p->key.text, "type")) read_type(reader, NULL, p);
}

static void contradictions(struct reader *reader) {
    struct pass *pass = reader->pass;
    const struct property *required = reader->seen[row_of(TEXT("required"))];
    bool has_default = reader->field && reader->field->fallback;
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
        if (table[row].read && table[row].place != MAPS_ONLY)
            table[row].read(reader, &table[row], p);
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
