/* The public face of formatting: one source to its formatted text, or to findings. Nothing leaves
 * here that does not say the same as what came in. */
#include "compiler/format.h"

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
    bool same = !findings_have_errors(&findings) && format_same_tree(before, after);
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
        .arrays_on_one_line = portable,
    };
    gramc_status status = arena->oom ? GRAMC_NOMEM : buf_status(&edits);
    if (status == GRAMC_OK) status = format_tree(out, unit->tree, &options);
    buf_free(&edits);
    if (status == GRAMC_OK && portable && !check_portable(compilation, unit, options.awkward))
        status = GRAMC_FINDINGS;
    return compilation->arena.oom ? GRAMC_NOMEM : status;
}

gramc_status gramc_source_format(gramc_compilation *compilation, size_t i,
                                 const gramc_format_options *options, gramc_writer writer) {
    const struct unit *unit = unit_at(compilation, i);
    struct arena arena;
    struct buf out;
    if (!unit || !unit->tree) return GRAMC_NOT_FOUND;
    if (unit->has_errors) return GRAMC_FINDINGS;
    arena_init(&arena, &compilation->arena.allocator);
    buf_init(&out, &arena.allocator, SOURCE_MAX);
    gramc_status status =
        format_into(&out, compilation, unit, options && options->portable, &arena);
    if (status == GRAMC_OK) status = compare(unit->tree, buf_view(&out), &arena);
    if (status == GRAMC_OK) status = buf_send(&out, writer);
    buf_free(&out);
    arena_free(&arena);
    return status;
}
