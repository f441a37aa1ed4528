/* The models that an agent's strategy asks besides the agent's own, and those of agents that do its
 * tools (roles.c). */
#ifndef CLI_RUN_ROLES_H
#define CLI_RUN_ROLES_H

#include "cli/run/run.h"

enum { ROLES_MOST = 3, MODELS_MOST = 32 };

struct role_models {
    gramc_named_model models[MODELS_MOST];
    gramc_model *own[MODELS_MOST]; /* NULL: it is the agent's own that is asked */
    gramc_prices prices[MODELS_MOST];
    size_t count;
};

/* For gramc_bind_options. */
struct role_protocols {
    gramc_named_protocol list[MODELS_MOST];
    size_t count;
};

/* Says in the options how each of these names is asked; `out` must live until they were used.
 * `recorded`: the script or recording that answers, if that is known already; else NULL. */
void role_protocols_list(struct role_protocols *out, struct cli *cli, const struct choice *choice,
                         const gramc_model *recorded, gramc_bind_options *binding);
/* Opens one for each name that the choice's agent has, as --model, the configuration and the
 * environment have it: with --model, that is asked in every role. `model`: the agent's own; NULL:
 * nothing will be asked, names and prices are all that is wanted. An exit code. */
int role_models_open(struct role_models *out, struct cli *cli, const struct choice *choice,
                     const gramc_model *model);
void role_models_free(struct role_models *models);
/* Which of them is asked where an event says that role; the agent's own where it is none. */
const gramc_model *role_models_get(const struct role_models *models, const gramc_agent *agent,
                                   const char *role, const gramc_model *own);

#endif
