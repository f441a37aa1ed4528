/* Turns edits into a WorkspaceEdit: with versions where the client knows them, else by file. */
#include "lsp/edits.h"

#include <stdio.h>

struct edits edits_begin(struct lsp_request *r, gramc_text title, const char *kind) {
    json_object_begin(r->result);
    json_member_text(r->result, "title", title);
    json_member_text(r->result, "kind", text_of(kind));
    return (struct edits){.r = r, .is_versioned = r->lsp->client.takes_document_changes};
}

static void put_identity(struct edits *e, gramc_text path) {
    struct json_writer *w = e->r->result;
    const struct open_document *d = document_at(e->r->lsp, path);
    json_member_object(w, "textDocument");
    json_key(w, "uri");
    if (d) json_text(w, text_of(d->uri));
    else put_uri(w, path);
    json_key(w, "version");
    if (d) buf_printf(json_slot(w), "%lld", (long long)d->version);
    else json_null(w);
    json_object_end(w);
}

/* A uri as a key. */
static void put_key(struct edits *e, gramc_text path) {
    struct json_writer *w = e->r->result;
    const struct open_document *d = document_at(e->r->lsp, path);
    struct buf key;
    buf_init(&key, &w->out->allocator, 1 << 16);
    struct json_writer uri = json_writer(&key);
    put_uri(&uri, path);
    gramc_text quoted = buf_view(&key);
    json_key_text(w, d || quoted.len < 2 ? text_of(d ? d->uri : "")
                                         : text_slice(quoted, 1, quoted.len - 1));
    buf_free(&key);
}

void edits_open(struct edits *e, gramc_text path) {
    struct json_writer *w = e->r->result;
    e->is_open = true;
    json_member_object(w, "edit");
    if (!e->is_versioned) {
        json_member_object(w, "changes");
        put_key(e, path);
        json_array_begin(w);
        return;
    }
    json_member_array(w, "documentChanges");
    json_object_begin(w);
    put_identity(e, path);
    json_member_array(w, "edits");
}

void edits_put(struct edits *e, gramc_text text, struct span at, gramc_text with) {
    struct json_writer *w = e->r->result;
    json_object_begin(w);
    put_range(w, "range", text, at.start, at.end, e->r->lsp);
    json_member_text(w, "newText", with);
    json_object_end(w);
}

void edits_create(struct edits *e, gramc_text path, gramc_text text) {
    struct json_writer *w = e->r->result;
    json_member_object(w, "edit");
    json_member_array(w, "documentChanges");
    json_object_begin(w);
    json_member_text(w, "kind", TEXT("create"));
    json_key(w, "uri");
    put_uri(w, path);
    json_object_end(w);
    json_object_begin(w);
    put_identity(e, path);
    json_member_array(w, "edits");
    edits_put(e, TEXT(""), (struct span){0, 0}, text);
    json_array_end(w);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
}

void edits_end(struct edits *e) {
    struct json_writer *w = e->r->result;
    if (e->is_open) {
        json_array_end(w);
        json_object_end(w); /* of the file with its version, or of `changes` */
        if (e->is_versioned) json_array_end(w);
        json_object_end(w);
    }
    json_object_end(w);
}
