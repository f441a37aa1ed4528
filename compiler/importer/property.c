/* Turns the keywords of one schema into properties of a type, as their table says, and what has no
 * property into raw schema. What the type is, label.c says. */
#include "compiler/importer/description.h"

#include "base/json/edit.h"
#include "base/text.h"
#include "jsonschema/keywords.h"

#define KIND(kind) (1U << (kind))

void words_note(struct type_words *said, const char *keyword) {
    said->keywords[said->count++] = keyword;
}

bool words_have(const struct type_words *said, gramc_text keyword) {
    for (size_t i = 0; i < said->count; i++)
        if (text_is(keyword, said->keywords[i])) return true;
    return false;
}

void description_add(struct description *d, const char *key, struct doc *value) {
    doc_property(&d->in->words, d->properties, key, value);
}

bool description_is_marked(const struct description *d, enum import_mark mark) {
    return import_marks(d->in, d->schema) & (uint8_t)mark;
}

void description_lose(struct description *d, const struct json *at, gramc_text why) {
    if (d->in->report) import_lose_schema(d->in, at, why);
}

/* ## Raw schema */

void description_raw(struct description *d, const struct json *member) {
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
        description_lose(d, member,
                         good ? TEXT("`schema` has at most 256 KiB of JSON")
                              : TEXT("`schema` is nested at most 1000 levels deep"));
    buf_free(&value);
}

/* Nothing that a value could fail, and nothing that JSON Schema finds its way by. */
static bool is_annotation(const struct json *member) {
    return !import_asserts(member) && !text_starts(member->key, "$") &&
           keyword_content(member) == CONTENT_DATA;
}

/* A schema of a bundle has a `meta` of ours already. */
static bool may_keep(const struct description *d, const struct json *member) {
    return is_annotation(member) && !(d->in->bundles && json_get(d->schema, "meta"));
}

void description_rest(struct description *d, const struct json *member) {
    if (!may_keep(d, member)) {
        description_raw(d, member);
        return;
    }
    if (!d->kept) d->kept = json_new(d->in->arena, JSON_OBJECT);
    json_set(d->kept, member->key, json_copy_shallow(d->in->arena, member));
}

void description_add_meta(struct description *d) {
    struct doc *meta = d->kept ? doc_list(&d->in->words, "{", "}") : NULL;
    if (!meta) return;
    doc_property(&d->in->words, meta, "jsonSchema", import_map(d->in, d->kept));
    description_add(d, "meta", meta);
}

void description_add_raw(struct description *d) {
    struct arena *arena = d->in->arena;
    struct buf json;
    if (d->raw.state == BUF_NOMEM) arena->oom = true;
    if (!d->raw.len) return;
    buf_init(&json, &arena->allocator, SOURCE_MAX);
    buf_putc(&json, '{');
    buf_text(&json, buf_view(&d->raw));
    buf_putc(&json, '}');
    gramc_text text = buf_to_arena(&json, &d->in->words);
    if (text.ptr) description_add(d, "schema", doc_json(&d->in->words, text));
}

/* ## Values of keywords; each answers NULL if the value is none of its kind */

typedef struct doc *keyword_writer(struct description *d, const struct json *value);

static struct doc *write_text(struct description *d, const struct json *value) {
    return value->kind == JSON_STRING ? doc_string(&d->in->words, value->text) : NULL;
}

static struct doc *write_number(struct description *d, const struct json *value) {
    return value->kind == JSON_NUMBER ? doc_text(&d->in->words, value->text) : NULL;
}

static bool is_count(gramc_text number) {
    size_t i = 0;
    while (i < number.len && number.ptr[i] >= '0' && number.ptr[i] <= '9') i++;
    return i == number.len;
}

static struct doc *write_count(struct description *d, const struct json *value) {
    return value->kind == JSON_NUMBER && is_count(value->text)
               ? doc_text(&d->in->words, value->text)
               : NULL;
}

static struct doc *write_true(struct description *d, const struct json *value) {
    return value->kind == JSON_TRUE ? doc_words(&d->in->words, "true") : NULL;
}

static struct doc *write_flag(struct description *d, const struct json *value) {
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE) return NULL;
    return doc_words(&d->in->words, value->kind == JSON_TRUE ? "true" : "false");
}

static bool holds_null(const struct json *list) {
    const struct json *item = list->first;
    while (item && item->kind != JSON_NULL) item = item->next;
    return item != NULL;
}

/* null among the members written in gram would make the type nullable; in JSON it does not. And a
 * nullable type adds null to an enum without it. */
static struct doc *write_enum(struct description *d, const struct json *value) {
    if (value->kind != JSON_ARRAY || description_is_marked(d, MARK_ENUM)) return NULL;
    bool with_null = holds_null(value);
    if (d->nullable) return with_null ? doc_data(&d->in->words, value) : NULL;
    if (!with_null) return doc_data(&d->in->words, value);
    struct buf json;
    buf_init(&json, &d->in->arena->allocator, SOURCE_MAX);
    json_put(&json, value);
    return doc_json(&d->in->words, buf_to_arena(&json, d->in->arena));
}

static struct doc *write_const(struct description *d, const struct json *value) {
    bool good = !d->nullable && !description_is_marked(d, MARK_CONST);
    return good ? doc_data(&d->in->words, value) : NULL;
}

static struct doc *write_keys(struct description *d, const struct json *value) {
    return value->kind == JSON_OBJECT ? import_type_value(d->in, value) : NULL;
}

/* `name: value` in a map */
void description_entry(struct description *d, struct doc *map, gramc_text name, struct doc *value) {
    struct doc *entry = doc_chain(&d->in->words);
    doc_add(entry, import_key(&d->in->words, name));
    doc_add(entry, doc_words(&d->in->words, ": "));
    doc_add(entry, value);
    doc_add(map, entry);
}

/* `{"^x-": Text}` */
static struct doc *write_patterns(struct description *d, const struct json *value) {
    if (value->kind != JSON_OBJECT) return NULL;
    struct doc *map = doc_list(&d->in->words, "{", "}");
    for (const struct json *p = value->first; p; p = p->next)
        description_entry(d, map, p->key, import_type_value(d->in, p));
    return map;
}

static struct doc *write_examples(struct description *d, const struct json *value) {
    bool good = value->kind == JSON_ARRAY && !description_is_marked(d, MARK_EXAMPLES);
    return good ? doc_data(&d->in->words, value) : NULL;
}

static struct doc *write_items(struct description *d, const struct json *value) {
    d->items = value->kind == JSON_OBJECT ? import_type_value(d->in, value) : NULL;
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
const struct json *description_said(const struct json *schema, enum type_property property) {
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

void description_property(struct description *d, enum type_property property,
                          const struct json *value) {
    struct doc *doc = fits_type(property, d->kind) ? writers[property](d, value) : NULL;
    if (doc) description_add(d, type_property_row(property)->name.ptr, doc);
    else description_rest(d, value);
}

/* ## All keywords */

/* What the base says in words holds for what derives from it. */
static bool is_inherited(const struct description *d, const struct json *value) {
    const struct import_type *base = d->type ? d->type->base : NULL;
    const struct json *other = base ? json_get_text(base->schema, value->key) : NULL;
    return other && json_equal(value, other);
}

void description_keywords(struct description *d, const struct type_words *said) {
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++) {
        const struct json *value = description_said(d->schema, p);
        if (!value || words_have(said, value->key) || is_inherited(d, value)) continue;
        description_property(d, p, value);
    }
    for (const struct json *m = d->schema->first; m; m = m->next) {
        bool own = property_for(m->key) != TYPE_PROPERTIES || text_is(m->key, "type") ||
                   text_is(m->key, "default");
        bool meta = d->in->bundles && m->kind == JSON_OBJECT && text_is(m->key, "meta");
        if (meta) description_add(d, "meta", import_map(d->in, m));
        else if (!own && !words_have(said, m->key)) description_rest(d, m);
    }
}
