/* Turns an implementation's argv, folder and environment into what a program is started with. A
 * child sees what the loop hands down (PATH and the like), what its implementation declares, and
 * what its run adds; the later wins. It sees nothing else of this process. Where there is a
 * gramc-host, that starts it and ends it. child.c starts either. */
#include "runtime/process/exec.h"

#include <string.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/process/program.h"
#include "runtime/sandbox.h"
#include "runtime/tool.h"

static char **copy_words(struct arena *arena, const gramc_text *words, size_t count) {
    char **copy = arena_array(arena, count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = arena_alloc(arena, words[i].len + 1);
        if (!copy[i]) return NULL;
        if (words[i].len) memcpy(copy[i], words[i].ptr, words[i].len);
        copy[i][words[i].len] = '\0';
    }
    return copy;
}

static gramc_text variable_name(gramc_text pair) {
    const char *equals = pair.len ? memchr(pair.ptr, '=', pair.len) : NULL;
    return equals ? text_slice(pair, 0, (size_t)(equals - pair.ptr)) : pair;
}

struct pairs {
    const gramc_text *list;
    size_t count;
};

static bool declares(const struct pairs *pairs, gramc_text name) {
    for (size_t i = 0; i < pairs->count; i++)
        if (text_eq(variable_name(pairs->list[i]), name)) return true;
    return false;
}

/* What every contained program sees of what is handed down: HOME and TMPDIR are gramc-host's. */
static bool is_common(gramc_text name) {
    return text_is(name, "PATH") || text_is(name, "LANG");
}

static struct pairs common_ones(struct arena *arena, struct pairs handed_down) {
    gramc_text *list = arena_array(arena, handed_down.count + 1, sizeof(*list));
    struct pairs common = {list, 0};
    for (size_t i = 0; list && i < handed_down.count; i++)
        if (is_common(variable_name(handed_down.list[i])))
            list[common.count++] = handed_down.list[i];
    return common;
}

/* In three layers, of which the next one wins. */
static char **environment(struct arena *arena, const struct pairs layers[3]) {
    size_t room = layers[0].count + layers[1].count + layers[2].count;
    size_t count = 0;
    gramc_text *all = arena_array(arena, room + 1, sizeof(*all));
    for (size_t layer = 0; all && layer < 3; layer++)
        for (size_t i = 0; i < layers[layer].count; i++) {
            gramc_text pair = layers[layer].list[i], name = variable_name(pair);
            bool loses = (layer < 1 && declares(&layers[1], name)) ||
                         (layer < 2 && declares(&layers[2], name));
            if (!loses) all[count++] = pair;
        }
    return all ? copy_words(arena, all, count) : NULL;
}

/* The folder of an experiment's cell is its programs' own. */
static gramc_text scratch_of(const struct pairs *of_run) {
    for (size_t i = 0; i < of_run->count; i++)
        if (text_is(variable_name(of_run->list[i]), "GRAMC_SCRATCH"))
            return text_slice(of_run->list[i], sizeof "GRAMC_SCRATCH", of_run->list[i].len);
    return TEXT("");
}

static char **command(struct arena *arena, const struct hosted *hosted) {
    size_t count = hosted->impl->argc;
    const gramc_text *words =
        hosted->host ? hosted_words(arena, hosted, &count) : hosted->impl->argv;
    return words || !count ? copy_words(arena, words, count) : NULL;
}

bool exec_words(struct exec_words *out, struct arena *arena, const gramc_impl *impl,
                const gramc_loop *loop, const struct tool_memory *memory) {
    struct pairs layers[] = {
        {loop->environment, loop->environment_count},
        {impl->env, impl->env_count},
        {memory ? memory->environment : NULL, memory ? memory->environment_count : 0}};
    if (impl->sandbox) layers[0] = common_ones(arena, layers[0]);
    const struct hosted hosted = {impl, loop->host, scratch_of(&layers[2])};
    out->argv = command(arena, &hosted);
    out->supervised = loop->host != NULL;
    bool has_proxy = impl->sandbox && impl->sandbox->network == GRAMC_NETWORK_HOSTS;
    out->egress = has_proxy ? sandbox_egress(impl->sandbox) : NULL;
    out->uncontained = impl->sandbox && !loop->host;
    out->program = impl->argc ? arena_text(arena, impl->argv[0]).ptr : NULL;
    out->environment = environment(arena, layers);
    out->folder = NULL;
    out->owns_process = loop->owns_process;
    out->secrets = &loop->secrets;
    if (impl->folder.len) {
        char **folder = copy_words(arena, &impl->folder, 1);
        out->folder = folder ? folder[0] : NULL;
    }
    return !arena->oom;
}
