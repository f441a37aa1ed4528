/* Turns the events of a run into lines of JSON and hands each to the writer as it happens, so that
 * a run that is killed leaves all it did. docs/formats/trace.md describes the lines; llm_script.c
 * reads them back. */
#include "runtime/trace.h"

#include <uv.h>

#include "base/text.h"
#include "runtime/protocol.h"

enum { LONGEST_LINE = 256 << 20, LINE_KEPT = 64 << 10 };

void trace_init(struct trace *trace, const gramc_allocator *allocator, gramc_writer writer,
                bool without_times) {
    *trace = (struct trace){.writer = writer, .without_times = without_times};
    trace->start = uv_hrtime();
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

static void put_duration(struct trace *trace, uint64_t started) {
    put_ms(trace, "duration_ms", uv_hrtime() - started);
}

/* NULL when nobody wants to know. */
static struct json_writer *begin(struct trace *trace, const char *event) {
    struct json_writer *w = &trace->event;
    if (!trace->writer.write || trace->status) return NULL;
    buf_reset(&trace->line);
    *w = json_writer(&trace->line);
    json_object_begin(w);
    json_member_number(w, "seq", trace->sequence++);
    put_ms(trace, "ms", uv_hrtime() - trace->start);
    json_member_text(w, "event", text_of(event));
    if (trace->turn) json_member_number(w, "turn", trace->turn);
    if (trace->iteration) json_member_number(w, "iteration", trace->iteration);
    return w;
}

static void end(struct trace *trace) {
    json_object_end(&trace->event);
    buf_putc(&trace->line, '\n');
    trace->status = buf_send(&trace->line, trace->writer);
    if (trace->line.size > LINE_KEPT) buf_free(&trace->line);
}

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

void trace_head(struct trace *trace, const struct trace_header *header) {
    const gramc_bound *bound = header->bound;
    struct json_writer *w = begin(trace, "header");
    if (!w) return;
    json_member_text(w, "format", TEXT(TRACE_FORMAT));
    json_member_number(w, "version", TRACE_VERSION);
    json_member_text(w, "gramc", text_of(gramc_version()));
    put_side(w, "spec", "agent", bound->agent->name, bound->agent->fingerprint);
    put_side(w, "library", "name", bound->library ? bound->library->name : TEXT(""),
             gramc_bound_library_fingerprint(bound));
    json_member_text(w, "provider", header->provider);
    json_member_text(w, "protocol", text_of(bound->protocol->name));
    json_member_text(w, "model", header->model);
    json_member_text(w, "wire",
                     header->wire == GRAMC_WIRE_TOOLS ? TEXT("tools") : TEXT("functions"));
    json_member_array(w, "tools");
    for (size_t i = 0; i < bound->tool_count; i++) put_tool(w, &bound->tools[i]);
    json_array_end(w);
    end(trace);
}

void trace_turn(struct trace *trace, gramc_text message) {
    struct json_writer *w = begin(trace, "turn");
    if (!w) return;
    json_member_text(w, "message", message);
    end(trace);
}

void trace_task(struct trace *trace, gramc_text name, gramc_text prompt) {
    struct json_writer *w = begin(trace, "task");
    if (!w) return;
    json_member_text(w, "name", name);
    json_member_text(w, "prompt", prompt);
    end(trace);
}

void trace_request(struct trace *trace, gramc_text body) {
    struct json_writer *w = begin(trace, "model.request");
    if (!w) return;
    json_member_number(w, "size", body.len);
    json_member_raw(w, "body", body);
    end(trace);
}

void trace_retry(struct trace *trace, long status, gramc_text message, uint64_t wait_ms) {
    struct json_writer *w = begin(trace, "model.retry");
    if (!w) return;
    json_member_number(w, "status", (uint64_t)status);
    json_member_text(w, "message", message);
    put_ms(trace, "wait_ms", wait_ms * 1000000);
    end(trace);
}

static void put_calls(struct json_writer *w, const struct reply *reply) {
    json_member_array(w, "calls");
    for (size_t i = 0; i < reply->call_count; i++) {
        const struct call *call = &reply->calls[i];
        json_object_begin(w);
        json_member_text(w, "name", call->name);
        json_member_text(w, "arguments", call->arguments);
        json_member_some(w, "id", call->id);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_usage(struct json_writer *w, const struct usage *usage) {
    json_member_object(w, "usage");
    json_member_number(w, "prompt", usage->prompt);
    json_member_number(w, "completion", usage->completion);
    json_member_number(w, "total", usage->total);
    if (usage->cached) json_member_number(w, "cached", usage->cached);
    json_object_end(w);
}

void trace_reply(struct trace *trace, const struct reply *reply, size_t size, uint64_t started) {
    struct json_writer *w = begin(trace, "model.response");
    if (!w) return;
    json_key(w, "content");
    if (reply->has_content) json_text(w, reply->content);
    else json_null(w);
    json_member_some(w, "refusal", reply->refusal);
    if (reply->call_count) put_calls(w, reply);
    json_member_some(w, "finish", reply->finish_reason);
    if (reply->opaque.len) json_member_raw(w, "opaque", reply->opaque);
    if (reply->usage.total || reply->usage.prompt) put_usage(w, &reply->usage);
    if (size) json_member_number(w, "size", size);
    put_duration(trace, started);
    end(trace);
}

void trace_model_error(struct trace *trace, long status, gramc_text message, uint64_t started) {
    struct json_writer *w = begin(trace, "model.error");
    if (!w) return;
    json_member_number(w, "status", (uint64_t)status);
    json_member_text(w, "message", message);
    put_duration(trace, started);
    end(trace);
}

static void put_call(struct json_writer *w, const struct trace_call *told) {
    const struct call *call = told->call;
    gramc_text name = told->tool ? told->tool->tool->name : call->name;
    json_member_number(w, "call", told->index + 1);
    json_member_some(w, "id", call->id);
    json_member_text(w, "name", name);
    if (!text_eq(name, call->name)) json_member_text(w, "wire", call->name);
}

void trace_call(struct trace *trace, const struct trace_call *call, gramc_text sent) {
    struct json_writer *w = begin(trace, "tool.request");
    if (!w) return;
    put_call(w, call);
    json_member_text(w, "arguments", call->call->arguments);
    if (!text_eq(call->call->arguments, sent)) json_member_text(w, "sent", sent);
    json_member_number(w, "size", sent.len);
    end(trace);
}

void trace_result(struct trace *trace, const struct trace_result *result) {
    struct json_writer *w = begin(trace, "tool.response");
    if (!w) return;
    put_call(w, &result->call);
    json_member_text(w, "outcome", text_of(result->outcome));
    json_member_text(w, "result", result->text);
    json_member_number(w, "size", result->text.len);
    put_duration(trace, result->started);
    end(trace);
}

void trace_answer(struct trace *trace, gramc_text text) {
    struct json_writer *w = begin(trace, "answer");
    if (!w) return;
    json_member_text(w, "text", text);
    end(trace);
}

void trace_outcome(struct trace *trace, const gramc_run_result *result) {
    trace->turn = trace->iteration = 0;
    struct json_writer *w = begin(trace, "outcome");
    if (!w) return;
    json_member_text(w, "outcome", text_of(gramc_outcome_name(result->outcome)));
    json_member_text(w, "text", result->text);
    json_member_some(w, "message", result->message);
    json_member_number(w, "turns", result->turns);
    json_member_number(w, "requests", result->requests);
    json_member_number(w, "retries", result->retries);
    json_member_number(w, "calls", result->calls);
    json_member_number(w, "call_errors", result->call_errors);
    json_member_number(w, "tool_errors", result->tool_errors);
    put_usage(w, &(struct usage){result->prompt_tokens, result->completion_tokens,
                                 result->total_tokens, result->cached_tokens});
    put_duration(trace, trace->start);
    end(trace);
}
