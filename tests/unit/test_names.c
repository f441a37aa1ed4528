/* The names of types and of their properties are found by a switch over a few of their bytes: here
 * each of them is looked up, and so is each of them with one byte changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "compiler/schema_reader.h"
#include "compiler/type_properties.h"

static const char *const properties[] = {"type",
                                         "min",
                                         "minimum",
                                         "max",
                                         "maximum",
                                         "range",
                                         "required",
                                         "optional",
                                         "description",
                                         "default",
                                         "title",
                                         "examples",
                                         "deprecated",
                                         "enum",
                                         "const",
                                         "nullable",
                                         "format",
                                         "above",
                                         "below",
                                         "multipleOf",
                                         "minLength",
                                         "maxLength",
                                         "pattern",
                                         "items",
                                         "of",
                                         "elementType",
                                         "anyOf",
                                         "allOf",
                                         "oneOf",
                                         "minItems",
                                         "readOnly",
                                         "writeOnly",
                                         "rest",
                                         "pick",
                                         "omit",
                                         "partial",
                                         "secret",
                                         "by",
                                         "minProperties",
                                         "maxProperties",
                                         "keys",
                                         "propertyNames",
                                         "patterns",
                                         "patternProperties",
                                         "maxItems",
                                         "unique",
                                         "uniqueItems",
                                         "values",
                                         "fields",
                                         "open",
                                         "prefixItems",
                                         "schema",
                                         "meta",
                                         "name",
                                         "properties",
                                         "exclusiveMinimum",
                                         "exclusiveMaximum",
                                         "additionalProperties"};

enum { PROPERTIES = sizeof properties / sizeof *properties };

static bool is_property(gramc_text name) {
    bool any = false;
    for (size_t i = 0; i < PROPERTIES; i++) any = any || text_is(name, properties[i]);
    return any;
}

static bool is_type(gramc_text name) {
    bool any = false;
    for (size_t i = 0; type_label(i); i++) any = any || text_is(name, type_label(i));
    return any;
}

/* The list above is that of the table. */
static void test_table(void **state) {
    gramc_text all[MOST_SPELLINGS];
    size_t count = type_property_spellings(all);
    (void)state;
    assert_int_equal(count, PROPERTIES);
    for (size_t i = 0; i < count; i++) assert_true(is_property(all[i]));
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++)
        assert_int_equal(type_property_named(type_property_row(p)->name), p);
}

/* A name that is found must be one of the list, however near to one it is. */
static void check_neighbours(const char *name) {
    char copy[32];
    size_t len = strlen(name);
    assert_true(len < sizeof copy);
    for (size_t at = 0; at < len; at++)
        for (unsigned byte = 1; byte < 256; byte++) {
            memcpy(copy, name, len);
            copy[at] = (char)byte;
            gramc_text changed = {copy, len};
            assert_int_equal(type_find(changed) != NULL, is_type(changed));
            assert_int_equal(type_has_property(changed), is_property(changed));
        }
}

static void test_types(void **state) {
    size_t count = 0;
    (void)state;
    for (const char *label; (label = type_label(count)) != NULL; count++) {
        const struct type_row *row = type_find(text_of(label));
        assert_non_null(row);
        assert_string_equal(row->label, label);
        check_neighbours(label);
    }
    assert_int_equal(count, TYPE_LABELS);
}

static void test_properties(void **state) {
    (void)state;
    for (size_t i = 0; i < PROPERTIES; i++) {
        assert_true(type_has_property(text_of(properties[i])));
        check_neighbours(properties[i]);
    }
}

static void test_no_names(void **state) {
    static char longest[600];
    (void)state;
    memset(longest, 'm', sizeof longest);
    for (size_t len = 0; len < sizeof longest; len++) {
        assert_null(type_find((gramc_text){longest, len}));
        assert_false(type_has_property((gramc_text){longest, len}));
    }
    assert_null(type_find((gramc_text){NULL, 0}));
    assert_false(type_has_property((gramc_text){NULL, 0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_properties),
                                       cmocka_unit_test(test_no_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
