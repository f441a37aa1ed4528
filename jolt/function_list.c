/* JOLT's functions of lists and of values as such: sizes, elements, order, squashing, presence.
 * They give new lists and leave those that they were given alone. */
#include "base/sort.h"
#include "base/text.h"
#include "jolt/function.h"

static bool give(struct jolt_node **out, struct jolt_node *made) {
    *out = made;
    return made != NULL;
}

/* ## Sizes and elements */

bool function_size(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    (void)first;
    if (count > 1) return give(out, node_integer(work, (int64_t)count));
    if (items[0]->kind == JSON_STRING)
        return give(out, node_integer(work, (int64_t)text_length(items[0]->text)));
    return node_is_container(items[0]) && give(out, node_integer(work, items[0]->count));
}

bool function_first(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                    size_t count, struct jolt_node **out) {
    (void)work, (void)first;
    return count > 0 && give(out, items[0]);
}

bool function_last(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    (void)work, (void)first;
    return count > 0 && give(out, items[count - 1]);
}

bool function_element_at(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                         size_t count, struct jolt_node **out) {
    uint32_t index;
    (void)work;
    return node_small(first, &index) && index < count && give(out, items[index]);
}

bool function_to_list(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                      size_t count, struct jolt_node **out) {
    (void)first;
    return give(out, node_list(work, items, count));
}

/* ## Order */

static bool is_less(const void *ctx, const void *left, const void *right) {
    const struct jolt_node *a = *(struct jolt_node *const *)left;
    const struct jolt_node *b = *(struct jolt_node *const *)right;
    (void)ctx;
    if (a->kind == JSON_STRING) return text_compare(a->text, b->text) < 0;
    if (a->kind == JSON_NUMBER) return json_number_compare(a->text, b->text) < 0;
    return a->kind < b->kind; /* false before true */
}

static bool are_comparable(const struct jolt_node *a, const struct jolt_node *b) {
    bool booleans = (a->kind == JSON_TRUE || a->kind == JSON_FALSE) &&
                    (b->kind == JSON_TRUE || b->kind == JSON_FALSE);
    return booleans || (a->kind == b->kind && (a->kind == JSON_STRING || a->kind == JSON_NUMBER));
}

bool function_sort(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    (void)first;
    if (count == 1) return give(out, items[0]->kind == JSON_NULL ? NULL : items[0]);
    for (size_t i = 1; i < count; i++)
        if (!are_comparable(items[0], items[i])) return false;
    struct jolt_node *list = node_list(work, items, count);
    struct jolt_node **spare = arena_array(&work->arena, count, sizeof(*spare));
    if (!list || !spare) return false;
    list->items = sort_merge(list->items, spare, count, sizeof(*spare), is_less, NULL);
    list->room = (uint32_t)count;
    return give(out, list);
}

/* ## Squashing */

static void drop_nulls(struct jolt_work *work, struct jolt_node *node, bool deep) {
    if (!node_is_container(node) || !work_step(work)) return;
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->items[i]->kind == JSON_NULL) node->items[i] = NULL;
        else if (deep) drop_nulls(work, node->items[i], true);
    }
    node_compact(node);
}

static bool squash(struct jolt_work *work, struct jolt_node **items, size_t count, bool deep,
                   struct jolt_node **out) {
    struct jolt_node *value = count > 1 ? node_list(work, items, count) : items[0];
    if (!value || value->kind == JSON_NULL || (value->kind == JSON_ARRAY && value->count == 0))
        return false;
    value = node_copy(work, value);
    if (value) drop_nulls(work, value, deep);
    return give(out, value);
}

bool function_squash_nulls(struct jolt_work *work, struct jolt_node *first,
                           struct jolt_node **items, size_t count, struct jolt_node **out) {
    (void)first;
    return squash(work, items, count, false, out);
}

bool function_squash_all_nulls(struct jolt_work *work, struct jolt_node *first,
                               struct jolt_node **items, size_t count, struct jolt_node **out) {
    (void)first;
    return squash(work, items, count, true, out);
}

static bool is_among(struct jolt_work *work, const struct jolt_node *list, struct jolt_node *item) {
    for (uint32_t i = 0; i < list->count; i++)
        if (work_step(work) && node_equal(work, list->items[i], item)) return true;
    return false;
}

bool function_squash_duplicates(struct jolt_work *work, struct jolt_node *first,
                                struct jolt_node **items, size_t count, struct jolt_node **out) {
    struct jolt_node *value = count > 1 ? node_list(work, items, count) : items[0];
    (void)first;
    if (!value || value->kind == JSON_NULL) return false;
    if (value->kind != JSON_ARRAY) return give(out, value);
    struct jolt_node *list = value->count ? node_new(work, JSON_ARRAY) : NULL;
    for (uint32_t i = 0; list && i < value->count; i++)
        if (!is_among(work, list, value->items[i]) && !node_push(work, list, value->items[i]))
            return false;
    return give(out, list);
}

/* ## Presence */

bool function_noop(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    (void)work, (void)first, (void)items, (void)count, (void)out;
    return false;
}

bool function_is_present(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                         size_t count, struct jolt_node **out) {
    (void)work, (void)first, (void)count;
    return give(out, items[0]);
}

bool function_not_null(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                       size_t count, struct jolt_node **out) {
    (void)work, (void)first, (void)count;
    return give(out, items[0]->kind == JSON_NULL ? NULL : items[0]);
}

bool function_is_null(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                      size_t count, struct jolt_node **out) {
    (void)work, (void)first, (void)count;
    return give(out, items[0]->kind == JSON_NULL ? items[0] : NULL);
}
