/* What comes from outside and is shown, or told to a model, as a part of one of our sentences:
 * words of servers, programs and providers. All of it goes through here. */
#ifndef RUNTIME_FOREIGN_H
#define RUNTIME_FOREIGN_H

#include "runtime/secret.h"

enum {
    FOREIGN_WORDS = 400, /* of a message */
    FOREIGN_NAME = 128
};

struct foreign {
    const struct secrets *secrets; /* that are known; NULL: none */
    size_t longest;                /* bytes of what is shown, dots and all */
    enum text_cut cut;             /* where `words` are a part of more */
    bool end_counts;               /* what does not fit goes at the start */
    bool keeps_lines;
};

/* Puts one line, or `keeps_lines`: secrets are taken out first, then it is cut, and what could act
 * is spelled out. */
void foreign_put(struct buf *out, gramc_text words, const struct foreign *how);
/* The same as a text of the arena. Empty without memory (arena->oom). */
gramc_text foreign_text(struct arena *arena, gramc_text words, const struct foreign *how);

#endif
