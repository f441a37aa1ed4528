/* Turns the events of a run into lines of JSON and hands each to the writer as it happens, so that
 * a run that is killed leaves all it did. docs/formats/trace.md describes the lines; llm_script.c
 * reads them back. */
#include "runtime/trace.h"

#include <uv.h>

#include "base/json/json.h"
#include "base/text.h"

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

/* Three decimals, put together by hand: printf's point depends on the locale. */
void trace_put_ms(const struct trace *trace, struct buf *out, uint64_t nanoseconds) {
    unsigned long long us = trace->without_times ? 0 : nanoseconds / 1000;
    if (us % 1000) buf_printf(out, "%llu.%03llu", us / 1000, us % 1000);
    else buf_printf(out, "%llu", us / 1000);
}

static void put_text(struct buf *out, const char *key, gramc_text text) {
    buf_printf(out, ",\"%s\":", key);
    json_put_string(out, text);
}

static void put_duration(struct trace *trace, uint64_t started) {
    buf_puts(&trace->line, ",\"duration_ms\":");
    trace_put_ms(trace, &trace->line, uv_hrtime() - started);
}

/* NULL when nobody wants to know. */
static struct buf *begin(struct trace *trace, const char *event) {
    if (!trace->writer.write || trace->status) return NULL;
    struct buf *line = &trace->line;
    buf_reset(line);
    buf_printf(line, "{\"seq\":%u,\"ms\":", (unsigned)trace->sequence++);
    trace_put_ms(trace, line, uv_hrtime() - trace->start);
    buf_printf(line, ",\"event\":\"%s\"", event);
    if (trace->turn) buf_printf(line, ",\"turn\":%u", (unsigned)trace->turn);
    if (trace->iteration) buf_printf(line, ",\"iteration\":%u", (unsigned)trace->iteration);
    return line;
}

static void end(struct trace *trace) {
    buf_puts(&trace->line, "}\n");
    trace->status = buf_send(&trace->line, trace->writer);
    if (trace->line.size > LINE_KEPT) buf_free(&trace->line);
}

static void put_tool(struct buf *out, const struct bound_tool *tool) {
    struct buf target;
    buf_init(&target, &out->allocator, 4096);
    buf_puts(out, "{\"name\":");
    json_put_string(out, tool->tool->name);
    if (tool->impl && !text_eq(tool->wire_name, tool->tool->name))
        put_text(out, "wire", tool->wire_name);
    if (tool->impl) {
        tool->kind->describe(&target, tool->impl);
        put_text(out, "kind", text_of(tool->kind->name));
        put_text(out, "target", buf_view(&target));
    }
    buf_putc(out, '}');
    buf_free(&target);
}

/* What was joined, by its name and fingerprint. */
static void put_side(struct buf *out, const char *key, const char *name_key, gramc_text name,
                     gramc_text fingerprint) {
    buf_printf(out, ",\"%s\":{\"%s\":", key, name_key);
    json_put_string(out, name);
    put_text(out, "fingerprint", fingerprint);
    buf_putc(out, '}');
}

void trace_head(struct trace *trace, const struct trace_header *header) {
    const gramc_bound *bound = header->bound;
    struct buf *line = begin(trace, "header");
    if (!line) return;
    put_text(line, "format", TEXT(TRACE_FORMAT));
    buf_printf(line, ",\"version\":%d", TRACE_VERSION);
    put_text(line, "gramc", text_of(gramc_version()));
    put_side(line, "spec", "agent", bound->agent->name, bound->agent->fingerprint);
    put_side(line, "library", "name", bound->library ? bound->library->name : TEXT(""),
             gramc_bound_library_fingerprint(bound));
    put_text(line, "provider", header->provider);
    put_text(line, "model", header->model);
    put_text(line, "wire", header->wire == GRAMC_WIRE_TOOLS ? TEXT("tools") : TEXT("functions"));
    buf_puts(line, ",\"tools\":[");
    for (size_t i = 0; i < bound->tool_count; i++) {
        if (i) buf_putc(line, ',');
        put_tool(line, &bound->tools[i]);
    }
    buf_putc(line, ']');
    end(trace);
}

void trace_turn(struct trace *trace, gramc_text message) {
    struct buf *line = begin(trace, "turn");
    if (!line) return;
    put_text(line, "message", message);
    end(trace);
}

void trace_task(struct trace *trace, gramc_text name, gramc_text prompt) {
    struct buf *line = begin(trace, "task");
    if (!line) return;
    put_text(line, "name", name);
    put_text(line, "prompt", prompt);
    end(trace);
}

void trace_request(struct trace *trace, gramc_text body) {
    struct buf *line = begin(trace, "model.request");
    if (!line) return;
    buf_printf(line, ",\"size\":%zu,\"body\":", body.len);
    buf_text(line, body);
    end(trace);
}

void trace_retry(struct trace *trace, long status, gramc_text message, uint64_t wait_ms) {
    struct buf *line = begin(trace, "model.retry");
    if (!line) return;
    buf_printf(line, ",\"status\":%ld", status);
    put_text(line, "message", message);
    buf_puts(line, ",\"wait_ms\":");
    trace_put_ms(trace, line, wait_ms * 1000000);
    end(trace);
}

static void put_calls(struct buf *line, const struct reply *reply) {
    buf_puts(line, ",\"calls\":[");
    for (size_t i = 0; i < reply->call_count; i++) {
        const struct call *call = &reply->calls[i];
        buf_puts(line, i ? ",{\"name\":" : "{\"name\":");
        json_put_string(line, call->name);
        put_text(line, "arguments", call->arguments);
        if (call->id.len) put_text(line, "id", call->id);
        buf_putc(line, '}');
    }
    buf_putc(line, ']');
}

void trace_reply(struct trace *trace, const struct reply *reply, size_t size, uint64_t started) {
    struct buf *line = begin(trace, "model.response");
    if (!line) return;
    buf_puts(line, ",\"content\":");
    if (reply->has_content) json_put_string(line, reply->content);
    else buf_puts(line, "null");
    if (reply->refusal.len) put_text(line, "refusal", reply->refusal);
    if (reply->call_count) put_calls(line, reply);
    if (reply->finish_reason.len) put_text(line, "finish", reply->finish_reason);
    if (reply->usage.total || reply->usage.prompt)
        buf_printf(line, ",\"usage\":{\"prompt\":%llu,\"completion\":%llu,\"total\":%llu}",
                   (unsigned long long)reply->usage.prompt,
                   (unsigned long long)reply->usage.completion,
                   (unsigned long long)reply->usage.total);
    if (size) buf_printf(line, ",\"size\":%zu", size);
    put_duration(trace, started);
    end(trace);
}

void trace_model_error(struct trace *trace, long status, gramc_text message, uint64_t started) {
    struct buf *line = begin(trace, "model.error");
    if (!line) return;
    buf_printf(line, ",\"status\":%ld", status);
    put_text(line, "message", message);
    put_duration(trace, started);
    end(trace);
}

static void put_call(struct buf *line, const struct trace_call *told) {
    const struct call *call = told->call;
    gramc_text name = told->tool ? told->tool->tool->name : call->name;
    buf_printf(line, ",\"call\":%u", (unsigned)told->index + 1);
    if (call->id.len) put_text(line, "id", call->id);
    put_text(line, "name", name);
    if (!text_eq(name, call->name)) put_text(line, "wire", call->name);
}

void trace_call(struct trace *trace, const struct trace_call *call, gramc_text sent) {
    struct buf *line = begin(trace, "tool.request");
    if (!line) return;
    put_call(line, call);
    put_text(line, "arguments", call->call->arguments);
    if (!text_eq(call->call->arguments, sent)) put_text(line, "sent", sent);
    buf_printf(line, ",\"size\":%zu", sent.len);
    end(trace);
}

void trace_result(struct trace *trace, const struct trace_result *result) {
    struct buf *line = begin(trace, "tool.response");
    if (!line) return;
    put_call(line, &result->call);
    put_text(line, "outcome", text_of(result->outcome));
    put_text(line, "result", result->text);
    buf_printf(line, ",\"size\":%zu", result->text.len);
    put_duration(trace, result->started);
    end(trace);
}

void trace_answer(struct trace *trace, gramc_text text) {
    struct buf *line = begin(trace, "answer");
    if (!line) return;
    put_text(line, "text", text);
    end(trace);
}

static void put_count(struct buf *line, const char *key, uint64_t count) {
    buf_printf(line, ",\"%s\":%llu", key, (unsigned long long)count);
}

void trace_outcome(struct trace *trace, const gramc_run_result *result) {
    trace->turn = trace->iteration = 0;
    struct buf *line = begin(trace, "outcome");
    if (!line) return;
    put_text(line, "outcome", text_of(gramc_outcome_name(result->outcome)));
    put_text(line, "text", result->text);
    if (result->message.len) put_text(line, "message", result->message);
    put_count(line, "turns", result->turns);
    put_count(line, "requests", result->requests);
    put_count(line, "retries", result->retries);
    put_count(line, "calls", result->calls);
    put_count(line, "call_errors", result->call_errors);
    put_count(line, "tool_errors", result->tool_errors);
    buf_printf(line, ",\"usage\":{\"prompt\":%llu,\"completion\":%llu,\"total\":%llu}",
               (unsigned long long)result->prompt_tokens,
               (unsigned long long)result->completion_tokens,
               (unsigned long long)result->total_tokens);
    put_duration(trace, trace->start);
    end(trace);
}
