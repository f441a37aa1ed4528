/* Findings: what is wrong, where, and the way out. The sentences stand in diag.def, one row each;
 * code only names the row and hands over what stands in its {0}, {1}, {2}. */
#ifndef BASE_DIAG_DIAG_H
#define BASE_DIAG_DIAG_H

#include "base/buf.h"
#include "base/source.h"

enum diag_id {
#define DIAG(code, id, slug, severity, message, explanation, bad, good) D_##id,
#include "base/diag/diag.def"
#undef DIAG
    DIAG_COUNT
};

struct diag_row {
    const char *code, *slug;
    gramc_severity severity;
    const char *message;     /* with {0}, {1}, {2} */
    const char *explanation; /* some sentences for `explain` */
    const char *bad, *good;  /* examples; bad gives exactly this finding, good none */
};

const struct diag_row *diag_row(enum diag_id id);
/* By code ("G0203") or slug; DIAG_COUNT if there is none. */
enum diag_id diag_find(gramc_text name);
/* The slug or code that was most likely meant; {NULL, 0} if none is near. */
gramc_text diag_nearest(gramc_text name);
/* False for what cannot be allowed or lowered: text and syntax, plain gram, limits. */
bool diag_is_suppressible(enum diag_id id);

/* The row's message with its arguments filled in; {NULL, 0} without memory. */
gramc_text diag_fill(struct arena *arena, enum diag_id id, const gramc_text *args, size_t count);

struct diag_label {
    const struct source *source;
    struct span span;
    gramc_text text; /* what that other place is */
};

/* Of places that a finding reaches, formats for people show so many, and say how many more. */
enum { DIAG_LABELS = 4, DIAG_USES = 10 };

/* Something more about a finding that a program may want by name. */
struct diag_fact {
    const char *name;  /* a member of its JSON */
    gramc_text value;  /* empty: not shown */
    bool for_programs; /* people read it in the message already */
};

/* Other bytes for a span of the finding's source. */
struct fix {
    struct fix *next;
    struct span span;
    gramc_text replacement;
};

struct finding {
    enum diag_id id; /* DIAG_COUNT: the row is of another table */
    const struct diag_row *row;
    gramc_severity severity;
    const struct source *source; /* never NULL */
    struct span span;
    gramc_text message, help;
    struct diag_label labels[DIAG_LABELS];
    uint32_t label_count;
    const struct diag_fact *facts;
    uint32_t fact_count;
    const struct diag_label *uses; /* places that it reaches, however many */
    uint32_t use_count;
    struct fix *fixes; /* that remove it together and bring no other; NULL: none is known */
    uint32_t order;    /* in which they were reported */
    struct finding *next;
};

struct findings {
    struct arena *arena;
    struct finding *first, *last;
    uint32_t counts[3];  /* by gramc_severity, those not kept included */
    uint32_t kept_of[3]; /* by gramc_severity; until findings_sort up to max of each, so that an
                          * error finds room behind any number of notes */
    uint32_t max, reported;
};

void findings_init(struct findings *findings, struct arena *arena, uint32_t max);

/* Reports; up to three texts for {0}, {1}, {2}, copied. Returns NULL when max of that
 * severity are kept or memory has run out; the calls below take that NULL. */
struct finding *findings_add(struct findings *findings, enum diag_id id,
                             const struct source *source, struct span span, const gramc_text *args,
                             size_t arg_count);
#define FIND(findings, id, source, span, ...)                                                      \
    findings_add((findings), (id), (source), (span), (const gramc_text[]){__VA_ARGS__},            \
                 sizeof((const gramc_text[]){__VA_ARGS__}) / sizeof(gramc_text))
#define FIND0(findings, id, source, span) findings_add((findings), (id), (source), (span), NULL, 0)
/* The same with a row that is not in diag.def, and a message that is there already (borrowed). */
struct finding *findings_report(struct findings *findings, const struct diag_row *row,
                                const struct source *source, struct span span, gramc_text message);

/* Adds another place, with a few words about it. At most DIAG_LABELS; more are dropped. */
void finding_label(struct findings *findings, struct finding *finding, const struct source *source,
                   struct span span, const char *text);
/* Sets the way out; printf. A %.*s takes TEXT_ARGS(text). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void finding_help(struct findings *findings, struct finding *finding, const char *format, ...);

/* Adds an edit that is safe: nobody has to look at it before it is made. The text is copied. */
void finding_fix(struct findings *findings, struct finding *finding, struct span span,
                 gramc_text replacement);

/* Orders by source, place and order of reporting, and keeps max of them: errors before warnings
 * before notes. */
void findings_sort(struct findings *findings);
/* Takes out those for which `gone` answers true; returns how many. */
uint32_t findings_remove(struct findings *findings,
                         bool (*gone)(void *ctx, const struct finding *finding), void *ctx);
/* Moves all that `from` kept to the end of `to`, less those for which `gone` (NULL: none) answers
 * true; both lists share an arena. Counts what was not kept as well. */
void findings_move(struct findings *to, struct findings *from,
                   bool (*gone)(void *ctx, const struct finding *finding), void *ctx);
/* Takes out all that was reported since `before` was copied; nothing may have been taken out or
 * sorted meanwhile. */
void findings_rewind(struct findings *findings, const struct findings *before);
void finding_set_severity(struct findings *findings, struct finding *finding,
                          gramc_severity severity);
bool findings_have_errors(const struct findings *findings);
uint32_t findings_kept(const struct findings *findings);
/* How many of that severity were counted and are not kept. */
uint32_t findings_unshown(const struct findings *findings, gramc_severity severity);

/* ## Printers, one format a file; formats.c has the table. Whatever a command finds goes
 * through them: findings, changes, violations. */
struct diag_tally {
    const char *name; /* "accepted" */
    uint32_t count;   /* 0: not said */
};

struct diag_report {
    const struct source *sources;     /* all that were read, in order, by `next` */
    const struct findings *findings;  /* sorted */
    int fails;                        /* from this severity on a finding fails; above ERROR: none */
    const char *command;              /* whose report it is: "check" */
    const char *language;             /* of the sources: "gram", "json" */
    const char *const *grades;        /* what the severities are called; NULL: by their names */
    const struct diag_tally *tallies; /* what does not stand among the findings, by number */
    size_t tally_count;
    const char *nothing; /* what text says when there are none; NULL: nothing */
};

/* True if the finding fails the report: by its severity, or as a warning about a strict source. */
bool diag_fails(const struct diag_report *report, const struct finding *finding);

typedef void diag_printer(struct buf *out, const struct diag_report *report);
diag_printer diag_print_text, diag_print_color, diag_print_concise, diag_print_json,
    diag_print_sarif, diag_print_junit, diag_print_github, diag_print_gitlab;
/* NULL if there is no such format. */
diag_printer *diag_format_printer(gramc_report_format format);
/* Prints through it and sends: GRAMC_USAGE if there is no such format, GRAMC_NOMEM, GRAMC_LIMIT,
 * GRAMC_IO. */
gramc_status diag_print(const struct diag_report *report, gramc_report_format format,
                        const gramc_allocator *allocator, gramc_writer writer);

/* A finding's name that survives changes elsewhere in its file: sixteen hexadecimal digits of the
 * sha256 of path, code and the trimmed source line. Equal findings of one line share it. */
enum { DIAG_KEY = 16 };
void diag_key(const struct finding *finding, char out[DIAG_KEY]);
/* Prints the key with a number behind it, 1 for the first finding of that key; `keys` has those
 * that were printed. */
void diag_put_key(struct buf *out, struct buf *keys, const struct finding *finding);
/* A path as services name files: without `./`, from the repository's root. */
gramc_text diag_from_root(gramc_text path);

#endif
