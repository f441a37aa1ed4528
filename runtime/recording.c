/* Turns a trace (docs/formats/trace.md) into what tools said in it: for each call the arguments in
 * canonical form, the outcome and the tool's own words. Which of several equal calls is meant is
 * decided here too; answering with it is tool_replay.c's matter. */
#include "runtime/recording.h"

#include "base/limits.h"
#include "base/text.h"
#include "runtime/difference.h"
#include "runtime/loop.h"
#include "runtime/run.h"

#include <string.h>

/* {NULL, 0}: it is no JSON, or memory ran out. */
static gramc_text canonical(struct arena *arena, gramc_text arguments) {
    gramc_text text = {NULL, 0};
    struct buf out;
    const struct json *value =
        json_parse(arena, text_trim(arguments).len ? arguments : TEXT("{}"), NULL);
    if (!value) return text;
    buf_init(&out, &arena->allocator, TRACE_SIZE_MAX);
    json_put_canonical(&out, value);
    return buf_to_arena(&out, arena);
}

static void take_request(struct arena *arena, struct recording *recording,
                         const struct json *event) {
    gramc_text sent = trace_text(event, "sent");
    struct recorded *recorded = ARENA_NEW(arena, struct recorded);
    if (!recorded) return;
    recorded->tool = arena_text(arena, trace_text(event, "name"));
    recorded->arguments = canonical(arena, sent.ptr ? sent : trace_text(event, "arguments"));
    recorded->turn = trace_number(event, "turn");
    recorded->iteration = trace_number(event, "iteration");
    recorded->call = trace_number(event, "call");
    recorded->within = arena_text(arena, trace_text(event, "within"));
    recorded->number = recording->count++;
    *recording->end = recorded;
    recording->end = &recorded->next;
    if (!recording->waiting) recording->waiting = recorded;
}

static bool belongs(const struct recorded *recorded, const struct json *event) {
    return !recorded->answered && recorded->turn == trace_number(event, "turn") &&
           recorded->iteration == trace_number(event, "iteration") &&
           recorded->call == trace_number(event, "call") &&
           text_eq(recorded->within, trace_text(event, "within"));
}

/* What the model was told begins with a word that the run will put there again. */
static gramc_text reason_of(gramc_text text) {
    static const char prefix[] = "Error: ";
    bool has = text.len >= sizeof(prefix) - 1 && memcmp(text.ptr, prefix, sizeof(prefix) - 1) == 0;
    return has ? text_slice(text, sizeof(prefix) - 1, text.len) : text;
}

/* A result that did not fit, or was withheld, is checked again, if it is known. */
static enum tool_outcome outcome_of(const struct json *event) {
    gramc_text outcome = trace_text(event, "outcome");
    bool checked_again = (text_is(outcome, "result-error") || text_is(outcome, "denied")) &&
                         trace_text(event, "own").ptr;
    if (text_is(outcome, "ok") || checked_again) return TOOL_FINE;
    return text_is(outcome, "timeout") ? TOOL_TIMED_OUT : TOOL_FAILED;
}

/* The tool's own, where what the model was told differs from it. */
static gramc_text words_of(const struct json *event, enum tool_outcome outcome) {
    gramc_text own = trace_text(event, "own"), told = trace_text(event, "result");
    if (own.ptr) return own;
    return outcome == TOOL_FINE ? told : reason_of(told);
}

static void take_response(struct arena *arena, struct recording *recording,
                          const struct json *event) {
    for (struct recorded *recorded = recording->waiting; recorded; recorded = recorded->next) {
        if (!belongs(recorded, event)) continue;
        recorded->answered = true;
        recorded->outcome = outcome_of(event);
        recorded->text = arena_text(arena, words_of(event, recorded->outcome));
        break;
    }
    while (recording->waiting && recording->waiting->answered)
        recording->waiting = recording->waiting->next;
}

gramc_status recording_read(struct recording *out, struct arena *arena, gramc_text tool,
                            struct trace_reader *reader) {
    const struct json *event;
    gramc_status status;
    *out = (struct recording){.end = &out->first};
    while (!(status = trace_next(reader, &event)) && event) {
        gramc_text kind = trace_text(event, "event");
        if (tool.len && !text_eq(trace_text(event, "name"), tool)) continue;
        if (text_starts(kind, "inner.")) kind = text_slice(kind, sizeof("inner.") - 1, kind.len);
        if (text_is(kind, "tool.request")) take_request(arena, out, event);
        else if (text_is(kind, "tool.response")) take_response(arena, out, event);
    }
    return status;
}

/* ## Answering */

/* Which of a recording's answers a run has had. */
struct replay_marks {
    const struct recording *recording;
    struct replay_marks *next;
    bool used[];
};

/* NULL: the call stands alone, or memory ran out. */
static bool *marks_of(struct tool_memory *memory, const struct recording *recording) {
    if (!memory) return NULL;
    while (memory->run && memory->run->caller) memory = &memory->run->caller->memory;
    for (struct replay_marks *marks = memory->replays; marks; marks = marks->next)
        if (marks->recording == recording) return marks->used;
    struct replay_marks *marks = arena_zalloc(memory->arena, sizeof(*marks) + recording->count);
    if (!marks) return NULL;
    marks->recording = recording;
    marks->next = memory->replays;
    memory->replays = marks;
    return marks->used;
}

static void answer_with(struct tool_call *call, const struct recorded *recorded) {
    buf_reset(&call->result);
    buf_text(&call->result, recorded->text);
    tool_settle(call, buf_status(&call->result) ? TOOL_NOMEM : recorded->outcome);
}

static bool is_of_tool(const struct recorded *recorded, const struct tool_call *call) {
    return recorded->answered && text_eq(recorded->tool, call->bound->tool->name);
}

/* Where the newest recorded call of the tool differs from this one. False without memory. */
static bool put_nearest(struct buf *out, const struct recording *recording,
                        const struct tool_call *call, gramc_text arguments) {
    const struct recorded *near = NULL;
    struct arena arena;
    for (const struct recorded *r = recording->first; r; r = r->next)
        if (is_of_tool(r, call) && r->arguments.ptr && !text_eq(r->arguments, arguments)) near = r;
    if (!near || !arguments.ptr) return true;
    arena_init(&arena, &call->loop->allocator);
    const struct json *expected = json_parse(&arena, near->arguments, NULL);
    const struct json *given = json_parse(&arena, arguments, NULL);
    buf_puts(out, "; the newest recorded call differs: ");
    if (expected && given) json_difference(out, expected, given);
    bool good = !arena.oom && buf_status(out) != GRAMC_NOMEM;
    arena_free(&arena);
    return good;
}

static void miss(const struct recording *recording, struct tool_call *call, gramc_text arguments,
                 unsigned equal) {
    struct buf nearest;
    buf_init(&nearest, &call->loop->allocator, 600);
    if (call->memory) call->memory->missed = call->bound;
    if (!equal && !put_nearest(&nearest, recording, call, arguments)) tool_settle(call, TOOL_NOMEM);
    else if (equal)
        tool_fail(call,
                  "only %u call%s of `%.*s` with these arguments %s recorded, and this is "
                  "one more",
                  equal, text_plural(equal), TEXT_ARGS(call->bound->tool->name),
                  equal == 1 ? "was" : "were");
    else
        tool_fail(call, "nothing was recorded for these arguments of `%.*s`%.*s",
                  TEXT_ARGS(call->bound->tool->name), TEXT_ARGS(buf_view(&nearest)));
    buf_free(&nearest);
}

static bool is_of(const struct recorded *recorded, const struct tool_call *call,
                  gramc_text arguments) {
    return is_of_tool(recorded, call) && text_eq(recorded->arguments, arguments);
}

static void find(const struct recording *recording, struct tool_call *call, gramc_text arguments,
                 bool *used) {
    unsigned equal = 0;
    for (const struct recorded *r = recording->first; r; r = r->next) {
        if (!is_of(r, call, arguments)) continue;
        equal++;
        if (used && used[r->number]) continue;
        if (used) used[r->number] = true;
        answer_with(call, r);
        return;
    }
    miss(recording, call, arguments, equal);
}

void recording_answer(const struct recording *recording, struct tool_call *call) {
    struct arena arena;
    arena_init(&arena, &call->loop->allocator);
    gramc_text arguments = canonical(&arena, buf_view(&call->arguments));
    bool *used = marks_of(call->memory, recording);
    if (arena.oom || (call->memory && !used)) tool_settle(call, TOOL_NOMEM);
    else find(recording, call, arguments, used);
    arena_free(&arena);
}
