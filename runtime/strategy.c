/* The strategies that this version runs, by the names that agents have for them. */
#include "runtime/strategy.h"

#include "base/text.h"

static const struct strategy *const strategies[] = {&strategy_direct, &strategy_evaluated,
                                                    &strategy_prompted};

const struct strategy *strategy_of(const gramc_agent *agent) {
    if (agent->strategy.len == 0) return &strategy_direct;
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++)
        if (text_is(agent->strategy, strategies[i]->name)) return strategies[i];
    return NULL;
}
