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
#define OWNER_NEW "owner-new"
enum { OWNERLESS_S = 3600, TRIES = 8 };

/* ## Those of the dead */

static int open_owner(int folder, const char *name) {
    return openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum owner_state { OWNER_NONE, OWNER_LIVES, OWNER_DEAD };

static enum owner_state look_at_owner(int folder) {
    int owner = open_owner(folder, OWNER);
    if (owner < 0) owner = open_owner(folder, OWNER_NEW);
    if (owner < 0) return OWNER_NONE;
    bool dead = flock(owner, LOCK_EX | LOCK_NB) == 0;
    close(owner);
    return dead ? OWNER_DEAD : OWNER_LIVES;
}

/* False: it is not this user's, or no folder. */
static bool look_at(int root, const char *name, enum owner_state *owner, struct stat *about) {
    int folder = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return false;
    bool ours = fstat(folder, about) == 0 && about->st_uid == geteuid();
    if (ours) *owner = look_at_owner(folder);
    close(folder);
    return ours;
}

/* The owner is the first that is made in one, and the last that is removed of it. So one without is
 * empty, or was not made here: that is left alone for an hour. */
static void remove_left_behind(const char *root) {
    char path[SCRATCH_PATH];
    struct dirent *entry;
    struct stat about;
    enum owner_state owner;
    DIR *listing = opendir(root);
    if (!listing) return;
    while ((entry = readdir(listing))) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
        int len = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (len <= 0 || (size_t)len >= sizeof path) continue;
        if (!look_at(dirfd(listing), entry->d_name, &owner, &about)) continue;
        bool old = time(NULL) - about.st_mtime > OWNERLESS_S;
        if (owner == OWNER_DEAD || (owner == OWNER_NONE && old)) folder_remove_last(path, OWNER);
        else if (owner == OWNER_NONE) (void)rmdir(path);
    }
    closedir(listing);
}

/* ## Ours */

/* It gets its name when it is locked, so that nobody takes its owner for dead before. */
static int lock_owner(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    int owner = openat(folder, OWNER_NEW, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (owner >= 0 &&
        (flock(owner, LOCK_EX | LOCK_NB) != 0 || renameat(folder, OWNER_NEW, folder, OWNER) != 0)) {
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

/* Another process may take one that is not locked yet for a dead one's: then it is tried again.
 * Where nothing can be locked it has a name that nobody looks for. */
bool scratch_make(struct scratch *scratch, const char *root) {
    *scratch = (struct scratch){.owner = -1};
    remove_left_behind(root);
    for (int tries = 0; tries < TRIES; tries++) {
        if (!make(scratch, root, PREFIX)) return false;
        scratch->owner = lock_owner(scratch->path);
        if (scratch->owner >= 0) return true;
        folder_remove(scratch->path);
    }
    return make(scratch, root, "gramc-cells-");
}

void scratch_remove(struct scratch *scratch) {
    if (!scratch->path[0]) return;
    folder_remove_last(scratch->path, OWNER);
    if (scratch->owner >= 0) close(scratch->owner);
    *scratch = (struct scratch){.owner = -1};
}
