/* The list of libraries that were trusted: a line each, fingerprint and path, in the folder of the
 * user's state. Lines are added whole, by one write, so that two processes lose nothing; the file
 * is its owner's alone, since whoever writes it decides what is started. A line that cannot be read
 * is an error: an attacker's blot must not count as a clean sheet. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/run/kept.h"

#define TRUSTED_FILE "trusted"

enum { LIST_MAX = 1 << 20, LINE_MAX_BYTES = SHA256_HEX + 1 + CLI_PATH + 1 };

/* ## Reading */

static bool is_fingerprint(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (!memchr("0123456789abcdef", text.ptr[i], 16)) return false;
    return text.len == SHA256_HEX;
}

/* "FINGERPRINT PATH" */
static bool read_line(gramc_text line, gramc_text *fingerprint, gramc_text *path) {
    if (line.len < SHA256_HEX + 2 || line.ptr[SHA256_HEX] != ' ') return false;
    *fingerprint = text_slice(line, 0, SHA256_HEX);
    *path = text_slice(line, SHA256_HEX + 1, line.len);
    return is_fingerprint(*fingerprint) && path->ptr[0] == '/' && !text_has_nul(*path);
}

static int look_in(struct cli *cli, const char *name, gramc_text list, gramc_text path,
                   gramc_text fingerprint, enum trust_memory *out) {
    for (size_t number = 1; list.len; number++) {
        gramc_text said, of;
        const char *end = memchr(list.ptr, '\n', list.len);
        size_t len = end ? (size_t)(end - list.ptr) : list.len;
        if (!end || !read_line(text_slice(list, 0, len), &said, &of))
            return cli_usage(cli, "%s: line %zu is no fingerprint and path; mend it, or remove it",
                             name, number);
        list = text_slice(list, len + 1, list.len);
        if (!text_eq(of, path) || *out == TRUST_THIS) continue;
        *out = text_eq(said, fingerprint) ? TRUST_THIS : TRUST_CHANGED;
    }
    return EXIT_FINE;
}

/* Nobody else's, and nobody else may write it. */
static int check_file(struct cli *cli, const char *name, int file, off_t *size) {
    struct stat st;
    if (fstat(file, &st)) return cli_usage(cli, "%s: %s", name, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
        return cli_usage(cli, "%s: others may write this file; make it your own, with mode 600",
                         name);
    if (st.st_size > LIST_MAX) return cli_usage(cli, "%s: it has more than 1 MiB", name);
    *size = st.st_size;
    return EXIT_FINE;
}

static ssize_t read_all(int file, char *bytes, size_t size) {
    size_t len = 0;
    ssize_t got;
    while (len < size && (got = read(file, bytes + len, size - len)) != 0) {
        if (got < 0 && errno != EINTR) return -1;
        if (got > 0) len += (size_t)got;
    }
    return (ssize_t)len;
}

static int look_in_file(struct cli *cli, const char *name, int file, const char *path,
                        gramc_text fingerprint, enum trust_memory *out) {
    off_t size;
    int code = check_file(cli, name, file, &size);
    if (code != EXIT_FINE) return code;
    char *bytes = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, (size_t)size + 1);
    if (!bytes) return cli_no_memory(cli);
    ssize_t len = read_all(file, bytes, (size_t)size);
    if (len < 0) code = cli_usage(cli, "%s: %s", name, strerror(errno));
    else
        code =
            look_in(cli, name, (gramc_text){bytes, (size_t)len}, text_of(path), fingerprint, out);
    cli->allocator.alloc(cli->allocator.ctx, bytes, (size_t)size + 1, 0);
    return code;
}

int trusted_look(struct cli *cli, const char *path, gramc_text fingerprint,
                 enum trust_memory *out) {
    char name[CLI_PATH];
    *out = TRUST_NEVER;
    if (!kept_is_somewhere(cli)) return EXIT_FINE; /* nothing was ever remembered */
    int code = kept_find(cli, TRUSTED_FILE, name);
    if (code != EXIT_FINE) return code;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return errno == ENOENT ? EXIT_FINE : cli_usage(cli, "%s: %s", name, strerror(errno));
    code = look_in_file(cli, name, file, path, fingerprint, out);
    close(file);
    return code;
}

/* ## Adding */

int trusted_add(struct cli *cli, const char *path, gramc_text fingerprint) {
    char name[CLI_PATH], line[LINE_MAX_BYTES];
    off_t size;
    int len = snprintf(line, sizeof line, "%.*s %s\n", TEXT_ARGS(fingerprint), path);
    if (len < 0 || (size_t)len >= sizeof line || strchr(path, '\n'))
        return cli_usage(cli, "%s: such a path cannot be remembered; say --trust", path);
    int code = kept_path(cli, TRUSTED_FILE, name);
    if (code != EXIT_FINE) return code;
    int file =
        open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return cli_usage(cli, "%s: %s", name, strerror(errno));
    code = check_file(cli, name, file, &size);
    if (code == EXIT_FINE && size + len > LIST_MAX)
        code = cli_usage(cli, "%s: it is full; remove what is not needed", name);
    if (code == EXIT_FINE && write(file, line, (size_t)len) != len)
        code = cli_usage(cli, "%s: it cannot be written: %s", name, strerror(errno));
    close(file);
    return code;
}
