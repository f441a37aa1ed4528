/* Replies to what an MCP server of the stateless revision asks before it answers a call
 * (https://modelcontextprotocol.io/specification/2026-07-28, Multi Round-Trip Requests). A run has
 * no person to ask: forms are declined, lists of folders are empty, and the server's state goes
 * back as it came. What a model would have to say cannot be declined, and fails the call. */
#include "base/json/writer.h"
#include "base/text.h"
#include "runtime/mcp/mcp.h"

bool mcp_asks_back(const struct json *result) {
    const struct json *type = json_get(result, "resultType");
    return json_is(type, JSON_STRING) && text_is(type->text, "input_required");
}

static const char *reply_to(const struct json *question) {
    const struct json *method = json_get(question, "method");
    if (!json_is(method, JSON_STRING)) return NULL;
    if (text_is(method->text, "elicitation/create")) return "{\"action\":\"decline\"}";
    if (text_is(method->text, "roots/list")) return "{\"roots\":[]}";
    return NULL;
}

bool mcp_decline(struct buf *out, const struct json *result) {
    const struct json *questions = json_get(result, "inputRequests");
    const struct json *state = json_get(result, "requestState");
    struct json_writer w = json_writer(out);
    if (json_is(questions, JSON_OBJECT)) {
        json_member_object(&w, "inputResponses");
        for (const struct json *one = questions->first; one; one = one->next) {
            const char *reply = reply_to(one);
            if (!reply) return false;
            json_key_text(&w, one->key);
            json_raw(&w, text_of(reply));
        }
        json_object_end(&w);
    }
    if (json_is(state, JSON_STRING)) json_member_text(&w, "requestState", state->text);
    return w.comma;
}
