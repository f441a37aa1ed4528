/* An event of a stream that is the one before it with another text is not read as a document again.
 * Both readings agree: on every recorded stream, on streams that were changed at random, and on
 * those that nearly look alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/protocol.h"
#include "tests/support/streams.h"

enum { MOST = 1 << 20, CHANGED = 200 };

/* ## Both readings */

/* Byte by byte, and with nothing to compare with, each event is read as a document. */
static void read_stream(struct stream *stream, const struct protocol *protocol, gramc_text bytes,
                        bool each) {
    const gramc_allocator allocator = mem_default();
    struct buf rest;
    size_t part = each ? 1 : bytes.len;
    buf_init(&rest, NULL, MOST);
    stream_init(stream, protocol->stream, &allocator, MOST);
    for (size_t at = 0; at < bytes.len; at += part) {
        buf_text(&rest, text_slice(bytes, at, at + part));
        gramc_text left = buf_view(&rest);
        if (each) buf_reset(&stream->frame);
        stream_feed(stream, &left);
        if (left.len == 0) buf_reset(&rest);
    }
    if (each) buf_reset(&stream->frame);
    stream_end(stream, buf_view(&rest));
    buf_free(&rest);
}

static void expect_text(gramc_text a, gramc_text b) {
    if (!text_eq(a, b))
        fail_msg("'%.*s' is not '%.*s'", TEXT_ARGS(a.ptr ? a : TEXT("")),
                 TEXT_ARGS(b.ptr ? b : TEXT("")));
}

static void expect_alike(const struct stream *a, const struct stream *b) {
    struct buf one, other;
    buf_init(&one, NULL, 8 * MOST);
    buf_init(&other, NULL, 8 * MOST);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->framing, b->framing);
    assert_int_equal(a->finished, b->finished);
    assert_int_equal(a->ended, b->ended);
    assert_int_equal(a->size, b->size);
    expect_text(text_of(a->odd ? a->odd : ""), text_of(b->odd ? b->odd : ""));
    expect_text(stream_text(a, STREAM_TEXT), stream_text(b, STREAM_TEXT));
    stream_body(a, &one);
    stream_body(b, &other);
    expect_text(buf_view(&one), buf_view(&other));
    buf_free(&one);
    buf_free(&other);
}

static void read_both(const struct protocol *protocol, gramc_text bytes) {
    struct stream fast, slow;
    read_stream(&fast, protocol, bytes, false);
    read_stream(&slow, protocol, bytes, true);
    expect_alike(&fast, &slow);
    stream_free(&fast);
    stream_free(&slow);
}

/* ## Streams */

static const char head[] =
    "data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
    "\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n";
static const char delta[] = "data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"index\":0,"
                            "\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n";

static void put_delta(struct buf *out, const char *text) {
    const char *place = strstr(delta, "%s");
    buf_put(out, delta, (size_t)(place - delta));
    buf_puts(out, text);
    buf_puts(out, place + 2);
}

/* What stands where the text of the event before it stood. */
static const char *const texts[] = {
    "",
    " plain",
    "caf\xC3\xA9 \xF0\x9F\x8C\x9E",
    "a line\\n",
    "\\u00e9",
    "\\ud800",
    "a \\\"word\\\"",
    "\xFF",
    "\xC3",
    "a\tb",
    "no\",\"refusal\":\"Never",
    "\",\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}],\"x\":\"",
    "\"},\"finish_reason\":\"stop\"},{\"index\":1,\"delta\":{\"content\":\"b",
    "\",\"content\":\"twice",
    "unfinished\\",
    "\"},\"delta\":{\"content\":7,\"x\":\"",
};

static void other_texts(void **state) {
    const struct protocol *chat = protocol_named(TEXT("chat"));
    struct buf bytes;
    (void)state;
    buf_init(&bytes, NULL, MOST);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buf_reset(&bytes);
        buf_puts(&bytes, head);
        put_delta(&bytes, "first");
        put_delta(&bytes, texts[i]);
        put_delta(&bytes, "last");
        read_both(chat, buf_view(&bytes));
    }
    buf_free(&bytes);
}

/* Events that do more than to add a text are nothing to compare with. */
static void more_than_text(void **state) {
    static const char *const events[] = {
        "{\"choices\":[{\"delta\":{\"content\":\"a\",\"refusal\":\"no\"}}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\",\"reasoning_content\":\"why\"}}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\",\"content\":\"b\"}}]}",
        "{\"choices\":[{\"delta\":{\"content\":[{\"text\":\"a\"}]}}]}",
        "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"a\"}}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":\"b\"}}]}",
        "{\"choices\":[{\"message\":{\"content\":\"a\"}}]}",
        ("{\"choices\":[{\"delta\":{\"content\":\"a\",\"tool_calls\":[{\"index\":0,"
         "\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}"),
        "{\"error\":\"a\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}",
        "[{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}]",
    };
    const struct protocol *chat = protocol_named(TEXT("chat"));
    struct stream stream;
    struct buf bytes;
    (void)state;
    buf_init(&bytes, NULL, MOST);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        buf_reset(&bytes);
        for (int times = 0; times < 3; times++) {
            buf_puts(&bytes, "data: ");
            buf_puts(&bytes, events[i]);
            buf_puts(&bytes, "\n\n");
        }
        read_both(chat, buf_view(&bytes));
        read_stream(&stream, chat, buf_view(&bytes), false);
        assert_int_equal(stream.frame.len, 0);
        stream_free(&stream);
    }
    buf_free(&bytes);
}

/* What is kept to compare with is the first of the alike ones: the others were not read. */
static void read_by_the_first(void **state) {
    const struct protocol *chat = protocol_named(TEXT("chat"));
    struct stream stream;
    struct buf bytes;
    (void)state;
    buf_init(&bytes, NULL, MOST);
    buf_puts(&bytes, head);
    put_delta(&bytes, "first");
    put_delta(&bytes, " second");
    put_delta(&bytes, " third");
    read_stream(&stream, chat, buf_view(&bytes), false);
    assert_non_null(strstr(stream.frame.ptr, "first"));
    expect_text(stream_text(&stream, STREAM_TEXT), TEXT("first second third"));
    stream_free(&stream);
    buf_free(&bytes);
}

/* ## Changed at random */

static uint32_t draw(uint64_t *state, size_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

/* A byte becomes another, goes, or is followed by some that mean something; or a part comes twice.
 */
static void change(struct buf *out, gramc_text bytes, uint64_t *state) {
    static const char *const pieces[] = {"\"", "\\", "{",  "}",     "[",    "]",   ",",
                                         ":",  "\n", "\r", "\n\n",  "null", "\"a", "\xC3",
                                         "0",  "1",  "\t", "data:", "\\n",  "e"};
    size_t at = draw(state, bytes.len), end = at + 1 + draw(state, bytes.len - at);
    uint32_t kind = draw(state, 4);
    buf_reset(out);
    buf_text(out, text_slice(bytes, 0, kind == 3 ? end : at));
    if (kind == 0 || kind == 2) buf_puts(out, pieces[draw(state, sizeof pieces / sizeof *pieces)]);
    buf_text(out, text_slice(bytes, at + (kind < 2), bytes.len));
}

static void changed_at_random(void **state) {
    struct buf once, twice;
    uint64_t seed = 1;
    (void)state;
    buf_init(&once, NULL, MOST);
    buf_init(&twice, NULL, MOST);
    for (const struct recorded *one = recorded_streams; one->protocol; one++) {
        const struct protocol *protocol = protocol_named(text_of(one->protocol));
        read_both(protocol, text_of(one->stream));
        for (int i = 0; i < CHANGED; i++) {
            change(&once, text_of(one->stream), &seed);
            read_both(protocol, buf_view(&once));
            if (!once.len) continue;
            change(&twice, buf_view(&once), &seed);
            read_both(protocol, buf_view(&twice));
        }
    }
    buf_free(&once);
    buf_free(&twice);
}

static void deltas_changed_at_random(void **state) {
    const struct protocol *chat = protocol_named(TEXT("chat"));
    struct buf bytes, changed;
    uint64_t seed = 2;
    (void)state;
    buf_init(&bytes, NULL, MOST);
    buf_init(&changed, NULL, MOST);
    buf_puts(&bytes, head);
    for (int i = 0; i < 6; i++) put_delta(&bytes, i % 2 ? " word" : "\xE2\x80\x94");
    for (int i = 0; i < 10 * CHANGED; i++) {
        change(&changed, buf_view(&bytes), &seed);
        read_both(chat, buf_view(&changed));
    }
    buf_free(&bytes);
    buf_free(&changed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_texts),
        cmocka_unit_test(more_than_text),
        cmocka_unit_test(read_by_the_first),
        cmocka_unit_test(changed_at_random),
        cmocka_unit_test(deltas_changed_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
