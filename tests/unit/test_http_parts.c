/* Bodies of several parts and bodies that are files, over the wire to a server on 127.0.0.1: what
 * each kind of value becomes, which files are read, and what happens to a call whose file is
 * missing, elsewhere, too large or changing, or which is given up while files are read. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/httptool/media_type.h"
#include "runtime/loop.h"
#include "runtime/tool.h"
#include "runtime/tool_http.h"
#include "tests/failing.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

/* ## Files to send */

static char folder[] = "/tmp/gramc-parts-XXXXXX";

static void write_file(const char *name, const char *bytes, size_t len) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void in_folder(char path[256], const char *name) {
    snprintf(path, 256, "%s/%s", folder, name);
}

static int make_files(void **state) {
    char path[256], target[256];
    (void)state;
    if (!mkdtemp(folder)) return -1;
    write_file("p.png", "\x89PNG\0\r\n--", 9);
    write_file("a \"b\".txt", "hi", 2);
    write_file("empty", "", 0);
    in_folder(path, "sub");
    if (mkdir(path, 0700)) return -1;
    write_file("sub/n.csv", "1,2\n", 4);
    in_folder(path, "link");
    in_folder(target, "p.png");
    if (symlink(target, path)) return -1;
    in_folder(path, "out");
    if (symlink("/etc", path)) return -1;
    in_folder(path, "pipe");
    if (mkfifo(path, 0600)) return -1;
    in_folder(path, "huge");
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    return ftruncate(file, HTTP_BODY_MAX + 1) || close(file);
}

static int remove_files(void **state) {
    static const char *const names[] = {"p.png", "a \"b\".txt", "empty", "sub/n.csv", "sub",
                                        "link",  "out",         "pipe",  "huge",      "moving"};
    char path[256];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        in_folder(path, names[i]);
        (void)remove(path);
    }
    return rmdir(folder);
}

/* ## A call */

struct bench {
    struct arena arena;
    struct http_call call;
    struct http_part part;
    struct http_endpoint endpoint;
    gramc_text folders[2];
    gramc_impl impl;
    struct bound_tool bound;
    gramc_loop *loop;
    struct mock_server *server;
    bool done;
    enum tool_outcome outcome;
    char result[512];
};

static void open_bench(struct bench *bench, const struct mock_answer *answers, size_t count,
                       const gramc_allocator *allocator) {
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    memset(bench, 0, sizeof *bench);
    options.allocator = allocator;
    bench->server = mock_start(answers, count);
    arena_init(&bench->arena, NULL);
    assert_int_equal(gramc_loop_new(&bench->loop, &options), GRAMC_OK);
    bench->folders[0] = TEXT("/nowhere/at/all");
    bench->folders[1] = text_of(folder);
    bench->endpoint = (struct http_endpoint){.url = text_of(mock_url(bench->server)),
                                             .call = &bench->call,
                                             .folders = {bench->folders, 2}};
    bench->bound = (struct bound_tool){
        .impl = &bench->impl, .kind = &tool_http, .data = &bench->endpoint, .timeout_ms = 5000};
}

static void close_bench(struct bench *bench) {
    gramc_loop_free(bench->loop);
    mock_stop(bench->server);
    arena_free(&bench->arena);
}

static void read_text(struct bench *bench, struct template *out, const char *text,
                      enum template_kind kind, const struct template_style *said) {
    struct template_error error;
    assert_int_equal(template_read(out, &bench->arena, text_of(text), kind, false, &error),
                     GRAMC_OK);
    if (said) template_set_styles(out, said, 1);
}

/* One part named `v`, or with no name a body that is a file. */
static void make_call(struct bench *bench, const char *name, const char *template, bool is_file,
                      const char *type, const struct template_style *said) {
    bench->call = (struct http_call){
        .method = METHOD_POST, .has_body = true, .parts = &bench->part, .part_count = 1};
    bench->part = (struct http_part){
        .name = text_of(name), .content_type = text_of(type), .is_file = is_file};
    read_text(bench, &bench->call.path, "/x", TEMPLATE_URL, NULL);
    read_text(bench, &bench->part.value, template, is_file ? TEMPLATE_FILE : TEMPLATE_PART, said);
}

static void on_done(void *ctx, struct tool_call *call) {
    struct bench *bench = ctx;
    bench->done = true;
    bench->outcome = call->outcome;
    snprintf(bench->result, sizeof bench->result, "%.*s", TEXT_ARGS(buf_view(&call->result)));
    tool_release(call);
}

static void turn(struct bench *bench) {
    while (bench->loop->calls) uv_run(&bench->loop->uv, UV_RUN_ONCE);
}

static void call(struct bench *bench, const char *arguments) {
    bench->done = false;
    struct tool_call *call =
        tool_start(bench->loop, &bench->bound, text_of(arguments), on_done, bench);
    if (!call) bench->outcome = TOOL_NOMEM;
    turn(bench);
    assert_true(!call || bench->done);
}

/* What the server got, with BB for the boundary; the arena's. */
static const char *received(struct bench *bench) {
    size_t last = mock_count(bench->server) - 1, len = mock_body_length(bench->server, last);
    const char *head = mock_head(bench->server, last), *body = mock_body(bench->server, last);
    const char *type = strstr(head, "boundary=");
    struct buf out;
    buf_init_arena(&out, &bench->arena, 1 << 20);
    gramc_text boundary = type ? (gramc_text){type + 9, 22} : TEXT("?");
    for (size_t i = 0; i < len; i++) {
        bool here = len - i >= boundary.len && memcmp(body + i, boundary.ptr, boundary.len) == 0;
        if (here) buf_puts(&out, "BB");
        else buf_putc(&out, body[i] ? body[i] : '0');
        if (here) i += boundary.len - 1;
    }
    return buf_to_arena(&out, &bench->arena).ptr;
}

/* ## What is sent */

#define PART(more, bytes) "--BB\r\nContent-Disposition: form-data; " more "\r\n\r\n" bytes "\r\n"
#define END "--BB--\r\n"
#define V "name=\"v\""
#define JSON_PART(bytes) PART(V "\r\nContent-Type: application/json", bytes)
#define PNG(name) name "; filename=\"p.png\"\r\nContent-Type: image/png"
#define PNG_BYTES "\x89PNG0\r\n--"
#define FILE_ROW .is_file = true

static const struct row {
    const char *template, *value, *wire; /* wire "": nothing is sent; NULL: the call fails */
    const char *type, *style;
    enum style_explode explode;
    bool is_file;
    const char *why; /* of a call that fails */
} rows[] = {
    {"${v}", "\"a\\r\\n\\\"b\"", PART(V, "a\r\n\"b") END, .why = NULL},
    {"${v}", "1.50", PART(V, "1.50") END, .why = NULL},
    {"${v}", "true", PART(V, "true") END, .why = NULL},
    {"${v}", "\"\"", PART(V, "") END, .why = NULL},
    {"${v}", "null", "", .why = NULL},
    {"${v}", NULL, "", .why = NULL},
    {"${v:-x}", NULL, PART(V, "x") END, .why = NULL},
    {"fixed", NULL, PART(V, "fixed") END, .why = NULL},
    {"a ${v} c", "\"b\"", PART(V, "a b c") END, .why = NULL},
    {"a ${v} c", NULL, "", .why = NULL},
    {"a ${v} c", "[1]", PART(V, "a [1] c") END, .why = NULL},
    {"${v}", "\"<a/>\"", PART(V "\r\nContent-Type: application/xml", "<a/>") END,
     .type = "application/xml"},
    {"${v}", "[\"x\",2,null]", PART(V, "x") PART(V, "2") END, .why = NULL},
    {"${v}", "[]", "", .why = NULL},
    {"${v}", "[{\"a\":1},[2]]", JSON_PART("{\"a\":1}") JSON_PART("[2]") END, .why = NULL},
    {"${v}", "{\"a\":[1]}", JSON_PART("{\"a\":[1]}") END, .why = NULL},
    {"${v}", "{}", JSON_PART("{}") END, .why = NULL},
    {"${v}", "[1,2]", JSON_PART("[1,2]") END, .style = "json"},
    {"${v}", "[1,2]", JSON_PART("[1,2]") END, .type = "application/json"},
    {"${v}", "\"a\"", JSON_PART("\"a\"") END, .style = "json"},
    {"${v}", "[\"x\",\"y\"]", PART(V, "x,y") END, .explode = EXPLODE_FALSE},
    {"${v}", "[\"x\",\"y\"]", PART(V, "x") PART(V, "y") END, .style = "form"},
    {"${v}", "[\"x\",\"y\"]", PART(V, "x y") END, .style = "spaceDelimited"},
    {"${v}", "[\"x\",\"y\"]", PART(V, "x|y") END, .style = "pipeDelimited"},
    {"${v}", "[\"x|y\"]", NULL, .style = "pipeDelimited",
     .why = "`v` has its delimiter in an item, which would be taken for two"},
    {"${v}", "[[1]]", NULL, .explode = EXPLODE_FALSE,
     .why = "`v` holds a list or an object in it, which no style but json says"},
    {"${v}", "{\"a\":1,\"b\":\"c\"}", PART(V, "a,1,b,c") END, .explode = EXPLODE_FALSE},
    {"${v}", "{\"a\":1,\"b\":\"c\"}", PART("name=\"a\"", "1") PART("name=\"b\"", "c") END,
     .explode = EXPLODE_TRUE},
    {"${v}", "{\"a\\\"\\n\":1}", PART("name=\"v[a%22%0A]\"", "1") END, .style = "deepObject"},
    {"${v}", "[1]", NULL, .style = "deepObject",
     .why = "`v` is no object, and deepObject says nothing else"},
    {"${v}", "\"p.png\"", PART(PNG(V), PNG_BYTES) END, FILE_ROW},
    {"${v}", "\"/p.png\"", NULL, FILE_ROW,
     .why = "the file `/p.png` lies in none of the folders that may be read"},
    {"${v}", "\"./sub//n.csv\"",
     PART(V "; filename=\"n.csv\"\r\nContent-Type: text/csv", "1,2\n") END, FILE_ROW},
    {"sub/${v}.csv", "\"n\"", PART(V "; filename=\"n.csv\"\r\nContent-Type: text/csv", "1,2\n") END,
     FILE_ROW},
    {"${v}", "\"a \\\"b\\\".txt\"",
     PART(V "; filename=\"a %22b%22.txt\"\r\nContent-Type: image/gif", "hi") END, FILE_ROW,
     .type = "image/gif"},
    {"${v}", "[\"p.png\",\"p.png\"]", PART(PNG(V), PNG_BYTES) PART(PNG(V), PNG_BYTES) END,
     FILE_ROW},
    {"${v}", "[]", "", FILE_ROW},
    {"${v}", NULL, "", FILE_ROW},
    {"${v}", "5", NULL, FILE_ROW,
     .why = "`v` is to be the path of a file, or in a multipart body a list of them"},
    {"${v}", "[1]", NULL, FILE_ROW,
     .why = "`v` is to be the path of a file, or in a multipart body a list of them"},
    {"${v}", "\"none\"", NULL, FILE_ROW, .why = "the file `none` is not there"},
    {"${v}", "\"p.png/x\"", NULL, FILE_ROW, .why = "the file `p.png/x` is not there"},
    {"${v}", "\"sub\"", NULL, FILE_ROW, .why = "the file `sub` is no file"},
    {"${v}", "\"pipe\"", NULL, FILE_ROW, .why = "the file `pipe` is no file"},
    {"${v}", "\"\"", NULL, FILE_ROW, .why = "the file `` is no path of a file"},
    {"${v}", "\".\"", NULL, FILE_ROW, .why = "the file `.` is no path of a file"},
    {"${v}", "\"p.png\\u0000x\"", NULL, FILE_ROW, .why = "is no path of a file"},
    {"${v}", "\"sub/../p.png\"", NULL, FILE_ROW,
     .why = "the file `sub/../p.png` has a step up in it"},
    {"${v}", "\"/etc/passwd\"", NULL, FILE_ROW,
     .why = "the file `/etc/passwd` lies in none of the folders that may be read"},
    {"${v}", "\"link\"", NULL, FILE_ROW,
     .why = "the file `link` is a symbolic link, or lies behind one, which is not followed"},
    {"${v}", "\"out/passwd\"", NULL, FILE_ROW,
     .why = "the file `out/passwd` is a symbolic link, or lies behind one, which is not followed"},
    {"${v}", "\"huge\"", NULL, FILE_ROW,
     .why = "the file `huge` is too large: a request has 16 MiB at most, with all that it sends"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void check_row(struct bench *bench, const struct row *row) {
    char arguments[512];
    const struct template_style said = {
        TEXT("v"), style_of_word(text_of(row->style ? row->style : "")), row->explode};
    snprintf(arguments, sizeof arguments, row->value ? "{\"v\":%s}" : "{}", row->value);
    make_call(bench, "v", row->template, row->is_file, row->type ? row->type : "", &said);
    size_t before = mock_count(bench->server);
    call(bench, arguments);
    bool sent = mock_count(bench->server) > before;
    const char *wire = sent ? received(bench) : "(nothing)";
    bool good = row->wire ? sent && bench->outcome == TOOL_FINE && strcmp(wire, row->wire) == 0
                          : !sent && bench->outcome == TOOL_FAILED && row->why &&
                                strstr(bench->result, row->why);
    if (!good)
        fail_msg("%s with %s: `%s`, \"%s\" instead of `%s`, \"%s\"", row->template,
                 row->value ? row->value : "nothing", wire, bench->result,
                 row->wire ? row->wire : "(nothing)", row->why ? row->why : "fine");
    if (sent && !*row->wire) assert_null(strstr(mock_head(bench->server, before), "Content-Type"));
}

static void test_wire(void **state) {
    static struct mock_answer answers[ROWS];
    struct bench bench;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) answers[i].body = "fine";
    open_bench(&bench, answers, ROWS, NULL);
    for (size_t i = 0; i < ROWS; i++) check_row(&bench, &rows[i]);
    close_bench(&bench);
}

/* ## Bodies that are files */

static void test_whole(void **state) {
    static const struct {
        const char *path, *type, *sent_type, *body;
    } cases[] = {{"p.png", "", "Content-Type: image/png\r\n", PNG_BYTES},
                 {"p.png", "application/x-y", "Content-Type: application/x-y\r\n", PNG_BYTES},
                 {"empty", "", "Content-Type: application/octet-stream\r\n", ""}};
    static const struct mock_answer answers[] = {{.body = "a"}, {.body = "b"}, {.body = "c"}};
    struct bench bench;
    char arguments[256];
    (void)state;
    open_bench(&bench, answers, 3, NULL);
    for (size_t i = 0; i < 3; i++) {
        make_call(&bench, "", "${v}", true, cases[i].type, NULL);
        snprintf(arguments, sizeof arguments, "{\"v\":\"%s/%s\"}", folder, cases[i].path);
        call(&bench, arguments);
        assert_int_equal(bench.outcome, TOOL_FINE);
        assert_string_equal(received(&bench), cases[i].body);
        assert_non_null(strstr(mock_head(bench.server, i), cases[i].sent_type));
    }
    close_bench(&bench);
}

static void test_no_folder(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, NULL, 0, NULL);
    bench.endpoint.folders.count = 0;
    make_call(&bench, "v", "${v}", true, "", NULL);
    call(&bench, "{\"v\":\"p.png\"}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_string_equal(bench.result,
                        "the call cannot be made: the file `p.png` may not be read: list its "
                        "folder under `allowFiles` in gramc.gram, or say --allow-files");
    close_bench(&bench);
}

/* The largest that fits, and one byte more, with what stands round it. */
static void test_size(void **state) {
    static const struct mock_answer answers[] = {{.body = "a"}};
    struct bench bench;
    char path[256];
    (void)state;
    in_folder(path, "huge");
    open_bench(&bench, answers, 1, NULL);
    assert_int_equal(truncate(path, HTTP_BODY_MAX), 0);
    make_call(&bench, "", "${v}", true, "", NULL);
    call(&bench, "{\"v\":\"huge\"}");
    assert_int_equal(bench.outcome, TOOL_FINE);
    assert_int_equal(mock_body_length(bench.server, 0), HTTP_BODY_MAX);
    make_call(&bench, "v", "${v}", true, "", NULL);
    call(&bench, "{\"v\":\"huge\"}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_string_equal(bench.result, "the call cannot be made: a request has 16 MiB at most");
    close_bench(&bench);
}

/* ## What happens meanwhile */

static const char *read_changed(void (*change)(const char *path)) {
    gramc_text folders[] = {text_of(folder)};
    const struct file_folders allowed = {folders, 1};
    const gramc_allocator allocator = mem_default();
    struct call_file file;
    char path[256];
    gramc_status status = GRAMC_OK;
    write_file("moving", "12345", 5);
    in_folder(path, "moving");
    assert_null(call_file_open(&file, &allowed, TEXT("moving"), 100, &allocator, &status));
    change(path);
    call_file_read(&file);
    call_file_free(&file, &allocator);
    return file.problem;
}

static void leave(const char *path) {
    (void)path;
}
static void lengthen(const char *path) {
    assert_int_equal(truncate(path, 9), 0);
}
static void shorten(const char *path) {
    assert_int_equal(truncate(path, 2), 0);
}
static void empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}
static void touch(const char *path) {
    const struct timespec then[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}
/* What was opened is what is read. */
static void replace(const char *path) {
    assert_int_equal(unlink(path), 0);
    write_file("moving", "other", 5);
}

static void test_changes(void **state) {
    static void (*const changes[])(const char *) = {lengthen, shorten, empty, touch};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_string_equal(read_changed(changes[i]), "changed while it was read");
    assert_null(read_changed(leave));
    assert_null(read_changed(replace));
}

/* The run lets go while a thread reads. */
static void test_given_up(void **state) {
    struct bench bench;
    char path[256];
    (void)state;
    in_folder(path, "huge");
    assert_int_equal(truncate(path, 8 << 20), 0);
    open_bench(&bench, NULL, 0, NULL);
    make_call(&bench, "v", "${v}", true, "", NULL);
    for (int i = 0; i < 8; i++) {
        struct tool_call *call =
            tool_start(bench.loop, &bench.bound, TEXT("{\"v\":\"huge\"}"), on_done, &bench);
        assert_non_null(call);
        for (int k = 0; k < i && bench.loop->calls; k++) uv_run(&bench.loop->uv, UV_RUN_NOWAIT);
        if (!bench.done) tool_release(call);
        turn(&bench);
    }
    close_bench(&bench);
}

static void test_server_closes(void **state) {
    static const struct mock_answer answers[] = {{.mode = MOCK_CLOSE, .body = ""}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 1, NULL);
    make_call(&bench, "v", "${v}", true, "", NULL);
    call(&bench, "{\"v\":\"huge\"}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_non_null(strstr(bench.result, "the server cannot be asked"));
    close_bench(&bench);
}

/* A loop that ran out of memory may be good for nothing more: each has its own. */
static enum tool_outcome call_without(struct failing *failing, long n) {
    static const struct mock_answer answers[] = {{.body = "fine"}};
    gramc_allocator allocator = test_failing(failing);
    struct bench bench;
    open_bench(&bench, answers, 1, &allocator);
    make_call(&bench, "v", "${v}", true, "", NULL);
    failing->count = 0;
    failing->fail_at = n;
    call(&bench, "{\"v\":[\"p.png\",\"sub/n.csv\"]}");
    failing->fail_at = 0;
    close_bench(&bench);
    assert_int_equal(failing->live, 0);
    return bench.outcome;
}

static void test_no_memory(void **state) {
    enum tool_outcome outcome = TOOL_NOMEM;
    long n = 0;
    (void)state;
    while (outcome == TOOL_NOMEM && n < 200) {
        struct failing failing = {.fail_at = 0};
        outcome = call_without(&failing, ++n);
    }
    assert_int_equal(outcome, TOOL_FINE);
    assert_true(n > 10);
}

/* ## Types of files */

static void test_media_types(void **state) {
    static const struct {
        const char *said, *name, *type;
    } cases[] = {{"", "a.PNG", "image/png"},
                 {"", "a", "application/octet-stream"},
                 {"", ".txt", "text/plain"},
                 {"", "a.unknown", "application/octet-stream"},
                 {"text/x", "a.png", "text/x"},
                 {"image/png, image/jpeg", "a.jpg", "image/jpeg"},
                 {"image/png, image/jpeg", "a.pdf", "image/png"},
                 {"image/*", "a.jpg", "image/jpeg"},
                 {"image/*", "a.pdf", "application/octet-stream"},
                 {"*/*", "a.pdf", "application/pdf"},
                 {"text/*, application/pdf;q=1", "a.pdf", "application/pdf;q=1"},
                 {" , ", "a.pdf", "application/octet-stream"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gramc_text type = media_type_of_file(text_of(cases[i].said), text_of(cases[i].name));
        if (!text_is(type, cases[i].type))
            fail_msg("%s, %s: %.*s", cases[i].said, cases[i].name, TEXT_ARGS(type));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire),          cmocka_unit_test(test_whole),
        cmocka_unit_test(test_no_folder),     cmocka_unit_test(test_size),
        cmocka_unit_test(test_changes),       cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_server_closes), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_media_types),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
