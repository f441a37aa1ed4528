/* Agents that do a tool of another: `[x:ToolImpl {agent: other, library: lib}]` becomes the agent
 * and the library of the same compilation. That they end somewhere is looked at when they are
 * bound. */
#include "base/limits.h"
#include "base/text.h"
#include "compiler/agent.h"
#include "compiler/library.h"
#include "compiler/pattern.h"

static void find_agent(struct pass *pass, const struct gramc_spec *spec, struct impl *impl) {
    gramc_text name = impl->public.target;
    const struct agent *agent = name.len ? registry_get(&spec->agents, name) : NULL;
    if (agent) impl->public.agent = &agent->public;
    else if (name.len)
        report_unresolved(pass, D_UNRESOLVED_NAME, &spec->agents.names, TEXT("agent"), name,
                          impl->agent_at);
}

static void find_library(struct pass *pass, const struct gramc_spec *spec, struct impl *impl) {
    gramc_text name = impl->public.library_named;
    const struct library *library = name.len ? registry_get(&spec->libraries, name) : NULL;
    if (library) impl->public.library = &library->public;
    else if (name.len)
        report_unresolved(pass, D_UNRESOLVED_NAME, &spec->libraries.names, TEXT("tool library"),
                          name, impl->library_at);
}

void impl_find_agent(struct pass *pass, const struct gramc_spec *spec, struct impl *impl) {
    const struct source *before = pass->source;
    if (impl->public.kind != GRAMC_IMPL_AGENT) return;
    pass->source = impl->source;
    find_agent(pass, spec, impl);
    find_library(pass, spec, impl);
    pass->source = before;
}

/* ## Once the spec is sound */

static bool prepare(struct pass *pass, struct gramc_spec *spec) {
    bool any = false;
    for (const struct library *l = spec->first_library; l && !pass->arena->oom; l = l->next)
        for (size_t i = 0; i < l->public.impl_count && !pass->arena->oom; i++) {
            const gramc_agent *agent = l->public.impls[i].agent;
            any = any || agent;
            if (agent && gramc_agent_prepare(pass->compilation, agent) == GRAMC_NOMEM)
                pass->arena->oom = true;
        }
    return any;
}

/* Those that it names first. A circle, which cannot be bound, is cut somewhere. */
static void take_fingerprint(struct pass *pass, struct library *library, unsigned depth) {
    if (library->state != LIBRARY_RESOLVED || depth == AGENT_DEPTH_MAX) return;
    library->state = LIBRARY_FINISHED;
    for (size_t i = 0; i < library->public.impl_count && !pass->arena->oom; i++) {
        /* A public library is the beginning of a struct library. */
        struct library *other =
            (struct library *)(void *)(uintptr_t)library->public.impls[i].library;
        if (other) take_fingerprint(pass, other, depth + 1);
    }
    library->public.fingerprint = library_fingerprint_whole(pass->arena, &library->public);
}

void libraries_finish(struct pass *pass, struct gramc_spec *spec) {
    if (pass->arena->oom || findings_have_errors(pass->findings) || !prepare(pass, spec)) return;
    for (struct library *l = spec->first_library; l && !pass->arena->oom; l = l->next)
        take_fingerprint(pass, l, 0);
}
