/* Differences become the share of sign assignments whose sum is as far from 0: by convolution where
 * all are multiples of a unit, by joining the sums of two halves where they are few, and by random
 * signs. Sums that differ by rounding alone count as equal. */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"
#include "experiment/stat/subsets.h"

enum { MOST_UNITS = 64, MOST_SUM = 1 << 22, MOST_WORK = 400000000 };

/* Relative to the sum of all sizes. */
static const double tolerance = 1e-12;

static const struct stat_sides no_sides = {NAN, NAN};

struct sums {
    double sum, sizes; /* of the differences, of their absolute values */
};

static struct sums sums_of(const double *differences, size_t count) {
    struct sums sums = {0, 0};
    for (size_t i = 0; i < count; i++) {
        sums.sum += differences[i];
        sums.sizes += fabs(differences[i]);
    }
    return sums;
}

/* ## Multiples of a unit */

/* Writes each size as so many units; false if one is not a multiple, or if that takes too long. */
static bool in_units(uint32_t *out, const double *sizes, size_t count, double unit) {
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        double units = sizes[i] / unit, whole = round(units);
        total += whole;
        if (fabs(units - whole) > 1e-9 * whole || total > MOST_SUM) return false;
        if (total * (double)count > MOST_WORK) return false;
        out[i] = (uint32_t)whole;
    }
    return true;
}

/* The smallest size, or a fraction of it, is the unit, as thirds and fifths are for repeats. */
static bool find_units(uint32_t *out, const double *sizes, size_t count) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) least = fmin(least, sizes[i]);
    for (int parts = 1; parts <= MOST_UNITS; parts++)
        if (in_units(out, sizes, count, least / parts)) return true;
    return false;
}

static struct stat_sides by_units(struct arena *arena, const uint32_t *units, const bool *positive,
                                  size_t count) {
    uint64_t total = 0, observed = 0;
    double greater = 0, far = 0;
    for (size_t i = 0; i < count; i++) {
        total += units[i];
        if (positive[i]) observed += units[i];
    }
    const double *chances = stat_subset_sums(arena, units, count);
    if (!chances) return no_sides;
    uint64_t least = observed < total - observed ? observed : total - observed;
    for (uint64_t s = 0; s <= total; s++) {
        if (s >= observed) greater += chances[s];
        if (s <= least || s >= total - least) far += chances[s];
    }
    return (struct stat_sides){fmin(1, far), fmin(1, greater)};
}

/* ## Few: all sums of each half, in ascending order, then pairs of them */

static const double *half_sums(struct arena *arena, const double *sizes, size_t count) {
    size_t room = (size_t)1 << count, made = 1;
    double *sums = arena_array(arena, room, sizeof *sums);
    double *next = arena_array(arena, room, sizeof *next);
    if (!sums || !next) return NULL;
    sums[0] = 0;
    for (size_t i = 0; i < count; i++, made *= 2) {
        size_t less = 0, more = 0;
        for (size_t at = 0; at < 2 * made; at++) {
            bool take_less =
                less < made && (more == made || sums[less] - sizes[i] <= sums[more] + sizes[i]);
            next[at] = take_less ? sums[less++] - sizes[i] : sums[more++] + sizes[i];
        }
        double *other = sums;
        sums = next;
        next = other;
    }
    return sums;
}

/* Pairs whose sum is at least `least`. */
static double pairs_from(const double *a, size_t a_count, const double *b, size_t b_count,
                         double least) {
    double pairs = 0;
    size_t fit = 0; /* of b, from its end */
    for (size_t i = 0; i < a_count; i++) {
        while (fit < b_count && a[i] + b[b_count - 1 - fit] >= least) fit++;
        pairs += (double)fit;
    }
    return pairs;
}

static struct stat_sides by_halves(struct arena *arena, const double *sizes, size_t count,
                                   struct sums sums) {
    size_t left = count / 2, right = count - left;
    size_t left_sums = (size_t)1 << left, right_sums = (size_t)1 << right;
    const double *a = half_sums(arena, sizes, left), *b = half_sums(arena, sizes + left, right);
    if (!a || !b) return no_sides;
    double slack = tolerance * sums.sizes, all = (double)left_sums * (double)right_sums;
    double greater = pairs_from(a, left_sums, b, right_sums, sums.sum - slack);
    double far = pairs_from(a, left_sums, b, right_sums, fabs(sums.sum) - slack);
    /* The sums below -|sum| are as many, by symmetry. */
    return (struct stat_sides){fmin(1, 2 * far / all), greater / all};
}

struct stat_sides stat_sign_flip_exact(struct arena *arena, const double *differences,
                                       size_t count) {
    struct sums sums = sums_of(differences, count);
    double *sizes = arena_array(arena, count + 1, sizeof *sizes);
    bool *positive = arena_array(arena, count + 1, sizeof *positive);
    uint32_t *units = arena_array(arena, count + 1, sizeof *units);
    size_t kept = 0;
    if (!sizes || !positive || !units || !isfinite(sums.sizes)) return no_sides;
    for (size_t i = 0; i < count; i++) {
        if (differences[i] == 0) continue; /* its sign changes nothing */
        positive[kept] = differences[i] > 0;
        sizes[kept++] = fabs(differences[i]);
    }
    if (kept == 0) return (struct stat_sides){1, 1};
    if (find_units(units, sizes, kept)) return by_units(arena, units, positive, kept);
    return kept <= STAT_SIGN_FLIP_MAX ? by_halves(arena, sizes, kept, sums) : no_sides;
}

/* ## Random signs */

struct stat_sides stat_sign_flip(const double *differences, size_t count, uint64_t draws,
                                 uint64_t seed) {
    static const double signs[] = {-1, 1};
    struct stat_random random = stat_random_seeded(seed);
    struct sums sums = sums_of(differences, count);
    double slack = tolerance * sums.sizes, far = 0, greater = 0;
    if (!isfinite(sums.sizes)) return no_sides;
    for (uint64_t draw = 0; draw < draws; draw++) {
        double sum = 0;
        uint64_t bits = 0;
        for (size_t i = 0; i < count; i++, bits >>= 1) {
            if (i % 64 == 0) bits = stat_random_next(&random);
            sum += signs[bits & 1] * differences[i]; /* no branch that is never foreseen */
        }
        far += fabs(sum) >= fabs(sums.sum) - slack;
        greater += sum >= sums.sum - slack;
    }
    double all = 1 + (double)draws;
    return (struct stat_sides){(1 + far) / all, (1 + greater) / all};
}
