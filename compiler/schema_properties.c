/* Turns the properties of a type, `{min: 0, default: 5}`, into what its schema and field say. The
 * table in the middle is the language: which property there is, what it says something about, how
 * its value is read. What a type is at all is schema.c's. */
#include "compiler/schema_reader.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/fixes.h"
#include "compiler/raw_schema.h"
#include "compiler/properties.h"

#define KIND(kind) (1U << (kind))
#define NUMERIC (KIND(TYPE_INTEGER) | KIND(TYPE_NUMBER))
#define EVERY ((1U << TYPE_KINDS) - 1)

void reader_wrong_value(struct reader *reader, const struct property *p, const char *wanted) {
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

static struct constraint *constraint_new(struct pass *pass, gramc_text text, struct span at) {
    struct constraint *c = ARENA_NEW(pass->arena, struct constraint);
    if (c) *c = (struct constraint){.text = text, .at = at};
    return c;
}

/* In front of the list: what is said later counts, as with a type and its own bounds. */
void reader_say(struct reader *reader, enum keyword keyword, gramc_text text, struct span at) {
    struct constraint *c = text.ptr ? constraint_new(reader->pass, text, at) : NULL;
    if (!c) return;
    c->keyword = keyword;
    c->next = reader->schema->constraints;
    reader->schema->constraints = c;
}

static void read_text(struct reader *reader, const struct row *row, const struct property *p) {
    gramc_text text = {NULL, 0};
    if (text_property_read(reader->pass, p, &text))
        reader_say(reader, row->keyword, text, p->value->span);
}

static bool is_number(const struct value *value) {
    return value->kind == VALUE_INTEGER || value->kind == VALUE_DECIMAL;
}

static void read_number(struct reader *reader, const struct row *row, const struct property *p) {
    if (is_number(p->value))
        reader_say(reader, row->keyword, p->value->as.scalar.text, p->value->span);
    else reader_wrong_value(reader, p, "a number");
}

static void read_count(struct reader *reader, const struct row *row, const struct property *p) {
    if (p->value->kind == VALUE_INTEGER && p->value->as.scalar.text.ptr[0] != '-')
        reader_say(reader, row->keyword, p->value->as.scalar.text, p->value->span);
    else find_wrong_count(reader->pass, p, "a whole number from 0 up");
}

static void read_data(struct reader *reader, const struct row *row, const struct property *p) {
    reader_say(reader, row->keyword, data_json(reader->pass, p->value), p->value->span);
}

/* A gram array, or json`[...]`. null among the members of an enum means that null may be sent. */
static void read_list(struct reader *reader, const struct row *row, const struct property *p) {
    bool list = p->value->kind == VALUE_ARRAY, tagged = p->value->kind == VALUE_TAGGED;
    gramc_text json = list || tagged ? data_json(reader->pass, p->value) : (gramc_text){NULL, 0};
    if (json.len && json.ptr[0] == '[') reader_say(reader, row->keyword, json, p->value->span);
    else if (json.len || !(list || tagged)) reader_wrong_value(reader, p, "a list");
    for (const struct value *v = list ? p->value->as.array.first : NULL; v; v = v->next)
        if (row->keyword == KEYWORD_ENUM && v->kind == VALUE_SYMBOL &&
            text_is(v->as.scalar.text, "null"))
            reader->schema->nullable = SAID_TRUE;
}

static bool flag_in(struct reader *reader, const struct property *p) {
    if (p->value->kind == VALUE_BOOLEAN) return text_is(p->value->as.scalar.text, "true");
    reader_wrong_value(reader, p, "true or false");
    return false;
}

static uint8_t said_in(struct reader *reader, const struct property *p) {
    return flag_in(reader, p) ? SAID_TRUE : SAID_FALSE;
}

/* The members that are flags have readers of one line. */
#define READS_FLAG(name, place)                                                                    \
    static void name(struct reader *reader, const struct row *row, const struct property *p) {     \
        (void)row;                                                                                 \
        reader->schema->place = said_in(reader, p);                                                \
    }
READS_FLAG(read_unique, unique)
READS_FLAG(read_nullable, nullable)
READS_FLAG(read_deprecated, deprecated)
READS_FLAG(read_open, open)
#undef READS_FLAG

/* `range: 1..5` stands for both bounds, inclusive. */
static void read_range(struct reader *reader, const struct row *row, const struct property *p) {
    const struct value *range = p->value;
    (void)row;
    if (range->kind != VALUE_RANGE) {
        reader_wrong_value(reader, p, "a range such as 0..100");
        return;
    }
    const struct value *ends[2] = {range->as.range.lower, range->as.range.upper};
    static const enum keyword keywords[2] = {KEYWORD_MINIMUM, KEYWORD_MAXIMUM};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]) continue;
        if (is_number(ends[i]))
            reader_say(reader, keywords[i], ends[i]->as.scalar.text, ends[i]->span);
        else reader_wrong_value(reader, p, "a range of numbers");
    }
}

static void read_inner(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    if (reader->schema->kind == TYPE_TUPLE)
        reader->schema->members = members_of_value(reader->pass, p->value);
    else reader->schema->inner = schema_of_value(reader->pass, p->value);
}

static void read_of(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    reader->schema->members = members_of_value(reader->pass, p->value);
    /* What is no list was reported; from here on it is anything. */
    if (p->value->kind != VALUE_ARRAY) reader->schema->kind = TYPE_ANY;
}

static void read_fields(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    reader_read_fields(reader, p);
}

static void read_type(struct reader *reader, const struct row *row, const struct property *p) {
    (void)row;
    if (value_is_name(p->value)) {
        reader_set_type(reader, value_name(p->value), p->value->span);
        return;
    }
    const struct schema *other = schema_of_value(reader->pass, p->value);
    if (other) *reader->schema = *other;
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
    bool said = value_is_name(p->value) && value_name(p->value).len;
    if (said) reader->field->name = value_text(reader->pass, p->value);
    else reader_wrong_value(reader, p, "a text that is not empty");
}

static void read_raw(struct reader *reader, const struct row *row, const struct property *p) {
    bool wrong;
    (void)row;
    reader->schema->raw = raw_read(reader->pass, p->value, &wrong);
    if (wrong) reader_wrong_value(reader, p, "a JSON object: json`{...}`");
}

static void read_meta(struct reader *reader, const struct row *row, const struct property *p) {
    if (p->value->kind == VALUE_MAP) read_data(reader, row, p);
    else reader_wrong_value(reader, p, "a map");
}

/* ## The table */

enum row_name {
    ROW_TYPE,
    ROW_MIN,
    ROW_MAX,
    ROW_RANGE,
    ROW_REQUIRED,
    ROW_OPTIONAL,
    ROW_DESCRIPTION,
    ROW_DEFAULT,
    ROW_TITLE,
    ROW_EXAMPLES,
    ROW_DEPRECATED,
    ROW_ENUM,
    ROW_CONST,
    ROW_NULLABLE,
    ROW_FORMAT,
    ROW_ABOVE,
    ROW_BELOW,
    ROW_MULTIPLE_OF,
    ROW_MIN_LENGTH,
    ROW_MAX_LENGTH,
    ROW_PATTERN,
    ROW_ITEMS,
    ROW_OF,
    ROW_MIN_ITEMS,
    ROW_MAX_ITEMS,
    ROW_UNIQUE,
    ROW_VALUES,
    ROW_FIELDS,
    ROW_OPEN,
    ROW_SCHEMA,
    ROW_META,
    ROW_NAME,
    ROWS
};

/* KEYWORDS in the fourth column: the reader stores no keyword. */
static const struct row table[] = {
    [ROW_TYPE] = {"type", NULL, read_type, KEYWORDS, EVERY, MAPS_ONLY},
    [ROW_MIN] = {"min", "minimum", read_number, KEYWORD_MINIMUM, NUMERIC, ANYWHERE},
    [ROW_MAX] = {"max", "maximum", read_number, KEYWORD_MAXIMUM, NUMERIC, ANYWHERE},
    [ROW_RANGE] = {"range", NULL, read_range, KEYWORDS, NUMERIC, ANYWHERE},
    [ROW_REQUIRED] = {"required", NULL, read_required, KEYWORDS, EVERY, FIELDS_ONLY},
    [ROW_OPTIONAL] = {"optional", NULL, read_optional, KEYWORDS, EVERY, FIELDS_ONLY},
    [ROW_DESCRIPTION] = {"description", NULL, read_text, KEYWORD_DESCRIPTION, EVERY, ANYWHERE},
    [ROW_DEFAULT] = {"default", NULL, read_default, KEYWORDS, EVERY, FIELDS_ONLY},
    [ROW_TITLE] = {"title", NULL, read_text, KEYWORD_TITLE, EVERY, ANYWHERE},
    [ROW_EXAMPLES] = {"examples", NULL, read_list, KEYWORD_EXAMPLES, EVERY, ANYWHERE},
    [ROW_DEPRECATED] = {"deprecated", NULL, read_deprecated, KEYWORDS, EVERY, ANYWHERE},
    [ROW_ENUM] = {"enum", NULL, read_list, KEYWORD_ENUM, EVERY, ANYWHERE},
    [ROW_CONST] = {"const", NULL, read_data, KEYWORD_CONST, EVERY, ANYWHERE},
    [ROW_NULLABLE] = {"nullable", NULL, read_nullable, KEYWORDS, EVERY, ANYWHERE},
    [ROW_FORMAT] = {"format", NULL, read_text, KEYWORD_FORMAT, EVERY, ANYWHERE},
    [ROW_ABOVE] = {"above", "exclusiveMinimum", read_number, KEYWORD_EXCLUSIVE_MINIMUM, NUMERIC,
                   ANYWHERE},
    [ROW_BELOW] = {"below", "exclusiveMaximum", read_number, KEYWORD_EXCLUSIVE_MAXIMUM, NUMERIC,
                   ANYWHERE},
    [ROW_MULTIPLE_OF] = {"multipleOf", NULL, read_number, KEYWORD_MULTIPLE_OF, NUMERIC, ANYWHERE},
    [ROW_MIN_LENGTH] = {"minLength", NULL, read_count, KEYWORD_MIN_LENGTH, KIND(TYPE_STRING),
                        ANYWHERE},
    [ROW_MAX_LENGTH] = {"maxLength", NULL, read_count, KEYWORD_MAX_LENGTH, KIND(TYPE_STRING),
                        ANYWHERE},
    [ROW_PATTERN] = {"pattern", NULL, read_text, KEYWORD_PATTERN, KIND(TYPE_STRING), ANYWHERE},
    [ROW_ITEMS] = {"items", "elementType", read_inner, KEYWORDS,
                   KIND(TYPE_ARRAY) | KIND(TYPE_TUPLE), ANYWHERE},
    [ROW_OF] = {"of", "anyOf", read_of, KEYWORDS, KIND(TYPE_ANY_OF) | KIND(TYPE_ONE_OF), ANYWHERE},
    [ROW_MIN_ITEMS] = {"minItems", NULL, read_count, KEYWORD_MIN_ITEMS, KIND(TYPE_ARRAY), ANYWHERE},
    [ROW_MAX_ITEMS] = {"maxItems", NULL, read_count, KEYWORD_MAX_ITEMS, KIND(TYPE_ARRAY), ANYWHERE},
    [ROW_UNIQUE] = {"unique", "uniqueItems", read_unique, KEYWORDS, KIND(TYPE_ARRAY), ANYWHERE},
    [ROW_VALUES] = {"values", NULL, read_inner, KEYWORDS, KIND(TYPE_MAP), ANYWHERE},
    [ROW_FIELDS] = {"fields", "properties", read_fields, KEYWORDS, KIND(TYPE_OBJECT), ANYWHERE},
    [ROW_OPEN] = {"open", "additionalProperties", read_open, KEYWORDS, KIND(TYPE_OBJECT), ANYWHERE},
    [ROW_SCHEMA] = {"schema", NULL, read_raw, KEYWORDS, EVERY, ANYWHERE},
    [ROW_META] = {"meta", NULL, read_meta, KEYWORD_META, EVERY, ANYWHERE},
    [ROW_NAME] = {"name", NULL, read_name, KEYWORDS, EVERY, FIELDS_ONLY},
};

/* The only row that the key may be a spelling of; ROWS: none. */
static size_t candidate(gramc_text key) {
    switch (text_key(key)) {
    case TEXT_KEY(4, 't', 'y', 'e'): return ROW_TYPE;
    case TEXT_KEY(3, 'm', 'i', 'n'):
    case TEXT_KEY(7, 'm', 'i', 'm'): return ROW_MIN;
    case TEXT_KEY(3, 'm', 'a', 'x'):
    case TEXT_KEY(7, 'm', 'a', 'm'): return ROW_MAX;
    case TEXT_KEY(5, 'r', 'a', 'e'): return ROW_RANGE;
    case TEXT_KEY(8, 'r', 'e', 'd'): return ROW_REQUIRED;
    case TEXT_KEY(8, 'o', 'p', 'l'): return ROW_OPTIONAL;
    case TEXT_KEY(11, 'd', 'e', 'n'): return ROW_DESCRIPTION;
    case TEXT_KEY(7, 'd', 'e', 't'): return ROW_DEFAULT;
    case TEXT_KEY(5, 't', 'i', 'e'): return ROW_TITLE;
    case TEXT_KEY(8, 'e', 'x', 's'): return ROW_EXAMPLES;
    case TEXT_KEY(10, 'd', 'e', 'd'): return ROW_DEPRECATED;
    case TEXT_KEY(4, 'e', 'n', 'm'): return ROW_ENUM;
    case TEXT_KEY(5, 'c', 'o', 't'): return ROW_CONST;
    case TEXT_KEY(8, 'n', 'u', 'e'): return ROW_NULLABLE;
    case TEXT_KEY(6, 'f', 'o', 't'): return ROW_FORMAT;
    case TEXT_KEY(5, 'a', 'b', 'e'): return ROW_ABOVE;
    case TEXT_KEY(5, 'b', 'e', 'w'): return ROW_BELOW;
    case TEXT_KEY(10, 'm', 'u', 'f'): return ROW_MULTIPLE_OF;
    case TEXT_KEY(9, 'm', 'i', 'h'): return ROW_MIN_LENGTH;
    case TEXT_KEY(9, 'm', 'a', 'h'): return ROW_MAX_LENGTH;
    case TEXT_KEY(7, 'p', 'a', 'n'): return ROW_PATTERN;
    case TEXT_KEY(5, 'i', 't', 's'):
    case TEXT_KEY(11, 'e', 'l', 'e'):
    case TEXT_KEY(11, 'p', 'r', 's'): return ROW_ITEMS;
    case TEXT_KEY(2, 'o', 'f', 'f'):
    case TEXT_KEY(5, 'a', 'n', 'f'):
    case TEXT_KEY(5, 'o', 'n', 'f'): return ROW_OF;
    case TEXT_KEY(8, 'm', 'i', 's'): return ROW_MIN_ITEMS;
    case TEXT_KEY(8, 'm', 'a', 's'): return ROW_MAX_ITEMS;
    case TEXT_KEY(6, 'u', 'n', 'e'):
    case TEXT_KEY(11, 'u', 'n', 's'): return ROW_UNIQUE;
    case TEXT_KEY(6, 'v', 'a', 's'): return ROW_VALUES;
    case TEXT_KEY(6, 'f', 'i', 's'):
    case TEXT_KEY(10, 'p', 'r', 's'): return ROW_FIELDS;
    case TEXT_KEY(4, 'o', 'p', 'n'):
    case TEXT_KEY(20, 'a', 'd', 's'): return ROW_OPEN;
    case TEXT_KEY(6, 's', 'c', 'a'): return ROW_SCHEMA;
    case TEXT_KEY(4, 'm', 'e', 'a'): return ROW_META;
    case TEXT_KEY(4, 'n', 'a', 'e'): return ROW_NAME;
    case TEXT_KEY(16, 'e', 'x', 'm'):
        return text_is(key, "exclusiveMinimum") ? ROW_ABOVE : ROW_BELOW;
    default: return ROWS;
    }
}

/* Further spellings of JSON Schema, each of one row. */
static gramc_text common_name(gramc_text key) {
    static const struct {
        const char *json, *ours;
    } spellings[] = {{"oneOf", "of"}, {"prefixItems", "items"}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (text_is(key, spellings[i].json)) return text_of(spellings[i].ours);
    return key;
}

static bool is_spelling(gramc_text key, const struct row *row) {
    return text_is(key, row->name) || (row->json_name && text_is(key, row->json_name)) ||
           text_is(common_name(key), row->name);
}

static size_t row_of(gramc_text key) {
    size_t row = candidate(key);
    return row < ROWS && is_spelling(key, &table[row]) ? row : ROWS;
}

static void unknown_property(struct reader *reader, const struct property *p) {
    gramc_text names[2 * ROWS];
    size_t count = 0;
    struct pass *pass = reader->pass;
    for (size_t i = 0; i < ROWS; i++) {
        names[count++] = text_of(table[i].name);
        if (table[i].json_name) names[count++] = text_of(table[i].json_name);
    }
    struct finding *f = FIND(pass->findings, D_UNKNOWN_PROPERTY, pass->source, p->key.span,
                             p->key.text, TEXT("types"));
    gramc_text near = text_nearest(p->key.text, names, count);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    fix_key(pass, f, reader->first, p, names, count);
}

/* The first property of that row; the row was seen. */
static const struct property *earlier(const struct reader *reader, size_t row) {
    const struct property *p = reader->first;
    while (row_of(p->key.text) != row) p = p->next;
    return p;
}

static bool seen_before(struct reader *reader, size_t row, const struct property *p) {
    struct pass *pass = reader->pass;
    uint64_t bit = UINT64_C(1) << row;
    if (!(reader->seen & bit)) {
        reader->seen |= bit;
        return false;
    }
    const struct property *other = earlier(reader, row);
    enum diag_id id =
        text_eq(other->key.text, p->key.text) ? D_DUPLICATE_PROPERTY : D_TWO_SPELLINGS;
    struct finding *f =
        FIND(pass->findings, id, pass->source, p->key.span, p->key.text, other->key.text);
    finding_label(pass->findings, f, pass->source, other->key.span, "first written here");
    fix_repeated(pass, f, reader->first, other, p);
    return true;
}

static const char *noun(const struct schema *schema) {
    const char *name = type_json_name((enum type_kind)schema->kind);
    return schema->type ? schema->type->label : name ? name : "a union";
}

/* Keywords that belong to one of the types that their row is for. */
static bool is_of_other_type(const struct schema *schema, gramc_text key) {
    return (schema->kind == TYPE_ONE_OF && text_is(key, "anyOf")) ||
           (schema->kind == TYPE_ANY_OF && text_is(key, "oneOf")) ||
           (schema->kind == TYPE_ARRAY && text_is(key, "prefixItems"));
}

static bool fits_here(struct reader *reader, size_t row, const struct property *p) {
    struct pass *pass = reader->pass;
    const struct schema *schema = reader->schema;
    if (table[row].place == FIELDS_ONLY && !reader->field) {
        FIND(pass->findings, D_PROPERTY_NOT_HERE, pass->source, p->key.span, p->key.text,
             TEXT("only parameters and fields have it"));
        return false;
    }
    bool fits = schema->kind == TYPE_ANY || (table[row].kinds & KIND(schema->kind));
    if (fits && !is_of_other_type(schema, p->key.text)) return true;
    FIND(pass->findings, D_PROPERTY_NOT_FOR_TYPE, pass->source, p->key.span, p->key.text,
         text_of(noun(schema)));
    return false;
}

/* The type itself first: what the others mean depends on it. */
static void read_own_type(struct reader *reader) {
    for (const struct property *p = reader->first; p; p = p->next)
        if (text_is(p->key.text, "type")) read_type(reader, NULL, p);
}

static const struct property *said(const struct reader *reader, size_t row) {
    return reader->seen & UINT64_C(1) << row ? earlier(reader, row) : NULL;
}

static void contradiction(struct reader *reader, const struct property *p, const char *what,
                          const char *instead) {
    if (p)
        FIND(reader->pass->findings, D_CONTRADICTION, reader->pass->source, p->span, text_of(what),
             text_of(instead));
}

static void check_contradictions(struct reader *reader) {
    const struct property *required = said(reader, ROW_REQUIRED);
    bool has_default = reader->field && reader->field->fallback;
    if (reader->required_said && !has_default)
        contradiction(reader, required, "`required: true` belongs to a default",
                      "leave it out: a parameter without a default is required anyway");
    if (required && reader->field && said(reader, ROW_OPTIONAL))
        contradiction(reader, said(reader, ROW_OPTIONAL), "`required` says it already",
                      "keep one of them");
    if (required && reader->field && !reader->required_said)
        contradiction(reader, required, "`required: false` is not said so",
                      "write `optional: true`");
    if (said(reader, ROW_MIN) || said(reader, ROW_MAX))
        contradiction(reader, said(reader, ROW_RANGE), "`range` stands instead of `min` and `max`",
                      "keep one of them");
}

void properties_of_type(struct reader *reader, const struct property *first) {
    reader->first = first;
    if (reader->from_map) read_own_type(reader);
    for (const struct property *p = first; p; p = p->next) {
        size_t row = row_of(p->key.text);
        if (row == ROWS || (table[row].place == MAPS_ONLY && !reader->from_map)) {
            unknown_property(reader, p);
            continue;
        }
        if (seen_before(reader, row, p) || !fits_here(reader, row, p)) continue;
        if (table[row].read && table[row].place != MAPS_ONLY)
            table[row].read(reader, &table[row], p);
    }
    if (first) check_contradictions(reader);
}

bool type_has_property(gramc_text key) {
    return row_of(key) < ROWS;
}
