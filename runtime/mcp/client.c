/* Finds out which era an MCP server is of, and sends it requests: queued until it is ready, matched
 * to answers by id in whatever order they come. Restarts a server that has ended, and a session
 * that was lost. Messages travel by process.c and http.c, are worded in write.c; what a
 * result means is result.c's. */
#include "runtime/mcp/client.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "runtime/net/http.h"
#include "runtime/foreign.h"
#include "runtime/mcp/process.h"

/* Codes of the stateless revision. */
enum { UNSUPPORTED_VERSION = -32022, MISSING_CAPABILITY = -32021, HEADER_MISMATCH = -32020 };

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

/* A handler may start and cancel requests, so the list is walked anew after each. */
static void send_waiting(struct mcp_client *client) {
    struct mcp_request *request = client->requests;
    while (request && client->state == MCP_READY) {
        if (request->id) {
            request = request->next;
            continue;
        }
        gramc_status status = mcp_send_request(client, request);
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

static void forget_strays(struct mcp_client *client) {
    client->strays = (struct mcp_strays){.count = 0};
    uv_timer_stop(&client->patience);
}

static void give_up_as(struct mcp_client *client, enum mcp_outcome outcome, const char *why) {
    client->state = MCP_IDLE;
    uv_timer_stop(&client->timer);
    forget_strays(client);
    struct mcp_transport *transport = client->transport;
    client->transport = NULL;
    if (transport) transport->stop(transport);
    fail_all(client, outcome, why);
}

static void give_up(struct mcp_client *client, const char *why) {
    give_up_as(client, MCP_BROKEN, why);
}

static void give_up_telling(struct mcp_client *client, const char *why) {
    char text[sizeof(client->why)];
    mcp_client_tell(client, why, text, sizeof(text));
    give_up(client, text);
}

static bool was_sent(struct mcp_client *client, gramc_status status) {
    if (status)
        give_up_as(client, status == GRAMC_NOMEM ? MCP_NOMEM : MCP_BROKEN,
                   "the server cannot be written to");
    return !status;
}

static void be_ready(struct mcp_client *client) {
    client->state = MCP_READY;
    uv_timer_stop(&client->timer);
    forget_strays(client);
    send_waiting(client);
}

static void handshake_passed(uv_timer_t *timer) {
    give_up_telling(timer->data, "the server does not answer the handshake");
}

static void start_legacy(struct mcp_client *client) {
    client->state = MCP_INITIALIZING;
    uv_timer_start(&client->timer, handshake_passed, client->handshake_ms, 0);
    was_sent(client, mcp_send_initialize(client));
}

static void probe_passed(uv_timer_t *timer) {
    start_legacy(timer->data);
}

static void start_probe(struct mcp_client *client) {
    client->state = MCP_PROBING;
    uv_timer_start(&client->timer, probe_passed, client->probe_ms, 0);
    was_sent(client, mcp_send_probe(client));
}

static void on_line(void *ctx, gramc_text line);
static void on_ended(void *ctx, const char *why);
static void on_failed(void *ctx, uint64_t id, const struct mcp_failure *failure);
static bool waits(void *ctx, uint64_t id);

static gramc_status open_transport(struct mcp_client *client, char why[CHILD_WHY_MAX]) {
    const struct mcp_events events = {on_line, on_ended, on_failed, waits, client, client->secrets};
    if (client->words.argv)
        return mcp_process_start(&client->transport, client->loop, &client->allocator,
                                 &client->words, &events, why);
    client->transport =
        mcp_http_start(client->loop, client->http, &client->allocator, &client->address, &events);
    return client->transport ? GRAMC_OK : GRAMC_NOMEM;
}

static void start_server(struct mcp_client *client) {
    char why[CHILD_WHY_MAX] = "out of memory";
    if (client->words.argv && client->starts >= MCP_STARTS_MAX) {
        give_up(client, "the server has ended too often, and is not started again");
        return;
    }
    client->starts++;
    client->probed_twice = false;
    gramc_status status = open_transport(client, why);
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

static void on_ended(void *ctx, const char *why) {
    struct mcp_client *client = ctx;
    bool probing = client->state == MCP_PROBING;
    client->transport = NULL;
    client->state = MCP_IDLE;
    client->changes++;
    uv_timer_stop(&client->timer);
    forget_strays(client);
    snprintf(client->why, sizeof(client->why), "%s", why);
    if (probing) client->no_probe = true; /* some cannot bear to be asked before the handshake */
    if (!probing && !client->version) fail_all(client, MCP_BROKEN, why);
    else fail_sent(client, MCP_BROKEN, why);
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
        if (json_is(item, JSON_STRING) && text_is(item->text, mcp_modern)) return true;
    return false;
}

static void be_modern(struct mcp_client *client) {
    client->is_modern = true;
    client->version = mcp_modern;
    be_ready(client);
}

/* It refuses a revision that it says it speaks: asked once more, then not again. */
static void probe_again(struct mcp_client *client) {
    if (client->probed_twice) {
        give_up(client, "the server refuses to say what it speaks");
        return;
    }
    client->probed_twice = true;
    start_probe(client);
}

/* Only an answer that no server of the other era could give decides for the stateless one. */
static void on_probe_answer(struct mcp_client *client, const struct json *result,
                            const struct json *error) {
    int64_t code = error_code(error);
    client->probe = 0;
    if (client->state != MCP_PROBING && client->state != MCP_INITIALIZING) return;
    if (lists_modern(json_get(result, "supportedVersions"))) {
        be_modern(client);
    } else if (code == UNSUPPORTED_VERSION &&
               lists_modern(json_get(json_get(error, "data"), "supported"))) {
        probe_again(client);
    } else if (json_is(json_get(result, "supportedVersions"), JSON_ARRAY) ||
               code == UNSUPPORTED_VERSION) {
        give_up(client, "the server speaks no revision of the protocol that gramc knows");
    } else if (code == MISSING_CAPABILITY || code == HEADER_MISMATCH) {
        give_up(client, "the server refuses to say what it speaks");
    } else if (client->state == MCP_PROBING) {
        start_legacy(client);
    }
}

static void refuse_handshake(struct mcp_client *client, const struct json *error) {
    struct buf why;
    buf_init(&why, &client->allocator, sizeof(client->why) - 1);
    mcp_put_error(&why, "the server refuses the handshake", client, error, FOREIGN_WORDS);
    give_up(client, why.ptr ? why.ptr : "out of memory");
    buf_free(&why);
}

static void on_initialize_answer(struct mcp_client *client, const struct json *result,
                                 const struct json *error) {
    const struct json *version = json_get(result, "protocolVersion");
    client->initialize = 0;
    if (client->state != MCP_INITIALIZING) return;
    if (error_code(error) == UNSUPPORTED_VERSION && client->probe) return; /* that is to come */
    for (size_t i = 0; mcp_legacy[i]; i++) {
        if (!json_is(version, JSON_STRING) || !text_is(version->text, mcp_legacy[i])) continue;
        client->is_modern = false;
        client->version = mcp_legacy[i];
        if (was_sent(client, mcp_send_initialized(client))) be_ready(client);
        return;
    }
    if (error) refuse_handshake(client, error);
    else give_up(client, "the server speaks no revision of the protocol that gramc knows");
}

static struct mcp_request *find_request(struct mcp_client *client, uint64_t id) {
    for (struct mcp_request *request = client->requests; request; request = request->next)
        if (request->id == id) return request;
    return NULL;
}

/* ## Answers that cannot be read. Greetings and logs are passed over; an answer takes its time to
 * arrive whole, and then whoever may have waited for it hears of it. */

static struct mcp_request *next_unread(struct mcp_client *client) {
    const struct mcp_strays *strays = &client->strays;
    for (struct mcp_request *request = client->requests; request; request = request->next)
        if (request->id && request->id < strays->before &&
            (strays->id == 0 || strays->id == request->id))
            return request;
    return NULL;
}

static void fail_unread(struct mcp_client *client, const char *why) {
    struct mcp_request *request;
    while (client->state == MCP_READY && (request = next_unread(client)))
        fail_request(request, MCP_BROKEN, why);
    forget_strays(client);
}

static void answer_lost(uv_timer_t *timer) {
    static const char unread[] = "the server's answer cannot be read";
    struct mcp_client *client = timer->data;
    char why[sizeof(client->why)];
    mcp_client_tell(client, unread, why, sizeof(why));
    switch (client->state) {
    case MCP_IDLE: break;
    case MCP_PROBING: start_legacy(client); break;
    case MCP_INITIALIZING: give_up(client, why); break;
    case MCP_READY: fail_unread(client, why); break;
    }
}

static void on_stray(struct mcp_client *client, gramc_text line, const struct json_error *error) {
    bool is_answer = mcp_stray_take(client, line, error);
    if (!is_answer || uv_is_active((uv_handle_t *)&client->patience)) return;
    client->strays.before = client->next_id;
    uv_timer_start(&client->patience, answer_lost, MCP_STRAY_MS, 0);
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
    if (!next_unread(client)) forget_strays(client);
    request->verb->answer(client, request, result, error);
}

/* It could not read what it was sent, and so does not know the id. */
static void on_error_without_id(struct mcp_client *client, const struct json *error) {
    struct mcp_request *request = client->requests;
    bool is_only = request && request->id && !request->next;
    if (client->state == MCP_PROBING) on_answer(client, client->probe, NULL, error);
    else if (client->state == MCP_INITIALIZING && !client->probe) refuse_handshake(client, error);
    else if (client->state == MCP_READY && is_only) on_answer(client, request->id, NULL, error);
}

/* False if it is none. What nobody waits for any more is one. */
static bool on_message(struct mcp_client *client, const struct json *message) {
    const struct json *method = json_get(message, "method"), *id = json_get(message, "id");
    const struct json *result = json_get(message, "result"), *error = json_get(message, "error");
    uint64_t number;
    if (json_is(method, JSON_STRING)) {
        if (id) mcp_send_reply(client, id, method);
        else if (text_is(method->text, "notifications/tools/list_changed")) client->changes++;
        return true;
    }
    bool answers = result || json_is(error, JSON_OBJECT);
    if (answers && read_id(id, &number)) on_answer(client, number, result, error);
    else if (json_is(id, JSON_NULL) && json_is(error, JSON_OBJECT))
        on_error_without_id(client, error);
    else return false;
    return true;
}

/* One revision has lists of messages. */
static bool on_messages(struct mcp_client *client, const struct json *message) {
    static const char with_lists[] = "2025-03-26";
    bool takes_lists = client->state == MCP_READY && strcmp(client->version, with_lists) == 0;
    if (json_is(message, JSON_OBJECT)) return on_message(client, message);
    if (!json_is(message, JSON_ARRAY) || !takes_lists) return false;
    for (const struct json *one = message->first; one; one = one->next)
        if (json_is(one, JSON_OBJECT)) (void)on_message(client, one);
    return true;
}

void mcp_take_line(struct mcp_client *client, gramc_text line) {
    struct json_error error = {.message = NULL};
    struct arena arena;
    arena_init(&arena, &client->allocator);
    line = json_mended(&arena, line);
    const struct json *message = arena.oom ? NULL : json_parse(&arena, line, &error);
    if (arena.oom) give_up_as(client, MCP_NOMEM, "out of memory");
    else if (!message || !on_messages(client, message)) on_stray(client, line, &error);
    arena_free(&arena);
}

static void on_line(void *ctx, gramc_text line) {
    mcp_take_line(ctx, line);
}

/* ## Answers that will not come */

static bool waits(void *ctx, uint64_t id) {
    struct mcp_client *client = ctx;
    return id == client->probe || id == client->initialize || find_request(client, id) != NULL;
}

/* What it was asked has not been done: it is asked again, in a new session. */
static void lose_session(struct mcp_client *client, struct mcp_request *request, const char *why) {
    if (++request->sessions > MCP_SESSIONS_MAX) {
        fail_request(request, MCP_BROKEN, why);
        return;
    }
    request->id = 0;
    client->changes++;
    if (client->state == MCP_READY) start_legacy(client);
}

static void fail_one(struct mcp_client *client, struct mcp_request *request,
                     const struct mcp_failure *failure, const struct json *error) {
    if (failure->kind == MCP_SESSION_LOST && !client->is_modern) {
        lose_session(client, request, failure->why);
    } else if (error) {
        unlink_request(request);
        request->verb->answer(client, request, NULL, error);
    } else {
        fail_request(request, failure->kind == MCP_FAILED_NOMEM ? MCP_NOMEM : MCP_BROKEN,
                     failure->why);
    }
}

static void fail_probe(struct mcp_client *client, const struct mcp_failure *failure,
                       const struct json *error) {
    if (failure->kind == MCP_STATUS || failure->kind == MCP_SESSION_LOST) {
        on_probe_answer(client, NULL, error);
        return;
    }
    client->probe = 0;
    if (client->state == MCP_PROBING) give_up(client, failure->why);
}

static void fail_initialize(struct mcp_client *client, const struct mcp_failure *failure,
                            const struct json *error) {
    if (error && failure->kind == MCP_STATUS) refuse_handshake(client, error);
    else give_up(client, failure->why);
}

static void on_failed(void *ctx, uint64_t id, const struct mcp_failure *given) {
    struct mcp_client *client = ctx;
    struct mcp_request *request = find_request(client, id);
    char why[sizeof(client->why)];
    struct mcp_failure telling = *given, *failure = &telling;
    struct arena arena;
    mcp_client_tell(client, given->why, why, sizeof(why));
    failure->why = why;
    forget_strays(client);
    arena_init(&arena, &client->allocator);
    gramc_text text = json_mended(&arena, failure->body);
    const struct json *body = text.len ? json_parse(&arena, text, NULL) : NULL;
    const struct json *error = json_get(body, "error");
    if (!json_is(error, JSON_OBJECT)) error = NULL;
    if (id == client->probe) fail_probe(client, failure, error);
    else if (id == client->initialize && client->state == MCP_INITIALIZING)
        fail_initialize(client, failure, error);
    else if (request) fail_one(client, request, failure, error);
    arena_free(&arena);
}

/* ## The public side */

void mcp_request_start(struct mcp_client *client, struct mcp_request *request,
                       const struct mcp_verb *verb) {
    *request = (struct mcp_request){.client = client, .verb = verb};
    append(client, request);
    uv_idle_start(&client->idle, on_idle);
}

/* Over HTTP in the stateless revision, closing the stream is how a server is told. */
void mcp_cancel(struct mcp_request *request) {
    struct mcp_client *client = request->client;
    if (!client) return;
    uint64_t id = request->id;
    unlink_request(request);
    if (!id || !client->transport) return;
    if (client->words.argv || !client->is_modern) mcp_send_cancelled(client, id);
    client->transport->drop(client->transport, id);
}

const char *mcp_client_version(const struct mcp_client *client) {
    return client->version ? client->version : "";
}

void mcp_client_tell(const struct mcp_client *client, const char *why, char *out, size_t size) {
    mcp_strays_tell(out, size, why, &client->strays);
}

unsigned mcp_client_changes(const struct mcp_client *client) {
    return client->changes;
}

static char *copy_word(struct arena *arena, const char *word) {
    size_t size = strlen(word) + 1;
    char *copy = arena_alloc(arena, size);
    if (copy) memcpy(copy, word, size);
    return copy;
}

static char **copy_words(struct arena *arena, const char *const *words) {
    size_t count = 0;
    while (words[count]) count++;
    char **copy = arena_zalloc(arena, (count + 1) * sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = copy_word(arena, words[i]))) return NULL;
    return copy;
}

static const struct http_route *copy_route(struct arena *arena, const struct http_route *route) {
    struct http_route *copy = route ? ARENA_NEW(arena, struct http_route) : NULL;
    if (!copy) return NULL;
    *copy = (struct http_route){.ca_file = NULL};
    if (route->ca_file) copy->ca_file = copy_word(arena, route->ca_file);
    if (route->certificate) copy->certificate = copy_word(arena, route->certificate);
    if (route->key) copy->key = copy_word(arena, route->key);
    if (route->proxy) copy->proxy = copy_word(arena, route->proxy);
    if (route->egress.hosts) copy->egress.hosts = copy_word(arena, route->egress.hosts);
    copy->egress.only = route->egress.only;
    return copy;
}

const struct secrets *mcp_client_secrets(const struct mcp_client *client) {
    return client->secrets ? *client->secrets : NULL;
}

static void copy_program(struct exec_words *copy, struct arena *arena,
                         const struct exec_words *words) {
    *copy = *words;
    copy->argv = copy_words(arena, (const char *const *)words->argv);
    copy->environment = copy_words(arena, (const char *const *)words->environment);
    if (words->folder) copy->folder = copy_word(arena, words->folder);
    if (words->program) copy->program = copy_word(arena, words->program);
}

static bool copy_place(struct mcp_client *client, const struct mcp_place *place) {
    client->http = place->http;
    client->secrets = place->secrets;
    if (place->words) {
        copy_program(&client->words, &client->arena, place->words);
        client->words.secrets = place->secrets;
    } else {
        client->address.url = copy_word(&client->arena, place->address->url);
        client->address.headers =
            (const char *const *)copy_words(&client->arena, place->address->headers);
        client->address.route = copy_route(&client->arena, place->address->route);
    }
    return !client->arena.oom;
}

gramc_status mcp_client_new(struct mcp_client **out, uv_loop_t *loop,
                            const gramc_allocator *allocator, const struct mcp_place *place) {
    struct mcp_client *client = mem_alloc(allocator, sizeof(*client));
    *out = NULL;
    if (!client) return GRAMC_NOMEM;
    *client = (struct mcp_client){.allocator = *allocator,
                                  .loop = loop,
                                  .next_id = 1,
                                  .probe_ms = MCP_PROBE_MS,
                                  .handshake_ms = MCP_HANDSHAKE_MS};
    arena_init(&client->arena, allocator);
    if (!copy_place(client, place)) {
        arena_wipe(&client->arena);
        mem_free(allocator, client, sizeof(*client));
        return GRAMC_NOMEM;
    }
    uv_timer_init(loop, &client->timer);
    uv_timer_init(loop, &client->patience);
    uv_idle_init(loop, &client->idle);
    client->timer.data = client->patience.data = client->idle.data = client;
    *out = client;
    return GRAMC_OK;
}

static void idle_closed(uv_handle_t *handle) {
    struct mcp_client *client = handle->data;
    gramc_allocator allocator = client->allocator;
    arena_wipe(&client->arena); /* headers and environment */
    mem_free(&allocator, client, sizeof(*client));
}

static void patience_closed(uv_handle_t *handle) {
    struct mcp_client *client = handle->data;
    uv_close((uv_handle_t *)&client->idle, idle_closed);
}

static void timer_closed(uv_handle_t *handle) {
    struct mcp_client *client = handle->data;
    uv_close((uv_handle_t *)&client->patience, patience_closed);
}

void mcp_client_close(struct mcp_client *client) {
    if (!client) return;
    client->closing = true;
    give_up(client, "the connection was closed");
    uv_close((uv_handle_t *)&client->timer, timer_closed);
}
