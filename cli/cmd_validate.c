/* gramc validate: instances to verdicts. What is asked of each instance alone is printed as it
 * goes, with --lines from a stream of any length of which one line is in memory at a time; reports
 * of findings need all instances (validate_collect.c). */
#include "cli/validate.h"

#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum { LONGEST_LINE = 64 << 20, VERDICT_MAX = 64 << 20, CHUNK = 1 << 16 };

/* ## Printing one verdict */

/* One line a line: `valid`, or `invalid: ` and the sentences. */
static void print_line(struct evaluated *evaluated, const gramc_verdict *verdict) {
    FILE *out = evaluated->cli->out;
    fputs(verdict->valid ? "valid" : "invalid: ", out);
    for (size_t i = 0; i < verdict->error_count; i++) {
        if (i) fputs("; ", out);
        cli_put_safe(out, verdict->errors[i].message);
    }
    fputc('\n', out);
}

static void print_normalised(struct evaluated *evaluated, const gramc_verdict *verdict) {
    (void)cli_send_json(evaluated->cli, verdict->normalised);
    fputc('\n', evaluated->cli->out);
}

static void print_left_out(struct evaluated *evaluated, const char *name,
                           const gramc_verdict *verdict) {
    FILE *err = evaluated->cli->err;
    for (size_t i = 0; i < verdict->adjustment_count; i++) {
        const gramc_adjustment *change = &verdict->adjustments[i];
        if (change->kind != GRAMC_ADJUSTED_LEFT_OUT) continue;
        fprintf(err, "gramc: %s: ", name);
        cli_put_safe(err, change->instance);
        fputs(": the default ", err);
        cli_put_safe(err, change->after);
        fputs(" is left out: the value would not be valid with it\n", err);
    }
}

/* ## Judging */

bool validate_is_fine(struct evaluated *evaluated, gramc_text bytes) {
    return !evaluated->check.flags && gramc_schema_accepts(evaluated->schema, bytes.ptr, bytes.len);
}

int validate_evaluate(struct evaluated *evaluated, const char *name, gramc_text bytes,
                      gramc_verdict **verdict) {
    gramc_json_error error = {.message = ""};
    gramc_check_options options = evaluated->check;
    options.error = &error;
    gramc_status status =
        gramc_schema_check(verdict, evaluated->schema, bytes.ptr, bytes.len, &options);
    if (status == GRAMC_LIMIT)
        return cli_usage(evaluated->cli, "%s: a limit was passed at byte %zu (%s): %s", name,
                         error.position, error.pointer[0] ? error.pointer : "the whole",
                         error.message);
    if (status != GRAMC_OK) return cli_status(evaluated->cli, status);
    evaluated->invalid = evaluated->invalid || !(*verdict)->valid;
    if ((*verdict)->valid && evaluated->normalise) {
        print_normalised(evaluated, *verdict);
        print_left_out(evaluated, name, *verdict);
    }
    return EXIT_FINE;
}

static int print_verdict(struct evaluated *evaluated, const gramc_verdict *verdict) {
    struct buf out;
    buf_init(&out, &evaluated->cli->allocator, VERDICT_MAX);
    gramc_status status = gramc_verdict_print(verdict, evaluated->verdicts, buf_writer(&out));
    bool told_by_buf = status == GRAMC_OK || status == GRAMC_IO;
    int code =
        told_by_buf ? cli_send_json_buf(evaluated->cli, &out) : cli_status(evaluated->cli, status);
    buf_free(&out);
    return code;
}

/* A verdict of its own for each instance, at once. */
static int evaluate(struct evaluated *evaluated, const char *name, gramc_text bytes) {
    gramc_verdict *verdict;
    bool text = evaluated->verdicts == GRAMC_VERDICT_TEXT;
    if (text && validate_is_fine(evaluated, bytes)) {
        fputs("valid\n", evaluated->cli->out);
        return EXIT_FINE;
    }
    int code = validate_evaluate(evaluated, name, bytes, &verdict);
    /* A line of its own keeps its number; the others are evaluated all the same. */
    if (code == EXIT_USAGE && evaluated->lines) {
        evaluated->limited = true;
        fputs(text ? "limit\n" : "{\"valid\":null}\n", evaluated->cli->out);
        return EXIT_FINE;
    }
    if (code != EXIT_FINE) return code;
    if (!text) code = print_verdict(evaluated, verdict);
    else if (!(verdict->valid && evaluated->normalise)) print_line(evaluated, verdict);
    gramc_verdict_free(verdict);
    return code;
}

static int evaluate_file(struct evaluated *evaluated, const char *path) {
    const struct cli_file *file = cli_read(evaluated->cli, path);
    if (!file) return evaluated->cli->failure;
    return evaluate(evaluated, validate_name(path), (gramc_text){file->bytes, file->len});
}

/* Lines that are complete in the buffer; what is left moves to its front. Blank lines are none. */
static int evaluate_buffered(struct evaluated *evaluated, const char *name, struct buf *buf,
                             bool at_end) {
    size_t start = 0;
    int code = EXIT_FINE;
    while (code == EXIT_FINE && start < buf->len) {
        const char *feed = memchr(buf->ptr + start, '\n', buf->len - start);
        if (!feed && !at_end) break;
        size_t end = feed ? (size_t)(feed - buf->ptr) : buf->len;
        gramc_text line = text_trim((gramc_text){buf->ptr + start, end - start});
        if (line.len) code = evaluate(evaluated, name, line);
        start = feed ? end + 1 : end;
    }
    memmove(buf->ptr, buf->ptr + start, buf->len - start);
    buf->len -= start;
    return code;
}

static int evaluate_stream(struct evaluated *evaluated, const char *name, FILE *stream) {
    struct buf buf;
    int code = EXIT_FINE;
    buf_init(&buf, &evaluated->cli->allocator, LONGEST_LINE);
    while (code == EXIT_FINE) {
        char *room = buf_reserve(&buf, CHUNK);
        if (!room && buf.state == BUF_NOMEM) code = cli_no_memory(evaluated->cli);
        else if (!room) code = cli_usage(evaluated->cli, "%s: a line is longer than 64 MiB", name);
        if (!room) break;
        size_t got = fread(room, 1, CHUNK, stream);
        buf.len += got;
        if (got == 0 && ferror(stream))
            code = cli_usage(evaluated->cli, "%s: %s", name, strerror(errno));
        else code = evaluate_buffered(evaluated, name, &buf, got == 0);
        if (got == 0) break;
    }
    buf_free(&buf);
    return code;
}

static int evaluate_lines(struct evaluated *evaluated, const char *path) {
    if (strcmp(path, "-") == 0) return evaluate_stream(evaluated, validate_name(path), stdin);
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_usage(evaluated->cli, "%s: %s", path, strerror(errno));
    int code = evaluate_stream(evaluated, path, stream);
    fclose(stream);
    return code;
}

/* ## The command */

const char *validate_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* What verdicts of that format tell beside errors. */
static unsigned flags_for(gramc_verdict_format format) {
    switch (format) {
    case GRAMC_VERDICT_BASIC:
    case GRAMC_VERDICT_DETAILED: return GRAMC_CHECK_ANNOTATIONS;
    case GRAMC_VERDICT_VERBOSE: return GRAMC_CHECK_UNITS;
    default: return 0;
    }
}

/* With --lines, text is a line for each line: no report. */
static int find_format(struct evaluated *evaluated) {
    struct cli *cli = evaluated->cli;
    const char *name = cli->options[OPTION_FORMAT];
    FILE *file = evaluated->normalise ? cli->err : cli->out;
    bool text = !name || strcmp(name, "text") == 0;
    evaluated->verdicts = GRAMC_VERDICT_TEXT;
    evaluated->normalise = evaluated->normalise && text;
    evaluated->at_once = (name && gramc_verdict_format_find(text_of(name), &evaluated->verdicts)) ||
                         (text && evaluated->lines);
    evaluated->check.flags |= flags_for(evaluated->verdicts);
    return evaluated->at_once ? EXIT_FINE : cli_find_format(cli, name, file, &evaluated->format);
}

static int evaluate_all(struct evaluated *evaluated) {
    struct cli *cli = evaluated->cli;
    int code = EXIT_FINE;
    if (!evaluated->at_once) return validate_collect(evaluated);
    for (size_t i = 1; i < cli->operand_count && code == EXIT_FINE; i++)
        code = evaluated->lines ? evaluate_lines(evaluated, cli->operands[i])
                                : evaluate_file(evaluated, cli->operands[i]);
    return code;
}

int cmd_validate(struct cli *cli) {
    struct evaluated evaluated = {.cli = cli, .check = GRAMC_CHECK_OPTIONS_INIT};
    evaluated.lines = cli->options[OPTION_LINES] != NULL;
    evaluated.normalise = cli->options[OPTION_NORMALISE] != NULL;
    evaluated.check.allocator = &cli->allocator;
    if (evaluated.normalise) evaluated.check.flags |= GRAMC_CHECK_DEFAULTS;
    if (cli->options[OPTION_COERCE]) evaluated.check.flags |= GRAMC_CHECK_COERCE;
    if (cli->operand_count < 2)
        return cli_usage(cli, "validate: name a schema or SPEC#TOOL, and an instance or -");
    int code = find_format(&evaluated);
    if (code == EXIT_FINE) code = validate_open(&evaluated);
    if (code == EXIT_FINE) code = evaluate_all(&evaluated);
    validate_close(&evaluated);
    if (code == EXIT_FINE && evaluated.limited) return EXIT_USAGE;
    return code == EXIT_FINE && evaluated.invalid ? EXIT_FINDINGS : code;
}
