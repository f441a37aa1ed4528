/* Base64 and its relatives as RFC 4648 has them: with padding, nothing between the digits. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"
#include "base/mem.h"

void base64_put(struct buf *out, gramc_text bytes);

/* False: it is not coded so, or there is no memory (arena->oom). A NUL stands behind what was read.
 * Base64url may lack its padding (section 5), base16 may have small letters (section 8). */
bool base64_read(gramc_text *out, struct arena *arena, gramc_text coded);
bool base64url_read(gramc_text *out, struct arena *arena, gramc_text coded);
bool base32_read(gramc_text *out, struct arena *arena, gramc_text coded);
bool base32hex_read(gramc_text *out, struct arena *arena, gramc_text coded);
bool base16_read(gramc_text *out, struct arena *arena, gramc_text coded);

#endif
