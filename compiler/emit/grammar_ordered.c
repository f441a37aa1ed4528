/* Puts commas between parts that stand in one order and may be absent: the members of an object,
 * the items of a list of different values. Before the first one that is there stands no comma,
 * which is why that one has to be known. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

uint64_t grammar_repeats(struct grammar *g, uint64_t most, const char *what) {
    if (most >= WITHOUT_END || most <= GRAMMAR_REPEATS_MAX) return most;
    grammar_narrowed(g, what);
    return GRAMMAR_REPEATS_MAX;
}

const struct grammar_piece *grammar_part(struct grammar *g, const char *suffix,
                                         const struct grammar_piece *piece) {
    struct buf name;
    bool is_small = piece->kind == PIECE_RULE || piece->kind == PIECE_TEXT;
    if (g->flat || is_small || piece_is_never(piece)) return piece;
    buf_init(&name, &g->arena->allocator, SOURCE_MAX);
    buf_text(&name, buf_view(&g->prefix));
    buf_text(&name, buf_view(&g->place));
    buf_puts(&name, suffix);
    struct grammar_rule *rule = grammar_rule_new(g, buf_view(&name));
    if (name.state == BUF_NOMEM) g->arena->oom = true;
    buf_free(&name);
    if (!rule) return &piece_never;
    rule->piece = piece;
    return piece_rule(g, rule);
}

/* Makes the number of parts fit: of those that may be absent, the first ones become required, or
 * the last ones go. Gives the bounds of what is free. */
static struct counts fit_counts(struct ordered *list) {
    struct counts free = {0, 0};
    uint64_t required = 0, optional = 0, taken = 0;
    bool more = !piece_is_never(list->free), changed = false;
    for (size_t i = 0; i < list->count; i++) required += list->required[i];
    uint64_t room = list->most > required ? list->most - required : 0;
    uint64_t missing = list->least > required ? list->least - required : 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->required[i]) continue;
        bool is_needed = taken < missing && !more, goes = optional >= room;
        list->required[i] = is_needed;
        if (goes) list->parts[i] = &piece_never;
        taken += is_needed;
        optional += !goes;
        changed = changed || goes || (is_needed && missing < list->count - required);
    }
    /* What is free counts as if all the others were there, and as if none were. */
    changed = changed || (more && optional && (list->most < WITHOUT_END || missing));
    if (changed) grammar_narrowed(list->g, list->what);
    free.min = more && missing > taken ? missing - taken : 0;
    free.max = list->most >= WITHOUT_END ? WITHOUT_END : room - optional;
    return free;
}

static const struct grammar_piece *behind_comma(struct grammar *g,
                                                const struct grammar_piece *part) {
    return piece_row(g, PIECES(grammar_comma(g), part));
}

/* What may stand behind the first `from` parts, when one of them is there. */
static const struct grammar_piece *tail(struct ordered *list, size_t from, struct counts free) {
    struct grammar *g = list->g;
    struct piece_list row = {.g = g};
    for (size_t i = from; i < list->count; i++) {
        if (piece_is_never(list->parts[i]) && !list->required[i]) continue;
        const struct grammar_piece *part = behind_comma(g, list->parts[i]);
        piece_list_add(&row, list->required[i] ? part : piece_maybe(g, part));
    }
    piece_list_add(&row, piece_repeat(g, behind_comma(g, list->free), free.min, free.max));
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

static const struct grammar_piece *with_required(struct ordered *list, size_t first,
                                                 struct counts free) {
    struct grammar *g = list->g;
    struct piece_list row = {.g = g};
    for (size_t i = 0; i < first; i++)
        piece_list_add(&row,
                       piece_maybe(g, piece_row(g, PIECES(list->parts[i], grammar_comma(g)))));
    piece_list_add(&row, list->parts[first]);
    piece_list_add(&row, tail(list, first + 1, free));
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

/* One choice for each part that may be the first. */
static const struct grammar_piece *without_required(struct ordered *list, struct counts free) {
    struct grammar *g = list->g;
    struct piece_list first = {.g = g};
    const struct grammar_piece *rest =
        piece_repeat(g, behind_comma(g, list->free), free.min, free.max);
    rest = grammar_part(g, "-rest", rest);
    for (size_t i = list->count; i-- > 0;) {
        const struct grammar_piece *part = grammar_part(g, "-part", list->parts[i]);
        if (piece_is_never(part)) continue;
        piece_list_add(&first, piece_row(g, PIECES(part, rest)));
        rest = piece_row(g, PIECES(piece_maybe(g, behind_comma(g, part)), rest));
        if (i > 0) rest = grammar_part(g, "-rest", rest);
    }
    if (!piece_is_never(list->free) && free.max > 0) {
        uint64_t least = free.min ? free.min - 1 : 0;
        uint64_t most = free.max >= WITHOUT_END ? WITHOUT_END : free.max - 1;
        const struct grammar_piece *more =
            piece_repeat(g, behind_comma(g, list->free), least, most);
        piece_list_add(&first, piece_row(g, PIECES(list->free, more)));
    }
    const struct grammar_piece *some =
        g->arena->oom ? &piece_never : piece_choice(g, first.parts, first.count);
    if (free.min > 0) return some;
    return piece_is_never(some) ? &piece_empty : piece_maybe(g, some);
}

const struct grammar_piece *grammar_ordered(struct ordered *list) {
    struct counts free = fit_counts(list);
    uint64_t required = 0;
    size_t first = list->count, there = 0;
    for (size_t i = list->count; i-- > 0;) {
        required += list->required[i];
        there += list->required[i] || !piece_is_never(list->parts[i]);
        if (list->required[i]) first = i;
    }
    bool too_few = list->least > there && piece_is_never(list->free);
    if (required > list->most || too_few) return &piece_never;
    if (free.max > 1 && !piece_is_never(list->free)) grammar_may_repeat(list->g, "two names");
    return first < list->count ? with_required(list, first, free) : without_required(list, free);
}
