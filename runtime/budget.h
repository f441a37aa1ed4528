/* What a run may use up: tokens, money, time. */
#ifndef RUNTIME_BUDGET_H
#define RUNTIME_BUDGET_H

#include "runtime/role.h"

struct budget {
    uint64_t max_tokens; /* 0: any number, as below */
    double max_cost;
    uint32_t max_ms;
    gramc_prices prices[RUN_ROLES];
    bool has_prices; /* of all that may be asked */
    uint64_t tokens; /* that were used */
    uint32_t untold; /* answers that did not say theirs */
};

/* False if it limits what cannot be known, or is no number. */
bool budget_is_usable(const gramc_agent *agent, const gramc_run_options *options,
                      const struct run_model models[RUN_ROLES]);
void budget_init(gramc_run *run, const gramc_run_options *options);
/* Counts the tokens of an answer and what it costs. */
void budget_count(gramc_run *run, const struct usage *usage);
/* Ends the run if nothing is left; `consequence` is added to the reason. */
bool budget_is_spent(gramc_run *run, const char *consequence);
/* Its time is over before that of gramc_run_options.timeout_ms. */
bool budget_has_less_time(const gramc_run *run);

#endif
