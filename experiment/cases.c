/* Reads the cases of an experiment into items that stay: ids, messages, inputs, what is expected,
 * and the canonical text of each, of which the fingerprint is made. The form of a case is
 * base/case_file.c's matter; whether agents find in it what they need was `check`'s. */
#include "experiment/cases.h"

#include "base/case_file.h"
#include "base/sha256.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ## One case */

static gramc_text text_member(struct arena *arena, const struct json *object, const char *name) {
    const struct json *value = json_get(object, name);
    return value ? arena_text(arena, value->text) : (gramc_text){NULL, 0};
}

static void read_messages(struct item *item, struct arena *arena, const struct json *object) {
    const struct json *one = json_get(object, "message"), *list = json_get(object, "messages");
    size_t count = one ? 1 : list ? list->count : 0;
    gramc_text *messages = arena_array(arena, count, sizeof *messages);
    if (!messages) return;
    item->messages = messages;
    for (const struct json *m = one    ? one
                                : list ? list->first
                                       : NULL;
         m && item->message_count < count; m = one ? NULL : m->next)
        messages[item->message_count++] = arena_text(arena, m->text);
}

static gramc_text as_text(struct arena *arena, const struct json *value) {
    struct buf out;
    if (value->kind == JSON_STRING) return arena_text(arena, value->text);
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

static void read_inputs(struct item *item, struct arena *arena, const struct json *object) {
    gramc_input *inputs = arena_array(arena, object->count, sizeof *inputs);
    if (!inputs) return;
    item->inputs = inputs;
    for (const struct json *m = object->first; m; m = m->next) {
        if (case_field_is_reserved(m->key)) continue;
        inputs[item->input_count].name = arena_text(arena, m->key);
        inputs[item->input_count++].value = as_text(arena, m);
    }
}

/* Parsed from the item's own text, which stays. */
static void read_text(struct item *item, struct arena *arena, const struct json *object) {
    struct buf out;
    buf_init(&out, &arena->allocator, SOURCE_MAX);
    json_put_canonical(&out, object);
    item->text = buf_to_arena(&out, arena);
    if (!json_get(object, "expect") || !item->text.ptr) return;
    const struct json *kept = json_parse(arena, item->text, NULL);
    item->expect = kept ? json_get(kept, "expect") : NULL;
}

static void read_item(struct item *item, struct arena *arena, const struct case_row *row) {
    *item = (struct item){.line = row->line};
    item->id = arena_text(arena, row->id);
    item->cluster = text_member(arena, row->object, "cluster");
    item->stratum = text_member(arena, row->object, "stratum");
    read_messages(item, arena, row->object);
    read_inputs(item, arena, row->object);
    read_text(item, arena, row->object);
}

/* ## All of them */

/* Grows by doubling, in a list of its own: an arena would keep every size. */
struct item_list {
    struct item *items;
    size_t count, room;
    const gramc_allocator *allocator;
};

static struct item *add(struct item_list *list) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64, size = sizeof *list->items;
        struct item *items = mem_alloc(list->allocator, room * size);
        if (!items) return NULL;
        if (list->count) memcpy(items, list->items, list->count * size);
        mem_free(list->allocator, list->items, list->room * size);
        list->items = items;
        list->room = room;
    }
    return &list->items[list->count++];
}

static enum case_read read_all(struct case_file *file, struct cases *out, struct item_list *list,
                               struct case_fault *fault) {
    struct arena arena; /* of one row */
    struct case_row row;
    enum case_read read = CASE_ROW;
    arena_init(&arena, list->allocator);
    while (read == CASE_ROW) {
        read = case_file_next(file, &arena, &row, fault);
        struct item *item = read == CASE_ROW ? add(list) : NULL;
        if (read == CASE_ROW && !item) read = CASE_NOMEM;
        if (item) read_item(item, &out->arena, &row);
        if (out->arena.oom) read = CASE_NOMEM;
        arena_reset(&arena);
    }
    arena_free(&arena);
    return read;
}

static bool keep(struct cases *out, const struct item_list *list) {
    struct item *items = arena_array(&out->arena, list->count, sizeof *items);
    struct sha256 sha;
    if (!items) return false;
    if (list->count) memcpy(items, list->items, list->count * sizeof *items);
    out->items = items;
    out->count = list->count;
    sha256_init(&sha);
    sha256_add_text(&sha, TEXT("gramc cases 1"));
    for (size_t i = 0; i < list->count; i++) {
        sha256_add_text(&sha, items[i].id);
        sha256_add_text(&sha, items[i].text);
    }
    sha256_hex(&sha, out->fingerprint);
    out->fingerprint[sizeof out->fingerprint - 1] = '\0';
    return true;
}

static void tell(struct cases_error *error, const struct case_fault *fault) {
    error->line = fault->line;
    snprintf(error->message, sizeof error->message, "%s", fault->message);
}

gramc_status cases_read(struct cases *out, gramc_text name, gramc_text bytes,
                        const gramc_allocator *allocator, struct cases_error *error) {
    gramc_allocator usual = mem_default();
    struct item_list list = {.allocator = allocator ? allocator : &usual};
    struct case_file *file = mem_alloc(list.allocator, sizeof *file);
    struct case_fault fault = {0, ""};
    *out = (struct cases){.count = 0};
    arena_init(&out->arena, list.allocator);
    if (!file) return GRAMC_NOMEM;
    case_file_init(file, name, bytes, list.allocator);
    enum case_read read = read_all(file, out, &list, &fault);
    if (read == CASE_END && !keep(out, &list)) read = CASE_NOMEM;
    case_file_free(file);
    mem_free(list.allocator, file, sizeof *file);
    mem_free(list.allocator, list.items, list.room * sizeof *list.items);
    if (read != CASE_END) cases_free(out);
    if (read == CASE_BROKEN) tell(error, &fault);
    return read == CASE_END ? GRAMC_OK : read == CASE_NOMEM ? GRAMC_NOMEM : GRAMC_FINDINGS;
}

void cases_free(struct cases *cases) {
    arena_free(&cases->arena);
    cases->items = NULL;
    cases->count = 0;
}
