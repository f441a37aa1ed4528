/* gramc-generate KIND FILE: turns the tables of commands, options and limits into a man page, a
 * shell's completion or docs/limits.md, so that none can fall behind. Runs when gramc is built and
 * is not installed. */
#include "cli/generate/generate.h"

#include <string.h>

#include "base/text.h"
#ifdef GRAMC_RUNTIME
#include "cli/run/commands.h"
#endif

static const struct command *more_command(size_t i) {
#ifdef GRAMC_RUNTIME
    for (size_t j = 0; run_commands[j].name; j++)
        if (j == i) return &run_commands[j];
#endif
    (void)i;
    return NULL;
}

const struct command *every_command(size_t i) {
    size_t own = 0;
    while (cli_command(own)) own++;
    return i < own ? cli_command(i) : more_command(i - own);
}

static enum completion_kind fill(const char **list, size_t size, size_t *count,
                                 const char *(*name)(size_t i)) {
    for (size_t i = 0; name(i) && *count < size; i++) list[(*count)++] = name(i);
    return VALUE_LIST;
}

static const char *color_name(size_t i) {
    static const char *const names[] = {"auto", "always", "never"};
    return i < 3 ? names[i] : NULL;
}

static const char *draft_name(size_t i) {
    static const char *const names[] = {"2020-12", "2019-09", "7"};
    return i < 3 ? names[i] : NULL;
}

static const char *verdict_name(size_t i) {
    size_t of_findings = 0;
    while (gramc_report_format_name(of_findings)) of_findings++;
    return i < of_findings ? gramc_report_format_name(i)
                           : gramc_verdict_format_name(i - of_findings);
}

static const char *binding_name(size_t i) {
    static const char *const names[] = {"text", "json"};
    return i < 2 ? names[i] : NULL;
}

static const char *listing_name(size_t i) {
    static const char *const names[] = {"table", "json", "gram"};
    return i < 3 ? names[i] : NULL;
}

/* What --format takes, by the command. */
static const char *(*format_names(unsigned command))(size_t i) {
    switch (command) {
    case FOR_VALIDATE: return verdict_name;
    case FOR_BIND: return binding_name;
    case FOR_TOOLS: return listing_name;
    default: return gramc_report_format_name;
    }
}

enum completion_kind option_values(const struct option_row *option, const struct command *command,
                                   const char **list, size_t list_size, size_t *count) {
    *count = 0;
    if (!option->value) return VALUE_NONE;
    if (!strcmp(option->name, "format"))
        return fill(list, list_size, count, format_names(command->bit));
    if (!strcmp(option->name, "target")) return fill(list, list_size, count, gramc_target_name);
    if (!strcmp(option->name, "color")) return fill(list, list_size, count, color_name);
    if (!strcmp(option->name, "draft")) return fill(list, list_size, count, draft_name);
    return text_starts(text_of(option->value), "FILE") ? VALUE_FILE : VALUE_ANY;
}

int main(int argc, char **argv) {
    static const struct {
        const char *kind;
        void (*write)(FILE *out);
    } pages[] = {{"man", write_man},
                 {"bash", write_bash},
                 {"zsh", write_zsh},
                 {"fish", write_fish},
                 {"limits", write_limits}};
    for (size_t i = 0; argc == 3 && i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(argv[1], pages[i].kind) != 0) continue;
        FILE *out = fopen(argv[2], "w");
        if (!out) break;
        pages[i].write(out);
        return fclose(out) == 0 ? 0 : 1;
    }
    fputs("usage: gramc-generate man|bash|zsh|fish|limits FILE\n", stderr);
    return 2;
}
