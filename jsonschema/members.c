/* Sorts the members of an object by name and finds them by halving. */
#include "jsonschema/members.h"

#include "base/text.h"

uint64_t member_index_steps(const struct json *object) {
    uint64_t steps = object->count;
    for (size_t count = object->count; count > 4; count /= 4) steps += object->count;
    return steps;
}

bool member_index_make(struct member_index *index, struct arena *arena, const struct json *object) {
    size_t count = object->count, i = 0;
    const struct json **list = arena_array(arena, 2 * count + 1, sizeof *list);
    if (!list) return false;
    for (const struct json *child = object->first; child; child = child->next) list[i++] = child;
    *index = (struct member_index){object, json_sort_members(list, list + count, count), count};
    return true;
}

const struct json *member_index_find(const struct member_index *index, gramc_text key) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (text_compare(index->sorted[middle]->key, key) <= 0) low = middle + 1;
        else high = middle;
    }
    return low && text_eq(index->sorted[low - 1]->key, key) ? index->sorted[low - 1] : NULL;
}

const struct json *member_find(const struct member_index *index, gramc_text key) {
    return index->sorted ? member_index_find(index, key) : json_get_text(index->object, key);
}
