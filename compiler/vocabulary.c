/* A parameter name means one thing: reports names that stand for different JSON types, within an
 * agent as a warning, across the compilation as one note a name. Constraints, defaults and
 * descriptions may differ. */
#include "compiler/spec.h"

#include "base/text.h"

struct word {
    const struct field *field;
    const struct source *source;
    bool reported;
};

static struct word *word_new(struct pass *pass, const struct tool *tool,
                             const struct field *field) {
    struct word *word = ARENA_NEW(pass->arena, struct word);
    if (word) *word = (struct word){.field = field, .source = tool->source};
    return word;
}

/* A type that is unknown was reported as such, and agrees with everything. */
static bool same_type(const struct field *a, const struct field *b) {
    if (!a->schema->type || !b->schema->type) return true;
    const char *left = type_json_name(a->schema->kind), *right = type_json_name(b->schema->kind);
    return text_eq(text_of(left ? left : ""), text_of(right ? right : ""));
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
static void check_agent(struct pass *pass, const struct agent *agent) {
    struct map words;
    map_init(&words, pass->arena);
    for (size_t i = 0; i < agent->tool_count; i++) {
        const struct tool *tool = agent->tools[i];
        const struct field *p = tool->signature ? tool->signature->parameters : NULL;
        for (; p; p = p->next) {
            struct word *first = map_get(&words, p->identifier);
            if (!first) {
                struct word *word = word_new(pass, tool, p);
                if (word) map_put(&words, p->identifier, word);
            } else if (!same_type(first->field, p)) {
                report(pass, severity(pass, D_VOCABULARY), first, tool->source, p,
                       agent->identifier);
            }
        }
    }
}

static bool in_one_agent(const struct gramc_spec *spec) {
    return spec->agent_count == 1 && spec->first_agent->tool_count == spec->tool_count;
}

/* Across the compilation: the first that disagrees, once a name. */
static void check_all(struct pass *pass, const struct gramc_spec *spec) {
    struct map words;
    map_init(&words, pass->arena);
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next) {
        const struct field *p = tool->signature ? tool->signature->parameters : NULL;
        for (; p; p = p->next) {
            struct word *first = map_get(&words, p->identifier);
            if (!first) {
                struct word *word = word_new(pass, tool, p);
                if (word) map_put(&words, p->identifier, word);
            } else if (!same_type(first->field, p) && !first->reported) {
                first->reported = true;
                report(pass, severity(pass, D_VOCABULARY_NOTE), first, tool->source, p,
                       (gramc_text){NULL, 0});
            }
        }
    }
}

void vocabulary_check(struct pass *pass, const struct gramc_spec *spec) {
    for (const struct agent *agent = spec->first_agent; agent; agent = agent->next)
        check_agent(pass, agent);
    if (!in_one_agent(spec)) check_all(pass, spec);
}
