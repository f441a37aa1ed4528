/* Tests what JavaScript calls (wasm/), compiled for this machine: each operation through the
 * exported function, requests that are wrong, and memory running out anywhere. The build for
 * WebAssembly is compared with the program by tests/peers/wasm.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/failing.h"
#include "wasm/call.h"
#include "wasm/gramc_wasm.h"

#define TOOL "[t:Tool {description: \\\"Adds\\\"} | (a::Int)==>(::Int)]"
#define NARROW "[t:Tool {description: \\\"Adds\\\"} | (a::Int {min: 3})==>(::Int)]"
#define SCHEMA                                                                                     \
    "[{\\\"name\\\":\\\"add\\\",\\\"description\\\":\\\"Adds\\\",\\\"input_schema\\\":"            \
    "{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"a\\\":{\\\"type\\\":\\\"integer\\\"}}}}" \
    "]"

struct answer {
    struct arena arena;
    char *bytes;
    const struct json *root;
};

static void ask(struct answer *answer, const char *operation, const char *request) {
    arena_init(&answer->arena, NULL);
    answer->bytes = gramc_wasm_call(operation, request, strlen(request));
    assert_non_null(answer->bytes);
    answer->root = json_parse(&answer->arena, text_of(answer->bytes), NULL);
    assert_non_null(answer->root);
}

static void forget(struct answer *answer) {
    arena_free(&answer->arena);
    gramc_wasm_free(answer->bytes);
}

static gramc_text member(const struct answer *answer, const char *name) {
    const struct json *value = json_get(answer->root, name);
    if (!value) print_error("no %s in %s\n", name, answer->bytes);
    assert_non_null(value);
    return value->text;
}

static bool holds(gramc_text text, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, part, len) == 0) return true;
    return false;
}

static const struct row {
    const char *operation, *request, *status;
    const char *name, *part; /* a member of the reply holds this; NULL: nothing is looked at */
} rows[] = {
    {"version", "{}", "ok", "version", "0."},
    {"check", "{\"text\":\"" TOOL "\"}", "ok", "report", "\"diagnostics\":[]"},
    {"check", "{\"text\":\"[t:Tool | (a::Int)==>(::Int)]\"}", "findings", "report", "G0209"},
    {"check", "{\"text\":\"[t:Tool | (a::Int)==>(::Int)]\",\"name\":\"my.gram\"}", "findings",
     "report", "my.gram"},
    {"check", "{\"text\":\"[t:Tool | (a::Int)==>(::Int)]\",\"format\":\"sarif\"}", "findings",
     "report", "sarif-2.1.0"},
    {"check", "{\"text\":\"" TOOL "\",\"target\":\"openai\"}", "ok", "errors", "0"},
    {"check", "{\"text\":\"" TOOL "\",\"configuration\":\"{kind: 1}\"}", "findings", NULL, NULL},
    {"check",
     "{\"text\":\"[a:Agent {description: \\\"d\\\", instruction: {file: \\\"p.md\\\"}} | "
     "[t:Tool {description: \\\"d\\\"} | ()==>(::Text)]]\",\"files\":{\"p.md\":\"Hello\"}}",
     "ok", NULL, NULL},
    {"check",
     "{\"text\":\"{imports: \\\"b.gram\\\"}\\n[a:Agent {description: \\\"d\\\"} | t]\",\"files\":"
     "{\"b.gram\":\"" TOOL "\"}}",
     "ok", NULL, NULL},
    {"check",
     "{\"text\":\"{imports: \\\"b.gram\\\"}\\n[a:Agent {description: \\\"d\\\"} | "
     "t]\",\"files\":{}}",
     "findings", "report", "b.gram"},
    {"check", "{\"text\":\"{imports: \\\"../b.gram\\\"}\",\"files\":{}}", "findings", "report",
     "outside the project"},
    {"compile", "{\"text\":\"" TOOL "\",\"target\":\"json-schema\"}", "ok", "output",
     "\"integer\""},
    {"compile", "{\"text\":\"" TOOL "\",\"target\":\"markdown\"}", "ok", "output", "Adds"},
    {"compile", "{\"text\":\"[t:Tool | (a::Int)==>(::Int)]\",\"target\":\"openai\"}", "findings",
     "report", "G0209"},
    {"compile",
     "{\"text\":\"" TOOL "[a:Agent {description: \\\"d\\\"} | t]\\n[b:Agent {description: "
     "\\\"d\\\"} | t]\",\"target\":\"openai\"}",
     "ambiguous", NULL, NULL},
    {"compile",
     "{\"text\":\"" TOOL "[a:Agent {description: \\\"d\\\"} | t]\\n[b:Agent {description: "
     "\\\"d\\\"} | t]\",\"target\":\"openai\",\"agent\":\"b\"}",
     "ok", "output", "Adds"},
    {"compile", "{\"text\":\"" TOOL "\",\"target\":\"openai\",\"agent\":\"nobody\"}", "not-found",
     NULL, NULL},
    {"import", "{\"text\":\"" SCHEMA "\"}", "ok", "output", "add:Tool"},
    {"import", "{\"text\":\"" SCHEMA "\",\"agent\":\"me\"}", "ok", "output", "me:Agent"},
    {"import", "{\"text\":\"{\"}", "findings", "report", "tools.json"},
    {"diff", "{\"before\":\"" TOOL "\",\"after\":\"" NARROW "\"}", "ok", "report", "D209"},
    {"diff", "{\"before\":\"" TOOL "\",\"after\":\"" NARROW "\"}", "ok", "breaking", "1"},
    {"diff", "{\"before\":\"" TOOL "\",\"after\":\"[t:Tool\"}", "findings", "side", "after"},
    {"diff", "{\"before\":\"[t:Tool\",\"after\":\"" TOOL "\"}", "findings", "side", "before"},
    {"format", "{\"text\":\"[t:Tool{description:\\\"d\\\"}|()==>(::Text)]\"}", "ok", "output",
     "[t:Tool {description: \"d\"}"},
    {"format", "{\"text\":\"[t:Tool\"}", "findings", "report", "G0"},
    {"fix", "{\"text\":\"[t:Tool {desciption: \\\"d\\\"} | ()==>(::Text)]\"}", "ok", "output",
     "description"},
    {"explain", "{\"code\":\"G0209\"}", "ok", "slug", "missing-description"},
    {"explain", "{\"code\":\"missing-description\"}", "ok", "code", "G0209"},
    {"explain", "{\"code\":\"G9999\"}", "not-found", NULL, NULL},
    /* What is wrong with a request. */
    {"bless", "{}", "usage", "message", "no such operation"},
    {"check", "", "usage", "message", "no JSON object"},
    {"check", "[]", "usage", "message", "no JSON object"},
    {"check", "{}", "usage", "message", "lacks"},
    {"check", "{\"text\":1}", "usage", "message", "wrong type"},
    {"check", "{\"text\":\"\",\"strict\":1}", "usage", "message", "wrong type"},
    {"check", "{\"text\":\"\",\"color\":true}", "usage", "message", "does not take"},
    {"check", "{\"text\":\"\",\"code\":\"G0209\"}", "usage", "message", "does not take"},
    {"check", "{\"text\":\"\",\"files\":{\"a\":1}}", "usage", "message", "files"},
    {"check", "{\"text\":\"\",\"target\":\"nope\"}", "usage", "message", "no such target"},
    {"check", "{\"text\":\"\",\"name\":\"a\\u0000b\"}", "usage", "message", "NUL"},
    {"check", "{\"text\":\"\",\"format\":\"nope\"}", "usage", "message", "no such format"},
    {"compile", "{\"text\":\"\",\"target\":\"nope\"}", "usage", "message", "no such target"},
    {"import", "{\"text\":\"\",\"kind\":\"nope\"}", "usage", "message", "no such kind"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        struct answer answer;
        ask(&answer, row->operation, row->request);
        bool good = text_is(member(&answer, "status"), row->status) &&
                    (!row->part || holds(member(&answer, row->name), row->part));
        if (!good) print_error("%s %s gave %s\n", row->operation, row->request, answer.bytes);
        assert_true(good);
        forget(&answer);
    }
}

/* Warnings fail where that is asked for, and not otherwise. */
static void test_strict(void **state) {
    (void)state;
    struct answer answer;
    const char *spec = "[t:Tool {description: \\\"d\\\"} | "
                       "(a::Text {enum: [\\\"x\\\", \\\"x\\\"]})==>(::Text)]";
    char request[512];
    for (int strict = 0; strict < 2; strict++) {
        snprintf(request, sizeof request, "{\"text\":\"%s\",\"strict\":%s}", spec,
                 strict ? "true" : "false");
        ask(&answer, "check", request);
        assert_true(text_is(member(&answer, "status"), strict ? "findings" : "ok"));
        forget(&answer);
    }
}

/* Half of a surrogate pair, as JavaScript can hold it. */
static void test_half_pair(void **state) {
    (void)state;
    struct answer answer;
    ask(&answer, "check", "{\"text\":\"// \\ud83d\\n" TOOL "\"}");
    assert_true(text_is(member(&answer, "status"), "ok"));
    forget(&answer);
}

/* What a row gives when the n-th allocation fails. */
static gramc_status try_row(const struct row *row, long n, struct failing *failing,
                            struct buf *out) {
    *failing = (struct failing){.fail_at = n};
    const gramc_allocator allocator = test_failing(failing);
    buf_init(out, &allocator, INT32_MAX);
    return call_answer(&allocator, text_of(row->operation), text_of(row->request), out);
}

/* Memory running out at any point is said, or the answer is the same without that piece; nothing is
 * lost. */
static void test_no_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct failing failing, whole;
        struct buf out, wanted;
        assert_int_equal(try_row(&rows[i], 0, &whole, &wanted), GRAMC_OK);
        size_t said = 0;
        long n = 0;
        do {
            gramc_status status = try_row(&rows[i], ++n, &failing, &out);
            if (status == GRAMC_NOMEM) said++;
            else if (status != GRAMC_OK || !text_eq(buf_view(&out), buf_view(&wanted)))
                fail_msg("%s %s: allocation %ld gave %d %s not %s", rows[i].operation,
                         rows[i].request, n, (int)status, out.ptr, wanted.ptr);
            buf_free(&out);
            assert_int_equal(failing.live, 0);
        } while (failing.failed);
        assert_true(said > 0);
        buf_free(&wanted);
        assert_int_equal(whole.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_half_pair),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
