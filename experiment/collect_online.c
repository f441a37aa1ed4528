/* Reads the messages of an online experiment into columns: one value a unit and metric, in the
 * unit's own arm alone, being the mean over its messages (of a sequential experiment its first
 * message, which later ones do not change). Whatever was begun counts: a run that failed, by whose
 * fault ever, or that never ended, did not pass. */
#include "experiment/analyse_parts.h"

#include "base/map.h"
#include "base/text.h"

#include <math.h>

enum { REASON_BYTES = 300 };

/* A message, in the order of their places. */
struct told_message {
    uint32_t place, arm;
    size_t unit;
    double feedback;
    bool is_first; /* of its unit */
    bool ended;
};

struct told_unit {
    gramc_text name;
    double covariate;
    size_t index;
    uint32_t arm, messages;
    bool is_late; /* it came after all that were planned */
};

struct online_reading {
    struct columns *columns;
    struct told_message *messages;
    struct told_unit **units;
    size_t message_count, message_room, unit_count, unit_room;
    struct map seen;
    uint32_t *counts; /* unit * metrics + metric: messages with a value */
    double *latencies[ARMS_MAX];
    size_t latency_counts[ARMS_MAX];
    size_t next; /* message that an attempt may belong to */
};

/* ## Exposures */

/* Room for one more; the list may move. */
static void *grown(struct arena *arena, void *list, size_t count, size_t *room, size_t size) {
    if (count < *room) return list;
    size_t more = *room ? 2 * *room : 256;
    char *made = arena_array(arena, more, size);
    if (!made) return NULL;
    if (count) memcpy(made, list, count * size);
    *room = more;
    return made;
}

static struct told_unit *new_unit(struct online_reading *reading,
                                  const struct store_exposure *exposure) {
    struct arena *arena = &reading->columns->scratch;
    reading->units = grown(arena, reading->units, reading->unit_count, &reading->unit_room,
                           sizeof(struct told_unit *));
    struct told_unit *unit = arena_zalloc(arena, sizeof *unit);
    if (!reading->units || !unit) return NULL;
    *unit = (struct told_unit){.name = arena_text(arena, exposure->unit),
                               .covariate = exposure->covariate,
                               .index = reading->unit_count,
                               .arm = exposure->arm};
    reading->units[reading->unit_count] = unit;
    return unit;
}

static int see_exposure(void *ctx, const struct store_exposure *exposure) {
    struct online_reading *reading = ctx;
    struct analysis *out = reading->columns->out;
    struct arena *arena = &reading->columns->scratch;
    if (exposure->arm >= out->arm_count) return 0;
    struct told_unit *unit = map_get(&reading->seen, exposure->unit);
    bool is_new = !unit;
    if (is_new && (unit = new_unit(reading, exposure)) != NULL) {
        map_put(&reading->seen, unit->name, unit);
        out->online->units[unit->arm]++;
        /* Beyond what was planned nothing is looked at: whoever waits for a better moment to stop
         * would find one. */
        if (reading->unit_count < out->online->planned) reading->unit_count++;
        else unit->is_late = true;
    }
    if (!unit || arena->oom) return 1;
    out->online->seen += is_new;
    if (unit->is_late) return 0;
    reading->messages = grown(arena, reading->messages, reading->message_count,
                              &reading->message_room, sizeof *reading->messages);
    if (!reading->messages) return 1;
    reading->messages[reading->message_count++] =
        (struct told_message){.place = exposure->place,
                              .arm = unit->arm,
                              .unit = unit->index,
                              .feedback = exposure->feedback,
                              .is_first = is_new};
    unit->messages++;
    return 0;
}

/* ## Units as cases */

static bool make_units(struct online_reading *reading) {
    struct columns *columns = reading->columns;
    struct analysis *out = columns->out;
    struct arena *arena = &out->arena;
    size_t count = reading->unit_count, wide = out->arm_count * out->metric_count;
    struct case_arm *arms = arena_zalloc(arena, (count * out->arm_count + 1) * sizeof *arms);
    double *values = arena_array(arena, count * wide + 1, sizeof *values);
    out->cases = arena_array(arena, count + 1, sizeof *out->cases);
    reading->counts =
        arena_zalloc(&columns->scratch, (count * out->metric_count + 1) * sizeof(uint32_t));
    if (!arms || !values || !out->cases || !reading->counts) return false;
    for (size_t i = 0; i < count * wide; i++) values[i] = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        const struct told_unit *unit = reading->units[i];
        out->cases[i] = (struct case_result){.id = arena_text(arena, unit->name),
                                             .place = (uint32_t)i,
                                             .arm = unit->arm,
                                             .messages = unit->messages,
                                             .covariate = unit->covariate,
                                             .arms = arms + i * out->arm_count,
                                             .values = values + i * wide};
        if (!isnan(unit->covariate)) out->online->with_covariate++;
        out->online->analysed[unit->arm]++;
    }
    out->items = (uint32_t)count;
    return !arena->oom;
}

static bool make_latencies(struct online_reading *reading) {
    struct analysis *out = reading->columns->out;
    size_t counts[ARMS_MAX] = {0};
    for (size_t i = 0; i < reading->message_count; i++) counts[reading->messages[i].arm]++;
    for (size_t arm = 0; arm < out->arm_count; arm++) {
        out->online->messages[arm] = counts[arm];
        reading->latencies[arm] = arena_array(&out->arena, counts[arm] + 1, sizeof(double));
        if (!reading->latencies[arm]) return false;
    }
    return true;
}

/* ## Values */

static void add_value(struct online_reading *reading, const struct told_message *message, size_t m,
                      double value) {
    struct analysis *out = reading->columns->out;
    struct case_result *of = &out->cases[message->unit];
    double *to = &of->values[message->arm * out->metric_count + m];
    if (isnan(value) || (out->sequential && !message->is_first)) return;
    *to = isnan(*to) ? value : *to + value;
    reading->counts[message->unit * out->metric_count + m]++;
}

/* Intention to treat: whoever was shown the arm and got no answer counts against it. */
static struct attempt as_treated(const struct attempt *attempt) {
    struct attempt treated = *attempt;
    if (treated.fault == FAULT_INFRASTRUCTURE) treated.fault = FAULT_ARM;
    if (treated.fault == FAULT_ARM) treated.score_count = 0;
    return treated;
}

/* What a run took that never came to its end nobody knows. */
static double value_of(const struct online_reading *reading, const struct metric *metric,
                       const struct told_message *message, const struct attempt *treated) {
    if (metric->kind == METRIC_FEEDBACK) return message->feedback;
    if (metric->scale != SCALE_SHARE && text_is(treated->outcome, "crash")) return (double)NAN;
    return metrics_value(metric, reading->columns->input, treated);
}

static void take_message(struct online_reading *reading, const struct told_message *message,
                         const struct attempt *attempt) {
    struct analysis *out = reading->columns->out;
    const struct attempt treated = as_treated(attempt);
    struct case_arm *of = &out->cases[message->unit].arms[message->arm];
    for (size_t m = 0; m < out->metric_count; m++) {
        double value = value_of(reading, &out->metrics[m], message, &treated);
        add_value(reading, message, m, value);
        if (out->metrics[m].kind != METRIC_PASS) continue;
        if (value > 0) of->passed++;
        else if (!isnan(value) && !of->reason.len)
            of->reason = collect_reason(reading->columns, &treated, REASON_BYTES);
        if (isnan(value)) out->online->unjudged++;
    }
}

static struct told_message *find_message(struct online_reading *reading, uint32_t place) {
    while (reading->next < reading->message_count && reading->messages[reading->next].place < place)
        reading->next++;
    if (reading->next == reading->message_count) return NULL;
    struct told_message *message = &reading->messages[reading->next];
    return message->place == place ? message : NULL;
}

static int see_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct online_reading *reading = ctx;
    struct analysis *out = reading->columns->out;
    struct told_message *message = find_message(reading, place);
    if (!message || attempt->cell.arm != message->arm) return 0;
    message->ended = true;
    collect_usage(out, &out->arms[message->arm], attempt);
    out->arms[message->arm].done++;
    out->cases[message->unit].arms[message->arm].done++;
    if (attempt->fault != FAULT_NONE) out->online->failed[message->arm]++;
    if (text_is(attempt->outcome, "crash")) out->online->crashed++;
    else
        reading->latencies[message->arm][reading->latency_counts[message->arm]++] =
            metric_value(METRIC_LATENCY, attempt);
    take_message(reading, message, attempt);
    return out->arena.oom;
}

/* Those without an attempt are under way, or their process is gone. Of a sequential experiment
 * they are not looked at yet: what they come to would change a step that was made. */
static void take_unended(struct online_reading *reading) {
    struct analysis *out = reading->columns->out;
    const struct attempt none = {.state = CELL_DONE,
                                 .fault = FAULT_INFRASTRUCTURE,
                                 .outcome = TEXT("crash"),
                                 .message = TEXT("it has no end yet")};
    for (size_t i = 0; i < reading->message_count; i++) {
        const struct told_message *message = &reading->messages[i];
        if (message->ended) continue;
        out->cases[message->unit].unended++;
        out->arms[message->arm].todo++;
        out->online->unended++;
        if (!out->sequential) take_message(reading, message, &none);
    }
}

void online_ratio(struct analysis *out) {
    struct online_result *online = out->online;
    online->ratio = stat_ratio_mismatch(online->units, online->shares, out->arm_count);
    online->is_mismatched = online->ratio.p < STAT_ALARM;
}

static void finish(struct online_reading *reading) {
    struct analysis *out = reading->columns->out;
    for (size_t i = 0; i < out->items; i++)
        for (size_t m = 0; m < out->metric_count; m++) {
            struct case_result *of = &out->cases[i];
            uint32_t count = reading->counts[i * out->metric_count + m];
            double *value = &of->values[of->arm * out->metric_count + m];
            *value = count ? *value / count : (double)NAN;
            if (count && out->metrics[m].kind == METRIC_FEEDBACK) out->online->told[of->arm]++;
        }
    for (size_t arm = 0; arm < out->arm_count; arm++) {
        struct arm_result *of = &out->arms[arm];
        of->latencies = reading->latencies[arm];
        of->latency_count = reading->latency_counts[arm];
        if (!of->done) of->has_cost = false;
        if (!stat_sort(&reading->columns->scratch, of->latencies, of->latency_count))
            of->latency_count = 0;
        out->done += of->done;
        out->todo += of->todo;
        out->cells += out->online->messages[arm];
    }
    out->complete = out->online->seen >= out->online->planned;
    online_ratio(out);
}

gramc_status collect_online(struct columns *columns) {
    const struct analysis_input *input = columns->input;
    struct analysis *out = columns->out;
    struct online_reading reading = {.columns = columns};
    gramc_status status = collect_settings(columns);
    if (status != GRAMC_OK) return status;
    map_init(&reading.seen, &columns->scratch);
    status = input->online->exposures(input->ctx, see_exposure, &reading);
    if (status == GRAMC_OK && columns->scratch.oom) status = GRAMC_NOMEM;
    if (status == GRAMC_OK && !(make_units(&reading) && make_latencies(&reading)))
        status = GRAMC_NOMEM;
    if (status == GRAMC_OK) status = input->each(input->ctx, false, see_attempt, &reading);
    if (status != GRAMC_OK) return status;
    take_unended(&reading);
    finish(&reading);
    scratch_done(columns);
    return out->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}
