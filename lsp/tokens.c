/* Turns a text into semantic tokens: the lexer says what is a string, number or comment, the names
 * of the tree what a symbol stands for. */
#include "lsp/tokens.h"

#include "grammar/lexer.h"
#include "lsp/insight.h"
#include "parser.h"

enum token_type {
    AS_CLASS,
    AS_FUNCTION,
    AS_NAMESPACE,
    AS_TYPE,
    AS_PARAMETER,
    AS_PROPERTY,
    AS_VARIABLE,
    AS_KEYWORD,
    AS_STRING,
    AS_NUMBER,
    AS_COMMENT,
    AS_OPERATOR,
    AS_NOTHING
};

enum token_modifier { IS_DECLARATION = 1, IS_DEFAULT_LIBRARY = 2 };

void put_token_legend(struct json_writer *w) {
    static const char *const types[] = {"class",     "function", "namespace", "type",
                                        "parameter", "property", "variable",  "keyword",
                                        "string",    "number",   "comment",   "operator"};
    json_member_object(w, "semanticTokensProvider");
    json_member_object(w, "legend");
    json_member_array(w, "tokenTypes");
    for (size_t i = 0; i < AS_NOTHING; i++) json_text(w, text_of(types[i]));
    json_array_end(w);
    json_member_raw(w, "tokenModifiers", TEXT("[\"declaration\",\"defaultLibrary\"]"));
    json_object_end(w);
    json_member_bool(w, "full", true);
    json_member_bool(w, "range", true);
    json_object_end(w);
}

static enum token_type type_of_occurrence(enum symbol_kind kind) {
    static const enum token_type types[] = {
        [SYMBOL_AGENT] = AS_CLASS,         [SYMBOL_TOOL] = AS_FUNCTION,
        [SYMBOL_LIBRARY] = AS_NAMESPACE,   [SYMBOL_EXPERIMENT] = AS_NAMESPACE,
        [SYMBOL_TYPE] = AS_TYPE,           [SYMBOL_TASK] = AS_FUNCTION,
        [SYMBOL_PARAMETER] = AS_PARAMETER, [SYMBOL_FIELD] = AS_PROPERTY,
        [SYMBOL_IMPL] = AS_FUNCTION,       [SYMBOL_BOX] = AS_NAMESPACE,
        [SYMBOL_ARM] = AS_VARIABLE,        [SYMBOL_GRADER] = AS_VARIABLE,
        [SYMBOL_FILE] = AS_STRING,         [SYMBOL_PROPERTY] = AS_PROPERTY,
        [SYMBOL_LABEL] = AS_KEYWORD};
    return types[kind];
}

static enum token_type type_of_code(uint16_t code) {
    if (code == LEX_COMMENT || code == LEX_BLOCK_COMMENT) return AS_COMMENT;
    if (code == TK_SINGLE || code == TK_FENCE || code == TK_DOUBLE || code == TK_BACKTICK ||
        code == LEX_UNTERMINATED_STRING || code == LEX_UNTERMINATED_FENCE)
        return AS_STRING;
    if (code >= TK_INTEGER && code <= TK_DECIMAL_MEASUREMENT && code != TK_DOUBLE) return AS_NUMBER;
    if (code == TK_TRUE || code == TK_FALSE) return AS_KEYWORD;
    if (code >= TK_DASH && code <= TK_TILDE_LEFT) return AS_OPERATOR;
    return AS_NOTHING;
}

struct painter {
    struct json_writer *w;
    gramc_text text;
    struct place_cursor cursor;
    struct text_place last;
    struct span range; /* only what lies in it */
    const struct insight *insight;
    const struct occurrence **by_start; /* of the root, in order */
    size_t count, next;
};

/* One line's part of a token. */
static void put_part(struct painter *p, struct span at, enum token_type type, unsigned modifiers) {
    struct text_place from = place_next(&p->cursor, at.start);
    struct place_cursor copy = p->cursor;
    struct text_place to = place_next(&copy, at.end);
    if (to.column <= from.column) return;
    uint32_t same_line = from.line == p->last.line;
    json_number(p->w, from.line - p->last.line);
    json_number(p->w, same_line ? from.column - p->last.column : from.column);
    json_number(p->w, to.column - from.column);
    json_number(p->w, type);
    json_number(p->w, modifiers);
    p->last = from;
}

/* Clients need not understand tokens of several lines. */
static void put_lines(struct painter *p, struct span at, enum token_type type, unsigned modifiers) {
    uint32_t start = at.start;
    for (uint32_t i = at.start; i <= at.end; i++) {
        bool ends = i == at.end || p->text.ptr[i] == '\n' || p->text.ptr[i] == '\r';
        if (!ends) continue;
        if (i > start) put_part(p, (struct span){start, i}, type, modifiers);
        start = i + 1;
    }
}

static void put_token(struct painter *p, struct token token) {
    while (p->next < p->count && p->by_start[p->next]->at.start < token.start) p->next++;
    const struct occurrence *m = p->next < p->count ? p->by_start[p->next] : NULL;
    enum token_type type = type_of_code(token.code);
    unsigned modifiers = 0;
    if (m && m->at.start >= token.start && m->at.end <= token.end && m->kind != SYMBOL_FILE) {
        type = type_of_occurrence(m->kind);
        modifiers = m->defines ? IS_DECLARATION : m->kind == SYMBOL_LABEL ? IS_DEFAULT_LIBRARY : 0;
    } else if (type == AS_NOTHING && token.code == TK_SYMBOL) type = AS_VARIABLE;
    if (type != AS_NOTHING && token.end > p->range.start && token.start < p->range.end)
        put_lines(p, (struct span){token.start, token.end}, type, modifiers);
}

static void sort_occurrences(struct painter *p, struct arena *arena) {
    const struct occurrences *all = &p->insight->occurrences;
    p->by_start = arena_array(arena, all->count + 1, sizeof *p->by_start);
    if (!p->by_start) return;
    for (size_t i = 0; i < all->count; i++) {
        const struct occurrence *m = &all->list[i];
        if (m->unit != p->insight->root) continue;
        size_t at = p->count++;
        /* They are nearly in order: names stand before what is inside. */
        for (; at && p->by_start[at - 1]->at.start > m->at.start; at--)
            p->by_start[at] = p->by_start[at - 1];
        p->by_start[at] = m;
    }
}

static void put_tokens(struct lsp_request *r, struct span range) {
    struct insight *a = r->document ? insight_of(r->lsp, r->document) : NULL;
    if (!a || !a->root) return;
    struct painter p = {
        .w = r->result, .text = document_text(r->document), .insight = a, .range = range};
    p.cursor = (struct place_cursor){.text = p.text, .encoding = r->lsp->client.encoding};
    sort_occurrences(&p, r->arena);
    struct lexer lexer;
    lexer_init(&lexer, &a->root->source);
    json_object_begin(r->result);
    json_member_array(r->result, "data");
    struct token token = lexer_next(&lexer);
    for (; token.code && token.start < range.end; token = lexer_next(&lexer)) put_token(&p, token);
    json_array_end(r->result);
    json_object_end(r->result);
}

void semantic_tokens(struct lsp_request *r) {
    put_tokens(r, (struct span){0, UINT32_MAX});
}

void semantic_tokens_range(struct lsp_request *r) {
    const struct json *range = json_get(r->params, "range");
    if (!r->document) return;
    gramc_text text = document_text(r->document);
    enum encoding encoding = r->lsp->client.encoding;
    put_tokens(r, (struct span){place_offset(text, json_place(json_get(range, "start")), encoding),
                                place_offset(text, json_place(json_get(range, "end")), encoding)});
}
