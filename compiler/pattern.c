/* What a pattern is called: its label, its identifier, what an annotation stands in front of; and
 * the findings about names that are missing, taken or unknown. What the names mean is left to
 * others. */
#include "compiler/pattern.h"

#include "base/text.h"
#include "grammar/copy.h"

const struct pattern *pattern_plain(const struct pattern *pattern) {
    while (pattern->kind == PATTERN_ANNOTATED && pattern->elements) pattern = pattern->elements;
    return pattern;
}

const struct pattern *pattern_kept(struct pass *pass, const struct pattern *pattern) {
    return pass->compilation->forget_trees ? pattern_copy(pass->arena, pattern) : pattern;
}

gramc_text pattern_label(const struct pattern *pattern) {
    const struct subject *subject = pattern->subject;
    return subject && subject->labels ? name_text(subject->labels->name) : (gramc_text){NULL, 0};
}

gramc_text pattern_name(struct pass *pass, const struct pattern *pattern, const char *owner) {
    if (subject_has_identifier(pattern->subject)) return name_text(pattern->subject->identifier);
    struct finding *f =
        FIND(pass->findings, D_NAMELESS, pass->source, pattern->span, text_of(owner));
    finding_help(pass->findings, f, "write a name in front of the label: `[myName:%.*s ...]`",
                 TEXT_ARGS(pattern_label(pattern)));
    return (gramc_text){NULL, 0};
}

void report_name_taken(struct pass *pass, enum diag_id id, gramc_text name, struct span at,
                       const struct source *other_source, struct span other) {
    struct finding *f = FIND(pass->findings, id, pass->source, at, name);
    finding_label(pass->findings, f, other_source, other, "first defined here");
}

/* ## Unknown names */

/* The key of the map that is spelt most like it. */
static gramc_text nearest(const struct map *map, gramc_text name) {
    gramc_text best = {NULL, 0};
    for (size_t i = 0; i < map->size; i++) {
        gramc_text pair[2] = {map->slots[i].key, best};
        if (map->slots[i].value) best = text_nearest(name, pair, best.len ? 2 : 1);
    }
    return best;
}

void report_unresolved(struct pass *pass, enum diag_id id, const struct map *map, gramc_text noun,
                       gramc_text name, struct span at) {
    struct finding *f = FIND(pass->findings, id, pass->source, at, name, noun);
    gramc_text near = nearest(map, name);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    else if (id == D_UNRESOLVED_TOOL)
        finding_help(pass->findings, f, "define it here or at top level: `[%.*s:Tool {...} | ...]`",
                     TEXT_ARGS(name));
}
