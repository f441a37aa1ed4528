/* Finds the configuration that is in force: what --config names, or the nearest gramc.gram from the
 * folder of the first file upward. What it says is the library's matter. */
#define _XOPEN_SOURCE 700
#include "cli/project.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int cli_configure(struct cli *cli, gramc_compilation *compilation, const char *first) {
    const char *named = cli->options[OPTION_CONFIG];
    char folder[CLI_PATH];
    cli->configuration[0] = '\0';
    if (named && cli->options[OPTION_NO_CONFIG])
        return cli_usage(cli, "choose one of --config and --no-config");
    if (cli->options[OPTION_NO_CONFIG]) return EXIT_FINE;
    if (named) {
        if (!project_join(cli->configuration, "", named))
            return cli_usage(cli, "%s: %s", named, strerror(ENAMETOOLONG));
    } else if (project_find(first, folder) != PROJECT_CONFIGURED) {
        return EXIT_FINE;
    } else if (!project_join(cli->configuration, folder, PROJECT_CONFIGURATION)) {
        return cli_usage(cli, "%s: %s", folder, strerror(ENAMETOOLONG));
    }
    const struct cli_file *file = cli_read(cli, cli->configuration);
    if (!file) return cli->failure;
    return cli_status(cli, gramc_add_configuration(compilation, text_of(cli->configuration),
                                                   file->bytes, file->len));
}

bool cli_is_configuration(const struct cli *cli, const char *path) {
    struct stat one, other;
    if (!cli->configuration[0] || stat(cli->configuration, &one) || stat(path, &other))
        return false;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
