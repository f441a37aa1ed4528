/* gramc-host: the process in which plugins run, and the launcher that limits what programs may
 * take. */
#ifndef CLI_HOST_HOST_H
#define CLI_HOST_HOST_H

#include <stdint.h>

/* Serves calls of the plugin until its input ends. The exit code. */
int host_serve(const char *path, uint64_t cpu_seconds);

#endif
