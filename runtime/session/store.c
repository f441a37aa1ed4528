/* Keeps sessions in a database, each as one JSON document (session_json.c) in a row of its own: a
 * turn costs one write of what its request has sent anyway. Who works with a session holds a lock
 * on a byte of a file beside the database, which ends with the process; reading needs none. */
#define _GNU_SOURCE /* locks that belong to an open file, not to the process */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/options.h"
#include "base/sha256.h"
#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/session/session.h"
#include "runtime/sqlite.h"

enum {
    APPLICATION = 0x67726d73, /* "grms" */
    STORE_VERSION = 1,
    CONVERSATION_MAX = 1 << 30
};

static const struct sqlite_form form = {
    APPLICATION, STORE_VERSION,
    "CREATE TABLE sessions ("
    " id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL,"
    " agent TEXT NOT NULL, fingerprint TEXT NOT NULL, protocol TEXT NOT NULL,"
    " turns INTEGER NOT NULL, messages INTEGER NOT NULL,"
    " created_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,"
    " conversation TEXT NOT NULL) STRICT"};

struct gramc_session_store {
    gramc_allocator allocator;
    struct arena arena; /* of the path */
    gramc_text path;
    gramc_clock clock;
    struct sqlite db;
    bool is_open; /* and its form is known */
    uint32_t busy_ms;
    char message[1024];
};

struct gramc_kept_session {
    gramc_session_store *store;
    struct arena arena;
    gramc_text id;
    gramc_session *session;
    int lock;         /* descriptor */
    int64_t revision; /* of the row; 0: there is none yet */
};

/* ## What is said */

static const char *way_out(gramc_status status) {
    switch (status) {
    case GRAMC_FINDINGS:
        return "; nothing was changed in it. To begin with a new one, move it away, with the files "
               "beside it that begin with its name";
    case GRAMC_LIMIT: return "; try again";
    default: return "";
    }
}

/* The status of the database, with a sentence. */
static gramc_status told(gramc_session_store *store) {
    gramc_status status = store->db.status;
    if (status)
        snprintf(store->message, sizeof(store->message), "%.*s: %s%s", TEXT_ARGS(store->path),
                 store->db.why, way_out(status));
    return status;
}

static gramc_status say(gramc_session_store *store, gramc_status status, const char *before,
                        gramc_text id, const char *after) {
    snprintf(store->message, sizeof(store->message), "%s%.*s%s", before,
             (int)(id.len < 200 ? id.len : 200), id.ptr, after);
    return status;
}

gramc_text gramc_session_store_message(const gramc_session_store *store) {
    return text_of(store->message);
}

/* What went wrong once need not go wrong again. */
static struct sqlite *database(gramc_session_store *store) {
    store->message[0] = '\0';
    store->db.status = GRAMC_OK;
    if (store->is_open) return &store->db;
    sqlite_close(&store->db);
    store->is_open = !sqlite_open(&store->db, store->path.ptr, &form, store->busy_ms);
    return &store->db;
}

/* ## The store */

gramc_status gramc_session_store_open(gramc_session_store **out,
                                      const gramc_session_store_options *given) {
    gramc_session_store_options options = GRAMC_SESSION_STORE_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    gramc_allocator allocator = options.allocator ? *options.allocator : mem_default();
    *out = NULL;
    if (!options.path.len || text_has_nul(options.path)) return GRAMC_USAGE;
    gramc_session_store *store = mem_alloc(&allocator, sizeof(*store));
    if (!store) return GRAMC_NOMEM;
    *store = (gramc_session_store){.allocator = allocator, .busy_ms = options.busy_ms};
    if (!store->busy_ms) store->busy_ms = STORE_BUSY_MS;
    arena_init(&store->arena, &allocator);
    store->clock = options.clock ? *options.clock : loop_system_clock();
    store->path = arena_text(&store->arena, options.path);
    if (store->arena.oom) {
        gramc_session_store_free(store);
        return GRAMC_NOMEM;
    }
    *out = store;
    database(store);
    return told(store);
}

void gramc_session_store_free(gramc_session_store *store) {
    if (!store) return;
    gramc_allocator allocator = store->allocator;
    sqlite_close(&store->db);
    arena_free(&store->arena);
    mem_free(&allocator, store, sizeof(*store));
}

/* ## Locks */

/* Ids are texts, and bytes of a file have numbers: of 10^9 sessions no two are likely to share. */
static off_t place_of(gramc_text id) {
    struct sha256 sha;
    char digits[SHA256_HEX];
    off_t place = 0;
    sha256_init(&sha);
    sha256_add_text(&sha, id);
    sha256_hex(&sha, digits);
    for (size_t i = 0; i < 15; i++) {
        int value = digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10;
        place = place * 16 + value;
    }
    return place;
}

/* GRAMC_LIMIT: somebody has it. */
static gramc_status lock(gramc_session_store *store, gramc_text id, int *out) {
    char path[4096];
    struct flock whole = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place_of(id), .l_len = 1};
    int len = snprintf(path, sizeof(path), "%.*s.lock", TEXT_ARGS(store->path));
    bool fits = len > 0 && (size_t)len < sizeof(path);
    *out = fits ? open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (*out < 0) return say(store, GRAMC_IO, "", store->path, ".lock cannot be opened");
    if (fcntl(*out, F_OFD_SETLK, &whole) == 0) return GRAMC_OK;
    close(*out);
    *out = -1;
    return say(store, GRAMC_LIMIT, "session ", id, " is in use: one run at a time has it");
}

static void unlock(int *lock) {
    if (*lock >= 0) close(*lock);
    *lock = -1;
}

/* ## One session */

/* *revision 0: there is none of that id. */
static gramc_status read_row(gramc_session_store *store, gramc_text id, gramc_session *session,
                             int64_t *revision) {
    struct sqlite_query query;
    gramc_status status = GRAMC_OK;
    gramc_json_error error = {.message = ""};
    sqlite_begin(&query, database(store),
                 "SELECT revision, conversation FROM sessions WHERE id=?1");
    sqlite_put_text(&query, 1, id);
    *revision = 0;
    if (sqlite_next(&query)) {
        gramc_text conversation = sqlite_text(&query, 1);
        *revision = sqlite_number(&query, 0);
        if (!store->db.status) status = gramc_session_load(session, conversation, &error);
    }
    if (sqlite_end(&query)) return told(store);
    if (status == GRAMC_FINDINGS) {
        say(store, status, "session ", id, " cannot be read: ");
        size_t len = strlen(store->message);
        snprintf(store->message + len, sizeof(store->message) - len,
                 "%s; nothing was changed. gramc session forget makes room for a new one",
                 error.message);
    }
    return status;
}

/* An id is shown in messages and typed by people. */
static bool is_id(gramc_text id) {
    if (!id.len || id.len > SESSION_ID_MAX || !text_is_utf8(id)) return false;
    for (size_t pos = 0; pos < id.len;) {
        uint32_t c = text_decode(id, &pos);
        if (c == '\n' || c == '\t' || text_is_treacherous(c)) return false;
    }
    return true;
}

static gramc_status refuse_id(gramc_session_store *store) {
    return say(store, GRAMC_USAGE, "a session's id is a text of 1 to 200 bytes", TEXT(""),
               " without control characters");
}

static gramc_status fill(gramc_kept_session *kept, gramc_text id) {
    gramc_session_store *store = kept->store;
    kept->id = arena_text(&kept->arena, id);
    if (kept->arena.oom) return GRAMC_NOMEM;
    gramc_status status = gramc_session_new(&kept->session, &store->allocator);
    if (!status) status = lock(store, id, &kept->lock);
    return status ? status : read_row(store, id, kept->session, &kept->revision);
}

gramc_status gramc_kept_session_open(gramc_kept_session **out, gramc_session_store *store,
                                     gramc_text id) {
    *out = NULL;
    if (!is_id(id)) return refuse_id(store);
    gramc_kept_session *kept = mem_alloc(&store->allocator, sizeof(*kept));
    if (!kept) return GRAMC_NOMEM;
    *kept = (gramc_kept_session){.store = store, .lock = -1};
    arena_init(&kept->arena, &store->allocator);
    gramc_status status = fill(kept, id);
    if (status) gramc_kept_session_free(kept);
    else *out = kept;
    return status;
}

void gramc_kept_session_free(gramc_kept_session *kept) {
    if (!kept) return;
    gramc_allocator allocator = kept->store->allocator;
    gramc_session_free(kept->session);
    unlock(&kept->lock);
    arena_free(&kept->arena);
    mem_free(&allocator, kept, sizeof(*kept));
}

gramc_session *gramc_kept_session_get(gramc_kept_session *kept) {
    return kept->session;
}

/* ## Saving */

static void put_row(struct sqlite_query *query, const gramc_kept_session *kept,
                    gramc_text conversation) {
    const struct talked *talked = &kept->session->talked;
    const gramc_clock *clock = &kept->store->clock;
    sqlite_put_text(query, 1, kept->id);
    sqlite_put_number(query, 2, kept->revision);
    sqlite_put_text(query, 3, talked->agent);
    sqlite_put_text(query, 4, talked->fingerprint);
    sqlite_put_text(query, 5, talked->protocol);
    sqlite_put_number(query, 6, talked->turns);
    sqlite_put_number(query, 7, (int64_t)talked->count);
    sqlite_put_number(query, 8, clock->wall_ms(clock->ctx));
    sqlite_put_text(query, 9, conversation);
}

/* The lock's file may have been deleted by somebody: then two have one, and the revision decides.
 */
static gramc_status write_row(gramc_kept_session *kept, gramc_text conversation) {
    gramc_session_store *store = kept->store;
    struct sqlite_query query;
    sqlite_begin(&query, database(store),
                 kept->revision
                     ? "UPDATE sessions SET revision=?2+1, agent=?3, fingerprint=?4, protocol=?5,"
                       " turns=?6, messages=?7, changed_ms=?8, conversation=?9"
                       " WHERE id=?1 AND revision=?2"
                     : "INSERT INTO sessions VALUES (?1, ?2+1, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)"
                       " ON CONFLICT (id) DO NOTHING");
    put_row(&query, kept, conversation);
    sqlite_next(&query);
    if (sqlite_end(&query)) return told(store);
    if (sqlite_changed(&store->db) == 0)
        return say(store, GRAMC_LIMIT, "session ", kept->id,
                   " was changed by another process meanwhile; this conversation is not kept");
    kept->revision++;
    return GRAMC_OK;
}

gramc_status gramc_kept_session_save(gramc_kept_session *kept) {
    struct buf conversation;
    buf_init(&conversation, &kept->store->allocator, CONVERSATION_MAX);
    gramc_status status = gramc_session_print(kept->session, buf_writer(&conversation));
    if (buf_status(&conversation)) status = buf_status(&conversation);
    if (status == GRAMC_LIMIT)
        say(kept->store, status, "session ", kept->id, " is larger than 1 GiB, and not kept");
    if (!status) status = write_row(kept, buf_view(&conversation));
    buf_free(&conversation);
    return status;
}

/* ## All of them */

gramc_status gramc_session_store_list(gramc_session_store *store,
                                      void (*row)(void *ctx, const gramc_session_row *row),
                                      void *ctx) {
    struct sqlite_query query;
    sqlite_begin(&query, database(store),
                 "SELECT id, agent, fingerprint, protocol, turns, messages, created_ms, changed_ms"
                 " FROM sessions ORDER BY changed_ms DESC, id");
    while (sqlite_next(&query)) {
        const gramc_session_row one = {.id = sqlite_text(&query, 0),
                                       .about = {.agent = sqlite_text(&query, 1),
                                                 .agent_fingerprint = sqlite_text(&query, 2),
                                                 .protocol = sqlite_text(&query, 3),
                                                 .turns = (uint32_t)sqlite_number(&query, 4),
                                                 .messages = (size_t)sqlite_number(&query, 5)},
                                       .created_ms = sqlite_number(&query, 6),
                                       .changed_ms = sqlite_number(&query, 7)};
        if (!store->db.status) row(ctx, &one);
    }
    (void)sqlite_end(&query);
    return told(store);
}

static gramc_status not_found(gramc_session_store *store, gramc_text id) {
    return say(store, GRAMC_NOT_FOUND, "there is no session ", id, "");
}

gramc_status gramc_session_store_read(gramc_session_store *store, gramc_text id,
                                      gramc_session *session) {
    int64_t revision;
    if (!is_id(id)) return refuse_id(store);
    gramc_status status = read_row(store, id, session, &revision);
    return status || revision ? status : not_found(store, id);
}

static gramc_status delete_row(gramc_session_store *store, gramc_text id) {
    struct sqlite_query query;
    sqlite_begin(&query, database(store), "DELETE FROM sessions WHERE id=?1");
    sqlite_put_text(&query, 1, id);
    sqlite_next(&query);
    if (sqlite_end(&query)) return told(store);
    return sqlite_changed(&store->db) ? GRAMC_OK : not_found(store, id);
}

/* The log still holds what was deleted; it is emptied unless somebody reads it just now. */
gramc_status gramc_session_store_forget(gramc_session_store *store, gramc_text id) {
    int held = -1;
    if (!is_id(id)) return refuse_id(store);
    gramc_status status = lock(store, id, &held);
    if (!status) status = delete_row(store, id);
    if (!status) sqlite_run(&store->db, "PRAGMA wal_checkpoint(TRUNCATE)");
    unlock(&held);
    return status;
}
