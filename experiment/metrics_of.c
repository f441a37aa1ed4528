/* Which metrics an experiment has, and in which role: its graders' scores beside what every run
 * takes. And what of one attempt each of them is: where a judge could not judge, nothing, and
 * where the arm failed by itself, 0. */
#include "experiment/analyse_parts.h"

#include "base/text.h"

#include <math.h>

static void add(struct analysis *out, struct metric metric) {
    out->metrics[out->metric_count++] = metric;
}

static struct metric of_grader(const struct analysis_grader *grader, size_t i) {
    return (struct metric){.name = grader->name,
                           .kind = grader->is_preference ? METRIC_PREFERENCE : METRIC_GRADER,
                           .scale = SCALE_SHARE,
                           .role = ROLE_EXPLORATORY,
                           .higher_is_better = true,
                           .unit = "",
                           .grader = i};
}

/* A number from 0 to 1 that is better the higher it is. */
static struct metric share_called(gramc_text name, enum metric_kind kind) {
    return (struct metric){.name = name,
                           .kind = kind,
                           .scale = SCALE_SHARE,
                           .role = ROLE_EXPLORATORY,
                           .higher_is_better = true,
                           .unit = ""};
}

static bool is_called(const struct metric *metric, gramc_text name) {
    return text_eq(metric->name, name) || (metric->kind == METRIC_PASS && text_is(name, "success"));
}

/* Moves the metric of that name to `place`, those between one further. */
static bool promote(struct analysis *out, size_t place, gramc_text name, enum metric_role role) {
    size_t at = place;
    while (at < out->metric_count && !is_called(&out->metrics[at], name)) at++;
    if (at == out->metric_count) return false;
    struct metric found = out->metrics[at];
    found.role = role;
    for (; at > place; at--) out->metrics[at] = out->metrics[at - 1];
    out->metrics[place] = found;
    return true;
}

gramc_status metrics_choose(struct analysis *out, const struct analysis_input *input) {
    const gramc_experiment *experiment = input->plan->experiment;
    size_t room = input->grader_count + 2;
    while (metric_builtin(room - input->grader_count - 2)) room++;
    out->metrics = arena_array(&out->arena, room, sizeof *out->metrics);
    if (!out->metrics) return GRAMC_NOMEM;
    const struct metric *builtin;
    for (size_t i = 0; (builtin = metric_builtin(i)) != NULL; i++) {
        add(out, *builtin);
        if (i) continue;
        for (size_t k = 0; k < input->grader_count; k++) add(out, of_grader(&input->graders[k], k));
        add(out, share_called(TEXT("score"), METRIC_SCORE));
        if (input->online) add(out, share_called(TEXT("feedback"), METRIC_FEEDBACK));
    }
    gramc_text primary = experiment->metric.len ? experiment->metric : TEXT("pass");
    if (!promote(out, 0, primary, ROLE_PRIMARY)) return GRAMC_FINDINGS;
    for (size_t i = 0; i < experiment->guardrail_count; i++)
        if (!promote(out, 1 + i, experiment->guardrails[i], ROLE_GUARDRAIL)) return GRAMC_FINDINGS;
    out->guardrail_count = experiment->guardrail_count;
    return GRAMC_OK;
}

/* A run that ended by the arm's own fault was maybe not graded at all: that is worth 0. */
static double graded(const struct attempt *attempt, size_t grader) {
    if (grader >= attempt->score_count) return attempt->fault == FAULT_ARM ? 0.0 : (double)NAN;
    const struct score *score = &attempt->scores[grader];
    return score->missing ? (double)NAN : score->value;
}

/* NaN where no grader is required: to pass would mean nothing. */
static double passed(const struct analysis_input *input, const struct attempt *attempt) {
    double all = (double)NAN;
    for (size_t i = 0; i < input->grader_count; i++) {
        const struct analysis_grader *grader = &input->graders[i];
        if (!grader->required || grader->is_preference) continue;
        if (attempt->fault == FAULT_ARM) return 0;
        if (i >= attempt->score_count || attempt->scores[i].missing) return (double)NAN;
        if (!attempt->scores[i].pass) all = 0;
        else if (isnan(all)) all = 1;
    }
    return all;
}

static double weighted(const struct analysis_input *input, const struct attempt *attempt) {
    double sum = 0, weights = 0;
    for (size_t i = 0; i < input->grader_count; i++) {
        const struct analysis_grader *grader = &input->graders[i];
        if (grader->is_preference || grader->weight <= 0) continue;
        sum += grader->weight * graded(attempt, i);
        weights += grader->weight;
    }
    return weights > 0 ? sum / weights : (double)NAN;
}

double metrics_value(const struct metric *metric, const struct analysis_input *input,
                     const struct attempt *attempt) {
    switch (metric->kind) {
    case METRIC_PASS: return passed(input, attempt);
    case METRIC_SCORE: return weighted(input, attempt);
    case METRIC_GRADER: return graded(attempt, metric->grader);
    case METRIC_PREFERENCE: return attempt->cell.arm == 0 ? 0.5 : graded(attempt, metric->grader);
    default: return metric_value(metric->kind, attempt);
    }
}
