/* What the commands share: options, files, findings. The command line is a thin user of the public
 * headers: each command turns options into library calls and prints what comes back. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "base/buf.h"
#include "gramc/compile.h"

/* Exit codes, the same for every command. */
enum exit_code {
    EXIT_FINE = 0,
    EXIT_FINDINGS = 1,     /* or a gate failed */
    EXIT_USAGE = 2,        /* usage, configuration, unreadable file */
    EXIT_RUN_FAILED = 3,   /* network, provider, a tool's infrastructure, memory */
    EXIT_INCONCLUSIVE = 4, /* only when asked */
    EXIT_INTERRUPTED = 130
};

enum {
    FOR_CHECK = 1,
    FOR_PARSE = 2,
    FOR_COMPILE = 4,
    FOR_RUN = 8,
    FOR_EXPLAIN = 16,
    FOR_VALIDATE = 32,
    FOR_FMT = 64,
    FOR_IMPORT = 1 << 11,
    FOR_CONFIG = 1 << 12,
    FOR_INIT = 1 << 13,
    FOR_BIND = 1 << 7,
    FOR_DIFF = 1 << 8,
    FOR_TOOLS = 1 << 9,
    FOR_CALL = 1 << 10,
    FOR_JOLT = 1 << 14,
    FOR_TRACE = 1 << 15,
    FOR_SESSION = 1 << 16,
    FOR_EXPERIMENT = 1 << 17,
    FOR_AB = 1 << 18,
    FOR_REPORT = 1 << 19,
    FOR_STAT = 1 << 20,
    FOR_GRADE = 1 << 21,
    FOR_SERVE = 1 << 22,
    FOR_WORKER = 1 << 23,
    FOR_CASSETTE = 1 << 24,
    FOR_LOCK = 1 << 25,
    FOR_LSP = 1 << 26,
    FOR_STUB = 1 << 27,
    FOR_ALL = (1 << 28) - 1 /* room for those that come */
};

/* The longest path that is put together here, and the most options of one command. */
enum { CLI_PATH = 4096, CLI_GIVEN = 64 };

enum option_id {
#define OPTION(id, name, letter, value, commands, help) OPTION_##id,
#include "cli/options.def"
#undef OPTION
    OPTION_COUNT
};

/* Bytes of a file that somebody still points into. */
struct cli_file {
    struct cli_file *next;
    char *bytes; /* NUL behind */
    size_t len, size;
    char *path; /* as it was named; NULL: not known */
};

struct cli_config;

/* Texts that an editor holds, in place of those of their files; find NULL: there are none. */
struct cli_buffers {
    void *ctx;
    bool (*find)(void *ctx, const char *path, gramc_text *out);
};

struct cli {
    gramc_allocator allocator;
    FILE *out, *err;
    const char *program;               /* argv[0] */
    const char *options[OPTION_COUNT]; /* value, or "" for a flag; NULL: not given */
    char **operands;
    size_t operand_count;
    struct {
        enum option_id id;
        const char *value;
    } given[CLI_GIVEN]; /* every option in order, for those that may be repeated */
    size_t given_count;
    struct cli_file *files;
    size_t sources;                    /* that went into a compilation */
    bool reported;                     /* a report for programs went to standard output */
    char said[512];                    /* the last message */
    bool left_behind;                  /* a function that never ends: only _exit does not wait */
    int failure;                       /* the exit code that goes with the last NULL of cli_read */
    struct cli_config *configurations; /* that were read (configuration.c) */
    const struct cli_config *configured; /* for the files of the folder that was last asked about */
    bool configured_known;
    char configured_folder[CLI_PATH];
    const struct gramc_clock *clock; /* of runs; NULL: the system's. For tests */
    const char *root_of;             /* the operand whose project was looked for last; NULL: none */
    char root[CLI_PATH];             /* of that project, from / on */
    struct cli_variable *variables;  /* of --env-file */
    struct cli_buffers buffers;
    bool keeps_trees; /* of sources that were compiled */
};

struct command {
    const char *name;
    unsigned bit; /* FOR_CHECK... */
    const char *operands, *about, *examples;
    int (*run)(struct cli *cli); /* exit code */
};

/* Commands that a second executable adds (run); ends with a row without a name. */
int cli_main(struct cli *cli, const struct command *more, int argc, char **argv);
void cli_init(struct cli *cli, FILE *out, FILE *err, const gramc_allocator *allocator);
/* Frees the files that were read. */
void cli_free(struct cli *cli);

/* ## Variables (env_file.c) */
/* Reads every --env-file, once; one that is not such a file is a usage error. An exit code. */
int cli_read_variables(struct cli *cli);
/* Of the environment, else of the last --env-file that has it; NULL: not set. */
const char *cli_variable(const struct cli *cli, const char *name);
void cli_free_variables(struct cli *cli);

/* ## Parsing */
/* Sorts argv[first..] into options and operands (in place). False after a message. */
bool cli_parse(struct cli *cli, const struct command *command, int argc, char **argv, int first);
void cli_help(struct cli *cli, const struct command *command);

/* ## The tables, for what is generated from them: NULL past the end */
struct option_row {
    const char *name;
    char letter;       /* or 0 */
    const char *value; /* what it is called; NULL: a flag */
    unsigned commands; /* FOR_CHECK... */
    const char *help;
};
const struct option_row *cli_option(size_t i);
/* The i-th word that may stand behind an option of a command, where those are known; else NULL. */
const char *cli_option_value(enum option_id option, unsigned command, size_t i);
/* What the option means to this command. */
gramc_text cli_option_help(const struct option_row *option, const char *command);
const struct command *cli_command(size_t i);

/* ## Messages, on `err`; `gramc: ` is put in front. Returns EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_usage(struct cli *cli, const char *format, ...);
int cli_no_memory(struct cli *cli);
/* Prints a text of somebody else's into a line: what could fool a terminal is escaped. */
void cli_put_safe(FILE *file, gramc_text text);
gramc_writer cli_writer(FILE *file);
/* JSON to `out`; on a terminal with everything escaped that could act there (terminal.c). An exit
 * code. */
int cli_send_json(struct cli *cli, gramc_text json);
/* The same, or what is wrong with the buffer. */
int cli_send_json_buf(struct cli *cli, const struct buf *json);
/* The same, and likewise for texts of lines, each written at once. */
gramc_writer cli_json_writer(struct cli *cli);
gramc_writer cli_text_writer(struct cli *cli);
/* As cli_send_json has it on a terminal. */
void cli_put_json_safe(FILE *file, gramc_text json);
bool cli_is_terminal(const struct cli *cli);
/* Shall what goes there be coloured: --color, NO_COLOR, a terminal. */
bool cli_is_colored(const struct cli *cli, FILE *file);

/* ## Files */
/* Reads a file, or standard input for "-". Lives until cli_free. NULL after a message; the exit
 * code is then in cli->failure. */
const struct cli_file *cli_read(struct cli *cli, const char *path);
/* Those that were read since `before` was the newest, but for configurations, are the caller's. */
struct cli_file *cli_take_files(struct cli *cli, const struct cli_file *before);
void cli_free_files(struct cli *cli, struct cli_file *files);
/* Writes a file so that nobody reads half of it. An exit code. */
int cli_write_file(struct cli *cli, const char *path, gramc_text text);
/* The same, if it is known to be a file: it keeps the mode that it had. A link that leads nowhere
 * is replaced, not followed; one that somebody else has made is refused. */
int cli_rewrite(struct cli *cli, const char *path, gramc_text text);
/* Opens a file to be written bit by bit, for its owner's eyes alone. */
int cli_open_private(struct cli *cli, const char *path, int *file);
/* True if the path lies inside the project of the first operand or of --library (project.c). */
bool cli_is_inside(struct cli *cli, const char *path);
/* The same, but for what belongs to the project of --library alone. */
bool cli_is_own(struct cli *cli, gramc_text path);
/* True if the path lies inside the project of the current folder. */
bool cli_is_here(gramc_text path);
/* For gramc_options: the files that sources name, inside the project only. */
gramc_reader cli_reader(struct cli *cli);

/* ## Compilations */
/* An empty compilation as the options say, which finds the configuration of each source. EXIT_FINE,
 * or another exit code after a message. */
int cli_new(struct cli *cli, gramc_compilation **out);
/* Reads the operands (files, folders, -) into a new compilation, each source under the
 * configuration that is in force for it; files that git ignores or a configuration excludes are not
 * read unless they are named. On EXIT_FINE *out is yours; the findings may hold errors. */
int cli_load(struct cli *cli, gramc_compilation **out, char **paths, size_t count);
/* Names every file that cli_load would read below a folder. An exit code. */
int cli_each_source(struct cli *cli, char *folder, void (*found)(void *to, const char *path),
                    void *to);
/* EXIT_FINE, or a message with the names of the targets that there are. */
int cli_know_target(struct cli *cli, const char *name);
/* The same for gram of any kind, without a configuration. */
int cli_load_gram(struct cli *cli, gramc_compilation **out, char **paths, size_t count);
/* What of a compilation is wanted: the source with the agent or library of that name. */
struct cli_wanted {
    const char *label; /* "Agent", "ToolLibrary" */
    gramc_text name;   /* empty: the only one */
    const char *path;  /* what messages call the operands */
    bool may_miss;     /* a source without any will do, if it is the only one */
};
/* Compiles the one source with what is wanted, with all that it imports, and nothing else; the
 * findings are not reported. *status is what gramc_compile_source gave. EXIT_FINE, or another exit
 * code after a message: there is none, or there are several. */
int cli_compile_wanted(struct cli *cli, gramc_compilation *compilation,
                       const struct cli_wanted *wanted, const gramc_spec **spec,
                       gramc_status *status);
/* The same, and reports on `err`; EXIT_FINE only if the spec is sound. */
int cli_compile(struct cli *cli, gramc_compilation *compilation, const struct cli_wanted *wanted,
                const gramc_spec **spec);
/* The second half: `status` is what gramc_compile gave. */
int cli_report_compiled(struct cli *cli, const gramc_compilation *compilation, gramc_status status);
/* Prints findings (on `err`) and says whether to go on: EXIT_FINE, or EXIT_FINDINGS for errors and,
 * under --strict, warnings. */
int cli_report(struct cli *cli, const gramc_compilation *compilation, FILE *file);
/* The same in a format whose name is given, NULL meaning text. */
int cli_report_as(struct cli *cli, const gramc_compilation *compilation, FILE *file,
                  const char *format);
/* Finds the format of findings that a name means, NULL meaning text, which is coloured where
 * the file is a terminal. EXIT_FINE, or a message with the names that there are. */
int cli_find_format(struct cli *cli, const char *wanted, FILE *file, gramc_report_format *out);
/* True if --format asks for a report that a program reads. */
bool cli_wants_report(const struct cli *cli);
/* The exit code that goes with a status that is no finding. */
int cli_status(struct cli *cli, gramc_status status);

/* ## One of several */
/* What messages call the operands together. */
const char *cli_noun(const struct cli *cli);
/* The agent that --agent names, or the only one; `path` is what messages call the spec. EXIT_FINE,
 * or EXIT_USAGE after a message with the names that there are. */
int cli_choose_agent(struct cli *cli, const gramc_spec *spec, const char *path,
                     const gramc_agent **out);
/* "; did you mean NAME?" on `err`; nothing for an empty name. */
void cli_did_you_mean(struct cli *cli, gramc_text near);
/* Ends a line on `err` with the list, and frees it: EXIT_USAGE, or what no memory gives. */
struct name_list;
int cli_put_list(struct cli *cli, struct name_list *list);
/* The experiment that --experiment names, or the only one; as above. */
int cli_choose_experiment(struct cli *cli, const gramc_spec *spec, const char *path,
                          const gramc_experiment **out);
/* The library of that name; empty: the only one. */
int cli_choose_library(struct cli *cli, const gramc_spec *spec, const char *path, gramc_text name,
                       const gramc_library **out);

int cmd_check(struct cli *cli);
int cmd_config(struct cli *cli);
int cmd_init(struct cli *cli);
int cmd_parse(struct cli *cli);
int cmd_compile(struct cli *cli);
int cmd_explain(struct cli *cli);
int cmd_jolt(struct cli *cli);
int cmd_lsp(struct cli *cli);
int cmd_stub(struct cli *cli);
int cmd_trace(struct cli *cli);
int cmd_fmt(struct cli *cli);
int cmd_diff(struct cli *cli);
int cmd_validate(struct cli *cli);
int cmd_import(struct cli *cli);
/* Hands over to gramc-run, with all arguments as they came. */
int cmd_dispatch(struct cli *cli, int argc, char **argv);
/* The path of a program that was installed with this one; false if it is not there. */
bool cli_own_program(const char *name, char *out, size_t size);

#endif
