/* The service wherever memory runs out while it answers: whoever asked hears of it or is hung up
 * on, nothing leaks, and whoever asks next is answered. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "serve/mcp.h"
#include "tests/unit/serving.h"

#define MCP(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"

/* Of the loop's thread, and armed from that of the test. */
struct guarded {
    pthread_mutex_t lock;
    struct failing failing;
};

static void *guarded_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct guarded *guarded = ctx;
    pthread_mutex_lock(&guarded->lock);
    void *moved = failing_alloc(&guarded->failing, ptr, old_size, new_size);
    pthread_mutex_unlock(&guarded->lock);
    return moved;
}

/* The n-th allocation from here on; 0: none. Says whether the one before has failed. */
static bool arm(struct guarded *guarded, long n, bool persistent) {
    pthread_mutex_lock(&guarded->lock);
    bool failed = guarded->failing.failed;
    guarded->failing.fail_at = n ? guarded->failing.count + n : 0;
    guarded->failing.persistent = persistent;
    guarded->failing.failed = false;
    pthread_mutex_unlock(&guarded->lock);
    return failed;
}

static const struct {
    const char *path, *body; /* NULL: a GET */
} requests[] = {
    {"/health", NULL},
    {"/", NULL},
    {"/v1/agents", NULL},
    {"/v1/models", NULL},
    {"/nowhere", NULL},
    {"/clerk?message=a%20b", NULL},
    {"/v1/agents/clerk/messages", "{\"message\":\"x\"}"},
    {"/v1/agents/clerk/messages", "{\"message\":\"x\",\"session\":true}"},
    {"/v1/agents/clerk/messages", "{\"message\":\"x\",\"stream\":true,\"session\":true}"},
    {"/v1/agents/clerk/messages", "{\"message\":\"x\",\"library\":\"attic\"}"},
    {"/v1/chat/completions",
     "{\"model\":\"clerk@desk\",\"seed\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"},
    {"/v1/chat/completions",
     "{\"model\":\"clerk\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
     "\"messages\":["
     "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"},"
     "{\"role\":\"system\",\"content\":\"Be brief.\"},"
     "{\"role\":\"user\",\"content\":\"x\"}]}"},
    {"/mcp", MCP("1", "initialize", "{\"protocolVersion\":\"2025-11-25\"}")},
    {"/mcp", MCP("1", "tools/list", "{}")},
    {"/mcp", MCP("1", "tools/call", "{\"name\":\"clerk\",\"arguments\":{\"message\":\"x\"}}")},
    {"/mcp", MCP("1", "tools/call",
                 "{\"name\":\"clerk\",\"arguments\":{\"message\":\"x\"},"
                 "\"_meta\":{\"progressToken\":\"p\"}}")},
    {"/mcp", MCP("1", "tools/call", "{\"name\":\"nobody\"}")},
    {"/mcp", "{"},
};

static int answered(struct fixture *fixture, size_t i) {
    int fd = connect_to(fixture);
    char head[256];
    snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
             requests[i].path);
    if (requests[i].body) send_post(fd, requests[i].path, requests[i].body);
    else send_text(fd, head);
    return status_of(read_all(fixture, fd));
}

/* Without a status it has hung up. A stream says at its end what has become of it, or breaks off.
 */
static bool is_refusal(const struct fixture *fixture, int status) {
    if (status == 0 || status == 500 || status == 503) return true;
    return strstr(fixture->reply, "text/event-stream") != NULL;
}

static void fail_each(struct fixture *fixture, struct guarded *guarded, size_t i, bool persistent) {
    int usual = answered(fixture, i);
    long n = 1, most = 5000;
    for (; n < most; n++) {
        arm(guarded, n, persistent);
        int status = answered(fixture, i);
        bool failed = arm(guarded, 0, false);
        if (status != usual && !(failed && is_refusal(fixture, status)))
            print_error("%s, allocation %ld: %s\n", requests[i].path, n, fixture->reply);
        assert_true(status == usual || (failed && is_refusal(fixture, status)));
        assert_int_equal(answered(fixture, i), usual);
        if (!failed) break;
    }
    assert_true(n > 3 && n < most);
}

static void memory_runs_out(bool persistent) {
    static struct fixture fixture;
    struct guarded guarded = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const gramc_allocator allocator = {guarded_alloc, &guarded};
    struct shelf_options shelf = {.allocator = &allocator, .agent = &fixture.served};
    char why[256];
    init_with(&fixture, "much", &allocator);
    shelf.loop = fixture.loop;
    assert_int_equal(shelf_new(&fixture.options.shelf, &shelf, why), GRAMC_OK);
    fixture.options.allow_get = true;
    fixture.options.max_sessions = 4;
    start(&fixture);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
        fail_each(&fixture, &guarded, i, persistent);
    halt(&fixture);
    shelf_let_go(fixture.options.shelf);
    stop(&fixture);
    assert_int_equal(guarded.failing.live, 0);
}

static void one_allocation_fails(void **state) {
    (void)state;
    memory_runs_out(false);
}

static void all_allocations_fail(void **state) {
    (void)state;
    memory_runs_out(true);
}

/* No service then, and nothing of one. */
static void memory_runs_out_at_the_start(void **state) {
    static struct fixture fixture;
    struct failing failing = {0};
    const gramc_allocator allocator = test_failing(&failing);
    char why[256];
    long n = 1;
    (void)state;
    init(&fixture, "much");
    fixture.options.allocator = &allocator;
    for (;; n++) {
        failing = (struct failing){.fail_at = n};
        gramc_status status = service_new(&fixture.service, &fixture.options, why);
        if (status == GRAMC_OK) break;
        assert_int_equal(status, GRAMC_NOMEM);
        assert_null(fixture.service);
        assert_int_equal(failing.live, 0);
    }
    assert_true(n > 2 && !failing.failed);
    service_free(fixture.service);
    fixture.service = NULL;
    assert_int_equal(failing.live, 0);
    stop(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_allocation_fails),
        cmocka_unit_test(all_allocations_fail),
        cmocka_unit_test(memory_runs_out_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
