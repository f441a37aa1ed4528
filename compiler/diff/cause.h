/* Where a change comes from: a named type or a word of the vocabulary, which others use. */
#ifndef COMPILER_DIFF_CAUSE_H
#define COMPILER_DIFF_CAUSE_H

#include "compiler/diff/diff.h"

/* Something that has a type: a parameter, a result, an answer. */
struct diff_typed {
    const struct schema *schema;
    const struct field *field; /* NULL: no parameter */
};

/* What is asked about a type before and after. */
enum diff_question {
    IS_STILL,   /* is each old value one now? */
    WAS_BEFORE, /* was each new value one before? */
    WAS_SENT,   /* the same with defaults filled in */
    DIFF_QUESTIONS
};

/* A type before and after, as sets of values. */
struct change_of_values {
    bool is_same; /* word for word, but for a default that is null */
    struct diff_shift shift;
    gramc_comparison_answer answers[DIFF_QUESTIONS];
    gramc_text examples[DIFF_QUESTIONS], reasons[DIFF_QUESTIONS]; /* for NO, for UNKNOWN */
    gramc_text schemas[2];                                        /* old, new */
};

/* For who gives values and who takes them: a parameter is given by callers, a result by
 * implementers. */
struct diff_impacts {
    gramc_impact caller, implementer;
};
struct diff_impacts diff_impacts_of(struct diff_shift shift, enum diff_position position);

/* The same schema? `default: null` says no more than that a member may be absent. */
bool diff_same_schema(const struct json *a, const struct json *b);

/* What a comparison that failed leaves open is undecided. */
void compare_values(struct gramc_diff *diff, const struct schema *before,
                    const struct schema *after, struct change_of_values *out);

struct diff_cause {
    struct diff_cause *next;
    gramc_text name;
    struct diff_place before, after;
    bool is_changed; /* what it says itself, and not only what it names */
    struct change_of_values values;
    struct diff_use *uses, **last_use;
    uint32_t counts[DIFF_POSITIONS];
};

/* Notes what has a name on either side. */
void causes_begin(struct gramc_diff *diff, const struct gramc_spec *before,
                  const struct gramc_spec *after);
/* True if the types that it names are what changed: it is then noted as their use. */
bool cause_explains(struct gramc_diff *diff, const struct diff_use *use,
                    const struct diff_typed *before, const struct diff_typed *after);
/* True if default and presence are those of a word that is reused, on both sides; `places` are
 * where it stands. */
bool cause_of_property(struct gramc_diff *diff, const struct diff_typed *before,
                       const struct diff_typed *after, struct diff_place places[2]);
/* Adds one change of it, at that place, or one more use of the one that was added. */
void cause_add_property(struct gramc_diff *diff, enum change_id id,
                        const struct diff_place places[2], const struct diff_use *use, gramc_text a,
                        gramc_text b, gramc_text c);
/* One change for each that has uses. */
void causes_report(struct gramc_diff *diff);

#endif
