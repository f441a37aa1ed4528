/* An MCP client for the conformance suite, on the runtime's own: lists the tools of the server at
 * an address and calls those that can be called. The suite judges what came over the wire; this
 * only says which arguments to send. Prints a line a tool.
 *
 *     mcp_probe http://127.0.0.1:8080/mcp */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/net/http.h"
#include "runtime/mcp/mcp.h"

struct probe {
    uv_loop_t loop;
    struct http *http;
    struct mcp_client *client;
    struct mcp_listing listing;
    struct mcp_call call;
    const struct json *context; /* what the suite wants called; NULL: everything */
    struct arena arena;
    uv_timer_t patience;
    bool done, failed, late;
};

enum { PATIENCE_MS = 8000 }; /* with one request */

static void list_done(struct mcp_listing *listing) {
    ((struct probe *)listing->ctx)->done = true;
}

static void call_done(struct mcp_call *call) {
    ((struct probe *)call->ctx)->done = true;
}

static void on_late(uv_timer_t *timer) {
    ((struct probe *)timer->data)->late = true;
}

static void wait_until_done(struct probe *probe, struct mcp_request *request) {
    uv_timer_start(&probe->patience, on_late, PATIENCE_MS, 0);
    while (!probe->done && !probe->late) uv_run(&probe->loop, UV_RUN_ONCE);
    if (!probe->done) mcp_cancel(request);
    uv_timer_stop(&probe->patience);
    probe->done = probe->late = false;
}

static void call_tool(struct probe *probe, const struct mcp_tool *tool, gramc_text arguments) {
    struct mcp_call *call = &probe->call;
    *call = (struct mcp_call){.tool = tool->name,
                              .arguments = arguments,
                              .mirrors = tool->mirrors,
                              .done = call_done,
                              .ctx = probe,
                              .allocator = mem_default()};
    mcp_call_start(probe->client, call);
    wait_until_done(probe, &call->request);
    printf("%.*s: %d %.*s\n", TEXT_ARGS(tool->name), (int)call->outcome,
           TEXT_ARGS(buf_view(&call->result)));
    mcp_call_free(call);
}

static const struct mcp_tool *find_tool(const struct probe *probe, gramc_text name) {
    const struct mcp_tool *tool = probe->listing.tools;
    while (tool && !text_eq(tool->name, name)) tool = tool->next;
    return tool;
}

/* {"toolCalls":[{"name":...,"arguments":{...}}]} */
static void call_as_told(struct probe *probe, const struct json *calls) {
    for (const struct json *one = calls->first; one; one = one->next) {
        const struct json *name = json_get(one, "name");
        const struct mcp_tool *tool = name ? find_tool(probe, name->text) : NULL;
        struct buf arguments;
        if (!tool || tool->refused) continue;
        buf_init(&arguments, NULL, 1 << 20);
        json_put(&arguments, json_get(one, "arguments"));
        call_tool(probe, tool, buf_view(&arguments));
        buf_free(&arguments);
    }
}

/* A tool that wants to see a schema gets that of the tool before it, byte for byte. */
static void call_echo(struct probe *probe, const struct mcp_tool *tool) {
    struct buf arguments;
    buf_init(&arguments, NULL, 1 << 20);
    buf_puts(&arguments, "{\"schema\":");
    buf_text(&arguments, probe->listing.tools->input);
    buf_puts(&arguments, "}");
    call_tool(probe, tool, buf_view(&arguments));
    buf_free(&arguments);
}

/* Arguments that fit the tool's schema, or none. */
static void call_made_up(struct probe *probe, const struct mcp_tool *tool) {
    const gramc_allocator allocator = mem_default();
    gramc_schema *schema = NULL;
    gramc_text arguments = TEXT("{}");
    struct arena arena;
    arena_init(&arena, &allocator);
    if (!gramc_schema_compile(&schema, tool->input.ptr, tool->input.len, NULL, NULL)) {
        struct buf sample;
        buf_init(&sample, &allocator, 1 << 16);
        if (!gramc_schema_sample(gramc_schema_document(schema), &allocator, buf_writer(&sample)))
            arguments = arena_text(&arena, buf_view(&sample));
        buf_free(&sample);
        gramc_schema_free(schema);
    }
    call_tool(probe, tool, arguments);
    arena_free(&arena);
}

static void call_all(struct probe *probe) {
    for (const struct mcp_tool *tool = probe->listing.tools; tool; tool = tool->next) {
        if (tool->refused) printf("%.*s: not called: %s\n", TEXT_ARGS(tool->name), tool->refused);
        else if (text_is(tool->name, "json_schema_echo")) call_echo(probe, tool);
        else call_made_up(probe, tool);
    }
}

static void run(struct probe *probe) {
    probe->listing =
        (struct mcp_listing){.done = list_done, .ctx = probe, .allocator = mem_default()};
    mcp_list_start(probe->client, &probe->listing);
    wait_until_done(probe, &probe->listing.request);
    if (probe->listing.outcome != MCP_FINE) {
        printf("tools/list: %s\n", probe->listing.why);
        probe->failed = true;
    }
    const struct json *calls = json_get(probe->context, "toolCalls");
    if (json_is(calls, JSON_ARRAY)) call_as_told(probe, calls);
    else call_all(probe);
    printf("spoke %s\n", mcp_client_version(probe->client));
    mcp_list_free(&probe->listing);
}

int main(int argc, char **argv) {
    struct probe probe = {.done = false};
    const gramc_allocator allocator = mem_default();
    const char *const none[] = {NULL};
    const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
    if (argc != 2) return 2;
    const struct mcp_address address = {argv[1], none, NULL};
    arena_init(&probe.arena, &allocator);
    if (context) probe.context = json_parse(&probe.arena, text_of(context), NULL);
    uv_loop_init(&probe.loop);
    uv_timer_init(&probe.loop, &probe.patience);
    probe.patience.data = &probe;
    if (http_new(&probe.http, &probe.loop, &allocator)) return 2;
    const struct mcp_place place = {.address = &address, .http = probe.http};
    if (mcp_client_new(&probe.client, &probe.loop, &allocator, &place)) return 2;
    run(&probe);
    mcp_client_close(probe.client);
    while (!http_is_idle(probe.http)) uv_run(&probe.loop, UV_RUN_ONCE);
    http_close(probe.http);
    uv_close((uv_handle_t *)&probe.patience, NULL);
    uv_run(&probe.loop, UV_RUN_DEFAULT);
    uv_loop_close(&probe.loop);
    arena_free(&probe.arena);
    return probe.failed ? 1 : 0;
}
