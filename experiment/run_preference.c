/* Turns two kept answers of one repeat into a score of the later arm, by asking a grader that
 * prefers. When that is asked, and what is tried again, is the engine's business; how, the
 * grader's. */
#include "experiment/run_preference.h"

#include "base/limits.h"
#include "base/text.h"
#include "experiment/run_cell.h"

struct preference_job {
    struct preference_jobs *jobs;
    struct preference_start start;
    preference_done *done;
    void *ticket;
    struct grading_job *grading;
    struct graded_run runs[2];
    struct judge_tape tape;
    struct buf trace;
    struct arena arena;        /* of what was recorded */
    bool is_starting, is_over; /* nothing has returned yet; it was told */
    struct preference_job *next, **link;
};

static void free_job(struct preference_job *job) {
    gramc_allocator allocator = job->jobs->allocator;
    *job->link = job->next;
    if (job->next) job->next->link = job->link;
    buf_free(&job->trace);
    arena_free(&job->arena);
    mem_free(&allocator, job, sizeof(*job));
}

static void on_graded(void *ctx, const struct score *scores, size_t count, double cost) {
    struct preference_job *job = ctx;
    const struct preference preference = {
        .cell = job->start.cell,
        .grader = job->start.grader,
        .score = count ? scores[0] : (struct score){.missing = true},
        .cost = cost,
        .trace = buf_status(&job->trace) ? TEXT("") : buf_view(&job->trace)};
    job->grading = NULL;
    job->is_over = true;
    job->done(job->ticket, &preference);
    if (!job->is_starting) free_job(job);
}

static struct preference_job *new_job(struct preference_jobs *jobs,
                                      const struct preference_start *start) {
    const struct attempt *answers[] = {start->first, start->other};
    struct preference_job *job = mem_alloc(&jobs->allocator, sizeof(*job));
    if (!job) return NULL;
    *job = (struct preference_job){
        .jobs = jobs, .start = *start, .next = jobs->first, .link = &jobs->first};
    if (job->next) job->next->link = &job->next;
    jobs->first = job;
    buf_init(&job->trace, &jobs->allocator, TRACE_SIZE_MAX);
    arena_init(&job->arena, &jobs->allocator);
    for (size_t i = 0; i < 2; i++)
        job->runs[i] =
            (struct graded_run){.item = &jobs->options->plan->cases->items[start->cell.item],
                                .attempt = answers[i],
                                .tape = &job->tape};
    return job;
}

/* Where the cell has no recording the grader finds none in it, and says so. */
static gramc_status take_tape(struct preference_job *job) {
    const struct run_cells_options *options = job->jobs->options;
    struct cassette_error error;
    job->tape = (struct judge_tape){.written = options->keep_traces ? &job->trace : NULL,
                                    .plays = options->plays_judges};
    if (!options->plays_judges) return GRAMC_OK;
    gramc_status status = cassettes_judged(&job->tape.recorded, &job->arena, options->cassettes,
                                           &job->start.cell, &error);
    return status == GRAMC_NOMEM ? status : GRAMC_OK;
}

gramc_status preference_start(struct preference_jobs *jobs, const struct preference_start *start,
                              preference_done *done, void *ticket) {
    const struct cell_graders *graders = &jobs->options->graders;
    struct preference_job *job = new_job(jobs, start);
    if (!job) return GRAMC_NOMEM;
    job->done = done;
    job->ticket = ticket;
    job->is_starting = true;
    gramc_status status = take_tape(job);
    if (!status)
        status = graders->prefer(&job->grading, graders->grading, start->grader, &job->runs[0],
                                 &job->runs[1], on_graded, job);
    job->is_starting = false;
    if (status || job->is_over) free_job(job);
    return status;
}

void preferences_cancel(struct preference_jobs *jobs) {
    for (struct preference_job *next, *job = jobs->first; job; job = next) {
        next = job->next;
        if (job->grading) jobs->options->graders.cancel(job->grading);
        job->done(job->ticket, NULL);
        free_job(job);
    }
}

void preferences_free(struct preference_jobs *jobs) {
    while (jobs->first) {
        if (jobs->first->grading) jobs->options->graders.cancel(jobs->first->grading);
        free_job(jobs->first);
    }
}
