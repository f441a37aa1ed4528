/* Keeps descriptors from programs that are started: libraries open some without saying that these
 * end with an exec. Which are open, /proc knows; where there is none, this does nothing. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/process/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls `take` with each that is open, but the standard three. */
static void each_open(void (*take)(void *ctx, int descriptor), void *ctx) {
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        long descriptor = strtol(entry->d_name, NULL, 10);
        if (descriptor > STDERR_FILENO && descriptor != dirfd(dir)) take(ctx, (int)descriptor);
    }
    if (dir) closedir(dir);
}

static void note(void *ctx, int descriptor) {
    struct descriptors *out = ctx;
    if (descriptor < DESCRIPTORS_NOTED) out->is_open[descriptor] = true;
}

/* NULL: all are new. */
static void close_on_exec(void *ctx, int descriptor) {
    const struct descriptors *before = ctx;
    bool is_new = !before || (descriptor < DESCRIPTORS_NOTED && !before->is_open[descriptor]);
    if (is_new) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void descriptors_note(struct descriptors *out) {
    memset(out, 0, sizeof(*out));
    each_open(note, out);
}

static void count(void *ctx, int descriptor) {
    size_t *seen = ctx;
    (void)descriptor;
    ++*seen;
}

size_t descriptors_count(void) {
    size_t seen = STDERR_FILENO + 1;
    each_open(count, &seen);
    return seen;
}

void descriptors_close_new_on_exec(const struct descriptors *before) {
    struct descriptors noted = *before;
    each_open(close_on_exec, &noted);
}

void descriptors_close_all_on_exec(void) {
    each_open(close_on_exec, NULL);
}
