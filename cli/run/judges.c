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

/* ## Prices */

/* What a script says costs what the grader's own model would. */
static gramc_text priced_name(const struct run_judges *judges, gramc_text model) {
    const char *judge = judges->cli->options[OPTION_JUDGE];
    return judge && run_asks(judge) ? text_of(judge) : model;
}

static const struct judge_price *find_row(const struct run_judges *judges, gramc_text name) {
    for (size_t i = 0; i < judges->price_count; i++)
        if (text_eq(judges->prices[i].model, name)) return &judges->prices[i];
    return NULL;
}

static bool find_price(struct run_judges *judges, gramc_text model, gramc_prices *out) {
    const char *of_arms = judges->cli->options[OPTION_MODEL];
    judges->agent = (gramc_agent){.name = TEXT("judge"), .model = model};
    judges->choice.agent = &judges->agent;
    judges->cli->options[OPTION_MODEL] = judges->cli->options[OPTION_JUDGE];
    bool found = run_find_prices(judges->cli, &judges->choice, out);
    judges->cli->options[OPTION_MODEL] = of_arms;
    return found;
}

static int add_row(struct run_judges *judges, gramc_text model) {
    gramc_text name = priced_name(judges, model);
    if (find_row(judges, name)) return EXIT_FINE;
    if (judges->price_count == JUDGES_MAX)
        return cli_usage(judges->cli,
                         "more than %d different models judge; give some graders the "
                         "same one, or all of them one by --judge",
                         JUDGES_MAX);
    struct judge_price *row = &judges->prices[judges->price_count++];
    row->model = name;
    row->is_known = find_price(judges, model, &row->prices);
    return EXIT_FINE;
}

const gramc_prices *judges_price(const struct run_judges *judges, gramc_text model) {
    const struct judge_price *row = find_row(judges, priced_name(judges, model));
    return row && row->is_known ? &row->prices : NULL;
}

static const gramc_prices *price_of(void *ctx, gramc_text model) {
    return judges_price(ctx, model);
}

int judges_open(struct run_judges *judges, struct cli *cli, gramc_compilation *compilation,
                const gramc_experiment *experiment, gramc_loop *loop,
                struct grading_options *options) {
    int code = EXIT_FINE;
    *judges = (struct run_judges){.cli = cli, .choice = {.compilation = compilation}};
    *options = (struct grading_options){.allocator = &cli->allocator,
                                        .loop = loop,
                                        .model = make_model,
                                        .ctx = judges,
                                        .prices = price_of};
    for (size_t i = 0; i < experiment->grader_count && code == EXIT_FINE; i++) {
        const gramc_grader *grader = &experiment->graders[i];
        bool is_judge = grader->kind == GRAMC_GRADER_RUBRIC || grader->kind == GRAMC_GRADER_PREFER;
        if (is_judge) code = add_row(judges, grader->model);
    }
    return code;
}
