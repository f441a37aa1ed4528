/* What the boxes of a library offer, however it became known: by reading an HTTP toolbox, by asking
 * an MCP server, or from a snapshot. Binding looks at nothing else, so a snapshot binds as the
 * servers themselves would. Immutable once made. */
#ifndef RUNTIME_OFFERED_H
#define RUNTIME_OFFERED_H

#include "base/buf.h"
#include "base/mem.h"
#include "gramc/compile.h"

/* A tool of a box, under the name that it has there: filters and renames are not applied yet. */
struct offered_tool {
    gramc_text name;
    gramc_text title, description; /* empty: none */
    gramc_text accepts;            /* JSON Schema of the arguments object */
    gramc_text returns;            /* JSON Schema of the result; empty: the box does not say */
    gramc_text annotations;        /* a JSON object: an MCP server's hints; empty: none */
};

struct offered_box {
    gramc_text name; /* of the box in the library */
    const struct offered_tool *tools;
    size_t tool_count;
    gramc_text failure; /* why nothing is known; empty: it is */
    gramc_text url;     /* where it is, if a program was asked for that; else empty */
    gramc_text pin;     /* what its server is held to; empty: nothing */
    gramc_text note;    /* what was left out, and why: a line; empty: nothing */
};

/* All of it, in the arena; NULL without memory. */
const struct offered_box *offered_copy(struct arena *arena, const struct offered_box *boxes,
                                       size_t count);
/* The box with its url, if that is known from a program; else as it is. NULL without memory. */
const gramc_box *offered_at(struct arena *arena, const struct offered_box *known,
                            const gramc_box *box);
/* NULL if there is none of that name. */
const struct offered_box *offered_box(const struct offered_box *boxes, size_t count,
                                      gramc_text name);
const struct offered_tool *offered_tool(const struct offered_box *box, gramc_text name);

/* ## Filters and renames of the library */
/* True if the library takes that tool of the box. */
bool box_takes(const gramc_box *box, gramc_text tool);
/* The name under which the library offers it. */
gramc_text box_offers_as(const gramc_box *box, gramc_text tool);
/* `box_tool` in snake case, in the arena; empty without memory. */
gramc_text box_tool_id(struct arena *arena, const gramc_box *box, gramc_text tool);
/* True if `wanted` means that tool: the name that it is offered under, `box_name`, or both of them
 * in snake case (the ids of sentinel-ai's toolboxes). False without memory (arena->oom). */
bool box_means(struct arena *arena, const gramc_box *box, gramc_text tool, gramc_text wanted);

#endif
