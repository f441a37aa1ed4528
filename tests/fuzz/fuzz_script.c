/* Fuzzes the reader of scripts: any bytes as a trace that a model answers from. Refused, it must
 * say where and why. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gramc/runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_json_error error = {0};
    gramc_model *model = NULL;
    gramc_text trace = {(const char *)data, size};
    if (size > 1 << 16) return 0;
    gramc_status status = gramc_model_new_script(&model, trace, NULL, &error);
    if ((status == GRAMC_OK) != (model != NULL)) abort();
    if (status == GRAMC_FINDINGS && (!error.message[0] || error.position > size)) abort();
    if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
    gramc_model_free(model);
    return 0;
}
