/* Findings as the gram project's diagnostics JSON: its fields with its meaning (ranges from 0, in
 * UTF-16 units), and ours beside them: slug, help, fix, related, and
 * what the command knows besides. Every file that was read is
 * listed, also one without findings. */
#include "base/diag/put.h"

#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"

static void put_hostile(struct json_writer *w, const char *key, gramc_text text) {
    json_key(w, key);
    diag_put_json(json_slot(w), text);
}

static void put_position(struct json_writer *w, const char *key, struct position position) {
    json_member_object(w, key);
    json_member_number(w, "line", position.line - 1);
    json_member_number(w, "character", position.utf16);
    json_object_end(w);
}

static void put_range(struct json_writer *w, const struct source *source, struct span span) {
    json_member_object(w, "range");
    put_position(w, "start", source_position(source, span.start));
    put_position(w, "end", source_position(source, span.end));
    json_object_end(w);
}

static void put_label(struct json_writer *w, const struct diag_label *label) {
    json_object_begin(w);
    put_hostile(w, "path", label->source->name);
    put_hostile(w, "message", label->text);
    put_range(w, label->source, label->span);
    json_object_end(w);
}

/* The protocol of editors, which the gram project follows, calls a note "information". */
static const char *severity_name(gramc_severity severity) {
    return severity == GRAMC_NOTE ? "information" : diag_severity_name(severity);
}

/* As in the text edits of that protocol. */
static void put_fixes(struct json_writer *w, const struct finding *f) {
    if (!f->fixes) return;
    json_member_array(w, "fix");
    for (const struct fix *fix = f->fixes; fix; fix = fix->next) {
        json_object_begin(w);
        put_range(w, f->source, fix->span);
        put_hostile(w, "newText", fix->replacement);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_finding(struct json_writer *w, const struct finding *f) {
    json_object_begin(w);
    json_member_text(w, "severity", text_of(severity_name(f->severity)));
    json_member_text(w, "code", text_of(f->row->code));
    json_member_text(w, "slug", text_of(f->row->slug));
    put_hostile(w, "message", f->message);
    put_range(w, f->source, f->span);
    if (f->help.len) put_hostile(w, "help", f->help);
    for (uint32_t i = 0; i < f->fact_count; i++)
        if (f->facts[i].value.len) put_hostile(w, f->facts[i].name, f->facts[i].value);
    put_fixes(w, f);
    json_member_array(w, "related");
    for (uint32_t i = 0; i < f->label_count; i++) put_label(w, &f->labels[i]);
    for (uint32_t i = 0; i < f->use_count; i++) put_label(w, &f->uses[i]);
    json_array_end(w);
    json_object_end(w);
}

static void put_unshown(struct json_writer *w, const struct diag_report *report) {
    if (!diag_has_unshown(report)) return;
    json_member_object(w, "not_shown");
    for (int i = GRAMC_ERROR; i >= GRAMC_NOTE; i--) {
        gramc_severity severity = (gramc_severity)i;
        uint32_t count = findings_unshown(report->findings, severity);
        if (count) json_member_number(w, severity_name(severity), count);
    }
    json_object_end(w);
}

void diag_print_json(struct buf *out, const struct diag_report *report) {
    const struct finding *f = report->findings->first;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_number(&w, "schema_version", VERSION_DIAGNOSTICS);
    json_key(&w, "tool");
    buf_printf(json_slot(&w), "\"gramc/%s\"", gramc_version());
    for (int i = GRAMC_ERROR; report->grades && i >= GRAMC_NOTE; i--)
        json_member_number(&w, report->grades[i], report->findings->counts[i]);
    for (size_t i = 0; i < report->tally_count; i++)
        if (report->tallies[i].count)
            json_member_number(&w, report->tallies[i].name, report->tallies[i].count);
    put_unshown(&w, report);
    json_member_array(&w, "files");
    for (const struct source *file = report->sources; file; file = file->next) {
        json_object_begin(&w);
        put_hostile(&w, "path", file->name);
        json_member_array(&w, "diagnostics");
        for (; f && f->source == file; f = f->next) put_finding(&w, f);
        json_array_end(&w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(out, '\n');
}
