/* What gramc-host tells of the program that it supervises through the socket that is its descriptor
 * 3: where its proxy listens, if it has one, and its end. The end of that socket tells the host in
 * turn to end the program and all that it left. */
#ifndef RUNTIME_PROCESS_REPORT_H
#define RUNTIME_PROCESS_REPORT_H

#include <stdint.h>

enum { SUPERVISOR_SOCKET = 3 };

enum report_kind {
    REPORT_EXITED = 1, /* value: the status */
    REPORT_SIGNALED, /* value: the signal; SIGXCPU also where the hard limit of CPU time ended it */
    REPORT_NOT_STARTED,   /* value: errno */
    REPORT_NOT_LIMITED,   /* value: errno of the limit that cannot be set */
    REPORT_NOT_CONTAINED, /* value: errno; wall: which cannot be built */
    REPORT_LISTENS        /* value: a port in its own network; the socket comes with it */
};

/* What keeps a sandboxed program in. */
enum wall {
    WALL_SCRATCH, /* its folder */
    WALL_NETWORK, /* `network: hosts` */
    WALL_FILES,   /* `read`, `write` */
    WALL_CALLS    /* `network: none`, and what would pass the others by */
};

struct host_report {
    int32_t kind, value, wall;
};

#endif
