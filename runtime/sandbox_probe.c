/* Asks gramc-host which walls it can build here: it tries, in processes of its own, and prints a
 * line for each. What that means for a library is sandbox.c's. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gramc/runtime.h"
#include "runtime/process/child.h"

enum { ANSWER_MAX = 256, ALL_WALLS = GRAMC_WALL_FILES | GRAMC_WALL_CALLS | GRAMC_WALL_NETWORK };

struct probe {
    char answer[ANSWER_MAX]; /* with a NUL */
    size_t len;
    bool is_fine;
};

static void on_output(void *ctx, const char *bytes, size_t len) {
    struct probe *probe = ctx;
    size_t room = ANSWER_MAX - 1 - probe->len;
    if (len > room) len = room;
    memcpy(probe->answer + probe->len, bytes, len);
    probe->len += len;
}

static void on_ended(void *ctx, const struct child_end *end) {
    struct probe *probe = ctx;
    probe->is_fine = !end->status && !end->signal && !end->broken;
}

/* "landlock 7\nseccomp yes\nnamespaces yes\n" */
static unsigned read_answer(const char *answer) {
    static const struct {
        unsigned wall;
        const char *line, *missing;
    } lines[] = {{GRAMC_WALL_FILES, "landlock ", "0"},
                 {GRAMC_WALL_CALLS, "seccomp ", "no"},
                 {GRAMC_WALL_NETWORK, "namespaces ", "no"}};
    unsigned missing = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *line = strstr(answer, lines[i].line);
        const char *word = line ? line + strlen(lines[i].line) : NULL;
        if (!word || strncmp(word, lines[i].missing, strlen(lines[i].missing)) == 0)
            missing |= lines[i].wall;
    }
    return missing;
}

static void ask(struct probe *probe, uv_loop_t *loop, const gramc_allocator *allocator,
                char *host) {
    char verb[] = "probe", *argv[] = {host, verb, NULL}, *environment[] = {NULL};
    const struct exec_words words = {.argv = argv, .environment = environment};
    const struct child_events events = {
        .output = on_output, .ended = on_ended, .ctx = probe, .noun = "gramc-host"};
    struct child *child;
    char why[CHILD_WHY_MAX];
    if (!child_start(&child, loop, allocator, &words, &events, why)) child_end_input(child);
    uv_run(loop, UV_RUN_DEFAULT);
}

unsigned gramc_walls_missing(gramc_text host, const gramc_allocator *given) {
    gramc_allocator allocator = given ? *given : mem_default();
    struct probe probe = {.len = 0};
    struct arena arena;
    uv_loop_t loop;
    if (!host.len || uv_loop_init(&loop)) return ALL_WALLS;
    arena_init(&arena, &allocator);
    gramc_text path = arena_text(&arena, host);
    char *copy = path.ptr ? arena_alloc(&arena, path.len + 1) : NULL;
    if (copy) {
        memcpy(copy, path.ptr, path.len + 1);
        ask(&probe, &loop, &allocator, copy);
    }
    uv_loop_close(&loop);
    arena_free(&arena);
    return probe.is_fine ? read_answer(probe.answer) : ALL_WALLS;
}
