/* Fuzzes the reader of a model's answers: any bytes as the body of an answer. What is understood of
 * them goes back into a conversation, whose messages must be JSON that holds the same calls. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/llm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void check_history(struct arena *arena, const struct reply *reply) {
    struct conversation talk = {.first = NULL};
    demand(conversation_user(&talk, arena, TEXT("Hello")));
    const struct message *said = conversation_assistant(&talk, arena, reply);
    demand(said && said->call_count == reply->call_count);
    for (size_t i = 0; i < said->call_count; i++) {
        demand(text_eq(said->calls[i].name, reply->calls[i].name));
        demand(conversation_result(&talk, arena, said, i, TEXT("done")));
    }
    for (const struct message *m = talk.first; m; m = m->next)
        demand(json_is(json_parse(arena, m->json, NULL), JSON_OBJECT));
    conversation_trim(&talk, 2);
    demand(talk.first != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct reply reply;
    gramc_text why = {NULL, 0}, code;
    if (size > 1 << 16) return 0;
    arena_init(&arena, NULL);
    gramc_text body = arena_text(&arena, (gramc_text){(const char *)data, size});
    gramc_status status = openai_reply(&reply, &arena, body, &why);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && why.ptr));
    if (status == GRAMC_OK) check_history(&arena, &reply);
    openai_error(&arena, body, &code);
    arena_free(&arena);
    return 0;
}
