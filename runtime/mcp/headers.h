/* The headers by which MCP over HTTP repeats what stands in a message, for who routes it. Pure. */
#ifndef RUNTIME_MCP_HEADERS_H
#define RUNTIME_MCP_HEADERS_H

#include "base/json/json.h"
#include "base/limits.h"

/* An argument that a tool's schema wants repeated as the header Mcp-Param-{name}. */
struct mcp_parameter {
    struct mcp_parameter *next;
    gramc_text name;
    gramc_text path; /* JSON Pointer into the arguments */
};

/* Finds the annotations x-mcp-header of an input schema. NULL, or why no tool may have it: a name
 * that is no token or stands there twice, a parameter that is no string, integer or boolean, a
 * place that arguments do not simply reach. Without memory: arena->oom. */
const char *mcp_mirrors_read(struct mcp_parameter **out, struct arena *arena,
                             const struct json *schema);

/* Writes a header's value: as it is, or, where a header cannot hold that, =?base64?...?=. */
void mcp_header_value(struct buf *out, gramc_text text);
/* The text that such a value stands for, in the arena or borrowed. False: what stands between its
 * marks is no base64; without memory: arena->oom. */
bool mcp_header_read(gramc_text *out, struct arena *arena, gramc_text value);
/* An argument that is to be mirrored, borrowed; false if it is absent or null. */
bool mcp_mirror_text(gramc_text *out, const struct mcp_parameter *parameter,
                     const struct json *arguments);
/* The same as a header's value. */
bool mcp_mirror_value(struct buf *out, const struct mcp_parameter *parameter,
                      const struct json *arguments);

#endif
