/* Turns argv into options and operands by the table in options.def, and the table into --help.
 * What an option means is the command's matter. */
#include "cli/cli.h"

#include "base/text.h"

#include <string.h>

static const struct option_row rows[OPTION_COUNT] = {
#define OPTION(id, name, letter, value, commands, help) {name, letter, value, commands, help},
#include "cli/options.def"
#undef OPTION
};

const struct option_row *cli_option(size_t i) {
    return i < OPTION_COUNT ? &rows[i] : NULL;
}

static int find_long(gramc_text name) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (text_is(name, rows[i].name)) return i;
    return -1;
}

static int find_short(char letter) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (letter && rows[i].letter == letter) return i;
    return -1;
}

static bool unknown_option(struct cli *cli, const struct command *command, gramc_text name,
                           const char *dashes) {
    gramc_text names[OPTION_COUNT];
    size_t count = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (rows[i].commands & command->bit) names[count++] = text_of(rows[i].name);
    gramc_text near = text_nearest(name, names, count);
    if (near.len)
        cli_usage(cli, "%s: unknown option %s%.*s; did you mean --%.*s?", command->name, dashes,
                  TEXT_ARGS(name), TEXT_ARGS(near));
    else
        cli_usage(cli, "%s: unknown option %s%.*s; see gramc %s --help", command->name, dashes,
                  TEXT_ARGS(name), command->name);
    return false;
}

struct arguments {
    char **argv;
    int argc, next;
};

/* Stores the value, from `=...`, the rest of a short option, or the next argument. */
static bool take(struct cli *cli, const struct command *command, struct arguments *args, int row,
                 const char *attached) {
    if (!(rows[row].commands & command->bit)) {
        cli_usage(cli, "%s: --%s is not for this command", command->name, rows[row].name);
        return false;
    }
    if (!rows[row].value && attached) {
        cli_usage(cli, "%s: --%s takes no value", command->name, rows[row].name);
        return false;
    }
    if (rows[row].value && !attached) {
        if (args->next == args->argc) {
            cli_usage(cli, "%s: --%s needs a value: --%s %s", command->name, rows[row].name,
                      rows[row].name, rows[row].value);
            return false;
        }
        attached = args->argv[args->next++];
    }
    cli->options[row] = attached ? attached : "";
    if (cli->given_count == sizeof cli->given / sizeof *cli->given) {
        cli_usage(cli, "%s: too many options", command->name);
        return false;
    }
    cli->given[cli->given_count].id = (enum option_id)row;
    cli->given[cli->given_count++].value = cli->options[row];
    return true;
}

static bool take_long(struct cli *cli, const struct command *command, struct arguments *args,
                      char *arg) {
    char *equals = strchr(arg, '=');
    gramc_text name = {arg, equals ? (size_t)(equals - arg) : strlen(arg)};
    int row = find_long(name);
    if (row < 0) return unknown_option(cli, command, name, "--");
    return take(cli, command, args, row, equals ? equals + 1 : NULL);
}

/* `-o FILE`, `-oFILE`, or a flag of one letter. */
static bool take_short(struct cli *cli, const struct command *command, struct arguments *args,
                       char *arg) {
    int row = find_short(arg[0]);
    if (row < 0) return unknown_option(cli, command, text_of(arg), "-");
    return take(cli, command, args, row, arg[1] ? arg + 1 : NULL);
}

bool cli_parse(struct cli *cli, const struct command *command, int argc, char **argv, int first) {
    struct arguments args = {argv, argc, first};
    bool options_ended = false;
    cli->operands = argv + first;
    cli->operand_count = 0;
    while (args.next < argc) {
        char *arg = argv[args.next++];
        bool is_option = !options_ended && arg[0] == '-' && arg[1] != '\0';
        if (!is_option) {
            cli->operands[cli->operand_count++] = arg;
            continue;
        }
        options_ended = strcmp(arg, "--") == 0;
        if (options_ended) continue;
        bool taken = arg[1] == '-' ? take_long(cli, command, &args, arg + 2)
                                   : take_short(cli, command, &args, arg + 1);
        if (!taken) return false;
    }
    return true;
}

static void print_targets(FILE *out) {
    fputs("\nTargets:\n", out);
    for (size_t i = 0; gramc_target_name(i); i++)
        fprintf(out, "  %-18s %s\n", gramc_target_name(i), gramc_target_about(i));
}

static void print_formats(FILE *out, const struct command *command) {
    fputs("\nFormats:\n", out);
    for (size_t i = 0; gramc_report_format_name(i); i++)
        fprintf(out, "  %-18s %s\n", gramc_report_format_name(i), gramc_report_format_about(i));
    for (size_t i = 0; command->bit == FOR_VALIDATE && gramc_verdict_format_name(i); i++)
        fprintf(out, "  %-18s %s\n", gramc_verdict_format_name(i), gramc_verdict_format_about(i));
}

static void print_kinds(FILE *out) {
    fputs("\nKinds:", out);
    for (size_t i = 0; gramc_import_kind(i); i++)
        fprintf(out, "%s %s", i ? "," : "", gramc_import_kind(i));
    fputc('\n', out);
}

void cli_help(struct cli *cli, const struct command *command) {
    const unsigned of_findings = FOR_CHECK | FOR_DIFF | FOR_FMT | FOR_VALIDATE;
    fprintf(cli->out, "%s\nUsage: gramc %s [OPTION...] %s\n\n%s\n\nOptions:\n", command->examples,
            command->name, command->operands, command->about);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[64];
        if (!(rows[i].commands & command->bit)) continue;
        int used = rows[i].letter ? snprintf(left, sizeof left, "-%c, ", rows[i].letter)
                                  : snprintf(left, sizeof left, "    ");
        snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", rows[i].name,
                 rows[i].value ? " " : "", rows[i].value ? rows[i].value : "");
        gramc_text help = cli_option_help(&rows[i], command->name);
        fprintf(cli->out, "  %-28s %.*s\n", left, TEXT_ARGS(help));
    }
    if (command->bit == FOR_COMPILE) print_targets(cli->out);
    if (command->bit == FOR_IMPORT) print_kinds(cli->out);
    if (of_findings & command->bit) print_formats(cli->out, command);
    bool decides = command->bit & rows[OPTION_REQUIRE_DECISION].commands;
    fprintf(cli->out,
            "\nExit status: 0 fine, 1 findings%s, 2 usage or unreadable file, 3 a run failed,%s "
            "130 interrupted.\n",
            decides ? " or a gate that failed" : "",
            decides ? " 4 inconclusive (with --require-decision)," : "");
}
