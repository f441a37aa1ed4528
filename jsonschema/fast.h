/* The validator's fast half: one pass over the bytes of an instance, no document, no allocation
 * for what signatures can say. Every function takes the place of a value's first byte and gives the
 * place behind the value, or NULL: not accepted, not JSON, or given up (then run->given_up is set
 * and the evaluator is asked about the whole). The last byte of the text is a closing bracket, or
 * the quote of a lone string: in front of it nothing but strings needs a look at the end. */
#ifndef JSONSCHEMA_FAST_H
#define JSONSCHEMA_FAST_H

#include <string.h>

#include "base/json/scan.h"
#include "base/limits.h"
#include "jsonschema/evaluate.h"
#include "jsonschema/fill.h"

enum {
    RUN_WINDOW = 16,       /* bytes that are looked at in one go */
    RUN_MAX_FRAMES = 1000, /* second looks inside each other */
    RUN_FEW_KEYS = 128,    /* members that no schema names, in the objects around one place; for
                              more there is memory to be had */
    RUN_MAX_BITS = 8192,   /* names of long objects around one place */
    RUN_FEW_ENDS = 32,     /* of long containers, without memory */
    RUN_LONGEST_ESCAPED = 1024, /* key with escapes, in bytes */
    RUN_AGAIN = 1024 * 1024,    /* bytes looked at a second time, whatever the instance... */
    RUN_AGAIN_PER_BYTE = 12,    /* ...and for each of its bytes; beyond it the evaluator goes on,
                                   which remembers what it has seen */
    RUN_AGAIN_PER_STEP = 8      /* of these count as a step of judging */
};

/* A member that no schema names, to find the same name again. */
struct run_key {
    const char *start; /* behind the quote */
    uint32_t len;
    uint32_t hash; /* of what it means */
    uint32_t slot; /* in the table, from 1; 0: in none */
    bool escaped;
};

/* Where a container starts and ends. */
struct run_end {
    const char *open, *end;
};

struct run {
    const char *start, *end;
    const char *last_window; /* where the last RUN_WINDOW bytes start; NULL: there are fewer */
    uintptr_t to_tail;       /* from a place behind last_window to the same place in tail */
    const struct gramc_schema *schema;
    unsigned depth, frames;
    bool given_up;
    bool unfilled;    /* somewhere a default may be missing */
    bool has_session; /* regexes is in use */
    uint64_t again, most_again;
    uint64_t steps, all_steps; /* left, and at first, beside `again`: for patterns and documents */
    const char *furthest;      /* that a value was read to which was refused */
    const char *read_from, *read_to; /* of a value that was accepted: it is JSON */
    struct run_key *keys;
    size_t key_count, key_room;
    uint32_t *slots; /* places of keys, from 1; 0: free. NULL: no object has had many */
    size_t slot_mask, in_slots;
    size_t bit_words;     /* of bits, in use */
    struct run_end *ends; /* by where containers start; NULL: none is known */
    size_t end_mask;
    struct fills *fills; /* what is to be changed; NULL: the text is judged as it stands */
    unsigned char tail[2 * RUN_WINDOW]; /* the last bytes again, then zeros */
    uint64_t bits[RUN_MAX_BITS / 64];
    uint32_t few_slots[2 * RUN_FEW_KEYS];
    struct run_key few_keys[RUN_FEW_KEYS];
    struct run_end few_ends[RUN_FEW_ENDS];
    struct regex_session regexes;
};

/* Any value. */
const char *run_value(struct run *run, const struct schema_node *node, const char *p);

/* ## fast_scalars.c */
/* A string whose inside is [inside, close): what its rules and choices say. */
bool run_string_rules(struct run *run, const struct schema_node *node, const char *inside,
                      const char *close, unsigned seen);
const char *run_exact_number(struct run *run, const struct schema_node *node, const char *p);
const char *run_word(const struct run *run, const struct schema_node *node, const char *p);
/* What takes another pass over an array, which is well-formed: contains, uniqueItems. */
bool run_array_again(struct run *run, const struct schema_node *node, const char *start,
                     const char *end);

/* ## fast_outline.c */
/* The document of a text that was refused, but members of its root that are accepted as they stand
 * have nothing in them and MARK_FINE. NULL: the whole has to be read, for there are more rules at
 * the root, or something might be changed. `flags`: gramc_check_flags without coercions. *spent:
 * steps that are taken already, and then those that it took as well. */
struct json *run_outline(const struct gramc_schema *schema, gramc_text text, unsigned flags,
                         struct arena *arena, uint64_t *spent);
bool run_has_null(gramc_text text);

/* The slow way, right for everything. `spent`: steps that are taken already. */
bool run_evaluate(const gramc_schema *schema, const char *json, const char *end, uint64_t spent);

/* ## fast_keys.c */
/* The name of the schema that a text is, or that starts inside a quote: then looked for at the
 * likely place first, and NULL also for one with escapes. */
const struct fast_key *run_find_text(const struct fast_keys *names, gramc_text text);
const struct fast_key *run_find_many(const struct run *run, const struct fast_keys *names,
                                     const struct fast_key *likely, const char *inside);
/* False if the object that began with `base` keys has this one already, and when it gives up. */
bool run_remember_key(struct run *run, size_t base, gramc_text inside, unsigned seen);
void run_forget_slots(struct run *run, size_t base);
void run_free_keys(struct run *run);

/* An object is over. */
static inline void run_forget(struct run *run, size_t base) {
    if (run->in_slots) run_forget_slots(run, base);
    run->key_count = base;
}

/* ## fast_numbers.c */
/* A whole number of at most 18 digits, however it is written. */
bool fast_whole(gramc_text text, int64_t *out);
/* One of many numbers: the usual spellings are read eight bytes at once. */
const char *run_number_choice(struct run *run, const struct schema_node *node, const char *p);
/* Whether a number, however it is written, is among many. */
bool run_is_number(const struct fast_keys *choices, gramc_text text);

/* ## fast_members.c */
/* Reads a key that is not a fast one as it stands, and gives the place behind it. *key: the fast
 * one that it is, written with escapes, or NULL; then it is remembered. NULL if the rules do not
 * allow it, or if it was there before. `base`: where the keys of this object begin. */
const char *run_other_key(struct run *run, const struct object_rules *rules, size_t base,
                          const char *inside, const struct fast_key **key);
/* What follows from members that are there: a bit for each fast key; the object is [open, end). */
bool run_dependents(struct run *run, const struct object_rules *rules, const uint64_t *present,
                    const char *open, const char *end);
/* An object with patterns, names to check, or very many members. */
const char *run_long_object(struct run *run, const struct schema_node *node, const char *p);

/* ## fast_glance.c */
struct glanced {
    uint64_t alive; /* subjects that may accept the object... */
    uint64_t exact; /* ...and those of them that do, if it is JSON */
};
/* p is at an opening brace. */
struct glanced run_glance(struct run *run, const struct glance *glance, const char *p);
void run_free_ends(struct run *run);

/* ## fast_fill.c */
/* An object at its end. */
struct run_object {
    const struct object_rules *rules;
    const char *open, *close; /* its brackets */
    uint64_t present;         /* bits of the fast keys that are there... */
    uint32_t count;           /* ...of all members */
    bool dropped;             /* nulls were left out */
};
/* Notes which defaults are missing; gives their bits if they are filled in. */
uint64_t run_fill(struct run *run, const struct run_object *at);

/* A member whose value was refused. */
struct refused_member {
    const struct object_rules *rules;
    const struct fast_key *key;       /* NULL: the schema does not name it, or not as it stands */
    const char *open, *quote, *value; /* of the object, of the key */
    uint32_t count;                   /* of members before it */
};
/* The end of a null that counts as absent; `key` is there. */
const char *run_drop_null(struct run *run, const struct refused_member *at);

/* ## fast_coerce.c */
struct refused_item {
    const char *open, *value; /* of the array */
    uint32_t item;
};
/* The end of a value that the node takes once it is converted. NULL: it does not, or nobody asked
 * for that. */
const char *run_coerce_member(struct run *run, const struct schema_node *node,
                              const struct refused_member *at);
const char *run_coerce_item(struct run *run, const struct schema_node *node,
                            const struct refused_item *at);
/* p: the whole, or a copy of it with something behind it. */
const char *run_coerce_root(struct run *run, const struct schema_node *node, const char *p,
                            gramc_text whole);

/* ## fast_look.c */
/* Applicators: the same bytes again for each of them. */
const char *run_look(struct run *run, const struct schema_node *node, const char *p);
/* Several schemas in one pass, which notes nothing. */
const char *run_merged(struct run *run, const struct schema_node *node, const char *p);
/* Reads a document from here and asks the evaluator. */
const char *run_tree(struct run *run, const struct schema_node *node, const char *p);
/* Whether a regular expression matches the inside of a string. */
bool run_matches(struct run *run, const struct regex *regex, const char *inside, const char *close,
                 unsigned seen);

/* ## fast_differ.c */
/* It goes on with the steps that the run has left; these are to be given back. */
void run_start_evaluation(const struct run *run, struct evaluation *evaluation, struct arena *arena,
                          size_t bytes);
/* Whether the items of an array, whose bytes are [start, end), all differ. */
bool run_all_differ(struct run *run, const char *start, const char *end);

/* The text to run over, with its last bytes copied to where zeros follow. */
static inline void run_over(struct run *run, const char *start, const char *end) {
    size_t len = (size_t)(end - start);
    run->start = start;
    run->end = end;
    memset(run->tail + RUN_WINDOW, 0, RUN_WINDOW);
    if (len >= RUN_WINDOW) memcpy(run->tail, end - RUN_WINDOW, RUN_WINDOW);
    else memcpy(run->tail + RUN_WINDOW - len, start, len);
    run->last_window = len >= RUN_WINDOW ? end - RUN_WINDOW : NULL; /* short ones are all tail */
    run->to_tail = (uintptr_t)(run->tail + RUN_WINDOW) - (uintptr_t)end;
}

/* Where RUN_WINDOW bytes from p on can be read: in the text, or near its end in the copy with zeros
 * behind it. No branch: in short texts it would be a coin toss. */
static inline const unsigned char *run_window(const struct run *run, const char *p) {
    if (__builtin_expect(p <= run->last_window, 1)) return (const unsigned char *)p;
    return (const unsigned char *)((uintptr_t)p + run->to_tail);
}

#ifdef JSON_SCAN_SSE2
static inline __m128i run_block(const unsigned char *window) {
    return _mm_loadu_si128((const __m128i *)(const void *)window);
}

/* The next byte of a string that is not plain: a quote, a backslash, a control, something beyond
 * ASCII (which as a signed byte is below the blank too), or the end of the text. */
static inline const char *run_next_stop(const struct run *run, const char *p) {
    for (;; p += RUN_WINDOW) {
        __m128i block = run_block(run_window(run, p));
        __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
        __m128i backslashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
        __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(' '));
        __m128i any = _mm_or_si128(_mm_or_si128(quotes, backslashes), low);
        unsigned stops = (unsigned)_mm_movemask_epi8(any);
        if (stops) return p + __builtin_ctz(stops); /* at the latest the zeros behind the text */
    }
}
#else
static inline const char *run_next_stop(const struct run *run, const char *p) {
    while (p < run->end && (signed char)*p > 0x1F && !json_byte_is(*p, JSON_BYTE_STOP)) p++;
    return p;
}
#endif

enum { RUN_MOST_DIGITS = 7 };

#ifdef JSON_SCAN_SSE2
/* How many of the next eight bytes are digits before the first that is none, and, if at most
 * RUN_MOST_DIGITS are, their value. No loop: it would end by turns. */
static inline unsigned run_digits(const unsigned char *window, uint64_t *value) {
    uint64_t bytes;
    memcpy(&bytes, window, sizeof bytes);
    bytes ^= UINT64_C(0x3030303030303030);
    /* Carries only reach bytes behind the first that is no digit. */
    uint64_t others =
        ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    if (!others) return 8;
    unsigned bits = (unsigned)__builtin_ctzll(others) & ~7U;
    if (!bits) return 0;
    bytes <<= 64 - bits; /* zeros in front */
    bytes = (bytes * 10 + (bytes >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
    bytes = (bytes * 100 + (bytes >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
    *value = (bytes * 10000 + (bytes >> 32)) & UINT32_MAX;
    return bits / 8;
}
#else
static inline unsigned run_digits(const unsigned char *window, uint64_t *value) {
    unsigned count = 0;
    for (*value = 0; count <= RUN_MOST_DIGITS && json_byte_is((char)window[count], JSON_BYTE_DIGIT);
         count++)
        *value = *value * 10 + (uint64_t)(window[count] - '0');
    return count;
}
#endif

/* The closing quote of the string whose inside starts at p. */
static inline const char *run_scan_string(const struct run *run, const char *p, unsigned *seen) {
    for (;;) {
        p = run_next_stop(run, p);
        if (p >= run->end) return NULL;
        if (*p == '"') return p;
        bool escape = *p == '\\';
        p = escape ? json_scan_escape(p, run->end) : json_scan_highs(p, run->end);
        if (!p) return NULL;
        *seen |= escape ? JSON_SEEN_ESCAPE : JSON_SEEN_HIGH;
    }
}

/* Of the budget of a judgement. */
static inline uint64_t run_spent(const struct run *run) {
    return run->all_steps - run->steps + run->again / RUN_AGAIN_PER_STEP;
}

static inline const char *run_give_up(struct run *run) {
    run->given_up = true;
    return NULL;
}

/* A default may be missing here. */
static inline void run_unfilled(struct run *run) {
    if (!run->fills) run->unfilled = true;
    else if (run->fills->flags & GRAMC_CHECK_DEFAULTS) run_give_up(run);
}

/* Several schemas look at the same bytes: nothing is noted meanwhile. */
static inline struct fills *run_quietly(struct run *run) {
    struct fills *fills = run->fills;
    run->fills = NULL;
    return fills;
}

/* A default that was found missing meanwhile is the thorough half's: what is filled in for one
 * schema is seen by the others. */
static inline void run_as_before(struct run *run, struct fills *fills) {
    run->fills = fills;
    if (!fills || !run->unfilled) return;
    run->unfilled = false;
    if (fills->flags & GRAMC_CHECK_DEFAULTS) run_give_up(run);
}

/* The value is refused; p is how far it was read. */
static inline const char *run_refuse(struct run *run, const char *p) {
    if (p > run->furthest) run->furthest = p;
    return NULL;
}

/* Counts what is looked at again; false when it was too much. */
static inline bool run_look_again(struct run *run, uint64_t bytes) {
    run->again += bytes;
    return run->again <= run->most_again || run_give_up(run);
}

const char *run_skip_more(const char *p);

static inline const char *run_skip_blanks(const char *p) {
    return (unsigned char)*p > ' ' ? p : run_skip_more(p);
}

/* The blanks behind a comma or a colon, p: mostly none or one. */
static inline const char *run_skip_gap(const char *p) {
    p++;
    if (*p == ' ') p++;
    return run_skip_blanks(p);
}

/* The text goes on behind an inner container. No branches: they would be taken by turns. */
static inline bool run_goes_on(const struct run *run, const char *p) {
    unsigned ends = p == run->end, inner = run->depth != 0;
    return !(ends & inner);
}

/* run_value for a place that may be refused without ending the run. */
static inline const char *run_try(struct run *run, const struct schema_node *node, const char *p) {
    unsigned depth = run->depth;
    size_t keys = run->key_count, words = run->bit_words;
    const char *end = run_value(run, node, p);
    run->depth = depth;
    run->bit_words = words;
    run_forget(run, keys);
    return run->given_up ? NULL : end;
}

/* The first sixteen bytes of the inside of a string match a fast key or choice: all bytes and the
 * closing quote, if there is room for it. */
static inline bool run_head_is(const unsigned char *window, const struct fast_key *key) {
#ifdef JSON_SCAN_SSE2
    __m128i bytes = _mm_and_si128(run_block(window), run_block(key->mask));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, run_block(key->head))) == 0xFFFF;
#else
    unsigned char differ = 0;
    for (size_t i = 0; i < 16; i++)
        differ |= (unsigned char)((window[i] & key->mask[i]) ^ key->head[i]);
    return !differ;
#endif
}

bool run_long_tail_is(const struct run *run, const char *p, const struct fast_key *key);

/* What lies behind these sixteen bytes matches as well. */
static inline bool run_tail_is(const struct run *run, const char *p, const struct fast_key *key) {
    return key->text.len < 16 || run_long_tail_is(run, p, key);
}

/* A string without escapes is one of the texts. */
static inline bool run_is_text(const struct run *run, const struct fast_keys *texts,
                               const char *inside) {
    const unsigned char *window = run_window(run, inside);
    if (texts->slots) return run_find_many(run, texts, texts->keys, inside) != NULL;
    for (size_t i = 0; i < texts->count; i++)
        if (run_head_is(window, &texts->keys[i]) && run_tail_is(run, inside, &texts->keys[i]))
            return true;
    return false;
}

/* ## A run over a text */

static inline void run_init(struct run *run, const struct gramc_schema *schema, const char *start,
                            const char *end, struct fills *fills) {
    run->schema = schema;
    run->fills = fills;
    run->depth = run->frames = 0;
    run->again = run->key_count = run->in_slots = run->bit_words = 0;
    run->keys = run->few_keys;
    run->key_room = RUN_FEW_KEYS;
    run->slots = NULL;
    run->read_from = NULL;
    run->ends = NULL;
    run->most_again = RUN_AGAIN + RUN_AGAIN_PER_BYTE * (uint64_t)(end - start);
    run->steps = run->all_steps =
        JUDGE_STEPS_MAX + EVALUATE_STEPS_PER_BYTE * (uint64_t)(end - start);
    run->furthest = start;
    run->given_up = run->unfilled = run->has_session = false;
    run_over(run, start, end);
}

static inline void run_free(struct run *run) {
    if (run->has_session) regex_session_free(&run->regexes);
    if (run->keys != run->few_keys) run_free_keys(run);
    if (run->ends) run_free_ends(run);
}

#endif
