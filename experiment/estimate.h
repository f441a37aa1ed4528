/* What an experiment will probably use: requests, tokens, money. From what runs of the same arm
 * have used, or else from the size of its prompts, which gives bounds and no more. What is not
 * known is told as such, and is never 0. Pure: who asks brings the evidence. */
#ifndef EXPERIMENT_ESTIMATE_H
#define EXPERIMENT_ESTIMATE_H

#include "experiment/attempt.h"

enum estimate_basis {
    ESTIMATE_NOTHING,
    ESTIMATE_PROMPTS,  /* of cases: bounds */
    ESTIMATE_RECORDED, /* runs of a cassette: means */
    ESTIMATE_EARLIER   /* runs of the store: means */
};
/* "none", "prompts", "recorded runs", "earlier runs" */
const char *estimate_basis_name(enum estimate_basis basis);

/* Sums over runs that said how many tokens they took. */
struct usage_sum {
    uint64_t runs, requests, prompt, cached, completion;
    double judge_cost;
};
/* Of an attempt that ran to its end and knows its tokens; others leave no mark. */
void usage_sum_add(struct usage_sum *sum, const struct attempt *attempt);

/* The prompts of some cases, as they would be sent first, and what bounds the rest of a run. */
struct prompt_sample {
    uint64_t prompts, bytes;
    double turns;            /* of a run: answers that it takes at least, the mean over all cases */
    uint32_t max_iterations; /* requests a turn */
    uint64_t max_tokens;     /* of an answer; 0: not declared */
    uint64_t max_total;      /* tokens of a run; 0: no limit */
    bool one_request;        /* a turn: no tools, no typed answer */
};

/* At least `low`; at most `high`, where that is bounded. */
struct estimate_range {
    double low, high;
    bool known, bounded;
};

struct estimate_arm {
    enum estimate_basis basis;
    uint64_t seen; /* runs or prompts that it rests on */
    struct estimate_range requests, input, output, cost;
};

/* `runs` are those that are planned; prices NULL: not known. */
struct estimate_arm estimate_by_usage(enum estimate_basis basis, const struct usage_sum *sum,
                                      double runs, const gramc_prices *prices);
struct estimate_arm estimate_by_prompts(const struct prompt_sample *sample, double runs,
                                        const gramc_prices *prices);
/* An unknown part makes the sum unknown. */
struct estimate_range estimate_add(struct estimate_range a, struct estimate_range b);
struct estimate_range estimate_exactly(double value);

#endif
