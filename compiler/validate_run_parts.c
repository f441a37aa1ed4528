/* The fast way through arrays and objects: items in turn, members by comparing keys with those that
 * the schema expects next. Members that no schema names are remembered for a while, so that none is
 * missed that stands twice. */
#include "compiler/validate_run.h"

#include "base/text.h"

/* ## Arrays */

static const char *count_containing(struct run *run, const struct node *node, const char *p) {
    const struct array_rules *rules = node->array;
    uint32_t count = 0;
    p = run_skip_blanks(p + 1);
    while (*p != ']') {
        const char *end = run_try(run, rules->contains->same, p);
        if (end) count++;
        else end = run->given_up ? NULL : run_value(run, run->schema->any, p);
        if (!end) return NULL;
        p = run_skip_blanks(end);
        if (*p == ',') p = run_skip_blanks(p + 1);
    }
    return count >= rules->min_contains && count <= rules->max_contains ? p + 1 : NULL;
}

/* What takes another pass over the array, which is well-formed. */
static bool keeps_other_rules(struct run *run, const struct node *node, const char *start,
                              const char *end) {
    const struct array_rules *rules = node->array;
    if (!rules->contains && !rules->unique) return true;
    run->again += (size_t)(end - start);
    if (run->again > RUN_MAX_AGAIN) return run_give_up(run) != NULL;
    if (rules->contains && !count_containing(run, node, start)) return false;
    return !rules->unique || run_all_differ(run, start, end);
}

static const struct node *item_node(const struct run *run, const struct array_rules *rules,
                                    uint32_t i) {
    if (!rules) return run->schema->any;
    if (i < rules->prefix.count) return rules->prefix.nodes[i]->same;
    return rules->rest ? rules->rest->same : run->schema->any;
}

const char *run_array(struct run *run, const struct node *node, const char *p) {
    const struct array_rules *rules = node->array;
    const char *start = p;
    uint32_t count = 0;
    if (run->depth == JSON_MAX_DEPTH || run->depth + run->frames == RUN_MAX_FRAMES)
        return run_give_up(run);
    run->depth++;
    p = run_skip_blanks(p + 1);
    if (*p != ']') {
        for (;; p = run_skip_blanks(p + 1)) {
            p = run_value(run, item_node(run, rules, count++), p);
            if (!p || p == run->end) return NULL;
            p = run_skip_blanks(p);
            if (*p != ',') break;
        }
        if (*p != ']') return NULL;
    }
    run->depth--;
    if (!rules) return p + 1;
    if (count < rules->min || count > rules->max) return NULL;
    return keeps_other_rules(run, node, start, p + 1) ? p + 1 : NULL;
}

/* ## Members that no schema names */

static uint32_t hash_key(const char *p, const char *end) {
    uint32_t hash = 2166136261U;
    while (p < end) hash = (hash ^ json_next_char(&p, end)) * 16777619U;
    return hash;
}

static bool same_key(const char *a, const char *a_end, const char *b, const char *b_end) {
    while (a < a_end && b < b_end)
        if (json_next_char(&a, a_end) != json_next_char(&b, b_end)) return false;
    return a == a_end && b == b_end;
}

/* False if the object that began with `base` keys has this one already. */
static bool remember_key(struct run *run, size_t base, const char *inside, const char *close) {
    uint32_t len = (uint32_t)(close - inside), hash = hash_key(inside, close);
    for (size_t i = base; i < run->key_count; i++) {
        const struct run_key *key = &run->keys[i];
        if (key->hash == hash && same_key(inside, close, key->start, key->start + key->len))
            return false;
    }
    if (run->key_count == RUN_MAX_KEYS) return run_give_up(run) != NULL;
    run->keys[run->key_count++] = (struct run_key){inside, len, hash};
    return true;
}

/* ## Objects */

/* The quick key at p, looked for in circles from the likely one on; `count` if there is none. */
static size_t search_quick(const struct run *run, const struct quick_keys *quick, size_t likely,
                           const char *p) {
    const unsigned char *sixteen = run_sixteen(run, p);
    for (size_t i = likely + 1; i < quick->count; i++)
        if (run_key_is(run, sixteen, p, &quick->keys[i])) return i;
    for (size_t i = 0; i < likely && i < quick->count; i++)
        if (run_key_is(run, sixteen, p, &quick->keys[i])) return i;
    return quick->count;
}

static inline size_t find_quick(const struct run *run, const struct quick_keys *quick,
                                size_t likely, const char *p) {
    if (likely < quick->count && run_key_is(run, run_sixteen(run, p), p, &quick->keys[likely]))
        return likely;
    return search_quick(run, quick, likely, p);
}

/* The same for a key that is written with escapes. */
static size_t find_escaped(const struct quick_keys *quick, const char *inside, const char *close) {
    for (size_t i = 0; i < quick->count; i++) {
        gramc_text text = quick->keys[i].text;
        const char *p = inside;
        size_t pos = 0;
        while (p < close && pos < text.len &&
               json_next_char(&p, close) == text_decode(text, &pos)) {
        }
        if (p == close && pos == text.len) return i;
    }
    return quick->count;
}

/* What is known of an object while its members go by. */
struct members {
    const struct object_rules *rules; /* NULL: none */
    uint64_t present;                 /* bits of quick keys */
    size_t likely;                    /* the quick key that should come next */
    size_t base;                      /* of the run's keys */
    uint32_t count;
};

/* Reads a key that is not among the quick ones as it stands. *node: what its value must be. */
static const char *read_other_key(struct run *run, struct members *members, const char *inside,
                                  const struct node **node) {
    const struct object_rules *rules = members->rules;
    unsigned seen = 0;
    const char *close = run_scan_string(run, inside, &seen);
    *node = rules ? rules->other : run->schema->any;
    if (!close) return NULL;
    if (rules && seen & JSON_SEEN_ESCAPE) {
        size_t i = find_escaped(&rules->quick, inside, close);
        if (i < rules->quick.count) {
            uint64_t bit = UINT64_C(1) << i;
            if (members->present & bit) return NULL;
            members->present |= bit;
            *node = rules->quick.keys[i].node;
            return close + 1;
        }
    }
    return *node && remember_key(run, members->base, inside, close) ? close + 1 : NULL;
}

/* p is at the quote; gives the place behind the value. */
static inline const char *run_member(struct run *run, struct members *members, const char *p) {
    const struct object_rules *rules = members->rules;
    const struct node *node;
    size_t i = rules ? find_quick(run, &rules->quick, members->likely, p + 1) : 0;
    if (rules && i < rules->quick.count) {
        const struct quick_key *key = &rules->quick.keys[i];
        uint64_t bit = UINT64_C(1) << i;
        if (members->present & bit) return NULL;
        members->present |= bit;
        members->likely = i + 1;
        node = key->node;
        p += key->width;
    } else if (!(p = read_other_key(run, members, p + 1, &node))) {
        return NULL;
    }
    p = run_skip_blanks(p);
    if (*p != ':') return NULL;
    return run_value(run, node, run_skip_blanks(p + 1));
}

static const struct property *long_property(struct run *run, const struct object_rules *rules,
                                            const char *inside, const char *close) {
    char decoded[1024];
    gramc_text key = {decoded, 0};
    if ((size_t)(close - inside) > sizeof decoded) {
        run_give_up(run);
        return NULL;
    }
    key.len = json_unescape(decoded, inside, close);
    return find_property(rules, key);
}

/* Members with patterns, names to judge, or very many of them: each member the long way. */
static const char *run_long_member(struct run *run, struct members *members, const char *p) {
    const struct object_rules *rules = members->rules;
    unsigned seen = 0;
    const char *inside = p + 1, *close = run_scan_string(run, inside, &seen);
    if (!close || !remember_key(run, members->base, inside, close)) return NULL;
    if (rules->names && !run_value(run, rules->names->same, p)) return NULL;
    const struct property *property = long_property(run, rules, inside, close);
    if (run->given_up) return NULL;
    const char *value = run_skip_blanks(close + 1), *end = NULL;
    bool known = false;
    if (*value != ':') return NULL;
    value = run_skip_blanks(value + 1);
    if (property && property->required != NO_REQUIRED)
        members->present |= UINT64_C(1) << property->required;
    if (property && property->node) {
        known = true;
        if (!(end = run_value(run, property->node->same, value))) return NULL;
    }
    for (size_t i = 0; i < rules->pattern_count; i++) {
        if (!run_matches(run, rules->patterns[i].regex, inside, close, seen)) {
            if (run->given_up) return NULL;
            continue;
        }
        known = true;
        if (!(end = run_value(run, rules->patterns[i].node->same, value))) return NULL;
        run->again += (size_t)(end - value);
        if (run->again > RUN_MAX_AGAIN) return run_give_up(run);
    }
    if (known) return end;
    return rules->other ? run_value(run, rules->other, value) : NULL;
}

static bool has_all(const struct members *members) {
    const struct object_rules *rules = members->rules;
    if (!rules) return true;
    if (members->count < rules->min || members->count > rules->max) return false;
    uint64_t required = rules->required;
    if (!rules->simple)
        required =
            rules->required_count == 64 ? UINT64_MAX : (UINT64_C(1) << rules->required_count) - 1;
    return (members->present & required) == required;
}

const char *run_object(struct run *run, const struct node *node, const char *p) {
    struct members members = {.rules = node->object, .base = run->key_count};
    bool quick = !members.rules || members.rules->simple;
    if (run->depth == JSON_MAX_DEPTH || run->depth + run->frames == RUN_MAX_FRAMES)
        return run_give_up(run);
    run->depth++;
    p = run_skip_blanks(p + 1);
    if (*p != '}') {
        for (;; p = run_skip_blanks(p + 1)) {
            if (*p != '"') return NULL;
            p = quick ? run_member(run, &members, p) : run_long_member(run, &members, p);
            if (!p || p == run->end) return NULL;
            members.count++;
            p = run_skip_blanks(p);
            if (*p != ',') break;
        }
        if (*p != '}') return NULL;
    }
    run->depth--;
    run->key_count = members.base;
    return has_all(&members) ? p + 1 : NULL;
}
