/* Asks the guards of a call in their order and says what came of it. A guard's program is a tool
 * call like any other: it waits for its place among the programs, has the tool's deadline, is
 * killed with the run. Whatever goes wrong with a guard denies the call. */
#include "runtime/guarding.h"

#include "base/json/writer.h"
#include "base/text.h"
#include "runtime/loop.h"

enum { STEPS = GUARD_PROGRAMS + 1, SENTENCE_MAX = 4096 };

/* The program that embeds us is asked first before a call, and has the last word after it. */
static size_t own_step(enum guard_phase phase) {
    return phase == GUARD_BEFORE ? 0 : STEPS - 1;
}

static const struct bound_tool *program_of(const struct guarding *guarding, size_t step) {
    size_t i = guarding->phase == GUARD_BEFORE ? step - 1 : step;
    return guarding->bound->guards[guarding->phase][i];
}

static bool has_own(const gramc_guard *own, enum guard_phase phase) {
    return own && (phase == GUARD_BEFORE ? own->before != NULL : own->after != NULL);
}

bool guarding_has_any(const struct bound_tool *bound, const gramc_guard *own,
                      enum guard_phase phase) {
    for (size_t i = 0; i < GUARD_PROGRAMS; i++)
        if (bound->guards[phase][i]) return true;
    return has_own(own, phase);
}

const char *guarding_phase_name(enum guard_phase phase) {
    return phase == GUARD_BEFORE ? "before" : "after";
}

static uint64_t now(const struct guarding *guarding) {
    const gramc_clock *clock = &guarding->loop->clock;
    return clock->now_ns(clock->ctx);
}

/* ## Decisions */

static void end_with(struct guarding *guarding, const struct guarding_end *end) {
    guarding->events->ended(guarding->ctx, end);
}

static void nomem(struct guarding *guarding) {
    end_with(guarding, &(struct guarding_end){.outcome = GUARDING_NOMEM});
}

static void tell(struct guarding *guarding, const gramc_event_guard *told) {
    guarding->events->told(guarding->ctx, told, guarding->started);
}

static void rewrite(struct guarding *guarding, gramc_event_guard *told, gramc_text text) {
    bool before = guarding->phase == GUARD_BEFORE;
    told->decision = "rewrite";
    told->from = before ? guarding->call->arguments : guarding->result;
    told->to = text;
    end_with(guarding, &(struct guarding_end){.outcome = GUARDING_REWRITE,
                                              .text = text,
                                              .guard = *told,
                                              .started = guarding->started});
}

/* `told` says who decided; the last thing that its caller does with the guarding. */
static void decide(struct guarding *guarding, gramc_event_guard *told,
                   const gramc_decision *decision, const char *problem) {
    enum guarding_outcome outcome = problem ? GUARDING_FAILED : GUARDING_DENIED;
    told->phase = guarding_phase_name(guarding->phase);
    told->message = problem ? text_of(problem) : decision->message;
    if (!problem && decision->kind == GRAMC_DECISION_REWRITE) {
        rewrite(guarding, told, decision->text.ptr ? decision->text : TEXT(""));
        return;
    }
    if (!problem && decision->kind == GRAMC_DECISION_ALLOW) {
        told->decision = "allow";
        tell(guarding, told);
        guarding_go(guarding);
        return;
    }
    told->decision = "deny";
    told->failed = problem != NULL;
    tell(guarding, told);
    end_with(guarding, &(struct guarding_end){.outcome = outcome, .text = decision->message});
}

/* ## The embedding program */

static void ask_own(struct guarding *guarding) {
    const gramc_guard *own = guarding->own;
    gramc_decision decision = {.kind = GRAMC_DECISION_ALLOW};
    gramc_event_guard told = {.guard = TEXT("function")};
    const char *problem = NULL;
    if (guarding->phase == GUARD_BEFORE) own->before(own->ctx, guarding->call, &decision);
    else own->after(own->ctx, guarding->call, guarding->result, &decision);
    if ((unsigned)decision.kind > GRAMC_DECISION_REWRITE) problem = "it gave no decision";
    else if (decision.kind == GRAMC_DECISION_REWRITE && guarding->phase == GUARD_AFTER &&
             guarding->result_kind == GUARD_RESULT_NONE)
        problem = "it rewrites the result of a tool that has none";
    decide(guarding, &told, &decision, problem);
}

/* ## Programs of the library */

static void put_result(struct json_writer *w, const struct guarding *guarding) {
    switch (guarding->result_kind) {
    case GUARD_RESULT_NONE:
        json_key(w, "result");
        json_null(w);
        break;
    case GUARD_RESULT_TEXT:
    case GUARD_RESULT_ANY: json_member_text(w, "result", guarding->result); break;
    case GUARD_RESULT_JSON: json_member_raw(w, "result", guarding->result); break;
    }
}

static void put_question(struct buf *out, const struct guarding *guarding) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "phase", text_of(guarding_phase_name(guarding->phase)));
    json_member_text(&w, "tool", guarding->bound->tool->name);
    json_member_raw(&w, "arguments", guarding->call->arguments);
    if (guarding->phase == GUARD_AFTER) put_result(&w, guarding);
    json_object_end(&w);
}

static void describe(struct buf *out, const struct tool_call *handle) {
    buf_init(out, &handle->loop->allocator, SENTENCE_MAX);
    buf_puts(out, "exec ");
    handle->kind->describe(out, handle->bound->impl);
}

/* NULL: it has answered. */
static const char *problem_of(const struct tool_call *handle) {
    if (handle->outcome == TOOL_TIMED_OUT) return "it did not answer in time and was stopped";
    if (handle->outcome == TOOL_FAILED) return buf_view(&handle->result).ptr;
    return NULL;
}

static void take_answer(struct guarding *guarding, struct tool_call *handle) {
    struct arena scratch;
    struct buf who;
    gramc_decision decision = {.kind = GRAMC_DECISION_DENY};
    const char *problem = problem_of(handle);
    arena_init(&scratch, &guarding->loop->allocator);
    describe(&who, handle);
    if (!problem && handle->outcome == TOOL_FINE)
        decision = guard_answer_read(&scratch, buf_view(&handle->result), guarding->phase,
                                     guarding->result_kind, &problem);
    gramc_event_guard told = {.guard = buf_view(&who), .queued_ns = handle->queued_ns};
    guarding->started += handle->queued_ns;
    if (handle->outcome == TOOL_NOMEM || scratch.oom || who.state == BUF_NOMEM) nomem(guarding);
    else decide(guarding, &told, &decision, problem);
    buf_free(&who);
    arena_free(&scratch);
    tool_release(handle);
}

static void on_answer(void *ctx, struct tool_call *handle) {
    struct guarding *guarding = ctx;
    guarding->is_early = guarding->starting;
    if (guarding->starting) return;
    guarding->handle = NULL;
    take_answer(guarding, handle);
}

static void ask_program(struct guarding *guarding, const struct bound_tool *program) {
    struct buf question;
    struct tool_call *handle = NULL;
    buf_init(&question, &guarding->loop->allocator, (size_t)INT32_MAX);
    put_question(&question, guarding);
    guarding->starting = true;
    guarding->is_early = false;
    if (buf_status(&question) == GRAMC_OK)
        handle = tool_start_in(&guarding->memory, guarding->loop, program, buf_view(&question),
                               on_answer, guarding);
    guarding->starting = false;
    buf_free(&question);
    if (!handle) nomem(guarding);
    else if (guarding->is_early) take_answer(guarding, handle);
    else guarding->handle = handle;
}

/* ## Asking */

void guarding_go(struct guarding *guarding) {
    while (guarding->step < STEPS) {
        size_t step = guarding->step++;
        bool own = step == own_step(guarding->phase);
        const struct bound_tool *program = own ? NULL : program_of(guarding, step);
        bool asked = own ? has_own(guarding->own, guarding->phase) : program != NULL;
        if (!asked) continue;
        guarding->started = now(guarding);
        if (own) ask_own(guarding);
        else ask_program(guarding, program);
        return;
    }
    end_with(guarding, &(struct guarding_end){.outcome = GUARDING_PASSED});
}

void guarding_cancel(struct guarding *guarding) {
    struct tool_call *handle = guarding->handle;
    guarding->handle = NULL;
    if (handle) tool_release(handle);
}
