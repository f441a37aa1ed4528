/* What the files of `gramc run` share. */
#ifndef CLI_RUN_RUN_H
#define CLI_RUN_RUN_H

#include "cli/cli.h"
#include "gramc/runtime.h"

int cmd_run(struct cli *cli);
int cmd_bind(struct cli *cli);
int cmd_tools(struct cli *cli);
int cmd_call(struct cli *cli);
int cmd_lock(struct cli *cli);
int cmd_grade(struct cli *cli);
int cmd_cassette(struct cli *cli);
int cmd_experiment(struct cli *cli);
int cmd_ab(struct cli *cli);
int cmd_report(struct cli *cli);
int cmd_session(struct cli *cli);
int cmd_stat(struct cli *cli);
int cmd_worker(struct cli *cli);
int cmd_serve(struct cli *cli);

/* ## Specs (choose.c). All return an exit code, after a message if it is not EXIT_FINE. */
struct choice {
    gramc_compilation *compilation, *library_compilation; /* free both; may be NULL */
    const gramc_agent *agent;
    const gramc_library *library; /* NULL: the spec has none and none was named */
    bool asks_nothing;            /* its model is made and never asked: it needs no key */
};
int run_choose(struct cli *cli, struct choice *out);
/* Of `FILE` or `FILE#NAME`; or of `NAME`, as the spec (NULL: there is none) has it. */
int run_choose_library(struct cli *cli, struct choice *out, const gramc_spec *spec,
                       const char *option);
void run_choice_free(struct choice *choice);
/* Prints what binding had to say. */
void run_print_binding(struct cli *cli, const gramc_bound *bound);

/* ## Inputs (inputs.c) */
/* Collects every --input NAME=VALUE into `out` (room for CLI_GIVEN) and compares with what the
 * agent asks for: one that is missing or given twice is a usage error, one too many a warning. */
int run_inputs(struct cli *cli, const gramc_agent *agent, gramc_input *out, size_t *count);

/* ## Models (endpoint.c) */
/* A model that was recorded is asked as its recording was, whoever the agent's provider is. */
void run_follow(gramc_bind_options *out, const gramc_model *recorded);
/* By which protocol the agent's model is asked, where it is asked. */
gramc_text run_protocol_of(struct cli *cli, const struct choice *choice);
/* How the provider of that model is asked, and by whose rules it takes names. Of a script it says
 * itself: *model is then that script. An exit code. */
int run_provider(struct cli *cli, const struct choice *choice, gramc_bind_options *out,
                 gramc_model **model);
/* The compilation's configuration says what --model and --base-url leave open. Leaves a model that
 * is there as it is. */
int run_model(struct cli *cli, const struct choice *choice, gramc_model **out);

/* The model that is asked, with its provider if one is known: of the command line, the agent, the
 * configuration. Empty if none of them names one; false if the name is too long for `room`. */
bool run_name_model(struct cli *cli, const struct choice *choice, char *room, size_t size,
                    gramc_text *out);

/* What the configuration says of the model's provider, between `prefix` and `suffix`; empty:
 * nothing. */
gramc_text run_of_provider(const gramc_compilation *compilation, gramc_text model,
                           const char *prefix, const char *suffix);

/* The environment variable that holds the key of the model's provider; empty: none is known. */
gramc_text run_key_name(struct cli *cli, const struct choice *choice);

/* ## Budgets (budget.c) */
/* From --max-concurrent, --rpm and --tpm, or what the configuration says of the model's provider.
 */
int run_limits(struct cli *cli, const gramc_compilation *compilation, gramc_text model,
               gramc_endpoint_options *out);
/* Of --model or --judge: it is a model that answers, and not mock or a script. NULL: none is given,
 * what the agent says counts. */
bool run_asks(const char *model);
/* What the model of the choice costs; false: nobody has said. */
bool run_find_prices(struct cli *cli, const struct choice *choice, gramc_prices *out);
/* From --max-tokens, --max-cost, --max-duration and the prices of the configuration, which `prices`
 * is the room for. */
int run_budget(struct cli *cli, const struct choice *choice, gramc_run_options *out,
               gramc_prices *prices);

/* ## Secrets (secrets.c) */
/* What a tool library may read of the environment: for gramc_bind_options. */
struct run_secrets {
    gramc_pair *list; /* texts of the environment, the configuration and argv */
    size_t count, room;
};
/* `spec`: under whose configuration; NULL: --allow-env alone. Free it after a failure too. */
int run_read_secrets(struct cli *cli, const gramc_compilation *spec, struct run_secrets *out);
void run_free_secrets(struct cli *cli, struct run_secrets *secrets);

/* ## Files (folders.c) */
/* Folders whose files HTTP calls may send: for gramc_bind_options. */
struct run_folders {
    gramc_text *list; /* in one block, with their texts */
    size_t count, size;
};
/* As run_read_secrets. A folder of a configuration is relative to that. */
int run_read_folders(struct cli *cli, const gramc_compilation *spec, struct run_folders *out);
void run_free_folders(struct cli *cli, struct run_folders *folders);

/* ## Hosts (hosts.c) */
/* Where HTTP tools and MCP servers may be: for gramc_bind_options. */
struct run_hosts {
    gramc_text *list; /* texts of the configuration */
    size_t room;
    gramc_text file; /* that was asked about last, and what was said */
    bool is_own, has_spec;
    struct cli *cli;
    gramc_egress egress;
};
/* From `allowHosts` of the spec's configuration; `spec` NULL: there is none. Stays where it is
 * until it is freed, which is to be done after a failure too. */
int run_read_hosts(struct cli *cli, const gramc_compilation *spec, struct run_hosts *out);
void run_free_hosts(struct run_hosts *hosts);

/* ## Values of options (values.c) */
/* "500ms", "30s", "5m", "1h". False for anything else, 0 included. */
bool run_parse_duration(const char *text, uint32_t *ms);
/* "0.5", in any locale. False for anything else, 0 included. */
bool run_parse_amount(const char *text, double *amount);
bool run_parse_count(const char *text, uint32_t *count);
/* Text of a model, tool or server: what could fool a terminal is escaped. */
void run_print_hostile(FILE *file, gramc_text text);

/* ## Interruptions (interrupt.c) */
/* Makes SIGINT and SIGTERM cancel what the loop runs; a second one ends the process. */
struct interrupt;
struct interrupt *interrupt_start(struct cli *cli, gramc_loop *loop);
/* The same, but the first one calls `stop`, on another thread. */
struct interrupt *interrupt_start_with(struct cli *cli, void (*stop)(void *ctx), void *ctx);
/* Before the loop is freed. True if a signal came. NULL is fine. */
bool interrupt_stop(struct cli *cli, struct interrupt *interrupt);

#endif
