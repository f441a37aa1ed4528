/* --otlp: spans of a run for OpenTelemetry (otlp.c). */
#ifndef CLI_RUN_OTLP_H
#define CLI_RUN_OTLP_H

#include "cli/run/run.h"

/* *out NULL: none are wanted. An exit code. */
int otlp_start(struct cli *cli, gramc_spans **out);
/* After the run, whatever came of it; a warning if they did not arrive. An exit code. */
int otlp_send(struct cli *cli, const gramc_spans *spans, gramc_loop *loop);

#endif
