/* Turns the tokens in front of the cursor into the brackets that are open there, and into what is
 * expected next. */
#include "lsp/context.h"

#include "grammar/lexer.h"
#include "lsp/words.h"
#include "parser.h"

enum { FARTHEST_LOOK = 400 };

struct scan {
    struct context *c;
    gramc_text text;
    uint16_t last;        /* code of the token before */
    gramc_text last_word; /* its text, of a name or string */
};

const struct context_bracket *context_frame(const struct context *c, size_t up) {
    return up < c->depth ? &c->frames[c->depth - 1 - up] : NULL;
}

gramc_text context_label(const struct context *c) {
    for (size_t i = c->depth; i--;)
        if (label_find(c->frames[i].label)) return c->frames[i].label;
    return (gramc_text){NULL, 0};
}

static struct context_bracket *top(struct scan *s) {
    return s->c->depth ? &s->c->frames[s->c->depth - 1] : NULL;
}

static bool is_name(uint16_t code) {
    return code == TK_SYMBOL || code == TK_BACKTICK || code == TK_DOUBLE || code == TK_SINGLE ||
           code == TK_INTEGER || code == TK_TRUE || code == TK_FALSE;
}

static gramc_text word_of(gramc_text text, struct token t) {
    gramc_text word = text_slice(text, t.start, t.end);
    bool quoted = t.code == TK_BACKTICK || t.code == TK_DOUBLE || t.code == TK_SINGLE;
    return quoted && word.len >= 2 ? text_slice(word, 1, word.len - 1) : word;
}

/* ## Opening */

static struct context_bracket *push(struct scan *s, char bracket, uint32_t start) {
    struct context *c = s->c;
    if (c->depth == CONTEXT_DEPTH) c->depth--; /* deeper than anybody writes */
    c->frames[c->depth] = (struct context_bracket){.bracket = bracket, .start = start};
    return &c->frames[c->depth++];
}

/* A configuration says so in the record that it begins with. */
static const char *header_owner(gramc_text text) {
    static const char word[] = "configuration";
    size_t end = 0;
    while (end < text.len && text.ptr[end] != '}') end++;
    for (size_t i = 0; i + sizeof word - 1 <= end; i++)
        if (memcmp(text.ptr + i, word, sizeof word - 1) == 0) return "configuration";
    return "header";
}

/* Whose properties a map has that stands in a value. */
static void own_map(struct context_bracket *map, const struct context_bracket *outer) {
    const struct context_bracket *record = outer;
    bool in_array = outer->bracket == 'a';
    if (in_array) record = outer - 1; /* what holds the array */
    const struct property_word *word =
        record->owner ? property_word_find(record->owner, record->key) : NULL;
    bool types = word && (word->sort == WORD_TYPE || word->sort == WORD_TYPES);
    bool fields = word && word->sort == WORD_FIELDS;
    if (word && word->sort == WORD_SANDBOX) map->owner = "sandbox";
    else if (types || (fields && in_array) || record->names_types) map->owner = "type";
    else if (fields) map->names_types = true;
}

static void open_record(struct scan *s, uint32_t start) {
    const struct context_bracket *outer = top(s);
    struct context_bracket *record = push(s, '{', start);
    if (!outer || record == outer) record->owner = outer ? NULL : header_owner(s->text);
    else if (outer->bracket == '(' || outer->bracket == '[')
        record->owner = property_owner(outer->label);
    else own_map(record, outer);
}

static void open(struct scan *s, struct token t) {
    const struct context_bracket *f = top(s);
    bool in_value = f && ((f->bracket == '{' && f->in_value) || f->bracket == 'a');
    if (t.code == TK_LBRACE) open_record(s, t.start);
    else if (t.code == TK_LBRACKET && in_value) push(s, 'a', t.start);
    else {
        bool arrow = s->last >= TK_DASH && s->last <= TK_TILDE_LEFT;
        push(s, t.code == TK_LPAREN ? '(' : '[', t.start)->after_arrow = arrow;
    }
}

/* ## Going through what stands inside */

static void take_name(struct scan *s, gramc_text word) {
    struct context_bracket *f = top(s);
    if (!f) return;
    bool behind_colon = s->last == TK_COLON || s->last == TK_COLONCOLON;
    if (f->bracket == '(' || (f->bracket == '[' && !f->after_bar)) {
        if (behind_colon && !f->label.len) f->label = word;
        else if (!f->identifier.len && !f->label.len) f->identifier = word;
    }
    const struct context_bracket *holder = f->bracket == 'a' && s->c->depth > 1 ? f - 1 : NULL;
    if (holder && text_is(holder->key, "enum")) {
        struct context_bracket *record = f - 1;
        if (record->member_count < CONTEXT_WORDS) record->members[record->member_count++] = word;
    }
}

static void take_colon(struct scan *s) {
    struct context_bracket *f = top(s);
    if (!f || f->bracket != '{' || f->in_value) return;
    f->in_value = true;
    f->key = s->last_word;
    if (f->key_count < CONTEXT_KEYS) f->keys[f->key_count++] = f->key;
}

static void take_comma(struct scan *s) {
    struct context_bracket *f = top(s);
    if (f && f->bracket == '{') f->in_value = false;
}

static void close(struct scan *s) {
    if (s->c->depth) s->c->depth--;
}

static void take(struct scan *s, struct token t) {
    switch (t.code) {
    case TK_LPAREN:
    case TK_LBRACKET:
    case TK_LBRACE: open(s, t); break;
    case TK_RPAREN:
    case TK_RBRACKET:
    case TK_RBRACE: close(s); break;
    case TK_COLON:
    case TK_COLONCOLON: take_colon(s); break;
    case TK_COMMA: take_comma(s); break;
    case TK_BAR:
        if (top(s)) top(s)->after_bar = true;
        break;
    default:
        if (is_name(t.code)) take_name(s, word_of(s->text, t));
    }
    s->last = t.code;
    s->last_word = is_name(t.code) ? word_of(s->text, t) : (gramc_text){NULL, 0};
}

/* ## The cursor */

/* Behind `${`, which is not closed in front of the cursor. */
static bool is_in_template(struct context *c, gramc_text text, uint32_t offset) {
    uint32_t at = offset;
    while (at > c->word.start && text.ptr[at - 1] != '{' && text.ptr[at - 1] != '}' &&
           text.ptr[at - 1] != '\n')
        at--;
    bool opened = at >= c->word.start + 2 && text.ptr[at - 1] == '{' && text.ptr[at - 2] == '$';
    if (!opened || (at >= 3 && text.ptr[at - 3] == '$')) return false;
    c->word = (struct span){at, offset};
    return true;
}

static enum context_kind kind_of(const struct scan *s) {
    const struct context_bracket *f = context_frame(s->c, 0);
    bool behind_colon = s->last == TK_COLON || s->last == TK_COLONCOLON;
    if (!f) return CONTEXT_TOP;
    if (f->bracket == 'a') return CONTEXT_VALUE;
    if (f->bracket == '{') return f->in_value ? CONTEXT_VALUE : CONTEXT_KEY;
    if (f->bracket == '[' && f->after_bar) return CONTEXT_ELEMENT;
    if (behind_colon && !f->label.len) return CONTEXT_LABEL;
    bool opened = s->last == TK_LPAREN || s->last == TK_LBRACKET;
    return opened ? CONTEXT_IDENTIFIER : CONTEXT_NOWHERE;
}

static bool is_text(uint16_t code) {
    return code == TK_SINGLE || code == TK_DOUBLE || code == TK_FENCE || code == TK_BACKTICK ||
           code == LEX_UNTERMINATED_STRING || code == LEX_UNTERMINATED_FENCE;
}

/* The token that the cursor stands in or behind. */
static void take_word(struct scan *s, struct token t, uint32_t offset) {
    struct context *c = s->c;
    bool fence = t.code == TK_FENCE || t.code == LEX_UNTERMINATED_FENCE;
    bool open_ended = t.code == LEX_UNTERMINATED_STRING || t.code == LEX_UNTERMINATED_FENCE;
    c->word = (struct span){t.start, t.end};
    if (is_text(t.code)) {
        c->in_string = true;
        c->word.start += fence ? 3 : 1;
        c->word.end = open_ended ? offset : t.end - (fence ? 3 : 1);
        if (c->word.end < c->word.start) c->word.end = c->word.start;
        if (is_in_template(c, s->text, offset)) c->kind = CONTEXT_INPUT;
        else if (fence) c->kind = CONTEXT_NOWHERE;
    }
    if (offset >= c->word.start) c->before = text_slice(s->text, c->word.start, offset);
}

static bool is_word(uint16_t code, struct token t, uint32_t offset) {
    if (is_text(code)) return offset > t.start && (offset < t.end || code >= LEX_COMMENT);
    return is_name(code) || code == TK_MEASUREMENT || code == LEX_STRAY;
}

/* Keys behind the cursor are taken, too. */
static void take_keys_behind(struct scan *s, struct lexer *lexer) {
    struct context_bracket *f = top(s);
    struct token last = {.code = 0};
    int depth = 0;
    for (unsigned i = 0; i < FARTHEST_LOOK && depth >= 0; i++) {
        struct token t = lexer_next(lexer);
        if (!t.code) break;
        if (t.code == TK_LBRACE || t.code == TK_LBRACKET || t.code == TK_LPAREN) depth++;
        if (t.code == TK_RBRACE || t.code == TK_RBRACKET || t.code == TK_RPAREN) depth--;
        bool is_key = depth == 0 && (t.code == TK_COLON || t.code == TK_COLONCOLON);
        if (is_key && is_name(last.code) && f->key_count < CONTEXT_KEYS)
            f->keys[f->key_count++] = word_of(s->text, last);
        last = t;
    }
}

void context_read(struct context *out, gramc_text text, uint32_t offset) {
    struct scan s = {.c = out, .text = text};
    struct source source = {.text = text};
    struct lexer lexer;
    out->kind = CONTEXT_NOWHERE;
    out->word = (struct span){offset, offset};
    out->in_string = false;
    out->before = (gramc_text){"", 0};
    out->depth = 0;
    lexer_init(&lexer, &source);
    struct token t = lexer_next(&lexer);
    for (; t.code && t.end < offset; t = lexer_next(&lexer))
        if (t.code < LEX_COMMENT) take(&s, t);
    bool holds = t.code && t.start < offset;
    if (holds && (t.code == LEX_COMMENT || t.code == LEX_BLOCK_COMMENT)) {
        out->kind = CONTEXT_COMMENT;
        out->word = (struct span){t.start, offset};
        out->before = text_slice(text, t.start, offset);
        return;
    }
    bool word = holds && is_word(t.code, t, offset);
    if (holds && !word && t.code < LEX_COMMENT) take(&s, t);
    out->kind = kind_of(&s);
    if (word) take_word(&s, t, offset);
    if (out->kind == CONTEXT_KEY) take_keys_behind(&s, &lexer);
}
