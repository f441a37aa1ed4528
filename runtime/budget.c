/* Counts what the answers of a run took and ends it when a limit of the agent, or of whoever runs
 * it, is reached. What is not known never counts as nothing: an answer that does not say its tokens
 * uses up any limit of them. Time is only compared here; run.c's timer measures it. */
#include "runtime/budget.h"

#include <math.h>

#include "base/number.h"
#include "runtime/run.h"

static const double per_million = 1e6;

/* ## What is allowed */

static double cost_limit(const gramc_agent *agent, const gramc_run_options *options) {
    double limit = 0;
    if (options->max_cost != 0) return options->max_cost;
    if (agent->max_cost.len && !number_to_double(&limit, agent->max_cost)) return -1;
    return limit;
}

static bool are_usable(const gramc_prices *prices) {
    return isfinite(prices->input) && prices->input >= 0 && isfinite(prices->output) &&
           prices->output >= 0 && isfinite(prices->cached);
}

/* Whatever may be asked has a price. */
static bool are_priced(const struct run_model models[RUN_ROLES]) {
    for (size_t i = 0; i < RUN_ROLES; i++)
        if (models[i].model && !models[i].prices) return false;
    return true;
}

bool budget_is_usable(const gramc_agent *agent, const gramc_run_options *options,
                      const struct run_model models[RUN_ROLES]) {
    double limit = cost_limit(agent, options);
    if (!isfinite(limit) || limit < 0) return false;
    if (options->prices && !are_usable(options->prices)) return false;
    for (size_t i = 0; i < options->model_count; i++)
        if (options->models[i].prices && !are_usable(options->models[i].prices)) return false;
    return limit == 0 || are_priced(models) || options->model->is_mock;
}

/* Prices are borrowed until the run starts. */
static void keep_prices(gramc_run *run) {
    for (size_t i = 0; i < RUN_ROLES; i++) {
        gramc_prices *prices = &run->budget.prices[i];
        if (!run->models[i].prices) continue;
        *prices = *run->models[i].prices;
        if (prices->cached < 0) prices->cached = prices->input;
        run->models[i].prices = prices;
    }
}

void budget_init(gramc_run *run, const gramc_run_options *options) {
    const gramc_agent *agent = run->bound->agent;
    struct budget *budget = &run->budget;
    budget->max_tokens =
        options->max_total_tokens ? options->max_total_tokens : agent->max_total_tokens;
    budget->max_cost = cost_limit(agent, options);
    budget->max_ms = options->max_duration_ms ? options->max_duration_ms : agent->max_duration_ms;
    budget->has_prices = are_priced(run->models);
    keep_prices(run);
    run->result.has_cost = budget->has_prices;
}

/* ## What is used */

static double cost_of(const gramc_prices *prices, const struct usage *usage) {
    uint64_t cached = usage->cached < usage->prompt ? usage->cached : usage->prompt;
    return ((double)(usage->prompt - cached) * prices->input + (double)cached * prices->cached +
            (double)usage->completion * prices->output) /
           per_million;
}

static void add_usage(gramc_run_result *result, const struct usage *usage) {
    result->prompt_tokens += usage->prompt;
    result->completion_tokens += usage->completion;
    result->total_tokens += usage->total;
    result->cached_tokens += usage->cached;
}

/* What an agent uses that does a tool of another is used by that other, too. */
void budget_count(gramc_run *run, const struct usage *usage) {
    const struct budget *own = &run->budget;
    uint64_t parts = usage->prompt + usage->completion;
    uint64_t tokens = usage->total > parts ? usage->total : parts;
    bool is_mock = run->model->is_mock;
    const gramc_prices *prices = run->models[run->asking.role].prices;
    double cost = own->has_prices && !is_mock ? cost_of(prices, usage) : 0;
    for (gramc_run *r = run; r; r = r->caller) {
        struct budget *budget = &r->budget;
        add_usage(&r->result, usage);
        if (is_mock) continue;
        if (tokens == 0) budget->untold++;
        budget->tokens += tokens;
        r->result.cost += cost;
        r->result.has_cost = r->result.has_cost && own->has_prices && budget->untold == 0;
    }
}

/* `of`: whose limit it is: the run's, or that of a run that has called it. */
static bool is_untold(gramc_run *run, const gramc_run *of, gramc_outcome outcome,
                      const char *consequence) {
    if (of->budget.untold == 0) return false;
    run_end(run, outcome, "an answer did not say how many tokens it took, and they are limited%s",
            consequence);
    return true;
}

static bool tokens_are_spent(gramc_run *run, const gramc_run *of, const char *consequence) {
    const struct budget *budget = &of->budget;
    if (budget->max_tokens == 0) return false;
    if (is_untold(run, of, GRAMC_OUTCOME_TOKEN_BUDGET, consequence)) return true;
    if (budget->tokens < budget->max_tokens) return false;
    run_end(run, GRAMC_OUTCOME_TOKEN_BUDGET, "%llu tokens were used, of %llu%s",
            (unsigned long long)budget->tokens, (unsigned long long)budget->max_tokens,
            consequence);
    return true;
}

static bool money_is_spent(gramc_run *run, const gramc_run *of, const char *consequence) {
    char spent[AMOUNT_ROOM], allowed[AMOUNT_ROOM];
    const struct budget *budget = &of->budget;
    if (budget->max_cost <= 0) return false;
    if (is_untold(run, of, GRAMC_OUTCOME_COST_BUDGET, consequence)) return true;
    if (of->result.cost < budget->max_cost) return false;
    run_end(run, GRAMC_OUTCOME_COST_BUDGET, "the answers cost %s, of %s%s",
            number_amount(spent, of->result.cost), number_amount(allowed, budget->max_cost),
            consequence);
    return true;
}

bool budget_is_spent(gramc_run *run, const char *consequence) {
    bool is_spent = false;
    for (const gramc_run *of = run; of && !is_spent; of = of->caller)
        is_spent = tokens_are_spent(run, of, consequence) || money_is_spent(run, of, consequence);
    return is_spent;
}

bool budget_has_less_time(const gramc_run *run) {
    return run->budget.max_ms && run->budget.max_ms < run->timeout_ms;
}
