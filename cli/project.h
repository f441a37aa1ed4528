/* The project that a path belongs to: where its configuration is, and what its sources may read. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include <limits.h>

#include "cli/cli.h"

#define PROJECT_CONFIGURATION "gramc.gram"

enum project_mark { PROJECT_UNMARKED, PROJECT_REPOSITORY, PROJECT_CONFIGURED };

/* Climbs from a file or folder (NULL, "-": the current folder) to the nearest folder that holds
 * gramc.gram or .git, in this order, and writes its path, relative if `path` is; "" is the current
 * folder. UNMARKED: there is none, and `folder` means nothing. */
enum project_mark project_find(const char *path, char folder[CLI_PATH]);

/* The same for .git alone; false: the path lies in no repository. */
bool project_find_repository(const char *path, char folder[CLI_PATH]);

/* The root of the project that the path belongs to, from / on; false: it is not there. */
bool project_root(const char *path, char root[PATH_MAX]);

/* `folder/name`; false if that is too long. */
bool project_join(char out[CLI_PATH], const char *folder, const char *name);

#endif
