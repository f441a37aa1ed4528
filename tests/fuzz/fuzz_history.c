/* Fuzzes stored reports: whatever the JSON says, it is refused, or analysed and printed in every
 * format; and what was printed as JSON is read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "experiment/history.h"
#include "experiment/report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REPORT_MAX = 1 << 26, INPUT_MAX = 1 << 16 };

static void demand(bool condition) {
    if (!condition) abort();
}

static gramc_status analyse_text(struct analysis *out, struct arena *arena, gramc_text text) {
    char why[HISTORY_WHY] = "";
    struct history_source source = {.report = json_parse(arena, text, NULL)};
    if (!source.report) return GRAMC_FINDINGS;
    gramc_status status = analyse_history(out, &source, 1, NULL, why);
    demand((status == GRAMC_FINDINGS) == (why[0] != '\0'));
    return status;
}

static void print_all(const struct analysis *analysis, struct buf *json) {
    const struct experiment_report report = {.analysis = analysis};
    for (size_t i = 0; experiment_format(i); i++) {
        struct buf out;
        buf_init(&out, NULL, REPORT_MAX);
        experiment_format(i)->print(&out, &report);
        demand(buf_status(&out) == GRAMC_OK && out.len > 0);
        if (text_is(text_of(experiment_format(i)->name), "json")) buf_text(json, buf_view(&out));
        buf_free(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct analysis analysis, again;
    struct arena arena;
    struct buf json;
    if (size > INPUT_MAX) return 0;
    arena_init(&arena, NULL);
    buf_init(&json, NULL, REPORT_MAX);
    if (analyse_text(&analysis, &arena, (gramc_text){(const char *)data, size}) == GRAMC_OK) {
        print_all(&analysis, &json);
        analysis_free(&analysis);
        demand(analyse_text(&again, &arena, buf_view(&json)) == GRAMC_OK);
        analysis_free(&again);
    }
    buf_free(&json);
    arena_free(&arena);
    return 0;
}
