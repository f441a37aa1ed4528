/* A plugin to begin with: copy it, rename `my_tool`, and fill it in. Build it with the Makefile
 * beside it (make template.so) and name it in a library:
 *
 *     [mine:ToolLibrary | [myTool:ToolImpl { plugin: "template.so", symbol: "my_tool" }]]
 */
#include <gramc/plugin.h>

GRAMC_PLUGIN

GRAMC_PLUGIN_TOOL(my_tool) {
    if (call->arguments_len == 0) return gramc_plugin_refuse(call, "there is nothing to work on");
    call->write(call->ctx, call->arguments, call->arguments_len);
    return 0;
}
