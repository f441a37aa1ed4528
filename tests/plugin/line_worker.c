/* A program that stays (docs/tool-programs.md) and does what its argument says, right or wrong.
 * Says of its arguments no more than their text. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUEST_MAX = 1 << 20 };

static char request[REQUEST_MAX];
static int calls;

/* False at the end of the input. */
static int read_request(long *id) {
    if (!fgets(request, sizeof request, stdin)) return 0;
    request[strcspn(request, "\n")] = '\0';
    char *found = strstr(request, "\"id\":");
    *id = found ? strtol(found + 5, NULL, 10) : 0;
    calls++;
    return 1;
}

static const char *arguments(void) {
    char *found = strstr(request, "\"arguments\":");
    if (!found) return "null";
    found[strlen(found) - 1] = '\0'; /* the brace that ends the request */
    return found + strlen("\"arguments\":");
}

static void echo(long id) {
    printf("{\"id\":%ld,\"result\":%s}\n", id, arguments());
}

static void count(long id) {
    printf("{\"id\":%ld,\"result\":\"%d\"}\n", id, calls);
}

static void text(long id) {
    printf("{\"result\":\"two\\nlines\",\"more\":[1],\"id\":%ld}\r\n", id);
}

static void tool(long id) {
    printf("{\"id\":%ld,\"result\":\"%s\"}\n", id,
           strstr(request, "\"tool\":\"tool\"") ? "tool" : "?");
}

static void error(long id) {
    printf("{\"id\":%ld,\"error\":\"out of paper\"}\n", id);
}

static void error_object(long id) {
    printf("{\"id\":%ld,\"error\":{\"code\":7}}\n", id);
}

static void neither(long id) {
    printf("{\"id\":%ld}\n", id);
}

static void twice(long id) {
    echo(id);
    printf("{\"id\":%ld,\"result\":\"once more\"}\n", id);
}

static void no_id(long id) {
    (void)id;
    printf("{\"result\":1}\n");
}

static void later_id(long id) {
    printf("{\"id\":%ld,\"result\":1}\n", id + 1);
}

static void garbage(long id) {
    (void)id;
    printf("Traceback (most recent call last):\n");
}

static void leave(long id) {
    (void)id;
    fprintf(stderr, "no more of this\n");
    exit(137);
}

static void leave_after(long id) {
    count(id);
    fflush(stdout);
    exit(0);
}

static void crash(long id) {
    (void)id;
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void never(long id) {
    (void)id;
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
}

static void close_output(long id) {
    (void)id;
    close(STDOUT_FILENO);
    for (;;) pause();
}

/* A gigabyte, in one line. */
static void flood(long id) {
    static char bytes[65536];
    (void)id;
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < 16384; i++) fwrite(bytes, 1, sizeof bytes, stdout);
}

static void flood_errors(long id) {
    static char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < 1024; i++) fwrite(bytes, 1, sizeof bytes, stderr);
    echo(id);
}

static void big_result(long id) {
    printf("{\"id\":%ld,\"result\":\"", id);
    for (int i = 0; i < 2 << 20; i++) putchar('x');
    printf("\"}\n");
}

/* A child of its own that outlives it. */
static void leave_child(long id) {
    if (fork() == 0)
        for (;;) pause();
    echo(id);
}

static const struct {
    const char *name;
    void (*answer)(long id);
} modes[] = {
    {"echo", echo},
    {"count", count},
    {"text", text},
    {"tool", tool},
    {"error", error},
    {"error-object", error_object},
    {"neither", neither},
    {"twice", twice},
    {"no-id", no_id},
    {"later-id", later_id},
    {"garbage", garbage},
    {"leave", leave},
    {"leave-after", leave_after},
    {"crash", crash},
    {"never", never},
    {"close-output", close_output},
    {"flood", flood},
    {"flood-errors", flood_errors},
    {"big-result", big_result},
    {"leave-child", leave_child},
};

int main(int argc, char **argv) {
    size_t mode = 0, count_of_modes = sizeof modes / sizeof *modes;
    long id;
    if (argc > 1 && strcmp(argv[1], "deaf") == 0)
        for (;;) pause();
    if (argc > 1 && strcmp(argv[1], "gone") == 0) return 9;
    while (mode < count_of_modes && (argc < 2 || strcmp(modes[mode].name, argv[1]) != 0)) mode++;
    if (mode == count_of_modes) return 2;
    while (read_request(&id)) {
        modes[mode].answer(id);
        fflush(stdout);
    }
    return 0;
}
