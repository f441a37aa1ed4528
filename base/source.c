/* Turns byte offsets into lines and columns, for printers only. Leaves the text itself alone. */
#include "base/source.h"

#include "base/text.h"

#include <string.h>

static uint32_t line_start(gramc_text text, uint32_t offset) {
    while (offset > 0 && text.ptr[offset - 1] != '\n') offset--;
    return offset;
}

static uint32_t line_end(gramc_text text, uint32_t offset) {
    const char *feed = memchr(text.ptr + offset, '\n', text.len - offset);
    uint32_t end = feed ? (uint32_t)(feed - text.ptr) : (uint32_t)text.len;
    return end > offset && text.ptr[end - 1] == '\r' ? end - 1 : end;
}

static uint32_t count_lines(gramc_text text, uint32_t offset) {
    uint32_t lines = 1;
    const char *end = text.ptr + offset;
    for (const char *p = text.ptr; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) lines++;
    return lines;
}

struct position source_position(const struct source *source, uint32_t offset) {
    gramc_text text = source->text;
    if (offset > text.len) offset = (uint32_t)text.len;
    struct position at = {.line = count_lines(text, offset), .column = 1};
    at.row.start = line_start(text, offset);
    at.row.end = line_end(text, offset);
    for (size_t pos = at.row.start; pos < offset; at.column++) {
        uint32_t c = text_decode(text, &pos);
        at.utf16 += c != UINT32_MAX && c > 0xFFFF ? 2 : 1;
    }
    return at;
}

gramc_text source_slice(const struct source *source, struct span span) {
    return (gramc_text){source->text.ptr + span.start, span.end - span.start};
}
