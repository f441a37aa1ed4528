/* Answers whether a schema accepts some bytes: one pass that reads and judges together. Here are
 * the start and scalars; arrays and objects are in validate_run_parts.c, nodes that need several
 * passes in validate_run_look.c. What this way cannot do it hands to the judge. */
#include "compiler/validate_run.h"

#include "base/json_number.h"
#include "base/text.h"
#include "compiler/formats.h"

/* The types that a value may have, by its first byte. */
#define N TYPE_NUMBER
const uint8_t run_first_types[256] = {
    ['"'] = TYPE_STRING,
    ['{'] = TYPE_OBJECT,
    ['['] = TYPE_ARRAY,
    ['t'] = TYPE_BOOLEAN,
    ['f'] = TYPE_BOOLEAN,
    ['n'] = TYPE_NULL,
    ['-'] = N,
    ['0'] = N,
    ['1'] = N,
    ['2'] = N,
    ['3'] = N,
    ['4'] = N,
    ['5'] = N,
    ['6'] = N,
    ['7'] = N,
    ['8'] = N,
    ['9'] = N,
};
#undef N

/* ## Strings */

static bool is_choice(const struct run *run, const struct quick_keys *texts, const char *inside,
                      const char *close, unsigned seen) {
    char decoded[512];
    gramc_text text = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) {
        const unsigned char *sixteen = run_sixteen(run, inside);
        for (size_t i = 0; i < texts->count; i++)
            if (run_key_is(run, sixteen, inside, &texts->keys[i])) return true;
        return false;
    }
    /* An escape of 12 bytes means at least one. */
    if (text.len > 12 * texts->longest + 12 || text.len > sizeof decoded) return false;
    text = (gramc_text){decoded, json_unescape(decoded, inside, close)};
    for (size_t i = 0; i < texts->count; i++)
        if (text_eq(text, texts->keys[i].text)) return true;
    return false;
}

static bool has_format(struct run *run, const struct format *format, const char *inside,
                       const char *close, unsigned seen) {
    char decoded[1024];
    gramc_text text = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return format->fits(text);
    if (text.len > sizeof decoded) return run_give_up(run) != NULL;
    return format->fits((gramc_text){decoded, json_unescape(decoded, inside, close)});
}

bool run_string_rules(struct run *run, const struct node *node, const char *inside,
                      const char *close, unsigned seen) {
    const struct string_rules *rules = node->string;
    if (node->texts && !is_choice(run, node->texts, inside, close, seen)) return false;
    if (!rules) return true;
    size_t bytes = (size_t)(close - inside);
    /* A code point takes 1 to 12 bytes: often the bytes alone settle it. */
    if (bytes < rules->min) return false;
    if (bytes > rules->max || (seen && bytes < (size_t)rules->min * 12)) {
        size_t chars = json_count_chars(inside, close, seen);
        if (chars < rules->min || chars > rules->max) return false;
    }
    if (rules->pattern && !run_matches(run, rules->pattern, inside, close, seen)) return false;
    return !rules->format || has_format(run, rules->format, inside, close, seen);
}

/* ## Numbers */

static bool is_number_choice(const struct node *node, gramc_text number) {
    const struct json *choice = node->choices ? node->choices->first : node->constant;
    for (; choice; choice = node->choices ? choice->next : NULL)
        if (choice->kind == JSON_NUMBER && json_number_compare(choice->text, number) == 0)
            return true;
    return false;
}

static bool keeps_exact_rules(const struct number_rules *rules, gramc_text number) {
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        if (!rules->bounds[i].ptr) continue;
        int order = json_number_compare(number, rules->bounds[i]);
        bool low = i == BOUND_MIN || i == BOUND_OVER;
        if (order == 0 ? i >= BOUND_OVER : low ? order < 0 : order > 0) return false;
    }
    return !rules->multiple_of.ptr || decimal_is_multiple(number, rules->multiple_of);
}

/* A number in pieces: its whole digits as a value if they are few, and what follows them. */
struct pieces {
    int64_t whole; /* without the sign */
    bool negative, small, broken, exponent;
};

static const char *read_number(const char *p, struct pieces *out) {
    uint64_t value = 0;
    out->negative = *p == '-';
    if (out->negative) p++;
    const char *digits = p;
    if (*p == '0') p++;
    else
        for (; json_byte_is(*p, JSON_BYTE_DIGIT); p++) value = value * 10 + (uint64_t)(*p - '0');
    if (p == digits) return NULL;
    out->small = p - digits <= 18;
    out->whole = (int64_t)(out->small ? value : 0);
    out->broken = out->exponent = false;
    if (*p != '.' && (*p | 0x20) != 'e') return p;
    if (*p == '.') {
        const char *fraction = ++p;
        for (; json_byte_is(*p, JSON_BYTE_DIGIT); p++) out->broken |= *p != '0';
        if (p == fraction) return NULL;
    }
    if ((*p | 0x20) != 'e') return p;
    out->exponent = true;
    p += 1 + (p[1] == '+' || p[1] == '-');
    digits = p;
    while (json_byte_is(*p, JSON_BYTE_DIGIT)) p++;
    return p == digits ? NULL : p;
}

/* Between whole bounds, told from the whole numbers around it. */
static bool keeps_bounds(const struct number_rules *rules, const struct pieces *pieces) {
    int64_t low = pieces->negative ? -pieces->whole : pieces->whole, high = low;
    if (pieces->broken) *(pieces->negative ? &low : &high) += pieces->negative ? -1 : 1;
    return low >= rules->least && high <= rules->most;
}

const char *run_number(struct run *run, const struct node *node, const char *p) {
    struct pieces pieces;
    const char *end = read_number(p, &pieces);
    (void)run;
    if (!end) return NULL;
    gramc_text number = {p, (size_t)(end - p)};
    if ((node->types & TYPE_NUMBER) != TYPE_NUMBER) {
        bool whole = pieces.exponent ? json_number_is_integer(number) : !pieces.broken;
        if (!(node->types & (whole ? TYPE_INTEGER : TYPE_FRACTION))) return NULL;
    }
    if (node->number) {
        const struct number_rules *rules = node->number;
        bool quick = rules->bounded && pieces.small && !pieces.exponent &&
                     (rules->inclusive || !pieces.broken);
        if (!(quick ? keeps_bounds(rules, &pieces) : keeps_exact_rules(rules, number))) return NULL;
    }
    if (node->texts && !is_number_choice(node, number)) return NULL;
    return end;
}

/* ## Words */

static bool is_word_choice(const struct node *node, char first) {
    enum json_kind kind = first == 't' ? JSON_TRUE : first == 'f' ? JSON_FALSE : JSON_NULL;
    const struct json *choice = node->choices ? node->choices->first : node->constant;
    for (; choice; choice = node->choices ? choice->next : NULL)
        if (choice->kind == kind) return true;
    return false;
}

const char *run_word(struct run *run, const struct node *node, const char *p) {
    const char *end = json_scan_word(p, run->end);
    return end && (!node->texts || is_word_choice(node, *p)) ? end : NULL;
}

/* The text ends with a closing bracket. */
static bool run_text(struct run *run, const struct gramc_schema *schema, const char *p,
                     const char *end) {
    size_t len = (size_t)(end - p);
    memset(run->tail + 16, 0, 16);
    if (len >= 16) memcpy(run->tail, end - 16, 16);
    else memcpy(run->tail + 16 - len, p, len);
    run->end = end;
    run->last_block = len >= 16 ? end - 16 : p; /* no string starts at p */
    run->schema = schema;
    run->depth = run->frames = 0;
    run->given_up = run->has_session = false;
    run->again = run->key_count = 0;
    p = run_skip_blanks(p);
    bool accepted = run_value(run, schema->root->same, p) == end;
    if (run->has_session) regex_session_free(&run->regexes);
    return accepted;
}

/* The slow way, right for everything. */
static bool judge_text(const gramc_schema *schema, const char *json, size_t len) {
    struct arena arena;
    struct judge judge;
    arena_init(&arena, &schema->arena.allocator);
    judge_init(&judge, schema, &arena, NULL, len);
    const struct json *root = json_parse(&arena, (gramc_text){json, len}, NULL);
    bool valid = root && judge_duplicates(&judge, root) && judge_document(&judge, root);
    judge_free(&judge);
    arena_free(&arena);
    return valid;
}

bool gramc_schema_accepts(const gramc_schema *schema, const char *json, size_t len) {
    const char *end = json + len;
    struct run run;
    while (end > json && json_byte_is(end[-1], JSON_BYTE_BLANK)) end--;
    /* Scalars at the root are left to the judge, and so are dynamic references. */
    bool fast = end > json && (end[-1] == '}' || end[-1] == ']') && !schema->dynamic;
    if (!fast) return judge_text(schema, json, len);
    if (run_text(&run, schema, json, end)) return true;
    return run.given_up && judge_text(schema, json, len);
}
