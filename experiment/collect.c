/* Reads the attempts of an experiment into columns: one value an item, arm and metric, being the
 * mean over the repeats, with counts of what became of the cells. A second reading fetches what was
 * said in the cases that changed. Concludes nothing. */
#include "experiment/analyse_parts.h"

#include "base/map.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>

enum { REASON_BYTES = 300 };

static double number_or(gramc_text text, double otherwise, bool *good) {
    double value = otherwise;
    if (text.len && !number_to_double(&value, text)) *good = false;
    return value;
}

static gramc_status copy_settings(struct analysis *out, const struct analysis_input *input) {
    const gramc_experiment *experiment = input->plan->experiment;
    bool good = true;
    out->name = arena_text(&out->arena, experiment->name);
    out->plan = arena_text(&out->arena, text_of(input->plan->fingerprint));
    out->cases_fingerprint = arena_text(&out->arena, text_of(input->plan->cases->fingerprint));
    out->state = arena_text(&out->arena, input->state);
    out->reason = arena_text(&out->arena, input->reason);
    out->seed = input->plan->seed;
    out->repeats = input->plan->repeats;
    out->items = input->plan->items;
    out->arm_count = input->plan->arms;
    out->grader_count = input->grader_count;
    out->alpha = number_or(experiment->alpha, 0.05, &good);
    out->margin = number_or(experiment->margin, 0, &good);
    out->max_missing = number_or(experiment->max_missing, 0.02, &good);
    out->sequential = text_is(experiment->stop, "sequential");
    if (!(out->alpha > 0 && out->alpha < 1) || !(out->margin >= 0)) good = false;
    return good ? GRAMC_OK : GRAMC_FINDINGS;
}

static bool make_arms(struct columns *columns) {
    struct analysis *out = columns->out;
    const struct analysis_input *input = columns->input;
    out->arms = arena_zalloc(&out->arena, out->arm_count * sizeof *out->arms);
    if (!out->arms) return false;
    for (size_t i = 0; i < out->arm_count; i++) {
        const gramc_arm *planned = &input->plan->experiment->arms[i];
        struct arm_result *arm = &out->arms[i];
        gramc_text library = planned->library ? planned->library->name : (gramc_text){NULL, 0};
        arm->name = arena_text(&out->arena, planned->name);
        arm->library = arena_text(&out->arena, input->libraries ? input->libraries[i] : library);
        arm->model = arena_text(&out->arena, input->models ? input->models[i] : planned->model);
        arm->has_cost = true;
    }
    return !out->arena.oom;
}

static void name_case(struct analysis *out, struct case_result *result, const struct item *item) {
    result->id = arena_text(&out->arena, item->id);
    if (item->cluster.len) result->cluster = arena_text(&out->arena, item->cluster);
    if (item->stratum.len) result->stratum = arena_text(&out->arena, item->stratum);
}

static bool make_cases(struct columns *columns) {
    struct analysis *out = columns->out;
    const struct plan *plan = columns->input->plan;
    size_t wide = out->arm_count * out->metric_count, count = out->items;
    struct case_arm *arms = arena_array(&out->arena, count * out->arm_count, sizeof *arms);
    double *values = arena_array(&out->arena, count * wide, sizeof *values);
    out->cases = arena_array(&out->arena, count, sizeof *out->cases);
    if (!arms || !values || !out->cases) return false;
    memset(arms, 0, count * out->arm_count * sizeof *arms);
    memset(values, 0, count * wide * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        out->cases[i] =
            (struct case_result){.arms = arms + i * out->arm_count, .values = values + i * wide};
        name_case(out, &out->cases[i], &plan->cases->items[i]);
    }
    for (uint32_t place = 0; place < plan->items; place++)
        out->cases[plan->order[place]].place = place;
    return !out->arena.oom;
}

/* Numbers the clusters by their names; items without one are clusters by themselves. */
bool collect_clusters(struct columns *columns) {
    struct analysis *out = columns->out;
    uint64_t *numbers = arena_array(&out->arena, out->items, sizeof *numbers);
    struct map seen;
    map_init(&seen, &out->arena);
    if (!numbers) return false;
    for (size_t i = 0; i < out->items; i++) {
        numbers[i] = i;
        if (!out->cases[i].cluster.len) continue;
        out->clustered = true;
        uint64_t *first = map_put(&seen, out->cases[i].cluster, &numbers[i]);
        if (first) numbers[i] = *first;
    }
    columns->cluster = out->clustered ? numbers : NULL;
    return !out->arena.oom;
}

static bool make_columns(struct columns *columns) {
    struct analysis *out = columns->out;
    size_t wide = out->arm_count * out->metric_count, count = out->items;
    size_t cells = count * out->arm_count * out->repeats;
    columns->counts = arena_array(&out->arena, count * wide, sizeof *columns->counts);
    columns->states = arena_array(&out->arena, cells, 1);
    columns->latencies = arena_array(&out->arena, cells, sizeof *columns->latencies);
    for (size_t k = 0; k < 2; k++)
        columns->ahead[k] = arena_array(&out->arena, count, sizeof *columns->ahead[k]);
    if (out->arena.oom) return false;
    memset(columns->counts, 0, count * wide * sizeof *columns->counts);
    memset(columns->states, CELL_TODO, cells);
    for (size_t i = 0; i < cells; i++) columns->latencies[i] = (double)NAN;
    for (size_t k = 0; k < 2; k++) memset(columns->ahead[k], 0, count * sizeof(double));
    return true;
}

static bool make_online(struct columns *columns) {
    struct analysis *out = columns->out;
    const struct analysis_online *online = columns->input->online;
    if (!online) return true;
    out->online = arena_zalloc(&out->arena, sizeof *out->online);
    if (!out->online) return false;
    out->online->planned = online->units;
    memcpy(out->online->shares, online->shares, out->arm_count * sizeof(double));
    return true;
}

gramc_status collect_settings(struct columns *columns) {
    gramc_status status = copy_settings(columns->out, columns->input);
    if (status == GRAMC_OK && !make_online(columns)) status = GRAMC_NOMEM;
    if (status == GRAMC_OK) status = metrics_choose(columns->out, columns->input);
    if (status == GRAMC_OK && !make_arms(columns)) status = GRAMC_NOMEM;
    return status;
}

gramc_status collect_plan(struct columns *columns) {
    gramc_status status = collect_settings(columns);
    if (status != GRAMC_OK) return status;
    columns->order = columns->input->plan->order;
    bool made = make_cases(columns) && collect_clusters(columns) && make_columns(columns);
    return made ? GRAMC_OK : GRAMC_NOMEM;
}

/* ## One attempt */

static void count_variant(struct analysis *out, struct variants *variants, gramc_text name) {
    if (!name.len) return;
    for (size_t i = 0; i < variants->count; i++) {
        if (!text_eq(variants->list[i].name, name)) continue;
        variants->list[i].cells++;
        return;
    }
    if (variants->count == VARIANTS_MAX) {
        variants->others++;
        return;
    }
    variants->list[variants->count++] =
        (struct variant){.name = arena_text(&out->arena, name), .cells = 1};
}

static void count_replayed(struct analysis *out, const struct attempt *attempt) {
    int64_t day = attempt->started_ms;
    out->model_calls += attempt->requests;
    if (!attempt->replayed) return;
    out->replayed++;
    out->model_calls_replayed += attempt->requests;
    if (day && (!out->recorded_first_ms || day < out->recorded_first_ms))
        out->recorded_first_ms = day;
    if (day > out->recorded_last_ms) out->recorded_last_ms = day;
}

void collect_usage(struct analysis *out, struct arm_result *arm, const struct attempt *attempt) {
    if (attempt->has_cost) arm->cost += attempt->cost;
    else arm->has_cost = false;
    arm->judge_cost += attempt->judge_cost;
    arm->tokens_in += attempt->prompt_tokens;
    arm->tokens_out += attempt->completion_tokens;
    arm->tokens_cached += attempt->cached_tokens;
    if (attempt->fault == FAULT_ARM) arm->faults++;
    count_replayed(out, attempt);
    count_variant(out, &arm->models, attempt->response_model);
    count_variant(out, &arm->systems, attempt->system_fingerprint);
}

/* Why a cell did not pass: what its run came to, or the first required grader that says no. */
static gramc_text failure_of(const struct analysis_input *input, const struct attempt *attempt) {
    if (attempt->fault == FAULT_ARM)
        return attempt->message.len ? attempt->message : attempt->outcome;
    for (size_t i = 0; i < input->grader_count && i < attempt->score_count; i++) {
        const struct score *score = &attempt->scores[i];
        if (!input->graders[i].required || score->pass || score->missing) continue;
        return score->reason.len ? score->reason : input->graders[i].name;
    }
    return (gramc_text){NULL, 0};
}

/* Not in the middle of a character. */
static gramc_text cut(gramc_text text, size_t most) {
    if (text.len <= most) return text;
    while (most > 0 && ((unsigned char)text.ptr[most] & 0xC0) == 0x80) most--;
    return text_slice(text, 0, most);
}

gramc_text collect_reason(struct columns *columns, const struct attempt *attempt, size_t most) {
    gramc_text why = failure_of(columns->input, attempt);
    return why.len ? arena_text(&columns->out->arena, cut(why, most)) : (gramc_text){NULL, 0};
}

static void keep_reason(struct columns *columns, struct case_arm *at,
                        const struct attempt *attempt) {
    if (!at->reason.len) at->reason = collect_reason(columns, attempt, REASON_BYTES);
}

static int order_sign(const struct plan *plan, const struct cell *cell) {
    uint32_t arms[ARMS_MAX];
    plan_arms(plan, cell->item, cell->repeat, arms);
    return arms[0] == cell->arm ? 1 : arms[1] == cell->arm ? -1 : 0;
}

static void add_values(struct columns *columns, const struct attempt *attempt) {
    struct analysis *out = columns->out;
    const struct cell *cell = &attempt->cell;
    struct case_result *result = &out->cases[cell->item];
    size_t at = cell->arm * out->metric_count;
    uint32_t *counts = columns->counts + cell->item * out->arm_count * out->metric_count;
    int sign = order_sign(columns->input->plan, cell);
    for (size_t m = 0; m < out->metric_count; m++) {
        double value = metrics_value(&out->metrics[m], columns->input, attempt);
        if (m == 0) columns->ahead[0][cell->item] += sign * value;
        if (out->metrics[m].kind == METRIC_PASS && value > 0) result->arms[cell->arm].passed++;
        if (out->metrics[m].kind == METRIC_PASS && value <= 0)
            keep_reason(columns, &result->arms[cell->arm], attempt);
        if (out->metrics[m].kind == METRIC_PREFERENCE && cell->arm) {
            out->comparable++;
            out->compared += isnan(value) ? 0 : 1;
        }
        if (isnan(value)) continue;
        result->values[at + m] += value;
        counts[at + m]++;
    }
    double latency = metric_value(METRIC_LATENCY, attempt);
    columns->ahead[1][cell->item] += sign * latency;
    if (sign > 0) out->arms[cell->arm].first++;
}

static void add_done(struct columns *columns, size_t slot, const struct attempt *attempt) {
    struct analysis *out = columns->out;
    struct arm_result *arm = &out->arms[attempt->cell.arm];
    arm->done++;
    out->cases[attempt->cell.item].arms[attempt->cell.arm].done++;
    columns->latencies[slot] = metric_value(METRIC_LATENCY, attempt);
    add_values(columns, attempt);
    analyse_agreement(columns, attempt);
}

static void add_missing(struct columns *columns, const struct attempt *attempt) {
    const struct cell *cell = &attempt->cell;
    struct case_arm *at = &columns->out->cases[cell->item].arms[cell->arm];
    columns->out->arms[cell->arm].missing++;
    columns->ahead[0][cell->item] = columns->ahead[1][cell->item] = (double)NAN;
    at->missing++;
    gramc_text why = attempt->message.len ? attempt->message : attempt->outcome;
    if (!at->reason.len) at->reason = arena_text(&columns->out->arena, cut(why, REASON_BYTES));
}

/* An attempt that lies outside of the plan, or a second one of a cell, does not count. */
static int visit(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct columns *columns = ctx;
    struct analysis *out = columns->out;
    const struct cell *cell = &attempt->cell;
    (void)place;
    if (cell->item >= out->items || cell->arm >= out->arm_count || cell->repeat >= out->repeats)
        return 0;
    size_t slot = (cell->item * out->arm_count + cell->arm) * out->repeats + cell->repeat;
    if (columns->states[slot] != CELL_TODO || attempt->state == CELL_TODO) return 0;
    columns->states[slot] = (uint8_t)attempt->state;
    if (attempt->state == CELL_SKIPPED) {
        out->arms[cell->arm].skipped++;
        out->cases[cell->item].arms[cell->arm].skipped++;
        return out->arena.oom;
    }
    collect_usage(out, &out->arms[cell->arm], attempt);
    if (attempt->state == CELL_DONE) add_done(columns, slot, attempt);
    else add_missing(columns, attempt);
    return out->arena.oom;
}

/* ## All attempts */

/* Sums become means; what lacks a cell becomes NaN. */
static void finish_values(struct columns *columns) {
    struct analysis *out = columns->out;
    size_t wide = out->arm_count * out->metric_count;
    for (size_t i = 0; i < out->items; i++)
        for (size_t k = 0; k < wide; k++) {
            uint32_t count = columns->counts[i * wide + k];
            double *value = &out->cases[i].values[k];
            *value = count == out->repeats ? *value / count : (double)NAN;
        }
}

void analysis_sum_arms(struct analysis *out) {
    uint64_t each = (uint64_t)out->items * out->repeats;
    for (size_t i = 0; i < out->arm_count; i++) {
        struct arm_result *arm = &out->arms[i];
        uint64_t ended = arm->done + arm->missing + arm->skipped;
        arm->todo = ended < each ? each - ended : 0;
        out->done += arm->done;
        out->missing += arm->missing;
        out->skipped += arm->skipped;
        out->todo += arm->todo;
    }
    out->cells = each * out->arm_count;
    out->complete = out->todo == 0 && out->skipped == 0;
}

static void finish_counts(struct analysis *out) {
    analysis_sum_arms(out);
    for (size_t i = 0; i < out->arm_count; i++)
        if (out->arms[i].done + out->arms[i].missing == 0) out->arms[i].has_cost = false;
    for (size_t i = 0; i < out->items; i++) {
        bool run = has_ended(out, &out->cases[i]);
        uint32_t missing = 0;
        for (size_t k = 0; k < out->arm_count; k++) missing += out->cases[i].arms[k].missing;
        out->items_run += run;
        out->items_lacking += run && missing > 0;
    }
}

gramc_status collect_attempts(struct columns *columns) {
    const struct analysis_input *input = columns->input;
    gramc_status status = input->each(input->ctx, false, visit, columns);
    if (columns->out->arena.oom) return GRAMC_NOMEM;
    if (status != GRAMC_OK) return status;
    finish_values(columns);
    finish_counts(columns->out);
    return GRAMC_OK;
}

/* ## Transcripts: the first repeats of the first cases that changed */

static bool is_wanted(const struct analysis *out, const struct cell *cell) {
    const struct case_result *result = &out->cases[cell->item];
    if (cell->repeat != 0) return false;
    for (size_t arm = 1; arm < out->arm_count; arm++)
        if (case_change_of(out, result, arm) != CASE_SAME) return true;
    return false;
}

static gramc_text capped(struct arena *arena, gramc_text text, bool *was_cut) {
    gramc_text kept = cut(text, TRANSCRIPT_BYTES);
    if (kept.len < text.len) *was_cut = true;
    return arena_text(arena, kept);
}

static int visit_transcript(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct columns *columns = ctx;
    struct analysis *out = columns->out;
    const struct cell *cell = &attempt->cell;
    (void)place;
    if (cell->item >= out->items || cell->arm >= out->arm_count || !is_wanted(out, cell)) return 0;
    size_t room = TRANSCRIPTS_MAX * out->arm_count;
    if (out->transcript_count == room) return 1;
    struct transcript *kept = &out->transcripts[out->transcript_count++];
    *kept = (struct transcript){.item = cell->item, .arm = cell->arm};
    kept->outcome = arena_text(&out->arena, attempt->outcome);
    kept->answer = capped(&out->arena, attempt->answer, &kept->cut);
    kept->conversation = transcript_of(columns, attempt->trace, &kept->cut);
    kept->reason = capped(&out->arena, failure_of(columns->input, attempt), &kept->cut);
    return out->arena.oom;
}

gramc_status collect_transcripts(struct columns *columns) {
    struct analysis *out = columns->out;
    const struct analysis_input *input = columns->input;
    if (!input->transcripts) return GRAMC_OK;
    size_t room = TRANSCRIPTS_MAX * out->arm_count;
    out->transcripts = arena_array(&out->arena, room, sizeof *out->transcripts);
    if (!out->transcripts) return GRAMC_NOMEM;
    gramc_status status = input->each(input->ctx, true, visit_transcript, columns);
    return out->arena.oom ? GRAMC_NOMEM : status;
}
