/* What the files of the server share: its state, documents, and what a request has at hand. */
#ifndef LSP_INSIDE_H
#define LSP_INSIDE_H

#include "base/json/writer.h"
#include "base/text.h"
#include "lsp/lsp.h"

struct insight;

/* ## Positions: lines end with \n, \r\n or \r; columns count as the client does */
struct text_place {
    uint32_t line, column; /* from 0 */
};
enum encoding { UTF16, UTF8 };

/* A byte offset in the text; past a line's end it is the line's end. */
uint32_t place_offset(gramc_text text, struct text_place place, enum encoding encoding);
struct text_place place_of(gramc_text text, uint32_t offset, enum encoding encoding);
/* The same for places in order: counting goes on where it came to. Begins as {text, encoding}. */
struct place_cursor {
    gramc_text text;
    enum encoding encoding;
    uint32_t at, line, line_start, column_at, column;
};
struct text_place place_next(struct place_cursor *cursor, uint32_t offset);

/* ## Documents that the client has open */
struct open_document {
    struct open_document *next;
    char *uri, *path; /* path: of a file: uri, else the uri */
    struct buf text;
    int64_t version;
    struct insight *insight; /* of the text as it is; NULL: not made yet */
    bool is_pending;         /* its findings are to be published */
};

struct lsp_message {
    struct lsp_message *next;
    struct arena arena;
    const struct json *root; /* NULL: no JSON */
    bool is_cancelled;
};

enum lsp_state { LSP_NEW, LSP_RUNNING, LSP_SHUT, LSP_OVER };

/* What the client said that it can do. */
struct client {
    enum encoding encoding;
    bool takes_snippets, takes_document_changes, takes_create_file, takes_markdown, pulls;
    bool keeps_wire_names;
};

/* Where the lines of a text begin, for answers with many places. */
struct line_table {
    gramc_text text;
    uint32_t *starts;
    uint32_t count;
};

struct lsp {
    struct lsp_host host;
    struct line_table lines; /* of the text that was asked about last, in `scratch` */
    struct client client;
    struct arena scratch; /* of one message */
    struct buf in, out;
    struct lsp_message *first, *last;
    struct open_document *documents;
    char *roots[16];
    size_t root_count;
    enum lsp_state state;
    int exit_code;
};

struct open_document *document_find(struct lsp *lsp, gramc_text uri);
/* The one that is open at a path; NULL: none. */
struct open_document *document_at(const struct lsp *lsp, gramc_text path);
static inline gramc_text document_text(const struct open_document *document) {
    return (gramc_text){document->text.ptr ? document->text.ptr : "", document->text.len};
}
void documents_free(struct lsp *lsp);
/* What depends on any text is out of date. */
void insights_forget(struct lsp *lsp);
struct lsp_buffers document_buffers(struct lsp *lsp);

/* ## URIs */
/* The path of a file: uri, in the arena with a NUL; other uris as they are. */
gramc_text uri_path(struct arena *arena, gramc_text uri);
/* A JSON string. */
void put_uri(struct json_writer *w, gramc_text path);
/* A file of the folder, with `..` resolved by spelling. */
gramc_text path_join(struct arena *arena, gramc_text folder, gramc_text name);
gramc_text path_folder(gramc_text path);

/* ## Requests: what a handler has at hand, and where its result goes */
struct lsp_request {
    struct lsp *lsp;
    struct arena *arena;            /* of this request */
    const struct json *params;      /* NULL: none */
    struct open_document *document; /* that `textDocument` names; NULL: none, or not open */
    uint32_t offset;                /* of `position` in it */
    struct json_writer *result;
    const char *failure; /* set by the handler: the request is answered with this error */
    int failure_code;
};

typedef void request_handler(struct lsp_request *request);
request_handler complete, hover, definition, references, prepare_rename, rename_symbol,
    document_symbols, workspace_symbols, format_document, format_range, code_actions, inlay_hints,
    semantic_tokens, semantic_tokens_range, folding_ranges, code_lenses, pull_diagnostics,
    execute_command, document_highlights, selection_ranges, document_links;

/* Sends one notification, the writer standing in its params. */
struct json_writer notify_begin(struct lsp *lsp, const char *method);
void notify_end(struct lsp *lsp, struct json_writer *w);

void publish_diagnostics(struct lsp *lsp, struct open_document *document);
/* Findings that were published go when the document is closed. */
void publish_nothing(struct lsp *lsp, const struct open_document *document);

/* A range of a text, which stays as it is until the message is answered or lines_forget is called.
 */
void put_range(struct json_writer *w, const char *key, gramc_text text, uint32_t start,
               uint32_t end, struct lsp *lsp);
void lines_forget(struct lsp *lsp);
void put_place(struct json_writer *w, const char *key, struct text_place place);
struct text_place json_place(const struct json *position);

#endif
