/* Turns `[name:Agent {...} | tools]` into an agent: its properties, its tools in the order of the
 * wire, and its references to tools that stand elsewhere. */
#include "compiler/agent.h"

#include "base/limits.h"
#include "base/text.h"
#include "compiler/advice.h"
#include "compiler/box_use.h"
#include "compiler/data.h"
#include "compiler/emit/bundle.h"
#include "compiler/inputs.h"
#include "compiler/model.h"
#include "compiler/pattern.h"
#include "compiler/properties.h"
#include "compiler/sampling.h"
#include "compiler/schema_reader.h"
#include "compiler/strategy.h"
#include "compiler/tool_list.h"
#include "compiler/tool_choice.h"

enum { LEAST_MEMORY = 3 };

struct agent_properties {
    gramc_agent agent;
    gramc_text meta;
    const struct value *memory, *output;
    int coerce; /* -1: as the strategy has it */
};

#define AT(member) offsetof(struct agent_properties, member)
static const struct property_row rows[] = {
    {"description", PROPERTY_TEXT, AT(agent.description)},
    {"instruction", PROPERTY_TEXT, AT(agent.instruction)},
    {"model", PROPERTY_TEXT, AT(agent.model)},
    {"temperature", PROPERTY_NUMBER, AT(agent.temperature)},
    {"topP", PROPERTY_NUMBER, AT(agent.top_p)},
    {"presencePenalty", PROPERTY_NUMBER, AT(agent.presence_penalty)},
    {"frequencyPenalty", PROPERTY_NUMBER, AT(agent.frequency_penalty)},
    {"maxTokens", PROPERTY_NUMBER, AT(agent.max_tokens)},
    {"seed", PROPERTY_NUMBER, AT(agent.seed)},
    {"numCtx", PROPERTY_NUMBER, AT(agent.num_ctx)},
    {"keepAlive", PROPERTY_TEXT, AT(agent.keep_alive)},
    {"maxIterations", PROPERTY_COUNT, AT(agent.max_iterations)},
    {"maxCallsPerTurn", PROPERTY_COUNT, AT(agent.max_calls_per_turn)},
    {"toolChoice", PROPERTY_TEXT, AT(agent.tool_choice)},
    {"parallelToolCalls", PROPERTY_TRISTATE, AT(agent.parallel_tool_calls)},
    {"memory", PROPERTY_VALUE, AT(memory)},
    {"output", PROPERTY_VALUE, AT(output)},
    {"strategy", PROPERTY_TEXT, AT(agent.strategy)},
    {"wire", PROPERTY_TEXT, AT(agent.wire)},
    {"generatorModel", PROPERTY_TEXT, AT(agent.generator_model)},
    {"evaluatorModel", PROPERTY_TEXT, AT(agent.evaluator_model)},
    {"outputModel", PROPERTY_TEXT, AT(agent.output_model)},
    {"maxRounds", PROPERTY_COUNT, AT(agent.max_rounds)},
    {"coerce", PROPERTY_TRISTATE, AT(coerce)},
    {"maxTotalTokens", PROPERTY_COUNT, AT(agent.max_total_tokens)},
    {"maxCost", PROPERTY_NUMBER, AT(agent.max_cost)},
    {"maxDuration", PROPERTY_DURATION, AT(agent.max_duration_ms)},
    {"meta", PROPERTY_META, AT(meta)},
};
#undef AT

/* Properties that take one of a few words. */
static const struct {
    const char *property;
    const char *words[4];
} choices[] = {{"wire", {"tools", "functions"}}, {"strategy", {"direct", "evaluated", "prompted"}}};

static void check_choices(struct pass *pass, const struct subject *subject) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct property *p = property_find(subject, choices[i].property);
        gramc_text words[4] = {{NULL, 0}};
        size_t count = 0;
        bool known = !p || !value_is_name(p->value);
        for (; !known && count < 4 && choices[i].words[count]; count++) {
            words[count] = text_of(choices[i].words[count]);
            known = text_eq(value_name(p->value), words[count]);
        }
        if (known) continue;
        struct finding *f =
            FIND(pass->findings, D_UNKNOWN_WORD, pass->source, p->value->span, value_name(p->value),
                 name_text(p->key),
                 text_of(i == 0 ? "tools, functions" : "direct, evaluated, prompted"));
        gramc_text near = text_nearest(value_name(p->value), words, count);
        if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    }
}

/* True if some element, or some element of a task, offers a tool. */
static bool may_call(const struct pattern *pattern) {
    for (const struct pattern *e = pattern->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        if (!task_is(element) || element->elements) return true;
    }
    return false;
}

/* `memory: {maxMessages: 20}` */
static void read_memory(struct pass *pass, struct agent *agent, const struct value *memory,
                        bool may_call) {
    static const struct property_row row = {"maxMessages", PROPERTY_COUNT, 0};
    if (memory->kind != VALUE_MAP) {
        FIND(pass->findings, D_WRONG_VALUE, pass->source, memory->span, TEXT("memory"),
             TEXT("a map such as {maxMessages: 20}"), text_of(value_noun(memory)));
        return;
    }
    uint32_t *count = &agent->public.max_messages;
    properties_read(pass, memory->as.entries, &row, 1, count, "memory");
    if (*count == 0 || *count >= LEAST_MEMORY || !may_call) return;
    struct finding *f = FIND0(pass->findings, D_SMALL_MEMORY, pass->source, memory->span);
    finding_help(pass->findings, f, "a tool call alone is three messages: write 3 or more");
}

static void check_models(struct pass *pass, const struct subject *subject) {
    static const char *const models[] = {"model", "generatorModel", "evaluatorModel",
                                         "outputModel"};
    const struct config *config = config_for(pass->compilation, pass->source);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        model_check(pass, config, subject, models[i]);
}

static void read_properties(struct pass *pass, struct agent *agent, const struct pattern *pattern) {
    struct agent_properties p = {.agent = {.name = agent->identifier,
                                           .max_iterations = DEFAULT_ITERATIONS,
                                           .parallel_tool_calls = -1},
                                 .coerce = -1};
    const struct subject *subject = pattern->subject;
    properties_read(pass, subject->properties, rows, sizeof rows / sizeof *rows, &p, "agents");
    agent->public = p.agent;
    agent->meta = p.meta;
    check_choices(pass, subject);
    check_models(pass, subject);
    sampling_check(pass, subject);
    strategy_check(pass, agent, subject);
    agent->public.coerce = p.coerce < 0 ? strategy_coerces(&agent->public) : p.coerce;
    agent->instruction_at = property_place(subject, "instruction");
    agent->choice_at = property_place(subject, "toolChoice");
    if (p.memory) read_memory(pass, agent, p.memory, may_call(pattern));
    if (p.output) agent->output = schema_of_value(pass, p.output);
    agent->public.has_output = agent->output != NULL;
}

static bool has_boxes(const struct pattern *pattern) {
    for (const struct pattern *e = pattern->elements; e; e = e->next) {
        const struct pattern *element = pattern_plain(e);
        if (text_is(pattern_label(element), "ToolBox")) return true;
        for (const struct pattern *t = task_is(element) ? element->elements : NULL; t; t = t->next)
            if (text_is(pattern_label(pattern_plain(t)), "ToolBox")) return true;
    }
    return false;
}

void agent_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct agent *agent = ARENA_NEW(pass->arena, struct agent);
    gramc_text name = agent ? pattern_name(pass, pattern, "an agent") : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    agent->identifier = name;
    agent->name_at = name_span(pattern->subject->identifier);
    agent->source = pass->source;
    agent->span = pattern->span;
    agent->has_boxes = has_boxes(pattern);
    agent->last_task = &agent->first_task;
    read_properties(pass, agent, pattern);
    agent->own = tools_read(pass, spec, pattern);
    if (!agent->own.tools) return;
    for (const struct pattern *e = pattern->elements; e; e = e->next)
        if (task_is(pattern_plain(e))) task_read(pass, spec, agent, pattern_plain(e));
    if (registry_add(&spec->agents, name, agent) != agent) return;
    *spec->last_agent = agent;
    spec->last_agent = &agent->next;
}

/* ## References */

static void resolve_choice(struct pass *pass, struct agent *agent) {
    const struct choice_scope scope = {.tools = {agent->reach},
                                       .count = {agent->reach_count},
                                       .at = agent->choice_at,
                                       .has_boxes = agent->has_boxes};
    if (agent->choice_at.end) tool_choice_resolve(pass, &agent->public.tool_choice, &scope);
}

void agent_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent) {
    struct tool_uses *own = &agent->own;
    tools_resolve(pass, spec, own);
    struct wire_scope scope = {
        "agent", agent->identifier, agent->name_at, own->tools, own->count, NULL, 0};
    wire_scope_check(pass, &scope);
    agent->public.tools = tools_public(pass, own->tools, own->count);
    agent->public.tool_count = agent->public.tools ? own->count : 0;
    agent->public.box_uses = box_uses_read(pass, own->references, &agent->public.box_use_count);
    tasks_resolve(pass, spec, agent);
    if (pass->arena->oom) return;
    resolve_choice(pass, agent);
    advise(pass, agent);
    inputs_find(pass, agent);
}

/* What is not whole cannot be printed: then only the same text means the same. */
static bool mean_the_same(struct pass *pass, const struct agent *a, const struct agent *b) {
    if (findings_have_errors(pass->findings))
        return text_eq(source_slice(a->source, a->span), source_slice(b->source, b->span));
    return text_eq(agent_fingerprint(pass->arena, a), agent_fingerprint(pass->arena, b));
}

static struct registered place(const void *thing) {
    const struct agent *agent = thing;
    return (struct registered){agent->source, agent->name_at};
}

static bool is_same(struct pass *pass, void *first, void *other) {
    agent_resolve(pass, pass->compilation->spec, other);
    return mean_the_same(pass, other, first);
}

const struct registry_sort agent_sort = {D_DUPLICATE_AGENT, place, is_same};

bool agent_has_property(gramc_text key) {
    return rows_have(rows, sizeof rows / sizeof *rows, key);
}
