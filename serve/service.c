/* Makes a service out of its options, and gives it back. What it does is said in the other files:
 * pump.c is how it lives in the loop, request.c the way of a request. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "serve/answering.h"
#include "serve/mcp_shelf.h"

enum { WHY_LENGTH = 256 };

static void or_default(uint32_t *number, uint32_t otherwise) {
    if (!*number) *number = otherwise;
}

static void fill_in(struct serve_options *options) {
    or_default(&options->max_connections, SERVE_CONNECTIONS_MAX);
    or_default(&options->max_of_address, SERVE_ADDRESS_MAX);
    or_default(&options->max_runs, SERVE_RUNS_MAX);
    or_default(&options->max_sessions, SERVE_SESSIONS_MAX);
    or_default(&options->header_ms, SERVE_HEADERS_MS);
    or_default(&options->body_ms, SERVE_BODY_MS);
    or_default(&options->idle_ms, SERVE_IDLE_MS);
    or_default(&options->session_ms, SERVE_SESSION_MS);
    or_default(&options->grace_ms, SERVE_GRACE_MS);
}

/* Their hashes are all that is needed of them. */
static bool keep_tokens(struct service *service, const struct serve_options *options) {
    service->tokens = arena_array(&service->arena, options->token_count + 1, SHA256_HEX);
    for (size_t i = 0; service->tokens && i < options->token_count; i++) {
        struct sha256 sha;
        sha256_init(&sha);
        sha256_add_text(&sha, options->tokens[i]);
        sha256_hex(&sha, service->tokens[i]);
        mem_wipe(&sha, sizeof(sha));
    }
    service->options.tokens = NULL;
    return service->tokens != NULL;
}

/* Others may take its place while it is served. */
static bool keep_shelf(struct service *service) {
    const struct serve_options *options = &service->options;
    if (!options->shelf) return true;
    service->shelf = shelf_hold(options->shelf);
    return shelf_watch_open(&service->watch, &service->allocator, service->loop, options->source);
}

static gramc_status open_all(struct service *service, char *why) {
    gramc_status status = microhttpd_open(&service->http);
    if (status) {
        snprintf(why, WHY_LENGTH,
                 "the HTTP library is not here: install libmicrohttpd12, or what your system "
                 "calls it");
        return status;
    }
    int listener = listen_open(service, &status, why);
    if (listener < 0) return status;
    status = pump_start(service, listener, why);
    if (status) close(listener);
    return status;
}

static void give_back(struct service *service) {
    gramc_allocator allocator = service->allocator;
    sessions_free(service);
    microhttpd_close(&service->http);
    shelf_watch_close(&service->watch);
    shelf_let_go(service->shelf);
    arena_free(&service->arena);
    mem_free(&allocator, service, sizeof(*service));
}

gramc_status service_new(struct service **out, const struct serve_options *options, char *why) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct service *service = mem_alloc(&allocator, sizeof(*service));
    *out = NULL;
    why[0] = '\0';
    if (!service) return GRAMC_NOMEM;
    *service = (struct service){.allocator = allocator, .options = *options, .loop = options->loop};
    arena_init(&service->arena, &allocator);
    fill_in(&service->options);
    bool is_kept = keep_tokens(service, options) && keep_shelf(service);
    gramc_status status = is_kept ? open_all(service, why) : GRAMC_NOMEM;
    if (status) give_back(service);
    else *out = service;
    return status;
}

gramc_text service_address(const struct service *service) {
    return service->address;
}

void service_stop(struct service *service) {
    uv_async_send(&service->stop);
}

void service_free(struct service *service) {
    if (!service) return;
    pump_stop(service);
    give_back(service);
}
