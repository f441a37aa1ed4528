/* Writes a spec of 10,000 tools in 100 files into a folder that exists: make_files FOLDER. */
#include <stdio.h>

#include "bench/spec_text.h"

enum { FILES = 100, AGENTS_PER_FILE = 25 };

static int write_file(const char *folder, unsigned number) {
    char path[4096];
    struct buf text;
    buf_init(&text, NULL, 1 << 24);
    spec_agents(&text, number * AGENTS_PER_FILE, AGENTS_PER_FILE);
    snprintf(path, sizeof path, "%s/part_%03u.gram", folder, number);
    FILE *file = fopen(path, "wb");
    int failed = !file || fwrite(text.ptr, 1, text.len, file) != text.len;
    if (file) failed = fclose(file) != 0 || failed;
    buf_free(&text);
    return failed;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    for (unsigned i = 0; i < FILES; i++)
        if (write_file(argv[1], i)) return 1;
    return 0;
}
