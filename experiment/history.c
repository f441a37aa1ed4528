/* Turns JSON reports back into columns, and lets the analysis of any experiment conclude from them.
 * What a report does not keep is not made up: latencies of single runs where cases were repeated,
 * transcripts, the order of arms. */
#include "experiment/history.h"

#include "base/map.h"
#include "base/number.h"
#include "base/json/trace_read.h"
#include "base/text.h"
#include "experiment/day.h"
#include "experiment/analyse_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct history_reading {
    struct columns columns;
    const struct history_source *sources;
    size_t count;
    size_t arms[ARMS_MAX];                     /* which of its report's */
    const struct history_source *of[ARMS_MAX]; /* one an arm */
    size_t *metrics;                           /* where the second report has the first one's */
    const struct json **cases[2];              /* one an item, of each report */
    char *why;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static gramc_status
refuse(struct history_reading *history, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(history->why, HISTORY_WHY, format, args);
    va_end(args);
    return GRAMC_FINDINGS;
}

/* ## Parts of a report; what is not there is 0, NaN, nothing */

static double real(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    double number = (double)NAN;
    if (json_is(value, JSON_NUMBER) && !number_to_double(&number, value->text)) return (double)NAN;
    return number;
}

static uint64_t whole(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    uint64_t sum = 0;
    if (!json_is(value, JSON_NUMBER)) return 0;
    for (size_t i = 0; i < value->text.len; i++) {
        char c = value->text.ptr[i];
        if (c < '0' || c > '9' || sum > (UINT64_MAX - 9) / 10) return 0;
        sum = 10 * sum + (uint64_t)(c - '0');
    }
    return sum;
}

static uint32_t small(const struct json *object, const char *key) {
    uint64_t number = whole(object, key);
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static gramc_text words(struct analysis *out, const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    if (!json_is(value, JSON_STRING)) return (gramc_text){NULL, 0};
    return arena_text(&out->arena, value->text);
}

static bool yes(const struct json *object, const char *key) {
    return json_is(json_get(object, key), JSON_TRUE);
}

static const struct json *list(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_ARRAY) ? value : NULL;
}

static const struct json *at(const struct json *array, size_t index) {
    const struct json *item = array ? array->first : NULL;
    while (item && index-- > 0) item = item->next;
    return item;
}

/* ## Is it a report? */

/* As many arms and values in every case as the report has. */
static bool is_even(const struct json *report) {
    uint32_t arms = list(report, "arms")->count, metrics = list(report, "metrics")->count;
    for (const struct json *c = list(report, "cases")->first; c; c = c->next) {
        const struct json *of = list(c, "arms");
        if (!of || of->count != arms || !json_is(json_get(c, "id"), JSON_STRING)) return false;
        for (const struct json *arm = of->first; arm; arm = arm->next) {
            const struct json *values = list(arm, "values");
            if (!values || values->count != metrics) return false;
        }
    }
    return true;
}

static gramc_status check(struct history_reading *history, const struct history_source *source) {
    const struct json *report = source->report, *format = json_get(report, "format");
    if (!json_is(format, JSON_STRING) || !text_is(format->text, "gramc-experiment"))
        return refuse(history, "no JSON report of an experiment");
    if (json_get(report, "online") && history->count > 1)
        return refuse(history,
                      "a report of a served experiment, which shares no cases with others");
    if (whole(report, "version") != 1) return refuse(history, "a report of another version");
    const struct json *arms = list(report, "arms"), *metrics = list(report, "metrics");
    bool sound = arms && metrics && list(report, "cases") && arms->count >= 2 &&
                 arms->count <= ARMS_MAX && metrics->count >= 1 && is_even(report) &&
                 small(json_get(report, "experiment"), "repeats") >= 1;
    return sound ? GRAMC_OK : refuse(history, "a report that is not whole");
}

/* ## Metrics */

static bool read_metric(struct analysis *out, struct metric *to, const struct json *from,
                        bool first, size_t grader) {
    const struct json *name = json_get(from, "name"), *role = json_get(from, "role");
    const struct metric *builtin = NULL;
    if (!json_is(name, JSON_STRING) || !json_is(role, JSON_STRING)) return false;
    *to = (struct metric){.kind = METRIC_GRADER,
                          .scale = SCALE_SHARE,
                          .higher_is_better = true,
                          .unit = "",
                          .grader = grader};
    bool graded = yes(from, "grader");
    for (size_t i = 0; !graded && (builtin = metric_builtin(i)) != NULL; i++) {
        if (!text_eq(builtin->name, name->text)) continue;
        *to = *builtin;
        break;
    }
    if (!graded && !builtin)
        to->kind = text_is(name->text, "feedback") ? METRIC_FEEDBACK : METRIC_SCORE;
    to->name = arena_text(&out->arena, name->text);
    to->role = first                              ? ROLE_PRIMARY
               : text_is(role->text, "guardrail") ? ROLE_GUARDRAIL
                                                  : ROLE_EXPLORATORY;
    return true;
}

static bool has_metric(const struct json *report, gramc_text name, size_t *index) {
    *index = 0;
    for (const struct json *m = list(report, "metrics")->first; m; m = m->next, ++*index) {
        const struct json *of = json_get(m, "name");
        if (json_is(of, JSON_STRING) && text_eq(of->text, name)) return true;
    }
    return false;
}

/* Those of the first report that the second has as well. */
static gramc_status read_metrics(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *metrics = list(history->sources[0].report, "metrics");
    const struct json *other = history->sources[history->count - 1].report;
    size_t place = 0, graders = 0;
    out->metrics = arena_array(&out->arena, metrics->count, sizeof *out->metrics);
    history->metrics = arena_array(&out->arena, 2 * metrics->count, sizeof *history->metrics);
    if (!out->metrics || !history->metrics) return GRAMC_NOMEM;
    for (const struct json *m = metrics->first; m; m = m->next, place++) {
        struct metric *to = &out->metrics[out->metric_count];
        if (!read_metric(out, to, m, place == 0, graders))
            return refuse(history, "a metric without a name");
        size_t index;
        if (!has_metric(other, to->name, &index)) {
            if (place) continue;
            return refuse(history, "the two have different metrics: the second lacks %.*s",
                          (int)(to->name.len < 60 ? to->name.len : 60), to->name.ptr);
        }
        graders += to->kind == METRIC_GRADER;
        out->guardrail_count += to->role == ROLE_GUARDRAIL;
        history->metrics[2 * out->metric_count] = place;
        history->metrics[2 * out->metric_count++ + 1] = index;
    }
    return GRAMC_OK;
}

/* ## Arms */

static void read_variants(struct analysis *out, struct variants *to, const struct json *from) {
    for (const struct json *v = from ? from->first : NULL; v; v = v->next) {
        if (to->count == VARIANTS_MAX) return;
        to->list[to->count++] = (struct variant){words(out, v, "name"), whole(v, "runs")};
    }
}

static void read_arm(struct analysis *out, struct arm_result *to, const struct json *from) {
    double cost = real(from, "cost"), judges = real(from, "judge_cost");
    to->name = words(out, from, "name");
    to->library = words(out, from, "library");
    to->model = words(out, from, "model");
    to->faults = whole(from, "faults");
    to->first = whole(from, "ran_first");
    to->has_cost = !isnan(cost);
    to->cost = to->has_cost ? cost : 0;
    to->judge_cost = isnan(judges) ? 0 : judges;
    to->tokens_in = whole(from, "prompt_tokens");
    to->tokens_out = whole(from, "completion_tokens");
    to->tokens_cached = whole(from, "cached_tokens");
    read_variants(out, &to->models, list(from, "response_models"));
    read_variants(out, &to->systems, list(from, "system_fingerprints"));
}

/* "new (report.json)": two arms may have one name. */
static gramc_text labelled(struct analysis *out, gramc_text name, gramc_text label) {
    struct buf words;
    buf_init(&words, &out->arena.allocator, 1 << 16);
    buf_text(&words, name);
    buf_puts(&words, " (");
    buf_text(&words, label);
    buf_putc(&words, ')');
    return buf_to_arena_cut(&words, &out->arena);
}

static gramc_status find_arm(struct history_reading *history, const struct history_source *source,
                             size_t *index) {
    const struct json *arms = list(source->report, "arms");
    *index = arms->count - 1;
    if (!source->arm.len) return GRAMC_OK;
    *index = 0;
    for (const struct json *arm = arms->first; arm; arm = arm->next, ++*index) {
        const struct json *name = json_get(arm, "name");
        if (json_is(name, JSON_STRING) && text_eq(name->text, source->arm)) return GRAMC_OK;
    }
    return refuse(history, "there is no arm %.*s",
                  (int)(source->arm.len < 60 ? source->arm.len : 60), source->arm.ptr);
}

static gramc_status read_arms(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    bool alone = history->count == 1;
    out->arm_count = alone ? list(history->sources[0].report, "arms")->count : 2;
    out->arms = arena_zalloc(&out->arena, out->arm_count * sizeof *out->arms);
    if (!out->arms) return GRAMC_NOMEM;
    for (size_t i = 0; i < out->arm_count; i++) {
        const struct history_source *source = &history->sources[alone ? 0 : i];
        history->of[i] = source;
        history->arms[i] = i;
        gramc_status status = alone ? GRAMC_OK : find_arm(history, source, &history->arms[i]);
        if (status != GRAMC_OK) return status;
        read_arm(out, &out->arms[i], at(list(source->report, "arms"), history->arms[i]));
        if (!alone) out->arms[i].name = labelled(out, out->arms[i].name, source->label);
    }
    return out->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

/* ## Served ones */

/* Numbers of a list, one an arm. */
static bool read_list(struct analysis *out, const struct json *online, const char *key,
                      uint64_t *to) {
    const struct json *of = list(online, key);
    if (!of || of->count != out->arm_count) return false;
    for (const struct json *each = of->first; each; each = each->next) {
        double number = (double)NAN;
        if (each->kind != JSON_NUMBER || !number_to_double(&number, each->text) || !(number >= 0) ||
            number > UINT32_MAX)
            return false;
        *to++ = (uint64_t)number;
    }
    return true;
}

static bool read_shares(struct analysis *out, const struct json *online) {
    const struct json *of = list(online, "shares");
    double sum = 0;
    if (!of || of->count != out->arm_count) return false;
    size_t i = 0;
    for (const struct json *each = of->first; each; each = each->next, i++) {
        double *share = &out->online->shares[i];
        if (each->kind != JSON_NUMBER || !number_to_double(share, each->text) || !(*share > 0))
            return false;
        sum += *share;
    }
    return sum > 0.999 && sum < 1.001;
}

static gramc_status read_online(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *online = json_get(history->sources[0].report, "online");
    if (!online) return GRAMC_OK;
    struct online_result *to = out->online = arena_zalloc(&out->arena, sizeof *to);
    if (!to) return GRAMC_NOMEM;
    const struct {
        const char *key;
        uint64_t *to;
    } rows[] = {{"units", to->units},
                {"analysed", to->analysed},
                {"messages", to->messages},
                {"failed", to->failed},
                {"told", to->told}};
    bool sound = read_shares(out, online);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sound = sound && read_list(out, online, rows[i].key, rows[i].to);
    if (!sound || out->repeats != 1) return refuse(history, "a report that is not whole");
    to->planned = small(online, "planned");
    to->seen = small(online, "seen");
    to->with_covariate = small(online, "with_covariate");
    to->unended = whole(online, "unended");
    to->crashed = whole(online, "crashed");
    to->unjudged = whole(online, "unjudged");
    online_ratio(out);
    return GRAMC_OK;
}

/* False: it names no arm. */
static bool read_unit(struct analysis *out, struct case_result *to, const struct json *from) {
    const struct json *name = json_get(from, "arm");
    to->messages = small(from, "messages");
    to->unended = small(from, "unended");
    to->covariate = real(from, "covariate");
    if (!json_is(name, JSON_STRING)) return false;
    while (to->arm < out->arm_count && !text_eq(out->arms[to->arm].name, name->text)) to->arm++;
    if (to->arm == out->arm_count) return false;
    out->arms[to->arm].todo += to->unended;
    return true;
}

/* In place of what is counted over cases. */
static void sum_online(struct analysis *out) {
    for (size_t i = 0; i < out->arm_count; i++) {
        out->done += out->arms[i].done;
        out->todo += out->arms[i].todo;
        out->cells += out->online->messages[i];
    }
    out->complete = out->online->seen >= out->online->planned;
}

/* ## Cases */

static void note_left_out(struct analysis *out, size_t first, size_t second) {
    if (first || second)
        analysis_warn(out,
                      "%zu cases of the first and %zu of the second experiment are not in the "
                      "other, and left out",
                      first, second);
}

/* The cases that both have, by their ids, in the order of the second. */
static gramc_status pair_cases(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *first = list(history->sources[0].report, "cases");
    const struct json *last = list(history->sources[history->count - 1].report, "cases");
    struct map ids;
    map_init(&ids, &out->arena);
    for (const struct json *c = first->first; c; c = c->next) {
        /* A map keeps pointers that are not const, and nobody writes through these. */
        const void *kept = c;
        void *value;
        memcpy(&value, &kept, sizeof value);
        if (!map_put(&ids, json_get(c, "id")->text, value)) return GRAMC_NOMEM;
    }
    for (size_t k = 0; k < 2; k++) {
        history->cases[k] = arena_array(&out->arena, last->count, sizeof *history->cases[k]);
        if (!history->cases[k]) return GRAMC_NOMEM;
    }
    for (const struct json *c = last->first; c; c = c->next) {
        const struct json *same = map_get(&ids, json_get(c, "id")->text);
        if (!same) continue;
        history->cases[0][out->items] = same;
        history->cases[1][out->items++] = c;
    }
    if (!out->items)
        return refuse(history, history->count > 1 ? "the two have no case in common"
                                                  : "there are no cases in it");
    if (history->count > 1) note_left_out(out, first->count - out->items, last->count - out->items);
    return out->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

static void read_values(struct history_reading *history, struct case_result *to,
                        const struct json *from, size_t arm, size_t side) {
    const struct analysis *out = history->columns.out;
    size_t place = 0;
    for (const struct json *v = list(from, "values")->first; v; v = v->next, place++)
        for (size_t m = 0; m < out->metric_count; m++) {
            if (history->metrics[2 * m + side] != place) continue;
            double *value = &to->values[arm * out->metric_count + m];
            if (!json_is(v, JSON_NUMBER) || !number_to_double(value, v->text)) *value = (double)NAN;
        }
}

static void read_case_arm(struct history_reading *history, size_t item, size_t arm) {
    struct analysis *out = history->columns.out;
    size_t side = history->count > 1 && arm == 1;
    const struct json *from = at(list(history->cases[side][item], "arms"), history->arms[arm]);
    struct case_result *to = &out->cases[item];
    struct case_arm *counts = &to->arms[arm];
    *counts = (struct case_arm){.passed = small(from, "passed"),
                                .done = small(from, "done"),
                                .missing = small(from, "missing"),
                                .skipped = small(from, "skipped"),
                                .reason = words(out, from, "reason")};
    read_values(history, to, from, arm, side);
    out->arms[arm].done += counts->done;
    out->arms[arm].missing += counts->missing;
    out->arms[arm].skipped += counts->skipped;
    if (out->repeats != 1) return;
    size_t latency = analysis_metric(out, METRIC_LATENCY);
    if (out->metrics[latency].kind == METRIC_LATENCY)
        history->columns.latencies[item * out->arm_count + arm] =
            to->values[arm * out->metric_count + latency];
}

static gramc_status read_cases(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    size_t wide = out->arm_count * out->metric_count, cells = out->items * out->arm_count;
    double *values = arena_array(&out->arena, out->items * wide, sizeof *values);
    struct case_arm *arms = arena_array(&out->arena, cells, sizeof *arms);
    out->cases = arena_array(&out->arena, out->items, sizeof *out->cases);
    double *latencies = arena_array(&out->arena, cells, sizeof *latencies);
    if (out->arena.oom) return GRAMC_NOMEM;
    for (size_t i = 0; i < out->items * wide; i++) values[i] = (double)NAN;
    for (size_t i = 0; i < cells; i++) latencies[i] = (double)NAN;
    history->columns.latencies = out->repeats == 1 ? latencies : NULL;
    for (size_t i = 0; i < out->items; i++) {
        const struct json *from = history->cases[1][i];
        out->cases[i] = (struct case_result){.id = words(out, from, "id"),
                                             .cluster = words(out, from, "cluster"),
                                             .stratum = words(out, from, "stratum"),
                                             .place = small(from, "place"),
                                             .arms = arms + i * out->arm_count,
                                             .values = values + i * wide};
        if (out->online && !read_unit(out, &out->cases[i], from))
            return refuse(history, "a unit without an arm");
        for (size_t arm = 0; arm < out->arm_count; arm++) read_case_arm(history, i, arm);
    }
    return collect_clusters(&history->columns) ? GRAMC_OK : GRAMC_NOMEM;
}

/* The order of the plan, of one experiment alone; none if the places are no permutation. */
static gramc_status read_order(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    uint32_t *order = arena_array(&out->arena, out->items, sizeof *order);
    bool *seen = arena_zalloc(&out->arena, out->items + 1);
    if (!order || !seen) return GRAMC_NOMEM;
    if (history->count > 1) return GRAMC_OK;
    for (uint32_t i = 0; i < out->items; i++) {
        uint32_t place = out->cases[i].place;
        if (place >= out->items || seen[place]) return GRAMC_OK;
        seen[place] = true;
        order[place] = i;
    }
    history->columns.order = order;
    return GRAMC_OK;
}

/* ## All of it */

static gramc_status read_settings(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *first = json_get(history->sources[0].report, "experiment");
    const struct json *last = json_get(history->sources[history->count - 1].report, "experiment");
    out->name = words(out, last, "name");
    out->cases_fingerprint = words(out, last, "cases");
    out->seed = whole(last, "seed");
    out->repeats = small(last, "repeats");
    out->alpha = real(last, "alpha");
    out->margin = real(last, "margin");
    out->max_missing = real(last, "max_missing");
    out->historical = history->count > 1 || yes(last, "historical");
    const struct json *stop = json_get(last, "stop");
    out->sequential =
        history->count == 1 && json_is(stop, JSON_STRING) && text_is(stop->text, "sequential");
    if (history->count == 1) {
        out->plan = words(out, last, "plan");
        out->state = words(out, last, "state");
        out->reason = words(out, last, "reason");
    }
    if (small(first, "repeats") != out->repeats)
        return refuse(history, "one has %u repeats of each case, the other %u",
                      (unsigned)small(first, "repeats"), (unsigned)out->repeats);
    if (out->repeats > 1000 || !(out->alpha > 0 && out->alpha < 1) || !(out->margin >= 0) ||
        !(out->max_missing >= 0))
        return refuse(history, "a report with settings that no experiment has");
    if (history->count > 1 && !text_eq(words(out, first, "cases"), out->cases_fingerprint))
        analysis_warn(out, "the cases of the two experiments are not the same texts");
    return GRAMC_OK;
}

static void take_replayed(struct analysis *out, const struct json *counts) {
    int64_t first = day_read(trace_text(counts, "recorded_first"));
    int64_t last = day_read(trace_text(counts, "recorded_last"));
    out->replayed += whole(counts, "replayed");
    out->model_calls += whole(counts, "model_calls");
    out->model_calls_replayed += whole(counts, "model_calls_replayed");
    if (first && (!out->recorded_first_ms || first < out->recorded_first_ms))
        out->recorded_first_ms = first;
    if (last > out->recorded_last_ms) out->recorded_last_ms = last;
}

static void read_counts(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    if (out->online) sum_online(out);
    else analysis_sum_arms(out);
    for (size_t k = 0; k < history->count; k++) {
        const struct json *counts = json_get(history->sources[k].report, "counts");
        take_replayed(out, counts);
        out->grader_count = (size_t)small(counts, "graders");
    }
    for (size_t i = 0; i < out->items && !out->online; i++) {
        bool run = has_ended(out, &out->cases[i]), lacks = false;
        for (size_t k = 0; k < out->arm_count; k++)
            lacks = lacks || out->cases[i].arms[k].missing > 0;
        out->items_run += run;
        out->items_lacking += run && lacks;
    }
}

static gramc_status read_judges(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *judges = list(history->sources[0].report, "judges");
    if (history->count > 1 || !judges || !judges->count) return GRAMC_OK;
    out->agreements = arena_array(&out->arena, judges->count, sizeof *out->agreements);
    if (!out->agreements) return GRAMC_NOMEM;
    for (const struct json *j = judges->first; j; j = j->next) {
        struct agreement of = {.grader = words(out, j, "grader"),
                               .both = whole(j, "both_pass"),
                               .only_judge = whole(j, "only_judge_passes"),
                               .only_label = whole(j, "only_label_passes"),
                               .neither = whole(j, "both_fail")};
        out->agreements[out->agreement_count++] = of;
    }
    return out->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

static void read_precedences(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    const struct json *effects = list(history->sources[0].report, "order_effects");
    if (history->count > 1) return;
    for (const struct json *e = effects ? effects->first : NULL; e; e = e->next) {
        if (out->precedence_count == 2) return;
        out->precedences[out->precedence_count++] =
            (struct precedence){.metric = words(out, e, "metric"),
                                .higher = whole(e, "first_higher"),
                                .lower = whole(e, "first_lower")};
    }
}

static gramc_status read_all(struct history_reading *history) {
    static gramc_status (*const steps[])(struct history_reading *) = {
        read_settings, read_metrics, read_arms,  read_online,
        pair_cases,    read_cases,   read_order, read_judges};
    for (size_t i = 0; i < history->count; i++) {
        gramc_status status = check(history, &history->sources[i]);
        if (status != GRAMC_OK) return status;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        gramc_status status = steps[i](history);
        if (status != GRAMC_OK) return status;
    }
    read_counts(history);
    read_precedences(history);
    return history->columns.out->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

/* Single runs are not kept where cases were repeated, but what came of them is. */
static void take_percentiles(struct history_reading *history) {
    struct analysis *out = history->columns.out;
    if (out->repeats == 1 && !out->online) return;
    for (size_t i = 0; i < out->arm_count; i++) {
        const struct json *arm = at(list(history->of[i]->report, "arms"), history->arms[i]);
        const struct json *metrics = list(arm, "metrics");
        for (const struct json *m = metrics ? metrics->first : NULL; m; m = m->next) {
            const struct json *both[] = {json_get(m, "p50"), json_get(m, "p95")};
            struct arm_metric *to = &out->arms[i].metrics[analysis_metric(out, METRIC_LATENCY)];
            struct measure *const into[] = {&to->p50, &to->p95};
            for (size_t k = 0; k < 2; k++)
                if (both[k])
                    *into[k] = (struct measure){real(both[k], "value"),
                                                {real(both[k], "low"), real(both[k], "high")}};
        }
    }
}

gramc_status analyse_history(struct analysis *out, const struct history_source *sources,
                             size_t count, const gramc_allocator *allocator,
                             char why[HISTORY_WHY]) {
    struct history_reading history = {.sources = sources, .count = count, .why = why};
    *out = (struct analysis){.name = {NULL, 0}};
    arena_init(&out->arena, allocator);
    history.columns.out = out;
    arena_init(&history.columns.scratch, allocator);
    gramc_status status = read_all(&history);
    if (status == GRAMC_OK) status = analyse_columns(&history.columns);
    if (status == GRAMC_OK) take_percentiles(&history);
    arena_free(&history.columns.scratch);
    if (status != GRAMC_OK) analysis_free(out);
    return status;
}
