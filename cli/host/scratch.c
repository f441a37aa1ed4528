/* The folder that a sandboxed program may write: made for it, named to it as HOME and TMPDIR, and
 * removed when all that it started has ended. What it left there may be as deep as it likes and
 * closed to its owner; it is walked with one descriptor, down by name and up by "..", and no link
 * is followed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/host/walls.h"

bool scratch_make(char path[SCRATCH_ROOM]) {
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/') base = "/tmp";
    int len = snprintf(path, SCRATCH_ROOM, "%s/gramc-scratch-XXXXXX", base);
    return len > 0 && len < SCRATCH_ROOM && mkdtemp(path);
}

bool scratch_tell(const char *path) {
    return !setenv("HOME", path, 1) && !setenv("TMPDIR", path, 1);
}

/* ## Removing */

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_same(int a, const struct stat *b) {
    struct stat is;
    return fstat(a, &is) == 0 && is.st_dev == b->st_dev && is.st_ino == b->st_ino;
}

/* A folder inside that holds something, opened; -1: there is none, and all else is gone. */
static int clear_one(int folder) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), inner = -1;
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list) {
        if (copy >= 0) close(copy);
        return -1;
    }
    for (struct dirent *entry = readdir(list); entry && inner < 0; entry = readdir(list)) {
        if (is_dots(entry->d_name) || !unlinkat(folder, entry->d_name, 0) ||
            !unlinkat(folder, entry->d_name, AT_REMOVEDIR))
            continue;
        inner = openat(folder, entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    closedir(list);
    return inner;
}

/* One that its owner may not enter is opened first. */
static int enter(int place) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    (void)chmod(path, S_IRWXU);
    int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(place);
    return folder;
}

/* True: there is something left to look at. */
static bool step(int *folder, const struct stat *root) {
    int inner = clear_one(*folder), next;
    if (inner >= 0) next = enter(inner);
    else if (is_same(*folder, root)) return false;
    else next = openat(*folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(*folder);
    *folder = next;
    return next >= 0;
}

void scratch_remove(const char *path) {
    struct stat root;
    int place = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int folder = place < 0 ? -1 : enter(place);
    if (folder < 0) return;
    if (fstat(folder, &root) == 0)
        while (step(&folder, &root)) {
        }
    if (folder >= 0) close(folder);
    rmdir(path);
}
