/* Words the messages that an MCP client sends, of both eras, and gives them to the transport. When
 * to send what is client.c's; what calls and lists hold, verbs.c's. */
#include "base/text.h"
#include "runtime/mcp/client.h"

const char mcp_modern[] = "2026-07-28";
const char *const mcp_legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};

enum { REPLY_MAX = 1 << 16 };

static void put_client_info(struct json_writer *w, const char *key) {
    json_member_object(w, key);
    json_member_text(w, "name", TEXT("gramc"));
    json_member_text(w, "version", text_of(gramc_version()));
    json_object_end(w);
}

static void put_meta(struct json_writer *w) {
    json_member_object(w, "_meta");
    json_member_text(w, "io.modelcontextprotocol/protocolVersion", text_of(mcp_modern));
    json_member_object(w, "io.modelcontextprotocol/clientCapabilities");
    json_object_end(w);
    put_client_info(w, "io.modelcontextprotocol/clientInfo");
    json_object_end(w);
}

/* One line: the message, begun in `line`, whose members are what is still missing. */
static struct json_writer begin(struct mcp_client *client, struct buf *line) {
    buf_init(line, &client->allocator, MCP_LINE_MAX);
    struct json_writer w = json_writer(line);
    json_object_begin(&w);
    json_member_text(&w, "jsonrpc", TEXT("2.0"));
    return w;
}

/* Begins the params, too. */
static struct json_writer begin_params(struct mcp_client *client, struct buf *line,
                                       const struct mcp_message *message) {
    struct json_writer w = begin(client, line);
    if (message->id) json_member_number(&w, "id", message->id);
    json_member_text(&w, "method", text_of(message->method));
    json_member_object(&w, "params");
    return w;
}

/* Ends the message, and its params where those were begun. */
static gramc_status finish(struct mcp_client *client, struct json_writer *w, bool params,
                           struct mcp_message *message) {
    struct buf *line = w->out;
    if (params) json_object_end(w);
    json_object_end(w);
    gramc_status status = buf_status(line);
    message->line = buf_view(line);
    if (status == GRAMC_OK)
        status = client->transport ? client->transport->send(client->transport, message)
                                   : GRAMC_NOT_FOUND;
    buf_free(line);
    return status;
}

gramc_status mcp_send_probe(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {
        .method = "server/discover", .version = mcp_modern, .stateless = true};
    message.id = client->probe = client->next_id++;
    struct json_writer w = begin_params(client, &line, &message);
    put_meta(&w);
    return finish(client, &w, true, &message);
}

gramc_status mcp_send_initialize(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {.method = "initialize"};
    message.id = client->initialize = client->next_id++;
    struct json_writer w = begin_params(client, &line, &message);
    json_member_text(&w, "protocolVersion", text_of(mcp_legacy[0]));
    json_member_object(&w, "capabilities");
    json_object_end(&w);
    put_client_info(&w, "clientInfo");
    return finish(client, &w, true, &message);
}

gramc_status mcp_send_initialized(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {.method = "notifications/initialized",
                                  .version = client->version};
    struct json_writer w = begin(client, &line);
    json_member_text(&w, "method", text_of(message.method));
    return finish(client, &w, false, &message);
}

void mcp_send_cancelled(struct mcp_client *client, uint64_t id) {
    struct buf line;
    struct mcp_message message = {.method = "notifications/cancelled",
                                  .version = client->version,
                                  .stateless = client->is_modern};
    struct json_writer w = begin_params(client, &line, &message);
    json_member_number(&w, "requestId", id);
    json_member_text(&w, "reason", TEXT("no longer needed"));
    (void)finish(client, &w, true, &message); /* a server that cannot be told is ending anyway */
}

/* In the stateless era nobody asks, and nobody is answered. */
void mcp_send_reply(struct mcp_client *client, const struct json *id, const struct json *method) {
    struct buf line;
    struct mcp_message message = {.version = client->version};
    if (client->state == MCP_READY && client->is_modern) return;
    if (id->kind != JSON_STRING && id->kind != JSON_NUMBER) return;
    struct json_writer w = begin(client, &line);
    line.max = REPLY_MAX;
    json_member_value(&w, "id", id);
    if (text_is(method->text, "ping")) {
        json_member_object(&w, "result");
    } else {
        json_member_object(&w, "error");
        json_member_raw(&w, "code", TEXT("-32601"));
        json_member_text(&w, "message", TEXT("Method not found"));
    }
    json_object_end(&w);
    (void)finish(client, &w, false, &message);
}

gramc_status mcp_send_request(struct mcp_client *client, struct mcp_request *request) {
    struct buf line;
    struct mcp_message message = {.method = request->verb->method,
                                  .version = client->version,
                                  .stateless = client->is_modern};
    message.id = request->id = client->next_id++;
    if (request->verb->describe) request->verb->describe(request, &message);
    struct json_writer w = begin_params(client, &line, &message);
    request->verb->put_params(request, &w);
    if (client->is_modern) put_meta(&w);
    return finish(client, &w, true, &message);
}
