/* Gathers what an estimate rests on: runs of the same agent, library and model that a cassette or
 * the store has, or else the prompts of some cases, built as they would be sent. What follows from
 * it is experiment/estimate.c's. */
#include "cli/run/study_estimate.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "experiment/cassette_read.h"
#include "experiment/view.h"

enum { PROMPTS_MOST = 20, ENTRIES_MOST = 50, ESTIMATE_ID = 256, NO_ARM = ARMS_MAX };

struct estimating {
    struct study *study;
    struct study_estimate *out;
    struct usage_sum sums[ARMS_MAX];
    enum estimate_basis basis[ARMS_MAX];
    size_t arm_of[ARMS_MAX]; /* of an experiment of the store: which of ours it is */
    double judged;           /* what judges cost, of the runs that were seen */
    uint64_t judged_runs;
};

static double runs_of_arm(const struct study *study) {
    return (double)study->plan.items * study->plan.repeats;
}

/* ## Recorded runs */

static gramc_status read_cassette(struct estimating *e, gramc_text bytes, struct arena *arena) {
    struct study *study = e->study;
    struct cassette_reader reader = {.arena = arena, .text = bytes};
    struct attempt attempt;
    gramc_status status;
    while (!(status = cassette_next(&reader)))
        for (size_t i = 0; i < study->arm_count; i++)
            if (text_eq(reader.arm, study->experiment->arms[i].name) &&
                cassette_used(&reader, &attempt))
                usage_sum_add(&e->sums[i], &attempt);
    return status == GRAMC_NOMEM ? status : GRAMC_OK; /* running it will say what is wrong */
}

static gramc_status sum_cassettes(struct estimating *e) {
    struct study *study = e->study;
    const char *folder = study->cli->options[OPTION_REPLAY];
    const struct cassette_folder from = {text_of(folder ? folder : ""), &study->plan,
                                         &study->cli->allocator};
    struct cassette_error error;
    gramc_status status = GRAMC_OK;
    for (uint32_t item = 0; folder && !status && item < study->plan.items; item++) {
        struct arena arena;
        struct buf file;
        arena_init(&arena, &study->cli->allocator);
        buf_init(&file, &study->cli->allocator, TRACE_SIZE_MAX);
        status = cassettes_read(&file, &from, item, &error);
        if (!status) status = read_cassette(e, buf_view(&file), &arena);
        if (status != GRAMC_NOMEM) status = GRAMC_OK;
        buf_free(&file);
        arena_free(&arena);
    }
    for (size_t i = 0; i < study->arm_count; i++)
        if (e->sums[i].runs) e->basis[i] = ESTIMATE_RECORDED;
    return status;
}

/* ## Runs of the store */

static bool is_arm(const struct study *study, size_t i, const struct json *said) {
    const gramc_arm *arm = &study->experiment->arms[i];
    const struct json *library = json_get(said, "library"), *model = json_get(said, "model");
    const struct json *agent = json_get(said, "agent");
    return json_is(agent, JSON_STRING) && text_eq(agent->text, arm->agent->name) &&
           text_eq(json_is(library, JSON_STRING) ? library->text : TEXT(""),
                   arm->library ? arm->library->name : TEXT("")) &&
           text_eq(json_is(model, JSON_STRING) ? model->text : TEXT(""),
                   text_of(study->arms[i].model_name));
}

/* False: none of its arms tells anything new. */
static bool match_arms(struct estimating *e, const struct json *details) {
    const struct json *arms = json_get(details, "arms");
    bool any = false;
    size_t k = 0;
    for (k = 0; k < ARMS_MAX; k++) e->arm_of[k] = NO_ARM;
    k = 0;
    for (const struct json *arm = json_is(arms, JSON_ARRAY) ? arms->first : NULL;
         arm && k < ARMS_MAX; arm = arm->next, k++)
        for (size_t i = 0; i < e->study->arm_count; i++)
            if (e->basis[i] == ESTIMATE_NOTHING && is_arm(e->study, i, arm)) {
                e->arm_of[k] = i;
                any = true;
            }
    return any;
}

static int visit_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct estimating *e = ctx;
    size_t arm = attempt->cell.arm < ARMS_MAX ? e->arm_of[attempt->cell.arm] : NO_ARM;
    (void)place;
    if (arm == NO_ARM) return 0;
    usage_sum_add(&e->sums[arm], attempt);
    if (attempt->state != CELL_DONE) return 0;
    e->judged += attempt->judge_cost;
    e->judged_runs++;
    return 0;
}

static gramc_status sum_entry(struct estimating *e, struct store *store,
                              const struct store_entry *entry, struct store_error *error) {
    struct arena arena;
    char id[ESTIMATE_ID];
    arena_init(&arena, &e->study->cli->allocator);
    bool tells = match_arms(e, json_parse(&arena, entry->details, NULL));
    bool no_memory = arena.oom;
    arena_free(&arena);
    if (no_memory) return GRAMC_NOMEM;
    if (!tells || entry->id.len >= sizeof id) return GRAMC_OK;
    snprintf(id, sizeof id, "%.*s", TEXT_ARGS(entry->id));
    gramc_status status = store_take_up(store, text_of(id), error);
    if (!status) status = store_each(store, false, visit_attempt, e, error);
    for (size_t i = 0; i < e->study->arm_count; i++)
        if (e->sums[i].runs && e->basis[i] == ESTIMATE_NOTHING) e->basis[i] = ESTIMATE_EARLIER;
    return status;
}

static gramc_status sum_entries(struct estimating *e, struct store *store,
                                struct store_error *error) {
    struct store_entry entry;
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !status && i < ENTRIES_MOST; i++) {
        status = store_find(store, i, &entry, error);
        if (!status && study_is_id(entry.id, study_base_id(e->study)))
            status = sum_entry(e, store, &entry, error);
    }
    return status == GRAMC_NOT_FOUND ? GRAMC_OK : status;
}

static int sum_store(struct estimating *e) {
    struct study *study = e->study;
    struct cli *cli = study->cli;
    struct store *store;
    struct store_error error = {""};
    int code = study_find_store(study, false);
    if (code != EXIT_FINE || study_store_is_missing(study)) return code;
    gramc_status status = store_open(&store, text_of(study->store_path), &cli->allocator, &error);
    if (!status) {
        struct store_error later = {""};
        status = sum_entries(e, store, &error);
        gramc_status closed = store_close(store, &later);
        if (!status && closed) error = later;
        if (!status) status = closed;
    }
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (!status) return EXIT_FINE;
    fprintf(cli->err, "gramc: the store: %s\n", error.message);
    return EXIT_RUN_FAILED;
}

/* ## Prompts */

static bool has_more_requests(const gramc_agent *agent) {
    bool more = agent->tool_count || agent->box_use_count || agent->has_output;
    for (size_t i = 0; i < agent->task_count; i++) {
        const gramc_task *task = &agent->tasks[i];
        more = more || task->tool_count || task->box_use_count || task->has_output;
    }
    return more;
}

static double turns_of(const struct study *study, const gramc_agent *agent) {
    double messages = 0;
    for (size_t i = 0; i < study->cases.count; i++)
        messages += (double)study->cases.items[i].message_count;
    return messages / (double)study->cases.count *
           (double)(agent->task_count ? agent->task_count : 1);
}

static void describe(struct prompt_sample *sample, const struct study *study, size_t i) {
    const gramc_agent *agent = &study->arms[i].agent;
    const char *iterations = study->cli->options[OPTION_MAX_ITERATIONS];
    bool direct = !agent->strategy.len || text_is(agent->strategy, "direct");
    int64_t most = 0;
    *sample = (struct prompt_sample){.turns = turns_of(study, agent),
                                     .max_iterations = direct ? agent->max_iterations : 0,
                                     .max_total = agent->max_total_tokens,
                                     .one_request = direct && !has_more_requests(agent)};
    if (number_to_int(&most, agent->max_tokens) && most > 0) sample->max_tokens = (uint64_t)most;
    if (direct && iterations) (void)run_parse_count(iterations, &sample->max_iterations);
}

static gramc_status measure_prompts(struct prompt_sample *sample, struct study *study, size_t i) {
    const struct plan *plan = &study->plan;
    gramc_status status = GRAMC_OK;
    for (uint32_t place = 0; !status && place < plan->items && place < PROMPTS_MOST; place++) {
        struct request_view view;
        struct arena arena;
        struct buf why;
        arena_init(&arena, &study->cli->allocator);
        buf_init(&why, &study->cli->allocator, 1 << 16);
        status = view_take(&view, &arena, study->shop.loop, study->arms[i].bound,
                           &study->cases.items[plan->order[place]], &why);
        sample->prompts += !status;
        sample->bytes += status ? 0 : view.body.len;
        buf_free(&why);
        arena_free(&arena);
        if (status == GRAMC_FINDINGS) status = GRAMC_OK;
    }
    return status;
}

/* ## Judges */

/* A preference is asked for in both orders, of each arm against the first. */
static uint64_t count_requests(const struct study *study) {
    const struct plan *plan = &study->plan;
    uint64_t requests = 0;
    for (size_t i = 0; i < study->experiment->grader_count; i++) {
        gramc_grader_kind kind = study->experiment->graders[i].kind;
        if (kind == GRAMC_GRADER_RUBRIC) requests += plan_cells(plan);
        if (kind == GRAMC_GRADER_PREFER)
            requests += (uint64_t)plan->items * plan->repeats * (plan->arms - 1) * 2;
    }
    return requests;
}

static bool are_priced(struct study *study) {
    for (size_t i = 0; i < study->experiment->grader_count; i++) {
        const gramc_grader *grader = &study->experiment->graders[i];
        bool judges = grader->kind == GRAMC_GRADER_RUBRIC || grader->kind == GRAMC_GRADER_PREFER;
        if (judges && !judges_price(&study->judges, grader->model)) return false;
    }
    return true;
}

static void estimate_judges(struct estimating *e) {
    struct study_estimate *out = e->out;
    out->judge_requests = count_requests(e->study);
    if (!out->judge_requests) out->judge_cost = estimate_exactly(0);
    else if (e->judged_runs && e->judged > 0 && are_priced(e->study))
        out->judge_cost = estimate_exactly(e->judged * (double)plan_cells(&e->study->plan) /
                                           (double)e->judged_runs);
}

/* ## All of it */

static gramc_status estimate_arm(struct estimating *e, size_t i) {
    struct study_arm *arm = &e->study->arms[i];
    const gramc_prices *prices = arm->has_prices ? &arm->prices : NULL;
    struct estimate_arm *out = &e->out->arms[i];
    struct prompt_sample sample;
    if (e->basis[i] != ESTIMATE_NOTHING) {
        *out = estimate_by_usage(e->basis[i], &e->sums[i], runs_of_arm(e->study), prices);
        return GRAMC_OK;
    }
    describe(&sample, e->study, i);
    gramc_status status = measure_prompts(&sample, e->study, i);
    *out = estimate_by_prompts(&sample, runs_of_arm(e->study), prices);
    return status;
}

int study_estimate(struct study_estimate *out, struct study *study) {
    struct estimating e = {.study = study, .out = out};
    *out = (struct study_estimate){.cost = estimate_exactly(0)};
    gramc_status status = sum_cassettes(&e);
    if (status) return cli_status(study->cli, status);
    int code = sum_store(&e);
    if (code != EXIT_FINE) return code;
    for (size_t i = 0; !status && i < study->arm_count; i++) {
        status = estimate_arm(&e, i);
        out->cost = estimate_add(out->cost, out->arms[i].cost);
    }
    estimate_judges(&e);
    return cli_status(study->cli, status);
}
