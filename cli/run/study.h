/* An experiment that is about to be run: its spec and cases, and for each arm what it is run with
 * (study.c, study_arms.c); how it is run, kept and resumed (study_run.c). */
#ifndef CLI_RUN_STUDY_H
#define CLI_RUN_STUDY_H

#include "cli/run/report.h"
#include "cli/run/judges.h"
#include "cli/run/roles.h"
#include "cli/run/workshop.h"
#include "experiment/analyse.h"
#include "experiment/cassette_folder.h"
#include "experiment/engine.h"
#include "experiment/online.h"
#include "experiment/run_cell.h"
#include "experiment/store/store.h"

enum {
    STUDY_MODEL = 512,
    STUDY_ID = 200,
};

/* What an arm is made of. */
struct study_arm {
    gramc_agent agent; /* as the arm changes it */
    gramc_offering *offering;
    gramc_bound *bound;
    gramc_model *model;
    struct role_models roles;
    gramc_prices prices;
    bool has_prices;
    bool plays_mock;              /* its recording is of answers that cost nothing */
    char model_name[STUDY_MODEL]; /* with its provider */
    gramc_text differs; /* from the first arm, in what the model sees; in the study's arena */
};

/* What a process has done of an experiment. */
struct study_work {
    char owner[64]; /* who it is */
    char id[STUDY_ID];
    const char *end; /* engine_end_name; NULL: it did not begin */
    char reason[300];
    uint64_t runs, retried;
    uint64_t refused; /* that ended when their cases were no longer ours */
    uint32_t items, claimed, finished;
    uint64_t left; /* cases that are not finished */
};

struct study {
    struct cli *cli;
    struct choice choice;      /* compilations, and the agent and library of the arm at hand */
    gramc_compilation *second; /* of the library of --b */
    gramc_experiment made;     /* by gramc ab */
    gramc_arm made_arms[2];
    gramc_grader made_grader;
    const gramc_experiment *experiment;
    struct buf texts; /* that were put together for it */
    struct cases cases;
    bool has_cases;
    struct workshop shop;
    size_t arm_count;
    struct study_arm arms[ARMS_MAX];
    struct run_arm run_arms[ARMS_MAX];
    struct plan plan;
    struct arena arena; /* of lists that live as long as this */
    struct grading *grading;
    const struct analysis_grader *graders;
    size_t grader_count;
    const uint32_t *preferences; /* of these, those that prefer one answer to another */
    size_t preference_count;
    bool has_judges;
    struct run_judges judges;
    struct report_request request;
    char store_path[CLI_PATH];
    struct cassette_folder cassettes; /* of --record or --replay */
    char joins[STUDY_ID];             /* what the store calls the runs that are joined; or empty */
    struct study_work work;
};

/* All return an exit code, after a message if it is not EXIT_FINE. */
/* The options of its report, too. */
int study_init(struct study *study, struct cli *cli);
/* The file of the first operand and its experiment. */
int study_open(struct study *study, struct cli *cli);
/* The cases that the experiment names. */
int study_read_cases(struct study *study);
/* Binds every arm, and looks whether they can be compared. Starts servers, asks no model. */
int study_bind(struct study *study);
/* Compiles the graders, and looks whether gates name what there is. */
int study_open_graders(struct study *study);
/* The plan, once all arms are bound. */
int study_plan(struct study *study);
/* Also after a failure. */
void study_close(struct study *study);

/* Analyses what the store has of it, judges the gates, prints the report: their exit code. */
int study_report(struct study *study, struct store *store, gramc_text state, gramc_text reason);

/* The same of the newest runs that the store keeps, without running or binding anything; and as
 * JSON, unless another format is asked for (study_kept.c). */
int study_report_kept(struct study *study);
int study_analyse(struct study *study);
/* What so many cases can show (study_power.c). */
int study_power(struct study *study);
/* NAME, or NAME-2, NAME-3...: what the store may call runs of that name. */
bool study_is_id(gramc_text id, gramc_text base);

/* ## Cassettes (study_cassettes.c) */
/* --record, --replay and --live fit together. */
int study_check_cassettes(struct study *study);
/* Models are not asked, but played: they need no key. */
bool study_plays_models(const struct study *study);
/* Nor are judges, but those of --judge. */
bool study_plays_judges(const struct study *study);
/* Tools are called, not played. */
bool study_calls_tools(const struct study *study);
/* By --replay: binds as that arm was recorded, and says whether it was of the mock. */
int study_follow(struct study *study, gramc_text arm, gramc_bind_options *out,
                 struct role_protocols *protocols, bool *mock);
/* By --replay: sets what cells are played from, and that a miss is final. */
void study_play(struct study *study, struct run_cells_options *cells,
                struct engine_options *engine);
/* By --record: writes what the store has. */
int study_record(struct study *study, struct store *store);

/* ## Tools that somebody has to approve of (study_approve.c) */
/* Answers by --approve and --approve-all. */
gramc_approver study_approver(struct study *study);
/* Says which tools will be denied, before anything is called. */
void study_warn_denied(const struct study *study);
/* Makes them part of the plan. */
void study_mark_denied(struct study *study);

/* ## Beginning (study_begin.c) */
/* Under that id in the store; refuses another plan. */
int study_begin(struct study *study, struct store *store, const char *id);
/* EXIT_RUN_FAILED. */
int study_tell_store(const struct study *study, const struct store_error *error);

/* ## Online (study_online.c) */
/* All that comes before the first message; then the arms are bound. */
int study_prepare_online(struct study *study);
/* The store that messages are recorded in. */
int study_open_online(struct study *study, struct store **store, struct online **online);
/* What becomes of it when the server stops. */
int study_close_online(struct study *study, struct store *store, struct online *online);

/* ## Running (study_run.c) */
/* STUDY_WORK: a part of what is left, without a report. */
enum study_verb { STUDY_RUN, STUDY_RESUME, STUDY_WORK };
/* All that comes before the first run. */
int study_prepare(struct study *study);
int study_run(struct study *study, enum study_verb verb);
/* What the store has of it, without running anything. */
int study_status(struct study *study);
/* How it would be run: counts, order, what it will probably cost (study_plan.c). */
int study_print_plan(struct study *study);

/* Where the store is: --store, or beside the first operand; `make`: its folder too. */
int study_find_store(struct study *study, bool make);
/* For messages: an address may hold a password. */
const char *study_store_name(const struct study *study);
/* No file of that name, and no server. */
bool study_store_is_missing(const struct study *study);
/* The name that the store has it under is this one, or this one with a number. */
gramc_text study_base_id(const struct study *study);

#endif
