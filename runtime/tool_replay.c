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
#include "runtime/recording.h"

enum { WHY_MAX = 512 };

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
    arena_init(&scratch, &arena->allocator);
    struct trace_reader reader = {.arena = &scratch, .error = &error};
    reader.text = read_file(&scratch, path.ptr, &reason);
    gramc_status status = GRAMC_OK;
    if (reader.text.ptr) status = recording_read(recording, arena, choice->impl->name, &reader);
    if (status == GRAMC_FINDINGS) reason = error.message;
    if (reason) refuse(bound, choice->impl, reason);
    if (scratch.oom) arena->oom = true;
    choice->data = recording;
    arena_free(&scratch);
}

/* ## Calls */

static void call_replay(struct tool_call *call) {
    bool by_run = call->memory && call->memory->recording;
    recording_answer(by_run ? call->memory->recording : call->bound->data, call);
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
