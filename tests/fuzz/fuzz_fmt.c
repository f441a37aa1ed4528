/* Fuzzes formatting: what parses is formatted to a text with the same patterns and comments (the
 * library itself says if not), and formatting that changes nothing more. The first byte chooses the
 * portable form or not. Then fixes, over and over: they always come to an end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OUTPUT = 1 << 28, MOST_ROUNDS = 4096 };

/* True if the text could be formatted. */
static bool format(struct buf *out, gramc_text text, bool portable) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.portable = portable;
    buf_init(out, NULL, MOST_OUTPUT);
    buf_put(out, "", 0);
    if (gramc_compilation_new(&compilation, NULL)) abort();
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("fuzz"), text.ptr, text.len);
    if (status == GRAMC_OK) status = gramc_source_format(compilation, 0, &options, buf_writer(out));
    if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
    gramc_compilation_free(compilation);
    return status == GRAMC_OK;
}

/* One round; how many findings were fixed. */
static size_t fix(struct buf *out, gramc_text text) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    size_t fixed = 0;
    if (gramc_compilation_new(&compilation, NULL)) abort();
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("fuzz"), text.ptr, text.len);
    if (status == GRAMC_OK || status == GRAMC_FINDINGS) status = gramc_compile(&spec, compilation);
    if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
    if (gramc_source_fix(compilation, 0, buf_writer(out), &fixed)) abort();
    if (!fixed && !text_eq(buf_view(out), text)) abort();
    gramc_compilation_free(compilation);
    return fixed;
}

static void fix_all(gramc_text text) {
    struct buf now, next;
    buf_init(&now, NULL, MOST_OUTPUT);
    buf_text(&now, text);
    for (size_t rounds = 0, fixed = 1; fixed; rounds++) {
        if (rounds == MOST_ROUNDS) abort();
        buf_init(&next, NULL, MOST_OUTPUT);
        fixed = fix(&next, buf_view(&now));
        buf_free(&now);
        now = next;
    }
    buf_free(&now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf once, twice;
    if (size == 0) return 0;
    char *text = malloc(size);
    if (!text) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    bool portable = data[0] & 1;
    if (format(&once, (gramc_text){text, size - 1}, portable)) {
        if (!format(&twice, buf_view(&once), portable)) abort();
        if (!text_eq(buf_view(&once), buf_view(&twice))) abort();
        buf_free(&twice);
    }
    buf_free(&once);
    fix_all((gramc_text){text, size - 1});
    free(text);
    return 0;
}
