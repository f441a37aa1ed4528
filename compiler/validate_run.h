/* The validator's fast half: one pass over the bytes of an instance, no document, no allocation
 * for what signatures can say. Every function takes the place of a value's first byte and gives the
 * place behind the value, or NULL: not accepted, not JSON, or given up (then run->given_up is set
 * and the judge is asked about the whole). The last byte of the text is a closing bracket: in front
 * of it nothing but strings needs a look at the end of the text. */
#ifndef COMPILER_VALIDATE_RUN_H
#define COMPILER_VALIDATE_RUN_H

#include <string.h>

#include "base/json_scan.h"
#include "compiler/validate_judge.h"

enum {
    RUN_MAX_FRAMES = 2000, /* containers and second looks inside each other */
    RUN_MAX_KEYS = 128,    /* members that no schema names, in the objects around one place */
    RUN_MAX_AGAIN = 64 * 1024 * 1024 /* bytes looked at a second time */
};

/* A member that no schema names, to find the same name again. */
struct run_key {
    const char *start; /* behind the quote */
    uint32_t len;
    uint32_t hash; /* of what it means */
};

struct run {
    const char *end;
    const char *last_block; /* where the last sixteen bytes start */
    const struct gramc_schema *schema;
    unsigned depth, frames;
    bool given_up;
    bool has_session; /* regexes is in use */
    size_t again;
    size_t key_count;
    unsigned char tail[32]; /* the last 16 bytes, then zeros: for reading 16 bytes near the end */
    struct run_key keys[RUN_MAX_KEYS];
    struct regex_session regexes;
};

/* The types that a value may have, by its first byte. */
extern const uint8_t run_first_types[256];

const char *run_number(struct run *run, const struct node *node, const char *p);
const char *run_word(struct run *run, const struct node *node, const char *p);
/* The string at p, once its end is known: what its rules and choices say. */
bool run_string_rules(struct run *run, const struct node *node, const char *inside,
                      const char *close, unsigned seen);

/* ## validate_run_parts.c */
const char *run_array(struct run *run, const struct node *node, const char *p);
const char *run_object(struct run *run, const struct node *node, const char *p);

/* ## validate_run_look.c */
/* Applicators: the same bytes again for each of them. */
const char *run_look(struct run *run, const struct node *node, const char *p);
/* Reads a document from here and asks the judge. */
const char *run_tree(struct run *run, const struct node *node, const char *p);
/* Whether the items of an array, whose bytes are [start, end), all differ. */
bool run_all_differ(struct run *run, const char *start, const char *end);
/* Whether a regular expression matches the inside of a string. */
bool run_matches(struct run *run, const struct regex *regex, const char *inside, const char *close,
                 unsigned seen);

/* Where 16 bytes from p on can be read. */
static inline const unsigned char *run_sixteen(const struct run *run, const char *p) {
    size_t left = (size_t)(run->end - p);
    return left >= 16 ? (const unsigned char *)p : run->tail + 16 - left;
}

#ifdef JSON_SCAN_SSE2
/* Bits for the quotes, backslashes and controls among sixteen bytes. */
static inline unsigned run_stops(__m128i block) {
    __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    __m128i backslashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls));
}

/* The next byte that stops a string: a quote, a backslash, a control, or the end of the text.
 * `highs` collects the high bits of what lies before it. */
static inline const char *run_next_stop(const struct run *run, const char *p, unsigned *highs) {
    __m128i block, seen = _mm_setzero_si128();
    unsigned stop;
    for (; p <= run->last_block; p += 16) {
        block = _mm_loadu_si128((const __m128i *)(const void *)p);
        if ((stop = run_stops(block))) goto found;
        seen = _mm_or_si128(seen, block);
    }
    block = _mm_loadu_si128((const __m128i *)(const void *)run_sixteen(run, p));
    stop = run_stops(block); /* at the latest the zeros behind the text */
found:
    *highs |= (unsigned)_mm_movemask_epi8(seen) |
              ((unsigned)_mm_movemask_epi8(block) & ((stop & (0 - stop)) - 1));
    return p + __builtin_ctz(stop);
}

/* The closing quote of the string whose inside starts at p. */
static inline const char *run_scan_string(const struct run *run, const char *p, unsigned *seen) {
    const char *inside = p;
    unsigned highs = 0;
    for (;;) {
        p = run_next_stop(run, p, &highs);
        if (p >= run->end) return NULL; /* the zeros behind the text stopped it */
        if (*p == '"') break;
        if (*p != '\\') return NULL;
        *seen |= JSON_SEEN_ESCAPE;
        if (json_byte_is(p[1], JSON_BYTE_ESCAPE)) {
            p += 2;
            continue;
        }
        p = json_scan_escape(p, run->end);
        if (!p) return NULL;
    }
    if (!highs) return p;
    *seen |= JSON_SEEN_HIGH;
    return json_scan_utf8(inside, p) ? p : NULL;
}
#else
static inline const char *run_scan_string(const struct run *run, const char *p, unsigned *seen) {
    return json_scan_string(p, run->end, seen);
}
#endif

static inline const char *run_give_up(struct run *run) {
    run->given_up = true;
    return NULL;
}

static inline const char *run_skip_blanks(const char *p) {
    while ((unsigned char)*p <= ' ' && json_byte_is(*p, JSON_BYTE_BLANK)) p++;
    return p;
}

static inline const char *run_string(struct run *run, const struct node *node, const char *p) {
    unsigned seen = 0;
    const char *inside = p + 1, *close = run_scan_string(run, inside, &seen);
    if (!close) return NULL;
    if ((node->string || node->texts) && !run_string_rules(run, node, inside, close, seen))
        return NULL;
    return close + 1;
}

/* Any value: what its first byte says decides. */
static inline const char *run_value(struct run *run, const struct node *node, const char *p) {
    unsigned type = run_first_types[(unsigned char)*p];
    if (!(node->kinds & type)) return NULL;
    if (node->way != WAY_STRAIGHT)
        return node->way == WAY_LOOK ? run_look(run, node, p) : run_tree(run, node, p);
    switch (type) {
    case TYPE_STRING: return run_string(run, node, p);
    case TYPE_NUMBER: return run_number(run, node, p);
    case TYPE_OBJECT: return run_object(run, node, p);
    case TYPE_ARRAY: return run_array(run, node, p);
    default: return run_word(run, node, p);
    }
}

/* run_value for a place that may be refused without ending the run. */
static inline const char *run_try(struct run *run, const struct node *node, const char *p) {
    unsigned depth = run->depth;
    size_t keys = run->key_count;
    const char *end = run_value(run, node, p);
    run->depth = depth;
    run->key_count = keys;
    return run->given_up ? NULL : end;
}

/* The inside of a string matches a quick key or choice, its closing quote included. */
static inline bool run_key_is(const struct run *run, const unsigned char *sixteen, const char *p,
                              const struct quick_key *key) {
#ifdef JSON_SCAN_SSE2
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)sixteen);
    __m128i head = _mm_loadu_si128((const __m128i *)(const void *)key->head);
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)key->mask);
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(bytes, mask), head)) != 0xFFFF) return false;
#else
    unsigned char differ = 0;
    for (size_t i = 0; i < 16; i++)
        differ |= (unsigned char)((sixteen[i] & key->mask[i]) ^ key->head[i]);
    if (differ) return false;
#endif
    if (key->text.len < 16) return true; /* the quote was among the sixteen */
    return (size_t)(run->end - p) > key->text.len && p[key->text.len] == '"' &&
           memcmp(p, key->text.ptr, key->text.len) == 0;
}

#endif
