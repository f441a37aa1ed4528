/* Checks the arguments of a call, starts the tool, checks what it returns. The schema runs over the
 * bytes first, which is all that a good call needs; a document is read only where something is to
 * be filled in or explained. */
#include "runtime/checked_call.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/reading.h"
#include "runtime/wire.h"

enum { QUOTED_MAX = 8 << 20, TOLD_MAX = 2 << 20 };

static void finish(struct checked_call *call, const struct checked_end *end) {
    struct checked_end whole = *end;
    whole.own = call->own;
    whole.queued_ns = call->queued_ns;
    call->over = true;
    call->events->done(call->ctx, &whole);
}

static void finish_with(struct checked_call *call, enum checked_outcome outcome, gramc_text text) {
    finish(call, &(struct checked_end){.outcome = outcome, .text = text});
}

static void finish_nomem(struct checked_call *call) {
    finish_with(call, CHECKED_NOMEM, TEXT(""));
}

/* ## What does not fit */

static void put_violations(struct buf *out, const gramc_verdict *verdict) {
    for (size_t i = 0; i < verdict->error_count && i < TOLD_ERRORS_MAX; i++) {
        if (i) buf_puts(out, "; ");
        buf_text(out, verdict->errors[i].message);
    }
    if (verdict->errors_total > TOLD_ERRORS_MAX)
        buf_printf(out, "; and %zu more", verdict->errors_total - TOLD_ERRORS_MAX);
}

static void refuse(struct checked_call *call, enum checked_outcome outcome,
                   const gramc_verdict *verdict) {
    struct buf out;
    buf_init(&out, &call->loop->allocator, TOLD_MAX);
    put_violations(&out, verdict);
    if (buf_status(&out) == GRAMC_NOMEM) finish_nomem(call);
    else finish_with(call, outcome, buf_view(&out));
    buf_free(&out);
}

/* ## Afterwards */

/* `value` is what stands for `text` before the schema. */
static void explain_result(struct checked_call *call, gramc_text value, gramc_text text) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &call->loop->allocator;
    gramc_status status =
        gramc_schema_check(&verdict, call->bound->tool->returns, value.ptr, value.len, &options);
    if (status == GRAMC_NOMEM) finish_nomem(call);
    else if (status)
        finish(call, &(struct checked_end){.outcome = CHECKED_BAD_RESULT, .unread = true});
    else if (!verdict->valid) refuse(call, CHECKED_BAD_RESULT, verdict);
    else finish_with(call, CHECKED_FINE, text);
    gramc_verdict_free(verdict);
}

static void check_result(struct checked_call *call, gramc_text value, gramc_text text) {
    if (gramc_schema_accepts_as_is(call->bound->tool->returns, value.ptr, value.len))
        finish_with(call, CHECKED_FINE, text);
    else explain_result(call, value, text);
}

/* A text is any text, unless its type says more. */
static void check_text(struct checked_call *call, gramc_text text) {
    struct buf quoted;
    if (gramc_schema_accepts_any_text(call->bound->tool->returns)) {
        finish_with(call, CHECKED_FINE, text);
        return;
    }
    buf_init(&quoted, &call->loop->allocator, QUOTED_MAX);
    json_put_string(&quoted, text);
    if (buf_status(&quoted)) finish_nomem(call);
    else check_result(call, buf_view(&quoted), text);
    buf_free(&quoted);
}

/* Writes as a JSON string what is no JSON. By syntax alone: what is nested too deeply may be JSON.
 */
static void quote_text(struct buf *out, gramc_text text) {
    struct json_error error;
    struct arena scratch;
    arena_init(&scratch, &out->allocator);
    bool is_read = json_parse(&scratch, text_trim(text), &error) != NULL;
    if (scratch.oom) out->state = BUF_NOMEM;
    else if (!is_read && !error.limit) json_put_string(out, text);
    arena_free(&scratch);
}

/* GRAMC_OK if there is one, and it fits. */
static gramc_status takes_text(struct checked_call *call, const struct buf *quoted) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &call->loop->allocator;
    gramc_status status = buf_status(quoted);
    if (!status && !quoted->len) status = GRAMC_FINDINGS;
    if (!status)
        status = gramc_schema_check(&verdict, call->bound->tool->returns, quoted->ptr, quoted->len,
                                    &options);
    if (!status && !verdict->valid) status = GRAMC_FINDINGS;
    gramc_verdict_free(verdict);
    return status;
}

/* Where the type has texts among its values (Any has), what is no JSON is one. */
static void check_json(struct checked_call *call, gramc_text text) {
    gramc_text json = text_trim(text);
    struct buf quoted;
    if (gramc_schema_accepts_as_is(call->bound->tool->returns, json.ptr, json.len)) {
        finish_with(call, CHECKED_FINE, json);
        return;
    }
    buf_init(&quoted, &call->loop->allocator, QUOTED_MAX);
    quote_text(&quoted, text);
    gramc_status status = takes_text(call, &quoted);
    if (status == GRAMC_NOMEM) finish_nomem(call);
    else if (status == GRAMC_OK) finish_with(call, CHECKED_FINE, text);
    else explain_result(call, json, json);
    buf_free(&quoted);
}

/* Programs cut texts in the middle of an emoji. */
static void take_json(struct checked_call *call, struct buf *result) {
    if (result->len) (void)json_mend(result->ptr, result->len);
    check_json(call, buf_view(result));
}

static void take_result(struct checked_call *call, struct buf *result) {
    switch (call->bound->tool->result_kind) {
    case GRAMC_RESULT_NULL: finish_with(call, CHECKED_FINE, TEXT("")); break;
    case GRAMC_RESULT_TEXT: check_text(call, buf_view(result)); break;
    case GRAMC_RESULT_JSON: take_json(call, result); break;
    }
}

/* The receiver may free the call; only the tool's own object is touched behind that. */
static void on_done(void *ctx, struct tool_call *handle) {
    struct checked_call *call = ctx;
    gramc_text text = buf_view(&handle->result);
    call->handle = NULL;
    call->queued_ns = handle->queued_ns;
    if (handle->outcome == TOOL_FINE || handle->outcome == TOOL_FAILED) call->own = text;
    switch (handle->outcome) {
    case TOOL_FINE: take_result(call, &handle->result); break;
    case TOOL_FAILED: finish_with(call, CHECKED_TOOL_ERROR, text); break;
    case TOOL_TIMED_OUT: finish_with(call, CHECKED_TIMEOUT, text); break;
    case TOOL_NOMEM: finish_nomem(call); break;
    }
    tool_release(handle);
}

/* ## Before */

static void start(struct checked_call *call, struct tool_memory *memory, gramc_text arguments,
                  const gramc_event_reading *reading) {
    if (call->events->sent) call->events->sent(call->ctx, arguments, reading);
    struct tool_call *handle =
        tool_start_in(memory, call->loop, call->bound, arguments, on_done, call);
    if (call->over) return;
    call->handle = handle;
    if (!handle) finish_nomem(call);
}

/* Names of the wire stand in what could not be read before. */
static gramc_text with_own_names(void *ctx, struct arena *arena, gramc_text json) {
    const struct checked_call *call = ctx;
    return call->tolerant ? wire_arguments(arena, call->bound, json) : json;
}

static void fill_and_start(struct checked_call *call, struct tool_memory *memory,
                           gramc_text arguments) {
    const struct reading_view view = {.schema = call->bound->tool->accepts,
                                      .kinds = call->tolerant ? 1u << JSON_OBJECT : 0,
                                      .flags = GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT |
                                               (call->coerce ? (unsigned)GRAMC_CHECK_COERCE : 0),
                                      .seen = with_own_names,
                                      .ctx = call};
    struct taken reading;
    gramc_verdict *verdict = NULL;
    reading_init(&reading, &call->loop->allocator);
    gramc_status status = reading_take(&reading, &verdict, arguments, &view);
    if (status == GRAMC_NOMEM) {
        finish_nomem(call);
    } else if (status) {
        finish(call, &(struct checked_end){.outcome = CHECKED_BAD_ARGUMENTS, .unread = true});
    } else if (!verdict->valid) {
        refuse(call, CHECKED_BAD_ARGUMENTS, verdict);
    } else {
        const gramc_event_reading told = reading_told(&reading, verdict);
        start(call, memory, verdict->normalised, &told);
    }
    gramc_verdict_free(verdict);
    reading_free(&reading);
}

void checked_call_start(struct checked_call *call, struct tool_memory *memory,
                        gramc_text arguments) {
    if (text_trim(arguments).len == 0) arguments = TEXT("{}");
    if (gramc_schema_accepts_as_is(call->bound->tool->accepts, arguments.ptr, arguments.len))
        start(call, memory, arguments, NULL);
    else fill_and_start(call, memory, arguments);
}

void checked_call_cancel(struct checked_call *call) {
    struct tool_call *handle = call->handle;
    call->handle = NULL;
    call->over = true;
    if (handle) tool_release(handle);
}
