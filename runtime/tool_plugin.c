/* Calls a function of a plugin (gramc/plugin.h). By default it runs in a gramc-host process of its
 * plugin's pool, which is killed at the deadline; where the library says `inProcess: true`, on one
 * of libuv's worker threads, which nobody can stop. Binding looks into the file for the symbol and
 * runs nothing of it. */
#include <stdio.h>

#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/loop.h"
#include "runtime/process/plugin.h"
#include "runtime/process/plugin_symbols.h"
#include "runtime/process/program.h"
#include "runtime/tool.h"
#include "runtime/process/worker.h"

static gramc_text symbol_of(const gramc_impl *impl) {
    return impl->symbol.len ? impl->symbol : impl->name;
}

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
    buf_putc(out, ' ');
    buf_text(out, symbol_of(impl));
}

/* ## Before the run */

static bool explain(enum plugin_finding finding, gramc_text file, const char *symbol,
                    char why[TOOL_WHY_MAX]) {
    static const char *const forms[] = {
        [PLUGIN_LACKS] = "the plugin `%.*s` does not export `%s`",
        [PLUGIN_UNREADABLE] = "the plugin `%.*s` cannot be read",
        [PLUGIN_NO_OBJECT] = "`%.*s` is no shared object that this machine can load",
    };
    const char *form = finding <= PLUGIN_NO_OBJECT ? forms[finding] : NULL;
    if (!form) return true;
    if (finding == PLUGIN_LACKS) snprintf(why, TOOL_WHY_MAX, form, TEXT_ARGS(file), symbol);
    else snprintf(why, TOOL_WHY_MAX, form, TEXT_ARGS(file));
    return false;
}

static bool prepare(struct arena *arena, struct bound_tool *choice, char why[TOOL_WHY_MAX]) {
    gramc_text path = impl_file(arena, choice->impl);
    gramc_text symbol = arena_text(arena, symbol_of(choice->impl));
    if (!path.ptr || !symbol.ptr) return true;
    const char *const wanted[] = {"gramc_plugin_abi", symbol.ptr};
    for (size_t i = 0; i < 2; i++) {
        enum plugin_finding finding = plugin_exports(path.ptr, text_of(wanted[i]));
        if (!explain(finding, choice->impl->target, wanted[i], why)) return false;
    }
    return true;
}

/* ## In a host */

static void call_hosted(struct tool_call *call) {
    const gramc_impl started = bound_started(call->bound), *impl = &started;
    struct arena arena;
    if (call->bound->env_problem) {
        tool_fail(call, "%s", call->bound->env_problem);
        return;
    }
    if (!call->loop->host) {
        tool_fail(call, "there is no gramc-host to run the plugin `%.*s` in",
                  TEXT_ARGS(impl->target));
        return;
    }
    arena_init(&arena, &call->loop->allocator);
    struct worker_program program = {impl_hosted(&arena, impl, call->loop->host), "the plugin",
                                     true, symbol_of(impl)};
    if (program.impl) worker_call(call, &program);
    else tool_settle(call, TOOL_NOMEM);
    arena_free(&arena);
}

const struct tool_kind tool_plugin = {"plugin",      describe,          call_hosted,
                                      worker_cancel, worker_close_call, prepare};

/* ## In this process */

/* What a worker thread needs to know. Lives as long as the loop, since a call may go on when its
 * run and what was bound are gone. */
struct loaded_plugin {
    gramc_text path, symbol; /* with a NUL behind */
    struct loaded_plugin *next;
};

/* Loading what is loaded costs next to nothing, and so the first call is like any other. */
static int run(const struct tool_function *self, gramc_text arguments, struct buf *result) {
    const struct loaded_plugin *loaded = self->ctx;
    char why[PLUGIN_WHY_MAX];
    struct plugin plugin;
    gramc_plugin_function *function = NULL;
    if (plugin_open(&plugin, loaded->path.ptr, why))
        function = plugin_find(&plugin, loaded->symbol.ptr, why);
    int failed = function ? plugin_call(function, arguments, result) : 1;
    if (!function) buf_puts(result, why);
    plugin_close(&plugin);
    return failed;
}

static struct loaded_plugin *find_loaded(const gramc_loop *loop, gramc_text path,
                                         gramc_text symbol) {
    struct loaded_plugin *loaded = loop->plugins;
    while (loaded && (!text_eq(loaded->path, path) || !text_eq(loaded->symbol, symbol)))
        loaded = loaded->next;
    return loaded;
}

static struct loaded_plugin *load(gramc_loop *loop, const gramc_impl *impl) {
    struct arena scratch;
    arena_init(&scratch, &loop->allocator);
    gramc_text path = impl_file(&scratch, impl);
    struct loaded_plugin *loaded = path.ptr ? find_loaded(loop, path, symbol_of(impl)) : NULL;
    if (path.ptr && !loaded) {
        loaded = ARENA_NEW(&loop->arena, struct loaded_plugin);
        gramc_text kept = arena_text(&loop->arena, path);
        gramc_text symbol = arena_text(&loop->arena, symbol_of(impl));
        if (loaded && kept.ptr && symbol.ptr) {
            *loaded = (struct loaded_plugin){kept, symbol, loop->plugins};
            loop->plugins = loaded;
        } else {
            loaded = NULL;
        }
    }
    arena_free(&scratch);
    return loaded;
}

static void call_in_process(struct tool_call *call) {
    struct loaded_plugin *loaded = load(call->loop, call->bound->impl);
    if (!loaded) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    const struct tool_function function = {.run = run, .ctx = loaded, .blocking = true};
    tool_call_function(call, &function);
}

static bool prepare_in_process(struct arena *arena, struct bound_tool *choice,
                               char why[TOOL_WHY_MAX]) {
    const gramc_impl *impl = choice->impl;
    if (!impl_has_limits(impl) && !impl->env_count) return prepare(arena, choice, why);
    snprintf(why, TOOL_WHY_MAX,
             "`inProcess` leaves no process that could have limits or an "
             "environment of its own");
    return false;
}

const struct tool_kind tool_plugin_in_process = {
    "plugin",          describe, call_in_process, tool_cancel_function, tool_close_function,
    prepare_in_process};
