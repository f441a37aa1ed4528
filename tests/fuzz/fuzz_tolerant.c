/* Fuzzes the tolerant reader of JSON: what it makes of a text is JSON of the kind that was wanted,
 * and itself needs no mending; of valid JSON it changes nothing. The whole input is one text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/json/tolerant.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void check(gramc_text text, unsigned kinds) {
    const struct json_wish wish = {.kinds = kinds};
    struct arena arena;
    struct buf out, again;
    unsigned repairs, none;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, 1 << 24);
    buf_init(&again, NULL, 1 << 24);
    const struct json *strict = json_parse(&arena, text_trim(text), NULL);
    gramc_status status = json_tolerant(&out, text, &wish, &repairs);
    bool wanted = strict && (kinds >> strict->kind & 1);
    demand(status == GRAMC_OK || (status == GRAMC_FINDINGS && !wanted));
    if (strict && strict->kind != JSON_STRING) demand(wanted == (status == GRAMC_OK));
    if (wanted) demand(!repairs && text_eq(buf_view(&out), text_trim(text)));
    if (status == GRAMC_OK) {
        const struct json *made = json_parse(&arena, buf_view(&out), NULL);
        demand(made && (kinds >> made->kind & 1));
        demand(wanted || repairs);
        demand(json_tolerant(&again, buf_view(&out), &wish, &none) == GRAMC_OK && !none);
    }
    buf_free(&out);
    buf_free(&again);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_text text = {(const char *)data, size};
    check(text, 1u << JSON_OBJECT);
    check(text, 1u << JSON_OBJECT | 1u << JSON_ARRAY);
    check(text, 0x7F);
    return 0;
}
