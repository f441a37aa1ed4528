/* Turns messages into calls: one table of requests, one of notifications, and the beginning and the
 * end of a conversation. What a request means is its handler's. */
#include "lsp/insight.h"
#include "lsp/document.h"
#include "lsp/message.h"
#include "lsp/tokens.h"

enum { LARGEST_INPUT = (1 << 29) + (1 << 16), LARGEST_OUTPUT = 1 << 29 };

/* ## What there is */

static const struct {
    const char *method;
    request_handler *handle;
} requests[] = {
    {"textDocument/completion", complete},
    {"textDocument/hover", hover},
    {"textDocument/definition", definition},
    {"textDocument/references", references},
    {"textDocument/documentHighlight", document_highlights},
    {"textDocument/prepareRename", prepare_rename},
    {"textDocument/rename", rename_symbol},
    {"textDocument/documentSymbol", document_symbols},
    {"workspace/symbol", workspace_symbols},
    {"textDocument/formatting", format_document},
    {"textDocument/rangeFormatting", format_range},
    {"textDocument/codeAction", code_actions},
    {"textDocument/inlayHint", inlay_hints},
    {"textDocument/semanticTokens/full", semantic_tokens},
    {"textDocument/semanticTokens/range", semantic_tokens_range},
    {"textDocument/foldingRange", folding_ranges},
    {"textDocument/selectionRange", selection_ranges},
    {"textDocument/documentLink", document_links},
    {"textDocument/codeLens", code_lenses},
    {"textDocument/diagnostic", pull_diagnostics},
    {"workspace/executeCommand", execute_command},
};

static void watched(struct lsp *lsp, const struct json *params) {
    (void)params;
    insights_forget(lsp);
}

static void configured(struct lsp *lsp, const struct json *params) {
    const struct json *gramc = json_get(json_get(params, "settings"), "gramc");
    const struct json *keeps = json_get(json_get(gramc, "rename"), "keepWireNames");
    if (keeps) lsp->client.keeps_wire_names = json_is(keeps, JSON_TRUE);
}

static const struct {
    const char *method;
    notification_handler *handle;
} notifications[] = {
    {"textDocument/didOpen", did_open},           {"textDocument/didChange", did_change},
    {"textDocument/didSave", did_save},           {"textDocument/didClose", did_close},
    {"workspace/didChangeWatchedFiles", watched}, {"workspace/didChangeConfiguration", configured},
};

/* ## Beginning */

static bool is_true(const struct json *object, const char *pointer) {
    return json_is(json_at(object, text_of(pointer)), JSON_TRUE);
}

static bool list_has(const struct json *list, const char *word) {
    if (!json_is(list, JSON_ARRAY)) return false;
    for (const struct json *i = list->first; i; i = i->next)
        if (json_is(i, JSON_STRING) && text_is(i->text, word)) return true;
    return false;
}

static void add_root(struct lsp *lsp, const struct json *uri) {
    if (!json_is(uri, JSON_STRING) || lsp->root_count == 16) return;
    gramc_text path = uri_path(&lsp->scratch, uri->text);
    char *copy = path.len ? mem_alloc(&lsp->host.allocator, path.len + 1) : NULL;
    if (!copy) return;
    memcpy(copy, path.ptr, path.len + 1);
    lsp->roots[lsp->root_count++] = copy;
}

static void read_client(struct lsp *lsp, const struct json *params) {
    const struct json *can = json_get(params, "capabilities");
    struct client *c = &lsp->client;
    const struct json *encodings = json_at(can, TEXT("/general/positionEncodings"));
    c->encoding = list_has(encodings, "utf-8") ? UTF8 : UTF16;
    c->takes_snippets = is_true(can, "/textDocument/completion/completionItem/snippetSupport");
    c->takes_document_changes = is_true(can, "/workspace/workspaceEdit/documentChanges");
    c->takes_create_file =
        list_has(json_at(can, TEXT("/workspace/workspaceEdit/resourceOperations")), "create");
    c->pulls = json_is(json_at(can, TEXT("/textDocument/diagnostic")), JSON_OBJECT);
    c->keeps_wire_names = is_true(params, "/initializationOptions/rename/keepWireNames");
    const struct json *folders = json_get(params, "workspaceFolders");
    if (json_is(folders, JSON_ARRAY))
        for (const struct json *f = folders->first; f; f = f->next)
            add_root(lsp, json_get(f, "uri"));
    if (!lsp->root_count) add_root(lsp, json_get(params, "rootUri"));
}

/* The constant part of what the server can do; the rest depends on the client. */
static const char capabilities[] =
    "\"textDocumentSync\":{\"openClose\":true,\"change\":2,\"save\":true},"
    "\"completionProvider\":{\"triggerCharacters\":[\":\",\"(\",\"[\",\"{\",\"|\",\"\\\"\",\"$\","
    "\"/\"]},"
    "\"hoverProvider\":true,\"definitionProvider\":true,\"referencesProvider\":true,"
    "\"documentHighlightProvider\":true,\"renameProvider\":{\"prepareProvider\":true},"
    "\"documentSymbolProvider\":true,\"workspaceSymbolProvider\":true,"
    "\"documentFormattingProvider\":true,\"documentRangeFormattingProvider\":true,"
    "\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\",\"refactor.extract\",\"refactor\","
    "\"source.fixAll\"]},"
    "\"inlayHintProvider\":true,\"foldingRangeProvider\":true,\"selectionRangeProvider\":true,"
    "\"documentLinkProvider\":{},\"codeLensProvider\":{},"
    "\"executeCommandProvider\":{\"commands\":[\"gramc.schema\",\"gramc.targets\"]},"
    "\"diagnosticProvider\":{\"interFileDependencies\":true,\"workspaceDiagnostics\":false},"
    "\"workspace\":{\"workspaceFolders\":{\"supported\":true}}";

static void initialize(struct lsp *lsp, const struct json *id, const struct json *params) {
    read_client(lsp, params);
    lsp->state = LSP_RUNNING;
    struct json_writer w = response_begin(lsp, id);
    json_object_begin(&w);
    json_member_object(&w, "capabilities");
    json_member_text(&w, "positionEncoding",
                     lsp->client.encoding == UTF8 ? TEXT("utf-8") : TEXT("utf-16"));
    buf_puts(json_slot(&w), capabilities);
    put_token_legend(&w);
    json_object_end(&w);
    json_member_object(&w, "serverInfo");
    json_member_text(&w, "name", TEXT("gramc"));
    json_member_text(&w, "version", text_of(gramc_version()));
    json_object_end(&w);
    json_object_end(&w);
    response_end(lsp, &w);
}

/* ## Requests */

static void answer(struct lsp *lsp, const struct json *id, request_handler *handle,
                   const struct json *params) {
    const struct json *uri = json_get(json_get(params, "textDocument"), "uri");
    struct json_writer w = response_begin(lsp, id);
    struct lsp_request request = {
        .lsp = lsp, .arena = &lsp->scratch, .params = params, .result = &w};
    size_t begun = lsp->out.len;
    if (json_is(uri, JSON_STRING)) {
        request.document = document_find(lsp, uri->text);
        if (!request.document) {
            response_error(lsp, id, RPC_INVALID_PARAMS, "the document is not open");
            return;
        }
    }
    const struct json *position = json_get(params, "position");
    if (request.document && position)
        request.offset = place_offset(document_text(request.document), json_place(position),
                                      lsp->client.encoding);
    handle(&request);
    if (lsp->scratch.oom) response_error(lsp, id, RPC_FAILED, "out of memory");
    else if (request.failure)
        response_error(lsp, id, request.failure_code ? request.failure_code : RPC_FAILED,
                       request.failure);
    else {
        if (lsp->out.len == begun) json_null(&w);
        response_end(lsp, &w);
    }
}

static void shut_down(struct lsp *lsp, const struct json *id) {
    lsp->state = LSP_SHUT;
    struct json_writer w = response_begin(lsp, id);
    json_null(&w);
    response_end(lsp, &w);
}

static void take_request(struct lsp *lsp, const struct lsp_message *message, gramc_text method) {
    const struct json *id = json_get(message->root, "id"),
                      *params = json_get(message->root, "params");
    if (text_is(method, "initialize") && lsp->state == LSP_NEW) {
        initialize(lsp, id, params);
        return;
    }
    if (lsp->state != LSP_RUNNING) {
        bool early = lsp->state == LSP_NEW;
        response_error(lsp, id, early ? RPC_NOT_INITIALIZED : RPC_INVALID_REQUEST,
                       early ? "initialize comes first" : "the server was shut down");
        return;
    }
    if (message->is_cancelled) {
        response_error(lsp, id, RPC_CANCELLED, "cancelled");
        return;
    }
    if (text_is(method, "shutdown")) {
        shut_down(lsp, id);
        return;
    }
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (text_is(method, requests[i].method)) {
            answer(lsp, id, requests[i].handle, params);
            return;
        }
    bool initialized = text_is(method, "initialize");
    response_error(lsp, id, initialized ? RPC_INVALID_REQUEST : RPC_NO_METHOD,
                   initialized ? "initialize came already" : "there is no such method");
}

static void take_notification(struct lsp *lsp, const struct lsp_message *message,
                              gramc_text method) {
    if (text_is(method, "exit")) {
        lsp->exit_code = lsp->state == LSP_SHUT ? 0 : 1;
        lsp->state = LSP_OVER;
        return;
    }
    if (lsp->state != LSP_RUNNING) return;
    for (size_t i = 0; i < sizeof notifications / sizeof *notifications; i++)
        if (text_is(method, notifications[i].method))
            notifications[i].handle(lsp, json_get(message->root, "params"));
}

static void take(struct lsp *lsp, const struct lsp_message *message) {
    const struct json *method = json_get(message->root, "method");
    const struct json *id = json_get(message->root, "id");
    if (!message->root) response_error(lsp, NULL, RPC_PARSE_ERROR, "this is no JSON");
    else if (json_is(method, JSON_STRING) && id) take_request(lsp, message, method->text);
    else if (json_is(method, JSON_STRING)) take_notification(lsp, message, method->text);
    else if (!id || message->root->kind != JSON_OBJECT)
        response_error(lsp, NULL, RPC_INVALID_REQUEST, "this is no request");
    /* else an answer to something that we asked */
}

/* ## The server */

gramc_status lsp_new(struct lsp **out, const struct lsp_host *host) {
    struct lsp *lsp = mem_alloc(&host->allocator, sizeof *lsp);
    *out = lsp;
    if (!lsp) return GRAMC_NOMEM;
    *lsp = (struct lsp){.host = *host, .exit_code = 1};
    arena_init(&lsp->scratch, &lsp->host.allocator);
    buf_init(&lsp->in, &lsp->host.allocator, LARGEST_INPUT);
    buf_init(&lsp->out, &lsp->host.allocator, LARGEST_OUTPUT);
    return GRAMC_OK;
}

void lsp_free(struct lsp *lsp) {
    if (!lsp) return;
    documents_free(lsp);
    messages_free(lsp);
    for (size_t i = 0; i < lsp->root_count; i++)
        mem_free(&lsp->host.allocator, lsp->roots[i], strlen(lsp->roots[i]) + 1);
    arena_free(&lsp->scratch);
    buf_free(&lsp->in);
    buf_free(&lsp->out);
    gramc_allocator allocator = lsp->host.allocator;
    mem_free(&allocator, lsp, sizeof *lsp);
}

void lsp_feed(struct lsp *lsp, const char *bytes, size_t len) {
    buf_put(&lsp->in, bytes, len);
    if (messages_take(lsp)) return;
    lsp->state = LSP_OVER; /* what follows cannot be told apart any more */
    lsp->exit_code = 1;
}

static bool judge_one(struct lsp *lsp) {
    struct open_document *d = lsp->documents;
    while (d && !d->is_pending) d = d->next;
    if (!d) return false;
    d->is_pending = false;
    if (!lsp->client.pulls) publish_diagnostics(lsp, d);
    return true;
}

bool lsp_step(struct lsp *lsp) {
    if (lsp->state == LSP_OVER) return false;
    struct lsp_message *message = message_next(lsp);
    bool did = message != NULL;
    if (message) {
        take(lsp, message);
        message_free(lsp, message);
    } else if (lsp->state == LSP_RUNNING) did = judge_one(lsp);
    lines_forget(lsp);
    arena_reset(&lsp->scratch);
    return did;
}

bool lsp_is_over(const struct lsp *lsp) {
    return lsp->state == LSP_OVER;
}

int lsp_exit_code(const struct lsp *lsp) {
    return lsp->exit_code;
}
