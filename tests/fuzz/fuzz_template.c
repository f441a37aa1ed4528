/* Fuzzes the templates of HTTP calls with arguments of any kind: a body of JSON stays JSON, and no
 * value brings a control character into a header or an address, in whatever style. The first byte
 * chooses the kind, the style and explode, then come the template, a NUL and the arguments. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "toolbox/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = TEMPLATE_TEXT + 1, EXPLODES = EXPLODE_TRUE + 1, ROOM = 1 << 20 };
_Static_assert(KINDS *STYLES *EXPLODES <= 256, "one byte chooses them all");

static void demand(bool condition) {
    if (!condition) abort();
}

static size_t controls(gramc_text text, unsigned char highest) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += (unsigned char)text.ptr[i] <= highest;
    return count;
}

static size_t controls_of(const struct template *what, unsigned char highest) {
    size_t count = 0;
    for (size_t i = 0; i < what->count; i++)
        if (what->parts[i].kind == PART_TEXT) count += controls(what->parts[i].text, highest);
        else count += controls(what->parts[i].fallback, highest);
    return count;
}

static void evaluate(enum template_kind kind, const struct template *what, gramc_text out) {
    struct arena arena;
    arena_init(&arena, NULL);
    if (kind == TEMPLATE_JSON) demand(json_parse(&arena, out, NULL) || arena.oom);
    if (kind == TEMPLATE_HEADER || kind == TEMPLATE_COOKIES)
        demand(controls(out, 0x1F) <= controls_of(what, 0x1F));
    if (kind == TEMPLATE_URL) demand(controls(out, ' ') <= controls_of(what, ' '));
    arena_free(&arena);
}

static void expand(enum template_kind kind, const struct template *what,
                   const struct json *values) {
    struct template_error error;
    struct buf out;
    buf_init(&out, NULL, ROOM);
    gramc_status status = template_expand(&out, what, values, NULL, NULL, &error);
    demand(status != GRAMC_FINDINGS || error.message[0]);
    demand(error.end <= what->source.len);
    if (status == GRAMC_OK) evaluate(kind, what, buf_view(&out));
    buf_free(&out);
}

static void set_style(struct template *what, unsigned choice) {
    for (size_t i = 0; i < what->count; i++) {
        const struct template_style style = {what->parts[i].text,
                                             (enum parameter_style)(choice % STYLES),
                                             (enum style_explode)(choice / STYLES % EXPLODES)};
        if (style_fits(style.style, (enum style_place)what->parts[i].own))
            template_set_styles(what, &style, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct template what;
    struct template_error error;
    struct arena arena;
    const uint8_t *end = size > 1 ? memchr(data + 1, '\0', size - 1) : NULL;
    if (!end) return 0;
    enum template_kind kind = (enum template_kind)(data[0] % KINDS);
    gramc_text text = {(const char *)data + 1, (size_t)(end - data) - 1};
    gramc_text arguments = {(const char *)end + 1, size - (size_t)(end - data) - 1};
    arena_init(&arena, NULL);
    const struct json *values = json_parse(&arena, arguments, NULL);
    gramc_status status = template_read(&what, &arena, text, kind, false, &error);
    demand(status != GRAMC_FINDINGS || (error.message[0] && error.end <= text.len));
    if (status == GRAMC_OK) set_style(&what, data[0] / KINDS);
    if (status == GRAMC_OK && json_is(values, JSON_OBJECT)) expand(kind, &what, values);
    arena_free(&arena);
    return 0;
}
