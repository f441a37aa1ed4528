/* Regular expressions as JSON Schema means them (ECMA-262 with the u flag), run by PCRE2. */
#ifndef JSONSCHEMA_REGEX_H
#define JSONSCHEMA_REGEX_H

#include "base/buf.h"

struct regex;
struct regex_engine;

/* The expressions of one schema. Memory comes from the arena and its allocator, apart from what
 * PCRE2's compiler to machine code maps for itself. */
struct regex_set {
    struct arena *arena;
    struct regex_engine *engine; /* NULL until the first expression */
    struct regex *first;
    size_t count;
    struct regex **same; /* by the pattern's hash; NULL while there are few */
};

enum { REGEX_BUCKETS = 1024, REGEX_LISTED = 32 };

struct regex_error {
    size_t position; /* in the pattern */
    char message[160];
};

/* Writes the pattern as PCRE2 takes it; `out` NULL only evaluates. False, with the reason, for what
 * is not ECMA-262. Annex B's harmless liberties are taken: escaped punctuation, and braces that
 * are no quantifier. *beyond (may be NULL): PCRE2 would take the translation for something else. */
bool regex_translate(struct buf *out, gramc_text pattern, bool *beyond, struct regex_error *error);

void regex_set_init(struct regex_set *set, struct arena *arena);
void regex_set_free(struct regex_set *set);
/* NULL with the reason; without memory the arena says so. The same pattern is compiled once. */
const struct regex *regex_compile(struct regex_set *set, gramc_text pattern,
                                  struct regex_error *error);

/* As it is written. */
gramc_text regex_pattern(const struct regex *regex);

enum regex_result { REGEX_NO, REGEX_YES, REGEX_LIMIT, REGEX_NOMEM };

enum { BACKTRACKING_PER_STEP = 15, PROGRAM_STEPS_PER_STEP = 8 };

/* Room for matching, one per run; takes memory only for what its scratch cannot hold. */
struct regex_session {
    gramc_allocator allocator;
    void *general, *match, *limits; /* PCRE2's */
    uint64_t *steps;                /* that are left for all matches and whatever else takes them */
    uint64_t own_steps;             /* NULL: these */
    struct regex_stack *stack;      /* a program's; NULL until the first */
    struct regex_exact *exact;      /* programs for long texts; NULL until the first */
    size_t used;
    _Alignas(16) unsigned char scratch[768];
};

/* `steps`: a budget that is shared with others; NULL: the session has one of its own. */
void regex_session_init(struct regex_session *session, const gramc_allocator *allocator,
                        uint64_t *steps);
void regex_session_free(struct regex_session *session);
/* What a match takes of a shared budget at least; the caller takes it. */
uint64_t regex_steps(const struct regex *regex, size_t len);
/* True if the expression matches anywhere in the text, which is well-formed UTF-8. Time is limited
 * by a number of steps, for each match and for all of a session together. */
enum regex_result regex_matches(struct regex_session *session, const struct regex *regex,
                                gramc_text text);
/* The first match from *end on: where it starts and ends. */
enum regex_result regex_find(struct regex_session *session, const struct regex *regex,
                             gramc_text text, size_t *start, size_t *end);

#endif
