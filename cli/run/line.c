/* Reads lines: by libedit where there is a terminal, with what was typed before, which is kept in a
 * file for its owner's eyes alone; else as they stand on standard input, each as soon as it is
 * there. What they mean is chat.c's matter. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/line.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <histedit.h>

#include "base/text.h"

enum { LINE_MAX_BYTES = 64 << 20, LINES_KEPT = 1000 };

struct line_reader {
    struct cli *cli;
    struct buf line;
    EditLine *editor; /* NULL: lines are not edited */
    History *past;
    int file; /* descriptor of what is kept; -1: nothing is */
    char prompt[4];
    bool given_up;
    struct sigaction interrupted; /* what SIGINT did before */
};

bool line_is_edited(const struct line_reader *reader) {
    return reader->editor != NULL;
}

/* ## Lines of former times */

/* A line that begins with a blank is not kept, as shells have it: it may hold a secret. */
static bool is_kept(gramc_text line) {
    return line.len && line.ptr[0] != ' ' && !memchr(line.ptr, '\0', line.len);
}

static void remember(struct line_reader *reader, const char *line) {
    HistEvent event;
    history(reader->past, &event, H_ENTER, line);
}

/* Where the newest lines begin. */
static size_t find_newest(gramc_text text) {
    size_t lines = 0, pos = text.len;
    while (pos > 0) {
        if (pos < text.len && text.ptr[pos - 1] == '\n' && ++lines == LINES_KEPT) break;
        pos--;
    }
    return pos;
}

static void remember_all(struct line_reader *reader, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        const char *end = memchr(text.ptr + pos, '\n', text.len - pos);
        if (!end) return;
        buf_reset(&reader->line);
        buf_text(&reader->line, text_slice(text, pos, (size_t)(end - text.ptr)));
        if (reader->line.len) remember(reader, reader->line.ptr);
        pos = (size_t)(end - text.ptr) + 1;
    }
}

/* A file of which the larger part is too old is cut down. */
static void load_past(struct line_reader *reader, const char *path) {
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return;
    const struct cli_file *file = cli_read(reader->cli, path);
    if (!file) return;
    gramc_text text = {file->bytes, file->len};
    size_t newest = find_newest(text);
    text = text_slice(text, newest, text.len);
    if (newest > text.len) (void)cli_rewrite(reader->cli, path, text);
    remember_all(reader, text);
}

static void open_past(struct line_reader *reader, const char *path) {
    if (!path) return;
    load_past(reader, path);
    reader->file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (reader->file < 0 || fchmod(reader->file, 0600))
        fprintf(reader->cli->err, "gramc: what you type is not kept: %s: %s\n", path,
                strerror(errno));
}

/* One write a line, so that two chats do not mix theirs. A disk that is full costs history alone.
 */
static void keep(struct line_reader *reader, gramc_text line) {
    struct buf whole;
    if (!is_kept(line)) return;
    buf_init(&whole, &reader->cli->allocator, LINE_MAX_BYTES);
    buf_text(&whole, line);
    if (!buf_status(&whole)) remember(reader, whole.ptr);
    buf_putc(&whole, '\n');
    ssize_t written = 0;
    if (!buf_status(&whole) && reader->file >= 0)
        written = write(reader->file, whole.ptr, whole.len);
    (void)written;
    buf_free(&whole);
}

/* ## Editing */

static char *prompt_of(EditLine *editor) {
    struct line_reader *reader = NULL;
    el_get(editor, EL_CLIENTDATA, &reader);
    return reader->prompt;
}

/* Ctrl-C. */
static unsigned char give_up(EditLine *editor, wint_t key) {
    struct line_reader *reader = NULL;
    (void)key;
    el_get(editor, EL_CLIENTDATA, &reader);
    reader->given_up = true;
    return CC_EOF;
}

/* Ctrl-Z. The editor's handler takes care of the terminal. */
static unsigned char suspend(EditLine *editor, wint_t key) {
    (void)editor;
    (void)key;
    raise(SIGTSTP);
    return CC_REFRESH;
}

/* A Ctrl-C that comes a moment too late, when the answer it was meant for is there, ends nothing. A
 * handler and not SIG_IGN, which programs would inherit. */
static void do_nothing(int number) {
    (void)number;
}

static void keep_running(struct line_reader *reader) {
    struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &reader->interrupted);
}

/* The editor works in characters of the locale; what it gives us must be UTF-8. */
static void know_characters(void) {
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
}

/* Ctrl-C and Ctrl-Z are keys while a line is edited: the first ends the line, not the process. */
static bool start_editing(struct line_reader *reader, FILE *out) {
    HistEvent event;
    know_characters();
    reader->past = history_init();
    reader->editor = el_init("gramc", stdin, out, out);
    if (!reader->past || !reader->editor) return false;
    history(reader->past, &event, H_SETSIZE, LINES_KEPT);
    history(reader->past, &event, H_SETUNIQUE, 1);
    el_set(reader->editor, EL_CLIENTDATA, reader);
    el_set(reader->editor, EL_PROMPT, prompt_of);
    el_set(reader->editor, EL_EDITOR, "emacs");
    el_set(reader->editor, EL_SIGNAL, 1);
    el_set(reader->editor, EL_HIST, history, reader->past);
    el_source(reader->editor, NULL);
    el_set(reader->editor, EL_SETTY, "-d", "-isig", NULL);
    /* Of narrow names the editor makes copies that it never frees. */
    el_wset(reader->editor, EL_ADDFN, L"give-up", L"give the line up", give_up);
    el_wset(reader->editor, EL_ADDFN, L"suspend", L"stop the process", suspend);
    el_set(reader->editor, EL_BIND, "^C", "give-up", NULL);
    el_set(reader->editor, EL_BIND, "^Z", "suspend", NULL);
    return true;
}

static enum line_end edit_line(struct line_reader *reader, gramc_text *out) {
    int count = 0;
    reader->given_up = false;
    const char *line = el_gets(reader->editor, &count);
    if (!line || count <= 0) {
        fputc('\n', reader->cli->err);
        return reader->given_up ? LINE_GIVEN_UP : LINE_OVER;
    }
    *out = (gramc_text){line, (size_t)count};
    if (out->ptr[out->len - 1] == '\n') out->len--;
    keep(reader, *out);
    return LINE_READ;
}

/* ## Reading */

static enum line_end fail_to_read(struct line_reader *reader) {
    struct cli *cli = reader->cli;
    if (buf_status(&reader->line) == GRAMC_NOMEM) cli->failure = cli_no_memory(cli);
    else if (buf_status(&reader->line))
        cli->failure = cli_usage(cli, "a line is longer than 64 MiB");
    else cli->failure = cli_usage(cli, "standard input cannot be read: %s", strerror(errno));
    return LINE_FAILED;
}

static enum line_end read_line(struct line_reader *reader, gramc_text *out) {
    int c;
    buf_reset(&reader->line);
    while ((c = getc(stdin)) != EOF && c != '\n') buf_putc(&reader->line, (char)c);
    if (buf_status(&reader->line) || ferror(stdin)) return fail_to_read(reader);
    if (c == EOF && reader->line.len == 0) return LINE_OVER;
    *out = buf_view(&reader->line);
    if (out->len && out->ptr[out->len - 1] == '\r') out->len--;
    return LINE_READ;
}

enum line_end line_read(struct line_reader *reader, gramc_text *out) {
    return reader->editor ? edit_line(reader, out) : read_line(reader, out);
}

/* ## Opening */

static bool is_terminal(FILE *file) {
    return isatty(fileno(file)) == 1;
}

bool line_would_edit(const struct cli *cli) {
    return is_terminal(stdin) && is_terminal(cli->err);
}

struct line_reader *line_open(struct cli *cli, const char *history_path) {
    struct line_reader *reader = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, sizeof *reader);
    if (!reader) {
        cli_no_memory(cli);
        return NULL;
    }
    *reader = (struct line_reader){.cli = cli, .file = -1, .prompt = "> "};
    buf_init(&reader->line, &cli->allocator, LINE_MAX_BYTES);
    if (!line_would_edit(cli)) return reader;
    if (start_editing(reader, cli->err)) {
        keep_running(reader);
        open_past(reader, history_path);
        return reader;
    }
    cli_no_memory(cli);
    line_close(reader);
    return NULL;
}

void line_close(struct line_reader *reader) {
    if (!reader) return;
    struct cli *cli = reader->cli;
    if (reader->editor && reader->past) sigaction(SIGINT, &reader->interrupted, NULL);
    if (reader->editor) el_end(reader->editor);
    if (reader->past) history_end(reader->past);
    if (reader->file >= 0) close(reader->file);
    buf_free(&reader->line);
    cli->allocator.alloc(cli->allocator.ctx, reader, sizeof *reader, 0);
}
