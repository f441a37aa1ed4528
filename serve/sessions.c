/* Conversations that clients continue, each for the token that began it. Ids are random and long:
 * nobody can guess one. Without a store they are in memory, up to a number, and until nobody has
 * asked for a while. In a store they have another name, made of id and token, so that who reads it
 * can continue none; here are those alone that have a run. */
#include "serve/answering.h"

#include "base/text.h"

#define PREFIX "serve:"

enum { ID_BYTES = SHA256_HEX / 2, NAME_SIZE = sizeof(PREFIX) - 1 + SHA256_HEX };

struct web_session {
    struct web_session *next, **link;
    char id[SHA256_HEX + 1];
    int client;
    gramc_session *session;
    gramc_kept_session *kept; /* whose it is; NULL: it is its own */
    uint32_t turns;           /* that are kept */
    uint64_t used_ns;
    bool is_busy, has_place;
    struct online_unit unit;
    uint32_t place; /* of its newest message, in the store of an experiment */
};

static void forget(struct service *service, struct web_session *session) {
    *session->link = session->next;
    if (session->next) session->next->link = session->link;
    if (session->kept) gramc_kept_session_free(session->kept);
    else gramc_session_free(session->session);
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

static void name_in_store(const struct service *service, const struct web_session *session,
                          char name[NAME_SIZE]) {
    struct sha256 sha;
    sha256_init(&sha);
    sha256_add_text(&sha, (gramc_text){session->id, SHA256_HEX});
    if (session->client != NOBODY)
        sha256_add_text(&sha, (gramc_text){service->tokens[session->client], SHA256_HEX});
    memcpy(name, PREFIX, sizeof(PREFIX));
    sha256_hex(&sha, name + sizeof(PREFIX) - 1);
}

static gramc_status open_session(const struct service *service, struct web_session *session) {
    char name[NAME_SIZE];
    gramc_session_store *store = service->options.store;
    if (!store) return gramc_session_new(&session->session, &service->allocator);
    name_in_store(service, session, name);
    gramc_status status =
        gramc_kept_session_open(&session->kept, store, (gramc_text){name, NAME_SIZE});
    if (status) return status;
    session->session = gramc_kept_session_get(session->kept);
    session->turns = gramc_session_about(session->session).turns;
    return GRAMC_OK;
}

/* A new one if the id is empty. */
static gramc_status make_session(struct web_session **out, struct service *service, int client,
                                 gramc_text id) {
    struct web_session *made = mem_alloc(&service->allocator, sizeof(*made));
    if (!made) return GRAMC_NOMEM;
    *made = (struct web_session){.client = client, .is_busy = true};
    if (id.len) memcpy(made->id, id.ptr, SHA256_HEX);
    gramc_status status = id.len || web_random_id(made->id) ? GRAMC_OK : GRAMC_NOMEM;
    if (!status) status = open_session(service, made);
    if (status) {
        mem_free(&service->allocator, made, sizeof(*made));
        return status;
    }
    made->next = service->sessions;
    made->link = &service->sessions;
    if (made->next) made->next->link = &made->next;
    service->sessions = made;
    service->session_count++;
    *out = made;
    return GRAMC_OK;
}

static void refuse(struct asked *asked, gramc_status status) {
    const struct service *service = asked->service;
    if (status == GRAMC_NOMEM) {
        reply_nomem(asked);
        return;
    }
    if (status == GRAMC_LIMIT) {
        reply_error(asked, 409, "session_busy", "another run has the session");
        return;
    }
    gramc_text why = gramc_session_store_message(service->options.store);
    log_line(service, "a session cannot be read: %.*s", TEXT_ARGS(why));
    reply_error(asked, 500, "session_store", "the session cannot be read");
}

struct web_session *session_begin(struct asked *asked) {
    struct service *service = asked->service;
    forget_old(service);
    if (service->session_count >= service->options.max_sessions && !forget_one(service)) {
        reply_error(asked, 503, "too_many_sessions", "all %zu sessions have a run",
                    service->session_count);
        return NULL;
    }
    struct web_session *made = NULL;
    gramc_status status = make_session(&made, service, asked->client, TEXT(""));
    if (status) refuse(asked, status);
    return made;
}

static bool is_id(gramc_text id) {
    for (size_t i = 0; i < id.len; i++)
        if (!strchr("0123456789abcdef", id.ptr[i]) || !id.ptr[i]) return false;
    return id.len == SHA256_HEX;
}

/* One of which nothing is kept was never begun. */
static struct web_session *find_kept(struct asked *asked, gramc_text id) {
    struct service *service = asked->service;
    struct web_session *found = NULL;
    gramc_status status = make_session(&found, service, asked->client, id);
    if (!status && found->turns) return found;
    if (!status) forget(service, found);
    if (status) refuse(asked, status);
    else reply_error(asked, 404, "no_session", "there is no such session");
    return NULL;
}

/* An id of somebody else's is one that does not exist: neither words nor time tell them apart. */
static struct web_session *find_here(const struct asked *asked, gramc_text id) {
    struct web_session *found = NULL;
    forget_old(asked->service);
    for (struct web_session *each = asked->service->sessions; each; each = each->next)
        if (id.len == SHA256_HEX && is_same_hash(id.ptr, each->id) && each->client == asked->client)
            found = each;
    return found;
}

struct web_session *session_look(struct asked *asked, gramc_text id) {
    struct web_session *found = find_here(asked, id);
    if (!found) reply_error(asked, 404, "no_session", "there is no such session");
    return found;
}

struct web_session *session_find(struct asked *asked, gramc_text id) {
    struct web_session *found = find_here(asked, id);
    if (!found && asked->service->options.store && is_id(id)) return find_kept(asked, id);
    if (!found) found = session_look(asked, id);
    if (!found) return NULL;
    if (found->is_busy) reply_error(asked, 409, "session_busy", "another run has the session");
    if (found->is_busy) return NULL;
    found->is_busy = true;
    return found;
}

/* A run that was not answered has changed nothing. */
static void keep(struct service *service, struct web_session *session) {
    if (gramc_session_about(session->session).turns == session->turns) return;
    if (gramc_kept_session_save(session->kept) == GRAMC_OK) return;
    gramc_text why = gramc_session_store_message(service->options.store);
    log_line(service, "an answer of a session is not kept: %.*s", TEXT_ARGS(why));
}

/* One in which nothing was said yet is of no use: its id may never have arrived. */
void web_session_release(struct service *service, struct web_session *session) {
    session->is_busy = false;
    session->used_ns = uv_hrtime();
    if (session->kept) keep(service, session);
    bool is_empty = gramc_session_about(session->session).messages == 0;
    if (session->kept || is_empty) forget(service, session);
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
