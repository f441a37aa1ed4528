/* What is known of families of models by their names. */
#ifndef BASE_FAMILY_H
#define BASE_FAMILY_H

#include <stdbool.h>

#include "gramc/gramc.h"

/* True for a model that answers a request with a temperature of its own by an error: it takes the
 * preset one alone. `model` is an id, with or without "Provider/" in front of it. */
bool family_refuses_temperature(gramc_text model);

#endif
