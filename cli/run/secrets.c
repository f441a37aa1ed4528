/* From `allowEnv` of the spec's configuration and --allow-env to the variables that a tool library
 * may read, with their values, and the keys of model providers, which it may not. A configuration
 * beside a library counts for nothing here: whoever wrote the library would allow himself what he
 * likes. */
#include "cli/run/run.h"

#include <string.h>

#include "base/text.h"

enum { NAME_LENGTH = 256 };

static bool is_name(gramc_text name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return name.len > 0 && name.len < NAME_LENGTH;
}

static void add(const struct cli *cli, struct run_secrets *secrets, gramc_text name) {
    char c_name[NAME_LENGTH];
    memcpy(c_name, name.ptr, name.len);
    c_name[name.len] = '\0';
    const char *value = cli_variable(cli, c_name);
    secrets->list[secrets->count++] =
        (gramc_pair){name, value ? text_of(value) : (gramc_text){NULL, 0}};
}

int run_read_secrets(struct cli *cli, const gramc_compilation *spec, struct run_secrets *out) {
    gramc_setting setting;
    const char *key;
    size_t settings = 0, keys = 0;
    while (spec && gramc_setting_get(spec, settings, &setting)) settings++;
    while (gramc_provider_key(keys)) keys++;
    *out = (struct run_secrets){.room = cli->given_count + settings + keys + 1};
    out->list = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, out->room * sizeof *out->list);
    if (!out->list) return cli_no_memory(cli);
    for (size_t i = 0; spec && gramc_setting_get(spec, i, &setting); i++)
        if (text_is(setting.key, "allowEnv") && is_name(setting.value))
            add(cli, out, setting.value);
    for (size_t i = 0; i < cli->given_count; i++) {
        const char *name = cli->given[i].value;
        if (cli->given[i].id != OPTION_ALLOW_ENV) continue;
        if (!is_name(text_of(name)))
            return cli_usage(cli, "--allow-env takes the name of one variable, not %s", name);
        add(cli, out, text_of(name));
    }
    /* Nobody reads the keys of providers, but they are kept out of what is shown, too. */
    for (size_t i = 0; (key = gramc_provider_key(i)) != NULL; i++)
        if (cli_variable(cli, key)) add(cli, out, text_of(key));
    return EXIT_FINE;
}

void run_free_secrets(struct cli *cli, struct run_secrets *secrets) {
    if (!secrets->list) return;
    cli->allocator.alloc(cli->allocator.ctx, secrets->list, secrets->room * sizeof *secrets->list,
                         0);
}
