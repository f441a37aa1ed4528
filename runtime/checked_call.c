/* Checks the arguments of a call, starts the tool, checks what it returns. The schema runs over the
 * bytes first, which is all that a good call needs, also where defaults are filled in; a document
 * is read only where something is to be explained. */
#include "runtime/checked_call.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/approval.h"
#include "runtime/guarding.h"
#include "runtime/loop.h"
#include "runtime/reading.h"
#include "runtime/wire.h"

enum { QUOTED_MAX = 8 << 20, TOLD_MAX = 2 << 20, RESULT_MAX = TOOL_RESULT_MAX };

/* What a call keeps while guards are asked about it. */
struct held {
    struct buf arguments; /* as the tool gets them */
    struct buf result;    /* AFTER: as it is now */
    struct buf own;       /* as the tool said it */
    struct taken reading; /* what the model's words were taken for, told when the tool is called */
    gramc_verdict *verdict;
    gramc_guarded_call told;
    struct guarding guarding;
    gramc_approval *approval; /* while somebody is asked; NULL: nobody is */
    uint64_t asked_since;
    gramc_event_guard rewriter; /* whose text is being checked; guard NULL: nobody's */
    uint64_t rewriter_asked;
};

static void held_free(const gramc_allocator *allocator, struct held *held) {
    if (!held) return;
    gramc_verdict_free(held->verdict);
    reading_free(&held->reading);
    buf_free(&held->arguments);
    buf_free(&held->result);
    buf_free(&held->own);
    mem_free(allocator, held, sizeof(*held));
}

/* The receiver may free the call. */
static void finish(struct checked_call *call, const struct checked_end *end) {
    struct checked_end whole = *end;
    struct held *held = call->held;
    gramc_allocator allocator = call->loop->allocator;
    whole.own = call->own;
    whole.queued_ns = call->queued_ns;
    whole.asked_ns = call->asked_ns;
    call->over = true;
    call->held = NULL;
    call->events->done(call->ctx, &whole);
    held_free(&allocator, held);
}

static void finish_with(struct checked_call *call, enum checked_outcome outcome, gramc_text text) {
    finish(call, &(struct checked_end){.outcome = outcome, .text = text});
}

static void finish_nomem(struct checked_call *call) {
    finish_with(call, CHECKED_NOMEM, TEXT(""));
}

/* ## Guards */

static void tell_guard(void *ctx, const gramc_event_guard *guard, uint64_t started) {
    const struct checked_call *call = ctx;
    if (call->events->guarded) call->events->guarded(call->ctx, guard, started);
}

static void finish_denied(struct checked_call *call, gramc_text words, bool failed) {
    finish(call, &(struct checked_end){.outcome = CHECKED_DENIED,
                                       .text = words,
                                       .after = call->held->guarding.phase == GUARD_AFTER,
                                       .failed = failed});
}

/* What a guard puts in place has to fit like everything else. `why` is a sentence. */
static void refuse_rewriter(struct checked_call *call, gramc_text why) {
    struct held *held = call->held;
    gramc_event_guard told = held->rewriter;
    struct buf message;
    buf_init(&message, &call->loop->allocator, TOLD_MAX);
    buf_puts(&message, "what it puts in place does not fit: ");
    buf_text(&message, why);
    told.decision = "deny";
    told.failed = true;
    told.message = buf_view(&message);
    told.from = told.to = (gramc_text){NULL, 0};
    gramc_status status = buf_status(&message);
    if (!status) tell_guard(call, &told, held->rewriter_asked);
    buf_free(&message);
    if (status == GRAMC_NOMEM) finish_nomem(call);
    else finish_denied(call, TEXT(""), true);
}

/* Keeps `text`, which may be a part of what the buffer holds. */
static bool keep(struct buf *kept, gramc_text text) {
    struct buf copy;
    buf_init(&copy, &kept->allocator, kept->max);
    buf_text(&copy, text);
    bool fine = buf_status(&copy) == GRAMC_OK;
    buf_free(kept);
    *kept = copy;
    return fine;
}

static void ask_guards(struct checked_call *call) {
    struct held *held = call->held;
    held->told.arguments = buf_view(&held->arguments);
    held->guarding.result = buf_view(&held->result);
    guarding_go(&held->guarding);
}

/* The rewritten text fits: now it stands in place. */
static void take_rewritten(struct checked_call *call, struct buf *kept, gramc_text text) {
    struct held *held = call->held;
    gramc_event_guard told = held->rewriter;
    told.to = text;
    tell_guard(call, &told, held->rewriter_asked);
    held->rewriter.guard = (gramc_text){NULL, 0};
    if (keep(kept, text)) ask_guards(call);
    else finish_nomem(call);
}

/* ## What does not fit */

void checked_put_violations(struct buf *out, const gramc_verdict *verdict) {
    for (size_t i = 0; i < verdict->error_count && i < TOLD_ERRORS_MAX; i++) {
        if (i) buf_puts(out, "; ");
        buf_text(out, verdict->errors[i].message);
    }
    if (verdict->errors_total > TOLD_ERRORS_MAX)
        buf_printf(out, "; and %zu more", verdict->errors_total - TOLD_ERRORS_MAX);
}

static bool is_rewritten(const struct checked_call *call) {
    return call->held && call->held->rewriter.guard.ptr;
}

/* Judging it passed a limit: too deep, too much work. */
static void refuse_unread(struct checked_call *call, enum checked_outcome outcome,
                          const gramc_json_error *limit) {
    char words[READING_WORDS_MAX];
    reading_limit_words(words, limit);
    const struct checked_end end = {.outcome = outcome, .text = text_of(words), .unread = true};
    if (is_rewritten(call)) refuse_rewriter(call, end.text);
    else finish(call, &end);
}

static void refuse(struct checked_call *call, enum checked_outcome outcome,
                   const gramc_verdict *verdict) {
    struct buf out;
    buf_init(&out, &call->loop->allocator, TOLD_MAX);
    checked_put_violations(&out, verdict);
    if (buf_status(&out) == GRAMC_NOMEM) finish_nomem(call);
    else if (is_rewritten(call)) refuse_rewriter(call, buf_view(&out));
    else finish_with(call, outcome, buf_view(&out));
    buf_free(&out);
}

/* ## Afterwards */

/* How guards see the result; false without memory. */
static bool find_result_kind(const struct checked_call *call, gramc_text text,
                             enum guard_result *out) {
    gramc_result_kind kind = call->bound->tool->result_kind;
    struct arena scratch;
    *out = kind == GRAMC_RESULT_NULL ? GUARD_RESULT_NONE : GUARD_RESULT_TEXT;
    if (kind != GRAMC_RESULT_JSON) return true;
    arena_init(&scratch, &call->loop->allocator);
    *out = json_parse(&scratch, text, NULL) ? GUARD_RESULT_JSON : GUARD_RESULT_ANY;
    bool fine = !scratch.oom;
    arena_free(&scratch);
    return fine;
}

/* The result fits: nothing is left to do, or the guards are asked about it. */
static void take_fitting(struct checked_call *call, gramc_text text) {
    struct held *held = call->held;
    if (!held || !guarding_has_any(call->bound, call->guard, GUARD_AFTER)) {
        finish_with(call, CHECKED_FINE, text);
        return;
    }
    if (held->guarding.phase == GUARD_BEFORE) held->guarding.step = 0;
    held->guarding.phase = GUARD_AFTER;
    if (!find_result_kind(call, text, &held->guarding.result_kind)) finish_nomem(call);
    else if (is_rewritten(call)) take_rewritten(call, &held->result, text);
    else if (keep(&held->result, text)) ask_guards(call);
    else finish_nomem(call);
}

/* `value` is what stands for `text` before the schema. */
static void explain_result(struct checked_call *call, gramc_text value, gramc_text text) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    gramc_json_error limit;
    options.allocator = &call->loop->allocator;
    options.error = &limit;
    gramc_status status =
        gramc_schema_check(&verdict, call->bound->tool->returns, value.ptr, value.len, &options);
    if (status == GRAMC_NOMEM) finish_nomem(call);
    else if (status) refuse_unread(call, CHECKED_BAD_RESULT, &limit);
    else if (!verdict->valid) refuse(call, CHECKED_BAD_RESULT, verdict);
    else take_fitting(call, text);
    gramc_verdict_free(verdict);
}

static void check_result(struct checked_call *call, gramc_text value, gramc_text text) {
    if (gramc_schema_accepts_as_is(call->bound->tool->returns, value.ptr, value.len))
        take_fitting(call, text);
    else explain_result(call, value, text);
}

/* A text is any text, unless its type says more. */
static void check_text(struct checked_call *call, gramc_text text) {
    struct buf quoted;
    if (gramc_schema_accepts_any_text(call->bound->tool->returns)) {
        take_fitting(call, text);
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
        take_fitting(call, json);
        return;
    }
    buf_init(&quoted, &call->loop->allocator, QUOTED_MAX);
    quote_text(&quoted, text);
    gramc_status status = takes_text(call, &quoted);
    if (status == GRAMC_NOMEM) finish_nomem(call);
    else if (status == GRAMC_OK) take_fitting(call, text);
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
    case GRAMC_RESULT_NULL: take_fitting(call, TEXT("")); break;
    case GRAMC_RESULT_TEXT: check_text(call, buf_view(result)); break;
    case GRAMC_RESULT_JSON: take_json(call, result); break;
    }
}

/* Guards are asked when the tool's own object is gone. */
static void note_own(struct checked_call *call, gramc_text text) {
    struct held *held = call->held;
    call->own = text;
    if (held && keep(&held->own, text)) call->own = buf_view(&held->own);
}

/* The receiver may free the call; only the tool's own object is touched behind that. */
static void take_end(struct checked_call *call, struct tool_call *handle) {
    gramc_text text = buf_view(&handle->result);
    call->queued_ns = handle->queued_ns;
    if (handle->outcome == TOOL_FINE || handle->outcome == TOOL_FAILED) note_own(call, text);
    if (call->held && buf_status(&call->held->own)) {
        finish_nomem(call);
        tool_release(handle);
        return;
    }
    switch (handle->outcome) {
    case TOOL_FINE: take_result(call, &handle->result); break;
    case TOOL_FAILED: finish_with(call, CHECKED_TOOL_ERROR, text); break;
    case TOOL_TIMED_OUT: finish_with(call, CHECKED_TIMEOUT, text); break;
    case TOOL_NOMEM: finish_nomem(call); break;
    }
    tool_release(handle);
}

static void on_done(void *ctx, struct tool_call *handle) {
    struct checked_call *call = ctx;
    call->is_early = call->starting;
    if (call->starting) return;
    call->handle = NULL;
    take_end(call, handle);
}

/* ## Before */

/* The last thing that its caller does with the call. */
static void start(struct checked_call *call, gramc_text arguments,
                  const gramc_event_reading *reading) {
    if (call->events->sent) call->events->sent(call->ctx, arguments, reading);
    call->starting = true;
    call->is_early = false;
    struct tool_call *handle =
        tool_start_in(call->memory, call->loop, call->bound, arguments, on_done, call);
    call->starting = false;
    if (!handle) finish_nomem(call);
    else if (call->is_early) take_end(call, handle);
    else call->handle = handle;
}

/* What is not said has its default; null for what may be left out is left out. */
static const unsigned FILLED_IN = GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT;

/* Names of the wire stand in what could not be read before. */
static gramc_text with_own_names(void *ctx, struct arena *arena, gramc_text json) {
    const struct checked_call *call = ctx;
    return call->tolerant ? wire_arguments(arena, call->bound, json) : json;
}

static gramc_text as_it_is(void *ctx, struct arena *arena, gramc_text json) {
    (void)ctx, (void)arena;
    return json;
}

/* The arguments fit. */
static void go_on(struct checked_call *call, gramc_text arguments,
                  const gramc_event_reading *reading) {
    struct held *held = call->held;
    if (!held) start(call, arguments, reading);
    else if (is_rewritten(call)) take_rewritten(call, &held->arguments, arguments);
    else if (keep(&held->arguments, arguments)) ask_guards(call);
    else finish_nomem(call);
}

static void take_reading(struct checked_call *call, gramc_status status,
                         const struct taken *reading, const gramc_verdict *verdict) {
    if (status == GRAMC_NOMEM) {
        finish_nomem(call);
    } else if (status) {
        refuse_unread(call, CHECKED_BAD_ARGUMENTS, &reading->limit);
    } else if (!verdict->valid) {
        refuse(call, CHECKED_BAD_ARGUMENTS, verdict);
    } else {
        const gramc_event_reading told = reading_told(reading, verdict);
        go_on(call, verdict->normalised, &told);
    }
}

static unsigned flags_of(const struct checked_call *call) {
    return FILLED_IN | call->coerce;
}

/* What fits as it was sent, or once it is filled in: nearly all. False, and nothing was done, where
 * more has to be tried, or told. */
static bool go_on_at_once(struct checked_call *call, gramc_text arguments) {
    const gramc_schema *schema = call->bound->tool->accepts;
    struct held *held = call->held;
    const struct taken nothing = {.repair_count = 0};
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.flags = flags_of(call);
    options.allocator = &call->loop->allocator;
    gramc_status status =
        gramc_schema_check(&verdict, schema, arguments.ptr, arguments.len, &options);
    bool fits = !status && verdict->valid, changed = fits && verdict->adjustment_count;
    const gramc_event_reading told =
        fits ? reading_told(&nothing, verdict) : (gramc_event_reading){.repair_count = 0};
    if (changed && held) held->verdict = verdict;
    if (fits) go_on(call, verdict->normalised, changed ? &told : NULL);
    if (!changed || !held) gramc_verdict_free(verdict);
    return fits;
}

static void fill_and_go_on(struct checked_call *call, gramc_text arguments) {
    const struct reading_view view = {.schema = call->bound->tool->accepts,
                                      .kinds = call->tolerant ? 1u << JSON_OBJECT : 0,
                                      .flags = flags_of(call),
                                      .seen = with_own_names,
                                      .ctx = call};
    struct held *held = call->held;
    struct taken reading, *taken = held ? &held->reading : &reading;
    gramc_verdict *verdict = NULL;
    reading_init(&reading, &call->loop->allocator);
    gramc_status status = reading_take(taken, &verdict, arguments, &view);
    if (held) held->verdict = verdict;
    take_reading(call, status, taken, verdict);
    if (!held) gramc_verdict_free(verdict);
    reading_free(&reading);
}

/* What a guard wrote is JSON or nothing; defaults are filled in again. */
static void check_rewritten(struct checked_call *call, gramc_text arguments) {
    const struct reading_view view = {
        .schema = call->bound->tool->accepts, .flags = FILLED_IN, .seen = as_it_is};
    struct taken reading;
    gramc_verdict *verdict = NULL;
    reading_init(&reading, &call->loop->allocator);
    gramc_status status = reading_take(&reading, &verdict, arguments, &view);
    take_reading(call, status, &reading, verdict);
    gramc_verdict_free(verdict);
    reading_free(&reading);
}

/* ## What guards decide */

static void rewrite(struct checked_call *call, const struct guarding_end *end) {
    struct held *held = call->held;
    struct buf copy;
    held->rewriter = end->guard;
    held->rewriter_asked = end->started;
    if (held->guarding.phase == GUARD_BEFORE) {
        check_rewritten(call, end->text);
        return;
    }
    buf_init(&copy, &call->loop->allocator, RESULT_MAX);
    buf_text(&copy, end->text);
    if (buf_status(&copy) == GRAMC_NOMEM) finish_nomem(call);
    else if (buf_status(&copy)) refuse_rewriter(call, TEXT("it is longer than 1 MiB"));
    else take_result(call, &copy);
    buf_free(&copy);
}

/* ## Approval */

/* Somebody is asked that would not be, were it not for what an untrusted tool brought. */
static bool is_tainted(const struct checked_call *call) {
    return call->bound->sensitive && call->tainted_by && call->tainted_by->ptr;
}

static uint64_t now(const struct checked_call *call) {
    return call->loop->clock.now_ns(call->loop->clock.ctx);
}

static void start_held(struct checked_call *call) {
    struct held *held = call->held;
    if (held->verdict) {
        const gramc_event_reading told = reading_told(&held->reading, held->verdict);
        start(call, buf_view(&held->arguments), &told);
    } else {
        start(call, buf_view(&held->arguments), NULL);
    }
}

/* The time of the question is waiting, and nobody's work. */
static void tell_decision(struct checked_call *call, bool allow, gramc_text words) {
    const gramc_event_guard told = {.phase = "approval",
                                    .guard = TEXT("approver"),
                                    .decision = allow ? "allow" : "deny",
                                    .message = words,
                                    .queued_ns = call->asked_ns};
    tell_guard(call, &told, now(call));
    if (allow) start_held(call);
    else finish_denied(call, words, false);
}

/* Whoever reads that, model or person, learns why it is asked about now and was not before. */
static void decide_approval(struct checked_call *call, bool allow, gramc_text words) {
    struct buf why;
    gramc_text by = call->held->told.tainted_by;
    if (!by.ptr) {
        tell_decision(call, allow, words);
        return;
    }
    buf_init(&why, &call->loop->allocator, TOLD_MAX);
    buf_printf(&why,
               "`%.*s` brought words from outside into this conversation, and `%.*s` is sensitive",
               TEXT_ARGS(by), TEXT_ARGS(call->bound->tool->name));
    if (words.len) buf_puts(&why, "; ");
    buf_text(&why, words);
    if (buf_status(&why)) finish_nomem(call);
    else tell_decision(call, allow, buf_view(&why));
    buf_free(&why);
}

static void on_approval(void *ctx, bool allow, gramc_text words) {
    struct checked_call *call = ctx;
    call->held->approval = NULL;
    call->asked_ns = now(call) - call->held->asked_since;
    if (call->events->asking) call->events->asking(call->ctx, false);
    if (!allow && !words.len) words = TEXT("it was not approved");
    decide_approval(call, allow, words);
}

static void ask_approval(struct checked_call *call) {
    struct held *held = call->held;
    const struct approval_question question = {.loop = call->loop,
                                               .approver = call->approver,
                                               .call = &held->told,
                                               .answered = on_approval,
                                               .ctx = call};
    if (is_tainted(call)) held->told.tainted_by = *call->tainted_by;
    if (!call->approver->ask) {
        decide_approval(call, false, TEXT("it needs approval, and nobody can be asked"));
        return;
    }
    held->asked_since = now(call);
    if (call->events->asking) call->events->asking(call->ctx, true);
    held->told.arguments = buf_view(&held->arguments);
    held->approval = approval_ask(&question);
    if (!held->approval) finish_nomem(call);
}

/* Where a recorded run is played again, no tool is called. */
static bool needs_approval(const struct checked_call *call) {
    bool is_played = call->memory && call->memory->recording;
    return call->approver && (call->bound->asks || is_tainted(call)) && !is_played;
}

static void pass(struct checked_call *call) {
    struct held *held = call->held;
    if (held->guarding.phase == GUARD_AFTER) {
        finish_with(call, CHECKED_FINE, buf_view(&held->result));
    } else if (needs_approval(call)) {
        ask_approval(call);
    } else {
        start_held(call);
    }
}

static void on_decided(void *ctx, const struct guarding_end *end) {
    struct checked_call *call = ctx;
    switch (end->outcome) {
    case GUARDING_PASSED: pass(call); break;
    case GUARDING_REWRITE: rewrite(call, end); break;
    case GUARDING_DENIED: finish_denied(call, end->text, false); break;
    case GUARDING_FAILED: finish_denied(call, TEXT(""), true); break;
    case GUARDING_NOMEM: finish_nomem(call); break;
    }
}

/* ## The public calls */

static bool is_guarded(const struct checked_call *call) {
    return needs_approval(call) || guarding_has_any(call->bound, call->guard, GUARD_BEFORE) ||
           guarding_has_any(call->bound, call->guard, GUARD_AFTER);
}

/* NULL without memory. */
static struct held *held_new(struct checked_call *call) {
    static const struct guarding_events events = {tell_guard, on_decided};
    const gramc_allocator *allocator = &call->loop->allocator;
    struct held *held = mem_alloc(allocator, sizeof(*held));
    if (!held) return NULL;
    *held = (struct held){.guarding = {.loop = call->loop,
                                       .bound = call->bound,
                                       .own = call->guard,
                                       .call = &held->told,
                                       .events = &events,
                                       .ctx = call}};
    if (call->memory) held->guarding.memory = *call->memory;
    held->guarding.memory.recording = NULL;
    if (call->told) held->told = *call->told;
    held->told.tool = call->bound->tool;
    held->told.destructive = call->bound->destructive;
    buf_init(&held->arguments, allocator, (size_t)INT32_MAX);
    buf_init(&held->result, allocator, QUOTED_MAX);
    buf_init(&held->own, allocator, QUOTED_MAX);
    reading_init(&held->reading, allocator);
    return held;
}

void checked_call_start(struct checked_call *call, struct tool_memory *memory,
                        gramc_text arguments) {
    call->memory = memory;
    if (text_trim(arguments).len == 0) arguments = TEXT("{}");
    if (is_guarded(call)) {
        call->held = held_new(call);
        if (!call->held) {
            finish_nomem(call);
            return;
        }
    }
    if (!go_on_at_once(call, arguments)) fill_and_go_on(call, arguments);
}

void checked_call_cancel(struct checked_call *call) {
    struct tool_call *handle = call->handle;
    struct held *held = call->held;
    call->handle = NULL;
    call->held = NULL;
    call->over = true;
    if (handle) tool_release(handle);
    if (!held) return;
    guarding_cancel(&held->guarding);
    if (held->approval) approval_cancel(held->approval);
    held_free(&call->loop->allocator, held);
}
