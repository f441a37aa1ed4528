/* Finds the first place where two JSON values differ and says what stands there, so that a script
 * that no longer fits its agent can be put right. Values are shown by their beginnings. */
#include "runtime/difference.h"

#include "base/text.h"

enum { SHOWN = 100, VALUE_MAX = 1 << 20, PATH_MAX_BYTES = 512 };

struct search {
    struct buf *out;
    struct buf path;
};

/* Cut between two code points. */
static void put_shown(struct buf *out, const struct json *value) {
    struct buf text;
    if (!value) {
        buf_puts(out, "nothing");
        return;
    }
    buf_init(&text, &out->allocator, VALUE_MAX);
    json_put(&text, value);
    if (text.state == BUF_NOMEM) out->state = BUF_NOMEM;
    gramc_text all = buf_view(&text);
    size_t end = 0;
    while (end < all.len && end < SHOWN) text_decode(all, &end);
    buf_text(out, text_slice(all, 0, end));
    if (end < all.len) buf_puts(out, "...");
    buf_free(&text);
}

static bool report(struct search *search, const struct json *expected, const struct json *actual) {
    buf_puts(search->out, "at ");
    buf_text(search->out, search->path.len ? buf_view(&search->path) : TEXT("the root"));
    buf_puts(search->out, " it has ");
    put_shown(search->out, expected);
    buf_puts(search->out, ", the request has ");
    put_shown(search->out, actual);
    return true;
}

static bool differ(struct search *search, const struct json *expected, const struct json *actual);

static bool differ_at(struct search *search, gramc_text token, const struct json *expected,
                      const struct json *actual) {
    size_t len = search->path.len;
    json_put_pointer_token(&search->path, token);
    if (!expected || !actual ? report(search, expected, actual) : differ(search, expected, actual))
        return true;
    search->path.len = len;
    return false;
}

static bool objects_differ(struct search *search, const struct json *expected,
                           const struct json *actual) {
    for (const struct json *member = expected->first; member; member = member->next)
        if (differ_at(search, member->key, member, json_get_text(actual, member->key))) return true;
    for (const struct json *member = actual->first; member; member = member->next)
        if (!json_get_text(expected, member->key))
            return differ_at(search, member->key, NULL, member);
    return false;
}

static gramc_text decimal(char digits[24], size_t number) {
    size_t at = 24;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return (gramc_text){digits + at, 24 - at};
}

static bool arrays_differ(struct search *search, const struct json *expected,
                          const struct json *actual) {
    const struct json *a = expected->first, *b = actual->first;
    char digits[24];
    for (size_t i = 0; a || b; i++) {
        if (differ_at(search, decimal(digits, i), a, b)) return true;
        a = a->next;
        b = b->next;
    }
    return false;
}

/* No deeper than json_parse goes. */
static bool differ(struct search *search, const struct json *expected, const struct json *actual) {
    if (expected->kind == actual->kind && expected->kind == JSON_OBJECT)
        return objects_differ(search, expected, actual);
    if (expected->kind == actual->kind && expected->kind == JSON_ARRAY)
        return arrays_differ(search, expected, actual);
    return !json_equal(expected, actual) && report(search, expected, actual);
}

bool json_difference(struct buf *out, const struct json *expected, const struct json *actual) {
    struct search search = {.out = out};
    buf_init(&search.path, &out->allocator, PATH_MAX_BYTES);
    bool found = differ(&search, expected, actual);
    if (search.path.state == BUF_NOMEM) out->state = BUF_NOMEM;
    buf_free(&search.path);
    return found;
}
