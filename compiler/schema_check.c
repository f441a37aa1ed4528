/* Asks of a type what no single property can tell: do its bounds leave anything, does its pattern
 * compile, do its default, enum, const and examples fit? The last by the validator itself, over
 * the schema as it will be printed, so that there is one judge only. */
#include "compiler/schema.h"

#include "base/text.h"

#include <string.h>

/* ## Bounds */

static void check_order(struct pass *pass, const struct schema *schema, gramc_text low,
                        gramc_text high, bool equal_is_empty) {
    if (!low.len || !high.len) return;
    int order = json_number_compare(low, high);
    if (order < 0 || (order == 0 && !equal_is_empty)) return;
    FIND(pass->findings, D_IMPOSSIBLE_BOUNDS, pass->source, schema->span, low, high);
}

static void check_bounds(struct pass *pass, const struct schema *schema) {
    check_order(pass, schema, schema->minimum, schema->maximum, false);
    check_order(pass, schema, schema->above, schema->maximum, true);
    check_order(pass, schema, schema->minimum, schema->below, true);
    check_order(pass, schema, schema->above, schema->below, true);
    check_order(pass, schema, schema->min_length, schema->max_length, false);
    check_order(pass, schema, schema->min_items, schema->max_items, false);
    if (schema->multiple_of.len && json_number_compare(schema->multiple_of, TEXT("0")) <= 0)
        FIND(pass->findings, D_IMPOSSIBLE_BOUNDS, pass->source, schema->span, TEXT("multipleOf"),
             schema->multiple_of);
}

/* ## Data against a schema */

/* True without asking the validator: a plain value of an unconstrained base type. */
static bool fits_plainly(const struct schema *s, gramc_text json) {
    if (s->enumeration.len || s->constant.len || s->hatch || s->format.len || s->pattern.len ||
        s->minimum.len || s->maximum.len || s->above.len || s->below.len || s->multiple_of.len ||
        s->min_length.len || s->max_length.len || (s->type && s->type->bounds_hidden))
        return false;
    bool number = json.ptr[0] == '-' || (json.ptr[0] >= '0' && json.ptr[0] <= '9');
    bool whole = number && !memchr(json.ptr, '.', json.len) && !memchr(json.ptr, 'e', json.len) &&
                 !memchr(json.ptr, 'E', json.len);
    switch (s->kind) {
    case TYPE_STRING: return json.ptr[0] == '"';
    case TYPE_INTEGER: return whole;
    case TYPE_NUMBER: return number;
    case TYPE_BOOLEAN: return json.ptr[0] == 't' || json.ptr[0] == 'f';
    case TYPE_ANY: return true;
    case TYPE_NULL:
    case TYPE_OBJECT:
    case TYPE_MAP:
    case TYPE_ARRAY:
    case TYPE_KINDS: return false;
    }
    return false;
}

/* A bad pattern or hatch is reported at its own place; anything else would be our defect, and is
 * reported too rather than hidden. */
static void report_uncompilable(struct pass *pass, const struct schema *schema,
                                const gramc_schema_error *error) {
    bool pattern = schema->pattern.len && strstr(error->pointer, "pattern");
    if (pattern)
        FIND(pass->findings, D_BAD_PATTERN, pass->source, schema->pattern_at,
             text_of(error->message));
    else
        FIND(pass->findings, D_BAD_SCHEMA, pass->source,
             schema->hatch ? schema->hatch_at : schema->span, text_of(error->message),
             text_of(error->pointer));
}

/* The schema as a program; NULL after a report, or without memory. */
static gramc_schema *compile(struct pass *pass, const struct schema *schema) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema_error error = {0};
    gramc_schema *program = NULL;
    struct buf text;
    options.allocator = &pass->arena->allocator;
    options.assert_formats = true;
    buf_init(&text, options.allocator, SOURCE_MAX);
    schema_print(&text, schema, (gramc_text){NULL, 0}, SCHEMA_CHECKED);
    gramc_status status = buf_status(&text);
    if (status == GRAMC_OK)
        status = gramc_schema_compile(&program, text.ptr, text.len, &options, &error);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    else if (status != GRAMC_OK) report_uncompilable(pass, schema, &error);
    buf_free(&text);
    return status == GRAMC_OK ? program : NULL;
}

static void judge(struct pass *pass, const gramc_schema *program, gramc_text json, struct span at,
                  enum diag_id id) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &pass->arena->allocator;
    gramc_status status = gramc_schema_check(&verdict, program, json.ptr, json.len, &options);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    if (status == GRAMC_OK && !verdict->valid) {
        gramc_text why =
            verdict->error_count ? verdict->errors[0].message : TEXT("it is not valid");
        FIND(pass->findings, id, pass->source, at, json, why);
    }
    gramc_verdict_free(verdict);
}

/* Each member of a list against the schema without the list itself. */
static void judge_list(struct pass *pass, const struct schema *schema, gramc_text list,
                       struct span at, enum diag_id id) {
    struct json *items = list.len ? json_parse(pass->arena, list, NULL) : NULL;
    gramc_schema *program = items ? compile(pass, schema) : NULL;
    if (!program) return;
    for (const struct json *item = items->first; item; item = item->next)
        judge(pass, program, text_slice(list, item->start, item->end), at, id);
    gramc_schema_free(program);
}

static void check_data(struct pass *pass, const struct schema *schema) {
    struct schema bare = *schema;
    bare.enumeration = bare.constant = (gramc_text){NULL, 0};
    judge_list(pass, &bare, schema->enumeration, schema->enumeration_at, D_ENUM_MISMATCH);
    judge_list(pass, schema, schema->examples, schema->examples_at, D_EXAMPLE_MISMATCH);
    bool alone = !schema->enumeration.len && !schema->examples.len;
    gramc_schema *program = NULL;
    if (schema->constant.len || (alone && (schema->pattern.len || schema->hatch)))
        program = compile(pass, &bare);
    if (program && schema->constant.len)
        judge(pass, program, schema->constant, schema->constant_at, D_CONST_MISMATCH);
    gramc_schema_free(program);
}

static void check_default(struct pass *pass, const struct field *field) {
    gramc_text json = field->default_json;
    if (!json.len || text_is(json, "null") || fits_plainly(field->schema, json)) return;
    gramc_schema *program = compile(pass, field->schema);
    if (program) judge(pass, program, json, field->default_at, D_DEFAULT_MISMATCH);
    gramc_schema_free(program);
}

static void note_replaced(struct pass *pass, const struct schema *schema) {
    if (schema->hatch && json_get(schema->hatch, "type") && schema->kind != TYPE_ANY)
        FIND(pass->findings, D_HATCH_REPLACES, pass->source, schema->hatch_at, TEXT("type"));
}

/* Recursion is bounded by the parser's nesting limit. */
void schema_check(struct pass *pass, const struct schema *schema, const struct field *field) {
    uint32_t before = pass->findings->counts[GRAMC_ERROR];
    if (!schema || pass->arena->oom) return;
    check_bounds(pass, schema);
    note_replaced(pass, schema);
    if (schema->items) schema_check(pass, schema->items, NULL);
    if (schema->values) schema_check(pass, schema->values, NULL);
    for (const struct field *inner = schema->fields; inner; inner = inner->next)
        schema_check(pass, inner->schema, inner);
    /* What is wrong inside would be found a second time from here. */
    if (pass->findings->counts[GRAMC_ERROR] > before) return;
    check_data(pass, schema);
    if (field && pass->findings->counts[GRAMC_ERROR] == before) check_default(pass, field);
}
