/* Boxes while binding: found by the names that they offer, opened when they are needed. */
#ifndef RUNTIME_BIND_BOX_H
#define RUNTIME_BIND_BOX_H

#include "runtime/httptool/box.h"
#include "runtime/mcp/box.h"

/* A box of the library, opened at most once. */
struct box_view {
    const gramc_box *box;
    bool opened;
    const struct offered_box *offered; /* NULL: nothing is known, and a message says why */
    const struct http_box *http;
    const struct mcp_server *server;
};

/* One view a box of the library; false without memory. */
bool bind_boxes_init(gramc_bound *bound);
/* What a `ToolImpl {mcp: ...}` is on its server; NULL if that is not known. */
const struct offered_tool *bind_offer_of(gramc_bound *bound, const gramc_impl *impl);

/* "did you mean ...?", or empty. */
gramc_text bind_near_offer(gramc_bound *bound, const struct offered_box *offered, gramc_text name);

/* Looks for the choice's tool among all boxes, and makes an implementation of it. NULL: there is
 * none, or several, which is then reported (*failed). */
const struct offered_tool *bind_box_tool(gramc_bound *bound, struct bound_tool *choice,
                                         bool *failed);
/* The names under which the boxes that were opened offer their tools; NULL without memory. */
const gramc_text *bind_offered_names(gramc_bound *bound, size_t *count);
/* How many tools the agent and its tasks take of boxes, at most. */
size_t bind_use_count(gramc_bound *bound);
/* Appends them to bound->tools, each with the box's schemas. */
void bind_uses(gramc_bound *bound);
/* The tool that the library offers under that name, by a box or by an implementation with schemas
 * of its own; `tool` gets name, description and schemas. False after a message. */
bool bind_tool_of_library(gramc_bound *bound, gramc_text name, gramc_tool *tool);

#endif
