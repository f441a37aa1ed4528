/* The tools that are offered, as clients see them (mcp_shelf.c). */
#ifndef SERVE_MCP_SHELF_H
#define SERVE_MCP_SHELF_H

#include "base/json/writer.h"
#include "runtime/bound.h"
#include "runtime/mcp/headers.h"
#include "serve/mcp.h"

struct shelf_tool {
    gramc_text name, title, description;
    gramc_text input;                 /* JSON Schema of an object */
    gramc_text output;                /* of the structured content; empty: there is none */
    bool output_is_object;            /* which the handshake's era demands */
    gramc_text annotations;           /* a JSON object, or empty */
    struct mcp_parameter *mirrored;   /* arguments that headers repeat, over HTTP */
    const struct bound_tool *tool;    /* NULL: the agent is it */
    const struct served_agent *agent; /* NULL: it is a tool */
};

struct tool_shelf {
    struct arena arena;
    unsigned holds;
    struct shelf_tool *tools;
    size_t count;
    gramc_approver approver;
    void (*gone)(void *ctx);
    void *ctx;
};

struct tool_shelf *shelf_hold(struct tool_shelf *shelf);
/* NULL: there is none of that name. */
const struct shelf_tool *shelf_find(const struct tool_shelf *shelf, gramc_text name);
/* The member `tools`, as that era wants it. */
void shelf_put_tools(const struct tool_shelf *shelf, struct json_writer *w, bool is_modern);
/* Members of the result of a call that went well: the content, and its structure where it has one.
 * False without memory. */
bool shelf_put_result(const struct shelf_tool *tool, struct json_writer *w, gramc_text text,
                      bool is_modern);
/* Those of one that did not. */
void shelf_put_failure(struct json_writer *w, gramc_text why);

#endif
