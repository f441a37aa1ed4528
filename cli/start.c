/* What must hold before a command does anything: three standard descriptors, and a process that
 * tools of the same user cannot read. Knows no commands. */
#define _GNU_SOURCE
#include "cli/start.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sanitized.h"

bool start_with_descriptors(void) {
    /* Only what is missing is opened: a root that holds gramc alone has no /dev/null. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return false;
    return true;
}

void start_unreadable(void) {
#ifndef SANITIZED /* the search for leaks reads the process like a debugger */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
}

/* For as long as the process lives: getenv is asked at any time, by libraries too. */
static char *move_pair(char *pair) {
    size_t size = strlen(pair) + 1;
    char *moved = malloc(size);
    if (!moved) return NULL;
    memcpy(moved, pair, size);
    mem_wipe(pair, size);
    return moved;
}

bool start_with_own_environment(void) {
    for (char **pair = environ; pair && *pair; pair++) {
        char *moved = move_pair(*pair);
        if (!moved) return false;
        *pair = moved;
    }
    return true;
}

void start_without_size_signal(void) {
    signal(SIGXFSZ, SIG_IGN);
}
