/* Turns the specs of a compilation, one for each file with its imports, into the one that diff
 * compares: agents and tools, each from the file in which it stands. */
#include "compiler/diff/diff.h"

static void view_tools(struct arena *arena, struct gramc_spec *view,
                       const struct gramc_spec *spec) {
    for (const struct tool *t = spec->first_tool; t; t = t->next) {
        if (!spec_owns(spec, t->source)) continue;
        struct tool *copy = ARENA_NEW(arena, struct tool);
        if (!copy) return;
        *copy = *t;
        copy->next = NULL;
        *view->last_tool = copy;
        view->last_tool = &copy->next;
    }
}

static void view_agents(struct arena *arena, struct gramc_spec *view,
                        const struct gramc_spec *spec) {
    for (const struct agent *a = spec->first_agent; a; a = a->next) {
        if (!spec_owns(spec, a->source)) continue;
        struct agent *copy = ARENA_NEW(arena, struct agent);
        if (!copy) return;
        *copy = *a;
        copy->next = NULL;
        *view->last_agent = copy;
        view->last_agent = &copy->next;
    }
}

const struct gramc_spec *diff_view(struct arena *arena, const struct gramc_spec *spec) {
    const gramc_compilation *compilation = spec->compilation;
    if (compilation->spec_count < 2) return spec;
    struct gramc_spec *view = ARENA_NEW(arena, struct gramc_spec);
    if (!view) return NULL;
    view->compilation = compilation;
    view->last_tool = &view->first_tool;
    view->last_agent = &view->first_agent;
    for (size_t i = 0; (spec = gramc_compiled(compilation, i)) != NULL; i++) {
        view_tools(arena, view, spec);
        view_agents(arena, view, spec);
    }
    return arena->oom ? NULL : view;
}
