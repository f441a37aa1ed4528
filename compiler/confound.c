/* Compares what the model sees in the arms of an experiment. What differs between them beside the
 * tool libraries must be what `vary` says: else nobody could tell what made the difference. What a
 * ToolBox brings is known at binding, and not here. */
#include "compiler/experiment.h"

#include "base/json/json.h"
#include "base/text.h"
#include "compiler/emit/bundle.h"
#include "compiler/properties.h"
#include "jsonschema/keywords.h"

enum arm_side { SIDE_TOOLS, SIDE_SCHEMAS, SIDE_MODEL, SIDE_REST, SIDES };

/* What an arm shows to the model, each in one text. */
struct arm_view {
    struct buf sides[SIDES];
};

/* ## Schemas without their words */

static void put_bare(struct buf *out, const struct json *schema);

/* A list of schemas, or a map to them. */
static void put_several(struct buf *out, const struct json *holder) {
    bool list = holder->kind == JSON_ARRAY;
    buf_putc(out, list ? '[' : '{');
    for (const struct json *v = holder->first; v; v = v->next) {
        if (!list) json_put_string(out, v->key);
        put_bare(out, v);
        if (list) buf_putc(out, ',');
    }
    buf_putc(out, list ? ']' : '}');
}

static bool is_words(gramc_text keyword) {
    return text_is(keyword, "description") || text_is(keyword, "title") ||
           text_is(keyword, "examples");
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void put_bare(struct buf *out, const struct json *schema) {
    if (schema->kind != JSON_OBJECT) {
        json_put(out, schema);
        return;
    }
    buf_putc(out, '{');
    for (const struct json *m = schema->first; m; m = m->next) {
        enum keyword_content content = keyword_content(m);
        if (is_words(m->key)) continue;
        json_put_string(out, m->key);
        if (content == CONTENT_SCHEMAS) put_several(out, m);
        else if (content == CONTENT_SCHEMA) put_bare(out, m);
        else json_put(out, m);
    }
    buf_putc(out, '}');
}

static void put_schema(struct buf *out, const struct schema *schema) {
    struct arena arena;
    arena_init(&arena, &out->allocator);
    const struct json *document = schema_document(&arena, schema, SCHEMA_PRINTED);
    if (document) put_bare(out, document);
    else if (arena.oom) out->state = BUF_NOMEM;
    else schema_print(out, schema, SCHEMA_PRINTED);
    arena_free(&arena);
}

/* ## Views */

static gramc_text said(gramc_text own, gramc_text otherwise) {
    return own.len ? own : otherwise;
}

static void view_model(struct buf *out, const gramc_arm *arm) {
    const gramc_agent *a = arm->agent;
    const gramc_text all[] = {said(arm->model, a->model),
                              said(arm->temperature, a->temperature),
                              said(arm->top_p, a->top_p),
                              said(arm->presence_penalty, a->presence_penalty),
                              said(arm->frequency_penalty, a->frequency_penalty),
                              said(arm->max_tokens, a->max_tokens),
                              said(arm->seed, a->seed),
                              a->generator_model,
                              a->evaluator_model,
                              a->output_model};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) json_put_string(out, all[i]);
}

static void view_open(struct arm_view *view, const struct pass *pass, const gramc_arm *arm) {
    /* A public agent is the beginning of a struct agent. */
    const struct agent *agent = (const struct agent *)(const void *)arm->agent;
    for (int i = 0; i < SIDES; i++) buf_init(&view->sides[i], &pass->arena->allocator, SOURCE_MAX);
    for (size_t i = 0; i < agent->reach_count; i++) {
        const struct tool *tool = agent->reach[i];
        if (!tool->signature) continue;
        tool_print_schemas(&view->sides[SIDE_TOOLS], tool, SCHEMA_PRINTED);
        json_put_string(&view->sides[SIDE_SCHEMAS], tool->public.name);
        put_schema(&view->sides[SIDE_SCHEMAS], &tool->signature->arguments);
        put_schema(&view->sides[SIDE_SCHEMAS], tool->signature->result);
    }
    view_model(&view->sides[SIDE_MODEL], arm);
    agent_print_rest(&view->sides[SIDE_REST], agent);
}

static void view_close(struct arm_view *view, struct pass *pass) {
    for (int i = 0; i < SIDES; i++) {
        if (view->sides[i].state == BUF_NOMEM) pass->arena->oom = true;
        buf_free(&view->sides[i]);
    }
}

/* ## What may differ */

enum arm_difference {
    DIFFERS_DESCRIPTION,
    DIFFERS_SCHEMA,
    DIFFERS_MODEL,
    DIFFERS_REST,
    DIFFERENCES
};

static const struct {
    const char *vary;
    bool may[DIFFERENCES];
} allowances[] = {{"description", {true, false, false, false}},
                  {"schema", {true, true, false, false}},
                  {"model", {false, false, true, false}},
                  {"agent", {true, true, true, true}}};

static const char *const names[DIFFERENCES] = {
    "the descriptions of their tools", "the schemas of their tools", "model or sampling",
    "what the agents say (instruction, prompts, settings)"};

static bool differs(const struct arm_view *a, const struct arm_view *b, enum arm_side side) {
    return !text_eq(buf_view(&a->sides[side]), buf_view(&b->sides[side]));
}

static void find_differences(const struct arm_view *a, const struct arm_view *b,
                             bool found[DIFFERENCES]) {
    found[DIFFERS_SCHEMA] |= differs(a, b, SIDE_SCHEMAS);
    found[DIFFERS_DESCRIPTION] |= !differs(a, b, SIDE_SCHEMAS) && differs(a, b, SIDE_TOOLS);
    found[DIFFERS_MODEL] |= differs(a, b, SIDE_MODEL);
    found[DIFFERS_REST] |= differs(a, b, SIDE_REST);
}

static void report(struct pass *pass, const struct experiment *experiment, size_t arm,
                   const bool found[DIFFERENCES], const bool may[DIFFERENCES]) {
    const gramc_experiment *public = &experiment->public;
    for (int i = 0; i < DIFFERENCES; i++) {
        if (!found[i] || may[i]) continue;
        struct finding *f = FIND(pass->findings, D_CONFOUNDED, pass->source, experiment->name_at,
                                 public->arms[0].name, public->arms[arm].name, text_of(names[i]));
        finding_help(pass->findings, f, "make them equal there, or say it with `vary`: %s",
                     i == DIFFERS_DESCRIPTION ? "description"
                     : i == DIFFERS_SCHEMA    ? "schema"
                     : i == DIFFERS_MODEL     ? "model"
                                              : "agent");
        return;
    }
}

/* What one of the words allows, all of them allow. */
static void allow(const gramc_experiment *public, bool may[DIFFERENCES]) {
    for (size_t v = 0; v < public->vary_count; v++)
        for (size_t i = 0; i < sizeof allowances / sizeof *allowances; i++)
            for (int d = 0; d < DIFFERENCES && text_is(public->vary[v], allowances[i].vary); d++)
                may[d] = may[d] || allowances[i].may[d];
}

static bool is_refused(const bool any[DIFFERENCES], const bool may[DIFFERENCES]) {
    int d = 0;
    while (d < DIFFERENCES && (may[d] || !any[d])) d++;
    return d < DIFFERENCES;
}

static bool brings_boxes(const gramc_experiment *experiment) {
    for (size_t i = 0; i < experiment->arm_count; i++) {
        const gramc_agent *agent = experiment->arms[i].agent;
        if (agent && agent->box_use_count) return true;
        for (size_t k = 0; agent && k < agent->task_count; k++)
            if (agent->tasks[k].box_use_count) return true;
    }
    return false;
}

/* A word that allows only what does not differ. */
static bool is_idle(gramc_text word, const bool any[DIFFERENCES]) {
    bool idle = true;
    for (size_t i = 0; i < sizeof allowances / sizeof *allowances; i++)
        for (int d = 0; d < DIFFERENCES && text_is(word, allowances[i].vary); d++)
            idle = idle && !(any[d] && allowances[i].may[d]);
    return idle;
}

static bool is_whole(const gramc_experiment *public) {
    for (size_t i = 0; i < public->arm_count; i++)
        if (!public->arms[i].agent) return false;
    return public->arm_count > 1;
}

void experiment_compare(struct pass *pass, const struct experiment *experiment) {
    const gramc_experiment *public = &experiment->public;
    bool may[DIFFERENCES] = {false}, any[DIFFERENCES] = {false};
    struct arm_view first, other;
    if (!is_whole(public)) return;
    allow(public, may);
    view_open(&first, pass, &public->arms[0]);
    for (size_t i = 1; i < public->arm_count; i++) {
        bool found[DIFFERENCES] = {false};
        view_open(&other, pass, &public->arms[i]);
        find_differences(&first, &other, found);
        view_close(&other, pass);
        report(pass, experiment, i, found, may);
        for (int d = 0; d < DIFFERENCES; d++) any[d] = any[d] || found[d];
    }
    view_close(&first, pass);
    const struct property *p = property_find(experiment->pattern->subject, "vary");
    any[DIFFERS_DESCRIPTION] = any[DIFFERS_DESCRIPTION] || any[DIFFERS_SCHEMA];
    if (is_refused(any, may)) return;
    /* What boxes bring may differ, but for the model: that is seen when they are asked. */
    bool boxes = brings_boxes(public);
    for (size_t v = 0; p && v < public->vary_count; v++)
        if (is_idle(public->vary[v], any) && (!boxes || text_is(public->vary[v], "model")))
            FIND(pass->findings, D_VARIES_NOTHING, pass->source, p->value->span, public->vary[v]);
}
