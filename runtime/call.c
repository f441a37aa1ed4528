/* One call of one tool, by hand: checked like a model's call, and told in a few words. Runs make
 * their calls in round.c. */
#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/checked_call.h"
#include "runtime/loop.h"

enum { TEXT_LIMIT = 8 << 20 };

struct hand_call {
    struct checked_call checked;
    struct buf text;
    gramc_call_outcome end;
};

static gramc_call_outcome end_of(enum checked_outcome outcome) {
    switch (outcome) {
    case CHECKED_FINE: return GRAMC_CALL_FINE;
    case CHECKED_BAD_ARGUMENTS: return GRAMC_CALL_BAD_ARGUMENTS;
    case CHECKED_TIMEOUT: return GRAMC_CALL_TIMEOUT;
    case CHECKED_BAD_RESULT: return GRAMC_CALL_BAD_RESULT;
    case CHECKED_DENIED: return GRAMC_CALL_DENIED;
    case CHECKED_TOOL_ERROR:
    case CHECKED_NOMEM: break;
    }
    return GRAMC_CALL_TOOL_ERROR;
}

static void on_done(void *ctx, const struct checked_end *end) {
    struct hand_call *call = ctx;
    call->end = end_of(end->outcome);
    if (end->outcome == CHECKED_NOMEM) call->text.state = BUF_NOMEM;
    else if (end->unread) buf_puts(&call->text, "it cannot be checked: ");
    buf_text(&call->text, end->text);
}

/* To a person, what is wrong with a guard can be said. */
static void on_guarded(void *ctx, const gramc_event_guard *guard, uint64_t started) {
    struct hand_call *call = ctx;
    (void)started;
    if (!guard->failed) return;
    buf_puts(&call->text, "the guard `");
    buf_text(&call->text, guard->guard);
    buf_puts(&call->text, "` does not work: ");
    buf_text(&call->text, guard->message);
}

static bool is_over(void *ctx) {
    return ((const struct hand_call *)ctx)->checked.over;
}

static void make(struct hand_call *call, gramc_text arguments) {
    checked_call_start(&call->checked, NULL, arguments);
    if (!call->checked.over) loop_turn_until(call->checked.loop, is_over, call);
    if (call->checked.over) return;
    call->end = GRAMC_CALL_CANCELED;
    checked_call_cancel(&call->checked);
}

gramc_status gramc_call(gramc_call_outcome *end, gramc_loop *loop, const gramc_bound *bound,
                        gramc_text tool, gramc_text arguments, gramc_writer text) {
    static const struct checked_events events = {NULL, on_guarded, NULL, on_done};
    struct hand_call call = {.checked = {.loop = loop,
                                         .bound = bound_find(bound, tool),
                                         .events = &events,
                                         .ctx = &call},
                             .end = GRAMC_CALL_TOOL_ERROR};
    sigset_t before;
    *end = GRAMC_CALL_TOOL_ERROR;
    if (loop->running) return GRAMC_USAGE;
    if (bound->failed) return GRAMC_FINDINGS;
    if (!call.checked.bound) return GRAMC_NOT_FOUND;
    if (loop_learn(loop, bound->secrets)) return GRAMC_NOMEM;
    buf_init(&call.text, &loop->allocator, TEXT_LIMIT);
    loop_set_signals(&before);
    make(&call, arguments);
    loop_restore_signals(&before);
    *end = call.end;
    gramc_status status = buf_status(&call.text);
    if (!status) status = buf_send(&call.text, text);
    buf_free(&call.text);
    return status;
}
