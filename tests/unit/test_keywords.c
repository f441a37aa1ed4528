/* Holds the table of keywords against the standard's own meta-schemas: each keyword that they
 * describe has a row with its drafts and vocabulary, and subschemas stand where they say; and no
 * row says more. Then the walk over subschemas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "compiler/type_properties.h"
#include "jsonschema/compile.h"
#include "jsonschema/types.h"

/* ## The standard's documents */

static const struct {
    const char *uri;
    gramc_draft draft;
    enum vocabulary vocabulary; /* 0: the document mixes several */
} documents[] = {
    {"http://json-schema.org/draft-04/schema", GRAMC_DRAFT_4, 0},
    {"http://json-schema.org/draft-06/schema", GRAMC_DRAFT_6, 0},
    {"http://json-schema.org/draft-07/schema", GRAMC_DRAFT_7, 0},
#define D19(name) "https://json-schema.org/draft/2019-09/" name, GRAMC_DRAFT_2019_09
#define D20(name) "https://json-schema.org/draft/2020-12/" name, GRAMC_DRAFT_2020_12
    {D19("schema"), 0},
    {D19("meta/core"), VOCABULARY_CORE},
    {D19("meta/applicator"), 0}, /* and unevaluated */
    {D19("meta/validation"), VOCABULARY_VALIDATION},
    {D19("meta/format"), VOCABULARY_FORMAT},
    {D19("meta/meta-data"), VOCABULARY_META_DATA},
    {D19("meta/content"), VOCABULARY_CONTENT},
    {D20("schema"), 0},
    {D20("meta/core"), VOCABULARY_CORE},
    {D20("meta/applicator"), VOCABULARY_APPLICATOR},
    {D20("meta/unevaluated"), VOCABULARY_UNEVALUATED},
    {D20("meta/validation"), VOCABULARY_VALIDATION},
    {D20("meta/format-annotation"), VOCABULARY_FORMAT},
    {D20("meta/format-assertion"), VOCABULARY_FORMAT},
    {D20("meta/meta-data"), VOCABULARY_META_DATA},
    {D20("meta/content"), VOCABULARY_CONTENT},
#undef D19
#undef D20
};

enum { DOCUMENTS = sizeof documents / sizeof *documents };

/* Where a meta-schema says that schemas stand. */
enum { IN_PLACE = 1, IN_LIST = 2, IN_MAP = 4, IN_MAP_OR_NAMES = 8 };

static bool refers(const struct json *schema, const char *keyword, const char *to) {
    const struct json *reference = json_get(schema, keyword);
    return json_is(reference, JSON_STRING) && text_is(reference->text, to);
}

static bool is_schema(const struct json *value) {
    return refers(value, "$ref", "#") || refers(value, "$recursiveRef", "#") ||
           refers(value, "$dynamicRef", "#meta");
}

static bool is_list(const struct json *value) {
    return refers(value, "$ref", "#/$defs/schemaArray") ||
           refers(value, "$ref", "#/definitions/schemaArray");
}

static bool any_schema(const struct json *list) {
    const struct json *one = list ? list->first : NULL;
    while (one && !is_schema(one)) one = one->next;
    return one != NULL;
}

static unsigned places(const struct json *value) {
    const struct json *any = json_get(value, "anyOf"),
                      *more = json_get(value, "additionalProperties");
    unsigned found = is_schema(value) ? IN_PLACE : is_list(value) ? IN_LIST : 0;
    for (const struct json *one = any ? any->first : NULL; one; one = one->next)
        found |= places(one);
    if (is_schema(more)) found |= IN_MAP;
    if (any_schema(json_get(more, "anyOf"))) found |= IN_MAP_OR_NAMES;
    return found;
}

static unsigned places_of(enum keyword_holds holds) {
    switch (holds) {
    case HOLDS_DATA: return 0;
    case HOLDS_SCHEMA: return IN_PLACE;
    case HOLDS_LIST: return IN_LIST;
    case HOLDS_SCHEMA_OR_LIST: return IN_PLACE | IN_LIST;
    case HOLDS_MAP: return IN_MAP;
    case HOLDS_MAP_OR_NAMES: return IN_MAP_OR_NAMES;
    }
    return 0;
}

/* ## The table */

struct described {
    unsigned drafts, places;
};

/* 2020-12 describes them for old schemas; the validator does not heed them there. */
static bool is_left_behind(enum keyword keyword, gramc_draft draft) {
    return draft == GRAMC_DRAFT_2020_12 &&
           (keyword == K_RECURSIVE_ANCHOR || keyword == K_RECURSIVE_REF);
}

static void check_described(struct described *described, size_t document,
                            const struct json *member) {
    enum keyword keyword = keyword_named(member->key);
    gramc_draft draft = documents[document].draft;
    if (keyword == K_COUNT)
        fail_msg("%s: no row for %.*s", documents[document].uri, TEXT_ARGS(member->key));
    described[keyword].places |= places(member);
    if (is_left_behind(keyword, draft)) return;
    described[keyword].drafts |= 1U << draft;
    enum vocabulary vocabulary = documents[document].vocabulary;
    if (vocabulary && keyword_row(keyword)->vocabulary != vocabulary)
        fail_msg("%s: %.*s has another vocabulary", documents[document].uri,
                 TEXT_ARGS(member->key));
}

static void read_documents(struct described *described) {
    struct arena arena;
    arena_init(&arena, NULL);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        gramc_text text = metaschema_find(text_of(documents[i].uri));
        const struct json *root = text.ptr ? json_parse(&arena, text, NULL) : NULL;
        const struct json *properties = json_get(root, "properties");
        if (!properties || !properties->first) fail_msg("%s: not built in", documents[i].uri);
        for (const struct json *member = properties->first; member; member = member->next)
            check_described(described, i, member);
    }
    arena_free(&arena);
}

static void test_table(void **state) {
    struct described described[K_COUNT] = {{0, 0}};
    (void)state;
    read_documents(described);
    for (enum keyword keyword = 0; keyword < K_COUNT; keyword++) {
        const struct keyword_row *row = keyword_row(keyword);
        if (places_of(row->holds) != described[keyword].places)
            fail_msg("%s: its subschemas stand elsewhere", row->name.ptr);
        /* Draft-04 defines it elsewhere, in JSON Reference. */
        if (keyword == K_REF) described[keyword].drafts |= 1U << GRAMC_DRAFT_4;
        for (gramc_draft draft = GRAMC_DRAFT_2020_12; draft <= GRAMC_DRAFT_4; draft++)
            if (keyword_in_draft(keyword, draft) != !!(described[keyword].drafts & 1U << draft))
                fail_msg("%s: draft %d says otherwise", row->name.ptr, (int)draft);
        assert_true(keyword_in_draft(keyword, GRAMC_DRAFT_AUTO));
    }
}

/* Look-up is by halves: every name is found only if they are sorted. */
static void test_names(void **state) {
    static const char *const none[] = {"", "$", "zzz", "Items", "item", "itemss", "x-items"};
    (void)state;
    for (enum keyword keyword = 0; keyword < K_COUNT; keyword++)
        assert_int_equal(keyword_named(keyword_row(keyword)->name), keyword);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(keyword_named(text_of(none[i])), K_COUNT);
}

/* What a keyword says nothing about, the validator accepts whatever the keyword says. */
static void test_types(void **state) {
    static const char *const values[] = {"null", "true", "1", "1.5", "\"s\"", "[1,1]", "{\"a\":1}"};
    static const struct {
        const char *schema, *keyword;
    } strict[] = {
        {"{\"minimum\":9}", "minimum"},
        {"{\"maximum\":-9}", "maximum"},
        {"{\"exclusiveMinimum\":9}", "exclusiveMinimum"},
        {"{\"exclusiveMaximum\":-9}", "exclusiveMaximum"},
        {"{\"multipleOf\":7}", "multipleOf"},
        {"{\"minLength\":9}", "minLength"},
        {"{\"maxLength\":0}", "maxLength"},
        {"{\"pattern\":\"^x$\"}", "pattern"},
        {"{\"format\":\"date\"}", "format"},
        {"{\"items\":false}", "items"},
        {"{\"prefixItems\":[false]}", "prefixItems"},
        {"{\"contains\":false}", "contains"},
        {"{\"minItems\":9}", "minItems"},
        {"{\"maxItems\":0}", "maxItems"},
        {"{\"uniqueItems\":true}", "uniqueItems"},
        {"{\"unevaluatedItems\":false}", "unevaluatedItems"},
        {"{\"properties\":{\"a\":false}}", "properties"},
        {"{\"patternProperties\":{\"a\":false}}", "patternProperties"},
        {"{\"additionalProperties\":false}", "additionalProperties"},
        {"{\"propertyNames\":false}", "propertyNames"},
        {"{\"required\":[\"b\"]}", "required"},
        {"{\"minProperties\":9}", "minProperties"},
        {"{\"maxProperties\":0}", "maxProperties"},
        {"{\"dependencies\":{\"a\":[\"b\"]}}", "dependencies"},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "dependentRequired"},
        {"{\"dependentSchemas\":{\"a\":false}}", "dependentSchemas"},
        {"{\"unevaluatedProperties\":false}", "unevaluatedProperties"},
        {"{\"not\":{}}", "not"},
        {"{\"allOf\":[false]}", "allOf"},
        {"{\"anyOf\":[false]}", "anyOf"},
        {"{\"oneOf\":[false]}", "oneOf"},
        {"{\"enum\":[]}", "enum"},
        {"{\"const\":\"other\"}", "const"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++) {
        gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
        gramc_schema *schema = NULL;
        unsigned refused = 0;
        options.assert_formats = true;
        assert_int_equal(gramc_schema_compile(&schema, strict[i].schema, strlen(strict[i].schema),
                                              &options, NULL),
                         GRAMC_OK);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const struct json *value = json_parse(&arena, text_of(values[v]), NULL);
            if (!gramc_schema_accepts(schema, values[v], strlen(values[v])))
                refused |= type_of(value);
        }
        gramc_schema_free(schema);
        if (refused != keyword_row(keyword_named(text_of(strict[i].keyword)))->about)
            fail_msg("%s: about other types", strict[i].keyword);
    }
    arena_free(&arena);
}

/* ## The walk */

static void check_walk(const char *schema, gramc_draft draft, const char *expected) {
    struct arena arena;
    char found[256] = "";
    arena_init(&arena, NULL);
    struct subschema_walk walk = subschema_walk(json_parse(&arena, text_of(schema), NULL), draft);
    for (const struct json *s; (s = subschema_next(&walk)) != NULL;) {
        size_t len = strlen(found), count = s->end - s->start;
        assert_true(len + count + 1 < sizeof found);
        memcpy(found + len, schema + s->start, count);
        memcpy(found + len + count, " ", 2);
    }
    assert_string_equal(found, expected);
    arena_free(&arena);
}

static void test_walk(void **state) {
    (void)state;
    check_walk("true", GRAMC_DRAFT_AUTO, "");
    check_walk("[{}]", GRAMC_DRAFT_AUTO, "");
    check_walk("{}", GRAMC_DRAFT_AUTO, "");
    check_walk("{\"not\":{\"a\":1},\"const\":{\"not\":{}},\"items\":true}", GRAMC_DRAFT_AUTO,
               "{\"a\":1} true ");
    check_walk("{\"items\":[{},false],\"anyOf\":[],\"properties\":{\"b\":{},\"not\":true}}",
               GRAMC_DRAFT_AUTO, "{} false {} true ");
    /* Names, and what stands where it cannot. */
    check_walk("{\"dependencies\":{\"a\":[\"b\"],\"c\":{},\"d\":[\"e\"]}}", GRAMC_DRAFT_AUTO,
               "{} ");
    check_walk("{\"not\":[{}],\"anyOf\":{\"a\":{}},\"properties\":[{}],\"items\":1}",
               GRAMC_DRAFT_AUTO, "");
    /* Each draft its own. */
    check_walk("{\"prefixItems\":[{}],\"additionalItems\":true}", GRAMC_DRAFT_2020_12, "{} ");
    check_walk("{\"prefixItems\":[{}],\"additionalItems\":true}", GRAMC_DRAFT_7, "true ");
    check_walk("{\"prefixItems\":[{}],\"additionalItems\":true}", GRAMC_DRAFT_AUTO, "{} true ");
}

static enum keyword_content content(struct arena *arena, const char *schema) {
    return keyword_content(json_parse(arena, text_of(schema), NULL)->first);
}

static void test_content(void **state) {
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(content(&arena, "{\"items\":{}}"), CONTENT_SCHEMA);
    assert_int_equal(content(&arena, "{\"items\":[]}"), CONTENT_SCHEMAS);
    assert_int_equal(content(&arena, "{\"items\":1}"), CONTENT_DATA);
    assert_int_equal(content(&arena, "{\"not\":[]}"), CONTENT_DATA);
    assert_int_equal(content(&arena, "{\"oneOf\":[]}"), CONTENT_SCHEMAS);
    assert_int_equal(content(&arena, "{\"$defs\":{}}"), CONTENT_SCHEMAS);
    assert_int_equal(content(&arena, "{\"default\":{}}"), CONTENT_DATA);
    assert_int_equal(content(&arena, "{\"x-own\":{}}"), CONTENT_DATA);
    arena_free(&arena);
}

/* ## Types */

static void test_type_names(void **state) {
    (void)state;
    for (enum json_type type = 0; type < JSON_TYPES; type++)
        assert_int_equal(json_type_named(text_of(json_type_name(type))), type);
    assert_int_equal(json_type_named(TEXT("String")), JSON_TYPES);
    assert_int_equal(type_bits_named(TEXT("number")), TYPE_BIT_NUMBER);
    assert_int_equal(type_bits_named(TEXT("integer")), TYPE_BIT_INTEGER);
    assert_int_equal(type_bits_named(TEXT("any")), 0);
}

/* ## Properties of types in gram */

static unsigned bits_of_kinds(unsigned kinds) {
    unsigned bits = 0;
    for (enum type_kind kind = 0; kind < TYPE_KINDS; kind++)
        if (kinds & 1U << kind && type_json_name(kind))
            bits |= 1U << json_type_named(text_of(type_json_name(kind)));
    return bits;
}

/* A property of some types alone is of those that its keyword speaks about. */
static void test_properties(void **state) {
    (void)state;
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++) {
        const struct type_property_row *row = type_property_row(p);
        unsigned bits = bits_of_kinds(row->kinds);
        assert_int_equal(type_property_named(row->name), p);
        if (row->keyword == K_COUNT) continue;
        assert_string_equal(type_property_printed(p).ptr, keyword_row(row->keyword)->name.ptr);
        enum type_property spelled = type_property_named(keyword_row(row->keyword)->name);
        assert_true(spelled < TYPE_PROPERTIES);
        assert_int_equal(type_property_row(spelled)->keyword, row->keyword);
        if (bits && bits != TYPE_BIT_ALL && bits != keyword_row(row->keyword)->about)
            fail_msg("%s: of other types than its keyword", row->name.ptr);
    }
}

static void test_spellings(void **state) {
    static const char *const none[] = {"", "Type", "maxContains", "$ref", "x", "itemss"};
    gramc_text all[MOST_SPELLINGS];
    size_t count = type_property_spellings(all);
    (void)state;
    assert_true(count > TYPE_PROPERTIES && count <= MOST_SPELLINGS);
    for (size_t i = 0; i < count; i++) {
        assert_true(type_property_named(all[i]) < TYPE_PROPERTIES);
        for (size_t k = 0; k < i; k++) assert_false(text_eq(all[i], all[k]));
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(type_property_named(text_of(none[i])), TYPE_PROPERTIES);
    assert_int_equal(type_property_named(TEXT("additionalProperties")), P_OPEN);
    assert_int_equal(type_property_named(TEXT("oneOf")), P_OF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_types),      cmocka_unit_test(test_walk),
        cmocka_unit_test(test_content),    cmocka_unit_test(test_type_names),
        cmocka_unit_test(test_properties), cmocka_unit_test(test_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
