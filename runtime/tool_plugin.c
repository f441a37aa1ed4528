/* Calls a function of a plugin (gramc/plugin.h). By default it runs in a gramc-host process of its
 * plugin's pool, which is killed at the deadline; where the library says `inProcess: true`, on one
 * of libuv's worker threads, which nobody can stop. Binding looks into the file for the symbol and
 * runs nothing of it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/loop.h"
#include "runtime/process/plugin.h"
#include "runtime/process/plugin_symbols.h"
#include "runtime/process/program.h"
#include "runtime/tool.h"
#include "runtime/process/worker.h"

enum { WHY_MAX = 512 };

static gramc_text symbol_of(const gramc_impl *impl) {
    return impl->symbol.len ? impl->symbol : impl->name;
}

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
    buf_putc(out, ' ');
    buf_text(out, symbol_of(impl));
}

/* ## Before the run */

/* False after a message. */
static bool check_finding(gramc_bound *bound, const gramc_impl *impl, enum plugin_finding finding,
                          const char *symbol) {
    static const char *const forms[] = {
        [PLUGIN_LACKS] = "the plugin `%.*s` does not export `%s`",
        [PLUGIN_UNREADABLE] = "the plugin `%.*s` cannot be read",
        [PLUGIN_NO_OBJECT] = "`%.*s` is no shared object that this machine can load",
    };
    char why[WHY_MAX];
    const char *form = finding <= PLUGIN_NO_OBJECT ? forms[finding] : NULL;
    if (!form) return true;
    if (finding == PLUGIN_LACKS) snprintf(why, sizeof(why), form, TEXT_ARGS(impl->target), symbol);
    else snprintf(why, sizeof(why), form, TEXT_ARGS(impl->target));
    bound_cannot_work(bound, impl, why);
    return false;
}

static void check_symbols(gramc_bound *bound, const gramc_impl *impl) {
    gramc_text path = impl_file(&bound->arena, impl);
    gramc_text symbol = arena_text(&bound->arena, symbol_of(impl));
    if (!path.ptr || !symbol.ptr) return;
    const char *const wanted[] = {"gramc_plugin_abi", symbol.ptr};
    for (size_t i = 0; i < 2; i++) {
        enum plugin_finding finding = plugin_exports(path.ptr, text_of(wanted[i]));
        if (!check_finding(bound, impl, finding, wanted[i])) return;
    }
}

/* ## In a host */

/* The host starts in the folder of the implementation, and what has no slash would be looked for
 * among the system's libraries. */
static gramc_text plugin_word(struct arena *arena, gramc_text target) {
    if (target.len && memchr(target.ptr, '/', target.len)) return target;
    char *word = arena_alloc(arena, target.len + 3);
    if (!word) return (gramc_text){NULL, 0};
    memcpy(word, "./", 2);
    memcpy(word + 2, target.ptr, target.len);
    word[target.len + 2] = '\0';
    return (gramc_text){word, target.len + 2};
}

static void call_hosted(struct tool_call *call) {
    gramc_impl impl;
    struct arena arena;
    if (!bound_started(call, &impl)) return;
    if (!call->loop->host) {
        tool_fail(call, "there is no gramc-host to run the plugin `%.*s` in",
                  TEXT_ARGS(impl.target));
        return;
    }
    arena_init(&arena, &call->loop->allocator);
    gramc_text file = plugin_word(&arena, impl.target);
    impl.argv = &file;
    impl.argc = 1;
    const struct worker_program program = {&impl, "the plugin", true, symbol_of(&impl)};
    if (file.ptr) worker_call(call, &program);
    else tool_settle(call, TOOL_NOMEM);
    arena_free(&arena);
}

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

/* ## The kind */

static const struct tool_kind in_process = {.name = "plugin",
                                            .describe = describe,
                                            .call = call_in_process,
                                            .cancel = tool_cancel_function,
                                            .close = tool_close_function};

static void bind_plugin(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    bind_environment(bound, choice);
    if (impl->in_process) choice->kind = &in_process;
    if (!impl->in_process || (!impl_has_limits(impl) && !impl->env_count))
        check_symbols(bound, impl);
    else
        bound_cannot_work(bound, impl,
                          "`inProcess` leaves no process that could have limits or an environment "
                          "of its own");
}

const struct tool_kind tool_plugin = {.name = "plugin",
                                      .describe = describe,
                                      .bind = bind_plugin,
                                      .sandbox = environment_sandbox,
                                      .call = call_hosted,
                                      .cancel = worker_cancel,
                                      .close = worker_close_call};
