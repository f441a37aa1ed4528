/* A text with all that it imports, compiled, and what its names stand for. */
#ifndef LSP_INSIGHT_H
#define LSP_INSIGHT_H

#include "compiler/spec.h"
#include "lsp/inside.h"
#include "lsp/occurrences.h"

struct insight {
    void *opened;
    gramc_compilation *compilation; /* NULL: it cannot be read */
    struct unit *root;              /* NULL: a configuration */
    const struct gramc_spec *spec;  /* NULL: it has syntax errors, or was not compiled */
    struct arena arena;
    bool has_names;
    struct occurrences occurrences; /* of all its units, the root's first */
};

/* The same without the names: for findings. */
struct insight *insight_judged(struct lsp *lsp, struct open_document *document);
/* That of a document, made if need be; NULL without memory, or if it cannot be read. */
struct insight *insight_of(struct lsp *lsp, struct open_document *document);
/* Of any file, for the caller to free; not compiled: only names are known. NULL: unreadable. */
struct insight *insight_of_file(struct lsp *lsp, const char *path);
void insight_free(struct lsp *lsp, struct insight *insight);
/* True if the file is one of its sources. */
bool insight_includes(const struct insight *insight, const char *path);
/* The occurrence of the root at an offset; the innermost one. NULL: there is none. */
const struct occurrence *occurrence_at(const struct insight *insight, uint32_t offset);
/* What an occurrence stands for, itself included; NULL: nothing that is known. */
const struct occurrence *occurrence_target(const struct insight *insight,
                                           const struct occurrence *occurrence);
/* The tool that an occurrence defines; NULL: none, or it was not compiled. */
const struct tool *occurrence_tool(const struct insight *insight,
                                   const struct occurrence *occurrence);

/* ## Files of the workspace, each once, those that are open as they stand in the editor */
typedef void file_visitor(void *ctx, const struct insight *insight);
void each_file(struct lsp *lsp, file_visitor *visit, void *ctx);

#endif
