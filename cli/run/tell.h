/* What `gramc run` says of a run while it happens and when it is over (tell.c). */
#ifndef CLI_RUN_TELL_H
#define CLI_RUN_TELL_H

#include "cli/run/progress.h"
#include "cli/run/run.h"
#include "serve/document.h"

/* ## Lines for people, on standard error */
struct tell {
    struct cli *cli;
    struct progress *progress;
    struct document *document; /* NULL: none is wanted */
    bool quiet, verbose, closes;
    bool prompted;    /* the newest request was in words of a strategy */
    uint32_t waiting; /* calls that have not ended */
    uint32_t asking;  /* questions that are open: the terminal is theirs */
    struct buf who;   /* "library friendly, model OpenAI/x" */
    struct buf model;
    struct buf said; /* by the model in its newest answer, as far as it came */
};

void tell_start(struct tell *tell, struct cli *cli, struct document *document);
void tell_event(struct tell *tell, const gramc_event *event);
void tell_note(struct tell *tell, gramc_text line);
/* Why there is no answer, what there is of one, and the closing line. */
void tell_done(struct tell *tell, const gramc_run_result *result);
/* What there is of an answer when the run has ended otherwise. */
gramc_text tell_partial(const struct tell *tell, const gramc_run_result *result);
/* Somebody else writes to the terminal. */
static inline void tell_hide(struct tell *tell) {
    progress_hide(tell->progress);
}
/* A question is put to the person at the terminal. */
void tell_ask(struct tell *tell);
void tell_stop(struct tell *tell);

#endif
