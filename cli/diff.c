/* Turns two versions of a text into a unified diff: the shortest one by lines (E. W. Myers, "An
 * O(ND) Difference Algorithm and Its Variations", 1986), or one big change where that would take
 * too long. */
#include "cli/diff.h"

#include "base/text.h"

#include <string.h>

enum { CONTEXT = 3, MOST_EDITS = 2000 };

struct lines {
    gramc_text *at;
    size_t count;
};

struct diff {
    struct lines old, new;
    size_t prefix, old_end, new_end; /* what is left between equal beginnings and ends */
    bool *removed, *added;           /* by line */
};

/* ## Lines */

static size_t count_lines(gramc_text text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '\n' || i + 1 == text.len;
    return count;
}

static bool split(struct lines *lines, gramc_text text, struct arena *arena) {
    lines->at = arena_array(arena, count_lines(text) + 1, sizeof *lines->at);
    if (!lines->at) return false;
    for (size_t pos = 0; pos < text.len;) {
        const char *feed = memchr(text.ptr + pos, '\n', text.len - pos);
        size_t end = feed ? (size_t)(feed - text.ptr) + 1 : text.len;
        lines->at[lines->count++] = text_slice(text, pos, end);
        pos = end;
    }
    return true;
}

static void trim(struct diff *d) {
    d->old_end = d->old.count;
    d->new_end = d->new.count;
    while (d->prefix < d->old_end && d->prefix < d->new_end &&
           text_eq(d->old.at[d->prefix], d->new.at[d->prefix]))
        d->prefix++;
    while (d->old_end > d->prefix && d->new_end > d->prefix &&
           text_eq(d->old.at[d->old_end - 1], d->new.at[d->new_end - 1])) {
        d->old_end--;
        d->new_end--;
    }
}

/* ## The shortest script */

/* furthest[k] is the old line reached on diagonal k (old line - new line) with so many edits. */
struct path_search {
    struct diff *diff;
    int32_t *furthest; /* with its middle in front */
    int32_t *steps;    /* a copy of it for each number of edits */
    int32_t old_count, new_count, width;
};

static int32_t run(const struct path_search *s, int32_t x, int32_t k) {
    const struct diff *d = s->diff;
    while (x < s->old_count && x - k < s->new_count &&
           text_eq(d->old.at[d->prefix + (size_t)x], d->new.at[d->prefix + (size_t)(x - k)]))
        x++;
    return x;
}

static bool comes_down(const int32_t *furthest, int32_t k, int32_t edits) {
    return k == -edits || (k != edits && furthest[k - 1] < furthest[k + 1]);
}

/* The number of edits, -1 if it is more than MOST_EDITS. */
static int32_t search(struct path_search *s) {
    int32_t *furthest = s->furthest + MOST_EDITS + 1;
    furthest[1] = 0;
    for (int32_t edits = 0; edits <= MOST_EDITS; edits++) {
        for (int32_t k = -edits; k <= edits; k += 2) {
            bool down = comes_down(furthest, k, edits);
            int32_t x = down ? furthest[k + 1] : furthest[k - 1] + 1;
            furthest[k] = x <= s->old_count && x - k <= s->new_count ? run(s, x, k) : x;
            if (furthest[k] >= s->old_count && furthest[k] - k >= s->new_count) return edits;
        }
        int32_t *copy = s->steps + (size_t)edits * (size_t)edits;
        memcpy(copy, furthest - edits, sizeof *copy * (size_t)(2 * edits + 1));
    }
    return -1;
}

static void trace(struct path_search *s, int32_t edits) {
    struct diff *d = s->diff;
    int32_t x = s->old_count, y = s->new_count;
    for (; edits > 0; edits--) {
        const int32_t *row = s->steps + (size_t)(edits - 1) * (size_t)(edits - 1) + (edits - 1);
        int32_t k = x - y;
        bool down = comes_down(row, k, edits);
        int32_t from = down ? k + 1 : k - 1;
        x = row[from];
        y = x - from;
        if (down) d->added[d->prefix + (size_t)y] = true;
        else d->removed[d->prefix + (size_t)x] = true;
    }
}

static void change_all(struct diff *d) {
    for (size_t i = d->prefix; i < d->old_end; i++) d->removed[i] = true;
    for (size_t i = d->prefix; i < d->new_end; i++) d->added[i] = true;
}

static bool compare(struct diff *d, struct arena *arena) {
    size_t olds = d->old_end - d->prefix, news = d->new_end - d->prefix;
    size_t most = olds + news < MOST_EDITS ? olds + news : MOST_EDITS;
    if (olds > INT32_MAX / 2 || news > INT32_MAX / 2) {
        change_all(d);
        return true;
    }
    struct path_search s = {.diff = d, .old_count = (int32_t)olds, .new_count = (int32_t)news};
    s.furthest = arena_array(arena, 2 * MOST_EDITS + 3, sizeof *s.furthest);
    s.steps = arena_array(arena, (most + 1) * (most + 1), sizeof *s.steps);
    if (!s.furthest || !s.steps) return false;
    int32_t edits = search(&s);
    if (edits < 0) change_all(d);
    else trace(&s, edits);
    return true;
}

/* ## Printing */

static void put_line(struct buf *out, char mark, gramc_text line) {
    buf_putc(out, mark);
    buf_text(out, line);
    if (line.len == 0 || line.ptr[line.len - 1] != '\n')
        buf_puts(out, "\n\\ No newline at end of file\n");
}

static bool is_changed(const struct diff *d, size_t old, size_t new) {
    return (old < d->old.count && d->removed[old]) || (new < d->new.count && d->added[new]);
}

/* Lines are numbered from 1; an empty stretch by the line in front of it. */
static void put_range(struct buf *out, char mark, size_t start, size_t count) {
    buf_printf(out, "%c%zu", mark, count ? start + 1 : start);
    if (count != 1) buf_printf(out, ",%zu", count);
}

struct line_pair {
    size_t old, new;
};

static struct line_pair step(const struct diff *d, struct line_pair at, struct buf *out) {
    if (at.old < d->old.count && d->removed[at.old]) {
        if (out) put_line(out, '-', d->old.at[at.old]);
        at.old++;
    } else if (at.new < d->new.count && d->added[at.new]) {
        if (out) put_line(out, '+', d->new.at[at.new]);
        at.new ++;
    } else {
        if (out) put_line(out, ' ', d->old.at[at.old]);
        at.old++;
        at.new ++;
    }
    return at;
}

static bool is_end(const struct diff *d, struct line_pair at) {
    return at.old == d->old.count && at.new == d->new.count;
}

/* Behind the last change that is not more than two contexts away from the one before it. */
static struct line_pair hunk_end(const struct diff *d, struct line_pair at) {
    struct line_pair end = at;
    size_t same = 0;
    while (!is_end(d, at) && same <= (size_t)2 * CONTEXT) {
        bool changed = is_changed(d, at.old, at.new);
        at = step(d, at, NULL);
        same = changed ? 0 : same + 1;
        if (changed) end = at;
    }
    for (int i = 0; i < CONTEXT && end.old < d->old.count; i++) {
        end.old++;
        end.new ++;
    }
    return end;
}

static void put_hunk(const struct diff *d, struct line_pair at, struct line_pair end,
                     struct buf *out) {
    buf_puts(out, "@@ ");
    put_range(out, '-', at.old, end.old - at.old);
    buf_putc(out, ' ');
    put_range(out, '+', at.new, end.new - at.new);
    buf_puts(out, " @@\n");
    while (at.old < end.old || at.new < end.new) at = step(d, at, out);
}

static void put_hunks(const struct diff *d, struct buf *out) {
    struct line_pair at = {0, 0};
    while (!is_end(d, at)) {
        if (!is_changed(d, at.old, at.new)) {
            at = step(d, at, NULL);
            continue;
        }
        struct line_pair start = at, end = hunk_end(d, at);
        size_t lead = start.old < start.new ? start.old : start.new;
        if (lead > CONTEXT) lead = CONTEXT;
        start = (struct line_pair){start.old - lead, start.new - lead};
        put_hunk(d, start, end, out);
        at = end;
    }
}

gramc_status diff_print(struct buf *out, gramc_text name, gramc_text before, gramc_text after) {
    struct arena arena;
    struct diff d = {.prefix = 0};
    if (text_eq(before, after)) return GRAMC_OK;
    arena_init(&arena, &out->allocator);
    bool good = split(&d.old, before, &arena) && split(&d.new, after, &arena);
    if (good) {
        trim(&d);
        d.removed = arena_array(&arena, d.old.count + 1, sizeof *d.removed);
        d.added = arena_array(&arena, d.new.count + 1, sizeof *d.added);
        good = d.removed && d.added && compare(&d, &arena);
    }
    if (good) {
        buf_printf(out, "--- %.*s\n+++ %.*s\n", TEXT_ARGS(name), TEXT_ARGS(name));
        put_hunks(&d, out);
    }
    arena_free(&arena);
    return good ? buf_status(out) : GRAMC_NOMEM;
}
