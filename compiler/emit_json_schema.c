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

/* Begins a member; false if the hatch has its own. */
static bool put_key(struct printer *p, const char *key) {
    if (p->schema->hatch && json_get(p->schema->hatch->json, key)) return false;
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

static void put_type(struct printer *p) {
    const char *name = type_json_name((enum type_kind)p->schema->kind);
    if (!name || !put_key(p, "type")) return;
    bool or_null = p->schema->nullable && p->schema->kind != TYPE_NULL;
    buf_puts(p->out, or_null ? "[\"" : "\"");
    buf_puts(p->out, name);
    buf_puts(p->out, or_null ? "\",\"null\"]" : "\"");
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
static void put_enum(struct printer *p, gramc_text list) {
    bool add = p->schema->nullable && !has_null(list);
    if (!put_key(p, "enum")) return;
    buf_put(p->out, list.ptr, list.len - 1);
    buf_puts(p->out, !add ? "]" : list.len > 2 ? ",null]" : "null]");
}

static void put_const(struct printer *p, gramc_text json) {
    bool as_enum = p->schema->nullable;
    if (as_enum && schema_find(p->schema, KEYWORD_ENUM)) return;
    if (!put_key(p, as_enum ? "enum" : "const")) return;
    buf_puts(p->out, as_enum ? "[" : "");
    buf_text(p->out, json);
    buf_puts(p->out, as_enum ? ",null]" : "");
}

/* Names on the wire, and whether the value is a text or JSON already. */
static const struct {
    const char *name;
    bool is_text;
} keywords[KEYWORDS] = {
    [KEYWORD_TITLE] = {"title", true},
    [KEYWORD_DESCRIPTION] = {"description", true},
    [KEYWORD_FORMAT] = {"format", true},
    [KEYWORD_ENUM] = {"enum", false},
    [KEYWORD_CONST] = {"const", false},
    [KEYWORD_MINIMUM] = {"minimum", false},
    [KEYWORD_MAXIMUM] = {"maximum", false},
    [KEYWORD_EXCLUSIVE_MINIMUM] = {"exclusiveMinimum", false},
    [KEYWORD_EXCLUSIVE_MAXIMUM] = {"exclusiveMaximum", false},
    [KEYWORD_MULTIPLE_OF] = {"multipleOf", false},
    [KEYWORD_MIN_LENGTH] = {"minLength", false},
    [KEYWORD_MAX_LENGTH] = {"maxLength", false},
    [KEYWORD_PATTERN] = {"pattern", true},
    [KEYWORD_MIN_ITEMS] = {"minItems", false},
    [KEYWORD_MAX_ITEMS] = {"maxItems", false},
    [KEYWORD_EXAMPLES] = {"examples", false},
};

static void put_keyword(struct printer *p, enum keyword keyword, gramc_text text) {
    if (keyword == KEYWORD_ENUM) put_enum(p, text);
    else if (keyword == KEYWORD_CONST) put_const(p, text);
    else if (!put_key(p, keywords[keyword].name)) return;
    else if (keywords[keyword].is_text) json_put_string(p->out, text);
    else buf_text(p->out, text);
}

/* Of the bounds that are checked and not printed. */
static gramc_text hidden_bound(const struct printer *p, enum keyword keyword) {
    const struct type_row *type = p->schema->type;
    bool hidden = p->style == SCHEMA_CHECKED && type && type->bounds_hidden;
    if (hidden && keyword == KEYWORD_MINIMUM) return text_of(type->min);
    if (hidden && keyword == KEYWORD_MAXIMUM) return text_of(type->max);
    return (gramc_text){NULL, 0};
}

static void put_keywords(struct printer *p, enum keyword first, enum keyword last) {
    if (!p->schema->constraints && !(p->schema->type && p->schema->type->bounds_hidden)) return;
    for (unsigned k = first; k <= last; k++) {
        gramc_text text = schema_get(p->schema, (enum keyword)k);
        if (!text.ptr) text = hidden_bound(p, (enum keyword)k);
        if (text.ptr) put_keyword(p, (enum keyword)k, text);
    }
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

/* Recursion is bounded by the nesting limit of the parser. */
static void put_fields(struct printer *p, const struct field *fields) {
    if (put_key(p, "properties")) {
        buf_putc(p->out, '{');
        for (const struct field *field = fields; field; field = field->next) {
            if (field != fields) buf_putc(p->out, ',');
            json_put_string(p->out, field->name);
            buf_putc(p->out, ':');
            schema_print(p->out, field->schema, field->fallback, p->style);
        }
        buf_putc(p->out, '}');
    }
    put_required(p, fields);
}

static void put_inside(struct printer *p) {
    const struct schema *schema = p->schema;
    const char *inner = schema->kind == TYPE_MAP ? "additionalProperties" : "items";
    put_true(p, "uniqueItems", schema->unique);
    if (schema->has_fields) put_fields(p, schema->fields);
    if (schema->open != OPEN_UNSAID && put_key(p, "additionalProperties"))
        buf_puts(p->out, schema->open == OPEN_YES ? "true" : "false");
    if (schema->inner && put_key(p, inner)) schema_print(p->out, schema->inner, NULL, p->style);
}

static void put_hatch(struct printer *p) {
    if (!p->schema->hatch) return;
    for (const struct json *member = p->schema->hatch->json->first; member; member = member->next) {
        if (p->comma) buf_putc(p->out, ',');
        p->comma = true;
        json_put_string(p->out, member->key);
        buf_putc(p->out, ':');
        json_put(p->out, member);
    }
}

void schema_print(struct buf *out, const struct schema *schema, const struct constraint *fallback,
                  enum schema_style style) {
    struct printer p = {out, schema, style, false};
    buf_putc(out, '{');
    put_type(&p);
    put_keywords(&p, KEYWORD_TITLE, KEYWORD_MAX_ITEMS);
    put_inside(&p);
    if (fallback && put_key(&p, "default")) buf_text(out, fallback->text);
    put_keywords(&p, KEYWORD_EXAMPLES, KEYWORD_EXAMPLES);
    put_true(&p, "deprecated", schema->deprecated);
    put_hatch(&p);
    buf_putc(out, '}');
}

void schema_print_object(struct buf *out, const struct field *fields, enum schema_style style) {
    struct schema object = {.kind = TYPE_OBJECT, .has_fields = true};
    struct printer p = {out, &object, style, false};
    buf_putc(out, '{');
    put_type(&p);
    put_fields(&p, fields);
    buf_putc(out, '}');
}
