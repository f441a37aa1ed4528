/* Keeps a grammar within what llama.cpp takes. It writes each repetition out, a rule a turn, and
 * refuses one whose turns, times the rules that what is repeated is made of, are too many. What is
 * repeated becomes a rule of its own there, which counts as one. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

static uint64_t turns(const struct grammar_piece *repeat) {
    uint64_t count = repeat->most < WITHOUT_END ? repeat->most : repeat->least;
    return count ? count : 1;
}

/* At least as many rules as llama.cpp makes while it reads the piece. */
static uint64_t weight(const struct grammar_piece *piece) {
    uint64_t sum = piece->kind == PIECE_REPEAT ? turns(piece) : 1;
    for (uint32_t i = 0; piece->kind >= PIECE_ROW && piece->kind != PIECE_RULE && i < piece->count;
         i++)
        if (piece->parts[i]->kind >= PIECE_ROW) sum += weight(piece->parts[i]);
    return sum;
}

static void give_rule(struct grammar *g, const struct grammar_piece **part, gramc_text near) {
    struct grammar_rule *rule = grammar_rule_new(g, near);
    if (!rule) return;
    rule->piece = *part;
    rule->is_finite = true;
    *part = piece_rule(g, rule);
}

static void lighten(struct grammar *g, const struct grammar_piece *piece, gramc_text near) {
    if (piece->kind < PIECE_ROW || piece->kind == PIECE_RULE || g->arena->oom) return;
    bool is_heavy =
        piece->kind == PIECE_REPEAT && turns(piece) * weight(piece->parts[0]) > GRAMMAR_REPEATS_MAX;
    if (is_heavy && piece->parts[0]->kind >= PIECE_ROW && piece->parts[0]->kind != PIECE_RULE)
        give_rule(g, &piece->parts[0], near);
    for (uint32_t i = 0; i < piece->count; i++) lighten(g, piece->parts[i], near);
}

void grammar_lighten(struct grammar *g, const struct grammar_piece *root) {
    lighten(g, root, TEXT("part"));
    for (struct grammar_rule *rule = g->first; rule; rule = rule->next)
        lighten(g, rule->piece, rule->name);
}
