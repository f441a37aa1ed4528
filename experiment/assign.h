/* Which arm a unit of an online experiment gets: by a hash of its key alone, so that it is the same
 * after a restart, in every process and for whoever computes it again (docs/experiments.md). */
#ifndef EXPERIMENT_ASSIGN_H
#define EXPERIMENT_ASSIGN_H

#include "base/limits.h"
#include "gramc/spec.h"

enum { UNIT_NAME = 32 };

/* The share of the units that each arm is to have; they add up to 1. */
void assign_shares(const gramc_experiment *experiment, double shares[ARMS_MAX]);
/* The first 52 bits of SHA-256 of "NAME\nSEED\nKEY", as a number from 0 to 1, fall into the share
 * of an arm: of the first, of the second, and so on. */
uint32_t assign_arm(const gramc_experiment *experiment, gramc_text key);
/* What the store calls the unit, 32 hexadecimal digits, from which nobody finds its key nor its
 * arm: of "unit\nNAME\nSEED\nKEY". */
void assign_name(const gramc_experiment *experiment, gramc_text key, char out[UNIT_NAME + 1]);

#endif
