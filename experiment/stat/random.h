/* Random numbers that are the same on every machine: order, arms and resampling follow from the
 * seed of an experiment alone. */
#ifndef EXPERIMENT_STAT_RANDOM_H
#define EXPERIMENT_STAT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "gramc/gramc.h"

/* Steele, Lea, Flood (2014), constants of Vigna: the next number of a state that was any seed. */
uint64_t stat_splitmix64(uint64_t *state);

/* xoshiro256** (Blackman and Vigna 2018). */
struct stat_random {
    uint64_t state[4];
};

/* Seeded by four numbers of splitmix64. */
struct stat_random stat_random_seeded(uint64_t seed);
uint64_t stat_random_next(struct stat_random *random);
/* Uniform on 0 ... bound - 1: Lemire's multiplication with rejection (2019). bound > 0. */
uint64_t stat_random_below(struct stat_random *random, uint64_t bound);
/* Uniform on [0, 1), 53 bits. */
double stat_random_unit(struct stat_random *random);
/* Fisher and Yates, from the end: for i = n - 1 ... 1, item i changes places with one of 0 ... i.
 */
void stat_random_shuffle(struct stat_random *random, size_t *items, size_t count);
/* 0 ... count - 1 in an order that follows from the seed. */
void stat_random_order(uint64_t seed, size_t *items, size_t count);

/* H(seed, item, repeat): the seed of one sample, the same in all arms (common random numbers). The
 * first eight bytes of a SHA-256, so that no two items have related seeds. */
uint64_t stat_sampling_seed(uint64_t seed, gramc_text item, uint64_t repeat);

#endif
