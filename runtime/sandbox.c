/* Decides what a program of a library may touch: what is said of it, else of its library, else
 * nothing beyond itself where the library is from elsewhere. Refuses what cannot be held before
 * anything is started. The places are sandbox_places.c's, the walls gramc-host's. */
#include "runtime/sandbox.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/options.h"
#include "base/text.h"
#include "runtime/secret.h"

/* What `held` points to is the first member of one of these. */
struct held_sandbox {
    gramc_sandbox sandbox;
    struct egress egress;
};

struct sandboxes {
    gramc_containment given;
    const struct egress_policy *egress;
    unsigned missing; /* walls, once they were asked for */
    bool has_asked;
};

struct sandboxes *sandboxes_new(struct arena *arena, const gramc_containment *given,
                                const struct egress_policy *egress) {
    struct sandboxes *sandboxes = ARENA_NEW(arena, struct sandboxes);
    if (!sandboxes) return NULL;
    *sandboxes = (struct sandboxes){.given = GRAMC_CONTAINMENT_INIT};
    OPTIONS_READ(sandboxes->given, given);
    sandboxes->egress = egress;
    return sandboxes;
}

/* ## Which one */

static bool is_strict(const gramc_sandbox *sandbox) {
    return !sandbox->read_count && !sandbox->write_count && !sandbox->env_count &&
           sandbox->network == GRAMC_NETWORK_NONE;
}

static bool is_own(const struct sandboxes *sandboxes, gramc_text file) {
    return egress_owns(sandboxes->egress, file);
}

/* "`write` and `network: open`" */
static gramc_text list_wishes(struct arena *arena, const gramc_sandbox *sandbox) {
    const char *const wishes[] = {sandbox->read_count ? "`read`" : NULL,
                                  sandbox->write_count ? "`write`" : NULL,
                                  sandbox->env_count ? "`env`" : NULL,
                                  sandbox->network == GRAMC_NETWORK_HOSTS  ? "`network: hosts`"
                                  : sandbox->network == GRAMC_NETWORK_OPEN ? "`network: open`"
                                                                           : NULL};
    struct buf out;
    size_t left = 0;
    buf_init(&out, &arena->allocator, 256);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) left += wishes[i] != NULL;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        if (!wishes[i]) continue;
        if (out.len) buf_puts(&out, left == 1 ? " and " : ", ");
        buf_puts(&out, wishes[i]);
        left--;
    }
    return buf_to_arena(&out, arena);
}

/* A library from elsewhere may keep itself narrower than it is kept, and no wider: unless somebody
 * says so whose file is one's own. */
static void choose(struct sandboxed *out, struct arena *arena, const struct sandboxes *sandboxes,
                   const gramc_sandbox *of_library, const gramc_impl *program) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE};
    const gramc_sandbox *said = program->sandbox ? program->sandbox : of_library;
    out->said = said;
    if (is_own(sandboxes, program->file)) return;
    if (!said) out->said = &strict;
    else if (is_strict(said) || is_own(sandboxes, said->file)) out->said = said;
    else if (of_library && is_own(sandboxes, of_library->file)) out->said = of_library;
    else {
        out->verdict = SANDBOX_WIDER;
        out->why = list_wishes(arena, said);
        out->help = TEXT("read it, and copy the library into the project to let it have that");
    }
}

/* ## What cannot be held */

static void refuse(struct sandboxed *out, struct arena *arena, const char *why, const char *help) {
    out->verdict = SANDBOX_NOT_HELD;
    out->why = arena_text(arena, text_of(why));
    out->help = text_of(help);
}

/* Programs that fetch what they start, or have another process start it. */
struct fetcher {
    const char *program, *word; /* word NULL: whatever follows */
    bool by_socket;             /* of another process */
};

static const struct fetcher fetchers[] = {
    {"npx", NULL, false},   {"npm", "exec", false}, {"npm", "x", false},     {"bunx", NULL, false},
    {"bun", "x", false},    {"pnpx", NULL, false},  {"pnpm", "dlx", false},  {"yarn", "dlx", false},
    {"uvx", NULL, false},   {"uv", "tool", false},  {"uv", "run", false},    {"pipx", "run", false},
    {"docker", NULL, true}, {"podman", NULL, true}, {"nerdctl", NULL, true},
};

static gramc_text base_name(gramc_text path) {
    size_t start = path.len;
    while (start && path.ptr[start - 1] != '/') start--;
    return text_slice(path, start, path.len);
}

static gramc_text first_plain(const gramc_impl *program) {
    for (size_t i = 1; i < program->argc; i++)
        if (!text_starts(program->argv[i], "-")) return program->argv[i];
    return TEXT("");
}

static const struct fetcher *find_fetcher(const gramc_impl *program) {
    gramc_text name = program->argc ? base_name(program->argv[0]) : TEXT("");
    gramc_text word = first_plain(program);
    for (size_t i = 0; i < sizeof fetchers / sizeof *fetchers; i++)
        if (text_is(name, fetchers[i].program) &&
            (!fetchers[i].word || text_is(word, fetchers[i].word)))
            return &fetchers[i];
    return NULL;
}

static void check_fetcher(struct sandboxed *out, struct arena *arena, const gramc_impl *program) {
    const struct fetcher *fetcher = find_fetcher(program);
    char why[PLACE_WHY_MAX];
    if (!fetcher || out->said->network == GRAMC_NETWORK_OPEN) return;
    if (fetcher->by_socket) {
        snprintf(why, sizeof why, "`%s` has a service start it, which no sandbox holds",
                 fetcher->program);
        refuse(out, arena, why, "start the program itself");
    } else if (out->said->network == GRAMC_NETWORK_NONE) {
        snprintf(why, sizeof why, "`%s%s%s` fetches what it starts, and there is no network",
                 fetcher->program, fetcher->word ? " " : "", fetcher->word ? fetcher->word : "");
        refuse(out, arena, why,
               "install it beforehand, beside the library, and start it by its file: `node PATH`, "
               "`python3 PATH`");
    }
}

static bool declares(const gramc_impl *program, gramc_text name) {
    for (size_t i = 0; i < program->env_count; i++) {
        gramc_text pair = program->env[i];
        if (pair.len > name.len && pair.ptr[name.len] == '=' &&
            text_eq(text_slice(pair, 0, name.len), name))
            return true;
    }
    return false;
}

/* NULL: nothing is wrong so far. */
static const char *problem_of(const gramc_impl *program) {
    if (program->in_process) return "a plugin in this process is behind no wall";
    if (declares(program, TEXT("HOME")) || declares(program, TEXT("TMPDIR")))
        return "its `env` sets HOME or TMPDIR, which lead to the scratch folder of a sandbox";
    return NULL;
}

static unsigned missing_walls(struct sandboxes *sandboxes, const struct arena *arena) {
    const gramc_containment *given = &sandboxes->given;
    if (!sandboxes->has_asked)
        sandboxes->missing = given->missing ? given->missing(given->ctx)
                                            : gramc_walls_missing(given->host, &arena->allocator);
    sandboxes->has_asked = true;
    return sandboxes->missing;
}

/* The rule that this system cannot hold is named: nothing runs that is a little contained. */
static void check_walls(struct sandboxed *out, struct arena *arena, struct sandboxes *sandboxes) {
    static const struct {
        unsigned wall;
        const char *why, *help;
    } walls[] = {
        {GRAMC_WALL_FILES, "this system cannot hold `read` and `write`",
         "that takes Linux 5.13 or newer, with Landlock"},
        {GRAMC_WALL_CALLS, "this system cannot hold `network: none`",
         "that takes Linux with seccomp filters"},
        {GRAMC_WALL_NETWORK, "this system cannot hold `network: hosts`",
         "that takes user namespaces, which some systems keep from users"},
    };
    unsigned missing = missing_walls(sandboxes, arena);
    if (out->said->network != GRAMC_NETWORK_HOSTS) missing &= ~(unsigned)GRAMC_WALL_NETWORK;
    for (size_t i = 0; i < sizeof walls / sizeof *walls && out->verdict == SANDBOX_FINE; i++)
        if (missing & walls[i].wall) refuse(out, arena, walls[i].why, walls[i].help);
}

static void check(struct sandboxed *out, struct arena *arena, struct sandboxes *sandboxes,
                  const gramc_impl *program) {
    char why[PLACE_WHY_MAX] = "";
    const char *problem = problem_of(program);
    if (problem) refuse(out, arena, problem, "");
    else check_fetcher(out, arena, program);
    if (out->verdict == SANDBOX_FINE && !sandboxes->given.host.len)
        refuse(out, arena, "there is no gramc-host, which would hold it", "");
    if (out->verdict == SANDBOX_FINE) check_walls(out, arena, sandboxes);
    if (out->verdict != SANDBOX_FINE) return;
    struct held_sandbox *held = ARENA_NEW(arena, struct held_sandbox);
    const struct egress_written nothing = {.file = program->file};
    if (!held || !egress_rules(&held->egress, arena, sandboxes->egress, &nothing)) return;
    const struct sandbox_site site = {out->said, program, &sandboxes->given,
                                      is_own(sandboxes, program->file)};
    gramc_status status = sandbox_places(&held->sandbox, arena, &site, why);
    if (status == GRAMC_FINDINGS) refuse(out, arena, why, "");
    else out->held = &held->sandbox;
}

const struct egress *sandbox_egress(const gramc_sandbox *held) {
    return &((const struct held_sandbox *)(const void *)held)->egress;
}

bool sandbox_decide(struct sandboxed *out, struct arena *arena, struct sandboxes *sandboxes,
                    const gramc_sandbox *of_library, const gramc_impl *program) {
    struct sandboxes none = {.given = GRAMC_CONTAINMENT_INIT};
    if (!sandboxes) sandboxes = &none;
    *out = (struct sandboxed){.verdict = SANDBOX_FINE};
    choose(out, arena, sandboxes, of_library, program);
    if (out->said && out->verdict == SANDBOX_FINE) check(out, arena, sandboxes, program);
    return !arena->oom;
}

/* ## Variables */

static gramc_text variable(struct arena *arena, gramc_text name) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    buf_printf(&out, "%.*s=${env:%.*s}", TEXT_ARGS(name), TEXT_ARGS(name));
    return buf_to_arena(&out, arena);
}

const gramc_text *sandbox_env(struct arena *arena, const struct sandboxed *sandboxed,
                              const gramc_impl *program, const struct secrets *secrets,
                              size_t *count) {
    const gramc_sandbox *said = sandboxed->said;
    size_t more = sandboxed->held ? said->env_count : 0;
    gramc_text *env = arena_array(arena, program->env_count + more + 1, sizeof *env);
    *count = program->env_count;
    if (!env) return NULL;
    if (*count) memcpy(env, program->env, *count * sizeof *env);
    for (size_t i = 0; i < more; i++) {
        gramc_text name = said->env[i];
        bool handed_down = text_is(name, "PATH") || text_is(name, "LANG");
        bool is_set = secrets_find(secrets, name, NULL) != SECRET_NOT_SET;
        if (!handed_down && is_set && !declares(program, name))
            env[(*count)++] = variable(arena, name);
    }
    return arena->oom ? NULL : env;
}
