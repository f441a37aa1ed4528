/* The wall round the network, where a program may ask some hosts: a network namespace in which
 * there is nothing but a loopback device and one socket that listens. That socket goes to gramc,
 * which serves it as a proxy from outside; no packet has another way. An ordinary user needs a user
 * namespace for that, in which he stays who he is. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "cli/host/walls.h"
#include "runtime/process/report.h"

enum { WAITING = 64 };

/* ## The namespace */

static bool put(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    size_t len = strlen(text);
    bool good = file >= 0 && write(file, text, len) == (ssize_t)len;
    int why = errno;
    if (file >= 0) close(file);
    errno = why;
    return good;
}

/* /proc/self is closed to a process that cannot be read. */
static bool map_self(uid_t user, gid_t group) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", user, user);
    snprintf(groups, sizeof groups, "%u %u 1\n", group, group);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    bool good = put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", users) &&
                put("/proc/self/gid_map", groups);
#ifndef SANITIZED
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    return good;
}

static bool move_away(void) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWNET) == 0) return true;
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && map_self(user, group);
}

static bool raise_loopback(void) {
    struct ifreq device = {.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memcpy(device.ifr_name, "lo", 3);
    bool good = any >= 0 && ioctl(any, SIOCSIFFLAGS, &device) == 0;
    int why = errno;
    if (any >= 0) close(any);
    errno = why;
    return good;
}

/* ## The socket */

/* -1, or the port, with *out. */
static int listen_inside(int *out) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*out < 0 || bind(*out, (struct sockaddr *)&at, sizeof at) || listen(*out, WAITING) ||
        getsockname(*out, (struct sockaddr *)&at, &size))
        return -1;
    return ntohs(at.sin_port);
}

static bool hand_over(int supervisor, int listener, int port) {
    struct host_report report = {.kind = REPORT_LISTENS, .value = port};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec bytes = {&report, sizeof report};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof listener);
    memcpy(CMSG_DATA(head), &listener, sizeof listener);
    return sendmsg(supervisor, &message, MSG_NOSIGNAL) == (ssize_t)sizeof report;
}

int network_enclose(int supervisor) {
    int listener = -1;
    if (!move_away() || !raise_loopback()) return -1;
    int port = listen_inside(&listener);
    if (port >= 0 && !hand_over(supervisor, listener, port)) port = -1;
    int why = errno;
    if (listener >= 0) close(listener);
    errno = why;
    return port;
}

bool network_tell(int port) {
    static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy",
                                        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};
    char url[32];
    bool good = !setenv("NODE_USE_ENV_PROXY", "1", 1) && !setenv("no_proxy", "", 1) &&
                !setenv("NO_PROXY", "", 1);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    for (size_t i = 0; good && i < sizeof names / sizeof *names; i++)
        good = !setenv(names[i], url, 1);
    return good;
}
