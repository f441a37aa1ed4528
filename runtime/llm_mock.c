/* A model without a network or a mind: calls the first tool that it can make arguments for, from
 * its schema alone, and then says what that tool said. Shows that an agent, its tools
 * and its library fit together. */
#include "base/json/writer.h"
#include "base/text.h"
#include "runtime/model.h"
#include "runtime/run.h"

enum { SAMPLE_MAX = 1 << 16, WRAPPED_MAX = 2 << 20 };

gramc_status gramc_model_new_mock(gramc_model **out, const gramc_allocator *allocator) {
    *out = model_new(&model_mock, allocator);
    if (*out) (*out)->is_mock = true;
    return *out ? GRAMC_OK : GRAMC_NOMEM;
}

static void say(struct ask *ask, gramc_text text) {
    ask->reply.content = text;
    ask->reply.has_content = true;
    ask->reply.finish_reason = TEXT("stop");
    ask_answer(ask);
}

/* gramc_schema_accepts would not tell a lack of memory from a refusal. */
static bool is_accepted(struct arena *arena, const gramc_schema *schema, gramc_text value) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict = NULL;
    options.allocator = &arena->allocator;
    gramc_status status = gramc_schema_check(&verdict, schema, value.ptr, value.len, &options);
    bool accepted = status == GRAMC_OK && verdict->valid;
    if (status == GRAMC_NOMEM) arena->oom = true;
    gramc_verdict_free(verdict);
    return accepted;
}

/* A value of the document that the schema accepts too; document NULL: the schema's own. False if
 * none comes to mind, or without memory. */
static bool sample(gramc_text *out, struct arena *arena, const struct json *document,
                   const gramc_schema *schema) {
    struct buf text;
    if (!document) document = gramc_schema_document(schema);
    if (!document) arena->oom = true;
    if (!document) return false;
    buf_init(&text, &arena->allocator, SAMPLE_MAX);
    gramc_status status = gramc_schema_sample(document, &arena->allocator, buf_writer(&text));
    if (status == GRAMC_NOMEM || buf_status(&text) == GRAMC_NOMEM) arena->oom = true;
    *out = buf_to_arena_cut(&text, arena);
    return status == GRAMC_OK && out->ptr && is_accepted(arena, schema, *out);
}

/* False if no arguments for it come to mind. */
static bool call_tool(struct ask *ask, const struct bound_tool *tool) {
    gramc_text arguments;
    const gramc_tool *wanted = tool->tool;
    if (!sample(&arguments, &ask->arena, wanted->document, wanted->accepts)) return false;
    gramc_model_call *call = ARENA_NEW(&ask->arena, gramc_model_call);
    if (!call) return false;
    *call = (gramc_model_call){.name = tool->wire_name, .arguments = arguments};
    ask->reply.calls = call;
    ask->reply.call_count = 1;
    ask->reply.legacy = ask->run->wire == GRAMC_WIRE_FUNCTIONS;
    ask->reply.finish_reason = ask->reply.legacy ? TEXT("function_call") : TEXT("tool_calls");
    ask_answer(ask);
    return true;
}

/* As the member `answer` of an object. */
static gramc_text wrapped(struct ask *ask, gramc_text text) {
    struct buf out;
    buf_init(&out, &ask->arena.allocator, WRAPPED_MAX);
    struct json_writer w = json_writer(&out);
    json_object_begin(&w);
    json_member_raw(&w, "answer", text);
    json_object_end(&w);
    return buf_to_arena(&out, &ask->arena);
}

/* A structured answer is made up as arguments are. */
static bool answer(struct ask *ask) {
    const struct bound_step *step = ask->run->step;
    gramc_text text;
    if (!step->answers || !sample(&text, &ask->arena, NULL, step->answers)) return false;
    if (step->answer_wrapped) text = wrapped(ask, text);
    if (text.ptr) say(ask, text);
    return text.ptr != NULL;
}

/* Where calls are no calls but texts. */
static bool say_in_words(struct ask *ask) {
    const struct planned_request *asking = &ask->run->asking;
    const gramc_tool *tool = asking->arguments_of ? asking->arguments_of->tool : NULL;
    gramc_text text = asking->simplest;
    if (tool && !sample(&text, &ask->arena, tool->document, tool->accepts)) text = TEXT("{}");
    if (text.len && !ask->arena.oom) say(ask, text);
    return text.len && !ask->arena.oom;
}

static void start(struct ask *ask) {
    const struct bound_step *step = ask->run->step;
    const struct message *last = ask->run->asking.talk->last;
    enum run_role role = ask->run->asking.role;
    bool has_called = last->role == ROLE_TOOL || role == RUN_OUTPUT;
    if (role == RUN_EVALUATOR) {
        say(ask, TEXT("{\"reason\":\"The mock asks for no more.\",\"decision\":\"FINISHED\"}"));
        return;
    }
    if (say_in_words(ask)) return;
    bool may_call = ask->run->asking.tools.len && !has_called;
    for (size_t i = 0; i < step->tool_count && may_call; i++)
        if (call_tool(ask, step->tools[i])) return;
    if (answer(ask)) return;
    if (ask->arena.oom) ask_fail_nomem(ask);
    else if (has_called)
        say(ask, last->content.len ? last->content : TEXT("The tool said nothing."));
    else say(ask, TEXT("This is the mock model; it has no tool to call."));
}

static void cancel(struct ask *ask) {
    (void)ask;
}

const struct model_kind model_mock = {"mock", start, cancel};
