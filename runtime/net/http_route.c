/* Copies how a server is reached (http.h), for whoever outlives what it was read from: one block
 * that holds the texts too, and is overwritten when it is freed. */
#include "runtime/net/http.h"

#include <string.h>

#include "base/mem.h"

enum { ROUTE_TEXTS = 5 };

static void route_texts(const struct http_route *route, const char *texts[ROUTE_TEXTS]) {
    texts[0] = route->ca_file;
    texts[1] = route->certificate;
    texts[2] = route->key;
    texts[3] = route->proxy;
    texts[4] = route->egress.hosts;
}

static size_t route_size(const struct http_route *route) {
    const char *texts[ROUTE_TEXTS];
    size_t size = sizeof(*route);
    route_texts(route, texts);
    for (size_t i = 0; i < ROUTE_TEXTS; i++) size += texts[i] ? strlen(texts[i]) + 1 : 0;
    return size;
}

struct http_route *http_route_copy(const gramc_allocator *allocator,
                                   const struct http_route *route) {
    const char *texts[ROUTE_TEXTS];
    struct http_route *copy = mem_alloc(allocator, route_size(route));
    if (!copy) return NULL;
    char *at = (char *)(copy + 1);
    route_texts(route, texts);
    for (size_t i = 0; i < ROUTE_TEXTS; i++) {
        size_t size = texts[i] ? strlen(texts[i]) + 1 : 0;
        if (!size) continue;
        memcpy(at, texts[i], size);
        texts[i] = at;
        at += size;
    }
    *copy =
        (struct http_route){texts[0], texts[1], texts[2], texts[3], {texts[4], route->egress.only}};
    return copy;
}

/* A proxy's address may hold a password. */
void http_route_free(const gramc_allocator *allocator, struct http_route *route) {
    if (!route) return;
    size_t size = route_size(route);
    mem_wipe(route, size);
    mem_free(allocator, route, size);
}
