/* Every analysis against numbers that others computed: our own fixture (made with R and with
 * arithmetic of 40 digits), and the project's reference vectors where they lie beside the source.
 * Both go the way of `gramc stat`: inputs and results as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/text.h"
#include "experiment/stat/analysis/analysis.h"
#include "tests/failing.h"

enum { RESULT_MAX = 1 << 26 };

static double number_of(const struct json *value) {
    double number = NAN;
    if (json_is(value, JSON_NUMBER)) assert_true(number_to_double(&number, value->text));
    return number;
}

/* Relative to max(1, |wanted|), as the vectors have it. */
static bool alike(const struct json *wanted, const struct json *got, double tolerance) {
    if (!wanted || !got) return false;
    if (wanted->kind == JSON_NUMBER && got->kind == JSON_NUMBER) {
        double a = number_of(wanted), b = number_of(got);
        return fabs(a - b) <= tolerance * fmax(1, fabs(a));
    }
    if (wanted->kind != got->kind) return false;
    if (wanted->kind != JSON_ARRAY) return json_equal(wanted, got);
    const struct json *a = wanted->first, *b = got->first;
    for (; a && b; a = a->next, b = b->next)
        if (!alike(a, b, tolerance)) return false;
    return !a && !b;
}

struct tally {
    size_t vectors, methods, wrong;
};

/* Every result that is expected, and no other. */
static void check_results(const struct json *vector, const struct json *results,
                          struct tally *tally) {
    const struct json *expected = json_get(vector, "expected"), *id = json_get(vector, "id");
    double tolerance = json_get(vector, "tol") ? number_of(json_get(vector, "tol")) : 1e-9;
    bool good = results && results->count == expected->count;
    for (const struct json *field = expected->first; field; field = field->next) {
        const struct json *got = json_get_text(results, field->key);
        if (alike(field, got, tolerance)) continue;
        good = false;
        print_message("%.*s: %.*s is %.*s, not %.*s\n", TEXT_ARGS(id->text), TEXT_ARGS(field->key),
                      got ? (int)got->text.len : 7, got ? got->text.ptr : "missing",
                      TEXT_ARGS(field->text));
    }
    if (!good) tally->wrong++;
}

/* Each of the first allocations fails in turn, once and from there on: nothing crashes, nothing
 * stays, and the status says so. */
static void run_without_memory(const struct json *vector, bool persistent) {
    const struct stat_method *method = stat_method_find(json_get(vector, "method")->text);
    for (long n = 1; n < 50; n++) {
        struct failing failing = {.fail_at = n, .persistent = persistent};
        gramc_allocator allocator = {failing_alloc, &failing};
        struct stat_complaint complaint = {"", ""};
        struct arena arena;
        struct buf out;
        arena_init(&arena, &allocator);
        buf_init(&out, &allocator, RESULT_MAX);
        gramc_status status =
            stat_analyse(&out, &arena, method, json_get(vector, "inputs"), &complaint);
        buf_free(&out);
        arena_free(&arena);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) return;
        if (status != GRAMC_NOMEM && status != GRAMC_USAGE)
            fail_msg("%.*s: status %d at allocation %ld", TEXT_ARGS(json_get(vector, "id")->text),
                     status, n);
    }
}

static void run_vector(const struct json *vector, struct tally *tally) {
    struct arena arena;
    struct buf out;
    struct stat_complaint complaint = {"", ""};
    const struct json *method = json_get(vector, "method"), *id = json_get(vector, "id");
    const struct stat_method *found = stat_method_find(method->text);
    arena_init(&arena, NULL);
    buf_init(&out, NULL, RESULT_MAX);
    if (tally->vectors++ % 2) run_without_memory(vector, tally->vectors % 4 == 0);
    if (!found) fail_msg("%.*s is no method", TEXT_ARGS(method->text));
    gramc_status status = stat_analyse(&out, &arena, found, json_get(vector, "inputs"), &complaint);
    const struct json *refused = json_get(vector, "refused");
    if (refused) {
        if (status != GRAMC_USAGE || !text_is(refused->text, complaint.field))
            fail_msg("%.*s: status %d, field %s", TEXT_ARGS(id->text), status, complaint.field);
    } else {
        if (status)
            fail_msg("%.*s: status %d: %s %s", TEXT_ARGS(id->text), status, complaint.field,
                     complaint.message);
        check_results(vector, json_parse(&arena, buf_view(&out), NULL), tally);
    }
    buf_free(&out);
    arena_free(&arena);
}

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    *len = fread(bytes, 1, (size_t)size, file);
    bytes[*len] = '\0';
    fclose(file);
    return bytes;
}

static struct tally run_file(const char *path) {
    struct tally tally = {0, 0, 0};
    struct arena arena;
    size_t len = 0;
    char *bytes = read_file(path, &len);
    if (!bytes) return tally;
    arena_init(&arena, NULL);
    const struct json *document = json_parse(&arena, (gramc_text){bytes, len}, NULL);
    assert_non_null(document);
    const struct json *vectors = json_get(document, "vectors");
    assert_non_null(vectors);
    for (const struct json *vector = vectors->first; vector; vector = vector->next)
        run_vector(vector, &tally);
    for (size_t i = 0; stat_method(i); i++)
        for (const struct json *vector = vectors->first; vector; vector = vector->next)
            if (text_is(json_get(vector, "method")->text, stat_method(i)->name)) {
                tally.methods++;
                break;
            }
    arena_free(&arena);
    free(bytes);
    print_message("%zu vectors of %zu methods, %zu wrong\n", tally.vectors, tally.methods,
                  tally.wrong);
    return tally;
}

static const char *in_source(const char *file, char path[4096]) {
    const char *source = getenv("GRAMC_SOURCE_DIR");
    snprintf(path, 4096, "%s/%s", source ? source : ".", file);
    return path;
}

static void own_vectors(void **state) {
    char path[4096];
    size_t methods = 0;
    (void)state;
    struct tally tally = run_file(in_source("tests/data/stat_vectors.json", path));
    while (stat_method(methods)) methods++;
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.methods, methods);
    assert_true(tally.vectors >= 150);
}

/* docs/statistics.md has a row for each method that names each of its inputs. */
static void documented(void **state) {
    char path[4096], cell[128];
    size_t len = 0, rows = 0;
    (void)state;
    char *page = read_file(in_source("docs/statistics.md", path), &len);
    assert_non_null(page);
    for (size_t i = 0; stat_method(i); i++, rows++) {
        const struct stat_method *method = stat_method(i);
        snprintf(cell, sizeof cell, "| `%s` |", method->name);
        char *row = strstr(page, cell);
        if (!row) fail_msg("no row begins with %s", cell);
        char *end = strchr(row, '\n');
        *end = '\0';
        for (size_t j = 0; j < STAT_FIELDS && method->fields[j].takes; j++) {
            snprintf(cell, sizeof cell, "`%s`", method->fields[j].name);
            if (!strstr(row, cell)) fail_msg("%s: no input %s", method->name, cell);
        }
        *end = '\n';
    }
    assert_true(rows > 40);
    free(page);
}

static void reference_vectors(void **state) {
    char path[4096];
    (void)state;
    FILE *there = fopen(in_source("../shared/data/stat_reference.json", path), "rb");
    if (!there) {
        print_message("the reference vectors are not here: skipped\n");
        skip();
    }
    fclose(there);
    struct tally tally = run_file(path);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.vectors >= 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_vectors),
        cmocka_unit_test(reference_vectors),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
