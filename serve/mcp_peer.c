/* Answers the messages of an MCP client: greets it, lists the tools, lets it listen for changes,
 * and hands calls on. Knows neither what carries the messages nor how a tool is called. */
#include "serve/mcp_peer.h"

#include "base/text.h"
#include "runtime/mcp/client.h"

/* ## Sending */

/* Schemas stand in it as they were written, on several lines perhaps; strings hold no line's end.
 */
static void make_line(struct buf *message) {
    for (size_t i = 0; i < message->len; i++)
        if (message->ptr[i] == '\n' || message->ptr[i] == '\r') message->ptr[i] = ' ';
}

void mcp_peer_send(struct mcp_peer *peer, struct buf *message, gramc_text id) {
    gramc_status status = buf_status(message);
    if (status) {
        const char *why = status == GRAMC_LIMIT ? "the answer is too large" : "out of memory";
        buf_reset(message);
        mcp_say_error(message, id, MCP_CODE_INTERNAL, text_of(why), TEXT(""));
    }
    make_line(message);
    peer->send(peer->ctx, message, true);
    buf_free(message);
}

void mcp_peer_tell(struct mcp_peer *peer, struct buf *message) {
    peer->send(peer->ctx, message, false);
    buf_free(message);
}

void mcp_peer_refuse(struct mcp_peer *peer, gramc_text id, enum mcp_code code, const char *why) {
    struct buf out;
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    mcp_say_error(&out, id, code, text_of(why), TEXT(""));
    mcp_peer_send(peer, &out, id);
}

struct json_writer mcp_peer_answer(struct mcp_peer *peer, struct buf *out, gramc_text id,
                                   bool is_modern) {
    buf_init(out, &peer->allocator, MCP_LINE_MAX);
    struct json_writer w = mcp_say_begin(out, id);
    json_object_begin(&w);
    if (is_modern) json_member_text(&w, "resultType", TEXT("complete"));
    return w;
}

static void finish(struct mcp_peer *peer, struct json_writer *w, gramc_text id) {
    struct buf *out = w->out;
    json_object_end(w);
    mcp_say_end(w);
    mcp_peer_send(peer, out, id);
}

/* ## Who we are */

static void put_capabilities(const struct mcp_peer *peer, struct json_writer *w) {
    json_member_object(w, "capabilities");
    json_member_object(w, "tools");
    if (peer->is_watched) json_member_bool(w, "listChanged", true);
    json_object_end(w);
    json_object_end(w);
}

/* That of the client if it is spoken here, else the newest with a handshake. */
static gramc_text choose_revision(gramc_text wanted) {
    for (size_t i = 0; mcp_legacy[i]; i++)
        if (text_is(wanted, mcp_legacy[i])) return wanted;
    return text_of(mcp_legacy[0]);
}

static void answer_initialize(struct mcp_peer *peer, const struct mcp_said *said) {
    const struct json *wanted = json_get(said->params, "protocolVersion");
    struct buf out;
    if (!json_is(wanted, JSON_STRING)) {
        mcp_peer_refuse(peer, said->id, MCP_CODE_PARAMS, "protocolVersion is missing");
        return;
    }
    struct json_writer w = mcp_peer_answer(peer, &out, said->id, false);
    json_member_text(&w, "protocolVersion", choose_revision(wanted->text));
    put_capabilities(peer, &w);
    mcp_say_who(&w, "serverInfo");
    json_member_some(&w, "instructions", peer->instructions);
    finish(peer, &w, said->id);
}

static void answer_ping(struct mcp_peer *peer, const struct mcp_said *said) {
    struct buf out;
    struct json_writer w = mcp_peer_answer(peer, &out, said->id, false);
    finish(peer, &w, said->id);
}

/* The tools may be others at any time, so nobody is told to keep what is said of them. */
static void put_lifetime(struct json_writer *w) {
    json_member_number(w, "ttlMs", 0);
    json_member_text(w, "cacheScope", TEXT("private"));
}

static void answer_discover(struct mcp_peer *peer, const struct mcp_said *said) {
    struct buf out;
    struct json_writer w = mcp_peer_answer(peer, &out, said->id, true);
    json_member_array(&w, "supportedVersions");
    json_text(&w, text_of(mcp_modern));
    json_array_end(&w);
    put_capabilities(peer, &w);
    json_member_some(&w, "instructions", peer->instructions);
    put_lifetime(&w);
    json_member_object(&w, "_meta");
    mcp_say_who(&w, mcp_key_server);
    json_object_end(&w);
    finish(peer, &w, said->id);
}

/* All stand on one page. */
static void answer_list(struct mcp_peer *peer, const struct mcp_said *said) {
    struct buf out;
    if (json_get(said->params, "cursor")) {
        mcp_peer_refuse(peer, said->id, MCP_CODE_PARAMS, "no list here has gone on at a cursor");
        return;
    }
    struct json_writer w = mcp_peer_answer(peer, &out, said->id, said->is_modern);
    shelf_put_tools(peer->shelf, &w, said->is_modern);
    if (said->is_modern) put_lifetime(&w);
    finish(peer, &w, said->id);
}

/* ## Listening for changes */

static void put_subscription(struct json_writer *w, gramc_text id) {
    json_member_object(w, "_meta");
    json_member_raw(w, mcp_key_subscription, id);
    json_object_end(w);
}

static struct shelf_listener *add_listener(struct mcp_peer *peer, gramc_text id) {
    struct shelf_listener *listener = mem_alloc(&peer->allocator, sizeof(*listener));
    if (!listener) return NULL;
    *listener = (struct shelf_listener){.next = peer->listeners};
    arena_init(&listener->arena, &peer->allocator);
    listener->id = arena_text(&listener->arena, id);
    if (!listener->id.ptr) {
        mem_free(&peer->allocator, listener, sizeof(*listener));
        return NULL;
    }
    peer->listeners = listener;
    peer->listening++;
    return listener;
}

static bool drop_listener(struct mcp_peer *peer, gramc_text id) {
    struct shelf_listener **link = &peer->listeners;
    while (*link && !text_eq((*link)->id, id)) link = &(*link)->next;
    struct shelf_listener *listener = *link;
    if (!listener) return false;
    *link = listener->next;
    peer->listening--;
    arena_free(&listener->arena);
    mem_free(&peer->allocator, listener, sizeof(*listener));
    return true;
}

static bool has_listener(const struct mcp_peer *peer, gramc_text id) {
    for (const struct shelf_listener *l = peer->listeners; l; l = l->next)
        if (text_eq(l->id, id)) return true;
    return false;
}

static void acknowledge(struct mcp_peer *peer, const struct shelf_listener *listener) {
    struct buf out;
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    struct json_writer w = mcp_say_tell(&out, "notifications/subscriptions/acknowledged");
    json_member_object(&w, "notifications");
    if (listener->wants_tools) json_member_bool(&w, "toolsListChanged", true);
    json_object_end(&w);
    put_subscription(&w, listener->id);
    mcp_say_told(&w);
    mcp_peer_tell(peer, &out);
}

/* It is answered when nothing more will come. */
static void answer_listen(struct mcp_peer *peer, const struct mcp_said *said) {
    const struct json *wanted = json_get(said->params, "notifications");
    struct shelf_listener *listener;
    if (!json_is(wanted, JSON_OBJECT)) {
        mcp_peer_refuse(peer, said->id, MCP_CODE_PARAMS, "params has no object `notifications`");
    } else if (peer->listening >= peer->max_calls) {
        mcp_peer_refuse(peer, said->id, MCP_CODE_INTERNAL, "too many are listening already");
    } else if (!(listener = add_listener(peer, said->id))) {
        mcp_peer_refuse(peer, said->id, MCP_CODE_INTERNAL, "out of memory");
    } else {
        listener->wants_tools =
            peer->is_watched && json_is(json_get(wanted, "toolsListChanged"), JSON_TRUE);
        acknowledge(peer, listener);
    }
}

/* `id` empty: to whom a handshake was made. */
static void tell_change(struct mcp_peer *peer, gramc_text id) {
    struct buf out;
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    struct json_writer w = mcp_say_tell(&out, "notifications/tools/list_changed");
    if (id.len) put_subscription(&w, id);
    mcp_say_told(&w);
    mcp_peer_tell(peer, &out);
}

void mcp_peer_change(struct mcp_peer *peer, struct tool_shelf *shelf) {
    struct tool_shelf *before = peer->shelf;
    peer->shelf = shelf_hold(shelf);
    shelf_let_go(before);
    if (peer->is_greeted) tell_change(peer, TEXT(""));
    for (const struct shelf_listener *l = peer->listeners; l; l = l->next)
        if (l->wants_tools) tell_change(peer, l->id);
}

void mcp_peer_dismiss(struct mcp_peer *peer) {
    while (peer->listeners) {
        struct buf out;
        gramc_text id = peer->listeners->id;
        struct json_writer w = mcp_peer_answer(peer, &out, id, true);
        put_subscription(&w, id);
        finish(peer, &w, id);
        drop_listener(peer, id);
    }
}

/* ## Notifications */

static void take_initialized(struct mcp_peer *peer, const struct mcp_said *said) {
    (void)said;
    peer->is_greeted = true;
}

/* What has ended meanwhile, or never was, is no error. */
static void take_cancelled(struct mcp_peer *peer, const struct mcp_said *said) {
    const struct json *id = json_get(said->params, "requestId");
    struct buf text;
    if (!id) return;
    buf_init(&text, &peer->allocator, MCP_LINE_MAX);
    json_put(&text, id);
    if (buf_status(&text) == GRAMC_OK && !mcp_calling_cancel(peer, buf_view(&text)))
        drop_listener(peer, buf_view(&text));
    buf_free(&text);
}

/* ## Dispatch */

enum { OF_HANDSHAKE = 1, OF_STATELESS = 2, OF_BOTH = 3 };

static const struct method_row {
    const char *method;
    enum mcp_said_kind kind;
    unsigned eras;
    void (*take)(struct mcp_peer *peer, const struct mcp_said *said);
} methods[] = {
    {"initialize", MCP_SAID_REQUEST, OF_HANDSHAKE, answer_initialize},
    {"ping", MCP_SAID_REQUEST, OF_HANDSHAKE, answer_ping},
    {"server/discover", MCP_SAID_REQUEST, OF_STATELESS, answer_discover},
    {"tools/list", MCP_SAID_REQUEST, OF_BOTH, answer_list},
    {"tools/call", MCP_SAID_REQUEST, OF_BOTH, mcp_calling_start},
    {"subscriptions/listen", MCP_SAID_REQUEST, OF_STATELESS, answer_listen},
    {"notifications/initialized", MCP_SAID_NOTIFICATION, OF_HANDSHAKE, take_initialized},
    {"notifications/cancelled", MCP_SAID_NOTIFICATION, OF_BOTH, take_cancelled},
};

/* NULL: there is none. */
static const struct method_row *find_method(const struct mcp_said *said) {
    unsigned era = said->is_modern ? OF_STATELESS : OF_HANDSHAKE;
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
        if (methods[i].kind != said->kind || !text_is(said->method, methods[i].method)) continue;
        if (said->kind == MCP_SAID_NOTIFICATION || methods[i].eras & era) return &methods[i];
    }
    return NULL;
}

bool mcp_peer_knows(const struct mcp_said *said) {
    return find_method(said) != NULL;
}

void mcp_peer_take_said(struct mcp_peer *peer, const struct mcp_said *said) {
    const struct method_row *row = find_method(said);
    if (row) row->take(peer, said);
    else if (said->kind == MCP_SAID_REQUEST)
        mcp_peer_refuse(peer, said->id, MCP_CODE_METHOD, "there is no such method here");
}

static void refuse(struct mcp_peer *peer, const struct mcp_said *said) {
    struct buf out;
    buf_init(&out, &peer->allocator, MCP_LINE_MAX);
    mcp_say_error(&out, said->id, said->code, text_of(said->wrong), said->revision);
    mcp_peer_send(peer, &out, said->id);
}

void mcp_peer_take(struct mcp_peer *peer, gramc_text bytes) {
    struct mcp_said said;
    struct arena arena;
    arena_init(&arena, &peer->allocator);
    bool is_request = false;
    if (!mcp_said_read(&said, &arena, bytes)) {
        mcp_peer_refuse(peer, TEXT("null"), MCP_CODE_INTERNAL, "out of memory");
    } else if ((is_request = said.kind == MCP_SAID_REQUEST) && said.wrong) {
        refuse(peer, &said);
    } else if (is_request && (mcp_calling_has(peer, said.id) || has_listener(peer, said.id))) {
        mcp_peer_refuse(peer, said.id, MCP_CODE_REQUEST, "a request of this id is under way");
    } else if (said.kind != MCP_SAID_REPLY && !said.wrong) {
        mcp_peer_take_said(peer, &said);
    }
    arena_free(&arena);
}

void mcp_peer_tick(struct mcp_peer *peer) {
    mcp_calling_tick(peer);
}

void mcp_peer_open(struct mcp_peer *peer) {
    shelf_hold(peer->shelf);
}

void mcp_peer_close(struct mcp_peer *peer) {
    mcp_calling_drop(peer);
    while (peer->listeners) drop_listener(peer, peer->listeners->id);
    shelf_let_go(peer->shelf);
    peer->shelf = NULL;
}
