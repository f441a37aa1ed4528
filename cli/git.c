/* Turns `git:REV:path` into sources: git is run, without a shell, as `git show`, and for folders as
 * `git ls-tree`. The path is relative to the current folder. What git says when it fails is left to
 * git; whoever wants to know runs it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/git.h"

#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_NAME = 4096, LARGEST_OUTPUT = INT32_MAX - 1, CHUNK = 1 << 16 };

/* One revision, and what its files are read for. */
struct history {
    struct cli *cli;
    char prefix[LONGEST_NAME]; /* "git:REV:./" */
    size_t prefix_len;
    struct buf name; /* the prefix and the path of the operand */
};

/* ## Running git */

static void become_git(const int fds[2], char *const argv[]) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(fds[1], STDOUT_FILENO);
    if (null > STDERR_FILENO) close(null);
    close(fds[0]);
    if (fds[1] > STDERR_FILENO) close(fds[1]);
    execvp("git", argv);
    _exit(127);
}

static bool read_all(int fd, struct buf *out) {
    for (;;) {
        char *room = buf_reserve(out, CHUNK);
        if (!room) return false;
        ssize_t got = read(fd, room, CHUNK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) return true;
        out->len += (size_t)got;
        out->ptr[out->len] = '\0';
    }
}

static bool ended_well(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What git prints; false if it cannot be started or fails, or if memory runs out (out->state). */
static bool run_git(struct buf *out, char *const argv[]) {
    int fds[2];
    if (pipe(fds)) return false;
    pid_t child = fork();
    if (child == 0) become_git(fds, argv);
    close(fds[1]);
    bool whole = child > 0 && read_all(fds[0], out);
    close(fds[0]);
    bool good = child > 0 && ended_well(child);
    return whole && good && out->state == BUF_FINE;
}

/* argv takes no const; git gets copies that it may do with as it likes. */
static bool ask(struct cli *cli, struct buf *out, const char *verb, const char *options[2],
                const char *object) {
    struct buf words;
    char *argv[6] = {NULL};
    const char *all[] = {"git", verb, options[0], options[1], object};
    size_t starts[5], count = 0;
    buf_init(&words, &cli->allocator, 4 * LONGEST_NAME);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i]) continue;
        starts[count++] = words.len;
        buf_put(&words, all[i], strlen(all[i]) + 1);
    }
    if (words.state == BUF_NOMEM) out->state = BUF_NOMEM;
    for (size_t i = 0; i < count && words.state == BUF_FINE; i++) argv[i] = words.ptr + starts[i];
    bool good = words.state == BUF_FINE && run_git(out, argv);
    buf_free(&words);
    return good;
}

/* ## Files of a revision */

/* `git:REV:path` is REV:path to git. */
static const char *object_of(const char *name) {
    return name + strlen("git:");
}

static struct cli_file *keep(struct cli *cli, struct buf *bytes) {
    struct cli_file *file = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *file);
    if (!file) return NULL;
    *file = (struct cli_file){cli->files, bytes->ptr, bytes->len, bytes->size};
    cli->files = file;
    return file;
}

static gramc_status show(struct cli *cli, const char *name, gramc_text *out) {
    static const char *options[2] = {"--no-textconv", "--no-color"};
    struct buf bytes;
    buf_init(&bytes, &cli->allocator, LARGEST_OUTPUT);
    bool good = ask(cli, &bytes, "show", options, object_of(name));
    struct cli_file *file = good ? keep(cli, &bytes) : NULL;
    gramc_status status = good || bytes.state == BUF_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    if (!file) {
        buf_free(&bytes);
        return status;
    }
    *out = (gramc_text){file->bytes, file->len};
    return GRAMC_OK;
}

/* Each `..` that led above the current folder took a segment of the prefix away with it: puts back
 * what is missing, and goes up as often. */
static void put_prefix(struct buf *name, gramc_text prefix, gramc_text path) {
    size_t shared = 0;
    for (size_t i = 0; i < prefix.len && i < path.len && prefix.ptr[i] == path.ptr[i]; i++)
        if (prefix.ptr[i] == '/') shared = i + 1;
    buf_text(name, prefix);
    for (size_t i = shared; i < prefix.len; i++)
        if (prefix.ptr[i] == '/') buf_puts(name, "../");
    buf_text(name, text_slice(path, shared, path.len));
}

static int read_for_source(void *ctx, gramc_text path, gramc_text *out) {
    struct history *history = ctx;
    gramc_text prefix = {history->prefix, history->prefix_len};
    struct buf name;
    if (path.len && path.ptr[0] == '/') return GRAMC_NOT_FOUND;
    buf_init(&name, &history->cli->allocator, LONGEST_NAME - 1);
    put_prefix(&name, prefix, path);
    gramc_status status = buf_status(&name);
    if (status == GRAMC_OK) status = show(history->cli, name.ptr, out);
    buf_free(&name);
    return (int)status;
}

/* ## Compilations */

static int unreadable(struct cli *cli, const char *name, gramc_status status) {
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    return cli_usage(cli, "%s: git cannot show it; `git show %s` says why", name, object_of(name));
}

static int add(struct cli *cli, gramc_compilation *compilation, const char *name) {
    gramc_text bytes;
    gramc_status status = show(cli, name, &bytes);
    if (status != GRAMC_OK) return unreadable(cli, name, status);
    return cli_status(cli, gramc_add_source(compilation, text_of(name), bytes.ptr, bytes.len));
}

/* Each .gram file of a listing whose names end with NUL; git sorts them bytewise. */
static int add_listed(struct history *history, gramc_compilation *compilation,
                      const struct buf *names) {
    struct buf *path = &history->name;
    size_t folder = path->len;
    int code = EXIT_FINE, count = 0;
    for (size_t at = 0; at < names->len && code == EXIT_FINE; at += strlen(names->ptr + at) + 1) {
        size_t len = strlen(names->ptr + at);
        if (len < 6 || strcmp(names->ptr + at + len - 5, ".gram") != 0) continue;
        path->len = folder;
        if (path->ptr[folder - 1] != '/') buf_putc(path, '/');
        buf_puts(path, names->ptr + at);
        code = path->state == BUF_FINE ? add(history->cli, compilation, path->ptr)
                                       : cli_status(history->cli, buf_status(path));
        count++;
    }
    if (code == EXIT_FINE && count == 0)
        return cli_usage(history->cli, "%.*s: no .gram files there", (int)folder, path->ptr);
    return code;
}

static int add_all(struct history *history, gramc_compilation *compilation) {
    static const char *kind[2] = {"-t", NULL}, *list[2] = {"-rz", "--name-only"};
    struct cli *cli = history->cli;
    struct buf answer;
    buf_init(&answer, &cli->allocator, LARGEST_OUTPUT);
    bool good = ask(cli, &answer, "cat-file", kind, object_of(history->name.ptr));
    bool is_folder = good && text_starts(buf_view(&answer), "tree");
    if (is_folder) buf_reset(&answer);
    if (is_folder) good = ask(cli, &answer, "ls-tree", list, object_of(history->name.ptr));
    gramc_status status = answer.state == BUF_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    int code = !good       ? unreadable(cli, history->name.ptr, status)
               : is_folder ? add_listed(history, compilation, &answer)
                           : add(cli, compilation, history->name.ptr);
    buf_free(&answer);
    return code;
}

bool git_is_path(const char *operand) {
    return strncmp(operand, "git:", 4) == 0;
}

/* Writes git:REV:./path, so that git takes the path from the current folder and files that a source
 * names are found beside it. */
static int name_object(struct history *history, const char *operand) {
    const char *revision = operand + strlen("git:"), *colon = strchr(revision, ':');
    bool good = colon && colon != revision && revision[0] != '-' && colon[1] != '/';
    if (!good) return cli_usage(history->cli, "%s: write git:REV:path", operand);
    const char *path = strncmp(colon + 1, "./", 2) == 0 ? colon + 3 : colon + 1;
    if (strcmp(path, ".") == 0) path = "";
    buf_put(&history->name, operand, (size_t)(colon + 1 - operand));
    buf_puts(&history->name, "./");
    history->prefix_len = history->name.len;
    buf_puts(&history->name, path);
    if (history->name.state == BUF_FINE)
        memcpy(history->prefix, history->name.ptr, history->prefix_len);
    return cli_status(history->cli, buf_status(&history->name));
}

int git_load(struct cli *cli, gramc_compilation **out, const char *operand) {
    struct history history = {.cli = cli};
    gramc_options options = GRAMC_OPTIONS_INIT;
    *out = NULL;
    buf_init(&history.name, &cli->allocator, LONGEST_NAME - 1);
    int code = name_object(&history, operand);
    options.allocator = &cli->allocator;
    options.reader = (gramc_reader){read_for_source, &history};
    if (code == EXIT_FINE && gramc_compilation_new(out, &options)) code = cli_no_memory(cli);
    if (code == EXIT_FINE) code = add_all(&history, *out);
    if (code == EXIT_FINE) code = cli_status(cli, gramc_compile_each(*out));
    buf_free(&history.name);
    if (code == EXIT_FINE) return EXIT_FINE;
    gramc_compilation_free(*out);
    *out = NULL;
    return code;
}
