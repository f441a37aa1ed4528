/* Turns the inputs of a golden case into a folder, and a prepared folder into an equal one. What
 * stands in them is the runner's business. */
#define _GNU_SOURCE /* ST_NOEXEC */
#include "tests/golden/folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_LONGEST = 1024, FOLDERS_OPEN = 8 };

/* ## Files */

char *file_read(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (text) {
        *len = fread(text, 1, (size_t)size, file);
        text[*len] = '\0';
    }
    fclose(file);
    return text;
}

static bool holds(const char *path, const char *text, size_t len) {
    struct stat st;
    size_t found_len = 0;
    if (lstat(path, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != len) return false;
    char *found = file_read(path, &found_len);
    bool same = found && found_len == len && memcmp(found, text, len) == 0;
    free(found);
    return same;
}

static void make_folders(const char *name) {
    char path[PATH_LONGEST];
    snprintf(path, sizeof(path), "%s", name);
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static bool write_file(const char *path, const char *text, size_t len) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool whole = fwrite(text, 1, len, file) == len;
    return fclose(file) == 0 && whole;
}

void file_provide(const char *path, const char *text, size_t len) {
    if (holds(path, text, len)) return;
    make_folders(path);
    if (!write_file(path, text, len)) perror(path);
}

/* ## Folders */

/* Memory, where programs may be started from it as well: some cases bring their own. */
bool case_folder_make(char path[FOLDER_PATH]) {
    struct statvfs fs;
    bool memory = !statvfs("/dev/shm", &fs) && !(fs.f_flag & (ST_RDONLY | ST_NOEXEC)) &&
                  access("/dev/shm", W_OK) == 0;
    snprintf(path, FOLDER_PATH, "%s/gramc-golden-XXXXXX", memory ? "/dev/shm" : "/tmp");
    return mkdtemp(path) != NULL;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

bool case_folder_remove(const char *path) {
    return nftw(path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) == 0;
}

static bool copy_file(const char *from, const char *to, mode_t mode) {
    size_t len = 0;
    char *text = file_read(from, &len);
    bool done = text && write_file(to, text, len) && chmod(to, mode) == 0;
    free(text);
    return done;
}

static bool copy_entry(const char *from, const char *to) {
    struct stat st;
    if (lstat(from, &st)) return false;
    if (S_ISREG(st.st_mode)) return copy_file(from, to, st.st_mode & 07777);
    return S_ISDIR(st.st_mode) && case_folder_copy(from, to) && chmod(to, st.st_mode & 07777) == 0;
}

bool case_folder_copy(const char *from, const char *to) {
    if (access(to, F_OK) == 0 && !case_folder_remove(to)) return false;
    DIR *folder = opendir(from);
    bool done = folder && mkdir(to, 0700) == 0;
    for (struct dirent *entry; done && (entry = readdir(folder)) != NULL;) {
        char source[PATH_LONGEST], target[PATH_LONGEST];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
        snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
        done = copy_entry(source, target);
    }
    if (folder) closedir(folder);
    return done;
}
