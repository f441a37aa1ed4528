/* Turns two kept answers of one repeat into a score of the later arm, by asking a grader that
 * prefers. When that is asked, and what is tried again, is the engine's business; how, the
 * grader's. */
#include "experiment/run_preference.h"

#include "experiment/run_cell.h"

struct preference_job {
    struct preference_jobs *jobs;
    struct preference_start start;
    preference_done *done;
    void *ticket;
    struct grading_job *grading;
    struct graded_run runs[2];
    bool is_starting, is_over; /* nothing has returned yet; it was told */
    struct preference_job *next, **link;
};

static void free_job(struct preference_job *job) {
    gramc_allocator allocator = job->jobs->allocator;
    *job->link = job->next;
    if (job->next) job->next->link = job->link;
    mem_free(&allocator, job, sizeof(*job));
}

static void on_graded(void *ctx, const struct score *scores, size_t count, double cost) {
    struct preference_job *job = ctx;
    const struct preference preference = {.cell = job->start.cell,
                                          .grader = job->start.grader,
                                          .score =
                                              count ? scores[0] : (struct score){.missing = true},
                                          .cost = cost};
    job->grading = NULL;
    job->is_over = true;
    job->done(job->ticket, &preference);
    if (!job->is_starting) free_job(job);
}

gramc_status preference_start(struct preference_jobs *jobs, const struct preference_start *start,
                              preference_done *done, void *ticket) {
    const struct cell_graders *graders = jobs->graders;
    struct preference_job *job = mem_alloc(&jobs->allocator, sizeof(*job));
    if (!job) return GRAMC_NOMEM;
    *job = (struct preference_job){.jobs = jobs,
                                   .start = *start,
                                   .done = done,
                                   .ticket = ticket,
                                   .is_starting = true,
                                   .next = jobs->first,
                                   .link = &jobs->first};
    if (job->next) job->next->link = &job->next;
    jobs->first = job;
    const struct attempt *answers[] = {start->first, start->other};
    for (size_t i = 0; i < 2; i++)
        job->runs[i] = (struct graded_run){.item = &jobs->plan->cases->items[start->cell.item],
                                           .attempt = answers[i]};
    gramc_status status = graders->prefer(&job->grading, graders->grading, start->grader,
                                          &job->runs[0], &job->runs[1], on_graded, job);
    job->is_starting = false;
    if (status || job->is_over) free_job(job);
    return status;
}

void preferences_cancel(struct preference_jobs *jobs) {
    for (struct preference_job *next, *job = jobs->first; job; job = next) {
        next = job->next;
        if (job->grading) jobs->graders->cancel(job->grading);
        job->done(job->ticket, NULL);
        free_job(job);
    }
}

void preferences_free(struct preference_jobs *jobs) {
    while (jobs->first) {
        if (jobs->first->grading) jobs->graders->cancel(jobs->first->grading);
        free_job(jobs->first);
    }
}
