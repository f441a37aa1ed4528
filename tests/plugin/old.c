/* A plugin of another age. */
#include <gramc/plugin.h>

uint32_t gramc_plugin_abi(void) {
    return 99;
}

GRAMC_PLUGIN_TOOL(echo) {
    return gramc_plugin_say(call, "must not be called");
}
