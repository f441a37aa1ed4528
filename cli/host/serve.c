/* Turns requests, one a line of standard input, into calls of a plugin's functions, and what these
 * say into answers, one a line:
 *
 *   {"id":7,"ms":5000,"symbol":"calc_sqrt","arguments":{"x":2}}
 *   {"id":7,"result":"1.4142135623730951"}          or {"id":7,"error":"x is negative"}
 *
 * A plugin that crashes, exits or never returns takes this process with it; who started it sees
 * that and starts another. */
#define _XOPEN_SOURCE 700
#include "cli/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "base/write_all.h"
#include "runtime/process/plugin.h"

enum { REQUEST_MAX = 256 << 20, ANSWER_MAX = 16 << 20, CHUNK = 65536 };

struct server {
    int input, output; /* ours alone: a plugin that reads or prints does not meet them */
    const char *path;
    uint64_t cpu_seconds; /* a call may take; 0: no limit */
    struct plugin plugin;
    struct buf pending; /* what came of the next request */
    struct buf answer;
};

/* ## The two pipes */

/* What a plugin prints goes to standard error, and its standard input is empty. */
static bool take_pipes(struct server *server) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    server->input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    server->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || server->input < 0 || server->output < 0) return false;
    bool moved = dup2(nothing, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    close(nothing);
    return moved;
}

/* ## One request */

static void put_answer(struct server *server, gramc_text id, const char *member, gramc_text text) {
    struct json_writer w = json_writer(&server->answer);
    buf_reset(&server->answer);
    json_object_begin(&w);
    json_member_raw(&w, "id", id);
    json_member_text(&w, member, text);
    json_object_end(&w);
    buf_putc(&server->answer, '\n');
}

static bool send_answer(struct server *server, gramc_text id, bool failed, gramc_text text) {
    put_answer(server, id, failed ? "error" : "result", text);
    if (buf_status(&server->answer))
        put_answer(server, id, "error", TEXT("the result cannot be written down"));
    return write_all(server->output, buf_view(&server->answer));
}

/* A host whose parent is gone must not work for ever, and a call pays for its own CPU time, not for
 * that of the calls before it. */
static void set_limits(const struct server *server, const struct json *request) {
    const struct json *ms = json_get(request, "ms");
    unsigned long milliseconds = json_is(ms, JSON_NUMBER) ? strtoul(ms->text.ptr, NULL, 10) : 0;
    struct rlimit limit;
    struct rusage usage;
    if (milliseconds) alarm((unsigned)(milliseconds / 1000 + 2));
    if (!server->cpu_seconds || getrlimit(RLIMIT_CPU, &limit) || getrusage(RUSAGE_SELF, &usage))
        return;
    limit.rlim_cur =
        (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1 + (rlim_t)server->cpu_seconds;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_CPU, &limit);
}

static gramc_plugin_function *find(struct server *server, const char *symbol,
                                   char why[PLUGIN_WHY_MAX]) {
    if (!server->plugin.handle && !plugin_open(&server->plugin, server->path, why)) return NULL;
    return plugin_find(&server->plugin, symbol, why);
}

static bool call(struct server *server, struct arena *arena, gramc_text line,
                 const struct json *request) {
    char why[PLUGIN_WHY_MAX];
    const struct json *id = json_get(request, "id"), *symbol = json_get(request, "symbol");
    const struct json *arguments = json_get(request, "arguments");
    struct buf said;
    if (!json_is(id, JSON_NUMBER) || !json_is(symbol, JSON_STRING) || !arguments) return false;
    gramc_text given = arena_text(arena, text_slice(line, arguments->start, arguments->end));
    gramc_text name = arena_text(arena, symbol->text);
    if (!given.ptr || !name.ptr) return send_answer(server, id->text, true, TEXT("out of memory"));
    set_limits(server, request);
    gramc_plugin_function *function = find(server, name.ptr, why);
    if (!function) return send_answer(server, id->text, true, text_of(why));
    buf_init(&said, NULL, PLUGIN_RESULT_MAX);
    bool failed = plugin_call(function, given, &said) != 0;
    alarm(0);
    gramc_status status = buf_status(&said);
    gramc_text text = buf_view(&said);
    if (status == GRAMC_LIMIT) text = TEXT("the result is longer than 1 MiB");
    else if (status) text = TEXT("out of memory");
    bool sent = send_answer(server, id->text, failed || status, text);
    buf_free(&said);
    return sent;
}

static bool take_line(struct server *server, gramc_text line) {
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *request = json_parse(&arena, line, NULL);
    bool went_well = request && call(server, &arena, line, request);
    arena_free(&arena);
    return went_well;
}

/* ## All of them */

/* One request at a time is all that is ever sent, so what follows a line is the next one's. */
static bool take_lines(struct server *server, size_t searched) {
    struct buf *pending = &server->pending;
    const char *end;
    while (pending->len > searched &&
           (end = memchr(pending->ptr + searched, '\n', pending->len - searched)) != NULL) {
        size_t len = (size_t)(end - pending->ptr);
        if (!take_line(server, (gramc_text){pending->ptr, len})) return false;
        memmove(pending->ptr, pending->ptr + len + 1, pending->len - len - 1);
        pending->len -= len + 1;
        searched = 0;
    }
    return true;
}

static bool read_more(struct server *server, ssize_t *got) {
    char *room = buf_reserve(&server->pending, CHUNK);
    if (!room) return false;
    do *got = read(server->input, room, CHUNK);
    while (*got < 0 && errno == EINTR);
    if (*got > 0) server->pending.len += (size_t)*got;
    return *got >= 0;
}

int host_serve(const char *path, uint64_t cpu_seconds) {
    struct server server = {.path = path, .cpu_seconds = cpu_seconds};
    ssize_t got = 1;
    buf_init(&server.pending, NULL, REQUEST_MAX);
    buf_init(&server.answer, NULL, ANSWER_MAX);
    bool went_well = take_pipes(&server);
    while (went_well && got > 0) {
        size_t searched = server.pending.len;
        went_well = read_more(&server, &got) && take_lines(&server, searched);
    }
    buf_free(&server.pending);
    buf_free(&server.answer);
    plugin_close(&server.plugin);
    return went_well ? 0 : 1;
}
