/* Reads the command line of gramc-host, which libgramcrun writes; people do not. What it starts is
 * supervise.c's, the calls of plugins are serve.c's. It links no more than base, so that it starts
 * in no time.
 *
 *   gramc-host [LIMIT...] plugin FILE
 *   gramc-host [LIMIT...] exec PROGRAM [ARGUMENT...]
 *
 * A limit is --memory BYTES of address space, --cpu SECONDS, --files COUNT (open at once),
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

/* The index of the first word that is no option; -1: an option that is not known. */
static int read_limits(int argc, char **argv, uint64_t most[HOST_LIMITS]) {
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        size_t which = 0;
        while (which < HOST_LIMITS && strcmp(argv[i], options[which]) != 0) which++;
        if (which == HOST_LIMITS || !read_number(argv[i + 1], &most[which])) return -1;
    }
    return i;
}

int main(int argc, char **argv) {
    struct host_work work = {.argv = NULL};
    int i = read_limits(argc, argv, work.most);
    bool is_program = i > 0 && i + 2 <= argc && strcmp(argv[i], "exec") == 0;
    work.is_plugin = i > 0 && i + 2 == argc && strcmp(argv[i], "plugin") == 0;
    if ((!work.is_plugin && !is_program) || !host_has_socket()) {
        fputs("gramc-host is started by gramc, which knows how\n", stderr);
        return EXIT_WRONG_USE;
    }
    work.argv = argv + i + 1;
    return host_supervise(&work);
}
