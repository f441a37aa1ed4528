/* Finds out which era an MCP server is of, and sends it requests: queued until it is ready, matched
 * to answers by id in whatever order they come. Restarts a server that has ended. The lines come
 * and go by line_process.c; what a result means is mcp_result.c's. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/mcp_client.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static const char modern[] = "2026-07-28";
/* Newest first: the first is asked for. */
static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

enum { UNSUPPORTED_VERSION = -32022, MODERN_ERRORS_FROM = -32022, MODERN_ERRORS_TO = -32020 };

/* ## Writing */

static void put_client_info(struct buf *out) {
    buf_printf(out, "{\"name\":\"gramc\",\"version\":\"%s\"}", gramc_version());
}

static void put_meta(struct buf *out) {
    buf_printf(out, "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"%s\",", modern);
    buf_puts(out, "\"io.modelcontextprotocol/clientCapabilities\":{},"
                  "\"io.modelcontextprotocol/clientInfo\":");
    put_client_info(out);
    buf_putc(out, '}');
}

static gramc_status send_buf(struct mcp_client *client, struct buf *line) {
    gramc_status status = buf_status(line);
    if (status == GRAMC_OK)
        status =
            client->process ? line_process_send(client->process, buf_view(line)) : GRAMC_NOT_FOUND;
    buf_free(line);
    return status;
}

static void start_line(struct mcp_client *client, struct buf *line, uint64_t id,
                       const char *method) {
    buf_init(line, &client->allocator, LINE_LONGEST);
    buf_puts(line, "{\"jsonrpc\":\"2.0\",");
    if (id) buf_printf(line, "\"id\":%llu,", (unsigned long long)id);
    buf_printf(line, "\"method\":\"%s\",\"params\":{", method);
}

static gramc_status send_probe(struct mcp_client *client) {
    struct buf line;
    client->probe = client->next_id++;
    start_line(client, &line, client->probe, "server/discover");
    put_meta(&line);
    buf_puts(&line, "}}");
    return send_buf(client, &line);
}

static gramc_status send_initialize(struct mcp_client *client) {
    struct buf line;
    client->initialize = client->next_id++;
    start_line(client, &line, client->initialize, "initialize");
    buf_printf(&line, "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":", legacy[0]);
    put_client_info(&line);
    buf_puts(&line, "}}");
    return send_buf(client, &line);
}

static gramc_status send_initialized(struct mcp_client *client) {
    struct buf line;
    buf_init(&line, &client->allocator, 1024);
    buf_puts(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return send_buf(client, &line);
}

static void send_cancelled(struct mcp_client *client, uint64_t id) {
    struct buf line;
    start_line(client, &line, 0, "notifications/cancelled");
    buf_printf(&line, "\"requestId\":%llu,\"reason\":\"no longer needed\"}}",
               (unsigned long long)id);
    (void)send_buf(client, &line); /* a server that cannot be told is ending anyway */
}

/* In the stateless era nobody asks, and nobody is answered. */
static void answer_request(struct mcp_client *client, const struct json *id,
                           const struct json *method) {
    struct buf line;
    if (client->state == MCP_READY && client->is_modern) return;
    if (id->kind != JSON_STRING && id->kind != JSON_NUMBER) return;
    buf_init(&line, &client->allocator, 1 << 16);
    buf_puts(&line, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_put(&line, id);
    if (text_is(method->text, "ping")) buf_puts(&line, ",\"result\":{}}");
    else buf_puts(&line, ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    (void)send_buf(client, &line);
}

/* ## Requests */

static void unlink_request(struct mcp_request *request) {
    *request->link = request->next;
    if (request->next) request->next->link = request->link;
    request->client = NULL;
}

static void append(struct mcp_client *client, struct mcp_request *request) {
    struct mcp_request **link = &client->requests;
    while (*link) link = &(*link)->next;
    *link = request;
    request->link = link;
    request->next = NULL;
}

static void fail_request(struct mcp_request *request, enum mcp_outcome outcome, const char *why) {
    unlink_request(request);
    request->verb->fail(request, outcome, why);
}

static gramc_status send_request(struct mcp_client *client, struct mcp_request *request) {
    struct buf line;
    request->id = client->next_id++;
    start_line(client, &line, request->id, request->verb->method);
    bool some = request->verb->put_params(request, &line);
    if (client->is_modern) {
        if (some) buf_putc(&line, ',');
        put_meta(&line);
    }
    buf_puts(&line, "}}");
    return send_buf(client, &line);
}

/* A handler may start and cancel requests, so the list is walked anew after each. */
static void send_waiting(struct mcp_client *client) {
    struct mcp_request *request = client->requests;
    while (request && client->state == MCP_READY) {
        if (request->id) {
            request = request->next;
            continue;
        }
        gramc_status status = send_request(client, request);
        if (status == GRAMC_NOMEM) fail_request(request, MCP_NOMEM, "out of memory");
        else if (status != GRAMC_OK)
            fail_request(request, MCP_BROKEN,
                         status == GRAMC_LIMIT ? "the server does not read what it is sent"
                                               : "the server has ended");
        request = client->requests;
    }
}

/* A handler may start the next request, which is not to fail with these. */
static void fail_all(struct mcp_client *client, enum mcp_outcome outcome, const char *why) {
    struct mcp_request *list = client->requests;
    client->requests = NULL;
    if (list) list->link = &list;
    while (list) fail_request(list, outcome, why);
}

static void fail_sent(struct mcp_client *client, enum mcp_outcome outcome, const char *why) {
    struct mcp_request *request = client->requests;
    while (request) {
        bool sent = request->id != 0;
        if (sent) fail_request(request, outcome, why);
        request = sent ? client->requests : request->next;
    }
}

/* ## States */

static void give_up(struct mcp_client *client, const char *why) {
    client->state = MCP_IDLE;
    uv_timer_stop(&client->timer);
    if (client->process) line_process_stop(client->process);
    client->process = NULL;
    fail_all(client, MCP_BROKEN, why);
}

static void be_ready(struct mcp_client *client, bool is_modern, const char *version) {
    client->state = MCP_READY;
    client->is_modern = is_modern;
    client->version = version;
    uv_timer_stop(&client->timer);
    send_waiting(client);
}

static void handshake_passed(uv_timer_t *timer) {
    give_up(timer->data, "the server does not answer the handshake");
}

static void start_legacy(struct mcp_client *client) {
    client->state = MCP_INITIALIZING;
    uv_timer_start(&client->timer, handshake_passed, client->handshake_ms, 0);
    if (send_initialize(client) != GRAMC_OK) give_up(client, "the server cannot be written to");
}

static void probe_passed(uv_timer_t *timer) {
    start_legacy(timer->data);
}

static void start_probe(struct mcp_client *client) {
    client->state = MCP_PROBING;
    uv_timer_start(&client->timer, probe_passed, client->probe_ms, 0);
    if (send_probe(client) != GRAMC_OK) give_up(client, "the server cannot be written to");
}

static void on_line(void *ctx, gramc_text line);
static void on_ended(void *ctx, const struct exec_end *end);

static void start_server(struct mcp_client *client) {
    char why[256] = "out of memory";
    struct line_process_events events = {on_line, on_ended, client, "the server"};
    if (client->starts >= MCP_STARTS_MAX) {
        give_up(client, "the server has ended too often, and is not started again");
        return;
    }
    client->starts++;
    gramc_status status = line_process_start(&client->process, client->loop, &client->allocator,
                                             &client->words, &events, why);
    if (status == GRAMC_NOMEM) fail_all(client, MCP_NOMEM, why);
    else if (status != GRAMC_OK) give_up(client, why);
    else if (client->no_probe) start_legacy(client);
    else start_probe(client);
}

/* With the loop's next turn, so that done is never called from inside a start. */
static void on_idle(uv_idle_t *idle) {
    struct mcp_client *client = idle->data;
    uv_idle_stop(idle);
    if (client->closing) return;
    if (client->state == MCP_IDLE && client->requests) start_server(client);
    else send_waiting(client);
}

static void on_ended(void *ctx, const struct exec_end *end) {
    struct mcp_client *client = ctx;
    bool probing = client->state == MCP_PROBING;
    client->process = NULL;
    client->state = MCP_IDLE;
    client->changes++;
    uv_timer_stop(&client->timer);
    exec_explain_end(client->why, sizeof(client->why), "the server", end);
    if (probing) client->no_probe = true; /* some cannot bear to be asked before the handshake */
    if (!probing && !client->version) fail_all(client, MCP_BROKEN, client->why);
    else fail_sent(client, MCP_BROKEN, client->why);
    if (client->requests) uv_idle_start(&client->idle, on_idle);
}

/* ## Answers */

static bool read_id(const struct json *id, uint64_t *out) {
    int64_t value;
    if (!json_is(id, JSON_NUMBER) || !number_to_int(&value, id->text) || value <= 0) return false;
    *out = (uint64_t)value;
    return true;
}

static int64_t error_code(const struct json *error) {
    const struct json *code = json_get(error, "code");
    int64_t value = 0;
    return json_is(code, JSON_NUMBER) && number_to_int(&value, code->text) ? value : 0;
}

static bool lists_modern(const struct json *list) {
    const struct json *first = json_is(list, JSON_ARRAY) ? list->first : NULL;
    for (const struct json *item = first; item; item = item->next)
        if (json_is(item, JSON_STRING) && text_is(item->text, modern)) return true;
    return false;
}

/* Only an answer that no server of the other era could give decides for the stateless one. */
static void on_probe_answer(struct mcp_client *client, const struct json *result,
                            const struct json *error) {
    int64_t code = error_code(error);
    client->probe = 0;
    if (client->state != MCP_PROBING && client->state != MCP_INITIALIZING) return;
    if (lists_modern(json_get(result, "supportedVersions"))) {
        be_ready(client, true, modern);
    } else if (json_is(json_get(result, "supportedVersions"), JSON_ARRAY) ||
               (code == UNSUPPORTED_VERSION &&
                !lists_modern(json_get(json_get(error, "data"), "supported")))) {
        give_up(client, "the server speaks no revision of the protocol that gramc knows");
    } else if (code >= MODERN_ERRORS_FROM && code <= MODERN_ERRORS_TO) {
        give_up(client, "the server refuses to say what it speaks");
    } else if (client->state == MCP_PROBING) {
        start_legacy(client);
    }
}

static void on_initialize_answer(struct mcp_client *client, const struct json *result,
                                 const struct json *error) {
    const struct json *version = json_get(result, "protocolVersion");
    client->initialize = 0;
    if (client->state != MCP_INITIALIZING) return;
    if (error_code(error) == UNSUPPORTED_VERSION && client->probe) return; /* that is to come */
    for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++) {
        if (!json_is(version, JSON_STRING) || !text_is(version->text, legacy[i])) continue;
        if (send_initialized(client) == GRAMC_OK) be_ready(client, false, legacy[i]);
        else give_up(client, "the server cannot be written to");
        return;
    }
    give_up(client, error ? "the server refuses the handshake"
                          : "the server speaks no revision of the protocol that gramc knows");
}

static struct mcp_request *find_request(struct mcp_client *client, uint64_t id) {
    for (struct mcp_request *request = client->requests; request; request = request->next)
        if (request->id == id) return request;
    return NULL;
}

/* What nobody waits for any more is passed over. */
static void on_answer(struct mcp_client *client, uint64_t id, const struct json *result,
                      const struct json *error) {
    if (id == client->probe) {
        on_probe_answer(client, result, error);
        return;
    }
    if (id == client->initialize) {
        on_initialize_answer(client, result, error);
        return;
    }
    struct mcp_request *request = find_request(client, id);
    if (!request) return;
    client->starts = 0;
    unlink_request(request);
    request->verb->answer(client, request, result, error);
}

static void on_message(struct mcp_client *client, const struct json *message) {
    const struct json *method = json_get(message, "method"), *id = json_get(message, "id");
    const struct json *result = json_get(message, "result"), *error = json_get(message, "error");
    uint64_t number;
    if (json_is(method, JSON_STRING)) {
        if (id) answer_request(client, id, method);
        else if (text_is(method->text, "notifications/tools/list_changed")) client->changes++;
        return;
    }
    if (read_id(id, &number) && (result || json_is(error, JSON_OBJECT)))
        on_answer(client, number, result, error);
}

/* What is no JSON is passed over: some servers print a greeting. */
static void on_line(void *ctx, gramc_text line) {
    struct mcp_client *client = ctx;
    struct arena arena;
    arena_init(&arena, &client->allocator);
    const struct json *message = json_parse(&arena, line, NULL);
    if (json_is(message, JSON_OBJECT)) on_message(client, message);
    else if (arena.oom) give_up(client, "out of memory");
    arena_free(&arena);
}

/* ## The public side */

void mcp_request_start(struct mcp_client *client, struct mcp_request *request,
                       const struct mcp_verb *verb) {
    *request = (struct mcp_request){.client = client, .verb = verb};
    append(client, request);
    uv_idle_start(&client->idle, on_idle);
}

void mcp_cancel(struct mcp_request *request) {
    struct mcp_client *client = request->client;
    if (!client) return;
    uint64_t id = request->id;
    unlink_request(request);
    if (id && client->process) send_cancelled(client, id);
}

const char *mcp_client_version(const struct mcp_client *client) {
    return client->version ? client->version : "";
}

unsigned mcp_client_changes(const struct mcp_client *client) {
    return client->changes;
}

static char **copy_words(struct arena *arena, char *const *words) {
    size_t count = 0;
    while (words[count]) count++;
    char **copy = arena_zalloc(arena, (count + 1) * sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        gramc_text text = arena_text(arena, text_of(words[i]));
        if (!text.ptr) return NULL;
        char *word = arena_alloc(arena, text.len + 1);
        if (!word) return NULL;
        memcpy(word, text.ptr, text.len + 1);
        copy[i] = word;
    }
    return copy;
}

static bool copy_all(struct mcp_client *client, const struct exec_words *words) {
    char *folder[2] = {words->folder, NULL};
    client->words.argv = copy_words(&client->arena, words->argv);
    client->words.environment = copy_words(&client->arena, words->environment);
    char **copy = copy_words(&client->arena, folder);
    client->words.folder = copy ? copy[0] : NULL;
    return !client->arena.oom;
}

gramc_status mcp_client_new(struct mcp_client **out, uv_loop_t *loop,
                            const gramc_allocator *allocator, const struct exec_words *words) {
    struct mcp_client *client = mem_alloc(allocator, sizeof(*client));
    *out = NULL;
    if (!client) return GRAMC_NOMEM;
    *client = (struct mcp_client){.allocator = *allocator,
                                  .loop = loop,
                                  .next_id = 1,
                                  .probe_ms = MCP_PROBE_MS,
                                  .handshake_ms = MCP_HANDSHAKE_MS};
    arena_init(&client->arena, allocator);
    if (!copy_all(client, words)) {
        arena_free(&client->arena);
        mem_free(allocator, client, sizeof(*client));
        return GRAMC_NOMEM;
    }
    uv_timer_init(loop, &client->timer);
    uv_idle_init(loop, &client->idle);
    client->timer.data = client->idle.data = client;
    *out = client;
    return GRAMC_OK;
}

static void idle_closed(uv_handle_t *handle) {
    struct mcp_client *client = handle->data;
    gramc_allocator allocator = client->allocator;
    arena_free(&client->arena);
    mem_free(&allocator, client, sizeof(*client));
}

static void timer_closed(uv_handle_t *handle) {
    struct mcp_client *client = handle->data;
    uv_close((uv_handle_t *)&client->idle, idle_closed);
}

void mcp_client_close(struct mcp_client *client) {
    if (!client) return;
    client->closing = true;
    give_up(client, "the connection was closed");
    uv_close((uv_handle_t *)&client->timer, timer_closed);
}
