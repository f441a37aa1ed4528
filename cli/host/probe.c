/* Says which walls can be built here, a line each, by building them in processes that then end.
 * What that means for a library is its binding's to say. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/host/host.h"

enum { BUILT = 0, NOT_BUILT = 1 };

static bool build_network(const struct host_walls *walls) {
    int ends[2];
    (void)walls;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && network_enclose(ends[0]) >= 0;
}

static bool can_build(bool (*build)(const struct host_walls *walls),
                      const struct host_walls *walls) {
    int status;
    pid_t pid = fork();
    if (pid == 0) _exit(build(walls) ? BUILT : NOT_BUILT);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == BUILT;
}

static bool build_files(const struct host_walls *walls) {
    return host_renounce() && landlock_enclose(walls, "/");
}

static bool build_calls(const struct host_walls *walls) {
    return host_renounce() && seccomp_enclose(walls);
}

int host_probe(void) {
    const struct host_walls walls = {.is_set = true, .landlock_abi = landlock_abi()};
    static const char *const words[] = {"no", "yes"};
    printf("landlock %d\n", can_build(build_files, &walls) ? walls.landlock_abi : 0);
    printf("seccomp %s\n", words[can_build(build_calls, &walls)]);
    printf("namespaces %s\n", words[can_build(build_network, &walls)]);
    return 0;
}
