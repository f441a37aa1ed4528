/* The MCP clients of a loop, one for each server: made when a tool is first called or asked for,
 * closed with the loop. Servers that a library describes alike are one. */
#include <string.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/mcp/server.h"
#include "runtime/tool.h"

struct mcp_pool {
    struct mcp_pool *next;
    struct mcp_client *client;
    uint64_t company; /* whose runs alone it works for: see tool_company */
    bool spent;       /* nobody will call it any more */
    char digest[SHA256_HEX];
};

static gramc_status make_program(struct mcp_client **out, gramc_loop *loop,
                                 const struct mcp_server *server,
                                 const struct tool_memory *memory) {
    gramc_impl program = mcp_program(server->box);
    program.env = server->env;
    program.sandbox = server->sandbox;
    struct exec_words words;
    struct arena arena;
    arena_init(&arena, &loop->allocator);
    const struct mcp_place place = {.words = &words, .secrets = &loop->secrets};
    gramc_status status = GRAMC_NOMEM;
    if (exec_words(&words, &arena, &program, loop, memory))
        status = mcp_client_new(out, &loop->uv, &loop->allocator, &place);
    arena_wipe(&arena); /* its environment */
    return status;
}

static gramc_status make_remote(struct mcp_client **out, gramc_loop *loop,
                                const struct mcp_server *server) {
    const struct mcp_address address = {
        .url = server->url, .headers = server->headers, .route = server->route};
    const struct mcp_place place = {
        .address = &address, .http = loop->http, .secrets = &loop->secrets};
    return mcp_client_new(out, &loop->uv, &loop->allocator, &place);
}

struct mcp_client *mcp_pool_client(gramc_loop *loop, const struct mcp_server *server,
                                   const struct tool_memory *memory) {
    uint64_t company = tool_company(memory, server->box->isolation);
    bool is_own = tool_is_own(memory, server->box->isolation);
    for (struct mcp_pool *one = loop->mcp; one; one = one->next)
        if (one->company == company && memcmp(one->digest, server->digest, SHA256_HEX) == 0)
            return one->client;
    struct mcp_pool *entry = mem_alloc(&loop->allocator, sizeof(*entry));
    if (!entry) return NULL;
    gramc_status status = server->url[0]
                              ? make_remote(&entry->client, loop, server)
                              : make_program(&entry->client, loop, server, is_own ? memory : NULL);
    if (status) {
        mem_free(&loop->allocator, entry, sizeof(*entry));
        return NULL;
    }
    memcpy(entry->digest, server->digest, sizeof(entry->digest));
    entry->company = company;
    entry->spent = false;
    entry->next = loop->mcp;
    loop->mcp = entry;
    return entry->client;
}

static void close_first(gramc_loop *loop, struct mcp_pool **link) {
    struct mcp_pool *entry = *link;
    *link = entry->next;
    mcp_client_close(entry->client);
    mem_free(&loop->allocator, entry, sizeof(*entry));
}

void mcp_pool_close(gramc_loop *loop) {
    while (loop->mcp) close_first(loop, &loop->mcp);
}

void mcp_pool_spend_own(gramc_loop *loop, uint64_t company) {
    for (struct mcp_pool *one = loop->mcp; one; one = one->next)
        if (one->company == company) one->spent = loop->has_spent = true;
}

void mcp_pool_close_spent(gramc_loop *loop) {
    struct mcp_pool **link = &loop->mcp;
    while (*link) {
        if ((*link)->spent) close_first(loop, link);
        else link = &(*link)->next;
    }
}
