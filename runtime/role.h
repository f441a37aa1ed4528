/* Whose model is asked. A strategy that asks several has a role for each. */
#ifndef RUNTIME_ROLE_H
#define RUNTIME_ROLE_H

#include "runtime/model.h"

enum run_role { RUN_AGENT, RUN_GENERATOR, RUN_EVALUATOR, RUN_OUTPUT, RUN_ROLES };

struct run_model {
    const gramc_model *model;
    gramc_text id;              /* as it is asked for */
    const gramc_prices *prices; /* NULL: not known */
};

/* In events and traces; NULL: the agent itself. */
const char *role_name(enum run_role role);
/* The first of some (1 << RUN_AGENT and so on). */
enum run_role role_first(unsigned roles);
/* The model that the agent names for the role, as it is written; it may be empty. */
gramc_text role_wants(const gramc_agent *agent, enum run_role role);
/* Fills in the models of those roles: of options->models the one of the
 * name that the agent gives it, options->model if it has no other name than the agent's, or if that
 * will do. False: a role has no model. */
bool roles_resolve(struct run_model out[RUN_ROLES], unsigned roles, const gramc_agent *agent,
                   const gramc_run_options *options);

#endif
