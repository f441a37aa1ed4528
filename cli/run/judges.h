/* The models of graders that judge: for grading_options. */
#ifndef CLI_RUN_JUDGES_H
#define CLI_RUN_JUDGES_H

#include "cli/run/run.h"
#include "experiment/grade.h"

enum { JUDGES_MAX = 64 }; /* different models, of one experiment */

struct run_judges {
    struct cli *cli;
    struct choice choice; /* under whose configuration they are asked */
    gramc_agent agent;    /* that names the model at hand */
    gramc_prices prices[JUDGES_MAX];
    size_t price_count;
};

/* `compilation` is the experiment's. With --judge all judges are that model. Borrowed by the
 * options, which take `loop` and the allocator too. */
void judges_open(struct run_judges *judges, struct cli *cli, gramc_compilation *compilation,
                 gramc_loop *loop, struct grading_options *options);
/* What a judge of that model costs; false: not known. */
bool judges_price(struct run_judges *judges, gramc_text model, gramc_prices *out);

#endif
