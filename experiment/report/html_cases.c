/* The cases that changed, with what was said in each arm side by side. Transcripts were capped when
 * they were collected; that something was cut is said. */
#include "experiment/report/html_parts.h"

#include "base/text.h"
#include "experiment/report/escape.h"

enum { SHOWN_MAX = 200 };

static const struct transcript *transcript_of(const struct analysis *a, size_t item, size_t arm) {
    for (size_t i = 0; i < a->transcript_count; i++)
        if (a->transcripts[i].item == item && a->transcripts[i].arm == arm)
            return &a->transcripts[i];
    return NULL;
}

static void block(struct buf *out, gramc_text text, const char *title) {
    if (!text.len) return;
    buf_printf(out, "<p class=\"soft\">%s</p><pre tabindex=\"0\">", title);
    escape_html(out, text);
    buf_puts(out, "</pre>\n");
}

static void side(struct buf *out, const struct analysis *a, size_t item, size_t arm) {
    const struct case_arm *of = &a->cases[item].arms[arm];
    const struct transcript *said = transcript_of(a, item, arm);
    buf_puts(out, "<div><h4>");
    escape_html(out, a->arms[arm].name);
    buf_printf(out, "</h4><p>%u of %u passed</p>\n", (unsigned)of->passed, (unsigned)a->repeats);
    block(out, said ? said->reason : of->reason, "why not");
    if (said) {
        block(out, said->answer, "answer of the first run");
        block(out, said->conversation, "the first run");
    }
    if (said && said->cut) buf_puts(out, "<p class=\"soft\">there was more; it is cut here</p>\n");
    buf_puts(out, "</div>\n");
}

static void one(struct buf *out, const struct analysis *a, size_t item, size_t arm) {
    const struct case_result *result = &a->cases[item];
    buf_puts(out, "<details><summary>");
    escape_html(out, result->id);
    buf_printf(out, " <small>%u of %u, before %u</small></summary>\n<div class=\"sides\">\n",
               (unsigned)result->arms[arm].passed, (unsigned)a->repeats,
               (unsigned)result->arms[0].passed);
    side(out, a, item, 0);
    side(out, a, item, arm);
    buf_puts(out, "</div></details>\n");
}

static void changed(struct buf *out, const struct analysis *a, size_t arm, enum case_change change,
                    const char *title) {
    size_t count = analysis_changes(a, arm, change), shown = 0;
    if (!count) return;
    buf_printf(out, "<h3>%s: %zu</h3>\n", title, count);
    for (size_t i = 0; i < a->items && shown < SHOWN_MAX; i++) {
        if (case_change_of(a, &a->cases[i], arm) != change) continue;
        one(out, a, i, arm);
        shown++;
    }
    if (count > shown)
        buf_printf(out, "<p>and %zu more, which the JSON and the CSV report have</p>\n",
                   count - shown);
}

void html_cases(struct buf *out, const struct analysis *a, size_t arm) {
    changed(out, a, arm, CASE_REGRESSED, "Always passed, now never");
    changed(out, a, arm, CASE_WORSE, "Passed more often before");
    changed(out, a, arm, CASE_FIXED, "Never passed, now always");
    changed(out, a, arm, CASE_BETTER, "Passes more often now");
}
