/* Finds the configuration that holds for a file: what --config names, for all of them, or the
 * nearest gramc.gram from the file's folder upward. What it says is the library's matter. */
#define _XOPEN_SOURCE 700
#include "cli/configuration.h"

#include "base/text.h"
#include "cli/project.h"

#include <errno.h>
#include <string.h>

/* ## Files, each read once */

static int read_configuration(struct cli *cli, const char *path, const struct cli_config **out) {
    struct stat st;
    if (stat(path, &st)) return cli_usage(cli, "%s: %s", path, strerror(errno));
    for (const struct cli_config *c = cli->configurations; c; c = c->next) {
        if (c->device != st.st_dev || c->inode != st.st_ino) continue;
        *out = c;
        return EXIT_FINE;
    }
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    struct cli_config *config = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *config);
    if (!config) return cli_no_memory(cli);
    *config = (struct cli_config){
        .next = cli->configurations, .device = st.st_dev, .inode = st.st_ino, .file = file};
    project_join(config->path, "", path);
    cli->configurations = config;
    *out = config;
    return EXIT_FINE;
}

void cli_free_configurations(struct cli *cli) {
    while (cli->configurations) {
        struct cli_config *next = cli->configurations->next;
        cli->allocator.alloc(cli->allocator.ctx, cli->configurations, sizeof *next, 0);
        cli->configurations = next;
    }
}

int cli_configuration_of(struct cli *cli, const char *path, const struct cli_config **out) {
    const char *named = cli->options[OPTION_CONFIG];
    char folder[CLI_PATH], file[CLI_PATH];
    *out = NULL;
    if (named && cli->options[OPTION_NO_CONFIG])
        return cli_usage(cli, "choose one of --config and --no-config");
    if (cli->options[OPTION_NO_CONFIG]) return EXIT_FINE;
    if (named) {
        if (project_join(file, "", named)) return read_configuration(cli, file, out);
        return cli_usage(cli, "%s: %s", named, strerror(ENAMETOOLONG));
    }
    if (project_find(path, folder) != PROJECT_CONFIGURED) return EXIT_FINE;
    if (project_join(file, folder, PROJECT_CONFIGURATION))
        return read_configuration(cli, file, out);
    return cli_usage(cli, "%s: %s", folder, strerror(ENAMETOOLONG));
}

bool cli_is_configuration(const struct cli_config *config, const char *path) {
    struct stat st;
    return config && stat(path, &st) == 0 && st.st_dev == config->device &&
           st.st_ino == config->inode;
}

/* ## For compilations */

static bool is_known(const struct cli *cli, gramc_text folder) {
    return cli->configured_known && text_is(folder, cli->configured_folder);
}

/* Files of one folder have one configuration: it is looked for once. */
static int find(void *ctx, gramc_text path, gramc_text *name, gramc_text *text) {
    struct cli *cli = ctx;
    char copy[CLI_PATH];
    gramc_text folder = path;
    if (path.len >= sizeof copy) return GRAMC_NOT_FOUND;
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    while (folder.len && folder.ptr[folder.len - 1] != '/') folder.len--;
    if (!is_known(cli, folder)) {
        const struct cli_config *found;
        int code = cli_configuration_of(cli, text_is(path, "<stdin>") ? NULL : copy, &found);
        if (code != EXIT_FINE) {
            cli->failure = code;
            return code == EXIT_RUN_FAILED ? GRAMC_NOMEM : GRAMC_IO;
        }
        cli->configured = found;
        cli->configured_known = true;
        memcpy(cli->configured_folder, folder.ptr, folder.len);
        cli->configured_folder[folder.len] = '\0';
    }
    const struct cli_config *config = cli->configured;
    if (!config) return GRAMC_NOT_FOUND;
    *name = text_of(config->path);
    *text = (gramc_text){config->file->bytes, config->file->len};
    return GRAMC_OK;
}

gramc_configurer cli_configurer(struct cli *cli) {
    return (gramc_configurer){find, cli};
}

int cli_configure(struct cli *cli, gramc_compilation *compilation, const char *path) {
    const struct cli_config *config;
    int code = cli_configuration_of(cli, path, &config);
    if (code != EXIT_FINE || !config) return code;
    return cli_status(cli, gramc_add_configuration(compilation, text_of(config->path),
                                                   config->file->bytes, config->file->len));
}

/* ## What is excluded */

int cli_add_exclusions(struct cli *cli, struct ignore *excluded, struct arena *arena,
                       const char *path, gramc_text text, size_t base) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *scratch;
    gramc_setting setting;
    options.allocator = &cli->allocator;
    if (gramc_compilation_new(&scratch, &options)) return cli_no_memory(cli);
    gramc_status status = gramc_add_configuration(scratch, text_of(path), text.ptr, text.len);
    bool good = status == GRAMC_OK || status == GRAMC_FINDINGS;
    for (size_t i = 0; good && gramc_setting_get(scratch, i, &setting); i++)
        if (text_is(setting.key, "exclude"))
            good = ignore_add(excluded, arena, base, setting.value);
    gramc_compilation_free(scratch);
    return good ? EXIT_FINE : cli_no_memory(cli);
}
