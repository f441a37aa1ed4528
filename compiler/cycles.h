/* Types that lead to themselves: which of them say nothing, and the way round. */
#ifndef COMPILER_CYCLES_H
#define COMPILER_CYCLES_H

#include "compiler/definition.h"

/* Reports a type that is built on itself by its label; the others on the way are marked. */
void cycle_report_base(struct pass *pass, const struct gramc_spec *spec, struct definition *d);
/* Reports types that no finite value satisfies, and unions of themselves. */
void cycles_check(struct pass *pass, struct gramc_spec *spec);

#endif
