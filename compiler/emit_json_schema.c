/* Prints the schema IR as JSON Schema 2020-12, compact and always in the same order. Every other
 * target that takes JSON Schema builds on these two functions. Keywords of an escape hatch
 * (`schema: json`{...}``) stand instead of ours. */
#include "compiler/schema.h"

#include "base/text.h"

struct printer {
    struct buf *out;
    const struct schema *schema;
    enum schema_style style;
    bool comma;
};

static void print_schema(struct buf *out, const struct schema *schema, gramc_text default_json,
                         enum schema_style style);

/* Begins a member; false if the hatch has its own. */
static bool put_key(struct printer *p, const char *key) {
    if (p->schema->hatch && json_get(p->schema->hatch, key)) return false;
    if (p->comma) buf_putc(p->out, ',');
    p->comma = true;
    json_put_string(p->out, text_of(key));
    buf_putc(p->out, ':');
    return true;
}

static void put_string(struct printer *p, const char *key, gramc_text text) {
    if (text.len && put_key(p, key)) json_put_string(p->out, text);
}

static void put_raw(struct printer *p, const char *key, gramc_text json) {
    if (json.len && put_key(p, key)) buf_text(p->out, json);
}

static void put_true(struct printer *p, const char *key, bool said) {
    if (said && put_key(p, key)) buf_puts(p->out, "true");
}

static void put_type(struct printer *p) {
    const char *name = type_json_name(p->schema->kind);
    if (!name || !put_key(p, "type")) return;
    bool or_null = p->schema->nullable && p->schema->kind != TYPE_NULL;
    buf_printf(p->out, or_null ? "[\"%s\",\"null\"]" : "\"%s\"", name);
}

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
static void put_choices(struct printer *p) {
    const struct schema *schema = p->schema;
    gramc_text list = schema->enumeration;
    if (list.len && put_key(p, "enum")) {
        bool add = schema->nullable && !has_null(list);
        buf_put(p->out, list.ptr, list.len - 1);
        buf_puts(p->out, !add ? "]" : list.len > 2 ? ",null]" : "null]");
    }
    if (!schema->constant.len) return;
    if (!schema->nullable) put_raw(p, "const", schema->constant);
    else if (!list.len && put_key(p, "enum"))
        buf_printf(p->out, "[%.*s,null]", TEXT_ARGS(schema->constant));
}

static void put_bounds(struct printer *p) {
    const struct schema *schema = p->schema;
    const struct type_row *type = schema->type;
    bool hidden = p->style == SCHEMA_CHECKED && type && type->bounds_hidden;
    gramc_text minimum = schema->minimum, maximum = schema->maximum;
    if (hidden && !minimum.len) minimum = text_of(type->min);
    if (hidden && !maximum.len) maximum = text_of(type->max);
    put_raw(p, "minimum", minimum);
    put_raw(p, "maximum", maximum);
    put_raw(p, "exclusiveMinimum", schema->above);
    put_raw(p, "exclusiveMaximum", schema->below);
    put_raw(p, "multipleOf", schema->multiple_of);
    put_raw(p, "minLength", schema->min_length);
    put_raw(p, "maxLength", schema->max_length);
    put_string(p, "pattern", schema->pattern);
    put_raw(p, "minItems", schema->min_items);
    put_raw(p, "maxItems", schema->max_items);
    put_true(p, "uniqueItems", schema->unique);
}

static void put_required(struct printer *p, const struct field *fields) {
    bool any = false;
    for (const struct field *field = fields; field; field = field->next) {
        if (field->optional) continue;
        if (!any && !put_key(p, "required")) return;
        buf_putc(p->out, any ? ',' : '[');
        json_put_string(p->out, field->name);
        any = true;
    }
    if (any) buf_putc(p->out, ']');
}

static void put_fields(struct printer *p, const struct field *fields) {
    if (put_key(p, "properties")) {
        buf_putc(p->out, '{');
        for (const struct field *field = fields; field; field = field->next) {
            if (field != fields) buf_putc(p->out, ',');
            json_put_string(p->out, field->name);
            buf_putc(p->out, ':');
            print_schema(p->out, field->schema, field->default_json, p->style);
        }
        buf_putc(p->out, '}');
    }
    put_required(p, fields);
}

static void put_inside(struct printer *p) {
    const struct schema *schema = p->schema;
    gramc_text none = {NULL, 0};
    if (schema->has_fields) put_fields(p, schema->fields);
    if (schema->open != OPEN_UNSAID && put_key(p, "additionalProperties"))
        buf_puts(p->out, schema->open == OPEN_YES ? "true" : "false");
    if (schema->items && put_key(p, "items")) print_schema(p->out, schema->items, none, p->style);
    if (schema->values && put_key(p, "additionalProperties"))
        print_schema(p->out, schema->values, none, p->style);
}

static void put_hatch(struct printer *p) {
    if (!p->schema->hatch) return;
    for (const struct json *member = p->schema->hatch->first; member; member = member->next) {
        if (p->comma) buf_putc(p->out, ',');
        p->comma = true;
        json_put_string(p->out, member->key);
        buf_putc(p->out, ':');
        json_put(p->out, member);
    }
}

static void print_schema(struct buf *out, const struct schema *schema, gramc_text default_json,
                         enum schema_style style) {
    struct printer p = {out, schema, style, false};
    buf_putc(out, '{');
    put_type(&p);
    put_string(&p, "title", schema->title);
    put_string(&p, "description", schema->description);
    put_string(&p, "format", schema->format);
    put_choices(&p);
    put_bounds(&p);
    put_inside(&p);
    put_raw(&p, "default", default_json);
    put_raw(&p, "examples", schema->examples);
    put_true(&p, "deprecated", schema->deprecated);
    put_hatch(&p);
    buf_putc(out, '}');
}

void schema_print(struct buf *out, const struct schema *schema, gramc_text default_json,
                  enum schema_style style) {
    print_schema(out, schema, default_json, style);
}

void schema_print_object(struct buf *out, const struct field *fields, enum schema_style style) {
    struct schema object = {.kind = TYPE_OBJECT, .has_fields = true};
    struct printer p = {out, &object, style, false};
    buf_putc(out, '{');
    put_type(&p);
    put_fields(&p, fields);
    buf_putc(out, '}');
}
