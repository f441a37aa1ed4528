/* Finds a text in another where it may stand escaped: as JSON, for a URL, for HTML, and one of
 * these inside another, in any mixture. */
#ifndef RUNTIME_SECRET_MATCH_H
#define RUNTIME_SECRET_MATCH_H

#include "gramc/gramc.h"

enum match_kind {
    MATCH_NONE,
    MATCH_WHOLE,
    MATCH_BEGINNING /* the text ends before the value does */
};

struct escaped_match {
    enum match_kind kind;
    size_t end; /* behind what stands for the value */
};

/* Whether the value, which is not empty, stands at `start`. Adds to `*work` how much there was to
 * look at: a text can be made to take long. */
struct escaped_match match_escaped(gramc_text text, size_t start, gramc_text value, size_t *work);
/* A byte that escapes are made of. */
bool match_is_of_escape(char byte);
/* Whether a value that begins with one of these bytes may stand at `pos`. */
bool match_may_begin(gramc_text text, size_t pos, const bool first[256]);

#endif
