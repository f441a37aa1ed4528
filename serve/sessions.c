/* Conversations that clients continue: in memory, each for the token that began it, up to a number,
 * and until nobody has asked for a while. Ids are random and long: nobody can guess one. */
#include "serve/answering.h"

#include "base/text.h"

enum { ID_BYTES = SHA256_HEX / 2 };

struct web_session {
    struct web_session *next, **link;
    char id[SHA256_HEX + 1];
    int client;
    gramc_session *session;
    uint64_t used_ns;
    bool is_busy, has_place;
    struct online_unit unit;
    uint32_t place; /* of its newest message, in the store of an experiment */
};

static void forget(struct service *service, struct web_session *session) {
    *session->link = session->next;
    if (session->next) session->next->link = session->link;
    gramc_session_free(session->session);
    mem_wipe(session->id, sizeof(session->id));
    mem_free(&service->allocator, session, sizeof(*session));
    service->session_count--;
}

static void forget_old(struct service *service) {
    uint64_t now = uv_hrtime(), most = service->options.session_ms * UINT64_C(1000000);
    for (struct web_session *each = service->sessions, *next; each; each = next) {
        next = each->next;
        if (!each->is_busy && now - each->used_ns > most) forget(service, each);
    }
}

/* The one that was idle longest. */
static bool forget_one(struct service *service) {
    struct web_session *oldest = NULL;
    for (struct web_session *each = service->sessions; each; each = each->next)
        if (!each->is_busy && (!oldest || each->used_ns < oldest->used_ns)) oldest = each;
    if (oldest) forget(service, oldest);
    return oldest != NULL;
}

bool web_random_id(char id[SHA256_HEX + 1]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[ID_BYTES];
    if (uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL)) return false;
    for (size_t i = 0; i < ID_BYTES; i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[SHA256_HEX] = '\0';
    mem_wipe(bytes, sizeof(bytes));
    return true;
}

static struct web_session *make_session(struct service *service, int client) {
    struct web_session *made = mem_alloc(&service->allocator, sizeof(*made));
    if (!made) return NULL;
    *made = (struct web_session){.client = client, .is_busy = true};
    if (!web_random_id(made->id) || gramc_session_new(&made->session, &service->allocator)) {
        mem_free(&service->allocator, made, sizeof(*made));
        return NULL;
    }
    made->next = service->sessions;
    made->link = &service->sessions;
    if (made->next) made->next->link = &made->next;
    service->sessions = made;
    service->session_count++;
    return made;
}

struct web_session *session_begin(struct asked *asked) {
    struct service *service = asked->service;
    forget_old(service);
    if (service->session_count >= service->options.max_sessions && !forget_one(service)) {
        reply_error(asked, 503, "too_many_sessions", "all %zu sessions have a run",
                    service->session_count);
        return NULL;
    }
    struct web_session *made = make_session(service, asked->client);
    if (!made) reply_nomem(asked);
    return made;
}

/* An id of somebody else's is one that does not exist: neither words nor time tell them apart. */
struct web_session *session_look(struct asked *asked, gramc_text id) {
    struct web_session *found = NULL;
    forget_old(asked->service);
    for (struct web_session *each = asked->service->sessions; each; each = each->next)
        if (id.len == SHA256_HEX && is_same_hash(id.ptr, each->id) && each->client == asked->client)
            found = each;
    if (!found) reply_error(asked, 404, "no_session", "there is no such session");
    return found;
}

struct web_session *session_find(struct asked *asked, gramc_text id) {
    struct web_session *found = session_look(asked, id);
    if (!found) return NULL;
    if (found->is_busy) reply_error(asked, 409, "session_busy", "another run has the session");
    if (found->is_busy) return NULL;
    found->is_busy = true;
    return found;
}

/* One in which nothing was said yet is of no use: its id may never have arrived. */
void web_session_release(struct service *service, struct web_session *session) {
    session->is_busy = false;
    session->used_ns = uv_hrtime();
    if (gramc_session_about(session->session).messages == 0) forget(service, session);
}

gramc_session *web_session_get(const struct web_session *session) {
    return session->session;
}

gramc_text web_session_id(const struct web_session *session) {
    return (gramc_text){session->id, SHA256_HEX};
}

struct online_unit *web_session_unit(struct web_session *session) {
    return &session->unit;
}

void web_session_note_place(struct web_session *session, uint32_t place) {
    session->place = place;
    session->has_place = true;
}

bool web_session_place(const struct web_session *session, uint32_t *place) {
    *place = session->place;
    return session->has_place;
}

void sessions_free(struct service *service) {
    while (service->sessions) forget(service, service->sessions);
}
