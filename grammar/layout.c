/* Decides where lines end: turns a list of texts, places and groups into text. Knows nothing of
 * gram. Two passes measure each group and what is glued to its end, a third one writes; so the time
 * is linear, and nothing recurses. */
#include "grammar/layout.h"

#include "base/text.h"

#include <string.h>

#define NOWHERE UINT32_MAX /* no group */

enum { INDENT = 2, DEEPEST_INDENT = 40 };

enum op_kind { OP_TEXT, OP_COMMENT, OP_BREAK, OP_OPEN, OP_CLOSE };

struct op {
    const char *ptr;  /* texts */
    uint32_t len;     /* texts */
    uint32_t width;   /* of a text on its last line; of a group on one line */
    uint32_t partner; /* of an opening: the group round it; of a closing: its opening */
    uint32_t tail;    /* of a group: what stands behind it before a line can end */
    uint16_t level;   /* places */
    uint8_t kind, flags;
    bool broken; /* groups */
};

void layout_init(struct layout *layout, const gramc_allocator *allocator) {
    buf_init(&layout->ops, allocator, SIZE_MAX / 4);
}

void layout_free(struct layout *layout) {
    buf_free(&layout->ops);
}

static void append(struct layout *layout, struct op op) {
    buf_put(&layout->ops, (const char *)&op, sizeof op);
}

static void append_text(struct layout *layout, gramc_text text, enum op_kind kind) {
    append(layout, (struct op){.ptr = text.ptr, .len = (uint32_t)text.len, .kind = (uint8_t)kind});
}

void layout_text(struct layout *layout, gramc_text text) {
    append_text(layout, text, OP_TEXT);
}

void layout_comment(struct layout *layout, gramc_text text) {
    append_text(layout, text, OP_COMMENT);
}

void layout_break(struct layout *layout, unsigned flags, unsigned level) {
    if (level > DEEPEST_INDENT) level = DEEPEST_INDENT;
    append(layout,
           (struct op){.kind = OP_BREAK, .flags = (uint8_t)flags, .level = (uint16_t)level});
}

void layout_open(struct layout *layout) {
    append(layout, (struct op){.kind = OP_OPEN});
}

void layout_close(struct layout *layout) {
    append(layout, (struct op){.kind = OP_CLOSE});
}

/* ## Measuring */

static gramc_text text_of_op(const struct op *op) {
    return (gramc_text){op->ptr, op->len};
}

static size_t first_line(const struct op *op) {
    const char *feed = op->len ? memchr(op->ptr, '\n', op->len) : NULL;
    return feed ? (size_t)(feed - op->ptr) : op->len;
}

static bool has_lines(const struct op *op) {
    return first_line(op) < op->len;
}

static uint32_t last_line_width(const struct op *op) {
    size_t start = op->len;
    while (start > 0 && op->ptr[start - 1] != '\n') start--;
    return (uint32_t)text_length(text_slice(text_of_op(op), start, op->len));
}

/* A group's width on one line, and whether it can be on one. */
static void measure_groups(struct op *ops, uint32_t count) {
    uint32_t group = NOWHERE, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct op *op = &ops[i];
        bool forced = op->kind == OP_TEXT ? has_lines(op) : (op->flags & LAYOUT_FORCED) != 0;
        if (forced && group != NOWHERE) ops[group].broken = true;
        if (op->kind == OP_TEXT) sum += op->width = last_line_width(op);
        if (op->kind == OP_BREAK) sum += op->flags & LAYOUT_SPACE;
        if (op->kind == OP_OPEN) {
            op->partner = group;
            op->width = sum;
            group = i;
        }
        if (op->kind != OP_CLOSE) continue;
        struct op *open = &ops[op->partner = group];
        open->width = sum - open->width;
        group = open->partner;
        if (open->broken && group != NOWHERE) ops[group].broken = true;
    }
}

/* From the end: how much text stands in front of the next place where a line can end. */
static void measure_tails(struct op *ops, uint32_t count) {
    uint32_t tail = 0;
    for (uint32_t i = count; i-- > 0;) {
        struct op *op = &ops[i];
        if (op->kind == OP_BREAK || op->kind == OP_COMMENT) tail = 0;
        if (op->kind == OP_CLOSE) ops[op->partner].tail = tail;
        if (op->kind != OP_TEXT) continue;
        if (has_lines(op))
            tail = (uint32_t)text_length(text_slice(text_of_op(op), 0, first_line(op)));
        else tail += op->width;
    }
}

/* ## Writing */

struct writing {
    struct buf *out;
    struct op *ops;
    uint32_t group; /* the innermost open one */
    uint32_t column, columns;
};

static void write_text(struct writing *w, const struct op *op) {
    buf_text(w->out, text_of_op(op));
    w->column = has_lines(op) ? op->width : w->column + op->width;
}

static void write_break(struct writing *w, const struct op *op) {
    bool is_line_end = w->group == NOWHERE || w->ops[w->group].broken;
    if (!is_line_end) {
        if (op->flags & LAYOUT_SPACE) buf_putc(w->out, ' ');
        w->column += op->flags & LAYOUT_SPACE;
        return;
    }
    buf_puts(w->out, op->flags & LAYOUT_BLANK ? "\n\n" : "\n");
    w->column = INDENT * (uint32_t)op->level;
    for (uint32_t i = 0; i < w->column; i++) buf_putc(w->out, ' ');
}

/* Groups inside one that fits do too. */
static void write_open(struct writing *w, uint32_t i) {
    struct op *open = &w->ops[i];
    bool inside_line = w->group != NOWHERE && !w->ops[w->group].broken;
    if (!inside_line && w->column + open->width + open->tail > w->columns) open->broken = true;
    w->group = i;
}

gramc_status layout_print(struct layout *layout, struct buf *out, uint32_t columns) {
    if (buf_status(&layout->ops) != GRAMC_OK) return buf_status(&layout->ops);
    struct op *ops = (struct op *)(void *)layout->ops.ptr;
    uint32_t count = (uint32_t)(layout->ops.len / sizeof *ops);
    struct writing w = {out, ops, NOWHERE, 0, columns};
    measure_groups(ops, count);
    measure_tails(ops, count);
    for (uint32_t i = 0; i < count && out->state == BUF_FINE; i++) {
        switch ((enum op_kind)ops[i].kind) {
        case OP_TEXT: write_text(&w, &ops[i]); break;
        case OP_COMMENT: buf_text(out, text_of_op(&ops[i])); break;
        case OP_BREAK: write_break(&w, &ops[i]); break;
        case OP_OPEN: write_open(&w, i); break;
        case OP_CLOSE: w.group = ops[ops[i].partner].partner; break;
        }
    }
    return buf_status(out);
}
