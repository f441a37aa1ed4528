/* Takes the secrets that a run has learnt (secret_typed.c) out of an event, before the trace and
 * whoever watches get it: a copy of what it points at, with other texts. The run itself goes on
 * with the values as they are. */
#include "runtime/watch_hide.h"

#include "base/json/json.h"
#include "base/text.h"

enum { LONGEST_TEXT = 256 << 20 };

struct hiding {
    const struct secrets *secrets;
    struct arena *arena;
};

static void hide(const struct hiding *h, gramc_text *text) {
    struct buf copy;
    if (!text->len || !secrets_may_stand_in(h->secrets, *text, SECRET_SHORTEST)) return;
    buf_init(&copy, &h->arena->allocator, LONGEST_TEXT);
    buf_text(&copy, *text);
    secrets_hide_from(h->secrets, &copy, SECRET_SHORTEST);
    if (buf_status(&copy)) h->arena->oom = true;
    else *text = arena_text(h->arena, buf_view(&copy));
    buf_free(&copy);
}

/* Written as it is into what is told: digits that stood there as a number leave no JSON behind. */
static void hide_json(const struct hiding *h, gramc_text *text) {
    const char *before = text->ptr;
    struct arena scratch;
    hide(h, text);
    if (text->ptr == before) return;
    arena_init(&scratch, &h->arena->allocator);
    bool is_json = json_parse(&scratch, *text, NULL) != NULL;
    if (scratch.oom) h->arena->oom = true;
    else if (!is_json) *text = TEXT("\"(it holds a secret)\"");
    arena_free(&scratch);
}

static void hide_start(const struct hiding *h, gramc_event_start *start) {
    gramc_input *inputs = arena_array(h->arena, start->input_count + 1, sizeof *inputs);
    if (!inputs) return;
    for (size_t i = 0; i < start->input_count; i++) {
        inputs[i] = start->inputs[i];
        hide(h, &inputs[i].value);
    }
    start->inputs = inputs;
}

static void hide_model_call(const struct hiding *h, gramc_model_call *call) {
    hide(h, &call->name);
    hide(h, &call->arguments);
}

static void hide_response(const struct hiding *h, gramc_event_response *response) {
    gramc_model_call *calls = arena_array(h->arena, response->call_count + 1, sizeof *calls);
    if (!calls) return;
    for (size_t i = 0; i < response->call_count; i++) {
        calls[i] = response->calls[i];
        hide_model_call(h, &calls[i]);
    }
    response->calls = calls;
    hide(h, &response->content);
    hide(h, &response->refusal);
    hide_json(h, &response->opaque);
}

static void hide_reading(const struct hiding *h, gramc_event_reading *reading) {
    gramc_adjustment *changes = arena_array(h->arena, reading->change_count + 1, sizeof *changes);
    if (!changes) return;
    for (size_t i = 0; i < reading->change_count; i++) {
        changes[i] = reading->changes[i];
        hide_json(h, &changes[i].before);
        hide_json(h, &changes[i].after);
    }
    reading->changes = changes;
}

static void hide_call(const struct hiding *h, struct hidden_event *hidden) {
    gramc_event_call *call = &hidden->call;
    if (call->call) {
        hidden->model_call = *call->call;
        hide_model_call(h, &hidden->model_call);
        call->call = &hidden->model_call;
    }
    hide_json(h, &call->sent);
    hide(h, &call->own);
    if (!call->reading) return;
    hidden->call_reading = *call->reading;
    hide_reading(h, &hidden->call_reading);
    call->reading = &hidden->call_reading;
}

static void hide_guard(const struct hiding *h, gramc_event_guard *guard) {
    hide(h, &guard->message);
    hide(h, &guard->from);
    hide(h, &guard->to);
}

/* Puts the copy in the event's place. */
#define COPY(member)                                                                               \
    if (event->member) {                                                                           \
        hidden->member = *event->member;                                                           \
        event->member = &hidden->member;                                                           \
    }

void watch_hide(struct hidden_event *hidden, gramc_event *event, const struct secrets *secrets,
                struct arena *arena) {
    const struct hiding h = {secrets, arena};
    *hidden = (struct hidden_event){.model_call = {.own_id = false}};
    COPY(start)
    COPY(attempt)
    COPY(response)
    COPY(call)
    COPY(guard)
    COPY(reading)
    COPY(result)
    if (event->kind == GRAMC_EVENT_REQUEST) hide_json(&h, &event->text);
    else hide(&h, &event->text);
    hide(&h, &event->prompt);
    if (event->start) hide_start(&h, &hidden->start);
    if (event->attempt) hide(&h, &hidden->attempt.body);
    if (event->attempt) hide(&h, &hidden->attempt.reason);
    if (event->response) hide_response(&h, &hidden->response);
    if (event->call) hide_call(&h, hidden);
    if (event->guard) hide_guard(&h, &hidden->guard);
    if (event->reading) hide_reading(&h, &hidden->reading);
    if (event->result) hide(&h, &hidden->result.text);
    if (event->result) hide(&h, &hidden->result.message);
}
