/* The list of what was changed in a document, and the bytes of the document afterwards: what was
 * not changed keeps its own. */
#include "jsonschema/normalise.h"

#include "base/json/scan.h"
#include "base/limits.h"
#include "base/text.h"

enum { LONGEST_PLACE = 64 * 1024, BYTES_PER_STEP = 64 };

/* ## The list of changes */

static gramc_text printed(struct verdict *verdict, struct evaluation *evaluation,
                          const struct json *value) {
    struct buf buf;
    buf_init(&buf, &verdict->arena.allocator, JUDGE_RESULT_MAX);
    json_put(&buf, value);
    gramc_text text = {"", 0};
    if (buf.state == BUF_TOO_BIG) evaluation_limit(evaluation, LIMIT_RESULT);
    if (buf.state == BUF_TOO_BIG || !evaluation_take(evaluation, buf.len / BYTES_PER_STEP)) {
        buf_free(&buf);
        return text;
    }
    text = buf_to_arena(&buf, &verdict->arena);
    if (!text.ptr) evaluation_stop(evaluation, GRAMC_NOMEM);
    return text;
}

gramc_text change_bytes(struct normaliser *n, const struct json *value) {
    if (!value->mark) return text_slice(n->text, value->start, value->end);
    return printed(n->verdict, n->evaluation, value);
}

static void put_place(struct buf *out, const struct evaluation_frame *at) {
    if (!at->up) return;
    put_place(out, at->up);
    if (at->value == at->up->value) return;
    if (at->up->value->kind == JSON_OBJECT) json_put_pointer_token(out, at->value->key);
    else buf_printf(out, "/%u", (unsigned)at->item);
}

/* The number of the default in which a place is; 0: in none. */
static uint32_t default_around(const struct evaluation_frame *at) {
    while (at && !(at->value->mark & MARK_FILLED)) at = at->up;
    return at ? at->value->key_start : 0;
}

struct change *change_note(struct normaliser *n, const struct evaluation_frame *at,
                           gramc_adjustment_kind kind) {
    struct arena *arena = &n->verdict->arena;
    struct change *change = ARENA_NEW(arena, struct change);
    struct buf buf;
    buf_init(&buf, &arena->allocator, LONGEST_PLACE);
    put_place(&buf, at);
    gramc_text instance = buf_to_arena_cut(&buf, arena);
    memo_forget(&n->evaluation->memo);
    if (!change || !instance.ptr) evaluation_stop(n->evaluation, GRAMC_NOMEM);
    if (!change) return NULL;
    change->shown.kind = kind;
    change->shown.instance = instance;
    change->inside = default_around(at);
    *n->verdict->link = change;
    n->verdict->link = &change->next;
    return change;
}

/* ## Writing */

static void put_changed(struct buf *out, const struct json *value, gramc_text text);

/* The bytes between what stands before and a child, when both stood side by side in the input. */
static void put_between(struct buf *out, gramc_text text, size_t from, size_t to, bool neighbours,
                        bool first) {
    if (neighbours) buf_text(out, text_slice(text, from, to));
    else if (!first) buf_putc(out, ',');
}

static bool is_comma_between(gramc_text text, size_t from, size_t to) {
    size_t commas = 0;
    for (size_t i = from; i < to; i++) {
        if (text.ptr[i] == ',') commas++;
        else if (!json_byte_is(text.ptr[i], JSON_BYTE_BLANK)) return false;
    }
    return commas == 1;
}

static void put_member_start(struct buf *out, const struct json *child, gramc_text text) {
    if (child->mark & MARK_NEW && child->start == child->end) {
        json_put_string(out, child->key);
        buf_putc(out, ':');
    } else {
        buf_text(out, text_slice(text, child->key_start, child->start));
    }
}

static void put_container(struct buf *out, const struct json *value, gramc_text text) {
    bool object = value->kind == JSON_OBJECT, inserted = false;
    size_t done = value->start + 1;
    buf_putc(out, object ? '{' : '[');
    for (const struct json *child = value->first; child; child = child->next) {
        bool first = child == value->first;
        inserted = child->mark & MARK_NEW && child->start == child->end;
        size_t start = object ? child->key_start : child->start;
        bool neighbours =
            !inserted && start >= done &&
            (first ? !(value->mark & MARK_MEMBERS) : is_comma_between(text, done, start));
        put_between(out, text, done, start, neighbours, first);
        if (object) put_member_start(out, child, text);
        put_changed(out, child, text);
        if (!inserted) done = child->end;
    }
    if (!(value->mark & MARK_MEMBERS)) buf_text(out, text_slice(text, done, value->end - 1));
    buf_putc(out, object ? '}' : ']');
}

static void put_changed(struct buf *out, const struct json *value, gramc_text text) {
    if (!value->mark) buf_text(out, text_slice(text, value->start, value->end));
    else if (value->mark & MARK_NEW) json_put(out, value);
    else put_container(out, value, text);
}

static gramc_text bytes_after(struct verdict *verdict, struct evaluation *evaluation,
                              const struct json *root, gramc_text text) {
    struct buf buf;
    buf_init(&buf, &verdict->arena.allocator, JUDGE_RESULT_MAX);
    put_changed(&buf, root, text);
    if (buf.state != BUF_TOO_BIG) return buf_to_arena(&buf, &verdict->arena);
    evaluation_limit(evaluation, LIMIT_RESULT);
    buf_free(&buf);
    return text;
}

/* ## What is shown */

/* Counts the changes, and prints the defaults now that they are what they will be. *made: without
 * those that were left out. */
static size_t finish_changes(struct verdict *verdict, struct evaluation *evaluation, size_t *made) {
    size_t count = 0;
    *made = 0;
    for (struct change *change = verdict->changes; change; change = change->next, count++) {
        *made += change->shown.kind != GRAMC_ADJUSTED_LEFT_OUT;
        if (change->filled) change->shown.after = printed(verdict, evaluation, change->filled);
    }
    return count;
}

void verdict_finish(struct verdict *verdict, struct evaluation *evaluation,
                    const struct report *report, const struct json *root, gramc_text text) {
    struct arena *arena = &verdict->arena;
    gramc_verdict *shown = &verdict->shown;
    size_t made, i = 0;
    if (evaluation->status != GRAMC_OK) return;
    size_t count = finish_changes(verdict, evaluation, &made);
    gramc_violation *errors = arena_array(arena, report->kept, sizeof *errors);
    gramc_adjustment *changes = arena_array(arena, count, sizeof *changes);
    shown->normalised = root && made ? bytes_after(verdict, evaluation, root, text) : text;
    if (!errors || !changes) return;
    for (const struct violation *v = report->first; v; v = v->next) errors[i++] = v->shown;
    i = 0;
    for (const struct change *change = verdict->changes; change; change = change->next)
        changes[i++] = change->shown;
    verdict->violations = report->first;
    shown->valid = report->total == 0;
    shown->errors = errors;
    shown->error_count = report->kept;
    shown->errors_total = report->total;
    shown->adjustments = changes;
    shown->adjustment_count = count;
}
