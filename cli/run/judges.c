/* Makes the models of judges, as those of runs are made: by name, with the keys of the environment
 * and the prices of the configuration. --model means the arms; judges have --judge. */
#include "cli/run/judges.h"

#include "base/text.h"

/* The model of the name, or that of --judge, through the options that runs have. */
static int open_model(struct run_judges *judges, gramc_model **out) {
    struct cli *cli = judges->cli;
    gramc_bind_options binding = GRAMC_BIND_OPTIONS_INIT;
    const char *of_arms = cli->options[OPTION_MODEL];
    cli->options[OPTION_MODEL] = cli->options[OPTION_JUDGE];
    int code = run_provider(cli, &judges->choice, &binding, out);
    if (code == EXIT_FINE) code = run_model(cli, &judges->choice, out);
    cli->options[OPTION_MODEL] = of_arms;
    return code;
}

static gramc_status make_model(void *ctx, gramc_text name, gramc_model **out) {
    struct run_judges *judges = ctx;
    *out = NULL;
    judges->agent = (gramc_agent){.name = TEXT("judge"), .model = name};
    judges->choice.agent = &judges->agent;
    int code = open_model(judges, out);
    if (code == EXIT_FINE) return GRAMC_OK;
    gramc_model_free(*out);
    *out = NULL;
    return code == EXIT_RUN_FAILED ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
}

bool judges_price(struct run_judges *judges, gramc_text model, gramc_prices *out) {
    const char *of_arms = judges->cli->options[OPTION_MODEL];
    judges->agent = (gramc_agent){.name = TEXT("judge"), .model = model};
    judges->choice.agent = &judges->agent;
    judges->cli->options[OPTION_MODEL] = judges->cli->options[OPTION_JUDGE];
    bool found = run_find_prices(judges->cli, &judges->choice, out);
    judges->cli->options[OPTION_MODEL] = of_arms;
    return found;
}

static const gramc_prices *find_prices(void *ctx, gramc_text name) {
    struct run_judges *judges = ctx;
    if (judges->price_count == JUDGES_MAX) return NULL;
    gramc_prices *prices = &judges->prices[judges->price_count];
    bool found = judges_price(judges, name, prices);
    judges->price_count += found;
    return found ? prices : NULL;
}

void judges_open(struct run_judges *judges, struct cli *cli, gramc_compilation *compilation,
                 gramc_loop *loop, struct grading_options *options) {
    *judges = (struct run_judges){.cli = cli, .choice = {.compilation = compilation}};
    *options = (struct grading_options){.allocator = &cli->allocator,
                                        .loop = loop,
                                        .model = make_model,
                                        .ctx = judges,
                                        .prices = find_prices};
}
