/* diff.h: what changed between two specs, and for whom it matters.
 *
 * Each change is a row of one table (gramc_diff_explain) at a place in the old text, the new one or
 * both. Both specs are only read: any thread may compare them while others read them. */
#ifndef GRAMC_DIFF_H
#define GRAMC_DIFF_H

#include "gramc/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gramc_impact {
    GRAMC_IMPACT_NONE,     /* that side does not see it */
    GRAMC_IMPACT_COSMETIC, /* nothing becomes valid or invalid, but the model reads or does another
                              thing */
    GRAMC_IMPACT_ADDITIVE, /* what was right stays right, and there is more */
    GRAMC_IMPACT_BREAKING  /* something that was right is not any more */
} gramc_impact;

/* A row of the table of all changes that there can be. */
typedef struct gramc_diff_kind {
    const char *code;         /* "D209" */
    const char *slug;         /* "parameter-narrowed" */
    gramc_impact caller;      /* for models, prompts, recorded calls */
    gramc_impact implementer; /* for tool libraries */
    const char *message;      /* with {0}, {1}, {2} */
    const char *explanation;
} gramc_diff_kind;

/* The i-th row; NULL past the end. Any thread. */
GRAMC_API const gramc_diff_kind *gramc_diff_explain(size_t i);

typedef struct gramc_diff_entry {
    const gramc_diff_kind *kind;
    gramc_impact impact;              /* the greater one of the two sides */
    gramc_impact caller, implementer; /* those of the kind at most: uses say whom it hits */
    gramc_text message;               /* one line, lower case, no full stop */
    gramc_text help;                  /* a hint, or empty */
    gramc_text example;               /* a value that shows it, and what became of it; or empty */
    gramc_text old_file;              /* empty: it is new; the span is then 0 */
    uint32_t old_start, old_end;
    gramc_text new_file; /* empty: it is gone */
    uint32_t new_start, new_end;
    size_t
        use_count; /* of places that the change of something shared reaches; 0: it is here alone */
} gramc_diff_entry;

/* A parameter, result or answer that changes because of what it names. */
typedef struct gramc_diff_use {
    gramc_text what; /* "parameter `home` of tool `work`" */
    gramc_text file; /* the new one */
    uint32_t start, end;
} gramc_diff_use;

typedef struct gramc_diff gramc_diff;

/* Compares two specs. The new one was compiled without errors. An old one with errors that leave
 * nothing whole is not compared (gramc_diff_not_compared), and what may have been in it is not said
 * to be new; GRAMC_FINDINGS if there is no other. One of several (gramc_compile_each) stands
 * for all, each agent and tool in its file. What has the same name on both sides is compared within
 * the same file first. The result is yours; it borrows from both compilations, which must outlive
 * it. The changes stand in the order of the new spec, what is gone behind that in the order of the
 * old one, then what several places share: same input, same list. GRAMC_NOMEM. Both compilations
 * are only read. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_new(gramc_diff **out, const gramc_spec *before,
                                                     const gramc_spec *after,
                                                     const gramc_allocator *allocator);
GRAMC_API void gramc_diff_free(gramc_diff *diff);
/* How many changes have that impact (on the side that it hits harder). */
GRAMC_API size_t gramc_diff_count(const gramc_diff *diff, gramc_impact impact);
/* The i-th change; false past the end. */
GRAMC_API bool gramc_diff_get(const gramc_diff *diff, size_t i, gramc_diff_entry *out);
/* One of its uses; false past the end. */
GRAMC_API bool gramc_diff_get_use(const gramc_diff *diff, size_t i, size_t use,
                                  gramc_diff_use *out);
/* How many were accepted, by comments `// gramc: allow(D209) reason` at the new place or by a
 * baseline: they do not stand in the list and are not counted by impact. */
GRAMC_API size_t gramc_diff_accepted(const gramc_diff *diff);
/* Writes the changes of the list down as accepted (docs/formats/baseline.md). GRAMC_NOMEM,
 * GRAMC_LIMIT, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_baseline_write(const gramc_diff *diff,
                                                                gramc_writer writer);
/* Takes out those that a baseline knows; *gone is how many of its changes do not occur. GRAMC_USAGE
 * if it is no baseline, GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_baseline_apply(gramc_diff *diff,
                                                                gramc_text baseline, size_t *gone);
/* How many old specs had errors and were not compared. */
GRAMC_API size_t gramc_diff_not_compared(const gramc_diff *diff);
/* Prints the changes as gramc_findings_print prints findings, by the files that they stand in; what
 * is gone stands in the old file. `fails` is the least impact that fails (a JUnit case), NONE if
 * none does. GRAMC_USAGE for an unknown format, GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_diff_print(const gramc_diff *diff,
                                                       gramc_report_format format,
                                                       gramc_impact fails, gramc_writer writer);

#ifdef __cplusplus
}
#endif
#endif
