/* Makes the simplest instance of a JSON Schema that it can think of: what the schema itself names
 * (default, example, constant, first of an enumeration), else the least of its type. Whether it
 * really fits is for the validator to say. */
#include "runtime/sample.h"

#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "base/number.h"

enum { DEEPEST = 32, INSTANCE_MAX = 1 << 16, LONGEST_TEXT = 1024, MOST_ITEMS = 64 };

struct sample {
    struct buf out;
    const struct json *root;
};

static void put_value(struct sample *sample, const struct json *schema, int depth);

/* Until it is clear what to do, nothing is written: an empty place makes the text no JSON. */
static void put_literal(struct sample *sample, const char *json) {
    buf_puts(&sample->out, json);
}

static int64_t bound_of(const struct json *schema, const char *key, int64_t otherwise) {
    const struct json *value = json_get(schema, key);
    double number;
    if (!json_is(value, JSON_NUMBER) || !number_to_double(&number, value->text)) return otherwise;
    if (number > 1e15 || number < -1e15) return otherwise;
    int64_t whole = (int64_t)number;
    return (double)whole < number ? whole + 1 : whole;
}

/* ## Types */

static void put_number(struct sample *sample, const struct json *schema, int depth) {
    (void)depth;
    int64_t step = bound_of(schema, "multipleOf", 1), value = bound_of(schema, "minimum", 1);
    if (json_get(schema, "exclusiveMinimum")) {
        int64_t above = bound_of(schema, "exclusiveMinimum", 0) + 1;
        if (above > value || !json_get(schema, "minimum")) value = above;
    }
    int64_t highest = bound_of(schema, "maximum", INT64_MAX);
    int64_t below = bound_of(schema, "exclusiveMaximum", INT64_MAX);
    if (below != INT64_MAX && below - 1 < highest) highest = below - 1;
    if (value > highest) value = highest;
    if (step > 1 && value % step) value += step - value % step;
    buf_printf(&sample->out, "%lld", (long long)value);
}

static const struct {
    const char *format, *text;
} formats[] = {
    {"date", "2000-01-01"},
    {"time", "12:00:00Z"},
    {"date-time", "2000-01-01T12:00:00Z"},
    {"duration", "P1D"},
    {"email", "name@example.com"},
    {"uri", "https://example.com/"},
    {"uuid", "00000000-0000-4000-8000-000000000000"},
    {"hostname", "example.com"},
    {"ipv4", "127.0.0.1"},
    {"ipv6", "::1"},
};

static void put_text(struct sample *sample, const struct json *schema, int depth) {
    (void)depth;
    const struct json *format = json_get(schema, "format");
    const char *text = "example";
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (json_is(format, JSON_STRING) && text_is(format->text, formats[i].format))
            text = formats[i].text;
    int64_t len = (int64_t)strlen(text), least = bound_of(schema, "minLength", 0),
            most = bound_of(schema, "maxLength", len);
    if (most < len) len = most < 0 ? 0 : most;
    if (least > LONGEST_TEXT) least = LONGEST_TEXT;
    buf_putc(&sample->out, '"');
    buf_put(&sample->out, text, (size_t)len);
    for (; len < least; len++) buf_putc(&sample->out, 'x');
    buf_putc(&sample->out, '"');
}

static void put_array(struct sample *sample, const struct json *schema, int depth) {
    const struct json *item = json_get(schema, "items");
    const struct json *prefix = json_get(schema, "prefixItems");
    const struct json *next = prefix ? prefix->first : NULL;
    int64_t count = bound_of(schema, "minItems", prefix ? (int64_t)prefix->count : 0);
    buf_putc(&sample->out, '[');
    for (int64_t i = 0; i < count && i < MOST_ITEMS; i++) {
        if (i) buf_putc(&sample->out, ',');
        put_value(sample, next ? next : item, depth + 1);
        if (next) next = next->next;
    }
    buf_putc(&sample->out, ']');
}

static void put_object(struct sample *sample, const struct json *schema, int depth) {
    const struct json *required = json_get(schema, "required");
    const struct json *properties = json_get(schema, "properties");
    bool first = true;
    buf_putc(&sample->out, '{');
    for (const struct json *name = required ? required->first : NULL; name; name = name->next) {
        if (!json_is(name, JSON_STRING)) continue;
        if (!first) buf_putc(&sample->out, ',');
        first = false;
        json_put_string(&sample->out, name->text);
        buf_putc(&sample->out, ':');
        put_value(sample, json_get_text(properties, name->text), depth + 1);
    }
    buf_putc(&sample->out, '}');
}

static void put_null(struct sample *sample, const struct json *schema, int depth) {
    (void)schema;
    (void)depth;
    put_literal(sample, "null");
}

static void put_boolean(struct sample *sample, const struct json *schema, int depth) {
    (void)schema;
    (void)depth;
    put_literal(sample, "true");
}

static const struct {
    const char *type;
    void (*put)(struct sample *sample, const struct json *schema, int depth);
} types[] = {
    {"string", put_text},     {"integer", put_number}, {"number", put_number},
    {"boolean", put_boolean}, {"object", put_object},  {"array", put_array},
    {"null", put_null},
};

static void put_by_type(struct sample *sample, const struct json *schema, int depth) {
    const struct json *type = json_get(schema, "type");
    if (json_is(type, JSON_ARRAY)) type = type->first;
    for (size_t i = 0; json_is(type, JSON_STRING) && i < sizeof(types) / sizeof(types[0]); i++)
        if (text_is(type->text, types[i].type)) {
            types[i].put(sample, schema, depth);
            return;
        }
    if (json_get(schema, "properties")) put_object(sample, schema, depth);
    else put_literal(sample, "\"example\"");
}

/* ## What a schema names itself */

static const struct json *named_value(const struct json *schema) {
    const struct json *examples = json_get(schema, "examples");
    const struct json *list = json_get(schema, "enum");
    const struct json *value = json_get(schema, "const");
    if (!value) value = json_get(schema, "default");
    if (!value && json_is(examples, JSON_ARRAY)) value = examples->first;
    if (!value && json_is(list, JSON_ARRAY)) value = list->first;
    return value;
}

/* The schema that stands for this one: what it refers to, or the first of its alternatives. */
static const struct json *instead(const struct sample *sample, const struct json *schema) {
    const struct json *reference = json_get(schema, "$ref");
    const struct json *any = json_get(schema, "anyOf"), *one = json_get(schema, "oneOf");
    if (json_is(reference, JSON_STRING) && text_starts(reference->text, "#"))
        return json_at(sample->root, text_slice(reference->text, 1, reference->text.len));
    if (json_is(any, JSON_ARRAY)) return any->first;
    return json_is(one, JSON_ARRAY) ? one->first : NULL;
}

static void put_value(struct sample *sample, const struct json *schema, int depth) {
    const struct json *named = named_value(schema), *other = instead(sample, schema);
    if (depth > DEEPEST) return;
    if (named) json_put(&sample->out, named);
    else if (other) put_value(sample, other, depth + 1);
    else put_by_type(sample, schema, depth);
}

/* gramc_schema_accepts would not tell a lack of memory from a refusal. */
static bool is_accepted(struct arena *arena, const gramc_schema *evaluate, gramc_text value) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &arena->allocator;
    gramc_status status = gramc_schema_check(&verdict, evaluate, value.ptr, value.len, &options);
    bool accepted = status == GRAMC_OK && verdict->valid;
    if (status == GRAMC_NOMEM) arena->oom = true;
    gramc_verdict_free(verdict);
    return accepted;
}

static bool make(gramc_text *out, struct arena *arena, const struct json *schema,
                 const gramc_schema *evaluate,
                 void (*put)(struct sample *sample, const struct json *schema, int depth)) {
    struct sample sample = {.root = schema};
    if (!sample.root) return false;
    buf_init(&sample.out, &arena->allocator, INSTANCE_MAX);
    put(&sample, sample.root, 0);
    bool made = buf_status(&sample.out) != GRAMC_LIMIT;
    *out = buf_to_arena_cut(&sample.out, arena);
    return made && out->ptr && is_accepted(arena, evaluate, *out);
}

bool sample_arguments(gramc_text *out, struct arena *arena, const gramc_tool *tool) {
    const struct json *schema = tool->document;
    if (!schema) schema = json_parse(arena, tool->parameters, NULL); /* of a tool made by hand */
    return make(out, arena, schema, tool->accepts, put_object);
}

bool sample_answer(gramc_text *out, struct arena *arena, const gramc_schema *evaluate) {
    return make(out, arena, gramc_schema_document(evaluate), evaluate, put_value);
}
