/* What an experiment compares: `metric`, and `guardrails` beside it. */
#ifndef COMPILER_METRIC_H
#define COMPILER_METRIC_H

#include "compiler/experiment.h"

/* What every run is measured by, whatever its graders say. */
#define MEASURED_METRICS "cost latency tokens requests calls callErrors toolErrors"
/* What people say of an answer: online alone, and from 0 to 1. */
#define ONLINE_METRICS "feedback"

/* A metric's name, or another that stands in reports beside those of graders. */
bool metric_is_taken(gramc_text name);
/* Reads both, once the graders are known; `stop: sequential` needs a metric with bounds. */
void metrics_read(struct pass *pass, struct experiment *experiment);

#endif
