/* A client that is talked to, whatever carries the messages (mcp_peer.c), and the calls that it has
 * made (mcp_calling.c). All belongs to the thread of the loop. */
#ifndef SERVE_MCP_PEER_H
#define SERVE_MCP_PEER_H

#include "serve/mcp_message.h"
#include "serve/mcp_shelf.h"

struct shelf_call;

/* Somebody who wants to hear of changes, in the stateless era. */
struct shelf_listener {
    struct shelf_listener *next;
    struct arena arena; /* itself */
    gramc_text id;      /* JSON: of the request that it began with */
    bool wants_tools;
};

struct mcp_peer {
    gramc_allocator allocator;
    gramc_loop *loop;
    struct tool_shelf *shelf; /* held */
    gramc_text instructions;
    uint32_t max_calls;
    bool is_watched; /* changes of the tools will be told */
    /* Takes a message, of one line, and may empty the buffer. An answer is the last that a request
     * hears. One that has failed cannot be sent, nor can what would say so: the client is to be
     * given up. */
    void (*send)(void *ctx, struct buf *message, bool is_answer);
    void (*idle)(void *ctx); /* the last call has ended */
    void *ctx;
    /* Its own. */
    bool is_greeted; /* by a handshake: hears of changes unasked */
    struct shelf_call *calls;
    struct shelf_listener *listeners;
    size_t calling, listening;
};

/* What the caller has set; the shelf is held from then on. */
void mcp_peer_open(struct mcp_peer *peer);
/* Ends what is under way without a word. */
void mcp_peer_close(struct mcp_peer *peer);
/* One message of the client. */
void mcp_peer_take(struct mcp_peer *peer, gramc_text bytes);
/* The same, that was read already, and is good. */
void mcp_peer_take_said(struct mcp_peer *peer, const struct mcp_said *said);
/* Is there such a method in its era? */
bool mcp_peer_knows(const struct mcp_said *said);
/* Other tools from here on. */
void mcp_peer_change(struct mcp_peer *peer, struct tool_shelf *shelf);
/* Says that calls still work, where the client wants to know. Once in a while. */
void mcp_peer_tick(struct mcp_peer *peer);
/* No more will be told of changes: ends what waits for them. */
void mcp_peer_dismiss(struct mcp_peer *peer);

/* ## For its files */
/* Sends the answer that was put into `message`, or that this did not work, and frees it. */
void mcp_peer_send(struct mcp_peer *peer, struct buf *message, gramc_text id);
/* The same for a notification, which is sent as it is. */
void mcp_peer_tell(struct mcp_peer *peer, struct buf *message);
void mcp_peer_refuse(struct mcp_peer *peer, gramc_text id, enum mcp_code code, const char *why);
/* Begins a result's object, with what the era wants in each. */
struct json_writer mcp_peer_answer(struct mcp_peer *peer, struct buf *out, gramc_text id,
                                   bool is_modern);

/* ## Calls (mcp_calling.c) */
void mcp_calling_start(struct mcp_peer *peer, const struct mcp_said *said);
/* False: there is none of that id. */
bool mcp_calling_cancel(struct mcp_peer *peer, gramc_text id);
bool mcp_calling_has(const struct mcp_peer *peer, gramc_text id);
void mcp_calling_tick(struct mcp_peer *peer);
/* Ends all of them without a word; what cannot end at once needs the peer no more. */
void mcp_calling_drop(struct mcp_peer *peer);

#endif
