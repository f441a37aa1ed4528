/* From --input NAME=VALUE to the inputs of a run, compared with what the agent's texts ask for. */
#include "cli/run/run.h"

#include <string.h>

#include "base/text.h"

static const gramc_input *find(const gramc_input *inputs, size_t count, gramc_text name) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(inputs[i].name, name)) return &inputs[i];
    return NULL;
}

static int take(struct cli *cli, const char *option, gramc_input *out, size_t *count) {
    const char *equals = strchr(option, '=');
    gramc_text name = {option, equals ? (size_t)(equals - option) : 0};
    if (!name.len) return cli_usage(cli, "--input takes NAME=VALUE, not %s", option);
    if (text_is(name, "message"))
        return cli_usage(cli, "run: ${message} is the message itself, not an --input");
    if (find(out, *count, name))
        return cli_usage(cli, "run: --input %.*s is given twice", TEXT_ARGS(name));
    out[(*count)++] = (gramc_input){name, text_of(equals + 1)};
    return EXIT_FINE;
}

static int report_missing(struct cli *cli, const gramc_agent *agent, gramc_text name) {
    return cli_usage(cli, "run: agent %.*s asks for ${%.*s}; give it with --input %.*s=...",
                     TEXT_ARGS(agent->name), TEXT_ARGS(name), TEXT_ARGS(name));
}

static void warn_unused(struct cli *cli, const gramc_agent *agent, gramc_text name) {
    gramc_text near = text_nearest(name, agent->inputs, agent->input_count);
    fputs("gramc: warning: --input ", cli->err);
    run_print_hostile(cli->err, name);
    fputs(" is used nowhere", cli->err);
    if (near.len) fprintf(cli->err, "; did you mean %.*s?", TEXT_ARGS(near));
    fputc('\n', cli->err);
}

static bool asks_for(const gramc_agent *agent, gramc_text name) {
    for (size_t i = 0; i < agent->input_count; i++)
        if (text_eq(agent->inputs[i], name)) return true;
    return false;
}

int run_inputs(struct cli *cli, const gramc_agent *agent, gramc_input *out, size_t *count) {
    int code = EXIT_FINE;
    *count = 0;
    for (size_t i = 0; i < cli->given_count && code == EXIT_FINE; i++)
        if (cli->given[i].id == OPTION_INPUT) code = take(cli, cli->given[i].value, out, count);
    for (size_t i = 0; i < *count && code == EXIT_FINE; i++)
        if (!asks_for(agent, out[i].name)) warn_unused(cli, agent, out[i].name);
    for (size_t i = 0; i < agent->input_count && code == EXIT_FINE; i++)
        if (!find(out, *count, agent->inputs[i]))
            code = report_missing(cli, agent, agent->inputs[i]);
    return code;
}
