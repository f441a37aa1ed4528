/* Findings as the gram project's diagnostics JSON: its fields with its meaning (ranges from 0, in
 * UTF-16 units), and ours beside them: slug, help, fix, related, and
 * what the command knows besides. Every file that was read is
 * listed, also one without findings. */
#include "base/diag/put.h"

#include "base/version.h"

static void put_range(struct buf *out, const struct source *source, struct span span) {
    struct position start = source_position(source, span.start);
    struct position end = source_position(source, span.end);
    buf_printf(out,
               "{\"start\":{\"line\":%u,\"character\":%u},\"end\":{\"line\":%u,\"character\":%u}}",
               (unsigned)start.line - 1, (unsigned)start.utf16, (unsigned)end.line - 1,
               (unsigned)end.utf16);
}

static void put_label(struct buf *out, const struct diag_label *label) {
    buf_puts(out, "{\"path\":");
    diag_put_json(out, label->source->name);
    buf_puts(out, ",\"message\":");
    diag_put_json(out, label->text);
    buf_puts(out, ",\"range\":");
    put_range(out, label->source, label->span);
    buf_putc(out, '}');
}

/* The protocol of editors, which the gram project follows, calls a note "information". */
static const char *severity_name(gramc_severity severity) {
    return severity == GRAMC_NOTE ? "information" : diag_severity_name(severity);
}

/* As in the text edits of that protocol. */
static void put_fixes(struct buf *out, const struct finding *f) {
    if (!f->fixes) return;
    buf_puts(out, ",\"fix\":[");
    for (const struct fix *fix = f->fixes; fix; fix = fix->next) {
        buf_puts(out, fix == f->fixes ? "{\"range\":" : ",{\"range\":");
        put_range(out, f->source, fix->span);
        buf_puts(out, ",\"newText\":");
        diag_put_json(out, fix->replacement);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_fact(struct buf *out, const struct diag_fact *fact) {
    if (!fact->value.len) return;
    buf_printf(out, ",\"%s\":", fact->name);
    diag_put_json(out, fact->value);
}

static void put_finding(struct buf *out, const struct finding *f) {
    const struct diag_row *row = f->row;
    buf_printf(out, "{\"severity\":\"%s\",\"code\":\"%s\",\"slug\":\"%s\",\"message\":",
               severity_name(f->severity), row->code, row->slug);
    diag_put_json(out, f->message);
    buf_puts(out, ",\"range\":");
    put_range(out, f->source, f->span);
    if (f->help.len) {
        buf_puts(out, ",\"help\":");
        diag_put_json(out, f->help);
    }
    for (uint32_t i = 0; i < f->fact_count; i++) put_fact(out, &f->facts[i]);
    put_fixes(out, f);
    buf_puts(out, ",\"related\":[");
    for (uint32_t i = 0; i < f->label_count; i++) {
        if (i) buf_putc(out, ',');
        put_label(out, &f->labels[i]);
    }
    buf_puts(out, "]}");
}

void diag_print_json(struct buf *out, const struct diag_report *report) {
    const struct finding *f = report->findings->first;
    buf_printf(out, "{\"schema_version\":%d,\"tool\":\"gramc/%s\"", VERSION_DIAGNOSTICS,
               gramc_version());
    for (int i = GRAMC_ERROR; report->grades && i >= GRAMC_NOTE; i--)
        buf_printf(out, ",\"%s\":%u", report->grades[i], (unsigned)report->findings->counts[i]);
    buf_puts(out, ",\"files\":[");
    for (const struct source *file = report->sources; file; file = file->next) {
        buf_puts(out, file == report->sources ? "{\"path\":" : ",{\"path\":");
        diag_put_json(out, file->name);
        buf_puts(out, ",\"diagnostics\":[");
        for (bool first = true; f && f->source == file; f = f->next, first = false) {
            if (!first) buf_putc(out, ',');
            put_finding(out, f);
        }
        buf_puts(out, "]}");
    }
    buf_puts(out, "]}\n");
}
