/* Where in a text the cursor is, told from the tokens in front of it: no tree is needed, so that a
 * text that is being written has one, too. */
#ifndef LSP_CONTEXT_H
#define LSP_CONTEXT_H

#include "base/source.h"
#include "base/text.h"

enum context_kind {
    CONTEXT_NOWHERE,
    CONTEXT_TOP,        /* between top-level patterns */
    CONTEXT_IDENTIFIER, /* of a pattern that has just been opened */
    CONTEXT_LABEL,      /* behind its colon */
    CONTEXT_KEY,        /* of a record or map */
    CONTEXT_VALUE,
    CONTEXT_ELEMENT, /* among the elements of a bracket */
    CONTEXT_INPUT,   /* behind `${` in a text */
    CONTEXT_COMMENT
};

enum { CONTEXT_DEPTH = 64, CONTEXT_KEYS = 64, CONTEXT_WORDS = 64 };

/* One bracket that is open. */
struct context_bracket {
    char bracket; /* ( [ {, or a for an array */
    uint32_t start;
    gramc_text identifier, label; /* of a pattern */
    bool after_bar;
    bool after_arrow;  /* of a path: it began before */
    const char *owner; /* of a record: whose properties it has; NULL: any keys */
    bool names_types;  /* of a map: from names to types */
    gramc_text key;    /* the last one */
    bool in_value;
    gramc_text keys[CONTEXT_KEYS]; /* that it has already */
    size_t key_count;
    gramc_text members[CONTEXT_WORDS]; /* of its `enum`, as they are spelled */
    size_t member_count;
};

struct context {
    enum context_kind kind;
    struct span word;  /* that is being written, up to its end; empty: none */
    bool in_string;    /* the word stands in quotes, which do not belong to it */
    gramc_text before; /* of the word, what stands in front of the cursor */
    struct context_bracket frames[CONTEXT_DEPTH];
    size_t depth;
};

void context_read(struct context *out, gramc_text text, uint32_t offset);
/* The innermost frame, or the one `up` frames further out; NULL: there is none. */
const struct context_bracket *context_frame(const struct context *context, size_t up);
/* The innermost pattern with a label of the language; empty: none. */
gramc_text context_label(const struct context *context);

#endif
