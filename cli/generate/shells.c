/* Completions for bash, zsh and fish: commands, the options of each, the values of those that have
 * a list. */
#include "cli/generate/generate.h"

#include <string.h>

enum { MOST_VALUES = 64 };

/* What gramc explain takes: all codes. */
static void put_codes(FILE *out) {
    gramc_explanation row;
    for (size_t i = 0; gramc_explain(i, &row); i++) fprintf(out, "%s%s", i ? " " : "", row.code);
}

static const struct option_row *option_of(const struct command *command, size_t *i) {
    for (; cli_option(*i); ++*i)
        if (cli_option(*i)->commands & command->bit) return cli_option((*i)++);
    return NULL;
}

/* The first sentence of what a command is about. */
static int about_length(const char *about) {
    return (int)strcspn(about, ".\n");
}

static void put_values(FILE *out, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) fprintf(out, "%s%s", i ? " " : "", list[i]);
}

/* ## bash */

static void put_bash_values(FILE *out, const struct command *command) {
    const struct option_row *option;
    for (size_t i = 0; (option = option_of(command, &i)) != NULL;) {
        const char *list[MOST_VALUES];
        size_t count;
        enum completion_kind kind = option_values(option, command, list, MOST_VALUES, &count);
        if (kind == VALUE_NONE) continue;
        fprintf(out, "    %s:--%s", command->name, option->name);
        if (option->letter) fprintf(out, " | %s:-%c", command->name, option->letter);
        fputs(") ", out);
        if (kind == VALUE_LIST) {
            fputs("_gramc_words \"", out);
            put_values(out, list, count);
            fputs("\"", out);
        } else {
            fputs(kind == VALUE_FILE ? "_gramc_files" : "COMPREPLY=()", out);
        }
        fputs("; return ;;\n", out);
    }
}

static void put_bash_options(FILE *out, const struct command *command) {
    const struct option_row *option;
    fprintf(out, "    %s) words=\"", command->name);
    for (size_t i = 0; (option = option_of(command, &i)) != NULL;) {
        fprintf(out, " --%s", option->name);
        if (option->letter) fprintf(out, " -%c", option->letter);
    }
    fputs("\" ;;\n", out);
}

void write_bash(FILE *out) {
    fputs("# bash completion for gramc; generated from its tables\n"
          "_gramc_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
          "_gramc_files() { mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); }\n\n"
          "_gramc() {\n"
          "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "  local command=${COMP_WORDS[1]} words=\n"
          "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "    _gramc_words \"",
          out);
    for (size_t i = 0; every_command(i); i++) fprintf(out, "%s ", every_command(i)->name);
    fputs("--help --version\"\n    return\n  fi\n  case $command:$previous in\n", out);
    for (size_t i = 0; every_command(i); i++) put_bash_values(out, every_command(i));
    fputs("  esac\n  case $command in\n", out);
    for (size_t i = 0; every_command(i); i++) put_bash_options(out, every_command(i));
    fputs("  esac\n"
          "  case $current in\n"
          "    -*) _gramc_words \"$words\"; return ;;\n"
          "  esac\n"
          "  case $command in\n"
          "    explain) _gramc_words \"",
          out);
    put_codes(out);
    fputs("\" ;;\n"
          "    *) _gramc_files ;;\n"
          "  esac\n"
          "}\n"
          "complete -o filenames -F _gramc gramc\n",
          out);
}

/* ## zsh */

/* Inside single quotes, and with the marks of _arguments escaped. */
static void put_zsh(FILE *out, const char *text, size_t len) {
    for (size_t i = 0; i < len && text[i]; i++) {
        if (text[i] == '\'') fputs("'\\''", out);
        else if (strchr("[]:\\", text[i])) fprintf(out, "\\%c", text[i]);
        else fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
}

static void put_zsh_option(FILE *out, const struct command *command,
                           const struct option_row *option, const char *name) {
    const char *list[MOST_VALUES];
    size_t count;
    enum completion_kind kind = option_values(option, command, list, MOST_VALUES, &count);
    bool is_long = name[1] == '-';
    fprintf(out, "        '%s%s[", name, kind == VALUE_NONE ? "" : is_long ? "=" : "+");
    gramc_text help = cli_option_help(option, command->name);
    put_zsh(out, help.ptr, help.len);
    fputc(']', out);
    if (kind != VALUE_NONE) {
        fputc(':', out);
        put_zsh(out, option->value, strlen(option->value));
        fputs(kind == VALUE_FILE ? ":_files" : kind == VALUE_LIST ? ":(" : ": ", out);
        put_values(out, list, count);
        if (kind == VALUE_LIST) fputc(')', out);
    }
    fputs("' \\\n", out);
}

static void put_zsh_command(FILE *out, const struct command *command) {
    const struct option_row *option;
    fprintf(out, "    %s)\n      _arguments \\\n", command->name);
    for (size_t i = 0; (option = option_of(command, &i)) != NULL;) {
        char name[64];
        snprintf(name, sizeof name, "--%s", option->name);
        put_zsh_option(out, command, option, name);
        snprintf(name, sizeof name, "-%c", option->letter);
        if (option->letter) put_zsh_option(out, command, option, name);
    }
    if (command->bit != FOR_EXPLAIN) {
        fputs("        '*:file:_files' ;;\n", out);
        return;
    }
    fputs("        '*:code:(", out);
    put_codes(out);
    fputs(")' ;;\n", out);
}

void write_zsh(FILE *out) {
    fputs("#compdef gramc\n# zsh completion for gramc; generated from its tables\n"
          "_gramc() {\n"
          "  local -a commands\n"
          "  commands=(\n",
          out);
    for (size_t i = 0; every_command(i); i++) {
        const struct command *command = every_command(i);
        fprintf(out, "    '%s:", command->name);
        put_zsh(out, command->about, (size_t)about_length(command->about));
        fputs("'\n", out);
    }
    fputs("  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local command=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $command in\n",
          out);
    for (size_t i = 0; every_command(i); i++) put_zsh_command(out, every_command(i));
    fputs("  esac\n}\n_gramc \"$@\"\n", out);
}

/* ## fish */

static void put_fish(FILE *out, const char *text, size_t len) {
    fputc('\'', out);
    for (size_t i = 0; i < len && text[i]; i++) {
        if (strchr("'\\", text[i])) fputc('\\', out);
        fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
    fputc('\'', out);
}

static void put_fish_option(FILE *out, const struct command *command,
                            const struct option_row *option) {
    const char *list[MOST_VALUES];
    size_t count;
    enum completion_kind kind = option_values(option, command, list, MOST_VALUES, &count);
    fprintf(out, "complete -c gramc -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name);
    if (option->letter) fprintf(out, " -s %c", option->letter);
    if (kind == VALUE_FILE) fputs(" -r -F", out);
    else if (kind != VALUE_NONE) fputs(" -x", out);
    if (kind == VALUE_LIST) {
        fputs(" -a '", out);
        put_values(out, list, count);
        fputc('\'', out);
    }
    fputs(" -d ", out);
    gramc_text help = cli_option_help(option, command->name);
    put_fish(out, help.ptr, help.len);
    fputc('\n', out);
}

void write_fish(FILE *out) {
    fputs("# fish completion for gramc; generated from its tables\n", out);
    for (size_t i = 0; every_command(i); i++) {
        const struct command *command = every_command(i);
        const struct option_row *option;
        fprintf(out, "complete -c gramc -n __fish_use_subcommand -f -a %s -d ", command->name);
        put_fish(out, command->about, (size_t)about_length(command->about));
        fputc('\n', out);
        for (size_t j = 0; (option = option_of(command, &j)) != NULL;)
            put_fish_option(out, command, option);
    }
}
