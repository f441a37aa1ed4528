/* By which protocol the models of an agent are asked (bind_roles.c). */
#ifndef RUNTIME_BIND_ROLES_H
#define RUNTIME_BIND_ROLES_H

#include "runtime/bound.h"

/* As the options list it for models of that name; else by its provider's own protocol, if the
 * agent's own model is asked by its provider's; else as that is. NULL: the options name a protocol
 * that is none. */
const struct protocol *bind_protocol(const gramc_bind_options *options, const gramc_agent *agent,
                                     gramc_text name);
/* Chooses the protocol of each role; the first one's is the agent's, and `options` are for it then.
 * False: one is not known. */
bool bind_roles(gramc_bound *bound, gramc_bind_options *options);
/* All names that this agent has for models, and those that do its tools, with their protocols, as
 * far as these are not the agent's own: bound->named. Once all of it is bound. */
void bind_list_named(gramc_bound *bound);

#endif
