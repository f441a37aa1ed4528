/* gramc fmt: sources to the same sources in one style, where they are; or, with --check, to
 * findings. */
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/diff.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

struct formatting {
    struct cli *cli;
    gramc_compilation *compilation;
    bool failed;
};

static int print_diff(struct cli *cli, const gramc_source *source, gramc_text text) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = diff_print(&out, source->name, source->text, text);
    if (status == GRAMC_OK) status = buf_send(&out, cli_text_writer(cli));
    buf_free(&out);
    return cli_status(cli, status);
}

static int hand_out(struct formatting *f, const gramc_source *source, gramc_text text) {
    struct cli *cli = f->cli;
    if (cli->options[OPTION_DIFF]) return print_diff(cli, source, text);
    if (text_is(source->name, "<stdin>")) {
        gramc_writer writer = cli_text_writer(cli);
        return cli_status(cli, writer.write(writer.ctx, text.ptr, text.len) ? GRAMC_IO : GRAMC_OK);
    }
    return text_eq(source->text, text) ? EXIT_FINE : cli_rewrite(cli, source->name.ptr, text);
}

/* A file that cannot be formatted stays as it is; the others are formatted. */
static int leave(struct formatting *f, const gramc_source *source, gramc_status status) {
    f->failed = true;
    if (status == GRAMC_INTERNAL)
        cli_usage(f->cli,
                  "%.*s: left as it is: gramc would have changed what it says; please report",
                  TEXT_ARGS(source->name));
    else if (!f->cli->options[OPTION_CHECK])
        cli_usage(f->cli, "%.*s: left as it is", TEXT_ARGS(source->name));
    return EXIT_FINE;
}

static int write_one(struct formatting *f, size_t i, const gramc_source *source,
                     const gramc_format_options *options) {
    struct buf out;
    buf_init(&out, &f->cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_source_format(f->compilation, i, options, buf_writer(&out));
    if (status == GRAMC_IO) status = buf_status(&out);
    int code = status == GRAMC_OK ? hand_out(f, source, buf_view(&out))
               : status == GRAMC_FINDINGS || status == GRAMC_INTERNAL ? leave(f, source, status)
                                                                      : cli_status(f->cli, status);
    buf_free(&out);
    return code;
}

static int format_one(struct formatting *f, size_t i) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    gramc_source source;
    struct cli *cli = f->cli;
    if (!gramc_source_get(f->compilation, i, &source)) return EXIT_FINE;
    options.portable = cli->options[OPTION_PORTABLE] != NULL;
    if (!cli->options[OPTION_CHECK]) return write_one(f, i, &source, &options);
    gramc_status status = gramc_source_check_format(f->compilation, i, &options);
    if (status == GRAMC_INTERNAL) return leave(f, &source, status);
    if (status == GRAMC_FINDINGS && cli->options[OPTION_DIFF] && !source.has_errors)
        return write_one(f, i, &source, &options);
    return cli_status(cli, status);
}

static bool writes_on_out(const struct cli *cli) {
    bool writes = cli->options[OPTION_DIFF];
    for (size_t i = 0; i < cli->operand_count; i++)
        writes = writes || strcmp(cli->operands[i], "-") == 0;
    return writes;
}

/* With --check the findings are what was asked for. */
static int format_all(struct formatting *f) {
    bool check = f->cli->options[OPTION_CHECK] && !f->cli->options[OPTION_DIFF];
    for (size_t i = 0; i < gramc_source_count(f->compilation); i++) {
        int code = format_one(f, i);
        if (code != EXIT_FINE) return code;
    }
    bool on_out = check || (cli_wants_report(f->cli) && !writes_on_out(f->cli));
    int code = cli_report(f->cli, f->compilation, on_out ? f->cli->out : f->cli->err);
    f->cli->reported = true;
    return code == EXIT_FINE && f->failed ? EXIT_FINDINGS : code;
}

int cmd_fmt(struct cli *cli) {
    struct formatting f = {.cli = cli};
    if (cli->operand_count == 0) return cli_usage(cli, "fmt: name a file, a folder, or -");
    int code = cli_load_gram(cli, &f.compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = format_all(&f);
    gramc_compilation_free(f.compilation);
    return code;
}
