/* A parameter name means one thing: reports names that stand for different JSON types, within an
 * agent as a warning, across the compilation as one note a name. Constraints, defaults and
 * descriptions may differ. */
#include "compiler/vocabulary.h"

#include "base/text.h"

#include "compiler/agent.h"
#include "compiler/definition.h"
#include "compiler/tool.h"

#include <stdio.h>
#include <string.h>

/* What a name stands for, and where it stands for something else. */
struct word {
    struct word *next; /* in the order of their first conflict */
    const struct field *field, *other;
    const struct source *source, *other_source;
    uint32_t conflicts;
};

static void learn(struct map *words, const struct source *source, const struct field *field) {
    struct word *word = ARENA_NEW(words->arena, struct word);
    if (!word) return;
    *word = (struct word){.field = field, .source = source};
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
            if (!first) learn(words, tool->source, p);
            else if (!same_type(first->field, p))
                report(pass, severity(pass, D_VOCABULARY), first, tool->source, p,
                       agent->identifier);
        }
    }
}

static bool in_one_agent(const struct gramc_spec *spec) {
    return !spec->first_definition && spec->agents.count == 1 &&
           spec->first_agent->reach_count == spec->tools.count;
}

/* Across the compilation: one note a name, at the first that disagrees, with how many do. */
struct tally {
    struct map words;
    struct word *first, **last;
};

static void tally_init(struct tally *tally, struct arena *arena) {
    map_init(&tally->words, arena);
    tally->first = NULL;
    tally->last = &tally->first;
}

static void count(struct tally *tally, const struct source *source, const struct field *field) {
    struct word *word = map_get(&tally->words, field->identifier);
    if (!word) {
        learn(&tally->words, source, field);
        return;
    }
    if (same_type(word->field, field) || word->conflicts++) return;
    word->other = field;
    word->other_source = source;
    *tally->last = word;
    tally->last = &word->next;
}

static void count_tool(struct tally *tally, const struct tool *tool) {
    const struct field *p = tool->signature ? tool->signature->parameters : NULL;
    for (; p; p = p->next)
        if (p->schema) count(tally, tool->source, p);
}

void vocabulary_learn(struct pass *pass, struct gramc_spec *spec, const struct tool *tool) {
    if (!spec->words) {
        spec->words = ARENA_NEW(pass->arena, struct tally);
        if (!spec->words) return;
        tally_init(spec->words, pass->arena);
    }
    count_tool(spec->words, tool);
}

static void count_all(const struct gramc_spec *spec, struct tally *tally) {
    for (const struct definition *d = spec->first_definition; d; d = d->next)
        if (d->row && !d->cyclic && d->name.ptr) count(tally, d->source, &d->field);
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next)
        count_tool(tally, tool);
}

static void report_all(struct pass *pass, const struct tally *tally) {
    char places[32];
    for (const struct word *word = tally->first; word; word = word->next) {
        int len = snprintf(places, sizeof places, "%u other place%s", (unsigned)word->conflicts,
                           text_plural(word->conflicts));
        report(pass, severity(pass, D_VOCABULARY_NOTE), word, word->other_source, word->other,
               (gramc_text){places, (size_t)len});
    }
}

/* Words are forgotten after each agent: their arena is given back. */
static void check_agents(struct pass *pass, const struct gramc_spec *spec) {
    struct arena scratch;
    struct map words;
    arena_init(&scratch, &pass->arena->allocator);
    for (const struct agent *agent = spec->first_agent; agent; agent = agent->next) {
        map_init(&words, &scratch);
        check_agent(pass, agent, &words);
        pass->arena->oom = pass->arena->oom || scratch.oom;
        arena_free(&scratch);
    }
}

/* Nobody disagrees within an agent who does not across all of them; a type that is unknown agrees
 * with everybody, but is an error. */
void vocabulary_check(struct pass *pass, const struct gramc_spec *spec) {
    const bool known = spec->words && !spec->has_late_tools && !spec->first_definition;
    struct arena scratch;
    struct tally own, *tally = known ? spec->words : &own;
    arena_init(&scratch, &pass->arena->allocator);
    if (!known) {
        tally_init(&own, &scratch);
        count_all(spec, &own);
    }
    if (tally->first || findings_have_errors(pass->findings)) check_agents(pass, spec);
    if (!in_one_agent(spec)) report_all(pass, tally);
    pass->arena->oom = pass->arena->oom || scratch.oom;
    arena_free(&scratch);
}
