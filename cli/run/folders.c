/* From `allowFiles` of the spec's configuration and --allow-files to the folders whose files HTTP
 * calls may send. As with secrets, a configuration beside a library counts for nothing. */
#include "cli/run/run.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* What stands in front of a folder that a configuration names. */
static gramc_text folder_of(const gramc_setting *setting) {
    gramc_text file = setting->file;
    if (text_starts(setting->value, "/")) return TEXT("");
    while (file.len && file.ptr[file.len - 1] != '/') file.len--;
    return file;
}

static void add(struct run_folders *out, char **cursor, gramc_text folder, gramc_text name) {
    const gramc_text path = {*cursor, folder.len + name.len};
    if (folder.len) memcpy(*cursor, folder.ptr, folder.len);
    memcpy(*cursor + folder.len, name.ptr, name.len);
    (*cursor)[path.len] = '\0';
    *cursor += path.len + 1;
    out->list[out->count++] = path;
}

/* Each folder that was said; sizes alone before there is memory. */
static size_t visit(const struct cli *cli, const gramc_compilation *spec, struct run_folders *out,
                    char **cursor) {
    gramc_setting setting;
    size_t size = 0;
    for (size_t i = 0; spec && gramc_setting_get(spec, i, &setting); i++) {
        if (!text_is(setting.key, "allowFiles") || !setting.value.len) continue;
        gramc_text folder = folder_of(&setting);
        size += sizeof(gramc_text) + folder.len + setting.value.len + 1;
        if (out->list) add(out, cursor, folder, setting.value);
    }
    for (size_t i = 0; i < cli->given_count; i++) {
        if (cli->given[i].id != OPTION_ALLOW_FILES || !cli->given[i].value[0]) continue;
        gramc_text name = text_of(cli->given[i].value);
        size += sizeof(gramc_text) + name.len + 1;
        if (out->list) add(out, cursor, TEXT(""), name);
    }
    return size;
}

/* The texts lie behind the list. */
int run_read_folders(struct cli *cli, const gramc_compilation *spec, struct run_folders *out) {
    size_t settings = 0;
    gramc_setting setting;
    *out = (struct run_folders){NULL, 0, 0};
    while (spec && gramc_setting_get(spec, settings, &setting)) settings++;
    size_t texts = visit(cli, spec, out, NULL);
    if (!texts) return EXIT_FINE;
    size_t room = (settings + cli->given_count) * sizeof *out->list;
    out->size = room + texts;
    out->list = mem_alloc(&cli->allocator, out->size);
    if (!out->list) return cli_no_memory(cli);
    char *cursor = (char *)out->list + room;
    visit(cli, spec, out, &cursor);
    return EXIT_FINE;
}

void run_free_folders(struct cli *cli, struct run_folders *folders) {
    if (folders->list) mem_free(&cli->allocator, folders->list, folders->size);
    folders->list = NULL;
}
