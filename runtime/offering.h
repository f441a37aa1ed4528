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

/* How boxes of a library are called that another one's agent works with; empty without memory. */
gramc_text offering_box_name(struct arena *arena, const gramc_library *library, gramc_text box);

#endif
