/* Stamps what happens in a run with its time and place and hands it to whoever watches, the trace
 * first: what an observer has heard of is written. What the events mean is gramc/event.h's. */
#include "runtime/watch.h"

#include "runtime/watch_hide.h"

static const char *const names[] = {[GRAMC_EVENT_RUN] = "header",
                                    [GRAMC_EVENT_TURN] = "turn",
                                    [GRAMC_EVENT_TASK] = "task",
                                    [GRAMC_EVENT_REQUEST] = "model.request",
                                    [GRAMC_EVENT_ATTEMPT] = "model.attempt",
                                    [GRAMC_EVENT_DELTA] = NULL,
                                    [GRAMC_EVENT_RESPONSE] = "model.response",
                                    [GRAMC_EVENT_ERROR] = "model.error",
                                    [GRAMC_EVENT_CALL] = "tool.request",
                                    [GRAMC_EVENT_RESULT] = "tool.response",
                                    [GRAMC_EVENT_ANSWER] = "answer",
                                    [GRAMC_EVENT_OUTCOME] = "outcome",
                                    [GRAMC_EVENT_READING] = "answer.reading",
                                    [GRAMC_EVENT_GUARD] = "tool.guard",
                                    [GRAMC_EVENT_INNER] = "inner"};

static const char *const classes[] = {
    [GRAMC_ATTEMPT_ANSWERED] = "answered",   [GRAMC_ATTEMPT_UNREACHABLE] = "unreachable",
    [GRAMC_ATTEMPT_TIMEOUT] = "timeout",     [GRAMC_ATTEMPT_RATE_LIMIT] = "rate-limit",
    [GRAMC_ATTEMPT_QUOTA] = "quota",         [GRAMC_ATTEMPT_DENIED] = "denied",
    [GRAMC_ATTEMPT_REFUSED] = "refused",     [GRAMC_ATTEMPT_SERVER] = "server",
    [GRAMC_ATTEMPT_MALFORMED] = "malformed", [GRAMC_ATTEMPT_TOO_LARGE] = "too-large",
    [GRAMC_ATTEMPT_LOCAL] = "local"};

const char *gramc_attempt_class_name(gramc_attempt_class class_) {
    size_t count = sizeof(classes) / sizeof(classes[0]);
    return (size_t)class_ < count ? classes[class_] : "unknown";
}

uint64_t watch_now(const struct watch *watch) {
    return watch->clock->now_ns(watch->clock->ctx);
}

bool watch_is_on(const struct watch *watch) {
    return watch->event || trace_is_on(&watch->trace);
}

uint64_t watch_stamp(const struct watch *watch) {
    return watch_is_on(watch) ? watch_now(watch) : 0;
}

static void hand_over(struct watch *watch, const gramc_event *event) {
    if (event->name) trace_event(&watch->trace, event);
    if (watch->event) watch->event(watch->ctx, event);
}

static void tell(struct watch *watch, gramc_event event) {
    if (!watch_is_on(watch)) return;
    event.name = names[event.kind];
    event.turn = watch->turn;
    event.iteration = watch->iteration;
    event.role = watch->role;
    if (watch->role) event.model = watch->model;
    event.at_ns = watch_now(watch) - watch->start;
    event.sequence = watch->sequence;
    if (event.name) watch->sequence++;
    if (!watch->secrets) {
        hand_over(watch, &event);
        return;
    }
    struct hidden_event hidden;
    struct arena scratch;
    arena_init(&scratch, &watch->trace.line.allocator);
    watch_hide(&hidden, &event, watch->secrets, &scratch);
    if (!scratch.oom) hand_over(watch, &event);
    else watch->trace.status = GRAMC_NOMEM;
    arena_free(&scratch);
}

static uint64_t since(const struct watch *watch, uint64_t started) {
    return watch_is_on(watch) ? watch_now(watch) - started : 0;
}

void watch_start(struct watch *watch, const gramc_event_start *start) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_RUN, .start = start});
}

void watch_turn(struct watch *watch, gramc_text message) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_TURN, .text = message});
}

void watch_task(struct watch *watch, gramc_text name, gramc_text prompt) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_TASK, .task = name, .text = prompt});
}

void watch_request(struct watch *watch, gramc_text body, gramc_text prompt) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_REQUEST, .text = body, .prompt = prompt});
}

void watch_attempt(struct watch *watch, const gramc_event_attempt *attempt, uint64_t started) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_ATTEMPT,
                              .attempt = attempt,
                              .duration_ns = since(watch, started)});
}

void watch_delta(struct watch *watch, gramc_text piece) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_DELTA, .text = piece});
}

void watch_reply(struct watch *watch, const struct reply *reply, size_t size, uint64_t started) {
    const gramc_event_response response = {.content = reply->has_content ? reply->content
                                                                         : (gramc_text){NULL, 0},
                                           .refusal = reply->refusal,
                                           .calls = reply->calls,
                                           .call_count = reply->call_count,
                                           .finish = reply->finish_reason,
                                           .id = reply->id,
                                           .model = reply->model,
                                           .system_fingerprint = reply->system_fingerprint,
                                           .prompt_tokens = reply->usage.prompt,
                                           .completion_tokens = reply->usage.completion,
                                           .total_tokens = reply->usage.total,
                                           .cached_tokens = reply->usage.cached,
                                           .opaque = reply->opaque,
                                           .size = size};
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_RESPONSE,
                              .response = &response,
                              .text = reply->content,
                              .duration_ns = since(watch, started)});
}

void watch_model_error(struct watch *watch, const gramc_event_attempt *attempt, gramc_text message,
                       uint64_t started) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_ERROR,
                              .attempt = attempt,
                              .text = message,
                              .duration_ns = since(watch, started)});
}

void watch_call(struct watch *watch, const gramc_event_call *call) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_CALL, .call = call});
}

void watch_result(struct watch *watch, const gramc_event_call *call, gramc_text text,
                  uint64_t started) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_RESULT,
                              .call = call,
                              .text = text,
                              .duration_ns = since(watch, started)});
}

void watch_guard(struct watch *watch, const gramc_event_call *call, const gramc_event_guard *guard,
                 uint64_t started) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_GUARD,
                              .call = call,
                              .guard = guard,
                              .text = guard->message,
                              .duration_ns = since(watch, started)});
}

/* Pieces of its answers are for nobody. */
void watch_inner(struct watch *watch, gramc_text within, const gramc_event *event) {
    bool is_deeper = event->kind == GRAMC_EVENT_INNER;
    if (event->kind == GRAMC_EVENT_DELTA) return;
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_INNER,
                              .inner = is_deeper ? event->inner : event,
                              .text = is_deeper ? event->text : within});
}

void watch_reading(struct watch *watch, const gramc_event_reading *reading, gramc_text text) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_READING, .reading = reading, .text = text});
}

void watch_answer(struct watch *watch, gramc_text text) {
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_ANSWER, .text = text});
}

void watch_outcome(struct watch *watch, const gramc_run_result *result) {
    watch->turn = watch->iteration = 0;
    tell(watch, (gramc_event){.kind = GRAMC_EVENT_OUTCOME,
                              .result = result,
                              .text = result->text,
                              .duration_ns = result->duration_ns});
}
