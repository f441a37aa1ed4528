/* A seed becomes numbers, orders and other seeds, the same on every machine. */
#include "experiment/stat/random.h"

#include "base/sha256.h"

uint64_t stat_splitmix64(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct stat_random stat_random_seeded(uint64_t seed) {
    struct stat_random random;
    for (size_t i = 0; i < 4; i++) random.state[i] = stat_splitmix64(&seed);
    return random;
}

static uint64_t rotated(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

uint64_t stat_random_next(struct stat_random *random) {
    uint64_t *s = random->state, result = rotated(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return result;
}

/* The 128 bits of a product, by halves: ISO C has no such type. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    *low = a * b;
    if (!b1) return middle >> 32;
    uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

uint64_t stat_random_below(struct stat_random *random, uint64_t bound) {
    uint64_t low, high = multiply(stat_random_next(random), bound, &low);
    if (low >= bound) return high;
    /* (2^64 - bound) % bound products are one too many. */
    for (uint64_t least = (0 - bound) % bound; low < least;)
        high = multiply(stat_random_next(random), bound, &low);
    return high;
}

double stat_random_unit(struct stat_random *random) {
    return (double)(stat_random_next(random) >> 11) * 0x1p-53;
}

void stat_random_shuffle(struct stat_random *random, size_t *items, size_t count) {
    for (size_t i = count; i-- > 1;) {
        size_t j = (size_t)stat_random_below(random, (uint64_t)i + 1), other = items[i];
        items[i] = items[j];
        items[j] = other;
    }
}

void stat_random_order(uint64_t seed, size_t *items, size_t count) {
    struct stat_random random = stat_random_seeded(seed);
    for (size_t i = 0; i < count; i++) items[i] = i;
    stat_random_shuffle(&random, items, count);
}

static unsigned hex_digit(char c) {
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

uint64_t stat_sampling_seed(uint64_t seed, gramc_text item, uint64_t repeat) {
    struct sha256 sha;
    char hex[SHA256_HEX];
    uint64_t out = 0;
    sha256_init(&sha);
    sha256_add_number(&sha, seed);
    sha256_add_text(&sha, item);
    sha256_add_number(&sha, repeat);
    sha256_hex(&sha, hex);
    for (size_t i = 0; i < 16; i++) out = out << 4 | hex_digit(hex[i]);
    return out;
}
