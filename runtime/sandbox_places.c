/* Makes the places of a sandbox absolute, looks whether they are there, and adds what a program
 * needs of itself: the folder of its library, and that in which PATH finds it. What of the system
 * every program reads is gramc-host's to know. */
#define _XOPEN_SOURCE 700
#include "runtime/sandbox.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/process/look_up.h"

enum { SHOWN = 200, OF_PROGRAM = 16 };

/* Places while they are gathered. */
struct place_list {
    struct arena *arena;
    gramc_text *list;
    size_t count;
};

static bool is_absolute(gramc_text place) {
    return place.len && place.ptr[0] == '/';
}

static gramc_text join(struct arena *arena, gramc_text folder, gramc_text name) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    buf_text(&out, folder);
    if (name.len && !text_is(folder, "/")) buf_putc(&out, '/');
    buf_text(&out, name);
    return buf_to_arena(&out, arena);
}

static void add(struct place_list *places, gramc_text place) {
    if (place.ptr) places->list[places->count++] = place;
}

static void add_if_there(struct place_list *places, gramc_text place) {
    if (place.ptr && access(place.ptr, F_OK) == 0) add(places, place);
}

/* The real path of a folder that ends with a slash, or is empty: the current one. */
static bool real_folder(char out[PATH_MAX], struct arena *arena, gramc_text folder) {
    gramc_text path = arena_text(arena, folder.len ? folder : TEXT("."));
    return path.ptr && realpath(path.ptr, out);
}

/* ## What is said */

static gramc_text absolute(struct arena *arena, gramc_text place, gramc_text folder,
                           gramc_text home) {
    if (is_absolute(place)) return arena_text(arena, place);
    if (place.ptr[0] != '~') return join(arena, folder, place);
    size_t start = place.len > 1 ? 2 : 1;
    return join(arena, home, text_slice(place, start, place.len));
}

static bool check_place(const char *key, gramc_text place, gramc_text made, gramc_text home,
                        char why[PLACE_WHY_MAX]) {
    int shown = place.len < SHOWN ? (int)place.len : SHOWN;
    if (place.ptr[0] == '~' && !home.len)
        snprintf(why, PLACE_WHY_MAX, "`%.*s` of `%s` is below a home folder, and there is none",
                 shown, place.ptr, key);
    else if (access(made.ptr, F_OK))
        snprintf(why, PLACE_WHY_MAX, "`%.*s` of `%s` is not there", shown, place.ptr, key);
    else return true;
    return false;
}

struct said_places {
    const char *key;
    const gramc_text *list;
    size_t count;
    gramc_text folder, home;
};

static gramc_status add_said(struct place_list *places, const struct said_places *said,
                             char why[PLACE_WHY_MAX]) {
    for (size_t i = 0; i < said->count; i++) {
        gramc_text made = absolute(places->arena, said->list[i], said->folder, said->home);
        if (!made.ptr) return GRAMC_NOMEM;
        if (!check_place(said->key, said->list[i], made, said->home, why)) return GRAMC_FINDINGS;
        add(places, made);
    }
    return GRAMC_OK;
}

/* ## What a program has of itself */

static gramc_text parent(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    while (path.len > 1 && path.ptr[path.len - 1] == '/') path.len--;
    return path;
}

/* Is the home folder there, or below? */
static bool holds_home(struct arena *arena, const char *folder, gramc_text home) {
    char real[PATH_MAX];
    size_t len = strlen(folder);
    if (!home.len || !real_folder(real, arena, home) || strcmp(real, "/") == 0) return false;
    if (strncmp(real, folder, len) != 0) return false;
    return len == 1 || real[len] == '\0' || real[len] == '/';
}

static bool is_called(gramc_text folder, const char *name) {
    size_t len = strlen(name);
    return folder.len > len && text_is(text_slice(folder, folder.len - len, folder.len), name) &&
           folder.ptr[folder.len - len - 1] == '/';
}

/* A shim starts what its manager of versions keeps beside it. */
static void add_manager(struct place_list *places, gramc_text shims, gramc_text home) {
    gramc_text folder = arena_text(places->arena, parent(shims));
    if (folder.ptr && !holds_home(places->arena, folder.ptr, home)) add(places, folder);
}

/* Interpreters that people install for themselves keep their libraries beside `bin`. */
static void add_prefix(struct place_list *places, gramc_text program, gramc_text home) {
    static const char *const beside[] = {"lib", "lib64", "libexec", "pyvenv.cfg"};
    gramc_text folder = parent(program);
    add(places, arena_text(places->arena, folder));
    if (is_called(folder, "shims")) add_manager(places, folder, home);
    if (!is_called(folder, "bin")) return;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        add_if_there(places, join(places->arena, parent(folder), text_of(beside[i])));
}

/* A file, relative to the library's folder, which is the first of the places. The interpreter that
 * a link leads to needs its libraries. */
static void add_file(struct place_list *places, gramc_text file, gramc_text home) {
    char real[PATH_MAX];
    if (!is_absolute(file)) file = join(places->arena, places->list[0], file);
    file = file.ptr ? arena_text(places->arena, file) : file;
    add_if_there(places, file);
    if (!file.ptr || !realpath(file.ptr, real) || text_is(file, real)) return;
    if (!text_starts(text_of(real), places->list[0].ptr)) add_prefix(places, text_of(real), home);
}

/* Folders are read where the user's own PATH leads: a library can name any program, and a PATH of
 * its own. The file that one's own library names is read alone. */
static void add_program(struct place_list *places, const struct sandbox_site *site) {
    char found[PROGRAM_PLACE_MAX], real[PATH_MAX];
    const gramc_impl *program = site->program;
    gramc_text name = program->argc ? program->argv[0] : program->target;
    gramc_text path = site->given->path, home = site->given->home;
    if (!name.len) return;
    if (program->kind == GRAMC_IMPL_PLUGIN || memchr(name.ptr, '/', name.len)) {
        if (site->is_own) add_file(places, name, home);
        return;
    }
    if (!path.len || !program_find(found, program->folder, path, name) || found[0] != '/') return;
    add_prefix(places, text_of(found), home);
    if (realpath(found, real) && strcmp(real, found) != 0) add_prefix(places, text_of(real), home);
}

/* A program with a network has to find out where names lead. */
static void add_resolver(struct place_list *places) {
    static const char *const resolvers[] = {"/run/systemd/resolve", "/run/resolvconf",
                                            "/run/NetworkManager"};
    for (size_t i = 0; i < sizeof resolvers / sizeof *resolvers; i++)
        add_if_there(places, arena_text(places->arena, text_of(resolvers[i])));
}

static gramc_status add_library(struct place_list *places, const gramc_impl *program,
                                gramc_text home, char why[PLACE_WHY_MAX]) {
    char real[PATH_MAX];
    if (!real_folder(real, places->arena, program->folder)) {
        snprintf(why, PLACE_WHY_MAX, "the folder of its library cannot be found");
        return GRAMC_FINDINGS;
    }
    if (holds_home(places->arena, real, home)) {
        snprintf(why, PLACE_WHY_MAX,
                 "it reads the folder of its library, which holds your home folder; put the "
                 "library into a folder of its own");
        return GRAMC_FINDINGS;
    }
    add(places, arena_text(places->arena, text_of(real)));
    return GRAMC_OK;
}

/* ## The whole */

gramc_status sandbox_places(gramc_sandbox *held, struct arena *arena,
                            const struct sandbox_site *site, char why[PLACE_WHY_MAX]) {
    char real[PATH_MAX] = "/";
    const gramc_sandbox *said = site->said;
    gramc_text home = site->given->home;
    struct place_list read = {
        arena, arena_array(arena, said->read_count + OF_PROGRAM, sizeof(gramc_text)), 0};
    struct place_list write = {arena, arena_array(arena, said->write_count + 1, sizeof(gramc_text)),
                               0};
    if (!read.list || !write.list) return GRAMC_NOMEM;
    (void)real_folder(real, arena, said->folder);
    struct said_places reads = {"read", said->read, said->read_count, text_of(real), home},
                       writes = {"write", said->write, said->write_count, text_of(real), home};
    gramc_status status = add_library(&read, site->program, home, why);
    if (!status) status = add_said(&read, &reads, why);
    if (!status) status = add_said(&write, &writes, why);
    if (status) return status;
    add_program(&read, site);
    if (said->network == GRAMC_NETWORK_OPEN) add_resolver(&read);
    *held = *said;
    held->read = read.list;
    held->read_count = read.count;
    held->write = write.list;
    held->write_count = write.count;
    return arena->oom ? GRAMC_NOMEM : GRAMC_OK;
}
