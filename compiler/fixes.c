/* Turns findings about names, records and signatures into edits that remove them. Where a comment
 * would be lost, or the result would be found wrong again, there is no fix. */
#include "compiler/fixes.h"

#include "base/text.h"
#include "compiler/fmt/format.h"
#include "compiler/types.h"

enum { SHORTEST_WORD = 3 };

/* ## Names */

static bool is_word(gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return text.len > 0;
}

void slip_try(struct slip *slip, gramc_text candidate) {
    if (slip->word.len < SHORTEST_WORD || text_distance(slip->word, candidate, 1) > 1) return;
    slip->name = candidate;
    slip->count++;
}

void fix_slip(struct pass *pass, struct finding *finding, const struct slip *slip) {
    if (finding && slip->count == 1 && is_word(slip->name))
        finding_fix(pass->findings, finding, finding->span, slip->name);
}

void fix_type(struct pass *pass, struct finding *finding, gramc_text label) {
    struct slip slip = {.word = label};
    for (size_t i = 0; type_label(i); i++) slip_try(&slip, text_of(type_label(i)));
    definition_slips(pass, &slip);
    fix_slip(pass, finding, &slip);
}

/* ## Records */

/* In either spelling. */
static bool stands_in(const struct property *first, gramc_text key) {
    gramc_text renamed = format_renamed(key);
    for (; first; first = first->next) {
        gramc_text other = name_text(first->key);
        if (text_eq(other, key) || text_eq(format_renamed(other), key)) return true;
        if (renamed.len && text_eq(other, renamed)) return true;
    }
    return false;
}

void fix_key(struct pass *pass, struct finding *finding, const struct property *first,
             const struct property *property, const gramc_text *names, size_t count) {
    struct slip slip = {.word = name_text(property->key)};
    if (!finding) return;
    for (size_t i = 0; i < count; i++) slip_try(&slip, names[i]);
    if (slip.count == 1 && !stands_in(first, slip.name)) fix_slip(pass, finding, &slip);
}

/* Two slashes may be in a string; a fix that is not offered does no harm. */
static bool may_hold_comment(const struct pass *pass, struct span span) {
    gramc_text text = source_slice(pass->source, span);
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '/' && text.ptr[i + 1] == '/') return true;
    return false;
}

void fix_repeated(struct pass *pass, struct finding *finding, const struct property *first,
                  const struct property *other, const struct property *property) {
    if (!finding) return;
    while (first->next != property) first = first->next;
    struct span gap = {property_span(first).end, property->key.start};
    bool same = text_eq(source_slice(pass->source, other->value->span),
                        source_slice(pass->source, property->value->span));
    if (same && !may_hold_comment(pass, gap))
        finding_fix(pass->findings, finding, (struct span){gap.start, property_span(property).end},
                    TEXT(""));
}

/* ## Signatures */

static bool is_unit(const struct pattern *node) {
    return node->subject == NULL;
}

static bool has_parameters(const struct pattern *path) {
    for (const struct pattern *p = path->elements; p->next; p = p->next)
        if (p->kind == PATTERN_NODE && !is_unit(p)) return true;
    return false;
}

/* Of units alone the first may stay. */
void fix_unit(struct pass *pass, struct finding *finding, const struct pattern *path,
              const struct pattern *node) {
    if (!finding || (node == path->elements && !has_parameters(path))) return;
    struct span span = {node->span.start, node->next->next->span.start};
    if (!may_hold_comment(pass, span)) finding_fix(pass->findings, finding, span, TEXT(""));
}

static bool is_result(const struct pattern *node) {
    return !is_unit(node) && !subject_has_identifier(node->subject) && node->subject->labels;
}

static bool is_parameter(const struct pattern *node) {
    return !is_unit(node) && subject_has_identifier(node->subject);
}

/* Read from right to left it must be a signature: the result first, then nothing but parameters;
 * and between the nodes nothing but bare arrows. */
static bool reads_backwards(const struct pass *pass, const struct pattern *path) {
    const struct pattern *node = path->elements;
    if (!is_result(node)) return false;
    for (; node->next; node = node->next->next) {
        const struct pattern *arrow = node->next, *after = arrow->next;
        struct span gap = {node->span.end, after->span.start};
        bool only_unit = is_unit(after) && path->element_count == 3;
        if (arrow->direction != ARROW_LEFT || arrow->subject) return false;
        if (may_hold_comment(pass, gap) || !(is_parameter(after) || only_unit)) return false;
    }
    return true;
}

void fix_reversed(struct pass *pass, struct finding *finding, const struct pattern *path) {
    struct buf out;
    if (!finding || !reads_backwards(pass, path)) return;
    size_t count = path->element_count / 2 + (size_t)1, i = count;
    const struct pattern **nodes = arena_array(pass->arena, count, sizeof(struct pattern *));
    if (!nodes) return;
    for (const struct pattern *p = path->elements; p; p = p->next)
        if (p->kind == PATTERN_NODE) nodes[--i] = p;
    buf_init(&out, &pass->arena->allocator, SOURCE_MAX);
    for (i = 0; i < count; i++) {
        if (i) buf_puts(&out, "==>");
        buf_text(&out, source_slice(pass->source, nodes[i]->span));
    }
    if (out.state == BUF_NOMEM) pass->arena->oom = true;
    else finding_fix(pass->findings, finding, path->span, buf_view(&out));
    buf_free(&out);
}
