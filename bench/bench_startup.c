/* Whole programs: runs commands in turn, many times, and prints the median wall time of each, the
 * ratio to the first, its median CPU time, user and system, and the most memory that it ever had.
 * In turn, because the machine's speed drifts.
 *
 *   bench_startup RUNS -- COMMAND... -- COMMAND... */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_COMMANDS = 12, MOST_RUNS = 10000 };

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

struct cost {
    uint64_t wall, cpu; /* ns */
};

static uint64_t to_ns(struct timeval time) {
    return ((uint64_t)time.tv_sec * 1000000U + (uint64_t)time.tv_usec) * 1000U;
}

static struct cost run_once(char **argv, const posix_spawn_file_actions_t *actions, long *memory) {
    struct rusage usage;
    pid_t pid;
    int status;
    uint64_t start = now_ns();
    if (posix_spawn(&pid, argv[0], actions, NULL, argv, environ) != 0) {
        perror(argv[0]);
        exit(2);
    }
    wait4(pid, &status, 0, &usage);
    uint64_t took = now_ns() - start;
    if (usage.ru_maxrss > *memory) *memory = usage.ru_maxrss;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s failed\n", argv[0]);
        exit(1);
    }
    return (struct cost){took, to_ns(usage.ru_utime) + to_ns(usage.ru_stime)};
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* In milliseconds. */
static double median_of(uint64_t *times, long runs) {
    qsort(times, (size_t)runs, sizeof *times, compare);
    return (double)times[runs / 2] / 1e6;
}

static size_t split(int argc, char **argv, char ***commands) {
    size_t count = 0;
    for (int i = 2; i < argc && count < MOST_COMMANDS; i++) {
        if (strcmp(argv[i], "--") != 0) continue;
        argv[i] = NULL;
        commands[count++] = argv + i + 1;
    }
    return count;
}

int main(int argc, char **argv) {
    static uint64_t times[MOST_COMMANDS][MOST_RUNS], cpu[MOST_COMMANDS][MOST_RUNS];
    char **commands[MOST_COMMANDS];
    long memory[MOST_COMMANDS] = {0}; /* KiB */
    posix_spawn_file_actions_t actions;
    long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    size_t count = split(argc, argv, commands);
    if (runs < 1 || runs > MOST_RUNS || count == 0) return 2;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (long run = 0; run < runs; run++)
        for (size_t i = 0; i < count; i++) {
            struct cost cost = run_once(commands[i], &actions, &memory[i]);
            times[i][run] = cost.wall;
            cpu[i][run] = cost.cpu;
        }
    double first = median_of(times[0], runs);
    for (size_t i = 0; i < count; i++) {
        double median = median_of(times[i], runs);
        printf("%9.3f ms %7.2f x %9.3f ms CPU %7.1f MiB  %s %s\n", median, median / first,
               median_of(cpu[i], runs), (double)memory[i] / 1024, commands[i][0],
               commands[i][1] ? commands[i][1] : "");
    }
    return 0;
}
