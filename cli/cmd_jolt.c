/* gramc jolt: one document, transformed by a chain of JOLT operations. */
#include "cli/cli.h"
#include "gramc/jolt.h"

#include "base/buf.h"
#include "base/json/json.h"
#include "base/source.h"
#include "base/text.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

static gramc_text bytes_of(const struct cli_file *file) {
    return (gramc_text){file->bytes, file->len};
}

/* Names the place as file:line:column, and where in the document that is. */
static int tell(struct cli *cli, const char *path, const struct cli_file *file,
                const gramc_json_error *error) {
    struct source source = {.name = text_of(path), .text = bytes_of(file)};
    struct position place = source_position(&source, (uint32_t)error->position);
    fprintf(cli->err, "%s:%u:%u: error: %s", path, (unsigned)place.line, (unsigned)place.column,
            error->message);
    if (error->pointer[0]) fprintf(cli->err, " (%s)", error->pointer);
    fputc('\n', cli->err);
    return EXIT_FINDINGS;
}

static gramc_status put_result(struct cli *cli, gramc_text result, struct buf *out) {
    struct arena arena;
    if (!cli->options[OPTION_PRETTY]) {
        buf_text(out, result);
        return buf_status(out);
    }
    arena_init(&arena, &cli->allocator);
    const struct json *document = json_parse(&arena, result, NULL);
    if (document) json_put_pretty(out, document);
    arena_free(&arena);
    return document ? buf_status(out) : GRAMC_NOMEM;
}

static int print_result(struct cli *cli, gramc_text result) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = put_result(cli, result, &out);
    buf_putc(&out, '\n');
    int code = status == GRAMC_OK ? cli_send_json_buf(cli, &out) : cli_status(cli, status);
    buf_free(&out);
    return code;
}

/* The context is read first, so that an error is known to be the input's. */
static int check_object(struct cli *cli, const char *path, gramc_text text) {
    struct arena arena;
    arena_init(&arena, &cli->allocator);
    bool good = json_is(json_parse(&arena, text, NULL), JSON_OBJECT), oom = arena.oom;
    arena_free(&arena);
    if (oom) return cli_no_memory(cli);
    return good ? EXIT_FINE : cli_usage(cli, "%s: not a JSON object", path);
}

static int read_context(struct cli *cli, gramc_jolt_options *options) {
    const char *path = cli->options[OPTION_CONTEXT];
    if (!path) return EXIT_FINE;
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    options->context = bytes_of(file);
    return check_object(cli, path, options->context);
}

static int apply(struct cli *cli, const gramc_jolt *jolt, const gramc_jolt_options *options) {
    const struct cli_file *input = cli_read(cli, cli->operands[1]);
    gramc_json_error error;
    struct buf result;
    if (!input) return cli->failure;
    buf_init(&result, &cli->allocator, OUTPUT_MAX);
    gramc_status status =
        gramc_jolt_apply(jolt, bytes_of(input), options, buf_writer(&result), &error);
    int code = EXIT_FINE;
    if (status == GRAMC_IO) status = buf_status(&result);
    if (status == GRAMC_FINDINGS) code = tell(cli, cli->operands[1], input, &error);
    else if (status == GRAMC_LIMIT)
        code = cli_usage(cli, "the transformation passes gramc's limits");
    else if (status != GRAMC_OK) code = cli_status(cli, status);
    else code = print_result(cli, buf_view(&result));
    buf_free(&result);
    return code;
}

int cmd_jolt(struct cli *cli) {
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    gramc_json_error error;
    gramc_jolt *jolt;
    options.allocator = &cli->allocator;
    if (cli->operand_count != 2) return cli_usage(cli, "jolt: name a spec and an input");
    const struct cli_file *spec = cli_read(cli, cli->operands[0]);
    if (!spec) return cli->failure;
    int code = read_context(cli, &options);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_jolt_compile(&jolt, bytes_of(spec), &cli->allocator, &error);
    if (status == GRAMC_FINDINGS || status == GRAMC_LIMIT)
        return tell(cli, cli->operands[0], spec, &error);
    if (status != GRAMC_OK) return cli_status(cli, status);
    code = apply(cli, jolt, &options);
    gramc_jolt_free(jolt);
    return code;
}
