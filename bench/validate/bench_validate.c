/* Times the validator on a file of tool calls:
 *     bench_validate SCHEMAS CALLS [RUNS]
 * SCHEMAS is a JSON list of {name, schema}; each line of CALLS is "tool TAB expected TAB text",
 * where tool counts from 0 and expected is 1 for valid, 0 for invalid, 2 for not JSON. One core,
 * text in and verdict out; prints one JSON object with the median over the runs, and how many
 * verdicts differ from what was expected. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"

enum { MOST_TOOLS = 10, MOST_RUNS = 64 };

struct call {
    const char *text;
    uint32_t len;
    uint8_t tool, expected;
};

struct bench {
    gramc_schema *schemas[MOST_TOOLS];
    size_t schema_count;
    struct call *calls;
    size_t count, bytes;
};

static gramc_text read_file(const char *path) {
    gramc_text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        text = (gramc_text){bytes, (size_t)size};
    fclose(file);
    return text;
}

static bool load_schemas(struct bench *bench, gramc_text text) {
    struct arena arena;
    gramc_json_error error;
    arena_init(&arena, NULL);
    const struct json *list = json_parse(&arena, text, NULL);
    for (const struct json *tool = list ? list->first : NULL; tool; tool = tool->next) {
        const struct json *schema = json_get(tool, "schema");
        if (!schema || bench->schema_count == MOST_TOOLS) break;
        if (gramc_schema_compile(&bench->schemas[bench->schema_count++], text.ptr + schema->start,
                                 schema->end - schema->start, NULL, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return false;
        }
    }
    arena_free(&arena);
    return bench->schema_count > 0;
}

static bool load_calls(struct bench *bench, gramc_text text) {
    bench->calls = malloc((text.len / 8 + 1) * sizeof *bench->calls);
    for (size_t pos = 0; bench->calls && pos + 4 < text.len;) {
        const char *line = text.ptr + pos, *end = memchr(line, '\n', text.len - pos);
        if (!end) end = text.ptr + text.len;
        struct call *call = &bench->calls[bench->count++];
        *call = (struct call){line + 4, (uint32_t)(end - line - 4), (uint8_t)(line[0] - '0'),
                              (uint8_t)(line[2] - '0')};
        if (call->tool >= bench->schema_count) return false;
        bench->bytes += call->len;
        pos += (size_t)(end - line) + 1;
    }
    return bench->calls != NULL;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t run(const struct bench *bench) {
    size_t differ = 0;
    for (size_t i = 0; i < bench->count; i++) {
        const struct call *call = &bench->calls[i];
        bool accepts = gramc_schema_accepts(bench->schemas[call->tool], call->text, call->len);
        differ += accepts != (call->expected == 1);
    }
    return differ;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    struct bench bench = {.count = 0};
    double times[MOST_RUNS];
    size_t runs = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 7;
    if (argc < 3 || runs < 1 || runs > MOST_RUNS) {
        fputs("usage: bench_validate SCHEMAS CALLS [RUNS]\n", stderr);
        return 2;
    }
    if (!load_schemas(&bench, read_file(argv[1])) || !load_calls(&bench, read_file(argv[2]))) {
        fputs("cannot read the schemas or the calls\n", stderr);
        return 2;
    }
    size_t differ = run(&bench); /* and warms up */
    for (size_t i = 0; i < runs; i++) {
        double start = now();
        run(&bench);
        times[i] = (now() - start) / (double)bench.count * 1e9;
    }
    qsort(times, runs, sizeof times[0], by_value);
    printf("{\"name\":\"gramc accepts\",\"calls\":%zu,\"ns_per_call\":%.1f,\"min_ns\":%.1f,"
           "\"max_ns\":%.1f,\"bytes_per_call\":%.0f,\"disagree\":%zu}\n",
           bench.count, times[runs / 2], times[0], times[runs - 1],
           (double)bench.bytes / (double)bench.count, differ);
    for (size_t i = 0; i < bench.schema_count; i++) gramc_schema_free(bench.schemas[i]);
    return differ != 0;
}
