/* Fuzzes the expressions of gates: whatever the text, it is read or refused at a place within it,
 * and what was read stands in it. The first byte chooses the option. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "experiment/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static bool is_within(gramc_text part, gramc_text whole) {
    return !part.len || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    struct gate_rule gate;
    struct gate_error error = {SIZE_MAX, ""};
    gramc_text source = {(const char *)data + 1, size - 1};
    enum gate_option option = (enum gate_option)(data[0] % 4);
    gramc_status status = gate_parse(&gate, option, source, &error);
    if (status == GRAMC_OK) {
        demand(is_within(gate.metric, source) && is_within(gate.whole, source));
        demand(is_within(gate.arm, source) && isfinite(gate.value));
        demand(option == GATE_CASE_REGRESSIONS || gate.metric.len > 0);
        gramc_experiment experiment = {.arm_count = 0};
        if (gate_check(&gate, &experiment, NULL, 0, &error) != GRAMC_OK)
            demand(error.position <= source.len);
        return 0;
    }
    demand(status == GRAMC_FINDINGS && error.position <= source.len && error.message[0]);
    return 0;
}
