/* Steps of lowering that look at one schema: references, unions, tuples, nulls, enums, formats,
 * missing types. Objects and their properties are lower_objects.c's. */
#include "compiler/emit/lower_rules.h"

#include "base/text.h"
#include "jsonschema/keywords.h"
#include "jsonschema/types.h"

static struct json *new_text(struct lower_node *node, gramc_text text) {
    return json_new_text(node->lowering->arena, JSON_STRING, text);
}

static void set_member(struct lower_node *node, const char *key, struct json *value) {
    json_set(node->json, text_of(key), value);
}

/* Gives a member another name; it goes to the end. */
static void rename_member(struct lower_node *node, const char *from, const char *to) {
    struct json *value = json_copy_shallow(node->lowering->arena, json_find(node->json, from));
    json_remove(node->json, from);
    set_member(node, to, value);
}

/* ## Types */

static bool is_text_equal(const struct json *value, const char *text) {
    return json_is(value, JSON_STRING) && text_is(value->text, text);
}

bool type_includes(const struct json *schema, const char *type) {
    const struct json *said = json_get(schema, "type");
    if (!json_is(said, JSON_ARRAY)) return is_text_equal(said, type);
    for (const struct json *v = said->first; v; v = v->next)
        if (is_text_equal(v, type)) return true;
    return false;
}

void schema_set_type(struct arena *arena, struct json *schema, const char *type) {
    json_set(schema, TEXT("type"), json_new_text(arena, JSON_STRING, text_of(type)));
}

static struct json *schema_of_type(struct arena *arena, const char *type) {
    struct json *schema = json_new(arena, JSON_OBJECT);
    schema_set_type(arena, schema, type);
    return schema;
}

static bool is_null_type(const struct json *schema) {
    return is_text_equal(json_get(schema, "type"), "null");
}

static bool holds_null(const struct json *list) {
    for (const struct json *v = list->first; v; v = v->next)
        if (v->kind == JSON_NULL || is_null_type(v)) return true;
    return false;
}

static void allow_null_type(struct arena *arena, struct json *schema, const struct json *type) {
    struct json *list =
        json_is(type, JSON_ARRAY) ? json_copy_shallow(arena, type) : json_new(arena, JSON_ARRAY);
    if (json_is(type, JSON_STRING))
        json_append(list, json_new_text(arena, JSON_STRING, type->text));
    json_append(list, json_new_text(arena, JSON_STRING, TEXT("null")));
    json_set(schema, TEXT("type"), list);
}

static void allow_null_value(struct arena *arena, struct json *schema) {
    const struct json *constant = json_get(schema, "const"), *said = json_get(schema, "enum");
    struct json *list =
        json_is(said, JSON_ARRAY) ? json_copy_shallow(arena, said) : json_new(arena, JSON_ARRAY);
    if (!list || (!constant && !said) || (!constant && holds_null(said))) return;
    if (constant && !said) json_append(list, json_copy_shallow(arena, constant));
    json_append(list, json_new(arena, JSON_NULL));
    json_remove(schema, "const");
    json_set(schema, TEXT("enum"), list);
}

/* {"$ref": ...} becomes {"anyOf": [{"$ref": ...}, null]}. */
static void allow_null_reference(struct arena *arena, struct json *schema) {
    struct json *list = json_new(arena, JSON_ARRAY), *inner = json_new(arena, JSON_OBJECT);
    json_set(inner, TEXT("$ref"), json_copy_shallow(arena, json_get(schema, "$ref")));
    json_append(list, inner);
    json_append(list, schema_of_type(arena, "null"));
    json_remove(schema, "$ref");
    json_set(schema, TEXT("anyOf"), list);
}

void schema_allow_null(struct arena *arena, struct json *schema) {
    struct json *any = json_find(schema, "anyOf");
    const struct json *type = json_get(schema, "type");
    if (json_get(schema, "$ref")) allow_null_reference(arena, schema);
    else if (any && !holds_null(any)) json_append(any, schema_of_type(arena, "null"));
    if (type && !type_includes(schema, "null")) allow_null_type(arena, schema, type);
    allow_null_value(arena, schema);
}

/* A list of one type is that type. */
void step_single_type(struct lower_node *node) {
    const struct json *type = json_get(node->json, "type");
    if (!json_is(type, JSON_ARRAY) || type->count != 1) return;
    set_member(node, "type", new_text(node, type->first->text));
}

/* What a schema says that says no type. */
void step_missing_type(struct lower_node *node) {
    /* For Gemini the others end up as words: a type or a choice has to be there. */
    static const char *const combiners[] = {"type", "anyOf", "allOf", "$ref", "enum", "const"};
    static const char *const types[] = {"string", "number", "boolean", "null", "object", "array"};
    struct lowering *l = node->lowering;
    size_t count = l->dialect == DIALECT_GEMINI ? 2 : sizeof combiners / sizeof *combiners;
    for (size_t i = 0; i < count; i++)
        if (json_get(node->json, combiners[i])) return;
    bool object = json_get(node->json, "properties"), array = json_get(node->json, "items");
    if (object || array) {
        schema_set_type(l->arena, node->json, object ? "object" : "array");
        return;
    }
    if (l->dialect == DIALECT_STRICT) {
        node_refuse(node);
        return;
    }
    struct json *list = json_new(l->arena, JSON_ARRAY);
    bool gemini = l->dialect == DIALECT_GEMINI;
    for (size_t i = 0; i < sizeof types / sizeof *types - (gemini ? 3 : 0); i++)
        json_append(list, gemini ? schema_of_type(l->arena, types[i])
                                 : new_text(node, text_of(types[i])));
    if (gemini) json_append(list, schema_of_type(l->arena, "object"));
    if (gemini) set_member(node, "nullable", json_new(l->arena, JSON_TRUE));
    set_member(node, gemini ? "anyOf" : "type", list);
    node_rewritten(node, gemini ? "any value is a choice of the types but arrays"
                                : "any value is a list of all types");
}

static bool is_about_its_types(const struct json *schema, enum keyword keyword) {
    for (enum json_type type = 0; type < JSON_TYPES; type++)
        if (keyword_row(keyword)->about & 1U << type && type_includes(schema, json_type_name(type)))
            return true;
    return false;
}

/* What a raw schema says about other types than the one that it names. */
void step_out_of_place(struct lower_node *node) {
    static const enum keyword keywords[] = {K_PROPERTIES, K_REQUIRED,  K_ADDITIONAL_PROPERTIES,
                                            K_ITEMS,      K_MIN_ITEMS, K_MAX_ITEMS,
                                            K_FORMAT,     K_PATTERN};
    /* Anthropic's helper looks for these only where `type` is one name. */
    bool blind = node->lowering->dialect == DIALECT_ANTHROPIC &&
                 json_is(json_get(node->json, "type"), JSON_ARRAY);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (blind || !is_about_its_types(node->json, keywords[i]))
            node_describe(node, keyword_row(keywords[i])->name.ptr);
}

/* Anthropic's any value is a list of all types, which needs none. */
void step_missing_items(struct lower_node *node) {
    bool several = json_is(json_get(node->json, "type"), JSON_ARRAY);
    if (several && node->lowering->dialect == DIALECT_ANTHROPIC) return;
    if (!type_includes(node->json, "array") || json_get(node->json, "items")) return;
    set_member(node, "items", json_new(node->lowering->arena, JSON_OBJECT));
}

/* ## References */

static const struct json *find_target(const struct lower_node *node, const struct json *reference) {
    if (!json_is(reference, JSON_STRING) || !text_starts(reference->text, "#")) return NULL;
    gramc_text pointer = text_slice(reference->text, 1, reference->text.len);
    return json_at(node->lowering->document, pointer);
}

static bool is_inside(const struct lower_place *place, const struct json *definition) {
    for (; place; place = place->outer)
        if (place->referred == definition) return true;
    return false;
}

/* The definition's members behind those that stand beside the reference. */
static void put_in_line(struct lower_node *node, const struct json *definition) {
    for (const struct json *m = definition->first; m; m = m->next) {
        if (json_find(node->json, "$ref") && text_is(m->key, "$ref")) continue;
        if (json_get_text(node->json, m->key)) continue;
        json_set(node->json, m->key, json_copy_shallow(node->lowering->arena, m));
    }
}

/* Without references a recursive type can only be told for a while: the second time it is an object
 * of which only the type is said. */
void step_inline_reference(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *reference;
    for (int chain = 0; chain < 100 && (reference = json_find(node->json, "$ref")); chain++) {
        const struct json *definition = find_target(node, reference);
        json_remove(node->json, "$ref");
        if (!json_is(definition, JSON_OBJECT)) return;
        if (is_inside(node->place, definition)) {
            const struct json *type = json_get(definition, "type");
            if (type) set_member(node, "type", json_copy_shallow(l->arena, type));
            if (!json_get(node->json, "description"))
                set_member(node, "description", new_text(node, TEXT("The same again")));
            node_report(node, D_CUT, l->report->target, (gramc_text){NULL, 0});
            return;
        }
        node->place->referred = definition;
        put_in_line(node, definition);
    }
}

/* A reference stands alone; what is said beside it stands beside a union of one. */
void step_wrap_reference(struct lower_node *node) {
    struct lowering *l = node->lowering;
    if (!json_get(node->json, "$ref") || node->json->count == 1) return;
    struct json *list = json_new(l->arena, JSON_ARRAY), *inner = json_new(l->arena, JSON_OBJECT);
    json_set(inner, TEXT("$ref"), json_copy_shallow(l->arena, json_get(node->json, "$ref")));
    json_append(list, inner);
    json_remove(node->json, "$ref");
    set_member(node, "anyOf", list);
}

/* ## Unions, tuples, constants */

/* Strict mode has fields, or a choice, not both. */
void step_choice_or_fields(struct lower_node *node) {
    if (json_get(node->json, "anyOf") && json_get(node->json, "properties")) node_refuse(node);
}

/* {"const": "red", "description": "stop"} */
static bool is_choice(const struct json *schema) {
    const struct json *constant = json_get(schema, "const");
    const struct json *said = json_get(schema, "description");
    if (!constant || (said && said->kind != JSON_STRING)) return false;
    return schema->count == (said ? 2 : 1);
}

/* An enum, and what its members mean in the description. */
void step_described_enum(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *list = json_get(node->json, "oneOf");
    struct json *members = json_is(list, JSON_ARRAY) ? json_new(l->arena, JSON_ARRAY) : NULL;
    const struct json *choice = members ? list->first : NULL;
    if (!choice || json_get(node->json, "enum")) return;
    while (choice && is_choice(choice)) choice = choice->next;
    if (choice) return;
    for (choice = list->first; choice; choice = choice->next) {
        const struct json *said = json_get(choice, "description");
        json_append(members, json_copy_shallow(l->arena, json_get(choice, "const")));
        if (!said) continue;
        if (node->words.len) buf_putc(&node->words, ' ');
        json_put(&node->words, json_get(choice, "const"));
        buf_puts(&node->words, ": ");
        buf_text(&node->words, said->text);
        bool ended = said->text.len && said->text.ptr[said->text.len - 1] == '.';
        if (!ended) buf_putc(&node->words, '.');
    }
    json_remove(node->json, "oneOf");
    set_member(node, "enum", members);
    buf_puts(&node->keywords, node->keywords.len ? ", `oneOf`" : "`oneOf`");
}

void step_one_of(struct lower_node *node) {
    if (!json_get(node->json, "oneOf") || json_get(node->json, "anyOf")) return;
    rename_member(node, "oneOf", "anyOf");
    node_rewritten(node, "`oneOf` becomes `anyOf`");
}

static bool is_in(const struct json *list, const struct json *value) {
    for (const struct json *v = list->first; v; v = v->next)
        if (json_equal(v, value)) return true;
    return false;
}

/* The items of a tuple are told in order in the description; each may be any of them, or of the
 * rest. */
void step_tuple(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *tuple = json_get(node->json, "prefixItems");
    const struct json *rest = json_get(node->json, "items");
    if (!json_is(tuple, JSON_ARRAY)) return;
    struct json *list = json_new(l->arena, JSON_ARRAY), *items = json_new(l->arena, JSON_OBJECT);
    for (const struct json *v = tuple->first; v && list; v = v->next)
        if (list->count < 100 && !is_in(list, v)) json_append(list, json_copy_shallow(l->arena, v));
    if (json_is(rest, JSON_OBJECT) && !is_in(list, rest))
        json_append(list, json_copy_shallow(l->arena, rest));
    if (list && list->count == 1) items = json_copy_shallow(l->arena, list->first);
    else json_set(items, TEXT("anyOf"), list);
    set_member(node, "items", items);
    node_rewritten(node, "a tuple becomes a list");
}

void step_const(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *constant = json_get(node->json, "const");
    if (!constant || json_get(node->json, "enum")) return;
    struct json *list = json_new(l->arena, JSON_ARRAY);
    json_append(list, json_copy_shallow(l->arena, constant));
    json_remove(node->json, "const");
    set_member(node, "enum", list);
    node_rewritten(node, "`const` becomes an `enum` of one");
}

/* ## Nulls */

static struct json *without_nulls(struct arena *arena, const struct json *list) {
    struct json *out = json_new(arena, JSON_ARRAY);
    struct json **tail = out ? &out->first : NULL;
    for (const struct json *v = list->first; v && tail; v = v->next) {
        struct json *copy = NULL;
        if (v->kind == JSON_NULL || is_null_type(v) || is_text_equal(v, "null")) continue;
        if ((copy = json_copy_shallow(arena, v)) == NULL) break;
        *tail = copy;
        tail = &copy->next;
        out->count++;
    }
    return out;
}

static struct json *schemas_of_types(struct lower_node *node, const struct json *types) {
    struct json *list = json_new(node->lowering->arena, JSON_ARRAY);
    for (const struct json *t = types->first; t; t = t->next) {
        struct json *schema = json_new(node->lowering->arena, JSON_OBJECT);
        json_set(schema, TEXT("type"), new_text(node, t->text));
        json_append(list, schema);
    }
    return list;
}

static void flag_null_type(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *type = json_get(node->json, "type");
    if (!json_is(type, JSON_ARRAY)) return;
    bool null = type_includes(node->json, "null");
    struct json *rest = without_nulls(l->arena, type);
    if (!rest) return;
    if (null && rest->count) set_member(node, "nullable", json_new(l->arena, JSON_TRUE));
    json_remove(node->json, "type");
    if (rest->count == 0) schema_set_type(l->arena, node->json, "null");
    else if (rest->count == 1) set_member(node, "type", new_text(node, rest->first->text));
    else if (!json_get(node->json, "anyOf"))
        set_member(node, "anyOf", schemas_of_types(node, rest));
    if (rest->count > 1) node_rewritten(node, "several types become `anyOf`");
}

static void flag_null_member(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *any = json_get(node->json, "anyOf");
    if (!json_is(any, JSON_ARRAY) || !holds_null(any)) return;
    struct json *rest = without_nulls(l->arena, any);
    if (!rest || !rest->count) return;
    set_member(node, "nullable", json_new(l->arena, JSON_TRUE));
    if (rest->count > 1 || !json_is(rest->first, JSON_OBJECT)) {
        set_member(node, "anyOf", rest);
        return;
    }
    json_remove(node->json, "anyOf");
    put_in_line(node, rest->first);
    step_inline_reference(node);
}

/* Gemini has one type a schema, and `nullable` beside it. */
void step_null_flag(struct lower_node *node) {
    flag_null_member(node);
    flag_null_type(node);
}

/* Anthropic's helper looks into objects and lists only where `type` is one name. */
void step_split_null(struct lower_node *node) {
    static const char *const about_all[] = {"title", "description", "default", "examples",
                                            "deprecated"};
    struct lowering *l = node->lowering;
    const struct json *types = json_get(node->json, "type");
    struct json *whole = json_new(l->arena, JSON_OBJECT), *list = json_new(l->arena, JSON_ARRAY);
    bool inside = json_get(node->json, "properties") || json_get(node->json, "items") ||
                  json_get(node->json, "format") || json_get(node->json, "additionalProperties");
    if (!json_is(types, JSON_ARRAY) || !inside || json_get(node->json, "anyOf")) return;
    struct json *part = json_copy_shallow(l->arena, node->json);
    for (size_t i = 0; i < sizeof about_all / sizeof *about_all; i++) {
        struct json *said = json_copy_shallow(l->arena, json_get(node->json, about_all[i]));
        json_set(whole, text_of(about_all[i]), said);
        json_remove(part, about_all[i]);
    }
    for (const struct json *t = types->first; t; t = t->next) {
        bool null = is_text_equal(t, "null");
        struct json *one =
            null ? json_new(l->arena, JSON_OBJECT) : json_copy_shallow(l->arena, part);
        json_set(one, TEXT("type"), new_text(node, t->text));
        json_append(list, one);
    }
    json_set(whole, TEXT("anyOf"), list);
    if (whole) node->json = whole;
}

/* ## Enums and formats */

/* Gemini's enum holds strings, beside no other type; other values are described. */
void step_text_enum(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *said = json_get(node->json, "enum"), *type = json_get(node->json, "type");
    if (!json_is(said, JSON_ARRAY)) return;
    if ((type && !type_includes(node->json, "string")) || json_get(node->json, "anyOf")) {
        node_describe(node, "enum");
        return;
    }
    struct json *rest = without_nulls(l->arena, said);
    if (holds_null(said)) set_member(node, "nullable", json_new(l->arena, JSON_TRUE));
    for (const struct json *v = rest ? rest->first : NULL; v; v = v->next) {
        if (v->kind == JSON_STRING && v->text.len && !is_text_equal(v, "null")) continue;
        node_describe(node, "enum");
        return;
    }
    if (rest && !rest->count) node_describe(node, "enum");
    if (!rest || !rest->count) return;
    node_describe(node, "format");
    if (!json_get(node->json, "type")) schema_set_type(l->arena, node->json, "string");
    set_member(node, "enum", rest);
    set_member(node, "format", new_text(node, TEXT("enum")));
}

/* Gemini takes a type, or a choice of schemas that have theirs; of fields and items there is none.
 */
void step_choice_alone(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *any = json_get(node->json, "anyOf"), *type = json_get(node->json, "type");
    if (!json_is(any, JSON_ARRAY)) return;
    if (json_get(node->json, "properties") || json_get(node->json, "items")) {
        node_describe(node, "anyOf");
        return;
    }
    if (!type) return;
    struct json *list = json_new(l->arena, JSON_ARRAY);
    for (const struct json *v = any->first; v; v = v->next) {
        struct json *choice = json_copy_shallow(l->arena, v);
        bool typed = json_get(v, "type") || json_get(v, "anyOf") || json_get(v, "$ref");
        if (v->kind == JSON_OBJECT && !typed)
            json_set(choice, TEXT("type"), json_copy_shallow(l->arena, type));
        json_append(list, choice);
    }
    json_remove(node->json, "type");
    set_member(node, "anyOf", list);
}

void step_no_properties(struct lower_node *node) {
    const struct json *properties = json_get(node->json, "properties");
    if (node->place->depth && json_is(properties, JSON_OBJECT) && !properties->first)
        json_remove(node->json, "properties");
}

void step_format(struct lower_node *node) {
    static const char *const formats[DIALECTS] = {
        [DIALECT_STRICT] = " date-time time date duration email hostname ipv4 ipv6 uuid ",
        [DIALECT_ANTHROPIC] = " date-time time date duration email hostname uri ipv4 ipv6 uuid ",
        [DIALECT_GEMINI] = " int32 int64 float double email byte date date-time password enum ",
    };
    const struct json *format = json_get(node->json, "format");
    const char *known = formats[node->lowering->dialect];
    if (!json_is(format, JSON_STRING) || !known) return;
    for (const char *at = known; at[1]; at++) {
        size_t len = 0;
        while (at[1 + len] && at[1 + len] != ' ') len++;
        if (at[0] == ' ' && text_eq(format->text, (gramc_text){at + 1, len})) return;
    }
    node_describe(node, "format");
}

static bool is_plain_value(const struct json *value) {
    return value->kind != JSON_ARRAY && value->kind != JSON_OBJECT;
}

static bool are_plain_values(const struct json *list) {
    if (!json_is(list, JSON_ARRAY) || !list->first) return false;
    for (const struct json *v = list->first; v; v = v->next)
        if (!is_plain_value(v)) return false;
    return true;
}

/* Anthropic's helper takes one of type, literals, anyOf, allOf; the others are described or, where
 * the literals say them already, left out. */
void step_one_combiner(struct lower_node *node) {
    static const char *const about_types[] = {"format", "properties", "required", "items",
                                              "additionalProperties"};
    const struct json *constant = json_get(node->json, "const");
    const struct json *list = json_get(node->json, "enum");
    if (list && !are_plain_values(list)) node_describe(node, "enum");
    if (constant && !is_plain_value(constant)) node_describe(node, "const");
    bool literal = json_get(node->json, "enum") || json_get(node->json, "const");
    bool any = json_get(node->json, "anyOf");
    if (any) node_describe(node, "allOf");
    if (!literal && !any && !json_get(node->json, "allOf")) return;
    json_remove(node->json, "type");
    for (size_t i = 0; i < sizeof about_types / sizeof *about_types; i++)
        node_describe(node, about_types[i]);
}

void step_upper_case(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *type = json_get(node->json, "type");
    char *upper = json_is(type, JSON_STRING) ? arena_alloc(l->arena, type->text.len + 1) : NULL;
    if (!upper) return;
    for (size_t i = 0; i < type->text.len; i++) {
        char c = type->text.ptr[i];
        upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    set_member(node, "type", new_text(node, (gramc_text){upper, type->text.len}));
}
