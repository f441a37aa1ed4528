/* A language server, without its input and output: bytes of the Language Server Protocol 3.17 go
 * in, bytes come out. Whoever holds it reads, writes, and opens files for it.
 *
 *     lsp_new(&lsp, &host);
 *     while (!lsp_is_over(lsp))
 *         if (!lsp_step(lsp)) { wait for input; lsp_feed(lsp, bytes, len); }
 *     code = lsp_exit_code(lsp);
 *
 * One thread. A step answers one message, or, when no message waits, judges one document: so a text
 * that is out of date is never judged when the newer one is there already. */
#ifndef LSP_LSP_H
#define LSP_LSP_H

#include "gramc/compile.h"

struct lsp;

/* Texts that are being written, in place of those of their files. */
struct lsp_buffers {
    void *ctx;
    bool (*find)(void *ctx, const char *path, gramc_text *out);
};

struct lsp_host {
    void *ctx;
    gramc_allocator allocator;
    /* Sends bytes to the client; 0, or the server ends. */
    int (*write)(void *ctx, const char *bytes, size_t len);
    /* A compilation with one source, and what it imports, read as `gramc check` reads it; trees are
     * kept. `text` (NULL: the file's own) is what stands there. NULL: it cannot be read. Closed
     * with close(), which frees the compilation too. */
    void *(*open)(void *ctx, const char *path, const gramc_text *text,
                  const struct lsp_buffers *buffers, gramc_compilation **out);
    void (*close)(void *ctx, void *opened);
    /* Every .gram file below a folder that `gramc check FOLDER` would read. */
    void (*each_source)(void *ctx, const char *folder, void (*found)(void *to, const char *path),
                        void *to);
    /* Every name in a folder, folders with a `/` behind. */
    void (*each_name)(void *ctx, const char *folder, void (*found)(void *to, const char *name),
                      void *to);
};

/* GRAMC_NOMEM. The host is copied. */
gramc_status lsp_new(struct lsp **out, const struct lsp_host *host);
void lsp_free(struct lsp *lsp);
/* Bytes from the client, cut anywhere. */
void lsp_feed(struct lsp *lsp, const char *bytes, size_t len);
/* Does one thing; false: there is nothing to do until more bytes come. */
bool lsp_step(struct lsp *lsp);
/* `exit` came, or nothing more can be understood or written. */
bool lsp_is_over(const struct lsp *lsp);
/* 0 after `shutdown` and `exit`; 1 as the protocol says otherwise. */
int lsp_exit_code(const struct lsp *lsp);

#endif
