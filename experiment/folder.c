/* Makes folders and removes trees. Programs put into them what they like: names of any length,
 * links, folders that nobody may read. Nothing outside is ever touched. */
#define _GNU_SOURCE
#include "experiment/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 200 };

bool folder_make(const char *path) {
    return mkdir(path, 0700) == 0;
}

static bool is_self(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* `folder` is open, and is closed here. `but`: an entry that stays; NULL: none does. */
static void empty(int folder, int depth, const char *but) {
    DIR *listing = fdopendir(folder);
    struct dirent *entry;
    if (!listing) {
        close(folder);
        return;
    }
    while ((entry = readdir(listing))) {
        if (but && strcmp(entry->d_name, but) == 0) continue;
        if (is_self(entry->d_name) || unlinkat(folder, entry->d_name, 0) == 0) continue;
        (void)fchmodat(folder, entry->d_name, 0700, 0);
        int inner = depth < DEEPEST ? openat(folder, entry->d_name,
                                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                    : -1;
        if (inner >= 0) empty(inner, depth + 1, NULL);
        (void)unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    }
    closedir(listing);
}

void folder_remove(const char *path) {
    folder_remove_last(path, NULL);
}

void folder_remove_last(const char *path, const char *last) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        int same = dup(folder);
        empty(folder, 0, last);
        if (last && same >= 0) (void)unlinkat(same, last, 0);
        if (same >= 0) close(same);
    }
    (void)rmdir(path);
}
