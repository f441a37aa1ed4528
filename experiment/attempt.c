/* The words for what became of a cell, as stores, reports and tests spell them. What they mean
 * stands in attempt.h; which outcome is whose fault is cell.c's matter. */
#include "experiment/attempt.h"

const char *cell_state_name(enum cell_state state) {
    static const char *const names[] = {"todo", "done", "missing", "skipped"};
    return names[state];
}

const char *fault_name(enum fault fault) {
    static const char *const names[] = {"none", "arm", "infrastructure"};
    return names[fault];
}
