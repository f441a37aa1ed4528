/* gramc lsp: standard input and output of a language server; files as `gramc check` reads them, but
 * for texts that are open in the editor. What the protocol says is lsp/'s matter. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include "base/text.h"
#include "lsp/lsp.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 16, LONGEST_NAME = 512 };

struct editor {
    struct cli *cli;
    FILE *unheard; /* where messages of a look at a file go */
};

/* A look at one file: a command line of its own, so that all it reads ends with it. */
struct peek {
    struct cli cli;
    gramc_compilation *compilation;
    char *operand;
    char path[CLI_PATH]; /* what the operand points to: libraries are looked for from it later */
};

static void close_peek(void *ctx, void *opened) {
    struct peek *peek = opened;
    (void)ctx;
    gramc_compilation_free(peek->compilation);
    cli_free(&peek->cli);
    gramc_allocator allocator = peek->cli.allocator;
    allocator.alloc(allocator.ctx, peek, sizeof *peek, 0);
}

/* What is no file yet has its text alone. */
static int load(struct peek *peek, const gramc_text *text) {
    const char *path = peek->path;
    struct stat st;
    peek->operand = peek->path;
    peek->cli.operands = &peek->operand;
    peek->cli.operand_count = 1;
    if (!text || (stat(path, &st) == 0 && S_ISREG(st.st_mode)))
        return cli_load(&peek->cli, &peek->compilation, &peek->operand, 1);
    int code = cli_new(&peek->cli, &peek->compilation);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_add_source(peek->compilation, text_of(path), text->ptr, text->len);
    return status == GRAMC_OK || status == GRAMC_FINDINGS ? EXIT_FINE : EXIT_RUN_FAILED;
}

static void *open_peek(void *ctx, const char *path, const gramc_text *text,
                       const struct lsp_buffers *buffers, gramc_compilation **out) {
    struct editor *editor = ctx;
    const struct cli *outer = editor->cli;
    struct peek *peek = outer->allocator.alloc(outer->allocator.ctx, NULL, 0, sizeof *peek);
    if (!peek) return NULL;
    *peek = (struct peek){.compilation = NULL};
    cli_init(&peek->cli, editor->unheard, editor->unheard, &outer->allocator);
    memcpy(peek->cli.options, outer->options, sizeof peek->cli.options);
    peek->cli.buffers = (struct cli_buffers){buffers->ctx, buffers->find};
    peek->cli.keeps_trees = true;
    size_t len = strlen(path);
    int code = EXIT_USAGE;
    if (len < sizeof peek->path) {
        memcpy(peek->path, path, len + 1);
        code = load(peek, text);
    }
    if (code == EXIT_FINE) {
        *out = peek->compilation;
        return peek;
    }
    close_peek(NULL, peek);
    return NULL;
}

/* ## Folders */

static void each_source(void *ctx, const char *folder, void (*found)(void *to, const char *path),
                        void *to) {
    struct editor *editor = ctx;
    struct cli cli;
    cli_init(&cli, editor->unheard, editor->unheard, &editor->cli->allocator);
    memcpy(cli.options, editor->cli->options, sizeof cli.options);
    char name[CLI_PATH];
    size_t len = strlen(folder);
    if (len < sizeof name) {
        memcpy(name, folder, len + 1);
        cli_each_source(&cli, name, found, to);
    }
    cli_free(&cli);
}

static void each_name(void *ctx, const char *folder, void (*found)(void *to, const char *name),
                      void *to) {
    (void)ctx;
    DIR *dir = opendir(folder[0] ? folder : "/");
    const struct dirent *entry;
    struct stat st;
    while (dir && (entry = readdir(dir)) != NULL) {
        char name[LONGEST_NAME];
        size_t len = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || len + 2 > sizeof name) continue;
        memcpy(name, entry->d_name, len + 1);
        bool is_folder = fstatat(dirfd(dir), name, &st, 0) == 0 && S_ISDIR(st.st_mode);
        if (is_folder) memcpy(name + len, "/", 2);
        found(to, name);
    }
    if (dir) closedir(dir);
}

/* ## The conversation */

static int write_out(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    while (len) {
        ssize_t done = write(STDOUT_FILENO, bytes, len);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        bytes += done;
        len -= (size_t)done;
    }
    return 0;
}

static bool has_input(int timeout) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready;
    do ready = poll(&in, 1, timeout);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* False at the end of the input: the editor is gone. */
static bool read_some(struct lsp *lsp, char *bytes) {
    ssize_t got;
    do got = read(STDIN_FILENO, bytes, READ_AT_ONCE);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    lsp_feed(lsp, bytes, (size_t)got);
    return true;
}

/* All that has come is read before the next thing is done: what is newer may make it needless. */
static int converse(struct lsp *lsp, char *bytes) {
    bool can_wait = false;
    while (!lsp_is_over(lsp)) {
        if (has_input(can_wait ? -1 : 0)) {
            if (!read_some(lsp, bytes)) break;
            can_wait = false;
        } else can_wait = !lsp_step(lsp);
    }
    while (lsp_step(lsp)) continue; /* `exit` may be the last that came */
    return lsp_exit_code(lsp);
}

int cmd_lsp(struct cli *cli) {
    struct editor editor = {cli, fopen("/dev/null", "w")};
    struct lsp_host host = {.ctx = &editor,
                            .allocator = cli->allocator,
                            .write = write_out,
                            .open = open_peek,
                            .close = close_peek,
                            .each_source = each_source,
                            .each_name = each_name};
    struct lsp *lsp = NULL;
    int code = EXIT_RUN_FAILED;
    if (cli->operand_count)
        code = cli_usage(cli, "lsp: takes no files; an editor starts it and says what is open");
    else if (!editor.unheard) code = cli_usage(cli, "/dev/null: %s", strerror(errno));
    else if (lsp_new(&lsp, &host)) code = cli_no_memory(cli);
    else {
        char *bytes = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, READ_AT_ONCE);
        code = bytes ? converse(lsp, bytes) : cli_no_memory(cli);
        if (bytes) cli->allocator.alloc(cli->allocator.ctx, bytes, READ_AT_ONCE, 0);
    }
    lsp_free(lsp);
    if (editor.unheard) fclose(editor.unheard);
    return code;
}
