/* `${name}` in the texts of prompts, templates and environments: read in one pass, so that nothing
 * that is filled in is ever read again. `$${` is a literal `${`. */
#ifndef BASE_PLACEHOLDER_H
#define BASE_PLACEHOLDER_H

#include "gramc/gramc.h"

enum placeholder_kind {
    PLACEHOLDER_TEXT, /* `text` is to be taken as it is */
    PLACEHOLDER_NAME, /* `text` is a name */
    PLACEHOLDER_OPEN, /* `${` that is never closed; `text` is from there to the end */
    PLACEHOLDER_BAD   /* `text` stands between the braces and is no name */
};

struct placeholder {
    enum placeholder_kind kind;
    gramc_text text; /* borrowed */
};

/* Reads the next part of `text` from *pos on and moves behind it; false at the end. A name is what
 * gram takes for an identifier without quotes: [A-Za-z_][0-9A-Za-z_.@-]*. */
bool placeholder_next(gramc_text text, size_t *pos, struct placeholder *out);
/* The text holds a `${`, literal ones included. */
bool placeholder_is_in(gramc_text text);

#endif
