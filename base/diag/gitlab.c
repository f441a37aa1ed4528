/* Findings as GitLab's code quality report: one array, an object a finding, which merge requests
 * show beside the lines. A finding is known by its fingerprint alone, so that two never share one.
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
#include "base/diag/put.h"

#include "base/json/writer.h"
#include "base/text.h"

enum { KEYS_MAX = 1 << 20 };

static void put_part(struct buf *out, const char *name, gramc_text text) {
    if (!text.len) return;
    buf_printf(out, "; %s: ", name);
    buf_text(out, text);
}

/* The message, and behind it what else is known, in one string that is safe as JSON. */
static void put_description(struct json_writer *w, const struct finding *f) {
    struct buf whole;
    buf_init(&whole, &w->out->allocator, KEYS_MAX);
    buf_text(&whole, f->message);
    for (uint32_t i = 0; i < f->fact_count; i++)
        if (!f->facts[i].for_programs) put_part(&whole, f->facts[i].name, f->facts[i].value);
    put_part(&whole, "help", f->help);
    if (whole.state != BUF_FINE) w->out->state = whole.state;
    json_key(w, "description");
    diag_put_json(json_slot(w), buf_view(&whole));
    buf_free(&whole);
}

static void put_location(struct json_writer *w, gramc_text path, uint32_t line) {
    json_member_object(w, "location");
    json_key(w, "path");
    diag_put_json(json_slot(w), diag_from_root(path));
    json_member_object(w, "lines");
    json_member_number(w, "begin", line);
    json_object_end(w);
    json_object_end(w);
}

static void put_finding(struct json_writer *w, struct buf *keys, const struct finding *f) {
    static const char *const severities[] = {"info", "minor", "major"};
    json_line(w, 0);
    json_object_begin(w);
    put_description(w, f);
    json_member_text(w, "check_name", text_of(f->row->code));
    json_key(w, "fingerprint");
    struct buf *out = json_slot(w);
    buf_putc(out, '"');
    diag_put_key(out, keys, f);
    buf_putc(out, '"');
    json_member_text(w, "severity", text_of(severities[f->severity]));
    put_location(w, f->source->name, source_position(f->source, f->span.start).line);
    json_object_end(w);
}

/* What stands in no file still needs one here: the first. */
static void put_remark(struct json_writer *w, const struct diag_report *report, gramc_text text) {
    json_line(w, 0);
    json_object_begin(w);
    json_member_text(w, "description", text);
    json_member_text(w, "check_name", text_of(report->command));
    json_member_text(w, "fingerprint", text_of(report->command));
    json_member_text(w, "severity", TEXT("info"));
    put_location(w, report->sources ? report->sources->name : TEXT("."), 1);
    json_object_end(w);
}

static void put_remarks(struct json_writer *w, const struct diag_report *report) {
    struct buf text;
    buf_init(&text, &w->out->allocator, KEYS_MAX);
    bool unshown = diag_put_unshown(&text, report);
    if (unshown) buf_puts(&text, " more");
    diag_put_tallies(&text, report, unshown ? ", " : "");
    if (text.state != BUF_FINE) w->out->state = text.state;
    if (text.len) put_remark(w, report, buf_view(&text));
    buf_free(&text);
}

void diag_print_gitlab(struct buf *out, const struct diag_report *report) {
    struct json_writer w = json_writer(out);
    struct buf keys;
    buf_init(&keys, &out->allocator, KEYS_MAX);
    json_array_begin(&w);
    for (const struct finding *f = report->findings->first; f; f = f->next)
        put_finding(&w, &keys, f);
    put_remarks(&w, report);
    json_array_end(&w);
    buf_putc(out, '\n');
    if (keys.state != BUF_FINE) out->state = keys.state;
    buf_free(&keys);
}
