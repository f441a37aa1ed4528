/* The models of graders that judge: for grading_options. */
#ifndef CLI_RUN_JUDGES_H
#define CLI_RUN_JUDGES_H

#include "base/limits.h"
#include "cli/run/run.h"
#include "experiment/grade.h"

/* What a model that judges costs; graders of one model share it. */
struct judge_price {
    gramc_text model;
    gramc_prices prices;
    bool is_known;
};

struct run_judges {
    struct cli *cli;
    struct choice choice; /* under whose configuration they are asked */
    gramc_agent agent;    /* that names the model at hand */
    struct judge_price prices[JUDGES_MAX];
    size_t price_count;
};

/* `compilation` is the experiment's. With --judge all judges are that model. Borrowed by the
 * options, which take `loop` and the allocator too. Refuses more than JUDGES_MAX models. */
int judges_open(struct run_judges *judges, struct cli *cli, gramc_compilation *compilation,
                const gramc_experiment *experiment, gramc_loop *loop,
                struct grading_options *options);
/* What a judge of that model costs; NULL: not known. */
const gramc_prices *judges_price(const struct run_judges *judges, gramc_text model);

#endif
