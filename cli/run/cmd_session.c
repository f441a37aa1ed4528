/* gramc session: lists, shows and forgets what gramc run --session keeps. For people as a table and
 * as the text that gramc trace shows, for programs as JSON. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "cli/run/kept.h"
#include "cli/run/table.h"
#include "cli/trace.h"

enum { OUTPUT_MAX = INT32_MAX, TIME_ROOM = 40 };

struct archive {
    struct cli *cli;
    gramc_session_store *store;
    struct arena arena;
    bool json;
};

/* RFC 3339, in UTC. */
static gramc_text time_text(char room[TIME_ROOM], int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm)) return TEXT("");
    return (gramc_text){room, strftime(room, TIME_ROOM, "%Y-%m-%dT%H:%M:%SZ", &tm)};
}

/* ## list */

struct session_listing {
    struct archive *archive;
    struct table table;
    struct json_writer json;
};

static void add_row(void *ctx, const gramc_session_row *row) {
    struct session_listing *listing = ctx;
    struct arena *arena = &listing->archive->arena;
    char time[TIME_ROOM], turns[24];
    snprintf(turns, sizeof turns, "%u", (unsigned)row->about.turns);
    table_add(&listing->table, arena, arena_text(arena, row->id));
    table_add(&listing->table, arena, arena_text(arena, row->about.agent));
    table_add(&listing->table, arena, arena_text(arena, text_of(turns)));
    table_add(&listing->table, arena, arena_text(arena, time_text(time, row->changed_ms)));
}

static void put_row(void *ctx, const gramc_session_row *row) {
    struct json_writer *w = &((struct session_listing *)ctx)->json;
    char time[TIME_ROOM];
    json_object_begin(w);
    json_member_text(w, "id", row->id);
    json_member_text(w, "agent", row->about.agent);
    json_member_text(w, "fingerprint", row->about.agent_fingerprint);
    json_member_text(w, "protocol", row->about.protocol);
    json_member_number(w, "turns", row->about.turns);
    json_member_number(w, "messages", row->about.messages);
    json_member_text(w, "created", time_text(time, row->created_ms));
    json_member_text(w, "changed", time_text(time, row->changed_ms));
    json_object_end(w);
}

static gramc_status each(struct archive *archive,
                         void (*row)(void *ctx, const gramc_session_row *row), void *ctx) {
    return archive->store ? gramc_session_store_list(archive->store, row, ctx) : GRAMC_OK;
}

static int list_json(struct archive *archive) {
    struct buf out;
    struct session_listing listing = {.archive = archive};
    buf_init(&out, &archive->cli->allocator, OUTPUT_MAX);
    listing.json = json_writer(&out);
    json_array_begin(&listing.json);
    gramc_status status = each(archive, put_row, &listing);
    json_array_end(&listing.json);
    buf_putc(&out, '\n');
    int code = status ? kept_failed(archive->cli, archive->store, status)
                      : cli_send_json_buf(archive->cli, &out);
    buf_free(&out);
    return code;
}

static int list(struct archive *archive, gramc_text id) {
    static const char *const heads[] = {"SESSION", "AGENT", "TURNS", "LAST ANSWER"};
    struct session_listing listing = {.archive = archive, .table = {.columns = 4}};
    (void)id;
    if (archive->json) return list_json(archive);
    for (size_t i = 0; i < 4; i++) table_add(&listing.table, &archive->arena, text_of(heads[i]));
    gramc_status status = each(archive, add_row, &listing);
    if (status) return kept_failed(archive->cli, archive->store, status);
    if (archive->arena.oom) return cli_no_memory(archive->cli);
    table_print(&listing.table, archive->cli->out);
    return EXIT_FINE;
}

/* ## show */

struct telling {
    struct block_writer writer;
    struct arena *arena;
};

/* "word NAME" */
static gramc_text label(struct arena *arena, const char *word, gramc_text name) {
    struct buf out;
    buf_init(&out, &arena->allocator, OUTPUT_MAX);
    buf_puts(&out, word);
    buf_text(&out, name);
    return buf_to_arena(&out, arena);
}

static void put_block(struct telling *telling, enum block_kind kind, gramc_text title,
                      gramc_text text) {
    const struct block block = {.kind = kind, .label = title, .text = text};
    telling->writer.block(&telling->writer, &block);
}

static void put_message(void *ctx, const gramc_session_message *message) {
    struct telling *telling = ctx;
    enum block_kind result = message->failed ? BLOCK_FAILURE : BLOCK_RESULT;
    switch (message->role) {
    case GRAMC_ROLE_USER: put_block(telling, BLOCK_USER, TEXT("user"), message->content); break;
    case GRAMC_ROLE_TOOL:
        put_block(telling, result, label(telling->arena, "result of ", message->call->name),
                  message->content);
        break;
    case GRAMC_ROLE_ASSISTANT:
        if (message->content.len) put_block(telling, BLOCK_MODEL, TEXT("model"), message->content);
        for (size_t i = 0; i < message->call_count; i++)
            put_block(telling, BLOCK_CALL, label(telling->arena, "call ", message->calls[i].name),
                      message->calls[i].arguments);
        break;
    }
}

static void put_session(struct telling *telling, const gramc_session *session) {
    gramc_session_info about = gramc_session_about(session);
    size_t shown = about.agent_fingerprint.len < 12 ? about.agent_fingerprint.len : 12;
    const struct block agent = {.kind = BLOCK_FACT,
                                .label = TEXT("agent"),
                                .note = text_slice(about.agent_fingerprint, 0, shown),
                                .text = about.agent};
    telling->writer.block(&telling->writer, &agent);
    put_block(telling, BLOCK_FACT, TEXT("protocol"), about.protocol);
    gramc_session_each(session, put_message, telling);
}

static int print_session(struct archive *archive, const gramc_session *session) {
    struct buf out;
    gramc_status status = GRAMC_OK;
    buf_init(&out, &archive->cli->allocator, OUTPUT_MAX);
    struct telling telling = {trace_text_writer(&out), &archive->arena};
    if (archive->json) status = gramc_session_print(session, buf_writer(&out));
    else put_session(&telling, session);
    if (archive->json) buf_putc(&out, '\n');
    int code = status && !buf_status(&out) ? cli_status(archive->cli, status)
               : archive->arena.oom        ? cli_no_memory(archive->cli)
                                           : cli_send_json_buf(archive->cli, &out);
    buf_free(&out);
    return code;
}

static int no_session(struct archive *archive, gramc_text id) {
    return cli_usage(archive->cli, "there is no session %.*s", TEXT_ARGS(id));
}

static int show(struct archive *archive, gramc_text id) {
    gramc_session *session;
    if (!archive->store) return no_session(archive, id);
    gramc_status status = gramc_session_new(&session, &archive->cli->allocator);
    if (!status) status = gramc_session_store_read(archive->store, id, session);
    int code = status ? kept_failed(archive->cli, archive->store, status)
                      : print_session(archive, session);
    gramc_session_free(session);
    return code;
}

/* ## forget */

static int forget(struct archive *archive, gramc_text id) {
    if (!archive->store) return no_session(archive, id);
    return kept_failed(archive->cli, archive->store,
                       gramc_session_store_forget(archive->store, id));
}

/* ## The command */

static const struct deed {
    const char *name;
    size_t operands; /* with the name */
    int (*run)(struct archive *archive, gramc_text id);
} deeds[] = {{"list", 1, list}, {"show", 2, show}, {"forget", 2, forget}};

static const struct deed *find_deed(const struct cli *cli) {
    for (size_t i = 0; cli->operand_count && i < sizeof deeds / sizeof *deeds; i++)
        if (strcmp(cli->operands[0], deeds[i].name) == 0) return &deeds[i];
    return NULL;
}

/* None is made where there is none: the store is NULL then. */
static int open_store(struct archive *archive) {
    char path[CLI_PATH];
    int code = kept_find(archive->cli, KEPT_SESSIONS, path);
    if (code != EXIT_FINE || access(path, F_OK) != 0) return code;
    return kept_open_store(archive->cli, path, &archive->store);
}

int cmd_session(struct cli *cli) {
    const char *format = cli->options[OPTION_FORMAT];
    const struct deed *deed = find_deed(cli);
    struct archive archive = {.cli = cli, .json = format && strcmp(format, "json") == 0};
    if (!deed || cli->operand_count != deed->operands)
        return cli_usage(cli, "session: say list, show ID or forget ID");
    if (format && !archive.json && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    arena_init(&archive.arena, &cli->allocator);
    int code = open_store(&archive);
    gramc_text id = deed->operands > 1 ? text_of(cli->operands[1]) : TEXT("");
    if (code == EXIT_FINE) code = deed->run(&archive, id);
    gramc_session_store_free(archive.store);
    arena_free(&archive.arena);
    return code;
}
