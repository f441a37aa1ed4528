/* Turns a list of findings into text for people (source lines with the place underlined), one-line
 * records, or the gram project's diagnostics JSON. Whatever comes from a source is escaped here:
 * no control or bidirectional character of theirs reaches a terminal. */
#include "base/diag.h"

#include "base/text.h"

enum { WIDEST_ROW = 160, LEAD = 40 };

static const char *const severities[] = {"note", "warning", "error"};
static const char *const colors[] = {"\033[1;36m", "\033[1;33m", "\033[1;31m"};

static void paint(struct buf *out, bool color, const char *code) {
    if (color) buf_puts(out, code);
}

static void put_safe(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned char)text.ptr[start]);
        else if (c == '\n') buf_puts(out, "\\n");
        else if (c == '\t') buf_putc(out, ' ');
        else if (text_is_treacherous(c)) buf_printf(out, "\\u{%x}", (unsigned)c);
        else buf_put(out, text.ptr + start, pos - start);
    }
}

/* Columns that put_safe() takes for this stretch. */
static size_t shown_width(gramc_text text) {
    size_t width = 0;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) width += 4;
        else if (c != '\t' && text_is_treacherous(c))
            width += c > 0xFFFF ? 9 : c > 0xFFF ? 8 : c > 0xFF ? 7 : c > 0xF ? 6 : 5;
        else width++;
    }
    return width;
}

/* A long row is cut to a window round the place. */
static struct span window(gramc_text text, struct span row, uint32_t start) {
    if (row.end - row.start <= WIDEST_ROW) return row;
    if (start - row.start > LEAD) row.start = start - LEAD;
    while (row.start < start && (text.ptr[row.start] & 0xC0) == 0x80) row.start++;
    if (row.end - row.start > WIDEST_ROW) row.end = row.start + WIDEST_ROW;
    while (row.end > start && (text.ptr[row.end] & 0xC0) == 0x80) row.end--;
    return row;
}

static void put_excerpt(struct buf *out, const struct source *source, struct span span,
                        const char *mark, gramc_text note) {
    struct position at = source_position(source, span.start);
    uint32_t start = span.start < source->text.len ? span.start : (uint32_t)source->text.len;
    struct span row = window(source->text, at.row, start);
    uint32_t end = span.end < row.end ? span.end : row.end;
    size_t width = end > start ? shown_width(source_slice(source, (struct span){start, end})) : 0;
    size_t indent = shown_width(source_slice(source, (struct span){row.start, start}));
    buf_printf(out, "%5u | ", (unsigned)at.line);
    put_safe(out, source_slice(source, row));
    buf_puts(out, "\n      | ");
    for (size_t i = 0; i < indent; i++) buf_putc(out, ' ');
    for (size_t i = 0; i < (width ? width : 1); i++) buf_puts(out, mark);
    if (note.len) buf_putc(out, ' ');
    put_safe(out, note);
    buf_putc(out, '\n');
}

static void put_place(struct buf *out, const char *lead, const struct source *source,
                      uint32_t offset) {
    struct position at = source_position(source, offset);
    buf_puts(out, lead);
    put_safe(out, source->name);
    buf_printf(out, ":%u:%u\n", (unsigned)at.line, (unsigned)at.column);
}

static void put_finding(struct buf *out, const struct finding *finding, bool color) {
    paint(out, color, colors[finding->severity]);
    buf_printf(out, "%s[%s]", severities[finding->severity], diag_row(finding->id)->code);
    paint(out, color, "\033[0m\033[1m");
    buf_puts(out, ": ");
    put_safe(out, finding->message);
    paint(out, color, "\033[0m");
    buf_putc(out, '\n');
    put_place(out, "  --> ", finding->source, finding->span.start);
    put_excerpt(out, finding->source, finding->span, "^", (gramc_text){NULL, 0});
    for (uint32_t i = 0; i < finding->label_count; i++) {
        const struct diag_label *label = &finding->labels[i];
        if (label->source != finding->source)
            put_place(out, "  ::: ", label->source, label->span.start);
        put_excerpt(out, label->source, label->span, "-", label->text);
    }
    if (finding->help.len) {
        buf_puts(out, "      = help: ");
        put_safe(out, finding->help);
        buf_putc(out, '\n');
    }
}

static void put_count(struct buf *out, uint32_t count, const char *noun, const char *lead) {
    buf_printf(out, "%s%u %s%s", lead, (unsigned)count, noun, count == 1 ? "" : "s");
}

void diag_print_text(struct buf *out, const struct findings *findings, bool color) {
    uint32_t errors = findings->counts[GRAMC_ERROR], warnings = findings->counts[GRAMC_WARNING];
    uint32_t total = errors + warnings + findings->counts[GRAMC_NOTE];
    for (const struct finding *f = findings->first; f; f = f->next) {
        put_finding(out, f, color);
        buf_putc(out, '\n');
    }
    if (total > findings->kept)
        buf_printf(out, "... and %u more that are not shown\n", (unsigned)(total - findings->kept));
    if (errors) put_count(out, errors, "error", "");
    if (warnings) put_count(out, warnings, "warning", errors ? ", " : "");
    if (errors || warnings) buf_putc(out, '\n');
}

void diag_print_concise(struct buf *out, const struct findings *findings) {
    for (const struct finding *f = findings->first; f; f = f->next) {
        struct position at = source_position(f->source, f->span.start);
        put_safe(out, f->source->name);
        buf_printf(out, ":%u:%u: %s[%s]: ", (unsigned)at.line, (unsigned)at.column,
                   severities[f->severity], diag_row(f->id)->code);
        put_safe(out, f->message);
        buf_putc(out, '\n');
    }
}

static void put_json(struct buf *out, gramc_text text) {
    buf_putc(out, '"');
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) buf_puts(out, "\\ufffd");
        else if (c == '"' || c == '\\') buf_printf(out, "\\%c", (char)c);
        else if (c < 0x20) buf_printf(out, "\\u%04x", (unsigned)c);
        else buf_put(out, text.ptr + start, pos - start);
    }
    buf_putc(out, '"');
}

static void put_json_range(struct buf *out, const struct source *source, struct span span) {
    struct position start = source_position(source, span.start);
    struct position end = source_position(source, span.end);
    buf_printf(out,
               "{\"start\":{\"line\":%u,\"character\":%u},\"end\":{\"line\":%u,\"character\":%u}}",
               (unsigned)start.line - 1, (unsigned)start.utf16, (unsigned)end.line - 1,
               (unsigned)end.utf16);
}

/* As in a TextEdit of the language server protocol. */
static void put_json_fixes(struct buf *out, const struct finding *f) {
    if (!f->fixes) return;
    buf_puts(out, ",\"fix\":[");
    for (const struct fix *fix = f->fixes; fix; fix = fix->next) {
        buf_puts(out, fix == f->fixes ? "{\"range\":" : ",{\"range\":");
        put_json_range(out, f->source, fix->span);
        buf_puts(out, ",\"newText\":");
        put_json(out, fix->replacement);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_json_finding(struct buf *out, const struct finding *f) {
    buf_printf(out, "{\"severity\":\"%s\",\"code\":\"%s\",\"slug\":\"%s\",\"message\":",
               f->severity == GRAMC_NOTE ? "information" : severities[f->severity],
               diag_row(f->id)->code, diag_row(f->id)->slug);
    put_json(out, f->message);
    buf_puts(out, ",\"range\":");
    put_json_range(out, f->source, f->span);
    if (f->help.len) {
        buf_puts(out, ",\"help\":");
        put_json(out, f->help);
    }
    put_json_fixes(out, f);
    buf_puts(out, ",\"related\":[");
    for (uint32_t i = 0; i < f->label_count; i++) {
        if (i) buf_putc(out, ',');
        buf_puts(out, "{\"path\":");
        put_json(out, f->labels[i].source->name);
        buf_puts(out, ",\"message\":");
        put_json(out, f->labels[i].text);
        buf_puts(out, ",\"range\":");
        put_json_range(out, f->labels[i].source, f->labels[i].span);
        buf_putc(out, '}');
    }
    buf_puts(out, "]}");
}

/* One entry a file, in the order of the sources; needs the list sorted. */
void diag_print_json(struct buf *out, const struct findings *findings) {
    const struct source *file = NULL;
    buf_printf(out, "{\"schema_version\":1,\"tool\":\"gramc/%s\",\"files\":[", gramc_version());
    for (const struct finding *f = findings->first; f; f = f->next) {
        if (f->source != file) {
            buf_puts(out, file ? "]},{\"path\":" : "{\"path\":");
            put_json(out, f->source->name);
            buf_puts(out, ",\"diagnostics\":[");
        } else {
            buf_putc(out, ',');
        }
        file = f->source;
        put_json_finding(out, f);
    }
    buf_puts(out, file ? "]}]}\n" : "]}\n");
}
