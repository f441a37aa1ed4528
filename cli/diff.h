/* Two versions of a text as a unified diff. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "base/buf.h"

/* Writes nothing if they are equal. GRAMC_OK, GRAMC_NOMEM, or GRAMC_LIMIT if `out` is too small. */
gramc_status diff_print(struct buf *out, gramc_text name, gramc_text before, gramc_text after);

#endif
