/* The rarer ways of a member of an object: keys out of order, keys written with escapes, members
 * that no schema names (which are remembered for a while, so that none is missed that stands
 * twice), and objects with patterns or very many members. */
#include "jsonschema/fast.h"

#include "base/text.h"

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

/* ## Keys with escapes */

static bool means(const char *p, const char *close, gramc_text text) {
    size_t pos = 0;
    while (p < close && pos < text.len)
        if (json_next_char(&p, close) != text_decode(text, &pos)) return false;
    return p == close && pos == text.len;
}

static const struct fast_key *find_escaped(const struct fast_keys *fast, const char *inside,
                                           const char *close) {
    for (size_t i = 0; i < fast->count; i++)
        if (means(inside, close, fast->keys[i].text)) return &fast->keys[i];
    return NULL;
}

const char *run_other_key(struct run *run, const struct object_rules *rules, size_t base,
                          const char *inside, const struct fast_key **key) {
    unsigned seen = 0;
    const char *close = run_scan_string(run, inside, &seen);
    *key = NULL;
    if (!close) return NULL;
    if (seen & JSON_SEEN_ESCAPE) *key = find_escaped(&rules->fast, inside, close);
    if (*key) return close + 1;
    return rules->other && remember_key(run, base, inside, close) ? close + 1 : NULL;
}

/* ## The long way */

static const struct schema_property *long_property(struct run *run,
                                                   const struct object_rules *rules,
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

/* A member of such an object. */
struct long_member {
    const struct object_rules *rules;
    const char *inside, *close; /* of its key */
    unsigned seen;              /* in the key */
    const char *value, *end;    /* end: once somebody has evaluated the value */
};

static bool keeps_patterns(struct run *run, struct long_member *member) {
    const struct object_rules *rules = member->rules;
    for (size_t i = 0; i < rules->pattern_count; i++) {
        const struct pattern_property *pattern = &rules->patterns[i];
        if (!run_matches(run, pattern->regex, member->inside, member->close, member->seen)) {
            if (run->given_up) return false;
            continue;
        }
        member->end = run_value(run, pattern->node->same, member->value);
        if (!member->end) return false;
        if (!run_look_again(run, (size_t)(member->end - member->value))) return false;
    }
    return true;
}

/* *present: bits of the required names that were seen. */
static bool keeps_rules(struct run *run, struct long_member *member, uint64_t *present) {
    const struct object_rules *rules = member->rules;
    const struct schema_property *property =
        long_property(run, rules, member->inside, member->close);
    if (run->given_up) return false;
    if (property && property->required != NO_REQUIRED)
        *present |= UINT64_C(1) << property->required;
    if (property && property->node) {
        member->end = run_value(run, property->node->same, member->value);
        if (!member->end) return false;
    }
    if (!keeps_patterns(run, member)) return false;
    if (!member->end && rules->other) member->end = run_value(run, rules->other, member->value);
    return member->end != NULL;
}

/* p is at the quote; gives the place behind the value. */
static const char *run_long_member(struct run *run, const struct object_rules *rules, size_t base,
                                   const char *p, uint64_t *present) {
    struct long_member member = {.rules = rules, .inside = p + 1};
    member.close = run_scan_string(run, p + 1, &member.seen);
    if (!member.close || !remember_key(run, base, p + 1, member.close)) return NULL;
    if (rules->names && !run_value(run, rules->names->same, p)) return NULL;
    p = run_skip_blanks(member.close + 1);
    if (*p != ':') return NULL;
    member.value = run_skip_gap(p);
    return keeps_rules(run, &member, present) ? member.end : NULL;
}

/* A bit for each required name: at most 64 come here. */
static bool has_required(const struct object_rules *rules, uint64_t present) {
    uint32_t count = rules->required_count;
    return present == (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
}

static const char *run_members(struct run *run, const struct schema_node *node, const char *p) {
    const struct object_rules *rules = node->object;
    size_t base = run->key_count;
    uint64_t present = 0;
    uint32_t count = 0;
    if (run->depth++ == JSON_MAX_DEPTH) return run_give_up(run);
    p = run_skip_blanks(p + 1);
    if (*p != '}') {
        for (;; p = run_skip_gap(p), count++) {
            const char *member = p;
            if (*p != '"' || !(p = run_long_member(run, rules, base, p, &present)))
                return run_refuse(run, member);
            p = run_skip_blanks(p);
            if (*p != ',') break;
        }
        count++;
        if (*p != '}') return NULL;
    }
    run->depth--;
    run->key_count = base;
    if (rules->defaults) run->unfilled = true;
    if (!run_goes_on(run, ++p) || count < rules->min || count > rules->max) return NULL;
    return has_required(rules, present) ? p : NULL;
}

const char *run_long_object(struct run *run, const struct schema_node *node, const char *p) {
    struct fills *fills = run_quietly(run);
    p = run_members(run, node, p);
    run_as_before(run, fills);
    return p;
}
