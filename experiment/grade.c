/* Compiles the graders of an experiment, and judges a run with all of them: those that look are
 * done at once, programs and models work beside one another until the last one has judged. */
#include "experiment/grade.h"

#include "base/number.h"
#include "base/text.h"
#include "experiment/grade_judge.h"
#include "experiment/grading.h"

/* ## Compiling */

static void read_number(gramc_text digits, double *out, bool *has) {
    *has = digits.len > 0 && number_to_double(out, digits);
}

static gramc_status compile_type(struct compiled_grader *grader, const struct grading *grading) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_text type = grader->says->type;
    if (!type.len) return GRAMC_OK;
    options.allocator = &grading->allocator;
    options.assert_formats = true;
    return gramc_schema_compile(&grader->type, type.ptr, type.len, &options, NULL);
}

static gramc_status compile(struct grading *grading, struct compiled_grader *grader,
                            const gramc_grader *says, char why[256]) {
    bool has;
    *grader = (struct compiled_grader){.says = says, .weight = 1};
    read_number(says->threshold, &grader->threshold, &grader->has_threshold);
    read_number(says->min, &grader->min, &grader->has_min);
    read_number(says->max, &grader->max, &grader->has_max);
    read_number(says->weight, &grader->weight, &has);
    if (!has) grader->weight = 1;
    switch (says->kind) {
    case GRAMC_GRADER_CHECKS:
        grader->checks = json_parse(&grading->arena, says->checks, NULL);
        if (!grader->checks) return GRAMC_NOMEM;
        return compile_type(grader, grading);
    case GRAMC_GRADER_RUBRIC:
    case GRAMC_GRADER_PREFER: return judge_new(&grader->judge, says, &grading->options, why);
    case GRAMC_GRADER_EXEC:
    case GRAMC_GRADER_METRIC: break;
    }
    return GRAMC_OK;
}

static bool any_expects(const struct cases *cases) {
    for (size_t i = 0; cases && i < cases->count; i++)
        if (cases->items[i].expect) return true;
    return false;
}

static gramc_status compile_all(struct grading *grading, const struct cases *cases, char why[256]) {
    const gramc_experiment *experiment = grading->experiment;
    grading->expects = any_expects(cases);
    size_t room = experiment->grader_count + 1;
    grading->graders = arena_array(&grading->arena, room, sizeof *grading->graders);
    if (!grading->graders) return GRAMC_NOMEM;
    for (size_t i = 0; i < experiment->grader_count; i++) {
        gramc_status status =
            compile(grading, &grading->graders[grading->count++], &experiment->graders[i], why);
        if (status != GRAMC_OK) return status;
    }
    if (grading->expects)
        grading->graders[grading->count++] = (struct compiled_grader){.weight = 1};
    return GRAMC_OK;
}

gramc_status grading_new(struct grading **out, const gramc_experiment *experiment,
                         const struct cases *cases, const struct grading_options *options,
                         char why[256]) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct grading *grading = mem_alloc(&allocator, sizeof *grading);
    *out = NULL;
    why[0] = '\0';
    if (!grading) return GRAMC_NOMEM;
    *grading =
        (struct grading){.allocator = allocator, .experiment = experiment, .options = *options};
    arena_init(&grading->arena, &allocator);
    gramc_status status = compile_all(grading, cases, why);
    if (status == GRAMC_OK) *out = grading;
    else grading_free(grading);
    return status;
}

void grading_free(struct grading *grading) {
    if (!grading) return;
    for (size_t i = 0; i < grading->count; i++) {
        gramc_schema_free(grading->graders[i].type);
        judge_free(grading->graders[i].judge);
    }
    arena_free(&grading->arena);
    mem_free(&grading->allocator, grading, sizeof *grading);
}

/* ## Asking about them */

size_t grading_count(const struct grading *grading) {
    return grading->count;
}

gramc_text grading_name(const struct grading *grading, size_t i) {
    return grading->graders[i].says ? grading->graders[i].says->name : TEXT("expect");
}

bool grading_is_preference(const struct grading *grading, size_t i) {
    const gramc_grader *says = grading->graders[i].says;
    return says && says->kind == GRAMC_GRADER_PREFER;
}

bool grading_required(const struct grading *grading, size_t i) {
    const gramc_grader *says = grading->graders[i].says;
    return (!says || says->required) && !grading_is_preference(grading, i);
}

bool grading_pass(const struct grading *grading, const struct score *scores, bool *missing) {
    bool pass = true;
    *missing = false;
    for (size_t i = 0; i < grading->count; i++) {
        if (!grading_required(grading, i)) continue;
        *missing = *missing || scores[i].missing;
        pass = pass && scores[i].pass;
    }
    return pass && !*missing;
}

double grading_score(const struct grading *grading, const struct score *scores, bool *missing) {
    double sum = 0, weights = 0;
    *missing = false;
    for (size_t i = 0; i < grading->count; i++) {
        if (grading_is_preference(grading, i)) continue;
        *missing = *missing || scores[i].missing;
        sum += grading->graders[i].weight * scores[i].value;
        weights += grading->graders[i].weight;
    }
    if (weights <= 0) *missing = true;
    return *missing ? 0 : sum / weights;
}

/* ## One job */

struct grading_job {
    const struct grading *grading;
    struct arena arena; /* of reasons */
    struct grading_part *parts;
    struct program_part **programs; /* NULL: none, or it has judged */
    struct judge_call **calls;
    struct score *scores;
    struct judge_tape *tape; /* of the run; NULL: none */
    size_t count, open;      /* parts that have not judged; one more while it starts */
    double cost;
    grading_done *done; /* NULL: canceled */
    void *ctx;
};

static void free_job(struct grading_job *job) {
    gramc_allocator allocator = job->grading->allocator;
    for (size_t i = 0; job->parts && i < job->count; i++) buf_free(&job->parts[i].said);
    arena_free(&job->arena);
    mem_free(&allocator, job, sizeof *job);
}

static void put_score(struct grading_job *job, size_t i) {
    const struct ruling *verdict = &job->parts[i].verdict;
    job->scores[i] = (struct score){.value = verdict->missing ? 0 : verdict->value,
                                    .pass = verdict->pass && !verdict->missing,
                                    .missing = verdict->missing,
                                    .reason = verdict->reason};
}

static const char no_memory[] = "out of memory";

bool grading_without_memory(const struct score *score) {
    return score->missing && score->reason.ptr == no_memory;
}

/* Without memory for a reason nothing was judged for sure. */
static void deliver(struct grading_job *job) {
    bool tapes = job->done && job->tape && job->tape->written;
    for (size_t i = 0; i < job->count; i++) {
        put_score(job, i);
        if (tapes) buf_text(job->tape->written, buf_view(&job->parts[i].said));
        if (job->arena.oom)
            job->scores[i] = (struct score){.missing = true, .reason = text_of(no_memory)};
    }
    if (job->done) job->done(job->ctx, job->scores, job->count, job->cost);
    free_job(job);
}

static void let_go(struct grading_job *job) {
    if (--job->open == 0) deliver(job);
}

void part_done(struct grading_part *part, double cost) {
    struct grading_job *job = part->job;
    job->programs[part->index] = NULL;
    job->calls[part->index] = NULL;
    job->cost += cost;
    let_go(job);
}

static struct grading_job *new_job(const struct grading *grading, size_t count, grading_done *done,
                                   void *ctx) {
    struct grading_job *job = mem_alloc(&grading->allocator, sizeof *job);
    if (!job) return NULL;
    *job = (struct grading_job){
        .grading = grading, .count = count, .open = 1, .done = done, .ctx = ctx};
    arena_init(&job->arena, &grading->allocator);
    job->parts = arena_zalloc(&job->arena, count * sizeof *job->parts);
    job->programs = arena_array(&job->arena, count, sizeof *job->programs);
    job->calls = arena_array(&job->arena, count, sizeof(struct judge_call *));
    job->scores = arena_array(&job->arena, count, sizeof *job->scores);
    for (size_t i = 0; i < count && !job->arena.oom; i++) {
        job->programs[i] = NULL;
        job->calls[i] = NULL;
        job->parts[i] = (struct grading_part){
            .job = job, .index = i, .verdict = {.arena = &job->arena, .pass = true, .value = 1}};
        buf_init(&job->parts[i].said, &grading->allocator, TRACE_SIZE_MAX);
    }
    if (!job->arena.oom) return job;
    free_job(job);
    return NULL;
}

/* ## Starting */

static void judge_checks(struct ruling *verdict, const struct grading *grading,
                         const struct compiled_grader *grader, const struct graded_run *run) {
    const struct json *object = fill_value(verdict->arena, grader->checks, run->item, false);
    if (!object || !judge_outcome(verdict, run)) return;
    judge_expectation(verdict, grading, run, object, grader->type);
    if (grader->has_threshold && !verdict->missing)
        verdict->pass = verdict->value >= grader->threshold;
}

/* A text alone: the answer contains it. A case that expects nothing passes. */
static void judge_expect(struct ruling *verdict, const struct grading *grading,
                         const struct graded_run *run) {
    const struct json *expect = run->item->expect;
    if (!judge_outcome(verdict, run) || !expect) return;
    if (expect->kind == JSON_OBJECT) {
        judge_expectation(verdict, grading, run, expect, NULL);
        return;
    }
    verdict->pass = check_contains(verdict, run, expect);
    verdict->value = verdict->pass ? 1 : 0;
}

static gramc_status start_one(struct grading_job *job, size_t i, const struct graded_run *run) {
    const struct compiled_grader *grader = &job->grading->graders[i];
    struct ruling *verdict = &job->parts[i].verdict;
    gramc_status status = GRAMC_OK;
    if (!grader->says) {
        judge_expect(verdict, job->grading, run);
        return GRAMC_OK;
    }
    switch (grader->says->kind) {
    case GRAMC_GRADER_CHECKS: judge_checks(verdict, job->grading, grader, run); break;
    case GRAMC_GRADER_METRIC: judge_metric(verdict, grader, run); break;
    case GRAMC_GRADER_PREFER: verdict->missing = true; break; /* grading_prefer */
    case GRAMC_GRADER_EXEC:
        if (!judge_outcome(verdict, run)) break;
        job->open++;
        status = program_start(&job->programs[i], &job->parts[i], job->grading, grader, run);
        job->open -= status != GRAMC_OK;
        break;
    case GRAMC_GRADER_RUBRIC:
        if (!judge_outcome(verdict, run)) break;
        job->open++;
        status = judge_start(&job->calls[i], &job->parts[i], job->grading, grader, run);
        job->open -= status != GRAMC_OK;
        break;
    }
    return status;
}

void grading_cancel(struct grading_job *job) {
    job->done = NULL;
    job->open++;
    for (size_t i = 0; i < job->count; i++) {
        struct program_part *program = job->programs[i];
        struct judge_call *call = job->calls[i];
        job->programs[i] = NULL;
        job->calls[i] = NULL;
        if (program) program_stop(program);
        if (call) judge_stop(call);
        if (program || call) job->open--;
    }
    let_go(job);
}

gramc_status grading_start(struct grading_job **out, const struct grading *grading,
                           const struct graded_run *run, grading_done *done, void *ctx) {
    struct grading_job *job = new_job(grading, grading->count, done, ctx);
    *out = NULL;
    if (!job) return GRAMC_NOMEM;
    job->tape = run->tape;
    for (size_t i = 0; i < job->count; i++) {
        gramc_status status = start_one(job, i, run);
        if (status == GRAMC_OK) continue;
        job->open--;
        grading_cancel(job);
        return status;
    }
    if (job->open > 1) *out = job;
    let_go(job);
    return GRAMC_OK;
}

static bool has_answered(const struct attempt *attempt) {
    return !attempt->outcome.len || text_is(attempt->outcome, "answered");
}

/* Who did not answer has not answered better; the judge need not be asked. */
static bool prefer_answered(struct ruling *verdict, const struct attempt *a,
                            const struct attempt *b) {
    bool first = has_answered(a), other = has_answered(b);
    if (first && other) return false;
    verdict_fail(verdict, "%s: %.*s",
                 first == other ? "neither run answered"
                 : other        ? "the other run did not answer"
                                : "the run did not answer",
                 TEXT_ARGS(other ? a->outcome : b->outcome));
    verdict->value = first == other ? 0.5 : other ? 1 : 0;
    verdict->pass = verdict->value >= 0.5;
    return true;
}

gramc_status grading_prefer(struct grading_job **out, const struct grading *grading, size_t i,
                            const struct graded_run *a, const struct graded_run *b,
                            grading_done *done, void *ctx) {
    struct grading_job *job = new_job(grading, 1, done, ctx);
    *out = NULL;
    if (!job) return GRAMC_NOMEM;
    job->tape = b->tape;
    if (prefer_answered(&job->parts[0].verdict, a->attempt, b->attempt)) {
        let_go(job);
        return GRAMC_OK;
    }
    job->open++; /* one for the judge, who may be done at once, one for this function */
    gramc_status status =
        judge_prefer(&job->calls[0], &job->parts[0], grading, &grading->graders[i], a, b);
    if (status != GRAMC_OK) {
        free_job(job);
        return status;
    }
    if (job->open > 1) *out = job;
    let_go(job);
    return GRAMC_OK;
}
