/* A plugin that counts its calls, as one does that keeps state, and says of which cell they are. */
#include <gramc/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

GRAMC_PLUGIN

GRAMC_PLUGIN_TOOL(look) {
    static int count;
    const char *cell = getenv("GRAMC_CELL_ID"), *scratch = getenv("GRAMC_SCRATCH");
    FILE *log = fopen("looked.log", "a");
    if (log) {
        fprintf(log, "%ld %d %s %s\n", (long)getpid(), ++count, cell ? cell : "none",
                scratch && access(scratch, W_OK) == 0 ? "scratch" : "none");
        fclose(log);
    }
    return gramc_plugin_say(call, "seen");
}
