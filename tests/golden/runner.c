/* Runs golden cases: each tests/golden/cases/NAME.test holds a command line, its input files, and
 * what must come out. Runs in this process, so that with --faults every case runs again with the
 * n-th allocation failing, once and from there on, and what is still allocated can be counted.
 *
 *   golden [--bless | --faults | --faults=N] FOLDER...    N: each N-th alone, all with GRAMC_LONG=1
 *
 * A case file: `command: ARGS`, `exit: CODE`, up to four `before: ARGS`, which are run first and
 * must exit with 0 (what they make in a folder `state` is what the command finds there), then
 * sections `--- file NAME`, `--- stdin`,
 * `--- stdout`, `--- stderr`, and `--- result NAME` for a file as the command leaves it. The text
 * of
 * `--- built NAME` is the path of a built file, from the folder of this program. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/golden/commands.h"
#include "tests/golden/folder.h"

enum { MOST_ARGS = 64, MOST_BEFORE = 4, MOST_SECTIONS = 64, MOST_FAULTS = 4000 };

struct section {
    char kind[16], name[128];
    char *text;
    size_t len;
};

struct golden {
    char path[1024];
    char *content;
    char command[1024];
    char before[MOST_BEFORE][1024];
    size_t before_count;
    int exit_code;
    struct section sections[MOST_SECTIONS];
    size_t section_count;
};

struct outcome {
    int exit_code;
    char *out, *err;
    size_t out_len, err_len;
    long live;    /* allocations that were not freed */
    bool faulted; /* the chosen allocation was reached */
};

/* ## The counting allocator */

struct counter {
    long live, calls, fail_at; /* fail_at 0: never */
    bool persistent, faulted;
};

static void *counting_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct counter *counter = ctx;
    (void)old_size;
    if (new_size == 0) {
        if (ptr) counter->live--;
        free(ptr);
        return NULL;
    }
    counter->calls++;
    bool fail = counter->fail_at && (counter->persistent ? counter->calls >= counter->fail_at
                                                         : counter->calls == counter->fail_at);
    if (fail) {
        counter->faulted = true;
        return NULL;
    }
    void *got = realloc(ptr, new_size);
    if (got && !ptr) counter->live++;
    return got;
}

/* ## Case files */

/* Other lines with dashes in front are text: a diff, for one. */
static bool is_header(const char *line) {
    static const char *const kinds[] = {"file ",   "built ",   "result ",
                                        "stdin\n", "stdout\n", "stderr\n"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(line, "--- ", 4) == 0 && strncmp(line + 4, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static void add_section(struct golden *golden, char *header, char *body, char *end) {
    struct section *section = &golden->sections[golden->section_count];
    if (golden->section_count == MOST_SECTIONS) return;
    *section = (struct section){.text = body, .len = (size_t)(end - body)};
    if (sscanf(header, "--- %15s%*[ ]%127[^\n]", section->kind, section->name) >= 1)
        golden->section_count++;
}

static void parse_header(struct golden *golden, const char *line) {
    if (strncmp(line, "command: ", 9) == 0) sscanf(line + 9, "%1023[^\n]", golden->command);
    if (strncmp(line, "before: ", 8) == 0 && golden->before_count < MOST_BEFORE)
        sscanf(line + 8, "%1023[^\n]", golden->before[golden->before_count++]);
    if (strncmp(line, "exit: ", 6) == 0) golden->exit_code = (int)strtol(line + 6, NULL, 10);
}

static bool load(struct golden *golden, const char *path) {
    size_t len;
    *golden = (struct golden){.exit_code = 0};
    snprintf(golden->path, sizeof golden->path, "%s", path);
    golden->content = file_read(path, &len);
    if (!golden->content) return false;
    char *header = NULL, *body = NULL, *end = golden->content + len;
    for (char *line = golden->content; line < end;) {
        char *feed = strchr(line, '\n');
        char *next = feed ? feed + 1 : end;
        if (is_header(line)) {
            if (header) add_section(golden, header, body, line);
            header = line;
            body = next;
        } else if (!header) {
            parse_header(golden, line);
        }
        line = next;
    }
    if (header) add_section(golden, header, body, end);
    return golden->command[0] != '\0';
}

static const struct section *find(const struct golden *golden, const char *kind) {
    for (size_t i = 0; i < golden->section_count; i++)
        if (strcmp(golden->sections[i].kind, kind) == 0) return &golden->sections[i];
    return NULL;
}

/* ## Running */

static void link_built(const struct section *section) {
    char path[2048];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path / 2);
    while (len > 0 && path[len - 1] != '/') len--;
    if (len <= 0) return;
    int size = (int)strcspn(section->text, "\n");
    snprintf(path + len, sizeof path - (size_t)len, "%.*s", size, section->text);
    if (symlink(path, section->name) && errno != EEXIST) perror(section->name);
}

static void write_inputs(const struct golden *golden) {
    for (size_t i = 0; i < golden->section_count; i++) {
        const struct section *section = &golden->sections[i];
        bool is_stdin = strcmp(section->kind, "stdin") == 0;
        if (strcmp(section->kind, "built") == 0) link_built(section);
        if (!is_stdin && strcmp(section->kind, "file") != 0) continue;
        file_provide(is_stdin ? ".stdin" : section->name, section->text, section->len);
        size_t len = strlen(section->name);
        if (len > 3 && strcmp(section->name + len - 3, ".sh") == 0) chmod(section->name, 0755);
    }
}

/* Words are split at blanks; "double quotes" keep them together. */
static int split(char *line, char **argv) {
    int argc = 0;
    while (*line && argc < MOST_ARGS - 1) {
        while (*line == ' ') line++;
        if (!*line) break;
        char end = *line == '"' ? '"' : ' ';
        if (end == '"') line++;
        argv[argc++] = line;
        line = strchr(line, end);
        if (!line) break;
        *line++ = '\0';
    }
    argv[argc] = NULL;
    return argc;
}

static struct outcome run_command(const char *command, struct counter *counter) {
    gramc_allocator allocator = {counting_alloc, counter};
    struct outcome outcome = {0};
    char line[1100], *argv[MOST_ARGS];
    struct cli cli;
    snprintf(line, sizeof line, "gramc %s", command);
    int argc = split(line, argv);
    FILE *out = open_memstream(&outcome.out, &outcome.out_len);
    FILE *err = open_memstream(&outcome.err, &outcome.err_len);
    cli_init(&cli, out, err, &allocator);
    cli.clock = golden_clock();
    outcome.exit_code = cli_main(&cli, golden_commands(), argc, argv);
    fclose(out);
    fclose(err);
    outcome.live = counter->live;
    outcome.faulted = counter->faulted;
    return outcome;
}

static void forget(struct outcome *outcome) {
    free(outcome->out);
    free(outcome->err);
}

static void give_input(const struct golden *golden) {
    if (find(golden, "stdin") && !freopen(".stdin", "rb", stdin)) perror("stdin");
}

/* What the command finds. Kept aside, so that each run of a case begins with the same. */
static void prepare(const struct golden *golden) {
    for (size_t i = 0; access("prepared", F_OK) && i < golden->before_count; i++) {
        struct counter counter = {.fail_at = 0};
        give_input(golden);
        struct outcome outcome = run_command(golden->before[i], &counter);
        if (outcome.exit_code)
            fprintf(stderr, "%s: before: exit %d: %s", golden->path, outcome.exit_code,
                    outcome.err);
        forget(&outcome);
    }
    bool is_kept = access("prepared", F_OK) == 0;
    if (!case_folder_copy(is_kept ? "prepared" : "state", is_kept ? "state" : "prepared"))
        perror(golden->path);
}

static struct outcome run(const struct golden *golden, long fail_at, bool persistent) {
    struct counter counter = {.fail_at = fail_at, .persistent = persistent};
    write_inputs(golden);
    if (golden->before_count) prepare(golden);
    give_input(golden);
    return run_command(golden->command, &counter);
}

static bool same_text(const struct golden *golden, const char *kind, const char *text, size_t len) {
    const struct section *section = find(golden, kind);
    size_t expected = section ? section->len : 0;
    return expected == len && (len == 0 || memcmp(section->text, text, len) == 0);
}

static void show(const char *kind, const char *text, size_t len) {
    if (len) fprintf(stderr, "--- %s\n%.*s", kind, (int)len, text);
}

/* A file that a command rewrites. NULL if there is none of that name. */
static char *left_behind(const struct section *section, size_t *len) {
    *len = 0;
    return strcmp(section->kind, "result") == 0 ? file_read(section->name, len) : NULL;
}

static bool same_results(const struct golden *golden) {
    bool good = true;
    for (size_t i = 0; i < golden->section_count; i++) {
        const struct section *section = &golden->sections[i];
        size_t len;
        if (strcmp(section->kind, "result") != 0) continue;
        char *text = left_behind(section, &len);
        bool same = text && len == section->len && memcmp(text, section->text, len) == 0;
        if (!same) show(section->name, text ? text : "missing\n", text ? len : 8);
        good = good && same;
        free(text);
    }
    return good;
}

static bool compare(const struct golden *golden, const struct outcome *outcome) {
    bool good = golden->exit_code == outcome->exit_code && outcome->live == 0 &&
                same_text(golden, "stdout", outcome->out, outcome->out_len) &&
                same_text(golden, "stderr", outcome->err, outcome->err_len) && same_results(golden);
    if (good) return true;
    fprintf(stderr, "FAILED %s: exit %d (expected %d), %ld allocations not freed\n", golden->path,
            outcome->exit_code, golden->exit_code, outcome->live);
    show("stdout", outcome->out, outcome->out_len);
    show("stderr", outcome->err, outcome->err_len);
    return false;
}

static bool bless(const struct golden *golden, const struct outcome *outcome) {
    FILE *file = fopen(golden->path, "wb");
    if (!file) return false;
    fprintf(file, "command: %s\n", golden->command);
    for (size_t i = 0; i < golden->before_count; i++)
        fprintf(file, "before: %s\n", golden->before[i]);
    fprintf(file, "exit: %d\n", outcome->exit_code);
    for (size_t i = 0; i < golden->section_count; i++) {
        const struct section *s = &golden->sections[i];
        if (!strcmp(s->kind, "stdout") || !strcmp(s->kind, "stderr")) continue;
        size_t len;
        char *result = left_behind(s, &len);
        fprintf(file, "--- %s%s%s\n%.*s", s->kind, s->name[0] ? " " : "", s->name,
                (int)(result ? len : s->len), result ? result : s->text);
        free(result);
    }
    if (outcome->out_len) fprintf(file, "--- stdout\n%.*s", (int)outcome->out_len, outcome->out);
    if (outcome->err_len) fprintf(file, "--- stderr\n%.*s", (int)outcome->err_len, outcome->err);
    return fclose(file) == 0 && outcome->live == 0;
}

/* Memory that runs out is said, never hidden behind another answer, and leaks nothing. */
static bool survives(const struct golden *golden, const struct outcome *outcome, long n) {
    bool said = outcome->exit_code == EXIT_RUN_FAILED && outcome->err &&
                strstr(outcome->err, "out of memory");
    bool unharmed = golden->exit_code == outcome->exit_code &&
                    same_text(golden, "stdout", outcome->out, outcome->out_len);
    if ((said || unharmed) && outcome->live == 0) return true;
    fprintf(stderr, "FAILED %s: allocation %ld failing gave exit %d, %ld not freed\n", golden->path,
            n, outcome->exit_code, outcome->live);
    show("stdout", outcome->out, outcome->out_len);
    show("stderr", outcome->err, outcome->err_len);
    return false;
}

/* A sample begins elsewhere in each case: what all commands begin with is met by some case. */
static long first_fault(const struct golden *golden, long stride) {
    const char *name = strrchr(golden->path, '/');
    return 1 + (long)text_hash(text_of(name ? name : golden->path)) % stride;
}

static bool inject(const struct golden *golden, long stride) {
    for (int persistent = 0; persistent < 2; persistent++) {
        for (long n = first_fault(golden, stride); n < MOST_FAULTS; n += stride) {
            struct outcome outcome = run(golden, n, persistent);
            bool reached = outcome.faulted, good = survives(golden, &outcome, n);
            forget(&outcome);
            if (!good) return false;
            if (!reached) break;
        }
    }
    return true;
}

static bool run_case(const char *path, const char *mode, long stride) {
    static struct golden golden;
    char folder[FOLDER_PATH], home[1024];
    bool good = false;
    if (!load(&golden, path) || !case_folder_make(folder) || !getcwd(home, sizeof home)) {
        fprintf(stderr, "FAILED %s: cannot be read or run\n", path);
        return false;
    }
    if (chdir(folder) == 0) {
        if (stride) {
            good = inject(&golden, stride);
        } else {
            struct outcome outcome = run(&golden, 0, false);
            good = strcmp(mode, "--bless") == 0 ? bless(&golden, &outcome)
                                                : compare(&golden, &outcome);
            forget(&outcome);
        }
    }
    good = chdir(home) == 0 && good;
    good = case_folder_remove(folder) && good;
    free(golden.content);
    return good;
}

/* ## Folders */

/* How far apart the allocations are that fail; 0: none does. */
static long stride_of(const char *mode) {
    static const char faults[] = "--faults";
    const char *all = getenv("GRAMC_LONG"), *stride = mode + sizeof(faults) - 1;
    if (strncmp(mode, faults, sizeof(faults) - 1) != 0) return 0;
    if (*stride != '=' || (all && strcmp(all, "1") == 0)) return 1;
    return strtol(stride + 1, NULL, 10);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *entry) {
    size_t len = strlen(entry->d_name);
    return len > 5 && strcmp(entry->d_name + len - 5, ".test") == 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    long stride = stride_of(mode);
    /* What git says where there is no repository is the same on every file system. */
    if (setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1", 1)) return 2;
    size_t passed = 0, failed = 0;
    for (int i = mode[0] ? 2 : 1; i < argc; i++) {
        struct dirent **names;
        int count = scandir(argv[i], &names, is_case, by_name);
        for (int j = 0; j < count; j++) {
            char path[1024], *absolute;
            snprintf(path, sizeof path, "%s/%s", argv[i], names[j]->d_name);
            absolute = realpath(path, NULL);
            if (absolute && run_case(absolute, mode, stride)) passed++;
            else failed++;
            free(absolute);
            free(names[j]);
        }
        if (count >= 0) free(names);
        else perror(argv[i]);
    }
    if (stride > 1) printf("one allocation of %ld failed; all of them with GRAMC_LONG=1\n", stride);
    printf("%zu cases passed, %zu failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
