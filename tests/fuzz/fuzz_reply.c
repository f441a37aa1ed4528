/* Fuzzes the reader of a model's answers: any bytes as the body of an answer. What is understood of
 * them goes back into a conversation, whose requests must be JSON on one line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void check_request(struct arena *arena, const struct conversation *talk) {
    const gramc_agent agent = {.parallel_tool_calls = -1};
    const struct request request = {.agent = &agent, .model = TEXT("m"), .talk = talk};
    struct buf out;
    buf_init(&out, &arena->allocator, 64 << 20);
    talk->protocol->request(&out, &request);
    demand(json_is(json_parse(arena, buf_view(&out), NULL), JSON_OBJECT));
    demand(!memchr(out.ptr, '\n', out.len));
    buf_free(&out);
}

static void check_history(const struct protocol *protocol, struct arena *arena,
                          const struct reply *reply) {
    struct conversation talk = {.protocol = protocol};
    demand(conversation_user(&talk, arena, TEXT("Hello")));
    const struct message *said = conversation_assistant(&talk, arena, reply);
    demand(said && said->call_count == reply->call_count);
    for (size_t i = 0; i < said->call_count; i++) {
        demand(text_eq(said->calls[i].name, reply->calls[i].name));
        demand(conversation_result(&talk, arena, said, i, TEXT("done"), i % 2 == 1));
    }
    check_request(arena, &talk);
    conversation_trim(&talk, 2);
    demand(talk.first != NULL);
}

static void read_as(const struct protocol *protocol, gramc_text bytes) {
    struct arena arena;
    struct reply reply;
    gramc_text why = {NULL, 0}, code;
    arena_init(&arena, NULL);
    gramc_text body = arena_text(&arena, bytes);
    gramc_status status = protocol->reply(&reply, &arena, body, &why);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && why.ptr));
    if (status == GRAMC_OK) check_history(protocol, &arena, &reply);
    protocol_error(&arena, body, &code);
    arena_free(&arena);
}

/* Every body by every protocol: each finds out what is its own. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"chat", "responses", "messages", "gemini", "ollama"};
    if (size > 1 << 16) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        read_as(protocol_named(text_of(names[i])), (gramc_text){(const char *)data, size});
    return 0;
}
