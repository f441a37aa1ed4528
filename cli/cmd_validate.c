/* gramc validate: instances to verdicts. Whole files, or with --lines a stream of any length of
 * which one line is in memory at a time. */
#include "cli/validate.h"

#include "base/buf.h"
#include "base/source.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum { LONGEST_LINE = 64 << 20, CHUNK = 1 << 16 };

/* ## Printing */

static void put_place(struct cli *cli, const char *name, const struct source *source,
                      size_t position) {
    struct position at = source_position(source, (uint32_t)position);
    fprintf(cli->out, "%s:%u:%u: ", name, (unsigned)at.line, (unsigned)at.column);
}

static void put_safe(FILE *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX || c == '\n' || text_is_treacherous(c))
            fprintf(out, "\\x%02x", (unsigned char)text.ptr[start]);
        else fwrite(text.ptr + start, 1, pos - start, out);
    }
}

/* file:line:column: sentence, one line an error. */
static void print_errors(struct judged *judged, const char *name, gramc_text bytes,
                         const gramc_verdict *verdict) {
    struct source source = {.name = text_of(name), .text = bytes};
    for (size_t i = 0; i < verdict->error_count; i++) {
        put_place(judged->cli, name, &source, verdict->errors[i].position);
        put_safe(judged->cli->out, verdict->errors[i].message);
        fputc('\n', judged->cli->out);
    }
    if (verdict->errors_total > verdict->error_count)
        fprintf(judged->cli->out, "%s: and %zu more errors\n", name,
                verdict->errors_total - verdict->error_count);
}

/* One line a line: `valid`, or `invalid: ` and the sentences. */
static void print_line(struct judged *judged, const gramc_verdict *verdict) {
    FILE *out = judged->cli->out;
    fputs(verdict->valid ? "valid" : "invalid: ", out);
    for (size_t i = 0; i < verdict->error_count; i++) {
        if (i) fputs("; ", out);
        put_safe(out, verdict->errors[i].message);
    }
    fputc('\n', out);
}

static int print(struct judged *judged, const char *name, gramc_text bytes,
                 const gramc_verdict *verdict) {
    FILE *out = judged->cli->out;
    if (judged->format != GRAMC_VERDICT_TEXT)
        return cli_status(judged->cli,
                          gramc_verdict_print(verdict, judged->format, cli_writer(out)));
    if (verdict->valid && judged->normalise) {
        fwrite(verdict->normalised.ptr, 1, verdict->normalised.len, out);
        fputc('\n', out);
    } else if (judged->lines) {
        print_line(judged, verdict);
    } else {
        print_errors(judged, name, bytes, verdict);
    }
    return EXIT_FINE;
}

/* ## Judging */

static int judge(struct judged *judged, const char *name, gramc_text bytes) {
    gramc_verdict *verdict;
    bool quick = judged->format == GRAMC_VERDICT_TEXT && !judged->normalise && !judged->check.flags;
    if (quick && gramc_schema_accepts(judged->schema, bytes.ptr, bytes.len)) {
        if (judged->lines) fputs("valid\n", judged->cli->out);
        return EXIT_FINE;
    }
    gramc_status status =
        gramc_schema_check(&verdict, judged->schema, bytes.ptr, bytes.len, &judged->check);
    if (status == GRAMC_LIMIT)
        return cli_usage(judged->cli, "%s: a limit was passed (nesting, or a pattern's work)",
                         name);
    if (status != GRAMC_OK) return cli_status(judged->cli, status);
    judged->invalid = judged->invalid || !verdict->valid;
    int code = print(judged, name, bytes, verdict);
    gramc_verdict_free(verdict);
    return code;
}

static int judge_file(struct judged *judged, const char *path) {
    const struct cli_file *file = cli_read(judged->cli, path);
    if (!file) return judged->cli->failure;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    return judge(judged, name, (gramc_text){file->bytes, file->len});
}

/* Lines that are complete in the buffer; what is left moves to its front. Blank lines are none. */
static int judge_buffered(struct judged *judged, const char *name, struct buf *buf, bool at_end) {
    size_t start = 0;
    int code = EXIT_FINE;
    while (code == EXIT_FINE && start < buf->len) {
        const char *feed = memchr(buf->ptr + start, '\n', buf->len - start);
        if (!feed && !at_end) break;
        size_t end = feed ? (size_t)(feed - buf->ptr) : buf->len;
        gramc_text line = text_trim((gramc_text){buf->ptr + start, end - start});
        if (line.len) code = judge(judged, name, line);
        start = feed ? end + 1 : end;
    }
    memmove(buf->ptr, buf->ptr + start, buf->len - start);
    buf->len -= start;
    return code;
}

static int judge_stream(struct judged *judged, const char *name, FILE *stream) {
    struct buf buf;
    int code = EXIT_FINE;
    buf_init(&buf, &judged->cli->allocator, LONGEST_LINE);
    while (code == EXIT_FINE) {
        char *room = buf_reserve(&buf, CHUNK);
        if (!room && buf.state == BUF_NOMEM) code = cli_no_memory(judged->cli);
        else if (!room) code = cli_usage(judged->cli, "%s: a line is longer than 64 MiB", name);
        if (!room) break;
        size_t got = fread(room, 1, CHUNK, stream);
        buf.len += got;
        if (got == 0 && ferror(stream))
            code = cli_usage(judged->cli, "%s: %s", name, strerror(errno));
        else code = judge_buffered(judged, name, &buf, got == 0);
        if (got == 0) break;
    }
    buf_free(&buf);
    return code;
}

static int judge_lines(struct judged *judged, const char *path) {
    if (strcmp(path, "-") == 0) return judge_stream(judged, "<stdin>", stdin);
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_usage(judged->cli, "%s: %s", path, strerror(errno));
    int code = judge_stream(judged, path, stream);
    fclose(stream);
    return code;
}

/* ## The command */

static bool find_format(const char *name, gramc_verdict_format *out) {
    static const char *const names[] = {[GRAMC_VERDICT_TEXT] = "text",
                                        [GRAMC_VERDICT_JSON] = "json",
                                        [GRAMC_VERDICT_FLAG] = "flag",
                                        [GRAMC_VERDICT_BASIC] = "basic",
                                        [GRAMC_VERDICT_DETAILED] = "detailed"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (gramc_verdict_format)i;
        return true;
    }
    return !name;
}

int cmd_validate(struct cli *cli) {
    struct judged judged = {.cli = cli, .check = GRAMC_CHECK_OPTIONS_INIT};
    judged.lines = cli->options[OPTION_LINES] != NULL;
    judged.normalise = cli->options[OPTION_NORMALISE] != NULL;
    judged.check.allocator = &cli->allocator;
    if (judged.normalise) judged.check.flags |= GRAMC_CHECK_DEFAULTS;
    if (cli->options[OPTION_COERCE]) judged.check.flags |= GRAMC_CHECK_COERCE;
    if (cli->operand_count < 2)
        return cli_usage(cli, "validate: name a schema or SPEC#TOOL, and an instance or -");
    if (!find_format(cli->options[OPTION_FORMAT], &judged.format))
        return cli_usage(cli, "--format takes text, json, flag, basic or detailed, not %s",
                         cli->options[OPTION_FORMAT]);
    int code = validate_open(&judged);
    for (size_t i = 1; i < cli->operand_count && code == EXIT_FINE; i++)
        code = judged.lines ? judge_lines(&judged, cli->operands[i])
                            : judge_file(&judged, cli->operands[i]);
    validate_close(&judged);
    return code == EXIT_FINE && judged.invalid ? EXIT_FINDINGS : code;
}
