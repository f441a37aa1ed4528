/* gramc run: from the command line to one agent, one library, one model, and what is said to them.
 * Single runs are runner.c's matter. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/run/approve.h"
#include "cli/run/runner.h"
#include "cli/run/kept.h"

/* ## Messages */

struct messages {
    gramc_text *list;
    size_t count;
};

static int read_input(struct cli *cli, struct messages *out) {
    if (strcmp(cli->operands[0], "-") == 0)
        return cli_usage(cli, "run: standard input is the spec; give the message as an argument");
    const struct cli_file *file = cli_read(cli, "-");
    if (!file) return cli->failure;
    gramc_text text = {file->bytes, file->len};
    while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    out->list[out->count++] = text;
    return EXIT_FINE;
}

static int read_messages(struct cli *cli, struct messages *out) {
    for (size_t i = 1; i < cli->operand_count; i++)
        out->list[out->count++] = text_of(cli->operands[i]);
    int code = out->count ? EXIT_FINE : read_input(cli, out);
    for (size_t i = 0; code == EXIT_FINE && i < out->count; i++)
        if (text_trim(out->list[i]).len == 0)
            code = cli_usage(cli, "run: message %zu is empty", i + 1);
    return code;
}

static int ask(struct runner *runner) {
    struct cli *cli = runner->cli;
    size_t room = cli->operand_count * sizeof(gramc_text);
    struct messages messages = {.list = cli->allocator.alloc(cli->allocator.ctx, NULL, 0, room)};
    if (!messages.list) return cli_no_memory(cli);
    int code = read_messages(cli, &messages);
    if (code == EXIT_FINE) code = runner_prepare(runner);
    if (code == EXIT_FINE) code = runner_ask(runner, messages.list, messages.count);
    cli->allocator.alloc(cli->allocator.ctx, messages.list, room, 0);
    return code;
}

/* ## Setting up */

static int bind(struct runner *runner) {
    struct cli *cli = runner->cli;
    int code = workshop_ask(&runner->shop, runner->choice.library, runner->choice.agent, true);
    if (code != EXIT_FINE) return code;
    gramc_bind_options options = workshop_binding(&runner->shop);
    struct role_protocols protocols;
    code = run_provider(cli, &runner->choice, &options, &runner->model);
    if (code != EXIT_FINE) return code;
    role_protocols_list(&protocols, cli, &runner->choice, runner->model, &options);
    gramc_status status =
        gramc_bind(&runner->bound, runner->choice.agent, runner->choice.library, &options);
    bool quiet = cli->options[OPTION_QUIET] && status != GRAMC_FINDINGS;
    if (runner->bound && !quiet) run_print_binding(cli, runner->bound);
    if (status != GRAMC_FINDINGS) return cli_status(cli, status);
    if (!runner->choice.library)
        fputs("gramc: no tool library was named; see --library\n", cli->err);
    return workshop_findings_code(&runner->shop, runner->bound);
}

static int output_options(struct runner *runner) {
    struct cli *cli = runner->cli;
    const char *format = cli->options[OPTION_FORMAT], *trace = cli->options[OPTION_TRACE];
    runner->wants_document = format && strcmp(format, "json") == 0;
    if (format && !runner->wants_document && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    if (runner->wants_document && trace && strcmp(trace, "-") == 0)
        return cli_usage(cli, "--format json and --trace - both want standard output");
    if (cli->options[OPTION_QUIET] && cli->options[OPTION_VERBOSE])
        return cli_usage(cli, "run: --quiet or --verbose, not both");
    cli->options[OPTION_FORMAT] = NULL; /* it is about runs, not findings */
    return EXIT_FINE;
}

/* ## The session */

/* What is not in the trace is said. */
static void tell_history(struct cli *cli, const char *path, const gramc_session_history *history) {
    if (cli->options[OPTION_QUIET]) return;
    if (history->earlier)
        fprintf(cli->err,
                "gramc: %s begins with a conversation of %zu message%s that is not in it\n", path,
                history->earlier, text_plural(history->earlier));
    if (history->left_out)
        fprintf(cli->err, "gramc: %s: %u message%s got no answer and %s left out\n", path,
                (unsigned)history->left_out, text_plural(history->left_out),
                history->left_out == 1 ? "is" : "are");
}

static int load_history(struct runner *runner, const char *path) {
    struct cli *cli = runner->cli;
    gramc_session_history history;
    gramc_json_error error = {.message = ""};
    if (gramc_session_about(runner->session).messages)
        return cli_usage(cli,
                         "run: session %s holds a conversation already, and --history begins "
                         "one; name another session",
                         cli->options[OPTION_SESSION]);
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    const gramc_text trace = {file->bytes, file->len};
    gramc_status status = gramc_session_load_trace(runner->session, trace, &history, &error);
    if (status == GRAMC_FINDINGS) return cli_usage(cli, "%s: %s", path, error.message);
    if (status == GRAMC_OK) tell_history(cli, path, &history);
    return cli_status(cli, status);
}

/* Taken before anything is started: one that somebody else has is said at once. */
static int open_session(struct runner *runner) {
    struct cli *cli = runner->cli;
    const char *id = cli->options[OPTION_SESSION], *history = cli->options[OPTION_HISTORY];
    int code = EXIT_FINE;
    if (id) code = kept_open(cli, id, &runner->kept);
    else if (history || cli->options[OPTION_CHAT])
        code = cli_status(cli, gramc_session_new(&runner->own, &cli->allocator));
    if (code != EXIT_FINE) return code;
    runner->session = id ? kept_session(runner->kept) : runner->own;
    return history ? load_history(runner, history) : EXIT_FINE;
}

static void runner_free(struct runner *runner) {
    workshop_close(&runner->shop);
    approve_stop(runner->approve);
    gramc_model_free(runner->model);
    role_models_free(&runner->roles);
    gramc_bound_free(runner->bound);
    run_choice_free(&runner->choice);
    kept_close(runner->kept);
    gramc_session_free(runner->own);
    if (runner->trace >= 0) close(runner->trace);
}

int cmd_run(struct cli *cli) {
    struct runner runner = {.cli = cli, .trace = -1};
    if (cli->operand_count == 0) return cli_usage(cli, "run: name a file");
    runner.escape = isatty(fileno(cli->out)) == 1;
    int code = output_options(&runner);
    if (code == EXIT_FINE) code = run_choose(cli, &runner.choice);
    if (code == EXIT_FINE) code = open_session(&runner);
    if (code == EXIT_FINE) code = workshop_open(&runner.shop, cli, runner.choice.compilation);
    if (code == EXIT_FINE) code = bind(&runner);
    if (code == EXIT_FINE)
        code = run_inputs(cli, runner.choice.agent, runner.inputs, &runner.input_count);
    if (code == EXIT_FINE) code = run_model(cli, &runner.choice, &runner.model);
    if (code == EXIT_FINE)
        code = role_models_open(&runner.roles, cli, &runner.choice, runner.model);
    if (code == EXIT_FINE) code = cli->options[OPTION_CHAT] ? chat(&runner) : ask(&runner);
    runner_free(&runner);
    return code;
}
