/* Turns the specs of a compilation, one for each file with its imports, into the one that diff
 * compares: agents and tools, each from the file in which it stands. Old ones that are broken are
 * left out, and remembered. */
#include "compiler/diff/diff.h"

#include "base/text.h"

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

static bool skip(struct gramc_diff *diff, const struct gramc_spec *spec) {
    struct skipped_spec *skipped = ARENA_NEW(&diff->arena, struct skipped_spec);
    if (!skipped) return false;
    *skipped = (struct skipped_spec){diff->skipped, spec};
    diff->skipped = skipped;
    diff->skipped_count++;
    return true;
}

const struct gramc_spec *diff_view(struct gramc_diff *diff, const struct gramc_spec *spec,
                                   bool is_old) {
    const gramc_compilation *compilation = spec->compilation;
    struct arena *arena = &diff->arena;
    bool is_alone = compilation->spec_count < 2;
    if (is_alone && is_old && !spec_is_whole(spec) && !skip(diff, spec)) return NULL;
    if (is_alone) return spec;
    struct gramc_spec *view = ARENA_NEW(arena, struct gramc_spec);
    if (!view) return NULL;
    view->compilation = compilation;
    view->last_tool = &view->first_tool;
    view->last_agent = &view->first_agent;
    for (size_t i = 0; (spec = gramc_compiled(compilation, i)) != NULL; i++) {
        if (is_old && !spec_is_whole(spec)) {
            if (!skip(diff, spec)) return NULL;
            continue;
        }
        view_tools(arena, view, spec);
        view_agents(arena, view, spec);
    }
    return arena->oom ? NULL : view;
}

static bool was_in(const struct gramc_diff *diff, const struct gramc_spec *old,
                   const struct source *source) {
    for (const struct unit_link *l = old->units; l; l = l->next)
        if (diff_same_file(diff, &l->unit->source, source)) return true;
    return false;
}

bool diff_is_skipped_tool(const struct gramc_diff *diff, const struct tool *tool) {
    for (const struct skipped_spec *s = diff->skipped; s; s = s->next) {
        if (was_in(diff, s->spec, tool->source)) return true;
        for (const struct tool *t = s->spec->first_tool; t; t = t->next)
            if (text_eq(t->public.name, tool->public.name)) return true;
    }
    return false;
}

bool diff_is_skipped_agent(const struct gramc_diff *diff, const struct agent *agent) {
    for (const struct skipped_spec *s = diff->skipped; s; s = s->next) {
        if (was_in(diff, s->spec, agent->source)) return true;
        for (const struct agent *a = s->spec->first_agent; a; a = a->next)
            if (text_eq(a->public.name, agent->public.name)) return true;
    }
    return false;
}
