/* Writes files. What is there already is replaced by a file that was written beside it, so that
 * nobody ever reads half of it; what grows while it is written is opened in its place. Links that
 * somebody else may have planted are not followed (place.c). */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include "base/buf.h"
#include "base/write_all.h"
#include "cli/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

/* ## Places */

static int refuse(struct cli *cli, const char *path, enum place_answer answer) {
    if (answer == PLACE_PLANTED)
        return cli_usage(cli, "%s: a link that somebody else has made is not followed", path);
    if (answer == PLACE_FOREIGN)
        return cli_usage(cli, "%s: a file that somebody else may have put there is not written",
                         path);
    return cli_usage(cli, "%s: %s", path, strerror(errno));
}

/* A device or a pipe: a file in its place would be somebody's /dev/null lost. */
static bool is_stream(const char *path, struct stat *st) {
    return stat(path, st) == 0 && !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode);
}

/* The one that `st` told of, and nothing that took its place. */
static int open_stream(struct cli *cli, const char *path, const struct stat *st, int *file) {
    struct place place;
    struct stat opened;
    enum place_answer answer = place_find(&place, path, false);
    if (answer == PLACE_PLANTED) return refuse(cli, path, answer);
    if (answer == PLACE_FOUND) place_close(&place);
    *file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (*file < 0) return refuse(cli, path, PLACE_FAILED);
    if (fstat(*file, &opened) == 0 && opened.st_dev == st->st_dev && opened.st_ino == st->st_ino)
        return EXIT_FINE;
    close(*file);
    *file = -1;
    return refuse(cli, path, PLACE_FOREIGN);
}

/* ## Whole files */

/* What stands there under a name that could be guessed, a link above all, is not touched. */
static int open_beside(struct buf *name, const struct place *place, mode_t mode) {
    int file = -1;
    errno = EEXIST;
    for (unsigned i = 0; file < 0 && errno == EEXIST && i < NAMES_TRIED; i++) {
        buf_reset(name);
        buf_printf(name, "%.200s.%ld-%u.tmp", place->name, (long)getpid(), i);
        if (buf_status(name) != GRAMC_OK) return -1;
        file = openat(place->folder, name->ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return file;
}

static bool move_in_place(const struct place *place, const char *name, bool good) {
    good = good && renameat(place->folder, name, place->folder, place->name) == 0;
    int reason = errno;
    if (!good) unlinkat(place->folder, name, 0);
    errno = reason;
    return good;
}

/* What was there keeps its mode, if it was ours. */
static bool write_beside(struct buf *name, const struct place *place, gramc_text text) {
    bool keeps_mode = place->exists && !place_is_doubtful(place);
    int file = open_beside(name, place, keeps_mode ? 0600 : 0666);
    if (file < 0) return false;
    bool good =
        write_all(file, text) && (!keeps_mode || fchmod(file, place->status.st_mode & 07777) == 0);
    good = close(file) == 0 && good;
    return move_in_place(place, name->ptr, good);
}

int cli_rewrite(struct cli *cli, const char *path, gramc_text text) {
    struct place place;
    struct buf name;
    enum place_answer answer = place_find(&place, path, true);
    if (answer != PLACE_FOUND) return refuse(cli, path, answer);
    buf_init(&name, &cli->allocator, 1 << 16);
    bool good = write_beside(&name, &place, text);
    int code = cli_status(cli, buf_status(&name));
    if (code == EXIT_FINE && !good) code = refuse(cli, path, PLACE_FAILED);
    buf_free(&name);
    place_close(&place);
    return code;
}

int cli_write_file(struct cli *cli, const char *path, gramc_text text) {
    struct stat st;
    int file = -1;
    if (!is_stream(path, &st)) return cli_rewrite(cli, path, text);
    int code = open_stream(cli, path, &st, &file);
    if (code != EXIT_FINE) return code;
    bool good = write_all(file, text);
    good = close(file) == 0 && good;
    return good ? EXIT_FINE : refuse(cli, path, PLACE_FAILED);
}

/* ## Files that grow */

/* Emptied only once it is known to be the one that was found, and nobody else's. */
static enum place_answer open_private(const struct place *place, int *file) {
    const struct stat *found = &place->status;
    struct stat opened;
    int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | (place->exists ? 0 : O_CREAT | O_EXCL);
    if (place->exists && place_is_doubtful(place)) return PLACE_FOREIGN;
    *file = openat(place->folder, place->name, flags, S_IRUSR | S_IWUSR);
    if (*file < 0 || fstat(*file, &opened)) return PLACE_FAILED;
    if (!place->exists) return PLACE_FOUND;
    if (opened.st_dev != found->st_dev || opened.st_ino != found->st_ino) return PLACE_FOREIGN;
    bool good = !ftruncate(*file, 0) && !fchmod(*file, S_IRUSR | S_IWUSR);
    return good ? PLACE_FOUND : PLACE_FAILED;
}

int cli_open_private(struct cli *cli, const char *path, int *file) {
    struct place place;
    struct stat st;
    *file = -1;
    if (is_stream(path, &st)) return open_stream(cli, path, &st, file);
    enum place_answer answer = place_find(&place, path, false);
    if (answer != PLACE_FOUND) return refuse(cli, path, answer);
    answer = open_private(&place, file);
    int reason = errno;
    place_close(&place);
    if (answer == PLACE_FOUND) return EXIT_FINE;
    if (*file >= 0) close(*file);
    *file = -1;
    errno = reason;
    return refuse(cli, path, answer);
}
