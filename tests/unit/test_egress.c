/* Where requests of tools may go: the table of addresses, lists of hosts, and what libcurl does
 * with names that lead elsewhere. Names are made up by http_pretend; servers are on 127.0.0.1. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <uv.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/net/http.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NAMED "which is reached only where it is named"

/* ## Addresses */

static void addresses(void **state) {
    static const struct {
        const char *spelled;
        enum egress_need need;
    } rows[] = {{"93.184.216.34", EGRESS_OPEN},
                {"1.1.1.1", EGRESS_OPEN},
                {"2606:2800:220:1::1", EGRESS_OPEN},
                {"::ffff:1.1.1.1", EGRESS_OPEN},
                {"64:ff9b::1.1.1.1", EGRESS_OPEN},
                {"2002:0101:0101::1", EGRESS_OPEN},
                {"172.15.255.255", EGRESS_OPEN},
                {"172.32.0.0", EGRESS_OPEN},
                {"100.63.255.255", EGRESS_OPEN},
                {"100.128.0.0", EGRESS_OPEN},
                {"10.0.0.1", EGRESS_OF_A_HOST},
                {"172.16.0.1", EGRESS_OF_A_HOST},
                {"172.31.255.255", EGRESS_OF_A_HOST},
                {"192.168.1.1", EGRESS_OF_A_HOST},
                {"100.64.0.1", EGRESS_OF_A_HOST},
                {"fd12:3456::1", EGRESS_OF_A_HOST},
                {"fec0::1", EGRESS_OF_A_HOST},
                {"64:ff9b::10.0.0.1", EGRESS_OF_A_HOST},
                {"0.0.0.0", EGRESS_OF_ITSELF},
                {"0", EGRESS_OF_ITSELF},
                {"127.0.0.1", EGRESS_OF_ITSELF},
                {"127.255.255.254", EGRESS_OF_ITSELF},
                {"127.1", EGRESS_OF_ITSELF},
                {"2130706433", EGRESS_OF_ITSELF},
                {"0x7f.0.0.1", EGRESS_OF_ITSELF},
                {"0x7F000001", EGRESS_OF_ITSELF},
                {"0177.0.0.01", EGRESS_OF_ITSELF},
                {"127.0.0.1.", EGRESS_OF_ITSELF},
                {"169.254.169.254", EGRESS_OF_ITSELF},
                {"169.254.1.1", EGRESS_OF_ITSELF},
                {"0xa9fea9fe", EGRESS_OF_ITSELF},
                {"100.100.100.200", EGRESS_OF_ITSELF},
                {"168.63.129.16", EGRESS_OF_ITSELF},
                {"192.0.0.192", EGRESS_OF_ITSELF},
                {"224.0.0.251", EGRESS_OF_ITSELF},
                {"255.255.255.255", EGRESS_OF_ITSELF},
                {"::", EGRESS_OF_ITSELF},
                {"[::]", EGRESS_OF_ITSELF},
                {"::1", EGRESS_OF_ITSELF},
                {"::127.0.0.1", EGRESS_OF_ITSELF},
                {"::ffff:127.0.0.1", EGRESS_OF_ITSELF},
                {"::ffff:0:127.0.0.1", EGRESS_OF_ITSELF},
                {"64:ff9b::169.254.169.254", EGRESS_OF_ITSELF},
                {"64:ff9b:1::1", EGRESS_OF_ITSELF},
                {"2002:7f00:0001::", EGRESS_OF_ITSELF},
                {"2001:0:4136:e378::1", EGRESS_OF_ITSELF},
                {"fd00:ec2::254", EGRESS_OF_ITSELF},
                {"fe80::1", EGRESS_OF_ITSELF},
                {"fe80::1%eth0", EGRESS_OF_ITSELF},
                {"[fe80::1%25eth0]", EGRESS_OF_ITSELF},
                {"ff02::1", EGRESS_OF_ITSELF},
                {"4000::1", EGRESS_OF_ITSELF}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char address[HOST_ADDRESS];
        if (!host_address(text_of(rows[i].spelled), address))
            fail_msg("%s is no address", rows[i].spelled);
        enum egress_need need = egress_need_of(address, NULL);
        if (need != rows[i].need) fail_msg("%s needs %d", rows[i].spelled, (int)need);
    }
}

static void names_are_no_addresses(void **state) {
    static const char *const rows[] = {"",           "a",        "1.2.3.4.5",  "256.1.1.1",
                                       "1.2.3.256",  "08.1.1.1", "4294967296", "1..2",
                                       "127.0.0.1x", "::g",      "0x",         "1.2.3..",
                                       "[::1",       ":",        "%eth0"};
    unsigned char address[HOST_ADDRESS];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (host_address(text_of(rows[i]), address)) fail_msg("`%s` is an address", rows[i]);
}

/* ## Lists */

static void spellings(void **state) {
    static const struct {
        const char *text, *problem;
    } rows[] = {{"api.example.com", NULL},
                {"API.Example.com.", NULL},
                {"*.example.com", NULL},
                {"*.example.com:8443", NULL},
                {"localhost:1", NULL},
                {"my_host:65535", NULL},
                {"127.0.0.1", NULL},
                {"127.0.0.1:80", NULL},
                {"::1", NULL},
                {"[::1]", NULL},
                {"[::1]:8080", NULL},
                {"xn--bcher-kva.example", NULL},
                {"", "it is empty"},
                {"*", "a * stands only at the beginning, as in *.example.com"},
                {"a.*.com", "a * stands only at the beginning, as in *.example.com"},
                {"*.", "it has no name"},
                {"http://a.example", "a host has no scheme"},
                {"a.example/v1", "it is a host alone: without a path, and no range"},
                {"10.0.0.0/8", "it is a host alone: without a path, and no range"},
                {"me@a.example", "a host has no user"},
                {"[fe80::1%eth0]", "an address has no zone here"},
                {"b\xc3\xbc"
                 "cher.example",
                 "letters beyond ASCII are written as xn--"},
                {"a..b", "between two dots stand 1 to 63 letters"},
                {".a", "between two dots stand 1 to 63 letters"},
                {"a b", "a name has letters, digits, - and _"},
                {"a:0", "a port is a number from 1 to 65535"},
                {"a:65536", "a port is a number from 1 to 65535"},
                {"a:080", "a port is a number from 1 to 65535"},
                {"a:", "a port is a number from 1 to 65535"},
                {"a:x", "a port is a number from 1 to 65535"},
                {"[::1", "a bracket is not closed"},
                {"[::1]8", "behind the bracket stands only a port"},
                {"[a.example]", "this is no IPv6 address"},
                {"1:2:3", "this is no IPv6 address"},
                {"0x7f.1", "an address is written as 127.0.0.1"},
                {"2130706433", "an address is written as 127.0.0.1"},
                {"0177.0.0.1", "an address is written as 127.0.0.1"}};
    struct host_entry entry;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *problem = host_entry_read(&entry, text_of(rows[i].text));
        bool same = problem && rows[i].problem ? strcmp(problem, rows[i].problem) == 0
                                               : problem == rows[i].problem;
        if (!same) fail_msg("`%s`: %s", rows[i].text, problem ? problem : "fine");
    }
}

static void decisions(void **state) {
    static const struct {
        const char *hosts;
        bool only;
        const char *host;
        uint16_t port;
        const char *address; /* NULL: the host alone is asked about */
        bool allowed;
    } rows[] = {{"", false, "a.example", 443, NULL, true},
                {"", false, "a.example", 443, "93.184.216.34", true},
                {"", false, "a.example", 443, "10.0.0.1", false},
                {"", false, "a.example", 443, "127.0.0.1", false},
                {"a.example:443\n", false, "a.example", 443, "10.0.0.1", true},
                {"a.example:443\n", false, "A.EXAMPLE.", 443, "10.0.0.1", true},
                {"a.example:443\n", false, "a.example", 80, "10.0.0.1", false},
                {"a.example:443\n", false, "a.example", 443, "127.0.0.1", false},
                {"a.example:443\n", false, "a.example", 443, "169.254.169.254", false},
                {"127.0.0.1:80\n", false, "127.0.0.1", 80, NULL, true},
                {"127.0.0.1:80\n", false, "127.0.0.1", 81, NULL, false},
                {"127.0.0.1:80\n", false, "2130706433", 80, NULL, true},
                {"127.0.0.1:80\n", false, "[::ffff:127.0.0.1]", 80, NULL, true},
                {"127.0.0.1:80\n", false, "127.0.0.2", 80, NULL, false},
                {"127.0.0.1:80\n", false, "64:ff9b::127.0.0.1", 80, NULL, false},
                {"localhost:80\n", false, "localhost", 80, "127.0.0.1", true},
                {"localhost:80\n", false, "localhost", 80, "::1", true},
                {"localhost:80\n", false, "localhost", 80, "127.0.0.2", false},
                {"a.localhost:80\n", false, "a.localhost", 80, "127.0.0.1", true},
                {"localhost.a.example:80\n", false, "localhost.a.example", 80, "127.0.0.1", false},
                {"*.localhost\n", false, "a.localhost", 80, "127.0.0.1", false},
                {"", true, "a.example", 443, NULL, false},
                {"*.example\n", true, "a.example", 443, NULL, true},
                {"*.example\n", true, "b.a.example", 443, "10.0.0.1", true},
                {"*.example\n", true, "example", 443, NULL, false},
                {"*.example\n", true, "notexample", 443, NULL, false},
                {"*.example\n", true, "a.example.evil.com", 443, NULL, false},
                {"*.example\n", true, "a.example", 443, "127.0.0.1", false},
                {"a.example\n127.0.0.1\n", true, "a.example", 443, "127.0.0.1", true},
                {"10.0.0.1\n", true, "10.0.0.1", 443, NULL, true},
                {"10.0.0.1\n", true, "10.0.0.2", 443, NULL, false},
                {"93.184.216.34\n", true, "a.example", 443, NULL, false},
                {"[fe80::1]:80\n", true, "fe80::1", 80, NULL, true}};
    char why[EGRESS_WHY_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct egress rules = {rows[i].hosts, rows[i].only};
        unsigned char address[HOST_ADDRESS];
        bool allowed = egress_host(&rules, text_of(rows[i].host), rows[i].port, why);
        if (rows[i].address) {
            assert_true(allowed && host_address(text_of(rows[i].address), address));
            allowed = egress_address(&rules, text_of(rows[i].host), address, rows[i].port, why);
        }
        if (allowed != rows[i].allowed)
            fail_msg("row %zu: %s %s", i, rows[i].host, allowed ? "goes" : why);
    }
}

/* ## Requests */

struct bench {
    uv_loop_t loop;
    struct http *http;
    struct mock_server *server;
    char port[8];
};

static void on_done(struct http_request *request) {
    *(bool *)request->ctx = true;
}

static void open_bench(struct bench *bench, const struct mock_answer *answers, size_t count) {
    gramc_allocator allocator = mem_default();
    bench->server = mock_start(answers, count);
    assert_int_equal(sscanf(mock_url(bench->server), "http://127.0.0.1:%7[0-9]", bench->port), 1);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(http_new(&bench->http, &bench->loop, &allocator), GRAMC_OK);
}

static void close_bench(struct bench *bench) {
    http_close(bench->http);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    mock_stop(bench->server);
}

/* What the name `made-up.example` leads to from now on. */
static void pretend(struct bench *bench, const char *addresses) {
    char line[200];
    const char *const lines[] = {line, NULL};
    snprintf(line, sizeof(line), "made-up.example:%s:%s", bench->port, addresses);
    assert_true(http_pretend(bench->http, lines));
}

/* `hosts` NULL: the request may go anywhere. "" for success, else the words of the refusal. */
static const char *ask_by(struct bench *bench, const char *proxy, const char *host,
                          const char *hosts, bool only) {
    static char why[256];
    static const char *const headers[] = {"X-Test: 1", NULL};
    char url[200];
    bool done = false;
    struct http_route route = {.proxy = proxy, .egress = {hosts, only}};
    struct http_request request = {.method = "GET",
                                   .url = url,
                                   .headers = headers,
                                   .route = &route,
                                   .max_response = 4000,
                                   .done = on_done,
                                   .ctx = &done,
                                   .allocator = mem_default()};
    snprintf(url, sizeof(url), "http://%s:%s/", host, bench->port);
    assert_int_equal(http_start(bench->http, &request), GRAMC_OK);
    while (!done) uv_run(&bench->loop, UV_RUN_ONCE);
    snprintf(why, sizeof(why), "%s", request.failure == HTTP_FINE ? "" : request.error);
    if (request.failure != HTTP_FINE) assert_int_equal(request.failure, HTTP_REFUSED);
    http_request_free(&request);
    return why;
}

static const char *ask(struct bench *bench, const char *host, const char *hosts, bool only) {
    return ask_by(bench, NULL, host, hosts, only);
}

static void expect(const char *why, const char *part) {
    if (!strstr(why, part)) fail_msg("no `%s` in `%s`", part, why);
}

#define FINE                                                                                       \
    { .body = "fine" }
/* The connection is closed behind it: the next request opens one. */
#define LAST                                                                                       \
    {                                                                                              \
        .mode = MOCK_RAW,                                                                          \
        .body = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"              \
    }

static void name_that_leads_to_loopback(void **state) {
    static const struct mock_answer answers[] = {LAST, LAST};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    pretend(&bench, "127.0.0.1");
    expect(ask(&bench, "made-up.example", "", false),
           "made-up.example leads to 127.0.0.1, a loopback address, " NAMED);
    expect(ask(&bench, "made-up.example", "made-up.example", false), NAMED);
    expect(ask(&bench, "made-up.example", "made-up.example", true), NAMED);
    pretend(&bench, "[::ffff:127.0.0.1]");
    expect(ask(&bench, "made-up.example", "", false), NAMED);
    assert_int_equal(mock_count(bench.server), 0);
    pretend(&bench, "127.0.0.1");
    assert_string_equal(ask(&bench, "made-up.example", "127.0.0.1", false), "");
    assert_int_equal(mock_count(bench.server), 1);
    close_bench(&bench);
}

/* Each answer of the resolver is looked at: the first time one that is named, then another. */
static void rebinding(void **state) {
    static const struct mock_answer answers[] = {LAST, LAST, LAST};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    pretend(&bench, "127.0.0.1");
    assert_string_equal(ask(&bench, "made-up.example", "127.0.0.1", false), "");
    pretend(&bench, "169.254.169.254");
    expect(ask(&bench, "made-up.example", "127.0.0.1", false),
           "leads to 169.254.169.254, the metadata address of a cloud, ");
    pretend(&bench, "127.0.0.2,127.0.0.1");
    assert_string_equal(ask(&bench, "made-up.example", "127.0.0.1", false), "");
    pretend(&bench, "127.0.0.2,0.0.0.0");
    expect(ask(&bench, "made-up.example", "127.0.0.1", false), NAMED);
    assert_int_equal(mock_count(bench.server), 2);
    close_bench(&bench);
}

/* A connection that somebody opened who may go anywhere. */
static void connection_that_is_there(void **state) {
    static const struct mock_answer answers[] = {FINE, FINE, FINE};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    pretend(&bench, "127.0.0.1");
    assert_string_equal(ask(&bench, "made-up.example", NULL, false), "");
    expect(ask(&bench, "made-up.example", "", false), "leads to 127.0.0.1, a loopback address");
    assert_int_equal(mock_count(bench.server), 1);
    assert_string_equal(ask(&bench, "made-up.example", NULL, false), "");
    assert_string_equal(ask(&bench, "127.0.0.1", "127.0.0.1", true), "");
    close_bench(&bench);
}

static void spelled_otherwise(void **state) {
    static const struct mock_answer answers[] = {FINE};
    static const char *const hosts[] = {"127.0.0.1",
                                        "127.1",
                                        "2130706433",
                                        "0x7f.1",
                                        "0177.0.0.1",
                                        "0x7f000001",
                                        "0.0.0.0",
                                        "0",
                                        "[::ffff:127.0.0.1]",
                                        "[::]",
                                        "[::1]",
                                        "[fe80::1%25lo]",
                                        "localhost",
                                        "%31%32%37.0.0.1",
                                        "127.0.0.1."};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    for (size_t i = 0; i < COUNT(hosts); i++) {
        const char *why = ask(&bench, hosts[i], "", false);
        if (!strstr(why, NAMED)) fail_msg("%s: `%s`", hosts[i], why);
        why = ask(&bench, hosts[i], "made-up.example", true);
        if (!strstr(why, "does not list")) fail_msg("%s: `%s`", hosts[i], why);
    }
    assert_int_equal(mock_count(bench.server), 0);
    close_bench(&bench);
}

/* What the proxy connects to is its own matter: of the target only the spelling is known. */
static void by_a_proxy(void **state) {
    static const struct mock_answer answers[] = {FINE, FINE};
    struct bench bench;
    char proxy[64];
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%s", bench.port);
    expect(ask_by(&bench, proxy, "a.example", "", false), "127.0.0.1 is a loopback address");
    expect(ask_by(&bench, proxy, "169.254.169.254", "127.0.0.1", false), "the metadata address");
    expect(ask_by(&bench, proxy, "a.example", "a.example", true), "does not list 127.0.0.1");
    expect(ask_by(&bench, proxy, "a.example", "127.0.0.1", true), "does not list a.example");
    assert_int_equal(mock_count(bench.server), 0);
    assert_string_equal(ask_by(&bench, proxy, "a.example", "127.0.0.1", false), "");
    assert_string_equal(ask_by(&bench, proxy, "a.example", "a.example\n127.0.0.1", true), "");
    close_bench(&bench);
}

/* ## Servers of boxes */

/* Why an MCP server at that address cannot be asked. `leads` is what the name made-up.example does.
 */
static void expect_down(const char *url, const gramc_egress *egress, const char *leads,
                        const char *part) {
    const char *const names[] = {leads, NULL};
    gramc_offering_options options = GRAMC_OFFERING_OPTIONS_INIT;
    gramc_offering *offering;
    gramc_text name, why;
    gramc_loop *loop;
    char line[600];
    gramc_box box = {.name = TEXT("crm"), .kind = GRAMC_BOX_MCP, .url = text_of(url)};
    gramc_library library = {.boxes = &box, .box_count = 1};
    options.egress = egress;
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    assert_true(http_pretend(loop->http, names));
    assert_int_equal(gramc_offering_new(&offering, loop, &library, &options), GRAMC_OK);
    assert_true(gramc_offering_failure(offering, 0, &name, &why));
    snprintf(line, sizeof(line), "%.*s", TEXT_ARGS(why));
    expect(line, part);
    gramc_offering_free(offering);
    gramc_loop_free(loop);
}

static bool owns_all(void *ctx, gramc_text file) {
    (void)ctx;
    (void)file;
    return true;
}

static bool owns_nothing(void *ctx, gramc_text file) {
    (void)ctx;
    (void)file;
    return false;
}

static void servers_of_boxes(void **state) {
    static const struct mock_answer answers[] = {FINE};
    struct mock_server *server = mock_start(answers, COUNT(answers));
    gramc_egress egress = GRAMC_EGRESS_INIT;
    char leads[100], url[100], port[8];
    (void)state;
    assert_int_equal(sscanf(mock_url(server), "http://127.0.0.1:%7[0-9]", port), 1);
    snprintf(leads, sizeof(leads), "made-up.example:%s:127.0.0.1", port);
    snprintf(url, sizeof(url), "http://made-up.example:%s/mcp", port);
    egress.owns = owns_nothing;
    expect_down(mock_url(server), &egress, leads, "127.0.0.1 is a loopback address");
    egress.owns = owns_all;
    expect_down(url, &egress, leads, "made-up.example leads to 127.0.0.1, a loopback address");
    egress.only_these = true;
    expect_down(mock_url(server), &egress, leads, "does not list 127.0.0.1");
    assert_int_equal(mock_count(server), 0);
    mock_stop(server);
}

/* ## Tools */

/* What the tool says, or binding it. `leads` NULL: no names are made up. */
static void call(const char *url, const gramc_egress *egress, const char *leads, struct buf *out) {
    const char *const names[] = {leads, NULL};
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_call_outcome outcome;
    gramc_bind_message message;
    gramc_bound *bound;
    gramc_loop *loop;
    struct test_agent test;
    test_agent_init(&test);
    test_tool(&test, "get", "{\"type\":\"object\"}", "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_http(&test, "get", url);
    options.egress = egress;
    gramc_status status = gramc_bind(&bound, &test.agent, &test.library, &options);
    if (status == GRAMC_FINDINGS) {
        assert_true(gramc_bound_message(bound, 0, &message));
        buf_text(out, message.message);
    } else {
        assert_int_equal(status, GRAMC_OK);
        assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
        assert_true(http_pretend(loop->http, names));
        assert_int_equal(
            gramc_call(&outcome, loop, bound, TEXT("get"), TEXT("{}"), buf_writer(out)), GRAMC_OK);
        gramc_loop_free(loop);
    }
    buf_putc(out, '\0');
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void expect_led(const char *url, const gramc_egress *egress, const char *leads,
                       const char *part) {
    gramc_allocator allocator = mem_default();
    struct buf out;
    buf_init(&out, &allocator, 1 << 16);
    call(url, egress, leads, &out);
    expect(out.ptr, part);
    buf_free(&out);
}

static void expect_called(const char *url, const gramc_egress *egress, const char *part) {
    expect_led(url, egress, NULL, part);
}

/* The words are those that the model reads. */
static void name_of_a_tool(void **state) {
    static const struct mock_answer answers[] = {FINE};
    struct mock_server *server = mock_start(answers, COUNT(answers));
    char leads[100], url[100], port[8];
    (void)state;
    assert_int_equal(sscanf(mock_url(server), "http://127.0.0.1:%7[0-9]", port), 1);
    snprintf(leads, sizeof(leads), "made-up.example:%s:127.0.0.1", port);
    snprintf(url, sizeof(url), "http://made-up.example:%s/x", port);
    expect_led(url, NULL, leads,
               "the server cannot be asked: made-up.example leads to 127.0.0.1, a loopback "
               "address, which is reached only where it is named: list it under `allowHosts` in "
               "gramc.gram");
    assert_int_equal(mock_count(server), 0);
    mock_stop(server);
}

static void libraries(void **state) {
    static const struct mock_answer answers[] = {FINE, FINE};
    const gramc_text loopback = TEXT("127.0.0.1"), other = TEXT("*.example.com");
    struct mock_server *server = mock_start(answers, COUNT(answers));
    gramc_egress egress = GRAMC_EGRESS_INIT;
    (void)state;
    expect_called(mock_url(server), NULL, "fine");
    egress.owns = owns_nothing;
    expect_called(mock_url(server), &egress, "127.0.0.1 is a loopback address, " NAMED);
    egress.hosts = &loopback;
    egress.host_count = 1;
    expect_called(mock_url(server), &egress, "fine");
    egress = (gramc_egress)GRAMC_EGRESS_INIT;
    egress.only_these = true;
    expect_called(mock_url(server), &egress, "`allowHosts` of gramc.gram does not list 127.0.0.1");
    egress.hosts = &other;
    egress.host_count = 1;
    expect_called(mock_url(server), &egress, "`allowHosts` of gramc.gram does not list 127.0.0.1");
    expect_called("http://example.com/", &egress, "does not list example.com:80");
    assert_int_equal(mock_count(server), 2);
    mock_stop(server);
}

static void redirects(void **state) {
    static const char *const places[] = {"http://169.254.169.254/latest/meta-data/",
                                         "http://[::ffff:127.0.0.1]/", "http://localhost/",
                                         "http://2130706433/"};
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        char location[200];
        snprintf(location, sizeof(location), "Location: %s\r\n", places[i]);
        const struct mock_answer answers[] = {{.status = 302, .headers = location, .body = ""},
                                              FINE};
        struct mock_server *server = mock_start(answers, COUNT(answers));
        expect_called(mock_url(server), NULL, "which is not its own address");
        assert_int_equal(mock_count(server), 1);
        mock_stop(server);
    }
}

static void wrong_lists(void **state) {
    const gramc_text wrong = TEXT("http://a.example");
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_egress egress = GRAMC_EGRESS_INIT;
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    egress.hosts = &wrong;
    egress.host_count = 1;
    options.egress = &egress;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options), GRAMC_USAGE);
    assert_null(bound);
    test_agent_free(&test);
    assert_string_equal(gramc_egress_problem(wrong), "a host has no scheme");
    assert_null(gramc_egress_problem(TEXT("a.example")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses),
                                       cmocka_unit_test(names_are_no_addresses),
                                       cmocka_unit_test(spellings),
                                       cmocka_unit_test(decisions),
                                       cmocka_unit_test(name_that_leads_to_loopback),
                                       cmocka_unit_test(rebinding),
                                       cmocka_unit_test(connection_that_is_there),
                                       cmocka_unit_test(spelled_otherwise),
                                       cmocka_unit_test(by_a_proxy),
                                       cmocka_unit_test(servers_of_boxes),
                                       cmocka_unit_test(name_of_a_tool),
                                       cmocka_unit_test(libraries),
                                       cmocka_unit_test(redirects),
                                       cmocka_unit_test(wrong_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
