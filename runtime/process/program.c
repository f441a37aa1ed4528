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

static void add_places(gramc_text *words, size_t *count, const char *option,
                       const gramc_text *places, size_t place_count) {
    for (size_t i = 0; i < place_count; i++) {
        words[(*count)++] = text_of(option);
        words[(*count)++] = places[i];
    }
}

/* Nothing where there is no sandbox: the program may touch what the user may. */
static void add_walls(gramc_text *words, size_t *count, const struct hosted *hosted) {
    static const char *const networks[] = {[GRAMC_NETWORK_NONE] = "none",
                                           [GRAMC_NETWORK_HOSTS] = "hosts",
                                           [GRAMC_NETWORK_OPEN] = "open"};
    const gramc_sandbox *sandbox = hosted->impl->sandbox;
    if (!sandbox) return;
    words[(*count)++] = TEXT("--sandbox");
    add_places(words, count, "--read", sandbox->read, sandbox->read_count);
    add_places(words, count, "--write", sandbox->write, sandbox->write_count);
    add_places(words, count, "--write", &hosted->scratch, hosted->scratch.len > 0);
    words[(*count)++] = TEXT("--network");
    words[(*count)++] = text_of(networks[sandbox->network]);
}

static size_t room_of(const gramc_impl *impl) {
    const gramc_sandbox *sandbox = impl->sandbox;
    size_t places = sandbox ? sandbox->read_count + sandbox->write_count + 1 : 0;
    return impl->argc + 2 * LIMITS + 2 + 2 * places + 3;
}

gramc_text *hosted_words(struct arena *arena, const struct hosted *hosted, size_t *count) {
    const gramc_impl *impl = hosted->impl;
    gramc_text *words = arena_array(arena, room_of(impl), sizeof(*words));
    size_t filled = 0;
    if (!words) return NULL;
    words[filled++] = text_of(hosted->host);
    add_limits(arena, words, &filled, impl);
    add_walls(words, &filled, hosted);
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
