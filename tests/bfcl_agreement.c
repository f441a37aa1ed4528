/* bfcl_agreement FILE: how often our rules for calls agree with the leaderboard's own checker. FILE
 * has a row a line: functions, the calls that are right, the calls that were made, and what the
 * checker said of them. Prints the share, and every row on which the two differ; exit 1 if they
 * agree on less than 99.9 %, or if there is no row. */
#include "base/text.h"
#include "experiment/bfcl.h"

#include <stdio.h>
#include <stdlib.h>

static const struct json *parameters(void *ctx, gramc_text tool) {
    const struct json *functions = ctx;
    for (const struct json *f = functions ? functions->first : NULL; f; f = f->next) {
        const struct json *name = json_get(f, "name");
        if (name && text_eq(name->text, tool)) return json_get(f, "parameters");
    }
    return NULL;
}

/* [{name: {argument: [...]}}] as [{name, arguments}]. */
static struct json *as_calls(struct arena *arena, const struct json *rows) {
    struct json *list = ARENA_NEW(arena, struct json), **tail = &list->first;
    list->kind = JSON_ARRAY;
    for (const struct json *row = rows->first; row; row = row->next, list->count++) {
        struct json *call = ARENA_NEW(arena, struct json), *name = ARENA_NEW(arena, struct json);
        struct json *arguments = ARENA_NEW(arena, struct json);
        *arguments = *row->first;
        arguments->key = TEXT("arguments");
        arguments->next = NULL;
        *name = (struct json){
            .kind = JSON_STRING, .key = TEXT("name"), .text = row->first->key, .next = arguments};
        *call = (struct json){.kind = JSON_OBJECT, .count = 2, .first = name};
        *tail = call;
        tail = &call->next;
    }
    return list;
}

static bool judge(struct arena *arena, const struct json *row, struct buf *reason) {
    const struct json *made = json_get(row, "calls");
    struct bfcl_call *calls = arena_array(arena, made->count + 1, sizeof *calls);
    size_t count = 0;
    for (const struct json *c = made->first; c; c = c->next, count++) {
        const struct json *arguments = c->first;
        calls[count].name = arguments ? arguments->key : TEXT("");
        calls[count].arguments = json_is(arguments, JSON_OBJECT) ? arguments : NULL;
    }
    struct bfcl_question question = {.expected = as_calls(arena, json_get(row, "expected")),
                                     .calls = calls,
                                     .call_count = count,
                                     .parameters = parameters,
                                     .ctx = (void *)(uintptr_t)json_get(row, "functions"),
                                     .allocator = &arena->allocator};
    return bfcl_judge(&question, reason) == BFCL_AGREES;
}

static void tell(const struct json *row, bool ours, bool theirs, const struct buf *reason) {
    const struct json *name = json_get(row, "case"), *mutation = json_get(row, "mutation");
    const struct json *error = json_get(row, "bfcl_error");
    printf("%.*s %.*s: we say %s (%.*s), the checker %s (%.*s)\n",
           TEXT_ARGS(name ? name->text : TEXT("?")),
           TEXT_ARGS(mutation ? mutation->text : TEXT("?")), ours ? "right" : "wrong",
           (int)reason->len, reason->len ? reason->ptr : "", theirs ? "right" : "wrong",
           TEXT_ARGS(json_is(error, JSON_STRING) ? error->text : TEXT("")));
}

/* True if the two agree on the row. */
static bool compare(struct arena *arena, gramc_text line) {
    struct buf reason;
    const struct json *row = json_parse(arena, line, NULL);
    if (!json_is(row, JSON_OBJECT) || !json_get(row, "calls") || !json_get(row, "expected")) {
        printf("this is no row: %.*s\n", (int)(line.len < 60 ? line.len : 60), line.ptr);
        return false;
    }
    buf_init(&reason, &arena->allocator, 1 << 20);
    bool ours = judge(arena, row, &reason);
    bool theirs = json_is(json_get(row, "bfcl_valid"), JSON_TRUE);
    if (ours != theirs) tell(row, ours, theirs, &reason);
    buf_free(&reason);
    return ours == theirs;
}

static bool read_file(const char *path, struct buf *out) {
    char piece[65536];
    size_t len = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    while ((len = fread(piece, 1, sizeof piece, file)) > 0) buf_put(out, piece, len);
    return fclose(file) == 0 && out->state == BUF_FINE;
}

int main(int argc, char **argv) {
    struct buf bytes;
    struct arena arena;
    size_t rows = 0, agreed = 0, start = 0;
    if (argc != 2) return fputs("bfcl_agreement FILE\n", stderr), 2;
    gramc_allocator allocator = mem_default();
    buf_init(&bytes, &allocator, (size_t)1 << 30);
    if (!read_file(argv[1], &bytes)) return fprintf(stderr, "%s cannot be read\n", argv[1]), 2;
    arena_init(&arena, &allocator);
    for (size_t i = 0; i <= bytes.len; i++) {
        if (i < bytes.len && bytes.ptr[i] != '\n') continue;
        gramc_text line = text_trim(text_slice(buf_view(&bytes), start, i));
        start = i + 1;
        if (!line.len) continue;
        rows++;
        agreed += compare(&arena, line);
        arena_reset(&arena);
    }
    arena_free(&arena);
    buf_free(&bytes);
    printf("%zu of %zu rows agree: %.3f %%\n", agreed, rows,
           rows ? 100.0 * (double)agreed / (double)rows : 0.0);
    return rows && agreed * 1000 >= rows * 999 ? EXIT_SUCCESS : EXIT_FAILURE;
}
