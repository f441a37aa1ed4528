/* Whole numbers become the distribution of the sum of a random subset, by convolution: one pass for
 * each part, in place, from the greatest sum down. */
#include "experiment/stat/subsets.h"

const double *stat_subset_sums(struct arena *arena, const uint32_t *parts, size_t count) {
    size_t total = 0, reached = 0;
    for (size_t i = 0; i < count; i++) total += parts[i];
    double *chances = arena_array(arena, total + 1, sizeof *chances);
    if (!chances) return NULL;
    memset(chances, 0, (total + 1) * sizeof *chances);
    chances[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t part = parts[i];
        reached += part;
        for (size_t s = reached + 1; s-- > part;)
            chances[s] = 0.5 * chances[s] + 0.5 * chances[s - part];
        for (size_t s = part < reached + 1 ? part : reached + 1; s-- > 0;) chances[s] *= 0.5;
    }
    return chances;
}
