/* What tools said in a recorded run. */
#ifndef RUNTIME_RECORDING_H
#define RUNTIME_RECORDING_H

#include "base/json/trace_read.h"
#include "runtime/tool.h"

/* One recorded call; `number` says where its mark is among those of the run. */
struct recorded {
    gramc_text tool;      /* its own name */
    gramc_text arguments; /* canonical; {NULL, 0}: they are no JSON */
    gramc_text text;
    enum tool_outcome outcome;
    bool answered;
    uint64_t turn, iteration, call; /* by which the answer is found */
    gramc_text within;              /* likewise */
    size_t number;
    struct recorded *next;
};

struct recording {
    struct recorded *first, **end;
    struct recorded *waiting; /* all before it have their answers */
    size_t count;
};

/* Reads the calls of one tool, or of all if `tool` is empty, into the arena; the reader may have
 * another one. A status of trace_next. */
gramc_status recording_read(struct recording *out, struct arena *arena, gramc_text tool,
                            struct trace_reader *reader);
/* Answers with what the tool of the call said when it got the same arguments; of equal calls of one
 * run, the next that it has not had. If there is none the call fails and says so, and the memory of
 * its run that it missed. */
void recording_answer(const struct recording *recording, struct tool_call *call);

#endif
