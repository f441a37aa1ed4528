/* Calls a tool of an MCP server. The client of that server is the loop's; a call that is canceled
 * or late tells the server so, and hears no more of it. */
#include "runtime/tool_mcp.h"

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/mcp/box.h"

struct mcp_work {
    struct tool_call *call;
    struct mcp_call mcp;
    bool running;
};

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->server);
    buf_putc(out, '.');
    buf_text(out, impl->target);
}

static void settle(struct mcp_work *work) {
    struct tool_call *call = work->call;
    struct buf *result = &work->mcp.result;
    buf_text(&call->result, buf_view(result));
    gramc_status status = buf_status(result);
    if (status == GRAMC_OK) status = buf_status(&call->result);
    if (work->mcp.outcome == MCP_NOMEM || status == GRAMC_NOMEM) tool_settle(call, TOOL_NOMEM);
    else if (status != GRAMC_OK) tool_fail(call, "the server's result is longer than 1 MiB");
    else tool_settle(call, work->mcp.outcome == MCP_FINE ? TOOL_FINE : TOOL_FAILED);
}

static void on_done(struct mcp_call *mcp) {
    struct mcp_work *work = mcp->ctx;
    struct tool_call *call = work->call;
    work->running = false;
    settle(work);
    tool_let_go(call);
}

static void call_mcp(struct tool_call *call) {
    const struct mcp_endpoint *endpoint = call->bound->data;
    struct mcp_work *work = mem_alloc(&call->loop->allocator, sizeof(*work));
    struct mcp_client *client =
        work ? mcp_pool_client(call->loop, endpoint->server, call->memory) : NULL;
    call->state = work;
    if (work) *work = (struct mcp_work){.call = call};
    if (!client) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    work->mcp = (struct mcp_call){.tool = endpoint->tool,
                                  .arguments = buf_view(&call->arguments),
                                  .output = endpoint->output,
                                  .mirrors = endpoint->mirrors,
                                  .pin = endpoint->pin,
                                  .as_text = endpoint->as_text,
                                  .done = on_done,
                                  .ctx = work,
                                  .allocator = call->loop->allocator};
    work->running = true;
    tool_hold(call);
    tool_wait(call);
    mcp_call_start(client, &work->mcp);
}

static void cancel(struct tool_call *call) {
    struct mcp_work *work = call->state;
    if (!work || !work->running) return;
    work->running = false;
    mcp_call_cancel(&work->mcp);
    tool_let_go(call);
}

static void close_mcp(struct tool_call *call) {
    struct mcp_work *work = call->state;
    if (!work) return;
    mcp_call_free(&work->mcp);
    mem_free(&call->loop->allocator, work, sizeof(*work));
}

static void bind_mcp(gramc_bound *bound, struct bound_tool *choice) {
    choice->secrets = bound->secrets;
    choice->data = mcp_bind_impl(bound, choice->impl, choice->tool);
}

static const gramc_sandbox *sandbox_of(const void *endpoint) {
    return ((const struct mcp_endpoint *)endpoint)->server->said;
}

const struct tool_kind tool_mcp = {.name = "mcp",
                                   .describe = describe,
                                   .bind = bind_mcp,
                                   .offer = bind_offer_of,
                                   .sandbox = sandbox_of,
                                   .call = call_mcp,
                                   .cancel = cancel,
                                   .close = close_mcp,
                                   .boxes = &mcp_boxes};
