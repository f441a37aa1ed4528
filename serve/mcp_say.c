/* Words the messages of an MCP server: the frame of answers, notifications and errors. What stands
 * inside them is written by those who know it. */
#include "base/text.h"
#include "runtime/mcp/client.h"
#include "serve/mcp_message.h"

static struct json_writer begin(struct buf *out) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "jsonrpc", TEXT("2.0"));
    return w;
}

struct json_writer mcp_say_begin(struct buf *out, gramc_text id) {
    struct json_writer w = begin(out);
    json_member_raw(&w, "id", id);
    json_key(&w, "result");
    return w;
}

void mcp_say_end(struct json_writer *w) {
    json_object_end(w);
}

struct json_writer mcp_say_tell(struct buf *out, const char *method) {
    struct json_writer w = begin(out);
    json_member_text(&w, "method", text_of(method));
    json_member_object(&w, "params");
    return w;
}

void mcp_say_told(struct json_writer *w) {
    json_object_end(w);
    json_object_end(w);
}

void mcp_say_error(struct buf *out, gramc_text id, enum mcp_code code, gramc_text message,
                   gramc_text requested) {
    struct json_writer w = begin(out);
    json_member_raw(&w, "id", id);
    json_member_object(&w, "error");
    json_key(&w, "code");
    buf_printf(json_slot(&w), "%d", (int)code);
    json_member_text(&w, "message", message);
    if (code == MCP_CODE_VERSION) {
        json_member_object(&w, "data");
        json_member_array(&w, "supported");
        json_text(&w, text_of(mcp_modern));
        json_array_end(&w);
        json_member_text(&w, "requested", requested);
        json_object_end(&w);
    }
    json_object_end(&w);
    json_object_end(&w);
}

void mcp_say_who(struct json_writer *w, const char *key) {
    json_member_object(w, key);
    json_member_text(w, "name", TEXT("gramc"));
    json_member_text(w, "version", text_of(gramc_version()));
    json_object_end(w);
}
