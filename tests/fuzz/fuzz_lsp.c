/* Fuzzes the language server: the input is a text that is open, a NUL, and messages, one a line.
 * Whatever they are, the server ends in order. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/lsp_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_text(struct lsp *lsp, const char *text, size_t len) {
    static const char head[] = "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{"
                               "\"uri\":\"file:///project/a.gram\",\"version\":1,\"text\":\"";
    char *body = malloc(sizeof head + len * 6 + 8);
    if (!body) abort();
    size_t at = sizeof head - 1;
    memcpy(body, head, at);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == '"' || c == '\\')
            at += (size_t)snprintf(body + at, 7, "\\u%04x", (unsigned)c);
        else body[at++] = text[i];
    }
    memcpy(body + at, "\"}}}", 4);
    peer_feed(lsp, body, at + 4);
    free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char hello[] = "{\"id\":0,\"method\":\"initialize\",\"params\":{\"rootUri\":"
                                "\"file:///project\"}}";
    struct lsp_peer peer;
    struct lsp_host host = peer_host(&peer, mem_default());
    const char *text = (const char *)data, *end = text + size;
    const char *nul = size ? memchr(text, '\0', size) : NULL;
    struct lsp *lsp;
    if (lsp_new(&lsp, &host)) abort();
    peer_feed(lsp, hello, sizeof hello - 1);
    open_text(lsp, text, nul ? (size_t)(nul - text) : size);
    for (const char *line = nul ? nul + 1 : end; line < end && !lsp_is_over(lsp);) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        peer_feed(lsp, line, (size_t)(stop - line));
        line = stop < end ? stop + 1 : end;
    }
    lsp_free(lsp);
    return 0;
}
