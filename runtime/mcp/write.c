/* Words the messages that an MCP client sends, of both eras, and gives them to the transport. When
 * to send what is client.c's; what calls and lists hold, verbs.c's. */
#include "base/text.h"
#include "runtime/mcp/client.h"

const char mcp_modern[] = "2026-07-28";
const char *const mcp_legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};

static void put_client_info(struct buf *out) {
    buf_printf(out, "{\"name\":\"gramc\",\"version\":\"%s\"}", gramc_version());
}

static void put_meta(struct buf *out) {
    buf_printf(out, "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"%s\",", mcp_modern);
    buf_puts(out, "\"io.modelcontextprotocol/clientCapabilities\":{},"
                  "\"io.modelcontextprotocol/clientInfo\":");
    put_client_info(out);
    buf_putc(out, '}');
}

static gramc_status send_buf(struct mcp_client *client, struct buf *line,
                             struct mcp_message *message) {
    gramc_status status = buf_status(line);
    message->line = buf_view(line);
    if (status == GRAMC_OK)
        status = client->transport ? client->transport->send(client->transport, message)
                                   : GRAMC_NOT_FOUND;
    buf_free(line);
    return status;
}

static void start_line(struct mcp_client *client, struct buf *line,
                       const struct mcp_message *message) {
    buf_init(line, &client->allocator, MCP_LINE_MAX);
    buf_puts(line, "{\"jsonrpc\":\"2.0\",");
    if (message->id) buf_printf(line, "\"id\":%llu,", (unsigned long long)message->id);
    buf_printf(line, "\"method\":\"%s\",\"params\":{", message->method);
}

gramc_status mcp_send_probe(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {
        .method = "server/discover", .version = mcp_modern, .stateless = true};
    message.id = client->probe = client->next_id++;
    start_line(client, &line, &message);
    put_meta(&line);
    buf_puts(&line, "}}");
    return send_buf(client, &line, &message);
}

gramc_status mcp_send_initialize(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {.method = "initialize"};
    message.id = client->initialize = client->next_id++;
    start_line(client, &line, &message);
    buf_printf(&line,
               "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":", mcp_legacy[0]);
    put_client_info(&line);
    buf_puts(&line, "}}");
    return send_buf(client, &line, &message);
}

gramc_status mcp_send_initialized(struct mcp_client *client) {
    struct buf line;
    struct mcp_message message = {.method = "notifications/initialized",
                                  .version = client->version};
    buf_init(&line, &client->allocator, 1024);
    buf_printf(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", message.method);
    return send_buf(client, &line, &message);
}

void mcp_send_cancelled(struct mcp_client *client, uint64_t id) {
    struct buf line;
    struct mcp_message message = {.method = "notifications/cancelled",
                                  .version = client->version,
                                  .stateless = client->is_modern};
    start_line(client, &line, &message);
    buf_printf(&line, "\"requestId\":%llu,\"reason\":\"no longer needed\"}}",
               (unsigned long long)id);
    (void)send_buf(client, &line, &message); /* a server that cannot be told is ending anyway */
}

/* In the stateless era nobody asks, and nobody is answered. */
void mcp_send_reply(struct mcp_client *client, const struct json *id, const struct json *method) {
    struct buf line;
    struct mcp_message message = {.version = client->version};
    if (client->state == MCP_READY && client->is_modern) return;
    if (id->kind != JSON_STRING && id->kind != JSON_NUMBER) return;
    buf_init(&line, &client->allocator, 1 << 16);
    buf_puts(&line, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_put(&line, id);
    if (text_is(method->text, "ping")) buf_puts(&line, ",\"result\":{}}");
    else buf_puts(&line, ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    (void)send_buf(client, &line, &message);
}

gramc_status mcp_send_request(struct mcp_client *client, struct mcp_request *request) {
    struct buf line;
    struct mcp_message message = {.method = request->verb->method,
                                  .version = client->version,
                                  .stateless = client->is_modern};
    message.id = request->id = client->next_id++;
    if (request->verb->describe) request->verb->describe(request, &message);
    start_line(client, &line, &message);
    bool some = request->verb->put_params(request, &line);
    if (client->is_modern) {
        if (some) buf_putc(&line, ',');
        put_meta(&line);
    }
    buf_puts(&line, "}}");
    return send_buf(client, &line, &message);
}
