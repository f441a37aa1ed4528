/* gramc validate: instances to verdicts. What is asked of each instance alone is printed as it
 * goes, with --lines from a stream of any length of which one line is in memory at a time; reports
 * of findings need all instances (validate_collect.c). */
#include "cli/validate.h"

#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum { LONGEST_LINE = 64 << 20, CHUNK = 1 << 16 };

/* ## Printing one verdict */

/* One line a line: `valid`, or `invalid: ` and the sentences. */
static void print_line(struct judged *judged, const gramc_verdict *verdict) {
    FILE *out = judged->cli->out;
    fputs(verdict->valid ? "valid" : "invalid: ", out);
    for (size_t i = 0; i < verdict->error_count; i++) {
        if (i) fputs("; ", out);
        cli_put_safe(out, verdict->errors[i].message);
    }
    fputc('\n', out);
}

static void print_normalised(struct judged *judged, const gramc_verdict *verdict) {
    fwrite(verdict->normalised.ptr, 1, verdict->normalised.len, judged->cli->out);
    fputc('\n', judged->cli->out);
}

/* ## Judging */

bool validate_is_fine(struct judged *judged, gramc_text bytes) {
    return !judged->check.flags && gramc_schema_accepts(judged->schema, bytes.ptr, bytes.len);
}

int validate_judge(struct judged *judged, const char *name, gramc_text bytes,
                   gramc_verdict **verdict) {
    gramc_status status =
        gramc_schema_check(verdict, judged->schema, bytes.ptr, bytes.len, &judged->check);
    if (status == GRAMC_LIMIT)
        return cli_usage(judged->cli, "%s: a limit was passed (nesting, or a pattern's work)",
                         name);
    if (status != GRAMC_OK) return cli_status(judged->cli, status);
    judged->invalid = judged->invalid || !(*verdict)->valid;
    if ((*verdict)->valid && judged->normalise) print_normalised(judged, *verdict);
    return EXIT_FINE;
}

/* A verdict of its own for each instance, at once. */
static int judge(struct judged *judged, const char *name, gramc_text bytes) {
    gramc_verdict *verdict;
    bool text = judged->verdicts == GRAMC_VERDICT_TEXT;
    if (text && validate_is_fine(judged, bytes)) {
        fputs("valid\n", judged->cli->out);
        return EXIT_FINE;
    }
    int code = validate_judge(judged, name, bytes, &verdict);
    if (code != EXIT_FINE) return code;
    if (!text)
        code = cli_status(judged->cli, gramc_verdict_print(verdict, judged->verdicts,
                                                           cli_writer(judged->cli->out)));
    else if (!(verdict->valid && judged->normalise)) print_line(judged, verdict);
    gramc_verdict_free(verdict);
    return code;
}

static int judge_file(struct judged *judged, const char *path) {
    const struct cli_file *file = cli_read(judged->cli, path);
    if (!file) return judged->cli->failure;
    return judge(judged, validate_name(path), (gramc_text){file->bytes, file->len});
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
    if (strcmp(path, "-") == 0) return judge_stream(judged, validate_name(path), stdin);
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_usage(judged->cli, "%s: %s", path, strerror(errno));
    int code = judge_stream(judged, path, stream);
    fclose(stream);
    return code;
}

/* ## The command */

const char *validate_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* With --lines, text is a line for each line: no report. */
static int find_format(struct judged *judged) {
    struct cli *cli = judged->cli;
    const char *name = cli->options[OPTION_FORMAT];
    FILE *file = judged->normalise ? cli->err : cli->out;
    bool text = !name || strcmp(name, "text") == 0;
    judged->verdicts = GRAMC_VERDICT_TEXT;
    judged->normalise = judged->normalise && text;
    judged->at_once = (name && gramc_verdict_format_find(text_of(name), &judged->verdicts)) ||
                      (text && judged->lines);
    return judged->at_once ? EXIT_FINE : cli_find_format(cli, name, file, &judged->format);
}

static int judge_all(struct judged *judged) {
    struct cli *cli = judged->cli;
    int code = EXIT_FINE;
    if (!judged->at_once) return validate_collect(judged);
    for (size_t i = 1; i < cli->operand_count && code == EXIT_FINE; i++)
        code = judged->lines ? judge_lines(judged, cli->operands[i])
                             : judge_file(judged, cli->operands[i]);
    return code;
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
    int code = find_format(&judged);
    if (code == EXIT_FINE) code = validate_open(&judged);
    if (code == EXIT_FINE) code = judge_all(&judged);
    validate_close(&judged);
    return code == EXIT_FINE && judged.invalid ? EXIT_FINDINGS : code;
}
