/* Fuzzes the validator. The first byte chooses options; then come a schema, a NUL and an instance.
 * The fast path and the evaluation must agree, and what comes out of normalising must be valid when
 * the verdict says so. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gramc/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

/* A copy without a byte behind it, so that a sanitizer sees any step too far. */
static char *copy_of(const char *bytes, size_t len) {
    char *copy = malloc(len ? len : 1);
    if (!copy) abort();
    if (len) memcpy(copy, bytes, len);
    return copy;
}

static void check_verdict(const gramc_verdict *verdict, size_t len) {
    demand(verdict->valid == (verdict->errors_total == 0));
    demand(verdict->error_count <= verdict->errors_total);
    for (size_t i = 0; i < verdict->error_count; i++) {
        const gramc_violation *error = &verdict->errors[i];
        demand(error->message.len > 0 && error->keyword.len > 0 && error->position <= len);
        demand(error->instance.len == 0 || error->instance.ptr[0] == '/');
        demand(text_is_utf8(error->message));
    }
}

static void evaluate(const gramc_schema *schema, const char *json, size_t len, unsigned flags) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    bool accepts = gramc_schema_accepts(schema, json, len);
    bool as_is = gramc_schema_accepts_as_is(schema, json, len);
    gramc_status status = gramc_schema_check(&verdict, schema, json, len, NULL);
    demand(status == GRAMC_OK || status == GRAMC_LIMIT);
    if (status == GRAMC_OK) {
        check_verdict(verdict, len);
        demand(accepts == verdict->valid);
        demand(text_eq(verdict->normalised, (gramc_text){json, len}));
        gramc_verdict_free(verdict);
    }
    options.flags = flags;
    options.max_errors = 3;
    status = gramc_schema_check(&verdict, schema, json, len, &options);
    demand(status == GRAMC_OK || status == GRAMC_LIMIT);
    if (status != GRAMC_OK) return;
    check_verdict(verdict, len);
    demand(!as_is || (verdict->valid && verdict->adjustment_count == 0));
    if (verdict->valid) {
        gramc_verdict *again;
        status = gramc_schema_check(&again, schema, verdict->normalised.ptr,
                                    verdict->normalised.len, NULL);
        demand(status == GRAMC_LIMIT || again->valid);
        if (status == GRAMC_OK) gramc_verdict_free(again);
    }
    gramc_verdict_free(verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const char *schema_text = (const char *)data + 1;
    const char *nul = memchr(schema_text, '\0', size - 1);
    if (!nul) return 0;
    size_t schema_len = (size_t)(nul - schema_text);
    size_t len = size - schema_len - 2;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema;
    options.draft = (gramc_draft)(((data[0] & 3) + (data[0] >> 7) * 4) % (GRAMC_DRAFT_4 + 1));
    options.assert_formats = data[0] & 4;
    options.closed_root = data[0] & 8;
    char *copy = copy_of(schema_text, schema_len);
    gramc_status status = gramc_schema_compile(&schema, copy, schema_len, &options, &error);
    free(copy);
    if (status != GRAMC_OK) {
        demand(status == GRAMC_FINDINGS || status == GRAMC_LIMIT);
        demand(error.message[0] != '\0');
        return 0;
    }
    char *json = copy_of(nul + 1, len);
    evaluate(schema, json, len, data[0] >> 4 & 7);
    free(json);
    gramc_schema_free(schema);
    return 0;
}
