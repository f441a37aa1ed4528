/* Fuzzes the whole compiler: text to tree, spec, findings in every format, every target, baselines,
 * and validators. The first byte chooses plain gram or not, the vocabulary's strictness, and
 * whether the text is its own configuration. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gramc/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int swallow(void *ctx, const char *bytes, size_t len) {
    size_t *sum = ctx;
    for (size_t i = 0; i < len; i++) *sum += (unsigned char)bytes[i];
    return 0;
}

static void print_everything(gramc_compilation *compilation, const gramc_spec *spec, bool sound) {
    size_t sum = 0;
    gramc_writer writer = {swallow, &sum};
    for (int format = GRAMC_REPORT_TEXT; format <= GRAMC_REPORT_GITHUB; format++)
        if (gramc_findings_print(compilation, (gramc_report_format)format, writer)) abort();
    if (!sound) return;
    for (size_t i = 0; gramc_target_name(i); i++) {
        gramc_text target = {gramc_target_name(i), strlen(gramc_target_name(i))};
        if (gramc_emit(spec, NULL, target, writer)) abort();
        gramc_status status = gramc_target_check(compilation, NULL, target);
        if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
        for (size_t a = 0; a < gramc_spec_agent_count(spec); a++)
            if (gramc_emit(spec, gramc_spec_agent(spec, a), target, writer)) abort();
    }
    /* Without errors every schema must compile. */
    for (size_t a = 0; a < gramc_spec_agent_count(spec); a++) {
        gramc_status status = gramc_agent_prepare(compilation, gramc_spec_agent(spec, a));
        if (status != GRAMC_OK && status != GRAMC_LIMIT) abort();
    }
}

/* A setting that is listed is found by its key; a text is a baseline or refused. */
static void use_baseline(gramc_compilation *compilation, const char *text, size_t len) {
    gramc_setting setting, found;
    size_t sum = 0, gone;
    gramc_writer writer = {swallow, &sum};
    for (size_t i = 0; i < 20 && gramc_setting_get(compilation, i, &setting); i++)
        if (!gramc_setting_find(compilation, setting.key, &found)) abort();
    if (gramc_baseline_write(compilation, writer)) abort();
    gramc_status status = gramc_baseline_apply(compilation, (gramc_text){text, len}, &gone);
    if (status != GRAMC_OK && status != GRAMC_USAGE) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec = NULL;
    if (size == 0) return 0;
    options.plain = data[0] & 1;
    options.strict_vocabulary = data[0] & 2;
    options.max_findings = 20;
    char *text = malloc(size);
    if (!text || gramc_compilation_new(&compilation, &options)) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    gramc_status status = GRAMC_OK;
    if (data[0] & 4)
        status = gramc_add_configuration(compilation, GRAMC_TEXT("own"), text, size - 1);
    if (status == GRAMC_OK || status == GRAMC_FINDINGS)
        status = gramc_add_source(compilation, GRAMC_TEXT("fuzz"), text, size - 1);
    if (status == GRAMC_OK || status == GRAMC_FINDINGS) {
        status = gramc_compile(&spec, compilation);
        if (status != GRAMC_OK && status != GRAMC_FINDINGS) abort();
        print_everything(compilation, spec, status == GRAMC_OK);
        use_baseline(compilation, text, size - 1);
    }
    gramc_compilation_free(compilation);
    free(text);
    return 0;
}
