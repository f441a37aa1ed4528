/* Answers questions about JSON documents: members, pointers (RFC 6901), equality as JSON Schema
 * means it. Changes nothing and allocates nothing; recursion is as deep as the document, which
 * json_parse keeps below JSON_MAX_DEPTH. */
#include "base/json/json.h"

#include "base/sort.h"
#include "base/text.h"

const struct json *json_get_text(const struct json *object, gramc_text key) {
    const struct json *found = NULL;
    if (!json_is(object, JSON_OBJECT)) return NULL;
    for (const struct json *member = object->first; member; member = member->next)
        if (member->key.len == key.len && text_eq(member->key, key)) found = member;
    return found;
}

const struct json *json_get(const struct json *object, const char *key) {
    return json_get_text(object, text_of(key));
}

/* Compares a key with a reference token, in which ~0 is ~ and ~1 is /. */
static bool token_is(gramc_text token, gramc_text key) {
    size_t k = 0;
    for (size_t i = 0; i < token.len; i++, k++) {
        char c = token.ptr[i];
        if (c == '~' && i + 1 < token.len) c = token.ptr[++i] == '1' ? '/' : '~';
        if (k == key.len || key.ptr[k] != c) return false;
    }
    return k == key.len;
}

static bool token_index(gramc_text token, size_t *index) {
    if (token.len == 0 || token.len > 10 || (token.len > 1 && token.ptr[0] == '0')) return false;
    *index = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9') return false;
        *index = *index * 10 + (size_t)(token.ptr[i] - '0');
    }
    return true;
}

static const struct json *child_at(const struct json *value, gramc_text token) {
    const struct json *found = NULL;
    if (value->kind == JSON_OBJECT) {
        for (const struct json *member = value->first; member; member = member->next)
            if (token_is(token, member->key)) found = member;
        return found;
    }
    size_t index;
    if (value->kind != JSON_ARRAY || !token_index(token, &index)) return NULL;
    for (found = value->first; found && index; index--) found = found->next;
    return found;
}

const struct json *json_at(const struct json *value, gramc_text pointer) {
    if (pointer.len && pointer.ptr[0] != '/') return NULL;
    size_t pos = 0;
    while (value && pos < pointer.len) {
        size_t start = ++pos;
        while (pos < pointer.len && pointer.ptr[pos] != '/') pos++;
        value = child_at(value, text_slice(pointer, start, pos));
    }
    return value;
}

enum { BYTES_PER_STEP = 64 };

static bool equal(const struct json *a, const struct json *b, uint64_t *steps);

static bool arrays_equal(const struct json *a, const struct json *b, uint64_t *steps) {
    const struct json *x = a->first, *y = b->first;
    while (x && y && equal(x, y, steps)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

/* Looks for the key from `from` on and then from the start: one step each when the orders agree. */
static const struct json *find_around(const struct json *object, const struct json *from,
                                      gramc_text key, uint64_t *steps) {
    const struct json *member = from ? from : object->first;
    for (uint32_t i = 0; i < object->count && *steps; i++, --*steps) {
        if (text_eq(member->key, key)) return member;
        member = member->next ? member->next : object->first;
    }
    return NULL;
}

static bool objects_equal(const struct json *a, const struct json *b, uint64_t *steps) {
    const struct json *next = b->first;
    for (const struct json *member = a->first; member; member = member->next) {
        const struct json *other = find_around(b, next, member->key, steps);
        if (!other || !equal(member, other, steps)) return false;
        next = other->next;
    }
    return true;
}

static void take(uint64_t *steps, uint64_t count) {
    *steps -= count < *steps ? count : *steps;
}

static bool equal(const struct json *a, const struct json *b, uint64_t *steps) {
    if (a->kind != b->kind || a->count != b->count || *steps == 0) return false;
    take(steps, 1);
    if (a->kind == JSON_NUMBER || (a->kind == JSON_STRING && a->text.len == b->text.len))
        take(steps, (a->text.len + b->text.len) / BYTES_PER_STEP);
    switch ((enum json_kind)a->kind) {
    case JSON_NUMBER: return json_number_compare(a->text, b->text) == 0;
    case JSON_STRING: return text_eq(a->text, b->text);
    case JSON_ARRAY: return arrays_equal(a, b, steps);
    case JSON_OBJECT: return objects_equal(a, b, steps);
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE: break;
    }
    return true;
}

bool json_equal_within(const struct json *a, const struct json *b, uint64_t *steps) {
    return equal(a, b, steps);
}

bool json_equal(const struct json *a, const struct json *b) {
    uint64_t steps = UINT64_MAX;
    return equal(a, b, &steps);
}

static bool key_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return text_compare((*(const struct json *const *)a)->key,
                        (*(const struct json *const *)b)->key) < 0;
}

const struct json **json_sort_members(const struct json **members, const struct json **spare,
                                      size_t count) {
    return sort_merge(members, spare, count, sizeof *members, key_before, NULL);
}
