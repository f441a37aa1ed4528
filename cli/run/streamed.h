/* Answers on standard output as they come (streamed.c). */
#ifndef CLI_RUN_STREAMED_H
#define CLI_RUN_STREAMED_H

#include "cli/run/run.h"

struct streamed {
    FILE *out;
    bool on;         /* answers are asked for in pieces */
    bool shows;      /* and shown so */
    bool escape;     /* on a terminal */
    bool open;       /* a line is begun */
    struct buf text; /* shown since then */
};

/* By --stream, --no-stream and where the output goes. shows: it is for answers. An exit code. */
int streamed_start(struct streamed *streamed, struct cli *cli, bool shows);
void streamed_stop(struct streamed *streamed);
void streamed_event(struct streamed *streamed, const gramc_event *event);
/* Ends what is shown. True if that was the answer. */
bool streamed_is_answer(struct streamed *streamed, gramc_text answer);
void streamed_break(struct streamed *streamed);

#endif
