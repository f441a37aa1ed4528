/* The commands of gramc-run; ends with a row without a name. */
#ifndef CLI_RUN_COMMANDS_H
#define CLI_RUN_COMMANDS_H

#include "cli/cli.h"

extern const struct command run_commands[];

#endif
