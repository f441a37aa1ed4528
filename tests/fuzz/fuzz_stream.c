/* Fuzzes the readers of streamed answers: any bytes as a stream of every protocol. Byte by byte and
 * in one part the same comes out; what is understood goes back into a conversation, whose requests
 * must be JSON on one line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 1 << 14, MOST = 1 << 20 };

static void demand(bool condition) {
    if (!condition) abort();
}

/* What came of it: the body, then what a reader was told. */
static gramc_status read_all(const struct protocol *protocol, gramc_text bytes, size_t part,
                             struct buf *body, bool *plain) {
    const gramc_allocator allocator = mem_default();
    struct stream stream;
    struct buf rest;
    buf_init(&rest, NULL, MOST);
    stream_init(&stream, protocol->stream, &allocator, MOST);
    for (size_t at = 0, end; at < bytes.len; at = end) {
        end = bytes.len - at < part ? bytes.len : at + part;
        buf_text(&rest, text_slice(bytes, at, end));
        gramc_text left = buf_view(&rest);
        /* Then no event is read by the one before it: both readings are to agree. */
        if (part == 1) buf_reset(&stream.frame);
        stream_feed(&stream, &left);
        if (left.len == 0) buf_reset(&rest);
    }
    stream_end(&stream, buf_view(&rest));
    *plain = stream.framing == STREAM_PLAIN || stream.framing == STREAM_UNDECIDED;
    stream_body(&stream, body);
    gramc_status status = stream.status;
    if (!stream.finished && status == GRAMC_OK) status = GRAMC_FINDINGS;
    gramc_text said = stream_delta(&stream);
    demand(said.len <= stream.max && stream_delta(&stream).len == 0);
    buf_free(&rest);
    stream_free(&stream);
    return status;
}

static void check_history(const struct protocol *protocol, struct arena *arena,
                          const struct reply *reply) {
    const gramc_agent agent = {.parallel_tool_calls = -1};
    struct conversation talk = {.protocol = protocol};
    struct buf out;
    demand(conversation_user(&talk, arena, TEXT("Hello")));
    const struct message *said = conversation_assistant(&talk, arena, reply);
    demand(said && said->call_count == reply->call_count);
    for (size_t i = 0; i < said->call_count; i++)
        demand(conversation_result(&talk, arena, said, i, TEXT("done"), i % 2 == 1));
    const struct request request = {
        .agent = &agent, .model = TEXT("m"), .talk = &talk, .stream = true};
    buf_init(&out, &arena->allocator, 64 << 20);
    protocol->request(&out, &request);
    demand(json_is(json_parse(arena, buf_view(&out), NULL), JSON_OBJECT));
    demand(!memchr(out.ptr, '\n', out.len));
    buf_free(&out);
}

static void check_body(const struct protocol *protocol, gramc_text bytes) {
    struct arena arena;
    struct reply reply;
    gramc_text why = {NULL, 0};
    arena_init(&arena, NULL);
    gramc_text body = arena_text(&arena, bytes);
    demand(json_is(json_parse(&arena, body, NULL), JSON_OBJECT));
    gramc_status status = protocol->reply(&reply, &arena, body, &why);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && why.ptr));
    if (status == GRAMC_OK) check_history(protocol, &arena, &reply);
    arena_free(&arena);
}

static void read_as(const struct protocol *protocol, gramc_text bytes) {
    struct buf whole, cut;
    bool plain, plain_cut;
    buf_init(&whole, NULL, 64 << 20);
    buf_init(&cut, NULL, 64 << 20);
    gramc_status status = read_all(protocol, bytes, bytes.len + 1, &whole, &plain);
    demand(read_all(protocol, bytes, 1, &cut, &plain_cut) == status && plain == plain_cut);
    if (!plain) demand(text_eq(buf_view(&whole), buf_view(&cut)));
    if (!plain && status != GRAMC_LIMIT) check_body(protocol, buf_view(&whole));
    buf_free(&whole);
    buf_free(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"chat", "responses", "messages", "gemini", "ollama"};
    if (size > LONGEST) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        read_as(protocol_named(text_of(names[i])), (gramc_text){(const char *)data, size});
    return 0;
}
