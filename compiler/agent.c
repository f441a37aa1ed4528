/* Turns `[name:Agent {...} | tools]` into an agent: its properties, its tools in the order of the
 * wire, and its references to tools that stand elsewhere. */
#include "compiler/properties.h"
#include "compiler/spec.h"

#include "base/text.h"
#include "compiler/data.h"

enum { DEFAULT_ITERATIONS = 10, LEAST_MEMORY = 3 };

struct agent_properties {
    gramc_agent agent;
    const struct value *memory, *output;
    gramc_text generator_model, evaluator_model, output_model;
    uint32_t max_rounds;
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
    {"maxIterations", PROPERTY_COUNT, AT(agent.max_iterations)},
    {"maxCallsPerTurn", PROPERTY_COUNT, AT(agent.max_calls_per_turn)},
    {"toolChoice", PROPERTY_TEXT, AT(agent.tool_choice)},
    {"parallelToolCalls", PROPERTY_TRISTATE, AT(agent.parallel_tool_calls)},
    {"memory", PROPERTY_VALUE, AT(memory)},
    {"output", PROPERTY_VALUE, AT(output)},
    {"strategy", PROPERTY_TEXT, AT(agent.strategy)},
    {"wire", PROPERTY_TEXT, AT(agent.wire)},
    {"generatorModel", PROPERTY_TEXT, AT(generator_model)},
    {"evaluatorModel", PROPERTY_TEXT, AT(evaluator_model)},
    {"outputModel", PROPERTY_TEXT, AT(output_model)},
    {"maxRounds", PROPERTY_COUNT, AT(max_rounds)},
    {"meta", PROPERTY_IGNORED, 0},
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
        FIND(pass->findings, D_UNKNOWN_WORD, pass->source, p->value->span, value_name(p->value),
             p->key.text, text_of(i == 0 ? "tools, functions" : "direct, evaluated, prompted"));
    }
}

/* `memory: {maxMessages: 20}` */
static void read_memory(struct pass *pass, struct agent *agent, const struct value *memory) {
    static const struct property_row row = {"maxMessages", PROPERTY_COUNT, 0};
    if (memory->kind != VALUE_MAP) {
        FIND(pass->findings, D_WRONG_VALUE, pass->source, memory->span, TEXT("memory"),
             TEXT("a map such as {maxMessages: 20}"), text_of(value_noun(memory)));
        return;
    }
    uint32_t *count = &agent->public.max_messages;
    properties_read(pass, memory->as.map.first, &row, 1, count, "memory");
    if (*count == 0 || *count >= LEAST_MEMORY || !agent->pattern->elements) return;
    struct finding *f = FIND0(pass->findings, D_SMALL_MEMORY, pass->source, memory->span);
    finding_help(pass->findings, f, "a tool call alone is three messages: write 3 or more");
}

static void read_properties(struct pass *pass, struct agent *agent, const struct pattern *pattern) {
    struct agent_properties p = {.agent = {.name = agent->identifier,
                                           .max_iterations = DEFAULT_ITERATIONS,
                                           .parallel_tool_calls = -1}};
    const struct subject *subject = pattern->subject;
    properties_read(pass, subject->properties, rows, sizeof rows / sizeof *rows, &p, "agents");
    agent->public = p.agent;
    check_choices(pass, subject);
    if (p.memory) read_memory(pass, agent, p.memory);
    if (p.output)
        FIND(pass->findings, D_NOT_SUPPORTED, pass->source, p.output->span,
             TEXT("a structured answer (`output`)"));
}

void agent_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern) {
    struct agent *agent = ARENA_NEW(pass->arena, struct agent);
    gramc_text name = agent ? pattern_name(pass, pattern, "an agent") : (gramc_text){NULL, 0};
    if (!name.ptr) return;
    agent->identifier = name;
    agent->name_at = pattern->subject->identifier.span;
    agent->source = pass->source;
    agent->pattern = pattern;
    agent->tools = arena_array(pass->arena, pattern->element_count, sizeof *agent->tools);
    read_properties(pass, agent, pattern);
    if (!agent->tools) return;
    for (const struct pattern *e = pattern->elements; e; e = e->next, agent->tool_count++) {
        bool inline_tool = (e->kind == PATTERN_BRACKET || e->kind == PATTERN_NODE) &&
                           text_is(pattern_label(e), "Tool");
        if (inline_tool) agent->tools[agent->tool_count] = tool_read(pass, spec, e);
    }
    struct agent *other = map_put(&spec->agents, name, agent);
    if (other != agent) {
        spec_report_duplicate(pass, D_DUPLICATE_AGENT, name, agent->name_at, other->source,
                              other->name_at);
        return;
    }
    *spec->last_agent = agent;
    spec->last_agent = &agent->next;
    spec->agent_count++;
}

/* ## References */

static gramc_text nearest_tool(const struct gramc_spec *spec, gramc_text name) {
    gramc_text best = {NULL, 0};
    for (const struct tool *tool = spec->first_tool; tool; tool = tool->next) {
        gramc_text pair[2] = {tool->identifier, best};
        best = text_nearest(name, pair, best.len ? 2 : 1);
    }
    return best;
}

static struct tool *find_tool(struct pass *pass, const struct gramc_spec *spec,
                              const struct pattern *reference) {
    gramc_text name = reference->subject->identifier.text;
    struct tool *tool = map_get(&spec->tools, name);
    if (tool) return tool;
    struct finding *f =
        FIND(pass->findings, D_UNRESOLVED_TOOL, pass->source, reference->span, name);
    gramc_text near = nearest_tool(spec, name);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
    else
        finding_help(pass->findings, f, "define it here or at top level: `[%.*s:Tool {...} | ...]`",
                     TEXT_ARGS(name));
    return NULL;
}

static struct tool *resolve_element(struct pass *pass, const struct gramc_spec *spec,
                                    const struct pattern *element) {
    gramc_text label = pattern_label(element);
    bool bare = element->subject && element->subject->has_identifier && !label.len &&
                !element->subject->has_record && element->element_count == 0 &&
                element->kind != PATTERN_PATH;
    if (bare) return find_tool(pass, spec, element);
    if (box_use_is(element)) return NULL;
    if (text_is(label, "Task"))
        FIND(pass->findings, D_NOT_SUPPORTED, pass->source, element->span, label);
    else {
        struct finding *f = FIND0(pass->findings, D_NOT_A_TOOL, pass->source, element->span);
        finding_help(pass->findings, f,
                     "the elements of an agent are tools, `[name:Tool {...} | "
                     "...]`, or names of tools");
    }
    return NULL;
}

static void report_wire_name(struct pass *pass, const struct agent *agent, const struct tool *one,
                             const struct tool *other) {
    struct finding *f = FIND(pass->findings, D_DUPLICATE_WIRE_NAME, agent->source, agent->name_at,
                             agent->identifier, one->public.name);
    finding_label(pass->findings, f, one->source, one->name_at, "one of them");
    finding_label(pass->findings, f, other->source, other->name_at, "the other");
}

/* The map is needed here only, so it gets an arena of its own. */
static void check_wire_names(struct pass *pass, const struct agent *agent) {
    struct arena scratch;
    struct map seen;
    arena_init(&scratch, &pass->arena->allocator);
    map_init(&seen, &scratch);
    for (size_t i = 0; i < agent->tool_count; i++) {
        struct tool *tool = agent->tools[i];
        const struct tool *first = map_get(&seen, tool->public.name);
        if (first) report_wire_name(pass, agent, first, tool);
        else map_put(&seen, tool->public.name, tool);
    }
    pass->arena->oom = pass->arena->oom || scratch.oom;
    arena_free(&scratch);
}

void agent_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent) {
    size_t count = 0;
    const struct pattern *element = agent->pattern->elements;
    for (size_t i = 0; i < agent->tool_count; i++, element = element->next) {
        struct tool *tool = agent->tools[i];
        bool inline_tool = text_is(pattern_label(element), "Tool");
        if (!inline_tool) tool = resolve_element(pass, spec, element);
        if (tool) agent->tools[count++] = tool;
    }
    agent->tool_count = count;
    agent->public.box_uses = box_uses_read(pass, agent->pattern, &agent->public.box_use_count);
    check_wire_names(pass, agent);
    const gramc_tool **list = arena_array(pass->arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = &agent->tools[i]->public;
    agent->public.tools = list;
    agent->public.tool_count = list ? count : 0;
}
