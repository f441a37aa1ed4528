/* Asks a program where a box of tools is: `urlFrom: ["sh", "where.sh"]`. It is started as a tool
 * done by exec is, with the same environment and limits; what it writes is the address. */
#include "runtime/discover.h"

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/loop.h"

struct discovery {
    struct arena *arena;
    struct offered_box *out;
    bool is_over;
};

static void fail(struct discovery *discovery, const char *before, gramc_text why) {
    struct buf line;
    buf_init(&line, &discovery->arena->allocator, 4096);
    buf_puts(&line, before);
    buf_text(&line, why);
    discovery->out->failure = buf_to_arena_cut(&line, discovery->arena);
}

static void on_done(void *ctx, struct tool_call *call) {
    struct discovery *discovery = ctx;
    gramc_text said = text_trim(buf_view(&call->result));
    discovery->is_over = true;
    switch (call->outcome) {
    case TOOL_FINE:
        discovery->out->url = arena_text(discovery->arena, said);
        if (!said.len) fail(discovery, "the program that is asked for its url says nothing", said);
        break;
    case TOOL_FAILED:
        fail(discovery, "the program that is asked for its url failed: ", said);
        break;
    case TOOL_TIMED_OUT:
        fail(discovery, "the program that is asked for its url did not answer in time", TEXT(""));
        break;
    case TOOL_NOMEM: discovery->arena->oom = true; break;
    }
    tool_release(call);
}

static bool is_over(void *ctx) {
    return ((const struct discovery *)ctx)->is_over;
}

/* What an exec tool without parameters and with a text as its result is. */
static struct bound_tool *make_program(gramc_bound *scratch, const gramc_box *box) {
    struct arena *arena = &scratch->arena;
    gramc_impl *impl = ARENA_NEW(arena, gramc_impl);
    struct bound_tool *program = impl ? ARENA_NEW(arena, struct bound_tool) : NULL;
    if (!program) return NULL;
    *impl = (gramc_impl){.name = box->name,
                         .kind = GRAMC_IMPL_EXEC,
                         .target = box->url_argv[0],
                         .argv = box->url_argv,
                         .argc = box->url_argc,
                         .folder = box->folder,
                         .file = box->file};
    *program = (struct bound_tool){.impl = impl,
                                   .kind = &tool_exec,
                                   .data = environment_make(scratch, impl, TEXT("its program")),
                                   .timeout_ms =
                                       box->timeout_ms ? box->timeout_ms : DEFAULT_TOOL_TIMEOUT_MS};
    return program->data ? program : NULL;
}

/* Its sandbox cannot be had: nothing is started. */
static bool is_refused(struct discovery *discovery, gramc_bound *scratch) {
    if (!scratch->failed || !scratch->last) return false;
    fail(discovery,
         "the program that is asked for its url is refused: ", scratch->last->message.message);
    scratch->failed = false;
    return true;
}

void discover_url(struct offered_box *out, struct arena *arena, const gramc_box *box,
                  gramc_loop *loop, gramc_bound *scratch, const gramc_library *library) {
    struct discovery discovery = {arena, out, false};
    const gramc_library *outer = scratch->library;
    sigset_t before;
    scratch->library = library; /* whose sandbox holds */
    const struct bound_tool *program = make_program(scratch, box);
    scratch->library = outer;
    if (is_refused(&discovery, scratch)) return;
    loop_set_signals(&before);
    struct tool_call *call =
        program ? tool_start(loop, program, TEXT("{}"), on_done, &discovery) : NULL;
    if (!call && !discovery.is_over) {
        arena->oom = scratch->arena.oom = true;
    } else {
        loop_turn_until(loop, is_over, &discovery);
        if (!discovery.is_over) tool_release(call);
        if (!discovery.is_over) fail(&discovery, "it was interrupted", TEXT(""));
    }
    loop_restore_signals(&before);
}
