/* Turns schema IR into JSON Schema 2020-12, always in the same order: one description, which
 * becomes bytes, the document that lowering, the validator and the printers ask, or both at once.
 * Keywords of a raw schema (`schema: json`{...}``) stand instead of ours; that of a type and that
 * of its place of use are joined. What a provider does not take is rewritten by emit/lower.c. */
#include "compiler/definition.h"
#include "compiler/schema_references.h"

#include "base/text.h"
#include "jsonschema/keywords.h"

#include <stdio.h>
#include <string.h>

/* One schema while it is described. */
struct describer {
    struct schema_description *document;
    struct json_sink *sink;
    const struct schema *schema;
    const struct raw_schema *raw;
    uint64_t left_out; /* properties of its own, as bits, that are passed over; not of its base */
};

static void put_schema(struct schema_description *document, const struct schema *schema,
                       const struct constraint *fallback);
/* A part; `inside` a value or beside it. Of a style that does not look there, {}. */
static void put_unless(struct schema_description *document, const struct schema *schema,
                       const struct constraint *fallback, bool inside);

/* What a raw schema of the chain says by a keyword, from the place of use down to `below`; NULL for
 * `below` asks all of them. */
static const struct json *raw_member(const struct schema *schema, gramc_text key,
                                     const struct schema *below) {
    const struct json *found = NULL;
    for (; schema && schema != below && !found; schema = schema->base)
        if (schema->raw) found = json_get_text(schema->raw->json, key);
    return found;
}

/* Begins a member; false if a raw schema has its own. */
static bool put_key(struct describer *d, const char *key) {
    if (d->raw && raw_member(d->schema, text_of(key), NULL)) return false;
    json_sink_name(d->sink, key);
    return true;
}

static void put_flag(struct describer *d, const char *key, bool flag) {
    if (put_key(d, key)) json_sink_word(d->sink, flag ? JSON_TRUE : JSON_FALSE);
}

static void put_type_name(struct describer *d, const char *name, bool or_null) {
    if (!put_key(d, "type")) return;
    if (or_null) json_sink_open(d->sink, JSON_ARRAY);
    json_sink_string(d->sink, text_of(name));
    if (!or_null) return;
    json_sink_string(d->sink, TEXT("null"));
    json_sink_close(d->sink, JSON_ARRAY);
}

/* ## Unions */

/* The JSON type of a member that says nothing but its base type; NULL if it says more. */
static const char *bare_type(const struct schema *schema) {
    bool bare = schema->type && !schema->base && !schema->constraints && !schema->inner &&
                !schema->values && !schema->has_fields && !schema->raw && !schema->all &&
                !schema->keys && !schema->patterns && !schema->type->bounds_hidden &&
                schema->nullable == UNSAID && schema->open == UNSAID && schema->unique == UNSAID &&
                schema->deprecated == UNSAID;
    return bare ? type_json_name((enum type_kind)schema->kind) : NULL;
}

/* True if the union is a list of distinct JSON types, which `type` says shorter. An integer is a
 * number too: one of both would mean something else. */
static bool is_type_list(const struct schema *schema) {
    const struct member *first = schema_members(schema);
    bool number = false, integer = false;
    for (const struct member *m = first; m; m = m->next) {
        const char *name = bare_type(m->schema);
        if (!name) return false;
        for (const struct member *other = first; other != m; other = other->next)
            if (strcmp(bare_type(other->schema), name) == 0) return false;
        number = number || m->schema->kind == TYPE_NUMBER;
        integer = integer || m->schema->kind == TYPE_INTEGER;
    }
    return first && !(number && integer && schema->kind == TYPE_ONE_OF);
}

static void put_type_list(struct describer *d) {
    bool has_null_type = false;
    if (!put_key(d, "type")) return;
    json_sink_open(d->sink, JSON_ARRAY);
    for (const struct member *m = schema_members(d->schema); m; m = m->next) {
        json_sink_string(d->sink, text_of(bare_type(m->schema)));
        has_null_type = has_null_type || m->schema->kind == TYPE_NULL;
    }
    if (schema_is_nullable(d->schema) && !has_null_type) json_sink_string(d->sink, TEXT("null"));
    json_sink_close(d->sink, JSON_ARRAY);
}

static void put_members(struct describer *d, const char *key) {
    if (!put_key(d, key)) return;
    json_sink_open(d->sink, JSON_ARRAY);
    for (const struct member *m = schema_members(d->schema); m; m = m->next)
        put_unless(d->document, m->schema, NULL, text_is(text_of(key), "prefixItems"));
    json_sink_close(d->sink, JSON_ARRAY);
}

/* As OpenAPI has it; JSON Schema itself knows no such keyword. What only checks needs none. */
static void put_discriminator(struct describer *d) {
    gramc_text name = schema_get(d->schema, P_BY);
    if (!name.len || d->document->style & SCHEMA_CHECKED || !put_key(d, "discriminator")) return;
    json_sink_open(d->sink, JSON_OBJECT);
    json_sink_name(d->sink, "propertyName");
    json_sink_string(d->sink, name);
    json_sink_close(d->sink, JSON_OBJECT);
}

static void put_type(struct describer *d) {
    const struct schema *schema = d->schema;
    const char *name = type_json_name((enum type_kind)schema->kind);
    bool is_union = schema_is_choice(schema);
    if (name) put_type_name(d, name, schema_is_nullable(schema) && schema->kind != TYPE_NULL);
    else if (is_union && is_type_list(schema)) put_type_list(d);
    else if (is_union) put_members(d, schema->kind == TYPE_ANY_OF ? "anyOf" : "oneOf");
    if (is_union) put_discriminator(d);
}

/* ## Keywords */

static const struct constraint *find(const struct describer *d, enum type_property property) {
    bool passed_over = d->left_out & UINT64_C(1) << property;
    return schema_find(passed_over ? d->schema->base : d->schema, property);
}

static bool has_null(const struct json *list) {
    const struct json *v = list ? list->first : NULL;
    while (v && v->kind != JSON_NULL) v = v->next;
    return v != NULL;
}

static void put_choice(struct describer *d, const struct json *member, gramc_text description) {
    json_sink_open(d->sink, JSON_OBJECT);
    json_sink_name(d->sink, "const");
    if (member) json_sink_value(d->sink, member);
    else json_sink_word(d->sink, JSON_NULL);
    if (description.ptr) json_sink_name(d->sink, "description");
    if (description.ptr) json_sink_string(d->sink, description);
    json_sink_close(d->sink, JSON_OBJECT);
}

static gramc_text described_as(const struct constraint *data, const struct json *member) {
    const struct described_enum *all = (const struct described_enum *)(const void *)data;
    size_t i = 0;
    for (const struct json *v = constraint_json(data)->first; v; v = v->next, i++)
        if (json_equal(v, member)) return all->descriptions[i];
    return (gramc_text){NULL, 0};
}

/* The enum that says what these members mean: this one, or that of a base, of which it has a part.
 * NULL: none does. */
static const struct constraint *described_in(const struct schema *schema,
                                             const struct constraint *data) {
    const struct constraint *all = NULL;
    if (data->is_described) return data;
    for (; schema && !all; schema = schema->base)
        for (const struct constraint *c = schema->constraints; c && !all; c = c->next)
            if (c->property == P_ENUM && c->is_described) all = c;
    for (const struct json *v = all ? constraint_json(data)->first : NULL; v; v = v->next)
        if (!described_as(all, v).ptr) return NULL;
    return all;
}

/* "oneOf":[{"const":"red","description":"stop"}]: JSON Schema has no other place for what members
 * mean. What only checks needs no words, and tells more about an enum. */
static bool put_described(struct describer *d, const struct constraint *data) {
    const struct constraint *described = described_in(d->schema, data);
    if (!described || d->document->style & SCHEMA_CHECKED) return false;
    if (d->raw && json_get(d->raw->json, "oneOf")) return false;
    json_sink_name(d->sink, "oneOf");
    json_sink_open(d->sink, JSON_ARRAY);
    for (const struct json *v = constraint_json(data)->first; v; v = v->next)
        put_choice(d, v, described_as(described, v));
    if (schema_is_nullable(d->schema)) put_choice(d, NULL, (gramc_text){NULL, 0});
    json_sink_close(d->sink, JSON_ARRAY);
    return true;
}

/* `nullable` adds null to an enum, and makes one of a const. */
static void put_enum(struct describer *d, const struct constraint *data) {
    const struct json *list = constraint_json(data);
    if (list && d->schema->kind != TYPE_ONE_OF && put_described(d, data)) return;
    if (!put_key(d, "enum")) return;
    if (!list) {
        json_sink_scalar(d->sink, data->text);
        return;
    }
    json_sink_open(d->sink, JSON_ARRAY);
    for (const struct json *v = list->first; v; v = v->next) json_sink_value(d->sink, v);
    if (schema_is_nullable(d->schema) && !has_null(list)) json_sink_word(d->sink, JSON_NULL);
    json_sink_close(d->sink, JSON_ARRAY);
}

static void put_data(struct describer *d, const struct constraint *data) {
    const struct json *document = constraint_json(data);
    if (document) json_sink_value(d->sink, document);
    else json_sink_scalar(d->sink, data->text);
}

static void put_const(struct describer *d, const struct constraint *value) {
    bool as_enum = schema_is_nullable(d->schema);
    if (as_enum && find(d, P_ENUM)) return;
    if (!put_key(d, as_enum ? "enum" : "const")) return;
    if (as_enum) json_sink_open(d->sink, JSON_ARRAY);
    put_data(d, value);
    if (!as_enum) return;
    json_sink_word(d->sink, JSON_NULL);
    json_sink_close(d->sink, JSON_ARRAY);
}

static void put_property(struct describer *d, const struct constraint *c) {
    if (c->property == P_ENUM) put_enum(d, c);
    else if (c->property == P_CONST) put_const(d, c);
    else if (!put_key(d, type_property_printed(c->property).ptr)) return;
    else if (type_property_row(c->property)->says == SAYS_TEXT) json_sink_string(d->sink, c->text);
    else put_data(d, c);
}

/* The base says its own first, like fields. Recursion is as deep as the chain. */
static void put_all_links(struct describer *d, const struct schema *link) {
    if (!link) return;
    put_all_links(d, link->base);
    for (const struct member *m = link->all; m; m = m->next)
        put_unless(d->document, m->schema, NULL, false);
}

/* What a named type says and is said anew by what is built on it: both hold, and one schema has one
 * of each. A word that is used again is replaced. */
struct hidden {
    const struct schema *link;
    const struct constraint *next;
    bool of_type; /* the link is one of a named type */
};

static const struct constraint *next_hidden(const struct schema *schema, struct hidden *at) {
    static const uint64_t single =
        PROPERTY_BIT(P_FORMAT) | PROPERTY_BIT(P_PATTERN) | PROPERTY_BIT(P_MULTIPLE_OF);
    while (at->link) {
        const struct constraint *c = at->next;
        if (!c) {
            const struct schema *link = at->link;
            const struct definition *d = link->definition;
            at->of_type = at->of_type || (d && link->base == d->field.schema);
            at->link = link->base;
            at->next = at->link ? at->link->constraints : NULL;
            continue;
        }
        at->next = c->next;
        if (!at->of_type || !(PROPERTY_BIT(c->property) & single)) continue;
        /* Of two in one link the first counts. */
        const struct constraint *counts = at->link->constraints;
        while (counts->property != c->property) counts = counts->next;
        bool shown = text_eq(schema_get(schema, c->property), c->text);
        if (c == counts && !shown) return c;
    }
    return NULL;
}

static void put_hidden(struct describer *d) {
    struct hidden at = {d->schema, d->schema->constraints, false};
    for (const struct constraint *c; (c = next_hidden(d->schema, &at)) != NULL;) {
        struct describer alone = {d->document, d->sink, d->schema, NULL, 0};
        json_sink_open(d->sink, JSON_OBJECT);
        put_property(&alone, c);
        json_sink_close(d->sink, JSON_OBJECT);
    }
}

/* ## Raw schemas of a chain, all of which hold */

/* True if a raw schema nearer to the place says otherwise by that keyword. Of two words for people
 * the nearer one counts; of two demands both do. */
static bool is_said_otherwise(const struct describer *d, const struct schema *link,
                              const struct json *member) {
    const struct json *nearer = raw_member(d->schema, member->key, link);
    bool demand = keyword_asserts(member->key) || text_is(member->key, "$ref");
    return nearer && demand && !text_is(member->key, "allOf") && !json_equal(nearer, member);
}

static bool has_clash(const struct describer *d, const struct schema *link) {
    const struct json *m = link->raw ? link->raw->json->first : NULL;
    while (m && !is_said_otherwise(d, link, m)) m = m->next;
    return m != NULL;
}

/* Whether they can only be joined by `allOf`. */
static bool needs_all_of(const struct describer *d) {
    unsigned lists = 0;
    for (const struct schema *link = d->raw ? d->schema : NULL; link; link = link->base) {
        if (has_clash(d, link)) return true;
        lists += link->raw && json_get(link->raw->json, "allOf") ? 1 : 0;
    }
    return lists > 1;
}

static void put_clashes(struct describer *d, const struct schema *link) {
    if (!has_clash(d, link)) return;
    json_sink_open(d->sink, JSON_OBJECT);
    for (const struct json *m = link->raw->json->first; m; m = m->next)
        if (is_said_otherwise(d, link, m)) references_put_raw_member(d->document, link->raw, m);
    json_sink_close(d->sink, JSON_OBJECT);
}

static void put_joined(struct describer *d) {
    for (const struct schema *link = d->schema; link; link = link->base) {
        const struct json *all = link->raw ? json_get(link->raw->json, "allOf") : NULL;
        for (const struct json *part = all ? all->first : NULL; part; part = part->next)
            references_put_raw(d->document, link->raw, part);
        put_clashes(d, link);
    }
}

/* Whether what a type says of itself needs the list, too: then a raw one is a part of it. */
static bool says_all_of(const struct describer *d) {
    struct hidden at = {d->schema, d->schema->constraints, false};
    return schema_has_all(d->schema) || next_hidden(d->schema, &at);
}

static void put_all_of(struct describer *d) {
    bool own = says_all_of(d), joined = needs_all_of(d) || (own && d->raw);
    if (!joined && !own) return;
    json_sink_name(d->sink, "allOf");
    json_sink_open(d->sink, JSON_ARRAY);
    put_all_links(d, d->schema);
    put_hidden(d);
    if (joined) put_joined(d);
    json_sink_close(d->sink, JSON_ARRAY);
}

/* Its own $defs go where all are: under the root, as far as they are referred to. */
static void put_raw(struct describer *d) {
    bool joined = needs_all_of(d) || says_all_of(d);
    for (const struct schema *link = d->raw ? d->schema : NULL; link; link = link->base)
        for (const struct json *m = link->raw ? link->raw->json->first : NULL; m; m = m->next) {
            bool in_list = joined && text_is(m->key, "allOf");
            bool said = raw_member(d->schema, m->key, link) != NULL;
            if (!in_list && !said && !text_is(m->key, "$defs"))
                references_put_raw_member(d->document, link->raw, m);
        }
}

/* The bounds of a type that are checked and not printed. */
static bool puts_hidden_bounds(const struct describer *d) {
    const struct type_row *type = d->schema->type;
    bool hidden = type && type->bounds_hidden;
    d->document->hides_bounds = d->document->hides_bounds || hidden;
    return hidden && d->document->style & SCHEMA_CHECKED;
}

static void put_hidden_bound(struct describer *d, enum type_property property) {
    const struct type_row *type = d->schema->type;
    gramc_text bound = text_of(property == P_MIN ? type->min : type->max);
    if (put_key(d, type_property_printed(property).ptr)) json_sink_number(d->sink, bound);
}

/* Which properties are said at all, as bits: most types say two or three of them. */
static uint64_t said_properties(const struct describer *d) {
    uint64_t said = puts_hidden_bounds(d) ? UINT64_C(1) << P_MIN | UINT64_C(1) << P_MAX : 0;
    for (const struct schema *schema = d->schema; schema; schema = schema->base) {
        uint64_t here = 0;
        for (const struct constraint *c = schema->constraints; c; c = c->next)
            here |= UINT64_C(1) << c->property;
        said |= schema == d->schema ? here & ~d->left_out : here;
    }
    return said;
}

static void put_properties(struct describer *d, enum type_property first, enum type_property last) {
    uint64_t said = said_properties(d) >> first;
    for (unsigned k = first; said && k <= last; k++, said >>= 1) {
        if (!(said & 1)) continue;
        const struct constraint *c = find(d, (enum type_property)k);
        if (c) put_property(d, c);
        else put_hidden_bound(d, (enum type_property)k);
    }
}

static bool is_required_field(const struct schema *schema, gramc_text name) {
    struct field_walk walk = field_walk(schema);
    const struct field *f;
    while ((f = field_next(&walk)) != NULL && (f->optional || !text_eq(f->name, name))) continue;
    return f != NULL;
}

/* Said earlier in the list, or by a base. */
static bool is_required_before(const struct schema *link, const struct json *list,
                               const struct json *name) {
    for (const struct json *v = list->first; v != name; v = v->next)
        if (text_eq(v->text, name->text)) return true;
    return link->base && schema_requires(link->base, name->text);
}

/* Begins the list with its first name; false if the raw schema has its own. */
static bool put_required_name(struct describer *d, bool *any, gramc_text name) {
    if (!*any && !put_key(d, "required")) return false;
    if (!*any) json_sink_open(d->sink, JSON_ARRAY);
    json_sink_string(d->sink, name);
    *any = true;
    return true;
}

/* Names that a link of the chain wants, and nothing behind it. */
static bool put_required_links(struct describer *d, bool *any, const struct schema *link) {
    if (!link) return true;
    if (!put_required_links(d, any, link->base)) return false;
    for (const struct constraint *c = link->constraints; c; c = c->next) {
        const struct json *list = c->property == P_REQUIRED ? constraint_json(c) : NULL;
        for (const struct json *v = list ? list->first : NULL; v; v = v->next) {
            if (is_required_field(d->schema, v->text) || is_required_before(link, list, v))
                continue;
            if (!put_required_name(d, any, v->text)) return false;
        }
    }
    return true;
}

static void put_required(struct describer *d) {
    struct field_walk walk = field_walk(d->schema);
    bool any = false;
    for (const struct field *f; (f = field_next(&walk)) != NULL;)
        if (!f->optional && !put_required_name(d, &any, f->name)) return;
    if (put_required_links(d, &any, d->schema) && any) json_sink_close(d->sink, JSON_ARRAY);
}

static void put_fields(struct describer *d) {
    if (put_key(d, "properties")) {
        struct field_walk walk = field_walk(d->schema);
        json_sink_open(d->sink, JSON_OBJECT);
        for (const struct field *f; (f = field_next(&walk)) != NULL;) {
            json_sink_key(d->sink, f->name);
            put_unless(d->document, f->schema, f->fallback, true);
        }
        json_sink_close(d->sink, JSON_OBJECT);
    }
}

/* Recursion is as deep as the chain. */
static void put_pattern_links(struct describer *d, const struct schema *link) {
    if (!link) return;
    put_pattern_links(d, link->base);
    for (const struct field *f = link->patterns; f; f = f->next) {
        json_sink_key(d->sink, f->name);
        put_unless(d->document, f->schema, NULL, true);
    }
}

/* What is said about names: they hold for whatever else the object says. */
static void put_names(struct describer *d) {
    const struct schema *keys = schema_keys(d->schema);
    if (schema_has_fields(d->schema)) put_fields(d);
    put_required(d);
    if (schema_has_patterns(d->schema) && put_key(d, "patternProperties")) {
        json_sink_open(d->sink, JSON_OBJECT);
        put_pattern_links(d, d->schema);
        json_sink_close(d->sink, JSON_OBJECT);
    }
    if (keys && put_key(d, "propertyNames")) put_unless(d->document, keys, NULL, true);
}

/* As many items as there are members, no fewer unless that is said; no more but for a rest. */
static void put_tuple(struct describer *d) {
    char number[16];
    unsigned count = 0;
    for (const struct member *m = schema_members(d->schema); m; m = m->next) count++;
    if (!count) return;
    snprintf(number, sizeof number, "%u", count);
    put_members(d, "prefixItems");
    bool rest = schema_inner(d->schema);
    if (!rest && put_key(d, "items")) json_sink_word(d->sink, JSON_FALSE);
    for (int i = 0; i < (rest ? 1 : 2); i++)
        if (!find(d, i ? P_MAX_ITEMS : P_MIN_ITEMS) && put_key(d, i ? "maxItems" : "minItems"))
            json_sink_number(d->sink, json_sink_keep(d->sink, text_of(number)));
}

static void put_inside(struct describer *d) {
    const struct schema *schema = d->schema, *inner = schema_inner(schema),
                        *values = schema_values(schema);
    enum said open = schema_open(schema);
    if (schema_is_unique(schema)) put_flag(d, "uniqueItems", true);
    put_names(d);
    if (open != UNSAID && !values) put_flag(d, "additionalProperties", open == SAID_TRUE);
    if (values && put_key(d, "additionalProperties")) put_unless(d->document, values, NULL, true);
    if (inner && put_key(d, "items")) put_unless(d->document, inner, NULL, true);
    if (schema->kind == TYPE_TUPLE) put_tuple(d);
}

/* Said by a property, which counts. */
static bool is_said(const struct describer *d, gramc_text keyword,
                    const struct constraint *fallback) {
    if (text_is(keyword, "default")) return fallback != NULL;
    if (text_is(keyword, "deprecated")) return schema_is_deprecated(d->schema);
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++)
        if (type_property_row(p)->keyword != K_COUNT && text_eq(keyword, type_property_printed(p)))
            return find(d, p) != NULL;
    return false;
}

static const struct json *annotations_of(const struct schema *link) {
    const struct constraint *c = link->constraints;
    while (c && c->property != P_META) c = c->next;
    const struct json *document = c ? constraint_json(c) : NULL;
    return document ? json_get(document, "jsonSchema") : NULL;
}

/* What the place of use says of a name counts. */
static bool is_annotated_above(const struct schema *first, const struct schema *below,
                               gramc_text name) {
    for (const struct schema *link = first; link != below; link = link->base) {
        const struct json *said = annotations_of(link);
        if (said && json_get_text(said, name)) return true;
    }
    return false;
}

/* `meta: {jsonSchema: {...}}`: annotations that the language has no property for. */
static void put_annotations(struct describer *d, const struct constraint *fallback) {
    bool passed_over = d->left_out & UINT64_C(1) << P_META;
    const struct schema *first = passed_over ? d->schema->base : d->schema;
    for (const struct schema *link = first; link; link = link->base) {
        const struct json *said = annotations_of(link);
        for (const struct json *m = said ? said->first : NULL; m; m = m->next) {
            bool raw = d->raw && raw_member(d->schema, m->key, NULL);
            if (raw || is_said(d, m->key, fallback) || is_annotated_above(first, link, m->key))
                continue;
            json_sink_key(d->sink, m->key);
            json_sink_value(d->sink, m);
        }
    }
}

static void put_rest(struct describer *d, const struct constraint *fallback) {
    if (fallback && put_key(d, "default")) put_data(d, fallback);
    put_properties(d, P_EXAMPLES, P_EXAMPLES);
    if (schema_is_deprecated(d->schema)) put_flag(d, "deprecated", true);
    put_properties(d, P_READ_ONLY, P_WRITE_ONLY);
    if (d->document->style & SCHEMA_META) put_properties(d, P_META, P_META);
    else put_annotations(d, fallback);
}

/* ## References */

/* What the place says itself of a named type: the use, and behind it the word that it reuses. */
struct use {
    struct schema schema, word;
};

/* The links of the chain in front of the named type, which say what stands beside a reference: the
 * type's own keywords stand where it points. */
static void use_init(struct use *use, const struct schema *schema) {
    bool has_word = schema->base != schema->definition->field.schema;
    use->schema = *schema;
    use->schema.base = has_word ? &use->word : NULL;
    if (has_word) use->word = *schema->base;
    use->word.base = NULL;
}

/* A reference and what stands beside it both hold, so it cannot open what the type closes, nor add
 * to what a closed one takes: what adds names or items stands in line, one level deep. Types that
 * refer to themselves have no other way. */
static bool goes_by_reference(const struct schema_description *document,
                              const struct schema *schema) {
    const struct definition *d = schema->definition;
    if (schema_adds_parts(schema)) return false;
    bool named = d && !d->cut_from;
    if (!named || d->by_reference || !(document->style & SCHEMA_DEFS)) return d && d->by_reference;
    return schema_open(schema) == schema_open(d->field.schema);
}

static void put_reference(struct describer *d) {
    const struct schema_reference reference = {.definition = d->schema->definition};
    if (!put_key(d, "$ref")) return;
    references_note(d->document, reference.definition);
    references_put_pointer(d->document, &reference);
}

/* ## Schemas */

/* `nullable` at the place where a named type or a union is used. */
static bool is_null_or(const struct schema *schema) {
    struct use use;
    bool is_union = schema_is_choice(schema), has_all = schema_has_all(schema);
    if (has_all) return schema_is_nullable(schema);
    if (is_union) return schema_is_nullable(schema) && !is_type_list(schema);
    if (!schema->definition) return false;
    use_init(&use, schema);
    return schema_is_nullable(&use.schema);
}

static void put_null_or(struct schema_description *document, const struct schema *schema,
                        const struct constraint *fallback, uint64_t left_out);

/* The members of the schema's object; `left_out` are properties, as bits, of this schema alone.
 * Recursion is bounded: by the parser's nesting limit, and by what definition.c puts in line. */
static void put_all(struct schema_description *document, const struct schema *schema,
                    const struct constraint *fallback, uint64_t left_out) {
    struct use use;
    bool by_reference = goes_by_reference(document, schema);
    struct describer d = {document, document->sink, schema, NULL, left_out};
    if (is_null_or(schema)) {
        put_null_or(document, schema, fallback, left_out);
        return;
    }
    if (by_reference) use_init(&use, schema);
    if (by_reference) d.schema = &use.schema;
    d.raw = schema_raw(d.schema);
    if (by_reference) put_reference(&d);
    else put_type(&d);
    put_all_of(&d);
    put_properties(&d, P_TITLE, P_MAX_NAMES);
    if (!by_reference) put_inside(&d);
    else put_names(&d);
    if (by_reference && schema_is_unique(d.schema)) put_flag(&d, "uniqueItems", true);
    put_rest(&d, fallback);
    put_raw(&d);
}

/* "anyOf":[T,{"type":"null"}], with what tells about the whole beside it. */
static void put_null_or(struct schema_description *document, const struct schema *schema,
                        const struct constraint *fallback, uint64_t left_out) {
    static const uint64_t texts = UINT64_C(1) << P_TITLE | UINT64_C(1) << P_DESCRIPTION |
                                  UINT64_C(1) << P_EXAMPLES | UINT64_C(1) << P_META |
                                  UINT64_C(1) << P_READ_ONLY | UINT64_C(1) << P_WRITE_ONLY;
    struct schema inner = *schema,
                  outer = {.constraints = schema->constraints, .deprecated = schema->deprecated};
    struct describer d = {document, document->sink, &outer, NULL, left_out};
    inner.nullable = SAID_FALSE;
    put_properties(&d, P_TITLE, P_DESCRIPTION);
    put_key(&d, "anyOf");
    json_sink_open(d.sink, JSON_ARRAY);
    json_sink_open(d.sink, JSON_OBJECT);
    put_all(document, &inner, NULL, left_out | texts);
    json_sink_close(d.sink, JSON_OBJECT);
    json_sink_open(d.sink, JSON_OBJECT);
    json_sink_name(d.sink, "type");
    json_sink_string(d.sink, TEXT("null"));
    json_sink_close(d.sink, JSON_OBJECT);
    json_sink_close(d.sink, JSON_ARRAY);
    put_rest(&d, fallback);
}

static void put_schema(struct schema_description *document, const struct schema *schema,
                       const struct constraint *fallback) {
    json_sink_open(document->sink, JSON_OBJECT);
    put_all(document, schema, fallback, 0);
    json_sink_close(document->sink, JSON_OBJECT);
}

static void put_unless(struct schema_description *document, const struct schema *schema,
                       const struct constraint *fallback, bool inside) {
    unsigned passed_over = inside ? SCHEMA_FLAT | SCHEMA_OUTLINE : SCHEMA_OUTLINE;
    if (!(document->style & passed_over)) {
        put_schema(document, schema, fallback);
        return;
    }
    json_sink_open(document->sink, JSON_OBJECT);
    json_sink_close(document->sink, JSON_OBJECT);
}

/* Behind the last member of the root; describing one definition may call for more of them. */
static void put_definitions(struct schema_description *document) {
    struct json_sink *sink = document->sink;
    if (!references_count(document)) return;
    json_sink_name(sink, "$defs");
    json_sink_open(sink, JSON_OBJECT);
    for (size_t i = 0; i < references_count(document); i++) {
        const struct schema_reference reference = references_at(document, i);
        references_put_key(document, &reference);
        if (reference.definition)
            put_unless(document, reference.definition->field.schema, NULL, false);
        else references_put_raw(document, reference.raw, reference.use->own);
    }
    json_sink_close(sink, JSON_OBJECT);
}

bool schema_put(struct json_sink *sink, const struct schema *schema, unsigned style) {
    static const uint64_t choices = UINT64_C(1) << P_ENUM | UINT64_C(1) << P_CONST;
    struct schema_description document = {.sink = sink, .style = style};
    buf_init(&document.references, json_sink_allocator(sink), SOURCE_MAX);
    json_sink_open(sink, JSON_OBJECT);
    put_all(&document, schema, NULL, style & SCHEMA_WITHOUT_CHOICES ? choices : 0);
    put_definitions(&document);
    json_sink_close(sink, JSON_OBJECT);
    json_sink_fail(sink, &document.references);
    buf_free(&document.references);
    return document.hides_bounds;
}

void schema_print(struct buf *out, const struct schema *schema, unsigned style) {
    struct json_sink sink;
    json_sink_init(&sink, out, NULL);
    schema_put(&sink, schema, style);
}

const struct json *schema_document(struct arena *arena, const struct schema *schema,
                                   unsigned style) {
    struct json_sink sink;
    json_sink_init(&sink, NULL, arena);
    schema_put(&sink, schema, style);
    return json_sink_document(&sink);
}

struct built_schema schema_build(struct arena *arena, const struct schema *schema, unsigned style) {
    struct built_schema built = {{NULL, 0}, NULL, false};
    struct json_sink sink;
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    json_sink_init(&sink, &out, arena);
    built.hides_bounds = schema_put(&sink, schema, style);
    if (out.state == BUF_NOMEM) arena->oom = true;
    if (out.state == BUF_FINE) {
        built.text = arena_text(arena, buf_view(&out));
        built.document = json_sink_document(&sink);
    }
    buf_free(&out);
    return built;
}
