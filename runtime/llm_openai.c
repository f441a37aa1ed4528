/* Turns a conversation into the body of an OpenAI chat completion request, in the `tools` wire of
 * today and in the older `functions` wire. llm_openai_read.c reads the answers. The order of the
 * keys is that of recorded traffic, so that bodies can be compared line by line. */
#include "base/json/json.h"
#include "base/text.h"
#include "runtime/llm.h"

gramc_text model_id(gramc_text spec) {
    for (size_t i = 0; i < spec.len; i++)
        if (spec.ptr[i] == '/') return text_slice(spec, i + 1, spec.len);
    return spec;
}

gramc_text model_provider(gramc_text spec) {
    for (size_t i = 0; i < spec.len; i++)
        if (spec.ptr[i] == '/') return text_slice(spec, 0, i);
    return (gramc_text){NULL, 0};
}

/* ## Tools */

/* Reprinted compactly, so that a request is one line in a trace. */
static gramc_status put_parameters(struct buf *out, gramc_text schema) {
    struct arena arena;
    arena_init(&arena, &out->allocator);
    const struct json *json = json_parse(&arena, schema, NULL);
    gramc_status status = arena.oom ? GRAMC_NOMEM : json ? GRAMC_OK : GRAMC_FINDINGS;
    if (json) json_put(out, json);
    arena_free(&arena);
    return status;
}

static gramc_status put_tool(struct buf *out, const gramc_tool *tool) {
    buf_puts(out, "{\"name\":");
    json_put_string(out, tool->name);
    if (tool->description.len) {
        buf_puts(out, ",\"description\":");
        json_put_string(out, tool->description);
    }
    buf_puts(out, ",\"parameters\":");
    gramc_status status = put_parameters(out, tool->parameters);
    buf_putc(out, '}');
    return status;
}

gramc_status openai_tools(struct buf *out, const gramc_tool *const *tools, size_t count,
                          gramc_wire wire, size_t *bad) {
    bool functions = wire == GRAMC_WIRE_FUNCTIONS;
    if (count == 0) return GRAMC_OK;
    buf_puts(out, functions ? ",\"functions\":[" : ",\"tools\":[");
    for (size_t i = 0; i < count; i++) {
        if (i) buf_putc(out, ',');
        if (!functions) buf_puts(out, "{\"type\":\"function\",\"function\":");
        gramc_status status = put_tool(out, tools[i]);
        if (!functions) buf_putc(out, '}');
        *bad = i;
        if (status) return status;
    }
    buf_putc(out, ']');
    return buf_status(out);
}

/* ## Messages */

/* Empty arguments make some servers fail when they read the history. */
static void put_function(struct buf *out, const struct call *call) {
    buf_puts(out, "{\"name\":");
    json_put_string(out, call->name);
    buf_puts(out, ",\"arguments\":");
    json_put_string(out, call->arguments.len ? call->arguments : TEXT("{}"));
    buf_putc(out, '}');
}

static void put_calls(struct buf *out, const struct message *message) {
    if (message->legacy) {
        buf_puts(out, ",\"function_call\":");
        put_function(out, &message->calls[0]);
        return;
    }
    buf_puts(out, ",\"tool_calls\":[");
    for (size_t i = 0; i < message->call_count; i++) {
        if (i) buf_putc(out, ',');
        buf_puts(out, "{\"id\":");
        json_put_string(out, message->calls[i].id);
        buf_puts(out, ",\"type\":\"function\",\"function\":");
        put_function(out, &message->calls[i]);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_content(struct buf *out, const struct message *message) {
    buf_puts(out, ",\"content\":");
    if (message->has_content) json_put_string(out, message->content);
    else buf_puts(out, "null");
}

static void put_result(struct buf *out, const struct message *message) {
    if (message->legacy) {
        buf_puts(out, "{\"role\":\"function\"");
        put_content(out, message);
        buf_puts(out, ",\"name\":");
        json_put_string(out, message->name);
    } else {
        buf_puts(out, "{\"role\":\"tool\",\"tool_call_id\":");
        json_put_string(out, message->call_id);
        put_content(out, message);
    }
    buf_putc(out, '}');
}

void openai_message(struct buf *out, const struct message *message) {
    if (message->role == ROLE_TOOL) {
        put_result(out, message);
        return;
    }
    buf_puts(out, message->role == ROLE_USER ? "{\"role\":\"user\"" : "{\"role\":\"assistant\"");
    put_content(out, message);
    if (message->call_count) put_calls(out, message);
    buf_putc(out, '}');
}

/* ## The request */

static void put_messages(struct buf *out, const struct request *request) {
    bool first = true;
    buf_puts(out, ",\"messages\":[");
    if (request->instruction.len) {
        buf_puts(out, "{\"role\":\"system\",\"content\":");
        json_put_string(out, request->instruction);
        buf_putc(out, '}');
        first = false;
    }
    for (const struct message *message = request->talk->first; message; message = message->next) {
        if (!first) buf_putc(out, ',');
        first = false;
        buf_text(out, message->json);
    }
    buf_putc(out, ']');
}

/* What the agent does not say is not sent. */
static void put_setting(struct buf *out, const char *key, gramc_text value) {
    if (value.len == 0) return;
    buf_printf(out, ",\"%s\":", key);
    buf_text(out, value);
}

static void put_settings(struct buf *out, const gramc_agent *agent) {
    put_setting(out, "temperature", agent->temperature);
    put_setting(out, "top_p", agent->top_p);
    put_setting(out, "presence_penalty", agent->presence_penalty);
    put_setting(out, "frequency_penalty", agent->frequency_penalty);
    put_setting(out, "max_tokens", agent->max_tokens);
    put_setting(out, "seed", agent->seed);
}

/* A forced choice holds until the first results are there: forced again, it would never end. */
static gramc_text effective_choice(const struct request *request) {
    gramc_text choice = request->tool_choice;
    bool forced = choice.len && !text_is(choice, "auto") && !text_is(choice, "none");
    return forced && request->talk->last->role == ROLE_TOOL ? TEXT("auto") : choice;
}

/* The functions wire has no "required": it is left to the model then. */
static void put_choice(struct buf *out, const struct request *request) {
    gramc_text choice = effective_choice(request);
    bool functions = request->wire == GRAMC_WIRE_FUNCTIONS;
    bool required = text_is(choice, "required");
    if (choice.len == 0 || (functions && required)) return;
    buf_puts(out, functions ? ",\"function_call\":" : ",\"tool_choice\":");
    if (required || text_is(choice, "auto") || text_is(choice, "none")) {
        json_put_string(out, choice);
        return;
    }
    buf_puts(out, functions ? "{\"name\":" : "{\"type\":\"function\",\"function\":{\"name\":");
    json_put_string(out, choice);
    buf_puts(out, functions ? "}" : "}}");
}

void openai_request(struct buf *out, const struct request *request) {
    buf_puts(out, "{\"model\":");
    json_put_string(out, request->model);
    put_messages(out, request);
    put_settings(out, request->agent);
    put_setting(out, "response_format", request->response_format);
    if (request->tools.len) {
        buf_text(out, request->tools);
        put_choice(out, request);
        if (request->wire == GRAMC_WIRE_TOOLS && request->agent->parallel_tool_calls >= 0)
            put_setting(out, "parallel_tool_calls",
                        request->agent->parallel_tool_calls ? TEXT("true") : TEXT("false"));
    }
    buf_putc(out, '}');
}
