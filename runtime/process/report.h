/* What gramc-host tells of the program that it supervises, once, through the socket that is its
 * descriptor 3. The end of that socket tells the host in turn to end the program and all that it
 * left. */
#ifndef RUNTIME_PROCESS_REPORT_H
#define RUNTIME_PROCESS_REPORT_H

#include <stdint.h>

enum { SUPERVISOR_SOCKET = 3 };

enum report_kind {
    REPORT_EXITED = 1, /* value: the status */
    REPORT_SIGNALED, /* value: the signal; SIGXCPU also where the hard limit of CPU time ended it */
    REPORT_NOT_STARTED, /* value: errno */
    REPORT_NOT_LIMITED  /* value: errno of the limit that cannot be set */
};

struct host_report {
    int32_t kind, value;
};

#endif
