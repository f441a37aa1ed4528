/* jolt.h: JSON into other JSON, by specs in the notation of JOLT. Knows nothing of gram
 * notation or schemas. No network, no threads, no global state. */
#ifndef GRAMC_JOLT_H
#define GRAMC_JOLT_H

#include "gramc/gramc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## JOLT
 * Transforms JSON by specs in the notation of bazaarvoice/jolt (docs/jolt.md): a list of
 * {"operation": ..., "spec": ...}, each working on what the one before it made. A chain is compiled
 * once and is immutable afterwards: any number of threads may apply it at once. */
typedef struct gramc_jolt gramc_jolt;

/* The bytes are not needed afterwards. `error` (may be NULL) gets a JSON Pointer into the spec.
 * GRAMC_FINDINGS: not JSON, or not such a list. GRAMC_LIMIT: deeper than 100 levels. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_jolt_compile(gramc_jolt **out, gramc_text spec,
                                                         const gramc_allocator *allocator,
                                                         gramc_json_error *error);
GRAMC_API void gramc_jolt_free(gramc_jolt *jolt);

typedef struct gramc_jolt_options {
    size_t struct_size; /* sizeof(gramc_jolt_options) */
    const gramc_allocator *allocator;
    gramc_text context;  /* a JSON object that ^paths of the modify operations read; empty: {} */
    size_t max_output;   /* bytes; 0: 16 MiB */
    uint32_t max_values; /* made on the way; 0: 2,000,000 */
} gramc_jolt_options;
#define GRAMC_JOLT_OPTIONS_INIT                                                                    \
    { sizeof(gramc_jolt_options), NULL, {NULL, 0}, 0, 0 }

/* Writes the transformed document, compact, `null` when nothing matched. options NULL: as INIT.
 * GRAMC_FINDINGS: input or context is no JSON (`error` then has the position). GRAMC_LIMIT: more
 * output, values, steps or depth (1,000) than allowed. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_jolt_apply(const gramc_jolt *jolt, gramc_text input,
                                                       const gramc_jolt_options *options,
                                                       gramc_writer writer,
                                                       gramc_json_error *error);

#ifdef __cplusplus
}
#endif
#endif
