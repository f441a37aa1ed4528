/* Turns a document into the edits that give it the one style: of the whole, or of the top-level
 * patterns that a range touches. A text with errors stays as it is. */
#include "lsp/insight.h"

enum { LARGEST = 1 << 29 };

/* A text by itself: neither imports nor a configuration matter to its style. */
static gramc_compilation *parsed(struct lsp *lsp, gramc_text text, gramc_status *status) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *c = NULL;
    options.allocator = &lsp->host.allocator;
    *status = gramc_compilation_new(&c, &options);
    if (*status == GRAMC_OK) *status = gramc_add_source(c, TEXT("document"), text.ptr, text.len);
    return c;
}

static gramc_text formatted(struct lsp_request *r, gramc_compilation *c) {
    struct buf out;
    buf_init(&out, &r->lsp->host.allocator, LARGEST);
    gramc_status status = gramc_source_format(c, 0, NULL, buf_writer(&out));
    if (status == GRAMC_OK) return buf_to_arena(&out, r->arena);
    if (status == GRAMC_NOMEM) r->arena->oom = true;
    buf_free(&out);
    return (gramc_text){NULL, 0};
}

static void put_edit(struct lsp_request *r, struct span at, gramc_text with) {
    json_object_begin(r->result);
    put_range(r->result, "range", document_text(r->document), at.start, at.end, r->lsp);
    json_member_text(r->result, "newText", with);
    json_object_end(r->result);
}

static bool is_inside_character(gramc_text text, size_t at) {
    return at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80;
}

/* Only what differs, so that cursors stay where they are. */
static void put_difference(struct lsp_request *r, uint32_t at, gramc_text old, gramc_text new) {
    size_t front = 0, back = 0;
    if (text_eq(old, new)) return;
    while (front < old.len && front < new.len &&old.ptr[front] == new.ptr[front]) front++;
    while (front && (is_inside_character(old, front) || is_inside_character(new, front))) front--;
    while (back < old.len - front &&
           back < new.len - front &&old.ptr[old.len - 1 - back] == new.ptr[new.len - 1 - back])
        back++;
    while (back && is_inside_character(old, old.len - back)) back--;
    put_edit(r, (struct span){at + (uint32_t)front, at + (uint32_t)(old.len - back)},
             text_slice(new, front, new.len - back));
}

void format_document(struct lsp_request *r) {
    gramc_status status;
    if (!r->document) return;
    gramc_text old = document_text(r->document);
    gramc_compilation *c = parsed(r->lsp, old, &status);
    gramc_text new = status == GRAMC_OK ? formatted(r, c) : (gramc_text){NULL, 0};
    json_array_begin(r->result);
    if (new.ptr) put_difference(r, 0, old, new);
    json_array_end(r->result);
    gramc_compilation_free(c);
}

/* Formatting keeps the patterns and their order. */
static void put_patterns(struct lsp_request *r, const struct tree *old, const struct tree *new,
                         struct span range) {
    const struct pattern *b = new->patterns;
    for (const struct pattern *a = old->patterns; a && b; a = a->next, b = b->next)
        if (a->span.start <= range.end && range.start <= a->span.end)
            put_difference(r, a->span.start, source_slice(old->source, a->span),
                           source_slice(new->source, b->span));
}

void format_range(struct lsp_request *r) {
    gramc_status status;
    gramc_compilation *after = NULL;
    const struct json *range = json_get(r->params, "range");
    if (!r->document) return;
    gramc_text old = document_text(r->document);
    enum encoding encoding = r->lsp->client.encoding;
    struct span at = {place_offset(old, json_place(json_get(range, "start")), encoding),
                      place_offset(old, json_place(json_get(range, "end")), encoding)};
    gramc_compilation *before = parsed(r->lsp, old, &status);
    gramc_text new = status == GRAMC_OK ? formatted(r, before) : (gramc_text){NULL, 0};
    json_array_begin(r->result);
    if (new.ptr) after = parsed(r->lsp, new, &status);
    if (after && status == GRAMC_OK) put_patterns(r, before->units->tree, after->units->tree, at);
    json_array_end(r->result);
    gramc_compilation_free(after);
    gramc_compilation_free(before);
}
