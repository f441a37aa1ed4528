/* Makes a folder that says by a lock whether its owner still lives: locks end with their process,
 * however that ends. Whoever makes one looks beside it for those of dead owners first. The folder
 * above may be everybody's, so nothing in it is trusted: only folders of this user are looked into,
 * links are not followed. */
#define _GNU_SOURCE
#include "experiment/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "experiment/folder.h"

#define PREFIX "gramc-run-"
#define OWNER "owner"
enum { OWNERLESS_S = 3600 };

/* ## Those of the dead */

/* Where nobody has come so far as to lock it, it is young, or has been left alone for an hour. */
static bool is_ownerless(const struct stat *about) {
    return time(NULL) - about->st_mtime > OWNERLESS_S;
}

static bool has_dead_owner(int folder, const struct stat *about) {
    int owner = openat(folder, OWNER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (owner < 0) return is_ownerless(about);
    bool dead = flock(owner, LOCK_EX | LOCK_NB) == 0;
    close(owner);
    return dead;
}

static bool is_left_behind(int root, const char *name) {
    struct stat about;
    int folder = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return false;
    bool left =
        fstat(folder, &about) == 0 && about.st_uid == geteuid() && has_dead_owner(folder, &about);
    close(folder);
    return left;
}

static void remove_left_behind(const char *root) {
    char path[SCRATCH_PATH];
    struct dirent *entry;
    DIR *listing = opendir(root);
    if (!listing) return;
    while ((entry = readdir(listing))) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
        if (!is_left_behind(dirfd(listing), entry->d_name)) continue;
        int len = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (len > 0 && (size_t)len < sizeof path) folder_remove(path);
    }
    closedir(listing);
}

/* ## Ours */

/* It gets its name when it is locked, so that nobody takes its owner for dead before. */
static int lock_owner(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    int owner = openat(folder, OWNER "-new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (owner >= 0 && (flock(owner, LOCK_EX | LOCK_NB) != 0 ||
                       renameat(folder, OWNER "-new", folder, OWNER) != 0)) {
        close(owner);
        owner = -1;
    }
    close(folder);
    return owner;
}

static bool make(struct scratch *scratch, const char *root, const char *name) {
    int len = snprintf(scratch->path, sizeof scratch->path, "%s/%sXXXXXX", root, name);
    if (len > 0 && (size_t)len < sizeof scratch->path && mkdtemp(scratch->path)) return true;
    scratch->path[0] = '\0';
    return false;
}

/* Where nothing can be locked it has a name that nobody looks for. */
bool scratch_make(struct scratch *scratch, const char *root) {
    *scratch = (struct scratch){.owner = -1};
    remove_left_behind(root);
    if (!make(scratch, root, PREFIX)) return false;
    scratch->owner = lock_owner(scratch->path);
    if (scratch->owner >= 0) return true;
    folder_remove(scratch->path);
    return make(scratch, root, "gramc-cells-");
}

void scratch_remove(struct scratch *scratch) {
    if (!scratch->path[0]) return;
    folder_remove(scratch->path);
    if (scratch->owner >= 0) close(scratch->owner);
    *scratch = (struct scratch){.owner = -1};
}
