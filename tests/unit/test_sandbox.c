/* Which sandbox holds for a program of a library, what is refused, the places that it comes to, and
 * the words with which gramc-host is told. Nothing is started here; the walls are held against real
 * programs by tests/house. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/process/child.h"
#include "runtime/process/program.h"
#include "runtime/sandbox.h"
#include "runtime/secret.h"
#include "runtime/tool.h"
#include "tests/failing.h"

/* ## A world: $root/own/lib, $root/their/lib, $root/home, $root/tools/bin/tool with a lib beside */

struct world {
    struct arena arena;
    char root[PATH_MAX];
    gramc_containment containment;
    gramc_egress egress;
    unsigned missing, questions;
};

static bool owns(void *ctx, gramc_text file) {
    (void)ctx;
    return file.len && strstr(file.ptr, "/own/") != NULL;
}

static unsigned missing(void *ctx) {
    struct world *world = ctx;
    world->questions++;
    return world->missing;
}

static gramc_text below(struct world *world, const char *name) {
    char path[PATH_MAX + 100];
    snprintf(path, sizeof path, "%s%s", world->root, name);
    return arena_text(&world->arena, text_of(path));
}

static void make_folder(struct world *world, const char *name) {
    assert_int_equal(mkdir(below(world, name).ptr, 0700), 0);
}

static void make_program(struct world *world, const char *name) {
    FILE *file = fopen(below(world, name).ptr, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\n", file);
    fclose(file);
    assert_int_equal(chmod(below(world, name).ptr, 0755), 0);
}

static void start_arena(struct arena *arena) {
    const gramc_allocator allocator = mem_default();
    arena_init(arena, &allocator);
}

static void set_up(struct world *world) {
    static const char *const folders[] = {
        "/own",        "/own/lib", "/own/lib/in", "/own/lib/out", "/their", "/their/lib", "/home",
        "/home/notes", "/tools",   "/tools/bin",  "/tools/lib",   "/other", "/other/bin"};
    char made[] = "/tmp/gramc-test-XXXXXX";
    *world = (struct world){.missing = 0};
    start_arena(&world->arena);
    assert_non_null(mkdtemp(made));
    assert_non_null(realpath(made, world->root));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) make_folder(world, folders[i]);
    make_program(world, "/tools/bin/tool");
    make_program(world, "/other/bin/tool");
    make_program(world, "/own/lib/run");
    world->containment = (gramc_containment)GRAMC_CONTAINMENT_INIT;
    world->containment.host = TEXT("/there/gramc-host");
    world->containment.home = below(world, "/home");
    world->containment.path = below(world, "/tools/bin");
    world->containment.missing = missing;
    world->containment.ctx = world;
    world->egress = (gramc_egress)GRAMC_EGRESS_INIT;
    world->egress.owns = owns;
}

static void tear_down(struct world *world) {
    char command[PATH_MAX + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", world->root);
    assert_int_equal(system(command), 0);
    arena_free(&world->arena);
}

static const gramc_text tool = {"tool", 4};

/* A program of a library, one's own or not. */
static gramc_impl program_of(struct world *world, const char *whose, const gramc_sandbox *said) {
    char name[100];
    snprintf(name, sizeof name, "/%s/lib/", whose);
    gramc_text folder = below(world, name);
    snprintf(name, sizeof name, "/%s/lib/l.gram", whose);
    return (gramc_impl){.kind = GRAMC_IMPL_EXEC,
                        .argv = &tool,
                        .argc = 1,
                        .folder = folder,
                        .file = below(world, name),
                        .sandbox = said};
}

static struct sandboxed decide(struct world *world, const gramc_sandbox *of_library,
                               const gramc_impl *program) {
    struct sandboxed sandboxed;
    struct egress_policy *policy = egress_policy_new(&world->arena, &world->egress);
    struct sandboxes *sandboxes = sandboxes_new(&world->arena, &world->containment, policy);
    assert_true(sandbox_decide(&sandboxed, &world->arena, sandboxes, of_library, program));
    assert_int_equal(sandboxed.verdict != SANDBOX_FINE, sandboxed.why.len > 0);
    assert_true(!sandboxed.held || (sandboxed.said && sandboxed.verdict == SANDBOX_FINE));
    return sandboxed;
}

static bool has(const gramc_text *list, size_t count, gramc_text place) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(list[i], place)) return true;
    return false;
}

static bool reads(const struct sandboxed *sandboxed, gramc_text place) {
    return has(sandboxed->held->read, sandboxed->held->read_count, place);
}

/* ## Which one */

static void whose_word_counts(void **state) {
    struct world world;
    (void)state;
    set_up(&world);
    gramc_text mine = below(&world, "/own/lib/l.gram"), theirs = below(&world, "/their/lib/l.gram");
    const gramc_text out = TEXT("/");
    const gramc_sandbox strict_mine = {.file = mine}, strict_theirs = {.file = theirs},
                        wide_mine = {.file = mine, .write = &out, .write_count = 1},
                        wide_theirs = {.file = theirs, .network = GRAMC_NETWORK_OPEN};
    const struct {
        const char *whose;
        const gramc_sandbox *said, *of_library, *holds; /* holds NULL: none, or a strict one */
        bool is_wider;
    } rows[] = {
        {"own", NULL, NULL, NULL, false},
        {"own", &strict_mine, NULL, &strict_mine, false},
        {"own", NULL, &wide_mine, &wide_mine, false},
        {"own", &wide_mine, &strict_mine, &wide_mine, false},
        {"own", NULL, &wide_theirs, &wide_theirs, false}, /* narrower than none */
        {"their", NULL, NULL, NULL, false},
        {"their", &strict_theirs, NULL, &strict_theirs, false},
        {"their", NULL, &strict_theirs, &strict_theirs, false},
        {"their", &wide_theirs, NULL, NULL, true},
        {"their", NULL, &wide_theirs, NULL, true},
        {"their", &wide_theirs, &wide_mine, &wide_mine, false},
        {"their", &strict_theirs, &wide_mine, &strict_theirs, false},
        {"their", NULL, &wide_mine, &wide_mine, false},
        {"their", &strict_theirs, &wide_theirs, &strict_theirs, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_impl program = program_of(&world, rows[i].whose, rows[i].said);
        struct sandboxed found = decide(&world, rows[i].of_library, &program);
        if (rows[i].is_wider != (found.verdict == SANDBOX_WIDER)) fail_msg("row %zu", i);
        if (rows[i].is_wider) continue;
        if (rows[i].holds && found.said != rows[i].holds) fail_msg("row %zu: another holds", i);
        bool strict = !rows[i].holds && found.said;
        if (!rows[i].holds && strict != (strcmp(rows[i].whose, "their") == 0))
            fail_msg("row %zu: the default", i);
        if (found.said && !found.held) fail_msg("row %zu: nothing holds it", i);
    }
    tear_down(&world);
}

/* Each thing that a strict one has not is more. */
static void wishes(void **state) {
    struct world world;
    const gramc_text word = TEXT("x");
    const struct {
        gramc_sandbox sandbox;
        const char *why;
    } rows[] = {{{.read = &word, .read_count = 1}, "`read`"},
                {{.write = &word, .write_count = 1}, "`write`"},
                {{.env = &word, .env_count = 1}, "`env`"},
                {{.network = GRAMC_NETWORK_HOSTS}, "`network: hosts`"},
                {{.network = GRAMC_NETWORK_OPEN, .read = &word, .read_count = 1},
                 "`read` and `network: open`"}};
    (void)state;
    set_up(&world);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_impl program = program_of(&world, "their", &rows[i].sandbox);
        struct sandboxed found = decide(&world, NULL, &program);
        assert_int_equal(found.verdict, SANDBOX_WIDER);
        assert_true(text_is(found.why, rows[i].why));
    }
    tear_down(&world);
}

/* ## What is refused */

static void not_held(void **state) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE},
                               open = {.network = GRAMC_NETWORK_OPEN};
    static const struct {
        const char *words[3];
        const gramc_sandbox *sandbox;
        bool is_refused;
    } rows[] = {
        {{"npx", "-y", "x"}, &strict, true},    {{"/usr/bin/npx", "x"}, &strict, true},
        {{"npx", "x"}, &open, false},           {{"npm", "exec"}, &strict, true},
        {{"npm", "--yes", "x"}, &strict, true}, {{"npm", "start"}, &strict, false},
        {{"uvx", "x"}, &strict, true},          {{"uv", "run", "x"}, &strict, true},
        {{"uv", "--version"}, &strict, false},  {{"pipx", "run", "x"}, &strict, true},
        {{"bunx", "x"}, &strict, true},         {{"docker", "run", "x"}, &strict, true},
        {{"docker", "run", "x"}, &open, false}, {{"node", "npx"}, &strict, false},
        {{"python3", "npx"}, &strict, false},   {{"./npxx"}, &strict, false},
    };
    struct world world;
    (void)state;
    set_up(&world);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_text words[3];
        gramc_impl program = program_of(&world, "own", rows[i].sandbox);
        program.argv = words;
        for (program.argc = 0; program.argc < 3 && rows[i].words[program.argc]; program.argc++)
            words[program.argc] = text_of(rows[i].words[program.argc]);
        struct sandboxed found = decide(&world, NULL, &program);
        if (rows[i].is_refused != (found.verdict == SANDBOX_NOT_HELD)) fail_msg("row %zu", i);
    }
    tear_down(&world);
}

static void expect_refusal(struct world *world, const gramc_impl *program, const char *part) {
    struct sandboxed found = decide(world, NULL, program);
    assert_int_equal(found.verdict, SANDBOX_NOT_HELD);
    assert_null(found.held);
    if (!strstr(found.why.ptr, part)) fail_msg("%.*s", TEXT_ARGS(found.why));
}

/* The system is asked only where there is something to hold, and once. */
static void missing_walls(void **state) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE};
    struct world world;
    (void)state;
    set_up(&world);
    gramc_impl program = program_of(&world, "own", NULL);
    decide(&world, NULL, &program);
    assert_int_equal(world.questions, 0);
    program.sandbox = &strict;
    world.missing = GRAMC_WALL_NETWORK;
    assert_int_equal(decide(&world, NULL, &program).verdict, SANDBOX_FINE);
    assert_int_equal(world.questions, 1);
    world.missing = GRAMC_WALL_FILES;
    expect_refusal(&world, &program, "`read` and `write`");
    world.missing = GRAMC_WALL_CALLS;
    expect_refusal(&world, &program, "`network: none`");
    world.missing = 0;
    world.containment.host = TEXT("");
    expect_refusal(&world, &program, "gramc-host");
    world.containment.host = TEXT("/no/such/gramc-host");
    world.containment.missing = NULL;
    expect_refusal(&world, &program, "this system cannot hold");
    tear_down(&world);
}

static void in_this_process(void **state) {
    struct world world;
    (void)state;
    set_up(&world);
    gramc_impl program = program_of(&world, "their", NULL);
    program.kind = GRAMC_IMPL_PLUGIN;
    program.in_process = true;
    program.argc = 0;
    expect_refusal(&world, &program, "in this process");
    tear_down(&world);
}

static void variables_of_its_own(void **state) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE};
    static const char *const refused[] = {"HOME=/", "TMPDIR=/x"}, *const fine[] = {"HOMER=/",
                                                                                   "A=b"};
    struct world world;
    (void)state;
    set_up(&world);
    gramc_impl program = program_of(&world, "own", &strict);
    gramc_text pair;
    program.env = &pair;
    program.env_count = 1;
    for (size_t i = 0; i < 2; i++) {
        pair = text_of(refused[i]);
        expect_refusal(&world, &program, "scratch folder");
        pair = text_of(fine[i]);
        assert_int_equal(decide(&world, NULL, &program).verdict, SANDBOX_FINE);
    }
    program.sandbox = NULL;
    pair = text_of(refused[0]);
    assert_null(decide(&world, NULL, &program).said);
    tear_down(&world);
}

/* What a sandbox names is asked for as `${env:NAME}` is, unless it is not set, handed down anyway,
 * or the program's own. */
static void variables(void **state) {
    const gramc_pair known[] = {
        {TEXT("SET"), TEXT("value")}, {TEXT("UNSET"), {NULL, 0}}, {TEXT("OWN"), TEXT("value")}};
    const gramc_text names[] = {TEXT("SET"),  TEXT("UNSET"), TEXT("OWN"),
                                TEXT("PATH"), TEXT("LANG"),  TEXT("FOREIGN")},
                     own = TEXT("OWN=x");
    const gramc_sandbox said = {.env = names, .env_count = 6};
    const gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    struct world world;
    size_t count;
    (void)state;
    set_up(&world);
    assert_int_equal(secrets_new(&secrets, &allocator, known, 3), GRAMC_OK);
    gramc_impl program = program_of(&world, "own", &said);
    program.env = &own;
    program.env_count = 1;
    struct sandboxed found = decide(&world, NULL, &program);
    const gramc_text *env = sandbox_env(&world.arena, &found, &program, secrets, &count);
    assert_int_equal(count, 3);
    assert_true(text_is(env[0], "OWN=x"));
    assert_true(text_is(env[1], "SET=${env:SET}"));
    assert_true(text_is(env[2], "FOREIGN=${env:FOREIGN}"));
    secrets_free(secrets);
    tear_down(&world);
}

/* ## Places */

static void places(void **state) {
    struct world world;
    (void)state;
    set_up(&world);
    const gramc_text read[] = {TEXT("in"), TEXT("~/notes"), TEXT("~"), below(&world, "/other")};
    const gramc_text write = TEXT("./out");
    const gramc_sandbox said = {.read = read,
                                .read_count = 4,
                                .write = &write,
                                .write_count = 1,
                                .folder = below(&world, "/own/lib/"),
                                .file = below(&world, "/own/lib/l.gram")};
    gramc_impl program = program_of(&world, "own", &said);
    struct sandboxed found = decide(&world, NULL, &program);
    assert_int_equal(found.verdict, SANDBOX_FINE);
    assert_true(text_eq(found.held->read[0], below(&world, "/own/lib")));
    assert_true(reads(&found, below(&world, "/own/lib/in")));
    assert_true(reads(&found, below(&world, "/home/notes")));
    assert_true(reads(&found, below(&world, "/home")));
    assert_true(reads(&found, below(&world, "/other")));
    assert_true(reads(&found, below(&world, "/tools/bin")));
    assert_true(reads(&found, below(&world, "/tools/lib")));
    assert_int_equal(found.held->read_count, 7);
    assert_int_equal(found.held->write_count, 1);
    assert_true(text_eq(found.held->write[0], below(&world, "/own/lib/./out")));
    tear_down(&world);
}

/* What a library names is not what the user's PATH names. */
static void places_of_programs(void **state) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE};
    struct world world;
    (void)state;
    set_up(&world);
    const gramc_text far = below(&world, "/other/bin/tool"), near = TEXT("./run");
    char pair[PATH_MAX + 40];
    snprintf(pair, sizeof pair, "PATH=%s/other/bin", world.root);
    const gramc_text env = text_of(pair);
    gramc_impl program = program_of(&world, "their", NULL);
    program.env = &env;
    program.env_count = 1;
    struct sandboxed found = decide(&world, NULL, &program);
    assert_false(reads(&found, below(&world, "/other/bin")));
    program.argv = &far;
    found = decide(&world, NULL, &program);
    assert_int_equal(found.held->read_count, 1);
    program = program_of(&world, "own", &strict);
    program.argv = &far;
    found = decide(&world, NULL, &program);
    assert_true(reads(&found, far));
    assert_false(reads(&found, below(&world, "/other/bin")));
    program.argv = &near;
    found = decide(&world, NULL, &program);
    assert_int_equal(found.held->read_count, 2);
    tear_down(&world);
}

/* pyenv and its like; and a link of one's own to an interpreter, as `python3 -m venv` makes it. */
static void places_of_interpreters(void **state) {
    static const gramc_sandbox strict = {.network = GRAMC_NETWORK_NONE};
    struct world world;
    (void)state;
    set_up(&world);
    make_folder(&world, "/home/.env");
    make_folder(&world, "/home/.env/shims");
    make_folder(&world, "/home/shims");
    make_program(&world, "/home/.env/shims/tool");
    make_program(&world, "/home/shims/tool");
    assert_int_equal(
        symlink(below(&world, "/tools/bin/tool").ptr, below(&world, "/own/lib/link").ptr), 0);
    assert_int_equal(
        symlink(below(&world, "/tools/bin/tool").ptr, below(&world, "/their/lib/link").ptr), 0);
    gramc_impl program = program_of(&world, "their", NULL);
    world.containment.path = below(&world, "/home/.env/shims");
    struct sandboxed found = decide(&world, NULL, &program);
    assert_true(reads(&found, below(&world, "/home/.env")));
    world.containment.path = below(&world, "/home/shims");
    found = decide(&world, NULL, &program);
    assert_false(reads(&found, below(&world, "/home")));
    const gramc_text link = TEXT("./link");
    program.argv = &link;
    found = decide(&world, NULL, &program);
    assert_int_equal(found.held->read_count, 1);
    program = program_of(&world, "own", &strict);
    program.argv = &link;
    found = decide(&world, NULL, &program);
    assert_true(reads(&found, below(&world, "/tools/bin")));
    assert_true(reads(&found, below(&world, "/tools/lib")));
    tear_down(&world);
}

static void places_that_are_none(void **state) {
    struct world world;
    (void)state;
    set_up(&world);
    gramc_text place = TEXT("nowhere");
    const gramc_sandbox read = {.read = &place,
                                .read_count = 1,
                                .folder = below(&world, "/own/lib/")},
                        write = {.write = &place, .write_count = 1};
    gramc_impl program = program_of(&world, "own", &read);
    expect_refusal(&world, &program, "`nowhere` of `read` is not there");
    program.sandbox = &write;
    expect_refusal(&world, &program, "`nowhere` of `write` is not there");
    place = TEXT("~/notes");
    world.containment.home = TEXT("");
    expect_refusal(&world, &program, "home folder");
    program = program_of(&world, "their", NULL);
    world.containment.home = below(&world, "/their/lib");
    expect_refusal(&world, &program, "holds your home folder");
    world.containment.home = below(&world, "/their");
    assert_int_equal(decide(&world, NULL, &program).verdict, SANDBOX_FINE);
    program.folder = TEXT("/");
    expect_refusal(&world, &program, "holds your home folder");
    program.folder = below(&world, "/gone/");
    expect_refusal(&world, &program, "cannot be found");
    tear_down(&world);
}

/* ## Words */

static void expect_words(char *const *words, const char *const *wanted) {
    size_t i = 0;
    for (; words[i] && wanted[i]; i++) assert_string_equal(words[i], wanted[i]);
    assert_true(!words[i] && !wanted[i]);
}

static void words_for_the_host(void **state) {
    static const char *const wanted[] = {"/there/gramc-host",
                                         "--files",
                                         "9",
                                         "--sandbox",
                                         "--read",
                                         "/a",
                                         "--read",
                                         "/b",
                                         "--write",
                                         "/c",
                                         "--write",
                                         "/cell",
                                         "--network",
                                         "open",
                                         "exec",
                                         "tool",
                                         NULL};
    static const char *const bare[] = {"/there/gramc-host", "exec", "tool", NULL};
    static const char *const environment[] = {"PATH=/bin", "LANG=C", "A=b", "GRAMC_SCRATCH=/cell",
                                              NULL};
    const gramc_text handed[] = {TEXT("PATH=/bin"), TEXT("HOME=/root"), TEXT("LANG=C"),
                                 TEXT("TMPDIR=/tmp"), TEXT("SECRET=x")};
    const gramc_text read[] = {TEXT("/a"), TEXT("/b")}, write = TEXT("/c"), env = TEXT("A=b"),
                     cell = TEXT("GRAMC_SCRATCH=/cell");
    const gramc_sandbox held = {.read = read,
                                .read_count = 2,
                                .write = &write,
                                .write_count = 1,
                                .network = GRAMC_NETWORK_OPEN};
    gramc_impl impl = {.argv = &tool, .argc = 1, .env = &env, .env_count = 1, .max_files = 9};
    const struct tool_memory memory = {.environment = &cell, .environment_count = 1};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_loop *loop;
    struct exec_words words;
    struct arena arena;
    (void)state;
    start_arena(&arena);
    options.environment = handed;
    options.environment_count = 5;
    options.host = TEXT("/there/gramc-host");
    assert_int_equal(gramc_loop_new(&loop, &options), GRAMC_OK);
    impl.sandbox = &held;
    assert_true(exec_words(&words, &arena, &impl, loop, &memory));
    expect_words(words.argv, wanted);
    expect_words(words.environment, environment);
    assert_true(words.supervised && !words.uncontained);
    impl.sandbox = NULL;
    impl.max_files = 0;
    assert_true(exec_words(&words, &arena, &impl, loop, NULL));
    expect_words(words.argv, bare);
    gramc_loop_free(loop);
    arena_free(&arena);
}

/* Whatever was promised at binding: without a host nothing is started. */
static void no_host(void **state) {
    static const gramc_sandbox held = {.network = GRAMC_NETWORK_NONE};
    const gramc_text true_program = TEXT("true");
    const gramc_impl impl = {.argv = &true_program, .argc = 1, .sandbox = &held};
    const struct child_events events = {.noun = "the program"};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_loop *loop;
    struct exec_words words;
    struct child *child;
    struct arena arena;
    char why[CHILD_WHY_MAX];
    (void)state;
    start_arena(&arena);
    assert_int_equal(gramc_loop_new(&loop, &options), GRAMC_OK);
    assert_true(exec_words(&words, &arena, &impl, loop, NULL));
    assert_true(words.uncontained);
    assert_int_equal(child_start(&child, &loop->uv, &loop->allocator, &words, &events, why),
                     GRAMC_NOT_FOUND);
    assert_string_equal(why, "the program cannot be contained: there is no gramc-host");
    gramc_loop_free(loop);
    arena_free(&arena);
}

/* ## Memory */

static void memory_fails(void **state) {
    struct world world;
    (void)state;
    set_up(&world);
    const gramc_text place = TEXT("in"), name = TEXT("A");
    const gramc_sandbox said = {.read = &place,
                                .read_count = 1,
                                .env = &name,
                                .env_count = 1,
                                .folder = below(&world, "/own/lib/")};
    gramc_impl program = program_of(&world, "own", &said);
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        struct arena arena;
        struct sandboxed found;
        size_t count;
        gramc_allocator allocator = test_failing(&failing);
        arena_init(&arena, &allocator);
        struct sandboxes *sandboxes = sandboxes_new(&arena, &world.containment, NULL);
        bool fine = sandboxes && sandbox_decide(&found, &arena, sandboxes, NULL, &program) &&
                    sandbox_env(&arena, &found, &program, NULL, &count);
        if (fine) assert_int_equal(found.verdict, SANDBOX_FINE);
        arena_free(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fine != failing.failed);
        if (!failing.failed) break;
    }
    tear_down(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whose_word_counts),
        cmocka_unit_test(wishes),
        cmocka_unit_test(not_held),
        cmocka_unit_test(missing_walls),
        cmocka_unit_test(in_this_process),
        cmocka_unit_test(variables_of_its_own),
        cmocka_unit_test(variables),
        cmocka_unit_test(places),
        cmocka_unit_test(places_of_programs),
        cmocka_unit_test(places_of_interpreters),
        cmocka_unit_test(places_that_are_none),
        cmocka_unit_test(words_for_the_host),
        cmocka_unit_test(no_host),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
