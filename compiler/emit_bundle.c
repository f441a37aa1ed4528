/* Prints everything that an agent and its tools say, as one JSON document: for programs that want
 * the compiled spec, and as the text whose sha256 is the agent's fingerprint. */
#include "compiler/target.h"

#include "base/sha256.h"
#include "base/text.h"
#include "base/version.h"

struct object {
    struct buf *out;
    bool comma;
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

static void put_meaning(struct object *o, const struct tool *tool, unsigned style) {
    put_text(o, "name", tool->public.name);
    put_text(o, "title", tool->public.title);
    put_text(o, "description", tool->public.description);
    key(o, "parameters");
    schema_print_object(o->out, tool->signature->parameters, style);
    key(o, "result");
    schema_print(o->out, tool->signature->result, style);
    put_raw(o, "examples", tool->examples);
    put_text(o, "deprecated", tool->deprecated);
    put_flag(o, "readOnly", tool->read_only);
    put_flag(o, "destructive", tool->destructive);
    put_flag(o, "idempotent", tool->idempotent);
    put_flag(o, "openWorld", tool->open_world);
}

void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style) {
    struct object o = {out, false};
    buf_putc(out, '{');
    put_meaning(&o, tool, style);
    buf_putc(out, '}');
}

/* The target `json-schema`. */
void emit_json_schema(struct emission *e, const struct tool *tool) {
    tool_print_schemas(e->out, tool, e->style);
}

static void put_tool(struct buf *out, const struct tool *tool, unsigned style) {
    struct object o = {out, false};
    buf_putc(out, '{');
    put_meaning(&o, tool, style);
    put_count(&o, "timeoutMs", tool->public.timeout_ms);
    put_count(&o, "maxCallErrors", tool->public.max_call_errors);
    put_count(&o, "maxToolErrors", tool->public.max_tool_errors);
    put_flag(&o, "optional", tool->public.optional ? 1 : -1);
    put_flag(&o, "returnDirect", tool->public.return_direct ? 1 : -1);
    buf_putc(out, '}');
}

static void put_tools(struct object *o, struct tool *const *tools, size_t count, unsigned style) {
    bool first = true;
    key(o, "tools");
    buf_putc(o->out, '[');
    for (size_t i = 0; i < count; i++) {
        if (!tools[i]->signature) continue;
        buf_puts(o->out, first ? "\n" : ",\n");
        put_tool(o->out, tools[i], style);
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

static void put_box_uses(struct object *o, const gramc_agent *agent) {
    if (!agent->box_use_count) return;
    key(o, "toolBoxes");
    buf_putc(o->out, '[');
    for (size_t i = 0; i < agent->box_use_count; i++) {
        if (i) buf_putc(o->out, ',');
        put_box_use(o->out, &agent->box_uses[i]);
    }
    buf_putc(o->out, ']');
}

static void put_agent(struct object *o, const gramc_agent *agent) {
    put_text(o, "name", agent->name);
    put_text(o, "description", agent->description);
    put_text(o, "instruction", agent->instruction);
    put_text(o, "model", agent->model);
    put_raw(o, "temperature", agent->temperature);
    put_raw(o, "topP", agent->top_p);
    put_raw(o, "presencePenalty", agent->presence_penalty);
    put_raw(o, "frequencyPenalty", agent->frequency_penalty);
    put_raw(o, "maxTokens", agent->max_tokens);
    put_raw(o, "seed", agent->seed);
    put_count(o, "maxIterations", agent->max_iterations);
    put_count(o, "maxCallsPerTurn", agent->max_calls_per_turn);
    put_text(o, "toolChoice", agent->tool_choice);
    put_flag(o, "parallelToolCalls", agent->parallel_tool_calls);
    put_count(o, "maxMessages", agent->max_messages);
    put_text(o, "strategy", agent->strategy);
    put_text(o, "wire", agent->wire);
    put_box_uses(o, agent);
}

/* What the agent means: no layout, file names or comments, nothing that it does not reach. */
static void print_meaning(struct buf *out, const struct agent *agent) {
    struct object o = {out, false};
    buf_putc(out, '{');
    put_agent(&o, &agent->public);
    put_tools(&o, agent->tools, agent->tool_count, SCHEMA_PRINTED);
    buf_putc(out, '}');
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

void emit_bundle(struct buf *out, const struct agent *agent, struct tool *const *tools,
                 size_t count, unsigned style) {
    struct object document = {out, false}, inner = {out, false};
    buf_putc(out, '{');
    put_text(&document, "format", TEXT("gramc-bundle"));
    put_count(&document, "version", VERSION_BUNDLE);
    if (agent) {
        key(&document, "agent");
        buf_putc(out, '{');
        put_agent(&inner, &agent->public);
        put_fingerprint(&inner, agent);
        buf_putc(out, '}');
    }
    put_tools(&document, tools, count, style);
    buf_puts(out, "}\n");
}
