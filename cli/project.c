/* Finds the configuration that a path belongs to, and says whether a file lies inside the path's
 * project. A project's root is the repository; without one the highest folder that holds a
 * gramc.gram, since an inner one only holds for the files below it; without that, the current
 * folder if the path is inside it, else the path's own folder. A spec of somebody else can so not
 * read what is none of the project's business. */
#define _XOPEN_SOURCE 700
#include "cli/project.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HIGHEST_CLIMB = 100 };

/* ## Folders, as texts: "" is the current one */

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
static bool go_up(char folder[CLI_PATH]) {
    char *slash = strrchr(folder, '/');
    const char *last = slash ? slash + 1 : folder;
    size_t len = strlen(folder);
    if (strcmp(last, "..") == 0) {
        if (len + 4 > CLI_PATH) return false;
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

bool project_join(char out[CLI_PATH], const char *folder, const char *name) {
    size_t len = strlen(folder);
    const char *slash = len == 0 || folder[len - 1] == '/' ? "" : "/";
    int used = snprintf(out, CLI_PATH, "%s%s%s", folder, slash, name);
    return used > 0 && used < CLI_PATH;
}

static bool holds(const char *folder, const char *name) {
    char path[CLI_PATH];
    struct stat st;
    return project_join(path, folder, name) && stat(path, &st) == 0;
}

/* ## The search */

/* The folder of a file, or the folder itself. */
static bool folder_of(const char *path, char folder[CLI_PATH]) {
    struct stat st;
    bool is_stdin = !path || strcmp(path, "-") == 0;
    int used = snprintf(folder, CLI_PATH, "%s", is_stdin ? "" : path);
    if (used < 0 || used >= CLI_PATH) return false;
    cut_slashes(folder);
    if (!is_stdin && (stat(folder, &st) || !S_ISDIR(st.st_mode))) cut_name(folder);
    return true;
}

typedef enum project_mark mark_reader(const char *folder);

static enum project_mark read_mark(const char *folder) {
    if (holds(folder, PROJECT_CONFIGURATION)) return PROJECT_CONFIGURED;
    return holds(folder, ".git") ? PROJECT_REPOSITORY : PROJECT_UNMARKED;
}

static enum project_mark read_repository(const char *folder) {
    return holds(folder, ".git") ? PROJECT_REPOSITORY : PROJECT_UNMARKED;
}

/* Ends at a mark, at the file system's root, and below common ground. */
static enum project_mark climb(const char *path, char folder[CLI_PATH], mark_reader *read) {
    struct stat here, above;
    if (!folder_of(path, folder) || !stat_folder(folder, &here)) return PROJECT_UNMARKED;
    for (int climbed = 0; climbed < HIGHEST_CLIMB && !is_common_ground(&here); climbed++) {
        enum project_mark mark = read(folder);
        if (mark != PROJECT_UNMARKED) return mark;
        if (!go_up(folder) || !stat_folder(folder, &above)) break;
        if (above.st_dev == here.st_dev && above.st_ino == here.st_ino) break;
        here = above;
    }
    return PROJECT_UNMARKED;
}

enum project_mark project_find(const char *path, char folder[CLI_PATH]) {
    return climb(path, folder, read_mark);
}

bool project_find_repository(const char *path, char folder[CLI_PATH]) {
    return climb(path, folder, read_repository) == PROJECT_REPOSITORY;
}

/* ## Inside and outside, by real paths */

static bool is_below(const char *path, const char *folder) {
    size_t len = strlen(folder);
    if (strcmp(folder, "/") == 0) return true;
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool real_folder(const char *folder, char out[PATH_MAX]) {
    return realpath(folder[0] ? folder : ".", out) != NULL;
}

static bool find_whole(const char *path, char folder[CLI_PATH]) {
    char place[CLI_PATH];
    bool found = false;
    const char *from = path;
    if (project_find_repository(path, folder)) return true;
    for (int i = 0; i < HIGHEST_CLIMB && project_find(from, place) == PROJECT_CONFIGURED; i++) {
        found = true;
        memcpy(folder, place, sizeof place);
        if (!go_up(place)) break;
        from = place;
    }
    return found;
}

/* A link out of the project leads to a project of its own. */
static bool find_root(const char *path, char root[PATH_MAX]) {
    char folder[CLI_PATH], own[PATH_MAX];
    if (!folder_of(path, folder) || !real_folder(folder, own)) return false;
    if (!find_whole(path, folder)) folder[0] = '\0';
    if (real_folder(folder, root) && is_below(own, root)) return true;
    memcpy(root, own, strlen(own) + 1);
    return true;
}

bool project_root(const char *path, char root[PATH_MAX]) {
    return find_root(path, root);
}

/* Of what does not exist, the nearest folder that does: nobody learns what there is outside. */
static bool real_place(const char *path, char out[PATH_MAX]) {
    char place[CLI_PATH];
    size_t len = strlen(path);
    if (len >= sizeof place) return false;
    memcpy(place, path, len + 1);
    while (!realpath(place[0] ? place : ".", out)) {
        if (!place[0] || strcmp(place, "/") == 0) return false;
        cut_name(place);
    }
    return true;
}

static bool is_in_project_of(const char *start, const char *path) {
    char root[PATH_MAX], real[PATH_MAX];
    return real_place(path, real) && find_root(start, root) && is_below(real, root);
}

/* The project of an operand is looked for once. */
static bool is_in_own_project(struct cli *cli, const char *path) {
    char root[PATH_MAX], real[PATH_MAX];
    const char *operand = cli->operand_count ? cli->operands[0] : ".";
    if (cli->root_of != operand) {
        if (!find_root(operand, root) || strlen(root) >= sizeof cli->root) return false;
        memcpy(cli->root, root, strlen(root) + 1);
        cli->root_of = operand;
    }
    return real_place(path, real) && is_below(real, cli->root);
}

bool cli_is_own(struct cli *cli, gramc_text path) {
    char file[CLI_PATH];
    if (path.len >= sizeof file) return false;
    memcpy(file, path.ptr, path.len);
    file[path.len] = '\0';
    return is_in_own_project(cli, file);
}

bool cli_is_here(gramc_text path) {
    char file[CLI_PATH];
    if (path.len >= sizeof file) return false;
    memcpy(file, path.ptr, path.len);
    file[path.len] = '\0';
    return is_in_project_of(".", file);
}

/* `--library FILE#NAME` may name a file of another project, which may read its own. */
static bool is_in_project_of_library(const struct cli *cli, const char *path) {
    char file[CLI_PATH];
    const char *option = cli->options[OPTION_LIBRARY];
    const char *hash = option ? strrchr(option, '#') : NULL;
    size_t len = !option ? 0 : hash ? (size_t)(hash - option) : strlen(option);
    if (len == 0 || len >= sizeof file) return false;
    memcpy(file, option, len);
    file[len] = '\0';
    return is_in_project_of(file, path);
}

bool cli_is_inside(struct cli *cli, const char *path) {
    return is_in_own_project(cli, path) || is_in_project_of_library(cli, path);
}
