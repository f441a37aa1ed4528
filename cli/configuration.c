/* Finds the configuration that is in force: what --config names, or the nearest gramc.gram from the
 * folder of the first file upward. What it says is the library's matter. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char file_name[] = "gramc.gram";

enum { HIGHEST_CLIMB = 100 };

/* ## Folders, as texts: "" is the current one */

static bool put_path(char *out, size_t size, const char *folder, const char *name) {
    size_t len = strlen(folder);
    const char *slash = len == 0 || folder[len - 1] == '/' ? "" : "/";
    int used = snprintf(out, size, "%s%s%s", folder, slash, name);
    return used > 0 && (size_t)used < size;
}

static void cut_slashes(char *path) {
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') path[--len] = '\0';
}

static void cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash) path[0] = '\0';
    else slash[slash == path] = '\0';
}

/* False at the limit of path lengths. */
static bool go_up(char *folder, size_t size) {
    char *slash = strrchr(folder, '/');
    const char *last = slash ? slash + 1 : folder;
    size_t len = strlen(folder);
    if (strcmp(last, "..") == 0) {
        if (len + 4 > size) return false;
        memcpy(folder + len, "/..", 4);
    } else if (len == 0 || strcmp(folder, ".") == 0) {
        memcpy(folder, "..", 3);
    } else {
        cut_name(folder);
    }
    cut_slashes(folder);
    return true;
}

static bool stat_folder(const char *folder, struct stat *st) {
    return stat(folder[0] ? folder : ".", st) == 0 && S_ISDIR(st->st_mode);
}

/* In a folder like /tmp anybody could leave a configuration for everybody. */
static bool is_common_ground(const struct stat *st) {
    return (st->st_mode & S_IWOTH) && (st->st_mode & S_ISVTX);
}

static bool holds(const char *folder, const char *name, char *path, size_t size) {
    struct stat st;
    return put_path(path, size, folder, name) && stat(path, &st) == 0;
}

/* Climbs to the nearest gramc.gram; ends at a repository's root, at the file system's, and below
 * common ground. */
static bool find_upward(char *folder, size_t folder_size, char *path, size_t size) {
    struct stat here, above;
    if (!stat_folder(folder, &here)) return false;
    for (int climbed = 0; climbed < HIGHEST_CLIMB && !is_common_ground(&here); climbed++) {
        if (holds(folder, file_name, path, size)) return true;
        if (holds(folder, ".git", path, size) || !go_up(folder, folder_size)) return false;
        if (!stat_folder(folder, &above)) return false;
        if (above.st_dev == here.st_dev && above.st_ino == here.st_ino) return false;
        here = above;
    }
    return false;
}

static bool find(const char *first, char *path, size_t size) {
    char folder[CLI_PATH];
    struct stat st;
    bool is_stdin = !first || strcmp(first, "-") == 0;
    int used = snprintf(folder, sizeof folder, "%s", is_stdin ? "" : first);
    if (used < 0 || (size_t)used >= sizeof folder) return false;
    cut_slashes(folder);
    if (!is_stdin && (stat(folder, &st) || !S_ISDIR(st.st_mode))) cut_name(folder);
    return find_upward(folder, sizeof folder, path, size);
}

/* ## In force */

int cli_configure(struct cli *cli, gramc_compilation *compilation, const char *first) {
    const char *named = cli->options[OPTION_CONFIG];
    cli->configuration[0] = '\0';
    if (named && cli->options[OPTION_NO_CONFIG])
        return cli_usage(cli, "choose one of --config and --no-config");
    if (cli->options[OPTION_NO_CONFIG]) return EXIT_FINE;
    if (named) {
        if (!put_path(cli->configuration, sizeof cli->configuration, "", named))
            return cli_usage(cli, "%s: %s", named, strerror(ENAMETOOLONG));
    } else if (!find(first, cli->configuration, sizeof cli->configuration)) {
        cli->configuration[0] = '\0';
        return EXIT_FINE;
    }
    const struct cli_file *file = cli_read(cli, cli->configuration);
    if (!file) return cli->failure;
    return cli_status(cli, gramc_add_configuration(compilation, text_of(cli->configuration),
                                                   file->bytes, file->len));
}

bool cli_is_configuration(const struct cli *cli, const char *path) {
    struct stat one, other;
    if (!cli->configuration[0] || stat(cli->configuration, &one) || stat(path, &other))
        return false;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
