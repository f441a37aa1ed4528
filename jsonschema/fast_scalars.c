/* The slower half of the fast path's scalars: escapes and characters beyond ASCII, string rules and
 * choices, numbers with fractions or exact bounds, words; and what takes another pass over an
 * array. */
#include "jsonschema/fast.h"

#include "base/json/number.h"
#include "base/text.h"
#include "jsonschema/formats.h"

const char *run_skip_more(const char *p) {
    do {
        while (*p == ' ') p++;
    } while (json_byte_is(*p, JSON_BYTE_BLANK) && p++);
    return p;
}

/* ## Strings */

bool run_long_tail_is(const struct run *run, const char *p, const struct fast_key *key) {
    return (size_t)(run->end - p) > key->text.len && p[key->text.len] == '"' &&
           memcmp(p, key->text.ptr, key->text.len) == 0;
}

static bool is_choice(const struct run *run, const struct fast_keys *texts, const char *inside,
                      const char *close, unsigned seen) {
    char decoded[512];
    gramc_text text = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return run_is_text(run, texts, inside);
    /* An escape of 12 bytes means at least one. */
    if (text.len > 12 * texts->longest + 12 || text.len > sizeof decoded) return false;
    text = (gramc_text){decoded, json_unescape(decoded, inside, close)};
    return run_find_text(texts, text) != NULL;
}

static bool has_format(struct run *run, const struct format *format, const char *inside,
                       const char *close, unsigned seen) {
    char decoded[1024];
    gramc_text text = {inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return format->fits(text);
    if (text.len > sizeof decoded) return run_give_up(run) != NULL;
    return format->fits((gramc_text){decoded, json_unescape(decoded, inside, close)});
}

static bool keeps_rules(struct run *run, const struct string_rules *rules, const char *inside,
                        const char *close, unsigned seen) {
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

bool run_string_rules(struct run *run, const struct schema_node *node, const char *inside,
                      const char *close, unsigned seen) {
    if (node->values && !is_choice(run, &node->values->texts, inside, close, seen)) return false;
    return !node->string || keeps_rules(run, node->string, inside, close, seen);
}

/* ## Numbers */

enum { LONG_NUMBER = 256 };

/* A number in pieces: its whole digits as a value if they are few, and what follows them. */
struct pieces {
    int64_t whole; /* without the sign */
    bool negative, small, broken, exponent;
};

/* What an exact comparison goes over is counted where it is more than the number itself. */
static bool count_long(struct run *run, uint64_t bytes) {
    return bytes < LONG_NUMBER || run_look_again(run, bytes);
}

static bool is_number_choice(struct run *run, const struct schema_node *node, gramc_text number) {
    const struct json *choice =
        node_choices(node) ? node_choices(node)->first : node_constant(node);
    if (node->values->texts.numbers) return run_is_number(&node->values->texts, number);
    for (; choice; choice = node_choices(node) ? choice->next : NULL)
        if (choice->kind == JSON_NUMBER && count_long(run, choice->text.len) &&
            json_number_compare(choice->text, number) == 0)
            return true;
    return false;
}

static bool keeps_exact_rules(struct run *run, const struct number_rules *rules,
                              gramc_text number) {
    if (!count_long(run, number_rules_bytes(rules, number.len))) return false;
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        if (!rules->bounds[i].ptr) continue;
        int order = json_number_compare(number, rules->bounds[i]);
        bool low = i == BOUND_MIN || i == BOUND_OVER;
        if (order == 0 ? i >= BOUND_OVER : low ? order < 0 : order > 0) return false;
    }
    return !rules->multiple_of.ptr || decimal_is_multiple(number, rules->multiple_of);
}

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

const char *run_exact_number(struct run *run, const struct schema_node *node, const char *p) {
    struct pieces pieces;
    const char *end = read_number(p, &pieces);
    if (!end) return NULL;
    gramc_text number = {p, (size_t)(end - p)};
    if ((node->types & TYPE_BIT_NUMBER) != TYPE_BIT_NUMBER) {
        bool whole = pieces.exponent ? json_number_is_integer(number) : !pieces.broken;
        if (node->flags & NODE_WRITTEN) whole = json_number_is_written_whole(number);
        if (!(node->types & (whole ? TYPE_BIT_INTEGER : TYPE_BIT_FRACTION)))
            return run_refuse(run, end);
    }
    if (node->number) {
        const struct number_rules *rules = node->number;
        bool fast = rules->bounded && pieces.small && !pieces.exponent &&
                    (rules->inclusive || !pieces.broken);
        if (!(fast ? keeps_bounds(rules, &pieces) : keeps_exact_rules(run, rules, number)))
            return run_refuse(run, end);
    }
    return node->values && !is_number_choice(run, node, number) ? run_refuse(run, end) : end;
}

/* ## Words */

static bool is_word_choice(const struct schema_node *node, char first) {
    enum json_kind kind = first == 't' ? JSON_TRUE : first == 'f' ? JSON_FALSE : JSON_NULL;
    return node->values->texts.words >> kind & 1;
}

const char *run_word(const struct run *run, const struct schema_node *node, const char *p) {
    if (!(node->kinds & (*p == 'n' ? TYPE_BIT_NULL : TYPE_BIT_BOOLEAN))) return NULL;
    const char *end = json_scan_word(p, run->end);
    return end && (!node->values || is_word_choice(node, *p)) ? end : NULL;
}

/* ## Arrays again */

static const char *count_containing(struct run *run, const struct schema_node *node,
                                    const char *p) {
    const struct array_rules *rules = node->array;
    uint32_t count = 0;
    p = run_skip_blanks(p + 1);
    while (*p != ']') {
        const char *end = run_try(run, rules->contains->same, p);
        if (end) count++;
        else end = run->given_up ? NULL : run_value(run, &schema_any, p);
        if (!end) return NULL;
        p = run_skip_blanks(end);
        if (*p == ',') p = run_skip_blanks(p + 1);
    }
    return count >= rules->min_contains && count <= rules->max_contains ? p + 1 : NULL;
}

static bool keeps_array_rules(struct run *run, const struct schema_node *node, const char *start,
                              const char *end) {
    const struct array_rules *rules = node->array;
    if (!run_look_again(run, (size_t)(end - start))) return false;
    if (rules->contains && !count_containing(run, node, start)) return false;
    return !rules->unique || run_all_differ(run, start, end);
}

/* Items that are changed are the thorough half's: they may be equal then. */
bool run_array_again(struct run *run, const struct schema_node *node, const char *start,
                     const char *end) {
    struct fills *fills = run_quietly(run);
    bool fine = keeps_array_rules(run, node, start, end);
    run->fills = fills;
    if (fills) run->unfilled = false;
    if (fills && fills_has_behind(fills, start)) run_give_up(run);
    return fine;
}

/* ## The slow way, right for everything */

bool run_evaluate(const gramc_schema *schema, const char *json, const char *end, uint64_t spent) {
    struct arena arena;
    struct evaluation evaluation;
    size_t len = (size_t)(end - json);
    arena_init(&arena, &schema->arena.allocator);
    evaluation_init(&evaluation, schema, &arena, NULL, len);
    evaluation_spend(&evaluation, spent);
    const struct json *root = json_parse(&arena, (gramc_text){json, len}, NULL);
    bool valid =
        root && evaluate_duplicates(&evaluation, root) && evaluate_document(&evaluation, root);
    evaluation_free(&evaluation);
    arena_free(&arena);
    return valid;
}
