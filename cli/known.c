/* Turns --baseline and --write-baseline into files that are read and written; what stands in them
 * is the library's. */
#include "cli/known.h"

#include "base/buf.h"

enum { OUTPUT_MAX = INT32_MAX };

static int save(struct cli *cli, const void *what, baseline_writer *write, const char *path) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = write(what, buf_writer(&out));
    if (status == GRAMC_IO) status = buf_status(&out);
    int code =
        status == GRAMC_OK ? cli_write_file(cli, path, buf_view(&out)) : cli_status(cli, status);
    buf_free(&out);
    return code;
}

static int load(struct cli *cli, void *what, baseline_applier *apply, const char *path,
                const char *noun) {
    size_t gone;
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_status status = apply(what, (gramc_text){file->bytes, file->len}, &gone);
    if (status == GRAMC_USAGE)
        return cli_usage(cli, "%s: this is no baseline that gramc %s can read", path,
                         gramc_version());
    if (status == GRAMC_OK && gone)
        fprintf(cli->err,
                "gramc: note: %zu of the %s in %s no longer occur%s; --write-baseline "
                "brings it up to date\n",
                gone, noun, path, gone == 1 ? "s" : "");
    return cli_status(cli, status);
}

int cli_use_baselines(struct cli *cli, void *what, baseline_writer *write, baseline_applier *apply,
                      const char *noun) {
    const char *known = cli->options[OPTION_BASELINE], *out = cli->options[OPTION_WRITE_BASELINE];
    int code = out ? save(cli, what, write, out) : EXIT_FINE;
    if (!known) known = out;
    return code == EXIT_FINE && known ? load(cli, what, apply, known, noun) : code;
}
