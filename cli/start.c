/* What must hold before a command does anything: three standard descriptors, and a process that
 * tools of the same user cannot read. Knows no commands. */
#define _GNU_SOURCE
#include "cli/start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/sanitized.h"

bool start_with_descriptors(void) {
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) close(fd);
    return fd >= 0;
}

void start_unreadable(void) {
#ifndef SANITIZED /* the search for leaks reads the process like a debugger */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void start_without_size_signal(void) {
    signal(SIGXFSZ, SIG_IGN);
}
