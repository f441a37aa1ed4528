/* What the boxes of a library offer, however it became known: by reading an HTTP toolbox, by asking
 * an MCP server, or from a snapshot. Binding looks at nothing else, so a snapshot binds as the
 * servers themselves would. Immutable once made. */
#ifndef RUNTIME_OFFERED_H
#define RUNTIME_OFFERED_H

#include "base/mem.h"
#include "gramc/compile.h"

/* A tool of a box, under the name that it has there: filters and renames are not applied yet. */
struct offered_tool {
    gramc_text name;
    gramc_text title, description; /* empty: none */
    gramc_text accepts;            /* JSON Schema of the arguments object */
    gramc_text returns;            /* JSON Schema of the result; empty: the box does not say */
};

struct offered_box {
    gramc_text name; /* of the box in the library */
    const struct offered_tool *tools;
    size_t tool_count;
    gramc_text failure; /* why nothing is known; empty: it is */
};

#endif
