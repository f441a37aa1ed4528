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
/* What match_escaped does, without looking for what is not escaped first: `plain` bytes of the
 * value were found, up to `at`. */
struct escaped_match match_behind(gramc_text text, size_t at, gramc_text value, size_t plain,
                                  size_t *work);
/* Any other byte stands for itself, however a text is spelled. */
extern const char match_escapes[];
/* Whether a value that begins with a byte marked so may stand at `pos`. */
bool match_may_begin(gramc_text text, size_t pos, const unsigned char marks[256], unsigned mark);

#endif
