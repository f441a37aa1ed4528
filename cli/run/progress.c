/* Shows what a run waits for and how long already. The loop tells no time while nothing happens, so
 * a thread of its own rewrites the line; a lock keeps its writing apart from the messages. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { SUBJECT_MAX = 48 };

struct progress {
    FILE *err;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *format; /* of the line; NULL: nothing is waited for */
    char subject[SUBJECT_MAX];
    struct timespec since;
    bool shown, over;
};

static bool can_rewrite(FILE *file) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(file)) == 1 && terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
}

/* The lock is held. */
static void erase(struct progress *progress) {
    if (progress->shown) fputs("\r\033[K", progress->err);
    if (progress->shown) fflush(progress->err);
    progress->shown = false;
}

static void show(struct progress *progress, long seconds) {
    fputs("\r\033[K", progress->err);
    fputs(progress->format, progress->err);
    cli_put_safe(progress->err, text_of(progress->subject));
    fprintf(progress->err, ", %ld s", seconds);
    fflush(progress->err);
    progress->shown = true;
}

static void *rewrite(void *ctx) {
    struct progress *progress = ctx;
    pthread_mutex_lock(&progress->lock);
    while (!progress->over) {
        struct timespec now, next;
        clock_gettime(CLOCK_MONOTONIC, &now);
        long seconds = (long)(now.tv_sec - progress->since.tv_sec);
        if (now.tv_nsec < progress->since.tv_nsec) seconds--;
        if (progress->format && seconds > 0) show(progress, seconds);
        next = (struct timespec){progress->since.tv_sec + seconds + 1, progress->since.tv_nsec};
        if (progress->format) pthread_cond_timedwait(&progress->changed, &progress->lock, &next);
        else pthread_cond_wait(&progress->changed, &progress->lock);
    }
    erase(progress);
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

/* The thread takes no signals: they are the loop's and interrupt.c's. */
static bool start_thread(struct progress *progress) {
    pthread_condattr_t attributes;
    sigset_t every, before;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&progress->lock, NULL);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    bool started = pthread_create(&progress->thread, NULL, rewrite, progress) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct progress *progress_start(struct cli *cli) {
    if (!can_rewrite(cli->err)) return NULL;
    struct progress *progress = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *progress);
    if (!progress) return NULL;
    *progress = (struct progress){.err = cli->err};
    clock_gettime(CLOCK_MONOTONIC, &progress->since);
    if (start_thread(progress)) return progress;
    cli->allocator.alloc(cli->allocator.ctx, progress, sizeof *progress, 0);
    return NULL;
}

void progress_wait(struct progress *progress, const char *format, gramc_text subject) {
    if (!progress) return;
    size_t end = 0, next = 0;
    while (next < subject.len && next < SUBJECT_MAX) {
        end = next;
        text_decode(subject, &next);
    }
    if (next < SUBJECT_MAX) end = next;
    pthread_mutex_lock(&progress->lock);
    memcpy(progress->subject, subject.ptr ? subject.ptr : "", end);
    progress->subject[end] = '\0';
    progress->format = format;
    clock_gettime(CLOCK_MONOTONIC, &progress->since);
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->lock);
}

void progress_hide(struct progress *progress) {
    if (!progress) return;
    pthread_mutex_lock(&progress->lock);
    erase(progress);
    progress->format = NULL;
    pthread_mutex_unlock(&progress->lock);
}

void progress_stop(struct cli *cli, struct progress *progress) {
    if (!progress) return;
    pthread_mutex_lock(&progress->lock);
    progress->over = true;
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->changed);
    pthread_mutex_destroy(&progress->lock);
    cli->allocator.alloc(cli->allocator.ctx, progress, sizeof *progress, 0);
}
