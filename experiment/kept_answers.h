/* The answers of one item's cells, as long as somebody may still compare them. */
#ifndef EXPERIMENT_KEPT_ANSWERS_H
#define EXPERIMENT_KEPT_ANSWERS_H

#include "experiment/attempt.h"

struct kept_answers {
    struct arena arena;
    struct attempt **list; /* repeat * arms + arm; NULL: there is none */
    uint32_t repeats, arms;
};

/* False without memory; kept_answers_free is for that case, too. */
bool kept_answers_init(struct kept_answers *kept, uint32_t repeats, uint32_t arms,
                       const gramc_allocator *allocator);
void kept_answers_free(struct kept_answers *kept);

/* Outcome, answer and which graders have judged; copied. False without memory. */
bool kept_answers_put(struct kept_answers *kept, const struct attempt *attempt);
/* NULL: none was put. */
const struct attempt *kept_answer(const struct kept_answers *kept, uint32_t repeat, uint32_t arm);
/* The grader has judged the answer. */
bool kept_answer_is_judged(const struct attempt *answer, uint32_t grader);

#endif
