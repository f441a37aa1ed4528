/* The reader of server-sent events: what the standard says of fields, line ends and ids, the same
 * events whatever the parts are that the bytes come in, caps, and a lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/net/sse.h"
#include "tests/failing.h"

enum { SMALL = 64 };

static void put_event(struct buf *out, const struct sse_event *event) {
    buf_text(out, event->type);
    buf_putc(out, '|');
    buf_text(out, event->data);
    buf_putc(out, '\n');
}

/* One line an event, then what is kept for the next connection. */
static void read_parts(struct buf *out, gramc_text stream, size_t part, const char *names) {
    struct sse sse;
    struct sse_event event;
    sse_init(&sse, NULL, 1 << 20);
    for (size_t at = 0; at < stream.len; at += part) {
        gramc_text bytes = text_slice(stream, at, at + part < stream.len ? at + part : stream.len);
        while (sse_next(&sse, &bytes, &event)) put_event(out, &event);
        assert_int_equal(sse.status, GRAMC_OK);
        assert_int_equal(bytes.len, 0);
    }
    if (sse_end(&sse, &event)) {
        buf_puts(out, "end ");
        put_event(out, &event);
    }
    buf_printf(out, "%s%.*s %ld", names, TEXT_ARGS(buf_view(&sse.last_id)), (long)sse.retry_ms);
    sse_free(&sse);
}

#define BYTES(literal) (literal), sizeof(literal) - 1

static const struct {
    const char *stream;
    size_t len;
    const char *events;
} streams[] = {
    {BYTES(""), "id  -1"},
    {BYTES("data: a\n\n"), "message|a\nid  -1"},
    {BYTES("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), "message|a\nmessage|b\nmessage|c\nid  -1"},
    {BYTES("data: a\r\n\ndata: b\n\r\n"), "message|a\nmessage|b\nid  -1"},
    /* One blank behind the colon goes, no more; several lines are joined. */
    {BYTES("data:a\ndata:  b\ndata\ndata: c\n\n"), "message|a\n b\n\nc\nid  -1"},
    {BYTES("event: add\ndata: 1\n\ndata: 2\n\n"), "add|1\nmessage|2\nid  -1"},
    /* A type without data is no event, and does not last. */
    {BYTES("event: add\n\ndata: 2\n\n"), "message|2\nid  -1"},
    {BYTES(": comment\n\n:\n:x\ndata: 1\n\n"), "message|1\nid  -1"},
    /* As servers open a stream that can be taken up again. */
    {BYTES("id: 7\nretry: 500\ndata:\n\n"), "message|\nid 7 500"},
    {BYTES("id: 7\ndata: x\n\nid\ndata: y\n\n"), "message|x\nmessage|y\nid  -1"},
    {BYTES("id: 7\n\nid: a\0b\n\n"), "id 7 -1"},
    {BYTES("retry: 1e3\nretry: -5\nretry: 99999999999\nretry:\n\n"), "id  -1"},
    {BYTES("retry: 20\nretry: x\n\n"), "id  20"},
    {BYTES("unknown: 1\nDATA: 2\n data: 3\ndata : 4\n\n"), "id  -1"},
    /* A byte order mark, at the beginning only. */
    {BYTES("\xEF\xBB\xBF"
           "data: a\n\n\xEF\xBB\xBF"
           "data: b\n\n"),
     "message|a\nid  -1"},
    {BYTES("data: \xE4\xB8\x96\xE7\x95\x8C\n\n"), "message|\xE4\xB8\x96\xE7\x95\x8C\nid  -1"},
    /* What no blank line ended. */
    {BYTES("data: a\n\ndata: {\"x\":1}"), "message|a\nend message|{\"x\":1}\nid  -1"},
    {BYTES("event: e\ndata: a\n"), "end e|a\nid  -1"},
    {BYTES("data: a\n\nevent: e\n"), "message|a\nid  -1"},
    {BYTES("\n\n\r\r\n"), "id  -1"},
};

/* Every stream in parts of every size, so byte by byte too. */
static void test_streams(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const gramc_text stream = {streams[i].stream, streams[i].len};
        for (size_t part = 1; part <= stream.len + 1; part++) {
            struct buf out;
            buf_init(&out, NULL, 1 << 20);
            read_parts(&out, stream, part, "id ");
            if (strcmp(out.ptr, streams[i].events) != 0)
                fail_msg("stream %zu in parts of %zu: %s", i, part, out.ptr);
            buf_free(&out);
        }
    }
}

static void test_caps(void **state) {
    static const char *const too_long[] = {"data: ", "event: ", ":", ""};
    (void)state;
    for (size_t i = 0; i < sizeof too_long / sizeof *too_long; i++) {
        struct sse sse;
        struct sse_event event;
        char bytes[SMALL * 2];
        memset(bytes, 'x', sizeof bytes);
        memcpy(bytes, too_long[i], strlen(too_long[i]));
        sse_init(&sse, NULL, SMALL);
        gramc_text text = {bytes, sizeof bytes};
        assert_false(sse_next(&sse, &text, &event));
        assert_int_equal(sse.status, GRAMC_LIMIT);
        text = GRAMC_TEXT("data: a\n\n");
        assert_false(sse_next(&sse, &text, &event)); /* it stays so */
        assert_false(sse_end(&sse, &event));
        sse_free(&sse);
    }
    /* Many short lines of one event count together. */
    struct sse sse;
    struct sse_event event;
    sse_init(&sse, NULL, SMALL);
    for (int i = 0; i < SMALL; i++) {
        gramc_text text = GRAMC_TEXT("data: a\n");
        assert_false(sse_next(&sse, &text, &event));
    }
    assert_int_equal(sse.status, GRAMC_LIMIT);
    sse_free(&sse);
}

static void test_restart(void **state) {
    struct sse sse;
    struct sse_event event;
    gramc_text text = GRAMC_TEXT("id: 3\nretry: 5\ndata: a\n\nid: 4\nevent: e\ndata: half");
    (void)state;
    sse_init(&sse, NULL, 1 << 20);
    assert_true(sse_next(&sse, &text, &event));
    assert_false(sse_next(&sse, &text, &event));
    sse_restart(&sse);
    text = GRAMC_TEXT("\xEF\xBB\xBF"
                      "data: b\n\n");
    assert_true(sse_next(&sse, &text, &event));
    assert_true(text_is(event.data, "b"));
    assert_true(text_is(event.type, "message"));
    assert_true(text_is(buf_view(&sse.last_id), "4"));
    assert_int_equal(sse.retry_ms, 5);
    sse_free(&sse);
}

static void test_no_memory(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct sse sse;
        struct sse_event event;
        gramc_text text = GRAMC_TEXT("id: 3\nevent: e\ndata: abc\n\n");
        sse_init(&sse, &allocator, 1 << 20);
        bool whole = sse_next(&sse, &text, &event);
        assert_int_equal(whole, sse.status == GRAMC_OK);
        if (!whole) assert_int_equal(sse.status, GRAMC_NOMEM);
        sse_free(&sse);
        assert_int_equal(failing.live, 0);
        if (whole) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
