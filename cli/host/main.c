/* Reads the command line of gramc-host, which libgramcrun writes; people do not. What it starts is
 * supervise.c's, the calls of plugins are serve.c's. It links no more than base, so that it starts
 * in no time.
 *
 *   gramc-host [LIMIT...] [--sandbox [WALL...]] plugin FILE
 *   gramc-host [LIMIT...] [--sandbox [WALL...]] exec PROGRAM [ARGUMENT...]
 *   gramc-host probe
 *
 * A wall is --read PATH, --write PATH or --network none|hosts|open (none). `probe` says what can be
 * built here. A limit is --memory BYTES of address space, --cpu SECONDS, --files COUNT (open at
 * once),
 * --processes COUNT (of the user) or --file-size BYTES. Descriptor 3 is the supervisor's socket. */
#define _XOPEN_SOURCE 700
#include "cli/host/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WRONG_USE = 2 };

static const char *const options[HOST_LIMITS] = {[HOST_LIMIT_MEMORY] = "--memory",
                                                 [HOST_LIMIT_CPU] = "--cpu",
                                                 [HOST_LIMIT_FILES] = "--files",
                                                 [HOST_LIMIT_PROCESSES] = "--processes",
                                                 [HOST_LIMIT_FILE_SIZE] = "--file-size"};

static bool read_number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *out = number;
    return errno == 0 && end != text && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

static bool read_limit(const char *option, const char *value, uint64_t most[HOST_LIMITS]) {
    size_t which = 0;
    while (which < HOST_LIMITS && strcmp(option, options[which]) != 0) which++;
    return which < HOST_LIMITS && read_number(value, &most[which]);
}

static bool read_network(const char *word, enum host_network *out) {
    static const char *const words[] = {
        [HOST_NETWORK_NONE] = "none", [HOST_NETWORK_HOSTS] = "hosts", [HOST_NETWORK_OPEN] = "open"};
    for (int i = HOST_NETWORK_NONE; i <= HOST_NETWORK_OPEN; i++) {
        *out = (enum host_network)i;
        if (strcmp(word, words[i]) == 0) return true;
    }
    return false;
}

/* Less than the kernel has, never more. */
static bool read_abi(const char *word, int *abi) {
    uint64_t number;
    if (!read_number(word, &number)) return false;
    if (number < (uint64_t)*abi) *abi = (int)number;
    return true;
}

static bool read_wall(const char *option, const char *value, struct host_walls *walls) {
    if (!walls->is_set) return false;
    if (strcmp(option, "--network") == 0) return read_network(value, &walls->network);
    if (strcmp(option, "--landlock") == 0) return read_abi(value, &walls->landlock_abi);
    return (strcmp(option, "--read") == 0 || strcmp(option, "--write") == 0) && value[0] == '/';
}

/* The index of the first word that is no option; -1: an option that is not known. */
static int read_options(int argc, char **argv, struct host_work *work) {
    int i = 1;
    while (i + 1 < argc && argv[i][0] == '-') {
        if (strcmp(argv[i], "--sandbox") == 0) {
            work->walls = (struct host_walls){.is_set = true, .landlock_abi = landlock_abi()};
            work->walls.places.words = argv + ++i;
            continue;
        }
        if (!read_limit(argv[i], argv[i + 1], work->most) &&
            !read_wall(argv[i], argv[i + 1], &work->walls))
            return -1;
        i += 2;
    }
    if (work->walls.is_set) work->walls.places.count = (int)(argv + i - work->walls.places.words);
    return i;
}

int main(int argc, char **argv) {
    struct host_work work = {.argv = NULL};
    if (argc == 2 && strcmp(argv[1], "probe") == 0) return host_probe();
    int i = read_options(argc, argv, &work);
    bool is_program = i > 0 && i + 2 <= argc && strcmp(argv[i], "exec") == 0;
    work.is_plugin = i > 0 && i + 2 == argc && strcmp(argv[i], "plugin") == 0;
    if ((!work.is_plugin && !is_program) || !host_has_socket()) {
        fputs("gramc-host is started by gramc, which knows how\n", stderr);
        return EXIT_WRONG_USE;
    }
    work.argv = argv + i + 1;
    return host_supervise(&work);
}
