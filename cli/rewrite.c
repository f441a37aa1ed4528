/* Puts other bytes into a file that exists: written beside it and renamed, so that nobody ever
 * reads half of it. Follows symbolic links, keeps the mode. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

static bool write_all(int file, gramc_text text) {
    while (text.len > 0) {
        ssize_t wrote = write(file, text.ptr, text.len);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        text.ptr += wrote;
        text.len -= (size_t)wrote;
    }
    return true;
}

/* What stands there under a name that could be guessed, a link above all, is not touched. */
static int open_beside(struct buf *name, const char *path, mode_t mode) {
    int file = -1;
    errno = EEXIST;
    for (unsigned i = 0; file < 0 && errno == EEXIST && i < NAMES_TRIED; i++) {
        buf_reset(name);
        buf_printf(name, "%s.%ld-%u.tmp", path, (long)getpid(), i);
        if (buf_status(name) != GRAMC_OK) return -1;
        file = open(name->ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    return file;
}

/* mode NULL: as for any new file. */
static bool write_beside(struct buf *buf, const char *path, const mode_t *mode, gramc_text text) {
    int file = open_beside(buf, path, mode ? 0600 : 0666);
    const char *name = buf->ptr;
    if (file < 0) return false;
    bool good = write_all(file, text) && (!mode || fchmod(file, *mode & 07777) == 0);
    good = close(file) == 0 && good;
    int reason = errno;
    if (!good) unlink(name);
    errno = reason;
    return good;
}

/* Nobody ever reads half of it. */
static int put_in_place(struct cli *cli, const char *path, const char *shown, const mode_t *mode,
                        gramc_text text) {
    struct buf name;
    buf_init(&name, &cli->allocator, 1 << 16);
    bool good = write_beside(&name, path, mode, text);
    if (good && rename(name.ptr, path)) {
        int reason = errno;
        unlink(name.ptr);
        errno = reason;
        good = false;
    }
    int code = cli_status(cli, buf_status(&name));
    if (code == EXIT_FINE && !good) code = cli_usage(cli, "%s: %s", shown, strerror(errno));
    buf_free(&name);
    return code;
}

int cli_rewrite(struct cli *cli, const char *path, gramc_text text) {
    struct stat st;
    char *real = realpath(path, NULL);
    bool known = real && stat(real, &st) == 0;
    int code = known ? put_in_place(cli, real, path, &st.st_mode, text)
                     : cli_usage(cli, "%s: %s", path, strerror(errno));
    free(real);
    return code;
}

int cli_write_new(struct cli *cli, const char *path, gramc_text text) {
    return put_in_place(cli, path, path, NULL, text);
}
