/* Sets the limits that a program may not pass. They hold for each process that it starts; only that
 * of processes counts all of the user's, and holds nobody who is root. */
#define _DEFAULT_SOURCE /* RLIMIT_NPROC */
#include "cli/host/host.h"

#include <sys/resource.h>

static const int resources[HOST_LIMITS] = {[HOST_LIMIT_MEMORY] = RLIMIT_AS,
                                           [HOST_LIMIT_CPU] = RLIMIT_CPU,
                                           [HOST_LIMIT_FILES] = RLIMIT_NOFILE,
                                           [HOST_LIMIT_PROCESSES] = RLIMIT_NPROC,
                                           [HOST_LIMIT_FILE_SIZE] = RLIMIT_FSIZE};

static rlim_t lesser(rlim_t a, rlim_t b) {
    return a < b ? a : b; /* RLIM_INFINITY is the greatest */
}

/* Never above what this process was given. A program gets a second of CPU time to obey SIGXCPU and
 * is then killed; a plugin's host raises the soft limit with each call. */
static bool set_limit(const struct host_work *work, enum host_limit which) {
    struct rlimit limit;
    if (getrlimit(resources[which], &limit)) return false;
    rlim_t most = (rlim_t)work->most[which];
    bool is_cpu = which == HOST_LIMIT_CPU;
    rlim_t hard = lesser(limit.rlim_max, is_cpu ? most + 1 : most);
    limit.rlim_cur = lesser(limit.rlim_max, most);
    if (!is_cpu || !work->is_plugin) limit.rlim_max = hard;
    return setrlimit(resources[which], &limit) == 0;
}

bool host_set_limits(const struct host_work *work) {
    for (int i = 0; i < HOST_LIMITS; i++)
        if (work->most[i] && !set_limit(work, (enum host_limit)i)) return false;
    return true;
}
