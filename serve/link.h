/* libmicrohttpd, opened by name (link.c): the only place that includes it, besides who answers. */
#ifndef SERVE_LINK_H
#define SERVE_LINK_H

#include "base/mem.h"

#include <microhttpd.h>

/* FUNCTION(our name, its name behind MHD_, what it returns, what it takes) */
#define HTTPD_FUNCTIONS(FUNCTION)                                                                  \
    FUNCTION(start, start_daemon, struct MHD_Daemon *,                                             \
             (unsigned flags, uint16_t port, MHD_AcceptPolicyCallback, void *,                     \
              MHD_AccessHandlerCallback, void *, ...))                                             \
    FUNCTION(version, get_version, const char *, (void))                                           \
    FUNCTION(stop, stop_daemon, void, (struct MHD_Daemon *))                                       \
    FUNCTION(quiesce, quiesce_daemon, MHD_socket, (struct MHD_Daemon *))                           \
    FUNCTION(run, run, enum MHD_Result, (struct MHD_Daemon *))                                     \
    FUNCTION(timeout, get_timeout, enum MHD_Result,                                                \
             (struct MHD_Daemon *, MHD_UNSIGNED_LONG_LONG *))                                      \
    FUNCTION(daemon_info, get_daemon_info, const union MHD_DaemonInfo *,                           \
             (struct MHD_Daemon *, enum MHD_DaemonInfoType, ...))                                  \
    FUNCTION(info, get_connection_info, const union MHD_ConnectionInfo *,                          \
             (struct MHD_Connection *, enum MHD_ConnectionInfoType, ...))                          \
    FUNCTION(values, get_connection_values, int,                                                   \
             (struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator, void *))          \
    FUNCTION(suspend, suspend_connection, void, (struct MHD_Connection *))                         \
    FUNCTION(resume, resume_connection, void, (struct MHD_Connection *))                           \
    FUNCTION(from_buffer, create_response_from_buffer, struct MHD_Response *,                      \
             (size_t, void *, enum MHD_ResponseMemoryMode))                                        \
    FUNCTION(from_reader, create_response_from_callback, struct MHD_Response *,                    \
             (uint64_t, size_t, MHD_ContentReaderCallback, void *, MHD_ContentReaderFreeCallback)) \
    FUNCTION(header, add_response_header, enum MHD_Result,                                         \
             (struct MHD_Response *, const char *, const char *))                                  \
    FUNCTION(queue, queue_response, enum MHD_Result,                                               \
             (struct MHD_Connection *, unsigned, struct MHD_Response *))                           \
    FUNCTION(drop, destroy_response, void, (struct MHD_Response *))

struct microhttpd {
    void *module;
#define FUNCTION(ours, theirs, returns, takes) returns(*ours) takes;
    HTTPD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* GRAMC_FINDINGS: it is not installed. */
gramc_status microhttpd_open(struct microhttpd *out);
void microhttpd_close(struct microhttpd *library);

#endif
