/* What providers count: each limit, just kept and just broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "gramc/compile.h"
#include "tests/stated.h"

typedef void maker(struct buf *out, unsigned n);

/* The parameters are the first level. */
static void levels(struct buf *out, unsigned n) {
    buf_puts(out, "[t:Tool {description: \"d\"} | (x::Object {fields: {");
    for (unsigned i = 3; i < n + 1; i++) buf_puts(out, "a: {type: Object, fields: {");
    buf_puts(out, "last: Int");
    for (unsigned i = 3; i < n + 1; i++) buf_puts(out, "}}");
    buf_puts(out, "}})==>(::Text)]");
}

static void properties(struct buf *out, unsigned n) {
    buf_puts(out, "[t:Tool {description: \"d\"} | ");
    for (unsigned i = 0; i < n; i++) buf_printf(out, "(p%x::Int)==>", i);
    buf_puts(out, "(::Text)]");
}

static void values(struct buf *out, unsigned n) {
    buf_puts(out, "[t:Tool {description: \"d\"} | (x::Int {enum: [");
    for (unsigned i = 0; i < n; i++) buf_printf(out, "%s%u", i ? ", " : "", i);
    buf_puts(out, "]})==>(::Text)]");
}

/* The name counts too. */
static void characters(struct buf *out, unsigned n) {
    buf_puts(out, "[t:Tool {description: \"d\"} | (x::Text {const: \"");
    for (unsigned i = 1; i < n; i++) buf_puts(out, i % 2 ? "c" : "\xC3\xA4");
    buf_puts(out, "\"})==>(::Text)]");
}

static void tools(struct buf *out, unsigned n) {
    buf_puts(out, "[a:Agent {description: \"d\"} | ");
    for (unsigned i = 0; i < n; i++)
        buf_printf(out, "%s[t%u:Tool {description: \"d\"} | ()==>(::Text)]", i ? ", " : "", i);
    buf_puts(out, "]");
}

static const struct {
    const char *target;
    maker *make;
    unsigned old, new; /* the last that passes; 0: there is no such limit */
} limits[] = {
    {"openai-strict", levels, 5, 10},
    {"openai-strict", properties, 100, 5000},
    {"openai-strict", values, 500, 1000},
    {"openai-strict", characters, 15000, 120000},
    {"openai", tools, 128, 0},
    {"openai-strict", tools, 128, 0},
    {"openai-responses", tools, 128, 0},
    {"gemini", tools, 128, 0},
    {"openai-functions", tools, 0, 128},
};

static size_t count(gramc_compilation *compilation, const char *code) {
    gramc_finding finding;
    size_t found = 0;
    for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++)
        found += strcmp(finding.code, code) == 0;
    return found;
}

static void expect(const char *target, maker *make, unsigned n, const char *code) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    struct buf text;
    buf_init(&text, NULL, 1 << 24);
    make(&text, n);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, GRAMC_TEXT("t"), text.ptr, text.len), GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    gramc_text name = {target, strlen(target)};
    const gramc_agent *agent = gramc_spec_agent_count(spec) ? gramc_spec_agent(spec, 0) : NULL;
    bool fails = strcmp(code, "G0811") == 0;
    assert_int_equal(gramc_target_check(compilation, agent, name),
                     fails ? GRAMC_FINDINGS : GRAMC_OK);
    /* Five thousand names break the limit of characters as well. */
    if (!fails) assert_true((count(compilation, "G0810") > 0) == (strcmp(code, "G0810") == 0));
    assert_int_equal(count(compilation, "G0811"), fails);
    gramc_compilation_free(compilation);
    buf_free(&text);
}

static void each_limit(void **state) {
    (void)state;
    STATED(MANY_TOOLS, 128,
           "G0810, or G0811 where the provider refuses; a run says G0457 and sends the first ones");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *target = limits[i].target;
        unsigned old = limits[i].old, new = limits[i].new;
        expect(target, limits[i].make, old ? old : new, "");
        if (old) expect(target, limits[i].make, old + 1, "G0810");
        if (old && new) expect(target, limits[i].make, new, "G0810");
        if (new) expect(target, limits[i].make, new + 1, "G0811");
    }
}

static void no_limit_elsewhere(void **state) {
    static const char *const targets[] = {"anthropic", "mcp", "ollama", "json-schema"};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        expect(targets[i], tools, 129, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit),
        cmocka_unit_test(no_limit_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
