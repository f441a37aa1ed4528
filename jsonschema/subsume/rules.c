/* Decides about one type of A and one keyword of B: a table with a rule for each keyword that says
 * something. Where a rule cannot prove it, subsume_sample_against looks for a value that shows the
 * contrary. Keywords that this language never prints are not decided, and said so. */
#include "jsonschema/keywords.h"
#include "jsonschema/subsume/subsume.h"

#include "base/json/number.h"
#include "base/text.h"

/* What a rule gets to know. */
struct question {
    struct compat *compat;
    const struct conjunction *a;
    const struct json *b;       /* the schema that holds the keyword */
    const struct json *keyword; /* its value, with its key */
    enum json_type only;
};

typedef struct subsume_answer rule(const struct question *q);

static struct subsume_answer when(bool proven, const char *reason) {
    return proven ? subsume_yes : subsume_unknown(reason);
}

/* ## Any type */

static struct subsume_answer rule_type(const struct question *q) {
    unsigned types = shape_types(q->b);
    if (types & 1u << q->only) return subsume_yes;
    if (q->only == JSON_TYPE_NUMBER && types & 1u << JSON_TYPE_INTEGER)
        return when(shape_range(q->compat, q->a, q->only).whole, "fractions are possible");
    return subsume_unknown("the types differ, but no value of the first was found");
}

static struct subsume_answer rule_values(const struct question *q) {
    if (q->only == JSON_TYPE_NULL || q->only == JSON_TYPE_BOOLEAN) {
        static const char *const texts[] = {"null", "false", "true"};
        for (size_t i = q->only == JSON_TYPE_NULL ? 0 : 1;
             i < (q->only == JSON_TYPE_NULL ? 1u : 3u); i++)
            if (subsume_evaluate_witness(q->compat, q->a, q->b, text_of(texts[i])))
                return subsume_no(text_of(texts[i]));
        return subsume_yes;
    }
    return subsume_unknown("a list of values against a whole type");
}

static struct subsume_answer rule_reference(const struct question *q) {
    const struct json *target = subsume_follow(&q->compat->b, q->keyword);
    if (!target) return subsume_unknown("the reference cannot be followed");
    return subsume_branch_includes(q->compat, q->a, q->only, target);
}

static struct subsume_answer rule_all_of(const struct question *q) {
    struct subsume_answer all = subsume_yes;
    for (const struct json *part = q->keyword->first; part; part = part->next) {
        struct subsume_answer one = subsume_branch_includes(q->compat, q->a, q->only, part);
        if (one.kind == GRAMC_COMPARE_NO) return one;
        if (one.kind != GRAMC_COMPARE_YES) all = one;
    }
    return all;
}

/* The witness against one alternative may still be taken by another: the whole is asked. */
static struct subsume_answer rule_any_of(const struct question *q) {
    struct subsume_answer last = subsume_unknown("no single alternative takes all of it");
    for (const struct json *option = q->keyword->first; option; option = option->next) {
        struct subsume_answer one = subsume_branch_includes(q->compat, q->a, q->only, option);
        if (one.kind == GRAMC_COMPARE_YES) return one;
        bool shown = one.kind == GRAMC_COMPARE_NO && last.kind != GRAMC_COMPARE_NO &&
                     subsume_evaluate_witness(q->compat, q->a, q->b, one.witness);
        if (shown) last = one;
    }
    return last;
}

static bool others_are_disjoint(const struct question *q, const struct json *chosen) {
    for (const struct json *option = q->keyword->first; option; option = option->next)
        if (option != chosen &&
            rules_disjoint(q->compat, q->a, q->only, option).kind != GRAMC_COMPARE_YES)
            return false;
    return true;
}

static struct subsume_answer rule_one_of(const struct question *q) {
    struct subsume_answer last = subsume_unknown("no single alternative takes all of it");
    for (const struct json *option = q->keyword->first; option; option = option->next) {
        struct subsume_answer one = subsume_branch_includes(q->compat, q->a, q->only, option);
        if (one.kind == GRAMC_COMPARE_YES)
            return when(others_are_disjoint(q, option),
                        "alternatives of oneOf may take the same value");
        bool shown = one.kind == GRAMC_COMPARE_NO && last.kind != GRAMC_COMPARE_NO &&
                     subsume_evaluate_witness(q->compat, q->a, q->b, one.witness);
        if (shown) last = one;
    }
    return last;
}

/* ## Numbers */

static struct subsume_answer rule_bound(const struct question *q) {
    struct range range = shape_range(q->compat, q->a, q->only);
    bool is_low =
        text_is(q->keyword->key, "minimum") || text_is(q->keyword->key, "exclusiveMinimum");
    bool exclusive = text_starts(q->keyword->key, "exclusive");
    gramc_text own = is_low ? range.low : range.high;
    if (q->keyword->kind != JSON_NUMBER || !own.len) return subsume_unknown("the bounds differ");
    int order = json_number_compare(own, q->keyword->text);
    bool own_exclusive = is_low ? range.over : range.under;
    bool inside = is_low ? order > 0 : order < 0;
    return when(inside || (order == 0 && (!exclusive || own_exclusive)), "the bounds differ");
}

static struct subsume_answer rule_multiple(const struct question *q) {
    if (q->keyword->kind != JSON_NUMBER) return subsume_unknown("the steps differ");
    if (shape_range(q->compat, q->a, q->only).whole &&
        decimal_is_multiple(TEXT("1"), q->keyword->text))
        return subsume_yes;
    for (uint32_t i = 0; i < q->a->count; i++) {
        const struct json *step = json_get(q->a->nodes[i], "multipleOf");
        if (json_is(step, JSON_NUMBER) && decimal_is_multiple(step->text, q->keyword->text))
            return subsume_yes;
    }
    return subsume_unknown("the steps differ");
}

/* ## Strings */

static struct subsume_answer rule_length(const struct question *q) {
    struct counts own = shape_counts(q->a, "minLength", "maxLength");
    if (text_is(q->keyword->key, "minLength"))
        return when(own.min >= shape_count(q->keyword, SHAPE_UNBOUNDED), "the lengths differ");
    return when(own.max <= shape_count(q->keyword, 0), "the lengths differ");
}

static struct subsume_answer rule_pattern(const struct question *q) {
    return when(shape_has_text(q->a, "pattern", q->keyword->text),
                "a pattern is compared with nothing but the same pattern");
}

/* Formats each value of which has the second format too (RFC 3986, 3987, 5890, 6531). */
static const struct {
    const char *narrow, *wide;
} formats[] = {{"uri", "iri"},
               {"uri", "uri-reference"},
               {"uri", "iri-reference"},
               {"iri", "iri-reference"},
               {"uri-reference", "iri-reference"},
               {"email", "idn-email"},
               {"hostname", "idn-hostname"}};

static struct subsume_answer rule_format(const struct question *q) {
    if (q->keyword->kind != JSON_STRING || shape_has_text(q->a, "format", q->keyword->text))
        return subsume_yes;
    /* It says who may see the text, not which it is. */
    if (text_is(q->keyword->text, "password")) return subsume_yes;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (text_is(q->keyword->text, formats[i].wide) &&
            shape_has_text(q->a, "format", text_of(formats[i].narrow)))
            return subsume_yes;
    return subsume_unknown("a format is compared with nothing but the same format");
}

/* ## Arrays */

/* Item `index` of A against a schema; a witness becomes an array round the item. */
static struct subsume_answer compare_item(const struct question *q, uint64_t index,
                                          const struct json *schema) {
    struct counts own = shape_items(q->a);
    struct conjunction item;
    if (index >= own.max) return subsume_yes;
    shape_item(&item, q->a, index);
    struct subsume_answer one = subsume_includes(q->compat, &item, schema);
    if (one.kind != GRAMC_COMPARE_NO) return one;
    uint64_t count = own.min > index ? own.min : index + 1;
    return subsume_no(subsume_sample_array(q->compat, q->a, count, index, one.witness));
}

static bool keep(const struct question *q, struct subsume_answer *all, struct subsume_answer one) {
    if (one.kind != GRAMC_COMPARE_YES) *all = one;
    if (q->compat->only_proves) return one.kind == GRAMC_COMPARE_YES;
    return one.kind != GRAMC_COMPARE_NO;
}

static struct subsume_answer rule_prefix(const struct question *q) {
    struct subsume_answer all = subsume_yes;
    uint64_t index = 0;
    for (const struct json *item = q->keyword->first; item; item = item->next)
        if (!keep(q, &all, compare_item(q, index++, item))) break;
    return all;
}

static struct subsume_answer rule_items(const struct question *q) {
    const struct json *prefix = json_get(q->b, "prefixItems");
    struct subsume_answer all = subsume_yes;
    if (q->keyword->kind == JSON_ARRAY) return subsume_unknown("`items` is a list");
    uint64_t own = shape_prefix(q->a), first = json_is(prefix, JSON_ARRAY) ? prefix->count : 0;
    for (uint64_t i = first; i <= (own > first ? own : first); i++)
        if (!keep(q, &all, compare_item(q, i, q->keyword))) break;
    return all;
}

static struct subsume_answer rule_item_count(const struct question *q) {
    struct counts own = shape_items(q->a);
    if (text_is(q->keyword->key, "minItems"))
        return when(own.min >= shape_count(q->keyword, SHAPE_UNBOUNDED), "the counts differ");
    return when(own.max <= shape_count(q->keyword, 0), "the counts differ");
}

static struct subsume_answer rule_unique(const struct question *q) {
    return when(q->keyword->kind != JSON_TRUE || shape_is_unique(q->a) ||
                    shape_items(q->a).max <= 1,
                "items may stand there twice");
}

/* ## Objects */

/* Member `name` of A (ptr NULL: any that nobody names) against a schema. */
static struct subsume_answer compare_member(const struct question *q, gramc_text name,
                                            const struct json *schema) {
    struct conjunction member;
    shape_member(&member, q->a, name);
    if (conjunction_is_false(&member)) return subsume_yes;
    struct subsume_answer one = subsume_includes(q->compat, &member, schema);
    if (one.kind != GRAMC_COMPARE_NO) return one;
    if (!name.ptr) name = subsume_sample_name(q->compat, q->a, q->b);
    return subsume_no(subsume_sample_object(q->compat, q->a, name, one.witness));
}

static struct subsume_answer rule_properties(const struct question *q) {
    struct subsume_answer all = subsume_yes;
    for (const struct json *p = q->keyword->first; p; p = p->next)
        if (!keep(q, &all, compare_member(q, p->key, p))) break;
    return all;
}

static struct subsume_answer rule_required(const struct question *q) {
    for (const struct json *name = q->keyword->first; name; name = name->next)
        if (name->kind == JSON_STRING && !shape_requires(q->a, name->text))
            return subsume_no(
                subsume_sample_object(q->compat, q->a, name->text, (gramc_text){NULL, 0}));
    return subsume_yes;
}

/* A proof counts, and nothing else: names may match several patterns. */
static struct subsume_answer only_proof(struct subsume_answer answer) {
    return answer.kind == GRAMC_COMPARE_YES ? answer : subsume_unknown("names with patterns");
}

static bool has_patterns_of(const struct json *node, const struct json *patterns) {
    const struct json *own = json_get(node, "patternProperties");
    for (const struct json *p = own ? own->first : NULL; p; p = p->next)
        if (!json_get_text(patterns, p->key)) return false;
    return true;
}

/* Where A has no patterns but those of B, what is left of its names is left in B too. */
static struct subsume_answer rule_additional_to_patterns(const struct question *q) {
    const struct json *known = json_get(q->b, "properties");
    struct conjunction others = {.count = 0};
    for (uint32_t i = 0; i < q->a->count; i++) {
        const struct json *node = q->a->nodes[i], *own = json_get(node, "properties");
        if (!has_patterns_of(node, json_get(q->b, "patternProperties")))
            return subsume_unknown("names with patterns");
        conjunction_add(&others, json_get(node, "additionalProperties"));
        for (const struct json *p = json_is(own, JSON_OBJECT) ? own->first : NULL; p; p = p->next) {
            if (json_get_text(known, p->key)) continue;
            struct subsume_answer one = only_proof(compare_member(q, p->key, q->keyword));
            if (one.kind != GRAMC_COMPARE_YES) return one;
        }
    }
    if (conjunction_is_false(&others)) return subsume_yes;
    return only_proof(subsume_includes(q->compat, &others, q->keyword));
}

/* Names that match a pattern of B: what A says for the same pattern, or for all its names. */
static struct subsume_answer rule_patterns(const struct question *q) {
    for (const struct json *p = q->keyword->first; p; p = p->next) {
        struct conjunction member = {.count = 0};
        for (uint32_t i = 0; i < q->a->count; i++) {
            const struct json *node = q->a->nodes[i], *own = json_get(node, "patternProperties");
            if (own) conjunction_add(&member, json_get_text(own, p->key));
            else if (!json_get(node, "properties"))
                conjunction_add(&member, json_get(node, "additionalProperties"));
        }
        if (conjunction_is_false(&member)) continue;
        struct subsume_answer one = only_proof(subsume_includes(q->compat, &member, p));
        if (one.kind != GRAMC_COMPARE_YES) return one;
    }
    return subsume_yes;
}

/* An object with that name, a text in JSON; unknown if A has none. */
static struct subsume_answer object_with_name(const struct question *q, gramc_text json) {
    struct conjunction member;
    bool plain = json.len >= 2 && json.ptr[0] == '"';
    for (size_t i = 1; plain && i + 1 < json.len; i++) plain = json.ptr[i] != '\\';
    if (!plain) return subsume_unknown("names that are not alike");
    gramc_text name = text_slice(json, 1, json.len - 1);
    shape_member(&member, q->a, name);
    gramc_text object =
        subsume_sample_object(q->compat, q->a, name, subsume_sample_of(q->compat, &member, 0));
    bool shown = object.len && subsume_evaluate_witness(q->compat, q->a, q->b, object);
    return shown ? subsume_no(object) : subsume_unknown("names that are not alike");
}

static struct subsume_answer rule_names(const struct question *q) {
    struct conjunction names = {.count = 0};
    for (uint32_t i = 0; i < q->a->count; i++)
        conjunction_add(&names, json_get(q->a->nodes[i], "propertyNames"));
    if (!names.count) return subsume_unknown("names that are not alike");
    struct subsume_answer one = subsume_includes(q->compat, &names, q->keyword);
    return one.kind == GRAMC_COMPARE_NO ? object_with_name(q, one.witness) : one;
}

static struct subsume_answer rule_additional(const struct question *q) {
    const struct json *known = json_get(q->b, "properties");
    struct subsume_answer all = subsume_yes;
    if (json_get(q->b, "patternProperties")) return rule_additional_to_patterns(q);
    for (uint32_t i = 0; i < q->a->count; i++) {
        const struct json *own = json_get(q->a->nodes[i], "properties");
        if (!json_is(own, JSON_OBJECT)) continue;
        for (const struct json *p = own->first; p; p = p->next)
            if (!json_get_text(known, p->key) &&
                !keep(q, &all, compare_member(q, p->key, q->keyword)))
                return all;
    }
    keep(q, &all, compare_member(q, (gramc_text){NULL, 0}, q->keyword));
    return all;
}

static struct subsume_answer rule_member_count(const struct question *q) {
    struct counts own = shape_counts(q->a, "minProperties", "maxProperties");
    if (text_is(q->keyword->key, "minProperties"))
        return when(own.min >= shape_count(q->keyword, SHAPE_UNBOUNDED), "the counts differ");
    return when(own.max <= shape_count(q->keyword, 0), "the counts differ");
}

/* ## The table: any other keyword says nothing about values */

static struct subsume_answer rule_undecided(const struct question *q) {
    (void)q;
    return subsume_unknown("a keyword that is not compared");
}

static rule *const rules[K_COUNT] = {
    [K_TYPE] = rule_type,
    [K_ENUM] = rule_values,
    [K_CONST] = rule_values,
    [K_REF] = rule_reference,
    [K_ALL_OF] = rule_all_of,
    [K_ANY_OF] = rule_any_of,
    [K_ONE_OF] = rule_one_of,
    [K_MINIMUM] = rule_bound,
    [K_MAXIMUM] = rule_bound,
    [K_EXCLUSIVE_MINIMUM] = rule_bound,
    [K_EXCLUSIVE_MAXIMUM] = rule_bound,
    [K_MULTIPLE_OF] = rule_multiple,
    [K_MIN_LENGTH] = rule_length,
    [K_MAX_LENGTH] = rule_length,
    [K_PATTERN] = rule_pattern,
    [K_FORMAT] = rule_format,
    [K_PREFIX_ITEMS] = rule_prefix,
    [K_ITEMS] = rule_items,
    [K_MIN_ITEMS] = rule_item_count,
    [K_MAX_ITEMS] = rule_item_count,
    [K_UNIQUE_ITEMS] = rule_unique,
    [K_PROPERTIES] = rule_properties,
    [K_REQUIRED] = rule_required,
    [K_ADDITIONAL_PROPERTIES] = rule_additional,
    [K_MIN_PROPERTIES] = rule_member_count,
    [K_MAX_PROPERTIES] = rule_member_count,
    [K_NOT] = rule_undecided,
    [K_IF] = rule_undecided,
    [K_CONTAINS] = rule_undecided,
    [K_MIN_CONTAINS] = rule_undecided,
    [K_MAX_CONTAINS] = rule_undecided,
    [K_PROPERTY_NAMES] = rule_names,
    [K_PATTERN_PROPERTIES] = rule_patterns,
    [K_DEPENDENT_REQUIRED] = rule_undecided,
    [K_DEPENDENT_SCHEMAS] = rule_undecided,
    [K_DEPENDENCIES] = rule_undecided,
    [K_UNEVALUATED_ITEMS] = rule_undecided,
    [K_UNEVALUATED_PROPERTIES] = rule_undecided,
    [K_DYNAMIC_REF] = rule_undecided,
};

struct subsume_answer rules_keyword(struct compat *compat, const struct conjunction *a,
                                    enum json_type only, const struct json *b,
                                    const struct json *keyword) {
    const struct question question = {compat, a, b, keyword, only};
    enum keyword which = keyword_named(keyword->key);
    bool counts = which != K_COUNT && rules[which] && keyword_row(which)->about & 1U << only;
    return counts ? rules[which](&question) : subsume_yes;
}

/* ## Nothing at all, and nothing in common */

/* Deeper is not looked for members that can have no value: recursive types have no end. */
enum { MOST_DOUBTS = 3 };

static bool is_empty_set(struct compat *compat, const struct conjunction *a) {
    if (conjunction_is_false(a)) return true;
    if (a->count == 0 || compat->doubts >= MOST_DOUBTS) return false;
    compat->doubts++;
    struct subsume_answer answer = subsume_each_branch(compat, a, NULL, rules_empty);
    compat->doubts--;
    return answer.kind == GRAMC_COMPARE_YES;
}

static bool lacks_member(struct compat *compat, const struct conjunction *a) {
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *names = json_get(a->nodes[i], "required");
        if (!json_is(names, JSON_ARRAY)) continue;
        for (const struct json *name = names->first; name; name = name->next) {
            struct conjunction member;
            shape_member(&member, a, name->text);
            if (is_empty_set(compat, &member)) return true;
        }
    }
    return false;
}

static bool crosses(const struct range *range) {
    if (!range->low.len || !range->high.len) return false;
    int order = json_number_compare(range->low, range->high);
    return order > 0 || (order == 0 && (range->over || range->under));
}

struct subsume_answer rules_empty(struct compat *compat, const struct conjunction *a,
                                  enum json_type only, const struct json *unused) {
    bool empty = false;
    struct range range;
    struct counts counts;
    (void)unused;
    if (!subsume_step(compat)) return subsume_unknown(compat->limit);
    switch (only) {
    case JSON_TYPE_INTEGER:
    case JSON_TYPE_NUMBER:
        range = shape_range(compat, a, only);
        empty = crosses(&range);
        break;
    case JSON_TYPE_STRING:
        counts = shape_counts(a, "minLength", "maxLength");
        empty = counts.min > counts.max;
        break;
    case JSON_TYPE_ARRAY:
        counts = shape_items(a);
        empty = counts.min > counts.max;
        break;
    case JSON_TYPE_OBJECT: empty = lacks_member(compat, a); break;
    case JSON_TYPE_NULL:
    case JSON_TYPE_BOOLEAN:
    case JSON_TYPES: break;
    }
    return when(empty, "there are values");
}

static bool members_are_disjoint(struct compat *compat, const struct conjunction *a,
                                 const struct json *b, gramc_text name) {
    struct conjunction mine, one = {{NULL}, 0}, theirs;
    struct subsume_answer answer = subsume_unknown(NULL);
    conjunction_add(&one, b);
    shape_member(&mine, a, name);
    shape_member(&theirs, &one, name);
    if (conjunction_is_false(&mine) || conjunction_is_false(&theirs)) return true;
    if (compat->level >= COMPAT_LEVELS) return false;
    compat->level++;
    for (uint32_t i = 0; i < theirs.count && answer.kind != GRAMC_COMPARE_YES; i++)
        answer = subsume_each_branch(compat, &mine, theirs.nodes[i], rules_disjoint);
    compat->level--;
    return answer.kind == GRAMC_COMPARE_YES;
}

/* One required member with nothing in common is enough. */
static bool objects_are_disjoint(struct compat *compat, const struct conjunction *a,
                                 const struct json *b) {
    for (uint32_t i = 0; i <= a->count; i++) {
        const struct json *names = json_get(i < a->count ? a->nodes[i] : b, "required");
        if (!json_is(names, JSON_ARRAY)) continue;
        for (const struct json *name = names->first; name; name = name->next)
            if (members_are_disjoint(compat, a, b, name->text)) return true;
    }
    return false;
}

static bool alternatives_are_disjoint(struct compat *compat, const struct conjunction *a,
                                      enum json_type only, const struct json *options) {
    if (!json_is(options, JSON_ARRAY)) return false;
    for (const struct json *option = options->first; option; option = option->next)
        if (rules_disjoint(compat, a, only, option).kind != GRAMC_COMPARE_YES) return false;
    return true;
}

static bool values_are_refused(struct compat *compat, const struct conjunction *a,
                               const struct json *b) {
    const struct json *list = json_get(b, "enum"), *one = json_get(b, "const");
    if (!one && !json_is(list, JSON_ARRAY)) return false;
    for (const struct json *value = one ? one : list->first; value;
         value = one ? NULL : value->next)
        if (subsume_evaluate_conjunction(compat, a, subsume_print(compat, value))) return false;
    return true;
}

static bool ranges_are_apart(struct compat *compat, const struct conjunction *a,
                             enum json_type only, const struct json *b) {
    struct conjunction both = *a;
    if (only != JSON_TYPE_INTEGER && only != JSON_TYPE_NUMBER) return false;
    conjunction_add(&both, b);
    struct range range = shape_range(compat, &both, only);
    return crosses(&range);
}

struct subsume_answer rules_disjoint(struct compat *compat, const struct conjunction *a,
                                     enum json_type only, const struct json *b) {
    static const char *const reason = "they may have values in common";
    if (!subsume_step(compat)) return subsume_unknown(compat->limit);
    if (b->kind != JSON_OBJECT) return when(b->kind == JSON_FALSE, reason);
    if (compat->level >= COMPAT_LEVELS) return subsume_unknown(reason);
    compat->level++;
    unsigned types = shape_types(b);
    const struct json *target = subsume_follow(&compat->b, json_get(b, "$ref"));
    bool possible =
        types & 1u << only || (only == JSON_TYPE_NUMBER && types & 1u << JSON_TYPE_INTEGER);
    bool apart = !possible || values_are_refused(compat, a, b) ||
                 ranges_are_apart(compat, a, only, b) ||
                 (target && rules_disjoint(compat, a, only, target).kind == GRAMC_COMPARE_YES) ||
                 alternatives_are_disjoint(compat, a, only, json_get(b, "anyOf")) ||
                 alternatives_are_disjoint(compat, a, only, json_get(b, "oneOf")) ||
                 (only == JSON_TYPE_OBJECT && objects_are_disjoint(compat, a, b));
    compat->level--;
    return when(apart, reason);
}
