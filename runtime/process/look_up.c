/* Turns the words of an `exec` into what is missing of it: the program, by the PATH that the child
 * gets, or the script that an interpreter is to read. child.c finds both again when it starts them;
 * here nothing is run. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/process/look_up.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/placeholder.h"
#include "base/text.h"

enum { PLACE_MAX = PROGRAM_PLACE_MAX, NAMES_MAX = 512, WHY_MAX = 512 };

/* ## Files */

/* Below the folder that the child starts in, unless it is absolute. False if it is too long. */
static bool join(char out[PLACE_MAX], gramc_text folder, gramc_text directory, gramc_text name) {
    bool absolute = text_starts(directory.len ? directory : name, "/");
    int len = snprintf(out, PLACE_MAX, "%.*s%.*s%s%.*s", absolute ? 0 : (int)folder.len, folder.ptr,
                       TEXT_ARGS(directory), directory.len ? "/" : "", TEXT_ARGS(name));
    return len > 0 && len < PLACE_MAX;
}

static bool is_file(const char *path, bool must_run) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (!must_run || access(path, X_OK) == 0);
}

bool program_find(char out[PLACE_MAX], gramc_text folder, gramc_text path, gramc_text name) {
    for (size_t start = 0, i = 0; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != ':') continue;
        gramc_text directory = text_slice(path, start, i);
        if (!directory.len) directory = TEXT(".");
        if (join(out, folder, directory, name) && is_file(out, true)) return true;
        start = i + 1;
    }
    return false;
}

static bool is_in_path(gramc_text folder, gramc_text path, gramc_text name) {
    char place[PLACE_MAX];
    return program_find(place, folder, path, name);
}

/* The file beside it whose name is nearest. */
static gramc_text near_file(struct arena *arena, gramc_text folder, gramc_text name) {
    char place[PLACE_MAX];
    size_t slash = name.len, count = 0;
    while (slash && name.ptr[slash - 1] != '/') slash--;
    gramc_text *names = arena_array(arena, NAMES_MAX, sizeof(*names));
    if (!names) return TEXT("");
    DIR *directory =
        opendir(join(place, folder, TEXT(""), text_slice(name, 0, slash)) ? place : ".");
    const struct dirent *entry;
    while (directory && count < NAMES_MAX && (entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.') names[count++] = arena_text(arena, text_of(entry->d_name));
    if (directory) closedir(directory);
    return arena->oom ? TEXT("") : text_nearest(text_slice(name, slash, name.len), names, count);
}

/* ## Programs */

static const char *const interpreters[] = {"python3", "python", "node", "deno",    "bun",  "ruby",
                                           "perl",    "php",    "lua",  "sh",      "bash", "dash",
                                           "zsh",     "ksh",    "java", "Rscript", "tclsh"};
static const char *const others[] = {"npx", "uvx", "uv", "docker", "go", "curl", "jq", "env"};
enum { INTERPRETERS = sizeof(interpreters) / sizeof(interpreters[0]) };
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

static gramc_text near_program(gramc_text folder, gramc_text path, gramc_text name) {
    gramc_text names[INTERPRETERS + OTHERS];
    size_t count = 0;
    for (size_t i = 0; i < INTERPRETERS + OTHERS; i++) {
        const char *word = i < INTERPRETERS ? interpreters[i] : others[i - INTERPRETERS];
        if (is_in_path(folder, path, text_of(word))) names[count++] = text_of(word);
    }
    return text_nearest(name, names, count);
}

/* What the implementation declares wins; a secret in it is not known yet. */
static gramc_text path_of(const gramc_impl *impl, gramc_text inherited) {
    for (size_t i = 0; i < impl->env_count; i++) {
        if (!text_starts(impl->env[i], "PATH=")) continue;
        if (placeholder_is_in(impl->env[i])) return (gramc_text){NULL, 0};
        return text_slice(impl->env[i], sizeof "PATH=" - 1, impl->env[i].len);
    }
    return inherited;
}

static bool is_program(const gramc_impl *impl, gramc_text path) {
    char place[PLACE_MAX];
    gramc_text program = impl->argv[0];
    bool has_slash = program.len && memchr(program.ptr, '/', program.len);
    if (has_slash) return !join(place, impl->folder, TEXT(""), program) || is_file(place, true);
    return !path.ptr || is_in_path(impl->folder, path, program);
}

/* ## Scripts */

static bool is_interpreter(gramc_text program) {
    size_t start = program.len;
    while (start && program.ptr[start - 1] != '/') start--;
    gramc_text name = text_slice(program, start, program.len);
    while (name.len && ((name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9') ||
                        name.ptr[name.len - 1] == '.'))
        name.len--; /* python3.11 */
    for (size_t i = 0; i < INTERPRETERS; i++) {
        gramc_text known = text_of(interpreters[i]);
        if (known.ptr[known.len - 1] == '3') known.len--;
        if (text_eq(name, known)) return true;
    }
    return false;
}

static bool names_script(gramc_text word) {
    static const char *const ends[] = {".py", ".js", ".mjs", ".cjs", ".ts",  ".sh", ".bash",
                                       ".rb", ".pl", ".php", ".lua", ".jar", ".R",  ".tcl"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t len = strlen(ends[i]);
        if (word.len > len && text_is(text_slice(word, word.len - len, word.len), ends[i]))
            return true;
    }
    return false;
}

/* The first word that is no option, if it looks like a file; empty: the text or module of an option
 * is run instead, or nothing that we know. */
static gramc_text script_of(const gramc_impl *impl) {
    if (!is_interpreter(impl->argv[0])) return TEXT("");
    for (size_t i = 1; i < impl->argc; i++) {
        gramc_text word = impl->argv[i];
        if (text_is(word, "-c") || text_is(word, "-e") || text_is(word, "-m")) break;
        if (word.len && word.ptr[0] == '-') continue;
        bool is_url = text_starts(word, "http://") || text_starts(word, "https://");
        return names_script(word) && !is_url ? word : TEXT("");
    }
    return TEXT("");
}

/* ## Both */

static gramc_text sentence(struct arena *arena, const char *form, gramc_text name) {
    char why[WHY_MAX];
    snprintf(why, sizeof(why), form, name.len < 200 ? (int)name.len : 200, name.ptr);
    return arena_text(arena, text_of(why));
}

gramc_text program_problem(struct arena *arena, const gramc_impl *impl, gramc_text inherited,
                           gramc_text *near) {
    char place[PLACE_MAX];
    gramc_text path = path_of(impl, inherited), program = impl->argv[0];
    *near = TEXT("");
    if (!is_program(impl, path)) {
        bool has_slash = program.len && memchr(program.ptr, '/', program.len);
        *near = has_slash ? near_file(arena, impl->folder, program)
                          : near_program(impl->folder, path, program);
        return sentence(arena,
                        has_slash ? "its program `%.*s` is not there or cannot be run"
                                  : "its program `%.*s` is nowhere in the PATH",
                        program);
    }
    gramc_text script = script_of(impl);
    if (!script.len || !join(place, impl->folder, TEXT(""), script) || is_file(place, false))
        return TEXT("");
    *near = near_file(arena, impl->folder, script);
    return sentence(arena, "its script `%.*s` is not there", script);
}
