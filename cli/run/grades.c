/* Has answers graded, a few at a time, and sums up what was said of them. */
#include "cli/run/grades.h"

#include "base/text.h"

#include <string.h>

enum { AT_A_TIME = 8 };

/* ## Judging */

struct grading_run {
    struct grades *grades;
    size_t next, open;
    bool starting; /* answers that are graded at once do not start the next one themselves */
    gramc_status status;
};

struct grading_slot {
    struct grading_run *run;
    struct graded_answer *answer;
};

static void start_next(struct grading_run *run);

static void keep_scores(struct grades *grades, struct graded_answer *answer,
                        const struct score *scores, size_t count) {
    struct score *kept = arena_array(&grades->arena, count, sizeof *kept);
    for (size_t i = 0; i < count && kept; i++) {
        if (grading_without_memory(&scores[i])) grades->arena.oom = true;
        kept[i] = scores[i];
        kept[i].reason = arena_text(&grades->arena, scores[i].reason);
    }
    if (!kept) return;
    answer->scores = kept;
    answer->pass = grading_pass(grades->grading, kept, &answer->missing);
    answer->score = grading_score(grades->grading, kept, &answer->score_missing);
}

static void on_graded(void *ctx, const struct score *scores, size_t count, double cost) {
    struct grading_slot *slot = ctx;
    struct grading_run *run = slot->run;
    keep_scores(run->grades, slot->answer, scores, count);
    run->grades->judge_cost += cost;
    run->open--;
    if (!run->starting) start_next(run);
}

static void start_one(struct grading_run *run) {
    struct grades *grades = run->grades;
    struct graded_answer *answer = &grades->answers[run->next++];
    struct grading_slot *slot = ARENA_NEW(&grades->arena, struct grading_slot);
    struct grading_job *job;
    if (!slot) {
        run->status = GRAMC_NOMEM;
        return;
    }
    *slot = (struct grading_slot){run, answer};
    run->open++;
    run->status = grading_start(&job, grades->grading, &answer->run, on_graded, slot);
    if (run->status != GRAMC_OK) run->open--;
}

static void start_next(struct grading_run *run) {
    run->starting = true;
    while (run->status == GRAMC_OK && run->open < AT_A_TIME && run->next < run->grades->count)
        start_one(run);
    run->starting = false;
}

int grades_judge(struct grades *grades, gramc_loop *loop) {
    struct cli *cli = grades->study->cli;
    struct grading_run run = {.grades = grades, .status = GRAMC_OK};
    struct interrupt *interrupt = interrupt_start(cli, loop);
    start_next(&run);
    gramc_status status = gramc_loop_run(loop);
    bool interrupted = interrupt_stop(cli, interrupt);
    if (run.status != GRAMC_OK) status = run.status;
    if (grades->arena.oom) status = GRAMC_NOMEM;
    return interrupted ? EXIT_INTERRUPTED : cli_status(cli, status);
}

/* ## Sums */

static bool is_of(const struct graded_answer *answer, size_t arm) {
    return answer->arm == arm;
}

struct grade_sum grades_sum(const struct grades *grades, size_t arm, size_t grader) {
    struct grade_sum sum = {.count = 0};
    for (size_t i = 0; i < grades->count; i++) {
        if (!is_of(&grades->answers[i], arm)) continue;
        const struct score *score = &grades->answers[i].scores[grader];
        sum.count++;
        sum.missing += score->missing;
        sum.passed += score->pass;
        sum.scored += !score->missing;
        sum.score += score->missing ? 0 : score->value;
    }
    if (sum.scored) sum.score /= (double)sum.scored;
    return sum;
}

struct grade_sum grades_sum_all(const struct grades *grades, size_t arm) {
    struct grade_sum sum = {.count = 0};
    for (size_t i = 0; i < grades->count; i++) {
        const struct graded_answer *answer = &grades->answers[i];
        if (!is_of(answer, arm)) continue;
        sum.count++;
        sum.missing += answer->missing;
        sum.passed += answer->pass;
        if (answer->score_missing) continue;
        sum.score += answer->score;
        sum.scored++;
    }
    if (sum.scored) sum.score /= (double)sum.scored;
    return sum;
}

bool grades_has_arm(const struct grades *grades, size_t arm) {
    size_t i = 0;
    while (i < grades->count && !is_of(&grades->answers[i], arm)) i++;
    return i < grades->count;
}

gramc_text grades_arm_name(const struct grades *grades, size_t arm) {
    const gramc_experiment *experiment = grades->study->experiment;
    return arm < experiment->arm_count ? experiment->arms[arm].name : TEXT("answers");
}

bool grades_answers_case(const struct grades *grades, size_t arm, const struct item *item) {
    const struct cases *cases = &grades->study->cases;
    return grades->answered[arm * cases->count + (size_t)(item - cases->items)];
}

size_t grades_unanswered(const struct grades *grades, size_t arm) {
    const struct cases *cases = &grades->study->cases;
    size_t count = cases->count;
    for (size_t i = 0; i < cases->count; i++)
        count -= grades_answers_case(grades, arm, &cases->items[i]);
    return count;
}
