/* Whether a request holds a result for each call, and none for anything else. */
#ifndef TESTS_ANSWERS_PAIRS_H
#define TESTS_ANSWERS_PAIRS_H

#include <stdbool.h>

#include "gramc/gramc.h"

/* By what the results of that way (struct way, its folder) are looked up. */
bool pairs_match(const char *folder, gramc_text request);

#endif
