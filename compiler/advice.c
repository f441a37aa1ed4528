/* Notes on what a spec may well leave out, and is better said. They are for who asks (--advice, or
 * a severity in gramc.gram): a compilation that nobody asked to advise stays silent, so that no
 * build gets new lines. */
#include "compiler/advice.h"

#include "base/family.h"
#include "base/text.h"
#include "compiler/config.h"

bool advice_is_wanted(const struct pass *pass, enum diag_id id) {
    if (id != D_NO_TEMPERATURE) return true;
    const struct config *config = config_for(pass->compilation, pass->source);
    return pass->compilation->advice || (config && config->severities[id] != SEVERITY_UNSAID);
}

/* Who says topP has chosen how the model samples; `evaluated` presets a temperature. */
static bool lacks_temperature(const gramc_agent *agent) {
    return !agent->temperature.len && !agent->top_p.len &&
           !family_refuses_temperature(agent->model);
}

void advise(struct pass *pass, const struct agent *agent) {
    bool has_tools = agent->reach_count || agent->has_boxes;
    if (!has_tools || !lacks_temperature(&agent->public) ||
        !advice_is_wanted(pass, D_NO_TEMPERATURE))
        return;
    struct finding *f =
        FIND(pass->findings, D_NO_TEMPERATURE, agent->source, agent->name_at, agent->identifier);
    finding_help(pass->findings, f, "write `temperature: 0`");
}
