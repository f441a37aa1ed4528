/* Holds a request to its rules: turns what libcurl knows of hosts and sockets into questions for
 * egress.c, and keeps the words of a refusal for whoever made the request. */
#include "runtime/net/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void guard_asks(struct http_guard *guard, gramc_text host, uint16_t port) {
    if (guard->is_refused) return;
    if (!host.len || host.len >= sizeof(guard->host)) {
        guard->is_refused = true;
        snprintf(guard->why, sizeof(guard->why), "its host cannot be read");
        return;
    }
    memcpy(guard->host, host.ptr, host.len);
    guard->host[host.len] = '\0';
    guard->port = port;
    guard->is_refused = !egress_host(&guard->rules, host, port, guard->why);
}

static bool allows(struct http_guard *guard, const unsigned char address[HOST_ADDRESS],
                   uint16_t port) {
    return !guard->is_refused &&
           egress_address(&guard->rules, text_of(guard->host), address, port, guard->why);
}

/* What is neither IPv4 nor IPv6 leads nowhere that anybody named. */
bool guard_allows(struct http_guard *guard, const struct sockaddr *address) {
    unsigned char bytes[HOST_ADDRESS] = {[10] = 0xFF, 0xFF};
    if (address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof(four));
        memcpy(bytes + 12, &four.sin_addr, 4);
        return allows(guard, bytes, ntohs(four.sin_port));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof(six));
        memcpy(bytes, &six.sin6_addr, HOST_ADDRESS);
        return allows(guard, bytes, ntohs(six.sin6_port));
    }
    snprintf(guard->why, sizeof(guard->why), "its address is of an unknown kind");
    return false;
}

bool guard_allows_spelled(struct http_guard *guard, const char *address, uint16_t port) {
    unsigned char bytes[HOST_ADDRESS];
    if (address && host_address(text_of(address), bytes)) return allows(guard, bytes, port);
    snprintf(guard->why, sizeof(guard->why), "its address cannot be read");
    return false;
}
