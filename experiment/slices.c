/* Parts of the answer: the primary metric among the cases of each stratum (exploratory), and how a
 * model that judges agrees with the labels that cases carry. */
#include "experiment/analyse_parts.h"

#include "base/map.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

enum { SLICES_MAX = 200 };

/* ## Strata */

struct stratum_group {
    gramc_text name;
    size_t *items, count;
};

/* Items that have the primary metric in all arms, by stratum in order of appearance. */
static size_t gather(struct columns *columns, struct stratum_group *groups) {
    struct analysis *out = columns->out;
    struct arena *scratch = &columns->scratch;
    size_t *items = arena_array(scratch, out->items, sizeof *items), found = 0;
    if (!items) return 0;
    size_t count = items_with(columns, 0, items);
    struct map seen;
    map_init(&seen, scratch);
    for (size_t i = 0; i < count; i++) {
        gramc_text name = out->cases[items[i]].stratum;
        struct stratum_group *group = name.len ? map_get(&seen, name) : NULL;
        if (!name.len || (!group && found == SLICES_MAX)) continue;
        if (!group) {
            group = &groups[found++];
            *group = (struct stratum_group){.name = name};
            group->items = arena_array(scratch, count - i, sizeof *group->items);
            if (!map_put(&seen, name, group) || !group->items) return 0;
        }
        group->items[group->count++] = items[i];
    }
    return scratch->oom ? 0 : found;
}

static struct stat_pairs pairs_of(struct columns *columns, const struct stratum_group *group,
                                  size_t arm) {
    struct stat_pairs table = {0, 0, 0, 0};
    for (size_t i = 0; i < group->count; i++) {
        bool candidate = item_value(columns, group->items[i], arm, 0) > 0.5;
        bool baseline = item_value(columns, group->items[i], 0, 0) > 0.5;
        table.both += candidate && baseline;
        table.only_first += candidate && !baseline;
        table.only_second += baseline && !candidate;
        table.neither += !candidate && !baseline;
    }
    return table;
}

static void slice_of(struct columns *columns, struct slice *slice,
                     const struct stratum_group *group, size_t arm) {
    struct analysis *out = columns->out;
    *slice = (struct slice){.name = group->name, .arm = arm, .items = group->count};
    slice->p_adjusted = (double)NAN;
    if (analysis_comparison(out, arm, 0)->binary) {
        struct stat_pairs table = pairs_of(columns, group, arm);
        slice->effect =
            (struct measure){stat_pairs_difference(table), stat_tango(table, 1 - out->alpha)};
        slice->p = stat_mcnemar_mid_p(table.only_first, table.only_second);
        return;
    }
    bool ratio = out->metrics[0].scale == SCALE_RATIO;
    double *values = arena_array(&columns->scratch, group->count, sizeof *values);
    if (!values) return;
    for (size_t i = 0; i < group->count; i++) {
        double a = item_value(columns, group->items[i], arm, 0);
        double b = item_value(columns, group->items[i], 0, 0);
        values[i] = ratio ? log(a) - log(b) : a - b;
    }
    struct stat_mean mean = items_mean(columns, values, group->items, group->count, 1 - out->alpha);
    slice->effect = (struct measure){mean.mean, mean.interval};
    slice->p = mean.p;
    if (!ratio) return;
    slice->effect =
        (struct measure){exp(mean.mean), {exp(mean.interval.low), exp(mean.interval.high)}};
}

static void adjust_slices(struct columns *columns) {
    struct analysis *out = columns->out;
    double *p = arena_array(&columns->scratch, out->slice_count, sizeof *p);
    double *adjusted = arena_array(&columns->scratch, out->slice_count, sizeof *adjusted);
    if (!p || !adjusted) return;
    for (size_t i = 0; i < out->slice_count; i++)
        p[i] = isnan(out->slices[i].p) ? 1 : out->slices[i].p;
    if (!stat_adjust(&columns->scratch, adjusted, p, out->slice_count, STAT_BH)) return;
    for (size_t i = 0; i < out->slice_count; i++)
        if (!isnan(out->slices[i].p)) out->slices[i].p_adjusted = adjusted[i];
}

/* Their p-values are as little valid before the end as the experiment's. */
static void take_back(struct analysis *out) {
    for (size_t i = 0; i < out->slice_count; i++)
        if (!analysis_comparison(out, out->slices[i].arm, 0)->fixed_valid)
            out->slices[i].p = out->slices[i].p_adjusted = (double)NAN;
}

void analyse_slices(struct columns *columns) {
    struct analysis *out = columns->out;
    struct stratum_group *groups = arena_array(&columns->scratch, SLICES_MAX, sizeof *groups);
    if (!groups || out->arm_count < 2) return;
    size_t found = gather(columns, groups), room = found * (out->arm_count - 1);
    if (room) out->slices = arena_array(&out->arena, room, sizeof *out->slices);
    for (size_t arm = 1; out->slices && arm < out->arm_count; arm++)
        for (size_t i = 0; i < found; i++)
            slice_of(columns, &out->slices[out->slice_count++], &groups[i], arm);
    if (out->slice_count) adjust_slices(columns);
    take_back(out);
    scratch_done(columns);
}

/* ## Judges */

enum case_label { LABEL_NONE, LABEL_FAIL, LABEL_PASS };

static enum case_label read_label(const struct json *value) {
    if (json_is(value, JSON_TRUE)) return LABEL_PASS;
    if (json_is(value, JSON_FALSE)) return LABEL_FAIL;
    if (json_is(value, JSON_STRING) && text_is(value->text, "pass")) return LABEL_PASS;
    if (json_is(value, JSON_STRING) && text_is(value->text, "fail")) return LABEL_FAIL;
    return LABEL_NONE;
}

/* The case's field `label`: true, false, or one of these for each grader by its name. */
static enum case_label label_of(struct columns *columns, const struct item *item,
                                gramc_text grader) {
    for (size_t i = 0; i < item->input_count; i++) {
        if (!text_is(item->inputs[i].name, "label")) continue;
        gramc_text text = item->inputs[i].value;
        if (text_is(text, "pass")) return LABEL_PASS;
        if (text_is(text, "fail")) return LABEL_FAIL;
        const struct json *value = json_parse(&columns->scratch, text, NULL);
        if (json_is(value, JSON_OBJECT)) value = json_get_text(value, grader);
        return read_label(value);
    }
    return LABEL_NONE;
}

static struct agreement *agreement_of(struct analysis *out, gramc_text grader) {
    for (size_t i = 0; i < out->agreement_count; i++)
        if (text_eq(out->agreements[i].grader, grader)) return &out->agreements[i];
    struct agreement *made = &out->agreements[out->agreement_count++];
    *made = (struct agreement){.grader = grader};
    return made;
}

void analyse_agreement(struct columns *columns, const struct attempt *attempt) {
    struct analysis *out = columns->out;
    const struct analysis_input *input = columns->input;
    const struct item *item = &input->plan->cases->items[attempt->cell.item];
    for (size_t i = 0; i < input->grader_count && i < attempt->score_count; i++) {
        if (!input->graders[i].is_judge || attempt->scores[i].missing) continue;
        enum case_label label = label_of(columns, item, input->graders[i].name);
        scratch_done(columns);
        if (label == LABEL_NONE) continue;
        if (!out->agreements)
            out->agreements =
                arena_array(&out->arena, input->grader_count, sizeof *out->agreements);
        if (!out->agreements) return;
        struct agreement *agreement = agreement_of(out, input->graders[i].name);
        bool judge = attempt->scores[i].pass, wanted = label == LABEL_PASS;
        agreement->both += judge && wanted;
        agreement->only_judge += judge && !wanted;
        agreement->only_label += wanted && !judge;
        agreement->neither += !judge && !wanted;
    }
}

/* Cohen's kappa (1960): agreement beyond what the shares alone would give. */
static double kappa_of(const struct agreement *of, double total) {
    double judged = (double)(of->both + of->only_judge) / total;
    double labelled = (double)(of->both + of->only_label) / total;
    double chance = judged * labelled + (1 - judged) * (1 - labelled);
    return chance < 1 ? (of->share.value - chance) / (1 - chance) : (double)NAN;
}

void analyse_agreement_end(struct columns *columns) {
    struct analysis *out = columns->out;
    for (size_t i = 0; i < out->agreement_count; i++) {
        struct agreement *of = &out->agreements[i];
        uint64_t equal = of->both + of->neither;
        uint64_t total = equal + of->only_judge + of->only_label;
        of->share = (struct measure){(double)equal / (double)total,
                                     stat_wilson(equal, total, 1 - out->alpha)};
        of->kappa = kappa_of(of, (double)total);
    }
}
