/* JOLT's functions of texts. Lengths and positions count characters; the separator of split is a
 * regular expression (ECMA-262's, where Java's are nearly the same). Other values are spelled as
 * Java spells them: [a, b] and {k=v}. */
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "jolt/function.h"
#include "jsonschema/regex.h"

enum { LONGEST_TEXT = 64 << 20 };

static bool give_text(struct jolt_work *work, gramc_text text, struct jolt_node **out) {
    *out = node_text(work, JSON_STRING, text);
    return *out != NULL;
}

/* Takes over what the buffer holds, and frees it. */
static bool give_buf(struct jolt_work *work, struct buf *buf, struct jolt_node **out) {
    gramc_text copy = {NULL, 0};
    if (buf_status(buf) != GRAMC_OK) work_fail(work, buf_status(buf));
    else if (work_bytes(work, buf->len)) copy = arena_text(&work->arena, buf_view(buf));
    buf_free(buf);
    return copy.ptr && give_text(work, copy, out);
}

static void start_buf(struct jolt_work *work, struct buf *buf) {
    buf_init(buf, &work->arena.allocator, LONGEST_TEXT);
}

/* ## Case and blanks */

static bool map_chars(struct jolt_work *work, const struct jolt_node *node,
                      uint32_t (*map)(uint32_t), struct jolt_node **out) {
    struct buf buf;
    if (node->kind != JSON_STRING) return false;
    start_buf(work, &buf);
    for (size_t i = 0; i < node->text.len;) {
        char bytes[4];
        buf_put(&buf, bytes, text_encode(bytes, map(text_decode(node->text, &i))));
    }
    return give_buf(work, &buf, out);
}

bool function_to_lower(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                       size_t count, struct jolt_node **out) {
    (void)first, (void)count;
    return map_chars(work, items[0], text_lower, out);
}

bool function_to_upper(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                       size_t count, struct jolt_node **out) {
    (void)first, (void)count;
    return map_chars(work, items[0], text_upper, out);
}

/* Of everything up to U+0020. */
bool function_trim(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    gramc_text text = items[0]->text;
    (void)first, (void)count;
    if (items[0]->kind != JSON_STRING) return false;
    while (text.len && (unsigned char)text.ptr[0] <= ' ') text = text_slice(text, 1, text.len);
    while (text.len && (unsigned char)text.ptr[text.len - 1] <= ' ') text.len--;
    return give_text(work, text, out);
}

/* ## Putting together */

static void put_spelling(struct buf *out, const struct jolt_node *node) {
    if (!node_is_container(node)) {
        buf_text(out, node_spelling(node));
        return;
    }
    bool object = node->kind == JSON_OBJECT;
    buf_putc(out, object ? '{' : '[');
    for (uint32_t i = 0; i < node->count; i++) {
        if (i) buf_puts(out, ", ");
        if (object) {
            buf_text(out, node->keys[i]);
            buf_putc(out, '=');
        }
        put_spelling(out, node->items[i]);
    }
    buf_putc(out, object ? '}' : ']');
}

bool function_to_string(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                        size_t count, struct jolt_node **out) {
    struct buf buf;
    (void)first, (void)count;
    start_buf(work, &buf);
    put_spelling(&buf, items[0]);
    return give_buf(work, &buf, out);
}

bool function_concat(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                     size_t count, struct jolt_node **out) {
    struct buf buf;
    (void)first;
    start_buf(work, &buf);
    for (size_t i = 0; i < count; i++)
        if (items[i]->kind != JSON_NULL) put_spelling(&buf, items[i]);
    return give_buf(work, &buf, out);
}

/* Null and empty texts are left out, with their separators. */
bool function_join(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                   size_t count, struct jolt_node **out) {
    struct buf buf;
    bool separate = false;
    start_buf(work, &buf);
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind == JSON_NULL) continue;
        if (items[i]->kind == JSON_STRING && items[i]->text.len == 0) continue;
        if (separate) buf_text(&buf, first->text);
        separate = true;
        put_spelling(&buf, items[i]);
    }
    return give_buf(work, &buf, out);
}

/* ## Taking apart */

static size_t char_offset(gramc_text text, size_t chars) {
    size_t i = 0;
    while (chars-- > 0 && i < text.len) text_decode(text, &i);
    return i;
}

bool function_substring(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                        size_t count, struct jolt_node **out) {
    uint32_t start, end;
    (void)first;
    if (count != 3 || items[0]->kind != JSON_STRING || !node_small(items[1], &start) ||
        !node_small(items[2], &end))
        return false;
    gramc_text text = items[0]->text;
    if (start >= end || end > text_length(text)) return false;
    return give_text(work, text_slice(text, char_offset(text, start), char_offset(text, end)), out);
}

static bool push_part(struct jolt_work *work, struct jolt_node *list, gramc_text part) {
    struct jolt_node *item = node_text(work, JSON_STRING, part);
    return item && work_step(work) && node_push(work, list, item);
}

/* Parts between the matches. One of no width splits between characters, but not at the front. */
static bool split_all(struct jolt_work *work, struct regex_session *session,
                      const struct regex *regex, gramc_text text, struct jolt_node *list) {
    size_t from = 0, search = 0, start;
    for (;;) {
        size_t end = search;
        enum regex_result result = regex_find(session, regex, text, &start, &end);
        if (result == REGEX_NOMEM) work_fail(work, GRAMC_NOMEM);
        if (result == REGEX_LIMIT || result == REGEX_NOMEM) return false;
        if (result == REGEX_NO || start == text.len) break;
        search = end;
        if (start == end) text_decode(text, &search);
        if (end == 0) continue;
        if (!push_part(work, list, text_slice(text, from, start))) return false;
        from = end;
    }
    return push_part(work, list, text_slice(text, from, text.len));
}

/* Empty parts at the end are dropped, as Java does; a text without a match stays whole. */
static void drop_empty(struct jolt_node *list, gramc_text text) {
    if (list->count == 1 && list->items[0]->text.len == text.len) return;
    while (list->count && list->items[list->count - 1]->text.len == 0) list->count--;
}

static struct jolt_node *split(struct jolt_work *work, gramc_text text, gramc_text separator) {
    struct regex_set set;
    struct regex_session session;
    struct regex_error error;
    struct jolt_node *list = node_new(work, JSON_ARRAY);
    regex_set_init(&set, &work->arena);
    regex_session_init(&session, &work->arena.allocator, NULL);
    const struct regex *regex = list ? regex_compile(&set, separator, &error) : NULL;
    if (!regex || !split_all(work, &session, regex, text, list)) list = NULL;
    if (list) drop_empty(list, text);
    regex_session_free(&session);
    regex_set_free(&set);
    return list;
}

bool function_split(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                    size_t count, struct jolt_node **out) {
    (void)count;
    if (items[0]->kind != JSON_STRING || !work_bytes(work, first->text.len + 1024)) return false;
    *out = split(work, items[0]->text, first->text);
    return *out != NULL;
}

/* ## Padding */

static bool pad(struct jolt_work *work, const struct jolt_node *text, struct jolt_node **items,
                size_t count, bool left, struct jolt_node **out) {
    uint32_t width;
    struct buf buf;
    if (count < 2 || !node_small(items[0], &width) || items[1]->kind != JSON_STRING) return false;
    if (width == 0 || width > JOLT_WIDEST_PAD || text_length(items[1]->text) != 1) return false;
    start_buf(work, &buf);
    if (!left) buf_text(&buf, text->text);
    for (size_t i = text_length(text->text); i < width; i++) buf_text(&buf, items[1]->text);
    if (left) buf_text(&buf, text->text);
    return give_buf(work, &buf, out);
}

bool function_left_pad(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                       size_t count, struct jolt_node **out) {
    return pad(work, first, items, count, true, out);
}

bool function_right_pad(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                        size_t count, struct jolt_node **out) {
    return pad(work, first, items, count, false, out);
}

/* ## Booleans */

bool function_to_boolean(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                         size_t count, struct jolt_node **out) {
    struct jolt_node *item = items[0];
    (void)first, (void)count;
    *out = item->kind == JSON_TRUE || item->kind == JSON_FALSE ? item : NULL;
    if (item->kind == JSON_STRING && text_is_nocase(item->text, "true"))
        *out = node_new(work, JSON_TRUE);
    if (item->kind == JSON_STRING && text_is_nocase(item->text, "false"))
        *out = node_new(work, JSON_FALSE);
    return *out != NULL;
}
