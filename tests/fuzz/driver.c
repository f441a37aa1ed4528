/* Replays inputs through a fuzz target without libFuzzer: every file given, and every file in each
 * folder given. So a corpus is a regression test in every build. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        if (file) fclose(file);
        return 1;
    }
    long len = ftell(file);
    rewind(file);
    uint8_t *data = malloc(len > 0 ? (size_t)len : 1);
    size_t size = data && len > 0 ? fread(data, 1, (size_t)len, file) : 0;
    fclose(file);
    if (!data || size != (size_t)(len > 0 ? len : 0)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(data);
        return 1;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

/* Returns how many files there were, or -1. */
static int replay_folder(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder) {
        perror(path);
        return -1;
    }
    for (struct dirent *entry; count >= 0 && (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count = replay_file(name) ? -1 : count + 1;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        int more = is_folder ? replay_folder(argv[i]) : replay_file(argv[i]) ? -1 : 1;
        if (more < 0) return 1;
        count += more;
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
