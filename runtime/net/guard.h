/* One request and the rules it keeps to (egress.h): what it asks, what it is about to connect to,
 * and what it was refused. http.c's own. */
#ifndef RUNTIME_NET_GUARD_H
#define RUNTIME_NET_GUARD_H

#include <sys/socket.h>

#include "runtime/net/egress.h"

struct http_guard {
    struct egress rules;
    char host[HOST_LETTERS_MAX + 3]; /* that is connected to: the server, or its proxy */
    uint16_t port;
    bool is_refused;          /* whatever it leads to */
    char why[EGRESS_WHY_MAX]; /* of the last refusal; empty: there was none */
};

/* It is going to ask this host; asked of the proxy last, which then is what is connected to. */
void guard_asks(struct http_guard *guard, gramc_text host, uint16_t port);
/* A socket to that address may be opened. */
bool guard_allows(struct http_guard *guard, const struct sockaddr *address);
/* The same for the connection that it has, whose address is spelled. */
bool guard_allows_spelled(struct http_guard *guard, const char *address, uint16_t port);

#endif
