/* The file of cases that an experiment names: one JSON object a line, or CSV. */
#ifndef COMPILER_CASES_H
#define COMPILER_CASES_H

#include "compiler/experiment.h"

/* Reports a file that cannot be read or is no such file, a case of another form, and what agents
 * and graders ask for and a case does not have: those would end the run before it begins. */
void cases_check(struct pass *pass, const struct experiment *experiment);

#endif
