/* What every command needs that has to do with tools (workshop.c). */
#ifndef CLI_RUN_WORKSHOP_H
#define CLI_RUN_WORKSHOP_H

#include "cli/run/run.h"

enum { WORKSHOP_PATH = 4096 };

struct workshop {
    struct cli *cli;
    struct run_secrets secrets;
    struct run_folders folders; /* of files that calls may send */
    struct run_hosts hosts;
    gramc_containment containment; /* of programs of libraries */
    char host[WORKSHOP_PATH];      /* of gramc-host; empty: there is none */
    unsigned missing;              /* walls, once they were asked for */
    bool knows_missing;
    gramc_builtins *builtins;
    gramc_loop *loop;
    gramc_offering *offering; /* NULL before workshop_ask */
    struct lock *lock;
    bool pins;        /* gramc.lock is being written: nothing is compared with it */
    bool may_not_ask; /* whether to trust a library: nobody would know what for */
    uint32_t company; /* of the runs that its servers are for: see gramc_run_options */
};

/* `spec`: under whose configuration variables are read; NULL: those of --allow-env alone. An exit
 * code; close it after a failure too. */
int workshop_open(struct workshop *shop, struct cli *cli, const gramc_compilation *spec);
void workshop_close(struct workshop *shop);
/* Makes sure that the library may start programs, for calls if `calls`, else for its boxes alone.
 * Then asks the boxes that the agent needs (NULL: all), or reads --snapshot. An exit code. */
int workshop_ask(struct workshop *shop, const gramc_library *library, const gramc_agent *agent,
                 bool calls);
/* Says which boxes could not be asked, and which of their tools cannot be called. EXIT_FINE if all
 * could. */
int workshop_report_boxes(const struct workshop *shop);
/* The exit code for a binding with findings: a box that is down is no finding, nor is a sandbox
 * that cannot be held here. */
int workshop_findings_code(const struct workshop *shop, const gramc_bound *bound);
/* Borrows from the workshop. */
gramc_bind_options workshop_binding(const struct workshop *shop);
/* The exit code that goes with the end of a call. */
int workshop_call_code(gramc_call_outcome end);

#endif
