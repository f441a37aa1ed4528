/* Makes an agent ready to run: builds the schemas of its tools once, as text and as documents,
 * compiles those to validators, and takes the agent's fingerprint. Checking and printing a spec
 * never come here. */
#include "compiler/emit/bundle.h"

#include "base/text.h"
#include "compiler/emit/response_format.h"

/* The program evaluates the checked style (with the bounds of Long), the wire gets the printed one:
 * most types are printed as they are checked. */
static gramc_status compile(gramc_schema **out, struct arena *arena, const struct schema *schema,
                            const struct built_schema *printed, bool closed_root) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    options.allocator = &arena->allocator;
    options.assert_formats = true;
    options.closed_root = closed_root;
    const struct json *document =
        printed->hides_bounds ? schema_document(arena, schema, SCHEMA_CHECKED) : printed->document;
    if (arena->oom) return GRAMC_NOMEM;
    return gramc_schema_compile_document(out, document, &options, NULL);
}

static gramc_status prepare_tool(struct arena *arena, struct tool *tool) {
    const struct signature *signature = tool->signature;
    gramc_tool *public = &tool->public;
    if (tool->accepts && tool->returns) return GRAMC_OK;
    const struct built_schema arguments =
                                  schema_build(arena, &signature->arguments, SCHEMA_PRINTED),
                              result = schema_build(arena, signature->result, SCHEMA_PRINTED);
    public->parameters = arguments.text;
    public->document = arguments.document;
    public->result = result.text;
    gramc_status status = compile(&tool->accepts, arena, &signature->arguments, &arguments,
                                  signature_is_closed(signature));
    if (status == GRAMC_OK)
        status = compile(&tool->returns, arena, signature->result, &result, false);
    public->accepts = tool->accepts;
    public->returns = tool->returns;
    return status;
}

static struct agent *find(const gramc_compilation *compilation, const gramc_agent *agent) {
    for (const struct gramc_spec *spec = compilation->specs; spec; spec = spec->older)
        for (struct agent *a = spec->first_agent; a; a = a->next)
            if (&a->public == agent) return a;
    return NULL;
}

static struct tool *find_tool(const gramc_compilation *compilation, const gramc_tool *tool) {
    for (const struct gramc_spec *spec = compilation->specs; spec; spec = spec->older)
        for (struct tool *t = spec->first_tool; t; t = t->next)
            if (&t->public == tool) return t;
    return NULL;
}

gramc_status gramc_tool_prepare(gramc_compilation *compilation, const gramc_tool *public) {
    struct tool *tool = find_tool(compilation, public);
    if (!tool) return GRAMC_NOT_FOUND;
    if (!tool->signature) return GRAMC_FINDINGS;
    compilation->has_programs = true;
    return prepare_tool(&compilation->arena, tool);
}

/* A structured answer: where its texts and program go. */
struct prepared_answer {
    gramc_text *printed, *format;
    const struct json **document;
    gramc_schema **program;
    bool *wrapped;
};

static gramc_status prepare_output(struct arena *arena, const struct schema *output,
                                   struct prepared_answer answer) {
    struct buf format;
    if (!output || *answer.program) return GRAMC_OK;
    const struct built_schema built = schema_build(arena, output, SCHEMA_PRINTED);
    *answer.printed = built.text;
    buf_init(&format, &arena->allocator, SOURCE_MAX);
    *answer.document = built.document;
    *answer.wrapped = answer_put_format(&format, TEXT("openai"), built.document);
    if (format.state == BUF_NOMEM) arena->oom = true;
    *answer.format = arena_text(arena, buf_view(&format));
    buf_free(&format);
    return compile(answer.program, arena, output, &built, false);
}

static gramc_status prepare_outputs(struct arena *arena, struct agent *agent) {
    gramc_agent *a = &agent->public;
    struct prepared_answer own = {&a->output, &a->response_format, &a->output_document,
                                  &agent->answers, &a->answer_wrapped};
    gramc_status status = prepare_output(arena, agent->output, own);
    a->answers = agent->answers;
    for (struct task *t = agent->first_task; t && status == GRAMC_OK; t = t->next) {
        gramc_task *task = t->public;
        struct prepared_answer answer = {&task->output, &task->response_format,
                                         &task->output_document, &t->answers,
                                         &task->answer_wrapped};
        status = prepare_output(arena, t->output, answer);
        task->answers = t->answers;
    }
    return status;
}

gramc_status gramc_agent_prepare(gramc_compilation *compilation, const gramc_agent *public) {
    struct agent *agent = find(compilation, public);
    gramc_status status = GRAMC_OK;
    if (!agent) return GRAMC_NOT_FOUND;
    if (agent->prepared) return GRAMC_OK;
    compilation->has_programs = true;
    for (size_t i = 0; i < agent->reach_count && status == GRAMC_OK; i++)
        status = agent->reach[i]->signature ? prepare_tool(&compilation->arena, agent->reach[i])
                                            : GRAMC_FINDINGS;
    if (status == GRAMC_OK) status = prepare_outputs(&compilation->arena, agent);
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
    if (!spec || !spec->compilation->has_programs) return;
    for (struct tool *tool = spec->first_tool; tool; tool = tool->next) free_tool(tool);
    for (struct agent *agent = spec->first_agent; agent; agent = agent->next) free_outputs(agent);
}
