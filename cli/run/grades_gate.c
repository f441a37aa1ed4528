/* Compares what was graded with the bounds of --min, in the words that experiments have for it. */
#include "cli/run/grades.h"

#include "base/text.h"
#include "experiment/stat/stat.h"

#include <math.h>
#include <string.h>

static const double confidence = 0.95;

static int refuse(struct cli *cli, const char *text, const struct gate_error *error) {
    fprintf(cli->err, "gramc: --min %s\n", text);
    fprintf(cli->err, "            %*s^ %s\n", (int)error->position, "", error->message);
    return EXIT_USAGE;
}

/* ## What is compared */

enum { OF_PASS = -1, OF_SCORE = -2, OF_NOTHING = -3 };

/* A grader's index, or one of those above. */
static int find_metric(const struct grades *grades, gramc_text metric) {
    if (text_is(metric, "pass") || text_is(metric, "success")) return OF_PASS;
    if (text_is(metric, "score")) return OF_SCORE;
    for (size_t i = 0; i < grading_count(grades->grading); i++)
        if (text_eq(grading_name(grades->grading, i), metric)) return (int)i;
    return OF_NOTHING;
}

/* False: it could not be judged. */
static bool value_of(const struct graded_answer *answer, int metric, double *out) {
    bool missing = metric == OF_PASS    ? answer->missing
                   : metric == OF_SCORE ? answer->score_missing
                                        : answer->scores[metric].missing;
    *out = metric == OF_PASS    ? (answer->pass ? 1 : 0)
           : metric == OF_SCORE ? answer->score
                                : answer->scores[metric].value;
    return !missing;
}

/* An end of the interval: Wilson's where all values are 0 or 1, else that of the mean. */
static double end_of(const double *values, size_t count, double mean, enum gate_end end) {
    uint64_t ones = 0;
    bool binary = true;
    for (size_t i = 0; i < count; i++) {
        ones += values[i] >= 1;
        binary = binary && (values[i] <= 0 || values[i] >= 1);
    }
    if (end == GATE_POINT) return mean;
    struct stat_interval interval = binary ? stat_wilson(ones, count, confidence)
                                           : stat_paired_t(values, count, confidence).interval;
    return end == GATE_LOWER ? interval.low : interval.high;
}

static double look(const struct grades *grades, struct arena *arena, size_t arm, int metric,
                   enum gate_end end) {
    double *values = arena_array(arena, grades->count, sizeof *values), sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < grades->count && values; i++)
        if (grades->answers[i].arm == arm && value_of(&grades->answers[i], metric, &values[count]))
            sum += values[count++];
    return count ? end_of(values, count, sum / (double)count, end) : (double)NAN;
}

/* ## One gate a time */

static int judge(const struct grades *grades, struct arena *arena, const struct gate_rule *rule,
                 struct grade_gates *out) {
    struct cli *cli = grades->study->cli;
    size_t arms = grades->study->experiment->arm_count + 1, before = out->count;
    int metric = find_metric(grades, rule->whole);
    if (metric == OF_NOTHING || rule->quantity != GATE_MEAN)
        return cli_usage(cli,
                         "--min %.*s: graded answers have pass, score, and the scores of graders",
                         TEXT_ARGS(rule->source));
    for (size_t arm = 0; arm < arms; arm++) {
        gramc_text name = grades_arm_name(grades, arm);
        if (!grades_has_arm(grades, arm) || (rule->arm.len && !text_eq(rule->arm, name))) continue;
        double seen = look(grades, arena, arm, metric, rule->end);
        out->list[out->count++] = (struct grade_gate){*rule, seen >= rule->value, seen, name};
    }
    if (out->count > before) return EXIT_FINE;
    return cli_usage(cli, "--min %.*s: no answer is of that arm", TEXT_ARGS(rule->source));
}

int grades_gate(const struct grades *grades, struct arena *arena, struct grade_gates *out) {
    struct cli *cli = grades->study->cli;
    size_t room = cli->given_count * (grades->study->experiment->arm_count + 1);
    int code = EXIT_FINE;
    out->count = 0;
    out->list = arena_array(arena, room, sizeof *out->list);
    if (!out->list) return cli_no_memory(cli);
    for (size_t i = 0; i < cli->given_count && code == EXIT_FINE; i++) {
        struct gate_error error;
        struct gate_rule rule;
        if (cli->given[i].id != OPTION_MIN) continue;
        const char *text = cli->given[i].value;
        if (gate_parse(&rule, GATE_MIN, text_of(text), &error) != GRAMC_OK)
            return refuse(cli, text, &error);
        code = judge(grades, arena, &rule, out);
    }
    return arena->oom ? cli_no_memory(cli) : code;
}
