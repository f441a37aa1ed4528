/* Vocabulary that is used again: a parameter that is written with its name alone, `(personName)`,
 * means what that name means at top level, or else in the only other place that says its type. */
#include "compiler/reuse.h"

#include "base/text.h"
#include "compiler/definition.h"
#include "compiler/tool.h"

/* Where a name was given a type; several places if they differ. */
struct reused_word {
    const struct field *field;
    const struct source *source;
    const struct field *other; /* one that means something else; NULL: none */
    const struct source *other_source;
};

static void print_meaning(struct buf *out, const struct field *field) {
    schema_print(out, field->schema, SCHEMA_CHECKED);
    if (field->fallback) buf_text(out, field->fallback->text);
    buf_puts(out, field->optional ? "?" : "!");
}

bool fields_mean_the_same(struct pass *pass, const struct field *a, const struct field *b) {
    struct buf texts[2];
    for (int i = 0; i < 2; i++) {
        buf_init(&texts[i], &pass->arena->allocator, SOURCE_MAX);
        print_meaning(&texts[i], i ? b : a);
        if (texts[i].state == BUF_NOMEM) pass->arena->oom = true;
    }
    bool same = text_eq(buf_view(&texts[0]), buf_view(&texts[1]));
    for (int i = 0; i < 2; i++) buf_free(&texts[i]);
    return same;
}

static void learn(struct pass *pass, struct map *words, const struct tool *tool,
                  const struct field *field) {
    struct reused_word *word = map_get(words, field->identifier);
    if (!word) {
        word = ARENA_NEW(words->arena, struct reused_word);
        if (!word) return;
        *word = (struct reused_word){.field = field, .source = tool->source};
        map_put(words, field->identifier, word);
    } else if (!word->other && !fields_mean_the_same(pass, word->field, field)) {
        word->other = field;
        word->other_source = tool->source;
    }
}

static void learn_all(struct pass *pass, const struct gramc_spec *spec, struct map *words) {
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next) {
        const struct field *p = tool->signature ? tool->signature->parameters : NULL;
        for (; p; p = p->next)
            if (p->schema) learn(pass, words, tool, p);
    }
}

static void report_unknown(struct pass *pass, const struct reuse *reuse) {
    gramc_text name = reuse->field->identifier;
    struct finding *f =
        FIND(pass->findings, D_PARAMETER_WITHOUT_TYPE, reuse->source, reuse->node->span, name);
    finding_help(pass->findings, f, "write `(%.*s::Text)`, or another type", TEXT_ARGS(name));
}

static void report_ambiguous(struct pass *pass, const struct reuse *reuse,
                             const struct reused_word *word) {
    gramc_text name = reuse->field->identifier;
    struct finding *f =
        FIND(pass->findings, D_AMBIGUOUS_REUSE, reuse->source, reuse->node->span, name);
    finding_label(pass->findings, f, word->source, word->field->span, "it means this here");
    finding_label(pass->findings, f, word->other_source, word->other->span, "and this here");
    finding_help(pass->findings, f, "say which at top level: `(%.*s::...)`", TEXT_ARGS(name));
}

static const struct field *meaning(struct pass *pass, const struct reuse *reuse,
                                   const struct map *words) {
    struct definition *definition = definition_find(pass, reuse->field->identifier);
    if (definition) {
        definition->is_word = true;
        return &definition->field;
    }
    const struct reused_word *word = map_get(words, reuse->field->identifier);
    if (!word) report_unknown(pass, reuse);
    else if (word->other) report_ambiguous(pass, reuse, word);
    return word && !word->other ? word->field : NULL;
}

/* A signature with a parameter that means nothing is none. */
static void resolve(struct pass *pass, const struct reuse *reuse, const struct map *words) {
    const struct field *other = meaning(pass, reuse, words);
    pass->source = reuse->source;
    if (other) schema_reuse(pass, reuse->field, reuse->node, other);
}

static bool is_complete(const struct signature *signature) {
    for (const struct field *p = signature->parameters; p; p = p->next)
        if (!p->schema) return false;
    return true;
}

void reuses_resolve(struct pass *pass, struct gramc_spec *spec) {
    struct arena scratch;
    struct map words;
    if (!spec->first_reuse) return;
    arena_init(&scratch, &pass->arena->allocator);
    map_init(&words, &scratch);
    learn_all(pass, spec, &words);
    for (const struct reuse *r = spec->first_reuse; r && !scratch.oom; r = r->next)
        resolve(pass, r, &words);
    for (struct tool *tool = spec->first_tool; tool; tool = tool->next)
        if (tool->signature && !is_complete(tool->signature)) tool->signature = NULL;
    pass->arena->oom = pass->arena->oom || scratch.oom;
    arena_free(&scratch);
}
