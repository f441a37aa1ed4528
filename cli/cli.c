/* The frame round the commands: picks one, parses its options, answers --help and --version, turns
 * statuses into exit codes. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
    {"check", FOR_CHECK, "FILE|FOLDER|-...",
     "Says what is wrong with agent specs and tool libraries, and where. Each file with all\n"
     "that it imports is a compilation of its own; folders are searched for *.gram, less what git\n"
     "ignores and what `exclude` in gramc.gram names.",
     "Examples:\n"
     "  gramc check spec.gram\n"
     "  gramc check --strict specs/\n"
     "  gramc check --format json - < spec.gram\n"
     "  gramc check --baseline known.json specs/\n",
     cmd_check},
    {"compile", FOR_COMPILE, "FILE|FOLDER|-...",
     "Prints the tools of an agent as JSON Schemas or in a provider's format. Of several files, "
     "the\n"
     "one that has the agent is compiled, with all that it imports.",
     "Examples:\n"
     "  gramc compile spec.gram\n"
     "  gramc compile spec.gram --target openai -o tools.json\n"
     "  gramc compile spec.gram --agent helper --target bundle\n",
     cmd_compile},
    {"parse", FOR_PARSE, "FILE|-",
     "Reads gram notation and prints its tree. Any gram is fine, agents or not.",
     "Examples:\n"
     "  gramc parse graph.gram\n"
     "  gramc parse --sexp --plain graph.gram\n",
     cmd_parse},
    {"validate", FOR_VALIDATE, "SCHEMA|SPEC#TOOL INSTANCE|-...",
     "Judges JSON files by a JSON Schema, or by the signature of a tool. Nothing is printed for\n"
     "what is valid, unless --lines or another format asks for it.",
     "Examples:\n"
     "  gramc validate order.schema.json order.json\n"
     "  gramc validate spec.gram#findOrder call.json\n"
     "  gramc validate --lines --format verdict spec.gram#findOrder calls.jsonl\n",
     cmd_validate},
    {"fmt", FOR_FMT, "FILE|FOLDER|-...",
     "Writes gram files in the one style that there is; what they say and their comments stay.\n"
     "Files are rewritten where they are; `-` goes from standard input to standard output.",
     "Examples:\n"
     "  gramc fmt spec.gram\n"
     "  gramc fmt --check specs/\n"
     "  gramc fmt --diff spec.gram\n",
     cmd_fmt},
    {"diff", FOR_DIFF, "OLD NEW",
     "Says what changed between two specs, and for whom it is breaking. Callers are models, "
     "prompts\n"
     "and recorded calls; implementers are tool libraries. OLD and NEW are files, folders or\n"
     "git:REV:path.",
     "Examples:\n"
     "  gramc diff old.gram new.gram\n"
     "  gramc diff git:HEAD:spec.gram spec.gram\n"
     "  gramc diff --fail-on any --format json git:v1.2:specs specs\n",
     cmd_diff},
    {"import", FOR_IMPORT, "FILE|-...",
     "Writes tool definitions of OpenAI, Anthropic, Gemini, MCP, JSON Schema or OpenAPI as an "
     "agent\n"
     "spec that compiles to the same schemas. What cannot be said is reported.",
     "Examples:\n"
     "  gramc import tools.json -o tools.gram\n"
     "  gramc import --from mcp --agent helper list.json\n"
     "  gramc import petstore.json -o pets.gram --library pets-http.gram\n",
     cmd_import},
    {"explain", FOR_EXPLAIN, "[CODE]",
     "Tells more about a finding, with an example of each kind. Without a code it lists them all.",
     "Examples:\n"
     "  gramc explain\n"
     "  gramc explain G0203\n"
     "  gramc explain --format json\n",
     cmd_explain},
    {"jolt", FOR_JOLT, "SPEC INPUT", "Transforms JSON by a chain of JOLT operations.",
     "Examples:\n"
     "  gramc jolt spec.json input.json\n"
     "  curl -s http://127.0.0.1:8080/item | gramc jolt spec.json - --pretty\n",
     cmd_jolt},
    {"trace", FOR_TRACE, "FILE|-",
     "Shows what happened in a run: the conversation, the calls, the times, how it ended. FILE is\n"
     "what gramc run --trace wrote.",
     "Examples:\n"
     "  gramc trace run.jsonl\n"
     "  gramc trace --html run.jsonl > run.html\n"
     "  gramc run hello.gram --model mock --trace - Hello | gramc trace -\n",
     cmd_trace},
    {"config", FOR_CONFIG, "[FILE|FOLDER]",
     "Prints the settings that are in force, and where each comes from. The configuration is the\n"
     "nearest gramc.gram, from the folder of the first file upward.",
     "Examples:\n"
     "  gramc config\n"
     "  gramc config specs/hello.gram\n",
     cmd_config},
    {"init", FOR_INIT, "[FOLDER]",
     "Writes a spec, tool libraries and a configuration to begin with. Overwrites nothing.",
     "Examples:\n"
     "  gramc init\n"
     "  gramc init my-agent\n",
     cmd_init},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const struct command *cli_command(size_t i) {
    return i < COMMANDS ? &commands[i] : NULL;
}

/* Where gramc hands over to gramc-run, and what its commands do. */
static const struct dispatched {
    const char *name, *about;
} dispatched[] = {
    {"run", "Runs an agent with a tool library"},
    {"serve", "Serves the agents of a spec over HTTP"},
    {"bind", "Tells which implementation of a tool library serves each tool of an agent, and what "
             "is proven about it"},
    {"tools", "Lists what a tool library offers"},
    {"call", "Calls one tool of a library"},
    {"lock", "Pins what tool libraries are and what their servers offer"},
    {"session", "Lists, shows and forgets the conversations that gramc run --session keeps"},
    {"experiment", "Carries out an experiment: which tool library is better, and how sure is that"},
    {"cassette",
     "Looks after a folder of cassettes, which experiment --record writes and --replay plays"},
    {"ab", "Runs the cases of a file with one agent and two tool libraries, and compares them"},
    {"report", "Prints the JSON report of an experiment in another format, and judges gates by it"},
    {"stat", "Computes one number of a report again: an interval, a test, a power, an e-value"},
    {"grade", "Has answers that were recorded elsewhere judged by the graders of an experiment"},
    {"worker", "Joins an experiment that other processes work on, and does a part of it"},
};

enum { DISPATCHED = sizeof dispatched / sizeof *dispatched };

/* ## Messages */

enum { LONGEST_MESSAGE = 1 << 20 };

int cli_usage(struct cli *cli, const char *format, ...) {
    va_list args;
    struct buf line;
    buf_init(&line, &cli->allocator, LONGEST_MESSAGE);
    va_start(args, format);
    buf_vprintf(&line, format, args);
    va_end(args);
    fputs("gramc: ", cli->err);
    cli_put_safe(cli->err, buf_status(&line) ? TEXT("the message is too long") : buf_view(&line));
    fputc('\n', cli->err);
    va_start(args, format);
    vsnprintf(cli->said, sizeof cli->said, format, args);
    va_end(args);
    buf_free(&line);
    return EXIT_USAGE;
}

int cli_no_memory(struct cli *cli) {
    fputs("gramc: out of memory\n", cli->err);
    return EXIT_RUN_FAILED;
}

int cli_status(struct cli *cli, gramc_status status) {
    switch (status) {
    case GRAMC_OK:
    case GRAMC_FINDINGS: return EXIT_FINE;
    case GRAMC_NOMEM: return cli_no_memory(cli);
    case GRAMC_LIMIT: return cli_usage(cli, "the input is larger than gramc's limits");
    case GRAMC_IO: return cli_usage(cli, "the output cannot be written");
    case GRAMC_INTERNAL:
    case GRAMC_NOT_FOUND:
    case GRAMC_AMBIGUOUS:
    case GRAMC_USAGE: break;
    }
    return cli_usage(cli, "this cannot be done (status %d)", (int)status);
}

void cli_put_safe(FILE *file, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) fprintf(file, "\\x%02x", (unsigned char)text.ptr[start]);
        else if (c == '\n' || text_is_treacherous(c)) fprintf(file, "\\u{%x}", (unsigned)c);
        else fwrite(text.ptr + start, 1, pos - start, file);
    }
}

static int write_file(void *ctx, const char *bytes, size_t len) {
    return fwrite(bytes, 1, len, ctx) == len ? 0 : 1;
}

gramc_writer cli_writer(FILE *file) {
    return (gramc_writer){write_file, file};
}

/* ## Findings */

bool cli_is_colored(const struct cli *cli, FILE *file) {
    const char *when = cli->options[OPTION_COLOR], *no_color = getenv("NO_COLOR"),
               *terminal = getenv("TERM");
    if (when && strcmp(when, "auto") != 0) return strcmp(when, "always") == 0;
    bool dumb = terminal && strcmp(terminal, "dumb") == 0;
    return !dumb && !(no_color && no_color[0]) && isatty(fileno(file)) == 1;
}

int cli_find_format(struct cli *cli, const char *wanted, FILE *file, gramc_report_format *out) {
    *out = GRAMC_REPORT_TEXT;
    bool known = !wanted || gramc_report_format_find(text_of(wanted), out);
    if (*out == GRAMC_REPORT_TEXT && cli_is_colored(cli, file)) *out = GRAMC_REPORT_COLOR;
    if (known) return EXIT_FINE;
    fputs("gramc: --format takes", cli->err);
    for (size_t i = 0; gramc_report_format_name(i); i++)
        fprintf(cli->err, "%s %s", i ? "," : "", gramc_report_format_name(i));
    fprintf(cli->err, "; not %s\n", wanted);
    return EXIT_USAGE;
}

int cli_report(struct cli *cli, const gramc_compilation *compilation, FILE *file) {
    return cli_report_as(cli, compilation, file, cli->options[OPTION_FORMAT]);
}

int cli_report_as(struct cli *cli, const gramc_compilation *compilation, FILE *file,
                  const char *wanted) {
    gramc_report_format format;
    int code = cli_find_format(cli, wanted, file, &format);
    if (code != EXIT_FINE) return code;
    gramc_status status = gramc_findings_print(compilation, format, cli_writer(file));
    cli->reported = cli->reported || file == cli->out;
    if (status != GRAMC_OK) return cli_status(cli, status);
    if (gramc_configuration_is_broken(compilation)) return EXIT_USAGE;
    return gramc_finding_failures(compilation) ? EXIT_FINDINGS : EXIT_FINE;
}

/* Allowed or lowered errors can leave a spec that is fit for checking only. */
int cli_report_compiled(struct cli *cli, const gramc_compilation *compilation,
                        gramc_status status) {
    int code = cli_status(cli, status);
    if (code == EXIT_FINE) code = cli_report_as(cli, compilation, cli->err, "text");
    if (code != EXIT_FINE || status == GRAMC_OK) return code;
    cli_usage(cli, "an error that is allowed or lowered leaves nothing to compile; see gramc check "
                   "--no-config and the `gramc: allow` comments");
    return EXIT_FINDINGS;
}

/* ## The frame */

void cli_init(struct cli *cli, FILE *out, FILE *err, const gramc_allocator *allocator) {
    *cli = (struct cli){.allocator = *allocator, .out = out, .err = err, .program = "gramc"};
}

static int print_version(struct cli *cli) {
    gramc_format_version form;
    fprintf(cli->out, "gramc %s (notation %s", gramc_version(), gramc_notation_version());
    for (size_t i = 0; gramc_format_version_get(i, &form); i++)
        fprintf(cli->out, ", %s %u", form.name, form.version);
    fputs(")\n", cli->out);
    return EXIT_FINE;
}

static void print_commands(struct cli *cli, const struct command *more) {
    fputs("gramc compiles agent specs in gram notation and runs them.\n\n"
          "Examples:\n"
          "  gramc check spec.gram\n"
          "  gramc compile spec.gram --target openai\n"
          "  gramc run spec.gram --library tools.gram --model mock \"Hello\"\n\n"
          "Commands:\n",
          cli->out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(cli->out, "  %-10s %.*s\n", commands[i].name,
                (int)strcspn(commands[i].about, "\n."), commands[i].about);
    for (size_t i = 0; !more && i < DISPATCHED; i++)
        fprintf(cli->out, "  %-10s %s\n", dispatched[i].name, dispatched[i].about);
    for (; more && more->name; more++)
        fprintf(cli->out, "  %-10s %.*s\n", more->name, (int)strcspn(more->about, "\n."),
                more->about);
    fputs("\ngramc COMMAND --help tells more. gramc --version names the versions.\n", cli->out);
}

static int unknown_command(struct cli *cli, const char *name) {
    gramc_text names[COMMANDS + DISPATCHED];
    for (size_t i = 0; i < COMMANDS; i++) names[i] = text_of(commands[i].name);
    for (size_t i = 0; i < DISPATCHED; i++) names[COMMANDS + i] = text_of(dispatched[i].name);
    gramc_text near = text_nearest(text_of(name), names, COMMANDS + DISPATCHED);
    if (near.len)
        return cli_usage(cli, "there is no command %s; did you mean %.*s?", name, TEXT_ARGS(near));
    return cli_usage(cli, "there is no command %s; see gramc --help", name);
}

static bool is_color(const char *when) {
    return !when || !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never");
}

bool cli_wants_report(const struct cli *cli) {
    gramc_report_format format;
    const char *name = cli->options[OPTION_FORMAT];
    return name && gramc_report_format_find(text_of(name), &format) &&
           format != GRAMC_REPORT_TEXT && format != GRAMC_REPORT_CONCISE;
}

/* Whoever reads reports must not take silence for an answer: what was said on standard error and
 * ended the command is an error in a report as well. */
static int report_failure(struct cli *cli, const struct command *command, int code) {
    const unsigned of_findings = FOR_CHECK | FOR_DIFF | FOR_FMT | FOR_VALIDATE;
    const char *about = cli->operand_count ? cli->operands[0] : command->name;
    gramc_report_format format;
    if (!(command->bit & of_findings) || cli->reported || !cli_wants_report(cli)) return code;
    if (code != EXIT_USAGE && code != EXIT_FINDINGS) return code;
    gramc_report_format_find(text_of(cli->options[OPTION_FORMAT]), &format);
    gramc_status status =
        gramc_failure_print(format, command->name, text_of(about), text_of(cli->said),
                            &cli->allocator, cli_writer(cli->out));
    return status == GRAMC_OK ? code : cli_status(cli, status);
}

/* What cannot be done is still said, on standard error; a report that was asked for is not
 * silenced, since silence is no report. */
static int run_quietly(struct cli *cli, const struct command *command) {
    FILE *out = cli->out, *nowhere = fopen("/dev/null", "w");
    if (!nowhere) return cli_usage(cli, "/dev/null cannot be opened");
    cli->out = nowhere;
    int code = report_failure(cli, command, command->run(cli));
    cli->out = out;
    fclose(nowhere);
    return code;
}

static int run_command(struct cli *cli, const struct command *command, int argc, char **argv) {
    if (!cli_parse(cli, command, argc, argv, 2)) return EXIT_USAGE;
    if (cli->options[OPTION_HELP]) {
        cli_help(cli, command);
        return EXIT_FINE;
    }
    if (cli->options[OPTION_VERSION]) return print_version(cli);
    if (!is_color(cli->options[OPTION_COLOR]))
        return cli_usage(cli, "--color takes auto, always or never");
    /* Answers of the one, the address of the other are what they are for. */
    bool silences = !(command->bit & (FOR_RUN | FOR_SERVE));
    if (cli->options[OPTION_QUIET] && silences && !cli_wants_report(cli))
        return run_quietly(cli, command);
    return report_failure(cli, command, command->run(cli));
}

static int dispatch(struct cli *cli, const struct command *more, int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "--help";
    bool help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    if (help) {
        print_commands(cli, more);
        return argc > 1 ? EXIT_FINE : EXIT_USAGE;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) return print_version(cli);
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return run_command(cli, &commands[i], argc, argv);
    for (const struct command *c = more; c && c->name; c++)
        if (strcmp(name, c->name) == 0) return run_command(cli, c, argc, argv);
    for (size_t i = 0; !more && i < DISPATCHED; i++)
        if (strcmp(name, dispatched[i].name) == 0) return cmd_dispatch(cli, argc, argv);
    return unknown_command(cli, name);
}

int cli_main(struct cli *cli, const struct command *more, int argc, char **argv) {
    if (argc > 0) cli->program = argv[0];
    int code = dispatch(cli, more, argc, argv);
    cli_free(cli);
    /* A full disk or a closed pipe shows only now. */
    if (!fflush(cli->out) && !ferror(cli->out)) return code;
    int lost = cli_usage(cli, "the output cannot be written");
    return code == EXIT_FINE ? lost : code;
}
