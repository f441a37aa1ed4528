/* Findings as JUnit XML, the report that most CI systems read: one test case a file, failed if a
 * finding of it fails the check; what does not fail it stands in system-out. XML 1.0 cannot hold
 * most control characters even as references, so texts are first made safe, then escaped. */
#include "base/diag/put.h"
#include "base/text.h"

#include <string.h>

enum { LARGEST_PART = INT32_MAX };

static const char *entity(uint32_t c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;"; /* also for ]]> */
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case 0xFFFE: return "\\u{fffe}"; /* well-formed UTF-8, but no characters of XML */
    case 0xFFFF: return "\\u{ffff}";
    default: return NULL;
    }
}

static void put_xml(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        const char *name = entity(text_decode(text, &pos));
        if (name) buf_puts(out, name);
        else buf_put(out, text.ptr + start, pos - start);
    }
}

/* The findings of one file, as the text printer shows them, in two parts. */
struct file_case {
    struct buf failed, passed, name;
    uint32_t failures, counts[3];
};

/* Returns the first finding of the next file. */
static const struct finding *gather(struct file_case *file, const struct diag_report *report,
                                    const struct source *source, const struct finding *f) {
    buf_reset(&file->failed);
    buf_reset(&file->passed);
    buf_reset(&file->name);
    file->failures = 0;
    memset(file->counts, 0, sizeof file->counts);
    diag_put_safe(&file->name, source->name);
    for (; f && f->source == source; f = f->next) {
        bool failure = diag_fails(report, f);
        diag_put_finding(failure ? &file->failed : &file->passed, report, f, false);
        if (!failure) continue;
        file->failures++;
        file->counts[f->severity]++;
    }
    return f;
}

static void put_case(struct buf *out, const struct diag_report *report,
                     const struct file_case *file) {
    buf_printf(out, "    <testcase classname=\"gramc.%s\" time=\"0\" name=\"", report->command);
    put_xml(out, buf_view(&file->name));
    if (!file->failed.len && !file->passed.len) {
        buf_puts(out, "\"/>\n");
        return;
    }
    buf_puts(out, "\">\n");
    if (file->failures) {
        buf_puts(out, "      <failure type=\"findings\" message=\"");
        diag_put_counts(out, report, file->counts);
        buf_puts(out, "\">");
        put_xml(out, buf_view(&file->failed));
        buf_puts(out, "</failure>\n");
    }
    if (file->passed.len) {
        buf_puts(out, "      <system-out>");
        put_xml(out, buf_view(&file->passed));
        buf_puts(out, "</system-out>\n");
    }
    buf_puts(out, "    </testcase>\n");
}

static void put_cases(struct buf *out, const struct diag_report *report, uint32_t *cases,
                      uint32_t *failed) {
    const struct finding *f = report->findings->first;
    struct file_case file = {.failures = 0};
    struct buf *const parts[] = {&file.failed, &file.passed, &file.name};
    for (size_t i = 0; i < 3; i++) buf_init(parts[i], &out->allocator, LARGEST_PART);
    for (const struct source *s = report->sources; s; s = s->next) {
        f = gather(&file, report, s, f);
        for (size_t i = 0; i < 3; i++)
            if (parts[i]->state != BUF_FINE) out->state = parts[i]->state;
        put_case(out, report, &file);
        *cases += 1;
        *failed += file.failures > 0;
    }
    for (size_t i = 0; i < 3; i++) buf_free(parts[i]);
}

static void put_totals(struct buf *out, const char *element, const char *command, uint32_t cases,
                       uint32_t failed) {
    buf_printf(out, "<%s name=\"gramc %s\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"0\">\n",
               element, command, (unsigned)cases, (unsigned)failed);
}

/* What does not stand in any file. */
static void put_suite_output(struct buf *out, const struct diag_report *report) {
    bool any = false;
    for (size_t i = 0; i < report->tally_count; i++) any = any || report->tallies[i].count;
    if (!any && !diag_has_unshown(report)) return;
    buf_puts(out, "    <system-out>");
    if (diag_put_unshown(out, report)) buf_puts(out, any ? " more, " : " more");
    diag_put_tallies(out, report, "");
    buf_puts(out, "</system-out>\n");
}

/* The totals stand in front of the cases, so these are written first and elsewhere. */
void diag_print_junit(struct buf *out, const struct diag_report *report) {
    struct buf body;
    uint32_t cases = 0, failed = 0;
    buf_init(&body, &out->allocator, LARGEST_PART);
    put_cases(&body, report, &cases, &failed);
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put_totals(out, "testsuites", report->command, cases, failed);
    buf_puts(out, "  ");
    put_totals(out, "testsuite", report->command, cases, failed);
    buf_text(out, buf_view(&body));
    put_suite_output(out, report);
    buf_puts(out, "  </testsuite>\n</testsuites>\n");
    if (body.state != BUF_FINE) out->state = body.state;
    buf_free(&body);
}
