/* process/plugin.h: tools written in C, as a shared object that gramc loads.
 *
 *     #include <gramc/plugin.h>
 *
 *     GRAMC_PLUGIN
 *
 *     GRAMC_PLUGIN_TOOL(greet) {
 *         return gramc_plugin_say(call, "Hello!");
 *     }
 *
 *     cc -shared -fPIC -o libgreet.so greet.c
 *
 *     [polite:ToolLibrary | [sayHello:ToolImpl { plugin: "libgreet.so", symbol: "greet" }]]
 *
 * This header needs no library of gramc's, and C99 or C++11. docs/plugins.md says how plugins are
 * run.
 *
 * Memory: no side ever frees what the other one allocated. What the call points to is valid until
 * the function returns; what is handed to write and fail is copied before they return.
 *
 * Threads: a host process calls one function at a time, always on its only thread. A plugin that a
 * library loads with `inProcess: true` is called on several threads at once, and its functions must
 * bear that.
 *
 * A function may keep what it likes in static variables: a host serves many calls. It may also be
 * killed at any time, which is what happens at the deadline. */
#ifndef GRAMC_PLUGIN_H
#define GRAMC_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when a plugin built before would no longer be understood. Members that are added to
 * gramc_plugin_call come last and do not count. */
#define GRAMC_PLUGIN_ABI 1

/* One call of a tool. */
typedef struct gramc_plugin_call {
    size_t struct_size;    /* of this struct as the host knows it */
    const char *arguments; /* a JSON object in UTF-8 that fits the tool's signature, defaults filled
                              in; a NUL stands behind its last byte */
    size_t arguments_len;
    void *ctx; /* for write and fail */
    /* Appends to the result: text, or JSON where the signature promises more than a Text. At most
     * 1 MiB in all, UTF-8. */
    void (*write)(void *ctx, const char *bytes, size_t len);
    /* Appends to the reason why it did not work, which the model is told; what was written to the
     * result is then dropped. */
    void (*fail)(void *ctx, const char *bytes, size_t len);
} gramc_plugin_call;

/* 0: the result is what was written. Anything else, or a call of fail: the tool failed. */
typedef int gramc_plugin_function(const gramc_plugin_call *call);

#if defined(_WIN32)
#define GRAMC_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define GRAMC_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define GRAMC_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
#define GRAMC_PLUGIN_LINKAGE extern "C"
#else
#define GRAMC_PLUGIN_LINKAGE
#endif

/* The entry point, once in each plugin: says what it was built for. A host asks it before anything
 * else and calls no tool of a plugin that names another number than its own. */
GRAMC_PLUGIN_LINKAGE GRAMC_PLUGIN_EXPORT uint32_t gramc_plugin_abi(void);
#define GRAMC_PLUGIN                                                                               \
    GRAMC_PLUGIN_LINKAGE GRAMC_PLUGIN_EXPORT uint32_t gramc_plugin_abi(void) {                     \
        return GRAMC_PLUGIN_ABI;                                                                   \
    }

/* Declares and begins a tool's function; its argument is named `call`. */
#define GRAMC_PLUGIN_TOOL(symbol)                                                                  \
    GRAMC_PLUGIN_LINKAGE GRAMC_PLUGIN_EXPORT int symbol(const gramc_plugin_call *call);            \
    GRAMC_PLUGIN_LINKAGE GRAMC_PLUGIN_EXPORT int symbol(const gramc_plugin_call *call)

/* Write or fail with a C string; what they return is what the function returns. */
static inline int gramc_plugin_say(const gramc_plugin_call *call, const char *text) {
    call->write(call->ctx, text, strlen(text));
    return 0;
}

static inline int gramc_plugin_refuse(const gramc_plugin_call *call, const char *why) {
    call->fail(call->ctx, why, strlen(why));
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif
