/* What makes the answer of an experiment doubtful, as sentences that every report shows: cells that
 * are missing, and more of them in one arm; an arm that gains by running first; a model that
 * changed under way; nothing that was judged. */
#include "experiment/analyse_parts.h"

#include "base/text.h"
#include "experiment/day.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME(text) (int)((text).len > 60 ? 60 : (text).len), (text).ptr

static void attrition_of(struct analysis *out, struct attrition *attrition, size_t arm) {
    *attrition = (struct attrition){.arm = arm};
    for (size_t i = 0; i < out->items; i++) {
        bool first = out->cases[i].arms[0].missing > 0, other = out->cases[i].arms[arm].missing > 0;
        attrition->only_first += first && !other;
        attrition->only_arm += other && !first;
    }
    attrition->p = stat_attrition(attrition->only_first, attrition->only_arm);
    if (attrition->p < STAT_ALARM)
        analysis_warn(out,
                      "runs are missing in %" PRIu64 " cases of %.*s alone and %" PRIu64
                      " of %.*s alone (p = %.2g): what is compared is no longer the same",
                      attrition->only_arm, NAME(out->arms[arm].name), attrition->only_first,
                      NAME(out->arms[0].name), attrition->p);
}

static void attritions(struct analysis *out) {
    out->attritions = arena_array(&out->arena, out->arm_count, sizeof *out->attritions);
    if (!out->attritions) return;
    for (size_t arm = 1; arm < out->arm_count; arm++)
        attrition_of(out, &out->attritions[arm - 1], arm);
}

/* A sign test over items: did the arm that ran first in a repeat tend to have the higher value? */
static void count_precedences(struct columns *columns) {
    struct analysis *out = columns->out;
    for (size_t k = 0; k < 2; k++) {
        struct precedence *of = &out->precedences[out->precedence_count++];
        *of = (struct precedence){.metric = k ? TEXT("latency") : out->metrics[0].name};
        for (size_t i = 0; i < out->items; i++) {
            if (out->cases[i].arms[0].done < out->repeats) continue;
            of->higher += columns->ahead[k][i] > 0;
            of->lower += columns->ahead[k][i] < 0;
        }
    }
}

/* Those of experiments that are over were counted before. */
static void precedences(struct columns *columns) {
    struct analysis *out = columns->out;
    if (columns->ahead[0]) count_precedences(columns);
    for (size_t k = 0; k < out->precedence_count; k++) {
        struct precedence *of = &out->precedences[k];
        of->p = stat_mcnemar_exact(of->higher, of->lower);
        if (of->p < STAT_ALARM)
            analysis_warn(out,
                          "%.*s depends on which arm runs first (higher in %" PRIu64
                          " cases, lower in %" PRIu64 ", p = %.2g); the random order cancels it in "
                          "the mean",
                          NAME(of->metric), of->higher, of->lower, of->p);
    }
}

static void changed(struct analysis *out, const struct arm_result *arm,
                    const struct variants *variants, const char *what) {
    if (variants->count + (variants->others > 0) < 2) return;
    analysis_warn(
        out, "answers of %.*s came from %zu%s %s: %.*s (%" PRIu64 " runs), %.*s (%" PRIu64 ")%s",
        NAME(arm->name), variants->count, variants->others ? " or more" : "", what,
        NAME(variants->list[0].name), variants->list[0].cells, NAME(variants->list[1].name),
        variants->list[1].cells, variants->count > 2 ? ", ..." : "");
}

static void models(struct analysis *out) {
    for (size_t i = 0; i < out->arm_count; i++) {
        const struct arm_result *arm = &out->arms[i];
        changed(out, arm, &arm->models, "models");
        changed(out, arm, &arm->systems, "system fingerprints");
        const struct arm_result *first = &out->arms[0];
        if (i && arm->models.count == 1 && first->models.count == 1 &&
            text_eq(arm->model, first->model) &&
            !text_eq(arm->models.list[0].name, first->models.list[0].name))
            analysis_warn(out, "%.*s was answered by %.*s, %.*s by %.*s", NAME(first->name),
                          NAME(first->models.list[0].name), NAME(arm->name),
                          NAME(arm->models.list[0].name));
    }
}

static void clusters(const struct columns *columns) {
    struct analysis *out = columns->out;
    if (!columns->cluster || out->arm_count < 2) return;
    const struct arm_comparison *primary = analysis_comparison(out, 1, 0);
    if (!primary->reason && primary->clusters < 10)
        analysis_warn(out, "only %zu clusters: intervals of fewer than 10 are too short",
                      primary->clusters);
}

const char *analysis_recorded(const struct analysis *analysis, char room[RECORDED_ROOM]) {
    char first[DAY_ROOM], last[DAY_ROOM];
    if (!day_spell(first, analysis->recorded_first_ms) ||
        !day_spell(last, analysis->recorded_last_ms))
        return "on days that are not known";
    if (strcmp(first, last) == 0) snprintf(room, RECORDED_ROOM, "on %s", first);
    else snprintf(room, RECORDED_ROOM, "between %s and %s", first, last);
    return room;
}

static void coverage(struct analysis *out) {
    if (!out->grader_count)
        analysis_warn(out, "no grader judged anything: nothing can be said about success");
    if (out->items_run && out->items_lacking > out->max_missing * out->items_run)
        analysis_warn(out,
                      "%" PRIu32 " of %" PRIu32 " cases lack a run: more than the share of %g that "
                      "the experiment allows",
                      out->items_lacking, out->items_run, out->max_missing);
    if (!out->complete && !out->sequential)
        analysis_warn(out,
                      "%" PRIu64 " of %" PRIu64 " runs were not made, and the number of cases was "
                      "fixed: no test is valid before they are, and there is no verdict",
                      out->todo + out->skipped, out->cells);
    if (out->compared < out->comparable)
        analysis_warn(out,
                      "%" PRIu64 " of %" PRIu64 " comparisons of two answers were not made, or a "
                      "judge did not judge: they count for nobody",
                      out->comparable - out->compared, out->comparable);
    char day[RECORDED_ROOM];
    if (out->replayed)
        analysis_warn(out,
                      "replay: %" PRIu64 " of %" PRIu64 " calls of models, in %" PRIu64
                      " of %" PRIu64
                      " runs, were recorded %s; this says nothing about what a model would answer "
                      "today",
                      out->model_calls_replayed, out->model_calls, out->replayed,
                      out->done + out->missing, analysis_recorded(out, day));
    if (out->historical)
        analysis_warn(out, "historical control: the arms did not run at the same time, so that "
                           "whatever changed between counts as a difference");
}

/* ## Online */

/* The arms' shares are drawn: what is too far from them was not left to chance. */
static void ratio(struct analysis *out) {
    const struct online_result *online = out->online;
    if (!online->is_mismatched) return;
    for (size_t i = 0; i < out->arm_count; i++)
        analysis_warn(out,
                      "sample ratio: %.*s got %" PRIu64 " of %" PRIu32
                      " units, where %.1f were to be "
                      "expected (p = %.2g): something keeps units of one arm from being recorded, "
                      "or sends more, and there is no verdict until it is found",
                      NAME(out->arms[i].name), online->units[i], online->seen,
                      online->shares[i] * online->seen, online->ratio.p);
}

static void online_ends(struct analysis *out) {
    const struct online_result *online = out->online;
    if (online->unended)
        analysis_warn(out,
                      "%" PRIu64 " messages have no end yet: they are under way, or their process "
                      "is gone; %s",
                      online->unended,
                      out->sequential ? "what came after them is not looked at"
                                      : "they count as failures");
    if (online->crashed)
        analysis_warn(out,
                      "%" PRIu64 " messages were under way when a server died: they count as "
                      "failures of their arms",
                      online->crashed);
    if (online->unjudged)
        analysis_warn(out,
                      "%" PRIu64 " messages were not judged, or not yet, and are left out of what "
                      "their units passed",
                      online->unjudged);
}

/* Who says something is not a random unit of the arm. */
static void feedback(struct analysis *out) {
    const struct online_result *online = out->online;
    for (size_t i = 1; i < out->arm_count; i++) {
        struct stat_chi_square alike = stat_rates_chi_square(online->told[i], online->analysed[i],
                                                             online->told[0], online->analysed[0]);
        if (alike.p < STAT_ALARM)
            analysis_warn(out,
                          "feedback came from %" PRIu64 " units of %.*s and %" PRIu64
                          " of %.*s: too unlike (p = %.2g) for it to be compared",
                          online->told[i], NAME(out->arms[i].name), online->told[0],
                          NAME(out->arms[0].name), alike.p);
    }
}

/* In place of coverage. */
static void soundness_online(struct analysis *out) {
    const struct online_result *online = out->online;
    ratio(out);
    if (!out->complete && !out->sequential)
        analysis_warn(out,
                      "%" PRIu32 " of %" PRIu32 " planned units: intervals for a fixed number of "
                      "units are not valid before they have come, and there is no verdict",
                      online->seen, online->planned);
    if (online->seen > online->planned)
        analysis_warn(out,
                      "%" PRIu32 " units came after the %" PRIu32 " that were planned, and are not "
                      "analysed",
                      online->seen - online->planned, online->planned);
    if (!out->grader_count && out->metrics[0].kind == METRIC_PASS)
        analysis_warn(out, "no grader judged anything: nothing can be said about success");
    online_ends(out);
    feedback(out);
}

/* What an experiment varies may be more than it seems: the effect is of all of it together. */
static void differences(struct columns *columns) {
    const gramc_text *told = columns->input ? columns->input->differences : NULL;
    struct analysis *out = columns->out;
    for (size_t i = 1; told && i < out->arm_count; i++)
        if (told[i].len)
            analysis_warn(
                out,
                "what the model sees in %.*s differs from %.*s, as the experiment allows: %.*s",
                NAME(out->arms[i].name), NAME(out->arms[0].name),
                (int)(told[i].len > 300 ? 300 : told[i].len), told[i].ptr);
}

void analyse_soundness(struct columns *columns) {
    struct analysis *out = columns->out;
    differences(columns);
    if (out->online) soundness_online(out);
    else coverage(out);
    attritions(out);
    precedences(columns);
    models(out);
    clusters(columns);
}
