/* Comments that allow findings and changes. */
#ifndef COMPILER_ALLOWANCE_H
#define COMPILER_ALLOWANCE_H

#include "base/source.h"
#include "grammar/tree.h"

struct allowance {
    struct span comment;
    struct span row; /* bytes of the line that it speaks of; the end may be a finding's start */
    gramc_text codes, reason;
};

/* True for `// gramc: ...`. */
bool allowance_is(const struct source *source, const struct comment *comment);
/* False if it is misspelt. */
bool allowance_read(struct allowance *out, const struct source *source,
                    const struct comment *comment);
/* Cuts off the first code or slug; `rest` begins with `codes`. */
gramc_text allowance_next(gramc_text *rest);

#endif
