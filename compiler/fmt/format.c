/* The public face of formatting: one source to its formatted text, or to findings. Nothing leaves
 * here that does not say the same as what came in. */
#include "compiler/fmt/format.h"

#include "base/text.h"
#include "grammar/parse.h"
#include "grammar/plain.h"

#include <string.h>

static struct unit *unit_at(const gramc_compilation *compilation, size_t i) {
    struct unit *unit = compilation->units;
    while (unit && i--) unit = unit->next;
    return unit;
}

size_t gramc_source_count(const gramc_compilation *compilation) {
    size_t count = 0;
    for (const struct unit *unit = compilation->units; unit; unit = unit->next) count++;
    return count;
}

bool gramc_source_get(const gramc_compilation *compilation, size_t i, gramc_source *out) {
    const struct unit *unit = unit_at(compilation, i);
    if (!unit) return false;
    *out = (gramc_source){unit->source.name, unit->source.text, unit->has_errors};
    return true;
}

/* The text once more: was anything lost, added or moved? */
static gramc_status compare(const struct tree *before, gramc_text text, struct arena *arena) {
    struct findings findings;
    const struct parse_options options = {.plain = false};
    const struct source source = {.name = before->source->name, .text = text};
    findings_init(&findings, arena, 1);
    const struct tree *after = parse_source(arena, &findings, &source, &options);
    if (!after || arena->oom) return GRAMC_NOMEM;
    bool same = !findings_have_errors(&findings) && format_same_tree(arena, before, after);
    if (arena->oom) return GRAMC_NOMEM;
    return same ? GRAMC_OK : GRAMC_INTERNAL;
}

/* A comment beside an arrow or colon ends a line where not everybody reads one. */
static bool check_portable(gramc_compilation *compilation, const struct unit *unit,
                           const struct comment *awkward) {
    struct findings *findings = &compilation->findings;
    uint32_t errors = findings->counts[GRAMC_ERROR];
    if (!compilation->plain) plain_check(findings, unit->tree, true);
    format_portable(findings, unit->tree);
    if (awkward) {
        struct finding *f = FIND(findings, D_NOT_PORTABLE, &unit->source, awkward->span,
                                 TEXT("a line end in this place"));
        finding_help(findings, f, "put the comment in front of the pattern");
    }
    findings_sort(findings);
    return findings->counts[GRAMC_ERROR] == errors;
}

static gramc_status format_into(struct buf *out, gramc_compilation *compilation,
                                const struct unit *unit, bool portable, struct arena *arena) {
    struct buf edits;
    buf_init(&edits, &arena->allocator, SIZE_MAX / 4);
    format_rules(&edits, arena, unit->tree, portable);
    struct format_options options = {
        .edits = (const struct format_edit *)(const void *)edits.ptr,
        .edit_count = edits.len / sizeof(struct format_edit),
        .lines_end_in_braces_only = portable,
    };
    gramc_status status = arena->oom ? GRAMC_NOMEM : buf_status(&edits);
    if (status == GRAMC_OK) status = format_tree(out, unit->tree, &options);
    buf_free(&edits);
    if (status == GRAMC_OK && portable && !check_portable(compilation, unit, options.awkward))
        status = GRAMC_FINDINGS;
    return compilation->arena.oom ? GRAMC_NOMEM : status;
}

/* The formatted text of a source, read again. */
static gramc_status format_whole(struct buf *out, gramc_compilation *compilation,
                                 const struct unit *unit, const gramc_format_options *options,
                                 struct arena *arena) {
    if (!unit || !unit->tree) return GRAMC_NOT_FOUND;
    if (unit->has_errors) return GRAMC_FINDINGS;
    gramc_status status = format_into(out, compilation, unit, options && options->portable, arena);
    return status == GRAMC_OK ? compare(unit->tree, buf_view(out), arena) : status;
}

gramc_status gramc_source_format(gramc_compilation *compilation, size_t i,
                                 const gramc_format_options *options, gramc_writer writer) {
    struct arena arena;
    struct buf out;
    arena_init(&arena, &compilation->arena.allocator);
    buf_init(&out, &arena.allocator, SOURCE_MAX);
    gramc_status status = format_whole(&out, compilation, unit_at(compilation, i), options, &arena);
    if (status == GRAMC_OK) status = buf_send(&out, writer);
    buf_free(&out);
    arena_free(&arena);
    return status;
}

static bool is_inside_character(gramc_text text, size_t at) {
    return at < text.len && (text.ptr[at] & 0xC0) == 0x80;
}

/* The part of `before` that differs, and what stands there in `after`. */
static struct span differing(gramc_text before, gramc_text after, gramc_text *replacement) {
    size_t less = before.len < after.len ? before.len : after.len, start = 0, same = 0;
    while (start < less && before.ptr[start] == after.ptr[start]) start++;
    while (start && is_inside_character(before, start)) start--;
    while (same < less - start &&
           before.ptr[before.len - same - 1] == after.ptr[after.len - same - 1])
        same++;
    while (same && is_inside_character(before, before.len - same)) same--;
    *replacement = text_slice(after, start, after.len - same);
    return (struct span){(uint32_t)start, (uint32_t)(before.len - same)};
}

static void report_difference(gramc_compilation *compilation, const struct unit *unit,
                              gramc_text formatted) {
    struct findings *findings = &compilation->findings;
    gramc_text replacement;
    struct span span = differing(unit->source.text, formatted, &replacement);
    struct finding *f = FIND0(findings, D_NOT_FORMATTED, &unit->source, span);
    finding_help(findings, f, "run gramc fmt");
    finding_fix(findings, f, span, replacement);
    findings_sort(findings);
}

gramc_status gramc_source_check_format(gramc_compilation *compilation, size_t i,
                                       const gramc_format_options *options) {
    const struct unit *unit = unit_at(compilation, i);
    struct arena arena;
    struct buf out;
    compilation->evaluates_format = true;
    arena_init(&arena, &compilation->arena.allocator);
    buf_init(&out, &arena.allocator, SOURCE_MAX);
    gramc_status status = format_whole(&out, compilation, unit, options, &arena);
    if (status == GRAMC_OK && !text_eq(unit->source.text, buf_view(&out))) {
        report_difference(compilation, unit, buf_view(&out));
        status = compilation->arena.oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    }
    buf_free(&out);
    arena_free(&arena);
    return status;
}
