/* All instances of gramc validate to one report of findings: files, or the lines of files. Verdicts
 * of what is invalid are kept until it is printed, and the files with them. */
#include "cli/validate.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

struct collection {
    struct evaluated *evaluated;
    struct buf items;    /* gramc_evaluated, one behind the other */
    struct buf verdicts; /* gramc_verdict *, to free */
};

static size_t count_of(const struct collection *all) {
    return all->items.len / sizeof(gramc_evaluated);
}

static const gramc_evaluated *items_of(const struct collection *all) {
    return (const gramc_evaluated *)(const void *)all->items.ptr;
}

static int keep(struct collection *all, const gramc_evaluated *item) {
    buf_put(&all->items, (const char *)item, sizeof *item);
    return cli_status(all->evaluated->cli, buf_status(&all->items));
}

static bool own(struct collection *all, gramc_verdict *verdict) {
    buf_put(&all->verdicts, (const char *)&verdict, sizeof(gramc_verdict *));
    return all->verdicts.state == BUF_FINE;
}

static void free_all(struct collection *all) {
    gramc_verdict *verdict;
    for (size_t at = 0; at < all->verdicts.len; at += sizeof(gramc_verdict *)) {
        memcpy(&verdict, all->verdicts.ptr + at, sizeof(gramc_verdict *));
        gramc_verdict_free(verdict);
    }
    buf_free(&all->verdicts);
    buf_free(&all->items);
}

/* Keeps the verdict only if something is wrong. */
static int collect(struct collection *all, gramc_evaluated item, gramc_text instance) {
    gramc_verdict *verdict;
    if (validate_is_fine(all->evaluated, instance)) return EXIT_FINE;
    int code = validate_evaluate(all->evaluated, item.name.ptr, instance, &verdict);
    if (code == EXIT_USAGE && all->evaluated->lines) {
        all->evaluated->limited = true;
        return EXIT_FINE;
    }
    if (code != EXIT_FINE) return code;
    item.start = (size_t)(instance.ptr - item.text.ptr);
    item.verdict = verdict;
    if (!verdict->valid && own(all, verdict)) return keep(all, &item);
    bool valid = verdict->valid;
    gramc_verdict_free(verdict);
    return valid ? EXIT_FINE : cli_status(all->evaluated->cli, buf_status(&all->verdicts));
}

static int collect_lines(struct collection *all, const gramc_evaluated *file) {
    int code = EXIT_FINE;
    for (size_t start = 0; start < file->text.len && code == EXIT_FINE;) {
        const char *feed = memchr(file->text.ptr + start, '\n', file->text.len - start);
        size_t end = feed ? (size_t)(feed - file->text.ptr) : file->text.len;
        gramc_text line = text_trim(text_slice(file->text, start, end));
        if (line.len) code = collect(all, *file, line);
        start = end + 1;
    }
    return code;
}

/* Each file has an item of its own in front, so that one without errors is listed too. */
static int collect_file(struct collection *all, const char *path) {
    const struct cli_file *bytes = cli_read(all->evaluated->cli, path);
    if (!bytes) return all->evaluated->cli->failure;
    const gramc_evaluated file = {.name = text_of(validate_name(path)),
                                  .text = {bytes->bytes, bytes->len}};
    int code = keep(all, &file);
    if (code != EXIT_FINE) return code;
    return all->evaluated->lines ? collect_lines(all, &file) : collect(all, file, file.text);
}

int validate_collect(struct evaluated *evaluated) {
    struct cli *cli = evaluated->cli;
    struct collection all = {.evaluated = evaluated};
    int code = EXIT_FINE;
    buf_init(&all.items, &cli->allocator, INT32_MAX);
    buf_init(&all.verdicts, &cli->allocator, INT32_MAX);
    for (size_t i = 1; i < cli->operand_count && code == EXIT_FINE; i++)
        code = collect_file(&all, cli->operands[i]);
    if (code == EXIT_FINE)
        code = cli_status(
            cli,
            gramc_verdicts_print(items_of(&all), count_of(&all), evaluated->format, &cli->allocator,
                                 cli_writer(evaluated->normalise ? cli->err : cli->out)));
    if (code == EXIT_FINE) cli->reported = true;
    free_all(&all);
    return code;
}
