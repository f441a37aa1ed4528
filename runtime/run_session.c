/* A run and its session: takes up what was said before, tells who continues it, leaves what was
 * said when the run is answered. What a session is, and how its messages are worded anew, is
 * session.c's matter. */
#include <stdarg.h>

#include "base/text.h"
#include "runtime/run.h"
#include "runtime/session/session.h"

enum { NOTE_MAX = 1 << 16 };

/* Older sessions do not say it: results in them count as untrusted, whosever they were. */
static bool may_be_tainted(const gramc_run *run) {
    const struct talked *talked = &run->session->talked;
    for (const struct message *m = talked->first; m; m = m->next)
        if (m->role == ROLE_TOOL) return true;
    return talked->tainted;
}

bool run_resume(gramc_run *run) {
    bool functions = run->wire == GRAMC_WIRE_FUNCTIONS;
    if (!run->session) return true;
    run->left_out = session_resume(run->session, &run->talk, &run->arena, functions);
    if (may_be_tainted(run)) run->tainted_by = TEXT("an earlier run of the session");
    return run->left_out != SESSION_NOMEM;
}

void run_leave_session(gramc_run *run) {
    if (run->session) session_let_go(run->session);
    run->session = NULL;
}

bool run_keep_session(gramc_run *run) {
    if (!run->session) return true;
    const struct talked talked = {.agent = run->bound->agent->name,
                                  .fingerprint = run->bound->agent->fingerprint,
                                  .protocol = text_of(run->talk.protocol->name),
                                  .turns =
                                      run->session->talked.turns + (uint32_t)run->message_count,
                                  .tainted = run->tainted_by.ptr != NULL,
                                  .first = run->talk.first};
    return session_keep(run->session, &talked);
}

/* ## Telling */

void run_note(gramc_run *run, const char *format, ...) {
    struct buf line;
    va_list args;
    if (!run->handler.note) return;
    buf_init(&line, &run->loop->allocator, NOTE_MAX);
    va_start(args, format);
    buf_vprintf(&line, format, args);
    va_end(args);
    if (buf_status(&line) == GRAMC_NOMEM) run_nomem(run);
    else run->handler.note(run->handler.ctx, buf_view(&line));
    buf_free(&line);
}

void run_tell_session(gramc_run *run) {
    if (!run->session) return;
    const struct talked *before = &run->session->talked;
    const gramc_agent *agent = run->bound->agent;
    bool answered = before->agent.len;
    if (answered && !text_eq(before->agent, agent->name))
        run_note(run, "the session was held with agent `%.*s`; `%.*s` continues it",
                 TEXT_ARGS(before->agent), TEXT_ARGS(agent->name));
    else if (answered && !text_eq(before->fingerprint, agent->fingerprint))
        run_note(
            run,
            "agent `%.*s` has changed since the session's last answer; as it is now, it continues "
            "the conversation",
            TEXT_ARGS(agent->name));
    if (run->left_out)
        run_note(
            run,
            "%ld answer%s of the session came by the protocol %.*s; what only that can read of "
            "them (thinking, signatures) is left out for %s",
            run->left_out, text_plural((uint64_t)run->left_out), TEXT_ARGS(before->protocol),
            run->talk.protocol->name);
}
