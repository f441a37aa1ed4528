/* What a hostile model can do to a request: nothing but fill in its place. Each place of a template
 * meets each hostile value, through a bound tool and a socket, and the bytes that arrive are
 * compared with what they must be. test_template.c has the same without a network. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/support/caller.h"

enum { MILLION = 1 << 20 };

/* ## The places */

enum place { SEGMENT, QUERY, HEADER, STRING, VALUE, LIST, FORM, MARKUP, RAW, PLACES };

/* Where the value stands; `${other}` is a parameter too, and is sent in a header. */
static const struct {
    const char *name, *path, *header, *body, *content_type;
} places[PLACES] = {
    [SEGMENT] = {"path segment", "/item/${v}/end?x=1", NULL, NULL, NULL},
    [QUERY] = {"query", "/find?q=${v}&x=1", NULL, NULL, NULL},
    [HEADER] = {"header", "/h", "<${v}>", NULL, NULL},
    [STRING] = {"JSON string", "/s", NULL, "{\"t\":\"<${v}>\",\"n\":1}", NULL},
    [VALUE] = {"JSON value", "/j", NULL, "{\"t\":${v},\"n\":1}", NULL},
    [LIST] = {"list", "/l", NULL, "{\"t\":${v},\"n\":1}", NULL},
    [FORM] = {"form", "/f", NULL, "t=${v}&n=1", "application/x-www-form-urlencoded"},
    [MARKUP] = {"markup", "/m", NULL, "<t a=\"${v}\">${v}</t>", "application/xml"},
    [RAW] = {"plain text", "/r", NULL, "<${v}>", "text/plain"},
};

/* ## The values, and what is to arrive: the target of the request line, the header's value or the
 * body. NULL: nothing, for the reason that is given. */

struct attack {
    const char *json; /* the argument, as the model writes it */
    const char *wire[PLACES];
    const char *refused_path, *refused_header;
};

#define STEP "would be a step up in the path"
#define CONTROL "holds a line end or another control character, which a header cannot"

static const struct attack attacks[] = {
    {.json = "\"../\"",
     .refused_path = STEP,
     .wire = {[QUERY] = "/find?q=..%2F&x=1",
              [HEADER] = "<../>",
              [STRING] = "{\"t\":\"<../>\",\"n\":1}",
              [VALUE] = "{\"t\":\"../\",\"n\":1}",
              [LIST] = "{\"t\":[\"../\",\"b\"],\"n\":1}",
              [FORM] = "t=..%2F&n=1",
              [MARKUP] = "<t a=\"../\">../</t>",
              [RAW] = "<../>"}},
    {.json = "\"..\"",
     .refused_path = STEP,
     .wire = {[QUERY] = "/find?q=..&x=1",
              [HEADER] = "<..>",
              [STRING] = "{\"t\":\"<..>\",\"n\":1}",
              [VALUE] = "{\"t\":\"..\",\"n\":1}",
              [LIST] = "{\"t\":[\"..\",\"b\"],\"n\":1}",
              [FORM] = "t=..&n=1",
              [MARKUP] = "<t a=\"..\">..</t>",
              [RAW] = "<..>"}},
    {.json = "\"a/..\\\\..\"",
     .refused_path = STEP,
     .wire = {[QUERY] = "/find?q=a%2F..%5C..&x=1",
              [HEADER] = "<a/..\\..>",
              [STRING] = "{\"t\":\"<a/..\\\\..>\",\"n\":1}",
              [VALUE] = "{\"t\":\"a/..\\\\..\",\"n\":1}",
              [LIST] = "{\"t\":[\"a/..\\\\..\",\"b\"],\"n\":1}",
              [FORM] = "t=a%2F..%5C..&n=1",
              [MARKUP] = "<t a=\"a/..\\..\">a/..\\..</t>",
              [RAW] = "<a/..\\..>"}},
    {.json = "\"%2e%2e\"",
     .wire = {[SEGMENT] = "/item/%252e%252e/end?x=1",
              [QUERY] = "/find?q=%252e%252e&x=1",
              [HEADER] = "<%2e%2e>",
              [STRING] = "{\"t\":\"<%2e%2e>\",\"n\":1}",
              [VALUE] = "{\"t\":\"%2e%2e\",\"n\":1}",
              [LIST] = "{\"t\":[\"%2e%2e\",\"b\"],\"n\":1}",
              [FORM] = "t=%252e%252e&n=1",
              [MARKUP] = "<t a=\"%2e%2e\">%2e%2e</t>",
              [RAW] = "<%2e%2e>"}},
    {.json = "\"?a=b&c#d\"",
     .wire = {[SEGMENT] = "/item/%3Fa%3Db%26c%23d/end?x=1",
              [QUERY] = "/find?q=%3Fa%3Db%26c%23d&x=1",
              [HEADER] = "<?a=b&c#d>",
              [STRING] = "{\"t\":\"<?a=b&c#d>\",\"n\":1}",
              [VALUE] = "{\"t\":\"?a=b&c#d\",\"n\":1}",
              [LIST] = "{\"t\":[\"?a=b&c#d\",\"b\"],\"n\":1}",
              [FORM] = "t=%3Fa%3Db%26c%23d&n=1",
              [MARKUP] = "<t a=\"?a=b&amp;c#d\">?a=b&amp;c#d</t>",
              [RAW] = "<?a=b&c#d>"}},
    {.json = "\"//evil.invalid:1@x\"",
     .wire = {[SEGMENT] = "/item/%2F%2Fevil.invalid%3A1%40x/end?x=1",
              [QUERY] = "/find?q=%2F%2Fevil.invalid%3A1%40x&x=1",
              [HEADER] = "<//evil.invalid:1@x>",
              [STRING] = "{\"t\":\"<//evil.invalid:1@x>\",\"n\":1}",
              [VALUE] = "{\"t\":\"//evil.invalid:1@x\",\"n\":1}",
              [LIST] = "{\"t\":[\"//evil.invalid:1@x\",\"b\"],\"n\":1}",
              [FORM] = "t=%2F%2Fevil.invalid%3A1%40x&n=1",
              [MARKUP] = "<t a=\"//evil.invalid:1@x\">//evil.invalid:1@x</t>",
              [RAW] = "<//evil.invalid:1@x>"}},
    {.json = "\"a\\r\\nX-Evil: 1\\r\\n\\r\\nb\"",
     .refused_header = CONTROL,
     .wire = {[SEGMENT] = "/item/a%0D%0AX-Evil%3A%201%0D%0A%0D%0Ab/end?x=1",
              [QUERY] = "/find?q=a%0D%0AX-Evil%3A%201%0D%0A%0D%0Ab&x=1",
              [STRING] = "{\"t\":\"<a\\r\\nX-Evil: 1\\r\\n\\r\\nb>\",\"n\":1}",
              [VALUE] = "{\"t\":\"a\\r\\nX-Evil: 1\\r\\n\\r\\nb\",\"n\":1}",
              [LIST] = "{\"t\":[\"a\\r\\nX-Evil: 1\\r\\n\\r\\nb\",\"b\"],\"n\":1}",
              [FORM] = "t=a%0D%0AX-Evil%3A%201%0D%0A%0D%0Ab&n=1",
              [MARKUP] = "<t a=\"a\r\nX-Evil: 1\r\n\r\nb\">a\r\nX-Evil: 1\r\n\r\nb</t>",
              [RAW] = "<a\r\nX-Evil: 1\r\n\r\nb>"}},
    {.json = "\"\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'\"",
     .wire = {[SEGMENT] = "/item/%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27/end?x=1",
              [QUERY] = "/find?q=%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27&x=1",
              [HEADER] = "<\",\"admin\":true,\"x\":\"'>",
              [STRING] = "{\"t\":\"<\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'>\",\"n\":1}",
              [VALUE] = "{\"t\":\"\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'\",\"n\":1}",
              [LIST] = "{\"t\":[\"\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'\",\"b\"],\"n\":1}",
              [FORM] = "t=%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27&n=1",
              [MARKUP] = "<t a=\"&quot;,&quot;admin&quot;:true,&quot;x&quot;:&quot;&#39;\">"
                         "&quot;,&quot;admin&quot;:true,&quot;x&quot;:&quot;&#39;</t>",
              [RAW] = "<\",\"admin\":true,\"x\":\"'>"}},
    {.json = "\"${other}${env:TOKEN}$${v}\"",
     .wire = {[SEGMENT] = "/item/%24%7Bother%7D%24%7Benv%3ATOKEN%7D%24%24%7Bv%7D/end?x=1",
              [QUERY] = "/find?q=%24%7Bother%7D%24%7Benv%3ATOKEN%7D%24%24%7Bv%7D&x=1",
              [HEADER] = "<${other}${env:TOKEN}$${v}>",
              [STRING] = "{\"t\":\"<${other}${env:TOKEN}$${v}>\",\"n\":1}",
              [VALUE] = "{\"t\":\"${other}${env:TOKEN}$${v}\",\"n\":1}",
              [LIST] = "{\"t\":[\"${other}${env:TOKEN}$${v}\",\"b\"],\"n\":1}",
              [FORM] = "t=%24%7Bother%7D%24%7Benv%3ATOKEN%7D%24%24%7Bv%7D&n=1",
              [MARKUP] = "<t a=\"${other}${env:TOKEN}$${v}\">${other}${env:TOKEN}$${v}</t>",
              [RAW] = "<${other}${env:TOKEN}$${v}>"}},
    {.json = "\"</t><t>]]>\"",
     .wire = {[SEGMENT] = "/item/%3C%2Ft%3E%3Ct%3E%5D%5D%3E/end?x=1",
              [QUERY] = "/find?q=%3C%2Ft%3E%3Ct%3E%5D%5D%3E&x=1",
              [HEADER] = "<</t><t>]]>>",
              [STRING] = "{\"t\":\"<</t><t>]]>>\",\"n\":1}",
              [VALUE] = "{\"t\":\"</t><t>]]>\",\"n\":1}",
              [LIST] = "{\"t\":[\"</t><t>]]>\",\"b\"],\"n\":1}",
              [FORM] = "t=%3C%2Ft%3E%3Ct%3E%5D%5D%3E&n=1",
              [MARKUP] = "<t a=\"&lt;/t&gt;&lt;t&gt;]]&gt;\">&lt;/t&gt;&lt;t&gt;]]&gt;</t>",
              [RAW] = "<</t><t>]]>>"}},
    {.json = "\"\"",
     .refused_path = "is empty, which a part of a path cannot be",
     .wire = {[QUERY] = "/find?q=&x=1",
              [HEADER] = "<>",
              [STRING] = "{\"t\":\"<>\",\"n\":1}",
              [VALUE] = "{\"t\":\"\",\"n\":1}",
              [LIST] = "{\"t\":[\"\",\"b\"],\"n\":1}",
              [FORM] = "t=&n=1",
              [MARKUP] = "<t a=\"\"></t>",
              [RAW] = "<>"}},
};

/* ## One meeting */

static void set_up(struct caller *caller, enum place place, const struct mock_answer *answer,
                   gramc_pair headers[2]) {
    const char *item = place == LIST ? "{\"type\":\"array\"}" : "{\"type\":\"string\"}";
    char schema[256];
    snprintf(schema, sizeof schema,
             "{\"type\":\"object\",\"properties\":{\"v\":%s,\"other\":{\"type\":\"string\"}}}",
             item);
    caller_init(caller, places[place].path, schema, answer, 1);
    headers[0] = (gramc_pair){TEXT("X-Other"), TEXT("${other}")};
    headers[1] =
        (gramc_pair){TEXT("X-V"), text_of(places[place].header ? places[place].header : "fixed")};
    caller->impl->headers = headers;
    caller->impl->header_count = 2;
    if (places[place].body) {
        caller->impl->method = TEXT("POST");
        caller->impl->body = text_of(places[place].body);
    }
    if (places[place].content_type)
        caller->impl->content_type = text_of(places[place].content_type);
    caller_bind(caller);
}

/* The head of the request as it must be, every byte of it. */
static void put_head(struct buf *out, const struct caller *caller, enum place place,
                     const char *target, const char *header, size_t body) {
    const char *host = strstr(mock_url(caller->server), "127.");
    buf_printf(out, "%s /v1%s HTTP/1.1\r\n", places[place].body ? "POST" : "GET", target);
    buf_printf(out, "Host: %.*s\r\nUser-Agent: gramc\r\nAccept: */*\r\n", (int)strcspn(host, "/"),
               host);
    buf_printf(out, "X-Other: OTHER\r\nX-V: %s\r\n", header);
    if (places[place].body)
        buf_printf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n",
                   places[place].content_type ? places[place].content_type : "application/json",
                   body);
    buf_puts(out, "\r\n");
}

static void expect_wire(const struct caller *caller, enum place place, const char *wire,
                        const char *json) {
    const char *path = place == SEGMENT || place == QUERY ? wire : places[place].path;
    const char *header = place == HEADER ? wire : "fixed";
    const char *body = places[place].body ? wire : "";
    struct buf head;
    if (mock_count(caller->server) != 1)
        fail_msg("%s in a %s: %s", json, places[place].name, caller->result.ptr);
    buf_init(&head, NULL, 1 << 16);
    put_head(&head, caller, place, path, header, strlen(body));
    assert_string_equal(mock_head(caller->server, 0), head.ptr);
    assert_int_equal(mock_body_length(caller->server, 0), strlen(body));
    assert_string_equal(mock_body(caller->server, 0), body);
    buf_free(&head);
}

static void expect_refusal(const struct caller *caller, const char *reason) {
    char text[256];
    snprintf(text, sizeof text, "the call cannot be made: `v` %s", reason);
    caller_expect(caller, TOOL_FAILED, text);
    assert_int_equal(mock_count(caller->server), 0);
}

static void meet(const struct attack *attack, enum place place) {
    static const struct mock_answer answer = {.body = "fine"};
    struct caller caller;
    gramc_pair headers[2];
    struct buf arguments;
    const char *refused = place == SEGMENT  ? attack->refused_path
                          : place == HEADER ? attack->refused_header
                                            : NULL;
    set_up(&caller, place, &answer, headers);
    buf_init(&arguments, NULL, 1 << 16);
    buf_printf(&arguments,
               place == LIST ? "{\"v\":[%s,\"b\"],\"other\":\"OTHER\"}"
                             : "{\"v\":%s,\"other\":\"OTHER\"}",
               attack->json);
    caller_call(&caller, buf_view(&arguments));
    assert_true((refused == NULL) == (attack->wire[place] != NULL));
    if (refused) expect_refusal(&caller, refused);
    else expect_wire(&caller, place, attack->wire[place], attack->json);
    buf_free(&arguments);
    caller_free(&caller);
}

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        for (size_t place = 0; place < PLACES; place++) meet(&attacks[i], (enum place)place);
}

/* ## NUL, which no C string shows */

static void test_nul(void **state) {
    static const struct {
        const char *wire;
        size_t len;
    } bodies[PLACES] = {
        [STRING] = {"{\"t\":\"<a\\u0000b>\",\"n\":1}", 24},
        [VALUE] = {"{\"t\":\"a\\u0000b\",\"n\":1}", 22},
        [LIST] = {"{\"t\":[\"a\\u0000b\",\"b\"],\"n\":1}", 28},
        [FORM] = {"t=a%00b&n=1", 11},
        [MARKUP] = {"<t a=\"a\0b\">a\0b</t>", 18},
        [RAW] = {"<a\0b>", 5},
    };
    static const struct attack nul = {
        .json = "\"a\\u0000b\"",
        .refused_path = "holds a NUL, which a path cannot",
        .refused_header = CONTROL,
        .wire = {[QUERY] = "/find?q=a%00b&x=1"},
    };
    static const struct mock_answer answer = {.body = "fine"};
    (void)state;
    for (size_t place = SEGMENT; place <= HEADER; place++) meet(&nul, (enum place)place);
    for (size_t place = STRING; place < PLACES; place++) {
        struct caller caller;
        gramc_pair headers[2];
        set_up(&caller, (enum place)place, &answer, headers);
        caller_call(&caller, place == LIST
                                 ? TEXT("{\"v\":[\"a\\u0000b\",\"b\"],\"other\":\"OTHER\"}")
                                 : TEXT("{\"v\":\"a\\u0000b\",\"other\":\"OTHER\"}"));
        caller_expect(&caller, TOOL_FINE, "fine");
        assert_int_equal(mock_body_length(caller.server, 0), bodies[place].len);
        assert_memory_equal(mock_body(caller.server, 0), bodies[place].wire, bodies[place].len);
        caller_free(&caller);
    }
}

/* ## A million bytes */

static const char *end_of(const char *body, const char *filling) {
    const char *start = strstr(body, filling);
    assert_non_null(start);
    for (size_t i = 0; i < MILLION; i++) assert_true(start[i] == 'x');
    return start + MILLION;
}

static void test_million(void **state) {
    static const struct mock_answer answer = {.body = "fine"};
    static const char *const ends[PLACES] = {[STRING] = ">\",\"n\":1}",
                                             [VALUE] = "\",\"n\":1}",
                                             [LIST] = "\"],\"n\":1}",
                                             [FORM] = "&n=1",
                                             [RAW] = ">"};
    struct buf arguments;
    (void)state;
    for (size_t place = 0; place < PLACES; place++) {
        struct caller caller;
        gramc_pair headers[2];
        set_up(&caller, (enum place)place, &answer, headers);
        buf_init(&arguments, NULL, 2 * MILLION);
        buf_puts(&arguments, place == LIST ? "{\"other\":\"OTHER\",\"v\":[\""
                                           : "{\"other\":\"OTHER\",\"v\":\"");
        for (size_t i = 0; i < MILLION; i++) buf_putc(&arguments, 'x');
        buf_puts(&arguments, place == LIST ? "\"]}" : "\"}");
        caller_call(&caller, buf_view(&arguments));
        if (place <= HEADER) {
            caller_expect(&caller, TOOL_FAILED, "the call cannot be made: it is too long");
            assert_int_equal(mock_count(caller.server), 0);
        } else {
            caller_expect(&caller, TOOL_FINE, "fine");
            const char *end = end_of(mock_body(caller.server, 0), "xx");
            if (place == MARKUP) assert_string_equal(end_of(end, "xx"), "</t>");
            else assert_string_equal(end, ends[place]);
        }
        buf_free(&arguments);
        caller_free(&caller);
    }
}

/* ## Values that are no texts, where texts are expected */

static void test_other_kinds(void **state) {
    static const struct {
        enum place place;
        const char *json, *wire;
    } rows[] = {
        {SEGMENT, "12.50", "/item/12.50/end?x=1"},
        {SEGMENT, "[\"..a\",\"/\"]", "/item/..a,%2F/end?x=1"},
        {QUERY, "true", "/find?q=true&x=1"},
        {QUERY, "{\"a\":\"&\"}", "/find?a=%26&x=1"},
        {QUERY, "null", "/find?q=&x=1"},
        {HEADER, "[1,2]", "<[1,2]>"},
        {STRING, "{\"a\":\"\\\"\"}", "{\"t\":\"<{\\\"a\\\":\\\"\\\\\\\"\\\"}>\",\"n\":1}"},
        {VALUE, "{\"a\":[1,{}]}", "{\"t\":{\"a\":[1,{}]},\"n\":1}"},
        {VALUE, "null", "{\"t\":null,\"n\":1}"},
        {VALUE, "123456789012345678901234567890.5",
         "{\"t\":123456789012345678901234567890.5,\"n\":1}"},
        {FORM, "[\"&\",2]", "t=%26&t=2&n=1"},
    };
    static const struct mock_answer answer = {.body = "fine"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct caller caller;
        gramc_pair headers[2];
        char arguments[256];
        set_up(&caller, rows[i].place, &answer, headers);
        snprintf(arguments, sizeof arguments, "{\"v\":%s,\"other\":\"OTHER\"}", rows[i].json);
        caller_call(&caller, text_of(arguments));
        expect_wire(&caller, rows[i].place, rows[i].wire, rows[i].json);
        caller_free(&caller);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
