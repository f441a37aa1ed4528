/* The inside of a gramc_offering: what the boxes of a library were found to offer. */
#ifndef RUNTIME_OFFERING_H
#define RUNTIME_OFFERING_H

#include "gramc/runtime.h"
#include "runtime/offered.h"

struct gramc_offering {
    struct arena arena;
    gramc_text library, fingerprint;
    struct offered_box *boxes;
    size_t box_count;
};

#endif
