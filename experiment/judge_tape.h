/* What the judges of one cell are asked and say, as lines of its trace, and back. */
#ifndef EXPERIMENT_JUDGE_TAPE_H
#define EXPERIMENT_JUDGE_TAPE_H

#include "base/buf.h"
#include "gramc/runtime.h"

struct judge_tape {
    struct buf *written; /* lines are added to it; NULL: nothing is kept */
    bool plays;          /* nobody is asked: `recorded` has what they said */
    gramc_text recorded; /* lines as they are written; others among them are passed over */
    bool missed;         /* something was asked that is not recorded */
};

/* The trace of one request to the judge of that grader; a preference makes two, 1 and 2. */
void judge_tape_write(struct buf *out, gramc_text grader, unsigned asking, gramc_text trace);
/* What plays it. GRAMC_NOT_FOUND: it was not recorded; GRAMC_FINDINGS: as no trace; GRAMC_NOMEM. */
gramc_status judge_tape_open(gramc_cassette **out, const struct judge_tape *tape, gramc_text grader,
                             unsigned asking, const gramc_allocator *allocator);
/* A line of judges, not of the run itself. */
bool judge_tape_owns(gramc_text line);

#endif
