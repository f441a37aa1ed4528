/* Folders that are made for a while and cleared away with all that was put into them. */
#ifndef EXPERIMENT_FOLDER_H
#define EXPERIMENT_FOLDER_H

#include <stdbool.h>

/* For its owner alone. False: it cannot be made, or there is one. */
bool folder_make(const char *path);
/* With everything in it; links are removed, not followed. What cannot be removed stays. */
void folder_remove(const char *path);
/* The same, and that file of it after all others. */
void folder_remove_last(const char *path, const char *last);

#endif
