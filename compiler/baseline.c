/* Turns findings into a baseline, a JSON file that says which ones there were, and takes out the
 * findings that a baseline knows. A finding is known by path, code and the text of its line, not
 * by its number; how many there may be of each is counted. */
#include "compiler/baseline.h"
#include "compiler/compilation.h"

#include "base/diag/put.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"

#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = INT32_MAX, LARGEST_COUNT = 1000000 };

/* ## Writing */

static int by_key(const void *left, const void *right) {
    const struct baseline_entry *a = left, *b = right;
    int order = text_compare(a->path, b->path);
    if (order == 0) order = text_compare(a->code, b->code);
    if (order == 0) order = memcmp(a->key, b->key, DIAG_KEY);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Equal ones stand together after sorting; keeps one of each with their number. */
static size_t merge(struct baseline_entry *entries, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = kept && memcmp(entries[kept - 1].key, entries[i].key, DIAG_KEY) == 0;
        if (same) entries[kept - 1].count++;
        else entries[kept++] = entries[i];
    }
    return kept;
}

static size_t collect(struct baseline_entry *entries, const struct findings *findings) {
    size_t count = 0;
    for (const struct finding *f = findings->first; f; f = f->next) {
        if (!diag_is_suppressible(f->id)) continue;
        struct baseline_entry *entry = &entries[count++];
        *entry = (struct baseline_entry){.path = f->source->name,
                                         .code = text_of(diag_row(f->id)->code),
                                         .order = f->order,
                                         .count = 1};
        diag_key(f, entry->key);
    }
    return count;
}

/* A line each, so that a diff of two baselines shows findings. */
static void print(struct buf *out, const struct baseline_entry *entries, size_t count) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_number(&w, "gramc_baseline", VERSION_BASELINE);
    json_member_array(&w, "findings");
    for (size_t i = 0; i < count; i++) {
        json_line(&w, 0);
        json_object_begin(&w);
        json_key(&w, "path");
        diag_put_json(json_slot(&w), entries[i].path);
        json_member_text(&w, "code", entries[i].code);
        json_member_text(&w, "key", (gramc_text){entries[i].key, DIAG_KEY});
        json_member_number(&w, "count", entries[i].count);
        json_object_end(&w);
    }
    if (count) buf_putc(out, '\n');
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(out, '\n');
}

gramc_status baseline_write(struct baseline_entry *entries, size_t count,
                            const gramc_allocator *allocator, gramc_writer writer) {
    struct buf out;
    buf_init(&out, allocator, OUTPUT_MAX);
    if (count) qsort(entries, count, sizeof *entries, by_key);
    print(&out, entries, merge(entries, count));
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

gramc_status gramc_baseline_write(const gramc_compilation *compilation, gramc_writer writer) {
    const gramc_allocator *allocator = &compilation->arena.allocator;
    size_t size =
        (findings_kept(&compilation->findings) + (size_t)1) * sizeof(struct baseline_entry);
    struct baseline_entry *entries = mem_alloc(allocator, size);
    if (!entries) return GRAMC_NOMEM;
    size_t count = collect(entries, &compilation->findings);
    gramc_status status = baseline_write(entries, count, allocator, writer);
    mem_free(allocator, entries, size);
    return status;
}

/* ## Applying */

static bool read_count(const struct json *count, uint32_t *out) {
    uint32_t number = 0;
    if (!json_is(count, JSON_NUMBER)) return false;
    for (size_t i = 0; i < count->text.len; i++) {
        char c = count->text.ptr[i];
        if (c < '0' || c > '9' || number > LARGEST_COUNT) return false;
        number = number * 10 + (uint32_t)(c - '0');
    }
    *out = number;
    return true;
}

static bool read_entry(struct baseline_entry *entry, const struct json *json) {
    const struct json *key = json_get(json, "key");
    if (!json_is(key, JSON_STRING) || key->text.len != DIAG_KEY) return false;
    const struct json *code = json_get(json, "code");
    memcpy(entry->key, key->text.ptr, DIAG_KEY);
    if (json_is(code, JSON_STRING)) entry->code = code->text;
    return read_count(json_get(json, "count"), &entry->count);
}

static int by_key_only(const void *left, const void *right) {
    const struct baseline_entry *a = left, *b = right;
    return memcmp(a->key, b->key, DIAG_KEY);
}

/* False if this is no baseline, or memory has run out (arena->oom). */
static bool read_all(struct baseline *known, struct arena *arena, gramc_text text) {
    const struct json *root = json_parse(arena, text, NULL);
    const struct json *list = json_get(root, "findings");
    uint32_t version = 0;
    bool numbered = read_count(json_get(root, "gramc_baseline"), &version);
    if (!numbered || version != VERSION_BASELINE || !json_is(list, JSON_ARRAY)) return false;
    known->entries = arena_array(arena, list->count, sizeof *known->entries);
    if (!known->entries) return list->count == 0 && !arena->oom;
    for (const struct json *item = list->first; item; item = item->next) {
        struct baseline_entry *entry = &known->entries[known->count++];
        *entry = (struct baseline_entry){.count = 0};
        if (!read_entry(entry, item)) return false;
    }
    qsort(known->entries, known->count, sizeof *known->entries, by_key_only);
    return true;
}

gramc_status baseline_read(struct baseline *known, struct arena *arena, gramc_text text) {
    *known = (struct baseline){NULL, 0};
    if (read_all(known, arena, text)) return GRAMC_OK;
    return arena->oom ? GRAMC_NOMEM : GRAMC_USAGE;
}

bool baseline_take(struct baseline *known, const char key[DIAG_KEY]) {
    struct baseline_entry wanted = {.count = 0};
    if (!known->count) return false;
    memcpy(wanted.key, key, DIAG_KEY);
    struct baseline_entry *entry =
        bsearch(&wanted, known->entries, known->count, sizeof wanted, by_key_only);
    if (!entry || !entry->count) return false;
    entry->count--;
    return true;
}

size_t baseline_left(const struct baseline *known, bool of_changes) {
    size_t left = 0;
    for (size_t i = 0; i < known->count; i++)
        if (text_starts(known->entries[i].code, "D") == of_changes) left += known->entries[i].count;
    return left;
}

static bool is_known(void *ctx, const struct finding *finding) {
    char key[DIAG_KEY];
    if (!diag_is_suppressible(finding->id)) return false;
    diag_key(finding, key);
    return baseline_take(ctx, key);
}

gramc_status gramc_baseline_apply(gramc_compilation *compilation, gramc_text baseline,
                                  size_t *gone) {
    struct baseline known;
    struct arena arena;
    *gone = 0;
    arena_init(&arena, &compilation->arena.allocator);
    gramc_status status = baseline_read(&known, &arena, baseline);
    if (status == GRAMC_OK) findings_remove(&compilation->findings, is_known, &known);
    if (status == GRAMC_OK) *gone = baseline_left(&known, false);
    arena_free(&arena);
    return status;
}
