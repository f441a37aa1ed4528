/* Turns the events of a run into spans of OpenTelemetry: OTLP's JSON, the semantic conventions for
 * generative AI. Each span is written when it has ended, the run's own as the last. Sending them is
 * spans_send.c's matter. */
#include "runtime/spans.h"

#include <stdio.h>

#include "base/json/writer.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/text.h"
#include "gramc/runtime.h"

enum { ID_DIGITS = 16 };

enum span_kind { SPAN_INTERNAL = 1, SPAN_CLIENT = 3 }; /* as OTLP numbers them */

/* ## Making */

gramc_status gramc_spans_new(gramc_spans **out, const gramc_spans_options *given) {
    gramc_spans_options options = GRAMC_SPANS_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    *out = NULL;
    gramc_allocator allocator = options.allocator ? *options.allocator : mem_default();
    gramc_spans *spans = mem_alloc(&allocator, sizeof *spans);
    if (!spans) return GRAMC_NOMEM;
    *spans = (gramc_spans){.content = options.content};
    arena_init(&spans->arena, &allocator);
    spans->service =
        arena_text(&spans->arena, options.service.len ? options.service : TEXT("gramc"));
    buf_init(&spans->done, &allocator, SPANS_MAX);
    buf_init(&spans->said, &allocator, SPANS_MAX);
    *out = spans;
    if (!spans->arena.oom) return GRAMC_OK;
    gramc_spans_free(spans);
    *out = NULL;
    return GRAMC_NOMEM;
}

void gramc_spans_free(gramc_spans *spans) {
    if (!spans) return;
    gramc_allocator allocator = spans->arena.allocator;
    buf_free(&spans->done);
    buf_free(&spans->said);
    arena_free(&spans->arena);
    mem_free(&allocator, spans, sizeof *spans);
}

/* ## Attributes: an array of keys with typed values */

static void begin_attribute(struct json_writer *w, const char *key) {
    json_object_begin(w);
    json_member_text(w, "key", text_of(key));
    json_member_object(w, "value");
}

static void end_attribute(struct json_writer *w) {
    json_object_end(w);
    json_object_end(w);
}

/* What is not known is left out. */
static void put_text(struct json_writer *w, const char *key, gramc_text value) {
    if (!value.len) return;
    begin_attribute(w, key);
    json_member_text(w, "stringValue", value);
    end_attribute(w);
}

/* As proto3 has 64 bits in JSON: a string. */
static void put_count(struct json_writer *w, const char *key, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    begin_attribute(w, key);
    json_member_text(w, "intValue", text_of(digits));
    end_attribute(w);
}

static void put_some_count(struct json_writer *w, const char *key, uint64_t value) {
    if (value) put_count(w, key, value);
}

static void put_one_of_many(struct json_writer *w, const char *key, gramc_text value) {
    if (!value.len) return;
    begin_attribute(w, key);
    json_member_object(w, "arrayValue");
    json_member_array(w, "values");
    json_object_begin(w);
    json_member_text(w, "stringValue", value);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    end_attribute(w);
}

/* The names that the conventions have for providers, where they differ from ours. */
static gramc_text provider_name(gramc_text provider) {
    static const struct {
        const char *ours, *theirs;
    } names[] = {{"gemini", "gcp.gemini"},
                 {"google", "gcp.gemini"},
                 {"mistral", "mistral_ai"},
                 {"xai", "x_ai"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is_nocase(provider, names[i].ours)) return text_of(names[i].theirs);
    return provider;
}

/* ## Spans */

/* Span ids are made of the run's, which was made up or chosen: FNV-1a over it and the number. */
static void write_id(const gramc_spans *spans, uint64_t number, char out[ID_DIGITS + 1]) {
    uint64_t hash = 0xCBF29CE484222325U;
    for (size_t i = 0; i < spans->run.len; i++)
        hash = (hash ^ (unsigned char)spans->run.ptr[i]) * 0x100000001B3U;
    for (int i = 0; i < 8; i++) hash = (hash ^ ((number >> (8 * i)) & 0xFF)) * 0x100000001B3U;
    snprintf(out, ID_DIGITS + 1, "%016llx", (unsigned long long)(hash ? hash : 1));
}

static void put_nanoseconds(struct json_writer *w, const gramc_spans *spans, const char *key,
                            uint64_t at_ns) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)(spans->start_ns + at_ns));
    json_member_text(w, key, text_of(digits));
}

struct timed {
    const char *operation;
    gramc_text subject; /* "operation subject" is its name */
    enum span_kind kind;
    uint64_t number; /* 0: the run's own */
    uint64_t from_ns, to_ns;
};

/* Up to its attributes, which the caller writes before end_span. */
static struct json_writer begin_span(gramc_spans *spans, const struct timed *span) {
    struct json_writer w = {.out = &spans->done, .comma = spans->done.len > 0};
    char id[ID_DIGITS + 1], parent[ID_DIGITS + 1];
    write_id(spans, span->number, id);
    write_id(spans, 0, parent);
    json_object_begin(&w);
    json_member_text(&w, "traceId", spans->run);
    json_member_text(&w, "spanId", text_of(id));
    if (span->number) json_member_text(&w, "parentSpanId", text_of(parent));
    struct buf name;
    buf_init(&name, &spans->arena.allocator, SPANS_MAX);
    buf_puts(&name, span->operation);
    if (span->subject.len) buf_putc(&name, ' ');
    buf_text(&name, span->subject);
    json_member_text(&w, "name", buf_view(&name));
    if (buf_status(&name)) spans->arena.oom = true;
    buf_free(&name);
    json_member_number(&w, "kind", span->kind);
    put_nanoseconds(&w, spans, "startTimeUnixNano", span->from_ns);
    put_nanoseconds(&w, spans, "endTimeUnixNano", span->to_ns);
    json_member_array(&w, "attributes");
    put_text(&w, "gen_ai.operation.name", text_of(span->operation));
    return w;
}

/* error: its class; empty, it went well. */
static void end_span(struct json_writer *w, gramc_text error, gramc_text message) {
    put_text(w, "error.type", error);
    json_array_end(w);
    json_member_object(w, "status");
    if (error.len) json_member_number(w, "code", 2);
    if (error.len) json_member_some(w, "message", message);
    json_object_end(w);
    json_object_end(w);
}

static uint64_t began(const gramc_event *event) {
    return event->duration_ns < event->at_ns ? event->at_ns - event->duration_ns : 0;
}

/* ## Content: messages as the conventions write them, JSON in a text */

static void begin_message(struct json_writer *w, const char *role) {
    json_object_begin(w);
    json_member_text(w, "role", text_of(role));
    json_member_array(w, "parts");
}

static void put_text_part(struct json_writer *w, gramc_text text) {
    if (!text.len) return;
    json_object_begin(w);
    json_member_text(w, "type", TEXT("text"));
    json_member_text(w, "content", text);
    json_object_end(w);
}

static void put_call_part(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("tool_call"));
    json_member_some(w, "id", call->id);
    json_member_text(w, "name", call->name);
    json_member_text(w, "arguments", call->arguments);
    json_object_end(w);
}

static void end_messages(gramc_spans *spans, struct json_writer *to, const char *key,
                         struct buf *messages) {
    put_text(to, key, buf_view(messages));
    if (buf_status(messages)) spans->arena.oom = true;
    buf_free(messages);
}

static void put_output(gramc_spans *spans, struct json_writer *to,
                       const gramc_event_response *response) {
    struct buf messages;
    if (!spans->content) return;
    buf_init(&messages, &spans->arena.allocator, SPANS_MAX);
    struct json_writer w = json_writer(&messages);
    json_array_begin(&w);
    begin_message(&w, "assistant");
    put_text_part(&w, response->content);
    put_text_part(&w, response->refusal);
    for (size_t i = 0; i < response->call_count; i++) put_call_part(&w, &response->calls[i]);
    json_array_end(&w);
    json_member_some(&w, "finish_reason", response->finish);
    json_object_end(&w);
    json_array_end(&w);
    end_messages(spans, to, "gen_ai.output.messages", &messages);
}

/* Of the run: what it was asked, and its last answer. */
static void put_conversation(gramc_spans *spans, struct json_writer *to, gramc_text answer) {
    struct buf messages;
    if (!spans->content) return;
    buf_init(&messages, &spans->arena.allocator, SPANS_MAX);
    buf_putc(&messages, '[');
    buf_text(&messages, buf_view(&spans->said));
    buf_putc(&messages, ']');
    end_messages(spans, to, "gen_ai.input.messages", &messages);
    if (!answer.len) return;
    buf_init(&messages, &spans->arena.allocator, SPANS_MAX);
    struct json_writer w = json_writer(&messages);
    json_array_begin(&w);
    begin_message(&w, "assistant");
    put_text_part(&w, answer);
    json_array_end(&w);
    json_object_end(&w);
    json_array_end(&w);
    end_messages(spans, to, "gen_ai.output.messages", &messages);
}

/* ## Events */

static void on_start(gramc_spans *spans, const gramc_event *event) {
    const gramc_event_start *start = event->start;
    struct arena *arena = &spans->arena;
    uint64_t ms = start->time_ms > 0 ? (uint64_t)start->time_ms : 0;
    spans->start_ns = ms * 1000000 - (ms ? event->at_ns : 0);
    spans->run = arena_text(arena, start->run);
    spans->parent = arena_text(arena, start->parent);
    spans->agent = arena_text(arena, start->agent);
    spans->agent_fingerprint = arena_text(arena, start->agent_fingerprint);
    spans->library = arena_text(arena, start->library);
    spans->library_fingerprint = arena_text(arena, start->library_fingerprint);
    spans->provider = arena_text(arena, provider_name(start->provider));
    spans->model = arena_text(arena, start->model);
}

static void on_turn(gramc_spans *spans, const gramc_event *event) {
    if (!spans->content) return;
    struct json_writer w = {.out = &spans->said, .comma = spans->said.len > 0};
    begin_message(&w, "user");
    put_text_part(&w, event->text);
    json_array_end(&w);
    json_object_end(&w);
}

static void on_request(gramc_spans *spans, const gramc_event *event) {
    spans->asked_ns = event->at_ns;
    spans->asking = true;
    spans->attempts = 0;
}

static void on_attempt(gramc_spans *spans, const gramc_event *event) {
    spans->attempts = event->attempt->number;
}

static struct json_writer begin_chat(gramc_spans *spans, const gramc_event *event, uint64_t from_ns,
                                     uint64_t to_ns) {
    gramc_text model = event->role ? event->model : spans->model;
    const struct timed span = {"chat", model, SPAN_CLIENT, ++spans->count, from_ns, to_ns};
    struct json_writer w = begin_span(spans, &span);
    spans->asking = false;
    put_text(&w, "gen_ai.provider.name", spans->provider);
    put_text(&w, "gen_ai.request.model", model);
    if (event->role) put_text(&w, "gramc.role", text_of(event->role));
    if (spans->attempts > 1) put_count(&w, "gramc.retries", spans->attempts - 1);
    return w;
}

static void on_response(gramc_spans *spans, const gramc_event *event) {
    const gramc_event_response *response = event->response;
    struct json_writer w = begin_chat(spans, event, began(event), event->at_ns);
    put_text(&w, "gen_ai.response.id", response->id);
    put_text(&w, "gen_ai.response.model", response->model);
    put_one_of_many(&w, "gen_ai.response.finish_reasons", response->finish);
    put_some_count(&w, "gen_ai.usage.input_tokens", response->prompt_tokens);
    put_some_count(&w, "gen_ai.usage.output_tokens", response->completion_tokens);
    put_some_count(&w, "gen_ai.usage.cache_read.input_tokens", response->cached_tokens);
    put_output(spans, &w, response);
    end_span(&w, TEXT(""), TEXT(""));
}

static void on_error(gramc_spans *spans, const gramc_event *event) {
    struct json_writer w = begin_chat(spans, event, began(event), event->at_ns);
    put_some_count(&w, "http.response.status_code", (uint64_t)event->attempt->status);
    end_span(&w, text_of(gramc_attempt_class_name(event->attempt->class_)), event->text);
}

static void on_result(gramc_spans *spans, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    const struct timed span = {"execute_tool", call->tool,   SPAN_INTERNAL,
                               ++spans->count, began(event), event->at_ns};
    struct json_writer w = begin_span(spans, &span);
    bool fine = text_is(text_of(call->outcome), "ok");
    put_text(&w, "gen_ai.tool.name", call->tool);
    put_text(&w, "gen_ai.tool.call.id", call->call->id);
    put_text(&w, "gen_ai.tool.type", TEXT("function"));
    if (spans->content) put_text(&w, "gen_ai.tool.call.arguments", call->call->arguments);
    if (spans->content) put_text(&w, "gen_ai.tool.call.result", event->text);
    end_span(&w, fine ? TEXT("") : text_of(call->outcome), spans->content ? event->text : TEXT(""));
}

static void on_outcome(gramc_spans *spans, const gramc_event *event) {
    const gramc_run_result *result = event->result;
    gramc_text outcome = text_of(gramc_outcome_name(result->outcome));
    bool fine = result->outcome == GRAMC_OUTCOME_ANSWERED;
    if (spans->asking) {
        struct json_writer chat = begin_chat(spans, event, spans->asked_ns, event->at_ns);
        end_span(&chat, outcome, TEXT(""));
    }
    const struct timed span = {"invoke_agent", spans->agent, SPAN_INTERNAL, 0, 0, event->at_ns};
    struct json_writer w = begin_span(spans, &span);
    put_text(&w, "gen_ai.provider.name", spans->provider);
    put_text(&w, "gen_ai.agent.name", spans->agent);
    put_text(&w, "gen_ai.request.model", spans->model);
    put_some_count(&w, "gen_ai.usage.input_tokens", result->prompt_tokens);
    put_some_count(&w, "gen_ai.usage.output_tokens", result->completion_tokens);
    put_text(&w, "gramc.agent.fingerprint", spans->agent_fingerprint);
    put_text(&w, "gramc.library.name", spans->library);
    put_text(&w, "gramc.library.fingerprint", spans->library_fingerprint);
    put_text(&w, "gramc.run.outcome", outcome);
    put_text(&w, "gramc.run.parent", spans->parent);
    put_conversation(spans, &w, result->text);
    end_span(&w, fine ? TEXT("") : outcome, result->message);
}

static void (*const on[])(gramc_spans *spans, const gramc_event *event) = {
    [GRAMC_EVENT_RUN] = on_start,         [GRAMC_EVENT_TURN] = on_turn,
    [GRAMC_EVENT_REQUEST] = on_request,   [GRAMC_EVENT_ATTEMPT] = on_attempt,
    [GRAMC_EVENT_RESPONSE] = on_response, [GRAMC_EVENT_ERROR] = on_error,
    [GRAMC_EVENT_RESULT] = on_result,     [GRAMC_EVENT_OUTCOME] = on_outcome};

void gramc_spans_event(gramc_spans *spans, const gramc_event *event) {
    if ((size_t)event->kind < sizeof on / sizeof *on && on[event->kind])
        on[event->kind](spans, event);
}

/* ## Printing */

static void put_scope(struct json_writer *w, const gramc_spans *spans) {
    json_object_begin(w);
    json_member_object(w, "scope");
    json_member_text(w, "name", TEXT("gramc"));
    json_member_text(w, "version", text_of(gramc_version()));
    json_object_end(w);
    json_member_array(w, "spans");
    buf_text(w->out, buf_view(&spans->done));
    json_array_end(w);
    json_object_end(w);
}

static void put_resource(struct json_writer *w, const gramc_spans *spans) {
    json_object_begin(w);
    json_member_object(w, "resource");
    json_member_array(w, "attributes");
    put_text(w, "service.name", spans->service);
    put_text(w, "telemetry.sdk.language", TEXT("c"));
    json_array_end(w);
    json_object_end(w);
    json_member_array(w, "scopeSpans");
    put_scope(w, spans);
    json_array_end(w);
    json_object_end(w);
}

gramc_status spans_put(const gramc_spans *spans, struct buf *out) {
    struct json_writer w = json_writer(out);
    if (spans->arena.oom) return GRAMC_NOMEM;
    if (buf_status(&spans->done)) return buf_status(&spans->done);
    if (buf_status(&spans->said)) return buf_status(&spans->said);
    json_object_begin(&w);
    json_member_array(&w, "resourceSpans");
    if (spans->done.len) put_resource(&w, spans);
    json_array_end(&w);
    json_object_end(&w);
    return buf_status(out);
}

gramc_status gramc_spans_print(const gramc_spans *spans, gramc_writer writer) {
    struct buf out;
    buf_init(&out, &spans->arena.allocator, SPANS_MAX + 4096);
    gramc_status status = spans_put(spans, &out);
    if (!status) status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}
