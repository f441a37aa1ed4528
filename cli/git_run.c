/* Runs git without a shell and hands over what it prints. The only place where gramc starts another
 * program; what is asked is git.c's and git_tree.c's. */
#define _POSIX_C_SOURCE 200809L
#include "cli/git_run.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_NAME = 4096, CHUNK = 1 << 16 };

static void become_git(const int fds[2], char *const argv[], bool wants_errors) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(wants_errors ? fds[1] : null, STDERR_FILENO);
    dup2(wants_errors ? null : fds[1], STDOUT_FILENO);
    if (null > STDERR_FILENO) close(null);
    close(fds[0]);
    if (fds[1] > STDERR_FILENO) close(fds[1]);
    execvp("git", argv);
    _exit(127);
}

static bool read_all(int fd, struct buf *out) {
    for (;;) {
        char *room = buf_reserve(out, CHUNK);
        if (!room) return false;
        ssize_t got = read(fd, room, CHUNK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) return true;
        out->len += (size_t)got;
        out->ptr[out->len] = '\0';
    }
}

static bool ended_well(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What git prints; false if it cannot be started or fails, or if memory runs out (out->state). */
static bool run_git(struct buf *out, char *const argv[], bool wants_errors) {
    int fds[2];
    if (pipe(fds)) return false;
    pid_t child = fork();
    if (child == 0) become_git(fds, argv, wants_errors);
    close(fds[1]);
    bool whole = child > 0 && read_all(fds[0], out);
    close(fds[0]);
    bool good = child > 0 && ended_well(child);
    return whole && good && out->state == BUF_FINE;
}

/* argv takes no const; git gets copies that it may do with as it likes. */
static bool ask(struct cli *cli, struct buf *out, const char *const words[], bool wants_errors) {
    struct buf copies;
    char *argv[GIT_WORDS + 2] = {NULL};
    size_t starts[GIT_WORDS + 1], count = 0;
    buf_init(&copies, &cli->allocator, 4 * LONGEST_NAME);
    starts[count++] = 0;
    buf_put(&copies, "git", sizeof "git");
    for (; *words && count <= GIT_WORDS; words++) {
        starts[count++] = copies.len;
        buf_put(&copies, *words, strlen(*words) + 1);
    }
    if (copies.state == BUF_NOMEM) out->state = BUF_NOMEM;
    for (size_t i = 0; i < count && copies.state == BUF_FINE; i++) argv[i] = copies.ptr + starts[i];
    bool good = copies.state == BUF_FINE && run_git(out, argv, wants_errors);
    buf_free(&copies);
    return good;
}

bool git_ask(struct cli *cli, struct buf *out, const char *const words[]) {
    return ask(cli, out, words, false);
}

/* Its last line is the reason, `fatal: ...`; what stands above are hints. */
bool git_reason(struct cli *cli, const char *const words[], char *out, size_t size) {
    struct buf said;
    buf_init(&said, &cli->allocator, GIT_ANSWER);
    ask(cli, &said, words, true);
    gramc_text line = {NULL, 0};
    for (size_t at = 0; at < said.len;) {
        const char *feed = memchr(said.ptr + at, '\n', said.len - at);
        size_t end = feed ? (size_t)(feed - said.ptr) : said.len;
        gramc_text next = text_slice(buf_view(&said), at, end);
        if (text_starts(next, "fatal: ") || text_starts(next, "error: "))
            line = text_slice(next, sizeof "fatal: " - 1, next.len);
        at = end + 1;
    }
    snprintf(out, size, "%.*s", TEXT_ARGS(line));
    bool good = said.state != BUF_NOMEM;
    buf_free(&said);
    return good;
}
