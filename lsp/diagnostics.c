/* Turns the findings of a compilation into diagnostics, in the order, with the places and in the
 * words of `gramc check`. */
#include "lsp/insight.h"

static int severity_of(gramc_severity severity) {
    static const int numbers[] = {[GRAMC_ERROR] = 1, [GRAMC_WARNING] = 2, [GRAMC_NOTE] = 3};
    return numbers[severity];
}

static void put_related(struct json_writer *w, const struct diag_label *label, struct lsp *lsp) {
    json_object_begin(w);
    json_member_object(w, "location");
    json_key(w, "uri");
    put_uri(w, label->source->name);
    put_range(w, "range", label->source->text, label->span.start, label->span.end, lsp);
    json_object_end(w);
    json_member_text(w, "message", label->text);
    json_object_end(w);
}

static void put_message(struct json_writer *w, const struct finding *f) {
    struct buf out;
    buf_init(&out, &w->out->allocator, 1 << 20);
    buf_text(&out, f->message);
    if (f->help.len) {
        buf_puts(&out, "\n");
        buf_text(&out, f->help);
    }
    json_member_text(w, "message", buf_view(&out));
    if (out.state != BUF_FINE) w->out->state = out.state;
    buf_free(&out);
}

static bool is_unused(const struct finding *f) {
    return f->id == D_UNUSED_ALLOW;
}

static void put_diagnostic(struct json_writer *w, const struct finding *f,
                           struct place_cursor *cursor, struct lsp *lsp) {
    json_object_begin(w);
    json_member_object(w, "range");
    put_place(w, "start", place_next(cursor, f->span.start));
    struct place_cursor end = *cursor;
    put_place(w, "end", place_next(&end, f->span.end));
    json_object_end(w);
    json_key(w, "severity");
    buf_printf(json_slot(w), "%d", severity_of(f->severity));
    json_member_text(w, "code", text_of(f->row->code));
    json_member_text(w, "source", TEXT("gramc"));
    put_message(w, f);
    if (is_unused(f)) json_member_raw(w, "tags", TEXT("[1]"));
    if (f->label_count) {
        json_member_array(w, "relatedInformation");
        for (uint32_t i = 0; i < f->label_count; i++) put_related(w, &f->labels[i], lsp);
        json_array_end(w);
    }
    json_object_end(w);
}

/* All that were found in this file; what is wrong in others is told where they are open. */
static void put_diagnostics(struct json_writer *w, struct lsp *lsp,
                            struct open_document *document) {
    struct insight *a = insight_judged(lsp, document);
    const struct finding *f = a ? a->compilation->findings.first : NULL;
    struct place_cursor cursor = {.text = document_text(document),
                                  .encoding = lsp->client.encoding};
    json_array_begin(w);
    for (; f; f = f->next)
        if (text_is(f->source->name, document->path)) put_diagnostic(w, f, &cursor, lsp);
    json_array_end(w);
}

void publish_diagnostics(struct lsp *lsp, struct open_document *document) {
    insight_judged(lsp, document); /* before anything is written */
    struct json_writer w = notify_begin(lsp, "textDocument/publishDiagnostics");
    json_member_text(&w, "uri", text_of(document->uri));
    json_key(&w, "version");
    buf_printf(json_slot(&w), "%lld", (long long)document->version);
    json_key(&w, "diagnostics");
    put_diagnostics(&w, lsp, document);
    notify_end(lsp, &w);
}

void publish_nothing(struct lsp *lsp, const struct open_document *document) {
    if (lsp->client.pulls) return;
    struct json_writer w = notify_begin(lsp, "textDocument/publishDiagnostics");
    json_member_text(&w, "uri", text_of(document->uri));
    json_member_array(&w, "diagnostics");
    json_array_end(&w);
    notify_end(lsp, &w);
}

void pull_diagnostics(struct lsp_request *r) {
    if (!r->document) return;
    json_object_begin(r->result);
    json_member_text(r->result, "kind", TEXT("full"));
    json_key(r->result, "items");
    put_diagnostics(r->result, r->lsp, r->document);
    json_object_end(r->result);
}
