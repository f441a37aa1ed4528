/* From a unit's key to its arm and to its name in the store, by SHA-256. The experiment's name and
 * seed are the salt: in another experiment the same users are mixed anew. */
#include "experiment/assign.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/sha256.h"
#include "base/text.h"

static double weight_of(const gramc_arm *arm) {
    double weight = 1;
    if (arm->weight.len && !(number_to_double(&weight, arm->weight) && weight > 0)) return 1;
    return weight;
}

void assign_shares(const gramc_experiment *experiment, double shares[ARMS_MAX]) {
    double all = 0;
    for (size_t i = 0; i < experiment->arm_count; i++) all += weight_of(&experiment->arms[i]);
    for (size_t i = 0; i < experiment->arm_count; i++)
        shares[i] = weight_of(&experiment->arms[i]) / all;
}

static void hash(const gramc_experiment *experiment, const char *lead, gramc_text key,
                 char out[SHA256_HEX]) {
    struct sha256 sha;
    char seed[24];
    int len = snprintf(seed, sizeof(seed), "\n%llu\n", (unsigned long long)experiment->seed);
    sha256_init(&sha);
    sha256_add(&sha, lead, strlen(lead));
    sha256_add(&sha, experiment->name.ptr, experiment->name.len);
    sha256_add(&sha, seed, (size_t)len);
    sha256_add(&sha, key.ptr, key.len);
    sha256_hex(&sha, out);
}

/* 13 digits are 52 bits, which a double holds exactly. */
static double to_share(const char digits[SHA256_HEX]) {
    double value = 0;
    for (int i = 13; i-- > 0;) {
        char c = digits[i];
        value = (value + (c <= '9' ? c - '0' : c - 'a' + 10)) / 16;
    }
    return value;
}

uint32_t assign_arm(const gramc_experiment *experiment, gramc_text key) {
    char digits[SHA256_HEX];
    double shares[ARMS_MAX], below = 0;
    assign_shares(experiment, shares);
    hash(experiment, "", key, digits);
    double at = to_share(digits);
    uint32_t arm = 0;
    for (; arm + 1 < experiment->arm_count; arm++) {
        below += shares[arm];
        if (at < below) break;
    }
    return arm;
}

void assign_name(const gramc_experiment *experiment, gramc_text key, char out[UNIT_NAME + 1]) {
    char digits[SHA256_HEX];
    hash(experiment, "unit\n", key, digits);
    memcpy(out, digits, UNIT_NAME);
    out[UNIT_NAME] = '\0';
}
