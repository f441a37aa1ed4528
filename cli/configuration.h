/* Configurations, as files that were found (configuration.c). */
#ifndef CLI_CONFIGURATION_H
#define CLI_CONFIGURATION_H

#include "cli/cli.h"
#include "cli/ignore.h"

#include <sys/stat.h>

struct cli_config {
    struct cli_config *next;
    dev_t device;
    ino_t inode;
    const struct cli_file *file;
    char path[CLI_PATH];
};

/* The one that holds for a file or folder (NULL, "-": the current folder); *out NULL: none does. An
 * exit code, after a message. */
int cli_configuration_of(struct cli *cli, const char *path, const struct cli_config **out);
/* True if the path is that file. */
bool cli_is_configuration(const struct cli_config *config, const char *path);
/* For gramc_options: finds it for each source. */
gramc_configurer cli_configurer(struct cli *cli);
/* Puts the one for a path in force for everything. */
int cli_configure(struct cli *cli, gramc_compilation *compilation, const char *path);
/* Adds what stands in `exclude` of a configuration's text; what is wrong with the rest is said
 * where it holds. */
int cli_add_exclusions(struct cli *cli, struct ignore *excluded, struct arena *arena,
                       const char *path, gramc_text text, size_t base);
void cli_free_configurations(struct cli *cli);

#endif
