/* Binding proves that implementations fit: a matrix of signatures, boxes from snapshots, and every
 * allocation failing once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/runtime.h"
#include "tests/failing.h"

/* ## Agents and libraries from text */

struct joined {
    gramc_compilation *compilation;
    const gramc_agent *agent;
    const gramc_library *library;
};

static gramc_status join(struct joined *out, const char *text, const gramc_allocator *allocator) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    const gramc_spec *spec;
    options.allocator = allocator;
    *out = (struct joined){.compilation = NULL};
    gramc_status status = gramc_compilation_new(&out->compilation, &options);
    if (!status) status = gramc_add_source(out->compilation, TEXT("all.gram"), text, strlen(text));
    if (!status) status = gramc_compile(&spec, out->compilation);
    if (!status) status = gramc_spec_find_agent(&out->agent, spec, TEXT(""));
    if (!status) status = gramc_spec_find_library(&out->library, spec, TEXT(""));
    if (!status) status = gramc_agent_prepare(out->compilation, out->agent);
    return status;
}

static void join_well(struct joined *out, const char *text) {
    gramc_status status = join(out, text, NULL);
    gramc_finding finding;
    if (status && gramc_finding_get(out->compilation, 0, &finding))
        fail_msg("%s: %.*s", text, TEXT_ARGS(finding.message));
    assert_int_equal(status, GRAMC_OK);
}

/* ## The matrix */

static const struct {
    const char *tool, *implementation;
    gramc_proof accepts, returns;
    const char *accepts_why, *returns_why; /* NULL: not looked at */
} rows[] = {
    /* Equal, wider and narrower types. */
    {"(a::Int)==>(::Int)", "(a::Int)==>(::Int)", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "", ""},
    {"(a::Int)==>(::Double)", "(a::Double)==>(::Int)", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "",
     ""},
    {"(a::Double)==>(::Int)", "(a::Int)==>(::Double)", GRAMC_PROOF_REFUTED, GRAMC_PROOF_REFUTED,
     NULL, NULL},
    {"(a::Text)==>(::Text)", "(a::Int)==>(::Int)", GRAMC_PROOF_REFUTED, GRAMC_PROOF_REFUTED, NULL,
     NULL},
    {"(a::Text)==>(::Any)", "(a::Any)==>(::Object)", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "",
     ""},
    /* Bounds. */
    {"(a::Int {min: 0, max: 5})==>(::Int {max: 9})", "(a::Int {max: 4})==>(::Int {max: 10})",
     GRAMC_PROOF_REFUTED, GRAMC_PROOF_REFUTED, "{\"a\":5}", "10"},
    {"(a::Text {maxLength: 3})==>(::Text)", "(a::Text {maxLength: 4})==>(::Text {minLength: 1})",
     GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "", ""},
    {"(a::Text {enum: [\"x\", \"y\"]})==>(::Text {enum: [\"x\"]})",
     "(a::Text {enum: [\"x\"]})==>(::Text {enum: [\"x\", \"y\"]})", GRAMC_PROOF_REFUTED,
     GRAMC_PROOF_REFUTED, "{\"a\":\"y\"}", "\"y\""},
    /* What the runtime sends: defaults are filled in, nothing unknown comes. */
    {"(a::Int {default: 3})==>(::Text)", "(a::Int)==>(::Text)", GRAMC_PROOF_PROVEN,
     GRAMC_PROOF_PROVEN, "", ""},
    {"(a::Int {optional: true})==>(::Text)", "(a::Int)==>(::Text)", GRAMC_PROOF_REFUTED,
     GRAMC_PROOF_PROVEN, "{}", ""},
    {"(a::Int)==>(b::Int)==>(::Text)", "(a::Int)==>(::Text)", GRAMC_PROOF_PROVEN,
     GRAMC_PROOF_PROVEN, NULL, ""},
    {"(a::Int)==>(::Text)", "(a::Int)==>(b::Int)==>(::Text)", GRAMC_PROOF_REFUTED,
     GRAMC_PROOF_PROVEN, NULL, ""},
    {"(a::Int)==>(::Text)", "(a::Int)==>(b::Int {optional: true})==>(::Text)", GRAMC_PROOF_PROVEN,
     GRAMC_PROOF_PROVEN, "", ""},
    /* The range of Long is checked, though it is not printed. */
    {"(a::Long)==>(::Long)", "(a::Long)==>(::Long)", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "",
     ""},
    {"(a::Int)==>(::Long)", "(a::Long)==>(::Int)", GRAMC_PROOF_REFUTED, GRAMC_PROOF_REFUTED, NULL,
     NULL},
    /* Nested. */
    {"(a::Array {items: Int})==>(::Object {fields: {x: Int}})",
     "(a::Array {items: Double})==>(::Object {fields: {x: Int, y: Text}})", GRAMC_PROOF_PROVEN,
     GRAMC_PROOF_PROVEN, "", ""},
    {"(a::Object {fields: {x: Int}})==>(::Array {items: Int, maxItems: 2})",
     "(a::Object {fields: {x: Int, y: Text}})==>(::Array {items: Int})", GRAMC_PROOF_REFUTED,
     GRAMC_PROOF_REFUTED, NULL, NULL},
    /* Nothing comes back: whatever it is, nobody sees it. */
    {"()==>(::Null)", "()==>(::Text)", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "", ""},
    /* What is not decided. */
    {"(a::Text {pattern: \"^[ab]+$\"})==>(::Text {pattern: \"^[ab]+$\"})",
     "(a::Text {pattern: \"^(a|b)+$\"})==>(::Text {pattern: \"^(a|b)+$\"})", GRAMC_PROOF_UNKNOWN,
     GRAMC_PROOF_UNKNOWN, "a pattern is compared with nothing but the same pattern",
     "a pattern is compared with nothing but the same pattern"},
    {"(a::Text {pattern: \"^a$\"})==>(::Text)", "(a::Text {pattern: \"^a$\"})==>(::Text)",
     GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN, "", ""},
};

static void expect_text(const char *what, gramc_text found, const char *expected) {
    if (expected && !text_is(found, expected))
        fail_msg("%s: found %.*s, not %s", what, TEXT_ARGS(found), expected);
}

/* A counterexample is one: the tool takes it, or its result refuses it. */
static void expect_counterexamples(const gramc_choice *choice) {
    if (choice->accepts == GRAMC_PROOF_REFUTED)
        assert_true(gramc_schema_accepts(choice->tool->accepts, choice->accepts_why.ptr,
                                         choice->accepts_why.len));
    if (choice->returns == GRAMC_PROOF_REFUTED)
        assert_false(gramc_schema_accepts(choice->tool->returns, choice->returns_why.ptr,
                                          choice->returns_why.len));
}

static void matrix(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joined joined;
        gramc_bound *bound;
        gramc_choice choice;
        char text[1024];
        snprintf(text, sizeof text,
                 "[agent:Agent {model: \"OpenAI/x\"} | [t:Tool {description: \"d\"} | %s]]\n"
                 "[tools:ToolLibrary | [t:ToolImpl {exec: [\"x\"]} | %s]]\n",
                 rows[i].tool, rows[i].implementation);
        join_well(&joined, text);
        bool fits =
            rows[i].accepts != GRAMC_PROOF_REFUTED && rows[i].returns != GRAMC_PROOF_REFUTED;
        gramc_status status = gramc_bind(&bound, joined.agent, joined.library, NULL);
        assert_true(gramc_bound_choice(bound, 0, &choice));
        if (choice.accepts != rows[i].accepts || choice.returns != rows[i].returns)
            fail_msg("%s by %s: %d and %d", rows[i].tool, rows[i].implementation,
                     (int)choice.accepts, (int)choice.returns);
        assert_int_equal(status, fits ? GRAMC_OK : GRAMC_FINDINGS);
        expect_text(text, choice.accepts_why, rows[i].accepts_why);
        expect_text(text, choice.returns_why, rows[i].returns_why);
        expect_counterexamples(&choice);
        gramc_bound_free(bound);
        gramc_compilation_free(joined.compilation);
    }
}

/* ## Constants */

static const struct {
    const char *type, *constant;
    gramc_proof returns;
} constants[] = {{"Text", "\"pong\"", GRAMC_PROOF_PROVEN},
                 {"Text", "5", GRAMC_PROOF_PROVEN},
                 {"Text {maxLength: 3}", "\"pong\"", GRAMC_PROOF_REFUTED},
                 {"Int", "5", GRAMC_PROOF_PROVEN},
                 {"Int", "5.5", GRAMC_PROOF_REFUTED},
                 {"Int", "\"pong\"", GRAMC_PROOF_REFUTED},
                 {"Any", "\"pong\"", GRAMC_PROOF_REFUTED},
                 {"Object", "{a: 1}", GRAMC_PROOF_PROVEN},
                 {"Null", "\"pong\"", GRAMC_PROOF_PROVEN}};

static void fixed_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        struct joined joined;
        gramc_bound *bound;
        gramc_choice choice;
        char text[512];
        snprintf(
            text, sizeof text,
            "[agent:Agent {model: \"OpenAI/x\"} | [t:Tool {description: \"d\"} | ()==>(::%s)]]\n"
            "[tools:ToolLibrary | [t:ToolImpl {returns: %s}]]\n",
            constants[i].type, constants[i].constant);
        join_well(&joined, text);
        bool fits = constants[i].returns == GRAMC_PROOF_PROVEN;
        assert_int_equal(gramc_bind(&bound, joined.agent, joined.library, NULL),
                         fits ? GRAMC_OK : GRAMC_FINDINGS);
        assert_true(gramc_bound_choice(bound, 0, &choice));
        if (choice.returns != constants[i].returns) fail_msg("%s: %d", text, (int)choice.returns);
        gramc_bound_free(bound);
        gramc_compilation_free(joined.compilation);
    }
}

/* ## Boxes, from a snapshot */

static const char snapshot[] =
    "{\"format\":\"gramc-snapshot\",\"version\":1,"
    "\"library\":{\"name\":\"tools\",\"fingerprint\":\"f\"},\"boxes\":["
    "{\"name\":\"box\",\"tools\":["
    "{\"name\":\"getName\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"id\"]}},"
    "{\"name\":\"count\",\"title\":\"Count\",\"inputSchema\":{\"type\":\"object\"},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
    "\"required\":[\"n\"]}}]}]}";

static const char boxed[] =
    "[agent:Agent {model: \"OpenAI/x\"} |"
    "  [box_get_name:Tool {description: \"d\"} | (id::Int {min: 1})==>(::Text)],"
    "  [box_count:Tool {description: \"d\"} | ()==>(::Object {fields: {n: Double}})],"
    "  [box:ToolBox {tools: [\"tally\", \"getName\"]}]]"
    "[tools:ToolLibrary | [box:McpServer {command: [\"x\"], rename: {count: tally}}],"
    "  [box_count:ToolImpl {mcp: box, tool: count, description: \"d\"}]]";

static void expect_choice(const gramc_bound *bound, size_t i, const char *tool, const char *target,
                          gramc_proof accepts, gramc_proof returns) {
    gramc_choice choice;
    assert_true(gramc_bound_choice(bound, i, &choice));
    expect_text("tool", choice.tool->name, tool);
    expect_text("target", choice.impl->target, target);
    expect_text("kind", choice.kind, "mcp");
    assert_int_equal(choice.accepts, accepts);
    assert_int_equal(choice.returns, returns);
}

static void boxes(void **state) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_offering *offering;
    struct joined joined;
    gramc_bound *bound;
    gramc_choice choice;
    (void)state;
    join_well(&joined, boxed);
    assert_int_equal(gramc_offering_load(&offering, text_of(snapshot), NULL, NULL), GRAMC_OK);
    options.offering = offering;
    assert_int_equal(gramc_bind(&bound, joined.agent, joined.library, &options), GRAMC_OK);
    gramc_offering_free(offering); /* used while binding only */
    expect_choice(bound, 0, "box_get_name", "getName", GRAMC_PROOF_PROVEN, GRAMC_PROOF_NONE);
    expect_choice(bound, 1, "box_count", "count", GRAMC_PROOF_PROVEN, GRAMC_PROOF_PROVEN);
    expect_choice(bound, 2, "tally", "count", GRAMC_PROOF_NONE, GRAMC_PROOF_NONE);
    expect_choice(bound, 3, "getName", "getName", GRAMC_PROOF_NONE, GRAMC_PROOF_NONE);
    assert_true(gramc_bound_choice(bound, 2, &choice));
    expect_text("box", choice.box, "box");
    assert_int_equal(choice.tool->result_kind, GRAMC_RESULT_JSON);
    assert_true(gramc_bound_choice(bound, 3, &choice));
    /* What the box leaves out is refused, as in a signature. */
    assert_true(gramc_schema_accepts(choice.tool->accepts, "{\"id\":1}", 8));
    assert_false(gramc_schema_accepts(choice.tool->accepts, "{\"id\":1,\"x\":2}", 14));
    assert_false(gramc_bound_choice(bound, 4, &choice));
    gramc_bound_free(bound);
    gramc_compilation_free(joined.compilation);
}

/* Without an offering nothing is known of the server. */
static void nobody_asked(void **state) {
    struct joined joined;
    gramc_bound *bound;
    gramc_bind_message message;
    (void)state;
    join_well(&joined, boxed);
    assert_int_equal(gramc_bind(&bound, joined.agent, joined.library, NULL), GRAMC_FINDINGS);
    assert_true(gramc_bound_message(bound, 0, &message));
    expect_text("code", message.code, "G0449");
    expect_text("message", message.message,
                "box `box` cannot be bound: nobody asked it what it offers");
    gramc_bound_free(bound);
    gramc_compilation_free(joined.compilation);
}

/* ## Snapshots */

/* What is written fits the published schema. */
static void expect_published(gramc_text written) {
    static char text[16384];
    char path[1024];
    gramc_schema *schema;
    snprintf(path, sizeof path, "%s/docs/formats/snapshot.schema.json", getenv("GRAMC_SOURCE_DIR"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(gramc_schema_compile(&schema, text, len, NULL, NULL), GRAMC_OK);
    assert_true(gramc_schema_accepts(schema, written.ptr, written.len));
    assert_false(gramc_schema_accepts(schema, "{}", 2));
    gramc_schema_free(schema);
}

static void round_trip(void **state) {
    gramc_offering *first, *second;
    gramc_offer one, other;
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_offering_load(&first, text_of(snapshot), NULL, NULL), GRAMC_OK);
    assert_int_equal(gramc_offering_save(first, buf_writer(&out)), GRAMC_OK);
    expect_published(buf_view(&out));
    assert_int_equal(gramc_offering_load(&second, buf_view(&out), NULL, NULL), GRAMC_OK);
    expect_text("library", gramc_offering_library(second), "tools");
    expect_text("fingerprint", gramc_offering_fingerprint(second), "f");
    for (size_t i = 0; i < 2; i++) {
        assert_true(gramc_offering_get(first, i, &one));
        assert_true(gramc_offering_get(second, i, &other));
        assert_true(text_eq(one.box, other.box) && text_eq(one.tool, other.tool));
        assert_true(text_eq(one.title, other.title));
        assert_true(text_eq(one.description, other.description));
        assert_true(text_eq(one.parameters, other.parameters));
        assert_true(text_eq(one.result, other.result));
    }
    assert_false(gramc_offering_get(second, 2, &other));
    gramc_offering_free(first);
    gramc_offering_free(second);
    gramc_offering_free(NULL);
    buf_free(&out);
}

#define TOOL_SNAPSHOT(tool)                                                                        \
    "{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\",\"fingerprint\":"    \
    "\"f\"},\"boxes\":[{\"name\":\"b\",\"tools\":[" tool "]}]}"

static void bad_snapshots(void **state) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "expected a value, the text ends here"},
        {"[]", "this is no snapshot of a library"},
        {"{\"format\":\"gramc-snapshot\",\"version\":2}", "a snapshot of version 1 is needed"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1}", "it does not name its library"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\"}}",
         "it has no fingerprint of its library"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\","
         "\"fingerprint\":\"f\"},\"boxes\":{}}",
         "it has no list of boxes"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\","
         "\"fingerprint\":\"f\"},\"boxes\":[{\"name\":\"\"}]}",
         "a box needs its name"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\","
         "\"fingerprint\":\"f\"},\"boxes\":[{\"name\":\"b\"}]}",
         "a box needs its tools"},
        {"{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\","
         "\"fingerprint\":\"f\"},\"boxes\":[{\"name\":\"b\",\"tools\":[{\"name\":\"t\","
         "\"inputSchema\":5}]}]}",
         "a tool needs its inputSchema"},
        {TOOL_SNAPSHOT("{\"name\":\"t\"}"), "a tool needs its inputSchema"},
        {TOOL_SNAPSHOT("{\"inputSchema\":{}}"), "a tool needs its name"},
        {TOOL_SNAPSHOT("{\"name\":\"\",\"inputSchema\":{}}"), "a tool needs its name"},
        {TOOL_SNAPSHOT("{\"name\":7,\"inputSchema\":{}}"), "a tool needs its name"},
        {TOOL_SNAPSHOT("{\"name\":\"t\",\"title\":7,\"inputSchema\":{}}"), "this is no text"},
        {TOOL_SNAPSHOT("{\"name\":\"t\",\"inputSchema\":true,\"outputSchema\":[]}"),
         "a tool needs its inputSchema"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gramc_offering *offering;
        gramc_json_error error;
        assert_int_equal(gramc_offering_load(&offering, text_of(bad[i].text), NULL, &error),
                         GRAMC_FINDINGS);
        assert_null(offering);
        assert_string_equal(error.message, bad[i].message);
        assert_int_equal(gramc_offering_load(&offering, text_of(bad[i].text), NULL, NULL),
                         GRAMC_FINDINGS);
    }
}

/* ## Every allocation fails once */

static gramc_status all_of_it(const gramc_allocator *allocator) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_offering *offering = NULL;
    struct joined joined;
    gramc_bound *bound = NULL;
    struct buf out;
    buf_init(&out, allocator, 1 << 20);
    gramc_status status = join(&joined, boxed, allocator);
    if (!status) status = gramc_offering_load(&offering, text_of(snapshot), allocator, NULL);
    if (!status) status = gramc_offering_save(offering, buf_writer(&out));
    if (status == GRAMC_IO) status = buf_status(&out);
    options.allocator = allocator;
    options.offering = offering;
    if (!status) status = gramc_bind(&bound, joined.agent, joined.library, &options);
    gramc_bound_free(bound);
    bound = NULL;
    if (!status) status = gramc_bind_tool(&bound, joined.library, TEXT("box_get_name"), &options);
    gramc_bound_free(bound);
    gramc_offering_free(offering);
    gramc_compilation_free(joined.compilation);
    buf_free(&out);
    return status;
}

static void memory_fails(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_status status = all_of_it(&allocator);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) {
            assert_int_equal(status, GRAMC_OK);
            assert_true(n > 40);
            return;
        }
        if (status && status != GRAMC_NOMEM) fail_msg("allocation %ld: %d", n, (int)status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix),       cmocka_unit_test(fixed_answers),
        cmocka_unit_test(boxes),        cmocka_unit_test(nobody_asked),
        cmocka_unit_test(round_trip),   cmocka_unit_test(bad_snapshots),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
