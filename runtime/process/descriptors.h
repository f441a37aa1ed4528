/* Descriptors that others open without close-on-exec. */
#ifndef RUNTIME_PROCESS_DESCRIPTORS_H
#define RUNTIME_PROCESS_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

enum { DESCRIPTORS_NOTED = 1024 };

/* Those that were open; of numbers from DESCRIPTORS_NOTED on nothing is noted. */
struct descriptors {
    bool is_open[DESCRIPTORS_NOTED];
};

/* Any thread; what other threads open meanwhile counts as new. */
void descriptors_note(struct descriptors *out);
/* How many are open, the standard three included. */
size_t descriptors_count(void);
/* Programs will not inherit what has been opened since. */
void descriptors_close_new_on_exec(const struct descriptors *before);
/* Nor anything at all but the standard three. */
void descriptors_close_all_on_exec(void);

#endif
