/* Fuzzes the readers of what MCP clients send: whatever the bytes, they are a message or it is said
 * what is wrong, the id of an answer is JSON, and who is answered gets one line of JSON; as the
 * value of a header they are refused, or a text that can be sent as one. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "runtime/mcp/headers.h"
#include "serve/mcp_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void check_answer(struct arena *arena, const struct mcp_said *said) {
    struct buf out;
    buf_init(&out, NULL, MCP_LINE_MAX);
    mcp_say_error(&out, said->id, said->wrong ? said->code : MCP_CODE_METHOD,
                  said->wrong ? text_of(said->wrong) : said->method, said->revision);
    demand(buf_status(&out) == GRAMC_OK);
    demand(!memchr(out.ptr, '\n', out.len));
    demand(json_is(json_get(json_parse(arena, buf_view(&out), NULL), "error"), JSON_OBJECT));
    buf_free(&out);
}

static void check_said(const struct mcp_said *said) {
    demand(said->id.len > 0);
    demand((said->wrong == NULL) == (said->code == 0));
    if (said->wrong) return;
    bool has_id = !text_is(said->id, "null");
    demand(has_id == (said->kind != MCP_SAID_NOTIFICATION));
    demand(!said->params || said->params->kind == JSON_OBJECT);
    demand(!said->meta || said->meta->kind == JSON_OBJECT);
    if (said->kind == MCP_SAID_REQUEST) demand(said->is_modern == (said->revision.len > 0));
}

static void check_header(struct arena *arena, gramc_text value) {
    gramc_text text, again;
    struct buf out;
    if (!mcp_header_read(&text, arena, value)) return;
    buf_init(&out, NULL, MCP_LINE_MAX);
    mcp_header_value(&out, text);
    demand(mcp_header_read(&again, arena, buf_view(&out)) && text_eq(text, again));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mcp_said said;
    struct arena arena;
    if (size > 1 << 16) return 0;
    arena_init(&arena, NULL);
    demand(mcp_said_read(&said, &arena, (gramc_text){(const char *)data, size}));
    check_said(&said);
    check_answer(&arena, &said);
    check_header(&arena, (gramc_text){(const char *)data, size});
    arena_free(&arena);
    return 0;
}
