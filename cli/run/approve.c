/* Puts questions of a run to the person at the terminal, one after the other: a thread of its own
 * writes them to /dev/tty and waits for a line, while the loop goes on. Arguments are shown whole,
 * and what could fool a terminal is escaped: nobody approves of what they cannot see. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/approve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write_all.h"

enum { LINE_MAX_READ = 256 };

/* A call that somebody has to decide about. */
struct pending_question {
    bool tainted;             /* a yes is for this call alone */
    gramc_approval *approval; /* NULL: withdrawn */
    char *tool, *text;        /* of libc, as all that goes to a stream of our own */
    struct pending_question *next;
};

/* A tool that needs no more questions. */
struct trusted {
    char *tool;
    struct trusted *next;
};

struct approve {
    struct cli *cli;
    struct tell *tell;
    int terminal, wake[2]; /* -1: there is none */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct pending_question *first, **end; /* the first one is being asked */
    struct trusted *trusted;
    bool has_thread, over;
};

/* ## What is asked */

static void free_question(struct pending_question *question) {
    free(question->tool);
    free(question->text);
    free(question);
}

static char *written(const gramc_guarded_call *call) {
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (!out) return NULL;
    fputs("gramc: call `", out);
    cli_put_safe(out, call->tool->name);
    fputs(call->destructive ? "`, which may destroy something, with " : "` with ", out);
    cli_put_json_safe(out, call->arguments);
    if (call->tainted_by.ptr) {
        fputs(", after `", out);
        cli_put_safe(out, call->tainted_by);
        fputs("` brought words from outside into this conversation", out);
    }
    fputs(call->tainted_by.ptr ? "? [y/N] " : "? [y/N/always] ", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static struct pending_question *make_question(gramc_approval *approval,
                                              const gramc_guarded_call *call) {
    struct pending_question *question = malloc(sizeof *question);
    if (!question) return NULL;
    gramc_text name = call->tool->name;
    *question = (struct pending_question){
        .tainted = call->tainted_by.ptr != NULL, .approval = approval, .text = written(call)};
    question->tool = name.len ? strndup(name.ptr, name.len) : strdup("");
    if (question->text && question->tool) return question;
    free_question(question);
    return NULL;
}

/* ## Whom one need not ask */

bool approve_is_given(const struct cli *cli, gramc_text tool, bool by_name) {
    if (cli->options[OPTION_APPROVE_ALL] && !by_name) return true;
    for (size_t i = 0; i < cli->given_count; i++)
        if (cli->given[i].id == OPTION_APPROVE && text_is(tool, cli->given[i].value)) return true;
    return false;
}

bool approve_is_given_call(const struct cli *cli, const gramc_guarded_call *call) {
    return approve_is_given(cli, call->tool->name, call->tainted_by.ptr != NULL);
}

/* The lock is held. */
static bool is_trusted(const struct approve *approve, gramc_text tool) {
    const struct trusted *trusted = approve->trusted;
    while (trusted && !text_is(tool, trusted->tool)) trusted = trusted->next;
    return trusted != NULL;
}

/* The same. Without memory it is asked about again. */
static void trust(struct approve *approve, const char *tool) {
    struct trusted *trusted = malloc(sizeof *trusted);
    if (!trusted) return;
    *trusted = (struct trusted){strdup(tool), approve->trusted};
    if (trusted->tool) approve->trusted = trusted;
    else free(trusted);
}

/* ## The terminal */

/* False: there will be no line, since nobody waits for it any more or the terminal is gone. What
 * was typed before the question was there is no answer to it. */
static bool read_line(const struct approve *approve, char line[LINE_MAX_READ]) {
    size_t len = 0;
    for (;;) {
        struct pollfd files[] = {{approve->terminal, POLLIN, 0}, {approve->wake[0], POLLIN, 0}};
        char byte;
        if (poll(files, 2, -1) < 0 && errno != EINTR) return false;
        if (files[1].revents) return false;
        if (!files[0].revents) continue;
        ssize_t got = read(approve->terminal, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (byte == '\n' || byte == '\r') break;
        if (len + 1 < LINE_MAX_READ) line[len++] = byte;
    }
    line[len] = '\0';
    return true;
}

static void drain(const struct approve *approve) {
    char bytes[64];
    while (read(approve->wake[0], bytes, sizeof bytes) > 0) continue;
}

static bool is_word(const char *line, const char *word, const char *letter) {
    gramc_text said = text_trim(text_of(line));
    return text_is_nocase(said, word) || text_is_nocase(said, letter);
}

/* ## Deciding */

/* The lock is held; the question is not asked any more. */
static void answer(struct pending_question *question, bool allow, const char *words) {
    if (question->approval) gramc_approval_answer(question->approval, allow, text_of(words));
    question->approval = NULL;
}

static void take_line(struct approve *approve, struct pending_question *question,
                      const char *line) {
    bool always = !question->tainted && is_word(line, "always", "a");
    if (always && question->approval) trust(approve, question->tool);
    answer(question, always || is_word(line, "yes", "y"), "the user did not approve of it");
}

/* The lock is held, but while the terminal is waited for. */
static void ask_first(struct approve *approve) {
    struct pending_question *question = approve->first;
    char line[LINE_MAX_READ];
    if (question->approval && !question->tainted && is_trusted(approve, text_of(question->tool)))
        answer(question, true, "");
    if (question->approval) {
        drain(approve);
        pthread_mutex_unlock(&approve->lock);
        tcflush(approve->terminal, TCIFLUSH);
        write_all(approve->terminal, text_of(question->text));
        bool came = read_line(approve, line);
        if (!came) write_all(approve->terminal, TEXT("\n"));
        pthread_mutex_lock(&approve->lock);
        if (came) take_line(approve, question, line);
        else answer(question, false, "the user gave no answer");
    }
    approve->first = question->next;
    if (!approve->first) approve->end = &approve->first;
    free_question(question);
}

static void *ask_all(void *ctx) {
    struct approve *approve = ctx;
    pthread_mutex_lock(&approve->lock);
    while (!approve->over) {
        if (approve->first) ask_first(approve);
        else pthread_cond_wait(&approve->changed, &approve->lock);
    }
    pthread_mutex_unlock(&approve->lock);
    return NULL;
}

/* It takes no signals: they are the loop's and interrupt.c's. */
static bool start_thread(struct approve *approve) {
    sigset_t every, before;
    if (approve->has_thread) return true;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    approve->has_thread = pthread_create(&approve->thread, NULL, ask_all, approve) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return approve->has_thread;
}

/* Who gave us a stream of their own sits at no terminal. */
static bool open_terminal(struct approve *approve) {
    if (approve->terminal >= 0) return true;
    if (fileno(approve->cli->err) < 0) return false;
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return false;
    if (pipe(approve->wake)) {
        close(terminal);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(approve->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(approve->wake[i], F_SETFL, O_NONBLOCK);
    }
    approve->terminal = terminal;
    return true;
}

/* ## For the run */

static void refuse(struct approve *approve, gramc_approval *approval,
                   const gramc_guarded_call *call) {
    FILE *err = approve->cli->err;
    tell_hide(approve->tell);
    fputs("gramc: `", err);
    cli_put_safe(err, call->tool->name);
    fputs("` needs approval, and there is no terminal to ask at; see --approve\n", err);
    gramc_approval_answer(approval, false, TEXT("it needs approval, and nobody can be asked"));
}

static void put_question(struct approve *approve, struct pending_question *question) {
    tell_ask(approve->tell);
    pthread_mutex_lock(&approve->lock);
    *approve->end = question;
    approve->end = &question->next;
    pthread_cond_signal(&approve->changed);
    pthread_mutex_unlock(&approve->lock);
}

static void ask(void *ctx, gramc_approval *approval, const gramc_guarded_call *call) {
    struct approve *approve = ctx;
    struct pending_question *question;
    if (approve_is_given_call(approve->cli, call)) {
        gramc_approval_answer(approval, true, TEXT(""));
    } else if (!open_terminal(approve) || !start_thread(approve)) {
        refuse(approve, approval, call);
    } else if ((question = make_question(approval, call)) != NULL) {
        put_question(approve, question);
    } else {
        gramc_approval_answer(approval, false, TEXT("there was no memory to ask about it"));
    }
}

static void withdraw(void *ctx, gramc_approval *approval) {
    struct approve *approve = ctx;
    pthread_mutex_lock(&approve->lock);
    for (struct pending_question *question = approve->first; question; question = question->next)
        if (question->approval == approval) question->approval = NULL;
    bool is_asked = approve->first && !approve->first->approval;
    if (is_asked && write(approve->wake[1], "", 1) < 0) approve->over = true;
    pthread_mutex_unlock(&approve->lock);
}

struct approve *approve_start(struct cli *cli, struct tell *tell) {
    struct approve *approve = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *approve);
    if (!approve) return NULL;
    *approve = (struct approve){.cli = cli, .tell = tell, .terminal = -1, .wake = {-1, -1}};
    approve->end = &approve->first;
    pthread_mutex_init(&approve->lock, NULL);
    pthread_cond_init(&approve->changed, NULL);
    return approve;
}

gramc_approver approve_approver(struct approve *approve) {
    return (gramc_approver){ask, withdraw, approve};
}

static void stop_thread(struct approve *approve) {
    pthread_mutex_lock(&approve->lock);
    approve->over = true;
    pthread_cond_signal(&approve->changed);
    bool woken = write(approve->wake[1], "", 1) == 1 || errno == EAGAIN;
    pthread_mutex_unlock(&approve->lock);
    if (woken) pthread_join(approve->thread, NULL);
}

void approve_stop(struct approve *approve) {
    if (!approve) return;
    struct cli *cli = approve->cli;
    if (approve->has_thread) stop_thread(approve);
    for (struct pending_question *next; approve->first; approve->first = next) {
        next = approve->first->next;
        free_question(approve->first);
    }
    for (struct trusted *next; approve->trusted; approve->trusted = next) {
        next = approve->trusted->next;
        free(approve->trusted->tool);
        free(approve->trusted);
    }
    if (approve->terminal >= 0) close(approve->terminal);
    for (int i = 0; i < 2; i++)
        if (approve->wake[i] >= 0) close(approve->wake[i]);
    pthread_cond_destroy(&approve->changed);
    pthread_mutex_destroy(&approve->lock);
    cli->allocator.alloc(cli->allocator.ctx, approve, sizeof *approve, 0);
}
