/* Turns --env-file into variables that stand in for those that the environment lacks: NAME=value
 * lines with comments, quotes and `export`, as dotenv files have them. Nothing is expanded in them,
 * and no program that a tool starts sees them. Values are overwritten when they are freed. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

struct cli_variable {
    struct cli_variable *next;
    size_t size; /* of this block */
    const char *value;
    char name[];
};

struct env_reader {
    gramc_text text;
    size_t at;
    unsigned line;
    gramc_text name;
    struct buf value;
};

/* ## Variables */

const char *cli_variable(const struct cli *cli, const char *name) {
    const char *value = getenv(name);
    const struct cli_variable *v = cli->variables;
    while (!value && v && strcmp(v->name, name) != 0) v = v->next;
    return value ? value : v ? v->value : NULL;
}

void cli_free_variables(struct cli *cli) {
    while (cli->variables) {
        struct cli_variable *v = cli->variables;
        size_t size = v->size;
        cli->variables = v->next;
        mem_wipe(v, size);
        mem_free(&cli->allocator, v, size);
    }
}

/* The newest is found first. */
static bool keep(struct cli *cli, const struct env_reader *r) {
    gramc_text value = buf_view(&r->value);
    size_t size = sizeof(struct cli_variable) + r->name.len + value.len + 2;
    struct cli_variable *v = mem_alloc(&cli->allocator, size);
    if (!v) return false;
    char *end = v->name + r->name.len + 1;
    memcpy(v->name, r->name.ptr, r->name.len);
    end[-1] = '\0';
    if (value.len) memcpy(end, value.ptr, value.len);
    end[value.len] = '\0';
    v->value = end;
    v->size = size;
    v->next = cli->variables;
    cli->variables = v;
    return true;
}

/* ## Lines */

/* '\n' at the end of the file. */
static char peek(const struct env_reader *r) {
    return r->at < r->text.len ? r->text.ptr[r->at] : '\n';
}

static void skip_blanks(struct env_reader *r) {
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r') r->at++;
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static gramc_text read_name(struct env_reader *r) {
    size_t from = r->at;
    while (is_name(peek(r))) r->at++;
    return text_slice(r->text, from, r->at);
}

static void put_escaped(struct env_reader *r) {
    char c = peek(r);
    r->at++;
    if (c != 'n' && c != 'r' && c != 't' && c != '"' && c != '\\' && c != '$')
        buf_putc(&r->value, '\\');
    buf_putc(&r->value, c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c);
}

/* Over as many lines as it takes. */
static const char *read_quoted(struct env_reader *r, char quote) {
    unsigned begin = r->line;
    for (r->at++; r->at < r->text.len; r->at++) {
        char c = peek(r);
        if (c == quote) {
            r->at++;
            skip_blanks(r);
            return peek(r) == '\n' || peek(r) == '#' ? NULL : "something follows the closing quote";
        }
        if (c == '\n') r->line++;
        if (c != '\\' || quote != '"' || r->at + 1 >= r->text.len) {
            buf_putc(&r->value, c);
            continue;
        }
        r->at++;
        put_escaped(r);
        r->at--;
    }
    r->line = begin;
    return "the quote is not closed";
}

/* Up to a comment: a `#` within a word is none. */
static void read_plain(struct env_reader *r) {
    size_t from = r->at;
    for (; peek(r) != '\n'; r->at++) {
        char before = r->at ? r->text.ptr[r->at - 1] : ' ';
        if (peek(r) == '#' && (before == ' ' || before == '\t' || r->at == from)) break;
    }
    buf_text(&r->value, text_trim(text_slice(r->text, from, r->at)));
}

static const char *read_assignment(struct env_reader *r) {
    r->name = read_name(r);
    if (text_is(r->name, "export") && (peek(r) == ' ' || peek(r) == '\t')) {
        skip_blanks(r);
        r->name = read_name(r);
    }
    skip_blanks(r);
    bool digit = r->name.len && r->name.ptr[0] <= '9';
    if (!r->name.len || digit || peek(r) != '=') return "a line is NAME=value";
    r->at++;
    skip_blanks(r);
    const char *why = NULL;
    buf_reset(&r->value);
    if (peek(r) == '"' || peek(r) == '\'') why = read_quoted(r, peek(r));
    else read_plain(r);
    return !why && text_has_nul(buf_view(&r->value)) ? "the value holds a NUL" : why;
}

static void end_line(struct env_reader *r) {
    while (peek(r) != '\n') r->at++;
    r->at++;
    r->line++;
}

/* The value is never part of a message. */
static int read_lines(struct cli *cli, const char *path, struct env_reader *r) {
    if (text_starts(r->text, "\xEF\xBB\xBF")) r->at = 3;
    for (; r->at < r->text.len; end_line(r)) {
        skip_blanks(r);
        if (peek(r) == '\n' || peek(r) == '#') continue;
        const char *why = read_assignment(r);
        if (why) return cli_usage(cli, "%s:%u: %s", path, r->line, why);
        if (buf_status(&r->value) || !keep(cli, r)) return cli_no_memory(cli);
    }
    return EXIT_FINE;
}

/* ## Files */

static bool read_all(FILE *stream, struct buf *out) {
    char bytes[4096];
    size_t len;
    while ((len = fread(bytes, 1, sizeof bytes, stream)) > 0) buf_put(out, bytes, len);
    mem_wipe(bytes, sizeof bytes);
    return !ferror(stream);
}

static int read_file(struct cli *cli, const char *path) {
    struct env_reader r = {.line = 1};
    struct buf text;
    int code = EXIT_FINE;
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_usage(cli, "%s: %s", path, strerror(errno));
    setvbuf(stream, NULL, _IONBF, 0);
    buf_init_secret(&text, &cli->allocator, SOURCE_MAX);
    buf_init_secret(&r.value, &cli->allocator, SOURCE_MAX);
    if (!read_all(stream, &text)) code = cli_usage(cli, "%s: %s", path, strerror(errno));
    else if (buf_status(&text)) code = cli_status(cli, buf_status(&text));
    r.text = buf_view(&text);
    if (code == EXIT_FINE) code = read_lines(cli, path, &r);
    fclose(stream);
    buf_free(&text);
    buf_free(&r.value);
    return code;
}

int cli_read_variables(struct cli *cli) {
    int code = EXIT_FINE;
    if (cli->variables) return EXIT_FINE;
    for (size_t i = 0; i < cli->given_count && code == EXIT_FINE; i++)
        if (cli->given[i].id == OPTION_ENV_FILE) code = read_file(cli, cli->given[i].value);
    return code;
}
