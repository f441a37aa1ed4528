/* Specs as they were: `git:REV:path`, a file or a folder, read from the repository of the current
 * folder. The only place where gramc starts another program. */
#ifndef CLI_GIT_H
#define CLI_GIT_H

#include "cli/cli.h"

/* True for what begins with `git:`. */
bool git_is_path(const char *operand);
/* Like cli_load for one such operand, and compiles each source: files that these sources name are
 * read at the same revision. The sources are named git:REV:./path. */
int git_load(struct cli *cli, gramc_compilation **out, const char *operand);

#endif
