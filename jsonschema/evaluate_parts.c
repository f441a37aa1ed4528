/* Evaluates the parts of arrays and objects: items, members, their number, their names, whether
 * they repeat. Called by evaluate.c for one place at a time. */
#include "jsonschema/evaluate.h"

#include <string.h>

#include "base/json/number.h"
#include "base/text.h"
#include "jsonschema/members.h"

enum { BYTES_PER_STEP = 64 };

/* ## Arrays */

static bool evaluate_items(struct evaluation *evaluation, const struct evaluation_frame *at,
                           struct marks *marks) {
    const struct array_rules *rules = at->node->array;
    bool old = at->node->resource->dialect.draft != GRAMC_DRAFT_2020_12;
    bool valid = true;
    uint32_t i = 0;
    for (const struct json *item = at->value->first; item; item = item->next, i++) {
        bool in_prefix = i < rules->prefix.count;
        const struct schema_node *node = in_prefix ? rules->prefix.nodes[i] : rules->rest;
        if (!node) break;
        struct evaluation_frame inner = frame_child(at, node, item,
                                                    !in_prefix ? rules->rest_keyword
                                                    : old      ? "items"
                                                               : "prefixItems");
        inner.index = i;
        inner.listed = in_prefix;
        valid &= evaluate_frame(evaluation, &inner, NULL);
        if (!evaluation_goes_on(evaluation, valid)) return false;
        marks_set(marks, i);
    }
    return valid;
}

static bool evaluate_contains(struct evaluation *evaluation, const struct evaluation_frame *at,
                              struct marks *marks) {
    const struct array_rules *rules = at->node->array;
    /* Before 2020-12 `contains` evaluates nothing. */
    if (at->node->resource->dialect.draft != GRAMC_DRAFT_2020_12) marks = NULL;
    uint32_t count = 0, i = 0;
    for (const struct json *item = at->value->first; item; item = item->next, i++) {
        struct evaluation_frame inner = frame_child(at, rules->contains, item, "contains");
        if (evaluation->status != GRAMC_OK) return false;
        if (!evaluate_quietly(evaluation, &inner)) continue;
        count++;
        marks_set(marks, i);
    }
    if (evaluation->status != GRAMC_OK) return false;
    if (count < rules->min_contains)
        report_contains(evaluation, at, "contains", rules->min_contains, count);
    if (count > rules->max_contains)
        report_contains(evaluation, at, "maxContains", rules->max_contains, count);
    return count >= rules->min_contains && count <= rules->max_contains;
}

/* Equal values give equal hashes; the order of members does not count. */
static uint64_t hash_value(struct evaluation *evaluation, const struct json *value) {
    uint64_t hash = (uint64_t)value->kind * UINT64_C(0x9E3779B97F4A7C15);
    size_t len = value->kind < JSON_ARRAY ? value->text.len : 0;
    if (!evaluation_take(evaluation, 1 + len / BYTES_PER_STEP)) return 0;
    if (value->kind == JSON_STRING) return hash ^ text_hash(value->text);
    if (value->kind == JSON_NUMBER) {
        struct decimal number = decimal_read(value->text);
        return hash ^ decimal_hash(&number);
    }
    for (const struct json *child = value->first; child; child = child->next) {
        uint64_t inner = hash_value(evaluation, child) * UINT64_C(0xFF51AFD7ED558CCD);
        if (value->kind == JSON_OBJECT) hash += inner ^ (uint64_t)text_hash(child->key) << 20;
        else hash = (hash << 5 | hash >> 59) ^ inner;
    }
    return hash ^ hash >> 31;
}

struct hashed {
    uint64_t hash;
    const struct json *item; /* NULL: free */
    uint32_t index;
};

bool evaluate_find_equal(struct evaluation *evaluation, const struct json *array,
                         uint32_t pair[2]) {
    size_t size = 8;
    while (size < (size_t)array->count * 2) size *= 2;
    struct hashed *table = arena_array(evaluation->arena, size, sizeof *table);
    if (!table) return evaluation_stop(evaluation, GRAMC_NOMEM);
    uint32_t i = 0;
    for (const struct json *item = array->first; item; item = item->next, i++) {
        uint64_t hash = hash_value(evaluation, item);
        if (evaluation->status != GRAMC_OK) return false;
        for (size_t at = (size_t)hash;; at++) {
            struct hashed *slot = &table[at & (size - 1)];
            if (!slot->item) {
                *slot = (struct hashed){hash, item, i};
                break;
            }
            if (!evaluation_take(evaluation, 1)) return false;
            if (slot->hash != hash || !json_equal_within(slot->item, item, &evaluation->steps))
                continue;
            pair[0] = slot->index;
            pair[1] = i;
            return true;
        }
    }
    return false;
}

static bool evaluate_unique(struct evaluation *evaluation, const struct evaluation_frame *at) {
    uint32_t pair[2];
    if (!at->node->array->unique || at->value->count < 2 ||
        !evaluate_find_equal(evaluation, at->value, pair))
        return true;
    report_equal_items(evaluation, at, pair);
    return false;
}

static bool evaluate_item_count(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct array_rules *rules = at->node->array;
    uint32_t count = at->value->count;
    if (count < rules->min) report_size(evaluation, at, "minItems", rules->min, count);
    if (count > rules->max) report_size(evaluation, at, "maxItems", rules->max, count);
    return count >= rules->min && count <= rules->max;
}

bool evaluate_array(struct evaluation *evaluation, const struct evaluation_frame *at,
                    struct marks *marks) {
    const struct array_rules *rules = at->node->array;
    bool valid = evaluate_item_count(evaluation, at);
    if (!valid && !evaluation->report) return false;
    if (rules->rest || rules->prefix.count) valid &= evaluate_items(evaluation, at, marks);
    if (!valid && !evaluation->report) return false;
    if (rules->contains) valid &= evaluate_contains(evaluation, at, marks);
    valid &= evaluate_unique(evaluation, at);
    return valid && evaluation->status == GRAMC_OK;
}

bool evaluate_array_itself(struct evaluation *evaluation, const struct evaluation_frame *at) {
    bool valid = evaluate_item_count(evaluation, at);
    if (at->node->array->contains) valid &= evaluate_contains(evaluation, at, NULL);
    return evaluate_unique(evaluation, at) && valid;
}

/* ## Objects */

enum { FEW_MEMBERS = 16, MEMBERS_PER_STEP = 8 };

struct json evaluate_name_of(const struct json *member) {
    return (struct json){.kind = JSON_STRING,
                         .key = member->key,
                         .text = member->key,
                         .start = member->key_start,
                         .end = member->key_start,
                         .mark = MARK_BRIEF};
}

static bool evaluate_name(struct evaluation *evaluation, const struct evaluation_frame *at,
                          const struct json *member) {
    struct json name = evaluate_name_of(member);
    struct evaluation_frame inner =
        frame_child(at, at->node->object->names, &name, "propertyNames");
    inner.name = true;
    return evaluate_frame(evaluation, &inner, NULL);
}

static bool evaluate_patterns(struct evaluation *evaluation, const struct evaluation_frame *at,
                              const struct json *member, bool *known) {
    const struct object_rules *rules = at->node->object;
    bool valid = true;
    for (size_t i = 0; i < rules->pattern_count && evaluation->status == GRAMC_OK; i++) {
        const struct pattern_property *pattern = &rules->patterns[i];
        if (!evaluate_matches(evaluation, pattern->regex, member->key)) continue;
        struct evaluation_frame inner = frame_child(at, pattern->node, member, "patternProperties");
        inner.token = pattern->pattern;
        *known = true;
        valid &= evaluate_frame(evaluation, &inner, NULL);
    }
    return valid;
}

static bool evaluate_member(struct evaluation *evaluation, const struct evaluation_frame *at,
                            const struct json *member, const struct schema_property *property,
                            bool *known) {
    const struct object_rules *rules = at->node->object;
    bool valid = true;
    if (rules->names) valid = evaluate_name(evaluation, at, member);
    if (property && property->node) {
        struct evaluation_frame inner = frame_child(at, property->node, member, "properties");
        inner.token = property->key;
        *known = true;
        valid &= evaluate_frame(evaluation, &inner, NULL);
    }
    valid &= evaluate_patterns(evaluation, at, member, known);
    if (!*known && rules->additional) {
        struct evaluation_frame inner =
            frame_child(at, rules->additional, member, "additionalProperties");
        *known = true;
        valid &= evaluate_frame(evaluation, &inner, NULL);
    }
    return valid;
}

bool evaluate_index(struct evaluation *evaluation, const struct json *object,
                    struct member_index *index) {
    struct member_index *last = &evaluation->members;
    *index = (struct member_index){.object = object};
    if (object->count <= FEW_MEMBERS) return true;
    if (last->object != object || evaluation->members_age != evaluation->memo.age) {
        if (!evaluation_take(evaluation, member_index_steps(object))) return false;
        if (!member_index_make(last, evaluation->arena, object))
            return evaluation_stop(evaluation, GRAMC_NOMEM);
        evaluation->members_age = evaluation->memo.age;
    }
    *index = *last;
    return true;
}

static bool find_required(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct object_rules *rules = at->node->object;
    struct member_index index;
    bool valid = true;
    if (!evaluate_index(evaluation, at->value, &index) ||
        !evaluation_take(evaluation, rules->required_count))
        return false;
    for (uint32_t i = 0; i < rules->required_count; i++) {
        const struct schema_property *property = &rules->properties[rules->asked[i]];
        if (member_find(&index, property->key)) continue;
        report_required(evaluation, at, property);
        valid = false;
    }
    return valid;
}

static bool mark_required(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct object_rules *rules = at->node->object;
    const struct json required = {.count = rules->required_count};
    uint32_t likely = rules->first;
    struct marks seen;
    bool valid = true;
    if (!evaluation_take(evaluation, (at->value->count + required.count) / MEMBERS_PER_STEP) ||
        !marks_init(evaluation, &seen, &required))
        return false;
    for (const struct json *member = at->value->first; member; member = member->next) {
        const struct schema_property *property = find_next_property(rules, member->key, &likely);
        if (property && property->required != NO_REQUIRED) marks_set(&seen, property->required);
    }
    for (uint32_t i = 0; i < rules->required_count; i++) {
        const struct schema_property *property = &rules->properties[rules->asked[i]];
        if (marks_has(&seen, property->required)) continue;
        report_required(evaluation, at, property);
        valid = false;
    }
    return valid;
}

/* Walks over the members when an object is asked for the first time; when other schemas ask it for
 * a few names again, these are looked up. */
static bool evaluate_required(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct json *object = at->value;
    uint32_t asked = at->node->object->required_count;
    bool few = asked < object->count / MEMBERS_PER_STEP;
    if (!asked) return true;
    if (few && (evaluation->walked == object || evaluation->members.object == object))
        return find_required(evaluation, at);
    evaluation->walked = object;
    return mark_required(evaluation, at);
}

static bool evaluate_dependent(struct evaluation *evaluation, const struct evaluation_frame *at,
                               const struct dependent *dependent,
                               const struct member_index *index) {
    bool valid = true;
    if (!evaluation_take(evaluation, dependent->names->count)) return false;
    for (const struct json *name = dependent->names->first; name; name = name->next) {
        if (member_find(index, name->text)) continue;
        report_dependent(evaluation, at, dependent, name->text);
        valid = false;
    }
    return valid;
}

bool evaluate_dependents(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct object_rules *rules = at->node->object;
    struct member_index index;
    bool valid = true;
    if (!rules->dependent_count) return true;
    if (!evaluation_take(evaluation, rules->dependent_count / MEMBERS_PER_STEP) ||
        !evaluate_index(evaluation, at->value, &index))
        return false;
    for (size_t i = 0; i < rules->dependent_count && evaluation_goes_on(evaluation, valid); i++) {
        const struct dependent *dependent = &rules->dependents[i];
        if (dependent->names && member_find(&index, dependent->key))
            valid &= evaluate_dependent(evaluation, at, dependent, &index);
    }
    return valid && evaluation->status == GRAMC_OK;
}

/* Where only the answer counts, scalars come first: a member that tells two alternatives apart is
 * one of them, and what stands in lists and maps need not be looked at then. */
enum member_kinds { MEMBERS_SCALAR = 1, MEMBERS_CONTAINER = 2, MEMBERS_ALL = 3 };

static bool evaluate_members(struct evaluation *evaluation, const struct evaluation_frame *at,
                             struct marks *marks, enum member_kinds which) {
    const struct object_rules *rules = at->node->object;
    bool valid = true;
    uint32_t i = 0, likely = rules->first;
    if (!rules->has_nodes && !rules->pattern_count && !rules->additional && !rules->names)
        return true;
    if (!evaluation_take(evaluation, at->value->count / MEMBERS_PER_STEP)) return false;
    for (const struct json *member = at->value->first; member; member = member->next, i++) {
        bool known = false;
        enum member_kinds is = member->kind >= JSON_ARRAY ? MEMBERS_CONTAINER : MEMBERS_SCALAR;
        if (!(which & is)) continue;
        if (member->mark & MARK_FINE) {
            marks_set(marks, i);
            continue;
        }
        const struct schema_property *property = find_next_property(rules, member->key, &likely);
        valid &= evaluate_member(evaluation, at, member, property, &known);
        if (!evaluation_goes_on(evaluation, valid)) return false;
        if (known) marks_set(marks, i);
    }
    return valid;
}

bool evaluate_object_itself(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct object_rules *rules = at->node->object;
    uint32_t count = at->value->count;
    bool valid = count >= rules->min && count <= rules->max;
    if (count < rules->min) report_size(evaluation, at, "minProperties", rules->min, count);
    if (count > rules->max) report_size(evaluation, at, "maxProperties", rules->max, count);
    return evaluate_required(evaluation, at) && valid;
}

bool evaluate_object(struct evaluation *evaluation, const struct evaluation_frame *at,
                     struct marks *marks) {
    bool valid = evaluate_object_itself(evaluation, at);
    if (!valid && !evaluation->report) return false;
    if (evaluation->report) valid &= evaluate_members(evaluation, at, marks, MEMBERS_ALL);
    else
        valid = evaluate_members(evaluation, at, marks, MEMBERS_SCALAR) &&
                evaluate_members(evaluation, at, marks, MEMBERS_CONTAINER);
    if (!valid && !evaluation->report) return false;
    return evaluate_dependents(evaluation, at) && valid;
}

/* ## Duplicates */

static bool few_duplicates(struct evaluation *evaluation, const struct evaluation_frame *at) {
    bool fine = true;
    for (const struct json *member = at->value->first; member; member = member->next)
        for (const struct json *other = at->value->first; other != member; other = other->next)
            if (text_eq(member->key, other->key)) {
                report_duplicate(evaluation, at, member);
                fine = false;
                break;
            }
    return fine;
}

static bool many_duplicates(struct evaluation *evaluation, const struct evaluation_frame *at) {
    size_t count = at->value->count, i = 0;
    const struct json **list = arena_array(evaluation->arena, 2 * count, sizeof *list);
    bool fine = true;
    if (!list) return evaluation_stop(evaluation, GRAMC_NOMEM);
    for (const struct json *member = at->value->first; member; member = member->next)
        list[i++] = member;
    list = json_sort_members(list, list + count, count);
    for (i = 1; i < count; i++)
        if (text_eq(list[i]->key, list[i - 1]->key)) {
            report_duplicate(evaluation, at, list[i]);
            fine = false;
        }
    return fine;
}

/* As deep as the document. */
static bool duplicates_below(struct evaluation *evaluation, const struct evaluation_frame *at) {
    bool fine = true;
    if (at->value->kind == JSON_OBJECT)
        fine = at->value->count <= 16 ? few_duplicates(evaluation, at)
                                      : many_duplicates(evaluation, at);
    for (const struct json *child = at->value->first; child; child = child->next) {
        if (child->kind < JSON_ARRAY) continue;
        struct evaluation_frame inner = frame_child(at, at->node, child, NULL);
        fine &= duplicates_below(evaluation, &inner);
    }
    return fine;
}

bool evaluate_duplicates(struct evaluation *evaluation, const struct json *root) {
    struct evaluation_frame at = {.node = evaluation->schema->root, .value = root};
    return duplicates_below(evaluation, &at);
}
