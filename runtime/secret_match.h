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

struct match {
    enum match_kind kind;
    size_t end;     /* behind what stands for the value */
    size_t matched; /* bytes of the value */
};

/* Whether the value, which is not empty, stands at `start`. */
struct match match_escaped(gramc_text text, size_t start, gramc_text value);
/* False for most bytes: nothing that begins with this one can stand for a value that begins with
 * `first`. */
static inline bool match_may_begin(char byte, char first) {
    return byte == first || byte == '%' || byte == '\\' || byte == '&' || byte == '+';
}

#endif
