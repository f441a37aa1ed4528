/* Turns `before: ["sh", "guard.sh"]` of a library or an implementation into something that can be
 * called like a tool done by exec. What it is asked, and what its answer leads to, is guarding.c's.
 */
#include "runtime/bind_guard.h"

#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/process/look_up.h"

static void check(gramc_bound *bound, const gramc_impl *program, gramc_text whose) {
    const struct bind_place place = {program->file, program->start, program->end};
    gramc_text near, why;
    if (!bound->path.ptr) return;
    why = program_problem(&bound->arena, program, bound->path, &near);
    if (why.len)
        BOUND_TELL(bound, D_GUARD_CANNOT_WORK, &place, bound_did_you_mean(bound, near, ""), whose,
                   why);
}

/* A guard's program, with the environment and the sandbox that it is started with. */
struct guard_made {
    const gramc_impl *program;
    const struct bound_environment *environment;
};

/* NULL in it: it names no program, or there is no memory. */
static struct guard_made make_program(gramc_bound *bound, const gramc_guard_program *guard,
                                      const char *noun, gramc_text name) {
    const struct guard_made none = {NULL, NULL};
    if (!guard->argc) return none;
    gramc_text whose = BOUND_JOIN(bound, text_of(noun), TEXT(" `"), name, TEXT("`"));
    gramc_impl *program = ARENA_NEW(&bound->arena, gramc_impl);
    if (!program) return none;
    *program = (gramc_impl){.name = whose,
                            .kind = GRAMC_IMPL_EXEC,
                            .target = guard->argv[0],
                            .argv = guard->argv,
                            .argc = guard->argc,
                            .folder = guard->folder,
                            .file = guard->file,
                            .start = guard->start,
                            .end = guard->end};
    check(bound, program, whose);
    gramc_text who = BOUND_JOIN(bound, TEXT("the guard of "), whose);
    return (struct guard_made){program, environment_make(bound, program, who)};
}

/* Children see what they always see, and nothing that the implementation declares for itself: the
 * sandbox of a guard is the library's, as it is. */
static const struct bound_tool *make_guard(gramc_bound *bound, const struct bound_tool *tool,
                                           const struct guard_made *made) {
    struct bound_tool *guard =
        made->environment ? ARENA_NEW(&bound->arena, struct bound_tool) : NULL;
    if (!guard) return NULL;
    *guard = (struct bound_tool){.impl = made->program,
                                 .kind = &tool_exec,
                                 .data = made->environment,
                                 .secrets = made->environment->count ? bound->secrets : NULL,
                                 .timeout_ms = tool->timeout_ms};
    return guard;
}

void bind_guards(gramc_bound *bound) {
    const gramc_library *library = bound->library;
    if (!library || bound->arena.oom) return;
    const struct guard_made common[] = {
        [GUARD_BEFORE] = make_program(bound, &library->before, "library", library->name),
        [GUARD_AFTER] = make_program(bound, &library->after, "library", library->name)};
    for (size_t i = 0; i < bound->tool_count && !bound->arena.oom; i++) {
        struct bound_tool *tool = &bound->tools[i];
        if (!tool->impl) continue;
        const gramc_guard_program *const own[] = {
            [GUARD_BEFORE] = &tool->impl->before, [GUARD_AFTER] = &tool->impl->after};
        for (size_t phase = 0; phase < GUARD_PHASES; phase++) {
            const struct guard_made made =
                make_program(bound, own[phase], "tool", tool->tool->name);
            tool->guards[phase][0] = make_guard(bound, tool, &common[phase]);
            tool->guards[phase][1] = make_guard(bound, tool, &made);
        }
    }
}
