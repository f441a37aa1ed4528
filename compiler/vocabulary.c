/* A parameter name means one thing: reports names that stand for different JSON types, within an
 * agent as a warning, across the compilation as one note a name. Constraints, defaults and
 * descriptions may differ. */
#include "compiler/spec.h"

#include <string.h>

struct word {
    const struct field *field;
    const struct source *source;
    bool reported;
};

static void learn(struct map *words, const struct tool *tool, const struct field *field) {
    struct word *word = ARENA_NEW(words->arena, struct word);
    if (!word) return;
    *word = (struct word){.field = field, .source = tool->source};
    map_put(words, field->identifier, word);
}

/* A type that is unknown was reported as such, and agrees with everything. */
static bool same_type(const struct field *a, const struct field *b) {
    if (!a->schema->type || !b->schema->type) return true;
    const char *left = type_json_name((enum type_kind)a->schema->kind);
    const char *right = type_json_name((enum type_kind)b->schema->kind);
    return left == right || (left && right && strcmp(left, right) == 0);
}

static void report(struct pass *pass, enum diag_id id, const struct word *first,
                   const struct source *source, const struct field *field, gramc_text extra) {
    struct finding *f = FIND(pass->findings, id, source, field->span, field->identifier, extra);
    finding_label(pass->findings, f, first->source, first->field->span, "another type here");
    finding_help(pass->findings, f, "give one of them another name, or both the same type");
}

static enum diag_id severity(const struct pass *pass, enum diag_id otherwise) {
    return pass->compilation->strict_vocabulary ? D_VOCABULARY_STRICT : otherwise;
}

/* Within one agent: every later parameter that disagrees with the first. */
static void check_agent(struct pass *pass, const struct agent *agent, struct map *words) {
    for (size_t i = 0; i < agent->reach_count; i++) {
        const struct tool *tool = agent->reach[i];
        const struct field *p = tool->signature ? tool->signature->parameters : NULL;
        for (; p; p = p->next) {
            struct word *first = map_get(words, p->identifier);
            if (!first) learn(words, tool, p);
            else if (!same_type(first->field, p))
                report(pass, severity(pass, D_VOCABULARY), first, tool->source, p,
                       agent->identifier);
        }
    }
}

static bool in_one_agent(const struct gramc_spec *spec) {
    return spec->agent_count == 1 && spec->first_agent->reach_count == spec->tool_count;
}

/* Across the compilation: the first that disagrees, once a name. */
static void check_all(struct pass *pass, const struct gramc_spec *spec, struct map *words) {
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next) {
        const struct field *p = tool->signature ? tool->signature->parameters : NULL;
        for (; p; p = p->next) {
            struct word *first = map_get(words, p->identifier);
            if (!first) {
                learn(words, tool, p);
            } else if (!same_type(first->field, p) && !first->reported) {
                first->reported = true;
                report(pass, severity(pass, D_VOCABULARY_NOTE), first, tool->source, p,
                       (gramc_text){NULL, 0});
            }
        }
    }
}

/* Words are forgotten after each agent: their arena is given back. */
void vocabulary_check(struct pass *pass, const struct gramc_spec *spec) {
    struct arena scratch;
    struct map words;
    arena_init(&scratch, &pass->arena->allocator);
    for (const struct agent *agent = spec->first_agent; agent; agent = agent->next) {
        map_init(&words, &scratch);
        check_agent(pass, agent, &words);
        pass->arena->oom = pass->arena->oom || scratch.oom;
        arena_free(&scratch);
    }
    map_init(&words, &scratch);
    if (!in_one_agent(spec)) check_all(pass, spec, &words);
    pass->arena->oom = pass->arena->oom || scratch.oom;
    arena_free(&scratch);
}
