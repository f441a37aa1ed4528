/* Answers a call with a fixed text: [ping:ToolImpl {returns: "pong"}]. */
#include "runtime/tool.h"

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
}

static void call_returns(struct tool_call *call) {
    buf_text(&call->result, call->bound->impl->target);
    switch (buf_status(&call->result)) {
    case GRAMC_OK: tool_settle(call, TOOL_FINE); break;
    case GRAMC_LIMIT: tool_fail(call, "the result is longer than 1 MiB"); break;
    default: tool_settle(call, TOOL_NOMEM);
    }
}

static void nothing(struct tool_call *call) {
    (void)call;
}

const struct tool_kind tool_returns = {.name = "returns",
                                       .describe = describe,
                                       .call = call_returns,
                                       .cancel = nothing,
                                       .close = nothing,
                                       .is_constant = true};
