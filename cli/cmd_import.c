/* gramc import: tool definitions in JSON to the text of an agent spec, and for HTTP interfaces to
 * the library that calls them. Findings go to standard error. */
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX };

static int know_kind(struct cli *cli, const char *name) {
    for (size_t i = 0; gramc_import_kind(i); i++)
        if (strcmp(gramc_import_kind(i), name) == 0) return EXIT_FINE;
    fprintf(cli->err, "gramc: there is no kind %s; there are", name);
    for (size_t i = 0; gramc_import_kind(i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_import_kind(i));
    fputc('\n', cli->err);
    return EXIT_USAGE;
}

static int read_files(struct cli *cli, gramc_import_file *files) {
    for (size_t i = 0; i < cli->operand_count; i++) {
        const struct cli_file *file = cli_read(cli, cli->operands[i]);
        if (!file) return cli->failure;
        bool is_input = strcmp(cli->operands[i], "-") == 0;
        files[i].name = text_of(is_input ? "<stdin>" : cli->operands[i]);
        files[i].bytes = file->bytes;
        files[i].len = file->len;
    }
    return EXIT_FINE;
}

static int write_output(struct cli *cli, const char *path, const struct buf *text) {
    bool is_file = path && strcmp(path, "-") != 0;
    return is_file ? cli_write_file(cli, path, buf_view(text))
                   : cli_status(cli, buf_send(text, cli_text_writer(cli)));
}

/* ## Options */

/* All values of an option, in `room`; the options count how many there are of each. */
static size_t take_values(struct cli *cli, enum option_id id, gramc_text *room) {
    size_t count = 0;
    for (size_t i = 0; i < cli->given_count; i++)
        if (cli->given[i].id == id) room[count++] = text_of(cli->given[i].value);
    return count;
}

struct globs {
    gramc_text tags[CLI_GIVEN], paths[CLI_GIVEN], operations[CLI_GIVEN];
};

static void take_filters(struct cli *cli, struct globs *globs, gramc_import_options *options) {
    options->tags = globs->tags;
    options->tag_count = take_values(cli, OPTION_TAG, globs->tags);
    options->paths = globs->paths;
    options->path_count = take_values(cli, OPTION_PATH, globs->paths);
    options->operations = globs->operations;
    options->operation_count = take_values(cli, OPTION_OPERATION, globs->operations);
}

static bool is_name_part(gramc_text part) {
    size_t i = 0;
    while (gramc_import_name_part(i) && !text_is(part, gramc_import_name_part(i))) i++;
    return gramc_import_name_part(i) != NULL;
}

/* A pattern has a part, and no part that there is not. */
static int check_name(struct cli *cli, const char *pattern) {
    gramc_text text = text_of(pattern ? pattern : "{name}");
    bool any = false, good = true;
    for (size_t i = 0; i < text.len && good; i++) {
        size_t end = i;
        if (text.ptr[i] == '}') good = false;
        if (text.ptr[i] != '{') continue;
        while (end < text.len && text.ptr[end] != '}') end++;
        good = end < text.len && is_name_part(text_slice(text, i + 1, end));
        any = true;
        i = end;
    }
    if (good && any) return EXIT_FINE;
    fprintf(cli->err, "gramc: import: --name takes text with");
    for (size_t i = 0; gramc_import_name_part(i); i++)
        fprintf(cli->err, "%s {%s}", i ? "," : "", gramc_import_name_part(i));
    fprintf(cli->err, "; there is %s in %s\n", good ? "none" : "something else", pattern);
    return EXIT_USAGE;
}

/* ## The command */

static int convert(struct cli *cli, gramc_compilation *compilation,
                   const gramc_import_file *files) {
    gramc_import_options options = GRAMC_IMPORT_OPTIONS_INIT;
    const char *kind = cli->options[OPTION_FROM], *agent = cli->options[OPTION_AGENT];
    const char *library_path = cli->options[OPTION_LIBRARY];
    const char *name = cli->options[OPTION_NAME];
    struct buf spec, library;
    struct globs globs;
    buf_init(&spec, &cli->allocator, OUTPUT_MAX);
    buf_init(&library, &cli->allocator, OUTPUT_MAX);
    options.kind = text_of(kind ? kind : "");
    options.agent = text_of(agent ? agent : "");
    options.name = text_of(name ? name : "");
    take_filters(cli, &globs, &options);
    if (library_path) options.library = buf_writer(&library);
    gramc_status status =
        gramc_import(compilation, files, cli->operand_count, &options, buf_writer(&spec));
    if (status == GRAMC_IO) status = GRAMC_NOMEM;
    int code = cli_status(cli, status);
    if (code == EXIT_FINE) code = cli_report(cli, compilation, cli->err);
    if (code == EXIT_FINE && status == GRAMC_OK)
        code = write_output(cli, cli->options[OPTION_OUTPUT], &spec);
    if (code == EXIT_FINE && status == GRAMC_OK && library_path)
        code = write_output(cli, library_path, &library);
    buf_free(&spec);
    buf_free(&library);
    return code;
}

int cmd_import(struct cli *cli) {
    const char *kind = cli->options[OPTION_FROM];
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    size_t size = cli->operand_count * sizeof(gramc_import_file);
    if (cli->operand_count == 0) return cli_usage(cli, "import: name a file, or -");
    if (kind && know_kind(cli, kind) != EXIT_FINE) return EXIT_USAGE;
    if (check_name(cli, cli->options[OPTION_NAME]) != EXIT_FINE) return EXIT_USAGE;
    options.allocator = &cli->allocator;
    gramc_import_file *files = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, size);
    if (!files) return cli_no_memory(cli);
    int code = read_files(cli, files);
    if (code == EXIT_FINE) {
        if (gramc_compilation_new(&compilation, &options)) code = cli_no_memory(cli);
        else {
            code = convert(cli, compilation, files);
            gramc_compilation_free(compilation);
        }
    }
    cli->allocator.alloc(cli->allocator.ctx, files, size, 0);
    return code;
}
