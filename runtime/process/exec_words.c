/* Turns an implementation's argv, folder and environment into what a program is started with. A
 * child sees what the loop hands down (PATH and the like) and what its implementation declares,
 * which wins; nothing else of this process. child.c starts it. */
#include "runtime/process/exec.h"

#include <string.h>

#include "base/text.h"
#include "runtime/loop.h"

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

static bool declares(const gramc_impl *impl, gramc_text name) {
    for (size_t i = 0; i < impl->env_count; i++)
        if (text_eq(variable_name(impl->env[i]), name)) return true;
    return false;
}

static char **environment(struct arena *arena, const gramc_impl *impl, const gramc_loop *loop) {
    size_t count = 0;
    gramc_text *all =
        arena_array(arena, impl->env_count + loop->environment_count + 1, sizeof(*all));
    if (!all) return NULL;
    for (size_t i = 0; i < loop->environment_count; i++)
        if (!declares(impl, variable_name(loop->environment[i])))
            all[count++] = loop->environment[i];
    for (size_t i = 0; i < impl->env_count; i++) all[count++] = impl->env[i];
    return copy_words(arena, all, count);
}

bool exec_words(struct exec_words *out, struct arena *arena, const gramc_impl *impl,
                const gramc_loop *loop) {
    out->argv = copy_words(arena, impl->argv, impl->argc);
    out->environment = environment(arena, impl, loop);
    out->folder = NULL;
    out->owns_process = loop->owns_process;
    out->secrets = &loop->secrets;
    if (impl->folder.len) {
        char **folder = copy_words(arena, &impl->folder, 1);
        out->folder = folder ? folder[0] : NULL;
    }
    return !arena->oom;
}
