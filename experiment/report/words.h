/* Numbers and verdicts as people read them, the same in every report. Texts of others go through
 * the escaping of each format first; nothing here holds any. */
#ifndef EXPERIMENT_REPORT_WORDS_H
#define EXPERIMENT_REPORT_WORDS_H

#include "experiment/analyse.h"

/* One number by a format of printf, the same in every locale. */
void words_printed(struct buf *out, const char *format, double number);
/* Four significant digits; "unknown" for NaN, "infinitely many" for infinities. */
void words_number(struct buf *out, double number);
/* A value of the metric with its unit: "84.5 %", "812 ms", "0.0123". */
void words_value(struct buf *out, const struct metric *metric, double value);
/* The same with its interval: "84.5 % (76.2 to 90.1)". */
void words_measure(struct buf *out, const struct metric *metric, const struct measure *measure);
/* A difference or ratio: "+4.2 pp (-1.0 to +9.5)", "1.12 times (1.05 to 1.20)". */
void words_effect(struct buf *out, const struct metric *metric, const struct measure *effect);
/* What the margin means: "5 pp", "5 %". */
void words_margin(struct buf *out, const struct metric *metric, double margin);
/* "p = 0.031", "p < 0.0001". */
void words_p(struct buf *out, double p);
/* A sentence for the verdict, with the names put in by `name`. */
typedef void words_name(struct buf *out, gramc_text name);
void words_verdict(struct buf *out, const struct analysis *analysis,
                   const struct arm_comparison *comparison, words_name *name);
/* How many cases more it takes, or what so many can show. */
void words_power(struct buf *out, const struct analysis *analysis,
                 const struct arm_comparison *comparison);
/* Is a change in that direction good (1), bad (-1), or neither? By the interval. */
int words_direction(const struct analysis *analysis, const struct arm_comparison *comparison);
/* "mid-p of McNemar's test": a test for people. */
const char *words_test(enum test_kind kind);

/* ## Online */
/* "online, unpaired: 812 of 2,000 planned units, ..." */
void words_online(struct buf *out, const struct analysis *analysis);
/* How many units the arms got, and were to get. */
void words_shares(struct buf *out, const struct analysis *analysis);
/* What the covariate explains; false: there is none. */
bool words_covariate(struct buf *out, const struct analysis *analysis,
                     const struct arm_comparison *comparison);

#endif
