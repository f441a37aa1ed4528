/* A plugin (gramc/plugin.h) loaded into this process: gramc-host's, or that of an embedding program
 * where a library says `inProcess: true`. */
#ifndef RUNTIME_PROCESS_PLUGIN_H
#define RUNTIME_PROCESS_PLUGIN_H

#include "base/buf.h"
#include "gramc/plugin.h"

enum { PLUGIN_RESULT_MAX = 1 << 20, PLUGIN_WHY_MAX = 512 };

struct plugin {
    void *handle;
};

/* Loads the file (a path with a slash) and asks for its ABI. False: `why` says why not. Code of a
 * plugin stays mapped for good, since a call that was given up may still run in it. Any thread. */
bool plugin_open(struct plugin *plugin, const char *path, char why[PLUGIN_WHY_MAX]);
void plugin_close(struct plugin *plugin);
/* NULL: there is none, as `why` says. */
gramc_plugin_function *plugin_find(const struct plugin *plugin, const char *symbol,
                                   char why[PLUGIN_WHY_MAX]);
/* Calls; what the tool says, or why it failed, is appended to `out`. 0: it went well. A NUL must
 * stand behind the arguments. */
int plugin_call(gramc_plugin_function *function, gramc_text arguments, struct buf *out);

#endif
