/* Findings as workflow commands of GitHub Actions, one a line, which the runner turns into
 * annotations: ::error file=F,line=1,col=1,endLine=1,endColumn=2,title=T::MESSAGE. A command ends
 * with its line and its parts are told apart by `:` and `,`, so these are written as %3A, %2C, and
 * line ends as %0A; no text of a source can begin a command of its own.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
#include "base/diag/put.h"
#include "base/text.h"

#include <string.h>

/* Escapes what delimits: in properties also the colon and the comma. */
static void put_escaped(struct buf *out, gramc_text text, bool property) {
    for (size_t pos = 0; pos < text.len;) {
        char c = text.ptr[pos];
        bool delimits = c == '%' || (property && (c == ':' || c == ','));
        if (delimits) {
            buf_printf(out, "%%%02X", (unsigned)c);
            pos++;
        } else {
            diag_put_safe_char(out, text, &pos);
        }
    }
}

static void put_remark(struct buf *out, const char *name, gramc_text text) {
    if (!text.len) return;
    buf_printf(out, "%%0A%s: ", name);
    put_escaped(out, text, false);
}

static void put_finding(struct buf *out, const struct finding *f) {
    static const char *const commands[] = {"notice", "warning", "error"};
    const struct diag_row *row = f->row;
    struct position start = source_position(f->source, f->span.start);
    struct position end = source_position(f->source, f->span.end);
    buf_printf(out, "::%s file=", commands[f->severity]);
    put_escaped(out, diag_from_root(f->source->name), true);
    buf_printf(out, ",line=%u,endLine=%u", (unsigned)start.line, (unsigned)end.line);
    /* The runner takes columns only where the place is within one line. */
    if (start.line == end.line)
        buf_printf(out, ",col=%u,endColumn=%u", (unsigned)start.column, (unsigned)end.column);
    buf_printf(out, ",title=%s", row->code);
    if (strcmp(row->code, row->slug) != 0) buf_printf(out, " %s", row->slug);
    buf_puts(out, "::");
    put_escaped(out, f->message, false);
    for (uint32_t i = 0; i < f->fact_count; i++)
        if (!f->facts[i].for_programs) put_remark(out, f->facts[i].name, f->facts[i].value);
    for (uint32_t i = 0; i < f->use_count && i < DIAG_USES; i++)
        put_remark(out, "use", f->uses[i].text);
    if (f->use_count > DIAG_USES)
        buf_printf(out, "%%0A... and %u more uses", (unsigned)(f->use_count - DIAG_USES));
    put_remark(out, "help", f->help);
    buf_putc(out, '\n');
}

void diag_print_github(struct buf *out, const struct diag_report *report) {
    for (const struct finding *f = report->findings->first; f; f = f->next) put_finding(out, f);
    if (diag_has_unshown(report)) {
        buf_printf(out, "::warning title=gramc %s::", report->command);
        diag_put_unshown(out, report);
        buf_puts(out, " more\n");
    }
    bool any = false;
    for (size_t i = 0; i < report->tally_count; i++) any = any || report->tallies[i].count;
    if (!any) return;
    buf_printf(out, "::notice title=gramc %s::", report->command);
    diag_put_tallies(out, report, "");
    buf_putc(out, '\n');
}
