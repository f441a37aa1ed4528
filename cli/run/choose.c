/* From the file operand and --library to one agent and one library: two compilations, so that
 * nothing in a library can change what its agent means. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/run.h"

#include <string.h>
#include <unistd.h>

#include "base/source.h"
#include "base/text.h"

/* ## Compiling */

static int compile(struct cli *cli, char *path, const char *label, gramc_text name,
                   gramc_compilation **out, const gramc_spec **spec) {
    const struct cli_wanted wanted = {.label = label, .name = name, .path = path};
    int code = cli_load(cli, out, &path, 1);
    return code == EXIT_FINE ? cli_compile(cli, *out, &wanted, spec) : code;
}

/* ## Choosing by name */

/* A file wins over a library that the spec's file defines or imports. */
static bool choose_own(const gramc_spec *spec, const char *option, const gramc_library **out) {
    if (!spec || !option[0] || strchr(option, '/') || strchr(option, '#')) return false;
    return access(option, F_OK) != 0 &&
           gramc_spec_find_library(out, spec, text_of(option)) == GRAMC_OK;
}

/* The name is what follows the last #. */
static int choose_in_file(struct cli *cli, struct choice *out, const char *option) {
    char path[4096];
    const char *hash = strrchr(option, '#');
    size_t len = hash ? (size_t)(hash - option) : strlen(option);
    gramc_text name = text_of(hash ? hash + 1 : "");
    const gramc_spec *spec;
    if (len == 0 || len >= sizeof path)
        return cli_usage(cli, "a library is named as FILE or FILE#NAME, not as %s", option);
    memcpy(path, option, len);
    path[len] = '\0';
    int code = compile(cli, path, "ToolLibrary", name, &out->library_compilation, &spec);
    if (code != EXIT_FINE) return code;
    return cli_choose_library(cli, spec, path, name, &out->library);
}

int run_choose_library(struct cli *cli, struct choice *out, const gramc_spec *spec,
                       const char *option) {
    if (choose_own(spec, option, &out->library)) return EXIT_FINE;
    return choose_in_file(cli, out, option);
}

/* Without --library it is the spec's own, if it has one. */
int run_choose(struct cli *cli, struct choice *out) {
    const char *library = cli->options[OPTION_LIBRARY], *agent = cli->options[OPTION_AGENT];
    char *path = cli->operands[0];
    const gramc_spec *spec;
    *out = (struct choice){0};
    int code = compile(cli, path, "Agent", text_of(agent ? agent : ""), &out->compilation, &spec);
    if (code == EXIT_FINE) code = cli_choose_agent(cli, spec, path, &out->agent);
    if (code == EXIT_FINE)
        code = cli_status(cli, gramc_agent_prepare(out->compilation, out->agent));
    if (code != EXIT_FINE) return code;
    if (library) return run_choose_library(cli, out, spec, library);
    if (gramc_spec_library_count(spec) == 0) return EXIT_FINE;
    code = cli_choose_library(cli, spec, path, TEXT(""), &out->library);
    if (code != EXIT_FINE && gramc_spec_experiment_count(spec))
        fprintf(cli->err,
                "gramc: the file holds an experiment: `gramc experiment %s run` runs it\n", path);
    return code;
}

void run_choice_free(struct choice *choice) {
    gramc_compilation_free(choice->library_compilation);
    gramc_compilation_free(choice->compilation);
}

/* ## What binding says */

/* `file:line:column: `, if the message has a place. */
static void print_place(struct cli *cli, const gramc_bind_message *message) {
    char path[4096];
    if (message->file.len == 0 || message->file.len >= sizeof path) return;
    memcpy(path, message->file.ptr, message->file.len);
    path[message->file.len] = '\0';
    const struct cli_file *file = cli_read(cli, path);
    if (!file || message->start > file->len) return;
    struct source source = {.name = message->file, .text = {file->bytes, file->len}};
    struct position position = source_position(&source, message->start);
    fprintf(cli->err, "%s:%u:%u: ", path, (unsigned)position.line, (unsigned)position.column);
}

void run_print_binding(struct cli *cli, const gramc_bound *bound) {
    static const char *const severities[] = {
        [GRAMC_NOTE] = "note", [GRAMC_WARNING] = "warning", [GRAMC_ERROR] = "error"};
    gramc_bind_message message;
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++) {
        print_place(cli, &message);
        fputs(severities[message.severity], cli->err);
        if (message.code.len) fprintf(cli->err, "[%.*s]", TEXT_ARGS(message.code));
        fputs(": ", cli->err);
        run_print_hostile(cli->err, message.message);
        if (message.help.len) {
            fputs("\n  help: ", cli->err);
            run_print_hostile(cli->err, message.help);
        }
        fputc('\n', cli->err);
    }
}
