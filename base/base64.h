/* Base64 as RFC 4648, section 4, has it: with padding, nothing between the digits. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"
#include "base/mem.h"

void base64_put(struct buf *out, gramc_text bytes);
/* False: it is no base64, or there is no memory (arena->oom). A NUL stands behind what was read. */
bool base64_read(gramc_text *out, struct arena *arena, gramc_text coded);

#endif
