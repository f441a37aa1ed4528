/* Safe fixes: each gives the text that it should, removes its finding and brings no other; and
 * where more than one thing can have been meant, there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"

/* ## One round */

struct evaluated {
    struct buf mended;
    size_t findings, fixed;
    char codes[512]; /* "G0101 G0206 " */
};

static gramc_status evaluate_with(struct evaluated *j, const char *text,
                                  const gramc_options *options) {
    gramc_compilation *compilation;
    gramc_finding finding;
    const gramc_spec *spec;
    *j = (struct evaluated){.findings = 0};
    buf_init(&j->mended, NULL, 1 << 20);
    if (gramc_compilation_new(&compilation, options)) return GRAMC_NOMEM;
    gramc_status status = gramc_add_source(compilation, TEXT("t"), text, strlen(text));
    if (status != GRAMC_NOMEM) status = gramc_compile(&spec, compilation);
    if (status != GRAMC_NOMEM)
        status = gramc_source_fix(compilation, 0, buf_writer(&j->mended), &j->fixed);
    while (status == GRAMC_OK && gramc_finding_get(compilation, j->findings, &finding)) {
        size_t used = strlen(j->codes), room = sizeof j->codes - used;
        int len = snprintf(j->codes + used, room, "%s ", finding.code);
        assert_true(len > 0 && (size_t)len < room);
        j->findings++;
    }
    gramc_compilation_free(compilation);
    return status;
}

static struct evaluated evaluate(const char *text) {
    struct evaluated j;
    assert_int_equal(evaluate_with(&j, text, NULL), GRAMC_OK);
    return j;
}

/* ## What is fixed */

#define TOOL(signature) "[t:Tool {description: \"d\"} | " signature "]"

static const struct {
    const char *code, *before, *after;
} mended[] = {
    /* names */
    {"G0206", "[a:Agent {temprature: 0}]", "[a:Agent {temperature: 0}]"},
    {"G0206", "[a:Agent {\"modle\": \"OpenAI/y\"}]", "[a:Agent {model: \"OpenAI/y\"}]"},
    {"G0206", TOOL("(x::Int {defualt: 1})==>(::Text)"), TOOL("(x::Int {default: 1})==>(::Text)")},
    {"G0206", "[l:ToolLibrary | [t:ToolImpl {builtn: \"math.add\"}]]",
     "[l:ToolLibrary | [t:ToolImpl {builtin: \"math.add\"}]]"},
    {"G0201", "[a:Agnt {description: \"x\"}]", "[a:Agent {description: \"x\"}]"},
    {"G0201", "[a:agent]", "[a:Agent]"},
    {"G0301", TOOL("(x::Txet)==>(::Int)"), TOOL("(x::Text)==>(::Int)")},
    {"G0301", TOOL("(x::Array {items: \"Integr\"})==>(::Int)"),
     TOOL("(x::Array {items: Integer})==>(::Int)")},
    {"G0301", "[Color:Text] " TOOL("(x::Colour)==>(::Int)"),
     "[Color:Text] " TOOL("(x::Color)==>(::Int)")},
    {"G0206", TOOL("(x::Int {mininum: 1})==>(::Text)"), TOOL("(x::Int {minimum: 1})==>(::Text)")},
    /* commas */
    {"G0101", "[a | b, c,]", "[a | b, c]"},
    {"G0101", "({a: 1, b: 2 , })", "({a: 1, b: 2  })"},
    {"G0101", "({a: [1, 2,]})", "({a: [1, 2]})"},
    {"G0101", "({a: 1,, b: 2})", "({a: 1, b: 2})"},
    {"G0101", "(a), (b)", "(a) (b)"},
    {"G0101", "[a | b c]", "[a | b, c]"},
    {"G0101", "({a: 1 // one\n b: 2})", "({a: 1, // one\n b: 2})"},
    {"G0101", "({a: [1 2]})", "({a: [1, 2]})"},
    {"G0101", "[a | (b)\n (c)-->(d)]", "[a | (b),\n (c)-->(d)]"},
    /* arrows */
    {"G0101", "(a)->(b)", "(a)-->(b)"},
    {"G0101", "(a)=>(b)", "(a)==>(b)"},
    {"G0101", "(a)~>(b)", "(a)~~>(b)"},
    {"G0101", "(a)<-(b)", "(a)<--(b)"},
    /* signatures */
    {"G0214", TOOL("(::Text)<==(x::Int)"), TOOL("(x::Int)==>(::Text)")},
    {"G0214", TOOL("(::Text) <-- (y::Int {min: 0}) <~~\n(x::Int)"),
     TOOL("(x::Int)==>(y::Int {min: 0})==>(::Text)")},
    {"G0214", TOOL("(::Text)<==()"), TOOL("()==>(::Text)")},
    {"G0216", TOOL("(x::Int)==>()==>(::Text)"), TOOL("(x::Int)==>(::Text)")},
    {"G0216", TOOL("()==>(x::Int)==>(::Text)"), TOOL("(x::Int)==>(::Text)")},
    {"G0216", TOOL("()==>()==>(::Text)"), TOOL("()==>(::Text)")},
    /* said twice */
    {"G0207", "[a:Agent {seed: 1, seed: 1}]", "[a:Agent {seed: 1}]"},
    {"G0207", "[a:Agent {seed: 1, model: \"OpenAI/y\", seed: 1, description: \"d\"}]",
     "[a:Agent {seed: 1, model: \"OpenAI/y\", description: \"d\"}]"},
    {"G0207", TOOL("(x::Int {min: 1, min: 1})==>(::Text)"), TOOL("(x::Int {min: 1})==>(::Text)")},
    {"G0319", TOOL("(x::Int {minimum: 1, min: 1})==>(::Text)"),
     TOOL("(x::Int {minimum: 1})==>(::Text)")},
    /* several at once */
    {"G0206", "[a:Agent {temprature: 0, tpoP: 1, seed: 1}]",
     "[a:Agent {temperature: 0, topP: 1, seed: 1}]"},
};

static void test_mended(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++) {
        struct evaluated before = evaluate(mended[i].before);
        if (!strstr(before.codes, mended[i].code) || !before.fixed || !before.mended.ptr ||
            strcmp(before.mended.ptr, mended[i].after) != 0)
            print_message("%s: %s: %s\n", mended[i].before, before.codes,
                          before.mended.ptr ? before.mended.ptr : "");
        assert_non_null(strstr(before.codes, mended[i].code));
        assert_true(before.fixed > 0);
        assert_string_equal(before.mended.ptr, mended[i].after);
        struct evaluated after = evaluate(mended[i].after);
        bool is_spec = mended[i].code[2] != '1';
        if (is_spec && after.findings) print_message("%s: %s\n", mended[i].after, after.codes);
        assert_true(is_spec ? after.findings == 0 : !strstr(after.codes, "G01"));
        assert_int_equal(after.fixed, 0);
        buf_free(&before.mended);
        buf_free(&after.mended);
    }
}

/* ## What is not */

static const struct {
    const char *code, *text;
} left[] = {
    {"G0206", "[a:Agent {tmprtr: 0}]"},                                /* too far */
    {"G0206", "[a:Agent {temprature: 0, temperature: 1}]"},            /* it is there already */
    {"G0206", TOOL("(x::Int {mix: 1})==>(::Text)")},                   /* min or max? */
    {"G0301", TOOL("(x::It)==>(::Text)")},                             /* too short to tell */
    {"G0301", "[Foob:Text] [Fool:Text] " TOOL("(x::Foo)==>(::Text)")}, /* either */
    {"G0206", TOOL("(x::Int {min: 1, mininum: 1})==>(::Text)")},       /* it is there, too */
    {"G0101", "({a: \"x\" \"y\"})"},
    {"G0101", "({a: [\"x\" \"y\"]})"}, /* or one string? */
    {"G0101", "[a | b {k: 1}]"},
    {"G0101", "(a)-(b)"},
    {"G0214", TOOL("(x::Int)<==(::Text)")},            /* backwards it would be wrong too */
    {"G0214", TOOL("(::Text)<==(x::Int)==>(y::Int)")}, /* not the whole path */
    {"G0214", TOOL("(::Text)<=[r]=(x::Int)")},         /* a subject would be lost */
    {"G0214", TOOL("(::Text)<== // c\n(x::Int)")},     /* a comment would be */
    {"G0216", TOOL("(x::Int)==>() // c\n==>(::Text)")},
    {"G0207", "[a:Agent {seed: 1, seed: 2}]"},
    {"G0207", "[a:Agent {seed: 1, // c\n seed: 1}]"},
    {"G0319", TOOL("(x::Int {minimum: 1, min: 2})==>(::Text)")},
};

static void test_left(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct evaluated j = evaluate(left[i].text);
        if (!strstr(j.codes, left[i].code) || j.fixed)
            print_message("%s: %s: %s\n", left[i].text, j.codes, j.mended.ptr);
        assert_non_null(strstr(j.codes, left[i].code));
        assert_int_equal(j.fixed, 0);
        assert_string_equal(j.mended.ptr, left[i].text);
        buf_free(&j.mended);
    }
}

/* ## The edits one by one */

static void test_edits(void **state) {
    static const char text[] = "({a: 1,})";
    gramc_compilation *compilation;
    gramc_edit edit;
    size_t fixed;
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 1 << 16);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("t"), text, strlen(text)), GRAMC_FINDINGS);
    assert_true(gramc_finding_edit(compilation, 0, 0, &edit));
    assert_int_equal(edit.start, 6);
    assert_int_equal(edit.end, 7);
    assert_int_equal(edit.replacement.len, 0);
    assert_false(gramc_finding_edit(compilation, 0, 1, &edit));
    assert_false(gramc_finding_edit(compilation, 1, 0, &edit));
    assert_int_equal(gramc_findings_print(compilation, GRAMC_REPORT_JSON, buf_writer(&out)),
                     GRAMC_OK);
    assert_non_null(strstr(out.ptr, "\"fix\":[{\"range\":{\"start\":{\"line\":0,\"character\":6},"
                                    "\"end\":{\"line\":0,\"character\":7}},\"newText\":\"\"}]"));
    assert_int_equal(gramc_source_fix(compilation, 1, buf_writer(&out), &fixed), GRAMC_NOT_FOUND);
    gramc_compilation_free(compilation);
    buf_free(&out);
}

/* ## Memory */

struct budget {
    long left;
};

static void *budget_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct budget *budget = ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return budget->left-- > 0 ? realloc(ptr, new_size) : NULL;
}

static void test_no_memory(void **state) {
    static const char text[] = "[a:Agent {temprature: 0, seed: 1, seed: 1}] [b:Agnt] " TOOL(
        "(::Txet)<==(x::Int)") " [u:Tool {description: \"d\"} | (x::Int)==>()==>(::Text)]";
    gramc_status status = GRAMC_NOMEM;
    long calls = 0;
    (void)state;
    for (; status == GRAMC_NOMEM; calls++) {
        struct budget budget = {calls};
        gramc_allocator allocator = {budget_alloc, &budget};
        gramc_options options = GRAMC_OPTIONS_INIT;
        struct evaluated j;
        options.allocator = &allocator;
        status = evaluate_with(&j, text, &options);
        if (status == GRAMC_OK) assert_int_equal(j.fixed, 5);
        buf_free(&j.mended);
        assert_true(calls < 2000);
    }
    assert_int_equal(status, GRAMC_OK);
    assert_true(calls > 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mended),
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
