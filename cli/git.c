/* Turns `git:REV:path` into sources: what `git show` prints, and of folders what git_tree.c
 * chooses. The path is relative to the current folder. Why something cannot be shown is said in
 * git's own words. */
#include "cli/git.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/git_run.h"
#include "cli/git_tree.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 4096, LONGEST_REASON = 300 };

/* One revision, and what its files are read for. */
struct history {
    struct cli *cli;
    char prefix[LONGEST_NAME]; /* "git:REV:./" */
    size_t prefix_len;
    struct buf name; /* the prefix and the path of the operand */
};

/* ## Files of a revision */

/* `git:REV:path` is REV:path to git. */
static const char *object_of(const char *name) {
    return name + strlen("git:");
}

static struct cli_file *keep(struct cli *cli, struct buf *bytes) {
    struct cli_file *file = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *file);
    if (!file) return NULL;
    *file = (struct cli_file){cli->files, bytes->ptr, bytes->len, bytes->size, NULL};
    cli->files = file;
    return file;
}

static gramc_status show(struct cli *cli, const char *name, gramc_text *out) {
    const char *const words[] = {"show", "--no-textconv", "--no-color", object_of(name), NULL};
    struct buf bytes;
    buf_init(&bytes, &cli->allocator, GIT_ANSWER);
    bool good = git_ask(cli, &bytes, words);
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

/* Why something cannot be shown, in git's words or ours. */
struct reason {
    struct cli *cli;
    char text[LONGEST_REASON];
    bool oom;
};

/* True if git answers, and `begin` is how. */
static bool answers(struct reason *reason, const char *const words[], const char *begin) {
    struct buf answer;
    buf_init(&answer, &reason->cli->allocator, GIT_ANSWER);
    bool yes = git_ask(reason->cli, &answer, words) && text_starts(buf_view(&answer), begin);
    reason->oom = reason->oom || answer.state == BUF_NOMEM;
    buf_free(&answer);
    return yes;
}

static void ask_reason(struct reason *reason, const char *const words[]) {
    if (!git_reason(reason->cli, words, reason->text, sizeof reason->text)) reason->oom = true;
}

/* Writes why there is no such revision; false if there is one. */
static bool lacks_revision(struct reason *reason, const char *name) {
    static const char *const shallow[] = {"rev-parse", "--is-shallow-repository", NULL};
    char tree[LONGEST_NAME + sizeof "^{tree}"];
    const char *revision = object_of(name);
    int len = (int)(strchr(revision, ':') - revision);
    const char *const words[] = {"rev-parse", "--verify", tree, NULL};
    snprintf(tree, sizeof tree, "%.*s^{tree}", len, revision);
    if (answers(reason, words, "")) return false;
    ask_reason(reason, words);
    if (!reason->text[0]) {
        snprintf(reason->text, sizeof reason->text, "git does not start");
        return true;
    }
    if (text_starts(text_of(reason->text), "not a git repository")) return true;
    const char *hint = answers(reason, shallow, "true")
                           ? "; this clone is shallow, so it may have to be fetched"
                           : "";
    snprintf(reason->text, sizeof reason->text, "there is no revision %.*s here%s", len, revision,
             hint);
    return true;
}

static int unreadable(struct cli *cli, const char *name, gramc_status status) {
    const char *const words[] = {"show", object_of(name), NULL};
    struct reason reason = {.cli = cli};
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (!lacks_revision(&reason, name)) ask_reason(&reason, words);
    if (reason.oom) return cli_no_memory(cli);
    return cli_usage(cli, "%s: git cannot show it; %s", name,
                     reason.text[0] ? reason.text : "`git show` says why");
}

static int add(struct cli *cli, gramc_compilation *compilation, const char *name) {
    gramc_text bytes;
    gramc_status status = show(cli, name, &bytes);
    if (status != GRAMC_OK) return unreadable(cli, name, status);
    return cli_status(cli, gramc_add_source(compilation, text_of(name), bytes.ptr, bytes.len));
}

/* A folder of a revision, whose files are added. */
struct folder {
    struct history *history;
    gramc_compilation *compilation;
    size_t count;
};

static int add_found(void *ctx, const char *path) {
    struct folder *folder = ctx;
    struct buf *name = &folder->history->name;
    size_t len = name->len;
    if (len != folder->history->prefix_len && name->ptr[len - 1] != '/') buf_putc(name, '/');
    buf_puts(name, path);
    int code = name->state == BUF_FINE ? add(folder->history->cli, folder->compilation, name->ptr)
                                       : cli_status(folder->history->cli, buf_status(name));
    name->len = len;
    if (name->ptr) name->ptr[len] = '\0';
    folder->count++;
    return code;
}

static int read_for_rules(void *ctx, const char *name, gramc_text *out) {
    gramc_status status = show(ctx, name, out);
    return status == GRAMC_NOMEM ? cli_no_memory(ctx) : EXIT_FINE;
}

static int add_folder(struct history *history, gramc_compilation *compilation) {
    struct folder folder = {history, compilation, 0};
    const struct git_tree tree = {history->cli,   history->name.ptr, history->prefix_len,
                                  read_for_rules, add_found,         &folder};
    int code = git_tree_walk(&tree);
    if (code == EXIT_FINE && folder.count == 0)
        return cli_usage(history->cli, "%s: no .gram files there", history->name.ptr);
    return code;
}

static int add_all(struct history *history, gramc_compilation *compilation) {
    const char *const words[] = {"cat-file", "-t", object_of(history->name.ptr), NULL};
    struct cli *cli = history->cli;
    struct buf answer;
    buf_init(&answer, &cli->allocator, GIT_ANSWER);
    bool good = git_ask(cli, &answer, words);
    bool is_folder = good && text_starts(buf_view(&answer), "tree");
    gramc_status status = answer.state == BUF_NOMEM ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    buf_free(&answer);
    if (!good) return unreadable(cli, history->name.ptr, status);
    return is_folder ? add_folder(history, compilation) : add(cli, compilation, history->name.ptr);
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
