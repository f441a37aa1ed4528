/* From the attempts of an experiment to what it found: collects, summarises each arm, compares each
 * with the first, and looks for what makes the answer doubtful. Each step is a file of its own;
 * here is their order. */
#include "experiment/analyse_parts.h"

#include <math.h>
#include <stdio.h>

enum { WARNINGS_MAX = 64, WARNING_BYTES = 400 };

const char *test_name(enum test_kind kind) {
    static const char *const names[] = {"mcnemar-mid-p", "mcnemar-exact", "t",         "sign-flip",
                                        "wilcoxon",      "welch-t",       "chi-square"};
    return names[kind];
}

void analysis_warn(struct analysis *analysis, const char *format, ...) {
    struct arena *arena = &analysis->arena;
    if (!analysis->warnings)
        analysis->warnings = arena_array(arena, WARNINGS_MAX, sizeof *analysis->warnings);
    if (!analysis->warnings || analysis->warning_count == WARNINGS_MAX) return;
    char sentence[WARNING_BYTES];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (len < 0) return;
    size_t kept = (size_t)len < sizeof sentence ? (size_t)len : sizeof sentence - 1;
    while (kept > 0 && kept == sizeof sentence - 1 &&
           ((unsigned char)sentence[kept] & 0xC0) == 0x80)
        kept--;
    analysis->warnings[analysis->warning_count++] = arena_text(arena, (gramc_text){sentence, kept});
}

const struct arm_comparison *analysis_comparison(const struct analysis *analysis, size_t arm,
                                                 size_t metric) {
    return &analysis->comparisons[(arm - 1) * analysis->metric_count + metric];
}

size_t analysis_metric(const struct analysis *analysis, enum metric_kind kind) {
    size_t i = 0;
    while (i + 1 < analysis->metric_count && analysis->metrics[i].kind != kind) i++;
    return i;
}

enum case_change case_change_of(const struct analysis *analysis, const struct case_result *result,
                                size_t arm) {
    const struct case_arm *before = &result->arms[0], *after = &result->arms[arm];
    uint32_t all = analysis->repeats;
    size_t pass = analysis_metric(analysis, METRIC_PASS);
    if (isnan(result->values[pass]) || isnan(result->values[arm * analysis->metric_count + pass]) ||
        before->passed == after->passed)
        return CASE_SAME;
    if (before->passed == all && after->passed == 0) return CASE_REGRESSED;
    if (before->passed == 0 && after->passed == all) return CASE_FIXED;
    return after->passed > before->passed ? CASE_BETTER : CASE_WORSE;
}

size_t analysis_changes(const struct analysis *analysis, size_t arm, enum case_change change) {
    size_t count = 0;
    for (size_t i = 0; i < analysis->items; i++)
        count += case_change_of(analysis, &analysis->cases[i], arm) == change;
    return count;
}

uint64_t analysis_seed(const struct analysis *analysis, size_t arm, size_t metric) {
    uint64_t state = analysis->seed + arm * 1000 + metric;
    return stat_splitmix64(&state);
}

gramc_status analyse_columns(struct columns *columns) {
    static void (*const steps[])(struct columns *) = {analyse_arms, compare_arms, analyse_slices,
                                                      analyse_agreement_end, analyse_soundness};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        steps[i](columns);
        scratch_done(columns);
        if (columns->out->arena.oom) return GRAMC_NOMEM;
    }
    return GRAMC_OK;
}

gramc_status analyse(struct analysis *out, const struct analysis_input *input,
                     const gramc_allocator *allocator) {
    *out = (struct analysis){.name = {NULL, 0}};
    arena_init(&out->arena, allocator);
    struct columns columns = {.out = out, .input = input};
    arena_init(&columns.scratch, allocator);
    gramc_status status = input->online ? collect_online(&columns) : collect_plan(&columns);
    if (status == GRAMC_OK && !input->online) status = collect_attempts(&columns);
    if (status == GRAMC_OK) status = analyse_columns(&columns);
    if (status == GRAMC_OK && !input->online) status = collect_transcripts(&columns);
    arena_free(&columns.scratch);
    if (status != GRAMC_OK) analysis_free(out);
    return status;
}

void analysis_free(struct analysis *analysis) {
    arena_free(&analysis->arena);
}
