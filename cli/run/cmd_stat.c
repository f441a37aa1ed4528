/* gramc stat: the numbers of a report, computed again. One analysis by its name; inputs and results
 * are JSON objects. The analyses themselves are in experiment/stat. */
#include "cli/run/run.h"

#include "base/buf.h"
#include "base/json/json.h"
#include "base/source.h"
#include "base/text.h"
#include "experiment/stat/analysis/analysis.h"

enum { RESULT_MAX = 64 << 20 };

/* "k, n, conf (0.95)" */
static void print_fields(FILE *out, const struct stat_method *method) {
    for (size_t i = 0; i < STAT_FIELDS && method->fields[i].takes; i++) {
        const struct stat_field *field = &method->fields[i];
        fprintf(out, "%s%s", i ? ", " : "", field->name);
        if (field->without) fprintf(out, " (%s)", field->without);
    }
}

static int print_list(struct cli *cli) {
    for (size_t i = 0; stat_method(i); i++) {
        const struct stat_method *method = stat_method(i);
        fprintf(cli->out, "%s: %s\n    ", method->name, method->about);
        print_fields(cli->out, method);
        fputc('\n', cli->out);
    }
    return EXIT_FINE;
}

static int complain_of_json(struct cli *cli, const char *path, gramc_text text,
                            const struct json_error *error) {
    struct source source = {.name = text_of(path), .text = text};
    struct position place = source_position(&source, (uint32_t)error->position);
    return cli_usage(cli, "%s:%u:%u: %s", path, (unsigned)place.line, (unsigned)place.column,
                     error->message);
}

static int complain(struct cli *cli, const struct stat_method *method,
                    const struct stat_complaint *complaint) {
    if (!complaint->field[0]) return cli_usage(cli, "%s: %s", method->name, complaint->message);
    return cli_usage(cli, "%s: %s: %s", method->name, complaint->field, complaint->message);
}

static int analyse(struct cli *cli, struct arena *arena, const struct stat_method *method,
                   const struct json *inputs) {
    struct stat_complaint complaint = {"", ""};
    struct buf out;
    buf_init(&out, &cli->allocator, RESULT_MAX);
    gramc_status status = stat_analyse(&out, arena, method, inputs, &complaint);
    buf_putc(&out, '\n');
    int code = status == GRAMC_USAGE ? complain(cli, method, &complaint)
               : status              ? cli_status(cli, status)
                                     : cli_send_json_buf(cli, &out);
    buf_free(&out);
    return code;
}

static int unknown(struct cli *cli, const char *name) {
    gramc_text near = stat_method_nearest(text_of(name));
    if (near.len)
        return cli_usage(cli, "stat: no method %s; did you mean %.*s?", name, TEXT_ARGS(near));
    return cli_usage(cli, "stat: no method %s; see gramc stat --list", name);
}

int cmd_stat(struct cli *cli) {
    struct json_error error = {.message = ""};
    struct arena arena;
    if (cli->options[OPTION_LIST]) {
        if (cli->operand_count) return cli_usage(cli, "stat: --list takes no method");
        return print_list(cli);
    }
    if (cli->operand_count < 1 || cli->operand_count > 2)
        return cli_usage(cli, "stat: name a method and the file with its inputs, - or none for "
                              "standard input; see gramc stat --list");
    const struct stat_method *method = stat_method_find(text_of(cli->operands[0]));
    if (!method) return unknown(cli, cli->operands[0]);
    const char *path = cli->operand_count > 1 ? cli->operands[1] : "-";
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_text text = {file->bytes, file->len};
    arena_init(&arena, &cli->allocator);
    const struct json *inputs = json_parse(&arena, text, &error);
    int code = inputs      ? analyse(cli, &arena, method, inputs)
               : arena.oom ? cli_no_memory(cli)
                           : complain_of_json(cli, path, text, &error);
    arena_free(&arena);
    return code;
}
