/* Turns didOpen, didChange, didSave and didClose into texts as they stand in the editor. What the
 * texts mean is insight.c's. */
#include "lsp/document.h"

#include "lsp/insight.h"

enum { LARGEST_TEXT = 1 << 29 };

struct open_document *document_find(struct lsp *lsp, gramc_text uri) {
    for (struct open_document *d = lsp->documents; d; d = d->next)
        if (text_is(uri, d->uri)) return d;
    return NULL;
}

struct open_document *document_at(const struct lsp *lsp, gramc_text path) {
    for (struct open_document *d = lsp->documents; d; d = d->next)
        if (text_is(path, d->path)) return d;
    return NULL;
}

static char *copy(struct lsp *lsp, gramc_text text) {
    char *out = mem_alloc(&lsp->host.allocator, text.len + 1);
    if (!out) return NULL;
    memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    return out;
}

static void drop(struct lsp *lsp, char *text) {
    if (text) mem_free(&lsp->host.allocator, text, strlen(text) + 1);
}

static void document_free(struct lsp *lsp, struct open_document *document) {
    insight_free(lsp, document->insight);
    buf_free(&document->text);
    drop(lsp, document->uri);
    drop(lsp, document->path);
    mem_free(&lsp->host.allocator, document, sizeof *document);
}

void documents_free(struct lsp *lsp) {
    while (lsp->documents) {
        struct open_document *next = lsp->documents->next;
        document_free(lsp, lsp->documents);
        lsp->documents = next;
    }
}

static bool find_buffer(void *ctx, const char *path, gramc_text *out) {
    const struct lsp *lsp = ctx;
    const struct open_document *document = document_at(lsp, text_of(path));
    if (document) *out = document_text(document);
    return document != NULL;
}

struct lsp_buffers document_buffers(struct lsp *lsp) {
    return (struct lsp_buffers){lsp, find_buffer};
}

/* A finding may stand in any file that imports the one that changed: whoever read it is judged
 * again, and the rest of what was known is forgotten when it is asked for. */
static void touch(struct lsp *lsp, struct open_document *changed) {
    for (struct open_document *d = lsp->documents; d; d = d->next) {
        bool reads = d == changed || !d->insight || insight_includes(d->insight, changed->path);
        if (!reads) continue;
        insight_free(lsp, d->insight);
        d->insight = NULL;
        d->is_pending = true;
    }
}

void insights_forget(struct lsp *lsp) {
    for (struct open_document *d = lsp->documents; d; d = d->next) {
        insight_free(lsp, d->insight);
        d->insight = NULL;
        d->is_pending = true;
    }
}

static void set_version(struct open_document *document, const struct json *about) {
    const struct json *version = json_get(about, "version");
    int64_t number = 0;
    if (!json_is(version, JSON_NUMBER)) return;
    bool negative = version->text.ptr[0] == '-';
    for (size_t i = negative; i < version->text.len && i < 18; i++)
        number = number * 10 + (version->text.ptr[i] - '0');
    document->version = negative ? -number : number;
}

/* ## Notifications */

static struct open_document *document_new(struct lsp *lsp, gramc_text uri) {
    struct open_document *d = mem_alloc(&lsp->host.allocator, sizeof *d);
    gramc_text path = uri_path(&lsp->scratch, uri);
    if (!d) return NULL;
    *d = (struct open_document){.uri = copy(lsp, uri), .path = path.ptr ? copy(lsp, path) : NULL};
    buf_init(&d->text, &lsp->host.allocator, LARGEST_TEXT);
    if (d->uri && d->path) return d;
    document_free(lsp, d);
    return NULL;
}

void did_open(struct lsp *lsp, const struct json *params) {
    const struct json *about = json_get(params, "textDocument");
    const struct json *uri = json_get(about, "uri"), *text = json_get(about, "text");
    if (!json_is(uri, JSON_STRING) || !json_is(text, JSON_STRING)) return;
    struct open_document *d = document_find(lsp, uri->text);
    if (!d) {
        d = document_new(lsp, uri->text);
        if (!d) return;
        d->next = lsp->documents;
        lsp->documents = d;
    }
    buf_reset(&d->text);
    buf_text(&d->text, text->text);
    set_version(d, about);
    insights_forget(lsp); /* a file that was missing may be there now */
}

static void replace(struct open_document *d, uint32_t start, uint32_t end, gramc_text text) {
    size_t tail = d->text.len - end;
    if (text.len > end - start && !buf_reserve(&d->text, text.len - (end - start))) return;
    if (!d->text.ptr) return;
    memmove(d->text.ptr + start + text.len, d->text.ptr + end, tail);
    if (text.len) memcpy(d->text.ptr + start, text.ptr, text.len);
    d->text.len = start + text.len + tail;
    d->text.ptr[d->text.len] = '\0';
}

/* One edit: of a range, or of the whole text. */
static void change(struct lsp *lsp, struct open_document *d, const struct json *edit) {
    const struct json *text = json_get(edit, "text"), *range = json_get(edit, "range");
    if (!json_is(text, JSON_STRING)) return;
    if (!json_is(range, JSON_OBJECT)) {
        buf_reset(&d->text);
        buf_text(&d->text, text->text);
        return;
    }
    enum encoding encoding = lsp->client.encoding;
    uint32_t start = place_offset(document_text(d), json_place(json_get(range, "start")), encoding);
    uint32_t end = place_offset(document_text(d), json_place(json_get(range, "end")), encoding);
    replace(d, start < end ? start : end, end > start ? end : start, text->text);
}

static struct open_document *named(struct lsp *lsp, const struct json *params) {
    const struct json *uri = json_get(json_get(params, "textDocument"), "uri");
    return json_is(uri, JSON_STRING) ? document_find(lsp, uri->text) : NULL;
}

void did_change(struct lsp *lsp, const struct json *params) {
    struct open_document *d = named(lsp, params);
    const struct json *changes = json_get(params, "contentChanges");
    if (!d || !json_is(changes, JSON_ARRAY)) return;
    for (const struct json *c = changes->first; c; c = c->next) change(lsp, d, c);
    set_version(d, json_get(params, "textDocument"));
    touch(lsp, d);
}

void did_save(struct lsp *lsp, const struct json *params) {
    (void)params; /* files that others import may be new on the disk */
    insights_forget(lsp);
}

void did_close(struct lsp *lsp, const struct json *params) {
    struct open_document *d = named(lsp, params), **link = &lsp->documents;
    if (!d) return;
    while (*link != d) link = &(*link)->next;
    *link = d->next;
    publish_nothing(lsp, d);
    document_free(lsp, d);
    insights_forget(lsp);
}
