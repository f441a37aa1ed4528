/* gramc worker SPEC --store ADDRESS: joins experiments that others have begun, as one of several
 * processes that share a store. What it runs, and that it must be of the same plan, is resume's
 * (study_run.c); here is which ones it joins, and what it says at the end. */
#include "cli/run/study.h"

#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"

enum { OUTPUT_MAX = 16 << 20 };

struct joining {
    struct study study;
    const char **joins; /* what the store calls them, in the order in which they were begun */
    size_t join_count;
    size_t known; /* of that name, finished ones too */
    bool json;
    struct buf out; /* of JSON, which is said at the end */
    struct json_writer w;
};

/* ## Which ones */

static bool is_open(const struct store_entry *entry) {
    return entry->status == EXPERIMENT_PLANNED || entry->status == EXPERIMENT_RUNNING;
}

static bool is_meant(const struct study *study, const struct store_entry *entry) {
    gramc_text base = study_base_id(study);
    bool exact = study->cli->options[OPTION_ID] != NULL;
    return exact ? text_eq(entry->id, base) : study_is_id(entry->id, base);
}

static bool add_join(struct joining *worker, gramc_text id) {
    struct arena *arena = &worker->study.arena;
    const char **more = arena_array(arena, worker->join_count + 1, sizeof *more);
    gramc_text copy = arena_text(arena, id);
    if (!more || arena->oom) return false;
    if (worker->join_count)
        memcpy(more + 1, worker->joins, worker->join_count * sizeof *more); /* older ones first */
    more[0] = copy.ptr;
    worker->joins = more;
    worker->join_count++;
    return true;
}

/* By its name, also one that was stopped; else those that are not finished. */
static gramc_status list(struct joining *worker, struct store *store, struct store_error *error) {
    const struct study *study = &worker->study;
    bool named = study->cli->options[OPTION_ID] != NULL;
    struct store_entry entry;
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !(status = store_find(store, i, &entry, error)); i++) {
        if (!is_meant(study, &entry)) continue;
        worker->known++;
        if ((named || is_open(&entry)) && !add_join(worker, entry.id)) return GRAMC_NOMEM;
    }
    return status == GRAMC_NOT_FOUND ? GRAMC_OK : status;
}

static int find(struct joining *worker) {
    struct study *study = &worker->study;
    struct store *store = NULL;
    struct store_error error = {""};
    int code = study_find_store(study, false);
    if (code != EXIT_FINE) return code;
    if (study_store_is_missing(study))
        return cli_usage(study->cli, "there is no store %s yet", study->store_path);
    gramc_status status =
        store_open(&store, text_of(study->store_path), &study->cli->allocator, &error);
    if (!status) status = list(worker, store, &error);
    struct store_error ignored;
    (void)store_close(store, &ignored);
    if (status == GRAMC_NOMEM) return cli_no_memory(study->cli);
    if (!status) return EXIT_FINE;
    fprintf(study->cli->err, "gramc: the store: %s\n", error.message);
    return EXIT_RUN_FAILED;
}

/* ## What was done */

static void put_text(const struct joining *worker) {
    const struct study_work *work = &worker->study.work;
    FILE *out = worker->study.cli->out;
    bool done = strcmp(work->end, "done") == 0;
    cli_put_safe(out, text_of(work->id));
    fprintf(out, ": %s: %llu run%s here, %u case%s taken, %u finished", work->end,
            (unsigned long long)work->runs, text_plural(work->runs), (unsigned)work->claimed,
            text_plural(work->claimed), (unsigned)work->finished);
    if (work->retried) fprintf(out, ", %llu tried again", (unsigned long long)work->retried);
    if (work->refused)
        fprintf(out, ", %llu run%s too late and not kept", (unsigned long long)work->refused,
                text_plural(work->refused));
    if (work->left)
        fprintf(out, "; %llu of %u cases are left%s\n", (unsigned long long)work->left,
                (unsigned)work->items, done ? " to other processes" : "");
    else fprintf(out, "; all %u cases are finished\n", (unsigned)work->items);
}

static void put_json(struct joining *worker) {
    const struct study_work *work = &worker->study.work;
    struct json_writer *w = &worker->w;
    json_object_begin(w);
    json_member_text(w, "id", text_of(work->id));
    json_member_text(w, "end", text_of(work->end));
    json_member_some(w, "reason", text_of(work->reason));
    json_member_text(w, "worker", text_of(work->owner));
    json_member_object(w, "runs");
    json_member_number(w, "made", work->runs);
    json_member_number(w, "tried_again", work->retried);
    json_member_number(w, "too_late", work->refused);
    json_object_end(w);
    json_member_object(w, "cases");
    json_member_number(w, "all", work->items);
    json_member_number(w, "taken", work->claimed);
    json_member_number(w, "finished", work->finished);
    json_member_number(w, "left", work->left);
    json_object_end(w);
    json_object_end(w);
}

static void put_work(struct joining *worker) {
    if (!worker->study.work.end) return;
    if (worker->json) put_json(worker);
    else put_text(worker);
}

static int send(struct joining *worker) {
    if (!worker->json) return EXIT_FINE;
    json_array_end(&worker->w);
    json_object_end(&worker->w);
    buf_putc(&worker->out, '\n');
    return cli_send_json_buf(worker->study.cli, &worker->out);
}

static void begin_json(struct joining *worker) {
    buf_init(&worker->out, &worker->study.cli->allocator, OUTPUT_MAX);
    worker->w = json_writer(&worker->out);
    json_object_begin(&worker->w);
    json_member_text(&worker->w, "format", TEXT("gramc-work"));
    json_member_number(&worker->w, "version", VERSION_WORK);
    json_member_array(&worker->w, "experiments");
}

/* ## Working */

/* The first that went wrong counts; whoever interrupts means all of them. */
static int join(struct joining *worker) {
    struct study *study = &worker->study;
    int worst = EXIT_FINE;
    for (size_t i = 0; i < worker->join_count && worst != EXIT_INTERRUPTED; i++) {
        study->work = (struct study_work){.end = NULL};
        snprintf(study->joins, sizeof study->joins, "%s", worker->joins[i]);
        int code = study_run(study, STUDY_WORK);
        put_work(worker);
        if (worst == EXIT_FINE || code == EXIT_INTERRUPTED) worst = code;
    }
    return worst;
}

static int work(struct joining *worker) {
    struct cli *cli = worker->study.cli;
    int code = study_open(&worker->study, cli);
    if (code == EXIT_FINE) code = find(worker);
    if (code != EXIT_FINE) return code;
    if (!worker->known)
        return cli_usage(cli, "%s has no experiment %.*s to join", study_store_name(&worker->study),
                         TEXT_ARGS(study_base_id(&worker->study)));
    if (worker->join_count) code = study_prepare(&worker->study);
    else if (!worker->json) fputs("nothing is open: all is finished or was stopped\n", cli->out);
    if (code != EXIT_FINE) return code;
    begin_json(worker);
    code = join(worker);
    int sent = send(worker);
    buf_free(&worker->out);
    return code == EXIT_FINE ? sent : code;
}

static int read_format(struct joining *worker, struct cli *cli) {
    const char *format = cli->options[OPTION_FORMAT];
    worker->json = format && strcmp(format, "json") == 0;
    cli->options[OPTION_FORMAT] = NULL; /* it is about work, not findings */
    if (!format || worker->json || strcmp(format, "text") == 0) return EXIT_FINE;
    return cli_usage(cli, "worker: --format takes text or json, not %s", format);
}

int cmd_worker(struct cli *cli) {
    struct joining worker = {.study = {.cli = cli}};
    if (cli->operand_count != 1)
        return cli_usage(cli, "worker: name the file of the experiment's spec");
    if (!cli->options[OPTION_STORE])
        return cli_usage(cli, "worker: --store names the database that the processes share");
    int code = read_format(&worker, cli);
    if (code != EXIT_FINE) return code;
    code = study_init(&worker.study, cli);
    if (code == EXIT_FINE) code = work(&worker);
    study_close(&worker.study);
    return code;
}
