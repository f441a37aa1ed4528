/* What a call pays for its supervisor: posix_spawn of /bin/true beside the same under gramc-host,
 * told and ended as the runtime does it, without a sandbox and in one. Wall time and CPU of the
 * children, median and quartiles of runs that take turns. bench_spawn RUNS HOST */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/process/report.h"

enum { MOST_RUNS = 10000 };

struct cost {
    uint64_t wall, cpu; /* ns */
};

struct costs {
    uint64_t wall[MOST_RUNS], cpu[MOST_RUNS];
};

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000U + (uint64_t)at.tv_nsec;
}

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_usec * 1000;
}

static uint64_t children_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

static bool wait_well(pid_t pid) {
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_bare(char **argv) {
    pid_t pid;
    return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0 && wait_well(pid);
}

/* Until the program's end is told; then the host is asked to go, and waited for. */
static bool run_hosted(char **argv) {
    int ends[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    struct host_report report = {.value = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], SUPERVISOR_SOCKET);
    bool started = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    bool told = started && read(ends[0], &report, sizeof report) == (ssize_t)sizeof report;
    close(ends[0]);
    return started && wait_well(pid) && told && report.kind == REPORT_EXITED && report.value == 0;
}

static bool measure(struct cost *out, bool (*run)(char **argv), char **argv) {
    uint64_t cpu = children_cpu(), from = now();
    bool went_well = run(argv);
    *out = (struct cost){now() - from, children_cpu() - cpu};
    return went_well;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, uint64_t *times, long runs) {
    qsort(times, (size_t)runs, sizeof *times, compare);
    printf("%-28s median %7.3f ms, quartiles %7.3f %7.3f\n", name, (double)times[runs / 2] / 1e6,
           (double)times[runs / 4] / 1e6, (double)times[runs * 3 / 4] / 1e6);
}

/* Measured in turns, so that all of them have the machine's good and bad moments. */
struct way {
    const char *wall, *cpu; /* how it is called */
    bool (*run)(char **argv);
    char **argv;
    struct costs costs;
};

int main(int argc, char **argv) {
    char program[] = "/bin/true", verb[] = "exec", walls[] = "--sandbox";
    char *host = argc == 3 ? argv[2] : program;
    char *alone[] = {program, NULL}, *with[] = {host, verb, program, NULL};
    char *inside[] = {host, walls, verb, program, NULL};
    static struct way ways[] = {
        {.wall = "posix_spawn, wall", .cpu = "posix_spawn, CPU", .run = run_bare},
        {.wall = "under gramc-host, wall", .cpu = "under gramc-host, CPU", .run = run_hosted},
        {.wall = "in a sandbox, wall", .cpu = "in a sandbox, CPU", .run = run_hosted}};
    enum { WAYS = sizeof ways / sizeof *ways };
    long runs = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    if (runs < 4 || runs > MOST_RUNS) return 2;
    ways[0].argv = alone, ways[1].argv = with, ways[2].argv = inside;
    for (long i = 0; i < runs * WAYS; i++) {
        struct way *way = &ways[i % WAYS];
        struct cost one;
        if (!measure(&one, way->run, way->argv)) return 1;
        way->costs.wall[i / WAYS] = one.wall, way->costs.cpu[i / WAYS] = one.cpu;
    }
    for (int i = 0; i < WAYS; i++) print(ways[i].wall, ways[i].costs.wall, runs);
    for (int i = 0; i < WAYS; i++) print(ways[i].cpu, ways[i].costs.cpu, runs);
    return 0;
}
