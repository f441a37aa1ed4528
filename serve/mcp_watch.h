/* The files that a shelf of tools was made of (mcp_watch.c). */
#ifndef SERVE_MCP_WATCH_H
#define SERVE_MCP_WATCH_H

#include "runtime/loop.h"
#include "serve/mcp.h"

enum { SHELF_TICK_MS = 250 }; /* how often its files are to be looked at */

struct watched_file;

struct shelf_watch {
    gramc_allocator allocator;
    gramc_loop *loop;
    const struct shelf_source *source; /* NULL: nothing is watched */
    struct watched_file *files;
    size_t count;
    bool has_changes; /* in files that may still be written to */
};

/* False without memory. */
bool shelf_watch_open(struct shelf_watch *watch, const gramc_allocator *allocator, gramc_loop *loop,
                      const struct shelf_source *source);
void shelf_watch_close(struct shelf_watch *watch);
/* Another shelf, which the caller lets go, if the files have changed and are good; else NULL. */
struct tool_shelf *shelf_watch_look(struct shelf_watch *watch);

#endif
