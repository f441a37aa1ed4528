/* Judges a run by an object as a case's `expect`: every member is a check, the score the share of
 * them that held. */
#include "base/text.h"
#include "experiment/grading.h"

typedef bool checker(struct ruling *verdict, const struct graded_run *run,
                     const struct json *wanted);

static checker *const checkers[EXPECTATION_CHECKS] = {
    [EXPECT_EQUALS] = check_equals,   [EXPECT_CONTAINS] = check_contains,
    [EXPECT_MATCHES] = check_matches, [EXPECT_JSON] = check_json,
    [EXPECT_POINTER] = check_pointer, [EXPECT_NOT_CALLS] = check_not_calls};

static bool check_member(struct ruling *verdict, const struct grading *grading,
                         const struct graded_run *run, const struct json *object,
                         const struct json *member) {
    enum expectation_member id = expectation_named(member->key);
    if (id == EXPECT_CALLS) return check_calls(verdict, grading, run, object, member);
    return checkers[id](verdict, run, member);
}

void judge_expectation(struct ruling *verdict, const struct grading *grading,
                       const struct graded_run *run, const struct json *object,
                       const gramc_schema *type) {
    size_t asked = 0, held = 0;
    for (const struct json *m = object->first; m; m = m->next) {
        if (expectation_named(m->key) >= EXPECTATION_CHECKS) continue;
        asked++;
        held += check_member(verdict, grading, run, object, m);
    }
    if (type) {
        asked++;
        held += check_type(verdict, run, type);
    }
    if (verdict->missing) return;
    verdict->pass = asked && held == asked;
    verdict->value = asked ? (double)held / (double)asked : 0;
}
