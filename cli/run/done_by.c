/* The words of gramc_impl_print, kept in an arena for the rows of a table. */
#include "cli/run/done_by.h"

#include "base/buf.h"

enum { DONE_BY_MAX = 4096 };

static int append(void *ctx, const char *bytes, size_t len) {
    struct buf *buf = ctx;
    buf_put(buf, bytes, len);
    return buf->state == BUF_FINE ? 0 : 1;
}

gramc_text done_by(struct arena *arena, const gramc_impl *impl) {
    struct buf out;
    buf_init(&out, &arena->allocator, DONE_BY_MAX);
    gramc_status status = gramc_impl_print(impl, (gramc_writer){append, &out});
    if (status) status = buf_status(&out);
    if (status == GRAMC_NOMEM) arena->oom = true;
    gramc_text text = arena_text(arena, buf_view(&out));
    buf_free(&out);
    return text;
}
