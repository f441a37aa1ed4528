/* The names of a compilation: tools, agents, libraries, experiments and types have a registry each.
 * What a second thing of a name means is known to those who read it; that it must mean the same is
 * said here. */
#include "compiler/registry.h"

#include "compiler/pattern.h"

void registry_init(struct registry *registry, struct arena *arena) {
    *registry = (struct registry){.count = 0};
    map_init(&registry->names, arena);
}

void *registry_add(struct registry *registry, gramc_text name, void *thing) {
    void *first = map_put(&registry->names, name, thing);
    if (first == thing) {
        if (registry->count++ == 0) registry->first = thing;
        return thing;
    }
    struct twin *twin = ARENA_NEW(registry->names.arena, struct twin);
    if (!twin) return first;
    *twin = (struct twin){registry->twins, first, thing, name};
    registry->twins = twin;
    return first;
}

void *registry_get(const struct registry *registry, gramc_text name) {
    return map_get(&registry->names, name);
}

const void *registry_choose(const struct registry *registry, gramc_text name, gramc_status *why) {
    const void *thing = name.len ? registry_get(registry, name) : registry->first;
    bool several = !name.len && registry->count > 1;
    *why = several ? GRAMC_AMBIGUOUS : thing ? GRAMC_OK : GRAMC_NOT_FOUND;
    return several ? NULL : thing;
}

void registry_check(struct pass *pass, const struct registry *registry,
                    const struct registry_sort *sort) {
    for (const struct twin *t = registry->twins; t && !pass->arena->oom; t = t->next) {
        struct registered first = sort->place(t->first), other = sort->place(t->other);
        pass->source = other.source;
        if (sort->same(pass, t->first, t->other)) continue;
        pass->source = other.source;
        report_name_taken(pass, sort->taken, t->name, other.at, first.source, first.at);
    }
}
