/* Experiments that are over, as their JSON reports tell them: one again, for another format or
 * other gates; or an arm of one against an arm of another, which did not run at the same time. */
#ifndef EXPERIMENT_HISTORY_H
#define EXPERIMENT_HISTORY_H

#include "base/json/json.h"
#include "experiment/analyse.h"

struct history_source {
    const struct json *report; /* borrowed while it is analysed */
    gramc_text arm;            /* empty: the last one */
    gramc_text label;          /* what tells it from the other: its file */
};

enum { HISTORY_WHY = 200 };

/* One source: the experiment as it was, all arms. Two: the arm of the second against that of the
 * first, paired by the ids of cases. GRAMC_FINDINGS: `why` says what is wrong; GRAMC_NOMEM. */
gramc_status analyse_history(struct analysis *out, const struct history_source *sources,
                             size_t count, const gramc_allocator *allocator, char why[HISTORY_WHY]);

#endif
