/* The manual pages, in the macros of man(7): gramc(1) with what all commands share, and a page for
 * each command, gramc-check(1) and so on. All of it stands in the tables that --help is printed
 * from. */
#include "cli/generate/generate.h"

#include <string.h>

#include "base/text.h"

enum { WIDEST_LINE = 78 };

/* ## Text */

/* Backslashes, and a hyphen that is typed as one. How many bytes that took. */
static size_t put_char(FILE *out, char c) {
    if (c != '\\' && c != '-') return fputc(c, out) == EOF ? 0 : 1;
    fputs(c == '-' ? "\\-" : "\\e", out);
    return 2;
}

/* As it stands; a dot or quote that begins a line would be a request. */
static void put(FILE *out, const char *text) {
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", out);
        put_char(out, *text);
        begins = *text == '\n';
    }
}

/* Words in lines that editors of such files can show; `column` bytes stand in the first already. */
static void put_filled(FILE *out, gramc_text text, size_t column) {
    bool begins = column == 0;
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != '\n') end++;
        if (!begins && column + 2 * (end - i) > WIDEST_LINE) begins = true, fputc('\n', out);
        if (begins) column = 0;
        else column++, fputc(' ', out);
        if (begins && (text.ptr[i] == '.' || text.ptr[i] == '\'')) fputs("\\&", out);
        for (begins = false; i < end; i++) column += put_char(out, text.ptr[i]);
        while (i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\n')) i++;
    }
    fputc('\n', out);
}

/* The next lines that all begin with a blank, or all do not; *text is behind them then. */
static gramc_text next_lines(const char **text) {
    const char *start = *text, *end = start;
    bool listed = *start == ' ';
    while (*end && (*end == ' ') == listed) {
        end += strcspn(end, "\n");
        if (*end) end++;
    }
    *text = end;
    return (gramc_text){start, (size_t)(end - start)};
}

static void put_lines(FILE *out, gramc_text lines) {
    fputs(".nf\n", out);
    for (size_t i = 0; i < lines.len; i++) put_char(out, lines.ptr[i]);
    if (lines.ptr[lines.len - 1] != '\n') fputc('\n', out);
    fputs(".fi\n", out);
}

/* Prose, and lists in lines that begin with blanks. */
static void put_about(FILE *out, const char *text) {
    for (bool first = true; *text; first = false) {
        bool listed = *text == ' ';
        gramc_text lines = next_lines(&text);
        if (!first) fputs(".PP\n", out);
        if (listed) put_lines(out, lines);
        else put_filled(out, lines, 0);
    }
}

static void put_title(FILE *out, const char *name) {
    fputs(".TH ", out);
    for (; *name; name++) {
        if (*name == '-') fputs("\\-", out);
        else fputc(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
    }
    fprintf(out, " 1 \"\" \"gramc %s\" \"User Commands\"\n", gramc_version());
}

/* ## Sections */

/* The words that may stand behind it, where only a few may. */
static void put_values(FILE *out, const struct option_row *option, const struct command *command) {
    const char *list[64];
    size_t count;
    if (option_values(option, command, list, 64, &count) != VALUE_LIST) return;
    fputs(".br\nOne of\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i + 1 < count ? ".BR " : ".B ", out);
        put(out, list[i]);
        fputs(i + 1 < count ? " ,\n" : "\n", out);
    }
}

static void put_option(FILE *out, const struct option_row *option, const struct command *command) {
    fputs(".TP\n.B ", out);
    if (option->letter) fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    put(out, "--");
    put(out, option->name);
    if (option->value) {
        fputs("\\fR \\fI", out);
        put(out, option->value);
    }
    fputs("\n", out);
    put_filled(out, cli_option_help(option, command->name), 0);
    put_values(out, option, command);
}

static void put_options(FILE *out, const struct command *command) {
    bool any = false;
    for (size_t i = 0; cli_option(i); i++) {
        const struct option_row *option = cli_option(i);
        if (option->commands == FOR_ALL || !(option->commands & command->bit)) continue;
        if (!any) fputs(".SH OPTIONS\n", out);
        any = true;
        put_option(out, option, command);
    }
}

static void put_common_options(FILE *out) {
    for (size_t i = 0; cli_option(i); i++)
        if (cli_option(i)->commands == FOR_ALL) put_option(out, cli_option(i), every_command(0));
}

static void put_list(FILE *out, const char *title, const char *(*name)(size_t i),
                     const char *(*about)(size_t i)) {
    fprintf(out, ".SH %s\n", title);
    for (size_t i = 0; name(i); i++) {
        fputs(".TP\n.B ", out);
        put(out, name(i));
        fputc('\n', out);
        put_filled(out, text_of(about(i)), 0);
    }
}

static void put_exit_status(FILE *out) {
    static const char *const rows[][2] = {
        {"0", "Fine."},
        {"1", "Findings, or a gate failed."},
        {"2", "Usage, a broken configuration, an unreadable file."},
        {"3", "A run failed: network, provider, a tool's infrastructure, memory."},
        {"4", "Inconclusive, where \\fB\\-\\-require\\-decision\\fR was asked for."},
        {"130", "Interrupted."},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, ".TP\n.B %s\n%s\n", rows[i][0], rows[i][1]);
}

/* The lines below "Examples:", as they are typed. */
static void put_examples(FILE *out, const char *examples) {
    const char *lines = strchr(examples, '\n');
    fputs(".SH EXAMPLES\n", out);
    put_lines(out, text_of(lines ? lines + 1 : examples));
}

/* ## Pages */

/* The first sentence of what a command is about. */
static gramc_text summary_of(const struct command *command) {
    return (gramc_text){command->about, strcspn(command->about, ".\n")};
}

static void put_command(FILE *out, const struct command *command) {
    fprintf(out, ".TP\n.BR gramc\\-%s (1)\n", command->name);
    put_filled(out, summary_of(command), 0);
}

void write_man(FILE *out) {
    put_title(out, "gramc");
    fputs(".SH NAME\ngramc \\- compile agent specs in gram notation and run them\n", out);
    fputs(".SH SYNOPSIS\n.B gramc\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n",
          out);
    fputs(".SH DESCRIPTION\nReads agents, tools and tool libraries from\n.I .gram\nfiles, says "
          "what is wrong with them,\nprints their tools for language models, and runs them.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; every_command(i); i++) put_command(out, every_command(i));
    fputs(".SH OPTIONS OF ALL COMMANDS\n", out);
    put_common_options(out);
    put_list(out, "FORMATS OF FINDINGS", gramc_report_format_name, gramc_report_format_about);
    put_list(out, "FORMATS OF VERDICTS", gramc_verdict_format_name, gramc_verdict_format_about);
    put_list(out, "TARGETS", gramc_target_name, gramc_target_about);
    put_exit_status(out);
    fputs(".SH FILES\n.TP\n.I gramc.gram\nThe configuration, found from the folder of the first "
          "file upward.\n.TP\n.I gramc.lock\nWhat was pinned of tool libraries; see\n.BR "
          "gramc\\-lock (1).\n",
          out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours, whatever the terminal can do.\n"
          ".TP\n.B TERM\nNo colours if it is dumb.\n",
          out);
}

void write_command_man(FILE *out, const struct command *command) {
    char name[64];
    snprintf(name, sizeof name, "gramc-%s", command->name);
    put_title(out, name);
    int used = fprintf(out, ".SH NAME\ngramc\\-%s \\-", command->name);
    put_filled(out, summary_of(command), used > 0 ? (size_t)used : 0);
    fprintf(out, ".SH SYNOPSIS\n.B gramc %s\n[\\fIOPTION\\fR...] \\fI", command->name);
    put(out, command->operands);
    fputs("\\fR\n.SH DESCRIPTION\n", out);
    put_about(out, command->about);
    put_options(out, command);
    fputs(".PP\nAnd those of all commands, as\n.BR gramc (1)\nhas them", out);
    fputs(", with the formats, the targets and the exit status.\n", out);
    put_examples(out, command->examples);
    fputs(".SH SEE ALSO\n.BR gramc (1)\n", out);
}
