/* Prints the schema IR as JSON Schema 2020-12, compact and always in the same order. Every other
 * target that takes JSON Schema builds on these two functions. Keywords of an escape hatch
 * (`schema: json`{...}``) stand instead of ours. */
#include "compiler/definition.h"
#include "compiler/schema_references.h"

#include "base/text.h"

#include <string.h>

struct printer {
    struct printed_document *document;
    struct buf *out;
    const struct schema *schema;
    const struct raw_schema *raw;
    bool comma;
};

static void print_schema(struct printed_document *document, const struct schema *schema,
                         const struct constraint *fallback);

/* Begins a member; false if the hatch has its own. */
static bool put_key(struct printer *p, const char *key) {
    if (p->raw && json_get(p->raw->json, key)) return false;
    if (p->comma) buf_putc(p->out, ',');
    p->comma = true;
    buf_putc(p->out, '"');
    buf_puts(p->out, key);
    buf_puts(p->out, "\":");
    return true;
}

static void put_true(struct printer *p, const char *key, bool said) {
    if (said && put_key(p, key)) buf_puts(p->out, "true");
}

static void put_type_name(struct printer *p, const char *name, bool or_null) {
    if (!put_key(p, "type")) return;
    buf_puts(p->out, or_null ? "[\"" : "\"");
    buf_puts(p->out, name);
    buf_puts(p->out, or_null ? "\",\"null\"]" : "\"");
}

/* ## Unions */

/* The JSON type of a member that says nothing but its base type; NULL if it says more. */
static const char *bare_type(const struct schema *schema) {
    bool bare = schema->type && !schema->base && !schema->constraints && !schema->inner &&
                !schema->has_fields && !schema->raw && !schema->type->bounds_hidden &&
                schema->nullable == UNSAID && schema->open == UNSAID;
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

static void put_type_list(struct printer *p) {
    bool has_null_type = false;
    if (!put_key(p, "type")) return;
    buf_putc(p->out, '[');
    for (const struct member *m = schema_members(p->schema); m; m = m->next) {
        if (m != schema_members(p->schema)) buf_putc(p->out, ',');
        json_put_string(p->out, text_of(bare_type(m->schema)));
        has_null_type = has_null_type || m->schema->kind == TYPE_NULL;
    }
    buf_puts(p->out, schema_is_nullable(p->schema) && !has_null_type ? ",\"null\"]" : "]");
}

static void put_members(struct printer *p, const char *key) {
    if (!put_key(p, key)) return;
    buf_putc(p->out, '[');
    for (const struct member *m = schema_members(p->schema); m; m = m->next) {
        if (m != schema_members(p->schema)) buf_putc(p->out, ',');
        print_schema(p->document, m->schema, NULL);
    }
    buf_putc(p->out, ']');
}

static void put_type(struct printer *p) {
    const struct schema *schema = p->schema;
    const char *name = type_json_name((enum type_kind)schema->kind);
    bool is_union = schema->kind == TYPE_ANY_OF || schema->kind == TYPE_ONE_OF;
    if (name) put_type_name(p, name, schema_is_nullable(schema) && schema->kind != TYPE_NULL);
    else if (is_union && is_type_list(schema)) put_type_list(p);
    else if (is_union) put_members(p, schema->kind == TYPE_ANY_OF ? "anyOf" : "oneOf");
}

/* ## Keywords */

static bool has_null(gramc_text list) {
    /* Lists are compact JSON: a null member stands between brackets or commas, and inside a string
     * its neighbours would be escaped quotes or other text. */
    bool in_string = false;
    for (size_t i = 1; i + 4 < list.len; i++) {
        if (in_string && list.ptr[i] == '\\') i++;
        else if (list.ptr[i] == '"') in_string = !in_string;
        else if (!in_string && text_eq(text_slice(list, i, i + 4), TEXT("null"))) return true;
    }
    return false;
}

/* `nullable` adds null to an enum, and makes one of a const. */
static void put_enum(struct printer *p, gramc_text list) {
    bool add = schema_is_nullable(p->schema) && !has_null(list);
    if (!put_key(p, "enum")) return;
    buf_put(p->out, list.ptr, list.len - 1);
    buf_puts(p->out, !add ? "]" : list.len > 2 ? ",null]" : "null]");
}

static void put_const(struct printer *p, gramc_text json) {
    bool as_enum = schema_is_nullable(p->schema);
    if (as_enum && schema_find(p->schema, P_ENUM)) return;
    if (!put_key(p, as_enum ? "enum" : "const")) return;
    buf_puts(p->out, as_enum ? "[" : "");
    buf_text(p->out, json);
    buf_puts(p->out, as_enum ? ",null]" : "");
}

static void put_property(struct printer *p, enum type_property property, gramc_text text) {
    if (property == P_ENUM) put_enum(p, text);
    else if (property == P_CONST) put_const(p, text);
    else if (!put_key(p, type_property_printed(property).ptr)) return;
    else if (type_property_row(property)->says == SAYS_TEXT) json_put_string(p->out, text);
    else buf_text(p->out, text);
}

/* Of the bounds that are checked and not printed. */
static gramc_text hidden_bound(const struct printer *p, enum type_property property) {
    const struct type_row *type = p->schema->type;
    bool hidden = (p->document->style & SCHEMA_CHECKED) && type && type->bounds_hidden;
    if (hidden && property == P_MIN) return text_of(type->min);
    if (hidden && property == P_MAX) return text_of(type->max);
    return (gramc_text){NULL, 0};
}

/* Which properties are said at all, as bits: most types say two or three of them. */
static uint64_t said_properties(const struct printer *p) {
    const struct type_row *type = p->schema->type;
    bool hidden = (p->document->style & SCHEMA_CHECKED) && type && type->bounds_hidden;
    uint64_t said = hidden ? UINT64_C(1) << P_MIN | UINT64_C(1) << P_MAX : 0;
    for (const struct schema *schema = p->schema; schema; schema = schema->base)
        for (const struct constraint *c = schema->constraints; c; c = c->next)
            said |= UINT64_C(1) << c->property;
    return said;
}

static void put_properties(struct printer *p, enum type_property first, enum type_property last) {
    uint64_t said = said_properties(p);
    for (unsigned k = first; said && k <= last; k++) {
        if (!(said & UINT64_C(1) << k)) continue;
        gramc_text text = schema_get(p->schema, (enum type_property)k);
        if (!text.ptr) text = hidden_bound(p, (enum type_property)k);
        put_property(p, (enum type_property)k, text);
    }
}

static void put_required(struct printer *p) {
    struct field_walk walk = field_walk(p->schema);
    bool any = false;
    for (const struct field *f; (f = field_next(&walk)) != NULL;) {
        if (f->optional) continue;
        if (!any && !put_key(p, "required")) return;
        buf_putc(p->out, any ? ',' : '[');
        json_put_string(p->out, f->name);
        any = true;
    }
    if (any) buf_putc(p->out, ']');
}

static void put_fields(struct printer *p) {
    if (put_key(p, "properties")) {
        struct field_walk walk = field_walk(p->schema);
        bool any = false;
        buf_putc(p->out, '{');
        for (const struct field *f; (f = field_next(&walk)) != NULL; any = true) {
            if (any) buf_putc(p->out, ',');
            json_put_string(p->out, f->name);
            buf_putc(p->out, ':');
            print_schema(p->document, f->schema, f->fallback);
        }
        buf_putc(p->out, '}');
    }
    put_required(p);
}

/* As many items as there are members, no more and no fewer. */
static void put_tuple(struct printer *p) {
    unsigned count = 0;
    for (const struct member *m = schema_members(p->schema); m; m = m->next) count++;
    if (!count) return;
    put_members(p, "prefixItems");
    if (put_key(p, "items")) buf_puts(p->out, "false");
    if (put_key(p, "minItems")) buf_printf(p->out, "%u", count);
    if (put_key(p, "maxItems")) buf_printf(p->out, "%u", count);
}

static void put_inside(struct printer *p) {
    const struct schema *schema = p->schema, *inner = schema_inner(schema);
    enum said open = schema_open(schema);
    put_true(p, "uniqueItems", schema_is_unique(schema));
    if (schema_has_fields(schema)) put_fields(p);
    if (open != UNSAID && put_key(p, "additionalProperties"))
        buf_puts(p->out, open == SAID_TRUE ? "true" : "false");
    if (inner && put_key(p, schema->kind == TYPE_MAP ? "additionalProperties" : "items"))
        print_schema(p->document, inner, NULL);
    if (schema->kind == TYPE_TUPLE) put_tuple(p);
}

static void put_rest(struct printer *p, const struct constraint *fallback) {
    if (fallback && put_key(p, "default")) buf_text(p->out, fallback->text);
    put_properties(p, P_EXAMPLES, P_EXAMPLES);
    put_true(p, "deprecated", schema_is_deprecated(p->schema));
    if (p->document->style & SCHEMA_META) put_properties(p, P_META, P_META);
}

/* ## References */

static bool goes_by_reference(const struct printed_document *document,
                              const struct schema *schema) {
    const struct definition *d = schema->definition;
    return d && (d->by_reference || (document->style & SCHEMA_DEFS));
}

static void put_reference(struct printer *p) {
    const struct schema_reference reference = {.definition = p->schema->definition};
    if (!put_key(p, "$ref")) return;
    references_note(p->document, reference.definition);
    references_put_pointer(p->out, &reference);
}

/* Its own $defs go where all are: under the root, as far as they are referred to. */
static void put_raw(struct printer *p) {
    if (!p->raw) return;
    for (const struct json *member = p->raw->json->first; member; member = member->next) {
        if (text_is(member->key, "$defs")) continue;
        if (p->comma) buf_putc(p->out, ',');
        p->comma = true;
        references_put_raw_member(p->document, p->raw, member);
    }
}

/* ## Schemas */

/* What is said beside a reference: the base's own keywords stand where it points. */
static struct schema without_base(const struct schema *schema) {
    struct schema own = *schema;
    own.base = NULL;
    return own;
}

/* `nullable` at the place where a named type or a union is used. */
static bool is_null_or(const struct schema *schema) {
    bool is_union = schema->kind == TYPE_ANY_OF || schema->kind == TYPE_ONE_OF;
    if (is_union) return schema_is_nullable(schema) && !is_type_list(schema);
    return schema->definition && schema->nullable == SAID_TRUE;
}

static struct schema without_texts(const struct schema *schema, struct constraint copies[],
                                   size_t most) {
    struct schema bare = *schema;
    size_t count = 0;
    bare.constraints = NULL;
    for (const struct constraint *c = schema->constraints; c && count < most; c = c->next) {
        if (c->property <= P_DESCRIPTION || c->property >= P_EXAMPLES) continue;
        copies[count] = *c;
        copies[count].next = bare.constraints;
        bare.constraints = &copies[count++];
    }
    return bare;
}

/* {"anyOf":[T,{"type":"null"}]}, with what tells about the whole beside it. */
static void print_null_or(struct printed_document *document, const struct schema *schema,
                          const struct constraint *fallback) {
    struct constraint copies[2 * MOST_CONSTRAINTS];
    struct schema inner = without_texts(schema, copies, 2 * MOST_CONSTRAINTS),
                  outer = {.constraints = schema->constraints, .deprecated = schema->deprecated};
    struct printer p = {document, document->out, &outer, NULL, false};
    inner.nullable = SAID_FALSE;
    buf_putc(document->out, '{');
    put_properties(&p, P_TITLE, P_DESCRIPTION);
    put_key(&p, "anyOf");
    buf_putc(document->out, '[');
    print_schema(document, &inner, NULL);
    buf_puts(document->out, ",{\"type\":\"null\"}]");
    put_rest(&p, fallback);
    buf_putc(document->out, '}');
}

/* Recursion is bounded: by the parser's nesting limit, and by what definition.c puts in line. */
static void print_schema(struct printed_document *document, const struct schema *schema,
                         const struct constraint *fallback) {
    struct schema own = without_base(schema);
    bool by_reference = goes_by_reference(document, schema);
    struct printer p = {document, document->out, by_reference ? &own : schema,
                        by_reference ? schema->raw : schema_raw(schema), false};
    if (is_null_or(schema)) {
        print_null_or(document, schema, fallback);
        return;
    }
    buf_putc(document->out, '{');
    if (by_reference) put_reference(&p);
    else put_type(&p);
    put_properties(&p, P_TITLE, P_MAX_ITEMS);
    if (!by_reference) put_inside(&p);
    put_rest(&p, fallback);
    put_raw(&p);
    buf_putc(document->out, '}');
}

/* Behind the last member of the root; printing one definition may call for more of them. */
static void put_definitions(struct printed_document *document) {
    for (size_t i = 0; i < references_count(document); i++) {
        const struct schema_reference reference = references_at(document, i);
        buf_puts(document->out, i ? "," : ",\"$defs\":{");
        references_put_key(document, &reference);
        buf_putc(document->out, ':');
        if (reference.definition) print_schema(document, reference.definition->field.schema, NULL);
        else references_put_raw(document, reference.raw, reference.use->own);
    }
    if (references_count(document)) buf_putc(document->out, '}');
}

/* Prints `{...` without its last brace, then what it refers to, then the brace. */
static void finish(struct printed_document *document) {
    struct buf *out = document->out;
    if (document->references.len && out->state == BUF_FINE) {
        out->len--;
        put_definitions(document);
        buf_putc(out, '}');
    }
    if (document->references.state != BUF_FINE) out->state = document->references.state;
    buf_free(&document->references);
}

void schema_print(struct buf *out, const struct schema *schema, unsigned style) {
    struct printed_document document = {.out = out, .style = style};
    buf_init(&document.references, &out->allocator, SOURCE_MAX);
    print_schema(&document, schema, NULL);
    finish(&document);
}
