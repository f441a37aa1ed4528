/* Makes models and carries one question at a time from a run to its model and back. How an answer
 * is come by is in model_endpoint.c, llm_script.c and llm_mock.c. */
#include "runtime/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "base/options.h"
#include "runtime/model_stream.h"
#include "runtime/run.h"
#include "runtime/secret_typed.h"

gramc_model *model_new(const struct model_kind *kind, const gramc_allocator *allocator) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    gramc_model *model = mem_alloc(&chosen, sizeof(*model));
    if (!model) return NULL;
    *model = (gramc_model){.kind = kind};
    arena_init(&model->arena, &chosen);
    return model;
}

gramc_text gramc_model_protocol(const gramc_model *model) {
    return model->protocol ? text_of(model->protocol->name) : (gramc_text){NULL, 0};
}

gramc_text gramc_model_protocol_of(const gramc_model *model, gramc_text name) {
    for (size_t i = 0; i < model->named_count; i++)
        if (text_eq(model->named[i].name, name)) return text_of(model->named[i].protocol->name);
    return gramc_model_protocol(model);
}

bool gramc_model_is_mock(const gramc_model *model) {
    return model->is_mock;
}

void gramc_model_free(gramc_model *model) {
    if (!model) return;
    gramc_allocator allocator = model->arena.allocator;
    http_target_free(model->target);
    secrets_free(model->secrets);
    arena_free(&model->arena);
    mem_free(&allocator, model, sizeof(*model));
}

/* ## Questions */

void ask_init(struct ask *ask, gramc_run *run) {
    ask->run = run;
    ask->http.allocator = run->loop->allocator;
    arena_init(&ask->arena, &run->loop->allocator);
}

void ask_start(struct ask *ask) {
    arena_free(&ask->arena); /* thousands wait at once */
    ask->reply = (struct reply){0};
    ask->failed = ask->nomem = false;
    ask->attempt = 0;
    ask->delta_told = false;
    ask->size = 0;
    ask->http.status = 0;
    ask->last = (gramc_event_attempt){.class_ = GRAMC_ATTEMPT_LOCAL};
    ask->started = watch_stamp(&ask->run->watch);
    ask->run->model->kind->start(ask);
}

void ask_cancel(struct ask *ask) {
    ask->run->model->kind->cancel(ask);
}

static void timer_closed(uv_handle_t *handle) {
    struct ask *ask = handle->data;
    run_handle_closed(ask->run);
}

void ask_free(struct ask *ask) {
    http_request_free(&ask->http);
    streamed_free(ask);
    arena_free(&ask->arena);
    if (!ask->timer_open) return;
    ask->timer_open = false;
    uv_close((uv_handle_t *)&ask->timer, timer_closed);
}

void ask_wait(struct ask *ask, uv_timer_cb passed, double ms) {
    if (!ask->timer_open) {
        uv_timer_init(&ask->run->loop->uv, &ask->timer);
        ask->timer.data = ask;
        ask->timer_open = true;
        ask->run->handles++;
    }
    uv_update_time(&ask->run->loop->uv);
    uv_timer_start(&ask->timer, passed, (uint64_t)ms, 0);
}

static void tell(struct ask *ask) {
    limiter_leave(ask);
    ask->run->state = RUN_READ;
    run_step(ask->run);
}

bool ask_learn(struct ask *ask) {
    gramc_run *run = ask->run;
    if (!watch_is_on(&run->watch)) return true;
    return !secrets_learn_reply(&run->watch.secrets, &run->loop->allocator, run->step,
                                run->asking.arguments_of, &ask->reply);
}

void ask_answer(struct ask *ask) {
    limiter_count(ask);
    if (!ask_learn(ask)) {
        ask_fail_nomem(ask);
        return;
    }
    watch_reply(&ask->run->watch, &ask->reply, ask->size, ask->started);
    tell(ask);
}

void ask_fail(struct ask *ask, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(ask->run->message, sizeof(ask->run->message), format, args);
    va_end(args);
    ask->failed = true;
    watch_model_error(&ask->run->watch, &ask->last, text_of(ask->run->message), ask->started);
    tell(ask);
}

void ask_fail_nomem(struct ask *ask) {
    ask->failed = ask->nomem = true;
    tell(ask);
}
