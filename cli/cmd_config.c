/* gramc config: what is in force for a file or folder, and where it comes from. */
#define _XOPEN_SOURCE 700
#include "cli/configuration.h"

#include "base/diag/put.h"
#include "base/text.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

static const struct {
    const char *key, *value;
} defaults[] = {{"strict", "false"},
                {"target", "json-schema"},
                {"naming.tools", "any"},
                {"naming.parameters", "any"}};

enum { DEFAULTS = sizeof defaults / sizeof *defaults };

/* A default that the configuration does not say; --strict beats both. */
static void put_default(struct buf *out, const struct cli *cli, size_t i) {
    bool flag = strcmp(defaults[i].key, "strict") == 0 && cli->options[OPTION_STRICT];
    buf_printf(out, "%s = %s (%s)\n", defaults[i].key, flag ? "true" : defaults[i].value,
               flag ? "--strict" : "default");
}

static void put_setting(struct buf *out, const struct cli *cli, const gramc_setting *setting) {
    if (text_is(setting->key, "strict") && cli->options[OPTION_STRICT]) {
        put_default(out, cli, 0);
        return;
    }
    diag_put_safe(out, setting->key);
    buf_puts(out, " = ");
    diag_put_safe(out, setting->value);
    buf_puts(out, " (");
    diag_put_safe(out, setting->file);
    buf_printf(out, ":%u:%u)\n", (unsigned)setting->line, (unsigned)setting->column);
}

static void put_settings(struct buf *out, const struct cli *cli, const struct cli_config *config,
                         const gramc_compilation *compilation) {
    gramc_setting setting;
    buf_puts(out, "configuration = ");
    diag_put_safe(out, text_of(config ? config->path : "none"));
    buf_puts(out, cli->options[OPTION_CONFIG] ? " (--config)\n" : "\n");
    for (size_t i = 0; i < DEFAULTS; i++)
        if (!gramc_setting_find(compilation, text_of(defaults[i].key), &setting))
            put_default(out, cli, i);
    for (size_t i = 0; gramc_setting_get(compilation, i, &setting); i++)
        put_setting(out, cli, &setting);
}

static int print(struct cli *cli, const struct cli_config *config,
                 const gramc_compilation *compilation) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    put_settings(&out, cli, config, compilation);
    int code = cli_status(cli, buf_send(&out, cli_text_writer(cli)));
    buf_free(&out);
    return code;
}

int cmd_config(struct cli *cli) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const struct cli_config *config;
    options.allocator = &cli->allocator;
    if (cli->operand_count > 1) return cli_usage(cli, "config: name one file or folder, or none");
    if (gramc_compilation_new(&compilation, &options)) return cli_no_memory(cli);
    const char *path = cli->operand_count ? cli->operands[0] : NULL;
    int code = cli_configuration_of(cli, path, &config);
    if (code == EXIT_FINE) code = cli_configure(cli, compilation, path);
    if (code == EXIT_FINE && gramc_configuration_is_broken(compilation))
        code = cli_report_as(cli, compilation, cli->err, "text");
    if (code == EXIT_FINE) code = print(cli, config, compilation);
    gramc_compilation_free(compilation);
    return code;
}
