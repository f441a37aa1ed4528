/* Takes resource limits and then becomes what they are for: the host of a plugin, or another
 * program. libgramcrun starts it; people do not. It links no more than base, so that it starts in
 * no time.
 *
 *   gramc-host [LIMIT...] plugin FILE
 *   gramc-host [LIMIT...] exec PROGRAM [ARGUMENT...]
 *
 * A limit is --memory BYTES of address space, --cpu SECONDS or --files COUNT, open at once. */
#define _XOPEN_SOURCE 700
#include "cli/host/host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_CANNOT_START = 127, EXIT_WRONG_USE = 2 };

static const struct {
    const char *option;
    int resource;
} limits[] = {{"--memory", RLIMIT_AS}, {"--cpu", RLIMIT_CPU}, {"--files", RLIMIT_NOFILE}};
enum { LIMITS = sizeof limits / sizeof *limits, CPU_LIMIT = 1 };

static bool read_number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *out = number;
    return errno == 0 && end != text && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

/* The index of the first word that is no option; -1: an option that is not known. */
static int read_limits(int argc, char **argv, uint64_t most[LIMITS]) {
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        size_t which = 0;
        while (which < LIMITS && strcmp(argv[i], limits[which].option) != 0) which++;
        if (which == LIMITS || !read_number(argv[i + 1], &most[which])) return -1;
    }
    return i;
}

/* Never raised above what this process was given. */
static bool set_limit(int resource, uint64_t most) {
    struct rlimit now;
    if (most == 0) return true;
    if (getrlimit(resource, &now)) return false;
    rlim_t wanted = (rlim_t)most;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted) wanted = now.rlim_max;
    now.rlim_cur = wanted;
    if (resource != RLIMIT_CPU) now.rlim_max = wanted; /* its hard limit kills without a name */
    return setrlimit(resource, &now) == 0;
}

static bool set_limits(const uint64_t most[LIMITS]) {
    for (size_t i = 0; i < LIMITS; i++) {
        if (set_limit(limits[i].resource, most[i])) continue;
        fprintf(stderr, "the limit %s cannot be set: %s\n", limits[i].option, strerror(errno));
        return false;
    }
    return true;
}

static int become(char **argv) {
    execvp(argv[0], argv);
    fprintf(stderr, "`%s` cannot be started: %s\n", argv[0], strerror(errno));
    return EXIT_CANNOT_START;
}

int main(int argc, char **argv) {
    uint64_t most[LIMITS] = {0};
    int i = read_limits(argc, argv, most);
    bool is_plugin = i > 0 && i + 2 == argc && strcmp(argv[i], "plugin") == 0;
    bool is_program = i > 0 && i + 2 <= argc && strcmp(argv[i], "exec") == 0;
    if (!is_plugin && !is_program) {
        fputs("gramc-host is started by gramc, which knows how\n", stderr);
        return EXIT_WRONG_USE;
    }
    if (!set_limits(most)) return EXIT_CANNOT_START;
    return is_plugin ? host_serve(argv[i + 1], most[CPU_LIMIT]) : become(argv + i + 1);
}
