/* How a server of a library is reached: its address where that comes from the environment, its
 * certificates, its proxy. */
#ifndef RUNTIME_ROUTE_H
#define RUNTIME_ROUTE_H

#include "gramc/spec.h"
#include "runtime/net/http.h"
#include "runtime/egress_policy.h"
#include "runtime/secret.h"

enum { ROUTE_WHY_MAX = 256 };

struct route_source {
    const gramc_transport *transport;
    gramc_text folder; /* of the library's file */
    const struct secrets *secrets;
    const struct egress_policy *egress; /* NULL: every library is one's own */
    gramc_text file;                    /* where the address is written */
    gramc_text url;                     /* filled in */
};

/* Both: in the arena. GRAMC_FINDINGS: it cannot be as it is written; `why` is then half a sentence.
 * GRAMC_NOMEM. */
/* Files that cannot be read are mistakes, and so is a host that may not be asked. */
gramc_status route_read(const struct http_route **out, struct arena *arena,
                        const struct route_source *source, char why[ROUTE_WHY_MAX]);
/* The address with the ${env:NAME} that it begins with filled in; any other as it is. */
gramc_status route_url(gramc_text *out, struct arena *arena, gramc_text url,
                       const struct route_source *source, char why[ROUTE_WHY_MAX]);

#endif
