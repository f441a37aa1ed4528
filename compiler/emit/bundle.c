/* Prints everything that an agent and its tools say, as one JSON document: for programs that want
 * the compiled spec, and as the text whose sha256 is the agent's fingerprint. */
#include "compiler/emit/bundle.h"

#include "base/sha256.h"
#include "base/text.h"
#include "compiler/approve.h"
#include "base/version.h"
#include "compiler/emit/response_format.h"
#include "compiler/emit/target.h"
#include "compiler/grader.h"
#include "compiler/strategy.h"

struct object {
    struct json_writer json;
    bool meaning; /* only what counts in a fingerprint */
};

static struct object object(struct buf *out, bool meaning) {
    return (struct object){json_writer(out), meaning};
}

static void put_raw(struct object *o, const char *name, gramc_text json) {
    if (json.len) json_member_raw(&o->json, name, json);
}

static void put_count(struct object *o, const char *name, uint32_t count) {
    if (count) json_member_number(&o->json, name, count);
}

static void put_flag(struct object *o, const char *name, int flag) {
    if (flag >= 0) json_member_bool(&o->json, name, flag);
}

/* Items stand on lines of their own. */
static void end_lines(struct object *o) {
    if (o->json.comma) buf_putc(o->json.out, '\n');
    json_array_end(&o->json);
}

/* ## Tools */

/* What was prepared is printed already. */
static void put_schema(struct object *o, const char *name, const struct schema *schema,
                       gramc_text prepared, unsigned style) {
    json_key(&o->json, name);
    if (prepared.len && style == SCHEMA_PRINTED) json_raw(&o->json, prepared);
    else schema_print(json_slot(&o->json), schema, style);
}

void signature_print_schemas(struct buf *out, const struct signature *signature, unsigned style) {
    const gramc_text unprepared = {NULL, 0};
    struct object o = object(out, true);
    json_object_begin(&o.json);
    put_schema(&o, "parameters", &signature->arguments, unprepared, style);
    put_schema(&o, "result", signature->result, unprepared, style);
    json_object_end(&o.json);
}

static void put_meaning(struct object *o, const struct tool *tool, unsigned style) {
    const gramc_tool *public = &tool->public;
    json_member_some(&o->json, "name", public->name);
    json_member_some(&o->json, "title", public->title);
    json_member_some(&o->json, "description", public->description);
    put_schema(o, "parameters", &tool->signature->arguments, public->parameters, style);
    put_schema(o, "result", tool->signature->result, public->result, style);
    put_raw(o, "examples", tool->examples.constraint.text);
    json_member_some(&o->json, "deprecated", tool->deprecated);
    put_flag(o, "readOnly", tool->read_only);
    put_flag(o, "destructive", tool->destructive);
    put_flag(o, "idempotent", tool->idempotent);
    put_flag(o, "openWorld", tool->open_world);
    json_member_some(&o->json, "approve", approve_word(public->approve));
    put_flag(o, "untrusted", tool->untrusted);
    put_flag(o, "sensitive", tool->sensitive);
}

void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style) {
    struct object o = object(out, true);
    json_object_begin(&o.json);
    put_meaning(&o, tool, style);
    json_object_end(&o.json);
}

/* The target `json-schema`. */
void emit_json_schema(struct emission *e, const struct tool *tool) {
    tool_print_schemas(e->out, tool, e->style);
}

static void put_meta(struct object *o, gramc_text meta) {
    if (!o->meaning) put_raw(o, "meta", meta);
}

static void put_tool(struct object *o, const struct tool *tool, unsigned style) {
    json_object_begin(&o->json);
    put_meaning(o, tool, style);
    put_count(o, "timeoutMs", tool->public.timeout_ms);
    put_count(o, "maxCallErrors", tool->public.max_call_errors);
    put_count(o, "maxToolErrors", tool->public.max_tool_errors);
    put_flag(o, "optional", tool->public.optional ? 1 : -1);
    put_flag(o, "returnDirect", tool->public.return_direct ? 1 : -1);
    put_meta(o, tool->meta);
    json_object_end(&o->json);
}

static void put_tools(struct object *o, struct tool *const *tools, size_t count, unsigned style) {
    json_member_array(&o->json, "tools");
    for (size_t i = 0; i < count; i++) {
        if (!tools[i]->signature) continue;
        json_line(&o->json, 0);
        put_tool(o, tools[i], style);
    }
    end_lines(o);
}

/* ## Agents */

/* Of boxes the agent says only what it takes; without `tools`, all. */
static void put_box_use(struct json_writer *w, const gramc_box_use *use) {
    json_object_begin(w);
    json_member_text(w, "name", use->name);
    if (!use->all_tools) {
        json_member_array(w, "tools");
        for (size_t i = 0; i < use->tool_count; i++) json_text(w, use->tools[i]);
        json_array_end(w);
    }
    if (use->qualified) json_member_text(w, "ids", TEXT("qualified"));
    json_object_end(w);
}

static void put_box_uses(struct object *o, const gramc_box_use *uses, size_t count) {
    if (!count) return;
    json_member_array(&o->json, "toolBoxes");
    for (size_t i = 0; i < count; i++) put_box_use(&o->json, &uses[i]);
    json_array_end(&o->json);
}

static void put_output(struct object *o, const struct schema *output, unsigned style) {
    if (!output) return;
    json_key(&o->json, "output");
    schema_print(json_slot(&o->json), output, style);
    if (o->meaning) return;
    json_key(&o->json, "responseFormat");
    struct arena arena;
    arena_init(&arena, &o->json.out->allocator);
    answer_put_format(json_slot(&o->json), TEXT("openai"),
                      schema_document(&arena, output, SCHEMA_PRINTED));
    if (arena.oom) o->json.out->state = BUF_NOMEM;
    arena_free(&arena);
}

static void put_names(struct object *o, const char *name, const gramc_text *names, size_t count) {
    if (!count) return;
    json_member_array(&o->json, name);
    for (size_t i = 0; i < count; i++) json_text(&o->json, names[i]);
    json_array_end(&o->json);
}

static void put_task(struct object *o, const struct task *task, unsigned style) {
    json_object_begin(&o->json);
    json_member_some(&o->json, "name", task->public->name);
    json_member_some(&o->json, "description", task->public->description);
    json_member_some(&o->json, "prompt", task->public->prompt);
    json_member_some(&o->json, "toolChoice", task->public->tool_choice);
    put_output(o, task->output, style);
    put_box_uses(o, task->public->box_uses, task->public->box_use_count);
    if (task->own.count) put_tools(o, task->own.tools, task->own.count, style);
    put_meta(o, task->meta);
    json_object_end(&o->json);
}

void task_print_meaning(struct buf *out, const struct task *task) {
    struct object o = object(out, true);
    put_task(&o, task, SCHEMA_PRINTED);
}

static void put_tasks(struct object *o, const struct agent *agent, unsigned style) {
    if (!agent->first_task) return;
    json_member_array(&o->json, "tasks");
    for (const struct task *t = agent->first_task; t; t = t->next) {
        json_line(&o->json, 0);
        put_task(o, t, style);
    }
    end_lines(o);
}

static void put_sampling(struct object *o, const gramc_agent *agent) {
    put_raw(o, "temperature", agent->temperature);
    put_raw(o, "topP", agent->top_p);
    put_raw(o, "presencePenalty", agent->presence_penalty);
    put_raw(o, "frequencyPenalty", agent->frequency_penalty);
    put_raw(o, "maxTokens", agent->max_tokens);
    put_raw(o, "seed", agent->seed);
    put_raw(o, "numCtx", agent->num_ctx);
    json_member_some(&o->json, "keepAlive", agent->keep_alive);
}

static void put_settings(struct object *o, const struct agent *agent, unsigned style) {
    const gramc_agent *public = &agent->public;
    put_count(o, "maxIterations", public->max_iterations);
    put_count(o, "maxCallsPerTurn", public->max_calls_per_turn);
    json_member_some(&o->json, "toolChoice", public->tool_choice);
    put_flag(o, "parallelToolCalls", public->parallel_tool_calls);
    put_count(o, "maxMessages", public->max_messages);
    /* What is said and would be so anyway means nothing. */
    if (!o->meaning || !text_is(public->strategy, "direct"))
        json_member_some(&o->json, "strategy", public->strategy);
    if (!o->meaning || !text_is(public->wire, "tools"))
        json_member_some(&o->json, "wire", public->wire);
    json_member_some(&o->json, "generatorModel", public->generator_model);
    json_member_some(&o->json, "evaluatorModel", public->evaluator_model);
    json_member_some(&o->json, "outputModel", public->output_model);
    put_count(o, "maxRounds", public->max_rounds);
    bool usual = public->coerce == strategy_coerces(public);
    put_flag(o, "coerce", usual && (o->meaning || !public->coerce) ? -1 : public->coerce);
    put_count(o, "maxTotalTokens", public->max_total_tokens);
    put_raw(o, "maxCost", public->max_cost);
    put_count(o, "maxDurationMs", public->max_duration_ms);
    put_box_uses(o, public->box_uses, public->box_use_count);
    put_output(o, agent->output, style);
    put_names(o, "inputs", public->inputs, public->input_count);
    put_meta(o, agent->meta);
}

static void put_agent(struct object *o, const struct agent *agent, unsigned style) {
    json_member_some(&o->json, "name", agent->public.name);
    json_member_some(&o->json, "description", agent->public.description);
    json_member_some(&o->json, "instruction", agent->public.instruction);
    json_member_some(&o->json, "model", agent->public.model);
    put_sampling(o, &agent->public);
    put_settings(o, agent, style);
}

/* What the agent means: no layout, file names or comments, nothing that it does not reach. */
static void print_meaning(struct buf *out, const struct agent *agent) {
    struct object o = object(out, true);
    json_object_begin(&o.json);
    put_agent(&o, agent, SCHEMA_PRINTED);
    put_tasks(&o, agent, SCHEMA_PRINTED);
    put_tools(&o, agent->own.tools, agent->own.count, SCHEMA_PRINTED);
    json_object_end(&o.json);
}

void agent_print_rest(struct buf *out, const struct agent *agent) {
    struct object o = object(out, true);
    json_member_some(&o.json, "instruction", agent->public.instruction);
    put_settings(&o, agent, SCHEMA_PRINTED);
    for (const struct task *t = agent->first_task; t; t = t->next) {
        json_member_some(&o.json, "prompt", t->public->prompt);
        json_member_some(&o.json, "toolChoice", t->public->tool_choice);
        put_output(&o, t->output, SCHEMA_PRINTED);
        put_box_uses(&o, t->public->box_uses, t->public->box_use_count);
        for (size_t i = 0; i < t->own.count; i++)
            json_member_some(&o.json, "tool", t->own.tools[i]->public.name);
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
    arena_init(&scratch, &o->json.out->allocator);
    json_member_some(&o->json, "fingerprint", agent_fingerprint(&scratch, agent));
    if (scratch.oom) o->json.out->state = BUF_NOMEM;
    arena_free(&scratch);
}

/* ## Experiments */

static void put_arm(struct object *o, const gramc_arm *arm, gramc_text meta) {
    json_object_begin(&o->json);
    json_member_some(&o->json, "name", arm->name);
    if (arm->agent) json_member_some(&o->json, "agent", arm->agent->name);
    if (arm->library) json_member_some(&o->json, "library", arm->library->name);
    json_member_some(&o->json, "model", arm->model);
    put_raw(o, "temperature", arm->temperature);
    put_raw(o, "topP", arm->top_p);
    put_raw(o, "presencePenalty", arm->presence_penalty);
    put_raw(o, "frequencyPenalty", arm->frequency_penalty);
    put_raw(o, "maxTokens", arm->max_tokens);
    put_raw(o, "seed", arm->seed);
    put_raw(o, "weight", arm->weight);
    put_meta(o, meta);
    json_object_end(&o->json);
}

/* One word as a text, which is how most are written. */
static void put_vary(struct object *o, const gramc_experiment *experiment) {
    if (experiment->vary_count > 1) put_names(o, "vary", experiment->vary, experiment->vary_count);
    else
        json_member_text(&o->json, "vary",
                         experiment->vary_count ? experiment->vary[0] : TEXT("none"));
}

static void put_grader(struct object *o, const gramc_grader *grader, gramc_text meta) {
    json_object_begin(&o->json);
    json_member_some(&o->json, "name", grader->name);
    json_member_some(&o->json, "description", grader->description);
    if (!text_is(grader->checks, "{}")) put_raw(o, "checks", grader->checks);
    put_raw(o, "type", grader->type);
    put_names(o, "exec", grader->argv, grader->argc);
    json_member_some(&o->json, grader->kind == GRAMC_GRADER_PREFER ? "prefer" : "rubric",
                     grader->question);
    json_member_some(&o->json, "model", grader->model);
    json_member_some(&o->json, "metric", grader->metric);
    bool latency = text_is(grader->metric, "latency");
    put_raw(o, latency ? "minMs" : "min", grader->min);
    put_raw(o, latency ? "maxMs" : "max", grader->max);
    put_raw(o, "threshold", grader->threshold);
    put_raw(o, "weight", grader->weight);
    put_flag(o, "required", grader->required);
    bool waits = grader->kind != GRAMC_GRADER_CHECKS && grader->kind != GRAMC_GRADER_METRIC;
    if (waits) put_count(o, "timeoutMs", grader->timeout_ms);
    put_meta(o, meta);
    json_object_end(&o->json);
}

static void put_experiment(struct object *o, const struct experiment *experiment) {
    const gramc_experiment *public = &experiment->public;
    json_object_begin(&o->json);
    json_member_some(&o->json, "name", public->name);
    json_member_some(&o->json, "cases", public->cases);
    put_count(o, "repeats", public->repeats);
    json_member_number(&o->json, "seed", public->seed);
    json_member_some(&o->json, "metric", public->metric);
    put_names(o, "guardrails", public->guardrails, public->guardrail_count);
    put_raw(o, "margin", public->margin);
    put_raw(o, "alpha", public->alpha);
    json_member_some(&o->json, "stop", public->stop);
    put_raw(o, "maxCost", public->max_cost);
    put_raw(o, "maxJudgeCost", public->max_judge_cost);
    put_count(o, "concurrency", public->concurrency);
    put_raw(o, "maxMissing", public->max_missing);
    put_count(o, "units", public->units);
    put_vary(o, public);
    put_names(o, "reset", public->reset, public->reset_count);
    put_meta(o, experiment->meta);
    json_member_array(&o->json, "arms");
    for (size_t i = 0; i < public->arm_count; i++) {
        json_line(&o->json, 0);
        put_arm(o, &public->arms[i], experiment->arm_metas[i]);
    }
    end_lines(o);
    if (public->grader_count) json_member_array(&o->json, "graders");
    for (size_t i = 0; i < public->grader_count; i++) {
        json_line(&o->json, 0);
        put_grader(o, &public->graders[i], experiment->graders[i].meta);
    }
    if (public->grader_count) end_lines(o);
    json_object_end(&o->json);
}

void experiment_print(struct buf *out, const struct experiment *experiment) {
    struct object o = object(out, false);
    put_experiment(&o, experiment);
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
        if (!any) json_member_array(&o->json, "experiments");
        json_line(&o->json, 0);
        put_experiment(o, e);
        any = true;
    }
    if (any) end_lines(o);
}

void emit_bundle(struct emission *e, const struct agent *agent) {
    unsigned style = e->style | SCHEMA_META;
    struct object o = object(e->out, false);
    json_object_begin(&o.json);
    json_member_some(&o.json, "format", TEXT("gramc-bundle"));
    put_count(&o, "version", VERSION_BUNDLE);
    if (agent) {
        json_member_object(&o.json, "agent");
        put_agent(&o, agent, style);
        put_fingerprint(&o, agent);
        json_object_end(&o.json);
        put_tasks(&o, agent, style);
    }
    put_tools(&o, agent ? agent->own.tools : e->tools, agent ? agent->own.count : e->count, style);
    put_experiments(&o, e->spec, agent);
    json_object_end(&o.json);
    buf_putc(e->out, '\n');
}
