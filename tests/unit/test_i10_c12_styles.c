/* Arrays and objects in HTTP calls, by OpenAPI's style and explode: each style with a list, an
 * object, one member, none, special characters, letters beyond ASCII, in each place, over the wire
 * to a server on 127.0.0.1. What a place or a style refuses must not be sent. */
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
#include "runtime/loop.h"
#include "runtime/tool.h"
#include "runtime/tool_http.h"
#include "tests/failing.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

enum place { PATH, GLUED, QUERY, BARE, HEADER, COOKIE, FORM, PLACES };

/* The templates; what is compared is the text that the server got there. */
static const struct {
    const char *name, *path, *header, *value, *body;
} places[PLACES] = {
    [PATH] = {"path", "/u/${v}/x", NULL, NULL, NULL},
    [GLUED] = {"glued path", "/u${v}?q=1", NULL, NULL, NULL},
    [QUERY] = {"query", "/s?a=1&v=${v}&z=2", NULL, NULL, NULL},
    [BARE] = {"whole query", "/s?${v}", NULL, NULL, NULL},
    [HEADER] = {"header", "/h", "X-V", "${v}", NULL},
    [COOKIE] = {"cookie", "/c", "Cookie", "s=1; v=${v}; t=2", NULL},
    [FORM] = {"form", "/f", NULL, NULL, "v=${v}&z=2"},
};

#define LIST "[\"blue\",\"black\",\"brown\"]"
#define OBJECT "{\"R\":100,\"G\":200,\"B\":150}"
#define ODD "[\"a b\",\"&=?#\",\"/,;%|\"]"
#define ODD_OBJECT "{\"a&b\":\"c=d\",\"e,f\":\"g;h\"}"
#define LETTERS "[\"\xC3\xA4\",\"\xE2\x82\xAC\",\"\xF0\x9F\x98\x80\"]"
#define KINDS "[1.50,true,null,false,\"\",-1e3]"
/* Nothing is sent. */
#define REFUSED NULL

static const struct row {
    enum place place;
    const char *style; /* NULL: not said */
    enum style_explode explode;
    const char *value, *wire;
} rows[] = {
    /* simple, the default in a path */
    {PATH, NULL, 0, LIST, "/u/blue,black,brown/x"},
    {PATH, "simple", EXPLODE_FALSE, LIST, "/u/blue,black,brown/x"},
    {PATH, "simple", EXPLODE_TRUE, LIST, "/u/blue,black,brown/x"},
    {PATH, NULL, 0, OBJECT, "/u/R,100,G,200,B,150/x"},
    {PATH, NULL, EXPLODE_TRUE, OBJECT, "/u/R=100,G=200,B=150/x"},
    {PATH, "simple", EXPLODE_TRUE, ODD_OBJECT, "/u/a%26b=c%3Dd,e%2Cf=g%3Bh/x"},
    {PATH, "simple", 0, ODD, "/u/a%20b,%26%3D%3F%23,%2F%2C%3B%25%7C/x"},
    {PATH, NULL, 0, LETTERS, "/u/%C3%A4,%E2%82%AC,%F0%9F%98%80/x"},
    {PATH, NULL, 0, KINDS, "/u/1.50,true,false,,-1e3/x"},
    {PATH, NULL, 0, "[\"one\"]", "/u/one/x"},
    {PATH, NULL, 0, "{\"k\":1}", "/u/k,1/x"},
    {PATH, NULL, 0, "[]", REFUSED},
    {PATH, NULL, 0, "{}", REFUSED},
    {PATH, NULL, 0, "[null]", REFUSED},
    {PATH, NULL, 0, "[\"\"]", REFUSED},
    {PATH, NULL, 0, "[\"a\",\"../b\"]", REFUSED},
    {PATH, NULL, 0, "[\"a\\u0000\"]", REFUSED},
    {PATH, NULL, 0, "[[1]]", REFUSED},
    {PATH, NULL, 0, "{\"a\":{\"b\":1}}", REFUSED},
    {PATH, "simple", 0, "\"one\"", "/u/one/x"},
    {PATH, "simple", 0, "\"\"", REFUSED},
    {PATH, "json", 0, "[1,\"a\"]", "/u/%5B1%2C%22a%22%5D/x"},
    /* label */
    {GLUED, "label", 0, LIST, "/u.blue,black,brown?q=1"},
    {GLUED, "label", EXPLODE_TRUE, LIST, "/u.blue.black.brown?q=1"},
    {GLUED, "label", 0, OBJECT, "/u.R,100,G,200,B,150?q=1"},
    {GLUED, "label", EXPLODE_TRUE, OBJECT, "/u.R=100.G=200.B=150?q=1"},
    {GLUED, "label", EXPLODE_TRUE, ODD, "/u.a%20b.%26%3D%3F%23.%2F%2C%3B%25%7C?q=1"},
    {GLUED, "label", 0, LETTERS, "/u.%C3%A4,%E2%82%AC,%F0%9F%98%80?q=1"},
    {GLUED, "label", 0, "[\"one\"]", "/u.one?q=1"},
    {GLUED, "label", 0, "5", "/u.5?q=1"},
    {GLUED, "label", 0, "\"blue\"", "/u.blue?q=1"},
    {GLUED, "label", 0, "\"\"", "/u.?q=1"},
    {GLUED, "label", 0, "[]", REFUSED},
    {GLUED, "label", EXPLODE_TRUE, "{}", REFUSED},
    {PATH, "label", 0, "\"\"", REFUSED}, /* a step */
    {PATH, "label", EXPLODE_TRUE, "[\"\"]", REFUSED},
    /* matrix */
    {GLUED, "matrix", 0, LIST, "/u;v=blue,black,brown?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, LIST, "/u;v=blue;v=black;v=brown?q=1"},
    {GLUED, "matrix", 0, OBJECT, "/u;v=R,100,G,200,B,150?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, OBJECT, "/u;R=100;G=200;B=150?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, ODD, "/u;v=a%20b;v=%26%3D%3F%23;v=%2F%2C%3B%25%7C?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, "[\"a\",\"\"]", "/u;v=a;v?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, "{\"a\":\"\",\"b\":1}", "/u;a;b=1?q=1"},
    {GLUED, "matrix", 0, "[\"one\"]", "/u;v=one?q=1"},
    {GLUED, "matrix", 0, "\"blue\"", "/u;v=blue?q=1"},
    {GLUED, "matrix", 0, "\"\"", "/u;v?q=1"},
    {GLUED, "matrix", EXPLODE_TRUE, "[]", REFUSED},
    /* form, the default in a query */
    {QUERY, NULL, 0, LIST, "/s?a=1&v=blue&v=black&v=brown&z=2"},
    {QUERY, "form", 0, LIST, "/s?a=1&v=blue&v=black&v=brown&z=2"},
    {QUERY, NULL, EXPLODE_FALSE, LIST, "/s?a=1&v=blue,black,brown&z=2"},
    {QUERY, "form", EXPLODE_TRUE, OBJECT, "/s?a=1&R=100&G=200&B=150&z=2"},
    {QUERY, "form", EXPLODE_FALSE, OBJECT, "/s?a=1&v=R,100,G,200,B,150&z=2"},
    {QUERY, NULL, 0, ODD, "/s?a=1&v=a%20b&v=%26%3D%3F%23&v=%2F%2C%3B%25%7C&z=2"},
    {QUERY, NULL, EXPLODE_FALSE, ODD, "/s?a=1&v=a%20b,%26%3D%3F%23,%2F%2C%3B%25%7C&z=2"},
    {QUERY, NULL, 0, ODD_OBJECT, "/s?a=1&a%26b=c%3Dd&e%2Cf=g%3Bh&z=2"},
    {QUERY, NULL, 0, LETTERS, "/s?a=1&v=%C3%A4&v=%E2%82%AC&v=%F0%9F%98%80&z=2"},
    {QUERY, NULL, 0, "{\"\xC3\xA4\":\"\xC3\xB6\"}", "/s?a=1&%C3%A4=%C3%B6&z=2"},
    {QUERY, NULL, 0, KINDS, "/s?a=1&v=1.50&v=true&v=false&v=&v=-1e3&z=2"},
    {QUERY, NULL, 0, "[\"one\"]", "/s?a=1&v=one&z=2"},
    {QUERY, NULL, 0, "[]", "/s?a=1&z=2"},
    {QUERY, NULL, EXPLODE_FALSE, "[]", "/s?a=1&z=2"},
    {QUERY, NULL, 0, "{}", "/s?a=1&z=2"},
    {QUERY, NULL, 0, "[null,null]", "/s?a=1&z=2"},
    {QUERY, NULL, 0, "{\"a\":null,\"b\":1}", "/s?a=1&b=1&z=2"},
    {QUERY, "form", 0, "\"\"", "/s?a=1&v=&z=2"},
    {QUERY, "form", 0, "\"x y\"", "/s?a=1&v=x%20y&z=2"},
    {QUERY, NULL, 0, "[{\"a\":1}]", REFUSED},
    {QUERY, NULL, 0, "{\"a\":[1]}", REFUSED},
    {BARE, NULL, 0, OBJECT, "/s?R=100&G=200&B=150"},
    {BARE, NULL, 0, LIST, "/s?v=blue&v=black&v=brown"},
    {BARE, NULL, EXPLODE_FALSE, LIST, "/s?v=blue,black,brown"},
    {BARE, "deepObject", 0, "{\"k\":1}", "/s?v%5Bk%5D=1"},
    {BARE, NULL, 0, "[]", "/s"},
    {BARE, NULL, 0, "\"raw\"", "/s?raw"},
    /* spaceDelimited, pipeDelimited */
    {QUERY, "spaceDelimited", 0, LIST, "/s?a=1&v=blue%20black%20brown&z=2"},
    {QUERY, "spaceDelimited", EXPLODE_FALSE, OBJECT, "/s?a=1&v=R%20100%20G%20200%20B%20150&z=2"},
    {QUERY, "spaceDelimited", EXPLODE_TRUE, LIST, "/s?a=1&v=blue&v=black&v=brown&z=2"},
    {QUERY, "spaceDelimited", EXPLODE_TRUE, OBJECT, "/s?a=1&R=100&G=200&B=150&z=2"},
    {QUERY, "spaceDelimited", 0, "[\"one\"]", "/s?a=1&v=one&z=2"},
    {QUERY, "spaceDelimited", 0, "[]", "/s?a=1&z=2"},
    {QUERY, "spaceDelimited", 0, "[\"a|b,c\",\"\xC3\xA4\"]", "/s?a=1&v=a%7Cb%2Cc%20%C3%A4&z=2"},
    {QUERY, "spaceDelimited", 0, "[\"a b\"]", REFUSED},
    {QUERY, "spaceDelimited", EXPLODE_TRUE, "[\"a b\"]", "/s?a=1&v=a%20b&z=2"},
    {QUERY, "pipeDelimited", 0, LIST, "/s?a=1&v=blue%7Cblack%7Cbrown&z=2"},
    {QUERY, "pipeDelimited", 0, OBJECT, "/s?a=1&v=R%7C100%7CG%7C200%7CB%7C150&z=2"},
    {QUERY, "pipeDelimited", EXPLODE_TRUE, LIST, "/s?a=1&v=blue&v=black&v=brown&z=2"},
    {QUERY, "pipeDelimited", EXPLODE_TRUE, OBJECT, "/s?a=1&R=100&G=200&B=150&z=2"},
    {QUERY, "pipeDelimited", 0, "[\"one\"]", "/s?a=1&v=one&z=2"},
    {QUERY, "pipeDelimited", 0, "[\"a b,c\",\"\xC3\xA4\"]", "/s?a=1&v=a%20b%2Cc%7C%C3%A4&z=2"},
    {QUERY, "pipeDelimited", 0, "{}", "/s?a=1&z=2"},
    {QUERY, "pipeDelimited", 0, "[\"a|b\"]", REFUSED},
    {QUERY, "pipeDelimited", 0, "{\"a|b\":1}", REFUSED},
    {QUERY, "pipeDelimited", 0, "\"a|b\"", "/s?a=1&v=a%7Cb&z=2"},
    /* deepObject */
    {QUERY, "deepObject", EXPLODE_TRUE, OBJECT,
     "/s?a=1&v%5BR%5D=100&v%5BG%5D=200&v%5BB%5D=150&z=2"},
    {QUERY, "deepObject", 0, OBJECT, "/s?a=1&v%5BR%5D=100&v%5BG%5D=200&v%5BB%5D=150&z=2"},
    {QUERY, "deepObject", 0, "{\"one\":\"x\"}", "/s?a=1&v%5Bone%5D=x&z=2"},
    {QUERY, "deepObject", 0, "{\"]&\":\"a&b\",\"\xC3\xA4\":\"\"}",
     "/s?a=1&v%5B%5D%26%5D=a%26b&v%5B%C3%A4%5D=&z=2"},
    {QUERY, "deepObject", 0, "{}", "/s?a=1&z=2"},
    {QUERY, "deepObject", 0, LIST, "/s?a=1&v%5B0%5D=blue&v%5B1%5D=black&v%5B2%5D=brown&z=2"},
    {QUERY, "deepObject", 0, "\"x\"", REFUSED},
    {QUERY, "deepObject", 0, "{\"a\":{\"b\":1,\"&\":\"=\"},\"c\":null,\"d\":{}}",
     "/s?a=1&v%5Ba%5D%5Bb%5D=1&v%5Ba%5D%5B%26%5D=%3D&z=2"},
    {QUERY, "deepObject", 0, "{\"a\":[1,null,{\"b\":[2]}]}",
     "/s?a=1&v%5Ba%5D%5B0%5D=1&v%5Ba%5D%5B1%5D%5Bb%5D%5B0%5D=2&z=2"},
    {FORM, "deepObject", 0, "[[1],[]]", "v%5B0%5D%5B0%5D=1&z=2"},
    /* json */
    {QUERY, "json", 0, "{\"a\":[1,{}]}", "/s?a=1&v=%7B%22a%22%3A%5B1%2C%7B%7D%5D%7D&z=2"},
    {QUERY, "json", 0, "[]", "/s?a=1&v=%5B%5D&z=2"},
    {QUERY, "json", 0, "\"x\"", "/s?a=1&v=%22x%22&z=2"},
    /* simple, the only one of headers */
    {HEADER, NULL, 0, LIST, "blue,black,brown"},
    {HEADER, "simple", EXPLODE_TRUE, LIST, "blue,black,brown"},
    {HEADER, NULL, 0, OBJECT, "R,100,G,200,B,150"},
    {HEADER, "simple", EXPLODE_TRUE, OBJECT, "R=100,G=200,B=150"},
    {HEADER, NULL, 0, "[\"a b\",\"c&d%\"]", "a b,c&d%"},
    {HEADER, NULL, 0, "[\"\xC3\xA4\"]", "\xC3\xA4"},
    {HEADER, NULL, 0, "[\"one\"]", "one"},
    {HEADER, NULL, 0, "[]", ""},
    {HEADER, NULL, 0, "{\"a\":null}", ""},
    {HEADER, NULL, 0, "[\"a\\r\\nEvil: 1\"]", REFUSED},
    {HEADER, NULL, 0, "{\"a\\nb\":1}", REFUSED},
    {HEADER, NULL, EXPLODE_TRUE, "{\"a\":\"b\\r\"}", REFUSED},
    {HEADER, "simple", 0, "\"a\\nb\"", REFUSED},
    {HEADER, NULL, 0, "[[1]]", REFUSED},
    {HEADER, "json", 0, "[[1],{\"a\":\"b\"}]", "[[1],{\"a\":\"b\"}]"},
    /* form in cookies: pairs there are parted as cookies are */
    {COOKIE, NULL, 0, LIST, "s=1; v=blue; v=black; v=brown; t=2"},
    {COOKIE, NULL, EXPLODE_FALSE, LIST, "s=1; v=blue,black,brown; t=2"},
    {COOKIE, "form", EXPLODE_TRUE, OBJECT, "s=1; R=100; G=200; B=150; t=2"},
    {COOKIE, "form", EXPLODE_FALSE, OBJECT, "s=1; v=R,100,G,200,B,150; t=2"},
    {COOKIE, NULL, 0, "[\"a;b=c\",\"d e\"]", "s=1; v=a%3Bb%3Dc; v=d%20e; t=2"},
    {COOKIE, NULL, EXPLODE_FALSE, LETTERS, "s=1; v=%C3%A4,%E2%82%AC,%F0%9F%98%80; t=2"},
    {COOKIE, NULL, 0, "[\"x\\r\\ny\"]", "s=1; v=x%0D%0Ay; t=2"},
    {COOKIE, NULL, 0, "[\"one\"]", "s=1; v=one; t=2"},
    {COOKIE, NULL, 0, "[]", "s=1; t=2"},
    {COOKIE, NULL, 0, "[[1]]", REFUSED},
    {COOKIE, "json", 0, "{\"a\":1}", "s=1; v=%7B%22a%22%3A1%7D; t=2"},
    /* form bodies are as queries */
    {FORM, NULL, 0, LIST, "v=blue&v=black&v=brown&z=2"},
    {FORM, NULL, EXPLODE_FALSE, LIST, "v=blue,black,brown&z=2"},
    {FORM, NULL, 0, OBJECT, "R=100&G=200&B=150&z=2"},
    {FORM, "deepObject", 0, OBJECT, "v%5BR%5D=100&v%5BG%5D=200&v%5BB%5D=150&z=2"},
    {FORM, "pipeDelimited", 0, ODD, REFUSED},
    {FORM, NULL, 0, "[]", "z=2"},
    /* null and absent are what they are for scalars */
    {QUERY, NULL, 0, "null", "/s?a=1&v=&z=2"},
    {QUERY, NULL, 0, "", "/s?a=1&z=2"},
    {QUERY, "deepObject", 0, "", "/s?a=1&z=2"},
    {COOKIE, NULL, 0, "", "s=1; t=2"},
    {COOKIE, NULL, 0, "\"a=b, c\"", "s=1; v=a=b, c; t=2"},
    {COOKIE, NULL, 0, "\"x; admin=1\"", REFUSED},
    {COOKIE, "form", 0, "\"x; admin=1\"", "s=1; v=x%3B%20admin%3D1; t=2"},
    {HEADER, "simple", 0, "", ""},
    {FORM, NULL, 0, "", "z=2"},
    {PATH, NULL, 0, "", REFUSED},
    {GLUED, "matrix", 0, "", REFUSED},
    {BARE, NULL, 0, "", "/s"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ## The wire */

struct bench {
    struct arena arena;
    struct http_call call;
    struct http_header header;
    struct http_endpoint endpoint;
    gramc_impl impl;
    struct bound_tool bound;
    gramc_loop *loop;
    bool done;
    enum tool_outcome outcome;
};

static void read_part(struct bench *bench, struct template *out, const char *text,
                      enum template_kind kind, const struct row *row) {
    struct template_error error;
    const struct template_style said = {
        TEXT("v"), style_of_word(text_of(row->style ? row->style : "")), row->explode};
    assert_true(!row->style || said.style);
    assert_int_equal(template_read(out, &bench->arena, text_of(text), kind, false, &error),
                     GRAMC_OK);
    template_set_styles(out, &said, 1);
}

static void make_call(struct bench *bench, const struct row *row) {
    const char *header = places[row->place].header, *body = places[row->place].body;
    bench->call = (struct http_call){.method = body ? METHOD_POST : METHOD_GET, .has_body = body};
    read_part(bench, &bench->call.path, places[row->place].path, TEMPLATE_URL, row);
    if (header) {
        bench->header.name = text_of(header);
        read_part(bench, &bench->header.value, places[row->place].value,
                  template_header_kind(bench->header.name), row);
        bench->call.headers = &bench->header;
        bench->call.header_count = 1;
    }
    if (!body) return;
    bench->call.content_type = TEXT("application/x-www-form-urlencoded");
    read_part(bench, &bench->call.body, body, TEMPLATE_FORM, row);
}

static void on_done(void *ctx, struct tool_call *call) {
    struct bench *bench = ctx;
    bench->done = true;
    bench->outcome = call->outcome;
    tool_release(call);
}

static void send_row(struct bench *bench, const struct row *row) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, *row->value ? "{\"v\":%s}" : "{}", row->value);
    make_call(bench, row);
    bench->done = false;
    assert_non_null(tool_start(bench->loop, &bench->bound, text_of(arguments), on_done, bench));
    while (!bench->done || bench->loop->calls) uv_run(&bench->loop->uv, UV_RUN_ONCE);
}

/* The text between `start` and `end` of a request; empty if it is not there. */
static gramc_text between(const char *head, const char *start, const char *end) {
    const char *from = strstr(head, start);
    if (!from) return TEXT("");
    from += strlen(start);
    return (gramc_text){from, (size_t)(strstr(from, end) - from)};
}

static gramc_text received(struct mock_server *server, size_t i, enum place place) {
    if (place == FORM) return text_of(mock_body(server, i));
    if (place == HEADER) return between(mock_head(server, i), "\r\nX-V: ", "\r\n");
    if (place == COOKIE) return between(mock_head(server, i), "\r\nCookie: ", "\r\n");
    return between(mock_head(server, i), "GET /v1", " HTTP/1.1\r\n");
}

static void check_row(struct bench *bench, struct mock_server *server, size_t i) {
    const struct row *row = &rows[i];
    size_t before = mock_count(server);
    send_row(bench, row);
    bool sent = mock_count(server) > before;
    gramc_text wire = sent ? received(server, before, row->place) : TEXT("(nothing)");
    bool good = row->wire ? sent && text_is(wire, row->wire) : !sent;
    if (!good || (!row->wire && bench->outcome != TOOL_FAILED))
        fail_msg("%s, style %s, explode %d, %s: `%.*s` instead of `%s`", places[row->place].name,
                 row->style ? row->style : "unsaid", (int)row->explode, row->value, TEXT_ARGS(wire),
                 row->wire ? row->wire : "(nothing)");
}

static void test_wire(void **state) {
    static struct mock_answer answers[ROWS];
    struct bench bench;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) answers[i].body = "fine";
    struct mock_server *server = mock_start(answers, ROWS);
    memset(&bench, 0, sizeof bench);
    arena_init(&bench.arena, NULL);
    assert_int_equal(gramc_loop_new(&bench.loop, NULL), GRAMC_OK);
    bench.endpoint = (struct http_endpoint){.url = text_of(mock_url(server)), .call = &bench.call};
    bench.bound = (struct bound_tool){
        .impl = &bench.impl, .kind = &tool_http, .data = &bench.endpoint, .timeout_ms = 5000};
    for (size_t i = 0; i < ROWS; i++) check_row(&bench, server, i);
    gramc_loop_free(bench.loop);
    mock_stop(server);
    arena_free(&bench.arena);
}

/* ## What is no place of its own stays JSON; the name may be the template's, or an argument's */

static const struct {
    enum template_kind kind;
    const char *template, *style, *wire;
} others[] = {
    {TEMPLATE_URL, "/a?q=x${v}", NULL, "/a?q=x%5B1%2C%22a%22%5D"},
    {TEMPLATE_URL, "/a?q=${v}${w}", NULL, "/a?q=%5B1%2C%22a%22%5Dw"},
    {TEMPLATE_URL, "/a?q=${v:-b}&r=1", NULL, "/a?q=1&q=a&r=1"},
    {TEMPLATE_URL, "/a?${w}=${v}", NULL, "/a?w=1&w=a"},
    {TEMPLATE_URL, "/a?f[]=${v}", NULL, "/a?f[]=1&f[]=a"},
    {TEMPLATE_URL, "/a/;c=${v}/b", "matrix", "/a/;c=1,a/b"},
    {TEMPLATE_URL, "/a;c=${v}/b=${v}", "matrix", "/a;c=1,a/b=;v=1,a"},
    {TEMPLATE_URL, "/x-${v}.json", NULL, "/x-1,a.json"},
    {TEMPLATE_HEADER, "a, ${v}", NULL, "a, [1,\"a\"]"},
    {TEMPLATE_HEADER, " ${v} ", NULL, " 1,a "},
    {TEMPLATE_COOKIES, "${v}", NULL, "v=1; v=a"},
    {TEMPLATE_COOKIES, "a=x${v}", NULL, "a=x[1,\"a\"]"},
    {TEMPLATE_FORM, "${v}", NULL, "v=1&v=a"},
    {TEMPLATE_JSON, "{\"a\": ${v}, \"b\": \"${v}\"}", "form",
     "{\"a\": [1,\"a\"], \"b\": \"[1,\\\"a\\\"]\"}"},
    {TEMPLATE_TEXT, "${v}", "form", "[1,\"a\"]"},
};

static gramc_status expand_other(const gramc_allocator *allocator, size_t i) {
    struct arena arena, values;
    struct template template;
    struct template_error error;
    struct buf out;
    struct template_style said = {.name = TEXT("v")};
    arena_init(&arena, allocator);
    arena_init(&values, NULL);
    buf_init(&out, allocator, 65536);
    const struct json *arguments = json_parse(&values, TEXT("{\"v\":[1,\"a\"],\"w\":\"w\"}"), NULL);
    if (others[i].style) said.style = style_of_word(text_of(others[i].style));
    gramc_status status = template_read(&template, &arena, text_of(others[i].template),
                                        others[i].kind, false, &error);
    if (!status) template_set_styles(&template, &said, 1);
    if (!status) status = template_expand(&out, &template, arguments, NULL, NULL, &error);
    if (!status && strcmp(out.ptr, others[i].wire) != 0)
        fail_msg("%s: %s instead of %s", others[i].template, out.ptr, others[i].wire);
    buf_free(&out);
    arena_free(&values);
    arena_free(&arena);
    return status;
}

static void test_other_places(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(expand_other(NULL, i), GRAMC_OK);
}

static void test_no_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct failing failing = {.fail_at = 0};
        gramc_allocator allocator = test_failing(&failing);
        assert_int_equal(expand_other(&allocator, i), GRAMC_OK);
        for (long n = 1, needed = failing.count; n <= needed; n++) {
            failing = (struct failing){.fail_at = n};
            assert_int_equal(expand_other(&allocator, i), GRAMC_NOMEM);
            assert_int_equal(failing.live, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire),
        cmocka_unit_test(test_other_places),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
