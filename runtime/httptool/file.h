/* Files that calls send. Which may be read is decided by the folders that whoever runs it allows,
 * never by a library or a model: no step up, no symbolic link, nothing outside. */
#ifndef RUNTIME_HTTPTOOL_FILE_H
#define RUNTIME_HTTPTOOL_FILE_H

#include <sys/stat.h>

#include "base/mem.h"

/* Where files may be read from; immutable. */
struct file_folders {
    const gramc_text *paths; /* as they were given, each with a NUL behind it */
    size_t count;
};

/* One that was opened, and is read by another thread. */
struct call_file {
    struct call_file *next;
    gramc_text name; /* the last step of its path */
    int descriptor;  /* -1: closed */
    struct stat found;
    char *bytes; /* `size` of them; the allocator's */
    size_t size;
    const char *problem; /* NULL, or why it could not be read: half a sentence */
};

/* Opens it and makes room for it. NULL, or why not: half a sentence. GRAMC_NOMEM in *status. */
const char *call_file_open(struct call_file *out, const struct file_folders *folders,
                           gramc_text path, size_t most, const gramc_allocator *allocator,
                           gramc_status *status);
/* Reads all of it and closes it; on any thread. */
void call_file_read(struct call_file *file);
void call_file_free(struct call_file *file, const gramc_allocator *allocator);

#endif
