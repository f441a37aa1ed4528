/* Makes the fixes of one source: turns its text and the edits of its findings into the mended text.
 * Which edits there are was decided where the findings were made. */
#include "compiler/compilation.h"

#include "base/text.h"

#include <stdlib.h>

/* All edits of one finding, or none. */
struct mending {
    const struct fix *fixes;
    struct span hull;
};

static struct span hull_of(const struct fix *fix) {
    struct span hull = fix->span;
    for (; fix; fix = fix->next) {
        if (fix->span.start < hull.start) hull.start = fix->span.start;
        if (fix->span.end > hull.end) hull.end = fix->span.end;
    }
    return hull;
}

static int by_place(const void *left, const void *right) {
    const struct mending *a = left, *b = right;
    if (a->hull.start != b->hull.start) return a->hull.start < b->hull.start ? -1 : 1;
    return a->hull.end < b->hull.end ? -1 : a->hull.end > b->hull.end;
}

static int by_start(const void *left, const void *right) {
    const struct fix *a = *(const struct fix *const *)left, *b = *(const struct fix *const *)right;
    return a->span.start < b->span.start ? -1 : a->span.start > b->span.start;
}

static size_t collect(struct mending *all, const struct findings *findings,
                      const struct source *source) {
    size_t count = 0;
    for (const struct finding *f = findings->first; f; f = f->next)
        if (f->source == source && f->fixes)
            all[count++] = (struct mending){f->fixes, hull_of(f->fixes)};
    qsort(all, count, sizeof *all, by_place);
    return count;
}

/* Of those that overlap the first one stays; what is left is found again in the next round. */
static size_t without_overlaps(struct mending *all, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool apart = kept == 0 || all[i].hull.start > all[kept - 1].hull.end;
        if (apart) all[kept++] = all[i];
    }
    return kept;
}

static void write_pieces(struct buf *out, gramc_text text, const struct fix **edits, size_t count) {
    size_t pos = 0;
    for (size_t i = 0; i < count; i++) {
        buf_text(out, text_slice(text, pos, edits[i]->span.start));
        buf_text(out, edits[i]->replacement);
        pos = edits[i]->span.end;
    }
    buf_text(out, text_slice(text, pos, text.len));
}

static gramc_status mend(struct buf *out, struct arena *arena, gramc_text text,
                         const struct mending *all, size_t count) {
    size_t edit_count = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct fix *fix = all[i].fixes; fix; fix = fix->next) edit_count++;
    const struct fix **edits = arena_array(arena, edit_count + 1, sizeof(struct fix *));
    if (!edits) return GRAMC_NOMEM;
    edit_count = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct fix *fix = all[i].fixes; fix; fix = fix->next) edits[edit_count++] = fix;
    qsort(edits, edit_count, sizeof *edits, by_start);
    write_pieces(out, text, edits, edit_count);
    return buf_status(out);
}

gramc_status gramc_source_fix(const gramc_compilation *compilation, size_t i, gramc_writer writer,
                              size_t *fixed) {
    const struct unit *unit = compilation->units;
    struct arena arena;
    struct buf out;
    *fixed = 0;
    while (unit && i--) unit = unit->next;
    if (!unit) return GRAMC_NOT_FOUND;
    arena_init(&arena, &compilation->arena.allocator);
    buf_init(&out, &arena.allocator, SOURCE_MAX);
    gramc_status status = GRAMC_NOMEM;
    struct mending *all =
        arena_array(&arena, findings_kept(&compilation->findings) + (size_t)1, sizeof *all);
    if (all) {
        size_t count = collect(all, &compilation->findings, &unit->source);
        count = without_overlaps(all, count);
        status = mend(&out, &arena, unit->source.text, all, count);
        if (status == GRAMC_OK) status = buf_send(&out, writer);
        if (status == GRAMC_OK) *fixed = count;
    }
    buf_free(&out);
    arena_free(&arena);
    return status;
}
