/* Turns SIGINT, SIGTERM and SIGHUP into a polite end: a thread of its own waits for them, since a
 * signal handler would need a global to know the loop. Programs that tools started have sessions of
 * their own and are killed by the cancelled run, not by the terminal. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/run.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

struct interrupt {
    void (*stop)(void *ctx);
    void *ctx;
    pthread_t thread;
    sigset_t signals, before;
    atomic_int count;
};

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };

/* As nohup has it. */
static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void *wait_for_signals(void *ctx) {
    struct interrupt *interrupt = ctx;
    int number;
    while (sigwait(&interrupt->signals, &number) == 0) {
        if (atomic_fetch_add(&interrupt->count, 1) > 0) _exit(EXIT_INTERRUPTED);
        interrupt->stop(interrupt->ctx);
    }
    return NULL;
}

/* The thread begins with every signal blocked, and only waits for its own. SIGCHLD above all is not
 * for it: libuv's handler reads and writes pipes, where a thread that is being cancelled ends. What
 * it had to tell would be lost, and the loop would wait for ever for a program that has ended. */
static bool start_thread(struct interrupt *interrupt) {
    sigset_t every, here;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &interrupt->before);
    bool started = pthread_create(&interrupt->thread, NULL, wait_for_signals, interrupt) == 0;
    here = interrupt->before;
    for (size_t i = 0; started && i < ENDING; i++)
        if (sigismember(&interrupt->signals, ending[i])) sigaddset(&here, ending[i]);
    pthread_sigmask(SIG_SETMASK, &here, NULL);
    return started;
}

struct interrupt *interrupt_start_with(struct cli *cli, void (*stop)(void *ctx), void *ctx) {
    struct interrupt *interrupt =
        cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *interrupt);
    if (!interrupt) return NULL;
    interrupt->stop = stop;
    interrupt->ctx = ctx;
    atomic_init(&interrupt->count, 0);
    sigemptyset(&interrupt->signals);
    for (size_t i = 0; i < ENDING; i++)
        if (ending[i] != SIGHUP || !is_ignored(SIGHUP)) sigaddset(&interrupt->signals, ending[i]);
    if (start_thread(interrupt)) return interrupt;
    cli->allocator.alloc(cli->allocator.ctx, interrupt, sizeof *interrupt, 0);
    return NULL;
}

static void cancel_runs(void *ctx) {
    gramc_loop_interrupt(ctx);
}

struct interrupt *interrupt_start(struct cli *cli, gramc_loop *loop) {
    return interrupt_start_with(cli, cancel_runs, loop);
}

bool interrupt_stop(struct cli *cli, struct interrupt *interrupt) {
    if (!interrupt) return false;
    pthread_cancel(interrupt->thread);
    pthread_join(interrupt->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    bool came = atomic_load(&interrupt->count) > 0;
    cli->allocator.alloc(cli->allocator.ctx, interrupt, sizeof *interrupt, 0);
    return came;
}
