/* Times the validator on a file of tool calls:
 *     bench_validate SCHEMAS [CALLS [RUNS]]
 * SCHEMAS is a JSON list of {name, schema}; each line of CALLS is "tool TAB expected TAB text",
 * where tool counts from 0 and expected is 1 for valid, 0 for invalid, 2 for not JSON. One core,
 * text in and verdict out. Prints a JSON object for each call of the library, with the median over
 * the runs, and how many verdicts differ from what was expected:
 *   accepts  gramc_schema_accepts: yes or no
 *   check    gramc_schema_check as runs have it: strict at the top level, formats checked, defaults
 *            filled in, nulls for what may be left out; what is wrong is explained
 * Without CALLS it prints what compiling the schemas takes, and what they keep: the bytes that the
 * library asked for (`allocated`), and those of them that are in use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "bench/validate/workload.h"
#include "jsonschema/compiled.h"

enum { MOST_RUNS = 64 };

struct call {
    const char *text;
    uint32_t len;
    uint16_t tool, expected;
};

struct bench {
    gramc_schema **schemas;
    size_t schema_count;
    struct call *calls;
    size_t count, bytes;
    size_t schema_bytes;
    size_t changed;   /* calls that came back with something filled in or left out */
    size_t allocated; /* by the library, now */
};

static void *count(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    size_t *now = ctx;
    *now += new_size - (ptr ? old_size : 0);
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static gramc_schema *load_schema(struct bench *bench, gramc_text text) {
    const gramc_allocator allocator = {count, &bench->allocated};
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema = NULL;
    options.assert_formats = options.closed_root = true;
    options.allocator = &allocator;
    if (gramc_schema_compile(&schema, text.ptr, text.len, &options, &error))
        fprintf(stderr, "%s\n", error.message);
    return schema;
}

static bool load_schemas(struct bench *bench, gramc_text text) {
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *list = json_parse(&arena, text, NULL);
    bench->schemas = calloc(list ? list->count + 1 : 1, sizeof(gramc_schema *));
    for (const struct json *tool = list ? list->first : NULL; tool; tool = tool->next) {
        const struct json *schema = json_get(tool, "schema");
        gramc_schema *loaded =
            schema ? load_schema(bench, text_slice(text, schema->start, schema->end)) : NULL;
        if (!loaded) return false;
        bench->schemas[bench->schema_count++] = loaded;
        bench->schema_bytes += schema->end - schema->start;
    }
    arena_free(&arena);
    return bench->schema_count > 0;
}

static void free_schemas(struct bench *bench) {
    for (size_t i = 0; i < bench->schema_count; i++) gramc_schema_free(bench->schemas[i]);
    free(bench->schemas);
    bench->schema_count = bench->schema_bytes = 0;
}

static bool load_calls(struct bench *bench, gramc_text text) {
    bench->calls = malloc((text.len / 4 + 1) * sizeof *bench->calls);
    for (size_t pos = 0; bench->calls && pos + 4 < text.len;) {
        const char *line = text.ptr + pos;
        char *rest;
        const char *end = memchr(line, '\n', text.len - pos);
        if (!end) end = text.ptr + text.len;
        uint16_t tool = (uint16_t)strtoul(line, &rest, 10);
        rest += 3;
        bench->calls[bench->count++] =
            (struct call){rest, (uint32_t)(end - rest), tool, (uint16_t)(rest[-2] - '0')};
        if (tool >= bench->schema_count) return false;
        bench->bytes += (size_t)(end - rest);
        pos += (size_t)(end - line) + 1;
    }
    return bench->calls != NULL;
}

static bool accepts(struct bench *bench, const gramc_schema *schema, const struct call *call) {
    (void)bench;
    return gramc_schema_accepts(schema, call->text, call->len);
}

static bool check(struct bench *bench, const gramc_schema *schema, const struct call *call) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.flags = GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_NULL_ABSENT;
    if (gramc_schema_check(&verdict, schema, call->text, call->len, &options)) return false;
    bool valid = verdict->valid;
    bench->changed += verdict->normalised.ptr != call->text;
    gramc_verdict_free(verdict);
    return valid;
}

typedef bool (*judge_fn)(struct bench *bench, const gramc_schema *schema, const struct call *call);

static size_t run(struct bench *bench, judge_fn judge) {
    size_t differ = 0;
    for (size_t i = 0; i < bench->count; i++) {
        const struct call *call = &bench->calls[i];
        differ += judge(bench, bench->schemas[call->tool], call) != (call->expected == 1);
    }
    return differ;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static size_t measure(struct bench *bench, const char *name, judge_fn judge, size_t runs) {
    double times[MOST_RUNS];
    bench->changed = 0;
    size_t differ = run(bench, judge); /* and warms up */
    size_t changed = bench->changed;
    for (size_t i = 0; i < runs; i++) {
        double start = workload_seconds();
        run(bench, judge);
        times[i] = (workload_seconds() - start) / (double)bench->count * 1e9;
    }
    qsort(times, runs, sizeof times[0], by_value);
    printf("{\"name\":\"gramc %s\",\"calls\":%zu,\"ns_per_call\":%.1f,\"min_ns\":%.1f,"
           "\"max_ns\":%.1f,\"bytes_per_call\":%.0f,\"changed\":%zu,\"disagree\":%zu}\n",
           name, bench->count, times[runs / 2], times[0], times[runs - 1],
           (double)bench->bytes / (double)bench->count, changed, differ);
    return differ;
}

/* What compiling takes, with reading the list, and what the schemas keep. */
static bool measure_schemas(struct bench *bench, gramc_text text) {
    enum { RUNS = 10 };
    double start = workload_seconds();
    for (size_t i = 0; i < RUNS; i++) {
        free_schemas(bench);
        if (!load_schemas(bench, text)) return false;
    }
    double count = (double)bench->schema_count, slack = 0;
    double us = (workload_seconds() - start) / RUNS / count * 1e6;
    for (size_t i = 0; i < bench->schema_count; i++)
        slack += (double)(bench->schemas[i]->arena.end - bench->schemas[i]->arena.cursor);
    printf("{\"schemas\":%.0f,\"bytes\":%.0f,\"us_to_compile\":%.2f,\"allocated\":%.0f,"
           "\"in_use\":%.0f}\n",
           count, (double)bench->schema_bytes / count, us, (double)bench->allocated / count,
           ((double)bench->allocated - slack) / count);
    return true;
}

int main(int argc, char **argv) {
    struct bench bench = {.count = 0};
    size_t runs = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 7;
    if (argc < 2 || runs < 1 || runs > MOST_RUNS) {
        fputs("usage: bench_validate SCHEMAS [CALLS [RUNS]]\n", stderr);
        return 2;
    }
    gramc_text schemas = workload_file(argv[1]);
    if (!load_schemas(&bench, schemas) ||
        (argc > 2 && !load_calls(&bench, workload_file(argv[2])))) {
        fputs("cannot read the schemas or the calls\n", stderr);
        return 2;
    }
    size_t differ = 0;
    if (argc == 2 && !measure_schemas(&bench, schemas)) return 2;
    if (argc > 2) {
        differ = measure(&bench, "check", check, runs);
        differ += measure(&bench, "accepts", accepts, runs);
    }
    free_schemas(&bench);
    return differ != 0;
}
