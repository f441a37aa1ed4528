/* gramc run --chat: a message a line, each a run of its own that continues the session. On a
 * terminal until Ctrl-D, whatever comes of single answers; elsewhere until the input ends or one
 * has failed. */
#include <string.h>

#include "base/text.h"
#include "cli/run/kept.h"
#include "cli/run/line.h"
#include "cli/run/runner.h"

#define HISTORY "chat_history"

/* A line is a message; one without words is none. */
static int ask_line(struct runner *runner, gramc_text line) {
    if (text_trim(line).len == 0) return EXIT_FINE;
    return runner_ask(runner, &line, 1);
}

static int ask_lines(struct runner *runner, struct line_reader *reader) {
    bool edited = line_is_edited(reader);
    for (;;) {
        gramc_text line;
        switch (line_read(reader, &line)) {
        case LINE_FAILED: return runner->cli->failure;
        case LINE_OVER: return EXIT_FINE;
        case LINE_GIVEN_UP: continue;
        case LINE_READ: break;
        }
        int code = ask_line(runner, line);
        if (code != EXIT_FINE && (!edited || ferror(runner->cli->out))) return code;
    }
}

static int ask_operands(struct runner *runner, bool edited) {
    for (size_t i = 1; i < runner->cli->operand_count; i++) {
        int code = ask_line(runner, text_of(runner->cli->operands[i]));
        if (code != EXIT_FINE && !edited) return code;
    }
    return EXIT_FINE;
}

static int begin(struct runner *runner, const char *history) {
    struct line_reader *reader = line_open(runner->cli, history);
    if (!reader) return EXIT_RUN_FAILED;
    int code = ask_operands(runner, line_is_edited(reader));
    if (code == EXIT_FINE) code = ask_lines(runner, reader);
    line_close(reader);
    return code;
}

/* Without a folder for it, what is typed is not kept. */
static const char *find_history(struct cli *cli, char path[CLI_PATH]) {
    return line_would_edit(cli) && kept_path(cli, HISTORY, path) == EXIT_FINE ? path : NULL;
}

int chat(struct runner *runner) {
    char path[CLI_PATH];
    struct cli *cli = runner->cli;
    const char *whose = cli->options[OPTION_TRACE]    ? "--trace"
                        : cli->options[OPTION_RUN_ID] ? "--run-id"
                                                      : NULL;
    if (whose)
        return cli_usage(cli, "run: %s is about one run, and --chat makes one of each line", whose);
    if (strcmp(cli->operands[0], "-") == 0)
        return cli_usage(cli, "run: standard input is the spec, and --chat reads messages from it");
    int code = runner_prepare(runner);
    return code == EXIT_FINE ? begin(runner, find_history(cli, path)) : code;
}
