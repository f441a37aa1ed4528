/* Keeps a conversation between two runs: copies what a run leaves into an arena of its own, and
 * words it anew for the protocol and the wire of the run that takes it up. How sessions are written
 * down is session_json.c's matter, where they are kept store.c's. */
#include "runtime/session/session.h"

#include "base/text.h"
#include "runtime/protocol.h"

gramc_status gramc_session_new(gramc_session **out, const gramc_allocator *allocator) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    gramc_session *session = mem_alloc(&chosen, sizeof(*session));
    *out = session;
    if (!session) return GRAMC_NOMEM;
    *session = (gramc_session){.allocator = chosen};
    atomic_init(&session->taken, false);
    arena_init(&session->arena, &chosen);
    return GRAMC_OK;
}

void gramc_session_free(gramc_session *session) {
    if (!session) return;
    gramc_allocator allocator = session->allocator;
    arena_free(&session->arena);
    mem_free(&allocator, session, sizeof(*session));
}

bool session_take(gramc_session *session) {
    return !atomic_exchange(&session->taken, true);
}

void session_let_go(gramc_session *session) {
    atomic_store(&session->taken, false);
}

/* ## What it holds */

gramc_session_info gramc_session_about(const gramc_session *session) {
    const struct talked *talked = &session->talked;
    return (gramc_session_info){.agent = talked->agent,
                                .agent_fingerprint = talked->fingerprint,
                                .protocol = talked->protocol,
                                .turns = talked->turns,
                                .messages = talked->count};
}

static gramc_session_message told(const struct message *message) {
    static const gramc_role roles[] = {[ROLE_USER] = GRAMC_ROLE_USER,
                                       [ROLE_ASSISTANT] = GRAMC_ROLE_ASSISTANT,
                                       [ROLE_TOOL] = GRAMC_ROLE_TOOL};
    return (gramc_session_message){.role = roles[message->role],
                                   .content = message->has_content ? message->content
                                                                   : (gramc_text){NULL, 0},
                                   .calls = message->calls,
                                   .call_count = message->call_count,
                                   .call = message->call,
                                   .failed = message->failed};
}

void gramc_session_each(const gramc_session *session,
                        void (*message)(void *ctx, const gramc_session_message *message),
                        void *ctx) {
    for (const struct message *from = session->talked.first; from; from = from->next) {
        const gramc_session_message one = told(from);
        message(ctx, &one);
    }
}

/* ## Copying */

void talked_add(struct talked *talked, struct message *message) {
    message->next = NULL;
    if (talked->last) talked->last->next = message;
    else talked->first = message;
    talked->last = message;
    talked->count++;
}

static gramc_model_call *copy_calls(struct arena *arena, const struct message *from) {
    gramc_model_call *calls = arena_array(arena, from->call_count, sizeof(*calls));
    for (size_t i = 0; calls && i < from->call_count; i++) {
        calls[i] = from->calls[i];
        calls[i].id = arena_text(arena, calls[i].id);
        calls[i].name = arena_text(arena, calls[i].name);
        calls[i].arguments = arena_text(arena, calls[i].arguments);
    }
    return calls;
}

/* `before` and `copied`: the assistant's message that results in front of us belong to. */
static bool copy_messages(struct talked *to, struct arena *arena, const struct message *from) {
    const struct message *before = NULL, *copied = NULL;
    for (; from; from = from->next) {
        struct message *message = ARENA_NEW(arena, struct message);
        if (!message) return false;
        *message = *from;
        message->json = (gramc_text){NULL, 0};
        message->content = arena_text(arena, from->content);
        message->opaque = arena_text(arena, from->opaque);
        if (from->call_count && !(message->calls = copy_calls(arena, from))) return false;
        if (from->role == ROLE_TOOL) message->call = &copied->calls[from->call - before->calls];
        talked_add(to, message);
        if (from->role != ROLE_ASSISTANT) continue;
        before = from;
        copied = message;
    }
    return !arena->oom;
}

bool session_keep(gramc_session *session, const struct talked *talked) {
    struct arena arena;
    arena_init(&arena, &session->allocator);
    struct talked copy = {.agent = arena_text(&arena, talked->agent),
                          .fingerprint = arena_text(&arena, talked->fingerprint),
                          .protocol = arena_text(&arena, talked->protocol),
                          .turns = talked->turns,
                          .tainted = talked->tainted};
    if (!copy_messages(&copy, &arena, talked->first) || arena.oom) {
        arena_free(&arena);
        return false;
    }
    arena_free(&session->arena);
    session->arena = arena;
    session->talked = copy;
    return true;
}

/* ## Taking up */

struct resuming {
    struct conversation *talk;
    struct arena *arena;
    bool functions; /* the wire: one call an answer, found by its name */
    bool foreign;   /* other protocol: opaque parts cannot be read */
    long left_out;  /* answers without their opaque parts */
};

static struct message *resume_message(struct resuming *resuming, const struct message *from) {
    struct message *message = ARENA_NEW(resuming->arena, struct message);
    if (!message) return NULL;
    *message = *from;
    message->next = NULL;
    if (resuming->foreign && message->opaque.len) {
        message->opaque = (gramc_text){NULL, 0};
        resuming->left_out++;
    }
    return message;
}

static bool add(struct resuming *resuming, struct message *message) {
    return message && conversation_add(resuming->talk, resuming->arena, message);
}

/* In the tools wire results are found by ids, which calls of the functions wire do not have. */
static gramc_model_call *resume_calls(struct resuming *resuming, const struct message *from) {
    gramc_model_call *calls = arena_array(resuming->arena, from->call_count, sizeof(*calls));
    for (size_t i = 0; calls && i < from->call_count; i++) {
        calls[i] = from->calls[i];
        if (resuming->functions) continue;
        calls[i].own_id = calls[i].own_id || resuming->foreign || !calls[i].id.len;
        calls[i].id = conversation_id(resuming->talk, resuming->arena, calls[i].id);
    }
    return resuming->arena->oom ? NULL : calls;
}

static bool add_results(struct resuming *resuming, const struct message *from, size_t index,
                        const struct message *said) {
    for (const struct message *next = from->next; next && next->role == ROLE_TOOL;
         next = next->next) {
        size_t call = (size_t)(next->call - from->calls);
        if (call < index || call >= index + said->call_count) continue;
        struct message *result = resume_message(resuming, next);
        if (!result) return false;
        result->legacy = said->legacy;
        result->call = &said->calls[call - index];
        if (!add(resuming, result)) return false;
    }
    return true;
}

/* An id that was replaced is the old one still in what only the provider reads. */
static bool is_renamed(const struct conversation *talk, const struct message *from,
                       const gramc_model_call *calls) {
    for (size_t i = 0; i < from->call_count; i++) {
        bool due = from->calls[i].id.len || talk->protocol->by_id;
        if (due && !text_eq(from->calls[i].id, calls[i].id)) return true;
    }
    return false;
}

/* An answer with its results. In the functions wire each of its calls stands alone. */
static bool resume_answer(struct resuming *resuming, const struct message *from) {
    size_t index = 0, pieces = resuming->functions && from->call_count ? from->call_count : 1;
    gramc_model_call *calls = from->call_count ? resume_calls(resuming, from) : NULL;
    if (from->call_count && !calls) return false;
    for (; index < pieces; index++) {
        struct message *said = resume_message(resuming, from);
        if (!said) return false;
        said->legacy = resuming->functions && from->call_count;
        said->calls = calls ? calls + index : NULL;
        if (pieces > 1) said->call_count = 1;
        if (pieces > 1 || is_renamed(resuming->talk, from, calls))
            said->opaque = (gramc_text){NULL, 0};
        if (index) said->has_content = false;
        if (index) said->content = (gramc_text){NULL, 0};
        resuming->talk->group++;
        if (!add(resuming, said) || !add_results(resuming, from, index, said)) return false;
    }
    return true;
}

static bool put_again(struct resuming *resuming, const struct message *first, size_t count) {
    struct conversation *talk = resuming->talk;
    for (const struct message *from = first; from && count; from = from->next, count--) {
        talk->turn = from->turn;
        if (from->role == ROLE_TOOL) continue; /* came with its call */
        if (from->role == ROLE_ASSISTANT && !resume_answer(resuming, from)) return false;
        if (from->role == ROLE_ASSISTANT) continue;
        talk->group++;
        if (!add(resuming, resume_message(resuming, from))) return false;
    }
    return true;
}

long session_resume(const gramc_session *session, struct conversation *talk, struct arena *arena,
                    bool functions) {
    struct resuming resuming = {.talk = talk,
                                .arena = arena,
                                .functions = functions,
                                .foreign =
                                    !text_is(session->talked.protocol, talk->protocol->name)};
    if (!put_again(&resuming, session->talked.first, session->talked.count)) return SESSION_NOMEM;
    return resuming.left_out;
}

bool session_reword(struct conversation *out, const struct conversation *talk, struct arena *arena,
                    size_t count) {
    struct resuming resuming = {.talk = out, .arena = arena, .foreign = true};
    if (!put_again(&resuming, talk->first, count)) return false;
    out->turn = talk->turn;
    return true;
}
