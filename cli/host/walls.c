/* Builds the walls round a program that is about to start, each by its own file, in the order in
 * which they do not stand in each other's way: the network while /proc can still be written, system
 * calls last. Which wall it was that could not be built is told, and nothing starts then. */
#include "cli/host/walls.h"

#include <errno.h>

#include "runtime/process/report.h"

bool walls_build(const struct host_walls *walls, const char *scratch, int *wall) {
    *wall = WALL_SCRATCH;
    if (!scratch_tell(scratch)) return false;
    *wall = WALL_NETWORK;
    if (walls->network == HOST_NETWORK_HOSTS) {
        int port = network_enclose(SUPERVISOR_SOCKET);
        if (port < 0 || !network_tell(port)) return false;
    }
    *wall = WALL_FILES;
    if (!landlock_enclose(walls, scratch)) return false;
    *wall = WALL_CALLS;
    return seccomp_enclose(walls);
}
