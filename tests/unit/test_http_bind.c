/* Joining HTTP implementations with tools: what is wrong is said before anything runs, and secrets
 * go into the requests that name them and nowhere else. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/secret.h"
#include "tests/support/caller.h"

#define ONE "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}}}"
#define NONE "{\"type\":\"object\",\"properties\":{}}"
/* TEXT is no constant. */
#define FIXED(literal)                                                                             \
    { (literal), sizeof(literal) - 1 }
#define PLANTED "s3cr3t-Pl4nted/+=="

static const gramc_pair listed[] = {{FIXED("TOKEN"), FIXED(PLANTED)},
                                    {FIXED("UNSET"), {NULL, 0}},
                                    {FIXED("OPENAI_API_KEY"), FIXED("sk-never")}};
enum { LISTED = sizeof listed / sizeof *listed };

/* ## Messages */

struct row {
    const char *method, *url, *header, *value, *body, *content_type, *transform, *style;
    const char *message; /* NULL: none */
    const char *help;
    gramc_severity severity;
};

#define URL "http://127.0.0.1:1/x/${id}"

static const struct row rows[] = {
    {.url = URL},
    {.url = "http://127.0.0.1:1?q=${id}"},
    {.url = "http://127.0.0.1:1/x",
     .message = "tool `t`: `id` is never sent",
     .severity = GRAMC_WARNING},
    {.url = "http://127.0.0.1:1/x/${idd}",
     .message = "tool `t`: in its url, no parameter `idd` is declared; did you mean `id`?"},
    {.url = "http://127.0.0.1:1/${id", .message = "tool `t`: in its url, `${` is never closed"},
    {.url = "ftp://127.0.0.1/${id}",
     .message = "tool `t`: in its url, an address begins with http:// or https://"},
    {.url = "http://${id}/x",
     .message = "tool `t`: in its url, scheme and host of an address are not filled in"},
    {.url = "http://u:p@127.0.0.1/${id}",
     .message = "tool `t`: in its url, a password stands in a header, not in an address"},
    {.url = "http://127.0.0.1/a b/${id}",
     .message = "tool `t`: in its url, an address holds no blanks and no line ends; write %20"},
    {.url = "http://127.0.0.1/${id}#x",
     .message = "tool `t`: in its url, nothing behind a # is sent"},
    {.method = "BREW",
     .url = URL,
     .message = "tool `t`: there is no method `BREW`",
     .help = "GET, POST, PUT, PATCH, DELETE and HEAD are known"},
    {.url = URL, .header = "X Y", .value = "v", .message = "tool `t`: `X Y` is no header name"},
    {.url = URL,
     .header = "content-length",
     .value = "1",
     .message = "tool `t`: `content-length` is set by gramc itself"},
    {.url = URL,
     .header = "X",
     .value = "${name}",
     .message = "tool `t`: in its header `X`, no parameter `name` is declared"},
    {.url = URL,
     .body = "{}",
     .message = "tool `t`: the body of a GET is never sent",
     .severity = GRAMC_WARNING},
    {.method = "POST",
     .url = URL,
     .body = "{\"a\": ${id}",
     .message = "tool `t`: in its body, the body is no JSON: '{' is never closed"},
    {.method = "POST", .url = URL, .body = "<a>${id}</a>", .content_type = "text/xml"},
    {.method = "POST",
     .url = URL,
     .body = "x",
     .content_type = "text/plain\r\nX: y",
     .message = "tool `t`: a content type stands on one line"},
    {.url = URL, .transform = "[{\"operation\":\"shift\",\"spec\":{\"a\":\"b\"}}]"},
    {.url = URL,
     .transform = "[{\"operation\":\"shuft\",\"spec\":{}}]",
     .message = "tool `t`: in its transform, there is no operation `shuft`; did you mean `shift`? "
                "(at \"/0/operation\")"},
    {.url = URL, .header = "Authorization", .value = "Bearer ${env:TOKEN}"},
    {.url = "http://127.0.0.1:1/${id}?key=${env:TOKEN}"},
    {.url = URL,
     .header = "Authorization",
     .value = "Bearer ${env:UNSET}",
     .message = "tool `t`: in its header `Authorization`, the environment variable `UNSET` is not "
                "set"},
    {.url = URL, .header = "X", .value = "${env:UNSET:-guest}"},
    {.url = URL,
     .header = "Authorization",
     .value = "Bearer ${env:HOME}",
     .message = "tool `t`: in its header `Authorization`, the environment variable `HOME` may not "
                "be read",
     .help = "list it under `allowEnv` in gramc.gram, or say --allow-env HOME"},
    {.url = URL,
     .header = "X",
     .value = "${env:HOME:-x}",
     .message = "tool `t`: in its header `X`, the environment variable `HOME` may not be read",
     .help = "list it under `allowEnv` in gramc.gram, or say --allow-env HOME"},
    {.url = URL,
     .header = "Authorization",
     .value = "Bearer ${env:OPENAI_API_KEY}",
     .message = "tool `t`: in its header `Authorization`, `OPENAI_API_KEY` is the key of a model's "
                "provider, which no tool may read",
     .help = "give the tool a token of its own"},
    {.url = URL,
     .header = "X",
     .value = "${env:openai_api_key}",
     .message = "tool `t`: in its header `X`, `openai_api_key` is the key of a model's provider, "
                "which no tool may read",
     .help = "give the tool a token of its own"},
};

/* i10-c12: the compiler has not seen what was made by hand. */
static const struct row styled[] = {
    {.url = URL, .style = "label"},
    {.url = "http://127.0.0.1:1/?q=${id}", .style = "pipeDelimited"},
    {.url = URL, .style = "lable", .message = "tool `t`: there is no style `lable`"},
    {.url = URL,
     .style = "form",
     .message = "tool `t`: the style of `id` does not fit its place",
     .help = "a path takes simple, label, matrix and json"},
    {.url = "http://127.0.0.1:1/?q=x${id}",
     .style = "form",
     .message = "tool `t`: the style of `id` means nothing: it has no place of its own in the "
                "call"},
    {.url = "http://127.0.0.1:1/?q=${id}",
     .style = "deepObject",
     .message = "tool `t`: the style deepObject cannot say `id`: it is no object",
     .help = "the style json sends it as JSON",
     .severity = GRAMC_WARNING},
};

static gramc_text optional_text(const char *text) {
    return text ? text_of(text) : (gramc_text){NULL, 0};
}

static void set_impl(gramc_impl *impl, const struct row *row, const gramc_pair *header) {
    if (row->method) impl->method = text_of(row->method);
    if (row->header) {
        impl->headers = header;
        impl->header_count = 1;
    }
    impl->body = optional_text(row->body);
    impl->content_type = optional_text(row->content_type);
    impl->transform = optional_text(row->transform);
}

static gramc_bind_options bind_options(void) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    options.secrets = listed;
    options.secret_count = LISTED;
    return options;
}

static void expect_message(const gramc_bound *bound, const struct row *row) {
    gramc_bind_message message = {.message = {"", 0}};
    bool any = gramc_bound_message(bound, 0, &message);
    if (any != (row->message != NULL) || (any && !text_is(message.message, row->message)))
        fail_msg("%s\ngives %.*s\ninstead of %s", row->url, TEXT_ARGS(message.message),
                 row->message ? row->message : "nothing");
    if (!any) return;
    assert_int_equal(message.severity, row->severity ? row->severity : GRAMC_ERROR);
    assert_true(text_is(message.help, row->help ? row->help : ""));
    assert_true(text_is(message.file, "workshop.gram"));
    assert_false(gramc_bound_message(bound, 1, &message));
}

static void check_row(const struct row *row) {
    struct test_agent test;
    gramc_bound *bound;
    gramc_bind_options options = bind_options();
    gramc_pair header = {optional_text(row->header), optional_text(row->value)};
    const gramc_style style = {TEXT("id"), optional_text(row->style), TEXT("true")};
    test_agent_init(&test);
    test_tool(&test, "t", ONE, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_http(&test, "t", row->url);
    set_impl(impl, row, &header);
    impl->styles = &style;
    impl->style_count = row->style ? 1 : 0;
    bool fails = row->message && row->severity != GRAMC_WARNING;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options),
                     fails ? GRAMC_FINDINGS : GRAMC_OK);
    expect_message(bound, row);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void test_messages(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i]);
}

static void test_i10_c12_styles(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof styled / sizeof *styled; i++) check_row(&styled[i]);
}

/* Names are those of the implementation's own signature, where it has one. */
static void test_own_signature(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "t", NONE, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_http(&test, "t", URL);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_FINDINGS);
    gramc_bound_free(bound);
    impl->accepts_schema = TEXT(ONE);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_OK);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void test_missing_secret_later(void **state) {
    struct caller caller;
    gramc_pair header = {TEXT("Authorization"), TEXT("Bearer ${env:UNSET}")};
    (void)state;
    caller_init(&caller, "/x", NONE, NULL, 0);
    caller.options = bind_options();
    caller.options.secrets_may_miss = true;
    caller.impl->headers = &header;
    caller.impl->header_count = 1;
    caller_bind(&caller);
    caller_call(&caller, TEXT("{}"));
    caller_expect(&caller, TOOL_FAILED,
                  "the call cannot be made: the environment variable `UNSET` is not set");
    assert_int_equal(mock_count(caller.server), 0);
    caller_free(&caller);
}

/* ## What a whole call is */

static void test_call(void **state) {
    static const struct mock_answer answers[] = {{.body = "{\"a\":{\"b\":[1,2]},\"c\":3}"}};
    static const gramc_pair headers[] = {{FIXED("X-Id"), FIXED("<${id}>")},
                                         {FIXED("X-Price"), FIXED("$${id} ${id:-none}")}};
    struct caller caller;
    (void)state;
    caller_init(&caller, "/items/${id}?view=full", ONE, answers, 1);
    caller.impl->method = TEXT("PATCH");
    caller.impl->headers = headers;
    caller.impl->header_count = 2;
    caller.impl->body = TEXT("{\"id\": ${id}}");
    caller.impl->transform = TEXT("[{\"operation\":\"shift\",\"spec\":{\"a\":{\"b\":\"list\"}}}]");
    caller_bind(&caller);
    caller_call(&caller, TEXT("{\"id\":\"7/8\"}"));
    caller_expect(&caller, TOOL_FINE, "{\"list\":[1,2]}");
    const char *head = mock_head(caller.server, 0);
    assert_non_null(strstr(head, "PATCH /v1/items/7%2F8?view=full HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "\r\nX-Id: <7/8>\r\nX-Price: ${id} 7/8\r\n"));
    assert_string_equal(mock_body(caller.server, 0), "{\"id\": \"7/8\"}");
    caller_free(&caller);
}

static void test_no_path(void **state) {
    static const struct mock_answer answers[] = {{.body = "root"}};
    struct caller caller;
    char url[64];
    (void)state;
    caller_init(&caller, "", ONE, answers, 1);
    snprintf(url, sizeof url, "%.*s?q=${id}", (int)(strlen(caller.url) - strlen("/v1")),
             caller.url);
    caller.impl->target = text_of(url);
    caller_bind(&caller);
    caller_call(&caller, TEXT("{\"id\":\"1\"}"));
    caller_expect(&caller, TOOL_FINE, "root");
    assert_non_null(strstr(mock_head(caller.server, 0), "GET /?q=1 HTTP/1.1\r\n"));
    caller_free(&caller);
}

/* ## Secrets */

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define SAYS(text) "{\"event\":\"model.response\",\"content\":\"" text "\"}\n"
#define CALL                                                                                       \
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"x\",\"name\":\"t\","      \
    "\"arguments\":\"{}\"}]}\n"

static void expect_absent(const char *text, const char *where) {
    if (text && strstr(text, PLANTED)) fail_msg("the secret stands in the %s:\n%s", where, text);
}

static void expect_hidden(const struct test_run *run) {
    expect_absent(run->trace.ptr, "trace");
    expect_absent(run->answers.ptr, "answer");
    expect_absent(run->notes.ptr, "notes");
    expect_absent(run->message, "message");
    expect_absent(run->text, "text");
}

/* The server says back whatever it was told, as a result, as a failure, as an address, as a reason
 * that is cut off. The secret reaches it, and nobody else. */
static void test_planted(void **state) {
    static const struct mock_answer answers[] = {
        {.mode = MOCK_ECHO},
        {.mode = MOCK_ECHO, .status = 500, .headers = "WWW-Authenticate: Bearer " PLANTED "\r\n"},
        {.status = 302, .headers = "Location: http://" PLANTED ".invalid/x\r\n", .body = ""},
        {.status = 307, .headers = "Location: /x?" PLANTED "\r\n", .body = ""},
        {.mode = MOCK_RAW, .body = "HTTP/1.1 " PLANTED "\r\n\r\n"},
        {.body = "{\"a\":\"" PLANTED "\"", .mode = MOCK_CUT},
    };
    static const gramc_pair headers[] = {{FIXED("Authorization"), FIXED("Bearer ${env:TOKEN}")}};
    static const char script[] = HEADER CALL CALL CALL CALL CALL CALL SAYS("that is all");
    struct mock_server *server = mock_start(answers, sizeof answers / sizeof *answers);
    struct test_agent test;
    struct test_run run;
    gramc_model *model;
    char url[128];
    (void)state;
    snprintf(url, sizeof url, "%s/echo?k=${env:TOKEN}", mock_url(server));
    test_agent_init(&test);
    test_run_init(&run);
    test_tool(&test, "t", NONE, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT)->max_tool_errors = 9;
    gramc_impl *impl = test_http(&test, "t", url);
    impl->method = TEXT("POST");
    impl->headers = headers;
    impl->header_count = 1;
    impl->body = TEXT("{\"token\": \"${env:TOKEN}\"}");
    assert_int_equal(gramc_model_new_script(&model, text_of(script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = &test,
                               .model = model,
                               .messages = {"Go"},
                               .secrets = listed,
                               .secret_count = LISTED};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_string_equal(run.answers.ptr, "that is all\n");
    expect_hidden(&run);
    assert_non_null(strstr(run.trace.ptr, "Bearer ${env:TOKEN}"));
    assert_int_equal(mock_count(server), 6);
    assert_non_null(strstr(mock_head(server, 0), "\r\nAuthorization: Bearer " PLANTED "\r\n"));
    assert_non_null(strstr(mock_head(server, 0), "?k=s3cr3t-Pl4nted%2F%2B%3D%3D HTTP"));
    assert_string_equal(mock_body(server, 0), "{\"token\": \"" PLANTED "\"}");
    gramc_model_free(model);
    test_run_free(&run);
    test_agent_free(&test);
    mock_stop(server);
}

/* A secret that cannot stand in a header is not shown for it. */
static void test_secret_with_line_end(void **state) {
    static const gramc_pair bad = {FIXED("TOKEN"), FIXED("abc" PLANTED "\nX: y")};
    static const gramc_pair header = {FIXED("Authorization"), FIXED("Bearer ${env:TOKEN}")};
    struct caller caller;
    (void)state;
    caller_init(&caller, "/x", NONE, NULL, 0);
    caller.options.secrets = &bad;
    caller.options.secret_count = 1;
    caller.impl->headers = &header;
    caller.impl->header_count = 1;
    caller_bind(&caller);
    caller_call(&caller, TEXT("{}"));
    assert_int_equal(caller.outcome, TOOL_FAILED);
    expect_absent(caller.result.ptr, "result");
    assert_int_equal(mock_count(caller.server), 0);
    caller_free(&caller);
}

static void expect_hides(const struct secrets *secrets, const char *text, const char *hidden) {
    struct buf buf;
    buf_init(&buf, NULL, 1 << 16);
    buf_puts(&buf, text);
    secrets_hide(secrets, &buf);
    assert_int_equal(buf_status(&buf), GRAMC_OK);
    assert_string_equal(buf.ptr ? buf.ptr : "", hidden);
    buf_free(&buf);
}

static void test_hiding(void **state) {
    static const gramc_pair pairs[] = {{FIXED("PART"), FIXED("abcd")},
                                       {FIXED("WHOLE"), FIXED("xabcdx")},
                                       {FIXED("SHORT"), FIXED("e")},
                                       {FIXED("EMPTY"), FIXED("")}};
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, pairs, 4), GRAMC_OK);
    expect_hides(secrets, "", "");
    expect_hides(secrets, "nothing here", "nothing here");
    expect_hides(secrets, "abcd", "${env:PART}");
    expect_hides(secrets, "abcdabcd, abc", "${env:PART}${env:PART}, abc");
    expect_hides(secrets, "aabcdd xabcdx", "a${env:PART}d ${env:WHOLE}");
    secrets_free(secrets);
    assert_int_equal(secrets_new(&secrets, &allocator, NULL, 0), GRAMC_OK);
    expect_hides(secrets, "abcd", "abcd");
    secrets_free(secrets);
    expect_hides(NULL, "abcd", "abcd");
}

/* What a server repeats of its request comes back as JSON, or as part of an address. */
static void test_hiding_what_is_escaped(void **state) {
    static const gramc_pair pairs[] = {{FIXED("T"), FIXED("a\"b\\c/d+e")}};
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, pairs, 1), GRAMC_OK);
    expect_hides(secrets, "<a\"b\\c/d+e>", "<${env:T}>");
    expect_hides(secrets, "{\"h\":\"a\\\"b\\\\c/d+e\"}", "{\"h\":\"${env:T}\"}");
    expect_hides(secrets, "{\"h\":\"a\\\"b\\\\c\\/d+e\"}", "{\"h\":\"${env:T}\"}");
    expect_hides(secrets, "no /?k=a%22b%5Cc%2Fd%2Be here", "no /?k=${env:T} here");
    secrets_free(secrets);
}

static void test_hiding_what_is_cut(void **state) {
    static const gramc_pair pairs[] = {{FIXED("T"), FIXED("0123456789")}};
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, pairs, 1), GRAMC_OK);
    expect_hides(secrets, "it said: ...3456789 and left", "it said: ...******* and left");
    expect_hides(secrets, "it said: 012345...", "it said: ******...");
    expect_hides(secrets, "01234...56789...0123456789", "*****...*****...${env:T}");
    expect_hides(secrets, "012...789, 3456", "012...789, 3456");
    expect_hides(secrets, "...", "...");
    expect_hides(secrets, "56789", "56789");
    secrets_free(secrets);
}

/* ## Memory */

static void test_no_memory(void **state) {
    static const gramc_pair header = {FIXED("Authorization"), FIXED("Bearer ${env:TOKEN}")};
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "t", ONE, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_http(&test, "t", URL);
    impl->headers = &header;
    impl->header_count = 1;
    impl->method = TEXT("POST");
    impl->body = TEXT("{\"a\":\"${id}\"}");
    impl->transform = TEXT("[{\"operation\":\"sort\"}]");
    for (long n = 1; n < 500; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_bind_options options = bind_options();
        gramc_bound *bound;
        options.allocator = &allocator;
        gramc_status status = gramc_bind(&bound, &test.agent, &test.library, &options);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        gramc_bound_free(bound);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) {
            assert_true(n > 8);
            test_agent_free(&test);
            return;
        }
    }
    fail_msg("more allocations than expected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_i10_c12_styles),
        cmocka_unit_test(test_own_signature),
        cmocka_unit_test(test_missing_secret_later),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_no_path),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_secret_with_line_end),
        cmocka_unit_test(test_hiding),
        cmocka_unit_test(test_hiding_what_is_escaped),
        cmocka_unit_test(test_hiding_what_is_cut),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
