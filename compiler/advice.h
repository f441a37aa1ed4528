/* What is recommended and not demanded: notes for who asks. */
#ifndef COMPILER_ADVICE_H
#define COMPILER_ADVICE_H

#include "compiler/agent.h"

/* True if such a finding is reported in the source that the pass looks at: the compilation was told
 * to advise, or the configuration gives the finding a severity. True for all that is no advice. */
bool advice_is_wanted(const struct pass *pass, enum diag_id id);

/* Reports what is wanted, for an agent whose tools are known. */
void advise(struct pass *pass, const struct agent *agent);

#endif
