/* What an experiment found: the one source of every report and every gate. Reads attempts once, in
 * any number; runs nothing, prints nothing.
 *
 * The unit of analysis is the item, or the cluster where cases name one, never the repeat: an
 * item's value in an arm is the mean over its repeats. An item takes part in a metric only if all
 * of its cells, in all arms, have a value. Every arm but the first is compared with the first. */
#ifndef EXPERIMENT_ANALYSE_H
#define EXPERIMENT_ANALYSE_H

#include "experiment/metric.h"
#include "experiment/plan.h"
#include "experiment/stat/stat.h"
#include "experiment/store/store.h"

/* One grader of the experiment, in the order of an attempt's scores. */
struct analysis_grader {
    gramc_text name;
    bool required;
    bool is_judge;      /* a model's opinion: compared with labels where cases have them */
    bool is_preference; /* its score stands with the later arm; the first is worth 0.5 */
    double weight;
};

/* What an online experiment has in place of cases. */
struct analysis_online {
    uint32_t units;       /* planned */
    const double *shares; /* of the units, one an arm; they add up to 1 */
    /* Shows all exposures, as store_exposures does; `ctx` is the input's. */
    gramc_status (*exposures)(void *ctx, store_exposure_visit *visit, void *visit_ctx);
};

struct analysis_input {
    const struct plan *plan;
    const struct analysis_grader *graders;
    size_t grader_count;
    /* Shows all attempts, as store_each does. GRAMC_OK, or what analyse() then returns. */
    gramc_status (*each)(void *ctx, bool traces, store_visit *visit, void *visit_ctx);
    void *ctx;
    bool transcripts;                     /* for the page: what was said in cases that changed */
    gramc_text state, reason;             /* of the store: done, stopped, aborted, running; why */
    const gramc_text *libraries, *models; /* one an arm, as people know them; NULL: as planned */
    /* One an arm: in what its first request differs from the first arm's (view_differences); NULL:
     * not known. */
    const gramc_text *differences;
    const struct analysis_online *online; /* NULL: it ran over cases */
};

/* How many of what is long: reports show that many and say how many more there are. */
enum { VARIANTS_MAX = 8, PATH_POINTS_MAX = 240, TRANSCRIPTS_MAX = 24, TRANSCRIPT_BYTES = 8192 };

/* A value with its interval; what is not known is NaN. */
struct measure {
    double value;
    struct stat_interval interval;
};

/* One metric in one arm. */
struct arm_metric {
    size_t items;
    struct measure mean; /* per item; pass and scores: the rate */
    double geometric;    /* of metrics on a ratio scale; NaN where a value is 0 */
    struct measure p50, p95;
    const char *method; /* of the interval */
};

/* A model or a system fingerprint that answers came from. */
struct variant {
    gramc_text name;
    uint64_t cells;
};
struct variants {
    struct variant list[VARIANTS_MAX];
    size_t count;
    uint64_t others; /* cells of further ones */
};

struct arm_result {
    gramc_text name, library, model;
    uint64_t done, missing, skipped, todo; /* cells */
    uint64_t faults;                       /* cells that ended by the arm's own fault */
    uint64_t first;                        /* repeats in which it ran first */
    uint64_t tokens_in, tokens_out, tokens_cached;
    double cost, judge_cost;
    bool has_cost;               /* of every cell */
    struct arm_metric *metrics;  /* one a metric */
    double *pass_all, *pass_any; /* pass^k, pass@k for k = 1 to the repeats; NaN: undefined */
    struct variants models, systems;
    double *latencies; /* in ms, of done cells, sorted */
    size_t latency_count;
};

enum test_kind {
    TEST_MCNEMAR_MID,
    TEST_MCNEMAR,
    TEST_T,
    TEST_SIGN_FLIP,
    TEST_WILCOXON,
    TEST_WELCH, /* unpaired, as is the next */
    TEST_RATES,
    TEST_COUNT
};
const char *test_name(enum test_kind kind);

/* The sequential test of a comparison, one step an item in the order of the plan. */
struct sequence_point {
    uint32_t items;
    double log_e; /* natural logarithm of the e-value */
    struct stat_interval interval;
};
struct sequence {
    const char *method; /* NULL: none was made */
    uint32_t items;     /* that were stepped: those of the contiguous prefix */
    double log_e, p;    /* of the greatest e-value so far */
    struct stat_interval interval;
    struct sequence_point *path; /* PATH_POINTS_MAX at most, the last one included */
    size_t points;
};

/* What a covariate explains of one metric. */
struct adjustment_by {
    double theta, reduction; /* of the variance: 0 to 1; NaN: none was made */
};

/* An arm against the first, in one metric. */
struct arm_comparison {
    size_t metric, arm;
    size_t items, clusters;
    bool binary; /* pass, one repeat, no clusters: the table below is the data */
    struct stat_pairs table;
    double baseline, candidate;     /* means, or geometric means */
    struct measure effect;          /* difference, or ratio */
    const char *method;             /* of its interval */
    double confidence;              /* of its interval, after Holm */
    struct stat_interval bootstrap; /* of the same effect; NaN: none was made */
    double p[TEST_COUNT];           /* NaN: that test was not made */
    enum test_kind decisive;        /* whose p is adjusted */
    double p_adjusted;
    const char *adjustment; /* "Holm", "Benjamini-Hochberg" */
    bool fixed_valid;       /* false after looking before the end: p and interval are not valid */
    struct adjustment_by covariate; /* online */
    double margin;                  /* on the scale of the effect: 0.05 is also a ratio of 1.05 */
    enum stat_verdict verdict;
    double items_needed;         /* for such a verdict, with 80 % power, if what was seen is true */
    double detectable;           /* the smallest effect that so many items show with 80 % power */
    double spread;               /* standard deviation of the items' differences */
    struct stat_interval bounds; /* the effect, were missing items all against or all for the arm */
    struct sequence sequence;
    const char *reason; /* why there is no effect; NULL: there is one */
};

/* An item in one arm. */
struct case_arm {
    uint32_t passed, done, missing, skipped;
    gramc_text reason; /* the first failure's; capped */
};
enum case_change { CASE_SAME, CASE_FIXED, CASE_REGRESSED, CASE_BETTER, CASE_WORSE };
struct case_result {
    gramc_text id, cluster, stratum;
    uint32_t place;        /* in the order of the plan */
    struct case_arm *arms; /* one an arm */
    double *values;        /* [arm * metrics + metric]: mean over repeats; NaN: lacks one */
    /* Online: a unit, which has values in its own arm alone. */
    uint32_t arm, messages, unended; /* unended: of these, without an end yet */
    double covariate;                /* NaN: none was told */
};

/* What was said in one case by one arm: its first repeat. */
struct transcript {
    size_t item, arm;
    gramc_text outcome, answer, conversation, reason;
    bool cut; /* there was more of it */
};

/* The primary metric among the items of a stratum. */
struct slice {
    gramc_text name;
    size_t arm, items;
    struct measure effect;
    double p, p_adjusted; /* Benjamini-Hochberg over all slices */
};

/* A judge's word against the labels of cases. */
struct agreement {
    gramc_text grader;
    uint64_t both, only_judge, only_label, neither; /* passed */
    struct measure share;
    double kappa;
};

/* Did one arm lose more cells than the first? */
struct attrition {
    size_t arm;
    uint64_t only_first, only_arm;
    double p;
};

/* Did it matter to run first? */
struct precedence {
    gramc_text metric;
    uint64_t higher, lower; /* items in which the first of each repeat had the higher value */
    double p;
};

/* Online: units came by themselves, and each was assigned to one arm. The unit is what is analysed,
 * its value the mean over its messages; arms share no units. */
struct online_result {
    uint32_t planned, seen;  /* units; those beyond the planned are not analysed */
    uint32_t with_covariate; /* of those that are */
    double shares[ARMS_MAX];
    uint64_t units[ARMS_MAX];    /* of all that were seen */
    uint64_t analysed[ARMS_MAX]; /* of these, the planned ones */
    uint64_t messages[ARMS_MAX]; /* of those that are analysed */
    uint64_t failed[ARMS_MAX];   /* of these: runs that did not answer, by whose fault ever */
    uint64_t told[ARMS_MAX];     /* units that gave feedback */
    uint64_t unended, crashed, unjudged; /* messages */
    struct stat_chi_square ratio;        /* of `units` against `shares` */
    bool is_mismatched;                  /* by it: nothing is concluded */
};

struct analysis {
    struct arena arena; /* all of it */
    gramc_text name, plan, cases_fingerprint, state, reason;
    uint64_t seed;
    uint32_t repeats;
    uint32_t items; /* planned */
    double alpha, margin, max_missing;
    bool sequential;
    bool complete;   /* every planned cell is done or missing */
    bool historical; /* two experiments, not at the same time */
    bool clustered;
    uint64_t cells, done, missing, skipped, todo, replayed;
    uint64_t model_calls, model_calls_replayed;
    /* The first and the last day of recording, in ms since 1970; 0: what was replayed does not say.
     */
    int64_t recorded_first_ms, recorded_last_ms;
    uint64_t comparable, compared; /* pairs of answers and graders that prefer; with a verdict */
    uint32_t items_run,
        items_lacking;      /* with all cells done or missing; of these: with a missing one */
    struct metric *metrics; /* the first is the primary one, guardrails follow */
    size_t metric_count, guardrail_count;
    size_t grader_count;
    struct arm_result *arms;
    size_t arm_count;
    struct arm_comparison *comparisons; /* (arm - 1) * metric_count + metric */
    struct case_result *cases;
    struct slice *slices;
    size_t slice_count;
    struct agreement *agreements;
    size_t agreement_count;
    struct attrition *attritions; /* one an arm but the first */
    struct precedence precedences[2];
    size_t precedence_count;
    struct transcript *transcripts;
    size_t transcript_count;
    struct online_result *online; /* NULL: it ran over cases, and is paired */
    gramc_text *warnings;
    size_t warning_count;
};

/* GRAMC_OK; GRAMC_NOMEM; what `each` returned; GRAMC_FINDINGS: the plan names a metric that is
 * none, or numbers that are none. */
gramc_status analyse(struct analysis *out, const struct analysis_input *input,
                     const gramc_allocator *allocator);
void analysis_free(struct analysis *analysis);

/* "2026-11-22", or "between 2026-11-20 and 2026-11-22"; "on days that are not known". */
enum { RECORDED_ROOM = 48 };
const char *analysis_recorded(const struct analysis *analysis, char room[RECORDED_ROOM]);

const struct arm_comparison *analysis_comparison(const struct analysis *analysis, size_t arm,
                                                 size_t metric);
/* The first metric of that kind; every experiment has all but graders'. */
size_t analysis_metric(const struct analysis *analysis, enum metric_kind kind);
/* Of an arm against the first, in the pass counts of one case. */
enum case_change case_change_of(const struct analysis *analysis, const struct case_result *result,
                                size_t arm);
/* How many cases changed so. */
size_t analysis_changes(const struct analysis *analysis, size_t arm, enum case_change change);

#endif
