/* Turns the path that a model gives into an open file below one of the folders that are allowed,
 * and reads it. Each step is opened by itself, below the one before, so that nothing that moves
 * meanwhile leads out of the folder. What changes while it is read is not sent. */
#define _GNU_SOURCE /* O_DIRECTORY, O_NOFOLLOW, O_CLOEXEC */
#include "runtime/httptool/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

/* ## Ways */

/* The next step of a path that begins at *pos; empty steps and `.` go for nothing. */
static bool next_step(gramc_text path, size_t *pos, gramc_text *step) {
    for (;;) {
        while (*pos < path.len && path.ptr[*pos] == '/') ++*pos;
        size_t start = *pos;
        while (*pos < path.len && path.ptr[*pos] != '/') ++*pos;
        *step = text_slice(path, start, *pos);
        if (!text_is(*step, ".")) return step->len;
    }
}

static bool has_step_up(gramc_text path) {
    gramc_text step;
    for (size_t pos = 0; next_step(path, &pos, &step);)
        if (text_is(step, "..")) return true;
    return false;
}

static gramc_text last_step(gramc_text path) {
    gramc_text step, last = {NULL, 0};
    for (size_t pos = 0; next_step(path, &pos, &step);) last = step;
    return last;
}

static const char *reason_of(int error) {
    switch (error) {
    case ENOENT:
    case ENOTDIR: return "is not there";
    case EACCES:
    case EPERM: return "must not be read by this user";
    case ELOOP: return "is a symbolic link, or lies behind one, which is not followed";
    case ENAMETOOLONG: return "has a name that is too long";
    default: return "cannot be opened";
    }
}

/* Opens `path` below the folder, step by step. -1 with errno. */
static int open_below(int folder, gramc_text path) {
    const int kept = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    gramc_text step, next;
    size_t pos = 0;
    bool more = next_step(path, &pos, &step);
    while (more && folder >= 0) {
        char name[NAME_MAX + 1];
        more = next_step(path, &pos, &next);
        bool fits = step.len <= NAME_MAX;
        if (fits) memcpy(name, step.ptr, step.len);
        name[fits ? step.len : 0] = '\0';
        int below = fits ? openat(folder, name, kept | (more ? O_DIRECTORY : 0)) : -1;
        int error = fits ? errno : ENAMETOOLONG;
        /* O_DIRECTORY makes a link none, so that it looks like a file in the way. */
        struct stat found;
        if (below < 0 && error == ENOTDIR &&
            fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode))
            error = ELOOP;
        close(folder);
        errno = error;
        folder = below;
        step = next;
    }
    return folder;
}

/* ## Folders */

/* The part of an absolute path below the folder, as that was given or as it really is. */
static bool below(gramc_text path, const char *folder, gramc_text *rest) {
    size_t len = strlen(folder);
    while (len && folder[len - 1] == '/') len--;
    if (path.len < len || memcmp(path.ptr, folder, len) != 0) return false;
    if (path.len > len && path.ptr[len] != '/') return false;
    *rest = text_slice(path, len, path.len);
    return true;
}

static bool is_below(gramc_text path, const char *folder, gramc_text *rest) {
    char real[PATH_MAX];
    if (!text_starts(path, "/")) {
        *rest = path;
        return true;
    }
    if (below(path, folder, rest)) return true;
    return realpath(folder, real) && below(path, real, rest);
}

static int open_somewhere(const struct file_folders *folders, gramc_text path,
                          const char **problem) {
    *problem = folders->count
                   ? "lies in none of the folders that may be read"
                   : "may not be read: list its folder under `allowFiles` in gramc.gram, or "
                     "say --allow-files";
    for (size_t i = 0; i < folders->count; i++) {
        gramc_text rest;
        if (!is_below(path, folders->paths[i].ptr, &rest)) continue;
        int folder = open(folders->paths[i].ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int file = folder < 0 ? -1 : open_below(folder, rest);
        if (file >= 0) return file;
        *problem = reason_of(errno);
        /* It may be in the next one. */
        if (errno != ENOENT && errno != ENOTDIR) return -1;
    }
    return -1;
}

/* ## Opening and reading */

const char *call_file_open(struct call_file *out, const struct file_folders *folders,
                           gramc_text path, size_t most, const gramc_allocator *allocator,
                           gramc_status *status) {
    const char *problem = NULL;
    *out = (struct call_file){.descriptor = -1, .name = last_step(path)};
    if (text_has_nul(path) || !out->name.len) return "is no path of a file";
    if (has_step_up(path)) return "has a step up in it";
    out->descriptor = open_somewhere(folders, path, &problem);
    if (out->descriptor < 0) return problem;
    if (fstat(out->descriptor, &out->found)) return "cannot be read";
    if (!S_ISREG(out->found.st_mode)) return "is no file";
    if (out->found.st_size < 0 || (uintmax_t)out->found.st_size > most)
        return "is too large: a request has 16 MiB at most, with all that it sends";
    out->size = (size_t)out->found.st_size;
    out->bytes = mem_alloc(allocator, out->size + 1);
    if (!out->bytes) *status = GRAMC_NOMEM;
    return out->bytes ? NULL : "is too large for the memory that there is";
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* One byte more than there should be is asked for: it may have grown. */
void call_file_read(struct call_file *file) {
    struct stat after;
    size_t done = 0;
    ssize_t got = 1;
    while (got > 0 && done <= file->size) {
        do got = read(file->descriptor, file->bytes + done, file->size + 1 - done);
        while (got < 0 && errno == EINTR);
        if (got > 0) done += (size_t)got;
    }
    if (got < 0) file->problem = "cannot be read";
    else if (done != file->size || fstat(file->descriptor, &after) ||
             !is_same(&file->found, &after))
        file->problem = "changed while it was read";
    close(file->descriptor);
    file->descriptor = -1;
}

void call_file_free(struct call_file *file, const gramc_allocator *allocator) {
    if (file->descriptor >= 0) close(file->descriptor);
    if (file->bytes) mem_free(allocator, file->bytes, file->size + 1);
    file->descriptor = -1;
    file->bytes = NULL;
}
