/* Turns a row of diag.def, a place and some texts into a finding of one list. Printing is
 * text.c's; what is worth a finding is decided by the passes. */
#include "base/diag/diag.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE = GRAMC_NOTE, WARNING = GRAMC_WARNING, ERROR = GRAMC_ERROR, LONGEST_ARG = 200 };

static const struct diag_row rows[] = {
#define DIAG(code, id, slug, severity, message, explanation, bad, good)                            \
    {#code, slug, (gramc_severity)severity, message, explanation, bad, good},
#include "base/diag/diag.def"
#undef DIAG
};

const struct diag_row *diag_row(enum diag_id id) {
    return &rows[id];
}

enum diag_id diag_find(gramc_text name) {
    int id = 0;
    while (id < DIAG_COUNT && !text_is(name, rows[id].code) && !text_is(name, rows[id].slug)) id++;
    return (enum diag_id)id;
}

gramc_text diag_nearest(gramc_text name) {
    gramc_text names[2 * DIAG_COUNT];
    for (size_t i = 0; i < DIAG_COUNT; i++) {
        names[2 * i] = text_of(rows[i].slug);
        names[2 * i + 1] = text_of(rows[i].code);
    }
    return text_nearest(name, names, 2 * (size_t)DIAG_COUNT);
}

bool diag_is_suppressible(enum diag_id id) {
    char family = rows[id].code[2];
    return family != '1' && family != '5' && family != '6';
}

bool gramc_explain(size_t i, gramc_explanation *out) {
    if (i >= DIAG_COUNT) return false;
    *out = (gramc_explanation){rows[i].code,        rows[i].slug, rows[i].severity, rows[i].message,
                               rows[i].explanation, rows[i].bad,  rows[i].good};
    return true;
}

void findings_init(struct findings *findings, struct arena *arena, uint32_t max) {
    *findings = (struct findings){.arena = arena, .max = max ? max : 1000};
}

/* Long arguments are cut at a code point, so that one finding stays one line. */
static void put_arg(struct buf *out, gramc_text arg) {
    size_t pos = 0;
    while (pos < arg.len && pos < LONGEST_ARG) text_decode(arg, &pos);
    buf_text(out, text_slice(arg, 0, pos));
    if (pos < arg.len) buf_puts(out, "...");
}

gramc_text diag_fill(struct arena *arena, enum diag_id id, const gramc_text *args, size_t count) {
    const char *template = rows[id].message;
    struct buf out;
    buf_init(&out, &arena->allocator, 4096);
    for (const char *p = template; *p; p++) {
        bool is_arg = p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}';
        if (!is_arg) {
            buf_putc(&out, *p);
            continue;
        }
        size_t i = (size_t)(p[1] - '0');
        if (i < count) put_arg(&out, args[i]);
        p += 2;
    }
    return buf_to_arena_cut(&out, arena);
}

struct finding *findings_report(struct findings *findings, const struct diag_row *row,
                                const struct source *source, struct span span, gramc_text message) {
    findings->counts[row->severity]++;
    if (findings->kept_of[row->severity] >= findings->max) return NULL;
    struct finding *finding = ARENA_NEW(findings->arena, struct finding);
    if (!finding) return NULL;
    finding->id = DIAG_COUNT;
    finding->row = row;
    finding->severity = row->severity;
    finding->source = source;
    finding->span = span;
    finding->message = message;
    finding->order = findings->reported++;
    findings->kept_of[row->severity]++;
    if (findings->last) findings->last->next = finding;
    else findings->first = finding;
    findings->last = finding;
    return finding;
}

struct finding *findings_add(struct findings *findings, enum diag_id id,
                             const struct source *source, struct span span, const gramc_text *args,
                             size_t arg_count) {
    const gramc_text later = {NULL, 0};
    struct finding *finding = findings_report(findings, &rows[id], source, span, later);
    if (!finding) return NULL;
    finding->id = id;
    finding->message = diag_fill(findings->arena, id, args, arg_count);
    return finding;
}

void finding_label(struct findings *findings, struct finding *finding, const struct source *source,
                   struct span span, const char *text) {
    if (!finding || finding->label_count == DIAG_LABELS) return;
    gramc_text copy = arena_text(findings->arena, text_of(text));
    finding->labels[finding->label_count++] = (struct diag_label){source, span, copy};
}

void finding_help(struct findings *findings, struct finding *finding, const char *format, ...) {
    char line[1024];
    va_list args;
    if (!finding) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    finding->help = arena_text(findings->arena, text_of(line));
}

void finding_fix(struct findings *findings, struct finding *finding, struct span span,
                 gramc_text replacement) {
    struct fix *fix = finding ? ARENA_NEW(findings->arena, struct fix) : NULL;
    if (!fix) return;
    *fix = (struct fix){finding->fixes, span, arena_text(findings->arena, replacement)};
    finding->fixes = fix;
}

static int compare(const void *left, const void *right) {
    const struct finding *a = *(const struct finding *const *)left;
    const struct finding *b = *(const struct finding *const *)right;
    if (a->source->order != b->source->order) return a->source->order < b->source->order ? -1 : 1;
    if (a->span.start != b->span.start) return a->span.start < b->span.start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Takes the last findings of the least severities out until max are left. They stay counted. */
static void trim(struct findings *findings) {
    uint32_t room = findings->max, keep[3], taken[3] = {0, 0, 0};
    for (int i = GRAMC_ERROR; i >= GRAMC_NOTE; i--) {
        keep[i] = findings->kept_of[i] < room ? findings->kept_of[i] : room;
        room -= keep[i];
    }
    struct finding **link = &findings->first;
    findings->last = NULL;
    for (struct finding *f = *link; f; f = f->next) {
        if (taken[f->severity] == keep[f->severity]) continue;
        taken[f->severity]++;
        *link = findings->last = f;
        link = &f->next;
    }
    *link = NULL;
    memcpy(findings->kept_of, taken, sizeof taken);
}

static void sort(struct findings *findings) {
    size_t count = findings_kept(findings);
    if (count == 0) return;
    struct finding **all = arena_array(findings->arena, count, sizeof(struct finding *));
    if (!all) return;
    count = 0;
    for (struct finding *f = findings->first; f; f = f->next) all[count++] = f;
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i + 1 < count; i++) all[i]->next = all[i + 1];
    all[count - 1]->next = NULL;
    findings->first = all[0];
    findings->last = all[count - 1];
}

void findings_sort(struct findings *findings) {
    sort(findings);
    trim(findings);
}

uint32_t findings_remove(struct findings *findings,
                         bool (*gone)(void *ctx, const struct finding *finding), void *ctx) {
    uint32_t removed = 0;
    struct finding **link = &findings->first;
    findings->last = NULL;
    while (*link) {
        struct finding *finding = *link;
        if (gone(ctx, finding)) {
            *link = finding->next;
            findings->counts[finding->severity]--;
            findings->kept_of[finding->severity]--;
            removed++;
        } else {
            findings->last = finding;
            link = &finding->next;
        }
    }
    return removed;
}

void findings_move(struct findings *to, struct findings *from,
                   bool (*gone)(void *ctx, const struct finding *finding), void *ctx) {
    if (gone) findings_remove(from, gone, ctx);
    for (int i = GRAMC_NOTE; i <= GRAMC_ERROR; i++) to->counts[i] += from->counts[i];
    for (struct finding *f = from->first, *next; f; f = next) {
        next = f->next;
        if (to->kept_of[f->severity] >= to->max) continue;
        f->next = NULL;
        f->order = to->reported++;
        if (to->last) to->last->next = f;
        else to->first = f;
        to->last = f;
        to->kept_of[f->severity]++;
    }
    findings_init(from, from->arena, from->max);
}

void findings_rewind(struct findings *findings, const struct findings *before) {
    *findings = *before;
    if (findings->last) findings->last->next = NULL;
}

void finding_set_severity(struct findings *findings, struct finding *finding,
                          gramc_severity severity) {
    findings->counts[finding->severity]--;
    findings->counts[severity]++;
    findings->kept_of[finding->severity]--;
    findings->kept_of[severity]++;
    finding->severity = severity;
}

bool findings_have_errors(const struct findings *findings) {
    return findings->counts[GRAMC_ERROR] > 0;
}

uint32_t findings_kept(const struct findings *findings) {
    const uint32_t *kept = findings->kept_of;
    return kept[GRAMC_ERROR] + kept[GRAMC_WARNING] + kept[GRAMC_NOTE];
}

uint32_t findings_unshown(const struct findings *findings, gramc_severity severity) {
    return findings->counts[severity] - findings->kept_of[severity];
}
