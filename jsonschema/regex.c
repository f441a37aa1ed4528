/* Compiles translated patterns with PCRE2 and matches them within limits. Knows nothing of ECMA-262
 * (regex_translate.c) and nothing of schemas. */
#include "jsonschema/regex_inside.h"

#include <string.h>

#include "base/text.h"

enum {
    USUAL_WORK = 100,        /* steps of backtracking that are not counted... */
    USUAL_WORK_PER_BYTE = 2, /* ...and with each byte of the text */
    HARDER = 4,              /* times as many steps in the next try */
    STEPS_OF_MATCH = 4,      /* of judging, whatever comes of it... */
    BYTES_PER_STEP = 8,      /* ...and for reading the text once... */
    PLACES_PER_STEP = 75,    /* ...or to its end from each place where a search may begin */
    PROGRAM_STEPS = 4000000, /* of one match by a program... */
    PROGRAM_STEPS_PER_BYTE = 16,
    EXACT_PER_BYTE = 32, /* ...and where PCRE2 can do it as well */
    LONG_TEXT = 128,     /* bytes, from which on it matters what PCRE2 does not count... */
    FEW_ROUNDS = 16,     /* ...unless these are enough for a pattern that begins with ^ */
    AGAIN_PER_BACKTRACKING = PLACES_PER_STEP / BACKTRACKING_PER_STEP,
    HEAP_LIMIT_KIB = 20000,
    COMPILE_OPTIONS = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY |
                      PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C
};

struct regex {
    struct regex *next;
    struct regex *next_same; /* in its bucket */
    gramc_text pattern;
    pcre2_code *code; /* NULL: a program does it */
    struct regex_program *program;
    bool open;     /* PCRE2 may do much that it does not count... */
    bool anchored; /* ...but from the start of the text alone */
};

struct regex_engine {
    gramc_allocator allocator;
    pcre2_general_context *general;
    pcre2_compile_context *compile;
};

/* PCRE2 frees without saying how much it had asked for: a header remembers. */
enum { HEADER = 16 };

static void *block_new(const gramc_allocator *allocator, size_t size) {
    unsigned char *block = mem_alloc(allocator, size + HEADER);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEADER;
}

static void block_free(const gramc_allocator *allocator, unsigned char *block) {
    size_t size;
    memcpy(&size, block - HEADER, sizeof size);
    mem_free(allocator, block - HEADER, size + HEADER);
}

/* Not from the arena: what compiling takes for itself is given back at once, and that is many
 * times what is kept. */
static void *engine_malloc(PCRE2_SIZE size, void *data) {
    struct regex_engine *engine = data;
    return block_new(&engine->allocator, size);
}

static void engine_release(void *ptr, void *data) {
    struct regex_engine *engine = data;
    if (ptr) block_free(&engine->allocator, ptr);
}

void regex_set_init(struct regex_set *set, struct arena *arena) {
    *set = (struct regex_set){.arena = arena};
}

void regex_set_free(struct regex_set *set) {
    for (struct regex *regex = set->first; regex; regex = regex->next) {
        pcre2_code_free(regex->code);
        regex_program_free(regex->program);
    }
    if (set->engine) {
        pcre2_compile_context_free(set->engine->compile);
        pcre2_general_context_free(set->engine->general);
    }
    set->first = NULL;
    set->engine = NULL;
}

static bool start_engine(struct regex_set *set) {
    if (set->engine) return true;
    struct regex_engine *engine = ARENA_NEW(set->arena, struct regex_engine);
    if (!engine) return false;
    engine->allocator = set->arena->allocator;
    engine->general = pcre2_general_context_create(engine_malloc, engine_release, engine);
    engine->compile = engine->general ? pcre2_compile_context_create(engine->general) : NULL;
    if (engine->compile) {
        set->engine = engine;
        return true;
    }
    if (engine->general) pcre2_general_context_free(engine->general);
    set->arena->oom = true;
    return false;
}

static void explain(struct regex_error *error, int code) {
    PCRE2_UCHAR message[120] = {0};
    pcre2_get_error_message(code, message, sizeof message);
    static const char prefix[] = "cannot be translated: ";
    size_t len = strlen((const char *)message);
    error->position = 0; /* PCRE2 counts in the translation */
    memcpy(error->message, prefix, sizeof prefix - 1);
    memcpy(error->message + sizeof prefix - 1, message, len + 1);
}

pcre2_code *regex_set_code(struct regex_set *set, gramc_text translated,
                           struct regex_error *error) {
    int code;
    PCRE2_SIZE position;
    if (!start_engine(set)) return NULL;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)translated.ptr, translated.len,
                                         COMPILE_OPTIONS, &code, &position, set->engine->compile);
    if (compiled) return compiled;
    if (code == PCRE2_ERROR_HEAP_FAILED) set->arena->oom = true;
    explain(error, code);
    return NULL;
}

static void look_at_code(struct regex *regex, gramc_text pattern) {
    uint32_t options = 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_ALLOPTIONS, &options);
    regex->anchored = options & PCRE2_ANCHORED;
    regex->open = pattern_is_open(pattern);
}

/* PCRE2 where it can, since it is the fastest; a program where it cannot. */
static struct regex *compile_translated(struct regex_set *set, gramc_text pattern,
                                        gramc_text translated, bool beyond,
                                        struct regex_error *error) {
    struct regex *regex = ARENA_NEW(set->arena, struct regex);
    if (!regex) return NULL;
    if (!beyond) regex->code = regex_set_code(set, translated, error);
    if (regex->code) look_at_code(regex, pattern);
    /* Without machine code (no memory, a platform that forbids it) the interpreter does it. */
    if (regex->code) (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
    else if (!set->arena->oom) regex->program = regex_program_compile(set, pattern, error);
    return regex->code || regex->program ? regex : NULL;
}

static void put_in_bucket(struct regex_set *set, struct regex *regex) {
    struct regex **bucket = &set->same[text_hash(regex->pattern) % REGEX_BUCKETS];
    regex->next_same = *bucket;
    *bucket = regex;
}

static struct regex *find_same(const struct regex_set *set, gramc_text pattern) {
    struct regex *regex = set->first;
    if (set->same) regex = set->same[text_hash(pattern) % REGEX_BUCKETS];
    while (regex && !text_eq(regex->pattern, pattern))
        regex = set->same ? regex->next_same : regex->next;
    return regex;
}

/* Few expressions are a list, since a table would be larger than all of them. */
static bool add_to_set(struct regex_set *set, struct regex *regex) {
    regex->next = set->first;
    set->first = regex;
    if (set->same) put_in_bucket(set, regex);
    if (++set->count != REGEX_LISTED) return true;
    set->same = arena_array(set->arena, REGEX_BUCKETS, sizeof *set->same);
    if (!set->same) return false;
    for (regex = set->first; regex; regex = regex->next) put_in_bucket(set, regex);
    return true;
}

const struct regex *regex_compile(struct regex_set *set, gramc_text pattern,
                                  struct regex_error *error) {
    struct regex *regex = find_same(set, pattern);
    if (regex) return regex;
    bool beyond = false;
    struct buf translated;
    buf_init(&translated, &set->arena->allocator, 16 * PATTERN_BYTES_MAX);
    if (pattern.len > PATTERN_BYTES_MAX) *error = (struct regex_error){0, "longer than 64 KiB"};
    else if (regex_translate(&translated, pattern, &beyond, error))
        regex = compile_translated(set, pattern, buf_view(&translated), beyond, error);
    if (translated.state == BUF_NOMEM) set->arena->oom = true;
    buf_free(&translated);
    if (!regex) return NULL;
    regex->pattern = pattern;
    return add_to_set(set, regex) ? regex : NULL;
}

gramc_text regex_pattern(const struct regex *regex) {
    return regex->pattern;
}

static void *session_malloc(PCRE2_SIZE size, void *data) {
    struct regex_session *session = data;
    size_t rounded = (size + 15) & ~(size_t)15;
    if (rounded <= sizeof session->scratch - session->used) {
        session->used += rounded;
        return session->scratch + session->used - rounded;
    }
    return block_new(&session->allocator, size);
}

static void session_release(void *ptr, void *data) {
    struct regex_session *session = data;
    unsigned char *block = ptr;
    if (!block || (block >= session->scratch && block < session->scratch + sizeof session->scratch))
        return;
    block_free(&session->allocator, block);
}

void regex_session_init(struct regex_session *session, const gramc_allocator *allocator,
                        uint64_t *steps) {
    session->allocator = *allocator;
    session->general = session->match = session->limits = NULL;
    session->stack = NULL;
    session->exact = NULL;
    session->steps = steps;
    session->own_steps = JUDGE_STEPS_MAX;
    session->used = 0;
}

void regex_session_free(struct regex_session *session) {
    if (session->match) pcre2_match_data_free(session->match);
    if (session->limits) pcre2_match_context_free(session->limits);
    if (session->general) pcre2_general_context_free(session->general);
    session->general = session->match = session->limits = NULL;
    regex_stack_free(session);
    regex_exact_free(session);
}

static bool start_session(struct regex_session *session) {
    if (session->match) return true;
    if (!session->general)
        session->general = pcre2_general_context_create(session_malloc, session_release, session);
    if (!session->general) return false;
    if (!session->limits) session->limits = pcre2_match_context_create(session->general);
    if (!session->limits) return false;
    pcre2_set_heap_limit(session->limits, HEAP_LIMIT_KIB);
    session->match = pcre2_match_data_create(1, session->general);
    return session->match != NULL;
}

/* Within so many steps. */
static int match_within(struct regex_session *session, const struct regex *regex, gramc_text text,
                        size_t from, uint64_t steps) {
    PCRE2_SPTR subject = (PCRE2_SPTR)(text.ptr ? text.ptr : "");
    pcre2_set_match_limit(session->limits, (uint32_t)steps);
    int result = pcre2_match(regex->code, subject, text.len, from, PCRE2_NO_UTF_CHECK,
                             session->match, session->limits);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT)
        result = pcre2_match(regex->code, subject, text.len, from,
                             PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, session->match, session->limits);
    return result;
}

bool regex_session_pay(struct regex_session *session, uint64_t backtracking) {
    uint64_t *left = session->steps ? session->steps : &session->own_steps;
    uint64_t cost = backtracking / BACKTRACKING_PER_STEP + 1;
    if (*left <= cost) return false;
    *left -= cost;
    return true;
}

uint64_t regex_steps(const struct regex *regex, size_t len) {
    uint64_t steps = STEPS_OF_MATCH + len / BYTES_PER_STEP;
    bool again = regex->open && !regex->anchored && len <= LONG_TEXT;
    return again ? steps + len * len / PLACES_PER_STEP : steps;
}

static enum regex_result result_of(int result) {
    if (result >= 0) return REGEX_YES;
    if (result == PCRE2_ERROR_NOMATCH) return REGEX_NO;
    return result == PCRE2_ERROR_NOMEMORY ? REGEX_NOMEM : REGEX_LIMIT;
}

/* PCRE2 does not tell how many steps a match took, only that it took too many: what takes more than
 * the usual number is tried again with more, and pays for all of them. */
static enum regex_result match_from(struct regex_session *session, const struct regex *regex,
                                    gramc_text text, size_t from) {
    uint64_t steps = USUAL_WORK + USUAL_WORK_PER_BYTE * (uint64_t)text.len;
    if (steps > MATCH_BACKTRACKING_MAX) steps = MATCH_BACKTRACKING_MAX;
    int result = match_within(session, regex, text, from, steps);
    while (result == PCRE2_ERROR_MATCHLIMIT && steps < MATCH_BACKTRACKING_MAX) {
        steps = steps * HARDER < MATCH_BACKTRACKING_MAX ? steps * HARDER : MATCH_BACKTRACKING_MAX;
        if (!regex_session_pay(session, steps)) return REGEX_LIMIT;
        result = match_within(session, regex, text, from, steps);
    }
    return result_of(result);
}

static enum regex_result run_program(struct regex_session *session, const struct regex *regex,
                                     gramc_text text, size_t *start, size_t *end) {
    uint64_t steps = PROGRAM_STEPS + PROGRAM_STEPS_PER_BYTE * (uint64_t)text.len;
    return regex_program_find(session, regex->program, text, steps, start, end);
}

/* As if each round went through the whole text. */
static enum regex_result match_dearly(struct regex_session *session, const struct regex *regex,
                                      gramc_text text) {
    int result = PCRE2_ERROR_MATCHLIMIT;
    uint64_t len = text.len, rounds = FEW_ROUNDS + len;
    for (; result == PCRE2_ERROR_MATCHLIMIT && rounds < MATCH_BACKTRACKING_MAX; rounds *= HARDER) {
        if (!regex_session_pay(session, rounds * len / AGAIN_PER_BACKTRACKING)) return REGEX_LIMIT;
        result = match_within(session, regex, text, 0, rounds);
    }
    return result_of(result);
}

/* Where PCRE2's own count says too little: a program, if that is done after a few readings of the
 * text. PCRE2 knows more ways to give up early, but what it may do then is paid for in advance. */
static enum regex_result match_exactly(struct regex_session *session, const struct regex *regex,
                                       gramc_text text) {
    const struct regex_program *program = NULL;
    size_t start, end = 0;
    uint64_t len = text.len, most = EXACT_PER_BYTE * len;
    if (most > *session->steps * PROGRAM_STEPS_PER_STEP)
        most = *session->steps * PROGRAM_STEPS_PER_STEP;
    if (regex->anchored) {
        int result = match_within(session, regex, text, 0, FEW_ROUNDS);
        if (result != PCRE2_ERROR_MATCHLIMIT) return result_of(result);
    }
    enum regex_result result = regex_exact_program(session, regex->pattern, &program);
    if (result == REGEX_NOMEM) return result;
    if (program) result = regex_program_find(session, program, text, most, &start, &end);
    if (program && result != REGEX_LIMIT) return result;
    return match_dearly(session, regex, text);
}

enum regex_result regex_matches(struct regex_session *session, const struct regex *regex,
                                gramc_text text) {
    size_t start, end = 0;
    if (!start_session(session)) return REGEX_NOMEM;
    if (regex->program) return run_program(session, regex, text, &start, &end);
    if (regex->open && session->steps && text.len > LONG_TEXT)
        return match_exactly(session, regex, text);
    return match_from(session, regex, text, 0);
}

enum regex_result regex_find(struct regex_session *session, const struct regex *regex,
                             gramc_text text, size_t *start, size_t *end) {
    if (!start_session(session)) return REGEX_NOMEM;
    if (regex->program) return run_program(session, regex, text, start, end);
    enum regex_result result = match_from(session, regex, text, *end);
    if (result != REGEX_YES) return result;
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(session->match);
    *start = offsets[0] < offsets[1] ? offsets[0] : offsets[1];
    *end = offsets[1];
    return REGEX_YES;
}
