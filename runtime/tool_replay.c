/* Answers a call from a recorded trace (docs/formats/trace.md): with what the tool of that name
 * said when it got the same arguments. Equal calls of one run get the recorded answers one after
 * the other. Nothing else is made up: a call that was not recorded fails and says so. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"
#include "runtime/process/program.h"
#include "base/json/trace_read.h"

enum { WHY_MAX = 512 };

/* One recorded call; `number` says where its mark is among those of the run. */
struct recorded {
    gramc_text arguments; /* canonical */
    gramc_text text;
    enum tool_outcome outcome;
    bool answered;
    uint64_t turn, iteration, call; /* by which the answer is found */
    size_t number;
    struct recorded *next;
};

struct recording {
    struct recorded *first, **end;
    struct recorded *waiting; /* all before it have their answers */
    size_t count;
};

/* Which of a recording's answers a run has had. */
struct replay_marks {
    const struct recording *recording;
    struct replay_marks *next;
    bool used[];
};

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
}

/* ## The recording, read at binding */

static gramc_text read_all(struct arena *arena, int file, size_t size) {
    char *bytes = arena_alloc(arena, size + 1);
    size_t len = 0;
    ssize_t got = 1;
    while (bytes && len < size && got > 0) {
        got = read(file, bytes + len, size - len);
        if (got < 0 && errno == EINTR) got = 1;
        else if (got > 0) len += (size_t)got;
    }
    return got < 0 ? (gramc_text){NULL, 0} : (gramc_text){bytes, len};
}

static gramc_text read_file(struct arena *arena, const char *path, const char **reason) {
    struct stat st;
    gramc_text text = {NULL, 0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &st)) *reason = "it cannot be read";
    else if (!S_ISREG(st.st_mode)) *reason = "it is no file";
    else if (st.st_size > TRACE_SIZE_MAX) *reason = "it is longer than 256 MiB";
    else text = read_all(arena, file, (size_t)st.st_size);
    if (file >= 0) close(file);
    if (!*reason && !text.ptr && !arena->oom) *reason = "it cannot be read";
    return text;
}

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
    recorded->arguments = canonical(arena, sent.ptr ? sent : trace_text(event, "arguments"));
    recorded->turn = trace_number(event, "turn");
    recorded->iteration = trace_number(event, "iteration");
    recorded->call = trace_number(event, "call");
    recorded->number = recording->count++;
    *recording->end = recorded;
    recording->end = &recorded->next;
    if (!recording->waiting) recording->waiting = recorded;
}

static bool belongs(const struct recorded *recorded, const struct json *event) {
    return !recorded->answered && recorded->turn == trace_number(event, "turn") &&
           recorded->iteration == trace_number(event, "iteration") &&
           recorded->call == trace_number(event, "call");
}

/* What the model was told begins with a word that the run will put there again. */
static gramc_text reason_of(gramc_text text) {
    static const char prefix[] = "Error: ";
    bool has = text.len >= sizeof(prefix) - 1 && memcmp(text.ptr, prefix, sizeof(prefix) - 1) == 0;
    return has ? text_slice(text, sizeof(prefix) - 1, text.len) : text;
}

/* A result that did not fit is checked again, if it is known. */
static enum tool_outcome outcome_of(const struct json *event) {
    gramc_text outcome = trace_text(event, "outcome");
    bool checked_again = text_is(outcome, "result-error") && trace_text(event, "own").ptr;
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

static gramc_status read_events(struct arena *arena, struct recording *recording, gramc_text name,
                                struct trace_reader *reader) {
    const struct json *event;
    gramc_status status;
    while (!(status = trace_next(reader, &event)) && event) {
        gramc_text kind = trace_text(event, "event");
        if (!text_eq(trace_text(event, "name"), name)) continue;
        if (text_is(kind, "tool.request")) take_request(arena, recording, event);
        else if (text_is(kind, "tool.response")) take_response(arena, recording, event);
    }
    return status;
}

static void refuse(gramc_bound *bound, const gramc_impl *impl, const char *reason) {
    char why[WHY_MAX];
    snprintf(why, sizeof(why), "the trace `%.*s`: %.200s", TEXT_ARGS(impl->target), reason);
    bound_cannot_work(bound, impl, why);
}

static void bind_replay(gramc_bound *bound, struct bound_tool *choice) {
    struct arena *arena = &bound->arena, scratch;
    struct recording *recording = ARENA_NEW(arena, struct recording);
    gramc_text path = impl_file(arena, choice->impl);
    gramc_json_error error;
    const char *reason = NULL;
    if (!recording || !path.ptr) return;
    recording->end = &recording->first;
    arena_init(&scratch, &arena->allocator);
    struct trace_reader reader = {.arena = &scratch, .error = &error};
    reader.text = read_file(&scratch, path.ptr, &reason);
    gramc_status status = GRAMC_OK;
    if (reader.text.ptr) status = read_events(arena, recording, choice->impl->name, &reader);
    if (status == GRAMC_FINDINGS) reason = error.message;
    if (reason) refuse(bound, choice->impl, reason);
    if (scratch.oom) arena->oom = true;
    choice->data = recording;
    arena_free(&scratch);
}

/* ## Calls */

/* NULL: the call stands alone, or memory ran out. */
static bool *marks_of(struct tool_memory *memory, const struct recording *recording) {
    if (!memory) return NULL;
    for (struct replay_marks *marks = memory->replays; marks; marks = marks->next)
        if (marks->recording == recording) return marks->used;
    struct replay_marks *marks = arena_zalloc(memory->arena, sizeof(*marks) + recording->count);
    if (!marks) return NULL;
    marks->recording = recording;
    marks->next = memory->replays;
    memory->replays = marks;
    return marks->used;
}

static void answer(struct tool_call *call, const struct recorded *recorded) {
    buf_reset(&call->result);
    buf_text(&call->result, recorded->text);
    tool_settle(call, buf_status(&call->result) ? TOOL_NOMEM : recorded->outcome);
}

static void find(struct tool_call *call, gramc_text arguments, bool *used) {
    const struct recording *recording = call->bound->data;
    unsigned equal = 0;
    for (const struct recorded *r = recording->first; r; r = r->next) {
        if (!r->answered || !text_eq(r->arguments, arguments)) continue;
        equal++;
        if (used && used[r->number]) continue;
        if (used) used[r->number] = true;
        answer(call, r);
        return;
    }
    if (equal)
        tool_fail(call,
                  "only %u call%s of `%.*s` with these arguments %s recorded, and this is "
                  "one more",
                  equal, text_plural(equal), TEXT_ARGS(call->bound->tool->name),
                  equal == 1 ? "was" : "were");
    else
        tool_fail(call, "nothing was recorded for these arguments of `%.*s`",
                  TEXT_ARGS(call->bound->tool->name));
}

static void call_replay(struct tool_call *call) {
    struct arena arena;
    arena_init(&arena, &call->loop->allocator);
    gramc_text arguments = canonical(&arena, buf_view(&call->arguments));
    bool *used = marks_of(call->memory, call->bound->data);
    if (arena.oom || (call->memory && !used)) tool_settle(call, TOOL_NOMEM);
    else find(call, arguments, used);
    arena_free(&arena);
}

static void nothing(struct tool_call *call) {
    (void)call;
}

const struct tool_kind tool_replay = {.name = "replay",
                                      .describe = describe,
                                      .bind = bind_replay,
                                      .call = call_replay,
                                      .cancel = nothing,
                                      .close = nothing};
