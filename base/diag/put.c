/* Writes what came from a source so that it stays text: in a line for eyes, in a JSON string.
 * Nothing is dropped; what could act is spelled out. */
#include "base/diag/put.h"

#include "base/text.h"

const char *diag_severity_name(gramc_severity severity) {
    static const char *const names[] = {"note", "warning", "error"};
    return names[severity];
}

void diag_put_safe_char(struct buf *out, gramc_text text, size_t *pos) {
    size_t start = *pos;
    uint32_t c = text_decode(text, pos);
    if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned char)text.ptr[start]);
    else if (c == '\n') buf_puts(out, "\\n");
    else if (c == '\t') buf_putc(out, ' ');
    else if (text_is_treacherous(c)) buf_printf(out, "\\u{%x}", (unsigned)c);
    else buf_put(out, text.ptr + start, *pos - start);
}

void diag_put_safe(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) diag_put_safe_char(out, text, &pos);
}

static void put_json_escape(struct buf *out, uint32_t c) {
    if (c > 0xFFFF) {
        c -= 0x10000;
        buf_printf(out, "\\u%04x", (unsigned)(0xD800 + (c >> 10)));
        c = 0xDC00 + (c & 0x3FF);
    }
    buf_printf(out, "\\u%04x", (unsigned)c);
}

void diag_put_json_char(struct buf *out, gramc_text text, size_t *pos) {
    size_t start = *pos;
    uint32_t c = text_decode(text, pos);
    if (c == UINT32_MAX) buf_puts(out, "\\ufffd");
    else if (c == '"' || c == '\\') buf_printf(out, "\\%c", (char)c);
    else if (c == '\n') buf_puts(out, "\\n");
    else if (c < 0x20 || text_is_treacherous(c)) put_json_escape(out, c);
    else buf_put(out, text.ptr + start, *pos - start);
}

void diag_put_json(struct buf *out, gramc_text text) {
    buf_putc(out, '"');
    for (size_t pos = 0; pos < text.len;) diag_put_json_char(out, text, &pos);
    buf_putc(out, '"');
}

const char *diag_grade(const struct diag_report *report, gramc_severity severity) {
    return report->grades ? report->grades[severity] : diag_severity_name(severity);
}

static void put_count(struct buf *out, uint32_t count, const char *noun, const char *lead) {
    buf_puts(out, lead);
    buf_count(out, count, noun);
}

void diag_put_counts(struct buf *out, const struct diag_report *report, const uint32_t counts[3]) {
    uint32_t errors = counts[GRAMC_ERROR], warnings = counts[GRAMC_WARNING];
    if (report->grades) {
        for (int i = GRAMC_ERROR; i >= GRAMC_NOTE; i--)
            buf_printf(out, "%u %s%s", (unsigned)counts[i], report->grades[i], i ? ", " : "");
        return;
    }
    if (errors) put_count(out, errors, "error", "");
    if (warnings) put_count(out, warnings, "warning", errors ? ", " : "");
}

bool diag_has_unshown(const struct diag_report *report) {
    const uint32_t *counts = report->findings->counts;
    return counts[0] + counts[1] + counts[2] > findings_kept(report->findings);
}

bool diag_put_unshown(struct buf *out, const struct diag_report *report) {
    const char *lead = "";
    for (int i = GRAMC_NOTE; i <= GRAMC_ERROR; i++) {
        uint32_t count = findings_unshown(report->findings, (gramc_severity)i);
        if (!count) continue;
        buf_puts(out, lead);
        if (report->grades) buf_printf(out, "%u %s", (unsigned)count, report->grades[i]);
        else buf_count(out, count, diag_severity_name((gramc_severity)i));
        lead = " and ";
    }
    return *lead;
}

void diag_put_tallies(struct buf *out, const struct diag_report *report, const char *lead) {
    for (size_t i = 0; i < report->tally_count; i++) {
        if (!report->tallies[i].count) continue;
        buf_printf(out, "%s%u ", lead, (unsigned)report->tallies[i].count);
        for (const char *c = report->tallies[i].name; *c; c++) buf_putc(out, *c == '_' ? ' ' : *c);
        lead = ", ";
    }
}
