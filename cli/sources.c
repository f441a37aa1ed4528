/* Turns operands (files, folders, standard input) into the sources of a compilation: every *.gram
 * below a folder, by name, less what git ignores and what a configuration excludes. A file that is
 * named is always read. Follows no symbolic link into a folder. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/configuration.h"
#include "cli/ignore.h"
#include "cli/project.h"
#include "cli/tracked.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_FOLDER = 64, LARGEST_NAMES = INT32_MAX - 1 };

struct walk {
    struct cli *cli;
    gramc_compilation *compilation;
    bool is_configured; /* gramc.gram holds and is no source */
    bool in_repository, has_index;
    bool only_tracked;               /* below a folder that git ignores */
    size_t root;                     /* the length of the real path of the repository */
    struct tracked tracked;          /* once something is ignored */
    struct ignore ignored, excluded; /* by git, by the configuration */
    struct buf path, real;           /* of what is looked at: as messages say it, and from / on */
    struct map seen;                 /* files, by device and inode */
    struct arena arena;
    void (*found)(void *to, const char *path); /* NULL: files are read */
    void *to;
};

/* ## Files */

/* A file that several operands name, or hold, is one source. */
static bool is_seen(struct walk *walk, const struct stat *st) {
    struct {
        dev_t device;
        ino_t inode;
    } id;
    memset(&id, 0, sizeof id);
    id.device = st->st_dev;
    id.inode = st->st_ino;
    const gramc_text key = {(const char *)&id, sizeof id};
    if (map_get(&walk->seen, key)) return true;
    map_put(&walk->seen, arena_text(&walk->arena, key), walk);
    return false;
}

static int add_file(struct walk *walk, const char *path) {
    struct cli *cli = walk->cli;
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_text name = strcmp(path, "-") == 0 ? TEXT("<stdin>") : text_of(path);
    cli->sources++;
    gramc_status status = gramc_add_source(walk->compilation, name, file->bytes, file->len);
    return status == GRAMC_IO ? cli->failure : cli_status(cli, status);
}

/* A configuration holds for itself as soon as it is read; EXIT_FINE if it is none, and *is_one
 * false.
 */
static int try_configuration(struct walk *walk, const char *path, bool *is_one) {
    const struct cli_config *config;
    *is_one = false;
    if (!walk->is_configured) return EXIT_FINE;
    int code = cli_configuration_of(walk->cli, path, &config);
    if (code != EXIT_FINE || !cli_is_configuration(config, path)) return code;
    *is_one = true;
    if (walk->cli->options[OPTION_CONFIG]) return EXIT_FINE; /* read already */
    gramc_status status = gramc_configure(walk->compilation, text_of(path));
    return status == GRAMC_IO ? walk->cli->failure : cli_status(walk->cli, status);
}

static int add_source(struct walk *walk, const char *path, const struct stat *st, bool is_named) {
    bool is_configuration;
    if (is_seen(walk, st)) return EXIT_FINE;
    if (walk->found) {
        walk->found(walk->to, path);
        return EXIT_FINE;
    }
    int code = try_configuration(walk, path, &is_configuration);
    /* Who names it alone gets the verdict. */
    if (is_configuration && is_named) walk->cli->sources++;
    return code == EXIT_FINE && !is_configuration ? add_file(walk, path) : code;
}

/* What went wrong with the paths: without memory, or at the limit of their lengths. */
static int path_failure(const struct walk *walk, const char *path) {
    if (walk->path.state == BUF_NOMEM || walk->real.state == BUF_NOMEM)
        return cli_no_memory(walk->cli);
    return cli_usage(walk->cli, "%s: %s", path, strerror(ENAMETOOLONG));
}

/* ## What is passed over */

static int add_git_rules(struct walk *walk, const char *file) {
    struct stat st;
    size_t len = walk->real.len, base = len;
    buf_puts(&walk->real, file);
    bool there = walk->real.state == BUF_FINE && stat(walk->real.ptr, &st) == 0;
    const struct cli_file *rules = NULL;
    if (there && S_ISREG(st.st_mode)) rules = cli_read(walk->cli, walk->real.ptr);
    if (walk->real.state != BUF_FINE) return path_failure(walk, file);
    walk->real.len = len;
    walk->real.ptr[len] = '\0';
    if (there && S_ISREG(st.st_mode) && !rules) return walk->cli->failure;
    bool good = !rules || ignore_add_lines(&walk->ignored, &walk->arena, base,
                                           (gramc_text){rules->bytes, rules->len});
    return good ? EXIT_FINE : cli_no_memory(walk->cli);
}

static int add_exclusions(struct walk *walk, const struct cli_config *config, size_t base) {
    gramc_text text = {config->file->bytes, config->file->len};
    return cli_add_exclusions(walk->cli, &walk->excluded, &walk->arena, config->path, text, base);
}

/* The length of the real path of the folder that holds a file; 0 if it is none of those above. */
static size_t base_of(const struct walk *walk, const char *file) {
    char real[PATH_MAX];
    if (!realpath(file, real)) return 0;
    size_t len = (size_t)(strrchr(real, '/') - real);
    bool above = len <= walk->real.len && memcmp(real, walk->real.ptr, len) == 0;
    return above ? len : walk->real.len;
}

/* The rules of the folders above the first one. */
static int begin_git(struct walk *walk, const char *operand) {
    char folder[CLI_PATH], root[PATH_MAX];
    walk->in_repository = project_find_repository(operand, folder);
    if (!walk->in_repository || !realpath(folder[0] ? folder : ".", root)) return EXIT_FINE;
    size_t len = walk->real.len, at = strlen(root);
    if (at > len || memcmp(root, walk->real.ptr, at) != 0) return EXIT_FINE;
    gramc_text copy = arena_text(&walk->arena, buf_view(&walk->real));
    if (!copy.ptr) return cli_no_memory(walk->cli);
    walk->root = walk->real.len = strcmp(root, "/") == 0 ? 0 : at;
    int code = add_git_rules(walk, "/.git/info/exclude");
    while (code == EXIT_FINE && walk->real.len < len) {
        code = add_git_rules(walk, "/.gitignore");
        size_t next = walk->real.len + 1;
        while (next < len && copy.ptr[next] != '/') next++;
        buf_text(&walk->real, text_slice(copy, walk->real.len, next));
    }
    return code;
}

/* Where `.git` is a file, it says where the folder is that stands for it. */
static bool find_index(const struct walk *walk, char path[CLI_PATH]) {
    char folder[CLI_PATH], line[CLI_PATH];
    int len = snprintf(folder, sizeof folder, "%.*s/.git", (int)walk->root, walk->real.ptr);
    if (len < 0 || len >= CLI_PATH) return false;
    FILE *file = fopen(folder, "rb");
    bool said = file && fgets(line, sizeof line, file) && strncmp(line, "gitdir: ", 8) == 0;
    if (file) fclose(file);
    if (said) line[strcspn(line, "\r\n")] = '\0';
    bool is_relative = said && line[8] != '/';
    len = said ? snprintf(path, CLI_PATH, "%.*s%s%s/index", is_relative ? (int)walk->root : 0,
                          walk->real.ptr, is_relative ? "/" : "", line + 8)
               : snprintf(path, CLI_PATH, "%s/index", folder);
    return len > 0 && len < CLI_PATH;
}

/* Read once, and only where something is ignored. */
static bool is_tracked(struct walk *walk) {
    char path[CLI_PATH];
    struct stat st;
    if (!walk->has_index) {
        walk->has_index = true;
        tracked_init(&walk->tracked, &walk->arena);
        bool there = find_index(walk, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode);
        const struct cli_file *index = there ? cli_read(walk->cli, path) : NULL;
        if (index) tracked_add(&walk->tracked, (gramc_text){index->bytes, index->len});
    }
    gramc_text real = buf_view(&walk->real);
    return tracked_has(&walk->tracked, text_slice(real, walk->root + 1, real.len));
}

static bool is_ignored(const struct walk *walk, bool is_folder) {
    return walk->only_tracked || ignore_matches(&walk->ignored, buf_view(&walk->real), is_folder);
}

static bool is_passed_over(struct walk *walk, bool is_folder) {
    if (ignore_matches(&walk->excluded, buf_view(&walk->real), is_folder)) return true;
    return is_ignored(walk, is_folder) && !is_tracked(walk);
}

/* ## Folders */

static bool is_gram(const char *name) {
    size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".gram") == 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
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

static int add_folder(struct walk *walk, int depth);

/* What git ignores as a whole still holds what it tracks, and nothing else of it is read. */
static int add_inner(struct walk *walk, int depth) {
    bool before = walk->only_tracked;
    if (is_passed_over(walk, true)) return EXIT_FINE;
    walk->only_tracked = is_ignored(walk, true);
    int code = add_folder(walk, depth + 1);
    walk->only_tracked = before;
    return code;
}

static int add_entry(struct walk *walk, const char *name, int depth) {
    struct stat st;
    size_t path = walk->path.len, real = walk->real.len;
    int code = EXIT_FINE;
    if (path && walk->path.ptr[path - 1] != '/') buf_putc(&walk->path, '/');
    buf_puts(&walk->path, name);
    buf_putc(&walk->real, '/');
    buf_puts(&walk->real, name);
    if (walk->path.state != BUF_FINE || walk->real.state != BUF_FINE)
        return path_failure(walk, name);
    if (lstat(walk->path.ptr, &st))
        code = cli_usage(walk->cli, "%s: %s", walk->path.ptr, strerror(errno));
    else if (S_ISDIR(st.st_mode)) code = add_inner(walk, depth);
    else if (S_ISREG(st.st_mode) && is_gram(name) && !is_passed_over(walk, false))
        code = add_source(walk, walk->path.ptr, &st, false);
    walk->path.len = path;
    walk->real.len = real;
    walk->path.ptr[path] = walk->real.ptr[real] = '\0';
    return code;
}

static int add_sorted(struct walk *walk, const struct buf *names, int depth) {
    struct cli *cli = walk->cli;
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
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) code = add_entry(walk, list[i], depth);
    cli->allocator.alloc(cli->allocator.ctx, list, size, 0);
    return code;
}

static bool names_hold(const struct buf *names, const char *name) {
    for (size_t at = 0; at < names->len; at += strlen(names->ptr + at) + 1)
        if (strcmp(names->ptr + at, name) == 0) return true;
    return false;
}

/* The folder's own rules. An inner configuration stands instead of an outer one. */
static int enter(struct walk *walk, const struct buf *names) {
    const struct cli_config *config;
    int code = walk->in_repository ? add_git_rules(walk, "/.gitignore") : EXIT_FINE;
    bool is_inner = names_hold(names, PROJECT_CONFIGURATION) && !walk->cli->options[OPTION_CONFIG];
    if (code != EXIT_FINE || !is_inner) return code;
    code = cli_configuration_of(walk->cli, walk->path.ptr, &config);
    if (code != EXIT_FINE || !config) return code;
    walk->excluded.first = walk->excluded.count;
    return add_exclusions(walk, config, walk->real.len);
}

static int add_folder(struct walk *walk, int depth) {
    struct buf names;
    const struct ignore ignored = walk->ignored, excluded = walk->excluded;
    if (depth > DEEPEST_FOLDER)
        return cli_usage(walk->cli, "%s: folders are nested too deep", walk->path.ptr);
    buf_init(&names, &walk->cli->allocator, LARGEST_NAMES);
    int code = read_names(walk->cli, &names, walk->path.ptr);
    if (code == EXIT_FINE) code = enter(walk, &names);
    if (code == EXIT_FINE) code = add_sorted(walk, &names, depth);
    walk->ignored.count = ignored.count;
    walk->excluded.first = excluded.first;
    walk->excluded.count = excluded.count;
    buf_free(&names);
    return code;
}

/* ## Operands */

static int begin_folder(struct walk *walk, const char *path) {
    const struct cli_config *config;
    char real[PATH_MAX];
    if (!realpath(path, real)) return cli_usage(walk->cli, "%s: %s", path, strerror(errno));
    buf_reset(&walk->path);
    buf_reset(&walk->real);
    buf_puts(&walk->path, path);
    buf_puts(&walk->real, strcmp(real, "/") == 0 ? "" : real);
    if (walk->path.state != BUF_FINE || walk->real.state != BUF_FINE)
        return path_failure(walk, path);
    walk->ignored.count = walk->excluded.count = walk->excluded.first = 0;
    walk->has_index = false;
    int code = cli_configuration_of(walk->cli, path, &config);
    if (code == EXIT_FINE && config)
        code = add_exclusions(walk, config, base_of(walk, config->path));
    return code == EXIT_FINE ? begin_git(walk, path) : code;
}

static int add_operand(struct walk *walk, const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0) return add_file(walk, path);
    if (stat(path, &st)) return cli_usage(walk->cli, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) return add_source(walk, path, &st, true);
    int code = begin_folder(walk, path);
    return code == EXIT_FINE ? add_folder(walk, 0) : code;
}

static int add_operands(struct walk *walk, char **paths, size_t count) {
    struct cli *cli = walk->cli;
    int code = EXIT_FINE;
    arena_init(&walk->arena, &cli->allocator);
    map_init(&walk->seen, &walk->arena);
    buf_init(&walk->path, &cli->allocator, CLI_PATH);
    buf_init(&walk->real, &cli->allocator, PATH_MAX + CLI_PATH);
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) code = add_operand(walk, paths[i]);
    if (code == EXIT_FINE && walk->arena.oom) code = cli_no_memory(cli);
    buf_free(&walk->path);
    buf_free(&walk->real);
    arena_free(&walk->arena);
    return code;
}

/* ## Compilations */

static int new_compilation(struct cli *cli, gramc_compilation **out, bool is_configured) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    options.allocator = &cli->allocator;
    options.reader = cli_reader(cli);
    options.plain = cli->options[OPTION_PLAIN] != NULL;
    options.strict = cli->options[OPTION_STRICT] != NULL;
    options.strict_vocabulary = cli->options[OPTION_STRICT_VOCABULARY] != NULL;
    options.advice = cli->options[OPTION_ADVICE] != NULL;
    options.keep_types = cli->options[OPTION_DEFS] != NULL;
    options.forget_trees =
        is_configured && !cli->keeps_trees; /* what reads no configuration looks at trees */
    bool is_named = cli->options[OPTION_CONFIG];
    if (is_configured && !is_named) options.configurer = cli_configurer(cli);
    *out = NULL;
    if (gramc_compilation_new(out, &options)) return cli_no_memory(cli);
    return is_configured && is_named ? cli_configure(cli, *out, NULL) : EXIT_FINE;
}

int cli_new(struct cli *cli, gramc_compilation **out) {
    return new_compilation(cli, out, true);
}

static int load(struct cli *cli, gramc_compilation **out, char **paths, size_t count,
                bool is_configured) {
    cli->sources = 0;
    int code = new_compilation(cli, out, is_configured);
    struct walk walk = {.cli = cli, .compilation = *out, .is_configured = is_configured};
    if (code == EXIT_FINE) code = add_operands(&walk, paths, count);
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

int cli_each_source(struct cli *cli, char *folder, void (*found)(void *to, const char *path),
                    void *to) {
    struct walk walk = {.cli = cli, .found = found, .to = to};
    return add_operands(&walk, &folder, 1);
}
