/* What the power of McNemar's test shares with the test. */
#ifndef EXPERIMENT_STAT_PAIRS_PARTS_H
#define EXPERIMENT_STAT_PAIRS_PARTS_H

struct stat_mcnemar_p {
    double exact, mid;
};

/* Two-sided, for whole numbers of discordant pairs. */
struct stat_mcnemar_p stat_mcnemar_p(double b, double c);

#endif
