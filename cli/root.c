/* Says whether a file that a source names lies inside the project. The project's root is the
 * nearest folder, from the first operand upward, that holds gramc.gram or .git; without one, the
 * current folder if the operand is inside it, else the operand's own folder. A spec of somebody
 * else can so not read what is none of the project's business. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Cuts the last segment; false at the root of the file system. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return false;
    *slash = '\0';
    return true;
}

static bool holds(const char *folder, const char *name) {
    char path[PATH_MAX + 16];
    struct stat st;
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    return len > 0 && (size_t)len < sizeof path && stat(path, &st) == 0;
}

static bool is_below(const char *path, const char *folder) {
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The folder of a file, or the folder itself. */
static bool folder_of(const char *path, char *out) {
    struct stat st;
    if (!realpath(strcmp(path, "-") == 0 ? "." : path, out)) return false;
    return (stat(out, &st) == 0 && S_ISDIR(st.st_mode)) || go_up(out);
}

/* Into out[PATH_MAX]. */
static bool find_root(const char *start, char *out) {
    char folder[PATH_MAX], current[PATH_MAX];
    if (!folder_of(start, folder)) return false;
    memcpy(out, folder, strlen(folder) + 1);
    do {
        if (holds(out, "gramc.gram") || holds(out, ".git")) return true;
    } while (go_up(out));
    bool inside = realpath(".", current) && is_below(folder, current);
    const char *root = inside ? current : folder;
    memcpy(out, root, strlen(root) + 1);
    return true;
}

static bool is_in_project_of(const char *start, const char *path) {
    char root[PATH_MAX], real[PATH_MAX];
    return realpath(path, real) && find_root(start, root) && is_below(real, root);
}

/* `--library FILE#NAME` may name a file of another project, which may read its own. */
static bool is_in_project_of_library(const struct cli *cli, const char *path) {
    char file[PATH_MAX];
    const char *option = cli->options[OPTION_LIBRARY];
    const char *hash = option ? strrchr(option, '#') : NULL;
    size_t len = !option ? 0 : hash ? (size_t)(hash - option) : strlen(option);
    if (len == 0 || len >= sizeof file) return false;
    memcpy(file, option, len);
    file[len] = '\0';
    return is_in_project_of(file, path);
}

bool cli_is_inside(struct cli *cli, const char *path) {
    const char *operand = cli->operand_count ? cli->operands[0] : ".";
    return is_in_project_of(operand, path) || is_in_project_of_library(cli, path);
}
