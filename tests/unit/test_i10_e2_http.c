/* Stated limits of HTTP tools and of the files that describe them (base/limits.def): each at the
 * limit and one past it, with what is said there. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/text.h"
#include "toolbox/toolbox.h"
#include "tests/stated.h"
#include "tests/support/caller.h"

#define STRING "{\"type\":\"string\"}"

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* ## Calls */

static void expect_http(const char *path, const char *body, const gramc_pair *header, size_t length,
                        const char *refused) {
    static const struct mock_answer answers[] = {{.body = "fine"}};
    struct caller caller;
    struct buf arguments;
    caller_init(&caller, path, "{\"type\":\"object\",\"properties\":{\"v\":" STRING "}}", answers,
                1);
    if (body) {
        caller.impl->method = TEXT("POST");
        caller.impl->body = text_of(body);
    }
    if (header) {
        caller.impl->headers = header;
        caller.impl->header_count = 1;
    }
    caller_bind(&caller);
    if (!body && !header) length -= strlen(caller.url) - strlen("${v}");
    buf_init(&arguments, NULL, (size_t)HTTP_BODY_MAX + 1000);
    buf_puts(&arguments, "{\"v\":\"");
    put_times(&arguments, "x", length);
    buf_puts(&arguments, "\"}");
    caller_call(&caller, buf_view(&arguments));
    if (refused) caller_expect(&caller, TOOL_FAILED, refused);
    else caller_expect(&caller, TOOL_FINE, "fine");
    buf_free(&arguments);
    caller_free(&caller);
}

#define TOO_LONG "the call cannot be made: it is too long"

static void requests(void **state) {
    const gramc_pair header = {TEXT("X-Value"), TEXT("${v}")};
    (void)state;
    STATED(HTTP_URL_MAX, 65536, "the call fails");
    STATED(HTTP_BODY_MAX, 16 << 20, "the call fails");
    STATED(HTTP_HEADER_VALUE_MAX, 65536, "the call fails");
    expect_http("/?q=${v}", NULL, NULL, HTTP_URL_MAX, NULL);
    expect_http("/?q=${v}", NULL, NULL, HTTP_URL_MAX + 1, TOO_LONG);
    expect_http("/", "[\"${v}\"]", NULL, HTTP_BODY_MAX - 4, NULL);
    expect_http("/", "[\"${v}\"]", NULL, HTTP_BODY_MAX - 3, TOO_LONG);
    expect_http("/", NULL, &header, HTTP_HEADER_VALUE_MAX, NULL);
    expect_http("/", NULL, &header, HTTP_HEADER_VALUE_MAX + 1, TOO_LONG);
}

static void headers(void **state) {
    static const struct mock_answer answers[] = {{.body = "fine"}};
    (void)state;
    STATED(HTTP_HEADERS_MAX, 256, "the call fails");
    for (size_t more = 0; more < 2; more++) {
        struct caller caller;
        gramc_pair pairs[HTTP_HEADERS_MAX + 1];
        char names[HTTP_HEADERS_MAX + 1][8];
        for (int i = 0; i < HTTP_HEADERS_MAX + 1; i++) {
            snprintf(names[i], sizeof names[i], "X-%d", i + 1);
            pairs[i] = (gramc_pair){text_of(names[i]), TEXT("v")};
        }
        caller_init(&caller, "/", "{\"type\":\"object\"}", answers, 1);
        caller.impl->headers = pairs;
        caller.impl->header_count = HTTP_HEADERS_MAX + more;
        caller_bind(&caller);
        caller_call(&caller, TEXT("{}"));
        if (!more) caller_expect(&caller, TOOL_FINE, "fine");
        else
            caller_expect(&caller, TOOL_FAILED,
                          "the call cannot be made: the header `X-257` is one too many");
        if (!more) assert_non_null(strstr(mock_head(caller.server, 0), "\r\nX-256: v\r\n"));
        caller_free(&caller);
    }
}

static void redirects(void **state) {
    struct mock_answer answers[HTTP_REDIRECTS_MAX + 2];
    (void)state;
    STATED(HTTP_REDIRECTS_MAX, 5, "the call fails");
    for (size_t more = 0; more < 2; more++) {
        struct caller caller;
        for (size_t i = 0; i < HTTP_REDIRECTS_MAX + 1; i++)
            answers[i] = (struct mock_answer){
                .status = 302, .headers = "Location: /v1/there\r\n", .body = ""};
        answers[HTTP_REDIRECTS_MAX + more] = (struct mock_answer){.body = "fine"};
        caller_init(&caller, "/", "{\"type\":\"object\"}", answers, HTTP_REDIRECTS_MAX + 1 + more);
        caller_bind(&caller);
        caller_call(&caller, TEXT("{}"));
        if (more) caller_expect(&caller, TOOL_FAILED, "the server redirects more than 5 times");
        else caller_expect(&caller, TOOL_FINE, "fine");
        caller_free(&caller);
    }
}

/* test_i10_e2_runtime.c states the limit. A transformed answer may be longer than what came. */
static void expect_answer(size_t length, const char *transform, size_t result,
                          const char *refused) {
    struct mock_answer answers[1] = {{.body = NULL}};
    struct caller caller;
    struct buf body;
    buf_init(&body, NULL, 1 << 22);
    buf_puts(&body, "{\"a\":\"");
    while (body.len < length - 2) buf_putc(&body, 'x');
    buf_puts(&body, "\"}");
    buf_putc(&body, '\0');
    answers[0].body = body.ptr;
    caller_init(&caller, "/", "{\"type\":\"object\"}", answers, 1);
    if (transform) caller.impl->transform = text_of(transform);
    caller_bind(&caller);
    caller_call(&caller, TEXT("{}"));
    if (refused) caller_expect(&caller, TOOL_FAILED, refused);
    else {
        assert_int_equal(caller.outcome, TOOL_FINE);
        assert_int_equal(strlen(caller.result.ptr), result);
    }
    caller_free(&caller);
    buf_free(&body);
}

#define TWICE(name) "[{\"operation\":\"shift\",\"spec\":{\"a\":[\"b\",\"" name "\"]}}]"

static void answers(void **state) {
    enum { HALF = (TOOL_RESULT_MAX - 16) / 2 + 8 };
    (void)state;
    expect_answer(TOOL_RESULT_MAX, NULL, TOOL_RESULT_MAX, NULL);
    expect_answer(TOOL_RESULT_MAX + 1, NULL, 0,
                  "the answer is larger than 1 MiB; ask for less of it");
    expect_answer(HALF, TWICE("cc"), TOOL_RESULT_MAX, NULL);
    expect_answer(HALF, TWICE("ccc"), 0, "the transformed answer is too large");
}

static void expect_template(size_t parts, const char *refused) {
    struct template_error error;
    struct template template;
    struct arena arena;
    struct buf text;
    arena_init(&arena, NULL);
    buf_init(&text, NULL, 1 << 20);
    put_times(&text, "x${v}", parts / 2);
    put_times(&text, "x", parts % 2);
    gramc_status status =
        template_read(&template, &arena, buf_view(&text), TEMPLATE_TEXT, false, &error);
    assert_int_equal(status, refused ? GRAMC_FINDINGS : GRAMC_OK);
    if (refused) assert_string_equal(error.message, refused);
    arena_free(&arena);
    buf_free(&text);
}

static void parts(void **state) {
    (void)state;
    STATED(TEMPLATE_PARTS_MAX, 1000, "the tool is refused");
    expect_template(TEMPLATE_PARTS_MAX, NULL);
    expect_template(TEMPLATE_PARTS_MAX + 1, "more than 1000 parts in a template");
}

/* ## Files of HTTP tools */

/* The message of the first finding; empty: none. */
static void read_box(const struct buf *yaml, char message[512]) {
    struct toolbox *box;
    gramc_status status = toolbox_read(&box, NULL, TEXT("t.yaml"), buf_view(yaml), false);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    const struct toolbox_finding *finding = box->findings;
    snprintf(message, 512, "%.*s", finding ? (int)finding->message.len : 0,
             finding ? finding->message.ptr : "");
    toolbox_free(box);
}

static void put_tool(struct buf *yaml, size_t i, size_t parameters, size_t headers) {
    buf_printf(yaml, "    - metadata:\n        name: t%zu\n        description: d\n", i);
    if (parameters) buf_puts(yaml, "        parameters:\n");
    for (size_t k = 0; k < parameters; k++)
        buf_printf(yaml, "          p%zu: {description: d, type: STRING}\n", k);
    buf_puts(yaml, "      definition:\n        method: GET\n        path: {type: TEXT_SUBSTITUTOR, "
                   "content: '/");
    for (size_t k = 0; k < parameters; k++) buf_printf(yaml, "${p%zu}", k);
    buf_puts(yaml, "'}\n");
    if (headers) buf_puts(yaml, "        headers:\n");
    for (size_t k = 0; k < headers; k++)
        buf_printf(yaml, "          H%zu: [{type: TEXT, content: x}]\n", k);
}

static void expect_box(size_t tools, size_t parameters, size_t headers, const char *said) {
    struct buf yaml;
    char message[512];
    buf_init(&yaml, NULL, 1 << 26);
    buf_puts(&yaml, "u:\n  url: http://127.0.0.1:1\n  tools:\n");
    for (size_t i = 0; i < tools; i++) put_tool(&yaml, i, parameters, headers);
    read_box(&yaml, message);
    assert_string_equal(message, said);
    buf_free(&yaml);
}

static void files_of_tools(void **state) {
    (void)state;
    STATED(TOOLBOX_TOOLS_MAX, 5000, "the file is refused");
    STATED(TOOLBOX_PARAMETERS_MAX, 200, "the file is refused");
    STATED(TOOLBOX_HEADERS_MAX, 100, "the file is refused");
    expect_box(TOOLBOX_TOOLS_MAX, 0, 0, "");
    expect_box(TOOLBOX_TOOLS_MAX + 1, 0, 0, "more than 5000 tools");
    expect_box(1, TOOLBOX_PARAMETERS_MAX, 0, "");
    expect_box(1, TOOLBOX_PARAMETERS_MAX + 1, 0, "more than 200 parameters");
    expect_box(1, 0, TOOLBOX_HEADERS_MAX, "");
    expect_box(1, 0, TOOLBOX_HEADERS_MAX + 1, "more than 100 headers");
}

/* Each tool without a description is a mistake; all are counted. */
static void mistakes(void **state) {
    (void)state;
    STATED(TOOLBOX_FINDINGS_MAX, 100, "the others are not");
    for (size_t more = 0; more < 2; more++) {
        struct toolbox *box;
        struct buf yaml;
        size_t shown = 0;
        buf_init(&yaml, NULL, 1 << 20);
        buf_puts(&yaml, "u:\n  url: http://127.0.0.1:1\n  tools:\n");
        for (size_t i = 0; i < TOOLBOX_FINDINGS_MAX + more; i++)
            buf_printf(&yaml,
                       "    - metadata: {name: t%zu}\n      definition:\n        method: GET\n"
                       "        path: {type: TEXT, content: '/'}\n",
                       i);
        assert_int_equal(toolbox_read(&box, NULL, TEXT("t.yaml"), buf_view(&yaml), false),
                         GRAMC_FINDINGS);
        for (const struct toolbox_finding *f = box->findings; f; f = f->next) shown++;
        assert_int_equal(shown, TOOLBOX_FINDINGS_MAX);
        assert_int_equal(box->errors, TOOLBOX_FINDINGS_MAX + more);
        toolbox_free(box);
        buf_free(&yaml);
    }
}

/* A long text that fifteen tools share, and one that fills up the rest: each counts 64 more. */
static void texts(void **state) {
    enum { SHARERS = 15, SHARED = 1 << 20, PATH = 1 + 64, EACH = SHARED + 64 };
    (void)state;
    STATED(TOOLBOX_TEXTS_MAX, 16 << 20, "the file is refused");
    for (size_t more = 0; more < 2; more++) {
        struct buf yaml;
        char message[512];
        buf_init(&yaml, NULL, 1 << 26);
        buf_puts(&yaml, "u:\n  url: http://127.0.0.1:1\n  tools:\n");
        for (size_t i = 0; i <= SHARERS; i++) {
            size_t rest = TOOLBOX_TEXTS_MAX + more - SHARERS * (EACH + PATH) - PATH - 64;
            buf_printf(&yaml,
                       "    - metadata: {name: t%zu, description: d}\n      definition:\n"
                       "        method: POST\n        path: {type: TEXT, content: '/'}\n"
                       "        body: {type: TEXT, content: ",
                       i);
            if (i == 0) buf_puts(&yaml, "&long ");
            if (i == 0) put_times(&yaml, "x", SHARED);
            else if (i < SHARERS) buf_puts(&yaml, "*long");
            else put_times(&yaml, "y", rest);
            buf_puts(&yaml, "}\n");
        }
        read_box(&yaml, message);
        assert_string_equal(message,
                            more ? "with its aliases the file is larger than gramc takes" : "");
        buf_free(&yaml);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests), cmocka_unit_test(headers),        cmocka_unit_test(redirects),
        cmocka_unit_test(answers),  cmocka_unit_test(parts),          cmocka_unit_test(mistakes),
        cmocka_unit_test(texts),    cmocka_unit_test(files_of_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
