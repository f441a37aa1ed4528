/* From what a store keeps of an online experiment to its report: settings, graders and arms are in
 * its details, which the server wrote. Runs nothing, and reads no spec. */
#include "cli/run/report_online.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "experiment/assign.h"

enum { GRADERS_MOST = 64, ID_ROOM = 256 };

/* An experiment as its details tell of it; all texts in the arena. */
struct told {
    struct arena arena;
    gramc_experiment experiment;
    gramc_arm arms[ARMS_MAX];
    gramc_text libraries[ARMS_MAX], models[ARMS_MAX], differences[ARMS_MAX];
    gramc_text guardrails[CLI_GIVEN];
    struct analysis_grader graders[GRADERS_MOST];
    size_t grader_count;
    double shares[ARMS_MAX];
    struct cases cases;
    struct plan plan;
    gramc_text id, state, reason;
};

static int tell_store(struct cli *cli, const struct store_error *error) {
    fputs("gramc: the store: ", cli->err);
    cli_put_safe(cli->err, text_of(error->message));
    fputc('\n', cli->err);
    return EXIT_RUN_FAILED;
}

/* ## Its details */

static gramc_text text_at(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_STRING) ? value->text : (gramc_text){NULL, 0};
}

static const struct json *items_at(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_ARRAY) ? value->first : NULL;
}

static double number_at(const struct json *value, double otherwise) {
    double number = otherwise;
    if (json_is(value, JSON_NUMBER) && !number_to_double(&number, value->text)) return otherwise;
    return number;
}

static bool take_arms(struct told *told, const struct json *details) {
    const struct json *shares = items_at(json_get(details, "online"), "shares");
    gramc_experiment *experiment = &told->experiment;
    for (const struct json *arm = items_at(details, "arms"); arm; arm = arm->next) {
        size_t i = experiment->arm_count;
        if (i == ARMS_MAX || !shares) return false;
        told->arms[i] = (gramc_arm){.name = text_at(arm, "name")};
        told->libraries[i] = text_at(arm, "library");
        told->models[i] = text_at(arm, "model");
        told->differences[i] = text_at(arm, "differs");
        told->shares[i] = number_at(shares, 0);
        shares = shares->next;
        experiment->arm_count++;
    }
    experiment->arms = told->arms;
    return experiment->arm_count >= 2;
}

static bool take_graders(struct told *told, const struct json *online) {
    for (const struct json *of = items_at(online, "graders"); of; of = of->next) {
        if (told->grader_count == GRADERS_MOST) return false;
        told->graders[told->grader_count++] =
            (struct analysis_grader){.name = text_at(of, "name"),
                                     .required = json_is(json_get(of, "required"), JSON_TRUE),
                                     .is_judge = json_is(json_get(of, "judge"), JSON_TRUE),
                                     .weight = number_at(json_get(of, "weight"), 1)};
    }
    return true;
}

static bool take_guardrails(struct told *told, const struct json *details) {
    gramc_experiment *experiment = &told->experiment;
    for (const struct json *of = items_at(details, "guardrails"); of; of = of->next) {
        if (experiment->guardrail_count == CLI_GIVEN || of->kind != JSON_STRING) return false;
        told->guardrails[experiment->guardrail_count++] = of->text;
    }
    experiment->guardrails = told->guardrails;
    return true;
}

static bool take_details(struct told *told, const struct json *details) {
    const struct json *online = json_get(details, "online");
    told->experiment = (gramc_experiment){.name = text_at(details, "experiment"),
                                          .metric = text_at(details, "metric"),
                                          .stop = text_at(details, "stop"),
                                          .margin = text_at(details, "margin"),
                                          .alpha = text_at(details, "alpha"),
                                          .max_missing = text_at(details, "maxMissing"),
                                          .repeats = 1};
    double units = number_at(json_get(online, "units"), 0);
    told->experiment.units = units > 0 && units < UINT32_MAX ? (uint32_t)units : 0;
    return told->experiment.units && take_arms(told, details) && take_graders(told, online) &&
           take_guardrails(told, details);
}

/* "aborted: no model": the store keeps both in one. */
static int read_told(struct cli *cli, struct told *told, const struct store_entry *entry) {
    gramc_text kept = arena_text(&told->arena, entry->details);
    const struct json *details = json_parse(&told->arena, kept, NULL);
    told->id = arena_text(&told->arena, entry->id);
    told->state = text_of(store_status_name(entry->status));
    told->reason = arena_text(&told->arena, entry->reason);
    if (told->arena.oom) return cli_no_memory(cli);
    if (!details || !take_details(told, details))
        return cli_usage(cli, "what the store says of %.*s is not whole", TEXT_ARGS(entry->id));
    told->experiment.seed = entry->seed;
    told->cases = (struct cases){.fingerprint = "online"};
    told->plan = (struct plan){.experiment = &told->experiment,
                               .cases = &told->cases,
                               .repeats = 1,
                               .arms = (uint32_t)told->experiment.arm_count,
                               .seed = entry->seed};
    snprintf(told->plan.fingerprint, sizeof told->plan.fingerprint, "%.*s", TEXT_ARGS(entry->plan));
    return EXIT_FINE;
}

/* ## The report */

struct online_source {
    struct store *store;
    struct store_error error;
};

static gramc_status each(void *ctx, bool traces, store_visit *visit, void *visit_ctx) {
    struct online_source *source = ctx;
    return store_each(source->store, traces, visit, visit_ctx, &source->error);
}

static gramc_status exposures(void *ctx, store_exposure_visit *visit, void *visit_ctx) {
    struct online_source *source = ctx;
    return store_exposures(source->store, visit, visit_ctx, &source->error);
}

static int print(struct cli *cli, struct store *store, const struct told *told,
                 const struct report_request *request) {
    struct online_source source = {.store = store};
    struct analysis analysis;
    const struct analysis_online online = {told->experiment.units, told->shares, exposures};
    const struct analysis_input input = {.plan = &told->plan,
                                         .graders = told->graders,
                                         .grader_count = told->grader_count,
                                         .each = each,
                                         .ctx = &source,
                                         .state = told->state,
                                         .reason = told->reason,
                                         .libraries = told->libraries,
                                         .models = told->models,
                                         .differences = told->differences,
                                         .online = &online};
    gramc_status status = analyse(&analysis, &input, &cli->allocator);
    if (status == GRAMC_FINDINGS)
        return cli_usage(cli, "the experiment names a metric that is none, or no number");
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status) return tell_store(cli, &source.error);
    int code = report_write(cli, &analysis, request);
    analysis_free(&analysis);
    return code;
}

int report_online(struct cli *cli, struct store *store, const struct store_entry *entry,
                  const struct report_request *request) {
    struct store_error error = {""};
    struct told *told = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *told);
    if (!told) return cli_no_memory(cli);
    memset(told, 0, sizeof *told);
    arena_init(&told->arena, &cli->allocator);
    int code = read_told(cli, told, entry);
    if (code == EXIT_FINE)
        code = report_check(cli, request, &told->experiment, told->graders, told->grader_count);
    if (code == EXIT_FINE && store_take_up(store, told->id, &error)) code = tell_store(cli, &error);
    if (code == EXIT_FINE) code = print(cli, store, told, request);
    arena_free(&told->arena);
    cli->allocator.alloc(cli->allocator.ctx, told, sizeof *told, 0);
    return code;
}

/* ## Which one */

bool report_is_online(const struct store_entry *entry) {
    struct arena arena;
    gramc_allocator allocator = mem_default();
    arena_init(&arena, &allocator);
    const struct json *details = json_parse(&arena, entry->details, NULL);
    bool online = json_is(json_get(details, "online"), JSON_OBJECT);
    arena_free(&arena);
    return online;
}

static int report_newest(struct cli *cli, struct store *store, const char *where,
                         const struct report_request *request) {
    const char *id = cli->options[OPTION_ID];
    struct store_error error = {""};
    struct store_entry entry;
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !(status = store_find(store, i, &entry, &error)); i++)
        if (id ? text_is(entry.id, id) : report_is_online(&entry)) break;
    const char *name = store_is_server(text_of(where)) ? "the database" : where;
    if (status == GRAMC_NOT_FOUND && id) return cli_usage(cli, "%s has no runs of %s", name, id);
    if (status == GRAMC_NOT_FOUND)
        return cli_usage(cli,
                         "report: %s has no experiment that was served with --ab; `gramc "
                         "experiment FILE report` shows the others",
                         name);
    if (status) return tell_store(cli, &error);
    if (report_is_online(&entry)) return report_online(cli, store, &entry, request);
    return cli_usage(cli, "report: %.*s ran over cases: `gramc experiment FILE report` shows it",
                     TEXT_ARGS(entry.id));
}

int report_store_online(struct cli *cli, const char *where, const struct report_request *request) {
    struct store *store = NULL;
    struct store_error error = {""};
    gramc_status status = store_open(&store, text_of(where), &cli->allocator, &error);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status) return tell_store(cli, &error);
    int code = report_newest(cli, store, where, request);
    status = store_close(store, &error);
    return status && code == EXIT_FINE ? tell_store(cli, &error) : code;
}

/* ## Progress */

struct unit_count {
    struct arena arena;
    struct map seen;
    uint64_t units, messages, ended;
};

static int count_unit(void *ctx, const struct store_exposure *exposure) {
    struct unit_count *count = ctx;
    gramc_text name = exposure->unit;
    count->messages++;
    count->ended += exposure->ended;
    if (!map_get(&count->seen, name)) {
        count->units++;
        map_put(&count->seen, arena_text(&count->arena, name), count);
    }
    return count->arena.oom;
}

int report_online_progress(struct cli *cli, struct store *store, const struct store_entry *entry) {
    struct unit_count count = {.units = 0};
    struct store_error error = {""};
    arena_init(&count.arena, &cli->allocator);
    map_init(&count.seen, &count.arena);
    const struct json *details =
        json_parse(&count.arena, arena_text(&count.arena, entry->details), NULL);
    double planned = number_at(json_get(json_get(details, "online"), "units"), 0);
    gramc_status status = store_take_up(store, arena_text(&count.arena, entry->id), &error);
    if (!status) status = store_exposures(store, count_unit, &count, &error);
    if (count.arena.oom) status = GRAMC_NOMEM;
    if (!status)
        fprintf(cli->out, "%llu of %.0f units, %llu messages, %llu of them ended",
                (unsigned long long)count.units, planned, (unsigned long long)count.messages,
                (unsigned long long)count.ended);
    arena_free(&count.arena);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    return status ? tell_store(cli, &error) : EXIT_FINE;
}
