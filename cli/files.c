/* Turns paths into bytes, of files and of standard input, which live until cli_free; and back.
 * Which files make a compilation is sources.c's matter. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/configuration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 1 << 16, LARGEST_FILE = INT32_MAX - 1 };

/* ## Bytes */

static bool grow(struct cli *cli, struct cli_file *file, size_t size) {
    char *bytes = cli->allocator.alloc(cli->allocator.ctx, file->bytes, file->size, size);
    if (!bytes) return false;
    file->bytes = bytes;
    file->size = size;
    return true;
}

static size_t expected_size(FILE *stream) {
    struct stat st;
    if (fstat(fileno(stream), &st) || !S_ISREG(st.st_mode)) return FIRST_READ;
    return st.st_size < LARGEST_FILE ? (size_t)st.st_size + 2 : (size_t)LARGEST_FILE;
}

/* Past the buffer of a stream that nobody else reads: bytes go at once where they stay. */
static ssize_t read_some(FILE *stream, char *bytes, size_t room) {
    ssize_t got;
    if (stream == stdin) {
        size_t items = fread(bytes, 1, room, stream);
        return ferror(stream) ? -1 : (ssize_t)items;
    }
    do got = read(fileno(stream), bytes, room);
    while (got < 0 && errno == EINTR);
    return got;
}

/* One byte more than the file has, so that its end is seen without another round; and the NUL. */
static gramc_status read_stream(struct cli *cli, struct cli_file *file, FILE *stream) {
    ssize_t got;
    if (!grow(cli, file, expected_size(stream))) return GRAMC_NOMEM;
    while ((got = read_some(stream, file->bytes + file->len, file->size - file->len - 1)) > 0) {
        file->len += (size_t)got;
        if (file->len > LARGEST_FILE) return GRAMC_LIMIT;
        if (file->len + 1 == file->size && !grow(cli, file, file->size * 2)) return GRAMC_NOMEM;
    }
    file->bytes[file->len] = '\0';
    return got < 0 ? GRAMC_IO : GRAMC_OK;
}

static void file_free(struct cli *cli, struct cli_file *file) {
    if (!file) return;
    if (file->bytes) cli->allocator.alloc(cli->allocator.ctx, file->bytes, file->size, 0);
    if (file->path) cli->allocator.alloc(cli->allocator.ctx, file->path, strlen(file->path) + 1, 0);
    cli->allocator.alloc(cli->allocator.ctx, file, sizeof *file, 0);
}

static bool keep_path(struct cli *cli, struct cli_file *file, const char *path) {
    size_t size = strlen(path) + 1;
    file->path = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, size);
    if (file->path) memcpy(file->path, path, size);
    return file->path != NULL;
}

/* What an editor holds, as if it had been saved. */
static gramc_status take_buffer(struct cli *cli, struct cli_file *file, gramc_text text) {
    if (!grow(cli, file, text.len + 1)) return GRAMC_NOMEM;
    if (text.len) memcpy(file->bytes, text.ptr, text.len);
    file->bytes[text.len] = '\0';
    file->len = text.len;
    return GRAMC_OK;
}

static gramc_status read_file(struct cli *cli, struct cli_file *file, FILE *stream,
                              const char *path) {
    gramc_text text;
    if (!keep_path(cli, file, path)) return GRAMC_NOMEM;
    bool is_held = cli->buffers.find && cli->buffers.find(cli->buffers.ctx, path, &text);
    return is_held ? take_buffer(cli, file, text) : read_stream(cli, file, stream);
}

/* Sets *status; errno tells the reason of GRAMC_IO. */
static struct cli_file *open_file(struct cli *cli, const char *path, gramc_status *status) {
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    struct cli_file *file = NULL;
    *status = GRAMC_IO;
    if (!stream) return NULL;
    file = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *file);
    *status = GRAMC_NOMEM;
    if (file) {
        *file = (struct cli_file){.next = NULL};
        errno = 0;
        *status = read_file(cli, file, stream, path);
    }
    int reason = errno;
    if (stream != stdin) fclose(stream);
    errno = reason;
    if (*status != GRAMC_OK) {
        file_free(cli, file);
        return NULL;
    }
    file->next = cli->files;
    cli->files = file;
    return file;
}

const struct cli_file *cli_read(struct cli *cli, const char *path) {
    gramc_status status;
    struct cli_file *file = open_file(cli, path, &status);
    if (file) return file;
    if (status == GRAMC_NOMEM) cli->failure = cli_no_memory(cli);
    else if (status == GRAMC_LIMIT) cli->failure = cli_usage(cli, "%s: larger than 2 GiB", path);
    else cli->failure = cli_usage(cli, "%s: %s", path, errno ? strerror(errno) : "cannot be read");
    return NULL;
}

static int read_for_source(void *ctx, gramc_text path, gramc_text *out) {
    struct cli *cli = ctx;
    char name[4096];
    gramc_status status;
    struct stat st;
    if (path.len >= sizeof name) return GRAMC_IO;
    if (text_has_nul(path)) return GRAMC_NOT_FOUND;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    if (!cli_is_inside(cli, name)) return GRAMC_USAGE;
    if (stat(name, &st)) return GRAMC_NOT_FOUND;
    if (!S_ISREG(st.st_mode)) return GRAMC_IO;
    struct cli_file *file = open_file(cli, name, &status);
    if (!file) return status == GRAMC_NOMEM ? GRAMC_NOMEM : GRAMC_IO;
    *out = (gramc_text){file->bytes, file->len};
    return 0;
}

gramc_reader cli_reader(struct cli *cli) {
    return (gramc_reader){read_for_source, cli};
}

/* ## Whose they are */

static bool is_configuration(const struct cli *cli, const struct cli_file *file) {
    const struct cli_config *config = cli->configurations;
    while (config && config->file != file) config = config->next;
    return config != NULL;
}

struct cli_file *cli_take_files(struct cli *cli, const struct cli_file *before) {
    struct cli_file *taken = NULL, **link = &cli->files;
    while (*link && *link != before) {
        struct cli_file *file = *link;
        if (is_configuration(cli, file)) {
            link = &file->next;
            continue;
        }
        *link = file->next;
        file->next = taken;
        taken = file;
    }
    return taken;
}

void cli_free_files(struct cli *cli, struct cli_file *files) {
    while (files) {
        struct cli_file *next = files->next;
        file_free(cli, files);
        files = next;
    }
}

void cli_free(struct cli *cli) {
    cli_free_variables(cli);
    cli_free_configurations(cli);
    cli_free_files(cli, cli->files);
    cli->files = NULL;
}
