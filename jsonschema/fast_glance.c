/* One look at the keys of an object, before any of several schemas reads it: what a member's first
 * byte, its text or its absence says about them. Values are skipped; where a long one ends is
 * remembered, so that a look from inside it needs not skip it again. What a look cannot tell is
 * found out by reading. */
#include "jsonschema/fast.h"

enum { FIRST_ENDS = 64, MOST_ENDS = 1 << 16, LONG_SPAN = 128, BLOCK = 16 };

/* ## Where containers end */

static struct run_end *end_slot(const struct run *run, const char *open) {
    uint64_t hash = (uint64_t)(open - run->start) * UINT64_C(0x9E3779B97F4A7C15);
    return &run->ends[(hash >> 40) & run->end_mask];
}

/* Without memory less is remembered. */
static void make_ends(struct run *run) {
    size_t wanted = (size_t)(run->end - run->start) / LONG_SPAN, size = RUN_FEW_ENDS;
    run->ends = run->few_ends;
    if (wanted > FIRST_ENDS) {
        for (size = FIRST_ENDS; size < wanted && size < MOST_ENDS;) size *= 2;
        run->ends = mem_alloc(&run->schema->arena.allocator, size * sizeof *run->ends);
        if (!run->ends) {
            run->ends = run->few_ends;
            size = RUN_FEW_ENDS;
        }
    }
    run->end_mask = size - 1;
    memset(run->ends, 0, size * sizeof *run->ends);
}

void run_free_ends(struct run *run) {
    if (run->ends && run->ends != run->few_ends)
        mem_free(&run->schema->arena.allocator, run->ends, (run->end_mask + 1) * sizeof *run->ends);
}

static void remember_end(struct run *run, const char *open, const char *end) {
    if (end - open < LONG_SPAN) return;
    if (!run->ends) make_ends(run);
    *end_slot(run, open) = (struct run_end){open, end};
}

/* A bit for each byte of a block. */
struct block_marks {
    unsigned quotes, backslashes, opens, closes;
};

#ifdef JSON_SCAN_SSE2
static unsigned equal_to(__m128i block, char byte) {
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte)));
}

/* Brackets and braces differ in one bit. */
static struct block_marks mark_block(const unsigned char *window) {
    __m128i block = run_block(window), lower = _mm_or_si128(block, _mm_set1_epi8(0x20));
    return (struct block_marks){equal_to(block, '"'), equal_to(block, '\\'), equal_to(lower, '{'),
                                equal_to(lower, '}')};
}
#else
static struct block_marks mark_block(const unsigned char *window) {
    struct block_marks marked = {0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i++) {
        marked.quotes |= (unsigned)(window[i] == '"') << i;
        marked.backslashes |= (unsigned)(window[i] == '\\') << i;
        marked.opens |= (unsigned)((window[i] | 0x20) == '{') << i;
        marked.closes |= (unsigned)((window[i] | 0x20) == '}') << i;
    }
    return marked;
}
#endif

/* The quotes that no backslash stands before. *escaped: whether one is before the block; then
 * whether one is before the next. */
static unsigned unescaped(const struct block_marks *marked, bool *escaped) {
    unsigned quotes = marked->quotes;
    if (!marked->backslashes && !*escaped) return quotes;
    for (unsigned i = 0; i < BLOCK; i++) {
        if (*escaped) quotes &= ~(1u << i);
        *escaped = !*escaped && marked->backslashes >> i & 1;
    }
    return quotes;
}

/* A bit for each byte from a quote to before the next; *inside: whether the block before ended in a
 * string. */
static unsigned in_strings(unsigned quotes, bool *inside) {
    unsigned in = quotes;
    for (unsigned shift = 1; shift < BLOCK; shift *= 2) in ^= in << shift;
    in = (*inside ? ~in : in) & 0xFFFF;
    *inside = in >> (BLOCK - 1);
    return in;
}

/* The place behind the container that starts at p; NULL if it has no end or is nested too deeply.
 * Nothing else is looked at. */
static const char *skip_container(struct run *run, const char *p) {
    const char *open[JSON_MAX_DEPTH];
    size_t depth = 0;
    bool inside = false, escaped = false;
    const struct run_end *known = run->ends ? end_slot(run, p) : NULL;
    if (known && known->open == p) return known->end;
    for (; p < run->end; p += BLOCK) {
        const struct block_marks marked = mark_block(run_window(run, p));
        unsigned strings = in_strings(unescaped(&marked, &escaped), &inside);
        for (unsigned left = (marked.opens | marked.closes) & ~strings; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            if (marked.opens >> i & 1) {
                if (depth == JSON_MAX_DEPTH) return NULL;
                open[depth++] = p + i;
                continue;
            }
            remember_end(run, open[--depth], p + i + 1);
            if (!depth) return p + i + 1;
        }
    }
    return NULL;
}

/* ## Values */

static enum glance_class class_of(char first) {
    switch (first) {
    case '"': return GLANCE_STRING;
    case 't': return GLANCE_TRUE;
    case 'f': return GLANCE_FALSE;
    case 'n': return GLANCE_NULL;
    case '{': return GLANCE_OBJECT;
    case '[': return GLANCE_ARRAY;
    default: return GLANCE_NUMBER;
    }
}

static const char *skip_value(struct run *run, const char *p, enum glance_class class) {
    unsigned seen = 0;
    if (class == GLANCE_OBJECT || class == GLANCE_ARRAY) {
        p = skip_container(run, p);
        return p && p < run->end ? p : NULL;
    }
    if (class == GLANCE_STRING) {
        p = run_scan_string(run, p + 1, &seen);
        return p ? p + 1 : NULL;
    }
    while (*p != ',' && *p != '}' && *p != ']') p++; /* at the latest the text's last byte */
    return p;
}

/* The one of the texts that starts inside a quote. */
static const struct fast_key *find_text(const struct run *run, const struct fast_keys *texts,
                                        const char *inside) {
    const unsigned char *window = run_window(run, inside);
    if (texts->slots) return run_find_many(run, texts, texts->keys, inside);
    for (size_t i = 0; i < texts->count; i++)
        if (run_head_is(window, &texts->keys[i]) && run_tail_is(run, inside, &texts->keys[i]))
            return &texts->keys[i];
    return NULL;
}

static void judge_text(const struct run *run, const struct glance_row *row, const char *quote,
                       struct glanced *out) {
    const struct fast_key *text = find_text(run, &row->texts, quote + 1);
    unsigned seen = 0;
    if (text) out->alive &= ~row->listed | text->bit;
    else if (run_scan_string(run, quote + 1, &seen) && !(seen & JSON_SEEN_ESCAPE))
        out->alive &= ~row->listed;
    else out->exact &= ~row->listed;
}

static void judge_number(struct run *run, const struct glance_row *row, const char *p,
                         struct glanced *out) {
    for (size_t i = 0; i < row->number_count; i++)
        if (out->alive & row->numbers[i].subject && !run_try(run, row->numbers[i].node, p))
            out->alive &= ~row->numbers[i].subject;
}

static void judge_member(struct run *run, const struct glance_row *row, const char *p,
                         enum glance_class class, struct glanced *out) {
    out->alive &= row->fits[class];
    out->exact &= row->sure[class];
    if (class == GLANCE_STRING && row->listed) judge_text(run, row, p, out);
    if (class == GLANCE_NUMBER && row->number_count) judge_number(run, row, p, out);
}

/* ## Objects */

/* Who is out because something is missing. */
static uint64_t missed(const struct glance *glance, uint64_t present) {
    uint64_t out = 0;
    for (uint64_t left = glance->required & ~present; left; left &= left - 1)
        out |= glance->rows[__builtin_ctzll(left)].required;
    return out;
}

/* Whether at most one is left, which will be read anyway. */
static bool is_settled(const struct glance *glance, const struct glanced *out) {
    return glance->choice && !(out->alive & (out->alive - 1));
}

/* p is at the quote of a key; gives the place behind the value. NULL: it is not to be told here. */
static const char *glance_member(struct run *run, const struct glance *glance, const char *p,
                                 uint64_t *present, struct glanced *out) {
    unsigned seen = 0;
    const struct fast_key *key = find_text(run, &glance->keys, p + 1);
    p = key ? p + 1 + key->text.len : run_scan_string(run, p + 1, &seen);
    if (!p || seen & JSON_SEEN_ESCAPE) return NULL;
    p = run_skip_blanks(p + 1);
    if (*p != ':') return NULL;
    p = run_skip_gap(p);
    enum glance_class class = class_of(*p);
    if (key) {
        *present |= key->bit;
        judge_member(run, &glance->rows[key - glance->keys.keys], p, class, out);
        if (run->given_up) return NULL;
        if (is_settled(glance, out)) return p;
    }
    return skip_value(run, p, class);
}

/* The place where the look ended; *whole: it was at the end of the object. */
static const char *glance_members(struct run *run, const struct glance *glance, const char *p,
                                  struct glanced *out, bool *whole) {
    uint64_t present = 0;
    const char *next = run_skip_blanks(p + 1);
    *whole = *next == '}';
    while (!*whole) {
        p = next;
        if (*p != '"' || !(next = glance_member(run, glance, p, &present, out))) return p;
        if (is_settled(glance, out)) return next;
        next = run_skip_blanks(next);
        *whole = *next == '}';
        if (*next != ',') break;
        next = run_skip_gap(next);
    }
    if (*whole) out->alive &= ~missed(glance, present);
    return next;
}

struct glanced run_glance(struct run *run, const struct glance *glance, const char *p) {
    struct glanced out = {glance->objects, glance->exact};
    bool whole;
    const char *end = glance_members(run, glance, p, &out, &whole);
    if (!whole) out.exact = 0;
    run_look_again(run, (size_t)(end - p));
    return out;
}
