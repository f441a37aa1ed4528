/* Runs an experiment or goes on with it: under which name it is kept, what is shown meanwhile, and
 * how its end becomes an exit code. What was found is the report's business. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/study.h"
#include "cli/run/report_online.h"
#include "cli/run/study_progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/json/writer.h"
#include "base/number.h"
#include "base/text.h"
#include "experiment/engine.h"
#include "experiment/scratch.h"
#include "experiment/stop.h"

enum { LEASE_LEAST_MS = 100 };

/* What belongs to one run of a study. */
struct carried {
    struct study *study;
    struct store *store;
    struct engine *engine;
    struct run_cells *cells;
    struct stop *stop; /* NULL: it runs to its end */
    char id[STUDY_ID];
    struct scratch scratch;
    bool is_left; /* all that is left is other processes' */
    struct study_progress progress;
    struct store_error error;
    char missing[700]; /* the first cell that could not be run, and why */
};

/* ## Its name in the store */

bool study_is_id(gramc_text id, gramc_text base) {
    if (id.len < base.len || memcmp(id.ptr, base.ptr, base.len) != 0) return false;
    gramc_text rest = text_slice(id, base.len, id.len);
    if (!rest.len) return true;
    bool digits = rest.len > 1 && rest.ptr[0] == '-';
    for (size_t i = 1; digits && i < rest.len; i++)
        digits = rest.ptr[i] >= '0' && rest.ptr[i] <= '9';
    return digits;
}

static bool is_finished(const struct store_entry *entry) {
    return entry->status == EXPERIMENT_DONE ||
           (entry->status == EXPERIMENT_STOPPED && text_starts(entry->reason, "decided"));
}

static int report_store(struct carried *run) {
    if (!run->error.message[0]) return cli_no_memory(run->study->cli);
    return study_tell_store(run->study, &run->error);
}

/* The newest of that name, and how many there are. */
static gramc_status find_newest(struct carried *run, struct store_entry *out, size_t *count) {
    gramc_text base = study_base_id(run->study);
    bool exact = run->study->cli->options[OPTION_ID] != NULL;
    struct store_entry entry;
    gramc_status status = GRAMC_OK;
    size_t newest = 0;
    *count = 0;
    for (size_t i = 0; !status; i++) {
        status = store_find(run->store, i, &entry, &run->error);
        if (status) break;
        if (exact ? !text_eq(entry.id, base) : !study_is_id(entry.id, base)) continue;
        if (!(*count)++) newest = i;
    }
    if (status != GRAMC_NOT_FOUND) return status;
    return *count ? store_find(run->store, newest, out, &run->error) : GRAMC_OK;
}

static int set_id(struct carried *run, gramc_text base, size_t number) {
    int len = number > 1 ? snprintf(run->id, sizeof run->id, "%.*s-%zu", TEXT_ARGS(base), number)
                         : snprintf(run->id, sizeof run->id, "%.*s", TEXT_ARGS(base));
    if (len > 0 && (size_t)len < sizeof run->id) return EXIT_FINE;
    return cli_usage(run->study->cli, "the name of the experiment is too long or empty");
}

static int choose_new_id(struct carried *run) {
    struct cli *cli = run->study->cli;
    struct store_entry entry;
    size_t count;
    if (find_newest(run, &entry, &count)) return report_store(run);
    gramc_text base = study_base_id(run->study);
    if (count && cli->options[OPTION_ID])
        return cli_usage(cli,
                         "the store has runs under the id %s; `gramc experiment %s resume` "
                         "goes on with them",
                         cli->options[OPTION_ID], cli->operands[0]);
    if (count && !is_finished(&entry) && text_eq(entry.plan, text_of(run->study->plan.fingerprint)))
        return cli_usage(cli,
                         "%.*s is not finished: %llu of %u cases; `gramc experiment %s resume` "
                         "goes on, --id begins another",
                         TEXT_ARGS(entry.id), (unsigned long long)entry.done, (unsigned)entry.items,
                         cli->operands[0]);
    return set_id(run, base, count + 1);
}

static int choose_old_id(struct carried *run) {
    struct store_entry entry;
    size_t count;
    if (run->study->joins[0]) return set_id(run, text_of(run->study->joins), 1);
    if (find_newest(run, &entry, &count)) return report_store(run);
    if (!count)
        return cli_usage(run->study->cli, "%s has no experiment %.*s to resume",
                         study_store_name(run->study), TEXT_ARGS(study_base_id(run->study)));
    return set_id(run, entry.id, 1);
}

/* ## Progress */

static void show(struct carried *run) {
    const struct engine_progress at = engine_progress(run->engine);
    study_progress_show(&run->progress, &at);
}

static void note_missing(struct carried *run, const struct attempt *attempt) {
    const struct plan *plan = &run->study->plan;
    if (attempt->state != CELL_MISSING || run->missing[0]) return;
    gramc_text why =
        attempt->message.len > 500 ? text_slice(attempt->message, 0, 500) : attempt->message;
    snprintf(run->missing, sizeof run->missing, "case %.*s, arm %.*s: %.*s: %.*s",
             TEXT_ARGS(plan->cases->items[attempt->cell.item].id),
             TEXT_ARGS(plan->experiment->arms[attempt->cell.arm].name), TEXT_ARGS(attempt->outcome),
             TEXT_ARGS(why));
}

static void on_over(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct carried *run = ctx;
    note_missing(run, attempt);
    if (run->stop) stop_over(run->stop, place, attempt);
    if (run->engine) show(run);
}

static void note_undecided(struct carried *run, const struct preference *preference) {
    const struct plan *plan = &run->study->plan;
    const struct score *score = &preference->score;
    if (!score->missing || run->missing[0]) return;
    gramc_text why = score->reason.len > 500 ? text_slice(score->reason, 0, 500) : score->reason;
    snprintf(run->missing, sizeof run->missing, "case %.*s, arm %.*s: grader %.*s: %.*s",
             TEXT_ARGS(plan->cases->items[preference->cell.item].id),
             TEXT_ARGS(plan->experiment->arms[preference->cell.arm].name),
             TEXT_ARGS(run->study->graders[preference->grader].name), TEXT_ARGS(why));
}

static void on_preferred(void *ctx, uint32_t place, const struct preference *preference) {
    struct carried *run = ctx;
    note_undecided(run, preference);
    if (run->stop) stop_preferred(run->stop, place, preference);
}

static const char *on_finished(void *ctx, uint32_t place) {
    struct carried *run = ctx;
    return run->stop ? stop_finished(run->stop, place) : NULL;
}

/* ## Limits */

static int read_limits(struct study *study, struct engine_options *out) {
    struct cli *cli = study->cli;
    const gramc_experiment *experiment = study->experiment;
    const char *cost = cli->options[OPTION_MAX_COST], *time = cli->options[OPTION_MAX_DURATION];
    const char *concurrency = cli->options[OPTION_CONCURRENCY];
    const char *judges = cli->options[OPTION_MAX_JUDGE_COST];
    const char *lease = cli->options[OPTION_LEASE];
    uint32_t ms = 0;
    out->limits.max_missing = 0.02;
    out->concurrency = experiment->concurrency;
    (void)number_to_double(&out->limits.max_cost, experiment->max_cost);
    (void)number_to_double(&out->limits.max_judge_cost, experiment->max_judge_cost);
    (void)number_to_double(&out->limits.max_missing, experiment->max_missing);
    if (cost && !run_parse_amount(cost, &out->limits.max_cost))
        return cli_usage(cli, "--max-cost takes a number above 0 such as 0.5, not %s", cost);
    if (judges && !run_parse_amount(judges, &out->limits.max_judge_cost))
        return cli_usage(cli, "--max-judge-cost takes a number above 0 such as 0.5, not %s",
                         judges);
    if (time && !run_parse_duration(time, &ms))
        return cli_usage(cli, "--max-duration takes a time such as 500ms, 30s or 5m, not %s", time);
    if (concurrency && !run_parse_count(concurrency, &out->concurrency))
        return cli_usage(cli, "--concurrency takes a number from 1, not %s", concurrency);
    if (lease && (!run_parse_duration(lease, &out->lease_ms) || out->lease_ms < LEASE_LEAST_MS))
        return cli_usage(cli, "--lease takes a time from 100ms, such as 30s, not %s", lease);
    out->limits.max_ms = ms;
    out->waits = cli->options[OPTION_WAIT] != NULL;
    return EXIT_FINE;
}

static int read_run_limits(struct study *study, gramc_run_options *out) {
    const char *iterations = study->cli->options[OPTION_MAX_ITERATIONS];
    if (!iterations || run_parse_count(iterations, &out->max_iterations)) return EXIT_FINE;
    return cli_usage(study->cli, "--max-iterations takes a number from 1, not %s", iterations);
}

/* ## Running */

/* The folders of all cells are in this one. */
static int make_scratch(struct carried *run) {
    const char *given = getenv("TMPDIR"), *root = given && given[0] == '/' ? given : "/tmp";
    if (scratch_make(&run->scratch, root)) return EXIT_FINE;
    return cli_usage(run->study->cli, "no folder for the runs can be made in %s", root);
}

static int make_engine(struct carried *run) {
    struct study *study = run->study;
    struct cli *cli = study->cli;
    struct run_cells_options options = {
        .plan = &study->plan,
        .loop = study->shop.loop,
        .arms = study->run_arms,
        .folder = text_of(run->scratch.path),
        .keep_traces = true,
        .graders = {grading_start, grading_prefer, grading_cancel, study->grading},
        .run = GRAMC_RUN_OPTIONS_INIT,
        .allocator = &cli->allocator};
    struct engine_options engine = {.plan = &study->plan,
                                    .store = run->store,
                                    .preferences = study->preferences,
                                    .preference_count = study->preference_count,
                                    .watch = {on_over, on_preferred, on_finished, run},
                                    .owner = text_of(study->work.owner),
                                    .allocator = &cli->allocator};
    int code = read_run_limits(study, &options.run);
    if (code == EXIT_FINE) code = read_limits(study, &engine);
    if (code != EXIT_FINE) return code;
    options.run.approver = study_approver(study);
    study_play(study, &options, &engine);
    if (run_cells_new(&run->cells, &options) ||
        stop_new(&run->stop, &study->plan, study->graders, study->grader_count, &cli->allocator))
        return cli_no_memory(cli);
    engine.cells = run_cells_runner(run->cells);
    gramc_status status = engine_new(&run->engine, &engine, &run->error);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    return status ? report_store(run) : EXIT_FINE;
}

static enum store_status status_of(enum engine_end end) {
    switch (end) {
    case ENGINE_DONE: return EXPERIMENT_DONE;
    case ENGINE_DECIDED:
    case ENGINE_BUDGET: return EXPERIMENT_STOPPED;
    case ENGINE_INTERRUPTED: return EXPERIMENT_RUNNING;
    default: return EXPERIMENT_ABORTED;
    }
}

/* What is only played is not, unless --store says so. */
static bool is_kept(const struct carried *run) {
    const struct cli *cli = run->study->cli;
    return !cli->options[OPTION_REPLAY] || cli->options[OPTION_STORE];
}

/* Says how it ended, unless it simply did. */
static int tell_end(struct carried *run, enum engine_end end, gramc_text reason) {
    struct cli *cli = run->study->cli;
    const struct engine_progress at = engine_progress(run->engine);
    if (run->missing[0]) {
        fputs("gramc: ", cli->err);
        cli_put_safe(cli->err, text_of(run->missing));
        fputc('\n', cli->err);
    }
    if (end == ENGINE_DONE) return EXIT_FINE;
    fputs("gramc: ", cli->err);
    cli_put_safe(cli->err, reason);
    if (end == ENGINE_STORE_FAILED) fputs("; what was written before that is kept", cli->err);
    else
        fprintf(cli->err, "; %llu of %llu runs are %s", (unsigned long long)at.done,
                (unsigned long long)at.cells, is_kept(run) ? "kept" : "done");
    if (end != ENGINE_DECIDED && is_kept(run))
        fprintf(cli->err, ", `gramc experiment %s resume` goes on", cli->operands[0]);
    fputc('\n', cli->err);
    if (end == ENGINE_INTERRUPTED) return EXIT_INTERRUPTED;
    return end == ENGINE_DECIDED || end == ENGINE_BUDGET ? EXIT_FINE : EXIT_RUN_FAILED;
}

/* What this process has done of it, and what is left: to others, or to whoever resumes. */
static void sum_up(struct carried *run, enum engine_end end, gramc_text reason) {
    struct study_work *work = &run->study->work;
    const struct engine_progress at = engine_progress(run->engine);
    struct store_entry entry;
    struct store_error ignored;
    work->runs = at.now;
    work->retried = at.retried;
    work->claimed = at.claimed;
    work->finished = at.finished_now;
    work->refused = store_refused(run->store);
    work->end = engine_end_name(end);
    work->items = at.items;
    work->left = at.items - at.finished;
    snprintf(work->id, sizeof work->id, "%s", run->id);
    snprintf(work->reason, sizeof work->reason, "%.*s", TEXT_ARGS(reason));
    if (end == ENGINE_STORE_FAILED || store_flush(run->store, &run->error)) return;
    work->refused = store_refused(run->store);
    for (size_t i = 0; !store_find(run->store, i, &entry, &ignored); i++)
        if (text_is(entry.id, run->id)) work->left = entry.items - entry.done;
}

/* Never silent about what was paid for and does not count. */
static void tell_refused(const struct carried *run) {
    uint64_t refused = run->study->work.refused;
    if (!refused) return;
    fprintf(run->study->cli->err,
            "gramc: %llu run%s ended too late and %s not kept: the lease was over, and another "
            "process had taken the case over\n",
            (unsigned long long)refused, text_plural(refused), refused == 1 ? "was" : "were");
}

static bool is_left_to_others(const struct carried *run, enum engine_end end) {
    return end == ENGINE_DONE && run->study->work.left &&
           store_is_server(text_of(run->study->store_path));
}

static int end_run(struct carried *run, enum study_verb verb) {
    struct study *study = run->study;
    gramc_text reason;
    char line[400];
    enum engine_end end = engine_ended(run->engine, &reason);
    sum_up(run, end, reason);
    study_progress_hide(&run->progress);
    tell_refused(run);
    run->is_left = is_left_to_others(run, end);
    if (run->is_left && verb != STUDY_WORK)
        fprintf(study->cli->err,
                "gramc: nothing is left to do here; other processes have claimed %llu case%s, and "
                "`report` shows all when they are done\n",
                (unsigned long long)study->work.left, text_plural(study->work.left));
    if (run->is_left) return EXIT_FINE;
    snprintf(line, sizeof line, "%s%s%.*s", engine_end_name(end), reason.len ? ": " : "",
             TEXT_ARGS(reason));
    gramc_status status = store_set_status(run->store, status_of(end), text_of(line));
    if (!status) status = store_flush(run->store, &run->error);
    int code = tell_end(run, end, reason);
    if (status && end != ENGINE_STORE_FAILED) return report_store(run);
    return code;
}

static int carry_out(struct carried *run, enum study_verb verb) {
    struct study *study = run->study;
    gramc_status status = store_set_status(run->store, EXPERIMENT_RUNNING, TEXT(""));
    if (status) return report_store(run);
    struct interrupt *interrupt = interrupt_start(study->cli, study->shop.loop);
    run->progress.stop = run->stop;
    show(run);
    engine_start(run->engine);
    (void)run_cells_drive(run->cells, run->engine);
    /* What is queued may have to wait for a database: a second signal does not. */
    int code = end_run(run, verb);
    (void)interrupt_stop(study->cli, interrupt);
    int recorded = study_record(study, run->store);
    return code == EXIT_FINE ? recorded : code;
}

/* Never green on nothing, whatever the gates say. */
static int report(struct carried *run) {
    const struct engine_progress at = engine_progress(run->engine);
    gramc_text reason;
    enum engine_end end = engine_ended(run->engine, &reason);
    int code =
        study_report(run->study, run->store, text_of(store_status_name(status_of(end))), reason);
    if (code != EXIT_FINE || at.done) return code;
    fputs("gramc: no run came to its end, so nothing was found\n", run->study->cli->err);
    return EXIT_RUN_FAILED;
}

static int close_store(struct carried *run, int code) {
    struct store_error error = {""};
    gramc_status status = store_close(run->store, &error);
    if (!status || code != EXIT_FINE) return code;
    run->error = error;
    return report_store(run);
}

static int run_in(struct carried *run, enum study_verb verb) {
    int code = verb == STUDY_RUN ? choose_new_id(run) : choose_old_id(run);
    if (code == EXIT_FINE) code = study_begin(run->study, run->store, run->id);
    if (code == EXIT_FINE) code = make_engine(run);
    if (code == EXIT_FINE) code = carry_out(run, verb);
    if (code == EXIT_FINE && !run->is_left && verb != STUDY_WORK) code = report(run);
    engine_free(run->engine);
    stop_free(run->stop);
    run_cells_free(run->cells);
    return close_store(run, code);
}

/* Where it is kept: what was only played, in the folder that goes with the process. */
static int open_store(struct carried *run) {
    struct study *study = run->study;
    struct cli *cli = study->cli;
    int code = is_kept(run) ? study_find_store(study, true) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    if (!is_kept(run))
        snprintf(study->store_path, sizeof study->store_path, "%s/store.db", run->scratch.path);
    gramc_status status =
        store_open(&run->store, text_of(study->store_path), &cli->allocator, &run->error);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    return status ? report_store(run) : EXIT_FINE;
}

/* Who works here, as nobody else does: machines may share a store, and in containers all of them
 * may have one name and one process id. */
static void name_owner(struct study *study) {
    char host[32] = "";
    unsigned char random[4] = {0};
    if (gethostname(host, sizeof host - 1)) host[0] = '\0';
    if (getrandom(random, sizeof random, 0) < 0) random[0] = 0;
    snprintf(study->work.owner, sizeof study->work.owner, "%s %ld %02x%02x%02x%02x", host,
             (long)getpid(), random[0], random[1], random[2], random[3]);
}

int study_run(struct study *study, enum study_verb verb) {
    struct cli *cli = study->cli;
    struct carried run = {.study = study, .scratch = {.owner = -1}};
    name_owner(study);
    study_progress_init(&run.progress, cli, study->experiment->metric);
    int code = make_scratch(&run);
    if (code == EXIT_FINE) code = open_store(&run);
    if (code == EXIT_FINE) code = run_in(&run, verb);
    scratch_remove(&run.scratch);
    return code;
}

/* ## Status */

static int put_online(struct cli *cli, struct store *store, const struct store_entry *entry) {
    cli_put_safe(cli->out, entry->id);
    fprintf(cli->out, ": online, %s, ", store_status_name(entry->status));
    unsigned arms = (unsigned)entry->arms;
    unsigned long long seed = (unsigned long long)entry->seed;
    int code = report_online_progress(cli, store, entry);
    if (code == EXIT_FINE) fprintf(cli->out, ", %u arms, seed %llu\n", arms, seed);
    return code;
}

static void put_entry(struct cli *cli, const struct store_entry *entry) {
    cli_put_safe(cli->out, entry->id);
    fprintf(cli->out, ": %s, %llu of %u cases, %u repeat%s, %u arms, seed %llu\n",
            store_status_name(entry->status), (unsigned long long)entry->done,
            (unsigned)entry->items, (unsigned)entry->repeats, text_plural(entry->repeats),
            (unsigned)entry->arms, (unsigned long long)entry->seed);
    if (!entry->reason.len || text_is(entry->reason, "done")) return;
    fputs("  ", cli->out);
    cli_put_safe(cli->out, entry->reason);
    fputc('\n', cli->out);
}

int study_status(struct study *study) {
    struct cli *cli = study->cli;
    struct carried run = {.study = study};
    struct store_entry entry;
    size_t shown = 0;
    int code = study_find_store(study, false);
    if (code != EXIT_FINE) return code;
    if (study_store_is_missing(study))
        return cli_usage(cli, "there is no store %s yet", study->store_path);
    if (store_open(&run.store, text_of(study->store_path), &cli->allocator, &run.error))
        return report_store(&run);
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !(status = store_find(run.store, i, &entry, &run.error)); i++) {
        if (!study_is_id(entry.id, study_base_id(study))) continue;
        shown++;
        if (!report_is_online(&entry)) put_entry(cli, &entry);
        else if ((code = put_online(cli, run.store, &entry)) != EXIT_FINE) break;
    }
    if (code != EXIT_FINE) return close_store(&run, code);
    if (status != GRAMC_NOT_FOUND) code = report_store(&run);
    else if (!shown)
        code = cli_usage(cli, "%s has no experiment %.*s", study_store_name(study),
                         TEXT_ARGS(study_base_id(study)));
    return close_store(&run, code);
}
