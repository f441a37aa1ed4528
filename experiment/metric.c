/* The table of metrics, and what of an attempt each of them is. What graders say is put together
 * by table.c. */
#include "experiment/metric.h"

#include "base/text.h"

#include <math.h>

#define ROW(word, kind_, scale_, higher, unit_)                                                    \
    {                                                                                              \
        .name = {word, sizeof word - 1}, .kind = kind_, .scale = scale_, .role = ROLE_EXPLORATORY, \
        .higher_is_better = higher, .unit = unit_                                                  \
    }

static const struct metric rows[] = {
    ROW("pass", METRIC_PASS, SCALE_SHARE, true, ""),
    ROW("cost", METRIC_COST, SCALE_RATIO, false, ""),
    ROW("latency", METRIC_LATENCY, SCALE_RATIO, false, "ms"),
    ROW("tokens", METRIC_TOKENS, SCALE_RATIO, false, ""),
    ROW("requests", METRIC_REQUESTS, SCALE_COUNT, false, ""),
    ROW("calls", METRIC_CALLS, SCALE_COUNT, false, ""),
    ROW("callErrors", METRIC_CALL_ERRORS, SCALE_COUNT, false, ""),
    ROW("toolErrors", METRIC_TOOL_ERRORS, SCALE_COUNT, false, ""),
};

const struct metric *metric_builtin(size_t i) {
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const char *metric_role_name(enum metric_role role) {
    static const char *const names[] = {"primary", "guardrail", "exploratory"};
    return names[role];
}

double metric_value(enum metric_kind kind, const struct attempt *attempt) {
    uint64_t tokens = attempt->prompt_tokens + attempt->completion_tokens;
    switch (kind) {
    case METRIC_COST: return attempt->has_cost ? attempt->cost : (double)NAN;
    case METRIC_LATENCY: return (double)attempt->wall_us / 1000.0;
    case METRIC_TOKENS: return attempt->has_tokens ? (double)tokens : (double)NAN;
    case METRIC_REQUESTS: return attempt->requests;
    case METRIC_CALLS: return attempt->calls;
    case METRIC_CALL_ERRORS: return attempt->call_errors;
    case METRIC_TOOL_ERRORS: return attempt->tool_errors;
    default: return (double)NAN;
    }
}
