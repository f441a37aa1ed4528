/* Which hosts the servers of a library may be at: what the options of a binding say, and what the
 * library names itself. */
#ifndef RUNTIME_EGRESS_POLICY_H
#define RUNTIME_EGRESS_POLICY_H

#include "gramc/runtime.h"
#include "runtime/net/egress.h"

struct egress_policy;

/* Every host can be read. NULL is fine. */
bool egress_is_usable(const gramc_egress *given);
/* In the arena; NULL without memory. Borrows what `given` calls. */
struct egress_policy *egress_policy_new(struct arena *arena, const gramc_egress *given);

/* Whether the file is of a library of one's own; policy NULL: every one is. */
bool egress_owns(const struct egress_policy *policy, gramc_text file);

/* What is written of a server, and in which file. */
struct egress_written {
    gramc_text file, url, proxy; /* filled in; proxy may be empty */
};
/* The rules for that server, in the arena; policy NULL: every library is one's own. False without
 * memory. */
bool egress_rules(struct egress *out, struct arena *arena, const struct egress_policy *policy,
                  const struct egress_written *written);

#endif
