/* Streamed answers: put together they are the reply that the same answer gives unstreamed, however
 * the bytes are cut; broken off, they are no answer; and nothing in them is taken for granted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/secret.h"
#include "tests/support/streams.h"

/* ## Reading */

struct got {
    struct arena arena;
    struct stream stream;
    struct reply reply;
    gramc_status status; /* of the reply; GRAMC_FINDINGS also where it was broken off */
    gramc_text why;
    bool finished;
    struct buf said;
};

static void finish(struct got *got, const struct protocol *protocol) {
    struct buf body;
    got->finished = got->stream.finished;
    buf_init(&body, NULL, 1 << 24);
    stream_body(&got->stream, &body);
    assert_int_equal(buf_status(&body), GRAMC_OK);
    assert_true(json_is(json_parse(&got->arena, buf_view(&body), NULL), JSON_OBJECT));
    gramc_text copy = arena_text(&got->arena, buf_view(&body));
    buf_free(&body);
    got->status = protocol->reply(&got->reply, &got->arena, copy, &got->why);
    if (got->status == GRAMC_OK && !got->finished) got->status = GRAMC_FINDINGS;
}

/* In parts of that size. */
static void read_stream(struct got *got, const struct protocol *protocol, gramc_text bytes,
                        size_t first, size_t part) {
    struct buf rest;
    *got = (struct got){.status = GRAMC_OK};
    arena_init(&got->arena, NULL);
    buf_init(&rest, NULL, 1 << 24);
    buf_init(&got->said, NULL, 1 << 24);
    stream_init(&got->stream, protocol->stream, &got->arena.allocator, 1 << 20);
    for (size_t at = 0, end; at < bytes.len; at = end) {
        end = at == 0 ? first : at + part;
        if (end > bytes.len) end = bytes.len;
        buf_text(&rest, text_slice(bytes, at, end));
        gramc_text left = buf_view(&rest);
        stream_feed(&got->stream, &left);
        if (left.len == 0) buf_reset(&rest);
        buf_text(&got->said, stream_delta(&got->stream));
    }
    stream_end(&got->stream, buf_view(&rest));
    buf_text(&got->said, stream_delta(&got->stream));
    assert_int_equal(got->stream.status, GRAMC_OK);
    if (got->stream.framing == STREAM_EVENTS || got->stream.framing == STREAM_LINES) {
        finish(got, protocol);
    } else {
        gramc_text plain = arena_text(&got->arena, bytes);
        got->finished = true;
        got->status = protocol->reply(&got->reply, &got->arena, plain, &got->why);
    }
    buf_free(&rest);
}

static void got_free(struct got *got) {
    stream_free(&got->stream);
    buf_free(&got->said);
    arena_free(&got->arena);
}

/* ## Replies that are the same */

static void expect_text(gramc_text a, gramc_text b) {
    if (!text_eq(a, b))
        fail_msg("'%.*s' is not '%.*s'", TEXT_ARGS(a.ptr ? a : TEXT("")),
                 TEXT_ARGS(b.ptr ? b : TEXT("")));
}

/* Empty, or equal as JSON. */
static void expect_json(gramc_text a, gramc_text b) {
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *left = json_parse(&arena, a, NULL), *right = json_parse(&arena, b, NULL);
    if ((a.len || b.len) && (!left || !right || !json_equal(left, right))) expect_text(a, b);
    arena_free(&arena);
}

static void expect_same(const struct reply *a, const struct reply *b) {
    expect_text(a->content, b->content);
    expect_text(a->refusal, b->refusal);
    expect_text(a->finish_reason, b->finish_reason);
    expect_text(a->id, b->id);
    expect_text(a->model, b->model);
    expect_text(a->system_fingerprint, b->system_fingerprint);
    expect_json(a->opaque, b->opaque);
    assert_int_equal(a->has_content, b->has_content);
    assert_int_equal(a->legacy, b->legacy);
    assert_int_equal(a->finish, b->finish);
    assert_memory_equal(&a->usage, &b->usage, sizeof a->usage);
    assert_int_equal(a->call_count, b->call_count);
    for (size_t i = 0; i < a->call_count; i++) {
        expect_text(a->calls[i].id, b->calls[i].id);
        expect_text(a->calls[i].name, b->calls[i].name);
        if (!text_eq(a->calls[i].arguments, b->calls[i].arguments))
            expect_json(a->calls[i].arguments, b->calls[i].arguments);
    }
}

static void read_plain(struct got *got, const struct protocol *protocol, const char *body) {
    *got = (struct got){.status = GRAMC_OK};
    arena_init(&got->arena, NULL);
    got->status = protocol->reply(&got->reply, &got->arena, text_of(body), &got->why);
    assert_int_equal(got->status, GRAMC_OK);
}

/* In parts of these sizes it is the answer that it is unstreamed, and the same is said meanwhile.
 */
static void expect_in_parts(const struct recorded *one, size_t first, size_t rest) {
    const struct protocol *protocol = protocol_named(text_of(one->protocol));
    struct got plain, streamed;
    read_plain(&plain, protocol, one->body);
    read_stream(&streamed, protocol, text_of(one->stream), first, rest);
    assert_int_equal(streamed.status, GRAMC_OK);
    expect_same(&streamed.reply, &plain.reply);
    expect_text(buf_view(&streamed.said), text_of(one->said));
    got_free(&streamed);
    got_free(&plain);
}

static void same_as_unstreamed(void **state) {
    (void)state;
    for (const struct recorded *one = recorded_streams; one->protocol; one++)
        for (size_t part = 1; part <= strlen(one->stream); part = part < 8 ? part + 1 : part * 3)
            expect_in_parts(one, part, part);
}

static void split_at_every_byte(void **state) {
    (void)state;
    for (const struct recorded *one = recorded_streams; one->protocol; one++)
        for (size_t cut = 1; cut < strlen(one->stream); cut++)
            expect_in_parts(one, cut, strlen(one->stream));
}

/* No answer before the model said why it ended, the whole answer from then on; but for usage, which
 * may come behind that. */
static void cut_after_every_byte(void **state) {
    (void)state;
    for (const struct recorded *one = recorded_streams; one->protocol; one++) {
        const struct protocol *protocol = protocol_named(text_of(one->protocol));
        struct got whole, cut;
        gramc_text bytes = text_of(one->stream);
        size_t answers = 0;
        read_stream(&whole, protocol, bytes, bytes.len, bytes.len);
        for (size_t len = 1; len < bytes.len; len++) {
            read_stream(&cut, protocol, text_slice(bytes, 0, len), len, len);
            if (cut.status == GRAMC_OK) {
                expect_text(cut.reply.content, whole.reply.content);
                assert_int_equal(cut.reply.call_count, whole.reply.call_count);
                for (size_t i = 0; i < cut.reply.call_count; i++)
                    expect_text(cut.reply.calls[i].arguments, whole.reply.calls[i].arguments);
                answers++;
            } else {
                assert_int_equal(cut.status, GRAMC_FINDINGS);
                assert_int_equal(answers, 0);
            }
            got_free(&cut);
        }
        assert_true(answers < bytes.len / 2 + 1);
        got_free(&whole);
    }
}

/* ## Members of every type */

static const char *const types[] = {"null", "true", "7",   "-1.5e300", "\"text\"",
                                    "\"\"", "[]",   "[1]", "{}",       "{\"index\":[]}"};

/* The n-th value of the event written as another; false: there are fewer. */
static bool put_replaced(struct buf *out, gramc_text event, const struct json *value, size_t *n,
                         const char *type) {
    for (const struct json *item = value->first; item; item = item->next) {
        if ((*n)-- == 0) {
            buf_text(out, text_slice(event, 0, item->start));
            buf_puts(out, type);
            buf_text(out, text_slice(event, item->end, event.len));
            return true;
        }
        if (put_replaced(out, event, item, n, type)) return true;
    }
    return false;
}

/* The stream with the n-th value of its events replaced. */
static bool replace(struct buf *out, gramc_text stream, size_t n, const char *type) {
    bool replaced = false;
    buf_reset(out);
    for (size_t at = 0, end; at < stream.len; at = end) {
        const char *feed = memchr(stream.ptr + at, '\n', stream.len - at);
        end = feed ? (size_t)(feed - stream.ptr) + 1 : stream.len;
        gramc_text line = text_slice(stream, at, end);
        size_t brace = 0;
        while (brace < line.len && line.ptr[brace] != '{') brace++;
        struct arena arena;
        arena_init(&arena, NULL);
        gramc_text event = text_slice(line, brace, line.len);
        const struct json *json = json_parse(&arena, event, NULL);
        buf_text(out, text_slice(line, 0, brace));
        bool here = !replaced && json && put_replaced(out, event, json, &n, type);
        if (!here) buf_text(out, event);
        replaced |= here;
        arena_free(&arena);
    }
    return replaced;
}

/* It goes back into a conversation, whose next request is JSON. */
static void expect_usable(const struct protocol *protocol, struct got *got) {
    const gramc_agent agent = {.parallel_tool_calls = -1};
    struct conversation talk = {.protocol = protocol};
    struct buf out;
    assert_true(conversation_user(&talk, &got->arena, TEXT("Hello")));
    const struct message *said = conversation_assistant(&talk, &got->arena, &got->reply);
    for (size_t i = 0; i < said->call_count; i++)
        assert_true(conversation_result(&talk, &got->arena, said, i, TEXT("done"), false));
    const struct request request = {
        .agent = &agent, .model = TEXT("m"), .talk = &talk, .stream = true};
    buf_init(&out, NULL, 1 << 24);
    protocol->request(&out, &request);
    assert_true(json_is(json_parse(&got->arena, buf_view(&out), NULL), JSON_OBJECT));
    buf_free(&out);
}

static void every_type_everywhere(void **state) {
    struct buf changed;
    (void)state;
    buf_init(&changed, NULL, 1 << 20);
    for (const struct recorded *one = recorded_streams; one->protocol; one++) {
        const struct protocol *protocol = protocol_named(text_of(one->protocol));
        size_t answers = 0, refusals = 0;
        for (size_t n = 0; replace(&changed, text_of(one->stream), n, types[0]); n++)
            for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
                struct got got;
                assert_true(replace(&changed, text_of(one->stream), n, types[i]));
                read_stream(&got, protocol, buf_view(&changed), changed.len, changed.len);
                assert_true(got.status == GRAMC_OK || got.status == GRAMC_FINDINGS);
                if (got.status == GRAMC_OK) expect_usable(protocol, &got);
                answers += got.status == GRAMC_OK;
                refusals += got.status != GRAMC_OK;
                got_free(&got);
            }
        assert_true(answers > 0 && refusals > 0);
    }
    buf_free(&changed);
}

/* ## Single things */

struct row {
    const char *protocol, *stream;
    const char *why;            /* NULL: an answer */
    const char *content, *call; /* of it */
};

static void check_rows(const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct got got;
        gramc_text bytes = text_of(rows[i].stream);
        read_stream(&got, protocol_named(text_of(rows[i].protocol)), bytes, 1, 1);
        if (rows[i].why) {
            assert_int_equal(got.status, GRAMC_FINDINGS);
            if (rows[i].why[0]) expect_text(got.why, text_of(rows[i].why));
            else assert_false(got.finished);
        } else {
            if (got.status) fail_msg("row %zu: %.*s", i, TEXT_ARGS(got.why));
            expect_text(got.reply.content, text_of(rows[i].content));
        }
        if (rows[i].call) {
            const gramc_model_call *last = &got.reply.calls[got.reply.call_count - 1];
            expect_text(last->arguments, text_of(rows[i].call));
        }
        got_free(&got);
    }
}

#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

static void oddities(void **state) {
    static const struct row rows[] = {
        /* comments, line ends, a mark of the byte order, no blank line at the end, no [DONE] */
        {"chat", "\xEF\xBB\xBF: OPENROUTER PROCESSING\r\n\r\n" CHUNK("\"content\":\"a\"") STOP,
         NULL, "a", NULL},
        {"chat", "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
         NULL, "b", NULL},
        {"chat", CHUNK("\"content\":\"c\"") STOP "data: [DONE]\n\ndata: {\"error\":\"late\"}\n\n",
         NULL, "c", NULL},
        /* calls without index, two with the same, arguments as an object */
        {"chat",
         CHUNK("\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]")
             CHUNK("\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]") STOP,
         NULL, "", "{}"},
        {"chat",
         CHUNK("\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"f\","
               "\"arguments\":\"{}\"}}]")
             CHUNK("\"tool_calls\":[{\"index\":0,\"id\":\"y\",\"function\":{\"name\":\"g\","
                   "\"arguments\":{\"a\":1}}}]") STOP,
         NULL, "", "{\"a\":1}"},
        {"chat",
         CHUNK("\"function_call\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}")
             CHUNK("\"function_call\":{\"arguments\":\":1}\"}") STOP,
         NULL, "", "{\"a\":1}"},
        /* errors: at the beginning, in the middle, in each shape */
        {"chat", CHUNK("\"content\":\"a\"") "data: {\"error\":{\"message\":\"overloaded\"}}\n\n",
         "overloaded", NULL, NULL},
        {"chat", "data: {\"object\":\"error\",\"message\":\"too long\",\"code\":400}\n\n",
         "too long", NULL, NULL},
        {"chat", "event: error\ndata: no JSON at all\n\n", "no JSON at all", NULL, NULL},
        {"chat", "data: {\"choices\n\n" STOP, "the stream holds an event that is not JSON", NULL,
         NULL},
        {"responses", "data: {\"type\":\"error\",\"message\":\"broken\",\"code\":\"c\"}\n\n",
         "broken", NULL, NULL},
        {"responses",
         "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"message\":\"failed\"},"
         "\"output\":[]}}\n\n",
         "failed", NULL, NULL},
        {"messages",
         "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
         "\"message\":\"Overloaded\"}}\n\n",
         "Overloaded", NULL, NULL},
        {"ollama", "{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"error\":\"gone\"}\n",
         "gone", NULL, NULL},
        {"gemini", "data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n", "busy", NULL, NULL},
        /* broken off */
        {"chat", CHUNK("\"content\":\"a\""), "", NULL, NULL},
        {"chat", ": nothing\n\n", "", NULL, NULL},
        {"chat", CHUNK("\"content\":\"a\"") "data: [DONE]\n\n", "", NULL, NULL},
        {"ollama", "{\"message\":{\"content\":\"a\"},\"done\":false}", "", NULL, NULL},
        /* answers that are not streamed, and nonsense */
        {"chat", "{\"choices\":[{\"message\":{\"content\":\"plain\"}}]}", NULL, "plain", NULL},
        {"ollama", "{\n \"message\": {\"content\": \"plain\"}}", NULL, "plain", NULL},
        {"ollama", "{\"message\":{\"content\":\"line\"},\"done\":true}", NULL, "line", NULL},
        {"chat", "<html>", "the answer is not a JSON object", NULL, NULL},
        {"chat", "", "the answer is not a JSON object", NULL, NULL},
        /* an input that is no JSON is told as it was written, and sent back as an empty one */
        {"messages",
         "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
         "\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n"
         "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
         "\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": \"}}\n\n"
         "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n",
         NULL, "", "{\"a\": "},
        /* an answer whose last event leaves out what came before */
        {"responses",
         "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":"
         "\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}}\n\n"
         "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
         "\"output\":[]}}\n\n",
         NULL, "", "{}"},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

/* ## Secrets */

static const char *const shown[] = {
    "the key is sk-planted-secret-0123456789, twice sk-planted-secret-0123456789.",
    "almost sk-planted-secret-012345678 and sk-plan and sk-sk-planted-secret-0123456789",
    "cut sk-planted-s... and ...-0123456789 and so... on .... sk-planted... ...",
    "escaped sk\\u002dplanted-secret-0123456789 or sk%2Dplanted%2dsecret-0123456789 &amp; %",
    "two: sk-planted-secret and sk-planted-secret-0123456789 and sk-planted-secrets",
    "c2stcGxhbnRlZC1zZWNyZXQtMDEyMzQ1Njc4OQ== in base64, and at the end sk-planted-se",
    "no secret at all. Two sentences, dots and all..",
};

/* As a reader gets it: what is settled, and at the end the rest. */
static void show(const struct secrets *secrets, struct buf *out, gramc_text text, unsigned seed) {
    struct buf held, copy;
    buf_init(&held, NULL, 1 << 16);
    for (size_t at = 0, end; at < text.len; at = end) {
        seed = seed * 1103515245u + 12345u;
        end = at + 1 + (seed >> 16) % 9;
        if (end > text.len) end = text.len;
        buf_text(&held, text_slice(text, at, end));
        size_t len =
            end == text.len ? held.len : secrets_settled(secrets, buf_view(&held), SECRET_SURE);
        assert_true(len <= held.len);
        buf_init(&copy, NULL, 1 << 16);
        buf_text(&copy, text_slice(buf_view(&held), 0, len));
        secrets_hide_from(secrets, &copy, SECRET_SURE);
        buf_text(out, buf_view(&copy));
        buf_free(&copy);
        memmove(held.ptr, held.ptr + len, held.len - len);
        held.len -= len;
    }
    buf_free(&held);
}

/* However a text is cut, its pieces show what the whole shows. */
static void hidden_in_pieces(void **state) {
    const gramc_allocator allocator = mem_default();
    const gramc_pair pairs[] = {{TEXT("KEY"), TEXT("sk-planted-secret-0123456789")},
                                {TEXT("SHORT"), TEXT("sk-planted-secret")}};
    struct secrets *secrets;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, pairs, 2), GRAMC_OK);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        for (unsigned seed = 0; seed < 300; seed++) {
            struct buf whole, pieces;
            buf_init(&whole, NULL, 1 << 16);
            buf_init(&pieces, NULL, 1 << 16);
            buf_puts(&whole, shown[i]);
            secrets_hide_from(secrets, &whole, SECRET_SURE);
            show(secrets, &pieces, text_of(shown[i]), seed);
            expect_text(buf_view(&pieces), buf_view(&whole));
            buf_free(&whole);
            buf_free(&pieces);
        }
    gramc_text plain = text_of(shown[6]);
    assert_true(secrets_settled(secrets, plain, SECRET_SURE) >= plain.len - 2);
    assert_int_equal(secrets_settled(NULL, plain, SECRET_SURE), plain.len);
    secrets_free(secrets);
}

/* An answer of nothing but empty parts is held to the limit too. */
static void limits(void **state) {
    struct stream stream;
    const gramc_allocator allocator = mem_default();
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        stream_init(&stream, &stream_chat, &allocator, 20000);
        for (int i = 0; i < 2000 && !stream.status; i++) {
            char chunk[256];
            snprintf(chunk, sizeof chunk,
                     kind == 0   ? CHUNK("\"tool_calls\":[{\"index\":%d,\"function\":{}}]")
                     : kind == 1 ? CHUNK("\"content\":\"0123456789 %d\"")
                                 : "data: 0123456789 0123456789 %d\ndata:",
                     i);
            gramc_text bytes = text_of(chunk);
            stream_feed(&stream, &bytes);
        }
        assert_int_equal(stream.status, GRAMC_LIMIT);
        stream_free(&stream);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_unstreamed),
        cmocka_unit_test(split_at_every_byte),
        cmocka_unit_test(cut_after_every_byte),
        cmocka_unit_test(every_type_everywhere),
        cmocka_unit_test(oddities),
        cmocka_unit_test(hidden_in_pieces),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
