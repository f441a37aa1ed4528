/* Turns the tokens and comments of a source into the document of layout.c: which of them stand
 * together, where a line may end, how deep it is indented. Reads tokens rather than the tree,
 * because comments may stand between any two of them; so none can be lost. */
#include "grammar/format.h"

#include "parser.h"

#include "base/text.h"
#include "grammar/layout.h"
#include "grammar/lexer.h"
#include "grammar/parse.h"

#include <string.h>

enum frame_kind {
    FRAME_NODE,
    FRAME_ANNOTATION, /* the value of one */
    FRAME_ARROW,
    FRAME_BRACKET,
    FRAME_RECORD, /* or a map */
    FRAME_ARRAY
};

/* An open bracket of any kind. */
struct format_frame {
    uint8_t kind;      /* enum frame_kind */
    bool has_elements; /* behind the `|` of a bracket */
};

/* A path that may have a line for each node. */
struct format_path {
    struct span span;
    bool forced; /* it has them in the source */
};

struct formatter {
    struct format_options *options;
    struct buf paths; /* struct format_path, in the order of their places */
    size_t path;      /* that we are in, or the next */
    bool in_path;
    gramc_text text;
    struct layout layout;
    struct lexer lexer;
    struct token last, before_last; /* written; code 0: none yet */
    const struct comment *comment;  /* the next that is to be written */
    const struct pattern *top;      /* the next pattern of the file */
    uint32_t annotated;             /* where the element behind annotations begins */
    bool in_annotated, started;
    size_t edit;
    unsigned level;
    uint32_t depth;
    struct format_frame frames[PARSE_MAX_DEPTH];
};

/* What stands between two tokens. */
enum gap {
    GAP_NONE,
    GAP_SPACE,
    GAP_SOFT, /* nothing or a line end */
    GAP_LINE, /* a blank or a line end */
    GAP_TOP   /* a line end */
};

/* ## Places in the source */

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Line ends in front of this offset, with only blanks between. */
static unsigned feeds_before(const struct formatter *f, uint32_t at) {
    unsigned feeds = 0;
    while (at > 0 && is_blank(f->text.ptr[at - 1])) feeds += f->text.ptr[--at] == '\n';
    return feeds;
}

static bool has_comments(const struct formatter *f, uint32_t before) {
    return f->comment && f->comment->span.start < before;
}

static struct token next_token(struct lexer *lexer) {
    struct token token = lexer_next(lexer);
    while (token.code == LEX_COMMENT) token = lexer_next(lexer);
    return token;
}

/* ## Tokens */

static bool is_opener(uint16_t code) {
    return code == TK_LPAREN || code == TK_LBRACKET || code == TK_LBRACE;
}

static bool is_closer(uint16_t code) {
    return code == TK_RPAREN || code == TK_RBRACKET || code == TK_RBRACE;
}

static bool is_colon(uint16_t code) {
    return code == TK_COLON || code == TK_COLONCOLON;
}

static bool is_arrow_piece(uint16_t code) {
    return code >= TK_DASH && code <= TK_TILDE_LEFT;
}

/* ## Frames */

static struct format_frame *frame_of(struct formatter *f) {
    return f->depth ? &f->frames[f->depth - 1] : NULL;
}

static bool is_list(const struct format_frame *frame) {
    return frame && (frame->kind == FRAME_RECORD || frame->kind == FRAME_ARRAY);
}

static bool is_value_place(const struct format_frame *frame) {
    return is_list(frame) || (frame && frame->kind == FRAME_ANNOTATION);
}

static enum frame_kind kind_of(struct formatter *f, struct token opener) {
    if (opener.code == TK_LBRACE) return FRAME_RECORD;
    if (opener.code == TK_LPAREN)
        return f->depth == 0 && f->before_last.code == TK_AT ? FRAME_ANNOTATION : FRAME_NODE;
    if (is_value_place(frame_of(f))) return FRAME_ARRAY;
    return is_arrow_piece(f->last.code) ? FRAME_ARROW : FRAME_BRACKET;
}

static bool is_group(enum frame_kind kind) {
    return kind >= FRAME_BRACKET;
}

static void open_frame(struct formatter *f, struct token opener) {
    struct format_frame frame = {.kind = (uint8_t)kind_of(f, opener)};
    if (is_group((enum frame_kind)frame.kind)) layout_open(&f->layout);
    if (is_list(&frame)) f->level++;
    f->frames[f->depth++] = frame;
}

static void close_frame(struct formatter *f) {
    if (is_group((enum frame_kind)f->frames[--f->depth].kind)) layout_close(&f->layout);
}

/* ## Paths */

static bool has_line_end(gramc_text text, const struct pattern *a, const struct pattern *b) {
    return a && b && memchr(text.ptr + a->span.end, '\n', b->span.start - a->span.end) != NULL;
}

/* Some arrow begins a line, with its node behind it. */
static bool is_broken(gramc_text text, const struct pattern *path) {
    for (const struct pattern *step = path->elements; step; step = step->next) {
        const struct pattern *arrow = step->next;
        bool is_arrow = arrow && arrow->kind == PATTERN_ARROW;
        if (is_arrow && has_line_end(text, step, arrow) && !has_line_end(text, arrow, arrow->next))
            return true;
    }
    return false;
}

/* What begins with an empty node has no parameter to stand on a line of its own. */
static void note_paths(struct formatter *f, const struct pattern *first) {
    for (; first && f->paths.state == BUF_FINE; first = first->next) {
        if (first->kind != PATTERN_PATH) {
            note_paths(f, first->elements);
            continue;
        }
        struct format_path path = {first->span, is_broken(f->text, first)};
        if (first->elements->subject) buf_put(&f->paths, (const char *)&path, sizeof path);
    }
}

static const struct format_path *next_path(const struct formatter *f) {
    const struct format_path *paths = (const struct format_path *)(const void *)f->paths.ptr;
    return f->path < f->paths.len / sizeof *paths ? &paths[f->path] : NULL;
}

static void begin_path(struct formatter *f, struct token token) {
    const struct format_path *path = next_path(f);
    if (f->in_path || !path || token.start != path->span.start) return;
    layout_open(&f->layout);
    f->in_path = true;
}

static void end_path(struct formatter *f, struct token token) {
    if (!f->in_path || token.end != next_path(f)->span.end) return;
    layout_close(&f->layout);
    f->in_path = false;
    f->path++;
}

static bool is_arrow_start(const struct formatter *f, struct token token) {
    return f->in_path && f->last.code == TK_RPAREN && is_arrow_piece(token.code);
}

/* ## Gaps */

static enum gap gap_at_top(const struct formatter *f, struct token token) {
    if (f->top && token.start == f->top->span.start) return GAP_TOP;
    bool parts = f->in_annotated && (token.code == TK_AT || token.start == f->annotated);
    if (!parts) return GAP_NONE;
    return f->options->lines_end_in_braces_only ? GAP_SPACE : GAP_LINE;
}

static enum gap gap_before(struct formatter *f, struct token token) {
    const struct format_frame *frame = frame_of(f);
    if (is_arrow_start(f, token)) return f->options->lines_end_in_braces_only ? GAP_NONE : GAP_SOFT;
    if (!frame) return gap_at_top(f, token);
    bool list = is_list(frame), closes = is_closer(token.code);
    if (is_opener(f->last.code) && (closes || !list)) return GAP_NONE;
    if (is_opener(f->last.code)) return GAP_SOFT;
    if (closes) return list || frame->has_elements ? GAP_SOFT : GAP_NONE;
    if (f->last.code == TK_COMMA || f->last.code == TK_BAR) return GAP_LINE;
    if (token.code == TK_BAR) return GAP_SPACE;
    if (token.code == TK_LBRACE && !list) return GAP_SPACE;
    return is_colon(f->last.code) && list ? GAP_SPACE : GAP_NONE;
}

/* The first stands behind what is on its line already if it did so before; others cannot. */
static void put_comments(struct formatter *f, uint32_t before, unsigned level) {
    bool may_trail = f->started, at_start = is_opener(f->last.code) || f->last.code == TK_BAR;
    for (; has_comments(f, before); f->comment = f->comment->next) {
        struct span span = f->comment->span;
        unsigned feeds = feeds_before(f, span.start);
        if (may_trail && feeds == 0) layout_comment(&f->layout, TEXT(" "));
        else if (f->started)
            layout_break(&f->layout, LAYOUT_FORCED | (feeds > 1 && !at_start ? LAYOUT_BLANK : 0U),
                         level);
        layout_comment(&f->layout, text_trim(text_slice(f->text, span.start, span.end)));
        may_trail = at_start = false;
        f->started = true;
    }
}

/* A line end that keeps one blank line, where it separates. */
static void put_break(struct formatter *f, struct token token, enum gap gap, bool forced,
                      unsigned level) {
    bool separates = gap == GAP_TOP || (gap == GAP_LINE && f->last.code == TK_COMMA);
    unsigned flags = gap == GAP_LINE || gap == GAP_SPACE ? LAYOUT_SPACE : LAYOUT_SOFT;
    if (forced || gap == GAP_TOP) flags |= LAYOUT_FORCED;
    if (separates && feeds_before(f, token.start) > 1) flags |= LAYOUT_BLANK;
    if (f->started) layout_break(&f->layout, flags, level);
}

static enum gap without_breaks(const struct formatter *f, const struct format_frame *frame,
                               enum gap gap) {
    if (!f->options->lines_end_in_braces_only || !frame || frame->kind != FRAME_ARRAY) return gap;
    return gap == GAP_SOFT ? GAP_NONE : gap == GAP_LINE ? GAP_SPACE : gap;
}

/* All that stands in front of the token: comments, and what the layout says. */
static void put_gap(struct formatter *f, struct token token) {
    const struct format_frame *frame = frame_of(f);
    bool commented = has_comments(f, token.start), closes = is_closer(token.code);
    bool forced = commented || (is_arrow_start(f, token) && next_path(f)->forced);
    enum gap gap = gap_before(f, token);
    if (commented && closes && is_list(frame)) gap = GAP_SOFT;
    gap = without_breaks(f, frame, gap);
    bool breaks = gap > GAP_SPACE;
    if (commented && !breaks && !f->options->awkward) f->options->awkward = f->comment;
    unsigned level = f->level + (breaks || closes ? 0 : 1);
    put_comments(f, token.start, level);
    if (closes && (is_list(frame) || frame->has_elements)) level = --f->level;
    if (breaks || commented) put_break(f, token, gap, forced, level);
    else if (gap == GAP_SPACE) layout_text(&f->layout, TEXT(" "));
}

/* ## Patterns of the file */

static void end_annotated(struct formatter *f) {
    if (f->in_annotated) layout_close(&f->layout);
    f->in_annotated = false;
}

static void begin_top(struct formatter *f) {
    f->in_annotated = f->top->kind == PATTERN_ANNOTATED;
    if (f->in_annotated) {
        f->annotated = f->top->elements->span.start;
        layout_open(&f->layout);
    }
    f->top = f->top->next;
}

/* ## The text of a token */

static const struct format_edit *edit_at(const struct formatter *f, uint32_t start) {
    if (f->edit == f->options->edit_count) return NULL;
    const struct format_edit *edit = &f->options->edits[f->edit];
    return edit->span.start == start ? edit : NULL;
}

static void put_colon(struct formatter *f) {
    struct lexer ahead = f->lexer;
    const struct format_edit *edit = edit_at(f, next_token(&ahead).start);
    layout_text(&f->layout, edit && edit->double_colon ? TEXT("::") : TEXT(":"));
}

static void put_text(struct formatter *f, struct token token) {
    const struct format_edit *edit = edit_at(f, token.start);
    gramc_text text = text_slice(f->text, token.start, token.end);
    if (edit && edit->text.ptr) {
        text = edit->text;
        while (f->lexer.cursor < f->text.ptr + edit->span.end) next_token(&f->lexer);
    }
    if (edit) f->edit++;
    layout_text(&f->layout, text);
}

/* ## One after the other */

/* A comma or bar goes in front of the comments that it would stand behind. */
static bool is_glued(struct formatter *f, struct token token) {
    return token.code == TK_COMMA || (token.code == TK_BAR && f->depth > 0);
}

static void put_token(struct formatter *f, struct token token) {
    bool is_top = f->depth == 0 && f->top && token.start == f->top->span.start;
    if (is_glued(f, token)) {
        if (token.code == TK_BAR) {
            if (f->last.code != TK_LBRACKET) layout_text(&f->layout, TEXT(" "));
            frame_of(f)->has_elements = true;
            f->level++;
        }
        put_text(f, token);
    } else {
        if (is_top) end_annotated(f);
        put_gap(f, token);
        if (is_top) begin_top(f);
        begin_path(f, token);
        if (is_opener(token.code)) open_frame(f, token);
        if (is_colon(token.code)) put_colon(f);
        else put_text(f, token);
        if (is_closer(token.code)) close_frame(f);
        end_path(f, token);
    }
    f->before_last = f->last;
    f->last = token;
    f->started = true;
}

static void put_all(struct formatter *f) {
    struct token token = next_token(&f->lexer);
    for (; token.code != 0 && f->layout.ops.state == BUF_FINE; token = next_token(&f->lexer))
        put_token(f, token);
    end_annotated(f);
    put_comments(f, UINT32_MAX, 0);
    if (f->started) layout_break(&f->layout, LAYOUT_FORCED, 0);
}

gramc_status format_tree(struct buf *out, const struct tree *tree, struct format_options *options) {
    struct formatter *f = mem_alloc(&out->allocator, sizeof *f);
    if (!f) return GRAMC_NOMEM;
    *f = (struct formatter){.options = options,
                            .text = tree->source->text,
                            .comment = tree->comments,
                            .top = tree->patterns};
    buf_init(&f->paths, &out->allocator, SIZE_MAX / 4);
    note_paths(f, tree->patterns);
    layout_init(&f->layout, &out->allocator);
    lexer_init(&f->lexer, tree->source);
    if (f->paths.state == BUF_FINE) put_all(f);
    gramc_status status = buf_status(&f->paths);
    if (status == GRAMC_OK) status = layout_print(&f->layout, out, FORMAT_COLUMNS);
    layout_free(&f->layout);
    buf_free(&f->paths);
    mem_free(&out->allocator, f, sizeof *f);
    return status;
}
