/* Answers of a step (answer.c). */
#ifndef RUNTIME_ANSWER_H
#define RUNTIME_ANSWER_H

#include "runtime/llm.h"

/* What there is to show so far. */
void answer_set_text(gramc_run *run, gramc_text text);
/* The step is over, with this. */
void answer_give(gramc_run *run, gramc_text text);
/* Without calls: adds it to the conversation that was asked and takes it for the step's answer, or
 * asks there again for one that fits, or ends the run. */
void answer_read(gramc_run *run, const struct reply *reply);
/* The results of the round are the answer, or what should be one. */
void answer_of_tools(gramc_run *run);

#endif
