/* Keeps functions under names: the standard ones and those of the program that embeds us. Calling
 * them is tool_builtin.c's business. */
#include "runtime/builtin.h"

#include "base/text.h"

gramc_status gramc_builtins_new(gramc_builtins **out, const gramc_allocator *allocator) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    gramc_builtins *builtins = mem_alloc(&chosen, sizeof(*builtins));
    *out = NULL;
    if (!builtins) return GRAMC_NOMEM;
    *builtins = (gramc_builtins){0};
    arena_init(&builtins->arena, &chosen);
    gramc_status status = GRAMC_OK;
    const gramc_builtin *standard;
    for (size_t i = 0; !status && (standard = builtin_standard(i)); i++)
        status = gramc_builtins_add(builtins, standard);
    if (status) gramc_builtins_free(builtins);
    else *out = builtins;
    return status;
}

void gramc_builtins_free(gramc_builtins *builtins) {
    if (!builtins) return;
    gramc_allocator allocator = builtins->arena.allocator;
    arena_free(&builtins->arena);
    mem_free(&allocator, builtins, sizeof(*builtins));
}

gramc_status gramc_builtins_add(gramc_builtins *builtins, const gramc_builtin *builtin) {
    if (!builtin->function || builtin->name.len == 0) return GRAMC_USAGE;
    if (builtins_find(builtins, builtin->name)) return GRAMC_AMBIGUOUS;
    struct builtin_entry *entry = ARENA_NEW(&builtins->arena, struct builtin_entry);
    if (!entry) return GRAMC_NOMEM;
    entry->builtin = *builtin;
    entry->builtin.name = arena_text(&builtins->arena, builtin->name);
    if (!entry->builtin.name.ptr) return GRAMC_NOMEM;
    if (builtins->last) builtins->last->next = entry;
    else builtins->first = entry;
    builtins->last = entry;
    builtins->count++;
    return GRAMC_OK;
}

const gramc_builtin *gramc_builtins_get(const gramc_builtins *builtins, size_t i) {
    const struct builtin_entry *entry = builtins->first;
    while (entry && i--) entry = entry->next;
    return entry ? &entry->builtin : NULL;
}

const gramc_builtin *builtins_find(const gramc_builtins *builtins, gramc_text name) {
    if (!builtins) return NULL;
    for (const struct builtin_entry *entry = builtins->first; entry; entry = entry->next)
        if (text_eq(entry->builtin.name, name)) return &entry->builtin;
    return NULL;
}

gramc_text builtins_nearest(const gramc_builtins *builtins, gramc_text name) {
    gramc_text best = {NULL, 0};
    if (!builtins) return best;
    for (const struct builtin_entry *entry = builtins->first; entry; entry = entry->next) {
        gramc_text pair[2] = {entry->builtin.name, best};
        gramc_text nearest = text_nearest(name, pair, best.ptr ? 2 : 1);
        if (nearest.ptr) best = nearest;
    }
    return best;
}
