/* What one `gramc run` works with, and single runs of it (runner.c). */
#ifndef CLI_RUN_RUNNER_H
#define CLI_RUN_RUNNER_H

#include "cli/run/roles.h"
#include "cli/run/streamed.h"
#include "cli/run/tell.h"
#include "cli/run/workshop.h"

struct kept;

struct runner {
    struct cli *cli;
    struct choice choice;
    struct workshop shop;
    gramc_bound *bound;
    gramc_model *model;
    struct role_models roles;
    gramc_input inputs[CLI_GIVEN];
    size_t input_count;
    int trace;      /* descriptor, -1: none */
    bool trace_out; /* to standard output instead */
    bool escape;
    bool wants_document;    /* --format json: it goes to standard output instead of the answers */
    bool said_no_curl;      /* that there is nothing for --curl to show */
    struct kept *kept;      /* --session; NULL: none */
    gramc_session *session; /* that runs continue; NULL: none */
    gramc_session *own;     /* the same, if it is in no store */
    gramc_run_options options;
    gramc_prices prices;
    struct approve *approve; /* NULL before the first run */
    /* of the run that is under way */
    struct tell tell;
    struct streamed streamed;
    struct document document;
    gramc_spans *spans; /* NULL: none are wanted */
    gramc_outcome outcome;
    gramc_status shown; /* what printing requests came to */
    int printed;        /* the exit code of printing the document */
};

/* Options, budgets, the trace. An exit code. */
int runner_prepare(struct runner *runner);
/* One run: each message is one turn. An exit code, after a message if it is not EXIT_FINE. */
int runner_ask(struct runner *runner, const gramc_text *messages, size_t count);

/* ## --chat (chat.c) */
/* A message a line, until there are no more. An exit code. */
int chat(struct runner *runner);

#endif
