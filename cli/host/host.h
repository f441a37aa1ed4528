/* gramc-host: the process that starts what tools need, limits it, and leaves nothing of it behind;
 * and in which plugins run. */
#ifndef CLI_HOST_HOST_H
#define CLI_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/host/walls.h"

enum host_limit {
    HOST_LIMIT_MEMORY,
    HOST_LIMIT_CPU,
    HOST_LIMIT_FILES,
    HOST_LIMIT_PROCESSES,
    HOST_LIMIT_FILE_SIZE
};
enum { HOST_LIMITS = HOST_LIMIT_FILE_SIZE + 1 };

struct host_work {
    uint64_t most[HOST_LIMITS]; /* 0: no limit */
    char **argv;                /* of the program; of a plugin, its file */
    bool is_plugin;
    struct host_walls walls;
};

/* Starts the work in a process of its own, tells its end (runtime/process/report.h), and ends all
 * that it left when the one who asked for it says so or is gone. The exit code. */
int host_supervise(const struct host_work *work);
/* Gives up the rights that a new program could have more of. False: errno says why. */
bool host_renounce(void);
/* Prints what can be built round a program here (probe.c). The exit code. */
int host_probe(void);
/* Whether there is somebody who would be told. */
bool host_has_socket(void);
/* For the process that does the work. False: errno says why. */
bool host_set_limits(const struct host_work *work);
/* Serves calls of the plugin until its input ends. The exit code. */
int host_serve(const char *path, uint64_t cpu_seconds);

#endif
