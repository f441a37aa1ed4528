/* Turns paths into bytes: files, folders (every *.gram below, by name), standard input. Hands them
 * to a compilation; keeps them alive until cli_free. Follows no symbolic link into a folder. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 1 << 16, DEEPEST_FOLDER = 64, LARGEST_FILE = INT32_MAX - 1 };

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

/* One byte more than the file has, so that its end is seen without another round; and the NUL. */
static gramc_status read_stream(struct cli *cli, struct cli_file *file, FILE *stream) {
    size_t got;
    if (!grow(cli, file, expected_size(stream))) return GRAMC_NOMEM;
    while ((got = fread(file->bytes + file->len, 1, file->size - file->len - 1, stream)) > 0) {
        file->len += got;
        if (file->len > LARGEST_FILE) return GRAMC_LIMIT;
        if (file->len + 1 == file->size && !grow(cli, file, file->size * 2)) return GRAMC_NOMEM;
    }
    file->bytes[file->len] = '\0';
    return ferror(stream) ? GRAMC_IO : GRAMC_OK;
}

static void file_free(struct cli *cli, struct cli_file *file) {
    if (!file) return;
    if (file->bytes) cli->allocator.alloc(cli->allocator.ctx, file->bytes, file->size, 0);
    cli->allocator.alloc(cli->allocator.ctx, file, sizeof *file, 0);
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
        *status = read_stream(cli, file, stream);
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
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    if (stat(name, &st) || !S_ISREG(st.st_mode) || !cli_is_inside(cli, name)) return GRAMC_IO;
    struct cli_file *file = open_file(cli, name, &status);
    if (!file) return status == GRAMC_NOMEM ? GRAMC_NOMEM : GRAMC_IO;
    *out = (gramc_text){file->bytes, file->len};
    return 0;
}

gramc_reader cli_reader(struct cli *cli) {
    return (gramc_reader){read_for_source, cli};
}

void cli_free(struct cli *cli) {
    while (cli->files) {
        struct cli_file *next = cli->files->next;
        file_free(cli, cli->files);
        cli->files = next;
    }
}

/* ## Writing */

/* Closes it as well. */
static bool write_stream(FILE *file, gramc_text text) {
    bool good = file && fwrite(text.ptr, 1, text.len, file) == text.len;
    return file && fclose(file) == 0 && good;
}

/* Written beside and renamed, so that nobody reads half a file. */
static int write_new(struct cli *cli, const char *path, gramc_text text) {
    struct buf name;
    buf_init(&name, &cli->allocator, 4096);
    buf_printf(&name, "%s.%ld.tmp", path, (long)getpid());
    if (buf_status(&name) != GRAMC_OK) {
        buf_free(&name);
        return cli_no_memory(cli);
    }
    FILE *file = fopen(name.ptr, "wb");
    bool good = write_stream(file, text) && rename(name.ptr, path) == 0;
    int code = good ? EXIT_FINE : cli_usage(cli, "%s: %s", path, strerror(errno));
    if (!good && file) unlink(name.ptr);
    buf_free(&name);
    return code;
}

/* A device or a pipe is written into: a file in its place would be somebody's /dev/null lost. */
int cli_write_file(struct cli *cli, const char *path, gramc_text text) {
    struct stat st;
    if (stat(path, &st)) return write_new(cli, path, text);
    if (S_ISREG(st.st_mode)) return cli_rewrite(cli, path, text);
    if (write_stream(fopen(path, "wb"), text)) return EXIT_FINE;
    return cli_usage(cli, "%s: %s", path, strerror(errno));
}

/* ## Sources */

static int add_path(struct cli *cli, gramc_compilation *compilation, const char *path, int depth,
                    bool named);

static int add_file(struct cli *cli, gramc_compilation *compilation, const char *path) {
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_text name = strcmp(path, "-") == 0 ? TEXT("<stdin>") : text_of(path);
    cli->sources++;
    return cli_status(cli, gramc_add_source(compilation, name, file->bytes, file->len));
}

static bool is_gram(const char *name) {
    size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".gram") == 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_entry(struct cli *cli, gramc_compilation *compilation, const char *folder,
                     const char *name, int depth) {
    struct buf path;
    size_t len = strlen(folder);
    buf_init(&path, &cli->allocator, 4096);
    buf_puts(&path, folder);
    if (len && folder[len - 1] != '/') buf_putc(&path, '/');
    buf_puts(&path, name);
    int code = buf_status(&path) == GRAMC_OK
                   ? add_path(cli, compilation, path.ptr, depth + 1, false)
                   : cli_status(cli, buf_status(&path));
    buf_free(&path);
    return code;
}

/* The names of a folder; opendir's order is the file system's, ours is the alphabet's. */
static int read_names(struct cli *cli, struct buf *names, const char *path) {
    DIR *dir = opendir(path);
    if (!dir) return cli_usage(cli, "%s: %s", path, strerror(errno));
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        buf_put(names, entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(dir);
    return cli_status(cli, buf_status(names));
}

static int add_sorted(struct cli *cli, gramc_compilation *compilation, const char *path,
                      const struct buf *names, int depth) {
    size_t count = 0, size = 0;
    int code = EXIT_FINE;
    for (size_t at = 0; at < names->len; at += strlen(names->ptr + at) + 1) count++;
    if (count == 0) return EXIT_FINE;
    size = count * sizeof(char *);
    char **list = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, size);
    if (!list) return cli_no_memory(cli);
    count = 0;
    for (size_t at = 0; at < names->len; at += strlen(names->ptr + at) + 1)
        list[count++] = names->ptr + at;
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count && code == EXIT_FINE; i++)
        code = add_entry(cli, compilation, path, list[i], depth);
    cli->allocator.alloc(cli->allocator.ctx, list, size, 0);
    return code;
}

static int add_folder(struct cli *cli, gramc_compilation *compilation, const char *path,
                      int depth) {
    struct buf names;
    if (depth > DEEPEST_FOLDER) return cli_usage(cli, "%s: folders are nested too deep", path);
    buf_init(&names, &cli->allocator, LARGEST_FILE);
    int code = read_names(cli, &names, path);
    if (code == EXIT_FINE) code = add_sorted(cli, compilation, path, &names, depth);
    buf_free(&names);
    return code;
}

/* `named`: given on the command line, so any file is taken and links are followed. */
static int add_path(struct cli *cli, gramc_compilation *compilation, const char *path, int depth,
                    bool named) {
    struct stat st;
    if (named && strcmp(path, "-") == 0) return add_file(cli, compilation, path);
    if (named ? stat(path, &st) : lstat(path, &st))
        return cli_usage(cli, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode)) return add_folder(cli, compilation, path, depth);
    bool is_configuration = cli_is_configuration(cli, path);
    /* Read and judged already: who names it alone gets the verdict. */
    if (is_configuration && named) cli->sources++;
    if (is_configuration) return EXIT_FINE;
    if (named || (S_ISREG(st.st_mode) && is_gram(path))) return add_file(cli, compilation, path);
    return EXIT_FINE;
}

/* `first`: under the configuration that is in force for it; NULL: under none. */
static int new_compilation(struct cli *cli, gramc_compilation **out, const char *first) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    options.allocator = &cli->allocator;
    options.reader = cli_reader(cli);
    options.plain = cli->options[OPTION_PLAIN] != NULL;
    options.strict = cli->options[OPTION_STRICT] != NULL;
    options.strict_vocabulary = cli->options[OPTION_STRICT_VOCABULARY] != NULL;
    options.keep_types = cli->options[OPTION_DEFS] != NULL;
    *out = NULL;
    if (gramc_compilation_new(out, &options)) return cli_no_memory(cli);
    return first ? cli_configure(cli, *out, first) : EXIT_FINE;
}

int cli_new(struct cli *cli, gramc_compilation **out) {
    return new_compilation(cli, out, cli->operands[0]);
}

static int load(struct cli *cli, gramc_compilation **out, char **paths, size_t count,
                bool configured) {
    cli->sources = 0;
    int code = new_compilation(cli, out, configured ? paths[0] : NULL);
    for (size_t i = 0; i < count && code == EXIT_FINE; i++)
        code = add_path(cli, *out, paths[i], 0, true);
    /* A folder that was spelt wrong must not look like one without mistakes. */
    if (code == EXIT_FINE && cli->sources == 0)
        code = cli_usage(cli, "%s: there is no .gram file in it", count ? paths[0] : "");
    if (code == EXIT_FINE) return EXIT_FINE;
    gramc_compilation_free(*out);
    *out = NULL;
    return code;
}

int cli_load(struct cli *cli, gramc_compilation **out, char **paths, size_t count) {
    return load(cli, out, paths, count, true);
}

int cli_load_gram(struct cli *cli, gramc_compilation **out, char **paths, size_t count) {
    return load(cli, out, paths, count, false);
}
