/* The reports and gates of experiments, as options ask for them. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/cli.h"
#include "experiment/report/report.h"

enum { REPORT_GATES_MAX = CLI_GIVEN };

struct report_request {
    struct gate_rule gates[REPORT_GATES_MAX];
    size_t gate_count;
    const struct experiment_format *format; /* of standard output */
};

/* Reads --format, --report and the gates. EXIT_FINE, or EXIT_USAGE after a message that shows where
 * a gate is wrong. */
int report_prepare(struct cli *cli, struct report_request *out);
/* The same for what the gates name: before anything runs. */
int report_check(struct cli *cli, const struct report_request *request,
                 const gramc_experiment *experiment, const struct analysis_grader *graders,
                 size_t grader_count);
/* The same by an analysis. */
int report_check_found(struct cli *cli, const struct report_request *request,
                       const struct analysis *analysis);
/* True if some report shows what was said: analysis_input.transcripts. */
bool report_wants_transcripts(const struct cli *cli);
/* Judges the gates, prints the report and writes those of --report. The exit code of the gates, or
 * of what went wrong. */
int report_write(struct cli *cli, struct analysis *analysis, const struct report_request *request);

#endif
