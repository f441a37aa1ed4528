/* The words for what became of a cell, as stores, reports and tests spell them. What they mean
 * stands in attempt.h; which outcome is whose fault is cell.c's matter. */
#include "experiment/attempt.h"

#include "base/text.h"

const char *cell_state_name(enum cell_state state) {
    static const char *const names[] = {"todo", "done", "missing", "skipped"};
    return names[state];
}

enum cell_state cell_state_of(gramc_text name) {
    for (int i = CELL_TODO; i <= CELL_SKIPPED; i++)
        if (text_is(name, cell_state_name((enum cell_state)i))) return (enum cell_state)i;
    return CELL_TODO;
}

const char *fault_name(enum fault fault) {
    static const char *const names[] = {"none", "arm", "infrastructure"};
    return names[fault];
}

enum fault fault_of_name(gramc_text name) {
    for (int i = FAULT_NONE; i <= FAULT_INFRASTRUCTURE; i++)
        if (text_is(name, fault_name((enum fault)i))) return (enum fault)i;
    return FAULT_INFRASTRUCTURE;
}
