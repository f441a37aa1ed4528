/* What gramc.wasm exports: one function that takes an operation and a JSON object and gives a JSON
 * object back, and the two with which JavaScript puts bytes into this memory and gives them back.
 * What is asked and answered is call.c's. */
#include "wasm/gramc_wasm.h"

#include "base/text.h"
#include "wasm/call.h"

#include <stdlib.h>

enum { REPLY_MAX = INT32_MAX };

char *gramc_wasm_alloc(size_t size) {
    return malloc(size ? size : 1);
}

void gramc_wasm_free(char *bytes) {
    free(bytes);
}

/* The reply outlives its buffer as a piece of its own size. */
static char *copy_out(gramc_text text) {
    char *copy = malloc(text.len + 1);
    if (copy) memcpy(copy, text.ptr, text.len + 1);
    return copy;
}

char *gramc_wasm_call(const char *operation, const char *request, size_t len) {
    const gramc_allocator allocator = mem_default();
    struct buf out;
    buf_init(&out, &allocator, REPLY_MAX);
    const gramc_text text = {request, len};
    gramc_status status = call_answer(&allocator, text_of(operation), text, &out);
    char *reply = status == GRAMC_OK ? copy_out(buf_view(&out)) : NULL;
    buf_free(&out);
    return reply;
}
