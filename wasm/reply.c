/* Writes the members of a reply: texts and numbers, the findings of a compilation with the edits
 * that remove them, and the tables of what there is to choose from. */
#include "wasm/call.h"

#include "base/text.h"

enum { REPORT_MAX = INT32_MAX };

void reply_name(struct buf *out, const char *name) {
    buf_putc(out, ',');
    json_put_string(out, text_of(name));
    buf_putc(out, ':');
}

void reply_text(struct buf *out, const char *name, gramc_text text) {
    reply_name(out, name);
    json_put_string(out, text);
}

void reply_number(struct buf *out, const char *name, uint64_t number) {
    reply_name(out, name);
    buf_number(out, number);
}

/* ## Findings */

gramc_status reply_findings(struct call *call, const gramc_compilation *compilation,
                            gramc_text otherwise) {
    gramc_report_format format;
    struct buf report;
    const gramc_text wanted = call_text(call, CALL_FORMAT);
    if (!gramc_report_format_find(wanted.len ? wanted : otherwise, &format)) {
        call->why = "there is no such format of findings";
        return GRAMC_USAGE;
    }
    buf_init(&report, &call->arena.allocator, REPORT_MAX);
    gramc_status status = gramc_findings_print(compilation, format, buf_writer(&report));
    if (status == GRAMC_IO) status = buf_status(&report);
    reply_number(call->out, "errors", gramc_finding_count(compilation, GRAMC_ERROR));
    reply_number(call->out, "warnings", gramc_finding_count(compilation, GRAMC_WARNING));
    reply_number(call->out, "notes", gramc_finding_count(compilation, GRAMC_NOTE));
    reply_text(call->out, "report", buf_view(&report));
    buf_free(&report);
    if (status != GRAMC_OK) return status;
    bool fails = gramc_configuration_is_broken(compilation) || gramc_finding_failures(compilation);
    return fails ? GRAMC_FINDINGS : GRAMC_OK;
}

/* ## Tables */

static void put_rows(struct buf *out, const char *name, const char *(*row)(size_t i),
                     const char *(*about)(size_t i)) {
    reply_name(out, name);
    buf_putc(out, '[');
    for (size_t i = 0; row(i); i++) {
        buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
        json_put_string(out, text_of(row(i)));
        if (about) reply_text(out, "about", text_of(about(i)));
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

void reply_tables(struct buf *out) {
    put_rows(out, "targets", gramc_target_name, gramc_target_about);
    put_rows(out, "kinds", gramc_import_kind, NULL);
    put_rows(out, "formats", gramc_report_format_name, gramc_report_format_about);
}
