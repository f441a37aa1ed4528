/* Names of an object, and the regular expressions that speak of them. */
#ifndef COMPILER_NAME_MATCH_H
#define COMPILER_NAME_MATCH_H

#include "compiler/compilation.h"

/* False also for what is no regular expression, which is reported elsewhere. */
bool name_matches(struct pass *pass, gramc_text pattern, gramc_text name);

#endif
