/* Whether programs of a library from elsewhere may be started (docs/trust.md). */
#ifndef CLI_RUN_TRUST_H
#define CLI_RUN_TRUST_H

#include "cli/run/workshop.h"

/* Before anything of the library is started. `calls`: its tools may be called; else only its boxes
 * are asked. EXIT_FINE: it is one's own, or starts nothing, or was trusted; EXIT_USAGE after a
 * message. */
int trust_library(struct workshop *shop, const gramc_library *library, bool calls);

#endif
