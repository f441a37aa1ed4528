/* Turns brackets, fences and comments into ranges that can be folded, and what lies around the
 * cursor into ranges that can be selected. Works on any text: only tokens count. */
#include "grammar/lexer.h"
#include "lsp/insight.h"
#include "parser.h"

enum { DEEPEST = 256 };

struct fold_finder {
    struct json_writer *w;
    struct place_cursor cursor;
    uint32_t open[DEEPEST]; /* lines on which brackets begin */
    size_t depth;
    uint32_t comment_from, comment_to; /* lines of comments that follow each other */
    bool in_comment;
};

static void put_fold(struct fold_finder *f, uint32_t from, uint32_t to, const char *kind) {
    if (to <= from) return;
    json_object_begin(f->w);
    json_member_number(f->w, "startLine", from);
    json_member_number(f->w, "endLine", to);
    if (kind) json_member_text(f->w, "kind", text_of(kind));
    json_object_end(f->w);
}

static void end_comment(struct fold_finder *f) {
    if (f->in_comment) put_fold(f, f->comment_from, f->comment_to, "comment");
    f->in_comment = false;
}

static bool opens(uint16_t code) {
    return code == TK_LBRACKET || code == TK_LBRACE || code == TK_LPAREN;
}

static bool closes(uint16_t code) {
    return code == TK_RBRACKET || code == TK_RBRACE || code == TK_RPAREN;
}

static void take(struct fold_finder *f, struct token token) {
    uint32_t line = place_next(&f->cursor, token.start).line;
    if (token.code == LEX_COMMENT) {
        if (f->in_comment && line > f->comment_to + 1) end_comment(f);
        if (!f->in_comment) f->comment_from = line;
        f->comment_to = line;
        f->in_comment = true;
        return;
    }
    end_comment(f);
    if (opens(token.code) && f->depth < DEEPEST) f->open[f->depth] = line;
    if (opens(token.code)) f->depth++;
    if (closes(token.code) && f->depth) {
        f->depth--;
        /* The closing bracket stays to be seen. */
        if (f->depth < DEEPEST && line) put_fold(f, f->open[f->depth], line - 1, NULL);
    }
    if (token.code == TK_FENCE) put_fold(f, line, place_next(&f->cursor, token.end).line, NULL);
}

void folding_ranges(struct lsp_request *r) {
    struct lexer lexer;
    if (!r->document) return;
    struct source source = {.text = document_text(r->document)};
    struct fold_finder f = {.w = r->result,
                            .cursor = {.text = source.text, .encoding = r->lsp->client.encoding}};
    lexer_init(&lexer, &source);
    json_array_begin(r->result);
    for (struct token t = lexer_next(&lexer); t.code; t = lexer_next(&lexer)) take(&f, t);
    end_comment(&f);
    json_array_end(r->result);
}

/* ## Selections */

struct fold_around {
    struct span list[DEEPEST];
    size_t count;
};

/* All pairs of brackets around an offset, the outermost first, then the token there. */
static void look_around(struct fold_around *around, gramc_text text, uint32_t offset) {
    struct source source = {.text = text};
    struct lexer lexer;
    uint32_t open[DEEPEST];
    size_t depth = 0, kept = 0;
    struct span word = {offset, offset};
    lexer_init(&lexer, &source);
    for (struct token t = lexer_next(&lexer); t.code; t = lexer_next(&lexer)) {
        if (t.start <= offset && offset <= t.end) word = (struct span){t.start, t.end};
        if (opens(t.code)) {
            if (depth < DEEPEST) open[depth] = t.start;
            depth++;
        } else if (closes(t.code) && depth) {
            depth--;
            bool holds = depth < DEEPEST - 2 && open[depth] <= offset && offset <= t.end;
            if (holds && kept < DEEPEST - 2)
                around->list[kept++] = (struct span){open[depth], t.end};
        }
    }
    for (size_t i = 0; i < kept / 2; i++) {
        struct span other = around->list[i];
        around->list[i] = around->list[kept - 1 - i];
        around->list[kept - 1 - i] = other;
    }
    around->list[kept] = word;
    around->count = kept + 1;
}

static void put_selection(struct lsp_request *r, uint32_t offset) {
    struct fold_around around = {.count = 0};
    gramc_text text = document_text(r->document);
    look_around(&around, text, offset);
    /* From the innermost outwards, each in the one before. */
    for (size_t i = around.count; i--;) {
        json_object_begin(r->result);
        put_range(r->result, "range", text, around.list[i].start, around.list[i].end, r->lsp);
        if (i) json_key(r->result, "parent");
    }
    for (size_t i = 0; i < around.count; i++) json_object_end(r->result);
}

void selection_ranges(struct lsp_request *r) {
    const struct json *places = json_get(r->params, "positions");
    if (!r->document || !json_is(places, JSON_ARRAY)) return;
    json_array_begin(r->result);
    for (const struct json *p = places->first; p; p = p->next)
        put_selection(
            r, place_offset(document_text(r->document), json_place(p), r->lsp->client.encoding));
    json_array_end(r->result);
}
