/* The calculator's tools in C: reads the arguments with a few lines of its own, where a real plugin
 * would use the JSON library that it has anyway. See docs/plugins.md. */
#include <gramc/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GRAMC_PLUGIN

/* The value of a member that is a number. The host has checked the arguments against the tool's
 * signature, so it is there, and no other member holds text that looks like it. */
static double number(const gramc_plugin_call *call, const char *member) {
    const char *found = strstr(call->arguments, member);
    return found ? strtod(found + strlen(member), NULL) : 0;
}

static int say_number(const gramc_plugin_call *call, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return gramc_plugin_say(call, text);
}

GRAMC_PLUGIN_TOOL(calc_add) {
    return say_number(call, number(call, "\"a\":") + number(call, "\"b\":"));
}

GRAMC_PLUGIN_TOOL(calc_sqrt) {
    double x = number(call, "\"x\":");
    if (x < 0) return gramc_plugin_refuse(call, "x is negative, and has no real square root");
    return say_number(call, sqrt(x));
}
