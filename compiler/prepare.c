/* Makes an agent ready to run: prints the schemas of its tools, compiles them to validators, and
 * takes the agent's fingerprint. Checking and printing a spec never come here. */
#include "compiler/emit/bundle.h"

#include "base/text.h"
#include "compiler/emit/response_format.h"

static gramc_text keep(struct arena *arena, struct buf *text) {
    gramc_text copy = {NULL, 0};
    if (text->state == BUF_NOMEM) arena->oom = true;
    else copy = arena_text(arena, buf_view(text));
    buf_reset(text);
    return copy;
}

/* The program judges the checked style (with the bounds of Long), the wire gets the printed one. */
static gramc_status compile(gramc_schema **out, const struct buf *text, bool closed_root) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    options.allocator = &text->allocator;
    options.assert_formats = true;
    options.closed_root = closed_root;
    if (text->state != BUF_FINE) return buf_status(text);
    return gramc_schema_compile(out, text->ptr, text->len, &options, NULL);
}

/* Most types are printed as they are checked. */
static gramc_text keep_evaluated(struct arena *arena, struct buf *text, gramc_text printed) {
    if (!text_eq(buf_view(text), printed)) return keep(arena, text);
    buf_reset(text);
    return printed;
}

static gramc_status prepare_tool(struct arena *arena, struct tool *tool, struct buf *text) {
    const struct signature *signature = tool->signature;
    if (tool->accepts && tool->returns) return GRAMC_OK;
    schema_print(text, &signature->arguments, SCHEMA_PRINTED);
    tool->public.parameters = keep(arena, text);
    schema_print(text, signature->result, SCHEMA_PRINTED);
    tool->public.result = keep(arena, text);
    if (arena->oom) return GRAMC_NOMEM;
    schema_print(text, &signature->arguments, SCHEMA_CHECKED);
    gramc_status status = compile(&tool->accepts, text, signature_is_closed(signature));
    tool->public.accepts = tool->accepts;
    tool->public.checked_parameters = keep_evaluated(arena, text, tool->public.parameters);
    if (status != GRAMC_OK) return status;
    schema_print(text, signature->result, SCHEMA_CHECKED);
    status = compile(&tool->returns, text, false);
    tool->public.returns = tool->returns;
    tool->public.checked_result = keep_evaluated(arena, text, tool->public.result);
    return arena->oom ? GRAMC_NOMEM : status;
}

static struct agent *find(const gramc_compilation *compilation, const gramc_agent *agent) {
    struct agent *a = compilation->spec ? compilation->spec->first_agent : NULL;
    while (a && &a->public != agent) a = a->next;
    return a;
}

static struct tool *find_tool(const gramc_compilation *compilation, const gramc_tool *tool) {
    struct tool *t = compilation->spec ? compilation->spec->first_tool : NULL;
    while (t && &t->public != tool) t = t->next;
    return t;
}

gramc_status gramc_tool_prepare(gramc_compilation *compilation, const gramc_tool *public) {
    struct tool *tool = find_tool(compilation, public);
    struct buf text;
    if (!tool) return GRAMC_NOT_FOUND;
    if (!tool->signature) return GRAMC_FINDINGS;
    buf_init(&text, &compilation->arena.allocator, SOURCE_MAX);
    compilation->spec->has_programs = true;
    gramc_status status = prepare_tool(&compilation->arena, tool, &text);
    buf_free(&text);
    return status;
}

/* A structured answer: where its texts and program go. */
struct prepared_answer {
    gramc_text *printed, *format;
    gramc_schema **program;
    bool *wrapped;
};

static gramc_status prepare_output(struct arena *arena, const struct schema *output,
                                   struct prepared_answer answer, struct buf *text) {
    if (!output || *answer.program) return GRAMC_OK;
    schema_print(text, output, SCHEMA_PRINTED);
    *answer.printed = keep(arena, text);
    *answer.wrapped = answer_put_format(text, output);
    *answer.format = keep(arena, text);
    if (arena->oom) return GRAMC_NOMEM;
    schema_print(text, output, SCHEMA_CHECKED);
    gramc_status status = compile(answer.program, text, false);
    buf_reset(text);
    return status;
}

static gramc_status prepare_outputs(struct arena *arena, struct agent *agent, struct buf *text) {
    gramc_agent *a = &agent->public;
    struct prepared_answer own = {&a->output, &a->response_format, &agent->answers,
                                  &a->answer_wrapped};
    gramc_status status = prepare_output(arena, agent->output, own, text);
    a->answers = agent->answers;
    for (struct task *t = agent->first_task; t && status == GRAMC_OK; t = t->next) {
        gramc_task *task = t->public;
        struct prepared_answer answer = {&task->output, &task->response_format, &t->answers,
                                         &task->answer_wrapped};
        status = prepare_output(arena, t->output, answer, text);
        task->answers = t->answers;
    }
    return status;
}

gramc_status gramc_agent_prepare(gramc_compilation *compilation, const gramc_agent *public) {
    struct agent *agent = find(compilation, public);
    gramc_status status = GRAMC_OK;
    struct buf text;
    if (!agent) return GRAMC_NOT_FOUND;
    if (agent->prepared) return GRAMC_OK;
    buf_init(&text, &compilation->arena.allocator, SOURCE_MAX);
    compilation->spec->has_programs = true;
    for (size_t i = 0; i < agent->reach_count && status == GRAMC_OK; i++)
        status = agent->reach[i]->signature
                     ? prepare_tool(&compilation->arena, agent->reach[i], &text)
                     : GRAMC_FINDINGS;
    if (status == GRAMC_OK) status = prepare_outputs(&compilation->arena, agent, &text);
    buf_free(&text);
    if (status != GRAMC_OK) return status;
    agent->public.fingerprint = agent_fingerprint(&compilation->arena, agent);
    agent->prepared = !compilation->arena.oom;
    return agent->prepared ? GRAMC_OK : GRAMC_NOMEM;
}

static void free_tool(const struct tool *tool) {
    gramc_schema_free(tool->accepts);
    gramc_schema_free(tool->returns);
}

static void free_outputs(const struct agent *agent) {
    gramc_schema_free(agent->answers);
    for (const struct task *t = agent->first_task; t; t = t->next) gramc_schema_free(t->answers);
}

void spec_free(struct gramc_spec *spec) {
    if (!spec || !spec->has_programs) return;
    for (struct tool *tool = spec->first_tool; tool; tool = tool->next) free_tool(tool);
    for (struct agent *agent = spec->first_agent; agent; agent = agent->next) free_outputs(agent);
}
