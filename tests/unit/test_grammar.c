/* Grammars for constrained decoding: how large they may be, and what is said beyond. What they
 * accept is tried by tests/house/grammars.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/text.h"
#include "compiler/emit/grammar.h"
#include "gramc/compile.h"
#include "tests/stated.h"

/* What `target` prints of the spec, and how many findings of that code there are. */
static size_t findings_of(gramc_text spec_text, const char *target, const char *code,
                          struct buf *out) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_finding finding;
    size_t count = 0;
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("t"), spec_text.ptr, spec_text.len),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    (void)!gramc_target_check(compilation, NULL, text_of(target));
    for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++)
        count += strcmp(finding.code, code) == 0;
    if (out) assert_int_equal(gramc_emit(spec, NULL, text_of(target), buf_writer(out)), GRAMC_OK);
    gramc_compilation_free(compilation);
    return count;
}

static void test_repeats(void **state) {
    (void)state;
    STATED(GRAMMAR_REPEATS_MAX, 1999, "G0815: there are no more");
    for (unsigned more = 0; more < 2; more++) {
        static const char *const targets[] = {"gbnf", "regex"};
        for (size_t i = 0; i < 2; i++) {
            struct buf text, out;
            buf_init(&text, NULL, 1 << 20);
            buf_init(&out, NULL, 1 << 20);
            buf_printf(&text,
                       "[t:Tool {description: \"d\"} | (x::Text {maxLength: %u})==>(::Text)]",
                       1999 + more);
            assert_int_equal(findings_of(buf_view(&text), targets[i], "G0815", &out), more);
            assert_non_null(strstr(out.ptr, "{0,1999}"));
            buf_free(&text);
            buf_free(&out);
        }
    }
}

/* A regular expression for a text of so many letters. */
static size_t findings_of_letters(size_t letters, struct buf *out) {
    struct buf text;
    buf_init(&text, NULL, 4 << 20);
    buf_puts(&text, "[t:Tool {description: \"d\"} | (x::Text {const: \"");
    for (size_t i = 0; i < letters; i++) buf_putc(&text, 'a');
    buf_puts(&text, "\"})==>(::Text)]");
    size_t count = findings_of(buf_view(&text), "regex", "G0817", out);
    buf_free(&text);
    return count;
}

static void test_bytes(void **state) {
    struct buf out;
    (void)state;
    STATED(REGEX_BYTES_MAX, 1048576, "G0817");
    buf_init(&out, NULL, 4 << 20);
    assert_int_equal(findings_of_letters(10, &out), 0);
    size_t others = out.len - 1 - 10; /* less the end of the line */
    buf_reset(&out);
    assert_int_equal(findings_of_letters(1048576 - others, &out), 0);
    assert_int_equal(out.len, 1048576 + 1);
    assert_int_equal(findings_of_letters(1048576 - others + 1, NULL), 1);
    buf_free(&out);
}

static void test_pieces(void **state) {
    struct arena arena;
    struct grammar g = {.arena = &arena};
    (void)state;
    STATED(GRAMMAR_PIECES_MAX, 50000, "G0817");
    arena_init(&arena, NULL);
    for (int i = 0; i < 50000; i++) assert_false(piece_is_never(piece_text(&g, "a")));
    assert_false(g.too_large);
    assert_true(piece_is_never(piece_text(&g, "a")));
    assert_true(g.too_large);
    arena_free(&arena);
}

/* The same for a spec: a value is a piece at least. */
static void test_many_values(void **state) {
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    buf_puts(&text, "[t:Tool {description: \"d\"} | (x::Int {enum: [0");
    for (int i = 1; i < 50001; i++) buf_printf(&text, ", %d", i);
    buf_puts(&text, "]})==>(::Text)]");
    assert_int_equal(findings_of(buf_view(&text), "gbnf", "G0817", NULL), 1);
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
