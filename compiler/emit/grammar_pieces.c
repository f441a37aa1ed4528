/* Puts pieces of grammars together. What is empty or impossible goes at once, and texts that follow
 * each other become one, so that nobody who prints them has to care. What they are of, and how they
 * are printed, is the matter of others. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

const struct grammar_piece piece_never = {.kind = PIECE_NEVER};
const struct grammar_piece piece_empty = {.kind = PIECE_TEXT};

/* Without memory, or with too many pieces: never, which is noticed when all is made. */
static struct grammar_piece *piece_new(struct grammar *g, enum piece_kind kind) {
    g->too_large = g->too_large || g->pieces >= GRAMMAR_PIECES_MAX;
    struct grammar_piece *piece = g->too_large ? NULL : ARENA_NEW(g->arena, struct grammar_piece);
    if (!piece) return NULL;
    g->pieces++;
    piece->kind = kind;
    return piece;
}

const struct grammar_piece *piece_bytes(struct grammar *g, gramc_text text) {
    struct grammar_piece *piece = text.len ? piece_new(g, PIECE_TEXT) : NULL;
    if (!text.len) return &piece_empty;
    if (!piece) return &piece_never;
    piece->text = arena_text(g->arena, text);
    return piece->text.ptr ? piece : &piece_never;
}

const struct grammar_piece *piece_text(struct grammar *g, const char *text) {
    return piece_bytes(g, text_of(text));
}

const struct grammar_piece *piece_set(struct grammar *g, enum piece_kind kind,
                                      const struct char_range *ranges, size_t count) {
    struct grammar_piece *piece = count ? piece_new(g, kind) : NULL;
    struct char_range *own = piece ? arena_array(g->arena, count, sizeof *own) : NULL;
    if (!own) return &piece_never;
    memcpy(own, ranges, count * sizeof *own);
    piece->ranges = own;
    piece->count = (uint32_t)count;
    return piece;
}

void piece_list_add(struct piece_list *list, const struct grammar_piece *piece) {
    if (list->count == list->size) {
        size_t size = list->size ? 2 * list->size : 8;
        const struct grammar_piece **parts = arena_array(list->g->arena, size, sizeof *parts);
        if (!parts) return;
        if (list->count) memcpy(parts, list->parts, list->count * sizeof *parts);
        list->parts = parts;
        list->size = size;
    }
    list->parts[list->count++] = piece;
}

/* Two texts become one. */
static void add_to_row(struct piece_list *row, const struct grammar_piece *piece) {
    const struct grammar_piece *last = row->count ? row->parts[row->count - 1] : NULL;
    if (piece_is_empty(piece)) return;
    if (piece->kind == PIECE_ROW) {
        for (uint32_t i = 0; i < piece->count; i++) add_to_row(row, piece->parts[i]);
    } else if (last && last->kind == PIECE_TEXT && piece->kind == PIECE_TEXT) {
        struct buf both;
        buf_init(&both, &row->g->arena->allocator, SOURCE_MAX);
        buf_text(&both, last->text);
        buf_text(&both, piece->text);
        if (both.state == BUF_NOMEM) row->g->arena->oom = true;
        row->parts[row->count - 1] = piece_bytes(row->g, buf_view(&both));
        buf_free(&both);
    } else {
        piece_list_add(row, piece);
    }
}

static const struct grammar_piece *of_parts(struct grammar *g, enum piece_kind kind,
                                            const struct piece_list *list) {
    struct grammar_piece *piece = piece_new(g, kind);
    if (!piece) return &piece_never;
    piece->parts = list->parts;
    piece->count = (uint32_t)list->count;
    return piece;
}

const struct grammar_piece *piece_row(struct grammar *g, const struct grammar_piece *const *parts,
                                      size_t count) {
    struct piece_list row = {.g = g};
    for (size_t i = 0; i < count; i++) {
        if (piece_is_never(parts[i])) return &piece_never;
        add_to_row(&row, parts[i]);
    }
    if (g->arena->oom) return &piece_never;
    if (row.count < 2) return row.count ? row.parts[0] : &piece_empty;
    return of_parts(g, PIECE_ROW, &row);
}

static bool is_same_text(const struct grammar_piece *a, const struct grammar_piece *b) {
    return a == b || (a->kind == PIECE_TEXT && b->kind == PIECE_TEXT && text_eq(a->text, b->text));
}

enum { FEW = 100 }; /* that are looked at for the same text; twice the same does no harm */

static void add_to_choice(struct piece_list *choice, const struct grammar_piece *piece) {
    if (piece->kind == PIECE_CHOICE) {
        for (uint32_t i = 0; i < piece->count; i++) add_to_choice(choice, piece->parts[i]);
        return;
    }
    if (piece_is_never(piece)) return;
    for (size_t i = 0; i < choice->count && i < FEW; i++)
        if (is_same_text(choice->parts[i], piece)) return;
    piece_list_add(choice, piece);
}

const struct grammar_piece *piece_choice(struct grammar *g,
                                         const struct grammar_piece *const *parts, size_t count) {
    struct piece_list choice = {.g = g};
    for (size_t i = 0; i < count; i++) add_to_choice(&choice, parts[i]);
    if (g->arena->oom) return &piece_never;
    if (choice.count < 2) return choice.count ? choice.parts[0] : &piece_never;
    return of_parts(g, PIECE_CHOICE, &choice);
}

const struct grammar_piece *piece_repeat(struct grammar *g, const struct grammar_piece *part,
                                         uint64_t least, uint64_t most) {
    if (least > most) return &piece_never;
    if (most == 0 || piece_is_empty(part)) return &piece_empty;
    if (piece_is_never(part)) return least ? &piece_never : &piece_empty;
    if (least == 1 && most == 1) return part;
    struct grammar_piece *piece = piece_new(g, PIECE_REPEAT);
    const struct grammar_piece **one = piece ? arena_array(g->arena, 1, sizeof *one) : NULL;
    if (!one) return &piece_never;
    one[0] = part;
    piece->parts = one;
    piece->count = 1;
    piece->least = (uint32_t)least;
    piece->most = most > WITHOUT_END ? WITHOUT_END : (uint32_t)most;
    return piece;
}

const struct grammar_piece *piece_rule(struct grammar *g, struct grammar_rule *rule) {
    struct grammar_piece *piece = rule ? piece_new(g, PIECE_RULE) : NULL;
    if (!piece) return &piece_never;
    piece->rule = rule;
    return piece;
}

/* ## Rules */

enum { LONGEST_RULE = 120 };

/* Other characters become hyphens. */
static void put_rule_name(struct buf *out, gramc_text wanted) {
    for (size_t i = 0; i < wanted.len && out->len < LONGEST_RULE; i++) {
        char c = wanted.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool again = !out->len || out->ptr[out->len - 1] == '-';
        if (plain) buf_putc(out, c);
        else if (!again) buf_putc(out, '-');
    }
    while (out->len && out->ptr[out->len - 1] == '-') out->len--;
    if (!out->len) buf_puts(out, "x");
}

struct grammar_rule *grammar_rule_new(struct grammar *g, gramc_text wanted) {
    struct grammar_rule *rule = ARENA_NEW(g->arena, struct grammar_rule);
    struct buf name;
    if (!rule) return NULL;
    buf_init(&name, &g->arena->allocator, SOURCE_MAX);
    put_rule_name(&name, wanted);
    size_t len = name.len;
    for (unsigned n = 2; name.state == BUF_FINE && map_get(&g->names, buf_view(&name)); n++) {
        name.len = len;
        buf_printf(&name, "-%u", n);
    }
    rule->name = buf_to_arena(&name, g->arena);
    if (rule->name.ptr) map_put(&g->names, rule->name, rule);
    if (g->arena->oom) return NULL;
    *g->end = rule;
    g->end = &rule->next;
    return rule;
}

const struct grammar_piece *grammar_named(struct grammar *g, const char *name,
                                          const struct grammar_piece *piece) {
    if (g->flat || piece_is_never(piece)) return piece;
    struct grammar_rule *rule = map_get(&g->shared, text_of(name));
    if (rule) return piece_rule(g, rule);
    rule = grammar_rule_new(g, text_of(name));
    if (!rule) return &piece_never;
    rule->piece = piece;
    map_put(&g->shared, text_of(name), rule);
    return piece_rule(g, rule);
}
