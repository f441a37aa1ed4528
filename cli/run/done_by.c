/* Says in a few words how an implementation does its tool: "exec sh search.sh", "mcp files.read".
 */
#include "cli/run/done_by.h"

#include "base/buf.h"
#include "base/text.h"

enum { DONE_BY_MAX = 4096 };

static void put_program(struct buf *out, const gramc_impl *impl) {
    for (size_t i = 0; i < impl->argc; i++) {
        buf_putc(out, ' ');
        buf_text(out, impl->argv[i]);
    }
}

static void put_target(struct buf *out, const gramc_impl *impl) {
    buf_putc(out, ' ');
    if (impl->kind == GRAMC_IMPL_MCP) {
        buf_text(out, impl->server);
        buf_putc(out, '.');
    }
    if (impl->method.len) {
        buf_text(out, impl->method);
        buf_putc(out, ' ');
    }
    buf_text(out, impl->target);
}

gramc_text done_by(struct arena *arena, const gramc_impl *impl) {
    static const char *const names[] = {
        [GRAMC_IMPL_BUILTIN] = "builtin", [GRAMC_IMPL_EXEC] = "exec",
        [GRAMC_IMPL_RETURNS] = "returns", [GRAMC_IMPL_HTTP] = "http",
        [GRAMC_IMPL_MCP] = "mcp",         [GRAMC_IMPL_PLUGIN] = "plugin",
        [GRAMC_IMPL_REPLAY] = "replay"};
    struct buf out;
    buf_init(&out, &arena->allocator, DONE_BY_MAX);
    buf_puts(&out, names[impl->kind]);
    if (impl->kind == GRAMC_IMPL_EXEC) put_program(&out, impl);
    else if (impl->kind != GRAMC_IMPL_RETURNS) put_target(&out, impl);
    return buf_to_arena_cut(&out, arena);
}
