/* gramc report: a JSON report of an experiment in another format, or an arm of one experiment
 * against an arm of another. Runs nothing and opens no store. */
#include "base/text.h"
#include "cli/run/report.h"
#include "cli/run/report_online.h"
#include "cli/run/run.h"
#include "experiment/history.h"

#include <string.h>

/* `FILE#ARM` becomes both; a file that has such a name is taken as it is. */
static int read_source(struct cli *cli, struct arena *arena, char *operand,
                       struct history_source *out) {
    char *hash = strrchr(operand, '#');
    if (hash) {
        out->arm = arena_text(arena, text_of(hash + 1));
        *hash = '\0';
    }
    out->label = text_of(operand);
    const struct cli_file *file = cli_read(cli, operand);
    if (!file) return cli->failure;
    struct json_error error = {.message = ""};
    out->report = json_parse(arena, (gramc_text){file->bytes, file->len}, &error);
    if (arena->oom) return cli_no_memory(cli);
    if (!out->report)
        return cli_usage(cli, "%s: byte %zu: %s", operand, error.position, error.message);
    return EXIT_FINE;
}

static int compare(struct cli *cli, const struct history_source *sources,
                   const struct report_request *request) {
    struct analysis analysis;
    char why[HISTORY_WHY] = "";
    gramc_status status =
        analyse_history(&analysis, sources, cli->operand_count, &cli->allocator, why);
    if (status == GRAMC_FINDINGS) return cli_usage(cli, "report: %s", why);
    if (status != GRAMC_OK) return cli_status(cli, status);
    int code = report_check_found(cli, request, &analysis);
    if (code == EXIT_FINE) code = report_write(cli, &analysis, request);
    analysis_free(&analysis);
    return code;
}

/* A database, by its address or by what every file of SQLite begins with. */
static bool is_store(const char *operand) {
    static const char lead[] = "SQLite format 3";
    char bytes[sizeof lead] = "";
    if (store_is_server(text_of(operand)) || store_is_foreign(text_of(operand))) return true;
    FILE *file = fopen(operand, "rb");
    if (!file) return false;
    bool full = fread(bytes, 1, sizeof lead, file) == sizeof lead;
    fclose(file);
    return full && memcmp(bytes, lead, sizeof lead) == 0;
}

int cmd_report(struct cli *cli) {
    struct report_request request;
    struct history_source sources[2] = {{.report = NULL}, {.report = NULL}};
    struct arena arena;
    if (cli->operand_count < 1 || cli->operand_count > 2)
        return cli_usage(cli, "report: name one JSON report, or two to compare, or the store of a "
                              "served experiment");
    int code = report_prepare(cli, &request);
    if (code == EXIT_FINE && cli->operand_count == 1 && is_store(cli->operands[0]))
        return report_store_online(cli, cli->operands[0], &request);
    if (code == EXIT_FINE && cli->options[OPTION_ID])
        return cli_usage(cli, "report: --id names an experiment of a store");
    arena_init(&arena, &cli->allocator);
    for (size_t i = 0; code == EXIT_FINE && i < cli->operand_count; i++)
        code = read_source(cli, &arena, cli->operands[i], &sources[i]);
    if (code == EXIT_FINE) code = compare(cli, sources, &request);
    arena_free(&arena);
    return code;
}
