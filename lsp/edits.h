/* Code actions with the edits of one file, in whichever form the client takes. */
#ifndef LSP_EDITS_H
#define LSP_EDITS_H

#include "lsp/inside.h"

struct edits {
    struct lsp_request *r;
    bool is_open, is_versioned;
};

/* Begins an action; other members may be written before edits_open. */
struct edits edits_begin(struct lsp_request *r, gramc_text title, const char *kind);
/* The file; once. */
void edits_open(struct edits *e, gramc_text path);
void edits_put(struct edits *e, gramc_text text, struct span at, gramc_text with);
/* In place of edits_open: a file that is not there yet. */
void edits_create(struct edits *e, gramc_text path, gramc_text text);
void edits_end(struct edits *e);

#endif
