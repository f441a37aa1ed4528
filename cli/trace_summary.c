/* Makes of a trace the document that `gramc run --format json` prints of the run itself
 * (docs/formats/run.schema.json). What the trace does not say is left out, or counted from its
 * events. */
#include "cli/trace.h"

#include "base/json/trace_read.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"

static const struct json *last_of(const struct trace_events *trace, const char *name) {
    for (size_t i = trace->count; i-- > 0;)
        if (text_is(trace_text(trace->events[i], "event"), name)) return trace->events[i];
    return NULL;
}

static uint64_t count_of(const struct trace_events *trace, const char *name) {
    uint64_t count = 0;
    for (size_t i = 0; i < trace->count; i++)
        count += text_is(trace_text(trace->events[i], "event"), name);
    return count;
}

/* A number that is none, or a negative one, is 0. */
static void put_number(struct json_writer *w, const char *key, const struct json *number) {
    bool good = json_is(number, JSON_NUMBER) && number->text.ptr[0] != '-';
    json_member_raw(w, key, good ? number->text : TEXT("0"));
}

static void put_count(struct json_writer *w, const char *key, const struct json *event) {
    json_member_number(w, key, trace_number(event, key));
}

/* ## Who */

static void put_side(struct json_writer *w, const char *key, const struct json *side,
                     const char *name_key) {
    json_member_object(w, key);
    json_member_text(w, "name", trace_text(side, name_key));
    json_member_text(w, "fingerprint", trace_text(side, "fingerprint"));
    json_object_end(w);
}

static void put_header(struct json_writer *w, const struct json *header) {
    const struct json *library = json_get(header, "library");
    json_member_text(w, "gramc", trace_text(header, "gramc"));
    json_member_some(w, "run", trace_text(header, "run"));
    put_side(w, "agent", json_get(header, "spec"), "agent");
    if (trace_text(library, "fingerprint").len) put_side(w, "library", library, "name");
    json_member_text(w, "provider", trace_text(header, "provider"));
    json_member_some(w, "protocol", trace_text(header, "protocol"));
    json_member_text(w, "model", trace_text(header, "model"));
    json_member_some(w, "wire", trace_text(header, "wire"));
}

/* ## What */

static void put_answers(struct json_writer *w, const struct trace_events *trace) {
    json_member_array(w, "answers");
    for (size_t i = 0; i < trace->count; i++)
        if (text_is(trace_text(trace->events[i], "event"), "answer"))
            json_text(w, trace_text(trace->events[i], "text"));
    json_array_end(w);
}

/* As the model wrote them in its answer; `number` from 1. */
static gramc_text arguments_of(const struct json *response, uint64_t number) {
    const struct json *calls = json_get(response, "calls");
    const struct json *call = json_is(calls, JSON_ARRAY) ? calls->first : NULL;
    for (; call && number > 1; number--) call = call->next;
    return trace_text(call, "arguments");
}

static uint64_t at_least_one(uint64_t number) {
    return number ? number : 1;
}

static bool are_texts(const struct json *list) {
    const struct json *item = json_is(list, JSON_ARRAY) ? list->first : NULL;
    bool any = item != NULL;
    for (; item; item = item->next)
        if (!json_is(item, JSON_STRING)) return false;
    return any;
}

static bool are_conversions(const struct json *list) {
    const struct json *item = json_is(list, JSON_ARRAY) ? list->first : NULL;
    bool any = item != NULL;
    for (; item; item = item->next)
        if (!json_is(json_get(item, "at"), JSON_STRING) || !json_get(item, "from") ||
            !json_get(item, "to"))
            return false;
    return any;
}

/* What became of the arguments. `request` may be NULL. */
static void put_sent(struct json_writer *w, const struct json *request) {
    const struct json *repairs = json_get(request, "repairs");
    const struct json *coerced = json_get(request, "coerced");
    json_member_some(w, "sent", trace_text(request, "sent"));
    if (are_texts(repairs)) json_member_value(w, "repairs", repairs);
    if (are_conversions(coerced)) json_member_value(w, "coerced", coerced);
}

static void put_call(struct json_writer *w, const struct json *event, const struct json *response,
                     const struct json *request) {
    uint64_t call = at_least_one(trace_number(event, "call"));
    json_object_begin(w);
    json_member_number(w, "turn", at_least_one(trace_number(event, "turn")));
    json_member_number(w, "iteration", at_least_one(trace_number(event, "iteration")));
    json_member_number(w, "call", call);
    json_member_some(w, "id", trace_text(event, "id"));
    json_member_text(w, "name", trace_text(event, "name"));
    json_member_some(w, "wire", trace_text(event, "wire"));
    json_member_text(w, "arguments", arguments_of(response, call));
    put_sent(w, request);
    json_member_text(w, "outcome", trace_text(event, "outcome"));
    json_member_text(w, "result", trace_text(event, "result"));
    put_number(w, "duration_ms", json_get(event, "duration_ms"));
    json_object_end(w);
}

/* The tool.request of the i-th event, a tool.response of the same answer. NULL: it was not called.
 */
static const struct json *request_of(const struct trace_events *trace, size_t i) {
    uint64_t call = trace_number(trace->events[i], "call");
    while (i-- > 0) {
        gramc_text name = trace_text(trace->events[i], "event");
        if (text_is(name, "model.response")) return NULL;
        if (text_is(name, "tool.request") && trace_number(trace->events[i], "call") == call)
            return trace->events[i];
    }
    return NULL;
}

static void put_calls(struct json_writer *w, const struct trace_events *trace) {
    const struct json *response = NULL;
    json_member_array(w, "calls");
    for (size_t i = 0; i < trace->count; i++) {
        gramc_text name = trace_text(trace->events[i], "event");
        if (text_is(name, "model.response")) response = trace->events[i];
        if (text_is(name, "tool.response"))
            put_call(w, trace->events[i], response, request_of(trace, i));
    }
    json_array_end(w);
}

/* ## How it ended */

static void put_usage(struct json_writer *w, const struct json *usage) {
    json_member_object(w, "usage");
    put_count(w, "prompt", usage);
    put_count(w, "completion", usage);
    put_count(w, "total", usage);
    put_count(w, "cached", usage);
    json_object_end(w);
}

static void put_outcome(struct json_writer *w, const struct json *end) {
    gramc_text outcome = trace_text(end, "outcome"), text = trace_text(end, "text");
    json_member_text(w, "outcome", end ? outcome : TEXT("unfinished"));
    json_member_some(w, "message", trace_text(end, "message"));
    json_key(w, "content");
    if (text.len || text_is(outcome, "answered")) json_text(w, text);
    else json_null(w);
}

static void put_counts(struct json_writer *w, const struct trace_events *trace,
                       const struct json *end) {
    json_member_number(w, "requests",
                       end ? trace_number(end, "requests") : count_of(trace, "model.request"));
    put_count(w, "retries", end);
    put_count(w, "call_errors", end);
    put_count(w, "tool_errors", end);
    put_usage(w, json_get(end, "usage"));
    if (json_get(end, "cost")) put_number(w, "cost", json_get(end, "cost"));
    put_number(w, "model_ms", json_get(end, "model_ms"));
    put_number(w, "tool_ms", json_get(end, "tool_ms"));
    put_number(w, "duration_ms", json_get(end, "duration_ms"));
}

void trace_summary(struct buf *out, const struct trace_events *trace) {
    const struct json *end = last_of(trace, "outcome");
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-run"));
    json_member_number(&w, "version", VERSION_RUN);
    put_header(&w, last_of(trace, "header"));
    put_outcome(&w, end);
    put_answers(&w, trace);
    put_calls(&w, trace);
    put_counts(&w, trace, end);
    json_object_end(&w);
    buf_putc(out, '\n');
}
