/* Asks once for each library from outside the project what it may start: lists its programs with
 * the files that name them, and remembers a yes by the library's fingerprint (trusted.c). Without a
 * terminal somebody has to say --trust. Asks of nothing that starts no program, and of nothing that
 * lies in the project; what a trusted program may touch is its sandbox's matter. */
#define _XOPEN_SOURCE 700
#include "cli/run/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/run/trusted.h"

enum { ANSWER_MAX = 64, DEEPEST = 8 };

/* What is found while a library is walked through, and where it is told. */
struct starts {
    struct workshop *shop;
    FILE *out;       /* NULL: they are only counted */
    gramc_text file; /* of the first one */
    size_t count;
    bool calls;
};

/* ## What it starts */

static void put_words(FILE *out, const gramc_text *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " " : "  ", out);
        run_print_hostile(out, words[i]);
    }
}

static bool is_strange(const struct starts *starts, gramc_text file) {
    const gramc_egress *egress = &starts->shop->hosts.egress;
    return !egress->owns(egress->ctx, file);
}

static void found(struct starts *starts, gramc_text file, const char *what, gramc_text name,
                  const gramc_text *words, size_t count) {
    if (!count || !is_strange(starts, file)) return;
    if (!starts->count++) starts->file = file;
    if (!starts->out) return;
    put_words(starts->out, words, count);
    fprintf(starts->out, "  (%s", what);
    if (name.len) fputc(' ', starts->out);
    run_print_hostile(starts->out, name);
    fputs(", in ", starts->out);
    run_print_hostile(starts->out, file);
    fputs(")\n", starts->out);
}

static void look_at_guards(struct starts *starts, gramc_text file, gramc_text name,
                           const gramc_guard_program *before, const gramc_guard_program *after) {
    found(starts, before->file.len ? before->file : file, "guard", name, before->argv,
          before->argc);
    found(starts, after->file.len ? after->file : file, "guard", name, after->argv, after->argc);
}

static void look_at_box(struct starts *starts, const gramc_box *box) {
    found(starts, box->file, "server", box->name, box->argv, box->argc);
    found(starts, box->file, "address of", box->name, box->url_argv, box->url_argc);
}

static void look_at(struct starts *starts, const gramc_library *library, int depth);

static void look_at_impl(struct starts *starts, const gramc_impl *impl,
                         const gramc_library *library, int depth) {
    if (impl->kind == GRAMC_IMPL_EXEC)
        found(starts, impl->file, "tool", impl->name, impl->argv, impl->argc);
    if (impl->kind == GRAMC_IMPL_PLUGIN)
        found(starts, impl->file, "plugin of", impl->name, &impl->target, 1);
    look_at_guards(starts, impl->file, impl->name, &impl->before, &impl->after);
    if (impl->library && impl->library != library) look_at(starts, impl->library, depth + 1);
}

/* Agents that do tools may have libraries of their own, in a circle perhaps. */
static void look_at(struct starts *starts, const gramc_library *library, int depth) {
    if (depth > DEEPEST) return;
    for (size_t i = 0; i < library->box_count; i++) look_at_box(starts, &library->boxes[i]);
    for (size_t i = 0; starts->calls && i < library->impl_count; i++)
        look_at_impl(starts, &library->impls[i], library, depth);
    if (!starts->calls) return;
    look_at_guards(starts, TEXT(""), library->name, &library->before, &library->after);
}

static void list(const struct starts *found_before, const gramc_library *library, FILE *out) {
    struct starts starts = {.shop = found_before->shop, .out = out, .calls = found_before->calls};
    look_at(&starts, library, 0);
}

/* ## Asking */

/* One that this process may read from: it is in the foreground of it. -1: there is none. */
static int open_terminal(void) {
    if (!isatty(STDERR_FILENO)) return -1;
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0 || tcgetpgrp(terminal) == getpgrp()) return terminal;
    close(terminal);
    return -1;
}

/* The line that is typed; what stands behind it waits for whoever reads next. */
static bool read_yes(int terminal) {
    char answer[ANSWER_MAX], byte;
    size_t len = 0;
    for (;;) {
        ssize_t got = read(terminal, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (byte == '\n') break;
        if (len < sizeof answer) answer[len++] = byte;
    }
    gramc_text said = text_trim((gramc_text){answer, len});
    return text_is_nocase(said, "y") || text_is_nocase(said, "yes");
}

static void introduce(FILE *out, const gramc_library *library, enum trust_memory memory) {
    fputs("gramc: library `", out);
    cli_put_safe(out, library->name);
    fputs(memory == TRUST_CHANGED ? "` has changed since it was trusted, and starts:\n"
                                  : "` is not of this project, and starts:\n",
          out);
}

/* False: nobody can be asked. */
static bool ask(const struct starts *starts, const gramc_library *library, enum trust_memory memory,
                bool *yes) {
    int terminal = open_terminal();
    int copy = terminal < 0 ? -1 : dup(terminal);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (out) {
        introduce(out, library, memory);
        list(starts, library, out);
        fputs("Trust it? [y/N] ", out);
        fflush(out);
        *yes = read_yes(terminal);
        fclose(out);
    } else if (copy >= 0) close(copy);
    if (terminal >= 0) close(terminal);
    return out != NULL;
}

static int refuse(const struct starts *starts, const gramc_library *library,
                  enum trust_memory memory) {
    struct cli *cli = starts->shop->cli;
    introduce(cli->err, library, memory);
    list(starts, library, cli->err);
    return cli_usage(cli, "nobody can be asked here whether to trust it: read it, and say --trust, "
                          "or have it in gramc.lock by `gramc lock`");
}

static int ask_and_remember(const struct starts *starts, const gramc_library *library,
                            const char *path, enum trust_memory memory) {
    struct cli *cli = starts->shop->cli;
    bool yes = false;
    if (starts->shop->may_not_ask || !ask(starts, library, memory, &yes))
        return refuse(starts, library, memory);
    if (!yes) return cli_usage(cli, "the library is not trusted, and nothing of it was started");
    return trusted_add(cli, path, library->fingerprint);
}

int trust_library(struct workshop *shop, const gramc_library *library, bool calls) {
    struct starts starts = {.shop = shop, .calls = calls};
    char file[CLI_PATH];
    enum trust_memory memory;
    if (shop->cli->options[OPTION_TRUST]) return EXIT_FINE;
    look_at(&starts, library, 0);
    if (!starts.count) return EXIT_FINE;
    if (starts.file.len >= sizeof file) return cli_usage(shop->cli, "a library's path is too long");
    memcpy(file, starts.file.ptr, starts.file.len);
    file[starts.file.len] = '\0';
    char *path = realpath(file, NULL);
    if (!path) return cli_usage(shop->cli, "%s: %s", file, strerror(errno));
    int code = trusted_look(shop->cli, path, library->fingerprint, &memory);
    if (code == EXIT_FINE && memory != TRUST_THIS)
        code = ask_and_remember(&starts, library, path, memory);
    free(path);
    return code;
}
