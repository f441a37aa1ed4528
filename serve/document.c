/* Collects what happens in a run and prints it as one JSON document: content, calls, usage, outcome
 * and the fingerprints of what was joined. docs/formats/run.schema.json says what it looks like. It
 * is what `gramc run --format json` prints and `gramc serve` answers. */
#include "base/buf.h"
#include "base/json/writer.h"
#include "base/number.h"
#include "base/text.h"
#include "base/version.h"
#include "runtime/trace.h"
#include "serve/document.h"

enum { PART_MAX = DOCUMENT_MAX / 3 };

void document_init(struct document *document, const gramc_allocator *allocator) {
    buf_init(&document->head, allocator, PART_MAX);
    buf_init(&document->answers, allocator, PART_MAX);
    buf_init(&document->calls, allocator, PART_MAX);
    arena_init(&document->arena, allocator);
    document->sent = NULL;
    document->run = document->session = document->alias = (gramc_text){NULL, 0};
}

void document_free(struct document *document) {
    buf_free(&document->head);
    buf_free(&document->answers);
    buf_free(&document->calls);
    arena_free(&document->arena);
}

/* ## Collecting */

/* Milliseconds with three decimals: printf's point depends on the locale. */
static void put_ms(struct json_writer *w, const char *key, uint64_t ns) {
    unsigned long long us = ns / 1000;
    json_member_number(w, key, us / 1000);
    if (us % 1000) buf_printf(w->out, ".%03llu", us % 1000);
}

static void put_side(struct json_writer *w, const char *key, gramc_text name,
                     gramc_text fingerprint) {
    json_member_object(w, key);
    json_member_text(w, "name", name);
    json_member_text(w, "fingerprint", fingerprint);
    json_object_end(w);
}

static void put_start(struct document *document, const gramc_event *event) {
    const gramc_event_start *start = event->start;
    struct json_writer w = json_writer(&document->head);
    document->run = arena_text(&document->arena, start->run);
    json_member_text(&w, "run", start->run);
    if (document->alias.len) {
        json_member_object(&w, "agent");
        json_member_text(&w, "name", document->alias);
        json_object_end(&w);
        return;
    }
    put_side(&w, "agent", start->agent, start->agent_fingerprint);
    if (start->library_fingerprint.len)
        put_side(&w, "library", start->library, start->library_fingerprint);
    json_member_text(&w, "provider", start->provider);
    json_member_text(&w, "protocol", start->protocol);
    json_member_text(&w, "model", start->model);
    json_member_text(&w, "wire", text_of(start->wire));
}

/* An item of an array that has been begun with others before. */
static struct json_writer next_item(struct buf *items) {
    return (struct json_writer){.out = items, .comma = items->len > 0};
}

static void put_answer(struct document *document, const gramc_event *event) {
    struct json_writer w = next_item(&document->answers);
    json_text(&w, event->text);
}

/* ## Arguments that were not sent as the model wrote them */

struct sent_call {
    struct sent_call *next;
    uint32_t turn, iteration, index;
    gramc_text members; /* of the call: sent, repairs, coerced */
};

/* It is told when the call begins; what comes of the call, later. */
static void keep_sent(struct document *document, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    struct buf members;
    if (text_eq(call->call->arguments, call->sent) && !call->reading) return;
    struct sent_call *sent = ARENA_NEW(&document->arena, struct sent_call);
    if (!sent) return;
    buf_init(&members, &document->arena.allocator, PART_MAX);
    struct json_writer w = json_writer(&members);
    if (!text_eq(call->call->arguments, call->sent)) json_member_text(&w, "sent", call->sent);
    trace_put_reading(&w, call->reading);
    *sent = (struct sent_call){document->sent, event->turn, event->iteration, call->index,
                               buf_to_arena(&members, &document->arena)};
    document->sent = sent;
}

static gramc_text find_sent(const struct document *document, const gramc_event *event) {
    for (const struct sent_call *sent = document->sent; sent; sent = sent->next)
        if (sent->turn == event->turn && sent->iteration == event->iteration &&
            sent->index == event->call->index)
            return sent->members;
    return TEXT("");
}

static void put_call(struct document *document, const gramc_event *event) {
    const gramc_event_call *call = event->call;
    struct json_writer w = next_item(&document->calls);
    json_object_begin(&w);
    json_member_number(&w, "turn", event->turn);
    json_member_number(&w, "iteration", event->iteration);
    json_member_number(&w, "call", call->index + 1);
    json_member_some(&w, "id", call->call->id);
    json_member_text(&w, "name", call->tool);
    if (!text_eq(call->tool, call->call->name)) json_member_text(&w, "wire", call->call->name);
    json_member_text(&w, "arguments", call->call->arguments);
    gramc_text sent = find_sent(document, event);
    if (sent.len) json_raw(&w, sent);
    json_member_text(&w, "outcome", text_of(call->outcome));
    json_member_text(&w, "result", event->text);
    put_ms(&w, "duration_ms", event->duration_ns);
    json_object_end(&w);
}

void document_event(struct document *document, const gramc_event *event) {
    if (event->kind == GRAMC_EVENT_RUN) put_start(document, event);
    if (event->kind == GRAMC_EVENT_ANSWER) put_answer(document, event);
    if (event->kind == GRAMC_EVENT_CALL) keep_sent(document, event);
    if (event->kind == GRAMC_EVENT_RESULT) put_call(document, event);
    if (event->kind == GRAMC_EVENT_OUTCOME) {
        document->content = arena_text(&document->arena, event->text);
        document->message = arena_text(&document->arena, event->result->message);
    }
}

/* ## Printing */

static void put_usage(struct json_writer *w, const gramc_run_result *result) {
    json_member_object(w, "usage");
    json_member_number(w, "prompt", result->prompt_tokens);
    json_member_number(w, "completion", result->completion_tokens);
    json_member_number(w, "total", result->total_tokens);
    json_member_number(w, "cached", result->cached_tokens);
    json_object_end(w);
}

static void put_content(struct json_writer *w, gramc_text content, bool answered) {
    json_key(w, "content");
    if (content.len || answered) json_text(w, content);
    else json_null(w);
}

/* `items` is written already, commas and all. */
static void put_items(struct json_writer *w, const char *key, const struct buf *items) {
    json_member_array(w, key);
    buf_text(w->out, buf_view(items));
    json_array_end(w);
}

static void put_result(struct json_writer *w, const struct document *document,
                       const gramc_run_result *result, gramc_text content) {
    char cost[AMOUNT_ROOM];
    json_member_text(w, "outcome", text_of(gramc_outcome_name(result->outcome)));
    bool told = document->content.ptr && text_eq(content, result->text);
    json_member_some(w, "message", document->message.ptr ? document->message : result->message);
    put_content(w, told ? document->content : content, result->outcome == GRAMC_OUTCOME_ANSWERED);
    put_items(w, "answers", &document->answers);
    put_items(w, "calls", &document->calls);
    json_member_number(w, "requests", result->requests);
    json_member_number(w, "retries", result->retries);
    json_member_number(w, "call_errors", result->call_errors);
    json_member_number(w, "tool_errors", result->tool_errors);
    if (result->denied) json_member_number(w, "denied", result->denied);
    put_usage(w, result);
    if (result->has_cost) json_member_raw(w, "cost", text_of(number_amount(cost, result->cost)));
    put_ms(w, "model_ms", result->model_ns);
    put_ms(w, "tool_ms", result->tool_ns);
    put_ms(w, "duration_ms", result->duration_ns);
}

gramc_status document_print(const struct document *document, struct buf *out,
                            const gramc_run_result *result, gramc_text content) {
    const struct buf *parts[] = {&document->head, &document->answers, &document->calls};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (buf_status(parts[i])) return buf_status(parts[i]);
    if (document->arena.oom) return GRAMC_NOMEM;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "format", TEXT("gramc-run"));
    json_member_number(&w, "version", VERSION_RUN);
    json_member_text(&w, "gramc", text_of(gramc_version()));
    json_raw(&w, buf_view(&document->head));
    json_member_some(&w, "session", document->session);
    put_result(&w, document, result, content);
    json_object_end(&w);
    return buf_status(out);
}
