/* Fuzzes JSON: what is read must be writable in every form, and what is written must be read as
 * equal. The whole input is one document. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void check_form(const struct json *root, void (*put)(struct buf *, const struct json *)) {
    struct arena arena;
    struct buf first, second;
    uint64_t steps = 100000;
    arena_init(&arena, NULL);
    buf_init(&first, NULL, 1 << 24);
    buf_init(&second, NULL, 1 << 24);
    put(&first, root);
    const struct json *again = json_parse(&arena, buf_view(&first), NULL);
    demand(first.state == BUF_TOO_BIG || again);
    if (again) {
        put(&second, again);
        demand(text_eq(buf_view(&first), buf_view(&second)));
        /* In the same order every document equals itself, names that stand twice included. */
        demand(put == json_put_canonical || json_equal_within(root, again, &steps) || !steps);
    }
    buf_free(&first);
    buf_free(&second);
    arena_free(&arena);
}

static void check_spans(const struct json *value, size_t start, size_t end) {
    demand(start <= value->start && value->start < value->end && value->end <= end);
    uint32_t count = 0;
    for (const struct json *child = value->first; child; child = child->next, count++) {
        demand(!child->key.ptr ||
               (child->key_start > value->start && child->key_start < child->start));
        check_spans(child, value->start + 1, value->end - 1);
    }
    demand(count == value->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct json_error error;
    arena_init(&arena, NULL);
    const struct json *root = json_parse(&arena, (gramc_text){(const char *)data, size}, &error);
    demand((root != NULL) == (error.message == NULL));
    demand(error.position <= size);
    if (root) {
        check_spans(root, 0, size);
        check_form(root, json_put);
        check_form(root, json_put_canonical);
        if (size < 1000) check_form(root, json_put_pretty);
        if (root->kind == JSON_NUMBER) {
            demand(json_number_compare(root->text, root->text) == 0);
            demand(json_number_compare(root->text, TEXT("0.5")) ==
                   -json_number_compare(TEXT("0.5"), root->text));
        }
    }
    arena_free(&arena);
    return 0;
}
