/* Turns a list of findings into text for people: source lines with the place underlined, or one
 * line each. No control or bidirectional character of a source reaches a terminal. */
#include "base/diag/put.h"

#include "base/text.h"

enum { WIDEST_ROW = 160, LEAD = 40 };

static const char *const colors[] = {"\033[1;36m", "\033[1;33m", "\033[1;31m"};

static void paint(struct buf *out, bool color, const char *code) {
    if (color) buf_puts(out, code);
}

/* Columns that diag_put_safe() takes for this stretch. */
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

static void put_excerpt(struct buf *out, struct source_cursor *cursor, const struct source *source,
                        struct span span, const char *mark, gramc_text note) {
    struct position at = source_position_from(cursor, source, span.start);
    uint32_t start = span.start < source->text.len ? span.start : (uint32_t)source->text.len;
    struct span row = window(source->text, at.row, start);
    uint32_t end = span.end < row.end ? span.end : row.end;
    size_t width = end > start ? shown_width(source_slice(source, (struct span){start, end})) : 0;
    size_t indent = shown_width(source_slice(source, (struct span){row.start, start}));
    buf_printf(out, "%5u | ", (unsigned)at.line);
    diag_put_safe(out, source_slice(source, row));
    buf_puts(out, "\n      | ");
    for (size_t i = 0; i < indent; i++) buf_putc(out, ' ');
    for (size_t i = 0; i < (width ? width : 1); i++) buf_puts(out, mark);
    if (note.len) buf_putc(out, ' ');
    diag_put_safe(out, note);
    buf_putc(out, '\n');
}

static void put_place(struct buf *out, struct source_cursor *cursor, const char *lead,
                      const struct source *source, uint32_t offset) {
    struct position at = source_position_from(cursor, source, offset);
    buf_puts(out, lead);
    diag_put_safe(out, source->name);
    buf_printf(out, ":%u:%u\n", (unsigned)at.line, (unsigned)at.column);
}

/* `      = help: ...` */
static void put_remark(struct buf *out, const char *name, gramc_text text) {
    if (!text.len) return;
    buf_printf(out, "      = %s: ", name);
    diag_put_safe(out, text);
    buf_putc(out, '\n');
}

static void put_uses(struct buf *out, const struct finding *finding) {
    if (finding->use_count)
        buf_printf(out, "      = %u use%s:\n", (unsigned)finding->use_count,
                   text_plural(finding->use_count));
    for (uint32_t i = 0; i < finding->use_count && i < DIAG_USES; i++) {
        const struct diag_label *use = &finding->uses[i];
        struct position at = source_position(use->source, use->span.start);
        buf_puts(out, "          ");
        diag_put_safe(out, use->source->name);
        buf_printf(out, ":%u:%u: ", (unsigned)at.line, (unsigned)at.column);
        diag_put_safe(out, use->text);
        buf_putc(out, '\n');
    }
    if (finding->use_count > DIAG_USES)
        buf_printf(out, "          ... and %u more\n", (unsigned)(finding->use_count - DIAG_USES));
}

/* Findings come in the order of their places, what they point at besides in any. */
static void put_finding(struct buf *out, struct source_cursor *cursor,
                        const struct diag_report *report, const struct finding *finding,
                        bool color) {
    struct source_cursor other = {.source = NULL};
    paint(out, color, colors[finding->severity]);
    buf_printf(out, "%s[%s]", diag_grade(report, finding->severity), finding->row->code);
    paint(out, color, "\033[0m\033[1m");
    buf_puts(out, ": ");
    diag_put_safe(out, finding->message);
    paint(out, color, "\033[0m");
    buf_putc(out, '\n');
    put_place(out, cursor, "  --> ", finding->source, finding->span.start);
    put_excerpt(out, cursor, finding->source, finding->span, "^", (gramc_text){NULL, 0});
    for (uint32_t i = 0; i < finding->label_count; i++) {
        const struct diag_label *label = &finding->labels[i];
        if (label->source != finding->source)
            put_place(out, &other, "  ::: ", label->source, label->span.start);
        put_excerpt(out, &other, label->source, label->span, "-", label->text);
    }
    for (uint32_t i = 0; i < finding->fact_count; i++)
        if (!finding->facts[i].for_programs)
            put_remark(out, finding->facts[i].name, finding->facts[i].value);
    put_uses(out, finding);
    put_remark(out, "help", finding->help);
}

void diag_put_finding(struct buf *out, const struct diag_report *report,
                      const struct finding *finding, bool color) {
    struct source_cursor cursor = {.source = NULL};
    put_finding(out, &cursor, report, finding, color);
}

static void put_totals(struct buf *out, const struct diag_report *report) {
    const uint32_t *counts = report->findings->counts;
    uint32_t total = counts[GRAMC_ERROR] + counts[GRAMC_WARNING] + counts[GRAMC_NOTE];
    uint32_t kept = report->findings->kept;
    if (total > kept)
        buf_printf(out, "... and %u more that %s not shown\n", (unsigned)(total - kept),
                   total - kept == 1 ? "is" : "are");
    if (total == 0 && report->nothing) buf_puts(out, report->nothing);
    if (total) diag_put_counts(out, report, counts);
    bool any = total || report->nothing;
    diag_put_tallies(out, report, any ? ", " : "");
    if (total == 0) {
        if (any) buf_putc(out, '\n');
        return;
    }
    if (report->grades || counts[GRAMC_ERROR] || counts[GRAMC_WARNING]) buf_putc(out, '\n');
}

static void print(struct buf *out, const struct diag_report *report, bool color) {
    struct source_cursor cursor = {.source = NULL};
    for (const struct finding *f = report->findings->first; f; f = f->next) {
        put_finding(out, &cursor, report, f, color);
        buf_putc(out, '\n');
    }
    put_totals(out, report);
}

void diag_print_text(struct buf *out, const struct diag_report *report) {
    print(out, report, false);
}

void diag_print_color(struct buf *out, const struct diag_report *report) {
    print(out, report, true);
}

void diag_print_concise(struct buf *out, const struct diag_report *report) {
    struct source_cursor cursor = {.source = NULL};
    for (const struct finding *f = report->findings->first; f; f = f->next) {
        struct position at = source_position_from(&cursor, f->source, f->span.start);
        diag_put_safe(out, f->source->name);
        buf_printf(out, ":%u:%u: %s[%s]: ", (unsigned)at.line, (unsigned)at.column,
                   diag_grade(report, f->severity), f->row->code);
        diag_put_safe(out, f->message);
        buf_putc(out, '\n');
    }
    size_t len = out->len;
    diag_put_tallies(out, report, "");
    if (out->len > len) buf_putc(out, '\n');
}
