/* The validator's two halves say the same: random schemas and instances are judged, filled in and
 * explained by gramc_schema_check and by its thorough half alone; verdict, new text and list of
 * changes have to be the same byte for byte. GRAMC_LONG=1 tries many more; each schema has a seed
 * of its own, which a failure names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/halves.h"

enum { INSTANCES = 12, DEEPEST = 4 };

/* ## Schemas */

static const char *const names[] = {
    "a", "b", "c", "d", "e/f", "g~h", "\xC3\xBC", "a\\\"b", "a name of more than sixteen bytes",
    ""};

static const char *const values[] = {"null",
                                     "true",
                                     "0",
                                     "1",
                                     "7",
                                     "2.5",
                                     "1e3",
                                     "\"\"",
                                     "\"a\"",
                                     "\"7\"",
                                     "\"true\"",
                                     "[]",
                                     "[1, 2]",
                                     "[1,1]",
                                     "{}",
                                     "{\"a\": 1}",
                                     "-3",
                                     "\"abcdef\"",
                                     "[null]",
                                     "\"1.0\"",
                                     "{\"b\":null}",
                                     "\"\\n\"",
                                     "\"\xC3\xBC\"",
                                     "[\"a\"]",
                                     "12345678901234567890",
                                     "\"[1]\"",
                                     "{\"a\":{\"b\":2}}"};

static void put_schema(uint64_t *state, struct buf *out, unsigned depth);

static void put_name(uint64_t *state, struct buf *out) {
    buf_printf(out, "\"%s\"", ONE_OF(state, names));
}

static void put_properties(uint64_t *state, struct buf *out, unsigned depth) {
    uint32_t start = draw(state, sizeof names / sizeof *names), count = draw(state, 6);
    uint32_t extra = chance(state, 5) ? 60 + draw(state, 12) : 0;
    buf_puts(out, ",\"properties\":{");
    for (uint32_t i = 0; i < count; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", names[(start + i) % 10]);
        put_schema(state, out, depth + 1);
    }
    for (uint32_t i = 0; i < extra; i++) {
        buf_printf(out, "%s\"p%u\":", i || count ? "," : "", (unsigned)i);
        buf_puts(out, chance(state, 10) ? "{\"default\":5}" : "{\"type\":\"integer\"}");
    }
    buf_puts(out, "}");
}

static void put_dependents(uint64_t *state, struct buf *out, unsigned depth) {
    bool schemas = chance(state, 50);
    buf_printf(out, ",\"dependent%s\":{", schemas ? "Schemas" : "Required");
    for (uint32_t i = 0, start = draw(state, 10), count = 1 + draw(state, 3); i < count; i++) {
        buf_printf(out, "%s\"%s\":", i ? "," : "", names[(start + i) % 10]);
        if (schemas) put_schema(state, out, depth + 1);
        else buf_printf(out, "[\"%s\",\"%s\"]", names[draw(state, 5)], names[5 + draw(state, 5)]);
    }
    buf_puts(out, "}");
}

static void put_object(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const more[] = {
        ",\"additionalProperties\":false",
        ",\"additionalProperties\":{\"type\":\"integer\"}",
        ",\"maxProperties\":3",
        ",\"minProperties\":1",
        ",\"patternProperties\":{\"^[ab]\":{\"type\":[\"integer\",\"string\"]}}",
        ",\"patternProperties\":{\"^a$\":{\"type\":\"integer\"},\"^a\\\\\\\\\":false}",
        ",\"patternProperties\":{\"^e\\\\/\":true,\"^$\":{\"type\":\"null\"},\"^a|b$\":false}",
        ",\"propertyNames\":{\"maxLength\":3}",
        ",\"unevaluatedProperties\":false",
        ",\"unevaluatedProperties\":{\"type\":\"integer\"}"};
    if (chance(state, 80)) put_properties(state, out, depth);
    if (chance(state, 50)) {
        buf_puts(out, ",\"required\":[");
        put_name(state, out);
        if (chance(state, 30)) buf_puts(out, ",\"zz\"");
        buf_puts(out, "]");
    }
    if (chance(state, 40)) buf_puts(out, ONE_OF(state, more));
    if (chance(state, 15)) put_dependents(state, out, depth);
}

static void put_array(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const more[] = {",\"uniqueItems\":true", ",\"minItems\":1",
                                       ",\"contains\":{\"type\":\"integer\"}", ",\"maxItems\":2",
                                       ",\"unevaluatedItems\":false"};
    if (chance(state, 70)) {
        buf_puts(out, ",\"items\":");
        put_schema(state, out, depth + 1);
    }
    if (chance(state, 30)) {
        buf_puts(out, ",\"prefixItems\":[");
        put_schema(state, out, depth + 1);
        buf_puts(out, "]");
    }
    if (chance(state, 40)) buf_puts(out, ONE_OF(state, more));
}

static void put_applicator(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const lists[] = {"anyOf", "oneOf", "allOf"};
    static const char *const singles[] = {"not", "if", "then", "else"};
    if (chance(state, 70)) {
        buf_printf(out, ",\"%s\":[", ONE_OF(state, lists));
        put_schema(state, out, depth + 1);
        for (uint32_t i = draw(state, 3); i; i--) {
            buf_putc(out, ',');
            put_schema(state, out, depth + 1);
        }
        buf_puts(out, "]");
    }
    for (size_t i = 0; i < 4; i++) {
        if (!chance(state, 20)) continue;
        buf_printf(out, ",\"%s\":", singles[i]);
        put_schema(state, out, depth + 1);
    }
}

static void put_choices(uint64_t *state, struct buf *out) {
    uint32_t count = chance(state, 80) ? 1 + draw(state, 4) : 40;
    buf_puts(out, ",\"enum\":[");
    for (uint32_t i = 0; i < count; i++)
        buf_printf(out, "%s%s", i ? "," : "", ONE_OF(state, values));
    for (uint32_t i = 0; count == 40 && i < 30; i++)
        buf_printf(out, ",%u,\"word %u\"", (unsigned)i, (unsigned)i);
    buf_puts(out, "]");
}

static void put_schema(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const types[] = {
        "\"object\"",  "\"object\"", "\"object\"",  "\"array\"", "\"string\"",
        "\"integer\"", "\"number\"", "\"boolean\"", "\"null\"",  "[\"string\",\"null\"]"};
    static const char *const scalars[] = {",\"minimum\":1", ",\"maxLength\":3", ",\"minLength\":1",
                                          ",\"multipleOf\":0.5", ",\"pattern\":\"^[a7]\""};
    if (depth > DEEPEST || chance(state, 3)) {
        buf_puts(out, chance(state, 80) ? "true" : "false");
        return;
    }
    buf_puts(out, "{\"$comment\":0");
    if (chance(state, 80)) buf_printf(out, ",\"type\":%s", ONE_OF(state, types));
    if (chance(state, 35)) buf_printf(out, ",\"default\":%s", ONE_OF(state, values));
    if (chance(state, depth ? 50 : 90)) put_object(state, out, depth);
    if (chance(state, 30)) put_array(state, out, depth);
    if (chance(state, 25)) put_applicator(state, out, depth);
    if (chance(state, 15)) put_choices(state, out);
    if (chance(state, 15)) buf_puts(out, ONE_OF(state, scalars));
    if (chance(state, 5)) buf_puts(out, ",\"$ref\":\"#/$defs/r\"");
    if (!depth) {
        buf_puts(out, ",\"$defs\":{\"r\":");
        put_schema(state, out, depth + 1);
        buf_puts(out, "}");
    }
    buf_puts(out, "}");
}

/* ## Instances */

static void put_blanks(uint64_t *state, struct buf *out) {
    static const char *const blanks[] = {"", "", "", " ", "\n  ", "\t"};
    buf_puts(out, ONE_OF(state, blanks));
}

static void put_instance(uint64_t *state, struct buf *out, const struct json *schema,
                         unsigned depth);

static void put_member(uint64_t *state, struct buf *out, gramc_text key, const struct json *schema,
                       unsigned depth) {
    put_blanks(state, out);
    json_put_string(out, key);
    put_blanks(state, out);
    buf_putc(out, ':');
    put_blanks(state, out);
    if (chance(state, 12)) buf_puts(out, "null");
    else put_instance(state, out, schema, depth + 1);
    put_blanks(state, out);
}

static void put_members(uint64_t *state, struct buf *out, const struct json *schema,
                        unsigned depth) {
    const struct json *properties = json_get(schema, "properties");
    bool any = false;
    buf_putc(out, '{');
    put_blanks(state, out);
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        if (chance(state, 45)) continue;
        if (any) buf_putc(out, ',');
        put_member(state, out, p->key, p, depth);
        any = true;
    }
    if (chance(state, 25)) {
        if (any) buf_putc(out, ',');
        put_member(state, out, text_of(ONE_OF(state, names)), NULL, depth);
    }
    buf_putc(out, '}');
}

static void put_items(uint64_t *state, struct buf *out, const struct json *schema, unsigned depth) {
    buf_putc(out, '[');
    for (uint32_t i = draw(state, 4), first = i; i; i--) {
        if (i != first) buf_putc(out, ',');
        put_blanks(state, out);
        put_instance(state, out, json_get(schema, "items"), depth + 1);
        put_blanks(state, out);
    }
    buf_putc(out, ']');
}

static const struct json *some_branch(uint64_t *state, const struct json *schema) {
    static const char *const lists[] = {"anyOf", "oneOf", "allOf"};
    const struct json *list = json_get(schema, ONE_OF(state, lists));
    return list && chance(state, 60) ? list->first : NULL;
}

static void put_typed(uint64_t *state, struct buf *out, const struct json *schema, unsigned depth) {
    static const char *const texts[] = {"\"a\"", "\"abc\"", "\"7\"", "\"\\u0061\"", "\"true\""};
    static const char *const numbers[] = {"1", "7", "2.5", "0", "-3", "1.0", "2e0"};
    const struct json *type = json_get(schema, "type");
    gramc_text name = json_is(type, JSON_STRING) ? type->text : TEXT("");
    if (text_is(name, "object") || (!name.len && json_get(schema, "properties")))
        put_members(state, out, schema, depth);
    else if (text_is(name, "array")) put_items(state, out, schema, depth);
    else if (text_is(name, "string")) buf_puts(out, ONE_OF(state, texts));
    else if (text_is(name, "integer") || text_is(name, "number"))
        buf_puts(out, ONE_OF(state, numbers));
    else if (text_is(name, "boolean")) buf_puts(out, chance(state, 50) ? "true" : "false");
    else buf_puts(out, ONE_OF(state, values));
}

static void put_instance(uint64_t *state, struct buf *out, const struct json *schema,
                         unsigned depth) {
    const struct json *choices = json_get(schema, "enum"), *branch = some_branch(state, schema);
    if (!schema || depth > 2 * DEEPEST || chance(state, 6)) {
        buf_puts(out, ONE_OF(state, values));
    } else if (choices && chance(state, 85)) {
        const struct json *choice = choices->first;
        for (uint32_t i = draw(state, choices->count); i; i--) choice = choice->next;
        json_put(out, choice);
    } else if (branch) {
        put_instance(state, out, branch, depth + 1);
    } else {
        put_typed(state, out, schema, depth);
    }
}

/* ## Random ones */

static void compare_all(struct halves *h, uint64_t *state) {
    const struct json *document = gramc_schema_document(h->schema);
    for (int i = 0; i < INSTANCES; i++) {
        buf_reset(&h->instance);
        put_blanks(state, &h->instance);
        put_instance(state, &h->instance, document, 0);
        put_blanks(state, &h->instance);
        unsigned more = i % 2 ? GRAMC_CHECK_JSON_TEXT : 0;
        for (unsigned flags = 0; flags < 8; flags++) compare(h, flags | more);
    }
}

static void try_schema(struct halves *h, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    h->seed = seed;
    options.closed_root = chance(&state, 30);
    buf_reset(&h->schema_text);
    put_schema(&state, &h->schema_text, 0);
    if (gramc_schema_compile(&h->schema, h->schema_text.ptr, h->schema_text.len, &options, NULL))
        return; /* references in a circle */
    compare_all(h, &state);
    gramc_schema_free(h->schema);
}

static void test_halves(void **state) {
    (void)state;
    try_all(try_schema, 10, 1);
}

/* ## Schemas in layers */

static const char *const layer_names[] = {"a", "b", "c", "d", "a name of more than sixteen bytes"};

static void put_layer(uint64_t *state, struct buf *out, unsigned depth);

static void put_leaf(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const leaves[] = {
        "{\"type\":\"integer\"}",
        "{\"type\":\"string\",\"maxLength\":2}",
        "{\"enum\":[1,\"a\",null]}",
        "{\"const\":\"a\"}",
        "{\"$dynamicRef\":\"#m\"}",
        "{\"prefixItems\":[{\"type\":\"integer\"}],\"allOf\":[{\"minItems\":1}],"
        "\"unevaluatedItems\":false}",
        "{\"allOf\":[{\"prefixItems\":[{},{}]},{\"items\":{\"type\":\"integer\"}}],"
        "\"unevaluatedItems\":{\"type\":\"string\"}}",
        "{\"allOf\":[{\"minimum\":1},{\"maximum\":6},{\"type\":[\"integer\",\"null\"]}]}",
        "{\"minItems\":2,\"unevaluatedItems\":{\"type\":\"integer\"}}",
        "{\"type\":\"integer\",\"default\":5}",
        "true"};
    if (depth < DEEPEST && chance(state, 25)) put_layer(state, out, depth + 1);
    else buf_puts(out, ONE_OF(state, leaves));
}

static void put_layers(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const others[] = {",\"anyOf\":[%s,true]",  ",\"if\":%s",  ",\"then\":%s",
                                         ",\"oneOf\":[%s,false]", ",\"not\":%s", ",\"else\":%s"};
    struct buf inner;
    if (depth >= DEEPEST) return;
    if (chance(state, 50)) {
        buf_puts(out, ",\"allOf\":[");
        for (uint32_t i = draw(state, 3);; i--) {
            put_layer(state, out, depth + 1);
            if (!i) break;
            buf_putc(out, ',');
        }
        buf_putc(out, ']');
    }
    if (!chance(state, 20)) return;
    buf_init(&inner, NULL, LARGEST);
    put_layer(state, &inner, depth + 1);
    const char *form = ONE_OF(state, others);
    size_t before = strcspn(form, "%");
    buf_put(out, form, before);
    buf_text(out, buf_view(&inner));
    buf_puts(out, form + before + 2);
    buf_free(&inner);
}

static void put_layer(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const rest[] = {
        ",\"additionalProperties\":{\"type\":\"integer\"}",
        ",\"additionalProperties\":false",
        ",\"patternProperties\":{\"^[ab]\":{\"type\":\"integer\"}}",
        ",\"patternProperties\":{\"^d\":true}",
        ",\"propertyNames\":{\"minLength\":1}",
        ",\"minProperties\":1",
        ",\"maxProperties\":3",
        ",\"required\":[\"a\"]",
        ",\"required\":[\"b\",\"c\"]",
        ",\"dependentRequired\":{\"a\":[\"b\",\"z\"],\"d\":[]}",
        ",\"dependentSchemas\":{\"a\":{\"properties\":{\"c\":{\"minimum\":2}}}}"};
    static const char *const unevaluated[] = {
        ",\"unevaluatedProperties\":false", ",\"unevaluatedProperties\":false",
        ",\"unevaluatedProperties\":{\"type\":\"integer\"}", ",\"unevaluatedItems\":false"};
    buf_puts(out, chance(state, 50) ? "{\"type\":\"object\"" : "{\"$comment\":0");
    if (chance(state, 80)) {
        buf_puts(out, ",\"properties\":{");
        for (size_t i = 0, any = 0; i < sizeof layer_names / sizeof *layer_names; i++) {
            if (chance(state, 60)) continue;
            buf_printf(out, "%s\"%s\":", any++ ? "," : "", layer_names[i]);
            put_leaf(state, out, depth);
        }
        buf_putc(out, '}');
    }
    for (int i = 0; i < 2; i++)
        if (chance(state, 20)) buf_puts(out, rest[draw(state, 6) + (i ? 5 : 0)]);
    if (depth && chance(state, 20)) buf_puts(out, ",\"$ref\":\"#/$defs/r\"");
    put_layers(state, out, depth);
    if (chance(state, depth ? 25 : 60)) buf_puts(out, ONE_OF(state, unevaluated));
    if (!depth) {
        buf_puts(out, ",\"$dynamicAnchor\":\"m\",\"$defs\":{\"r\":");
        put_layer(state, out, DEEPEST);
        buf_putc(out, '}');
    }
    buf_putc(out, '}');
}

static void put_layer_value(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const some[] = {"1",  "7",  "\"a\"", "null", "[1,2]", "[1,\"a\",\"b\"]",
                                       "{}", "[3]"};
    if (depth && (depth > 3 || chance(state, 70))) {
        buf_puts(out, ONE_OF(state, some));
        return;
    }
    buf_putc(out, '{');
    for (size_t i = 0, any = 0; i < sizeof layer_names / sizeof *layer_names; i++) {
        if (chance(state, 55)) continue;
        buf_printf(out, "%s\"%s\":", any++ ? "," : "", layer_names[i]);
        put_layer_value(state, out, depth + 1);
    }
    buf_putc(out, '}');
}

static void try_layers(struct halves *h, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    h->seed = seed;
    options.closed_root = chance(&state, 30);
    buf_reset(&h->schema_text);
    put_layer(&state, &h->schema_text, 0);
    if (gramc_schema_compile(&h->schema, h->schema_text.ptr, h->schema_text.len, &options, NULL))
        return; /* references in a circle */
    for (int i = 0; i < INSTANCES; i++) {
        buf_reset(&h->instance);
        put_layer_value(&state, &h->instance, 0);
        for (unsigned flags = 0; flags < 4; flags++) compare(h, flags);
    }
    gramc_schema_free(h->schema);
}

/* $ref, allOf, unevaluated* and what stands beside them, at one place and inside each other. */
static void test_layers(void **state) {
    (void)state;
    try_all(try_layers, 2, 0);
}

/* ## Alternatives that keys tell apart */

static const char *const union_names[] = {"kind", "a", "b", "version",
                                          "a name of more than 16 bytes"};
static const char *const union_values[] = {"\"x\"",
                                           "\"y\"",
                                           "\"a long value of a choice\"",
                                           "1",
                                           "2",
                                           "1.0",
                                           "true",
                                           "false",
                                           "null",
                                           "[]",
                                           "{\"kind\":\"x\"}",
                                           "0",
                                           "3",
                                           "\"\"",
                                           "2.5",
                                           "{}"};

static void put_union(uint64_t *state, struct buf *out, unsigned depth);

static void put_union_member(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const leaves[] = {"{\"type\":\"integer\"}",
                                         "{\"type\":[\"string\",\"null\"]}",
                                         "{\"type\":\"integer\",\"minimum\":2}",
                                         "{\"type\":\"string\",\"maxLength\":1}",
                                         "{\"type\":\"object\"}",
                                         "{\"type\":\"array\",\"maxItems\":0}",
                                         "{\"$ref\":\"#/$defs/x\"}",
                                         "{\"default\":1}",
                                         "{\"not\":{\"const\":\"x\"}}",
                                         "{\"const\":{\"kind\":\"x\"}}",
                                         "true",
                                         "false"};
    if (depth < 2 && chance(state, 20)) {
        put_union(state, out, depth + 1);
    } else if (chance(state, 35)) {
        buf_printf(out, "{\"const\":%s}", ONE_OF(state, union_values));
    } else if (chance(state, 40)) {
        const char *first = ONE_OF(state, union_values);
        buf_printf(out, "{\"enum\":[%s,%s]}", first, ONE_OF(state, union_values));
    } else {
        buf_puts(out, ONE_OF(state, leaves));
    }
}

static void put_union_branch(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const more[] = {"",
                                       "",
                                       "",
                                       ",\"type\":\"object\"",
                                       ",\"type\":\"object\"",
                                       ",\"additionalProperties\":false",
                                       ",\"additionalProperties\":{\"type\":\"integer\"}",
                                       ",\"patternProperties\":{\"^[ak]\":{\"type\":\"string\"}}",
                                       ",\"maxProperties\":2",
                                       ",\"$ref\":\"#/$defs/r\"",
                                       ",\"allOf\":[{\"required\":[\"b\"]}]",
                                       ",\"dependentRequired\":{\"a\":[\"b\"]}"};
    if (chance(state, 8)) {
        buf_puts(out, chance(state, 50) ? "{\"type\":[\"string\",\"integer\"]}" : "true");
        return;
    }
    buf_puts(out, "{\"properties\":{");
    for (size_t i = 0, any = 0; i < sizeof union_names / sizeof *union_names; i++) {
        if (chance(state, 60)) continue;
        buf_printf(out, "%s\"%s\":", any++ ? "," : "", union_names[i]);
        put_union_member(state, out, depth);
    }
    buf_puts(out, "}");
    if (chance(state, 60)) {
        const char *name = ONE_OF(state, union_names);
        buf_printf(out, ",\"required\":[\"%s\",\"%s\"]", name, ONE_OF(state, union_names));
    }
    buf_printf(out, "%s}", ONE_OF(state, more));
}

static void put_union(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const lists[] = {"anyOf", "oneOf"};
    static const char *const singles[] = {"if", "then", "else", "not"};
    bool whole = chance(state, 40);
    buf_puts(out, "{\"$comment\":0");
    for (size_t i = 0; i < 2; i++) {
        if (!chance(state, whole ? 40 : 70)) continue;
        buf_printf(out, ",\"%s\":[", lists[i]);
        for (uint32_t k = 1 + draw(state, 4);; k--) {
            put_union_branch(state, out, depth);
            if (!k) break;
            buf_putc(out, ',');
        }
        buf_putc(out, ']');
    }
    for (size_t i = 0; whole && i < 4; i++) {
        if (!chance(state, 45)) continue;
        buf_printf(out, ",\"%s\":", singles[i]);
        put_union_branch(state, out, depth);
    }
    if (chance(state, 20)) buf_puts(out, ",\"properties\":{\"a\":{\"default\":\"x\"},\"b\":{}}");
    if (depth < 2 && chance(state, 30)) {
        buf_puts(out, ",\"allOf\":[");
        for (uint32_t k = draw(state, 3);; k--) {
            put_union(state, out, depth + 1);
            if (!k) break;
            buf_putc(out, ',');
        }
        buf_putc(out, ']');
    }
    if (!depth) {
        buf_puts(out, ",\"$defs\":{\"x\":{\"const\":\"x\"},\"r\":");
        put_union_branch(state, out, 2);
        buf_putc(out, '}');
    }
    buf_putc(out, '}');
}

static void put_union_value(uint64_t *state, struct buf *out, unsigned depth) {
    uint32_t start = draw(state, 5), count = draw(state, 5);
    buf_putc(out, '{');
    for (uint32_t i = 0; i < count; i++) {
        const char *name = union_names[(start + i) % 5];
        if (chance(state, 4)) name = chance(state, 50) ? "k\\u0069nd" : "other";
        put_blanks(state, out);
        buf_printf(out, "\"%s\":", name);
        put_blanks(state, out);
        if (depth < 2 && chance(state, 20)) put_union_value(state, out, depth + 1);
        else if (chance(state, 5)) buf_puts(out, "\"\\u0078\"");
        else buf_puts(out, ONE_OF(state, union_values));
        put_blanks(state, out);
        if (i + 1 < count) buf_putc(out, ',');
    }
    buf_putc(out, '}');
}

static void try_union(struct halves *h, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    h->seed = seed;
    buf_reset(&h->schema_text);
    put_union(&state, &h->schema_text, 0);
    if (gramc_schema_compile(&h->schema, h->schema_text.ptr, h->schema_text.len, NULL, NULL))
        return; /* references in a circle */
    for (int i = 0; i < INSTANCES; i++) {
        buf_reset(&h->instance);
        put_union_value(&state, &h->instance, 0);
        for (unsigned flags = 0; flags < 4; flags++) compare(h, flags);
    }
    gramc_schema_free(h->schema);
}

/* anyOf, oneOf, if and not over objects that differ in constants, choices and required names. */
static void test_unions(void **state) {
    (void)state;
    try_all(try_union, 4, 0);
}

/* Defaults of an inner object before a null of the outer one. */
static void test_null_behind_default(void **state) {
    static const char schema[] = "{\"properties\":{\"a\":{\"properties\":{\"x\":{\"default\":1},"
                                 "\"y\":{\"default\":2}}},\"b\":{\"type\":\"string\"},"
                                 "\"c\":{\"default\":3}}}";
    static const char *const instances[] = {
        "{\"a\":{},\"b\":null}", "{\"a\":{\"x\":0},\"b\":null,\"c\":1}", "{\"b\":null,\"a\":{}}"};
    struct halves h;
    (void)state;
    halves_init(&h);
    buf_puts(&h.schema_text, schema);
    if (gramc_schema_compile(&h.schema, schema, strlen(schema), NULL, NULL)) fail();
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) {
        buf_reset(&h.instance);
        buf_puts(&h.instance, instances[i]);
        compare(&h, GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT);
    }
    assert_int_equal(h.changed, 3);
    gramc_schema_free(h.schema);
    halves_free(&h);
}

/* ## Keys that no schema names */

/* An object with so many keys, inside of another with as many; the first one again at the end, as
 * it is or with an escape, if asked for. */
static void put_many_keys(struct buf *out, unsigned count, const char *again, bool inside) {
    buf_putc(out, '{');
    for (unsigned i = 0; i < count; i++) {
        buf_printf(out, "%s\"key %u\":", i ? "," : "", i);
        if (inside && i == count / 2) put_many_keys(out, count, NULL, false);
        else buf_printf(out, "%u", i);
    }
    if (again) buf_printf(out, ",\"%s\":1", again);
    buf_putc(out, '}');
}

static void test_many_keys(void **state) {
    static const char *const schemas[] = {"{\"type\":\"object\"}",
                                          "{\"patternProperties\":{\"^k\":{}}}"};
    static const char *const again[] = {"key 0", "\\u006bey 0", NULL, "key", "\\u006bey"};
    static const unsigned counts[] = {1, 15, 16, 17, 18, 33, 127, 128, 129, 600, 3000};
    struct buf text;
    (void)state;
    buf_init(&text, NULL, LARGEST);
    for (size_t i = 0; i < 2 * 5 * (sizeof counts / sizeof *counts); i++) {
        gramc_schema *schema = NULL;
        const char *source = schemas[i % 2], *key = again[i / 2 % 5];
        if (gramc_schema_compile(&schema, source, strlen(source), NULL, NULL)) fail();
        for (unsigned inside = 0; inside < 2; inside++) {
            buf_reset(&text);
            put_many_keys(&text, counts[i / 10], key, inside);
            assert_int_equal(gramc_schema_accepts(schema, text.ptr, text.len), i / 2 % 5 >= 2);
        }
        gramc_schema_free(schema);
    }
    buf_free(&text);
}

/* ## Many numbers */

static const char *const spellings[] = {"0",
                                        "-0",
                                        "0.0",
                                        "0e9",
                                        "1",
                                        "1.0",
                                        "1e0",
                                        "10e-1",
                                        "-1",
                                        "100",
                                        "1e2",
                                        "1.00E+2",
                                        "2.5",
                                        "2.50",
                                        "25e-1",
                                        "0.25e1",
                                        "-2.5",
                                        "0.1",
                                        "1e-1",
                                        "0.10",
                                        "123456789012345678",
                                        "123456789012345678.0",
                                        "1234567890123456789",
                                        "12345678901234567890",
                                        "1.234567890123456789e18",
                                        "0.123456789012345678",
                                        "0.1234567890123456789",
                                        "123456789.012345678",
                                        "1e-18",
                                        "1e-19",
                                        "0.0000000000000000001",
                                        "1e17",
                                        "1e18",
                                        "1e400",
                                        "10e399",
                                        "1e-400",
                                        "999999999999999999",
                                        "-999999999999999999"};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

/* Each two of these are items that are equal, or are not; behind many others as well. */
static void test_equal_items(void **state) {
    static const char *const others[] = {"\"a\"",
                                         "\"\\u0061\"",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "null",
                                         "true",
                                         "false",
                                         "[1]",
                                         "[ 1.0 ]",
                                         "[[1]]",
                                         "[0,1]",
                                         "[1,0]",
                                         "{\"a\":1,\"b\":[2.50]}",
                                         "{ \"b\" : [ 2.5 ] , \"\\u0061\" : 1e0 }",
                                         "{\"a\":[2.5],\"b\":1}",
                                         "{\"a\":{\"b\":1}}",
                                         "{\"b\":{\"a\":1}}",
                                         "{\"a\":null}",
                                         "\"\xC3\xBC\"",
                                         "\"\\u00fc\""};
    enum { OTHERS = sizeof others / sizeof *others, ALL = OTHERS + SPELLINGS };
    static const char schema[] = "{\"uniqueItems\":true}";
    struct halves h;
    (void)state;
    halves_init(&h);
    buf_puts(&h.schema_text, schema);
    if (gramc_schema_compile(&h.schema, schema, strlen(schema), NULL, NULL)) fail();
    for (size_t i = 0; i < (size_t)ALL * ALL; i++) {
        size_t a = i / ALL, b = i % ALL;
        buf_reset(&h.instance);
        buf_printf(&h.instance, "[%s,", a < OTHERS ? others[a] : spellings[a - OTHERS]);
        for (unsigned k = 0; i % 61 == 0 && k < 300; k++)
            buf_printf(&h.instance, "\"item %u\",", k);
        buf_printf(&h.instance, "%s ]", b < OTHERS ? others[b] : spellings[b - OTHERS]);
        compare(&h, 0);
    }
    assert_true(h.valid > ALL * (ALL - 10));
    assert_true(h.valid < ALL * (ALL - 1));
    gramc_schema_free(h.schema);
    halves_free(&h);
}

/* Every spelling against a choice of all but those that mean the same, and of all. */
static void test_many_numbers(void **state) {
    struct buf text;
    (void)state;
    buf_init(&text, NULL, LARGEST);
    for (size_t i = 0; i < 2 * SPELLINGS; i++) {
        gramc_text sought = text_of(spellings[i / 2]);
        gramc_schema *schema = NULL;
        buf_reset(&text);
        buf_puts(&text, "{\"items\":{\"enum\":[7777");
        for (size_t k = 0; k < SPELLINGS; k++)
            if (i % 2 || json_number_compare(sought, text_of(spellings[k])) != 0)
                buf_printf(&text, ",%s", spellings[k]);
        buf_puts(&text, "]}}");
        if (gramc_schema_compile(&schema, text.ptr, text.len, NULL, NULL)) fail();
        buf_reset(&text);
        buf_printf(&text, "[%s]", spellings[i / 2]);
        if (gramc_schema_accepts(schema, text.ptr, text.len) != (i % 2 == 1))
            fail_msg("%s", text.ptr);
        gramc_schema_free(schema);
    }
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),      cmocka_unit_test(test_layers),
        cmocka_unit_test(test_unions),      cmocka_unit_test(test_null_behind_default),
        cmocka_unit_test(test_many_keys),   cmocka_unit_test(test_equal_items),
        cmocka_unit_test(test_many_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
