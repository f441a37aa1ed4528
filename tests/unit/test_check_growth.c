/* Specs that are large in one way, compiled at a size and at four times that size: what is asked of
 * the allocator in all, and the processor time where there is enough of it, may not grow by much
 * more than four. And the limit on what checks may take, of which a golden case shows the words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/limits.h"
#include "compiler/checking.h"
#include "compiler/spec.h"
#include "gramc/compile.h"
#include "tests/stated.h"

/* ## Shapes */

typedef void shape(struct buf *out, unsigned count);

/* Each union holds the one before it: a member is compared with all that came earlier. */
static void unions_of_unions(struct buf *out, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        buf_printf(out, "[R%u:Object | (kind::Text {const: \"k%u\"}), (a%u::Int)]\n", i, i, i % 7);
    buf_puts(out, "[U0:AnyOf | R0, R1]\n");
    for (unsigned i = 1; i < count; i++) buf_printf(out, "[U%u:AnyOf | U%u, R%u]\n", i, i - 1, i);
}

/* All types refer to each other: every document of one has all of them. */
static void tangled_unions(struct buf *out, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        buf_printf(out, "[R%u:Object | (kind::Text {const: \"k%u\"}), ", i, i);
        buf_printf(out, "(next::U%u {optional: true})]\n", (i * 7 + 1) % count);
        buf_printf(out, "[U%u:AnyOf | R%u, R%u]\n", i, i, (i + 3) % count);
    }
}

static void recursive_with_defaults(struct buf *out, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        buf_printf(out, "[R%u:Object | (mode::Text {enum: [\"on\", \"off\"], default: \"on\"}), ",
                   i);
        buf_printf(
            out, "(next::R%u {default: {}}), (n::Text {pattern: \"^[a-z]+$\", optional: true})]\n",
            (i * 5 + 1) % count);
    }
}

static void one_union(struct buf *out, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        buf_printf(out, "[R%u:Object | (a%u::Int), (b::Text {optional: true})]\n", i, i);
    buf_puts(out, "[U:AnyOf | R0");
    for (unsigned i = 1; i < count; i++) buf_printf(out, ", R%u", i);
    buf_puts(out, "]\n[t:Tool {description: \"d\"} | (u::U)==>(::Text)]\n");
}

/* ## What compiling takes */

struct meter {
    uint64_t bytes;
};

static void *count_alloc(void *ctx, void *old, size_t old_size, size_t size) {
    struct meter *meter = ctx;
    (void)old_size;
    if (!size) {
        free(old);
        return NULL;
    }
    meter->bytes += size;
    return realloc(old, size);
}

struct taken {
    uint64_t bytes;
    double seconds;
};

static struct taken compile(shape *make, unsigned count) {
    struct meter meter = {0};
    const gramc_allocator allocator = {count_alloc, &meter};
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation = NULL;
    const gramc_spec *spec = NULL;
    struct buf text;
    buf_init(&text, NULL, 1 << 24);
    make(&text, count);
    assert_int_equal(buf_status(&text), GRAMC_OK);
    options.allocator = &allocator;
    clock_t begin = clock();
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, GRAMC_TEXT("s.gram"), text.ptr, text.len),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    gramc_compilation_free(compilation);
    buf_free(&text);
    return (struct taken){meter.bytes, seconds};
}

/* Time that is too short says nothing, and the least of some runs is nearest to what it takes. */
static const double measurable = 0.02;

static double least_time(shape *make, unsigned count) {
    double least = compile(make, count).seconds;
    for (int i = 0; i < 2; i++) {
        double seconds = compile(make, count).seconds;
        if (seconds < least) least = seconds;
    }
    return least;
}

static void test_growth(void **state) {
    static const struct {
        shape *make;
        unsigned count;
    } rows[] = {{unions_of_unions, 60},
                {tangled_unions, 150},
                {recursive_with_defaults, 150},
                {one_union, 300}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct taken small = compile(rows[i].make, rows[i].count);
        struct taken large = compile(rows[i].make, 4 * rows[i].count);
        assert_true(small.bytes > 10000);
        if (large.bytes > 8 * small.bytes)
            fail_msg("shape %zu: %llu bytes, at four times the size %llu", i,
                     (unsigned long long)small.bytes, (unsigned long long)large.bytes);
        if (large.seconds < measurable) continue;
        double ratio =
            least_time(rows[i].make, 4 * rows[i].count) / least_time(rows[i].make, rows[i].count);
        if (ratio > 10) fail_msg("shape %zu: %.1f times as long at four times the size", i, ratio);
    }
}

/* ## The limit */

static void test_limit(void **state) {
    enum { FREE = 100 }; /* of each schema that is printed */
    struct gramc_spec spec = {.errors = 0};
    gramc_compilation compilation = {.spec = &spec};
    struct source source = {.name = GRAMC_TEXT("s.gram"), .text = GRAMC_TEXT("[A:Text]")};
    struct findings findings;
    struct pass pass = {&compilation, &compilation.arena, &findings, &source};
    (void)state;
    STATED(CHECKING_MAX, 300000, "G0340: what follows is not checked so far");
    arena_init(&compilation.arena, NULL);
    findings_init(&findings, &compilation.arena, 0);
    checking_takes(&pass, CHECKING_MAX + FREE, (struct span){0, 1});
    assert_false(checking_is_over(&pass));
    assert_int_equal(findings.counts[GRAMC_WARNING], 0);
    for (int i = 0; i < 2; i++) checking_takes(&pass, FREE + 1, (struct span){0, 1});
    assert_true(checking_is_over(&pass));
    assert_int_equal(findings.counts[GRAMC_WARNING], 1);
    assert_int_equal(findings.first->id, D_CHECKING_LIMIT);
    arena_free(&compilation.arena);
}

static void test_long_chain(void **state) {
    (void)state;
    STATED(BASES_MAX, 2000, "G0341");
    for (unsigned more = 0; more < 2; more++) {
        gramc_compilation *compilation = NULL;
        const gramc_spec *spec = NULL;
        struct buf text;
        buf_init(&text, NULL, 1 << 20);
        buf_puts(&text, "[T1:Text]\n");
        for (unsigned i = 2; i <= BASES_MAX + more; i++) buf_printf(&text, "[T%u:T%u]\n", i, i - 1);
        assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
        assert_int_equal(gramc_add_source(compilation, GRAMC_TEXT("s.gram"), text.ptr, text.len),
                         GRAMC_OK);
        assert_int_equal(gramc_compile(&spec, compilation), more ? GRAMC_FINDINGS : GRAMC_OK);
        gramc_compilation_free(compilation);
        buf_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
