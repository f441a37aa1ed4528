/* Turns a path into an open folder and a name in it. Walks the path piece by piece, as the kernel
 * does, and looks at the owner of each symbolic link before it follows it: in a folder that many
 * may write to a link is an invitation to overwrite a file of one's own. */
#define _GNU_SOURCE
#include "cli/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef O_PATH
enum { OPEN_FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };
#else
enum { OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
#endif
enum { LINKS_MAX = 40 };

struct place_walk {
    struct place *place;
    char rest[PATH_MAX];
    unsigned links;
};

static bool is_trusted(const struct place *place, uid_t owner) {
    struct stat folder;
    if (owner == 0 || owner == geteuid()) return true;
    return fstat(place->folder, &folder) == 0 && folder.st_uid == owner &&
           !(folder.st_mode & S_IWOTH);
}

static bool enter(struct place *place, const char *name) {
    int inner =
        openat(place->folder < 0 ? AT_FDCWD : place->folder, name, OPEN_FOLDER | O_NOFOLLOW);
    if (inner < 0) return false;
    place_close(place);
    place->folder = inner;
    return true;
}

/* What is left of the path begins where the walk stands. */
static bool start(struct place_walk *walk) {
    bool absolute = walk->rest[0] == '/';
    if (!absolute && walk->place->folder >= 0) return true;
    return enter(walk->place, absolute ? "/" : ".");
}

/* Puts the first piece into place->name. False at the end of the path. */
static bool take_piece(struct place_walk *walk, bool *is_last, bool *is_long) {
    const char *from = walk->rest + strspn(walk->rest, "/");
    size_t len = strcspn(from, "/");
    *is_long = len >= PLACE_NAME;
    if (!len || *is_long) return false;
    memcpy(walk->place->name, from, len);
    walk->place->name[len] = '\0';
    *is_last = from[len + strspn(from + len, "/")] == '\0';
    memmove(walk->rest, from + len, strlen(from + len) + 1);
    return true;
}

/* A link that is another one once it was read was exchanged meanwhile. */
static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Puts what the link says in front of the rest. */
static enum place_answer follow(struct place_walk *walk, const struct stat *link) {
    char target[PATH_MAX], rest[PATH_MAX];
    struct stat again;
    struct place *place = walk->place;
    if (!is_trusted(place, link->st_uid)) return PLACE_PLANTED;
    ssize_t len = readlinkat(place->folder, place->name, target, sizeof target - 1);
    if (len < 0 || fstatat(place->folder, place->name, &again, AT_SYMLINK_NOFOLLOW))
        return PLACE_FAILED;
    if (!is_same(link, &again)) return PLACE_PLANTED;
    target[len] = '\0';
    int whole = snprintf(rest, sizeof rest, "%s%s", target, walk->rest);
    errno = whole >= (int)sizeof rest ? ENAMETOOLONG : ELOOP;
    if (whole >= (int)sizeof rest || ++walk->links > LINKS_MAX) return PLACE_FAILED;
    memcpy(walk->rest, rest, (size_t)whole + 1);
    return start(walk) ? PLACE_FOUND : PLACE_FAILED;
}

static bool is_dangling(const struct place *place) {
    struct stat behind;
    return fstatat(place->folder, place->name, &behind, 0) != 0 && errno == ENOENT;
}

static enum place_answer go(struct place_walk *walk, bool keeps_dangling) {
    struct place *place = walk->place;
    bool is_last, is_long;
    while (take_piece(walk, &is_last, &is_long)) {
        struct stat *status = &place->status;
        bool found = fstatat(place->folder, place->name, status, AT_SYMLINK_NOFOLLOW) == 0;
        bool is_link = found && S_ISLNK(status->st_mode);
        if (!found && (!is_last || errno != ENOENT)) return PLACE_FAILED;
        if (is_link && !(is_last && keeps_dangling && is_dangling(place))) {
            enum place_answer answer = follow(walk, status);
            if (answer != PLACE_FOUND) return answer;
        } else if (is_last) {
            place->exists = found && !is_link;
            return PLACE_FOUND;
        } else if (!enter(place, place->name)) return PLACE_FAILED;
    }
    errno = is_long ? ENAMETOOLONG : EISDIR;
    return PLACE_FAILED;
}

enum place_answer place_find(struct place *place, const char *path, bool keeps_dangling) {
    struct place_walk walk = {.place = place};
    size_t len = strlen(path);
    *place = (struct place){.folder = -1};
    errno = len ? ENAMETOOLONG : ENOENT;
    if (!len || len >= sizeof walk.rest) return PLACE_FAILED;
    memcpy(walk.rest, path, len + 1);
    enum place_answer answer = start(&walk) ? go(&walk, keeps_dangling) : PLACE_FAILED;
    int reason = errno;
    if (answer != PLACE_FOUND) place_close(place);
    errno = reason;
    return answer;
}

void place_close(struct place *place) {
    if (place->folder >= 0) close(place->folder);
    place->folder = -1;
}

bool place_is_doubtful(const struct place *place) {
    struct stat folder;
    if (!is_trusted(place, place->status.st_uid)) return true;
    return place->status.st_nlink > 1 &&
           (fstat(place->folder, &folder) != 0 || (folder.st_mode & S_IWOTH));
}
