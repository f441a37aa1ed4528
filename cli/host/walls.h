/* What a sandboxed program cannot get past: which files it touches, which system calls it makes,
 * and whether it has a network. Each file of this folder builds one wall, in the new process, for
 * itself and all that it starts. None of them can be taken down again. */
#ifndef CLI_HOST_WALLS_H
#define CLI_HOST_WALLS_H

#include <stdbool.h>

enum host_network {
    HOST_NETWORK_NONE,  /* no sockets but pairs of them */
    HOST_NETWORK_HOSTS, /* a network of its own, in which a proxy of gramc's listens, and nobody
                           else */
    HOST_NETWORK_OPEN   /* the user's */
};

/* `--read PATH` and `--write PATH`, with other options between them. */
struct host_places {
    char **words;
    int count;
};

struct host_walls {
    bool is_set;
    enum host_network network;
    struct host_places places;
    int landlock_abi; /* what the kernel has, or less: for tests */
};

/* All of them, in their order. False: the wall that cannot be built (runtime/process/report.h) is
 * in *wall, and errno says why. */
bool walls_build(const struct host_walls *walls, const char *scratch, int *wall);

/* ## Files (landlock.c) */
/* 0: this kernel has none. */
int landlock_abi(void);
/* What may be read: the places, the system, and the scratch folder, which may be written. */
bool landlock_enclose(const struct host_walls *walls, const char *scratch);

/* ## System calls (seccomp.c) */
bool seccomp_enclose(const struct host_walls *walls);

/* ## The network (network.c) */
/* Moves this process into a network of its own, and sends gramc the socket that listens there.
 * -1: errno; else the port. */
int network_enclose(int supervisor);
/* Tells the program where the proxy is. */
bool network_tell(int port);

/* ## The scratch folder (scratch.c) */
enum { SCRATCH_ROOM = 512 };
/* Makes one below TMPDIR, or /tmp. */
bool scratch_make(char path[SCRATCH_ROOM]);
/* Removes it with all that is in it; follows no links. Nobody else may be at work there. */
void scratch_remove(const char *path);
/* Has the program's HOME and TMPDIR lead there. */
bool scratch_tell(const char *path);

#endif
