/* Fuzzes the answers of guards: what is no decision is a denial that says why, and what is put in
 * place is what the phase asks for. The whole input is what the program printed. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "runtime/guard_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void judge(struct arena *arena, const gramc_decision *decision, enum guard_phase phase,
                  enum guard_result result) {
    if (decision->kind != GRAMC_DECISION_REWRITE) return;
    demand(decision->text.ptr != NULL);
    if (phase == GUARD_AFTER && result != GUARD_RESULT_JSON) {
        demand(result != GUARD_RESULT_NONE);
        return;
    }
    const struct json *value = json_parse(arena, decision->text, NULL);
    demand(value && (phase == GUARD_AFTER || value->kind == JSON_OBJECT));
}

static void check(gramc_text said, enum guard_phase phase, enum guard_result result) {
    struct arena arena;
    const char *why;
    arena_init(&arena, NULL);
    const gramc_decision decision = guard_answer_read(&arena, said, phase, result, &why);
    demand(decision.kind <= GRAMC_DECISION_REWRITE);
    if (why) demand(decision.kind == GRAMC_DECISION_DENY && why[0]);
    if (!json_parse(&arena, said, NULL)) demand(why != NULL);
    judge(&arena, &decision, phase, result);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_text said = {(const char *)data, size};
    check(said, GUARD_BEFORE, GUARD_RESULT_NONE);
    check(said, GUARD_AFTER, GUARD_RESULT_NONE);
    check(said, GUARD_AFTER, GUARD_RESULT_TEXT);
    check(said, GUARD_AFTER, GUARD_RESULT_JSON);
    check(said, GUARD_AFTER, GUARD_RESULT_ANY);
    return 0;
}
