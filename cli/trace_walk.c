/* Goes through the events of a trace and says of each what people want to see: who said what, which
 * call was made and what came of it, how long it took. How that looks is the writer's matter. */
#include "cli/trace.h"

#include <stdio.h>

#include "base/json/trace_read.h"
#include "base/text.h"

enum { SHORT_FINGERPRINT = 12, NOTE_MAX = 512, DEEPEST_SHOWN = 8 };

struct tour {
    struct block_writer *writer;
    struct arena *arena;
    gramc_text said; /* by the model, last */
    bool ended;
    unsigned depth;
};

static void put(struct tour *tour, enum block_kind kind, gramc_text label, gramc_text note,
                gramc_text text) {
    const struct block block = {kind, label, note, text, tour->depth};
    tour->writer->block(tour->writer, &block);
}

/* ## Notes: parts with commas between, none where there is nothing to say */

struct note {
    char text[NOTE_MAX];
    size_t len;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(struct note *note, const char *format, ...) {
    va_list args;
    size_t room = sizeof note->text - note->len;
    int comma = note->len ? snprintf(note->text + note->len, room, ", ") : 0;
    if ((size_t)comma >= room) return;
    va_start(args, format);
    int len = vsnprintf(note->text + note->len + comma, room - (size_t)comma, format, args);
    va_end(args);
    if (len > 0 && (size_t)len < room - (size_t)comma) note->len += (size_t)(comma + len);
    note->text[note->len] = '\0';
}

static gramc_text view(const struct note *note) {
    return (gramc_text){note->text, note->len};
}

const char *trace_seconds(const struct json *event, const char *key, char room[32]) {
    if (!json_is(json_get(event, key), JSON_NUMBER)) return "";
    unsigned long long tenths = (trace_number(event, key) + 50) / 100;
    snprintf(room, 32, "%llu.%llu s", tenths / 10, tenths % 10);
    return room;
}

static void add_time(struct note *note, const struct json *event, const char *key,
                     const char *words) {
    char room[32];
    const char *time = trace_seconds(event, key, room);
    if (*time) add(note, "%s%s", time, words);
}

static void add_usage(struct note *note, const struct json *event) {
    const struct json *usage = json_get(event, "usage");
    if (!usage || (!trace_number(usage, "total") && !trace_number(usage, "prompt"))) return;
    add(note, "%llu + %llu tokens", (unsigned long long)trace_number(usage, "prompt"),
        (unsigned long long)trace_number(usage, "completion"));
    if (trace_number(usage, "cached"))
        add(note, "%llu of them cached", (unsigned long long)trace_number(usage, "cached"));
}

static void add_some(struct note *note, const char *words, gramc_text text) {
    if (text.len && text.len < NOTE_MAX) add(note, "%s%.*s", words, TEXT_ARGS(text));
}

static void add_count(struct note *note, const struct json *event, const char *key,
                      const char *noun) {
    unsigned long long count = trace_number(event, key);
    if (json_get(event, key)) add(note, "%llu %s%s", count, noun, count == 1 ? "" : "s");
}

/* "word NAME" */
static gramc_text label(struct tour *tour, const char *word, gramc_text name) {
    struct buf out;
    buf_init(&out, &tour->arena->allocator, (size_t)INT32_MAX);
    buf_puts(&out, word);
    buf_text(&out, name);
    return buf_to_arena(&out, tour->arena);
}

static gramc_text raw(struct tour *tour, const struct json *value) {
    struct buf out;
    buf_init(&out, &tour->arena->allocator, (size_t)INT32_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, tour->arena);
}

/* ## The header */

static void put_side(struct tour *tour, const struct json *event, const char *key,
                     const char *name_key, const char *shown) {
    const struct json *side = json_get(event, key);
    gramc_text name = trace_text(side, name_key), fingerprint = trace_text(side, "fingerprint");
    size_t len = fingerprint.len < SHORT_FINGERPRINT ? fingerprint.len : SHORT_FINGERPRINT;
    if (name.len || fingerprint.len)
        put(tour, BLOCK_FACT, text_of(shown), text_slice(fingerprint, 0, len), name);
}

static void put_fact(struct tour *tour, const struct json *event, const char *key) {
    gramc_text value = trace_text(event, key);
    if (value.len) put(tour, BLOCK_FACT, text_of(key), TEXT(""), value);
}

static void walk_header(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    static const char *const facts[] = {"run", "parent", "time"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) put_fact(tour, event, facts[i]);
    put_side(tour, event, "spec", "agent", "agent");
    put_side(tour, event, "library", "name", "library");
    add_some(&note, "", trace_text(event, "provider"));
    add_some(&note, "", trace_text(event, "protocol"));
    add_some(&note, "wire ", trace_text(event, "wire"));
    if (note.len || trace_text(event, "model").len)
        put(tour, BLOCK_FACT, TEXT("model"), view(&note), trace_text(event, "model"));
    const struct json *inputs = json_get(event, "inputs");
    if (json_is(inputs, JSON_OBJECT))
        for (const struct json *input = inputs->first; input; input = input->next)
            put(tour, BLOCK_FACT, label(tour, "input ", input->key), TEXT(""),
                json_is(input, JSON_STRING) ? input->text : raw(tour, input));
}

/* ## The conversation */

static void walk_turn(struct tour *tour, const struct json *event) {
    put(tour, BLOCK_USER, TEXT("user"), TEXT(""), trace_text(event, "message"));
}

static void walk_task(struct tour *tour, const struct json *event) {
    put(tour, BLOCK_USER, label(tour, "task ", trace_text(event, "name")), TEXT(""),
        trace_text(event, "prompt"));
}

static void walk_request(struct tour *tour, const struct json *event) {
    const struct json *body = json_get(event, "body");
    gramc_text prompt = trace_text(event, "prompt");
    if (prompt.len) put(tour, BLOCK_USER, TEXT("prompt"), TEXT(""), prompt);
    if (body) put(tour, BLOCK_RAW, TEXT("request"), TEXT(""), raw(tour, body));
}

static void add_class(struct note *note, const struct json *event) {
    add_some(note, "", trace_text(event, "class"));
    if (trace_number(event, "status"))
        add(note, "HTTP %llu", (unsigned long long)trace_number(event, "status"));
}

static void walk_attempt(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    if (text_is(trace_text(event, "class"), "answered")) return;
    add_class(&note, event);
    add_time(&note, event, "duration_ms", "");
    add_time(&note, event, "wait_ms", " until the next");
    put(tour, BLOCK_FAILURE, TEXT("attempt"), view(&note), trace_text(event, "message"));
    if (trace_text(event, "body").len)
        put(tour, BLOCK_RAW, TEXT("its answer"), TEXT(""), trace_text(event, "body"));
}

static void walk_calls(struct tour *tour, const struct json *calls) {
    if (!json_is(calls, JSON_ARRAY)) return;
    for (const struct json *call = calls->first; call; call = call->next)
        put(tour, BLOCK_CALL, label(tour, "call ", trace_text(call, "name")), TEXT(""),
            trace_text(call, "arguments"));
}

static void walk_response(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    tour->said = trace_text(event, "content");
    add_some(&note, "", trace_text(event, "role"));
    add_time(&note, event, "duration_ms", "");
    add_usage(&note, event);
    add_some(&note, "finish ", trace_text(event, "finish"));
    put(tour, BLOCK_MODEL, TEXT("model"), view(&note), tour->said);
    gramc_text refusal = trace_text(event, "refusal");
    if (refusal.len) put(tour, BLOCK_FAILURE, TEXT("refusal"), TEXT(""), refusal);
    walk_calls(tour, json_get(event, "calls"));
}

static void walk_error(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    add_class(&note, event);
    add_time(&note, event, "duration_ms", "");
    put(tour, BLOCK_FAILURE, TEXT("no answer"), view(&note), trace_text(event, "message"));
}

/* ## Tools: the call itself was shown with the answer that asked for it */

static void walk_tool_request(struct tour *tour, const struct json *event) {
    gramc_text sent = trace_text(event, "sent");
    if (sent.len)
        put(tour, BLOCK_CALL, label(tour, "sent to ", trace_text(event, "name")), TEXT(""), sent);
}

static void walk_tool_response(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    gramc_text outcome = trace_text(event, "outcome"), own = trace_text(event, "own");
    bool fine = text_is(outcome, "ok");
    if (!fine) add_some(&note, "", outcome);
    add_time(&note, event, "duration_ms", "");
    if (trace_number(event, "queued_ms")) add_time(&note, event, "queued_ms", " queued");
    put(tour, fine ? BLOCK_RESULT : BLOCK_FAILURE,
        label(tour, fine ? "result of " : "failed: ", trace_text(event, "name")), view(&note),
        trace_text(event, "result"));
    if (own.len) put(tour, BLOCK_RAW, TEXT("in its own words"), TEXT(""), own);
}

/* ## The end */

static void walk_answer(struct tour *tour, const struct json *event) {
    gramc_text text = trace_text(event, "text");
    if (!text_eq(text, tour->said)) put(tour, BLOCK_MODEL, TEXT("answer"), TEXT(""), text);
}

static void walk_outcome(struct tour *tour, const struct json *event) {
    struct note note = {.len = 0};
    gramc_text outcome = trace_text(event, "outcome");
    if (!tour->depth) tour->ended = true;
    add_time(&note, event, "duration_ms", "");
    add_time(&note, event, "model_ms", " in the model");
    add_time(&note, event, "tool_ms", " in tools");
    add_count(&note, event, "requests", "request");
    unsigned long long retries = trace_number(event, "retries");
    if (retries) add(&note, "%llu retr%s", retries, retries == 1 ? "y" : "ies");
    add_count(&note, event, "calls", "call");
    unsigned long long errors =
        trace_number(event, "call_errors") + trace_number(event, "tool_errors");
    if (errors) add(&note, "%llu of them failed", errors);
    add_usage(&note, event);
    const struct json *cost = json_get(event, "cost");
    if (json_is(cost, JSON_NUMBER)) add_some(&note, "cost ", cost->text);
    put(tour, text_is(outcome, "answered") ? BLOCK_END : BLOCK_FAILURE, outcome, view(&note),
        trace_text(event, "message"));
}

static void walk_other(struct tour *tour, const struct json *event) {
    put(tour, BLOCK_OTHER, trace_text(event, "event"), TEXT(""), raw(tour, event));
}

/* ## All events */

static const struct {
    const char *name;
    void (*show)(struct tour *tour, const struct json *event);
} shows[] = {{"header", walk_header},
             {"turn", walk_turn},
             {"task", walk_task},
             {"model.request", walk_request},
             {"model.attempt", walk_attempt},
             {"model.response", walk_response},
             {"model.error", walk_error},
             {"tool.request", walk_tool_request},
             {"tool.response", walk_tool_response},
             {"answer", walk_answer},
             {"outcome", walk_outcome}};

/* 0: of the run itself; else of one that does a tool, or of one in that. */
static unsigned depth_of(const struct json *event) {
    gramc_text within = trace_text(event, "within");
    unsigned depth = within.len > 0;
    for (size_t i = 0; i < within.len; i++) depth += within.ptr[i] == '/';
    return depth < DEEPEST_SHOWN ? depth : DEEPEST_SHOWN;
}

static void walk_event(struct tour *tour, const struct json *event) {
    static const char inner[] = "inner.";
    gramc_text name = trace_text(event, "event");
    tour->depth = text_starts(name, inner) ? depth_of(event) : 0;
    if (tour->depth) name = text_slice(name, sizeof inner - 1, name.len);
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        if (!text_is(name, shows[i].name)) continue;
        shows[i].show(tour, event);
        return;
    }
    walk_other(tour, event);
}

void trace_walk(struct block_writer *writer, const struct trace_events *trace,
                struct arena *arena) {
    struct tour tour = {.writer = writer, .arena = arena};
    gramc_text agent = {NULL, 0};
    if (trace->count) agent = trace_text(json_get(trace->events[0], "spec"), "agent");
    writer->begin(writer, label(&tour, agent.len ? "A run of " : "A run", agent));
    for (size_t i = 0; i < trace->count; i++) walk_event(&tour, trace->events[i]);
    if (!tour.ended)
        put(&tour, BLOCK_FAILURE, TEXT("no outcome"), TEXT(""),
            TEXT("the trace ends here: the run was killed, still goes on, or this is a script"));
    writer->end(writer);
}
