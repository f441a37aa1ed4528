/* Puts together what a run tells: the calls that were made, what it took, how it ended. One piece
 * of code for cells of an experiment and for messages of an online one. */
#include "experiment/run_record.h"

#include "base/text.h"

/* A call of the run, and where it stands in it. */
struct made_call {
    struct graded_call call;
    uint32_t turn, iteration, index;
    struct made_call *next;
};

enum fault fault_of_outcome(gramc_outcome outcome) {
    switch (outcome) {
    case GRAMC_OUTCOME_ANSWERED: return FAULT_NONE;
    case GRAMC_OUTCOME_MODEL_ERROR:
    case GRAMC_OUTCOME_TRACE_ERROR:
    case GRAMC_OUTCOME_INTERNAL:
    case GRAMC_OUTCOME_CANCELED:
    case GRAMC_OUTCOME_CASSETTE_MISS: return FAULT_INFRASTRUCTURE;
    default: return FAULT_ARM;
    }
}

void run_record_init(struct run_record *record, const gramc_allocator *allocator) {
    *record = (struct run_record){.made = NULL};
    record->made_end = &record->made;
    arena_init(&record->arena, allocator);
}

void run_record_free(struct run_record *record) {
    arena_free(&record->arena);
}

/* ## What a run tells */

static struct made_call *add_call(struct run_record *record, const gramc_event *event) {
    const gramc_event_call *told = event->call;
    struct made_call *made = arena_zalloc(&record->arena, sizeof(*made));
    if (!made) return NULL;
    *made =
        (struct made_call){.call = {.name = arena_text(&record->arena, told->tool),
                                    .arguments = arena_text(&record->arena, told->call->arguments)},
                           .turn = event->turn,
                           .iteration = event->iteration,
                           .index = told->index};
    *record->made_end = made;
    record->made_end = &made->next;
    record->call_count++;
    return made;
}

/* Of the answer that the model gave last: few. */
static struct made_call *find_call(const struct run_record *record, const gramc_event *event) {
    struct made_call *made = record->made;
    while (made && (made->turn != event->turn || made->iteration != event->iteration ||
                    made->index != event->call->index))
        made = made->next;
    return made;
}

/* One that is made is told of twice; one that is refused only when it is answered. */
static void note_call(struct run_record *record, const gramc_event *event) {
    struct made_call *made = find_call(record, event);
    if (!made) made = add_call(record, event);
    if (!made) return;
    if (event->kind == GRAMC_EVENT_CALL) {
        made->call.sent = arena_text(&record->arena, event->call->sent);
    } else {
        made->call.outcome = event->call->outcome;
        record->attempt.queued_us += event->call->queued_ns / 1000;
    }
}

/* In the order in which the model asked for them. */
struct graded_call *run_record_calls(struct run_record *record) {
    struct graded_call *list = arena_array(&record->arena, record->call_count + 1, sizeof(*list));
    size_t count = 0;
    for (const struct made_call *made = record->made; list && made; made = made->next)
        list[count++] = made->call;
    return list;
}

void run_record_event(struct run_record *record, const gramc_event *event) {
    struct attempt *attempt = &record->attempt;
    if (event->kind == GRAMC_EVENT_RUN && !attempt->replayed)
        attempt->started_ms = event->start->time_ms;
    if (event->kind == GRAMC_EVENT_ATTEMPT) attempt->queued_us += event->attempt->queued_ns / 1000;
    if (event->kind == GRAMC_EVENT_CALL || event->kind == GRAMC_EVENT_RESULT)
        note_call(record, event);
    if (event->kind == GRAMC_EVENT_RESPONSE) {
        const gramc_event_response *response = event->response;
        attempt->response_model = arena_text(&record->arena, response->model);
        attempt->system_fingerprint = arena_text(&record->arena, response->system_fingerprint);
        attempt->has_tokens |= response->total_tokens > 0;
    }
    if (event->kind == GRAMC_EVENT_OUTCOME) {
        attempt->message = arena_text(&record->arena, event->result->message);
        attempt->answer = arena_text(&record->arena, event->text);
        record->is_told = true;
    }
}

/* ## Its end */

void run_record_end(struct run_record *record, const gramc_run_result *result) {
    struct attempt *attempt = &record->attempt;
    attempt->fault = fault_of_outcome(result->outcome);
    attempt->outcome = text_of(gramc_outcome_name(result->outcome));
    /* What was told is without secrets. */
    if (!record->is_told) attempt->message = arena_text(&record->arena, result->message);
    if (!record->is_told) attempt->answer = arena_text(&record->arena, result->text);
    attempt->requests = result->requests;
    attempt->retries = result->retries;
    attempt->calls = result->calls;
    attempt->call_errors = result->call_errors;
    attempt->tool_errors = result->tool_errors;
    attempt->prompt_tokens = result->prompt_tokens;
    attempt->completion_tokens = result->completion_tokens;
    attempt->cached_tokens = result->cached_tokens;
    attempt->cost = result->cost;
    attempt->has_cost = result->has_cost;
    attempt->wall_us = result->duration_ns / 1000;
    attempt->model_us = result->model_ns / 1000;
    attempt->tool_us = result->tool_ns / 1000;
}

void run_record_fail(struct run_record *record, const char *outcome, const char *why) {
    record->attempt.fault = FAULT_INFRASTRUCTURE;
    record->attempt.outcome = text_of(outcome);
    record->attempt.message = arena_text(&record->arena, text_of(why));
}

void run_record_scores(struct run_record *record, const struct score *scores, size_t count,
                       double cost) {
    struct score *copy = arena_array(&record->arena, count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = scores[i];
        copy[i].reason = arena_text(&record->arena, scores[i].reason);
    }
    record->attempt.scores = copy;
    record->attempt.score_count = copy ? count : 0;
    record->attempt.judge_cost = cost;
}
