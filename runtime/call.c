/* One call of one tool, by hand: judged like a model's call, and told in the words that a model
 * would read. Runs make their calls in round.c. */
#include "base/json/json.h"
#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"
#include "runtime/tool.h"

enum { TEXT_LIMIT = 8 << 20, ERRORS_SHOWN = 8 };

struct hand_call {
    gramc_loop *loop;
    const struct bound_tool *bound;
    struct tool_call *handle;
    struct buf text;
    gramc_call_end end;
    bool over;
};

static void finish(struct hand_call *call, gramc_call_end end) {
    call->end = end;
    call->over = true;
}

static void put_violations(struct hand_call *call, const gramc_verdict *verdict) {
    for (size_t i = 0; verdict && i < verdict->error_count && i < ERRORS_SHOWN; i++) {
        if (i) buf_puts(&call->text, "; ");
        buf_text(&call->text, verdict->errors[i].message);
    }
    if (!verdict) buf_puts(&call->text, "it is nested too deeply or too large");
}

/* ## Afterwards */

static void check_result(struct hand_call *call, gramc_text evaluated, gramc_text text) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &call->loop->allocator;
    gramc_status status = gramc_schema_check(&verdict, call->bound->tool->returns, evaluated.ptr,
                                             evaluated.len, &options);
    bool fits = !status && verdict->valid;
    if (status == GRAMC_NOMEM) call->text.state = BUF_NOMEM;
    else if (fits) buf_text(&call->text, text);
    else put_violations(call, status ? NULL : verdict);
    gramc_verdict_free(verdict);
    finish(call, fits ? GRAMC_CALL_FINE : GRAMC_CALL_BAD_RESULT);
}

static void check_text(struct hand_call *call, gramc_text text) {
    struct buf quoted;
    buf_init(&quoted, &call->loop->allocator, TEXT_LIMIT);
    json_put_string(&quoted, text);
    if (buf_status(&quoted)) call->text.state = BUF_NOMEM;
    else check_result(call, buf_view(&quoted), text);
    buf_free(&quoted);
}

static void take_result(struct hand_call *call, gramc_text text) {
    switch (call->bound->tool->result_kind) {
    case GRAMC_RESULT_NULL: finish(call, GRAMC_CALL_FINE); break;
    case GRAMC_RESULT_TEXT: check_text(call, text); break;
    case GRAMC_RESULT_JSON: check_result(call, text_trim(text), text_trim(text)); break;
    }
}

static void on_done(void *ctx, struct tool_call *handle) {
    struct hand_call *call = ctx;
    switch (handle->outcome) {
    case TOOL_FINE: take_result(call, buf_view(&handle->result)); break;
    case TOOL_FAILED:
        buf_text(&call->text, buf_view(&handle->result));
        finish(call, GRAMC_CALL_TOOL_ERROR);
        break;
    case TOOL_TIMED_OUT: finish(call, GRAMC_CALL_TIMEOUT); break;
    case TOOL_NOMEM: call->text.state = BUF_NOMEM; break;
    }
    call->over = true;
    call->handle = NULL;
    tool_release(handle);
}

/* ## Before */

static bool is_over(void *ctx) {
    return ((const struct hand_call *)ctx)->over;
}

static void start(struct hand_call *call, gramc_text arguments) {
    struct tool_call *handle = tool_start(call->loop, call->bound, arguments, on_done, call);
    if (call->over) return;
    call->handle = handle;
    if (!handle) call->text.state = BUF_NOMEM;
    else loop_turn_until(call->loop, is_over, call);
    if (call->over || !handle) return;
    finish(call, GRAMC_CALL_CANCELED);
    tool_release(handle);
}

static void check_and_start(struct hand_call *call, gramc_text arguments) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.flags = GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT;
    options.allocator = &call->loop->allocator;
    gramc_status status = gramc_schema_check(&verdict, call->bound->tool->accepts, arguments.ptr,
                                             arguments.len, &options);
    if (status == GRAMC_NOMEM) {
        call->text.state = BUF_NOMEM;
    } else if (status || !verdict->valid) {
        put_violations(call, status ? NULL : verdict);
        finish(call, GRAMC_CALL_BAD_ARGUMENTS);
    } else {
        start(call, verdict->normalised);
    }
    gramc_verdict_free(verdict);
}

gramc_status gramc_call(gramc_call_end *end, gramc_loop *loop, const gramc_bound *bound,
                        gramc_text tool, gramc_text arguments, gramc_writer text) {
    struct hand_call call = {.loop = loop, .bound = bound_find(bound, tool)};
    sigset_t before;
    *end = GRAMC_CALL_TOOL_ERROR;
    if (loop->running) return GRAMC_USAGE;
    if (bound->failed) return GRAMC_FINDINGS;
    if (!call.bound) return GRAMC_NOT_FOUND;
    buf_init(&call.text, &loop->allocator, TEXT_LIMIT);
    loop_set_signals(&before);
    check_and_start(&call, text_trim(arguments).len ? arguments : TEXT("{}"));
    loop_restore_signals(&before);
    *end = call.end;
    gramc_status status = buf_status(&call.text);
    if (!status) status = buf_send(&call.text, text);
    buf_free(&call.text);
    return status;
}
