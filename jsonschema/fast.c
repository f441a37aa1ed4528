/* Answers whether a schema accepts some bytes: one pass that reads and evaluates together. Here is
 * all that well-behaved values pass: plain strings, small numbers, keys in the order in which the
 * schema names them. Everything else is in the other validate_run files, so that the compiler can
 * keep this way short; what none of them can do they hand to the evaluator. */
#include "jsonschema/fast.h"

#include "base/text.h"

enum { LONGEST_COPY = 256 }; /* of a number at the root */

/* ## Scalars */

static inline const char *run_text(const struct run *run, const char *p) {
    unsigned seen = 0;
    const char *close = run_scan_string(run, p + 1, &seen);
    return close ? close + 1 : NULL;
}

/* What can be told without decoding: an escape or a character beyond ASCII is run_string_rules'. */
static inline const char *run_string(struct run *run, const struct schema_node *node,
                                     const char *p) {
    unsigned seen = 0;
    const struct string_rules *rules = node->string;
    const char *inside = p + 1, *close = run_scan_string(run, inside, &seen);
    if (!close) return NULL;
    size_t len = (size_t)(close - inside);
    if (seen || (rules && !rules->lengths_only))
        return run_string_rules(run, node, inside, close, seen) ? close + 1
                                                                : run_refuse(run, close);
    if (node->values && !run_is_text(run, &node->values->texts, inside))
        return run_refuse(run, close);
    return !rules || (len >= rules->min && len <= rules->max) ? close + 1 : run_refuse(run, close);
}

/* Between whole bounds, told from the whole numbers around it. */
static inline bool keeps_bounds(const struct schema_node *node, int64_t whole, bool negative,
                                bool broken) {
    int64_t value = negative ? -whole : whole;
    return value - (negative & broken) >= node->least && value + (!negative & broken) <= node->most;
}

/* A few digits on either side of the point; anything longer or with more to it is
 * run_exact_number's. */
static inline const char *run_number(struct run *run, const struct schema_node *node,
                                     const char *start) {
    uint64_t whole, fraction = 0;
    bool negative = *start == '-';
    const char *p = start + negative;
    unsigned digits = run_digits(run_window(run, p), &whole);
    bool plain = digits - 1 < RUN_MOST_DIGITS && (*p != '0' || digits == 1);
    p += digits;
    if (plain && *p == '.' && node->types & TYPE_BIT_FRACTION) {
        digits = run_digits(run_window(run, ++p), &fraction);
        plain = digits - 1 < RUN_MOST_DIGITS;
        p += digits;
    }
    if (!plain || json_byte_is(*p, JSON_BYTE_NUMBER)) return run_exact_number(run, node, start);
    return keeps_bounds(node, (int64_t)whole, negative, fraction) ? p : NULL;
}

/* Most values are plain strings and numbers: they are worth a look before the call. */
static inline const char *run_any(struct run *run, const struct schema_node *node, const char *p) {
    if (node->mode == MODE_TEXT) return *p == '"' ? run_text(run, p) : NULL;
    return node->mode == MODE_NUMBER ? run_number(run, node, p) : run_value(run, node, p);
}

/* ## Arrays */

static const struct schema_node *item_node(const struct array_rules *rules, uint32_t i) {
    if (!rules) return &schema_any;
    if (i < rules->prefix.count) return rules->prefix.nodes[i]->same;
    return rules->rest ? rules->rest->same : &schema_any;
}

static inline const char *run_refused_item(struct run *run, const struct schema_node *node,
                                           const char *open, const char *value, uint32_t place) {
    const struct refused_item at = {open, value, place};
    return run->fills ? run_coerce_item(run, node, &at) : NULL;
}

static inline const char *run_array(struct run *run, const struct schema_node *node,
                                    const char *p) {
    const struct array_rules *rules = node->array;
    const char *start = p;
    uint32_t count = 0;
    if (run->depth++ == JSON_MAX_DEPTH) return run_give_up(run);
    p = run_skip_blanks(p + 1);
    if (*p != ']') {
        for (;; p = run_skip_gap(p)) {
            const struct schema_node *item_is = item_node(rules, count++);
            const char *item = p;
            p = run_any(run, item_is, p);
            if (!p) p = run_refused_item(run, item_is, start, item, count - 1);
            if (!p) return run_refuse(run, item);
            p = run_skip_blanks(p);
            if (*p != ',') break;
        }
        if (*p != ']') return run_refuse(run, p);
    }
    run->depth--;
    if (!run_goes_on(run, ++p)) return NULL;
    if (!rules) return p;
    if (count < rules->min || count > rules->max) return run_refuse(run, p);
    if (!rules->contains && !rules->unique) return p;
    return run_array_again(run, node, start, p) ? p : run_refuse(run, p);
}

/* ## Objects */

/* What is known of an object while its members go by. Its address stays in this file, so that it
 * can live in registers. */
struct members {
    const struct object_rules *rules;
    const struct fast_key *likely; /* should come next */
    uint64_t present;              /* bits of the fast keys that were seen... */
    uint64_t dropped;              /* ...and of nulls among them that count as absent */
    size_t base;                   /* of the keys that the run remembers */
    uint32_t count;
    const char *open; /* the object's bracket */
};

/* The fast keys at p, looked for in circles from the likely one on; NULL if there is none. */
static inline const struct fast_key *find_key(const struct run *run, const struct members *members,
                                              const char *p) {
    const struct fast_keys *fast = &members->rules->fast;
    const struct fast_key *likely = members->likely, *end = fast->keys + fast->count, *key;
    const unsigned char *window = run_window(run, p);
    if (fast->slots) return run_find_many(run, fast, likely, p);
    for (key = likely; key < end; key++)
        if (run_head_is(window, key) && run_tail_is(run, p, key)) return key;
    for (key = fast->keys; key < likely; key++)
        if (run_head_is(window, key) && run_tail_is(run, p, key)) return key;
    return NULL;
}

/* p is behind the quote; gives the place behind the key. *key: NULL if it is none of the fast
 * ones. */
static inline const char *run_key(struct run *run, const struct members *members, const char *p,
                                  const struct fast_key **key) {
    const struct fast_key *other;
    *key = find_key(run, members, p);
    if (*key) return p + (*key)->text.len + 1;
    p = run_other_key(run, members->rules, members->base, p, &other);
    *key = other;
    return p;
}

/* A value was refused, but it may be a null that counts as absent, or be converted. */
static inline const char *run_refused(struct run *run, struct members *members,
                                      const struct schema_node *node,
                                      const struct refused_member *at) {
    if (!run->fills) return NULL;
    const char *end = at->key ? run_drop_null(run, at) : NULL;
    if (!end) return run_coerce_member(run, node, at);
    members->count--;
    members->dropped |= at->key->bit;
    return end;
}

/* p is at the quote; gives the place behind the value. */
static inline const char *run_member(struct run *run, struct members *members, const char *p) {
    const struct schema_node *node = members->rules->other;
    const struct fast_key *key;
    const char *quote = p;
    p = run_key(run, members, p + 1, &key);
    if (!p) return NULL;
    members->count++;
    if (key) {
        if (members->present & key->bit) return NULL;
        members->present |= key->bit;
        members->likely = key + 1;
        node = key->node;
    }
    p = run_skip_blanks(p);
    if (*p != ':') return NULL;
    const char *value = run_skip_gap(p);
    p = run_any(run, node, value);
    if (p) return p;
    const struct refused_member at = {members->rules, key,   members->open,
                                      quote,          value, members->count - 1};
    return run_refused(run, members, node, &at);
}

static inline bool has_all(struct run *run, const struct members *members, const char *close) {
    const struct object_rules *rules = members->rules;
    uint64_t present = members->present & ~members->dropped, filled = 0;
    if (members->dropped | (rules->defaults & ~present)) {
        const struct run_object at = {rules,   members->open,  close,
                                      present, members->count, members->dropped != 0};
        filled = run_fill(run, &at);
    }
    if (rules->fast_dependents && !run_dependents(run, rules, &present, members->open, close + 1))
        return false;
    uint32_t count = members->count + (uint32_t)__builtin_popcountll(filled);
    present |= filled;
    return count >= rules->min && count <= rules->max &&
           (present & rules->required) == rules->required;
}

static inline const char *run_object(struct run *run, const struct schema_node *node,
                                     const char *p) {
    struct members members = {.rules = node->members,
                              .likely = node->members->fast.keys,
                              .base = run->key_count,
                              .open = p};
    if (run->depth++ == JSON_MAX_DEPTH) return run_give_up(run);
    p = run_skip_blanks(p + 1);
    if (*p != '}') {
        for (;; p = run_skip_gap(p)) {
            const char *member = p;
            if (*p != '"' || !(p = run_member(run, &members, p))) return run_refuse(run, member);
            p = run_skip_blanks(p);
            if (*p != ',') break;
        }
        if (*p != '}') return run_refuse(run, p);
    }
    run->depth--;
    run_forget(run, members.base);
    return run_goes_on(run, p + 1) && has_all(run, &members, p) ? p + 1 : run_refuse(run, p);
}

/* ## Values */

/* What a value starts with. */
#define N START_NUMBER
static const uint8_t starts[256] = {
    ['"'] = START_STRING,
    ['{'] = START_OBJECT,
    ['['] = START_ARRAY,
    ['t'] = START_WORD,
    ['f'] = START_WORD,
    ['n'] = START_WORD,
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

const char *run_value(struct run *run, const struct schema_node *node, const char *p) {
    switch (node->mode) {
    case MODE_TEXT: return *p == '"' ? run_text(run, p) : NULL;
    case MODE_STRING: return *p == '"' ? run_string(run, node, p) : NULL;
    case MODE_NUMBER: return run_number(run, node, p);
    case MODE_CHOICE: return run_number_choice(run, node, p);
    case MODE_EXACT: return run_exact_number(run, node, p);
    case MODE_WORD: return run_word(run, node, p);
    case MODE_OBJECT: return *p == '{' ? run_object(run, node, p) : NULL;
    case MODE_LONG_OBJECT: return *p == '{' ? run_long_object(run, node, p) : NULL;
    case MODE_ARRAY: return *p == '[' ? run_array(run, node, p) : NULL;
    case MODE_MIXED: return run_value(run, &node->variants[starts[(unsigned char)*p]], p);
    case MODE_MERGED: return run_merged(run, node, p);
    case MODE_LOOK: return run_look(run, node, p);
    case MODE_TREE: return run_tree(run, node, p);
    default: return NULL;
    }
}

/* ## The whole text */

/* The text ends with a closing bracket. */
static inline bool run_all(struct run *run, const struct gramc_schema *schema, const char *start,
                           const char *end, struct fills *fills) {
    run_init(run, schema, start, end, fills);
    bool accepted = run_value(run, schema->root->same, run_skip_blanks(start)) == end;
    run_free(run);
    return accepted;
}

static const char *trimmed_end(const char *json, size_t len) {
    const char *end = len ? json + len : json; /* may be NULL */
    while (end > json && json_byte_is(end[-1], JSON_BYTE_BLANK)) end--;
    return end;
}

/* The text ends as objects and arrays do. */
static inline bool is_container(const char *json, const char *end) {
    return end > json && (end[-1] == '}' || end[-1] == ']');
}

/* A scalar. Numbers and words are read where something stands behind them. */
static bool run_scalar(struct run *run, const struct gramc_schema *schema, gramc_text text,
                       struct fills *fills) {
    char copy[LONGEST_COPY + 1];
    const char *p = text.ptr;
    bool is_text = *p == '"';
    if (!is_text && text.len > LONGEST_COPY) return run_give_up(run) != NULL;
    if (!is_text) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = ']';
        p = copy;
    }
    run_init(run, schema, p, p + text.len + !is_text, fills);
    const char *end = run_value(run, schema->root->same, p);
    if (!end && fills) end = run_coerce_root(run, schema->root->same, p, text);
    run_free(run);
    return end == p + text.len;
}

/* Out of line: few texts are scalars. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static bool
run_other_text(struct run *run, const struct gramc_schema *schema, const char *json,
               const char *end, struct fills *fills) {
    run->given_up = run->unfilled = false;
    run->steps = run->all_steps = run->again = 0;
    json = json_scan_blanks(json, end);
    if (json == end || *json == '{' || *json == '[') return false;
    return run_scalar(run, schema, (gramc_text){json, (size_t)(end - json)}, fills);
}

/* Without dynamic references, which only the evaluator follows. */
static inline bool run_any_text(struct run *run, const struct gramc_schema *schema,
                                const char *json, const char *end, struct fills *fills) {
    return is_container(json, end) ? run_all(run, schema, json, end, fills)
                                   : run_other_text(run, schema, json, end, fills);
}

bool gramc_schema_accepts(const gramc_schema *schema, const char *json, size_t len) {
    const char *end = trimmed_end(json, len);
    struct run run;
    if (schema->dynamic) return run_evaluate(schema, json, end, 0);
    if (run_any_text(&run, schema, json, end, NULL)) return true;
    return run.given_up && run_evaluate(schema, json, end, run_spent(&run));
}

/* A value that is accepted as it stands keeps its nulls and is not converted: what is normalised
 * has to be accepted too. Only defaults may be missing. */
bool gramc_schema_accepts_as_is(const gramc_schema *schema, const char *json, size_t len) {
    const char *end = trimmed_end(json, len);
    struct run run;
    return !schema->dynamic && run_any_text(&run, schema, json, end, NULL) && !run.unfilled;
}

bool run_with_fills(const struct gramc_schema *schema, gramc_text text, struct fills *fills) {
    const char *end = trimmed_end(text.ptr, text.len);
    struct run run;
    if (schema->dynamic || text.len > INT32_MAX) return false;
    bool accepted = run_any_text(&run, schema, text.ptr, end, fills);
    fills->spent = run_spent(&run);
    return accepted && !run.given_up && !run.unfilled;
}

bool run_default(const struct gramc_schema *schema, const struct schema_node *node,
                 gramc_text bracketed, struct fills *fills) {
    const char *start = bracketed.ptr, *end = start + bracketed.len;
    struct run run;
    run_init(&run, schema, start, end, fills);
    bool accepted = run_value(&run, node, start + 1) == end - 1;
    run_free(&run);
    return accepted && !run.given_up && !run.unfilled;
}

bool gramc_schema_accepts_any_text(const gramc_schema *schema) {
    const struct schema_node *node = schema->root->same;
    if (node->mode == MODE_MIXED) node = &node->variants[START_STRING];
    return node->mode == MODE_TEXT && !schema->dynamic;
}
