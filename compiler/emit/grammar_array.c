/* Lists: items by their place, then items that are all alike. That no two are the same a grammar
 * can say only of values that are listed: they come in the order of the list. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

/* What all schemas say of the item. */
static void item_meet(struct grammar *g, const struct meet *meet, uint64_t index,
                      struct meet *out) {
    struct conjunction item;
    shape_item(&item, &meet->of, index);
    for (uint32_t i = 0; i < item.count; i++) meet_add(g, out, item.nodes[i]);
}

static const struct grammar_piece *item_piece(struct grammar *g, const struct meet *meet,
                                              uint64_t index) {
    struct meet item = {.choice_count = 0};
    size_t len = grammar_enter(g, "[]", TEXT(""));
    item_meet(g, meet, index, &item);
    const struct grammar_piece *piece = grammar_part(g, "", grammar_meet(g, &item));
    grammar_leave(g, len);
    return piece;
}

static const struct grammar_piece *different_values(struct grammar *g, const struct meet *item,
                                                    const struct json *values,
                                                    struct counts counts) {
    struct ordered list = {.g = g,
                           .parts = arena_array(g->arena, values->count + 1, sizeof *list.parts),
                           .required =
                               arena_array(g->arena, values->count + 1, sizeof *list.required),
                           .free = &piece_never,
                           .least = counts.min,
                           .most = counts.max,
                           .what = "lists with another number of items"};
    if (!list.parts || !list.required) return &piece_never;
    for (const struct json *v = values->first; v; v = v->next) {
        bool fits = grammar_accepts(g, item, subsume_print(g->compat, v));
        list.required[list.count] = false;
        if (fits) list.parts[list.count++] = grammar_value(g, v);
    }
    if (counts.max > 1) grammar_narrowed(g, "items in another order than they are listed in");
    return grammar_ordered(&list);
}

/* The item, with the comma before it. */
static const struct grammar_piece *next_item(struct grammar *g, const struct grammar_piece *item,
                                             bool is_first) {
    return is_first ? item : piece_row(g, PIECES(grammar_comma(g), item));
}

static const struct grammar_piece *alike(struct grammar *g, const struct grammar_piece *item,
                                         uint64_t before, struct counts counts) {
    uint64_t least = counts.min > before ? counts.min - before : 0;
    uint64_t most = counts.max >= WITHOUT_END ? WITHOUT_END : counts.max - before;
    const struct grammar_piece *more = next_item(g, item, false);
    if (before) return piece_repeat(g, more, least, most);
    if (most == 0) return &piece_empty;
    const struct grammar_piece *items =
        piece_row(g, PIECES(item, piece_repeat(g, more, least ? least - 1 : 0,
                                               most >= WITHOUT_END ? WITHOUT_END : most - 1)));
    return least ? items : piece_maybe(g, items);
}

static const struct grammar_piece *items_by_place(struct grammar *g, const struct meet *meet,
                                                  struct counts counts) {
    uint64_t places = shape_prefix(&meet->of);
    if (places > counts.max) places = counts.max;
    const struct grammar_piece *tail = &piece_empty;
    if (counts.max > places) tail = alike(g, item_piece(g, meet, places), places, counts);
    for (uint64_t i = places; i-- > 0;) {
        const struct grammar_piece *item = next_item(g, item_piece(g, meet, i), i == 0);
        tail = piece_row(g, PIECES(item, tail));
        if (i >= counts.min) tail = piece_maybe(g, tail);
    }
    return tail;
}

const struct grammar_piece *grammar_array(struct grammar *g, const struct meet *meet) {
    struct counts counts = grammar_counts(meet, "minItems", "maxItems");
    struct meet item = {.choice_count = 0};
    bool is_unique = shape_is_unique(&meet->of);
    const struct grammar_piece *inside = NULL;
    counts.max = grammar_repeats(g, counts.max, "lists with more items than engines take");
    if (counts.min > counts.max) return &piece_never;
    if (counts.min > GRAMMAR_REPEATS_MAX) return grammar_refused(g, "lists this long");
    item_meet(g, meet, 0, &item);
    const struct json *values =
        is_unique && !shape_prefix(&meet->of) ? grammar_listed(&item) : NULL;
    if (values && text_is(values->key, "enum") && !item.is_never)
        inside = different_values(g, &item, values, counts);
    else if (is_unique && counts.max > 1) grammar_may_repeat(g, "two items");
    if (!inside) inside = items_by_place(g, meet, counts);
    return piece_row(g, PIECES(piece_text(g, "["), inside, piece_text(g, "]")));
}
