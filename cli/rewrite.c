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

static bool write_beside(const char *name, mode_t mode, gramc_text text) {
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0) return false;
    bool good = write_all(file, text) && fchmod(file, mode & 07777) == 0;
    good = close(file) == 0 && good;
    int reason = errno;
    if (!good) unlink(name);
    errno = reason;
    return good;
}

static bool replace(const char *path, const char *name, gramc_text text) {
    struct stat st;
    if (stat(path, &st) || !write_beside(name, st.st_mode, text)) return false;
    if (rename(name, path) == 0) return true;
    int reason = errno;
    unlink(name);
    errno = reason;
    return false;
}

int cli_rewrite(struct cli *cli, const char *path, gramc_text text) {
    struct buf name;
    char *real = realpath(path, NULL);
    if (!real) return cli_usage(cli, "%s: %s", path, strerror(errno));
    buf_init(&name, &cli->allocator, 1 << 16);
    buf_printf(&name, "%s.%ld.tmp", real, (long)getpid());
    int code = cli_status(cli, buf_status(&name));
    if (code == EXIT_FINE && !replace(real, name.ptr, text))
        code = cli_usage(cli, "%s: %s", path, strerror(errno));
    buf_free(&name);
    free(real);
    return code;
}
