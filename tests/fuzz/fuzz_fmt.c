/* Fuzzes formatting: what parses is formatted to a text with the same patterns and comments (the
 * library itself says if not), and formatting that changes nothing more. The first byte chooses the
 * portable form or not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OUTPUT = 1 << 28 };

static int append(void *ctx, const char *bytes, size_t len) {
    buf_put(ctx, bytes, len);
    return 0;
}

/* True if the text could be formatted. */
static bool format(struct buf *out, gramc_text text, bool portable) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.portable = portable;
    buf_init(out, NULL, MOST_OUTPUT);
    buf_put(out, "", 0);
    if (gramc_compilation_new(&compilation, NULL)) abort();
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("fuzz"), text.ptr, text.len);
    if (status == GRAMC_OK)
        status = gramc_source_format(compilation, 0, &options, (gramc_writer){append, out});
    if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
    gramc_compilation_free(compilation);
    return status == GRAMC_OK;
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
    free(text);
    return 0;
}
