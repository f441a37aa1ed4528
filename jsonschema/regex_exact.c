/* Decides which patterns may cost more than PCRE2 counts, and matches those by a program of ours,
 * whose every step counts. PCRE2 counts the rounds of a group, but neither how far a repeated
 * character goes in each of them, nor how many places a search begins at. */
#include "base/mem.h"
#include "jsonschema/regex_inside.h"

#include <string.h>

enum {
    LONG_PATTERN = 128, /* bytes */
    MANY_REPEATS = 64,  /* all quantifiers with each other */
    MOST_KEPT = 16,     /* programs of a session */
    COST_TO_COMPILE = 700 * BACKTRACKING_PER_STEP
};

/* A program that was made for one session. */
struct exact_program {
    struct exact_program *next;
    const char *pattern;
    struct regex_program *program; /* NULL: there can be none */
};

struct regex_exact {
    struct arena arena;
    struct regex_set set;
    struct exact_program *first;
    size_t count;
};

/* ## What a pattern may cost */

static size_t skip_class(const struct translator *t) {
    size_t ahead = 1;
    while (t->pos + ahead < t->pattern.len && pattern_peek(t, ahead) != ']')
        ahead += pattern_peek(t, ahead) == '\\' ? 2 : 1;
    return ahead + 1;
}

/* How often a quantifier that stands here repeats at most, 1 if there is none. */
static uint64_t repeats(const struct translator *t) {
    uint32_t least, most;
    char c = pattern_peek(t, 0);
    if (c == '*' || c == '+') return REPEAT_MAX;
    return c == '{' && pattern_braces(t, &least, &most) && most > 1 ? most : 1;
}

static bool is_reference(const struct translator *t) {
    char c = pattern_peek(t, 1);
    return pattern_peek(t, 0) == '\\' && (c == 'k' || (c >= '1' && c <= '9'));
}

bool pattern_is_open(gramc_text pattern) {
    struct translator t = {.pattern = pattern};
    uint64_t all = 1;
    if (pattern.len > LONG_PATTERN) return true;
    while (t.pos < pattern.len) {
        char c = pattern_peek(&t, 0);
        if (is_reference(&t)) return true;
        t.pos += c == '[' ? skip_class(&t) : c == '\\' ? 2 : 1;
        uint64_t times = repeats(&t);
        all *= times;
        /* The rounds of a group without end are what PCRE2 counts. */
        if (c == ')' && times == REPEAT_MAX) all /= times;
        if (all > MANY_REPEATS) return true;
    }
    return false;
}

/* ## Programs of a session */

static void forget_programs(struct regex_exact *exact) {
    for (struct exact_program *known = exact->first; known; known = known->next)
        regex_program_free(known->program);
    regex_set_free(&exact->set);
    arena_free(&exact->arena);
    exact->first = NULL;
    exact->count = 0;
}

void regex_exact_free(struct regex_session *session) {
    if (!session->exact) return;
    forget_programs(session->exact);
    mem_free(&session->allocator, session->exact, sizeof *session->exact);
    session->exact = NULL;
}

static struct regex_exact *start_exact(struct regex_session *session) {
    struct regex_exact *exact = session->exact;
    if (!exact) exact = mem_alloc(&session->allocator, sizeof *exact);
    if (!exact || exact == session->exact) return exact;
    *exact = (struct regex_exact){.first = NULL};
    arena_init(&exact->arena, &session->allocator);
    regex_set_init(&exact->set, &exact->arena);
    session->exact = exact;
    return exact;
}

enum regex_result regex_exact_program(struct regex_session *session, gramc_text pattern,
                                      const struct regex_program **program) {
    struct regex_exact *exact = start_exact(session);
    struct regex_error error;
    if (!exact) return REGEX_NOMEM;
    for (const struct exact_program *known = exact->first; known; known = known->next) {
        *program = known->program;
        if (known->pattern == pattern.ptr) return known->program ? REGEX_YES : REGEX_NO;
    }
    if (exact->count == MOST_KEPT) forget_programs(exact);
    if (!regex_session_pay(session, COST_TO_COMPILE)) return REGEX_LIMIT;
    struct exact_program *made = ARENA_NEW(&exact->arena, struct exact_program);
    if (!made) return REGEX_NOMEM;
    *made = (struct exact_program){.next = exact->first, .pattern = pattern.ptr};
    made->program = regex_program_compile(&exact->set, pattern, &error);
    exact->first = made;
    exact->count++;
    *program = made->program;
    if (exact->arena.oom) return REGEX_NOMEM;
    return made->program ? REGEX_YES : REGEX_NO;
}
