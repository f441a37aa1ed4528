/* Stated limits of YAML and of regular expressions (base/limits.def): each at the limit and one
 * past it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/yaml/yaml.h"
#include "gramc/schema.h"
#include "tests/stated.h"

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* Takes the text. `refused` NULL: it is read. */
static void expect_yaml(struct buf *text, const struct yaml_limits *limits, const char *refused) {
    struct arena arena;
    struct yaml_error error = {.message = ""};
    struct yaml *root;
    arena_init(&arena, NULL);
    gramc_status status = yaml_read_within(&root, &arena, buf_view(text), limits, &error);
    assert_int_equal(status, refused ? GRAMC_FINDINGS : GRAMC_OK);
    assert_string_equal(error.message, refused ? refused : "");
    arena_free(&arena);
    buf_free(text);
}

struct yaml_row {
    const struct yaml_limits *limits;
    size_t most;
    const char *refused;
};

static void put_bytes(struct buf *out, size_t count) {
    buf_puts(out, "a: 1\n#");
    put_times(out, "x", count - out->len);
}

static void put_depth(struct buf *out, size_t count) {
    put_times(out, "[", count);
    put_times(out, "]", count);
}

/* The list is one of them. */
static void put_nodes(struct buf *out, size_t count) {
    buf_puts(out, "[1");
    put_times(out, ",1", count - 2);
    buf_puts(out, "]");
}

static void put_keys(struct buf *out, size_t count) {
    for (size_t i = 0; i < count; i++) buf_printf(out, "k%zu: 1\n", i);
}

static void expect_rows(void (*put)(struct buf *out, size_t count), const struct yaml_row *rows,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t more = 0; more < 2; more++) {
            struct buf text;
            buf_init(&text, NULL, 128 << 20);
            put(&text, rows[i].most + more);
            expect_yaml(&text, rows[i].limits, more ? rows[i].refused : NULL);
        }
}

static void yaml_bytes(void **state) {
    const struct yaml_row rows[] = {{&yaml_small, TOOLBOX_BYTES_MAX, "longer than 4194304 bytes"},
                                    {&yaml_large, YAML_BYTES_MAX, "longer than 67108864 bytes"}};
    (void)state;
    STATED(TOOLBOX_BYTES_MAX, 4 << 20, "the file is refused");
    STATED(YAML_BYTES_MAX, 64 << 20, "the file is refused");
    expect_rows(put_bytes, rows, 2);
}

static void yaml_depth(void **state) {
    const struct yaml_row rows[] = {
        {&yaml_small, TOOLBOX_DEPTH_MAX, "nested deeper than 32 levels"},
        {&yaml_large, YAML_DEPTH_MAX, "nested deeper than 200 levels"}};
    (void)state;
    STATED(TOOLBOX_DEPTH_MAX, 32, "the file is refused");
    STATED(YAML_DEPTH_MAX, 200, "the file is refused");
    expect_rows(put_depth, rows, 2);
}

static void yaml_nodes(void **state) {
    const struct yaml_row rows[] = {{&yaml_small, TOOLBOX_NODES_MAX, "more than 200000 nodes"},
                                    {&yaml_large, YAML_NODES_MAX, "more than 4000000 nodes"}};
    (void)state;
    STATED(TOOLBOX_NODES_MAX, 200000, "the file is refused");
    STATED(YAML_NODES_MAX, 4000000, "the file is refused");
    expect_rows(put_nodes, rows, 2);
}

static void yaml_keys(void **state) {
    const struct yaml_row rows[] = {{&yaml_small, TOOLBOX_KEYS_MAX, "more than 5000 keys in a map"},
                                    {&yaml_large, YAML_KEYS_MAX, "more than 20000 keys in a map"}};
    (void)state;
    STATED(TOOLBOX_KEYS_MAX, 5000, "the file is refused");
    STATED(YAML_KEYS_MAX, 20000, "the file is refused");
    expect_rows(put_keys, rows, 2);
}

/* Takes the pattern. */
static void expect_pattern(struct buf *pattern, const char *refused) {
    struct buf schema;
    gramc_schema *compiled = NULL;
    gramc_json_error error = {.message = ""};
    buf_init(&schema, NULL, 1 << 20);
    buf_puts(&schema, "{\"pattern\":\"");
    buf_text(&schema, buf_view(pattern));
    buf_puts(&schema, "\"}");
    gramc_status status = gramc_schema_compile(&compiled, schema.ptr, schema.len, NULL, &error);
    assert_int_equal(status, refused ? GRAMC_FINDINGS : GRAMC_OK);
    if (refused && !strstr(error.message, refused)) fail_msg("%s", error.message);
    gramc_schema_free(compiled);
    buf_free(&schema);
    buf_free(pattern);
}

/* Of spaces in a class: PCRE2 has a limit of its own on what it makes of a pattern. */
static void pattern_bytes(void **state) {
    (void)state;
    STATED(PATTERN_BYTES_MAX, 65536, "it is refused");
    for (size_t more = 0; more < 2; more++) {
        struct buf pattern;
        buf_init(&pattern, NULL, 1 << 20);
        buf_puts(&pattern, "[");
        put_times(&pattern, "a", PATTERN_BYTES_MAX - 2 + more);
        buf_puts(&pattern, "]");
        expect_pattern(&pattern, more ? "longer than 64 KiB" : NULL);
    }
}

static void pattern_groups(void **state) {
    (void)state;
    STATED(PATTERN_GROUPS_MAX, 200, "it is refused");
    for (size_t more = 0; more < 2; more++) {
        struct buf pattern;
        buf_init(&pattern, NULL, 1 << 20);
        put_times(&pattern, "(", PATTERN_GROUPS_MAX + more);
        put_times(&pattern, ")", PATTERN_GROUPS_MAX + more);
        expect_pattern(&pattern, more ? "parentheses nested deeper than 200" : NULL);
    }
}

static void pattern_names(void **state) {
    (void)state;
    STATED(PATTERN_NAMES_MAX, 200, "it is refused");
    for (size_t more = 0; more < 2; more++) {
        struct buf pattern;
        buf_init(&pattern, NULL, 1 << 20);
        buf_puts(&pattern, "(?<n>a)");
        put_times(&pattern, "\\\\k<n>", PATTERN_NAMES_MAX - 1 + more);
        expect_pattern(&pattern,
                       more ? "more than 200 names of groups and references to them" : NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_bytes),    cmocka_unit_test(yaml_depth),
        cmocka_unit_test(yaml_nodes),    cmocka_unit_test(yaml_keys),
        cmocka_unit_test(pattern_bytes), cmocka_unit_test(pattern_groups),
        cmocka_unit_test(pattern_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
