/* Takes out of a grammar what leads nowhere: rules that never come to an end, and those that nobody
 * uses. Engines refuse the former, or wait for ever. */
#include "compiler/emit/grammar.h"

static bool is_finite(const struct grammar_piece *piece) {
    bool any = false, all = true;
    switch (piece->kind) {
    case PIECE_NEVER: return false;
    case PIECE_TEXT:
    case PIECE_SET:
    case PIECE_CHAR: return true;
    case PIECE_RULE: return piece->rule->is_finite;
    case PIECE_REPEAT: return piece->least == 0 || is_finite(piece->parts[0]);
    case PIECE_ROW:
    case PIECE_CHOICE: break;
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        bool one = is_finite(piece->parts[i]);
        any = any || one;
        all = all && one;
    }
    return piece->kind == PIECE_ROW ? all : any;
}

/* True if all of them are. */
static bool find_finite(struct grammar *g) {
    bool changed = true, all = true;
    while (changed) {
        changed = false;
        all = true;
        for (struct grammar_rule *rule = g->first; rule; rule = rule->next) {
            bool before = rule->is_finite;
            rule->is_finite = before || is_finite(rule->piece);
            changed = changed || rule->is_finite != before;
            all = all && rule->is_finite;
        }
    }
    return all;
}

static const struct grammar_piece *without_endless(struct grammar *g,
                                                   const struct grammar_piece *piece) {
    struct piece_list parts = {.g = g};
    if (piece->kind == PIECE_RULE) return piece->rule->is_finite ? piece : &piece_never;
    if (piece->kind < PIECE_ROW) return piece;
    for (uint32_t i = 0; i < piece->count; i++)
        piece_list_add(&parts, without_endless(g, piece->parts[i]));
    if (g->arena->oom) return &piece_never;
    if (piece->kind == PIECE_REPEAT)
        return piece_repeat(g, parts.parts[0], piece->least, piece->most);
    return piece->kind == PIECE_ROW ? piece_row(g, parts.parts, parts.count)
                                    : piece_choice(g, parts.parts, parts.count);
}

/* True if a rule was met for the first time. */
static bool mark(const struct grammar_piece *piece) {
    bool any = false;
    if (piece->kind == PIECE_RULE) {
        any = !piece->rule->is_used;
        piece->rule->is_used = true;
    }
    for (uint32_t i = 0; piece->kind >= PIECE_ROW && i < piece->count; i++)
        any = mark(piece->parts[i]) || any;
    return any;
}

const struct grammar_piece *grammar_prune(struct grammar *g, const struct grammar_piece *root) {
    if (g->arena->oom) return &piece_never;
    if (g->flat)
        return root; /* without rules nothing can go wrong, and what is shared is endless */
    for (struct grammar_rule *rule = g->first; rule; rule = rule->next)
        if (!rule->piece) rule->piece = &piece_never;
    if (!find_finite(g)) {
        root = without_endless(g, root);
        for (struct grammar_rule *rule = g->first; rule; rule = rule->next)
            rule->piece = without_endless(g, rule->piece);
    }
    grammar_lighten(g, root);
    bool any = mark(root);
    while (any) {
        any = false;
        for (struct grammar_rule *rule = g->first; rule; rule = rule->next)
            if (rule->is_used && !rule->is_scanned) {
                rule->is_scanned = true;
                any = mark(rule->piece) || any;
            }
    }
    return root;
}
