/* What stands between the delimiters of a string. */
#ifndef GRAMMAR_STRING_H
#define GRAMMAR_STRING_H

#include "base/mem.h"

/* One escape sequence: `text` begins with a backslash. Returns how many bytes it takes and sets
 * *code_point; 0 if there is no such escape. \b \f \n \r \t \/ \\ and the string's own delimiter;
 * \uXXXX, in pairs beyond U+FFFF, is the superset's. */
size_t string_escape(gramc_text text, char delimiter, uint32_t *code_point);

/* The body with its escapes resolved, in the arena; {NULL, 0} without memory. An escape that does
 * not exist stands for what follows its backslash, and clears *fine. */
gramc_text string_decode(struct arena *arena, gramc_text body, char delimiter, bool *fine);

/* Of a fenced string with its delimiters: its tag, empty if it has none, and its raw content
 * without the leading blank lines; a body of nothing but blanks is empty. Both lie in `fence`. */
gramc_text fence_tag(gramc_text fence);
gramc_text fence_content(gramc_text fence);

/* True if only blanks and comments follow the first line feed in the body: the reference then
 * takes the string to end at that line feed. */
bool string_tail_is_blank(gramc_text body);

#endif
