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

/* NULL: it names no program, or there is no memory. */
static const gramc_impl *make_program(gramc_bound *bound, const gramc_guard_program *guard,
                                      const char *noun, gramc_text name) {
    if (!guard->argc) return NULL;
    gramc_text whose = BOUND_JOIN(bound, text_of(noun), TEXT(" `"), name, TEXT("`"));
    gramc_impl *program = ARENA_NEW(&bound->arena, gramc_impl);
    if (!program) return NULL;
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
    return program;
}

/* Children see what they always see, and nothing that the implementation declares for itself. */
static const struct bound_tool *make_guard(gramc_bound *bound, const struct bound_tool *tool,
                                           const gramc_impl *program) {
    static const struct bound_environment none = {NULL, NULL};
    struct bound_tool *guard = program ? ARENA_NEW(&bound->arena, struct bound_tool) : NULL;
    if (!guard) return NULL;
    *guard = (struct bound_tool){
        .impl = program, .kind = &tool_exec, .data = &none, .timeout_ms = tool->timeout_ms};
    return guard;
}

void bind_guards(gramc_bound *bound) {
    const gramc_library *library = bound->library;
    if (!library || bound->arena.oom) return;
    const gramc_impl *const common[] = {
        [GUARD_BEFORE] = make_program(bound, &library->before, "library", library->name),
        [GUARD_AFTER] = make_program(bound, &library->after, "library", library->name)};
    for (size_t i = 0; i < bound->tool_count && !bound->arena.oom; i++) {
        struct bound_tool *tool = &bound->tools[i];
        if (!tool->impl) continue;
        const gramc_guard_program *const own[] = {
            [GUARD_BEFORE] = &tool->impl->before, [GUARD_AFTER] = &tool->impl->after};
        for (size_t phase = 0; phase < GUARD_PHASES; phase++) {
            tool->guards[phase][0] = make_guard(bound, tool, common[phase]);
            tool->guards[phase][1] =
                make_guard(bound, tool, make_program(bound, own[phase], "tool", tool->tool->name));
        }
    }
}
