/* Compares what a run took with the bounds of a grader. */
#include "base/text.h"
#include "experiment/grading.h"

static double latency_ms(const struct attempt *attempt) {
    return (double)attempt->wall_us / 1000;
}

/* False: it is not known. */
static bool measure(gramc_text metric, const struct graded_run *run, double *out) {
    const struct attempt *a = run->attempt;
    const struct {
        const char *name;
        double value;
        bool known;
    } all[] = {{"cost", a->cost, a->has_cost},
               {"latency", latency_ms(a), !run->recorded || a->wall_us},
               {"tokens", (double)(a->prompt_tokens + a->completion_tokens), a->has_tokens},
               {"requests", a->requests, !run->recorded},
               {"calls", a->calls, true},
               {"callErrors", a->call_errors, !run->recorded},
               {"toolErrors", a->tool_errors, !run->recorded}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!text_is(metric, all[i].name)) continue;
        *out = all[i].value;
        return all[i].known;
    }
    return false;
}

void judge_metric(struct ruling *verdict, const struct compiled_grader *grader,
                  const struct graded_run *run) {
    gramc_text metric = grader->says->metric;
    const char *unit = text_is(metric, "latency") ? " ms" : "";
    double value = 0;
    if (!measure(metric, run, &value)) {
        verdict_miss(verdict, "%.*s is not known of this run", TEXT_ARGS(metric));
        return;
    }
    bool low = grader->has_min && value < grader->min,
         high = grader->has_max && value > grader->max;
    verdict->pass = !low && !high;
    verdict->value = verdict->pass ? 1 : 0;
    if (low)
        verdict_fail(verdict, "%.*s is %g%s, wanted %g%s or more", TEXT_ARGS(metric), value, unit,
                     grader->min, unit);
    if (high)
        verdict_fail(verdict, "%.*s is %g%s, wanted %g%s or less", TEXT_ARGS(metric), value, unit,
                     grader->max, unit);
}
