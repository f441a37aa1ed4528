/* What gramc.wasm exports. gramc.js is what calls it. */
#ifndef WASM_GRAMC_WASM_H
#define WASM_GRAMC_WASM_H

#include <stddef.h>

/* Room for what JavaScript hands over; NULL without memory. */
char *gramc_wasm_alloc(size_t size);
/* For what gramc_wasm_alloc and gramc_wasm_call gave; NULL is fine. */
void gramc_wasm_free(char *bytes);
/* `operation` ends in NUL, `request` is JSON of `len` bytes. The reply is JSON, ends in NUL and is
 * the caller's; NULL: there was no memory for it, or it would be larger than 2 GiB. */
char *gramc_wasm_call(const char *operation, const char *request, size_t len);

#endif
