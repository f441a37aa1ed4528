/* Decides at binding which tools ask for approval, whose results are untrusted, and which are
 * sensitive to that: the strictest counts of what tool, implementation and box say. A server's hint
 * can make a tool destructive, never harmless. Asking is approval.c's. */
#include "runtime/bind_approval.h"

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/bind_box.h"

static const gramc_box *box_of(const gramc_bound *bound, const struct bound_tool *tool) {
    gramc_text name = tool->box.len ? tool->box : tool->impl->server;
    for (size_t i = 0; name.len && i < bound->library->box_count; i++)
        if (text_eq(bound->library->boxes[i].name, name)) return &bound->library->boxes[i];
    return NULL;
}

/* What the box's server says of the tool; hostile text. */
static bool hints_at_destruction(gramc_bound *bound, const gramc_box *box,
                                 const struct bound_tool *tool) {
    const struct offered_box *offered =
        box ? offered_box(bound->offered, bound->offered_count, box->name) : NULL;
    const struct offered_tool *what = offered ? offered_tool(offered, tool->impl->target) : NULL;
    struct arena scratch;
    if (!what || !what->annotations.len) return false;
    arena_init(&scratch, &bound->arena.allocator);
    const struct json *hints = json_parse(&scratch, what->annotations, NULL);
    bool destructive = json_is(json_get(hints, "destructiveHint"), JSON_TRUE);
    if (scratch.oom) bound->arena.oom = true;
    arena_free(&scratch);
    return destructive;
}

static gramc_approve strictest(const struct bound_tool *tool, const gramc_box *box) {
    const gramc_approve said[] = {tool->tool->approve, tool->impl->approve,
                                  box ? box->approve : GRAMC_APPROVE_UNSAID};
    gramc_approve most = GRAMC_APPROVE_UNSAID;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] > most) most = said[i];
    return most;
}

/* The strictest counts; a server's tools are untrusted where nobody of ours says otherwise, and
 * what the server says of itself makes them no better. */
static bool is_untrusted(const struct bound_tool *tool, const gramc_box *box) {
    const gramc_said said[] = {tool->tool->untrusted, tool->impl->untrusted,
                               box ? box->untrusted : GRAMC_SAID_NOTHING};
    gramc_said most = GRAMC_SAID_NOTHING;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] > most) most = said[i];
    return most == GRAMC_SAID_NOTHING ? tool->impl->kind == GRAMC_IMPL_MCP : most == GRAMC_SAID_YES;
}

void bind_approvals(gramc_bound *bound) {
    for (size_t i = 0; bound->library && i < bound->tool_count && !bound->arena.oom; i++) {
        struct bound_tool *tool = &bound->tools[i];
        if (!tool->impl) continue;
        const gramc_box *box = box_of(bound, tool);
        gramc_approve approve = strictest(tool, box);
        tool->untrusted = is_untrusted(tool, box);
        tool->sensitive = tool->tool->sensitive || tool->impl->sensitive || (box && box->sensitive);
        tool->destructive = tool->tool->destructive || hints_at_destruction(bound, box, tool);
        tool->asks = approve == GRAMC_APPROVE_ALWAYS ||
                     (approve != GRAMC_APPROVE_NEVER && tool->destructive);
    }
}
