/* The headers of the sources: what they import, and the version of the language. */
#ifndef COMPILER_IMPORTS_H
#define COMPILER_IMPORTS_H

#include "compiler/compilation.h"

/* Reads every header; files that are imported become units of the compilation. */
void headers_read(struct pass *pass);
/* The value of `language:` in a header: a finding if it is no version that there is. */
void language_check(struct pass *pass, const struct value *value);

#endif
