/* Turns the events of a run into lines of JSON and hands each to the writer as it happens, so that
 * a run that is killed leaves all it did. docs/formats/trace.md describes the lines; llm_script.c
 * and tool_replay.c read them back. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/trace.h"

#include <stdio.h>
#include <time.h>

#include "base/json/trace_read.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/bound.h"

enum { LONGEST_LINE = 256 << 20, LINE_KEPT = 64 << 10 };

void trace_init(struct trace *trace, const gramc_allocator *allocator, gramc_writer writer,
                bool without_times) {
    *trace = (struct trace){.writer = writer, .without_times = without_times};
    buf_init(&trace->line, allocator, LONGEST_LINE);
}

void trace_free(struct trace *trace) {
    buf_free(&trace->line);
}

/* Milliseconds. Three decimals, put together by hand: printf's point depends on the locale. */
static void put_ms(struct trace *trace, const char *key, uint64_t nanoseconds) {
    unsigned long long us = trace->without_times ? 0 : nanoseconds / 1000;
    json_member_number(&trace->event, key, us / 1000);
    if (us % 1000) buf_printf(&trace->line, ".%03llu", us % 1000);
}

/* RFC 3339, in UTC. */
static void put_time(struct trace *trace, int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[40];
    if (trace->without_times || ms < 0 || !gmtime_r(&seconds, &tm)) return;
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    buf_printf(json_slot(&trace->event), "\"time\":\"%.*s.%03dZ\"", (int)len, text,
               (int)(ms % 1000));
    trace->event.comma = true;
}

/* ## The header */

static void put_tool(struct json_writer *w, const struct bound_tool *tool) {
    struct buf target;
    buf_init(&target, &w->out->allocator, 4096);
    json_object_begin(w);
    json_member_text(w, "name", tool->tool->name);
    if (tool->impl && !text_eq(tool->wire_name, tool->tool->name))
        json_member_text(w, "wire", tool->wire_name);
    if (tool->impl) {
        tool->kind->describe(&target, tool->impl);
        json_member_text(w, "kind", text_of(tool->kind->name));
        json_member_text(w, "target", buf_view(&target));
    }
    json_object_end(w);
    if (buf_status(&target) == GRAMC_NOMEM) w->out->state = BUF_NOMEM;
    buf_free(&target);
}

/* What was joined, by its name and fingerprint. */
static void put_side(struct json_writer *w, const char *key, const char *name_key, gramc_text name,
                     gramc_text fingerprint) {
    json_member_object(w, key);
    json_member_text(w, name_key, name);
    json_member_text(w, "fingerprint", fingerprint);
    json_object_end(w);
}

static void put_inputs(struct json_writer *w, const gramc_event_start *start) {
    if (start->input_count == 0) return;
    json_member_object(w, "inputs");
    for (size_t i = 0; i < start->input_count; i++) {
        json_key_text(w, start->inputs[i].name);
        json_text(w, start->inputs[i].value);
    }
    json_object_end(w);
}

static void put_protocols(struct json_writer *w, const struct bound_named *named) {
    if (!named) return;
    json_member_array(w, "protocols");
    for (; named; named = named->next) {
        json_object_begin(w);
        json_member_text(w, "model", named->name);
        json_member_text(w, "protocol", text_of(named->protocol->name));
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_start(struct trace *trace, const gramc_event *event) {
    const gramc_event_start *start = event->start;
    struct json_writer *w = &trace->event;
    json_member_text(w, "format", TEXT(TRACE_FORMAT));
    json_member_number(w, "version", TRACE_VERSION);
    json_member_text(w, "gramc", text_of(gramc_version()));
    json_member_some(w, "run", start->run);
    json_member_some(w, "parent", start->parent);
    put_time(trace, start->time_ms);
    put_side(w, "spec", "agent", start->agent, start->agent_fingerprint);
    put_side(w, "library", "name", start->library, start->library_fingerprint);
    json_member_text(w, "provider", start->provider);
    json_member_text(w, "protocol", start->protocol);
    put_protocols(w, start->bound->named);
    json_member_text(w, "model", start->model);
    json_member_text(w, "wire", text_of(start->wire));
    if (start->seed.len) json_member_raw(w, "seed", start->seed);
    put_inputs(w, start);
    if (start->history) json_member_number(w, "history", start->history);
    json_member_array(w, "tools");
    for (size_t i = 0; i < start->bound->tool_count; i++) put_tool(w, &start->bound->tools[i]);
    json_array_end(w);
}

/* ## The model */

static void put_request(struct trace *trace, const gramc_event *event) {
    json_member_some(&trace->event, "prompt", event->prompt);
    json_member_number(&trace->event, "size", event->text.len);
    json_member_raw(&trace->event, "body", event->text);
}

static void put_attempt(struct trace *trace, const gramc_event *event) {
    const gramc_event_attempt *attempt = event->attempt;
    struct json_writer *w = &trace->event;
    json_member_number(w, "attempt", attempt->number);
    json_member_text(w, "class", text_of(gramc_attempt_class_name(attempt->class_)));
    json_member_number(w, "status", (uint64_t)attempt->status);
    json_member_some(w, "message", attempt->reason);
    if (attempt->again) put_ms(trace, "wait_ms", attempt->wait_ms * 1000000);
    if (attempt->queued_ns) put_ms(trace, "queued_ms", attempt->queued_ns);
    json_member_some(w, "body", attempt->body);
    put_ms(trace, "duration_ms", event->duration_ns);
}

static void put_calls(struct json_writer *w, const gramc_event_response *response) {
    json_member_array(w, "calls");
    for (size_t i = 0; i < response->call_count; i++) {
        const gramc_model_call *call = &response->calls[i];
        json_object_begin(w);
        json_member_text(w, "name", call->name);
        json_member_text(w, "arguments", call->arguments);
        json_member_some(w, "id", call->id);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_usage(struct json_writer *w, const uint64_t tokens[4]) {
    json_member_object(w, "usage");
    json_member_number(w, "prompt", tokens[0]);
    json_member_number(w, "completion", tokens[1]);
    json_member_number(w, "total", tokens[2]);
    if (tokens[3]) json_member_number(w, "cached", tokens[3]);
    json_object_end(w);
}

static void put_response(struct trace *trace, const gramc_event *event) {
    const gramc_event_response *r = event->response;
    struct json_writer *w = &trace->event;
    json_key(w, "content");
    if (r->content.ptr) json_text(w, r->content);
    else json_null(w);
    json_member_some(w, "refusal", r->refusal);
    if (r->call_count) put_calls(w, r);
    json_member_some(w, "finish", r->finish);
    json_member_some(w, "id", r->id);
    json_member_some(w, "model", r->model);
    json_member_some(w, "system_fingerprint", r->system_fingerprint);
    if (r->opaque.len) json_member_raw(w, "opaque", r->opaque);
    if (r->total_tokens || r->prompt_tokens)
        put_usage(w, (const uint64_t[]){r->prompt_tokens, r->completion_tokens, r->total_tokens,
                                        r->cached_tokens});
    if (r->size) json_member_number(w, "size", r->size);
    put_ms(trace, "duration_ms", event->duration_ns);
}

static void put_error(struct trace *trace, const gramc_event *event) {
    struct json_writer *w = &trace->event;
    json_member_text(w, "class", text_of(gramc_attempt_class_name(event->attempt->class_)));
    json_member_number(w, "status", (uint64_t)event->attempt->status);
    json_member_text(w, "message", event->text);
    put_ms(trace, "duration_ms", event->duration_ns);
}

/* ## Tools */

static void put_call(struct json_writer *w, const gramc_event_call *told) {
    const gramc_model_call *call = told->call;
    json_member_number(w, "call", told->index + 1);
    json_member_some(w, "id", call->id);
    json_member_text(w, "name", told->tool);
    if (!text_eq(told->tool, call->name)) json_member_text(w, "wire", call->name);
}

static void put_conversions(struct json_writer *w, const gramc_event_reading *reading) {
    bool open = false;
    for (size_t i = 0; i < reading->change_count; i++) {
        const gramc_adjustment *change = &reading->changes[i];
        if (change->kind != GRAMC_ADJUSTED_COERCED) continue;
        if (!open) json_member_array(w, "coerced");
        open = true;
        json_object_begin(w);
        json_member_text(w, "at", change->instance);
        json_member_raw(w, "from", change->before);
        json_member_raw(w, "to", change->after);
        json_object_end(w);
    }
    if (open) json_array_end(w);
}

static void put_left_out(struct json_writer *w, const gramc_event_reading *reading) {
    bool open = false;
    for (size_t i = 0; i < reading->change_count; i++) {
        const gramc_adjustment *change = &reading->changes[i];
        if (change->kind != GRAMC_ADJUSTED_LEFT_OUT) continue;
        if (!open) json_member_array(w, "left_out");
        open = true;
        json_object_begin(w);
        json_member_text(w, "at", change->instance);
        json_member_raw(w, "default", change->after);
        json_object_end(w);
    }
    if (open) json_array_end(w);
}

void trace_put_reading(struct json_writer *w, const gramc_event_reading *reading) {
    if (!reading) return;
    if (reading->repair_count) json_member_array(w, "repairs");
    for (size_t i = 0; i < reading->repair_count; i++) json_text(w, text_of(reading->repairs[i]));
    if (reading->repair_count) json_array_end(w);
    put_conversions(w, reading);
    put_left_out(w, reading);
}

static void put_tool_request(struct trace *trace, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    struct json_writer *w = &trace->event;
    put_call(w, call);
    json_member_text(w, "arguments", call->call->arguments);
    if (!text_eq(call->call->arguments, call->sent)) json_member_text(w, "sent", call->sent);
    trace_put_reading(w, call->reading);
    json_member_number(w, "size", call->sent.len);
}

static void put_tool_response(struct trace *trace, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    struct json_writer *w = &trace->event;
    put_call(w, call);
    json_member_text(w, "outcome", text_of(call->outcome));
    json_member_text(w, "result", event->text);
    if (call->own.ptr && !text_eq(call->own, event->text)) json_member_text(w, "own", call->own);
    json_member_number(w, "size", event->text.len);
    if (call->queued_ns && !trace->without_times) put_ms(trace, "queued_ms", call->queued_ns);
    put_ms(trace, "duration_ms", event->duration_ns);
}

static void put_guard(struct trace *trace, const gramc_event *event) {
    const gramc_event_guard *guard = event->guard;
    struct json_writer *w = &trace->event;
    put_call(w, event->call);
    json_member_text(w, "phase", text_of(guard->phase));
    json_member_text(w, "guard", guard->guard);
    json_member_text(w, "decision", text_of(guard->decision));
    if (guard->failed) json_member_bool(w, "failed", true);
    json_member_some(w, "message", guard->message);
    if (guard->to.ptr) json_member_text(w, "from", guard->from);
    if (guard->to.ptr) json_member_text(w, "to", guard->to);
    if (guard->queued_ns && !trace->without_times) put_ms(trace, "queued_ms", guard->queued_ns);
    put_ms(trace, "duration_ms", event->duration_ns);
}

/* ## Turns and ends */

static void put_turn(struct trace *trace, const gramc_event *event) {
    json_member_text(&trace->event, "message", event->text);
}

static void put_task(struct trace *trace, const gramc_event *event) {
    json_member_text(&trace->event, "name", event->task);
    json_member_text(&trace->event, "prompt", event->text);
}

static void put_answer(struct trace *trace, const gramc_event *event) {
    json_member_text(&trace->event, "text", event->text);
}

static void put_answer_reading(struct trace *trace, const gramc_event *event) {
    json_member_text(&trace->event, "text", event->text);
    trace_put_reading(&trace->event, event->reading);
}

static void put_outcome(struct trace *trace, const gramc_event *event) {
    const gramc_run_result *result = event->result;
    struct json_writer *w = &trace->event;
    char money[AMOUNT_ROOM];
    json_member_text(w, "outcome", text_of(gramc_outcome_name(result->outcome)));
    json_member_text(w, "text", result->text);
    json_member_some(w, "message", result->message);
    json_member_number(w, "turns", result->turns);
    json_member_number(w, "requests", result->requests);
    json_member_number(w, "retries", result->retries);
    json_member_number(w, "calls", result->calls);
    json_member_number(w, "call_errors", result->call_errors);
    json_member_number(w, "tool_errors", result->tool_errors);
    if (result->denied) json_member_number(w, "denied", result->denied);
    put_usage(w, (const uint64_t[]){result->prompt_tokens, result->completion_tokens,
                                    result->total_tokens, result->cached_tokens});
    if (result->has_cost) json_member_raw(w, "cost", text_of(number_amount(money, result->cost)));
    put_ms(trace, "model_ms", result->model_ns);
    put_ms(trace, "tool_ms", result->tool_ns);
    put_ms(trace, "duration_ms", event->duration_ns);
}

/* ## Lines */

static void (*const writers[])(struct trace *trace, const gramc_event *event) = {
    [GRAMC_EVENT_RUN] = put_start,
    [GRAMC_EVENT_TURN] = put_turn,
    [GRAMC_EVENT_TASK] = put_task,
    [GRAMC_EVENT_REQUEST] = put_request,
    [GRAMC_EVENT_ATTEMPT] = put_attempt,
    [GRAMC_EVENT_RESPONSE] = put_response,
    [GRAMC_EVENT_ERROR] = put_error,
    [GRAMC_EVENT_CALL] = put_tool_request,
    [GRAMC_EVENT_RESULT] = put_tool_response,
    [GRAMC_EVENT_ANSWER] = put_answer,
    [GRAMC_EVENT_OUTCOME] = put_outcome,
    [GRAMC_EVENT_READING] = put_answer_reading,
    [GRAMC_EVENT_GUARD] = put_guard};

static void put_place(struct trace *trace, const gramc_event *event) {
    struct json_writer *w = &trace->event;
    char name[40];
    if (!event->inner) {
        json_member_text(w, "event", text_of(event->name));
        return;
    }
    snprintf(name, sizeof(name), "inner.%s", event->inner->name);
    json_member_text(w, "event", text_of(name));
    json_member_text(w, "within", event->text);
}

void trace_event(struct trace *trace, const gramc_event *event) {
    struct json_writer *w = &trace->event;
    if (!trace_is_on(trace)) return;
    buf_reset(&trace->line);
    *w = json_writer(&trace->line);
    json_object_begin(w);
    json_member_number(w, "seq", event->sequence);
    put_ms(trace, "ms", event->at_ns);
    put_place(trace, event);
    const gramc_event *what = event->inner ? event->inner : event;
    if (what->turn) json_member_number(w, "turn", what->turn);
    if (what->iteration) json_member_number(w, "iteration", what->iteration);
    if (what->role) json_member_text(w, "role", text_of(what->role));
    writers[what->kind](trace, what);
    json_object_end(w);
    buf_putc(&trace->line, '\n');
    trace->status = buf_send(&trace->line, trace->writer);
    if (trace->line.size > LINE_KEPT) buf_free(&trace->line);
}
