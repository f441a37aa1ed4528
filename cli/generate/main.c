/* gramc-generate KIND FILE, or man-pages FOLDER: turns the tables of commands, options, limits and
 * findings into manual pages, a shell's completion, docs/limits.md or docs/findings.md, so that
 * none can fall behind. Runs when gramc is built and is not installed. */
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

enum completion_kind option_values(const struct option_row *option, const struct command *command,
                                   const char **list, size_t list_size, size_t *count) {
    enum option_id id = 0;
    const char *value;
    *count = 0;
    if (!option->value) return VALUE_NONE;
    while (cli_option(id) != option) id++;
    while (*count < list_size && (value = cli_option_value(id, command->bit, *count)) != NULL)
        list[(*count)++] = value;
    if (*count) return VALUE_LIST;
    return text_starts(text_of(option->value), "FILE") ? VALUE_FILE : VALUE_ANY;
}

/* gramc-check.1 and so on, in a folder that is there. */
static bool write_command_pages(const char *folder) {
    for (size_t i = 0; every_command(i); i++) {
        char path[4096];
        int used = snprintf(path, sizeof path, "%s/gramc-%s.1", folder, every_command(i)->name);
        FILE *out = used > 0 && (size_t)used < sizeof path ? fopen(path, "w") : NULL;
        if (!out) return false;
        write_command_man(out, every_command(i));
        if (fclose(out) != 0) return false;
    }
    return true;
}

int main(int argc, char **argv) {
    static const struct {
        const char *kind;
        void (*write)(FILE *out);
    } pages[] = {{"man", write_man},   {"bash", write_bash},     {"zsh", write_zsh},
                 {"fish", write_fish}, {"limits", write_limits}, {"findings", write_findings}};
    for (size_t i = 0; argc == 3 && i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(argv[1], pages[i].kind) != 0) continue;
        FILE *out = fopen(argv[2], "w");
        if (!out) break;
        pages[i].write(out);
        return fclose(out) == 0 ? 0 : 1;
    }
    if (argc == 3 && strcmp(argv[1], "man-pages") == 0) return write_command_pages(argv[2]) ? 0 : 1;
    fputs("usage: gramc-generate man|bash|zsh|fish|limits|findings FILE, or man-pages FOLDER\n",
          stderr);
    return 2;
}
