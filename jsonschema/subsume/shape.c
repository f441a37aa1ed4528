/* Reads what the schemas of a branch say together: bounds, counts, members, items. Keywords that
 * are not understood are left out, which makes the branch larger and so keeps every "yes" true. */
#include "jsonschema/subsume/subsume.h"

#include "base/json/number.h"
#include "base/text.h"

#include <stdio.h>

/* ## Types */

unsigned shape_types(const struct json *node) {
    const struct json *type = json_get(node, "type");
    unsigned bits = 0;
    if (json_is(type, JSON_STRING)) return type_bits_named(type->text);
    if (!json_is(type, JSON_ARRAY)) return TYPE_BIT_ALL;
    for (const struct json *name = type->first; name; name = name->next)
        bits |= type_bits_named(name->text);
    return bits;
}

/* ## Numbers */

static void raise(struct range *range, const struct json *bound, bool over) {
    if (!json_is(bound, JSON_NUMBER)) return;
    int order = range->low.len ? json_number_compare(bound->text, range->low) : 1;
    if (order > 0) range->over = over;
    else if (order == 0) range->over = range->over || over;
    if (order > 0) range->low = bound->text;
}

static void lower(struct range *range, const struct json *bound, bool under) {
    if (!json_is(bound, JSON_NUMBER)) return;
    int order = range->high.len ? json_number_compare(bound->text, range->high) : -1;
    if (order < 0) range->under = under;
    else if (order == 0) range->under = range->under || under;
    if (order < 0) range->high = bound->text;
}

/* The whole part of a number of moderate length; false for one with an exponent. */
static bool read_whole(gramc_text number, int64_t *whole, bool *exact) {
    bool negative = number.ptr[0] == '-';
    size_t i = negative ? 1 : 0;
    *whole = 0;
    for (; i < number.len && i < 17 && number.ptr[i] >= '0' && number.ptr[i] <= '9'; i++)
        *whole = *whole * 10 + (number.ptr[i] - '0');
    *exact = i == number.len || json_number_is_integer(number);
    if (i < number.len && number.ptr[i] != '.') return false;
    for (size_t k = i; k < number.len; k++)
        if (number.ptr[k] == 'e' || number.ptr[k] == 'E') return false;
    if (negative) *whole = -*whole;
    return true;
}

static gramc_text print_whole(struct compat *compat, int64_t whole) {
    char text[32];
    int len = snprintf(text, sizeof text, "%lld", (long long)whole);
    return arena_text(&compat->arena, (gramc_text){text, (size_t)len});
}

/* Bounds of whole numbers become whole and inclusive where that is easy. */
static void tighten(struct compat *compat, struct range *range) {
    int64_t whole;
    bool exact;
    if (range->low.len && read_whole(range->low, &whole, &exact)) {
        if (exact ? range->over : range->low.ptr[0] != '-') whole++;
        range->low = print_whole(compat, whole);
        range->over = false;
    }
    if (range->high.len && read_whole(range->high, &whole, &exact)) {
        if (exact ? range->under : range->high.ptr[0] == '-') whole--;
        range->high = print_whole(compat, whole);
        range->under = false;
    }
}

struct range shape_range(struct compat *compat, const struct conjunction *a, enum json_type only) {
    struct range range = {.whole = only == JSON_TYPE_INTEGER};
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *node = a->nodes[i], *step = json_get(node, "multipleOf");
        raise(&range, json_get(node, "minimum"), false);
        raise(&range, json_get(node, "exclusiveMinimum"), true);
        lower(&range, json_get(node, "maximum"), false);
        lower(&range, json_get(node, "exclusiveMaximum"), true);
        if (json_is(step, JSON_NUMBER) && json_number_is_integer(step->text)) range.whole = true;
    }
    if (range.whole) tighten(compat, &range);
    return range;
}

/* ## Counts */

uint64_t shape_count(const struct json *value, uint64_t otherwise) {
    int64_t whole;
    bool exact;
    if (!json_is(value, JSON_NUMBER) || !read_whole(value->text, &whole, &exact)) return otherwise;
    return exact && whole >= 0 && whole < SHAPE_UNBOUNDED ? (uint64_t)whole : otherwise;
}

struct counts shape_counts(const struct conjunction *a, const char *min, const char *max) {
    struct counts counts = {0, SHAPE_UNBOUNDED};
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t least = shape_count(json_get(a->nodes[i], min), 0);
        uint64_t most = shape_count(json_get(a->nodes[i], max), SHAPE_UNBOUNDED);
        if (least > counts.min) counts.min = least;
        if (most < counts.max) counts.max = most;
    }
    return counts;
}

bool shape_is_unique(const struct conjunction *a) {
    for (uint32_t i = 0; i < a->count; i++)
        if (json_is(json_get(a->nodes[i], "uniqueItems"), JSON_TRUE)) return true;
    return false;
}

bool shape_has_text(const struct conjunction *a, const char *keyword, gramc_text text) {
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *value = json_get(a->nodes[i], keyword);
        if (json_is(value, JSON_STRING) && text_eq(value->text, text)) return true;
    }
    return false;
}

/* ## Members and items */

bool shape_requires(const struct conjunction *a, gramc_text name) {
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *names = json_get(a->nodes[i], "required");
        if (!json_is(names, JSON_ARRAY)) continue;
        for (const struct json *n = names->first; n; n = n->next)
            if (n->kind == JSON_STRING && text_eq(n->text, name)) return true;
    }
    return false;
}

/* A schema may be false, which conjunction_add must see; true and absence say nothing. */
void shape_member(struct conjunction *out, const struct conjunction *a, gramc_text name) {
    out->count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *node = a->nodes[i];
        const struct json *known =
            name.ptr ? json_get_text(json_get(node, "properties"), name) : NULL;
        if (known) conjunction_add(out, known);
        else if (!json_get(node, "patternProperties"))
            conjunction_add(out, json_get(node, "additionalProperties"));
    }
}

void shape_item(struct conjunction *out, const struct conjunction *a, uint64_t index) {
    out->count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *prefix = json_get(a->nodes[i], "prefixItems");
        const struct json *item = json_is(prefix, JSON_ARRAY) ? prefix->first : NULL;
        for (uint64_t k = 0; item && k < index; k++) item = item->next;
        if (!item) item = json_get(a->nodes[i], "items");
        if (item && item->kind != JSON_ARRAY) conjunction_add(out, item);
    }
}

uint64_t shape_prefix(const struct conjunction *a) {
    uint64_t longest = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct json *prefix = json_get(a->nodes[i], "prefixItems");
        if (json_is(prefix, JSON_ARRAY) && prefix->count > longest) longest = prefix->count;
    }
    return longest;
}

struct counts shape_items(const struct conjunction *a) {
    struct counts counts = shape_counts(a, "minItems", "maxItems");
    uint64_t end = shape_prefix(a);
    for (uint64_t i = 0; i <= end && i < counts.max; i++) {
        struct conjunction item;
        shape_item(&item, a, i);
        if (conjunction_is_false(&item)) counts.max = i;
    }
    return counts;
}
