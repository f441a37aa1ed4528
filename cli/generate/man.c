/* The man page gramc(1), in the macros of man(7). */
#include "cli/generate/generate.h"

#include <string.h>

/* Text of a line: backslashes, and a hyphen that is typed as one; a dot or quote that begins a line
 * would be a request. */
static void put(FILE *out, const char *text) {
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else fputc(*text, out);
        begins = *text == '\n';
    }
}

static void put_option(FILE *out, const struct option_row *option, const char *command) {
    char help[512];
    gramc_text text = cli_option_help(option, command);
    snprintf(help, sizeof help, "%.*s", (int)text.len, text.ptr);
    fputs(".TP\n", out);
    fputs(".B ", out);
    if (option->letter) fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    put(out, "--");
    put(out, option->name);
    if (option->value) {
        fputs("\\fR \\fI", out);
        put(out, option->value);
    }
    fputs("\n", out);
    put(out, help);
    fputc('\n', out);
}

/* The lines below "Examples:", as they are typed. */
static void put_examples(FILE *out, const char *examples) {
    const char *lines = strchr(examples, '\n');
    fputs(".PP\n.nf\n", out);
    put(out, lines ? lines + 1 : examples);
    fputs(".fi\n", out);
}

static void put_command(FILE *out, const struct command *command) {
    fputs(".SS ", out);
    fprintf(out, "\"gramc %s\"\n", command->name);
    fprintf(out, "\\fBgramc %s\\fR [\\fIOPTION\\fR...] \\fI", command->name);
    put(out, command->operands);
    fputs("\\fR\n.PP\n", out);
    put(out, command->about);
    fputc('\n', out);
    put_examples(out, command->examples);
    for (size_t i = 0; cli_option(i); i++)
        if (cli_option(i)->commands != FOR_ALL && cli_option(i)->commands & command->bit)
            put_option(out, cli_option(i), command->name);
}

static void put_list(FILE *out, const char *title, const char *(*name)(size_t i),
                     const char *(*about)(size_t i)) {
    fprintf(out, ".SH %s\n", title);
    for (size_t i = 0; name(i); i++) {
        fputs(".TP\n.B ", out);
        put(out, name(i));
        fputc('\n', out);
        put(out, about(i));
        fputc('\n', out);
    }
}

static void put_exit_status(FILE *out) {
    static const char *const rows[][2] = {
        {"0", "Fine."},
        {"1", "Findings, or a gate failed."},
        {"2", "Usage, a broken configuration, an unreadable file."},
        {"3", "A run failed: network, provider, a tool's infrastructure, memory."},
        {"130", "Interrupted."},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, ".TP\n.B %s\n%s\n", rows[i][0], rows[i][1]);
}

void write_man(FILE *out) {
    fprintf(out, ".TH GRAMC 1 \"\" \"gramc %s\" \"User Commands\"\n", gramc_version());
    fputs(".SH NAME\ngramc \\- compile agent specs in gram notation and run them\n", out);
    fputs(".SH SYNOPSIS\n.B gramc\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n",
          out);
    fputs(".SH DESCRIPTION\nReads agents, tools and tool libraries from\n.I .gram\nfiles, says "
          "what is "
          "wrong with them, prints their tools for language models, and runs them.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; every_command(i); i++) put_command(out, every_command(i));
    fputs(".SH OPTIONS OF ALL COMMANDS\n", out);
    for (size_t i = 0; cli_option(i); i++)
        if (cli_option(i)->commands == FOR_ALL) put_option(out, cli_option(i), "");
    put_list(out, "FORMATS", gramc_report_format_name, gramc_report_format_about);
    put_list(out, "FORMATS OF VERDICTS", gramc_verdict_format_name, gramc_verdict_format_about);
    put_list(out, "TARGETS", gramc_target_name, gramc_target_about);
    put_exit_status(out);
    fputs(
        ".SH FILES\n.TP\n.I gramc.gram\nThe configuration, found from the folder of the first file "
        "upward.\n",
        out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours, whatever the terminal can do.\n"
          ".TP\n.B TERM\nNo colours if it is dumb.\n",
          out);
}
