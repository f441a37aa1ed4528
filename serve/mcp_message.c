/* Turns bytes of an MCP client into a message: a request, a notification or a reply, of the era
 * with a handshake or of the stateless one, and says what is wrong with those that are neither.
 * What is to be done about it is mcp_peer.c's matter. */
#include "serve/mcp_message.h"

#include "base/text.h"
#include "runtime/mcp/client.h"

const char mcp_key_revision[] = "io.modelcontextprotocol/protocolVersion";
const char mcp_key_capabilities[] = "io.modelcontextprotocol/clientCapabilities";
const char mcp_key_server[] = "io.modelcontextprotocol/serverInfo";
const char mcp_key_subscription[] = "io.modelcontextprotocol/subscriptionId";

static bool refuse(struct mcp_said *said, enum mcp_code code, const char *wrong) {
    said->code = code;
    said->wrong = wrong;
    return true;
}

/* Methods that the handshake's era has not. */
static bool is_stateless_method(gramc_text method) {
    return text_is(method, "server/discover") || text_is(method, "subscriptions/listen");
}

/* The stateless revision has every request say by which rules it is meant. */
static bool read_claims(struct mcp_said *said) {
    const struct json *revision = json_get(said->meta, mcp_key_revision);
    said->is_modern = revision || is_stateless_method(said->method);
    if (!said->is_modern || said->kind != MCP_SAID_REQUEST) return true;
    if (!json_is(revision, JSON_STRING))
        return refuse(said, MCP_CODE_PARAMS, "_meta does not say the protocol version");
    said->revision = revision->text;
    if (!text_is(revision->text, mcp_modern))
        return refuse(said, MCP_CODE_VERSION, "this protocol version is not spoken here");
    if (!json_is(json_get(said->meta, mcp_key_capabilities), JSON_OBJECT))
        return refuse(said, MCP_CODE_PARAMS, "_meta does not say the client's capabilities");
    return true;
}

static bool read_params(struct mcp_said *said, const struct json *params) {
    if (params && params->kind != JSON_OBJECT)
        return refuse(said, MCP_CODE_PARAMS, "params is no object");
    said->params = params;
    said->meta = json_get(params, "_meta");
    if (said->meta && said->meta->kind != JSON_OBJECT)
        return refuse(said, MCP_CODE_PARAMS, "_meta is no object");
    return read_claims(said);
}

static bool read_id(struct mcp_said *said, struct arena *arena, const struct json *id) {
    struct buf text;
    bool fits =
        json_is(id, JSON_STRING) || (json_is(id, JSON_NUMBER) && json_number_is_integer(id->text));
    if (!fits) return refuse(said, MCP_CODE_REQUEST, "the id is neither a text nor an integer");
    buf_init(&text, &arena->allocator, MCP_LINE_MAX);
    json_put(&text, id);
    said->id = buf_to_arena(&text, arena);
    return said->id.ptr != NULL;
}

static bool read_message(struct mcp_said *said, struct arena *arena, const struct json *root) {
    const struct json *id = json_get(root, "id"), *method = json_get(root, "method");
    const struct json *version = json_get(root, "jsonrpc");
    if (id && !read_id(said, arena, id)) return false;
    if (said->wrong) return true;
    if (!json_is(version, JSON_STRING) || !text_is(version->text, "2.0"))
        return refuse(said, MCP_CODE_REQUEST, "jsonrpc is not \"2.0\"");
    if (!method && id && (json_get(root, "result") || json_get(root, "error"))) {
        said->kind = MCP_SAID_REPLY;
        return true;
    }
    if (!json_is(method, JSON_STRING))
        return refuse(said, MCP_CODE_REQUEST, "the method is no text");
    said->method = method->text;
    said->kind = id ? MCP_SAID_REQUEST : MCP_SAID_NOTIFICATION;
    return read_params(said, json_get(root, "params"));
}

bool mcp_said_read(struct mcp_said *out, struct arena *arena, gramc_text bytes) {
    *out = (struct mcp_said){.kind = MCP_SAID_REQUEST, .id = TEXT("null")};
    gramc_text mended = json_mended(arena, bytes);
    const struct json *root = mended.ptr ? json_parse(arena, mended, NULL) : NULL;
    if (arena->oom) return false;
    if (!root) return refuse(out, MCP_CODE_PARSE, "this is no JSON");
    if (root->kind == JSON_ARRAY)
        return refuse(out, MCP_CODE_REQUEST, "batches are not taken: send each message alone");
    if (root->kind != JSON_OBJECT) return refuse(out, MCP_CODE_REQUEST, "this is no message");
    return read_message(out, arena, root);
}
