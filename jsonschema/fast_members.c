/* The rarer ways of a member of an object: keys written with escapes, members that no schema names,
 * and objects with patterns, names to check, or very many members. */
#include "jsonschema/fast.h"

#include "base/text.h"

/* ## Keys that are not plain */

/* *key: NULL if the schema does not name it. False if it is too long to tell. */
static bool find_key(struct run *run, const struct fast_keys *names, gramc_text inside,
                     unsigned seen, const struct fast_key **key) {
    char decoded[RUN_LONGEST_ESCAPED];
    if (seen & JSON_SEEN_ESCAPE) {
        if (inside.len > sizeof decoded) return run_give_up(run) != NULL;
        size_t len = json_unescape(decoded, inside.ptr, inside.ptr + inside.len);
        inside = (gramc_text){decoded, len};
    }
    *key = run_find_text(names, inside);
    return true;
}

const char *run_other_key(struct run *run, const struct object_rules *rules, size_t base,
                          const char *inside, const struct fast_key **key) {
    unsigned seen = 0;
    const char *close = run_scan_string(run, inside, &seen);
    *key = NULL;
    if (!close) return NULL;
    gramc_text text = {inside, (size_t)(close - inside)};
    if (seen & JSON_SEEN_ESCAPE && !find_key(run, &rules->fast, text, seen, key)) return NULL;
    if (*key) return close + 1;
    return rules->other && run_remember_key(run, base, text, seen) ? close + 1 : NULL;
}

/* ## Dependents */

static bool is_present(const uint64_t *present, uint32_t i) {
    return present[i / 64] >> i % 64 & 1;
}

/* The same object again, by one more schema. */
static bool keeps_schema(struct run *run, const struct schema_node *node, const char *open,
                         const char *end) {
    if (run->frames == RUN_MAX_FRAMES) return run_give_up(run) != NULL;
    run->frames++;
    struct fills *fills = run_quietly(run);
    bool fine = run_look_again(run, (size_t)(end - open)) && run_try(run, node, open) == end;
    run_as_before(run, fills);
    run->frames--;
    return fine;
}

/* What is filled in or left out may be what others depend on: that is the thorough half's. */
bool run_dependents(struct run *run, const struct object_rules *rules, const uint64_t *present,
                    const char *open, const char *end) {
    if (run->fills && fills_has_behind(run->fills, open)) return run_give_up(run) != NULL;
    if (!run_look_again(run, rules->dependent_count)) return false;
    for (size_t i = 0; i < rules->dependent_count; i++) {
        const struct fast_dependent *dependent = &rules->fast_dependents[i];
        if (!is_present(present, dependent->key)) continue;
        for (uint32_t k = 0; k < dependent->count; k++)
            if (!is_present(present, dependent->names[k])) return false;
        if (dependent->node && !keeps_schema(run, dependent->node, open, end)) return false;
    }
    return true;
}

/* ## The long way */

/* What is known of such an object while its members go by. */
struct long_object {
    const struct object_rules *rules;
    const struct fast_key *likely; /* should come next */
    uint64_t *present;             /* a bit for each name of the schema */
    size_t base;                   /* of the keys that the run remembers */
    uint32_t count, required, defaults;
};

/* A member of such an object. */
struct long_member {
    const struct object_rules *rules;
    const struct fast_key *key; /* NULL: the schema does not name it */
    const char *inside, *close; /* of its key */
    unsigned seen;              /* in the key */
    const char *value, *end;    /* end: once somebody has evaluated the value */
};

static bool has_name(struct run *run, const struct long_member *member,
                     const struct pattern_property *pattern) {
    size_t len = (size_t)(member->close - member->inside);
    gramc_text literal = pattern->literal;
    if (pattern->kind == PATTERN_ANY || member->seen & JSON_SEEN_ESCAPE)
        return run_matches(run, pattern->regex, member->inside, member->close, member->seen);
    if (pattern->kind == PATTERN_WHOLE ? len != literal.len : len < literal.len) return false;
    return memcmp(member->inside, literal.ptr, literal.len) == 0;
}

static bool keeps_patterns(struct run *run, struct long_member *member) {
    const struct object_rules *rules = member->rules;
    if (!run_look_again(run, rules->pattern_count)) return false;
    for (size_t i = 0; i < rules->pattern_count; i++) {
        const struct pattern_property *pattern = &rules->patterns[i];
        if (!has_name(run, member, pattern)) {
            if (run->given_up) return false;
            continue;
        }
        member->end = run_value(run, pattern->node->same, member->value);
        if (!member->end) return false;
        if (!run_look_again(run, (size_t)(member->end - member->value))) return false;
    }
    return true;
}

static bool keeps_rules(struct run *run, struct long_member *member) {
    const struct object_rules *rules = member->rules;
    if (member->key && member->key->node) {
        member->end = run_value(run, member->key->node, member->value);
        if (!member->end) return false;
    }
    if (!keeps_patterns(run, member)) return false;
    if (!member->end && rules->other) member->end = run_value(run, rules->other, member->value);
    return member->end != NULL;
}

/* False if it was there before. */
static bool is_fresh(struct run *run, struct long_object *object,
                     const struct long_member *member) {
    const struct fast_key *key = member->key;
    gramc_text inside = {member->inside, (size_t)(member->close - member->inside)};
    if (!key) return run_remember_key(run, object->base, inside, member->seen);
    size_t i = (size_t)(key - object->rules->fast.keys);
    uint64_t *bits = &object->present[i / 64], bit = UINT64_C(1) << i % 64;
    if (*bits & bit) return false;
    *bits |= bit;
    object->required += (key->bit & FAST_REQUIRED) != 0;
    object->defaults += (key->bit & FAST_DEFAULT) != 0;
    object->likely = key + 1;
    return true;
}

static bool read_key(struct run *run, const struct long_object *object,
                     struct long_member *member) {
    const struct fast_keys *names = &object->rules->fast;
    const struct fast_key *likely = object->likely;
    if (likely < names->keys + names->count &&
        run_head_is(run_window(run, member->inside), likely) &&
        run_tail_is(run, member->inside, likely)) {
        member->key = likely;
        member->close = member->inside + likely->text.len;
        return true;
    }
    member->close = run_scan_string(run, member->inside, &member->seen);
    if (!member->close) return false;
    gramc_text inside = {member->inside, (size_t)(member->close - member->inside)};
    return find_key(run, names, inside, member->seen, &member->key);
}

/* p is at the quote; gives the place behind the value. */
static const char *run_long_member(struct run *run, struct long_object *object, const char *p) {
    struct long_member member = {.rules = object->rules, .inside = p + 1};
    const struct schema_node *names = object->rules->names;
    if (!read_key(run, object, &member) || !is_fresh(run, object, &member)) return NULL;
    if (names && !run_value(run, names->same, p)) return NULL;
    p = run_skip_blanks(member.close + 1);
    if (*p != ':') return NULL;
    member.value = run_skip_gap(p);
    return keeps_rules(run, &member) ? member.end : NULL;
}

static const char *run_long_members(struct run *run, struct long_object *object, const char *p) {
    p = run_skip_blanks(p + 1);
    if (*p == '}') return p + 1;
    for (;; p = run_skip_gap(p)) {
        const char *member = p;
        if (*p != '"' || !(p = run_long_member(run, object, p))) return run_refuse(run, member);
        object->count++;
        p = run_skip_blanks(p);
        if (*p != ',') break;
    }
    return *p == '}' ? p + 1 : run_refuse(run, p);
}

/* Room for a bit for each name; NULL where there is none. */
static uint64_t *take_bits(struct run *run, size_t words) {
    if (words > RUN_MAX_BITS / 64 - run->bit_words) return NULL;
    uint64_t *bits = &run->bits[run->bit_words];
    run->bit_words += words;
    memset(bits, 0, words * sizeof *bits);
    return bits;
}

static const char *run_all_members(struct run *run, const struct schema_node *node, const char *p) {
    const struct object_rules *rules = node->object;
    const char *open = p;
    size_t words = (rules->fast.count + 63) / 64;
    struct long_object object = {.rules = rules,
                                 .likely = rules->fast.keys,
                                 .present = take_bits(run, words),
                                 .base = run->key_count};
    if (!object.present || run->depth++ == JSON_MAX_DEPTH) return run_give_up(run);
    p = run_long_members(run, &object, p);
    if (!p) return NULL;
    run->depth--;
    run_forget(run, object.base);
    if (rules->fast_dependents && !run_dependents(run, rules, object.present, open, p)) return NULL;
    run->bit_words -= words;
    if (object.defaults < rules->defaults) run->unfilled = true;
    bool fits = object.count >= rules->min && object.count <= rules->max;
    return run_goes_on(run, p) && fits && object.required == rules->required_count
               ? p
               : run_refuse(run, p);
}

const char *run_long_object(struct run *run, const struct schema_node *node, const char *p) {
    struct fills *fills = run_quietly(run);
    p = run_all_members(run, node, p);
    run_as_before(run, fills);
    return p;
}
