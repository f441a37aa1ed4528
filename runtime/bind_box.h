/* Boxes while binding: found by the names that they offer, opened when they are needed. */
#ifndef RUNTIME_BIND_BOX_H
#define RUNTIME_BIND_BOX_H

#include "runtime/bound.h"
#include "runtime/offered.h"

/* A box of the library, opened at most once. */
struct box_view {
    const gramc_box *box;
    const struct tool_kind *kind; /* of its tools */
    bool opened;
    const struct offered_box *offered; /* NULL: nothing is known, and a message says why */
    const void *inside;                /* of the kind */
};

/* Boxes of one kind, and where the answers go. */
struct box_question {
    struct offered_box *out; /* out[i] becomes what boxes[i] offers; its name is the box's */
    const gramc_box *const *boxes;
    size_t count;
    struct arena *arena; /* of the answers' texts */
    gramc_loop *loop;
    const struct secrets *secrets;
    const struct egress_policy *egress; /* NULL: every library is one's own */
    struct sandboxes *sandboxes;
    const gramc_sandbox *sandbox; /* of the library; NULL: it says none */
    gramc_reader reader;
    const gramc_toolbox_host *host; /* NULL: none */
    uint32_t timeout_ms;            /* of all together; 0: as is usual */
    bool pinned;                    /* servers are held to what they list */
    uint32_t company;               /* of the runs that are to come */
};

/* What a kind of tool that comes in boxes fills in, besides. */
struct box_kind {
    /* Sets view->offered and view->inside, or reports why nothing is known of the box. */
    void (*open)(gramc_bound *bound, struct box_view *view);
    /* What is called for one tool of a box that was opened: it becomes choice->data. NULL after a
     * message, or without memory. */
    const void *(*bind)(gramc_bound *bound, const struct box_view *view,
                        const struct offered_tool *offered, const gramc_tool *tool);
    /* Finds out what boxes offer, all at once; what goes wrong with one stands in its `failure`.
     * GRAMC_NOMEM; GRAMC_USAGE while the loop runs. */
    gramc_status (*ask)(const struct box_question *question);
    /* `open` finds out by itself what a box offers, and nothing need be asked before binding. */
    bool opens_alone;
};

/* One view a box of the library; false without memory. */
bool bind_boxes_init(gramc_bound *bound);
/* What the kind of the implementation knows of it from a box; NULL: nothing. */
const struct offered_tool *bind_offer_for(gramc_bound *bound, const gramc_impl *impl);
/* The same for an implementation that names a tool of a box: what the box offers for it. */
const struct offered_tool *bind_offer_of(gramc_bound *bound, const gramc_impl *impl);

/* The schemas of an offered tool as documents, which live as long as `bound`. */
struct offered_schemas {
    const struct offered_tool *tool;
    const struct json *accepts, *returns; /* NULL: not said, or no JSON */
    gramc_text why; /* the first of them is no JSON; empty: both are, if said */
};
/* Read where they are asked for first. NULL without memory. */
const struct offered_schemas *bind_offer_schemas(gramc_bound *bound,
                                                 const struct offered_tool *offered);

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
