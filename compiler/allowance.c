/* Turns a comment `// gramc: allow(G0203, D209) reason` into what it allows, and where. Findings
 * are taken out by suppress.c, changes by diff/accept.c. */
#include "compiler/allowance.h"

#include "base/text.h"

#include <string.h>

static uint32_t row_start(gramc_text text, uint32_t offset) {
    while (offset > 0 && text.ptr[offset - 1] != '\n') offset--;
    return offset;
}

static uint32_t row_end(gramc_text text, uint32_t offset) {
    const char *feed = memchr(text.ptr + offset, '\n', text.len - offset);
    return feed ? (uint32_t)(feed - text.ptr) : (uint32_t)text.len;
}

static bool is_comment_row(gramc_text text, struct span row) {
    return text_starts(text_trim(text_slice(text, row.start, row.end)), "//");
}

/* Behind code: its own line. Alone: the next line that is no comment, so that several can stand
 * above each other. */
static struct span find_row(gramc_text text, struct span comment) {
    struct span row = {row_start(text, comment.start), row_end(text, comment.end)};
    bool alone = text_trim(text_slice(text, row.start, comment.start)).len == 0;
    while (alone && row.end < text.len) {
        row.start = row.end + 1;
        row.end = row_end(text, row.start);
        alone = is_comment_row(text, row);
    }
    return row;
}

/* The text behind `// gramc:`; {NULL, 0} for any other comment. */
static gramc_text directive_text(gramc_text comment) {
    gramc_text text = text_trim(text_slice(comment, 2, comment.len));
    if (!text_starts(text, "gramc:")) return (gramc_text){NULL, 0};
    return text_trim(text_slice(text, sizeof "gramc:" - 1, text.len));
}

bool allowance_is(const struct source *source, const struct comment *comment) {
    return directive_text(source_slice(source, comment->span)).ptr != NULL;
}

bool allowance_read(struct allowance *out, const struct source *source,
                    const struct comment *comment) {
    static const char keyword[] = "allow(";
    gramc_text text = directive_text(source_slice(source, comment->span));
    const char *close = text.len ? memchr(text.ptr, ')', text.len) : NULL;
    if (!text_starts(text, keyword) || !close) return false;
    size_t end = (size_t)(close - text.ptr);
    *out = (struct allowance){.comment = comment->span,
                              .row = find_row(source->text, comment->span),
                              .codes = text_slice(text, sizeof keyword - 1, end),
                              .reason = text_trim(text_slice(text, end + 1, text.len))};
    return text_trim(out->codes).len > 0;
}

gramc_text allowance_next(gramc_text *rest) {
    const char *comma = memchr(rest->ptr, ',', rest->len);
    size_t len = comma ? (size_t)(comma - rest->ptr) : rest->len;
    gramc_text code = text_trim(text_slice(*rest, 0, len));
    *rest = text_slice(*rest, comma ? len + 1 : len, rest->len);
    return code;
}
