/* Sessions: conversations between runs. A run takes up its session's messages when it starts and
 * leaves its own there when it is answered. */
#ifndef RUNTIME_SESSION_SESSION_H
#define RUNTIME_SESSION_SESSION_H

#include <stdatomic.h>

#include "runtime/llm.h"

/* What a session holds; all of it in one arena. */
struct talked {
    gramc_text agent, fingerprint; /* of the last answer; empty: nobody has answered yet */
    gramc_text protocol;           /* that the opaque parts are in */
    uint32_t turns;                /* that were answered */
    bool tainted;                  /* by untrusted words */
    struct message *first, *last;
    size_t count;
};

struct gramc_session {
    gramc_allocator allocator;
    struct arena arena; /* of `talked` */
    struct talked talked;
    atomic_bool taken; /* a run has it */
};

/* False: another run has it. */
bool session_take(gramc_session *session);
void session_let_go(gramc_session *session);

enum { SESSION_NOMEM = -1 };
/* Puts the messages at the beginning of `talk`, worded for its protocol and wire. They borrow from
 * the session. Gives the number of answers whose opaque parts were left out, or SESSION_NOMEM. */
long session_resume(const gramc_session *session, struct conversation *talk, struct arena *arena,
                    bool functions);
/* Puts the first `count` messages of another conversation at the beginning of `out`, worded for its
 * protocol and the tools wire; texts are shared. False without memory. */
bool session_reword(struct conversation *out, const struct conversation *talk, struct arena *arena,
                    size_t count);
/* Replaces what the session holds by a copy of what is given. False without memory: nothing has
 * changed then. */
bool session_keep(gramc_session *session, const struct talked *talked);
/* Puts a message, from the arena, at the end. */
void talked_add(struct talked *talked, struct message *message);

#endif
