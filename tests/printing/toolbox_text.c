/* The findings of a toolbox as text, for tests that read them as a whole. Commands print them as
 * findings of binding. */
#include "tests/printing/toolbox_text.h"

#include "base/text.h"

/* What stands in a file is not to move a cursor. */
static void put_line(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len;) {
        size_t at = i;
        uint32_t c = text_decode(text, &i);
        if (c == '\n' || c == '\t') buf_putc(out, ' ');
        else if (c == UINT32_MAX || text_is_treacherous(c)) buf_puts(out, "\xEF\xBF\xBD");
        else buf_put(out, text.ptr + at, i - at);
    }
}

void toolbox_put_findings(struct buf *out, const struct toolbox *toolbox) {
    for (const struct toolbox_finding *f = toolbox->findings; f; f = f->next) {
        put_line(out, toolbox->file);
        buf_printf(out, ":%u:%u: %s: ", (unsigned)f->line, (unsigned)f->column,
                   f->severity == GRAMC_ERROR ? "error" : "warning");
        put_line(out, f->message);
        buf_putc(out, '\n');
        if (f->help.len == 0) continue;
        buf_puts(out, "  help: ");
        put_line(out, f->help);
        buf_putc(out, '\n');
    }
}
