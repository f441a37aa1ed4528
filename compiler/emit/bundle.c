/* Prints everything that an agent and its tools say, as one JSON document: for programs that want
 * the compiled spec, and as the text whose sha256 is the agent's fingerprint. */
#include "compiler/emit/bundle.h"

#include "base/sha256.h"
#include "base/text.h"
#include "base/version.h"
#include "compiler/emit/response_format.h"
#include "compiler/emit/target.h"

struct object {
    struct buf *out;
    bool comma;
    bool meaning; /* only what counts in a fingerprint */
};

static void key(struct object *o, const char *name) {
    if (o->comma) buf_putc(o->out, ',');
    o->comma = true;
    json_put_string(o->out, text_of(name));
    buf_putc(o->out, ':');
}

static void put_text(struct object *o, const char *name, gramc_text text) {
    if (!text.len) return;
    key(o, name);
    json_put_string(o->out, text);
}

static void put_raw(struct object *o, const char *name, gramc_text json) {
    if (!json.len) return;
    key(o, name);
    buf_text(o->out, json);
}

static void put_count(struct object *o, const char *name, uint32_t count) {
    if (!count) return;
    key(o, name);
    buf_printf(o->out, "%u", (unsigned)count);
}

static void put_flag(struct object *o, const char *name, int flag) {
    if (flag < 0) return;
    key(o, name);
    buf_puts(o->out, flag ? "true" : "false");
}

/* ## Tools */

/* What was prepared is printed already. */
static void put_schema(struct object *o, const char *name, const struct schema *schema,
                       gramc_text prepared, unsigned style) {
    key(o, name);
    if (prepared.len && style == SCHEMA_PRINTED) buf_text(o->out, prepared);
    else schema_print(o->out, schema, style);
}

static void put_meaning(struct object *o, const struct tool *tool, unsigned style) {
    const gramc_tool *public = &tool->public;
    put_text(o, "name", public->name);
    put_text(o, "title", public->title);
    put_text(o, "description", public->description);
    put_schema(o, "parameters", &tool->signature->arguments, public->parameters, style);
    put_schema(o, "result", tool->signature->result, public->result, style);
    put_raw(o, "examples", tool->examples.constraint.text);
    put_text(o, "deprecated", tool->deprecated);
    put_flag(o, "readOnly", tool->read_only);
    put_flag(o, "destructive", tool->destructive);
    put_flag(o, "idempotent", tool->idempotent);
    put_flag(o, "openWorld", tool->open_world);
}

void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style) {
    struct object o = {out, false, true};
    buf_putc(out, '{');
    put_meaning(&o, tool, style);
    buf_putc(out, '}');
}

/* The target `json-schema`. */
void emit_json_schema(struct emission *e, const struct tool *tool) {
    tool_print_schemas(e->out, tool, e->style);
}

static void put_meta(struct object *o, gramc_text meta) {
    if (!o->meaning) put_raw(o, "meta", meta);
}

static void put_tool(struct object *outer, const struct tool *tool, unsigned style) {
    struct buf *out = outer->out;
    struct object o = {out, false, outer->meaning};
    buf_putc(out, '{');
    put_meaning(&o, tool, style);
    put_count(&o, "timeoutMs", tool->public.timeout_ms);
    put_count(&o, "maxCallErrors", tool->public.max_call_errors);
    put_count(&o, "maxToolErrors", tool->public.max_tool_errors);
    put_flag(&o, "optional", tool->public.optional ? 1 : -1);
    put_flag(&o, "returnDirect", tool->public.return_direct ? 1 : -1);
    put_meta(&o, tool->meta);
    buf_putc(out, '}');
}

static void put_tools(struct object *o, struct tool *const *tools, size_t count, unsigned style) {
    bool first = true;
    key(o, "tools");
    buf_putc(o->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (!tools[i]->signature) continue;
        buf_puts(o->out, first ? "\n" : ",\n");
        put_tool(o, tools[i], style);
        first = false;
    }
    buf_puts(o->out, first ? "]" : "\n]");
}

/* ## Agents */

/* Of boxes the agent says only what it takes; without `tools`, all. */
static void put_box_use(struct buf *out, const gramc_box_use *use) {
    buf_puts(out, "{\"name\":");
    json_put_string(out, use->name);
    if (!use->all_tools) buf_puts(out, ",\"tools\":[");
    for (size_t i = 0; i < use->tool_count; i++) {
        if (i) buf_putc(out, ',');
        json_put_string(out, use->tools[i]);
    }
    buf_puts(out, use->all_tools ? "}" : "]}");
}

static void put_box_uses(struct object *o, const gramc_box_use *uses, size_t count) {
    if (!count) return;
    key(o, "toolBoxes");
    buf_putc(o->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_putc(o->out, ',');
        put_box_use(o->out, &uses[i]);
    }
    buf_putc(o->out, ']');
}

static void put_output(struct object *o, const struct schema *output, unsigned style) {
    if (!output) return;
    key(o, "output");
    schema_print(o->out, output, style);
    if (o->meaning) return;
    key(o, "responseFormat");
    struct arena arena;
    arena_init(&arena, &o->out->allocator);
    answer_put_format(o->out, schema_document(&arena, output, SCHEMA_PRINTED));
    if (arena.oom) o->out->state = BUF_NOMEM;
    arena_free(&arena);
}

static void put_names(struct object *o, const char *name, const gramc_text *names, size_t count) {
    if (!count) return;
    key(o, name);
    buf_putc(o->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_putc(o->out, ',');
        json_put_string(o->out, names[i]);
    }
    buf_putc(o->out, ']');
}

static void put_task(struct object *outer, const struct task *task, unsigned style) {
    struct object o = {outer->out, false, outer->meaning};
    buf_putc(o.out, '{');
    put_text(&o, "name", task->public->name);
    put_text(&o, "description", task->public->description);
    put_text(&o, "prompt", task->public->prompt);
    put_output(&o, task->output, style);
    put_box_uses(&o, task->public->box_uses, task->public->box_use_count);
    if (task->tool_count) put_tools(&o, task->tools, task->tool_count, style);
    put_meta(&o, task->meta);
    buf_putc(o.out, '}');
}

void task_print_meaning(struct buf *out, const struct task *task) {
    struct object o = {out, false, true};
    put_task(&o, task, SCHEMA_PRINTED);
}

static void put_tasks(struct object *o, const struct agent *agent, unsigned style) {
    if (!agent->first_task) return;
    key(o, "tasks");
    buf_putc(o->out, '[');
    for (const struct task *t = agent->first_task; t; t = t->next) {
        buf_puts(o->out, t == agent->first_task ? "\n" : ",\n");
        put_task(o, t, style);
    }
    buf_puts(o->out, "\n]");
}

static void put_sampling(struct object *o, const gramc_agent *agent) {
    put_raw(o, "temperature", agent->temperature);
    put_raw(o, "topP", agent->top_p);
    put_raw(o, "presencePenalty", agent->presence_penalty);
    put_raw(o, "frequencyPenalty", agent->frequency_penalty);
    put_raw(o, "maxTokens", agent->max_tokens);
    put_raw(o, "seed", agent->seed);
}

static void put_settings(struct object *o, const struct agent *agent, unsigned style) {
    const gramc_agent *public = &agent->public;
    put_count(o, "maxIterations", public->max_iterations);
    put_count(o, "maxCallsPerTurn", public->max_calls_per_turn);
    put_text(o, "toolChoice", public->tool_choice);
    put_flag(o, "parallelToolCalls", public->parallel_tool_calls);
    put_count(o, "maxMessages", public->max_messages);
    /* What is said and would be so anyway means nothing. */
    if (!o->meaning || !text_is(public->strategy, "direct"))
        put_text(o, "strategy", public->strategy);
    if (!o->meaning || !text_is(public->wire, "tools")) put_text(o, "wire", public->wire);
    put_text(o, "generatorModel", public->generator_model);
    put_text(o, "evaluatorModel", public->evaluator_model);
    put_text(o, "outputModel", public->output_model);
    put_count(o, "maxRounds", public->max_rounds);
    put_box_uses(o, public->box_uses, public->box_use_count);
    put_output(o, agent->output, style);
    put_names(o, "inputs", public->inputs, public->input_count);
    put_meta(o, agent->meta);
}

static void put_agent(struct object *o, const struct agent *agent, unsigned style) {
    put_text(o, "name", agent->public.name);
    put_text(o, "description", agent->public.description);
    put_text(o, "instruction", agent->public.instruction);
    put_text(o, "model", agent->public.model);
    put_sampling(o, &agent->public);
    put_settings(o, agent, style);
}

/* What the agent means: no layout, file names or comments, nothing that it does not reach. */
static void print_meaning(struct buf *out, const struct agent *agent) {
    struct object o = {out, false, true};
    buf_putc(out, '{');
    put_agent(&o, agent, SCHEMA_PRINTED);
    put_tasks(&o, agent, SCHEMA_PRINTED);
    put_tools(&o, agent->tools, agent->tool_count, SCHEMA_PRINTED);
    buf_putc(out, '}');
}

void agent_print_rest(struct buf *out, const struct agent *agent) {
    struct object o = {out, false, true};
    put_text(&o, "instruction", agent->public.instruction);
    put_settings(&o, agent, SCHEMA_PRINTED);
    for (const struct task *t = agent->first_task; t; t = t->next) {
        put_text(&o, "prompt", t->public->prompt);
        put_output(&o, t->output, SCHEMA_PRINTED);
        put_box_uses(&o, t->public->box_uses, t->public->box_use_count);
        for (size_t i = 0; i < t->tool_count; i++) put_text(&o, "tool", t->tools[i]->public.name);
    }
}

gramc_text agent_fingerprint(struct arena *arena, const struct agent *agent) {
    struct sha256 sha;
    struct buf text;
    char hex[SHA256_HEX];
    buf_init(&text, &arena->allocator, SOURCE_MAX);
    print_meaning(&text, agent);
    if (text.state == BUF_NOMEM) arena->oom = true;
    sha256_init(&sha);
    sha256_add_text(&sha, TEXT("gramc spec 1"));
    sha256_add_text(&sha, buf_view(&text));
    sha256_hex(&sha, hex);
    buf_free(&text);
    return arena_text(arena, (gramc_text){hex, SHA256_HEX});
}

/* The fingerprint without an arena: straight into the output. */
static void put_fingerprint(struct object *o, const struct agent *agent) {
    struct arena scratch;
    arena_init(&scratch, &o->out->allocator);
    put_text(o, "fingerprint", agent_fingerprint(&scratch, agent));
    if (scratch.oom) o->out->state = BUF_NOMEM;
    arena_free(&scratch);
}

/* ## Experiments */

static void put_arm(struct object *outer, const gramc_arm *arm, gramc_text meta) {
    struct object o = {outer->out, false, false};
    buf_putc(o.out, '{');
    put_text(&o, "name", arm->name);
    if (arm->agent) put_text(&o, "agent", arm->agent->name);
    if (arm->library) put_text(&o, "library", arm->library->name);
    put_text(&o, "model", arm->model);
    put_raw(&o, "temperature", arm->temperature);
    put_raw(&o, "topP", arm->top_p);
    put_raw(&o, "presencePenalty", arm->presence_penalty);
    put_raw(&o, "frequencyPenalty", arm->frequency_penalty);
    put_raw(&o, "maxTokens", arm->max_tokens);
    put_raw(&o, "seed", arm->seed);
    put_meta(&o, meta);
    buf_putc(o.out, '}');
}

void experiment_print(struct buf *out, const struct experiment *experiment) {
    const gramc_experiment *public = &experiment->public;
    struct object o = {out, false, false};
    buf_putc(out, '{');
    put_text(&o, "name", public->name);
    put_text(&o, "cases", public->cases);
    put_count(&o, "repeats", public->repeats);
    key(&o, "seed");
    buf_printf(out, "%llu", (unsigned long long)public->seed);
    put_text(&o, "metric", public->metric);
    put_names(&o, "guardrails", public->guardrails, public->guardrail_count);
    put_raw(&o, "margin", public->margin);
    put_raw(&o, "alpha", public->alpha);
    put_text(&o, "stop", public->stop);
    put_raw(&o, "maxCost", public->max_cost);
    put_count(&o, "concurrency", public->concurrency);
    put_text(&o, "vary", public->vary);
    put_meta(&o, experiment->meta);
    key(&o, "arms");
    for (size_t i = 0; i < public->arm_count; i++) {
        buf_puts(out, i ? ",\n" : "[\n");
        put_arm(&o, &public->arms[i], experiment->arm_metas[i]);
    }
    buf_puts(out, "\n]}");
}

static bool concerns(const struct experiment *experiment, const struct agent *agent) {
    for (size_t i = 0; i < experiment->public.arm_count; i++)
        if (!agent || experiment->public.arms[i].agent == &agent->public) return true;
    return false;
}

static void put_experiments(struct object *o, const struct gramc_spec *spec,
                            const struct agent *agent) {
    bool any = false;
    for (const struct experiment *e = spec->first_experiment; e; e = e->next) {
        if (!concerns(e, agent)) continue;
        if (!any) key(o, "experiments");
        buf_puts(o->out, any ? ",\n" : "[\n");
        experiment_print(o->out, e);
        any = true;
    }
    if (any) buf_puts(o->out, "\n]");
}

void emit_bundle(struct emission *e, const struct agent *agent) {
    unsigned style = e->style | SCHEMA_META;
    struct object document = {e->out, false, false}, inner = {e->out, false, false};
    buf_putc(e->out, '{');
    put_text(&document, "format", TEXT("gramc-bundle"));
    put_count(&document, "version", VERSION_BUNDLE);
    if (agent) {
        key(&document, "agent");
        buf_putc(e->out, '{');
        put_agent(&inner, agent, style);
        put_fingerprint(&inner, agent);
        buf_putc(e->out, '}');
        put_tasks(&document, agent, style);
    }
    put_tools(&document, agent ? agent->tools : e->tools, agent ? agent->tool_count : e->count,
              style);
    put_experiments(&document, e->spec, agent);
    buf_puts(e->out, "}\n");
}
