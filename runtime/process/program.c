/* Turns an implementation into what is started in its place: gramc-host, which takes the limits as
 * options and then a verb and its words (load a plugin, start a program). Starting it is left to
 * child.c. */
#include "runtime/process/program.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { LIMITS = 5, NUMBER_SIZE = 24 };

/* As gramc-host's options name them. */
struct limit {
    const char *option;
    uint64_t most;
};

bool impl_has_limits(const gramc_impl *impl) {
    return impl->max_memory || impl->max_cpu_s || impl->max_files || impl->max_processes ||
           impl->max_file_size;
}

static void add_limits(struct arena *arena, gramc_text *words, size_t *count,
                       const gramc_impl *impl) {
    const struct limit list[LIMITS] = {{"--memory", impl->max_memory},
                                       {"--cpu", impl->max_cpu_s},
                                       {"--files", impl->max_files},
                                       {"--processes", impl->max_processes},
                                       {"--file-size", impl->max_file_size}};
    char number[NUMBER_SIZE];
    for (size_t i = 0; i < LIMITS; i++) {
        if (list[i].most == 0) continue;
        snprintf(number, sizeof(number), "%llu", (unsigned long long)list[i].most);
        words[(*count)++] = text_of(list[i].option);
        words[(*count)++] = arena_text(arena, text_of(number));
    }
}

gramc_text *hosted_words(struct arena *arena, const gramc_impl *impl, const char *host,
                         size_t *count) {
    gramc_text *words = arena_array(arena, impl->argc + 2 * LIMITS + 2, sizeof(*words));
    size_t filled = 0;
    if (!words) return NULL;
    words[filled++] = text_of(host);
    add_limits(arena, words, &filled, impl);
    words[filled++] = impl->kind == GRAMC_IMPL_PLUGIN ? TEXT("plugin") : TEXT("exec");
    for (size_t i = 0; i < impl->argc; i++) words[filled++] = impl->argv[i];
    *count = filled;
    return arena->oom ? NULL : words;
}

gramc_text impl_file(struct arena *arena, const gramc_impl *impl) {
    gramc_text folder = impl->folder.len ? impl->folder : TEXT(".");
    bool absolute = impl->target.len && impl->target.ptr[0] == '/';
    size_t size = folder.len + impl->target.len + 2;
    char *path = arena_alloc(arena, size);
    if (!path) return (gramc_text){NULL, 0};
    int len = absolute
                  ? snprintf(path, size, "%.*s", TEXT_ARGS(impl->target))
                  : snprintf(path, size, "%.*s/%.*s", TEXT_ARGS(folder), TEXT_ARGS(impl->target));
    return (gramc_text){path, (size_t)len};
}
