/* Which tool's result can be another's argument, by type alone. */
#ifndef CLI_RUN_COMPOSE_H
#define CLI_RUN_COMPOSE_H

#include "base/json/json.h"
#include "cli/run/run.h"

/* By the schema of a call's arguments. */
bool parameter_is_required(const struct json *parameters, gramc_text name);

/* gramc tools --compose FILE...: an exit code. */
int cmd_compose(struct cli *cli);

#endif
