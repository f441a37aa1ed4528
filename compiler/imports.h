/* The headers of the sources: what they import, and the version of the language. */
#ifndef COMPILER_IMPORTS_H
#define COMPILER_IMPORTS_H

#include "compiler/compilation.h"

/* Makes a parsed source one of the compilation's units. */
void unit_enlist(gramc_compilation *compilation, struct unit *unit);
/* Reads every header that was not read; files that are imported become units of the compilation. */
void headers_read(struct pass *pass);
/* A source with all that it imports, directly or not, itself in front; those that it names come
 * before those that they name. NULL without memory. */
struct unit_link *unit_closure(gramc_compilation *compilation, struct unit *root, uint32_t *count);
/* The value of `language:` in a header: a finding if it is no version that there is. */
void language_check(struct pass *pass, const struct value *value);

#endif
