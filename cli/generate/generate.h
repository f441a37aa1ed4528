/* What is generated from the tables of commands, options, limits and findings when gramc is built.
 */
#ifndef CLI_GENERATE_GENERATE_H
#define CLI_GENERATE_GENERATE_H

#include "cli/cli.h"

/* The i-th command of gramc and gramc-run together; NULL past the end. */
const struct command *every_command(size_t i);

/* What may stand behind an option, for completion. */
enum completion_kind { VALUE_NONE, VALUE_ANY, VALUE_FILE, VALUE_LIST };
enum completion_kind option_values(const struct option_row *option, const struct command *command,
                                   const char **list, size_t list_size, size_t *count);

void write_man(FILE *out);
void write_command_man(FILE *out, const struct command *command);
void write_bash(FILE *out);
void write_zsh(FILE *out);
void write_fish(FILE *out);
void write_limits(FILE *out);
void write_findings(FILE *out);

#endif
