/* Sessions on disk: what is saved comes back, one run at a time has each, processes that write at
 * the same time lose nothing, and what cannot be read or written is said and left as it is. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/sqlite.h"
#include "tests/stated.h"
#include "tests/support/agent.h"

#define HEAD                                                                                       \
    "{\"format\":\"gramc-session\",\"version\":1,\"agent\":\"a\",\"fingerprint\":\"f\","           \
    "\"protocol\":\"chat\",\"turns\":1,\"messages\":["
#define USER "{\"role\":\"user\",\"turn\":1,\"content\":\"Hello\"}"
#define CALL                                                                                       \
    "{\"role\":\"assistant\",\"turn\":1,\"calls\":[{\"id\":\"x\",\"name\":\"t\","                  \
    "\"arguments\":\"{}\"},{\"name\":\"t\",\"arguments\":\"\",\"own_id\":true}]}"
#define RESULT "{\"role\":\"tool\",\"turn\":1,\"content\":\"3\"}"
#define FAILED "{\"role\":\"tool\",\"turn\":1,\"content\":\"no\",\"failed\":true}"
#define ANSWER                                                                                     \
    "{\"role\":\"assistant\",\"turn\":1,\"content\":\"Hi\",\"opaque\":[{\"s\":\"\\u0041\"}]}"
#define TAIL "]}"

static const char whole[] = HEAD USER "," CALL "," RESULT "," FAILED "," ANSWER TAIL;

/* A folder of its own for each test. */
struct place {
    char folder[64], path[128];
};

static void make_place(struct place *place) {
    snprintf(place->folder, sizeof place->folder, "/tmp/gramc-store-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof place->path, "%s/sessions.db", place->folder);
}

static void remove_place(const struct place *place) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", place->folder);
    assert_int_equal(system(command), 0);
}

static gramc_status open_store(gramc_session_store **out, const char *path,
                               const gramc_allocator *allocator) {
    gramc_session_store_options options = GRAMC_SESSION_STORE_OPTIONS_INIT;
    options.path = text_of(path);
    options.allocator = allocator;
    options.busy_ms = 20000;
    return gramc_session_store_open(out, &options);
}

static gramc_session_store *opened(const char *path) {
    gramc_session_store *store = NULL;
    gramc_status status = open_store(&store, path, NULL);
    if (status) fail_msg("%s", gramc_session_store_message(store).ptr);
    return store;
}

static gramc_kept_session *taken(gramc_session_store *store, const char *id) {
    gramc_kept_session *kept = NULL;
    if (gramc_kept_session_open(&kept, store, text_of(id)))
        fail_msg("%s: %s", id, gramc_session_store_message(store).ptr);
    return kept;
}

static void expect_message(const gramc_session_store *store, const char *words) {
    const char *message = gramc_session_store_message(store).ptr;
    if (!strstr(message, words)) fail_msg("it says: %s", message);
}

static char *printed(const gramc_session *session) {
    struct buf out;
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_session_print(session, buf_writer(&out)), GRAMC_OK);
    return out.ptr;
}

static void save(gramc_session_store *store, const char *id, const char *json) {
    gramc_kept_session *kept = taken(store, id);
    assert_int_equal(gramc_session_load(gramc_kept_session_get(kept), text_of(json), NULL),
                     GRAMC_OK);
    if (gramc_kept_session_save(kept)) fail_msg("%s", gramc_session_store_message(store).ptr);
    gramc_kept_session_free(kept);
}

static size_t count_rows(gramc_session_store *store);

/* ## JSON */

static void test_document(void **state) {
    (void)state;
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"", "a value is missing"},
        {"[]", "this is no session"},
        {"{\"format\":\"gramc-session\",\"version\":2}", "version 1 is needed"},
        {"{\"format\":\"gramc-session\",\"version\":1}", "no list of messages"},
        {HEAD "{\"role\":\"king\"}" TAIL, "needs its role"},
        {HEAD "{\"role\":\"user\"}" TAIL, "needs its content"},
        {HEAD RESULT TAIL, "a result has no call"},
        {HEAD USER "," CALL TAIL, "a call has no result"},
        {HEAD USER "," CALL "," RESULT TAIL, "a call has no result"},
        {HEAD USER "," CALL "," RESULT "," USER TAIL, "a call has no result"},
        {HEAD CALL "," RESULT "," RESULT "," RESULT TAIL, "a result has no call"},
        {HEAD "{\"role\":\"assistant\",\"calls\":[{\"name\":\"t\"}]}" TAIL, "both strings"},
        {HEAD "{\"role\":\"assistant\",\"calls\":[7]}" TAIL, "both strings"},
        {HEAD "7" TAIL, "needs its role"},
    };
    gramc_session *session;
    gramc_json_error error;
    assert_int_equal(gramc_session_new(&session, NULL), GRAMC_OK);
    assert_int_equal(gramc_session_load(session, text_of(whole), &error), GRAMC_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(gramc_session_load(session, text_of(bad[i].json), &error), GRAMC_FINDINGS);
        if (i && !strstr(error.message, bad[i].why)) fail_msg("%zu: %s", i, error.message);
    }
    char *text = printed(session);
    assert_string_equal(text, whole); /* none of them has changed it */
    free(text);
    gramc_session_free(session);
}

/* Every cut of a document is refused, and no byte more or less makes it crash. */
static void test_cut_document(void **state) {
    (void)state;
    gramc_session *session;
    assert_int_equal(gramc_session_new(&session, NULL), GRAMC_OK);
    for (size_t len = 0; len < sizeof whole - 1; len++)
        assert_int_equal(gramc_session_load(session, (gramc_text){whole, len}, NULL),
                         GRAMC_FINDINGS);
    char copy[sizeof whole];
    for (size_t i = 0; i < sizeof whole - 1; i++) {
        memcpy(copy, whole, sizeof whole);
        copy[i] = '7';
        gramc_status status = gramc_session_load(session, text_of(copy), NULL);
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
    gramc_session_free(session);
}

/* ## The store */

static void test_round_trip(void **state) {
    (void)state;
    struct place place;
    struct stat st;
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    save(store, "ann", whole);
    assert_int_equal(stat(place.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    gramc_session_store_free(store);
    /* Somebody has opened it to others meanwhile. */
    assert_int_equal(chmod(place.path, 0644), 0);
    store = opened(place.path);
    assert_int_equal(stat(place.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    gramc_kept_session *kept = taken(store, "ann");
    char *text = printed(gramc_kept_session_get(kept));
    assert_string_equal(text, whole);
    free(text);
    gramc_session_info about = gramc_session_about(gramc_kept_session_get(kept));
    assert_int_equal(about.messages, 5);
    assert_int_equal(about.turns, 1);
    /* Nothing that was not saved stays. */
    gramc_kept_session *other = taken(store, "bob");
    gramc_kept_session_free(other);
    assert_int_equal(count_rows(store), 1);
    gramc_kept_session_free(kept);
    gramc_session_store_free(store);
    remove_place(&place);
}

static void count(void *ctx, const gramc_session_row *row) {
    assert_true(row->id.len && row->about.messages == 5 && row->created_ms <= row->changed_ms);
    ++*(size_t *)ctx;
}

static size_t count_rows(gramc_session_store *store) {
    size_t rows = 0;
    if (gramc_session_store_list(store, count, &rows))
        fail_msg("%s", gramc_session_store_message(store).ptr);
    return rows;
}

static void test_one_has_it(void **state) {
    (void)state;
    struct place place;
    make_place(&place);
    gramc_session_store *store = opened(place.path), *again = opened(place.path);
    gramc_kept_session *kept = taken(store, "ann"), *second = NULL;
    assert_int_equal(gramc_kept_session_open(&second, store, TEXT("ann")), GRAMC_LIMIT);
    expect_message(store, "session ann is in use");
    assert_int_equal(gramc_kept_session_open(&second, again, TEXT("ann")), GRAMC_LIMIT);
    assert_int_equal(gramc_session_store_forget(again, TEXT("ann")), GRAMC_LIMIT);
    second = taken(again, "bob"); /* another one is nobody's */
    gramc_kept_session_free(second);
    gramc_kept_session_free(kept);
    second = taken(again, "ann");
    gramc_kept_session_free(second);
    /* Another process has it, and is killed. */
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        gramc_session_store *its = NULL;
        gramc_kept_session *held = NULL;
        if (open_store(&its, place.path, NULL) ||
            gramc_kept_session_open(&held, its, TEXT("ann")) || write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(gramc_kept_session_open(&second, store, TEXT("ann")), GRAMC_LIMIT);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    second = taken(store, "ann");
    gramc_kept_session_free(second);
    close(ready[0]);
    close(ready[1]);
    gramc_session_store_free(store);
    gramc_session_store_free(again);
    remove_place(&place);
}

/* Without the file of the locks, the one who saves later is told that somebody else was there. */
static void test_lock_is_gone(void **state) {
    (void)state;
    struct place place;
    char lock[160];
    make_place(&place);
    snprintf(lock, sizeof lock, "%s.lock", place.path);
    gramc_session_store *store = opened(place.path);
    for (int i = 0; i < 2; i++) {
        gramc_kept_session *kept = taken(store, "ann");
        assert_int_equal(gramc_session_load(gramc_kept_session_get(kept), text_of(whole), NULL),
                         GRAMC_OK);
        assert_int_equal(unlink(lock), 0);
        save(store, "ann", HEAD USER TAIL);
        assert_int_equal(gramc_kept_session_save(kept), GRAMC_LIMIT);
        expect_message(store, "changed by another process");
        gramc_kept_session_free(kept);
    }
    gramc_session_store_free(store);
    remove_place(&place);
}

static uint64_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

enum { PROCESSES = 6, SAVES = 15 };

static int write_many(const char *path, int number) {
    gramc_session_store *store = NULL;
    char id[32];
    for (int i = 0; i < SAVES; i++) {
        gramc_kept_session *kept = NULL;
        snprintf(id, sizeof id, "s%d-%d", number, i);
        if (open_store(&store, path, NULL) || gramc_kept_session_open(&kept, store, text_of(id)) ||
            gramc_session_load(gramc_kept_session_get(kept), text_of(whole), NULL) ||
            gramc_kept_session_save(kept)) {
            fprintf(stderr, "%s\n", gramc_session_store_message(store).ptr);
            return 1;
        }
        gramc_kept_session_free(kept);
        gramc_session_store_free(store);
    }
    return 0;
}

static void test_processes_at_once(void **state) {
    (void)state;
    struct place place;
    pid_t children[PROCESSES];
    make_place(&place);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(write_many(place.path, i));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    gramc_session_store *store = opened(place.path);
    assert_int_equal(count_rows(store), PROCESSES * SAVES);
    gramc_session_store_free(store);
    remove_place(&place);
}

/* Who writes for longer than one waits is told of, and nothing is lost. */
static void test_busy(void **state) {
    (void)state;
    STATED(STORE_BUSY_MS, 5000, "the session is not read, or not kept, and a message says so");
    const struct sqlite_form form = {0x67726d73, 1, ""};
    gramc_session_store_options options = GRAMC_SESSION_STORE_OPTIONS_INIT;
    gramc_session_store *store = NULL;
    struct place place;
    struct sqlite db;
    make_place(&place);
    options.path = text_of(place.path);
    assert_int_equal(gramc_session_store_open(&store, &options), GRAMC_OK);
    gramc_kept_session *kept = taken(store, "ann");
    assert_int_equal(gramc_session_load(gramc_kept_session_get(kept), text_of(whole), NULL),
                     GRAMC_OK);
    assert_int_equal(sqlite_open(&db, place.path, &form, 100), GRAMC_OK);
    assert_int_equal(sqlite_run(&db, "BEGIN IMMEDIATE"), GRAMC_OK);
    uint64_t before = seconds();
    assert_int_equal(gramc_kept_session_save(kept), GRAMC_LIMIT);
    assert_true(seconds() - before >= 4 && seconds() - before < 60);
    expect_message(store, "another process keeps the database busy; try again");
    assert_int_equal(sqlite_run(&db, "COMMIT"), GRAMC_OK);
    assert_int_equal(gramc_kept_session_save(kept), GRAMC_OK);
    sqlite_close(&db);
    gramc_kept_session_free(kept);
    gramc_session_store_free(store);
    remove_place(&place);
}

/* ## What cannot be used */

static void write_bytes(const char *path, const char *bytes, size_t len, long at) {
    FILE *file = fopen(path, at ? "r+b" : "wb");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void refused(const char *path, gramc_status expected, const char *words) {
    gramc_session_store *store = NULL;
    gramc_kept_session *kept;
    assert_int_equal(open_store(&store, path, NULL), expected);
    expect_message(store, words);
    /* It is not used by accident afterwards. */
    assert_int_equal(gramc_kept_session_open(&kept, store, TEXT("ann")), expected);
    gramc_session_store_free(store);
}

static void test_not_ours(void **state) {
    (void)state;
    static const char diary[] = "Dear diary, today I was nearly taken for a database. And so on...";
    const struct sqlite_form newer = {0x67726d73, 2, "CREATE TABLE sessions (everything)"};
    const struct sqlite_form others = {7, 1, "CREATE TABLE diary (day)"};
    struct place place;
    struct sqlite db;
    char bytes[sizeof diary] = "";
    make_place(&place);
    write_bytes(place.path, diary, sizeof diary, 0);
    refused(place.path, GRAMC_FINDINGS, "this is no database; nothing was changed in it. To begin");
    FILE *file = fopen(place.path, "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    assert_string_equal(bytes, diary);
    assert_int_equal(unlink(place.path), 0);
    assert_int_equal(sqlite_open(&db, place.path, &newer, 100), GRAMC_OK);
    sqlite_close(&db);
    refused(place.path, GRAMC_FINDINGS,
            "a newer gramc has made it (version 2, this one knows 1); nothing was changed");
    assert_int_equal(unlink(place.path), 0);
    assert_int_equal(sqlite_open(&db, place.path, &others, 100), GRAMC_OK);
    sqlite_close(&db);
    refused(place.path, GRAMC_FINDINGS, "this is a database of another program");
    refused(place.folder, GRAMC_FINDINGS, "this is no file");
    refused("/nowhere/sessions.db", GRAMC_IO, "it cannot be opened");
    remove_place(&place);
}

static void test_damaged(void **state) {
    (void)state;
    struct place place;
    static char noise[8192];
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    save(store, "ann", whole);
    gramc_session_store_free(store);
    memset(noise, 0xa5, sizeof noise);
    write_bytes(place.path, noise, sizeof noise, 4096);
    store = opened(place.path); /* the damage is further behind */
    gramc_kept_session *kept;
    assert_int_equal(gramc_kept_session_open(&kept, store, TEXT("ann")), GRAMC_FINDINGS);
    expect_message(store, "the database is damaged; nothing was changed in it");
    gramc_session_store_free(store);
    remove_place(&place);
}

/* A row that holds no session any more is not taken for an empty one. */
static void test_damaged_row(void **state) {
    (void)state;
    const struct sqlite_form form = {0x67726d73, 1, ""};
    struct place place;
    struct sqlite db;
    gramc_kept_session *kept;
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    save(store, "ann", whole);
    assert_int_equal(sqlite_open(&db, place.path, &form, 100), GRAMC_OK);
    assert_int_equal(sqlite_run(&db, "UPDATE sessions SET conversation='{}'"), GRAMC_OK);
    sqlite_close(&db);
    assert_int_equal(gramc_kept_session_open(&kept, store, TEXT("ann")), GRAMC_FINDINGS);
    expect_message(store, "session ann cannot be read: this is no session; nothing was changed");
    assert_int_equal(gramc_session_store_forget(store, TEXT("ann")), GRAMC_OK);
    kept = taken(store, "ann");
    gramc_kept_session_free(kept);
    gramc_session_store_free(store);
    remove_place(&place);
}

static void test_ids(void **state) {
    (void)state;
    struct place place;
    gramc_kept_session *kept;
    char longest[SESSION_ID_MAX + 2];
    STATED(SESSION_ID_MAX, 200, "it is refused");
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    memset(longest, 'x', sizeof longest);
    longest[SESSION_ID_MAX] = '\0';
    save(store, longest, whole);
    save(store, "Zoë's 2nd; DROP TABLE sessions", whole);
    longest[SESSION_ID_MAX] = 'x';
    const gramc_text bad[] = {{longest, SESSION_ID_MAX + 1},
                              TEXT(""),
                              TEXT("a\nb"),
                              TEXT("a\tb"),
                              TEXT("a\xff"),
                              TEXT("a\x1b[2J"),
                              TEXT("a\0b")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(gramc_kept_session_open(&kept, store, bad[i]), GRAMC_USAGE);
        assert_int_equal(gramc_session_store_forget(store, bad[i]), GRAMC_USAGE);
    }
    expect_message(store, "1 to 200 bytes");
    assert_int_equal(count_rows(store), 2);
    assert_int_equal(gramc_session_store_forget(store, TEXT("nobody")), GRAMC_NOT_FOUND);
    expect_message(store, "there is no session nobody");
    gramc_session_store_free(store);
    remove_place(&place);
}

/* What was forgotten stands in no file any more. */
static void test_forgotten(void **state) {
    (void)state;
    struct place place;
    char command[256];
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    save(store, "ann", HEAD "{\"role\":\"user\",\"content\":\"the-password-is-swordfish\"}" TAIL);
    save(store, "bob", whole);
    snprintf(command, sizeof command, "grep -q swordfish %s/*", place.folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(gramc_session_store_forget(store, TEXT("ann")), GRAMC_OK);
    assert_int_not_equal(system(command), 0);
    assert_int_equal(count_rows(store), 1);
    gramc_session_store_free(store);
    remove_place(&place);
}

/* The disk is full: in a process of its own, which cannot write files longer than that. */
static int fill_disk(const char *path) {
    struct rlimit limit = {20000, 20000};
    struct buf json;
    gramc_session_store *store = NULL;
    gramc_kept_session *kept = NULL;
    buf_init(&json, NULL, 1 << 20);
    buf_puts(&json, HEAD "{\"role\":\"user\",\"content\":\"");
    for (int i = 0; i < 200000; i++) buf_putc(&json, 'x');
    buf_puts(&json, "\"}" TAIL);
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) || open_store(&store, path, NULL) ||
        gramc_kept_session_open(&kept, store, TEXT("ann")) ||
        gramc_session_load(gramc_kept_session_get(kept), buf_view(&json), NULL))
        return 1;
    return gramc_kept_session_save(kept) == GRAMC_IO && gramc_session_store_message(store).len > 20
               ? 0
               : 2;
}

static void test_full_disk(void **state) {
    (void)state;
    struct place place;
    int status;
    make_place(&place);
    gramc_session_store *store = opened(place.path);
    save(store, "ann", whole);
    pid_t child = fork();
    if (child == 0) _exit(fill_disk(place.path));
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    gramc_kept_session *kept = taken(store, "ann");
    char *text = printed(gramc_kept_session_get(kept));
    assert_string_equal(text, whole);
    free(text);
    gramc_kept_session_free(kept);
    gramc_session_store_free(store);
    remove_place(&place);
}

static gramc_status use(const char *path, const gramc_allocator *allocator) {
    gramc_session_store *store = NULL;
    gramc_kept_session *kept = NULL;
    gramc_status status = open_store(&store, path, allocator);
    if (!status) status = gramc_kept_session_open(&kept, store, TEXT("ann"));
    if (!status) status = gramc_session_load(gramc_kept_session_get(kept), text_of(whole), NULL);
    if (!status) status = gramc_kept_session_save(kept);
    gramc_kept_session_free(kept);
    gramc_session_store_free(store);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    struct place place;
    long failures = 0;
    make_place(&place);
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        gramc_status status = use(place.path, &allocator);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        assert_int_equal(failing.live, 0);
        failures += failing.failed;
        if (!failing.failed) break;
    }
    assert_true(failures > 5);
    remove_place(&place);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document),     cmocka_unit_test(test_cut_document),
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_one_has_it),
        cmocka_unit_test(test_lock_is_gone), cmocka_unit_test(test_processes_at_once),
        cmocka_unit_test(test_not_ours),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_row),  cmocka_unit_test(test_ids),
        cmocka_unit_test(test_forgotten),    cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
