/* Turns a folder of a revision into the names of its sources, by the same rules as sources.c: what
 * that revision's `exclude` names is passed over, so are hidden files and links. What a revision
 * holds is tracked, so that no .gitignore speaks of it. */
#define _XOPEN_SOURCE 700
#include "cli/git_tree.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/configuration.h"
#include "cli/git_run.h"
#include "cli/ignore.h"
#include "cli/project.h"

#include <string.h>

enum { LONGEST_NAME = 4096, DEEPEST_FOLDER = 64 };

struct tree_entry {
    char kind;        /* 'f', 'l'ink, 's'ubmodule */
    const char *path; /* below the folder */
};

struct tree_walk {
    const struct git_tree *tree;
    struct arena arena;
    struct ignore excluded;
    struct tree_entry *entries;
    struct buf path; /* of what is looked at: "/" and the path from the repository's root */
    size_t folder;   /* length of the folder's part of it */
};

/* ## Rules */

/* The text of a file of the folder that `path` holds now; {NULL, 0}: there is none. */
static int read_rules(struct tree_walk *walk, const char *file, gramc_text *out) {
    const struct git_tree *tree = walk->tree;
    struct buf name;
    const char *colon = strchr(tree->name + 4, ':');
    *out = (gramc_text){NULL, 0};
    buf_init(&name, &tree->cli->allocator, 2 * LONGEST_NAME);
    buf_put(&name, tree->name, (size_t)(colon + 1 - tree->name));
    if (walk->path.len) buf_put(&name, walk->path.ptr + 1, walk->path.len - 1);
    if (walk->path.len) buf_putc(&name, '/');
    buf_puts(&name, file);
    int code = name.state == BUF_FINE ? tree->read(tree->cli, name.ptr, out)
                                      : cli_status(tree->cli, buf_status(&name));
    buf_free(&name);
    return code;
}

/* An inner configuration stands instead of an outer one. */
static int add_exclusions(struct tree_walk *walk) {
    gramc_text text;
    int code = read_rules(walk, PROJECT_CONFIGURATION, &text);
    if (code != EXIT_FINE || !text.ptr) return code;
    walk->excluded.first = walk->excluded.count;
    return cli_add_exclusions(walk->tree->cli, &walk->excluded, &walk->arena, PROJECT_CONFIGURATION,
                              text, walk->path.len);
}

static bool is_passed_over(const struct tree_walk *walk, bool is_folder) {
    return ignore_matches(&walk->excluded, buf_view(&walk->path), is_folder);
}

/* ## The folders above */

static void drop_segment(struct buf *path) {
    while (path->len && path->ptr[path->len - 1] != '/') path->len--;
    if (path->len) path->len--;
}

static void add_segments(struct buf *path, gramc_text text) {
    for (size_t start = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '/') continue;
        gramc_text segment = text_slice(text, start, i);
        start = i + 1;
        if (!segment.len || text_is(segment, ".")) continue;
        if (text_is(segment, "..")) {
            drop_segment(path);
            continue;
        }
        buf_putc(path, '/');
        buf_text(path, segment);
    }
}

/* Where the folder is in its repository. */
static int locate(struct tree_walk *walk, struct buf *out) {
    static const char *const words[] = {"rev-parse", "--show-prefix", NULL};
    struct cli *cli = walk->tree->cli;
    struct buf prefix;
    buf_init(&prefix, &cli->allocator, GIT_ANSWER);
    bool good = git_ask(cli, &prefix, words);
    if (good) add_segments(out, text_trim(buf_view(&prefix)));
    add_segments(out, text_of(walk->tree->name + walk->tree->prefix_len));
    buf_free(&prefix);
    return cli_status(cli, buf_status(out));
}

/* From the repository's root down to the folder that holds it. */
static int enter_outer(struct tree_walk *walk) {
    struct buf whole;
    buf_init(&whole, &walk->tree->cli->allocator, LONGEST_NAME);
    int code = locate(walk, &whole);
    for (size_t i = 0; i < whole.len && code == EXIT_FINE; i++) {
        if (whole.ptr[i] != '/') continue;
        buf_reset(&walk->path);
        buf_put(&walk->path, whole.ptr, i);
        code = add_exclusions(walk);
    }
    buf_reset(&walk->path);
    buf_text(&walk->path, buf_view(&whole));
    walk->folder = walk->path.len;
    buf_free(&whole);
    return code == EXIT_FINE ? cli_status(walk->tree->cli, buf_status(&walk->path)) : code;
}

/* ## The folder */

static bool is_gram(const char *name, size_t len) {
    return len > 5 && memcmp(name + len - 5, ".gram", 5) == 0;
}

static int walk_range(struct tree_walk *walk, size_t from, size_t to, size_t len, int depth);

static int tell_submodule(const struct tree_walk *walk, const char *path) {
    FILE *err = walk->tree->cli->err;
    fputs("gramc: note: ", err);
    cli_put_safe(err, text_of(path));
    fputs(" is a submodule in ", err);
    cli_put_safe(err, text_of(walk->tree->name));
    fputs(": its files are not read, since they belong to another repository\n", err);
    return EXIT_FINE;
}

static int take_file(struct tree_walk *walk, const struct tree_entry *entry, size_t len) {
    const char *name = entry->path + len;
    if (entry->kind == 's')
        return is_passed_over(walk, true) ? EXIT_FINE : tell_submodule(walk, entry->path);
    bool is_source = entry->kind == 'f' && is_gram(name, strlen(name)) &&
                     strcmp(name, PROJECT_CONFIGURATION) != 0;
    if (!is_source || is_passed_over(walk, false)) return EXIT_FINE;
    return walk->tree->found(walk->tree->ctx, entry->path);
}

static bool holds(const struct tree_walk *walk, size_t from, size_t to, size_t len,
                  const char *name) {
    for (size_t i = from; i < to; i++)
        if (strcmp(walk->entries[i].path + len, name) == 0) return true;
    return false;
}

static int enter(struct tree_walk *walk, size_t from, size_t to, size_t len) {
    return holds(walk, from, to, len, PROJECT_CONFIGURATION) ? add_exclusions(walk) : EXIT_FINE;
}

/* The entries that begin with the same name; returns how many. */
static size_t same_name(const struct tree_walk *walk, size_t from, size_t to, size_t len,
                        size_t name) {
    const char *first = walk->entries[from].path;
    size_t i = from;
    while (i < to && strncmp(walk->entries[i].path, first, len + name) == 0 &&
           walk->entries[i].path[len + name] == first[len + name])
        i++;
    return i - from;
}

static int walk_range(struct tree_walk *walk, size_t from, size_t to, size_t len, int depth) {
    const struct ignore excluded = walk->excluded;
    struct cli *cli = walk->tree->cli;
    if (depth > DEEPEST_FOLDER)
        return cli_usage(cli, "%s: folders are nested too deep", walk->tree->name);
    int code = enter(walk, from, to, len);
    while (from < to && code == EXIT_FINE) {
        const struct tree_entry *entry = &walk->entries[from];
        /* What the path has behind its first `len` bytes is one name, or begins with a folder's. */
        size_t name = strcspn(entry->path + len, "/"), path = walk->path.len;
        bool is_folder = entry->path[len + name] == '/';
        size_t count = is_folder ? same_name(walk, from, to, len, name) : 1;
        buf_putc(&walk->path, '/');
        buf_put(&walk->path, entry->path + len, name);
        bool hidden = entry->path[len] == '.';
        if (walk->path.state != BUF_FINE) code = cli_status(cli, buf_status(&walk->path));
        else if (is_folder && !hidden && !is_passed_over(walk, true))
            code = walk_range(walk, from, from + count, len + name + 1, depth + 1);
        else if (!is_folder && !hidden) code = take_file(walk, entry, len);
        walk->path.len = path;
        from += count;
    }
    walk->excluded.first = excluded.first;
    walk->excluded.count = excluded.count;
    return code;
}

/* ## The listing: "100644 blob HASH<tab>path<nul>" each */

static char kind_of(const char *mode) {
    return strncmp(mode, "160000", 6) == 0 ? 's' : strncmp(mode, "120000", 6) == 0 ? 'l' : 'f';
}

static int walk_listing(struct tree_walk *walk, const struct buf *listing) {
    size_t count = 0;
    for (size_t at = 0; at < listing->len; at += strlen(listing->ptr + at) + 1) count++;
    walk->entries = arena_array(&walk->arena, count ? count : 1, sizeof *walk->entries);
    if (!walk->entries) return cli_no_memory(walk->tree->cli);
    count = 0;
    for (size_t at = 0; at < listing->len; at += strlen(listing->ptr + at) + 1) {
        const char *line = listing->ptr + at, *tab = strchr(line, '\t');
        if (tab) walk->entries[count++] = (struct tree_entry){kind_of(line), tab + 1};
    }
    return walk_range(walk, 0, count, 0, 0);
}

int git_tree_walk(const struct git_tree *tree) {
    const char *const words[] = {"ls-tree", "-rz", "--full-tree", strchr(tree->name, ':') + 1,
                                 NULL};
    struct tree_walk walk = {.tree = tree};
    struct buf listing;
    arena_init(&walk.arena, &tree->cli->allocator);
    buf_init(&walk.path, &tree->cli->allocator, 2 * LONGEST_NAME);
    buf_init(&listing, &tree->cli->allocator, GIT_ANSWER);
    bool good = git_ask(tree->cli, &listing, words);
    int code = good ? enter_outer(&walk)
               : listing.state == BUF_NOMEM
                   ? cli_no_memory(tree->cli)
                   : cli_usage(tree->cli, "%s: git cannot list it", tree->name);
    if (code == EXIT_FINE) code = walk_listing(&walk, &listing);
    buf_free(&listing);
    buf_free(&walk.path);
    arena_free(&walk.arena);
    return code;
}
