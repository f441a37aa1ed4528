/* Notes, while the bytes of an object go by, what a caller who asked for it gets filled in or left
 * out. Blanks and commas fall as they do where a document is changed (normalise.c): an object whose
 * members come or go is closed up at both ends. */
#include "jsonschema/fast.h"

#include "jsonschema/fill.h"

static uint32_t offset(const struct run *run, const char *p) {
    return (uint32_t)(p - run->fills->text);
}

static const char *back_over_blanks(const char *p) {
    while (json_byte_is(p[-1], JSON_BYTE_BLANK)) p--;
    return p;
}

/* ## Nulls that are left out */

/* The end of what goes with a null: the next member, or the end of the object. */
static const char *after_null(const char *end, bool *last) {
    const char *next = run_skip_blanks(end);
    *last = *next != ',';
    return *last ? next : run_skip_gap(next);
}

/* Where the member before ends, or the bracket. */
static const char *before_null(const struct refused_member *at) {
    if (at->count == 0) return at->open + 1;
    const char *comma = back_over_blanks(at->quote) - 1;
    return back_over_blanks(comma);
}

static bool cut_null(struct run *run, const struct refused_member *at, const char *end) {
    struct fills *fills = run->fills;
    struct fill_cut *before = fills->cut_count ? &fills->cuts[fills->cut_count - 1] : NULL;
    bool last, goes_on = before && before->to == offset(run, at->quote);
    struct fill_cut cut = {.to = offset(run, after_null(end, &last))};
    cut.from = goes_on ? before->from : offset(run, before_null(at));
    cut.comma = at->count > 0 && !last;
    if (!goes_on) return fills_cut(fills, &cut);
    *before = cut; /* the member before was left out too */
    return true;
}

const char *run_drop_null(struct run *run, const struct refused_member *at) {
    struct fills *fills = run->fills;
    if (!fills || run->given_up || !(fills->flags & GRAMC_CHECK_NULL_ABSENT) || *at->value != 'n')
        return NULL;
    const char *end = json_scan_word(at->value, run->end);
    if (!end || at->rules->required & at->key->bit) return NULL;
    const struct fill_change change = {
        .object = offset(run, at->open), .kind = GRAMC_ADJUSTED_REMOVED, .key = at->key->text};
    return fills_note(fills, &change) && cut_null(run, at, end) ? end : run_give_up(run);
}

/* ## Their order */

static bool is_null_of(const struct fill_change *change, uint32_t object) {
    return change->object == object && change->kind == GRAMC_ADJUSTED_REMOVED;
}

/* Whether a null of the object stands behind something else among the last changes. */
static bool has_late_null(const struct fills *fills, size_t first, uint32_t object) {
    bool other = false;
    for (size_t i = first; i < fills->change_count; i++) {
        if (other && is_null_of(&fills->changes[i], object)) return true;
        other |= !is_null_of(&fills->changes[i], object);
    }
    return false;
}

/* Cuts know their changes by place. */
static void follow(struct fills *fills, size_t first, const uint32_t *places, uint32_t object) {
    for (size_t i = fills->cut_count; i && fills->cuts[i - 1].from >= object; i--) {
        uint32_t *change = &fills->cuts[i - 1].change;
        if (*change > first) *change = places[*change - 1 - first];
    }
}

/* Nulls are left out before anything else happens to an object: they come first in the list. False
 * without memory. */
static bool nulls_first(struct fills *fills, uint32_t object) {
    size_t first = fills->change_count, to = 0;
    while (first && fills->changes[first - 1].object >= object) first--;
    if (!has_late_null(fills, first, object)) return true;
    size_t count = fills->change_count - first;
    struct fill_change *sorted = arena_array(fills->arena, count, sizeof *sorted);
    uint32_t *places = arena_array(fills->arena, count, sizeof *places); /* new ones, from 1 */
    if (!sorted || !places) return false;
    for (int nulls = 1; nulls >= 0; nulls--)
        for (size_t i = 0; i < count; i++) {
            if (is_null_of(&fills->changes[first + i], object) != nulls) continue;
            sorted[to++] = fills->changes[first + i];
            places[i] = (uint32_t)(first + to);
        }
    memcpy(&fills->changes[first], sorted, count * sizeof *sorted);
    follow(fills, first, places, object);
    return true;
}

/* ## Defaults */

/* Takes the blanks behind the opening bracket and before the closing one. */
static bool close_up(struct run *run, const struct run_object *at) {
    struct fills *fills = run->fills;
    const char *first = run_skip_blanks(at->open + 1), *end = back_over_blanks(at->close);
    uint32_t from = offset(run, at->open + 1), to = offset(run, at->close);
    const struct fill_cut head = {.from = from, .to = offset(run, first)};
    const struct fill_cut tail = {.from = offset(run, end), .to = to};
    bool fine = true, head_is_cut = first == at->open + 1;
    bool tail_is_cut = end == at->close;
    if (fills->cut_count && fills->cuts[fills->cut_count - 1].to == to) tail_is_cut = true;
    for (size_t i = fills->cut_count; at->dropped && i && fills->cuts[i - 1].from >= from; i--)
        if (fills->cuts[i - 1].from == from) head_is_cut = true;
    if (!head_is_cut) fine = fills_cut(fills, &head);
    if (!tail_is_cut && first != at->close) fine = fine && fills_cut(fills, &tail);
    return fine;
}

/* One that does not fit, or that nobody has looked at, is left to the thorough half. */
static bool fill_in(struct run *run, const struct run_object *at, size_t i, bool comma) {
    struct fills *fills = run->fills;
    const struct fast_default *initial = &at->rules->initials[i];
    const struct fill_change change = {.object = offset(run, at->open),
                                       .kind = GRAMC_ADJUSTED_DEFAULT,
                                       .written = initial->member,
                                       .value = (uint32_t)initial->value,
                                       .key = at->rules->fast.keys[i].text};
    const struct fill_cut cut = {.from = offset(run, at->close),
                                 .to = offset(run, at->close),
                                 .change = (uint32_t)fills->change_count + 1,
                                 .comma = comma};
    return initial->member.len && fills_note(fills, &change) && fills_cut(fills, &cut);
}

uint64_t run_fill(struct run *run, const struct run_object *at) {
    uint64_t missing = at->rules->defaults & ~at->present;
    if (!run->fills) {
        run->unfilled = true;
        return 0;
    }
    if (!(run->fills->flags & GRAMC_CHECK_DEFAULTS)) missing = 0;
    if (at->dropped && !nulls_first(run->fills, offset(run, at->open))) run_give_up(run);
    if ((missing || at->dropped) && !close_up(run, at)) run_give_up(run);
    bool comma = at->count > 0;
    for (uint64_t left = missing; left && !run->given_up; left &= left - 1, comma = true)
        if (!fill_in(run, at, (size_t)__builtin_ctzll(left), comma)) run_give_up(run);
    return missing;
}
