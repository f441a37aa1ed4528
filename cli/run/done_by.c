/* The words of gramc_impl_print, kept in an arena for the rows of a table. */
#include "cli/run/done_by.h"

#include "base/buf.h"

enum { DONE_BY_MAX = 4096 };

gramc_text done_by(struct arena *arena, const gramc_impl *impl) {
    struct buf out;
    buf_init(&out, &arena->allocator, DONE_BY_MAX);
    gramc_status status = gramc_impl_print(impl, buf_writer(&out));
    if (status == GRAMC_NOMEM) arena->oom = true;
    return buf_to_arena_cut(&out, arena);
}
