/* What is looked for and mended in cassettes: secrets by their looks, what scrubbing leaves as it
 * is, what pruning drops, days. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/cassette_audit.h"
#include "experiment/cassette_prune.h"
#include "experiment/cassette_scrub.h"
#include "experiment/cassette_secret.h"
#include "experiment/day.h"

static void secrets_by_their_looks(void **state) {
    static const struct {
        const char *text;
        size_t start, end; /* 0, 0: none */
    } rows[] = {
        {"Q7xK2mP9vR4tY8wZ1bN6cJ3dq", 0, 25},
        {"it is Q7xK2mP9vR4tY8wZ1bN6cJ3dq.", 6, 31},
        {"getUserByIdAndReturnSomething2", 0, 0},
        {"https://example.com/A1/b2/C3/d4/E5/f6/G7/h8", 0, 0},
        {"0123456789abcdef0123456789abcdef0123456789abcdef", 0, 0},
        {"Q7xK2mP9vR4tY8wZ1bN6cJ3", 0, 0}, /* one too short */
        {"A1a1A1a1A1a1A1a1A1a1A1a1A1a1", 0, 0},
        {"", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct secret_span span = {0, 0};
        bool found = secret_by_entropy(text_of(rows[i].text), 0, &span);
        if (found != (rows[i].end > 0)) print_message("row %zu\n", i);
        assert_int_equal(found, rows[i].end > 0);
        assert_true(span.start == rows[i].start && span.end == rows[i].end);
    }
}

static void secrets_by_their_beginnings(void **state) {
    static const char text[] =
        "a sk-abcdefghijklmnopqrstuvwx. -----BEGIN KEY-----\nAA\n-----END KEY-----;"
        " eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_Xg.";
    struct secret_span span = {0, 0};
    (void)state;
    assert_true(secret_by_prefix(text_of(text), 0, &span));
    assert_true(
        text_is(text_slice(text_of(text), span.start, span.end), "sk-abcdefghijklmnopqrstuvwx"));
    assert_true(secret_by_prefix(text_of(text), span.end, &span));
    assert_true(text_is(text_slice(text_of(text), span.start, span.end),
                        "-----BEGIN KEY-----\nAA\n-----END KEY-----"));
    size_t next = span.end;
    if (secret_by_prefix(text_of(text), next, &span)) assert_int_equal(span.end, strlen(text) - 1);
    assert_false(secret_by_prefix(text_of("-----begin key-----"), 0, &span));
    assert_true(secret_is_name(TEXT("API_key")) && secret_is_name(TEXT("api-key")));
    assert_false(secret_is_name(TEXT("tokens")) || secret_is_name(TEXT("max_tokens")));
    assert_true(secret_is_id(TEXT("tool_call_id")) && !secret_is_id(TEXT("text")));
}

/* ## Files */

#define FIRST                                                                                      \
    "{\"event\":\"cassette\",\"format\":\"gramc-cassette\",\"version\":1,\"item\":\"one\","        \
    "\"seed\":3}\n"
#define CELL(repeat, arm) "{\"event\":\"cell\",\"repeat\":" repeat ",\"arm\":\"" arm "\"}\n"
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":2}\n"
#define SAID(text) "{\"event\":\"answer\",\"text\":" text "}\n"
#define OUTCOME "{\"event\":\"outcome\",\"outcome\":\"answered\"}\n"

static gramc_status scrub(struct buf *out, const char *file, const struct scrub_rules *rules,
                          size_t *places) {
    struct cassette_error error;
    buf_init(out, NULL, 1 << 20);
    return cassette_scrub(out, text_of(file), rules, places, &error);
}

static void scrubbing(void **state) {
    /* Blanks and the order of members stay where nothing is cut out. */
    static const char plain[] =
        FIRST CELL("1", "a") HEADER "{ \"event\": \"answer\", \"z\": 1, \"text\": \"x\" }\n";
    static const char dirty[] =
        FIRST CELL("1", "a") HEADER SAID("\"sk-abcdefghijklmnopqrstuvwx and Bob\"")
            SAID("\"{\\\"user\\\": {\\\"name\\\": \\\"Bob\\\", \\\"age\\\": 3}}\"") OUTCOME;
    regex_t pattern;
    struct buf out;
    size_t places;
    (void)state;
    assert_int_equal(scrub(&out, plain, NULL, &places), GRAMC_OK);
    assert_true(places == 0 && text_is(buf_view(&out), plain));
    buf_free(&out);
    assert_int_equal(regcomp(&pattern, "Bo?b|x*", REG_EXTENDED), 0);
    struct scrub_rules rules = {.members = {TEXT("user")}, .member_count = 1};
    rules.patterns[rules.pattern_count++] = &pattern;
    assert_int_equal(scrub(&out, dirty, &rules, &places), GRAMC_OK);
    assert_true(text_is(
        buf_view(&out),
        FIRST CELL("1", "a") HEADER SAID("\"[scrubbed] and [scrubbed]\"")
            SAID("\"{\\\"user\\\":{\\\"name\\\":\\\"[scrubbed]\\\",\\\"age\\\":3}}\"") OUTCOME));
    assert_int_equal(places, 3);
    /* Once more nothing is left to do. */
    struct buf again;
    assert_int_equal(scrub(&again, out.ptr, &rules, &places), GRAMC_OK);
    assert_true(places == 0 && text_eq(buf_view(&again), buf_view(&out)));
    buf_free(&again);
    buf_free(&out);
    regfree(&pattern);
    assert_int_equal(scrub(&out, "[1]\n", NULL, &places), GRAMC_FINDINGS);
    buf_free(&out);
}

static gramc_status prune(struct buf *out, const char *name, const char *file,
                          struct cassette_pruned *pruned) {
    static gramc_text words[] = {{"Hi", 2}};
    static const struct item items[] = {{.id = {"one", 3}, .messages = words, .message_count = 1}};
    static const struct cases cases = {.items = items, .count = 1};
    static gramc_arm arms[] = {{.name = {"a", 1}}, {.name = {"b", 1}}};
    static const gramc_experiment experiment = {.arms = arms, .arm_count = 2};
    const struct plan plan = {
        .experiment = &experiment, .cases = &cases, .items = 1, .repeats = 2, .arms = 2, .seed = 3};
    struct cassette_error error;
    buf_init(out, NULL, 1 << 20);
    return cassette_prune(out, text_of(name), text_of(file), &plan, pruned, &error);
}

static void pruning(void **state) {
    static const char file[] = FIRST CELL("1", "a") HEADER OUTCOME CELL("1", "c")
        HEADER OUTCOME CELL("2", "b") HEADER OUTCOME CELL("3", "a") HEADER OUTCOME;
    struct cassette_pruned pruned;
    struct buf out;
    (void)state;
    assert_int_equal(prune(&out, "one.jsonl", file, &pruned), GRAMC_OK);
    assert_true(pruned.kept == 2 && pruned.dropped == 2);
    assert_true(
        text_is(buf_view(&out), FIRST CELL("1", "a") HEADER OUTCOME CELL("2", "b") HEADER OUTCOME));
    buf_free(&out);
    assert_int_equal(prune(&out, "other.jsonl", file, &pruned), GRAMC_OK);
    assert_true(pruned.kept == 0 && pruned.dropped == 4);
    buf_free(&out);
    assert_int_equal(prune(&out, "one.jsonl",
                           "{\"event\":\"cassette\",\"format\":\"gramc-cassette\",\"version\":1,"
                           "\"item\":\"one\",\"seed\":4}\n",
                           &pruned),
                     GRAMC_FINDINGS);
    buf_free(&out);
}

/* ## Findings */

struct told {
    char messages[4][80];
    size_t count;
};

static void on_finding(void *ctx, gramc_text file, size_t line, const char *what,
                       gramc_text detail) {
    struct told *told = ctx;
    (void)file, (void)line, (void)detail;
    if (told->count < 4) strncpy(told->messages[told->count], what, 79);
    told->count++;
}

static void findings(void **state) {
    static const struct {
        const char *file, *message; /* NULL: none */
    } rows[] = {
        {FIRST CELL("1", "a") HEADER OUTCOME, NULL},
        {FIRST CELL("1", "a") HEADER OUTCOME CELL("1", "b") HEADER OUTCOME CELL("2", "a")
             HEADER OUTCOME,
         NULL},
        {"", "it is empty"},
        {FIRST, "it holds no cell"},
        {FIRST OUTCOME, "line 2: it belongs to no cell"},
        {FIRST CELL("1", "a") HEADER "{\"event\":\"outcome\",\"outcome\":\"answered\"}",
         "its last line is cut off"},
        {FIRST CELL("1", "a") OUTCOME, "a cell has no header"},
        {FIRST CELL("1", "a") HEADER, "a cell does not come to its end"},
        {FIRST CELL("1", "a") HEADER HEADER OUTCOME, "a cell has two headers"},
        {FIRST CELL("1", "a") HEADER OUTCOME SAID("\"x\""), "something stands behind an outcome"},
        {FIRST CELL("1", "a") HEADER OUTCOME CELL("1", "a") HEADER OUTCOME,
         "a cell is recorded twice"},
        {FIRST CELL("2", "a") HEADER OUTCOME CELL("1", "a") HEADER OUTCOME,
         "a cell is not in its place"},
        {FIRST CELL("0", "a") HEADER OUTCOME, "line 3: it belongs to no cell"},
        {FIRST CELL("1", "a") HEADER SAID("\"ghp_0123456789abcdefghijklmnopqrstuv\"") OUTCOME,
         "what looks like a secret"},
        {FIRST CELL("1", "a") HEADER SAID("{\"password\":\"correct-horse\"}") OUTCOME,
         "what looks like a secret"},
        {FIRST CELL("1", "a") HEADER SAID("{\"password\":\"" SCRUBBED "\"}") OUTCOME, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cassette_audit audit;
        struct told told = {.count = 0};
        bool seen = rows[i].message == NULL;
        cassette_audit_init(&audit, NULL);
        audit.finding = on_finding;
        audit.ctx = &told;
        assert_int_equal(cassette_audit_file(&audit, TEXT("one.jsonl"), text_of(rows[i].file)),
                         GRAMC_OK);
        for (size_t k = 0; rows[i].message && k < told.count && k < 4; k++)
            seen = seen || strcmp(told.messages[k], rows[i].message) == 0;
        if (!seen || (!rows[i].message && told.count))
            print_message("row %zu: %s\n", i, told.count ? told.messages[0] : "nothing");
        assert_true(seen && (rows[i].message || !told.count));
        assert_int_equal(audit.findings, told.count);
        cassette_audit_free(&audit);
    }
}

/* ## Days */

static void days(void **state) {
    char room[DAY_ROOM];
    (void)state;
    assert_true(day_spell(room, INT64_C(1763769600000)));
    assert_string_equal(room, "2025-11-22");
    assert_true(day_read(TEXT("2025-11-22")) == INT64_C(1763769600000));
    assert_true(day_spell(room, day_read(TEXT("2024-02-29"))));
    assert_string_equal(room, "2024-02-29");
    assert_false(day_spell(room, 0));
    static const char *const none[] = {"",           "2025-11-2",  "2025-13-01", "2025-00-01",
                                       "20x5-11-22", "2025/11/22", "1969-01-01"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(day_read(text_of(none[i])) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_by_their_looks),
        cmocka_unit_test(secrets_by_their_beginnings),
        cmocka_unit_test(scrubbing),
        cmocka_unit_test(pruning),
        cmocka_unit_test(findings),
        cmocka_unit_test(days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
