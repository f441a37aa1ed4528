/* What an agent's strategy takes: properties that belong to another one would silently do nothing,
 * so each is a finding. Also fills in what a strategy presets. */
#include "compiler/strategy.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/properties.h"

static const struct {
    const char *property;
    const char *only;   /* the strategy that it belongs to; NULL: see `except` */
    const char *except; /* the one that has no use for it */
    const char *why;
} rules[] = {
    {"generatorModel", "evaluated", NULL, "it belongs to `evaluated`"},
    {"evaluatorModel", "evaluated", NULL, "it belongs to `evaluated`"},
    {"outputModel", "evaluated", NULL, "it belongs to `evaluated`"},
    {"maxRounds", "evaluated", NULL, "it belongs to `evaluated`"},
    {"parallelToolCalls", NULL, "prompted", "`prompted` asks in plain words and sends no tools"},
    {"wire", NULL, "prompted", "`prompted` asks in plain words and sends no tools"},
};

static bool is_strategy(gramc_text name) {
    return text_is(name, "direct") || text_is(name, "evaluated") || text_is(name, "prompted");
}

bool strategy_coerces(const gramc_agent *agent) {
    return text_is(agent->strategy, "evaluated") || text_is(agent->strategy, "prompted");
}

void strategy_check(struct pass *pass, struct agent *agent, const struct subject *subject) {
    gramc_agent *public = &agent->public;
    gramc_text strategy = public->strategy.len ? public->strategy : TEXT("direct");
    if (!is_strategy(strategy)) return; /* reported as an unknown word */
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct property *p = property_find(subject, rules[i].property);
        bool fits =
            rules[i].only ? text_is(strategy, rules[i].only) : !text_is(strategy, rules[i].except);
        if (!p || fits) continue;
        struct finding *f = FIND(pass->findings, D_OTHER_STRATEGY, pass->source, name_span(p->key),
                                 name_text(p->key), strategy);
        finding_help(pass->findings, f, "%s", rules[i].why);
    }
    if (!text_is(strategy, "evaluated")) return;
    if (!public->max_rounds) public->max_rounds = DEFAULT_ROUNDS;
    if (!public->temperature.len) public->temperature = TEXT("0");
}
