/* Where the box of a library is, where that is asked of a program. */
#ifndef RUNTIME_DISCOVER_H
#define RUNTIME_DISCOVER_H

#include "runtime/bound.h"
#include "runtime/offered.h"

/* Starts the program that the box of the library names, once, and turns the loop until it has
 * ended: what it wrote is out->url, or out->failure says why there is none. In the arena. Not while
 * the loop runs. */
void discover_url(struct offered_box *out, struct arena *arena, const gramc_box *box,
                  gramc_loop *loop, gramc_bound *scratch, const gramc_library *library);

#endif
