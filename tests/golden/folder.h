/* The folder in which a golden case runs: made again for each of thousands of failing allocations,
 * so as little as possible is written, and not to a disk where there is memory for it. */
#ifndef TESTS_GOLDEN_FOLDER_H
#define TESTS_GOLDEN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { FOLDER_PATH = 64 };

/* Makes an empty one and writes its path. */
bool case_folder_make(char path[FOLDER_PATH]);
/* Makes `to` equal to the folder `from`, which holds files and folders only. */
bool case_folder_copy(const char *from, const char *to);
bool case_folder_remove(const char *path);
/* The text is to be freed; NULL: there is no such file. */
char *file_read(const char *path, size_t *len);
/* Also makes the folders of the path. A file with this text already is left alone: replacing one
 * costs some file systems a write to the disk. */
void file_provide(const char *path, const char *text, size_t len);

#endif
