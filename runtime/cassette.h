/* A recorded run, whose model and tools can be played again. */
#ifndef RUNTIME_CASSETTE_H
#define RUNTIME_CASSETTE_H

#include "runtime/model.h"
#include "runtime/recording.h"

struct gramc_cassette {
    struct arena arena;
    gramc_model *model; /* answers as the recorded one did */
    struct recording tools;
};

#endif
