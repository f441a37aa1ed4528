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
#include "runtime/span_attributes.h"

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
    buf_init(&spans->first.said, &allocator, SPANS_MAX);
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
    buf_free(&spans->first.said);
    for (struct span_run *run = spans->inner; run; run = run->next) buf_free(&run->said);
    arena_free(&spans->arena);
    mem_free(&allocator, spans, sizeof *spans);
}

/* ## Spans */

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t len) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < len; i++) hash = (hash ^ byte[i]) * 0x100000001B3U;
    return hash;
}

static void print_id(uint64_t hash, char out[SPAN_ID_SIZE]) {
    snprintf(out, SPAN_ID_SIZE, "%016llx", (unsigned long long)(hash ? hash : 1));
}

/* Span ids are made of the first run's, which was made up or chosen: FNV-1a over it and a number.
 */
static void number_id(const gramc_spans *spans, uint64_t number, char out[SPAN_ID_SIZE]) {
    uint64_t hash = add_hash(0xCBF29CE484222325U, spans->first.run.ptr, spans->first.run.len);
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (number >> (8 * i)) & 0xFF;
    print_id(add_hash(hash, bytes, sizeof bytes), out);
}

/* That of a call is made of its place, so that a run in it knows it before it has ended. */
static void place_id(const gramc_spans *spans, gramc_text place, char out[SPAN_ID_SIZE]) {
    uint64_t hash = add_hash(0xCBF29CE484222325U, spans->first.run.ptr, spans->first.run.len);
    print_id(add_hash(add_hash(hash, "call", 4), place.ptr, place.len), out);
}

static void put_nanoseconds(struct json_writer *w, const struct span_run *run, const char *key,
                            uint64_t at_ns) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)(run->start_ns + at_ns));
    json_member_text(w, key, text_of(digits));
}

struct timed {
    const char *operation;
    gramc_text subject; /* "operation subject" is its name */
    enum span_kind kind;
    uint64_t from_ns, to_ns;
    const char *id, *parent; /* parent empty: none */
};

/* Up to its attributes, which the caller writes before end_span. */
static struct json_writer begin_span(gramc_spans *spans, const struct span_run *run,
                                     const struct timed *span) {
    struct json_writer w = {.out = &spans->done, .comma = spans->done.len > 0};
    json_object_begin(&w);
    json_member_text(&w, "traceId", spans->first.run);
    json_member_text(&w, "spanId", text_of(span->id));
    json_member_some(&w, "parentSpanId", text_of(span->parent));
    struct buf name;
    buf_init(&name, &spans->arena.allocator, SPANS_MAX);
    buf_puts(&name, span->operation);
    if (span->subject.len) buf_putc(&name, ' ');
    buf_text(&name, span->subject);
    json_member_text(&w, "name", buf_view(&name));
    if (buf_status(&name)) spans->arena.oom = true;
    buf_free(&name);
    json_member_number(&w, "kind", span->kind);
    put_nanoseconds(&w, run, "startTimeUnixNano", span->from_ns);
    put_nanoseconds(&w, run, "endTimeUnixNano", span->to_ns);
    json_member_array(&w, "attributes");
    span_put_text(&w, "gen_ai.operation.name", text_of(span->operation));
    return w;
}

/* error: its class; empty, it went well. */
static void end_span(struct json_writer *w, gramc_text error, gramc_text message) {
    span_put_text(w, "error.type", error);
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
    span_put_text(to, key, buf_view(messages));
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
static void put_conversation(gramc_spans *spans, const struct span_run *run, struct json_writer *to,
                             gramc_text answer) {
    struct buf messages;
    if (!spans->content) return;
    buf_init(&messages, &spans->arena.allocator, SPANS_MAX);
    buf_putc(&messages, '[');
    buf_text(&messages, buf_view(&run->said));
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

static void on_start(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    const gramc_event_start *start = event->start;
    struct arena *arena = &spans->arena;
    uint64_t ms = start->time_ms > 0 ? (uint64_t)start->time_ms : 0;
    run->start_ns = ms * 1000000 - (ms ? event->at_ns : 0);
    run->run = arena_text(arena, start->run);
    run->parent = arena_text(arena, start->parent);
    run->agent = arena_text(arena, start->agent);
    run->agent_fingerprint = arena_text(arena, start->agent_fingerprint);
    run->library = arena_text(arena, start->library);
    run->library_fingerprint = arena_text(arena, start->library_fingerprint);
    run->provider = arena_text(arena, span_provider_name(start->provider));
    run->model = arena_text(arena, start->model);
    number_id(spans, run == &spans->first ? 0 : ++spans->count, run->id);
}

static void on_turn(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    if (!spans->content) return;
    struct json_writer w = {.out = &run->said, .comma = run->said.len > 0};
    begin_message(&w, "user");
    put_text_part(&w, event->text);
    json_array_end(&w);
    json_object_end(&w);
}

static void on_request(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    (void)spans;
    run->asked_ns = event->at_ns;
    run->asking = true;
    run->attempts = 0;
}

static void on_attempt(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    (void)spans;
    run->attempts = event->attempt->number;
}

static struct json_writer begin_chat(gramc_spans *spans, struct span_run *run,
                                     const gramc_event *event, uint64_t from_ns, uint64_t to_ns) {
    gramc_text model = event->role ? event->model : run->model;
    char id[SPAN_ID_SIZE];
    number_id(spans, ++spans->count, id);
    const struct timed span = {"chat", model, SPAN_CLIENT, from_ns, to_ns, id, run->id};
    struct json_writer w = begin_span(spans, run, &span);
    run->asking = false;
    span_put_text(&w, "gen_ai.provider.name", run->provider);
    span_put_text(&w, "gen_ai.request.model", model);
    if (event->role) span_put_text(&w, "gramc.role", text_of(event->role));
    if (run->attempts > 1) span_put_count(&w, "gramc.retries", run->attempts - 1);
    return w;
}

static void on_response(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    const gramc_event_response *response = event->response;
    struct json_writer w = begin_chat(spans, run, event, began(event), event->at_ns);
    span_put_text(&w, "gen_ai.response.id", response->id);
    span_put_text(&w, "gen_ai.response.model", response->model);
    span_put_one_of_many(&w, "gen_ai.response.finish_reasons", response->finish);
    span_put_some_count(&w, "gen_ai.usage.input_tokens", response->prompt_tokens);
    span_put_some_count(&w, "gen_ai.usage.output_tokens", response->completion_tokens);
    span_put_some_count(&w, "gen_ai.usage.cache_read.input_tokens", response->cached_tokens);
    put_output(spans, &w, response);
    end_span(&w, TEXT(""), TEXT(""));
}

static void on_error(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    struct json_writer w = begin_chat(spans, run, event, began(event), event->at_ns);
    span_put_some_count(&w, "http.response.status_code", (uint64_t)event->attempt->status);
    end_span(&w, text_of(gramc_attempt_class_name(event->attempt->class_)), event->text);
}

static void on_result(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    struct buf place;
    char id[SPAN_ID_SIZE];
    buf_init(&place, &spans->arena.allocator, SPANS_MAX);
    if (run->within.len) buf_printf(&place, "%.*s/", TEXT_ARGS(run->within));
    buf_printf(&place, "%u.%u.%u", (unsigned)event->turn, (unsigned)event->iteration,
               (unsigned)call->index + 1);
    if (buf_status(&place)) spans->arena.oom = true;
    place_id(spans, buf_view(&place), id);
    buf_free(&place);
    spans->count++;
    const struct timed span = {"execute_tool", call->tool, SPAN_INTERNAL, began(event),
                               event->at_ns,   id,         run->id};
    struct json_writer w = begin_span(spans, run, &span);
    bool fine = text_is(text_of(call->outcome), "ok");
    span_put_text(&w, "gen_ai.tool.name", call->tool);
    span_put_text(&w, "gen_ai.tool.call.id", call->call->id);
    span_put_text(&w, "gen_ai.tool.type", TEXT("function"));
    if (spans->content) span_put_text(&w, "gen_ai.tool.call.arguments", call->call->arguments);
    if (spans->content) span_put_text(&w, "gen_ai.tool.call.result", event->text);
    end_span(&w, fine ? TEXT("") : text_of(call->outcome), spans->content ? event->text : TEXT(""));
}

static void on_outcome(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    const gramc_run_result *result = event->result;
    gramc_text outcome = text_of(gramc_outcome_name(result->outcome));
    bool fine = result->outcome == GRAMC_OUTCOME_ANSWERED;
    if (run->asking) {
        struct json_writer chat = begin_chat(spans, run, event, run->asked_ns, event->at_ns);
        end_span(&chat, outcome, TEXT(""));
    }
    const struct timed span = {"invoke_agent", run->agent, SPAN_INTERNAL,   0,
                               event->at_ns,   run->id,    run->parent_span};
    struct json_writer w = begin_span(spans, run, &span);
    span_put_text(&w, "gen_ai.provider.name", run->provider);
    span_put_text(&w, "gen_ai.agent.name", run->agent);
    span_put_text(&w, "gen_ai.request.model", run->model);
    span_put_some_count(&w, "gen_ai.usage.input_tokens", result->prompt_tokens);
    span_put_some_count(&w, "gen_ai.usage.output_tokens", result->completion_tokens);
    span_put_text(&w, "gramc.agent.fingerprint", run->agent_fingerprint);
    span_put_text(&w, "gramc.library.name", run->library);
    span_put_text(&w, "gramc.library.fingerprint", run->library_fingerprint);
    span_put_text(&w, "gramc.run.outcome", outcome);
    span_put_text(&w, "gramc.run.parent", run->parent);
    put_conversation(spans, run, &w, result->text);
    end_span(&w, fine ? TEXT("") : outcome, result->message);
}

static void (*const on[])(gramc_spans *spans, struct span_run *run, const gramc_event *event) = {
    [GRAMC_EVENT_RUN] = on_start,         [GRAMC_EVENT_TURN] = on_turn,
    [GRAMC_EVENT_REQUEST] = on_request,   [GRAMC_EVENT_ATTEMPT] = on_attempt,
    [GRAMC_EVENT_RESPONSE] = on_response, [GRAMC_EVENT_ERROR] = on_error,
    [GRAMC_EVENT_RESULT] = on_result,     [GRAMC_EVENT_OUTCOME] = on_outcome};

static void tell(gramc_spans *spans, struct span_run *run, const gramc_event *event) {
    if ((size_t)event->kind < sizeof on / sizeof *on && on[event->kind])
        on[event->kind](spans, run, event);
}

/* ## Runs of agents that do tools */

static struct span_run **find_inner(gramc_spans *spans, gramc_text within) {
    struct span_run **link = &spans->inner;
    while (*link && !text_eq((*link)->within, within)) link = &(*link)->next;
    return link;
}

static void add_inner(gramc_spans *spans, gramc_text within) {
    struct span_run *run = ARENA_NEW(&spans->arena, struct span_run);
    if (!run) return;
    *run = (struct span_run){.next = spans->inner, .within = arena_text(&spans->arena, within)};
    place_id(spans, within, run->parent_span);
    buf_init(&run->said, &spans->arena.allocator, SPANS_MAX);
    spans->inner = run;
}

/* Its clock began with it: what it tells is put on that of the first run. */
static void on_inner(gramc_spans *spans, const gramc_event *event) {
    const gramc_event *inner = event->inner;
    if (inner->kind == GRAMC_EVENT_RUN) add_inner(spans, event->text);
    struct span_run **link = find_inner(spans, event->text), *run = *link;
    if (!run) return;
    tell(spans, run, inner);
    if (inner->kind == GRAMC_EVENT_RUN && event->at_ns >= inner->at_ns)
        run->start_ns = spans->first.start_ns + event->at_ns - inner->at_ns;
    if (inner->kind != GRAMC_EVENT_OUTCOME) return;
    if (buf_status(&run->said)) spans->arena.oom = true;
    buf_free(&run->said);
    *link = run->next;
}

void gramc_spans_event(gramc_spans *spans, const gramc_event *event) {
    if (event->kind == GRAMC_EVENT_INNER) on_inner(spans, event);
    else tell(spans, &spans->first, event);
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
    span_put_text(w, "service.name", spans->service);
    span_put_text(w, "telemetry.sdk.language", TEXT("c"));
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
    if (buf_status(&spans->first.said)) return buf_status(&spans->first.said);
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
