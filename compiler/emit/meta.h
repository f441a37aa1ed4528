/* What a tool's `meta` keeps for one provider or protocol. For printers of targets. */
#ifndef COMPILER_EMIT_META_H
#define COMPILER_EMIT_META_H

#include "compiler/emit/target.h"

/* The object under that name; NULL: there is none, or no memory (arena->oom). */
const struct json *meta_of(struct arena *arena, const struct tool *tool, const char *provider);
/* Its members, but for those that printers say themselves. */
void meta_put_members(struct json_writer *w, const struct json *kept);
/* The members of MCP's annotations that are no properties of a tool. */
void meta_put_hints(struct json_writer *w, const struct json *annotations);
/* All of it. */
void emission_put_meta(struct emission *e, const struct tool *tool, const char *provider);

#endif
