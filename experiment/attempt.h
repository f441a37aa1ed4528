/* What is known of a cell once it has ended: written to the store once, and all that analysis and
 * reports read. The texts belong to who made it. */
#ifndef EXPERIMENT_ATTEMPT_H
#define EXPERIMENT_ATTEMPT_H

#include "experiment/plan.h"

enum cell_state {
    CELL_TODO,    /* not run yet, or not to its end */
    CELL_DONE,    /* run and scored; whether well is in the scores */
    CELL_MISSING, /* the infrastructure failed, as often as it may: never a failure of the arm */
    CELL_SKIPPED  /* not run: the experiment was stopped before */
};
const char *cell_state_name(enum cell_state state);
/* CELL_TODO for a name that is none. */
enum cell_state cell_state_of(gramc_text name);

/* Whose fault an outcome is. */
enum fault { FAULT_NONE, FAULT_ARM, FAULT_INFRASTRUCTURE };
const char *fault_name(enum fault fault);
/* FAULT_INFRASTRUCTURE for a name that is none. */
enum fault fault_of_name(gramc_text name);

/* A grader's word on one answer. Where it could not judge, `missing` says so, and nothing is
 * scored: the cell counts as missing for every metric that needs it. */
struct score {
    double value; /* 0 to 1 */
    bool pass, missing;
    gramc_text reason; /* why not, one line, hostile text inside; empty: it passed */
};

struct attempt {
    struct cell cell;
    uint32_t number; /* from 1 */
    enum cell_state state;
    enum fault fault;
    gramc_text
        outcome; /* of the run (gramc_outcome_name), or "crash", "cassette-miss", "grader-error" */
    gramc_text message; /* why it is not `answered` */
    uint32_t requests, retries, calls, call_errors, tool_errors;
    uint64_t prompt_tokens, completion_tokens, cached_tokens;
    double cost; /* only with has_cost */
    double judge_cost;
    bool has_cost, has_tokens;
    uint64_t wall_us, model_us, tool_us, queued_us;
    int64_t started_ms; /* since 1970; of a replayed one: the day of recording, 0 if unknown */
    gramc_text response_model, system_fingerprint;
    gramc_text answer;
    gramc_text trace;           /* JSON lines (trace version 2); empty: none was kept */
    const struct score *scores; /* one a grader, in the order of the experiment's */
    size_t score_count;
    bool replayed; /* what the model said is from a cassette */
};

/* What a grader that prefers one answer to another says of a cell, against the first arm's cell of
 * the same repeat. It counts as that grader's score of the cell. */
struct preference {
    struct cell cell;
    uint32_t grader; /* in the order of the experiment's */
    struct score score;
    double cost;      /* of asking */
    gramc_text trace; /* of what was asked and said; empty: none was kept */
};

#endif
