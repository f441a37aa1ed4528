/* Turns one schema into a type as a person would write it: a label, properties, fields, and, for
 * what gram has no word for, raw schema; as the value of a property, as a node of a signature, as a
 * definition. Reads what earlier rounds have found out from the marks. */
#include "compiler/importer/description.h"

#include "base/text.h"

/* ## Fields */

bool import_is_required(const struct json *schema, gramc_text name) {
    const struct json *required = json_get(schema, "required");
    if (!json_is(required, JSON_ARRAY)) return false;
    for (const struct json *item = required->first; item; item = item->next)
        if (item->kind == JSON_STRING && text_eq(item->text, name)) return true;
    return false;
}

/* Each required name once. */
bool description_requires_once(const struct json *schema) {
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
bool description_requires_fields(const struct json *schema) {
    const struct json *required = json_get(schema, "required");
    if (!description_requires_once(schema)) return false;
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (!is_described(schema, item)) return false;
    return true;
}

/* `required: ["id"]`: what must be there and is no field of it. */
void description_required_names(struct description *d, const struct json *schema) {
    const struct json *required = json_get(schema, "required");
    struct doc *names = doc_list(&d->in->words, "[", "]");
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (!is_described(schema, item)) doc_add(names, doc_data(&d->in->words, item));
    if (names && names->first) description_add(d, "required", names);
}

static void describe(struct description *d, const struct import_field *field);

struct description description_new(struct importer *in, const struct json *schema, bool is_field) {
    struct description d = {.in = in, .schema = schema, .is_field = is_field};
    d.properties = doc_list(&in->words, "{", "}");
    buf_init(&d.raw, &in->arena->allocator, LARGEST_RAW);
    return d;
}

/* `street: Text`, `tags: [Text]`, `zip: {type: Text, optional: true}`. What is described already is
 * moved: to describe items twice doubles the work with each level of lists. */
static struct doc *described_value(struct importer *in, const struct json *schema,
                                   const struct import_field *field) {
    struct description d = description_new(in, schema, field != NULL);
    describe(&d, field);
    buf_free(&d.raw);
    struct doc *value = doc_chain(&in->words);
    if (!value || !d.properties) return NULL;
    value->origin = schema;
    if (!d.properties->first) {
        doc_add(value, doc_text(&in->words, d.label));
        return value;
    }
    bool only_items = text_is(d.label, "Array") && d.items && !d.properties->first->next &&
                      !d.nullable && !import_marks(in, schema);
    if (only_items) {
        struct doc *list = doc_list(&in->words, "[", "]");
        doc_add(list, d.items);
        doc_add(value, list);
        return value;
    }
    struct doc *map = doc_list(&in->words, "{", "}");
    doc_property(&in->words, map, "type", doc_text(&in->words, d.label));
    for (struct doc *p = d.properties->first, *next; p; p = next) {
        next = p->next;
        p->next = NULL;
        doc_add(map, p);
    }
    doc_add(value, map);
    return value;
}

struct doc *import_type_value(struct importer *in, const struct json *schema) {
    return described_value(in, schema, NULL);
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
    struct doc *map = doc_list(&in->words, "{", "}");
    for (const struct json *p = properties->first; p; p = p->next) {
        struct import_field field = {p->key, import_is_required(d->schema, p->key)};
        description_entry(d, map, p->key, described_value(in, p, &field));
    }
    return map;
}

static void field_elements(struct description *d) {
    d->elements = doc_list(&d->in->words, " ", "");
    for (const struct json *p = import_own_fields(d->type); p; p = p->next) {
        struct import_field field = {p->key, import_is_required(d->schema, p->key)};
        doc_add(d->elements, import_node(d->in, p, &field));
    }
}

static void describe_fields(struct description *d, struct type_words *said) {
    const struct json *properties = json_get(d->schema, "properties");
    bool takes = d->kind == TYPE_OBJECT || d->kind == TYPE_ANY || d->kind == TYPE_ALL_OF;
    if (json_is(properties, JSON_OBJECT) && takes) {
        words_note(said, "properties");
        bool elements = d->type && d->kind == TYPE_OBJECT && properties->first;
        if (elements) field_elements(d);
        else description_add(d, "fields", field_map(d, properties));
    }
    bool named = takes || d->kind == TYPE_MAP, fields = words_have(said, TEXT("properties"));
    bool twice =
        d->is_field && json_get(d->schema, "default") && !description_requires_fields(d->schema);
    if (!named || !description_requires_once(d->schema) || (!fields && properties) || twice) return;
    words_note(said, "required");
    description_required_names(d, d->schema);
}

/* ## All of it */

/* Everything as JSON, but for what people read and what belongs to the parameter. */
static void describe_raw(struct description *d) {
    description_label(d, "Any", TYPE_ANY);
    for (const struct json *m = d->schema->first; m; m = m->next) {
        if (text_is(m->key, "default")) continue;
        if (text_is(m->key, "description") && m->kind == JSON_STRING)
            description_add(d, "description", doc_string(&d->in->words, m->text));
        else description_raw(d, m);
    }
}

static void describe_dropped(struct description *d) {
    const struct json *description = json_get(d->schema, "description");
    description_label(d, "Any", TYPE_ANY);
    if (json_is(description, JSON_STRING))
        description_add(d, "description", doc_string(&d->in->words, description->text));
    description_lose(d, d->schema, TEXT(""));
}

static void describe_default(struct description *d, const struct import_field *field) {
    const struct json *value = json_get(d->schema, "default");
    bool said = value && d->is_field && !description_is_marked(d, MARK_DEFAULT | MARK_DROP);
    bool raw = description_is_marked(d, MARK_RAW);
    if (value && !said && raw) description_raw(d, value);
    else if (value && !said && !description_is_marked(d, MARK_DROP)) description_rest(d, value);
    if (field && !field->required && !said)
        description_add(d, "optional", doc_words(&d->in->words, "true"));
    if (field && field->required && said)
        description_add(d, "required", doc_words(&d->in->words, "true"));
    if (said) description_add(d, "default", doc_data(&d->in->words, value));
}

static void describe(struct description *d, const struct import_field *field) {
    struct type_words said = {.count = 0};
    if (d->in->arena->oom) return;
    import_report_marks(d->in, d->schema);
    if (description_is_marked(d, MARK_DROP)) describe_dropped(d);
    else if (description_is_marked(d, MARK_RAW)) describe_raw(d);
    else if (description_choose_named(d, &said)) {
        if (said.count) description_keywords(d, &said);
    } else {
        description_choose(d, &said);
        describe_fields(d, &said);
        if (d->nullable) description_add(d, "nullable", doc_words(&d->in->words, "true"));
        description_keywords(d, &said);
    }
    describe_default(d, field);
    /* What does not fit has a finding of its own. */
    uint8_t data = MARK_DEFAULT | MARK_ENUM | MARK_CONST | MARK_EXAMPLES;
    if (d->in->report && d->raw.len && !(import_marks(d->in, d->schema) & data))
        import_find(d->in, D_IMPORT_RAW, NULL, d->schema, buf_view(&d->raw), TEXT(""));
    description_add_raw(d);
    description_add_meta(d);
}

/* ## Where it stands */

struct doc *import_node(struct importer *in, const struct json *schema,
                        const struct import_field *field) {
    struct description d = description_new(in, schema, field != NULL);
    struct doc *node = doc_chain(&in->words);
    describe(&d, field);
    buf_free(&d.raw);
    if (!node || !d.properties) return NULL;
    node->origin = schema;
    doc_add(node, doc_words(&in->words, "("));
    if (field) doc_add(node, doc_text(&in->words, import_quote_name(in->arena, field->name)));
    doc_add(node, doc_words(&in->words, "::"));
    doc_add(node, doc_text(&in->words, d.label));
    if (d.properties->first) {
        doc_add(node, doc_words(&in->words, " "));
        doc_add(node, d.properties);
    }
    doc_add(node, doc_words(&in->words, ")"));
    return node;
}

struct doc *import_definition(struct importer *in, const struct import_type *type) {
    struct description d = description_new(in, type->schema, false);
    struct doc *definition = doc_chain(&in->words);
    d.type = type;
    describe(&d, NULL);
    if (type->base && !description_is_marked(&d, MARK_RAW | MARK_DROP)) d.label = type->base->name;
    buf_free(&d.raw);
    if (!definition || !d.properties) return NULL;
    definition->origin = type->schema;
    doc_add(definition, doc_words(&in->words, "["));
    doc_add(definition, doc_text(&in->words, type->name));
    doc_add(definition, doc_words(&in->words, ":"));
    doc_add(definition, doc_text(&in->words, d.label));
    if (d.properties->first) {
        doc_add(definition, doc_words(&in->words, " "));
        doc_add(definition, d.properties);
    }
    if (d.elements) {
        doc_add(definition, doc_words(&in->words, " |"));
        doc_add(definition, d.elements);
    }
    doc_add(definition, doc_words(&in->words, "]"));
    return definition;
}
