/* The table of targets, and what all of them share: tools one a line, so that a diff
 * shows which tool has changed. How one tool is printed is the matter of the emit_*.c files. */
#include "compiler/emit/target.h"

#include "base/text.h"
#include "compiler/config.h"
#include "compiler/emit/bundle.h"

#include <string.h>

enum { OUTPUT_MAX = INT32_MAX, CHUNK = 1 << 16 };

static const struct target targets[] = {
    {"json-schema", "name, description and the JSON Schemas of parameters and result",
     emit_json_schema, NULL, "[", "]", NAMES_ANY, DIALECT_PLAIN, 0},
    {"openai", "OpenAI chat completions: the `tools` array", emit_openai, NULL, "[", "]",
     NAMES_FUNCTION, DIALECT_PLAIN,
     REQUEST_FORM | CHAT_FORM | FEW_TOOLS | EVALUATES_SCHEMAS | NEEDS_ITEMS | SHORT_WORDS},
    {"openai-functions", "OpenAI chat completions, older form: the `functions` array",
     emit_openai_functions, NULL, "[", "]", NAMES_FUNCTION, DIALECT_PLAIN,
     REQUEST_FORM | CHAT_FORM | FEW_TOOLS_REFUSED | EVALUATES_SCHEMAS | NEEDS_ITEMS | SHORT_WORDS},
    {"openai-strict", "OpenAI chat completions in strict mode: the `tools` array",
     emit_openai_strict, NULL, "[", "]", NAMES_FUNCTION, DIALECT_STRICT,
     REQUEST_FORM | CHAT_FORM | FEW_TOOLS | EVALUATES_SCHEMAS | NEEDS_ITEMS | SHORT_WORDS},
    {"openai-responses", "OpenAI Responses: the `tools` array", emit_openai_responses, NULL, "[",
     "]", NAMES_FUNCTION, DIALECT_PLAIN,
     REQUEST_FORM | FEW_TOOLS | EVALUATES_SCHEMAS | NEEDS_ITEMS | SHORT_WORDS},
    {"anthropic", "Anthropic Messages: the `tools` array", emit_anthropic, NULL, "[", "]",
     NAMES_FUNCTION, DIALECT_ANTHROPIC, REQUEST_FORM | EVALUATES_SCHEMAS},
    {"gemini", "Gemini generateContent: the `tools` array with its declarations", emit_gemini, NULL,
     "[{\"functionDeclarations\":[", "]}]", NAMES_GEMINI, DIALECT_GEMINI,
     REQUEST_FORM | FEW_TOOLS | EVALUATES_SCHEMAS},
    {"mcp", "the result of MCP's tools/list", emit_mcp, NULL, "{\"tools\":[", "]}", NAMES_MCP,
     DIALECT_PLAIN, EVALUATES_SCHEMAS},
    {"ollama", "Ollama's /v1: the `tools` array, with what Ollama drops in words", emit_ollama,
     NULL, "[", "]", NAMES_FUNCTION, DIALECT_OLLAMA, REQUEST_FORM | CHAT_FORM | EVALUATES_SCHEMAS},
    {"json-schema-call", "one JSON Schema for a call of any tool: its name and its arguments", NULL,
     emit_json_schema_call, "", "", NAMES_ANY, DIALECT_PLAIN, 0},
    {"gbnf", "one GBNF grammar (llama.cpp) for a call of any tool: its name and its arguments",
     NULL, emit_gbnf, "", "", NAMES_ANY, DIALECT_PLAIN, EVALUATES_SCHEMAS},
    {"gbnf-arguments", "a GBNF grammar for the arguments of each tool", emit_gbnf_arguments, NULL,
     "[", "]", NAMES_ANY, DIALECT_PLAIN, EVALUATES_SCHEMAS},
    {"regex", "one regular expression for a call of any tool: its name and its arguments", NULL,
     emit_regex, "", "", NAMES_ANY, DIALECT_PLAIN, EVALUATES_SCHEMAS},
    {"regex-arguments", "a regular expression for the arguments of each tool", emit_regex_arguments,
     NULL, "[", "]", NAMES_ANY, DIALECT_PLAIN, EVALUATES_SCHEMAS},
    {"bundle", "the agent with everything that it says, and its fingerprint", NULL, emit_bundle, "",
     "", NAMES_ANY, DIALECT_PLAIN, 0},
    {"markdown", "a page about the agent and its tools, for people", NULL, emit_markdown, "", "",
     NAMES_ANY, DIALECT_PLAIN, 0},
};

enum { TARGETS = sizeof targets / sizeof *targets };

const char *gramc_target_name(size_t i) {
    return i < TARGETS ? targets[i].name : NULL;
}

const char *gramc_target_about(size_t i) {
    return i < TARGETS ? targets[i].about : NULL;
}

const struct target *target_find(gramc_text name) {
    for (size_t i = 0; i < TARGETS; i++)
        if (text_is(name, targets[i].name)) return &targets[i];
    return NULL;
}

/* The struct behind a public agent. */
static const struct agent *find_agent(const gramc_spec *spec, const gramc_agent *agent) {
    for (const struct agent *a = spec->first_agent; a; a = a->next)
        if (&a->public == agent) return a;
    return NULL;
}

/* ## Emissions */

/* Of an agent's tools, or of all. Without memory e->arena.oom is set. */
static void begin(struct emission *e, const gramc_spec *spec, const struct agent *agent,
                  const struct target *target, struct buf *out) {
    *e = (struct emission){.out = out, .target = target};
    e->spec = spec;
    e->agent = agent;
    e->tools = agent ? agent->reach : spec->tool_list;
    e->count = agent ? agent->reach_count : spec->tools.count;
    e->style = spec->compilation->keep_types ? SCHEMA_DEFS : SCHEMA_PRINTED;
    arena_init(&e->arena, &spec->compilation->arena.allocator);
    gramc_text *own = arena_array(&e->arena, e->count + 1, sizeof *own);
    e->names = arena_array(&e->arena, e->count + 1, sizeof *e->names);
    if (!own || !e->names) return;
    for (size_t i = 0; i < e->count; i++) own[i] = e->tools[i]->public.name;
    wire_names_make(&e->arena, target->names, own, e->count, e->names);
}

/* Hands on what has gathered, so that ten thousand tools need no buffer of their size. */
static gramc_status flush(struct buf *out, gramc_writer writer, size_t at_least) {
    if (out->state == BUF_FINE && out->len < at_least) return GRAMC_OK;
    gramc_status status = buf_send(out, writer);
    buf_reset(out);
    return status;
}

/* Those of no tool are nobody's agent's, and only schemas can do without a name. */
static const struct bare *bare_signatures(const struct emission *e) {
    return e->agent || e->target->print != emit_json_schema ? NULL : e->spec->first_bare;
}

static gramc_status put_tools(struct emission *e, gramc_writer writer) {
    gramc_status status = GRAMC_OK;
    bool any = false;
    buf_puts(e->out, e->target->before);
    for (size_t i = 0; i < e->count && status == GRAMC_OK; i++) {
        if (!e->tools[i]->signature) continue;
        buf_puts(e->out, any ? ",\n" : "\n");
        any = true;
        e->at = i;
        e->json = json_writer(e->out);
        e->target->print(e, e->tools[i]);
        status = flush(e->out, writer, CHUNK);
    }
    for (const struct bare *b = bare_signatures(e); b && status == GRAMC_OK; b = b->next) {
        if (!b->signature) continue;
        buf_puts(e->out, any ? ",\n" : "\n");
        any = true;
        signature_print_schemas(e->out, b->signature, e->style);
        status = flush(e->out, writer, CHUNK);
    }
    buf_puts(e->out, any ? "\n" : "");
    buf_puts(e->out, e->target->after);
    buf_putc(e->out, '\n');
    return status == GRAMC_OK ? flush(e->out, writer, 0) : status;
}

gramc_status gramc_emit(const gramc_spec *spec, const gramc_agent *agent, gramc_text name,
                        gramc_writer writer) {
    const struct agent *one = find_agent(spec, agent);
    const struct target *target = target_find(name);
    gramc_status status = GRAMC_NOMEM;
    struct emission e;
    struct buf out;
    if (!target) return GRAMC_USAGE;
    if (agent && !one) return GRAMC_NOT_FOUND;
    buf_init(&out, &spec->compilation->arena.allocator, OUTPUT_MAX);
    begin(&e, spec, one, target, &out);
    if (!e.arena.oom && target->print) {
        status = put_tools(&e, writer);
    } else if (!e.arena.oom) {
        target->whole(&e, one);
        status = flush(&out, writer, 0);
    }
    arena_free(&e.arena);
    buf_free(&out);
    return status;
}

/* ## Checking: printing into nothing, with findings */

static int swallow(void *ctx, const char *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len;
    return 0;
}

static void check_names(struct emission *e, const struct agent *agent) {
    for (size_t i = 0; i < e->count; i++) {
        const struct tool *tool = e->tools[i];
        limits_check_words(e, tool);
        if (text_eq(tool->public.name, e->names[i])) continue;
        FIND(e->findings, D_RENAMED_TOOL, tool->source, tool->name_at, tool->public.name,
             e->names[i], text_of(e->target->name));
    }
    limits_check_tools(e, agent);
}

static void check_bare(struct findings *findings, const struct gramc_spec *spec,
                       const struct target *target) {
    if (target->print == emit_json_schema) return;
    for (const struct bare *b = spec->first_bare; b; b = b->next)
        if (b->signature)
            FIND(findings, D_NO_TOOL_NAME, b->source, b->signature->span, text_of(target->name));
}

/* What concerns an agent as a whole, and (`schemas`) each of its tools. */
static gramc_status check(const gramc_spec *spec, struct findings *findings,
                          const struct agent *agent, const struct target *target, bool names,
                          bool schemas) {
    gramc_status status = GRAMC_OK;
    struct emission e;
    struct buf out;
    buf_init(&out, &spec->compilation->arena.allocator, OUTPUT_MAX);
    begin(&e, spec, agent, target, &out);
    e.findings = findings;
    if (!e.arena.oom && names) check_names(&e, agent);
    bool evaluates = !e.arena.oom && schemas && (target->flags & EVALUATES_SCHEMAS);
    if (evaluates && target->print) status = put_tools(&e, (gramc_writer){swallow, NULL});
    else if (evaluates) target->whole(&e, agent);
    if (status == GRAMC_OK && !target->print) status = buf_status(&out);
    if (e.arena.oom || spec->compilation->arena.oom) status = GRAMC_NOMEM;
    arena_free(&e.arena);
    buf_free(&out);
    return status;
}

static gramc_status check_all(gramc_compilation *compilation, const gramc_spec *spec,
                              const struct agent *one, const struct target *target) {
    struct findings own;
    gramc_status status = GRAMC_OK;
    findings_init(&own, &compilation->arena, compilation->findings.max);
    if (!one) check_bare(&own, spec, target);
    if (target->print || target->flags & EVALUATES_SCHEMAS)
        status = check(spec, &own, one, target, one || !spec->first_agent, true);
    for (const struct agent *a = one || !target->print ? NULL : spec->first_agent;
         a && status == GRAMC_OK; a = a->next)
        status = check(spec, &own, a, target, true, false);
    spec_hand_over(compilation, spec, &own);
    return status;
}

/* Of several specs, those that are sound. */
static gramc_status check_specs(gramc_compilation *compilation, const gramc_agent *agent,
                                const struct target *target) {
    gramc_status status = GRAMC_OK;
    bool found = !agent;
    for (const struct gramc_spec *s = compilation->specs; s && status == GRAMC_OK; s = s->older) {
        const struct agent *one = agent ? find_agent(s, agent) : NULL;
        found = found || one;
        if (agent ? one != NULL : spec_is_sound(s)) status = check_all(compilation, s, one, target);
    }
    return found ? status : GRAMC_NOT_FOUND;
}

gramc_status gramc_target_check(gramc_compilation *compilation, const gramc_agent *agent,
                                gramc_text name) {
    const struct target *target = target_find(name);
    struct pass pass = {compilation, &compilation->arena, &compilation->findings, NULL};
    if (!target || !compilation->specs) return GRAMC_USAGE;
    gramc_status status = check_specs(compilation, agent, target);
    findings_settle_targets(&pass);
    findings_sort(&compilation->findings);
    if (compilation->arena.oom) return GRAMC_NOMEM;
    if (status != GRAMC_OK) return status;
    return findings_have_errors(&compilation->findings) ? GRAMC_FINDINGS : GRAMC_OK;
}

/* ## Names */

gramc_status gramc_target_tool_name(const gramc_spec *spec, const gramc_agent *agent,
                                    const gramc_tool *tool, gramc_text name,
                                    char out[GRAMC_WIRE_NAME_SIZE]) {
    const struct target *target = target_find(name);
    gramc_status status = GRAMC_NOT_FOUND;
    struct emission e;
    if (!target) return GRAMC_USAGE;
    begin(&e, spec, find_agent(spec, agent), target, NULL);
    if (e.arena.oom) status = GRAMC_NOMEM;
    for (size_t i = 0; i < e.count && status == GRAMC_NOT_FOUND; i++) {
        if (&e.tools[i]->public != tool) continue;
        status = e.names[i].len < GRAMC_WIRE_NAME_SIZE ? GRAMC_OK : GRAMC_LIMIT;
        if (status != GRAMC_OK) break;
        memcpy(out, e.names[i].ptr, e.names[i].len);
        out[e.names[i].len] = '\0';
    }
    arena_free(&e.arena);
    return status;
}

gramc_status gramc_target_find_tool(const gramc_tool **out, const gramc_spec *spec,
                                    const gramc_agent *agent, gramc_text target_name,
                                    gramc_text name) {
    const struct target *target = target_find(target_name);
    struct emission e;
    *out = NULL;
    if (!target) return GRAMC_USAGE;
    begin(&e, spec, find_agent(spec, agent), target, NULL);
    gramc_status status = e.arena.oom ? GRAMC_NOMEM : GRAMC_NOT_FOUND;
    for (size_t i = 0; i < e.count && status == GRAMC_NOT_FOUND; i++) {
        if (!text_eq(e.names[i], name)) continue;
        *out = &e.tools[i]->public;
        status = GRAMC_OK;
    }
    arena_free(&e.arena);
    return status;
}
