/* What a run may use up and how fast it may ask, from the command line, and what its tokens cost,
 * from the configuration. A limit of cost without a price is refused: nothing would ever reach it.
 */
#include "cli/run/run.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { LONGEST_KEY = 600, LONGEST_NAME = 512 };

/* `models.NAME.MEMBER` as a number; false if it is not said. */
static bool find_price(const gramc_compilation *compilation, gramc_text name, const char *member,
                       double *out) {
    char key[LONGEST_KEY];
    gramc_setting setting;
    int len = snprintf(key, sizeof key, "models.%.*s.%s", TEXT_ARGS(name), member);
    if (len < 0 || (size_t)len >= sizeof key) return false;
    return gramc_setting_find(compilation, (gramc_text){key, (size_t)len}, &setting) &&
           number_to_double(out, setting.value);
}

static bool find_prices(const gramc_compilation *compilation, gramc_text name, gramc_prices *out) {
    out->cached = -1;
    find_price(compilation, name, "cachedPerMillion", &out->cached);
    return find_price(compilation, name, "inputPerMillion", &out->input) &&
           find_price(compilation, name, "outputPerMillion", &out->output);
}

bool run_asks(const char *model) {
    return !model || (strcmp(model, "mock") != 0 && strncmp(model, "script:", 7) != 0);
}

/* By its full name or by its id alone. What a script answers costs what the agent's model would. */
static bool choose_prices(struct cli *cli, const struct choice *choice, gramc_prices *out,
                          gramc_text *name, char *room) {
    *name = choice->agent->model;
    if (run_asks(cli->options[OPTION_MODEL]) &&
        !run_name_model(cli, choice, room, LONGEST_NAME, name))
        return false;
    if (name->len && find_prices(choice->compilation, *name, out)) return true;
    const char *slash = name->len ? memchr(name->ptr, '/', name->len) : NULL;
    size_t id = slash ? (size_t)(slash - name->ptr) + 1 : 0;
    return id && find_prices(choice->compilation, text_slice(*name, id, name->len), out);
}

static int read_options(struct cli *cli, gramc_run_options *out) {
    const char *tokens = cli->options[OPTION_MAX_TOKENS], *cost = cli->options[OPTION_MAX_COST];
    const char *duration = cli->options[OPTION_MAX_DURATION];
    uint32_t count = 0;
    if (tokens && !run_parse_count(tokens, &count))
        return cli_usage(cli, "--max-tokens takes a number from 1, not %s", tokens);
    out->max_total_tokens = count;
    if (cost && !run_parse_amount(cost, &out->max_cost))
        return cli_usage(cli, "--max-cost takes a number above 0 such as 0.5, not %s", cost);
    if (duration && !run_parse_duration(duration, &out->max_duration_ms))
        return cli_usage(cli, "--max-duration takes a time such as 500ms, 30s or 5m, not %s",
                         duration);
    return EXIT_FINE;
}

bool run_find_prices(struct cli *cli, const struct choice *choice, gramc_prices *out) {
    char room[LONGEST_NAME];
    gramc_text name;
    return choose_prices(cli, choice, out, &name, room);
}

/* Those of its strategy's roles; with --model all are asked of that one. */
static bool roles_are_priced(struct cli *cli, const struct choice *choice, gramc_text *name,
                             char *room) {
    const gramc_agent *agent = choice->agent;
    const gramc_text names[] = {agent->generator_model, agent->evaluator_model,
                                agent->output_model};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gramc_agent as = *agent;
        struct choice with = *choice;
        gramc_prices prices;
        if (!names[i].len) continue;
        as.model = names[i];
        with.agent = &as;
        if (!choose_prices(cli, &with, &prices, name, room)) return false;
    }
    return true;
}

int run_budget(struct cli *cli, const struct choice *choice, gramc_run_options *out,
               gramc_prices *prices) {
    char room[LONGEST_NAME];
    gramc_text name;
    const char *model = cli->options[OPTION_MODEL];
    bool limited = cli->options[OPTION_MAX_COST] || choice->agent->max_cost.len;
    int code = read_options(cli, out);
    if (code != EXIT_FINE) return code;
    if (choose_prices(cli, choice, prices, &name, room)) out->prices = prices;
    if (!limited || (model && strcmp(model, "mock") == 0)) return EXIT_FINE;
    if (out->prices && roles_are_priced(cli, choice, &name, room)) return EXIT_FINE;
    return cli_usage(cli,
                     "the cost of the run is limited, and there is no price of %.*s; add "
                     "[`...`:Model {inputPerMillion: ..., outputPerMillion: ...}] to gramc.gram",
                     TEXT_ARGS(name.len ? name : TEXT("the model")));
}

int run_limits(struct cli *cli, const gramc_compilation *compilation, gramc_text model,
               gramc_endpoint_options *out) {
    uint32_t tokens = 0;
    const struct {
        enum option_id option;
        const char *name, *setting;
        uint32_t *count;
    } rows[] = {{OPTION_MAX_CONCURRENT, "--max-concurrent", ".maxConcurrent", &out->max_concurrent},
                {OPTION_RPM, "--rpm", ".requestsPerMinute", &out->requests_per_minute},
                {OPTION_TPM, "--tpm", ".tokensPerMinute", &tokens}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = cli->options[rows[i].option];
        gramc_text said = run_of_provider(compilation, model, "limits.", rows[i].setting);
        int64_t number;
        if (text && !run_parse_count(text, rows[i].count))
            return cli_usage(cli, "%s takes a number from 1, not %s", rows[i].name, text);
        if (!text && said.len && number_to_int(&number, said)) *rows[i].count = (uint32_t)number;
    }
    out->tokens_per_minute = tokens;
    return EXIT_FINE;
}
