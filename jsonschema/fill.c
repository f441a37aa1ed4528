/* Turns what a run noted into the new text and the list of changes: cuts are put in the order of
 * the text, what is filled in is copied from the schema's tables, places are found by one more walk
 * over the text, where something changes below the root. Knows nothing of rules. */
#include "jsonschema/fill.h"

#include <string.h>

#include "base/json/scan.h"
#include "base/sort.h"
#include "base/text.h"

enum { LONGEST_PLACE = 64 * 1024 };

/* ## Notes */

void fills_init(struct fills *fills, struct arena *arena, gramc_text text, unsigned flags) {
    fills->arena = arena;
    fills->flags = flags;
    fills->spent = 0;
    fills->unsorted = false;
    fills->text = text.ptr;
    fills->changes = fills->few_changes;
    fills->cuts = fills->few_cuts;
    fills->change_count = fills->cut_count = 0;
    fills->change_room = FILL_FEW_CHANGES;
    fills->cut_room = FILL_FEW_CUTS;
}

/* Twice as much room; NULL without memory. */
static void *more_room(struct arena *arena, const void *items, size_t *room, size_t size) {
    if (*room > SIZE_MAX / 4 / size) return NULL;
    void *larger = arena_alloc(arena, *room * 2 * size);
    if (!larger) return NULL;
    memcpy(larger, items, *room * size);
    *room *= 2;
    return larger;
}

bool fills_note(struct fills *fills, const struct fill_change *change) {
    if (fills->change_count == fills->change_room) {
        void *larger = more_room(fills->arena, fills->changes, &fills->change_room, sizeof *change);
        if (!larger) return false;
        fills->changes = larger;
    }
    fills->changes[fills->change_count++] = *change;
    return true;
}

bool fills_cut(struct fills *fills, const struct fill_cut *cut) {
    if (fills->cut_count == fills->cut_room) {
        void *larger = more_room(fills->arena, fills->cuts, &fills->cut_room, sizeof *cut);
        if (!larger) return false;
        fills->cuts = larger;
    }
    if (fills->cut_count && fills->cuts[fills->cut_count - 1].from > cut->from)
        fills->unsorted = true;
    fills->cuts[fills->cut_count++] = *cut;
    return true;
}

bool fills_has_behind(const struct fills *fills, const char *p) {
    return fills->change_count &&
           fills->changes[fills->change_count - 1].object >= (size_t)(p - fills->text);
}

/* ## The text */

static bool is_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct fill_cut *)a)->from < ((const struct fill_cut *)b)->from;
}

static bool sort_cuts(struct fills *fills) {
    void *spare = arena_array(fills->arena, fills->cut_count, sizeof *fills->cuts);
    if (!spare) return false;
    fills->cuts =
        sort_merge(fills->cuts, spare, fills->cut_count, sizeof *fills->cuts, is_before, NULL);
    return true;
}

static struct fill_change *change_of(struct fills *fills, const struct fill_cut *cut) {
    return cut->change ? &fills->changes[cut->change - 1] : NULL;
}

static size_t size_after(struct fills *fills, size_t size) {
    for (size_t i = 0; i < fills->cut_count && size <= JUDGE_RESULT_MAX; i++) {
        const struct fill_cut *cut = &fills->cuts[i];
        const struct fill_change *change = change_of(fills, cut);
        size = size - (cut->to - cut->from) + cut->comma;
        if (change) size += change->written.len;
    }
    return size;
}

static char *put(char *out, const char *bytes, size_t len) {
    memcpy(out, bytes, len);
    return out + len;
}

static char *put_written(char *out, struct fill_change *change) {
    size_t len = change->written.len;
    change->after = (gramc_text){out + change->value, len - change->value};
    return put(out, change->written.ptr, len);
}

gramc_text fills_apply(struct fills *fills, gramc_text text) {
    gramc_text none = {NULL, 0};
    size_t end = text.len, done = 0;
    while (json_byte_is(text.ptr[done], JSON_BYTE_BLANK)) done++;
    while (json_byte_is(text.ptr[end - 1], JSON_BYTE_BLANK)) end--;
    size_t size = size_after(fills, end - done);
    if (size > JUDGE_RESULT_MAX || (fills->unsorted && !sort_cuts(fills))) return none;
    char *out = arena_alloc(fills->arena, size + 1), *p = out;
    if (!out) return none;
    for (size_t i = 0; i < fills->cut_count; i++) {
        const struct fill_cut *cut = &fills->cuts[i];
        struct fill_change *change = change_of(fills, cut);
        p = put(p, text.ptr + done, cut->from - done);
        if (cut->comma) *p++ = ',';
        if (change) p = put_written(p, change);
        done = cut->to;
    }
    p = put(p, text.ptr + done, end - done);
    *p = '\0';
    return (gramc_text){out, size};
}

/* ## Places */

/* A container around a place, and what stands in it there. */
struct around {
    gramc_text key; /* as it is written */
    uint32_t index;
    bool object, escaped;
};

/* A walk over a text that is known to be well-formed. */
struct text_walk {
    const char *p, *end;
    struct around *around;
    size_t depth;
};

/* A key or a text. In an object a key is overwritten by a text, but not where it counts: what is
 * looked for are containers. */
static void walk_string(struct text_walk *walk) {
    unsigned seen = 0;
    const char *inside = walk->p + 1, *close = json_scan_string(inside, walk->end, &seen);
    struct around *around = walk->depth ? &walk->around[walk->depth - 1] : NULL;
    walk->p = close + 1;
    if (!around || !around->object || json_scan_blanks(close + 1, walk->end)[0] != ':') return;
    around->key = (gramc_text){inside, (size_t)(close - inside)};
    around->escaped = seen & JSON_SEEN_ESCAPE;
}

static void walk_to(struct text_walk *walk, const char *goal) {
    while (walk->p < goal) {
        char c = *walk->p;
        if (c == '"') {
            walk_string(walk);
            continue;
        }
        if (c == '{' || c == '[') walk->around[walk->depth++] = (struct around){.object = c == '{'};
        else if (c == '}' || c == ']') walk->depth--;
        else if (c == ',') walk->around[walk->depth - 1].index++;
        walk->p++;
    }
}

static void put_index(struct buf *out, uint32_t index) {
    buf_putc(out, '/');
    buf_number(out, index);
}

static void put_place(struct arena *arena, struct buf *out, const struct text_walk *walk) {
    for (size_t i = 0; i < walk->depth; i++) {
        const struct around *around = &walk->around[i];
        gramc_text key = around->key;
        char *decoded = around->escaped ? arena_alloc(arena, key.len + 1) : NULL;
        if (decoded)
            key = (gramc_text){decoded, json_unescape(decoded, key.ptr, key.ptr + key.len)};
        if (around->object) json_put_pointer_token(out, key);
        else put_index(out, around->index);
    }
}

/* What is in one object or array, one behind the other; how many there were, 0 without memory or
 * room. */
static size_t find_places(struct arena *arena, const struct text_walk *walk,
                          struct fill_change **changes, size_t count) {
    struct buf buf;
    size_t done = 0;
    buf_init(&buf, &arena->allocator, LONGEST_PLACE);
    put_place(arena, &buf, walk);
    size_t start = buf.len;
    while (done < count && changes[done]->object == changes[0]->object) {
        buf.len = start;
        if (changes[done]->of == FILL_ITEM) put_index(&buf, changes[done]->item);
        else json_put_pointer_token(&buf, changes[done]->key);
        changes[done++]->place = arena_text(arena, buf_view(&buf));
    }
    if (buf_status(&buf) || arena->oom) done = 0;
    buf_free(&buf);
    return done;
}

static bool is_object_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    const struct fill_change *const *left = a, *const *right = b;
    return (*left)->object < (*right)->object;
}

/* In the order of the text. NULL without memory. */
static struct fill_change **in_order(struct fills *fills) {
    size_t count = fills->change_count;
    struct fill_change **list = arena_array(fills->arena, 2 * count, sizeof *list);
    bool sorted = true;
    if (!list) return NULL;
    for (size_t i = 0; i < count; i++) {
        list[i] = &fills->changes[i];
        sorted = sorted && (!i || list[i - 1]->object <= list[i]->object);
    }
    if (sorted) return list;
    return sort_merge(list, list + count, count, sizeof *list, is_object_before, NULL);
}

static bool walk_all(struct fills *fills, gramc_text text, struct around *around) {
    struct fill_change **list = in_order(fills);
    struct text_walk walk = {text.ptr, text.ptr + text.len, around, 0};
    size_t count = fills->change_count, i = 0;
    while (list && i < count) {
        walk_to(&walk, text.ptr + list[i]->object);
        size_t found = find_places(fills->arena, &walk, &list[i], count - i);
        if (!found) return false;
        i += found;
    }
    return list != NULL;
}

/* The place of the root, or of a member of it where nothing has to be escaped. */
static gramc_text root_place(struct arena *arena, const struct fill_change *change) {
    gramc_text key = change->key;
    if (change->of == FILL_ROOT) return TEXT("");
    char *place = arena_alloc(arena, key.len + 2);
    if (!place) return (gramc_text){NULL, 0};
    place[0] = '/';
    memcpy(place + 1, key.ptr, key.len);
    place[key.len + 1] = '\0';
    return (gramc_text){place, key.len + 1};
}

static bool is_at_root(const struct fill_change *change, uint32_t root) {
    gramc_text key = change->key;
    if (change->of != FILL_MEMBER) return change->of == FILL_ROOT;
    return change->object == root && !memchr(key.ptr, '~', key.len) &&
           !memchr(key.ptr, '/', key.len);
}

static bool place_all(struct fills *fills, gramc_text text) {
    const char *first = json_scan_blanks(text.ptr, text.ptr + text.len);
    bool all_at_root = true;
    for (size_t i = 0; i < fills->change_count && all_at_root; i++)
        all_at_root = is_at_root(&fills->changes[i], (uint32_t)(first - text.ptr));
    for (size_t i = 0; i < fills->change_count && all_at_root; i++)
        fills->changes[i].place = root_place(fills->arena, &fills->changes[i]);
    if (all_at_root) return !fills->arena->oom;
    struct around *around = arena_array(fills->arena, JSON_MAX_DEPTH + 1, sizeof *around);
    return around && walk_all(fills, text, around);
}

bool fills_show(struct fills *fills, gramc_text text, gramc_adjustment *out) {
    if (!place_all(fills, text)) return false;
    for (size_t i = 0; i < fills->change_count; i++) {
        const struct fill_change *change = &fills->changes[i];
        out[i] = (gramc_adjustment){.instance = change->place,
                                    .kind = (gramc_adjustment_kind)change->kind,
                                    .before = change->before,
                                    .after = change->after};
        if (change->kind == GRAMC_ADJUSTED_REMOVED) out[i].before = TEXT("null");
    }
    return true;
}
