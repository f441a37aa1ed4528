/* A host for the language server that has no files but one, for tests that feed it bytes. */
#ifndef TESTS_UNIT_LSP_HOST_H
#define TESTS_UNIT_LSP_HOST_H

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "lsp/lsp.h"

struct lsp_peer {
    gramc_allocator allocator;
    size_t written;
    char last[4096]; /* what came last, cut */
};

static int peer_write(void *ctx, const char *bytes, size_t len) {
    struct lsp_peer *peer = ctx;
    size_t kept = len < sizeof peer->last - 1 ? len : sizeof peer->last - 1;
    memcpy(peer->last, bytes, kept);
    peer->last[kept] = '\0';
    peer->written += len;
    return 0;
}

static int peer_read(void *ctx, gramc_text path, gramc_text *out) {
    const struct lsp_buffers *buffers = ctx;
    char name[256];
    if (path.len >= sizeof name) return GRAMC_NOT_FOUND;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    if (buffers->find(buffers->ctx, name, out)) return 0;
    if (!text_is(path, "/project/other.gram")) return GRAMC_NOT_FOUND;
    *out = GRAMC_TEXT(
        "[Kind:Text {enum: [\"a\", \"b\"]}]\n[l:ToolLibrary | [t:ToolImpl {returns: \"\"}]]\n");
    return 0;
}

struct peer_opened {
    gramc_compilation *compilation;
    struct lsp_buffers buffers;
    gramc_text text;
};

static void peer_close(void *ctx, void *opened) {
    struct lsp_peer *peer = ctx;
    struct peer_opened *o = opened;
    gramc_compilation_free(o->compilation);
    mem_free(&peer->allocator, o, sizeof *o);
}

static void *peer_open(void *ctx, const char *path, const gramc_text *text,
                       const struct lsp_buffers *buffers, gramc_compilation **out) {
    struct lsp_peer *peer = ctx;
    gramc_options options = GRAMC_OPTIONS_INIT;
    struct peer_opened *o = mem_alloc(&peer->allocator, sizeof *o);
    if (!o) return NULL;
    *o = (struct peer_opened){.buffers = *buffers};
    options.allocator = &peer->allocator;
    options.reader = (gramc_reader){peer_read, &o->buffers};
    gramc_status status = gramc_compilation_new(&o->compilation, &options);
    if (text) o->text = *text;
    else if (peer_read(&o->buffers, text_of(path), &o->text)) status = GRAMC_IO;
    if (status == GRAMC_OK)
        status = gramc_add_source(o->compilation, text_of(path), o->text.ptr, o->text.len);
    if (status == GRAMC_OK || status == GRAMC_FINDINGS) {
        *out = o->compilation;
        return o;
    }
    peer_close(ctx, o);
    return NULL;
}

static void peer_sources(void *ctx, const char *folder, void (*found)(void *to, const char *path),
                         void *to) {
    (void)ctx;
    (void)folder;
    found(to, "/project/other.gram");
}

static void peer_names(void *ctx, const char *folder, void (*found)(void *to, const char *name),
                       void *to) {
    (void)ctx;
    (void)folder;
    found(to, "other.gram");
}

static inline struct lsp_host peer_host(struct lsp_peer *peer, gramc_allocator allocator) {
    *peer = (struct lsp_peer){.allocator = allocator};
    return (struct lsp_host){peer,       allocator,    peer_write, peer_open,
                             peer_close, peer_sources, peer_names};
}

static inline void peer_feed(struct lsp *lsp, const char *body, size_t len) {
    char head[64];
    int size = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", len);
    lsp_feed(lsp, head, (size_t)size);
    lsp_feed(lsp, body, len);
    while (lsp_step(lsp)) continue;
}

#endif
