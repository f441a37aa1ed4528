/* Takes the secrets that a run has learnt (secret_typed.c) out of an event, before the trace and
 * whoever watches get it: a copy of what it points at, with other texts. The run itself goes on
 * with the values as they are. */
#include "runtime/watch_hide.h"

#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/secret_list.h"

enum { LONGEST_TEXT = 256 << 20 };

struct hiding {
    const struct secrets *secrets;
    struct arena *arena;
};

/* `"` or `\"`, the end of a text in JSON, from `at` on. */
static bool ends_text(gramc_text text, size_t at) {
    while (at < text.len && text.ptr[at] == '\\') at++;
    return at < text.len && text.ptr[at] == '"';
}

/* The next text of JSON that is this value and nothing else. */
static size_t find_alone(gramc_text text, gramc_text value, size_t from) {
    for (size_t at = from; at + value.len < text.len; at++)
        if (at && text.ptr[at - 1] == '"' && memcmp(text.ptr + at, value.ptr, value.len) == 0 &&
            ends_text(text, at + value.len))
            return at;
    return text.len;
}

/* One that is too short to be looked for anywhere is hidden where it is all that a text says. */
static void hide_short(const struct hiding *h, const struct secret *secret, gramc_text *text) {
    size_t done = 0, at = find_alone(*text, secret->value, 0);
    struct buf copy;
    if (at == text->len) return;
    buf_init(&copy, &h->arena->allocator, LONGEST_TEXT);
    for (; at < text->len; at = find_alone(*text, secret->value, done)) {
        buf_text(&copy, text_slice(*text, done, at));
        buf_printf(&copy, "${%.*s}", TEXT_ARGS(secret->name));
        done = at + secret->value.len;
    }
    buf_text(&copy, text_slice(*text, done, text->len));
    if (buf_status(&copy)) h->arena->oom = true;
    else *text = arena_text(h->arena, buf_view(&copy));
    buf_free(&copy);
}

static void hide_all_short(const struct hiding *h, gramc_text *text) {
    for (size_t i = 0; text->ptr && i < h->secrets->count; i++)
        if (h->secrets->list[i].value.len < SECRET_SHORTEST)
            hide_short(h, &h->secrets->list[i], text);
}

static void hide_cut(const struct hiding *h, gramc_text *text, enum text_cut cut) {
    struct buf copy;
    if (text->len) hide_all_short(h, text);
    if (!text->len || (!cut && !secrets_may_stand_in(h->secrets, *text, SECRET_SHORTEST))) return;
    buf_init(&copy, &h->arena->allocator, LONGEST_TEXT);
    buf_text(&copy, *text);
    secrets_hide_cut(h->secrets, &copy, cut);
    if (buf_status(&copy)) h->arena->oom = true;
    else *text = arena_text(h->arena, buf_view(&copy));
    buf_free(&copy);
}

static void hide(const struct hiding *h, gramc_text *text) {
    hide_cut(h, text, CUT_NOWHERE);
}

enum text_cut attempt_cut(gramc_attempt_class class_) {
    switch (class_) {
    case GRAMC_ATTEMPT_UNREACHABLE:
    case GRAMC_ATTEMPT_TIMEOUT:
    case GRAMC_ATTEMPT_MALFORMED:
    case GRAMC_ATTEMPT_TOO_LARGE: return CUT_AT_END;
    case GRAMC_ATTEMPT_ANSWERED:
    case GRAMC_ATTEMPT_RATE_LIMIT:
    case GRAMC_ATTEMPT_QUOTA:
    case GRAMC_ATTEMPT_DENIED:
    case GRAMC_ATTEMPT_REFUSED:
    case GRAMC_ATTEMPT_SERVER:
    case GRAMC_ATTEMPT_LOCAL: break;
    }
    return CUT_NOWHERE;
}

static void hide_attempt(const struct hiding *h, gramc_event_attempt *attempt) {
    hide_cut(h, &attempt->body, attempt_cut(attempt->class_));
    hide(h, &attempt->reason);
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
    if (event->attempt) hide_attempt(&h, &hidden->attempt);
    if (event->response) hide_response(&h, &hidden->response);
    if (event->call) hide_call(&h, hidden);
    if (event->guard) hide_guard(&h, &hidden->guard);
    if (event->reading) hide_reading(&h, &hidden->reading);
    if (event->result) hide(&h, &hidden->result.text);
    if (event->result) hide(&h, &hidden->result.message);
}
