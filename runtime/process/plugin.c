/* Loads a plugin's shared object, checks that it was built for this ABI, and calls one function of
 * it. Shared by gramc-host and by the kind that loads plugins into the process; what becomes of a
 * plugin that crashes or never returns is the callers' matter. */
#include "runtime/process/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *last_error(void) {
    const char *why = dlerror();
    return why ? why : "unknown reason";
}

static bool check_abi(const struct plugin *plugin, const char *path, char why[PLUGIN_WHY_MAX]) {
    uint32_t (*abi)(void) = NULL;
    void *address = dlsym(plugin->handle, "gramc_plugin_abi");
    if (!address) {
        snprintf(why, PLUGIN_WHY_MAX,
                 "`%s` is no plugin: it does not export gramc_plugin_abi (GRAMC_PLUGIN defines it)",
                 path);
        return false;
    }
    memcpy(&abi, &address, sizeof(abi)); /* ISO C knows no cast from data to function */
    uint32_t number = abi();
    if (number == GRAMC_PLUGIN_ABI) return true;
    snprintf(why, PLUGIN_WHY_MAX, "`%s` was built for plugin ABI %lu, and this is %d", path,
             (unsigned long)number, GRAMC_PLUGIN_ABI);
    return false;
}

bool plugin_open(struct plugin *plugin, const char *path, char why[PLUGIN_WHY_MAX]) {
    plugin->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!plugin->handle) {
        snprintf(why, PLUGIN_WHY_MAX, "`%s` cannot be loaded: %s", path, last_error());
        return false;
    }
    if (check_abi(plugin, path, why)) return true;
    plugin_close(plugin);
    return false;
}

void plugin_close(struct plugin *plugin) {
    if (plugin->handle) dlclose(plugin->handle);
    plugin->handle = NULL;
}

gramc_plugin_function *plugin_find(const struct plugin *plugin, const char *symbol,
                                   char why[PLUGIN_WHY_MAX]) {
    gramc_plugin_function *function = NULL;
    void *address = dlsym(plugin->handle, symbol);
    if (address) memcpy(&function, &address, sizeof(function));
    else snprintf(why, PLUGIN_WHY_MAX, "the plugin does not export `%s`", symbol);
    return function;
}

/* What a call says, both ways. */
struct plugin_answer {
    struct buf *result;
    struct buf reason;
    bool failed;
};

static void on_write(void *ctx, const char *bytes, size_t len) {
    struct plugin_answer *said = ctx;
    buf_put(said->result, bytes, len);
}

static void on_fail(void *ctx, const char *bytes, size_t len) {
    struct plugin_answer *said = ctx;
    said->failed = true;
    buf_put(&said->reason, bytes, len);
}

int plugin_call(gramc_plugin_function *function, gramc_text arguments, struct buf *out) {
    struct plugin_answer said = {.result = out};
    buf_init(&said.reason, &out->allocator, PLUGIN_RESULT_MAX);
    gramc_plugin_call call = {sizeof(call), arguments.ptr, arguments.len, &said, on_write, on_fail};
    bool failed = function(&call) != 0 || said.failed;
    if (failed) {
        buf_reset(out);
        if (said.reason.len) buf_text(out, buf_view(&said.reason));
        else buf_puts(out, "the tool failed and said nothing about it");
        if (said.reason.state != BUF_FINE) out->state = said.reason.state;
    }
    buf_free(&said.reason);
    return failed;
}
