/* One round of calls: finds each tool, starts all of them at once (checked_call.c), and turns what
 * comes back into texts for the model, in the order of the calls.
 * Nothing that goes wrong here ends the run: the model is told what to do about it, until its tool
 * has failed too often. */
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/reading.h"
#include "runtime/run.h"
#include "runtime/secret_typed.h"
#include "runtime/wire.h"

enum { TEXT_MAX = 2 << 20 };

static const char *const slot_names[] = {[SLOT_FINE] = "ok",
                                         [SLOT_UNKNOWN_TOOL] = "unknown-tool",
                                         [SLOT_BAD_CALL] = "call-error",
                                         [SLOT_SKIPPED] = "skipped",
                                         [SLOT_TOOL_ERROR] = "tool-error",
                                         [SLOT_TIMEOUT] = "timeout",
                                         [SLOT_BAD_RESULT] = "result-error",
                                         [SLOT_DENIED] = "denied"};

/* What a type calls secret is not told. */
static void learn(struct slot *slot, gramc_text schema, const struct json *document,
                  gramc_text json) {
    gramc_run *run = slot->run;
    if (!watch_is_on(&run->watch)) return;
    if (secrets_learn_typed(&run->watch.secrets, &run->loop->allocator, schema, document, json))
        run_nomem(run);
}

/* ## Settling a slot */

static gramc_event_call told_call(const struct slot *slot) {
    return (gramc_event_call){.call = slot->call,
                              .tool = slot->bound ? slot->bound->tool->name : slot->call->name,
                              .index = slot->index};
}

static void settle(struct slot *slot, enum slot_outcome outcome, gramc_text text) {
    gramc_run *run = slot->run;
    slot->settled = true;
    slot->outcome = outcome;
    slot->text = text;
    gramc_event_call told = told_call(slot);
    told.outcome = slot_names[outcome];
    told.own = slot->own;
    told.queued_ns = slot->queued_ns + slot->asked_ns;
    /* What failed has words of the tool's, too. */
    if (slot->is_sent && slot->bound->untrusted && !run->tainted_by.ptr)
        run->tainted_by = slot->bound->tool->name;
    if (slot->bound && outcome == SLOT_FINE) learn(slot, slot->bound->tool->result, NULL, text);
    watch_result(&run->watch, &told, text,
                 slot->started + slot->queued_ns + (slot->is_sent ? 0 : slot->asked_ns));
    if (--run->pending == 0 && run->state == RUN_AWAIT_TOOLS) run->state = RUN_COLLECT;
}

/* Frees the sentence. */
static void settle_with(struct slot *slot, enum slot_outcome outcome, struct buf *sentence) {
    settle(slot, outcome, buf_to_arena_cut(sentence, &slot->run->ask.arena));
}

static struct buf begin_error(const struct slot *slot) {
    struct buf out;
    buf_init(&out, &slot->run->loop->allocator, TEXT_MAX);
    buf_puts(&out, "Error: ");
    return out;
}

/* ## Before a call */

static void put_tool_names(struct buf *out, const struct bound_step *step) {
    for (size_t i = 0; i < step->tool_count; i++) {
        buf_puts(out, i ? ", " : "");
        buf_text(out, step->tools[i]->wire_name);
    }
}

static void refuse_unknown(struct slot *slot) {
    struct buf out = begin_error(slot);
    const struct bound_step *step = slot->run->step;
    bool none = step->tool_count == 0;
    buf_puts(&out, "there is no tool named ");
    json_put_string(&out, slot->call->name);
    if (none) buf_puts(&out, ", and there are no others. Answer without calling a tool.");
    else buf_puts(&out, ". Call one of these with fitting arguments, or answer without: ");
    if (!none) put_tool_names(&out, step);
    settle_with(slot, SLOT_UNKNOWN_TOOL, &out);
}

static uint32_t most_calls(const gramc_run *run) {
    uint32_t most = run->bound->agent->max_calls_per_turn;
    return most && most < MOST_CALLS ? most : MOST_CALLS;
}

static void skip(struct slot *slot) {
    struct buf out = begin_error(slot);
    uint32_t most = most_calls(slot->run);
    buf_printf(&out,
               "at most %u call%s made for one answer, and this one was not. Call the tool "
               "again if its result is still needed.",
               (unsigned)most, most == 1 ? " is" : "s are");
    settle_with(slot, SLOT_SKIPPED, &out);
}

/* By the names that the model was shown. */
static gramc_text wrong_with_arguments(const struct slot *slot, const struct checked_end *end) {
    gramc_text said = wire_violations(&slot->run->arena, slot->bound, slot->call->arguments,
                                      slot->checked.coerce, slot->checked.tolerant);
    return said.len ? said : end->text;
}

static void refuse_arguments(struct slot *slot, const struct checked_end *end) {
    struct buf out = begin_error(slot);
    if (end->unread) {
        buf_puts(&out, "the arguments cannot be checked: ");
        buf_text(&out, end->text);
        buf_puts(&out, ". The tool was not called; call it again with simpler arguments.");
    } else {
        buf_puts(&out, "the arguments do not fit: ");
        buf_text(&out, wrong_with_arguments(slot, end));
        buf_puts(&out,
                 ". The tool was not called; call it again with arguments that fit its schema.");
    }
    settle_with(slot, SLOT_BAD_CALL, &out);
}

/* ## After a call */

static void accept_result(struct slot *slot, gramc_text text) {
    bool none = slot->bound->tool->result_kind == GRAMC_RESULT_NULL;
    settle(slot, SLOT_FINE, arena_text(&slot->run->ask.arena, none ? TEXT("Success") : text));
}

static void fail_tool(struct slot *slot, gramc_text why) {
    struct buf out = begin_error(slot);
    buf_text(&out, why);
    settle_with(slot, SLOT_TOOL_ERROR, &out);
}

static void report_timeout(struct slot *slot, gramc_text recorded) {
    struct buf out = begin_error(slot);
    uint32_t ms = slot->bound->timeout_ms;
    if (recorded.len) {
        buf_text(&out, recorded);
        settle_with(slot, SLOT_TIMEOUT, &out);
        return;
    }
    buf_puts(&out, "the tool did not finish within ");
    if (ms % 1000) buf_printf(&out, "%u ms", (unsigned)ms);
    else buf_count(&out, ms / 1000, "second");
    buf_puts(&out, " and was stopped");
    settle_with(slot, SLOT_TIMEOUT, &out);
}

static void refuse_result(struct slot *slot, const struct checked_end *end) {
    struct buf out = begin_error(slot);
    buf_puts(&out, "the tool's result is not what it promises: ");
    if (end->unread) buf_puts(&out, "it cannot be checked: ");
    buf_text(&out, end->text);
    settle_with(slot, SLOT_BAD_RESULT, &out);
}

/* Why a guard does not work is nothing that a model could do anything about. */
static void deny(struct slot *slot, const struct checked_end *end) {
    struct buf out = begin_error(slot);
    buf_puts(&out, end->after ? "the result was withheld" : "the call was denied");
    if (end->failed) buf_puts(&out, ", since what guards the tool does not work");
    else if (end->text.len) buf_puts(&out, ": ");
    buf_text(&out, end->text);
    settle_with(slot, SLOT_DENIED, &out);
}

static void settle_nomem(struct slot *slot) {
    slot->run->arena.oom = true;
    settle(slot, SLOT_TOOL_ERROR, TEXT(""));
}

static void on_done(void *ctx, const struct checked_end *end) {
    struct slot *slot = ctx;
    gramc_run *run = slot->run;
    slot->own = end->own;
    slot->queued_ns = end->queued_ns;
    slot->asked_ns = end->asked_ns;
    switch (end->outcome) {
    case CHECKED_FINE: accept_result(slot, end->text); break;
    case CHECKED_BAD_ARGUMENTS: refuse_arguments(slot, end); break;
    case CHECKED_TOOL_ERROR: fail_tool(slot, end->text); break;
    case CHECKED_TIMEOUT: report_timeout(slot, end->text); break;
    case CHECKED_BAD_RESULT: refuse_result(slot, end); break;
    case CHECKED_DENIED: deny(slot, end); break;
    case CHECKED_NOMEM: settle_nomem(slot); break;
    }
    run_step(run);
}

/* ## Starting */

static void on_sent(void *ctx, gramc_text arguments, const gramc_event_reading *reading) {
    struct slot *slot = ctx;
    gramc_event_call told = told_call(slot);
    told.sent = arguments;
    told.reading = reading;
    const gramc_tool *tool = slot->bound->tool;
    learn(slot, tool->parameters, tool->document, arguments);
    if (slot->run->strategy->wants_sent) slot->sent = arena_text(&slot->run->ask.arena, arguments);
    watch_call(&slot->run->watch, &told);
    slot->started = watch_stamp(&slot->run->watch);
    slot->is_sent = true;
}

/* As long as one question is open, the run waits for people. */
static void on_asking(void *ctx, bool asking) {
    const struct slot *slot = ctx;
    gramc_run *run = slot->run;
    if (asking && run->questions++ == 0) run->asked_since = watch_now(&run->watch);
    if (!asking && --run->questions == 0)
        run->asked_ns += watch_now(&run->watch) - run->asked_since;
}

static void on_guarded(void *ctx, const gramc_event_guard *guard, uint64_t started) {
    struct slot *slot = ctx;
    const gramc_event_call told = told_call(slot);
    watch_guard(&slot->run->watch, &told, guard, started);
}

static void check_and_call(struct slot *slot) {
    static const struct checked_events events = {on_sent, on_guarded, on_asking, on_done};
    gramc_run *run = slot->run;
    slot->guarded = (gramc_guarded_call){.call = slot->call,
                                         .turn = run->watch.turn,
                                         .iteration = run->watch.iteration,
                                         .index = slot->index};
    gramc_text given = json_mended(&run->ask.arena, slot->call->arguments);
    gramc_text arguments = wire_arguments(&run->ask.arena, slot->bound, given);
    /* What was said may be lost, and is not called as if it were nothing. */
    if (run->ask.arena.oom) {
        settle_nomem(slot);
        return;
    }
    slot->checked = (struct checked_call){.loop = run->loop,
                                          .bound = slot->bound,
                                          .events = &events,
                                          .ctx = slot,
                                          .guard = &run->guard,
                                          .approver = &run->approver,
                                          .tainted_by = &run->tainted_by,
                                          .told = &slot->guarded,
                                          .coerce = reading_coercion(run->bound->agent),
                                          .tolerant = run->ask.reply.finish != FINISH_LENGTH};
    checked_call_start(&slot->checked, &run->memory, arguments);
}

static void start_slot(struct slot *slot) {
    gramc_run *run = slot->run;
    slot->started = watch_stamp(&slot->run->watch);
    slot->bound = step_find(run->step, slot->call->name);
    if (slot->index >= most_calls(run)) skip(slot);
    else if (!slot->bound) refuse_unknown(slot);
    else check_and_call(slot);
}

void round_start(gramc_run *run) {
    run->slot_count = run->pending = run->assistant->call_count;
    run->slots = arena_array(&run->ask.arena, run->slot_count, sizeof(*run->slots));
    if (!run->slots) {
        run->slot_count = run->pending = 0;
        return;
    }
    for (size_t i = 0; i < run->slot_count; i++) {
        run->slots[i] =
            (struct slot){.run = run, .call = &run->assistant->calls[i], .index = (uint32_t)i};
    }
    run->result.calls += (uint32_t)run->slot_count;
    for (size_t i = 0; i < run->slot_count; i++) start_slot(&run->slots[i]);
}

gramc_text round_place(const gramc_run *run, struct arena *arena) {
    struct buf out;
    size_t i = 0;
    while (i + 1 < run->slot_count && !run->slots[i].checked.starting) i++;
    buf_init(&out, &arena->allocator, TEXT_MAX);
    buf_text(&out, run->within);
    if (out.len) buf_putc(&out, '/');
    buf_printf(&out, "%u.%u.%zu", (unsigned)run->watch.turn, (unsigned)run->watch.iteration, i + 1);
    return buf_to_arena(&out, arena);
}

void round_cancel(gramc_run *run) {
    for (size_t i = 0; i < run->slot_count; i++) checked_call_cancel(&run->slots[i].checked);
    run->slot_count = 0;
}

/* ## Collecting */

static size_t tool_index(const gramc_run *run, const struct slot *slot) {
    return (size_t)(slot->bound - run->bound->tools);
}

static uint32_t allowed(uint32_t limit) {
    return limit ? limit : DEFAULT_ERRORS;
}

/* A name that no tool has is one of many, and they count together. */
static void end_for_errors(gramc_run *run, const struct slot *slot, gramc_outcome outcome,
                           uint32_t count) {
    size_t end = 0;
    while (end < slot->text.len && end < 300) text_decode(slot->text, &end);
    if (!slot->bound) {
        run_end(run, outcome, "unknown tools were called in %u round%s; the last time: %.*s",
                (unsigned)count, text_plural(count), (int)end, slot->text.ptr);
        return;
    }
    run_end(run, outcome, "tool `%.*s` %s in %u round%s; the last time: %.*s",
            TEXT_ARGS(slot->bound->tool->name),
            outcome == GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS ? "failed" : "was called wrongly",
            (unsigned)count, text_plural(count), (int)end, slot->text.ptr);
}

/* However many calls of one answer fail in the same way, the model hears of it once: so it counts
 * once. */
static void count_round(gramc_run *run, const struct slot *slot, struct failures *failures,
                        gramc_outcome outcome, uint32_t limit) {
    if (failures->last == run->result.requests) return;
    failures->last = run->result.requests;
    if (++failures->rounds >= allowed(limit)) end_for_errors(run, slot, outcome, failures->rounds);
}

static void count_call_error(gramc_run *run, const struct slot *slot) {
    struct failures *failures =
        slot->bound ? &run->call_errors[tool_index(run, slot)] : &run->unknown_calls;
    run->result.call_errors++;
    count_round(run, slot, failures, GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS,
                slot->bound ? slot->bound->tool->max_call_errors : 0);
}

static void count_tool_error(gramc_run *run, const struct slot *slot) {
    run->result.tool_errors++;
    count_round(run, slot, &run->tool_errors[tool_index(run, slot)],
                GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS, slot->bound->tool->max_tool_errors);
}

static void count_error(gramc_run *run, const struct slot *slot) {
    switch (slot->outcome) {
    case SLOT_FINE:
    case SLOT_SKIPPED: break;
    case SLOT_DENIED: run->result.denied++; break;
    case SLOT_UNKNOWN_TOOL:
    case SLOT_BAD_CALL: count_call_error(run, slot); break;
    case SLOT_TOOL_ERROR:
    case SLOT_TIMEOUT:
    case SLOT_BAD_RESULT: count_tool_error(run, slot); break;
    }
}

void round_count(gramc_run *run) {
    for (size_t i = 0; i < run->slot_count; i++) count_error(run, &run->slots[i]);
}

void round_put_results(gramc_run *run) {
    for (size_t i = 0; i < run->slot_count && !run_is_ending(run); i++) {
        const struct slot *slot = &run->slots[i];
        if (!conversation_result(run->asking.talk, run->asking.arena, run->assistant, i, slot->text,
                                 slot->outcome != SLOT_FINE))
            run_nomem(run);
    }
}

/* ## Tools whose result is the answer */

bool round_wants_direct(const gramc_run *run, const struct message *assistant) {
    for (size_t i = 0; i < assistant->call_count; i++) {
        const struct bound_tool *bound = step_find(run->step, assistant->calls[i].name);
        if (!bound || !bound->tool->return_direct) return false;
    }
    return true;
}

bool round_is_direct(const gramc_run *run) {
    for (size_t i = 0; i < run->slot_count; i++)
        if (run->slots[i].outcome != SLOT_FINE || !run->slots[i].bound->tool->return_direct)
            return false;
    return run->slot_count > 0;
}

gramc_text round_direct_answer(gramc_run *run) {
    struct buf out;
    buf_init(&out, &run->loop->allocator, (size_t)INT32_MAX);
    for (size_t i = 0; i < run->slot_count; i++) {
        if (i) buf_putc(&out, '\n');
        buf_text(&out, run->slots[i].text);
    }
    return buf_to_arena(&out, &run->ask.arena);
}
