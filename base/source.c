/* Turns byte offsets into lines and columns, for printers only. Leaves the text itself alone. */
#include "base/source.h"

#include "base/text.h"

#include <string.h>

/* Counts the lines up to `offset`; the columns begin anew behind the last of their ends. */
static void pass_lines(struct source_cursor *cursor, gramc_text text, uint32_t offset) {
    const char *end = text.ptr + offset, *p = text.ptr + cursor->next;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        cursor->next = (size_t)(++p - text.ptr);
        cursor->at = (struct position){.line = cursor->at.line + 1, .column = 1};
        cursor->at.row.start = (uint32_t)cursor->next;
        cursor->line_end = 0;
    }
}

static void pass_columns(struct source_cursor *cursor, gramc_text text, uint32_t offset) {
    for (; cursor->next < offset; cursor->at.column++) {
        uint32_t c = text_decode(text, &cursor->next);
        cursor->at.utf16 += c != UINT32_MAX && c > 0xFFFF ? 2 : 1;
    }
}

static uint32_t line_end(struct source_cursor *cursor, gramc_text text, uint32_t offset) {
    if (cursor->line_end < offset || !cursor->line_end) {
        const char *feed = memchr(text.ptr + offset, '\n', text.len - offset);
        cursor->line_end = feed ? (uint32_t)(feed - text.ptr) : (uint32_t)text.len;
    }
    uint32_t end = cursor->line_end;
    return end > offset && text.ptr[end - 1] == '\r' ? end - 1 : end;
}

struct position source_position_from(struct source_cursor *cursor, const struct source *source,
                                     uint32_t offset) {
    gramc_text text = source->text;
    if (offset > text.len) offset = (uint32_t)text.len;
    if (cursor->source != source || offset < cursor->offset)
        *cursor = (struct source_cursor){.source = source, .at = {.line = 1, .column = 1}};
    cursor->offset = offset;
    pass_lines(cursor, text, offset);
    pass_columns(cursor, text, offset);
    cursor->at.row.end = line_end(cursor, text, offset);
    return cursor->at;
}

struct position source_position(const struct source *source, uint32_t offset) {
    struct source_cursor cursor = {.source = NULL};
    return source_position_from(&cursor, source, offset);
}

gramc_text source_slice(const struct source *source, struct span span) {
    return (gramc_text){source->text.ptr + span.start, span.end - span.start};
}
